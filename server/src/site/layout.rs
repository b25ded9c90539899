//! The frame of every page.

use bareme_engine::Service;
use maud::{DOCTYPE, Markup, html};

use super::assets;
use super::text::{printed, prose};

/// A page: what its head says, and its content.
pub(super) struct Page<'p> {
    /// Title, without the name of the service.
    pub title: &'p str,
    /// One sentence for those who search.
    pub description: &'p str,
    /// Its own path; none where it has no lasting address.
    pub path: Option<&'p str>,
    /// Its script, if it has one.
    pub script: Option<&'p str>,
    /// Feed of its news, if it has one.
    pub feed: Option<&'p str>,
    /// What it shows.
    pub content: Markup,
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
        let name = printed(&service.title);
        let title = if self.title.is_empty() { name.clone() } else { format!("{} – {name}", printed(self.title)) };
        let page = html! {
            (DOCTYPE)
            html lang="fr" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (title) }
                    @if !self.description.is_empty() { meta name="description" content=(printed(self.description)); }
                    @if let Some(path) = self.path { link rel="canonical" href=(format!("{}{path}", service.documentation)); }
                    link rel="stylesheet" href=(assets::STYLE);
                    link rel="icon" href=(assets::ICON);
                    @if let Some(feed) = self.feed {
                        link rel="alternate" type="application/atom+xml" title="Changements de barème" href=(feed);
                    }
                    @if let Some(script) = self.script { script type="module" src=(script) {} }
                }
                body {
                    a.skip href="#contenu" { "Aller au contenu" }
                    (self.header(service))
                    main #contenu tabindex="-1" { (self.content) }
                    (footer(service))
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
                }
                p { (prose(&service.title)) "\u{a0}: calculs indicatifs, qui ne valent ni bulletin de paie ni avis d’imposition." }
            }
        }
    }
}
