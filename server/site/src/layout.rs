//! The common layout of every page.

use bareme_engine::Lang;
use bareme_engine::service::Service;
use bareme_engine::text::Text;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;

use super::assets;
use super::developers;
use super::home;
use super::language::{self, code};
use super::legal::pages;
use super::picture;
use super::text::{printed, prose, say};
use super::wellknown;

/// A page: what its head says, and its content.
#[derive(Default)]
pub(super) struct Page<'p> {
    /// Title, without the name of the service.
    pub title: &'p str,
    /// One sentence for search engines.
    pub description: &'p str,
    /// Its own path, in French; `None` without a permanent address.
    pub path: Option<&'p str>,
    /// The query of the request, where the page is in both languages.
    pub switch: Option<&'p str>,
    /// Its own style sheets; if it has none, the one of all pages is loaded.
    pub styles: &'p [&'p str],
    pub script: Option<&'p str>,
    /// Feed of its news, if it has one.
    pub feed: Option<&'p str>,
    /// Its JSON-LD data for search engines.
    pub data: Option<Value>,
    /// The case that it shows, where somebody's link leads to one.
    pub case: Option<SharedCase>,
    /// Whether it is embedded in another site, without our header and footer.
    pub is_framed: bool,
    pub content: Markup,
}

/// The preview of a link to a case, in a message or on a network.
#[derive(Debug)]
pub(super) struct SharedCase {
    /// The result: `Net avant impôt : 33 247,09 € par an`.
    pub title: String,
    /// The calculation and what was entered.
    pub description: String,
    /// The path and the query of the case.
    pub link: String,
    /// The path and the query of its picture.
    pub picture: String,
}

/// The parts of the site, as the head of each page lists them, and whether they are in English.
const PARTS: [(&str, Text, bool); 5] = [
    (
        "/simulateurs",
        Text::new("Simulateurs", "Calculators"),
        true,
    ),
    ("/comparer", Text::new("Comparer", "Compare"), true),
    ("/baremes", Text::new("Barèmes", "Scales"), false),
    (developers::PATH, Text::new("API", "API"), true),
    (
        "/documentation",
        Text::new("Documentation", "Documentation"),
        true,
    ),
];

/// The name of the part of the site at a path, in French.
pub(super) fn part_at(path: &str) -> Option<Text> {
    let mut parts = PARTS.into_iter();
    let (_, name, _) = parts.find(|(part, ..)| *part == path)?;
    Some(name)
}

/// The note beside a link from an English page to a French one.
const IN_FRENCH: &str = "in French";

impl Page<'_> {
    /// The HTML of the page; without a service, while no rules are loaded, no other page can be
    /// shown.
    pub(super) fn render<'s>(&self, service: impl Into<Option<&'s Service>>) -> String {
        let service = service.into();
        let lang = service.map_or(Lang::Fr, |service| service.lang);

        // The title of a page, then the name of the service; the home page has the name alone.
        let name = service.map(|service| printed(&service.title));
        let titles: Vec<String> = Some(printed(self.title))
            .filter(|title| !title.is_empty())
            .into_iter()
            .chain(name)
            .collect();

        // In a frame of another site, links to the other pages would open within the frame.
        let whole = if self.is_framed { None } else { service };
        let styles = if self.styles.is_empty() {
            &[assets::STYLE]
        } else {
            self.styles
        };

        let page = html! {
            (DOCTYPE)
            html lang=(code(lang)) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (titles.join(" – ")) }
                    @if !self.description.is_empty() {
                        meta name="description" content=(printed(self.description));
                    }
                    @if let (Some(path), Some(service)) = (self.path, service) {
                        link rel="canonical" href=(address(service, path, lang));
                        @if self.switch.is_some() {
                            @for lang in LANGUAGES {
                                link rel="alternate" hreflang=(code(lang))
                                    href=(address(service, path, lang));
                            }
                            // For readers of any other language.
                            link rel="alternate" hreflang="x-default"
                                href=(address(service, path, Lang::Fr));
                        }
                    }
                    @for style in styles { link rel="stylesheet" href=(style); }
                    link rel="icon" href=(assets::ICON);
                    link rel="apple-touch-icon" href=(assets::TOUCH_ICON);
                    link rel="manifest" href=(wellknown::MANIFEST);
                    @if let Some(feed) = self.feed {
                        link rel="alternate" type="application/atom+xml"
                            title="Changements de barème" href=(feed);
                    }
                    (self.shared(service))
                    @if let Some(script) = self.script { script type="module" src=(script) {} }
                }
                body {
                    a.skip href="#contenu" {
                        (say(lang, "Aller au contenu", "Skip to the content"))
                    }
                    @if let Some(service) = whole { (self.header(service)) }
                    // The target of the skip link takes the focus: otherwise some browsers only
                    // scroll, and the next tab is in the header again.
                    main #contenu tabindex="-1" { (self.content) }
                    @if let Some(service) = whole { (footer(service)) }
                }
            }
        };
        page.into_string() + "\n"
    }

    /// Metadata for links from other sites (Open Graph) and for search engines (JSON-LD).
    fn shared(&self, service: Option<&Service>) -> Markup {
        let (Some(service), Some(path)) = (service, self.path) else {
            return html! {};
        };

        let title = match self.title.is_empty() {
            true => &service.title,
            false => self.title,
        };
        let title = self.case.as_ref().map_or(title, |case| &case.title);
        let description = self.case.as_ref().map(|case| case.description.as_str());
        // The address of a case has its question, which the permanent one of the page leaves out:
        // what reads a link would read that one in its place.
        let url = match &self.case {
            Some(case) => format!("{}{}", service.documentation, case.link),
            None => address(service, path, service.lang),
        };

        // Readers of links see these in place of the page.
        let properties = [
            ("og:type", "website".to_owned()),
            ("og:site_name", printed(&service.title)),
            ("og:locale", say(service.lang, "fr_FR", "en_GB").to_owned()),
            ("og:title", printed(title)),
            (
                "og:description",
                printed(description.unwrap_or(self.description)),
            ),
            ("og:url", url),
        ]
        .into_iter()
        .chain(self.picture(service));
        // Escaped, so that no text in the JSON ends the element.
        let data = self
            .data
            .as_ref()
            .map(|data| data.to_string().replace('<', "\\u003c"));

        html! {
            @for (property, content) in properties { meta property=(property) content=(content); }
            // The picture above the title, as wide as the preview.
            meta name="twitter:card" content="summary_large_image";
            @if let Some(data) = data { script type="application/ld+json" { (PreEscaped(data)) } }
        }
    }

    /// The picture beside a link: that of the case, or else of the service.
    fn picture(&self, service: &Service) -> [(&'static str, String); 5] {
        let (link, text) = match &self.case {
            Some(SharedCase {
                title,
                description,
                picture,
                ..
            }) => (
                format!("{}{picture}", service.documentation),
                format!("{title}. {description}"),
            ),
            None => (
                address(service, picture::PATH, service.lang),
                format!("{}. {}", service.title, home::description(service.lang)),
            ),
        };

        [
            ("og:image", link),
            ("og:image:type", picture::PNG.to_owned()),
            ("og:image:width", picture::WIDTH.to_string()),
            ("og:image:height", picture::HEIGHT.to_string()),
            ("og:image:alt", printed(&text)),
        ]
    }

    fn header(&self, service: &Service) -> Markup {
        // A page below a part belongs to it: `/baremes/ir` is under `/baremes`.
        let is_here = |part: &str| {
            self.path
                .is_some_and(|path| path == part || path.starts_with(&format!("{part}/")))
        };

        let lang = service.lang;

        html! {
            header {
                div {
                    a.name href=(language::home(lang)) {
                        img src=(assets::ICON) alt="" width="24" height="24";
                        (prose(&service.title))
                    }
                    nav aria-label=(say(lang, "Principale", "Main")) {
                        @for (part, name, is_in_english) in PARTS {
                            @if is_in_english || lang == Lang::Fr {
                                a href={ (language::prefix(lang)) (part) }
                                    aria-current=[is_here(part).then_some("page")] {
                                    (name.in_lang(lang))
                                }
                            } @else {
                                a href=(part) hreflang="fr" title=(IN_FRENCH) {
                                    (name.in_lang(lang))
                                }
                            }
                        }
                        (self.switch(lang))
                    }
                }
            }
        }
    }

    /// The link to the same page in the other language, with the same question.
    fn switch(&self, lang: Lang) -> Markup {
        let Some((path, query)) = self.path.zip(self.switch) else {
            return html! {};
        };
        let other = match lang {
            Lang::Fr => Lang::En,
            Lang::En => Lang::Fr,
        };
        let mark = if query.is_empty() { "" } else { "?" };

        html! {
            // The word is in the language that it leads to, and is marked so for who has it read
            // aloud.
            a.switch href={ (language::localized(path, other)) (mark) (query) }
                lang=(code(other)) hreflang=(code(other)) {
                (say(other, "Français", "English"))
            }
        }
    }
}

/// The languages of the site.
const LANGUAGES: [Lang; 2] = [Lang::Fr, Lang::En];

/// The whole address of a page in a language.
fn address(service: &Service, path: &str, lang: Lang) -> String {
    format!(
        "{}{}",
        service.documentation,
        language::localized(path, lang)
    )
}

fn footer(service: &Service) -> Markup {
    if service.lang == Lang::En {
        return english_footer(service);
    }
    html! {
        footer {
            div {
                nav aria-label="Pied de page" {
                    a href=(developers::PATH) { "API, clés et offres" }
                    a href="/erreurs" { "Erreurs" }
                    a href="/documentation/sources" { "Sources et vérifications" }
                    a href="/baremes.atom" { "Flux des changements" }
                    a href=(super::availability::PATH) { "État du service" }
                    @for page in &pages::PAGES { a href=(page.path) { (page.title) } }
                }
                p {
                    (prose(&service.title))
                    "\u{a0}: calculs indicatifs, qui ne valent ni bulletin de paie ni avis \
                     d’imposition."
                }
            }
        }
    }
}

/// The footer of an English page, with what is in French alone.
fn english_footer(service: &Service) -> Markup {
    html! {
        footer {
            div {
                nav aria-label="Footer" {
                    a href=(language::localized(developers::PATH, Lang::En)) {
                        "API, keys and plans"
                    }
                    a href="/documentation/sources" hreflang="fr" {
                        "Sources and checks (" (IN_FRENCH) ")"
                    }
                    @for page in &pages::PAGES {
                        a href=(page.path) hreflang="fr" { (page.english) " (" (IN_FRENCH) ")" }
                    }
                }
                p {
                    (prose(&service.title))
                    ": for information only; neither a payslip nor tax advice."
                }
            }
        }
    }
}
