//! The documentation: guides, and the reference of the interface.
//!
//! Every call in a guide carries its path and the status it answers: the tests run them all.

mod clients;
mod policy;
mod rows;
mod text;
mod year;

use bareme_engine::service::Rules;
use maud::{Markup, html};

use super::layout::Page;
use super::text::prose;
use super::viewer;

/// Path of the list.
pub(super) const PATH: &str = "/documentation";

/// Path of the guide to versions and withdrawals.
pub(crate) const WITHDRAWALS: &str = "/documentation/versions";

/// A guide.
#[derive(Debug)]
pub(crate) struct Guide {
    slug: &'static str,
    title: &'static str,
    description: &'static str,
    content: fn(&Rules) -> Markup,
}

static GUIDES: [Guide; 14] = [
    Guide {
        slug: "premier-appel",
        title: "Le premier appel",
        description: "Appeler l’API sans clé, lire la réponse, demander le détail.",
        content: text::first_call,
    },
    Guide {
        slug: "cles",
        title: "Les clés",
        description: "Obtenir une clé, l’envoyer, la remplacer, suivre son usage.",
        content: text::keys,
    },
    Guide {
        slug: "erreurs",
        title: "Traiter les erreurs",
        description: "La forme des erreurs, celles qui se corrigent et celles qui se réessaient.",
        content: text::errors,
    },
    Guide {
        slug: "quotas",
        title: "Les quotas",
        description: "Ce qui est compté, ce qui ne l’est pas, et les en-têtes qui le disent.",
        content: text::quotas,
    },
    Guide {
        slug: "dates",
        title: "Dates et versions",
        description: "Choisir le barème d’un jour, savoir lequel a servi, suivre les changements.",
        content: text::dates,
    },
    Guide {
        slug: "arrondis",
        title: "Nombres et arrondis",
        description: "Des décimales exactes, arrondies là où la loi arrondit et nulle part ailleurs.",
        content: text::rounding,
    },
    Guide {
        slug: "sources",
        title: "Sources, vérifications et citation",
        description: "D’où vient un chiffre, comment il est vérifié, comment citer un résultat.",
        content: text::sources,
    },
    Guide {
        slug: "lots",
        title: "Des lignes en nombre",
        description: "Calculer une paie entière en un appel, en JSON ou en CSV, et choisir les champs.",
        content: rows::batches,
    },
    Guide {
        slug: "annee",
        title: "Une année de paies",
        description: "Douze mois en un appel : listes, embauche, départ, régularisations, totaux.",
        content: year::of_pays,
    },
    Guide {
        slug: "tableur",
        title: "Depuis un tableur",
        description: "Excel, Power Query et LibreOffice : une cellule, une colonne, un fichier.",
        content: rows::spreadsheets,
    },
    Guide {
        slug: "clients",
        title: "Générer un client",
        description: "De la description OpenAPI à un client typé en TypeScript ou en Python, ou à une collection Postman.",
        content: clients::generated,
    },
    Guide {
        slug: "migration",
        title: "D’une version de l’API à l’autre",
        description: "Ce qui change entre la version France et la version multi-pays.",
        content: text::migration,
    },
    Guide {
        slug: "donnees",
        title: "Les données derrière les réponses",
        description: "Paramètres, choix, chiffres, textes et changements en JSON, pour construire un formulaire ou un client.",
        content: policy::data,
    },
    Guide {
        slug: "versions",
        title: "Versions, changements et retraits",
        description: "Ce qui peut changer sans préavis, ce qui est annoncé, et combien de temps avant.",
        content: policy::versions,
    },
];

/// The paths of the guides.
pub(super) fn paths() -> impl Iterator<Item = String> {
    GUIDES.iter().map(path)
}

fn path(guide: &Guide) -> String {
    format!("{PATH}/{}", guide.slug)
}

/// The guide at a path.
pub(super) fn find(path: &str) -> Option<&'static Guide> {
    GUIDES.iter().find(|guide| self::path(guide) == path)
}

/// The list of the guides and of the references.
pub(super) fn index(rules: &Rules) -> String {
    let content = html! {
        h1 { "Documentation" }
        h2 { "Guides" }
        ul {
            @for guide in &GUIDES {
                li { a href=(path(guide)) { (prose(guide.title)) } "\u{a0}: " (prose(guide.description)) }
            }
        }
        h2 { "Référence de l’API" }
        ul {
            @for variant in &rules.service().variants {
                li {
                    a href=(viewer::page_path(variant)) { (prose(&variant.title)) } " (" code { (variant.prefix) } "), ou sa "
                    a href={ (variant.prefix) "/openapi.json" } { "description OpenAPI\u{a0}3.1" } " pour vos outils"
                }
            }
            li { a href="/erreurs" { "Toutes les erreurs" } ", par statut et par code" }
            li { a href="/baremes" { "Tous les barèmes" } ", leurs chiffres et leurs textes" }
        }
    };
    let page = Page {
        title: "Documentation",
        description: "Guides et référence de l’API : premier appel, clés, erreurs, quotas, dates, arrondis, sources.",
        path: Some(PATH),
        content,
        ..Page::default()
    };
    page.render(rules.service())
}

/// A guide.
pub(super) fn page(rules: &Rules, guide: &Guide) -> String {
    let path = path(guide);
    let content = html! {
        p.trail { a href=(PATH) { "Documentation" } }
        article {
            h1 { (prose(guide.title)) }
            ((guide.content)(rules))
        }
        nav.guides aria-label="Guides" {
            @for other in GUIDES.iter().filter(|other| other.slug != guide.slug) { a href=(self::path(other)) { (prose(other.title)) } }
        }
    };
    let page =
        Page { title: guide.title, description: guide.description, path: Some(&path), content, ..Page::default() };
    page.render(rules.service())
}
