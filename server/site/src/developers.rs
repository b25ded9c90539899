//! The page for developers: a call with its answer beside it, the key, the guides, the clients, the
//! prices, the reference.

use bareme_engine::service::{Plan, Rules};
use bareme_engine::{Lang, say};
use jiff::civil::Date;
use maud::{Markup, html};

use super::catalogue::{self, ListedFolder};
use super::guide::{in_french, li};
use super::language::localized;
use super::layout::Page;
use super::offers::{attribution, calls, offers};
use super::simulator::foreign;
use super::text::{prose, say};
use super::{PageRequest, assets, availability, call, guide, viewer};

pub(super) const PATH: &str = "/api";

/// The page; the query may hold a call to try.
pub(super) fn page(request: &PageRequest) -> String {
    let PageRequest {
        rules,
        query,
        today,
        ..
    } = *request;
    let (service, lang) = (rules.service(), request.lang());
    let all = catalogue::all(rules);
    let count = catalogue::all(request.rules_of_api()).len();

    // The call of the query, as the form of the page sends it; otherwise the first worked case,
    // which has an answer.
    let sent = call::sent(query)
        .or_else(|| all.first().and_then(example))
        .unwrap_or_default();

    let content = html! {
        h1 { (say(lang, "L’API de calcul", "The API of calculations")) }
        p.lead { (lead(count, lang)) }

        h2 #essai { (say(lang, "Un appel, sa réponse", "A call and its answer")) }
        (call::form(request, &sent))
        (members_of_answers(lang))

        h2 #cle { (say(lang, "La clé", "The key")) }
        (key(rules))

        h2 #guides { (say(lang, "Les guides", "Guides")) }
        (guide::cards(lang))

        h2 #clients { (say(lang, "Les clients", "Clients")) }
        (clients(lang))

        h2 #offres { (say(lang, "Ce que cela coûte", "What it costs")) }
        p {
            (say(
                lang,
                "Sans clé, la première offre de chaque version s’applique, par adresse IP. Quota \
                 atteint, les appels sont refusés jusqu’à minuit UTC\u{202f}; rien n’est facturé.",
                "Without a key, the first plan of each version applies, by IP address. Once the \
                 quota is reached, calls are refused until midnight UTC; nothing is charged."
            ))
        }
        (offers(service))
        (attribution(service))

        h2 #reference { (say(lang, "La référence", "Reference")) }
        (reference(rules))
        details.block #calculs {
            summary {
                (say(
                    lang,
                    "Tous les calculs, avec un exemple d’appel (",
                    "The calculations in English, with an example of a call ("
                ))
                (all.len()) ")"
            }
            (calculations(rules, &all, today))
        }
    };

    let page = Page {
        title: "API",
        description: say(
            lang,
            "L’API de calcul d’impôt et de paie : un appel et sa réponse, la clé gratuite, les \
             guides, les clients, les prix et la référence.",
            "The API of tax and payroll calculations: a call and its answer, the free key, guides, \
             clients, prices and reference.",
        ),
        path: Some(PATH),
        switch: request.has_both(PATH).then_some(query),
        script: Some(assets::CALL),
        content,
        ..Page::default()
    };
    page.render(service)
}

/// The API in two sentences.
fn lead(count: usize, lang: Lang) -> String {
    say!(
        lang,
        "Une requête GET, une réponse JSON\u{a0}: {count} calculs d’impôt, de paie, de TVA, de prêt \
         et de succession. Chaque barème est daté, chaque chiffre a sa source, et les montants \
         sont des décimales exactes.",
        "A GET request, a JSON answer: {count} calculations of tax, pay, VAT, loans and \
         inheritance. All figures are dated and have their sources, and amounts are exact decimals."
    )
}

/// The members of every answer besides its amounts.
fn members_of_answers(lang: Lang) -> Markup {
    html! {
        h3 { (say(lang, "Ce que dit chaque réponse", "What each answer says")) }
        ul {
            (li(
                lang,
                "le barème utilisé (`bareme_en_vigueur`) et ses textes, avec éditeur, date et \
                 adresse (`references`) ;",
                "the figures used (`bareme_en_vigueur`) and their legal texts, with publisher, \
                 date and address (`references`);"
            ))
            (li(
                lang,
                "la version exacte des règles (`version`), et ce qu’il faut savoir du résultat \
                 (`avertissements`) ;",
                "the exact version of the rules (`version`), and what is to be known of the result \
                 (`avertissements`);"
            ))
            (li(
                lang,
                "avec `detail=true`, chaque étape du calcul dans l’ordre du bulletin, avec son \
                 article ;",
                "with `detail=true`, each step of the calculation in the order of the payslip, \
                 with its article;"
            ))
            (li(
                lang,
                "avec `date=AAAA-MM-JJ` ou `annee=AAAA`, le calcul selon le barème de ce jour.",
                "with `date=YYYY-MM-DD` or `annee=YYYY`, the calculation by the figures of that day."
            ))
        }
    }
}

/// Calls without a key, the way to get one, and the header that sends it.
fn key(rules: &Rules) -> Markup {
    let (service, lang) = (rules.service(), rules.service().lang);
    // The plan of callers without a key is that of the first variant, which has every calculation.
    let first = service.variants.first();
    let free: Option<&Plan> = first.and_then(|variant| variant.plans.first());

    html! {
        p {
            (say(lang, "Pour essayer, aucune clé n’est nécessaire", "No key is needed to try"))
            @if let Some(plan) = free {
                (say(lang, "\u{a0}: ", ": ")) (calls(plan, lang))
                (say(lang, " par adresse IP", " for each IP address"))
            }
            (say(
                lang,
                ". Avec une clé gratuite, votre quota vous suit où que vous soyez\u{202f}; elle \
                 s’envoie dans un en-tête, jamais dans l’adresse.",
                ". With a free key, your quota follows you; it is sent in a header, never in the \
                 address."
            ))
        }
        pre.copy tabindex="0" {
            "curl -H 'X-API-Key: bma_…' '" (service.documentation)
            @if let Some(call) = catalogue::all(rules).first().and_then(example) { (call) }
            "'"
        }
        p.actions {
            a.button href="/cle" hreflang=[foreign(lang)] {
                (say(lang, "Obtenir une clé gratuite", "Get a free key")) (in_french(lang))
            }
            " "
            a.button.plain href=(localized("/documentation/cles", lang)) {
                (say(lang, "Gérer et remplacer une clé", "Manage and replace a key"))
            }
        }
    }
}

/// The ways to call the API from programs, spreadsheets, pages and assistants.
fn clients(lang: Lang) -> Markup {
    html! {
        ul {
            (li(
                lang,
                "[TypeScript, Python, Postman](/documentation/clients) : un client généré de la \
                 description OpenAPI ;",
                "[TypeScript, Python, Postman (in French)](/documentation/clients): a client \
                 generated from the OpenAPI description;"
            ))
            (li(
                lang,
                "[Excel et LibreOffice](/documentation/tableur) : une cellule, une colonne ou un \
                 fichier entier ;",
                "[Excel and LibreOffice (in French)](/documentation/tableur): a cell, a column or \
                 a whole file;"
            ))
            (li(
                lang,
                "[Une paie entière](/documentation/lots) : des milliers de lignes en un appel, en \
                 JSON ou en CSV ;",
                "[A whole payroll](/en/documentation/lots): thousands of rows in one call, in JSON \
                 or in CSV;"
            ))
            (li(
                lang,
                "[Votre site](/documentation/dans-votre-page) : le calcul du brut et du net en \
                 deux lignes de HTML ;",
                "[Your site](/en/documentation/dans-votre-page): the calculation of gross and net \
                 pay in two lines of HTML;"
            ))
            (li(
                lang,
                "un assistant conversationnel : les calculs sont ses outils, à l’adresse `/mcp`.",
                "an assistant to talk to: the calculations are its tools, at the address `/mcp`."
            ))
        }
    }
}

/// Each version as a page to read and as a document for tools, and what is beside it.
fn reference(rules: &Rules) -> Markup {
    let lang = rules.service().lang;
    html! {
        ul {
            @for variant in &rules.service().variants {
                li { (viewer::reference(variant, lang)) (say(lang, "\u{202f};", ";")) }
            }
            (li(
                lang,
                "[toutes les erreurs](/erreurs), par statut et par code ;",
                "[all errors (in French)](/erreurs), by status and by code;"
            ))
            li {
                a href=(guide::api_changes::PATH) hreflang=[foreign(lang)] {
                    (say(lang, "les changements de l’API", "changes of the API"))
                    (in_french(lang))
                }
                (say(lang, ", jour par jour\u{202f};", ", day by day;"))
            }
            li {
                a href=(availability::PATH) hreflang=[foreign(lang)] {
                    (say(lang, "l’état du service", "state of the service")) (in_french(lang))
                }
                "."
            }
        }
    }
}

/// A call from a worked case.
pub(super) fn example(listed: &ListedFolder) -> Option<String> {
    Some(listed.call(&listed.example()?.query))
}

/// The endpoints with their folders: simulator, figures, call, day of the last change.
fn calculations(rules: &Rules, all: &[ListedFolder], today: Date) -> Markup {
    html! {
        @for endpoint in &rules.service().endpoints {
            @let members: Vec<&ListedFolder> = all.iter().filter(
                |listed| listed.endpoint.name == endpoint.name
            ).collect();
            @if !members.is_empty() {
                h3 { (prose(&endpoint.title)) " " small { code { "/" (endpoint.name) } } }
                ul.cards { @for listed in members { (card(listed, today)) } }
            }
        }
    }
}

fn card(listed: &ListedFolder, today: Date) -> Markup {
    let lang = listed.lang();
    html! {
        li {
            // The title leads to the simulator: visitors come to calculate.
            a.title href=(listed.simulator()) { (prose(listed.folder.title())) }
            (listed.checked(today))
            " " span.links {
                @if let Some(call) = example(listed) {
                    a href=(call) { (say(lang, "exemple JSON", "JSON example")) } " · "
                }
                a href=(listed.page()) hreflang=[foreign(lang)] {
                    (say(lang, "chiffres et textes", "figures and sources"))
                    (in_french(lang))
                }
            }
        }
    }
}
