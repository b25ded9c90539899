//! The documentation: guides, and the reference of the interface.
//!
//! Every call in a guide carries its path and the status it answers: the tests run them all.

pub(super) mod api_changes;
mod bonuses;
mod clients;
mod embedding;
mod policy;
mod receipts;
mod rows;
mod text;
mod year;

use bareme_engine::service::Rules;
use maud::{Markup, html};

use super::layout::Page;
use super::text::prose;
use super::{developers, viewer};

/// Path of the list.
pub(super) const PATH: &str = "/documentation";

#[derive(Debug)]
pub struct Guide {
    slug: &'static str,
    title: &'static str,
    description: &'static str,
    content: fn(&Rules) -> Markup,
}

/// Declares the guides, in their order.
macro_rules! guides {
    ($($slug:literal $title:literal $content:path, $description:literal;)*) => {
        static GUIDES: [Guide; [$($slug),*].len()] =
            [$(Guide {
                slug: $slug,
                title: $title,
                description: $description,
                content: $content,
            }),*];
    };
}

guides! {
    "premier-appel" "Le premier appel" text::first_call,
        "Appeler l’API sans clé, lire la réponse, demander le détail.";
    "cles" "Les clés" text::keys,
        "Obtenir une clé, l’envoyer, la remplacer, suivre son usage.";
    "erreurs" "Traiter les erreurs" text::errors,
        "La forme des erreurs, celles qui se corrigent et celles qui se réessaient.";
    "quotas" "Les quotas" text::quotas,
        "Ce qui est compté, ce qui ne l’est pas, et les en-têtes qui le disent.";
    "dates" "Dates et versions" text::dates,
        "Choisir le barème d’un jour, savoir lequel a servi, suivre les changements.";
    "arrondis" "Nombres et arrondis" text::rounding,
        "Des décimales exactes, arrondies là où la loi arrondit et nulle part ailleurs.";
    "sources" "Sources, vérifications et citation" text::sources,
        "D’où vient un chiffre, comment il est vérifié, comment citer un résultat.";
    "lots" "Des lignes en nombre" rows::batches,
        "Calculer une paie entière en un appel, en JSON ou en CSV, et choisir les champs.";
    "annee" "Une année de paies" year::of_pays,
        "Douze mois en un appel : listes, embauche, départ, régularisations, totaux.";
    "primes" "Primes et treizième mois, pays par pays" bonuses::by_country,
        "Le paramètre de chaque pays, ce que la prime ajoute au net, à l’impôt et au coût.";
    "recus" "Les reçus signés" receipts::signed,
        "Prouver plus tard une réponse, ses montants et son droit ; vérifier hors ligne.";
    "tableur" "Depuis un tableur" rows::spreadsheets,
        "Excel, Power Query et LibreOffice : une cellule, une colonne, un fichier.";
    "dans-votre-page" "Dans votre page" embedding::in_your_page,
        "Le calcul du brut et du net dans une page d’un autre site, en deux lignes.";
    "clients" "Générer un client" clients::generated,
        "De la description OpenAPI à un client typé en TypeScript ou en Python, ou à une \
            collection Postman.";
    "migration" "D’une version de l’API à l’autre" text::migration,
        "Ce qui change entre la version France et la version multi-pays.";
    "donnees" "Les données derrière les réponses" policy::data,
        "Paramètres, choix, chiffres, textes et changements en JSON, pour construire un formulaire \
            ou un client.";
    "changements" "Les changements de l’API" api_changes::page,
        "Membres, codes et paramètres ajoutés, types et réponses changés, jour par jour, avec un \
            flux.";
    "versions" "Versions, changements et retraits" policy::versions,
        "Ce qui peut changer sans préavis, ce qui est annoncé, et combien de temps avant.";
}

/// The paths of the guides.
pub(super) fn paths() -> impl Iterator<Item = String> {
    GUIDES.iter().map(path)
}

fn path(guide: &Guide) -> String {
    format!("{PATH}/{}", guide.slug)
}

pub(super) fn find(path: &str) -> Option<&'static Guide> {
    GUIDES.iter().find(|guide| self::path(guide) == path)
}

/// The guides as cards, each with what it is about.
pub(super) fn cards() -> Markup {
    html! {
        ul.cards {
            @for guide in &GUIDES {
                li {
                    a.title href=(path(guide)) { (prose(guide.title)) }
                    span.soft { (prose(guide.description)) }
                }
            }
        }
    }
}

/// The list of the guides and of the references.
pub(super) fn index(rules: &Rules) -> String {
    let content = html! {
        h1 { "Documentation" }

        p { a href=(developers::PATH) { "L’API en une page" } "\u{a0}: un appel, la clé, les prix." }

        h2 { "Guides" }
        (cards())

        // Each version as a page to read, and as the document for tools.
        h2 { "Référence de l’API" }
        ul {
            @for variant in &rules.service().variants {
                li { (viewer::reference(variant)) }
            }
            li { a href="/erreurs" { "Toutes les erreurs" } ", par statut et par code" }
            li { a href="/baremes" { "Tous les barèmes" } ", leurs chiffres et leurs textes" }
        }
    };

    let page = Page {
        title: "Documentation",
        description: "Guides et référence de l’API : premier appel, clés, erreurs, quotas, dates, \
                      arrondis, sources.",
        path: Some(PATH),
        content,
        ..Page::default()
    };
    page.render(rules.service())
}

pub(super) fn page(rules: &Rules, guide: &Guide) -> String {
    let path = path(guide);

    let content = html! {
        p.trail { a href=(PATH) { "Documentation" } }
        article {
            h1 { (prose(guide.title)) }
            // Generated for these rules, so that its calls have answers.
            ((guide.content)(rules))
        }
        nav.guides aria-label="Guides" {
            @for other in GUIDES.iter().filter(|other| other.slug != guide.slug) {
                a href=(self::path(other)) { (prose(other.title)) }
            }
        }
    };

    let feed = (path == api_changes::PATH).then_some(api_changes::FEED);
    let (title, description) = (guide.title, guide.description);

    let page = Page {
        title,
        description,
        path: Some(&path),
        feed,
        content,
        ..Page::default()
    };
    page.render(rules.service())
}
