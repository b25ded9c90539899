//! The documentation: guides, and the reference of the interface.
//!
//! Every call in a guide carries its path and the status it answers: the tests run them all.

pub(super) mod api_changes;
mod batches;
mod bonuses;
mod clients;
mod embedding;
mod essentials;
mod limits;
mod policy;
mod receipts;
mod spreadsheets;
mod text;
mod written;
mod year;

use bareme_engine::Lang;
use bareme_engine::service::Rules;
use bareme_engine::text::Text;
use maud::{Markup, html};

use super::PageRequest;
use super::assets;
use super::developers;
use super::language::localized;
use super::layout::Page;
use super::simulator::foreign;
use super::text::{prose, say};
use super::viewer;

pub(super) use written::li;

/// Path of the list.
pub(super) const PATH: &str = "/documentation";

#[derive(Debug)]
pub struct Guide {
    slug: &'static str,
    title: Text,
    description: Text,
    languages: Languages,
    content: fn(&Rules) -> Markup,
}

/// The languages of the content of a guide; its title and its description are in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Languages {
    Both,
    French,
}

/// Declares the guides, in their order.
macro_rules! guides {
    ($($languages:ident $slug:literal $content:path {
        $title:literal $title_en:literal
        $description:literal $description_en:literal
    })*) => {
        static GUIDES: [Guide; [$($slug),*].len()] =
            [$(Guide {
                slug: $slug,
                title: Text::new($title, $title_en),
                description: Text::new($description, $description_en),
                languages: Languages::$languages,
                content: $content,
            }),*];
    };
}

guides! {
    Both "premier-appel" essentials::first_call {
        "Le premier appel" "The first call"
        "Appeler l’API sans clé, lire la réponse, demander le détail."
        "Call the API without a key, read the answer, ask for the detail."
    }
    Both "cles" essentials::keys {
        "Les clés" "Keys"
        "Obtenir une clé, l’envoyer, la remplacer, suivre son usage."
        "Get a key, send it, replace it, follow its usage."
    }
    Both "erreurs" essentials::errors {
        "Traiter les erreurs" "Handle errors"
        "La forme des erreurs, celles qui se corrigent et celles qui se réessaient."
        "The form of errors, those to correct and those to try again."
    }
    Both "quotas" limits::quotas {
        "Les quotas" "Quotas"
        "Ce qui est compté, ce qui ne l’est pas, et les en-têtes qui le disent."
        "What is counted, what is not, and the headers that say so."
    }
    Both "dates" limits::dates {
        "Dates et versions" "Dates and versions"
        "Choisir le barème d’un jour, savoir lequel a servi, suivre les changements."
        "Choose the figures of a day, know which were used, follow changes."
    }
    French "arrondis" text::rounding {
        "Nombres et arrondis" "Numbers and rounding"
        "Des décimales exactes, arrondies là où la loi arrondit et nulle part ailleurs."
        "Exact decimals, rounded where the law rounds and nowhere else."
    }
    French "sources" text::sources {
        "Sources, vérifications et citation" "Sources, checks and citation"
        "D’où vient un chiffre, comment il est vérifié, comment citer un résultat."
        "Where a figure comes from, how it is checked, how to cite a result."
    }
    Both "lots" batches::batches {
        "Des lignes en nombre" "Many rows at once"
        "Calculer une paie entière en un appel, en JSON ou en CSV, et choisir les champs."
        "Calculate a whole payroll in one call, in JSON or in CSV, and choose the fields."
    }
    French "annee" year::of_pays {
        "Une année de paies" "A year of pays"
        "Douze mois en un appel : listes, embauche, départ, régularisations, totaux."
        "Twelve months in one call: lists, arrival, departure, adjustments, totals."
    }
    French "primes" bonuses::by_country {
        "Primes et treizième mois, pays par pays" "Bonuses and thirteenth month, by country"
        "Le paramètre de chaque pays, ce que la prime ajoute au net, à l’impôt et au coût."
        "The parameter of each country, what a bonus adds to net pay, tax and cost."
    }
    Both "recus" receipts::signed {
        "Les reçus signés" "Signed receipts"
        "Prouver plus tard une réponse, ses montants et son droit ; vérifier hors ligne."
        "Prove an answer later, with its amounts and its law; check it offline."
    }
    French "tableur" spreadsheets::spreadsheets {
        "Depuis un tableur" "From a spreadsheet"
        "Excel, Power Query et LibreOffice : une cellule, une colonne, un fichier."
        "Excel, Power Query and LibreOffice: a cell, a column, a file."
    }
    Both "dans-votre-page" embedding::in_your_page {
        "Dans votre page" "In your own page"
        "Le calcul du brut et du net dans une page d’un autre site, en deux lignes."
        "The calculation of gross and net pay in a page of another site, in two lines."
    }
    French "clients" clients::generated {
        "Générer un client" "Generate a client"
        "De la description OpenAPI à un client typé en TypeScript ou en Python, ou à une \
            collection Postman."
        "From the OpenAPI description to a typed client in TypeScript or Python, or to a Postman \
            collection."
    }
    French "migration" text::migration {
        "D’une version de l’API à l’autre" "From one version of the API to the other"
        "Ce qui change entre la version France et la version multi-pays."
        "What differs between the version for France and the one for many countries."
    }
    French "donnees" policy::data {
        "Les données derrière les réponses" "The data behind the answers"
        "Paramètres, choix, chiffres, textes et changements en JSON, pour construire un formulaire \
            ou un client."
        "Parameters, choices, figures, sources and changes in JSON, to build a form or a client."
    }
    French "changements" api_changes::page {
        "Les changements de l’API" "Changes of the API"
        "Membres, codes et paramètres ajoutés, types et réponses changés, jour par jour, avec un \
            flux."
        "Members, codes and parameters added, types and answers changed, day by day, with a feed."
    }
    French "versions" policy::versions {
        "Versions, changements et retraits" "Versions, changes and withdrawals"
        "Ce qui peut changer sans préavis, ce qui est annoncé, et combien de temps avant."
        "What may change without notice, what is announced, and how long before."
    }
}

impl Guide {
    /// Whether its content is in a language.
    pub(super) fn is_in(&self, lang: Lang) -> bool {
        lang == Lang::Fr || self.languages == Languages::Both
    }

    /// The language that a page in a language reads it in.
    fn shown_in(&self, lang: Lang) -> Lang {
        if self.is_in(lang) { lang } else { Lang::Fr }
    }

    /// Its address for a page in a language.
    fn address(&self, lang: Lang) -> String {
        localized(&path(self), self.shown_in(lang))
    }
}

/// The paths of the guides.
pub(super) fn paths() -> impl Iterator<Item = String> {
    GUIDES.iter().map(path)
}

/// The French paths of the guides that are in English too.
pub(super) fn paths_in_both() -> impl Iterator<Item = String> {
    let both = GUIDES.iter().filter(|guide| guide.is_in(Lang::En));
    both.map(path)
}

fn path(guide: &Guide) -> String {
    format!("{PATH}/{}", guide.slug)
}

pub(super) fn find(path: &str) -> Option<&'static Guide> {
    GUIDES.iter().find(|guide| self::path(guide) == path)
}

/// The guides as cards, each with what it is about; on an English page those in English come first.
pub(super) fn cards(lang: Lang) -> Markup {
    let (own, others): (Vec<&Guide>, Vec<&Guide>) =
        GUIDES.iter().partition(|guide| guide.is_in(lang));
    html! {
        ul.cards {
            @for guide in own.into_iter().chain(others) {
                li {
                    a.title href=(guide.address(lang))
                        hreflang=[foreign(lang).filter(|_| !guide.is_in(lang))] {
                        (prose(guide.title.in_lang(lang)))
                    }
                    span.soft {
                        (prose(guide.description.in_lang(lang)))
                        @if !guide.is_in(lang) { " In French." }
                    }
                }
            }
        }
    }
}

/// The list of the guides and of the references.
pub(super) fn index(request: &PageRequest) -> String {
    let (service, lang) = (request.rules.service(), request.lang());
    let in_french = in_french(lang);
    let foreign = foreign(lang);

    let content = html! {
        h1 { "Documentation" }

        p {
            a href=(localized(developers::PATH, lang)) {
                (say(lang, "L’API en une page", "The API on one page"))
            }
            (say(lang, "\u{a0}: un appel, la clé, les prix.", ": a call, the key, the prices."))
        }

        h2 { (say(lang, "Guides", "Guides")) }
        (cards(lang))

        // Each version as a page to read, and as the document for tools.
        h2 { (say(lang, "Référence de l’API", "Reference of the API")) }
        ul {
            @for variant in &service.variants {
                li { (viewer::reference(variant, lang)) }
            }
            li {
                a href="/erreurs" hreflang=[foreign] {
                    (say(lang, "Toutes les erreurs", "All errors"))
                }
                (say(lang, ", par statut et par code", ", by status and by code")) (in_french)
            }
            li {
                a href="/baremes" hreflang=[foreign] {
                    (say(lang, "Tous les barèmes", "All figures"))
                }
                (say(lang, ", leurs chiffres et leurs textes", ", with their sources")) (in_french)
            }
        }
    };

    let page = Page {
        title: "Documentation",
        description: say(
            lang,
            "Guides et référence de l’API : premier appel, clés, erreurs, quotas, dates, \
             arrondis, sources.",
            "Guides and reference of the API: first call, keys, errors, quotas, dates, batches, \
             receipts.",
        ),
        path: Some(PATH),
        switch: request.has_both(PATH).then_some(""),
        content,
        ..Page::default()
    };
    page.render(service)
}

/// The note beside a link to a French page, on an English one.
pub(super) fn in_french(lang: Lang) -> &'static str {
    match lang {
        Lang::Fr => "",
        Lang::En => " (in French)",
    }
}

/// A guide in the language of the page.
pub(super) fn page(request: &PageRequest, guide: &Guide) -> String {
    let (rules, lang) = (request.rules, request.lang());
    let path = path(guide);

    let content = html! {
        p.trail { a href=(localized(PATH, lang)) { "Documentation" } }
        article {
            h1 { (prose(guide.title.in_lang(lang))) }
            // Generated for these rules, so that its calls have answers.
            ((guide.content)(rules))
        }
        nav.guides aria-label="Guides" {
            @let others = GUIDES.iter().filter(|other| other.slug != guide.slug);
            @for other in others.filter(|other| other.is_in(lang)) {
                a href=(other.address(lang)) { (prose(other.title.in_lang(lang))) }
            }
        }
    };

    let feed = (path == api_changes::PATH).then_some(api_changes::FEED);

    let page = Page {
        title: guide.title.in_lang(lang),
        description: guide.description.in_lang(lang),
        path: Some(&path),
        switch: request.has_both(&path).then_some(""),
        feed,
        script: Some(assets::GUIDE),
        content,
        ..Page::default()
    };
    page.render(rules.service())
}
