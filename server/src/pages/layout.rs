//! The frame of every page.

use bareme_engine::service::Service;
use maud::{DOCTYPE, Markup, html};

use super::assets;
use super::legal::pages;
use super::text::{printed, prose};

/// A page: what its head says, and its content.
pub(super) struct Page<'p> {
    /// Title, without the name of the service.
    pub title: &'p str,
    /// One sentence for those who search.
    pub description: &'p str,
    /// Its own path; none where it has no lasting address.
    pub path: Option<&'p str>,
    /// Its style sheets.
    pub styles: &'p [&'p str],
    /// Its script, if it has one.
    pub script: Option<&'p str>,
    /// Feed of its news, if it has one.
    pub feed: Option<&'p str>,
    /// Its content.
    pub content: Markup,
}

impl Default for Page<'_> {
    fn default() -> Self {
        Self {
            title: "",
            description: "",
            path: None,
            styles: &[assets::STYLE],
            script: None,
            feed: None,
            content: html! {},
        }
    }
}

/// The parts of the site, as the head of each page lists them.
const PARTS: [(&str, &str); 5] = [
    ("/simulateurs", "Simulateurs"),
    ("/comparer", "Comparer"),
    ("/baremes", "Barèmes"),
    ("/documentation", "Documentation"),
    ("/cle", "Obtenir une clé"),
];

impl Page<'_> {
    /// The whole text of the page.
    pub(super) fn render(&self, service: &Service) -> String {
        self.framed(Some(service))
    }

    /// The same while no rules are loaded, when no other page can be shown.
    pub(super) fn render_alone(&self) -> String {
        self.framed(None)
    }

    fn framed(&self, service: Option<&Service>) -> String {
        let name = service.map(|service| printed(&service.title));
        let titles: Vec<String> =
            Some(printed(self.title)).filter(|title| !title.is_empty()).into_iter().chain(name).collect();
        let page = html! {
            (DOCTYPE)
            html lang="fr" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (titles.join(" – ")) }
                    @if !self.description.is_empty() { meta name="description" content=(printed(self.description)); }
                    @if let (Some(path), Some(service)) = (self.path, service) {
                        link rel="canonical" href=(format!("{}{path}", service.documentation));
                    }
                    @for style in self.styles { link rel="stylesheet" href=(style); }
                    link rel="icon" href=(assets::ICON);
                    @if let Some(feed) = self.feed {
                        link rel="alternate" type="application/atom+xml" title="Changements de barème" href=(feed);
                    }
                    @if let Some(script) = self.script { script type="module" src=(script) {} }
                }
                body {
                    a.skip href="#contenu" { "Aller au contenu" }
                    @if let Some(service) = service { (self.header(service)) }
                    main #contenu tabindex="-1" { (self.content) }
                    @if let Some(service) = service { (footer(service)) }
                }
            }
        };
        page.into_string() + "\n"
    }

    fn header(&self, service: &Service) -> Markup {
        let is_here = |part: &str| self.path.is_some_and(|path| path == part || path.starts_with(&format!("{part}/")));
        html! {
            header {
                div {
                    a.name href="/" { img src=(assets::ICON) alt="" width="24" height="24"; (prose(&service.title)) }
                    nav aria-label="Principale" {
                        @for (part, name) in PARTS {
                            a href=(part) aria-current=[is_here(part).then_some("page")] { (name) }
                        }
                    }
                }
            }
        }
    }
}

fn footer(service: &Service) -> Markup {
    html! {
        footer {
            div {
                nav aria-label="Pied de page" {
                    a href="/#offres" { "Offres" }
                    a href="/#attribution" { "Mention" }
                    a href="/erreurs" { "Erreurs" }
                    a href="/documentation/sources" { "Sources et vérifications" }
                    a href="/baremes.atom" { "Flux des changements" }
                    @for page in &pages::PAGES { a href=(page.path) { (page.title) } }
                }
                p { (prose(&service.title)) "\u{a0}: calculs indicatifs, qui ne valent ni bulletin de paie ni avis d’imposition." }
            }
        }
    }
}
