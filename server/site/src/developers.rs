//! The page for developers: a call with its answer beside it, the key, the guides, the clients, the
//! prices, the reference.

use bareme_engine::service::{Plan, Rules};
use jiff::civil::Date;
use maud::{Markup, html};

use super::catalogue::{self, ListedFolder};
use super::layout::Page;
use super::offers::{attribution, calls, offers};
use super::text::prose;
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
    let service = rules.service();
    let all = catalogue::all(rules);

    // The call of the query, as the form of the page sends it; otherwise the first worked case,
    // which has an answer.
    let sent = call::sent(query)
        .or_else(|| all.first().and_then(example))
        .unwrap_or_default();

    let content = html! {
        h1 { "L’API de calcul" }
        p.lead {
            "Une requête GET, une réponse JSON\u{a0}: " (all.len())
            " calculs d’impôt, de paie, de TVA, de prêt et de succession. Chaque barème est daté, \
             chaque chiffre a sa source, et les montants sont des décimales exactes."
        }

        h2 #essai { "Un appel, sa réponse" }
        (call::form(rules, &sent, today))
        (members_of_answers())

        h2 #cle { "La clé" }
        (key(rules))

        h2 #guides { "Les guides" }
        (guide::cards())

        h2 #clients { "Les clients" }
        (clients())

        h2 #offres { "Ce que cela coûte" }
        p {
            "Sans clé, la première offre de chaque version s’applique, par adresse IP. Quota \
             atteint, les appels sont refusés jusqu’à minuit UTC\u{202f}; rien n’est facturé."
        }
        (offers(service))
        (attribution(service))

        h2 #reference { "La référence" }
        (reference(rules))
        details.block #calculs {
            summary { "Tous les calculs, avec un exemple d’appel (" (all.len()) ")" }
            (calculations(rules, &all, today))
        }
    };

    let page = Page {
        title: "API",
        description: "L’API de calcul d’impôt et de paie : un appel et sa réponse, la clé \
                      gratuite, les guides, les clients, les prix et la référence.",
        path: Some(PATH),
        script: Some(assets::CALL),
        content,
        ..Page::default()
    };
    page.render(service)
}

/// The members of every answer besides its amounts.
fn members_of_answers() -> Markup {
    html! {
        h3 { "Ce que dit chaque réponse" }
        ul {
            li {
                "le barème utilisé (" code { "bareme_en_vigueur" }
                ") et ses textes, avec éditeur, date et adresse (" code { "references" }
                ")\u{202f};"
            }
            li {
                "la version exacte des règles (" code { "version" }
                "), et ce qu’il faut savoir du résultat (" code { "avertissements" } ")\u{202f};"
            }
            li {
                "avec " code { "detail=true" }
                ", chaque étape du calcul dans l’ordre du bulletin, avec son article\u{202f};"
            }
            li {
                "avec " code { "date=AAAA-MM-JJ" } " ou " code { "annee=AAAA" }
                ", le calcul selon le barème de ce jour."
            }
        }
    }
}

/// Calls without a key, the way to get one, and the header that sends it.
fn key(rules: &Rules) -> Markup {
    let service = rules.service();
    // The plan of callers without a key is that of the first variant, which has every calculation.
    let first = service.variants.first();
    let free: Option<&Plan> = first.and_then(|variant| variant.plans.first());

    html! {
        p {
            "Pour essayer, aucune clé n’est nécessaire"
            @if let Some(plan) = free { "\u{a0}: " (calls(plan)) " par adresse IP" }
            ". Avec une clé gratuite, votre quota vous suit où que vous soyez\u{202f}; elle \
             s’envoie dans un en-tête, jamais dans l’adresse."
        }
        pre.copy tabindex="0" {
            "curl -H 'X-API-Key: bma_…' '" (service.documentation)
            @if let Some(call) = catalogue::all(rules).first().and_then(example) { (call) }
            "'"
        }
        p.actions {
            a.button href="/cle" { "Obtenir une clé gratuite" } " "
            a.button.plain href="/documentation/cles" { "Gérer et remplacer une clé" }
        }
    }
}

/// The ways to call the API from programs, spreadsheets, pages and assistants.
fn clients() -> Markup {
    html! {
        ul {
            li {
                a href="/documentation/clients" { "TypeScript, Python, Postman" }
                "\u{a0}: un client généré de la description OpenAPI\u{202f};"
            }
            li {
                a href="/documentation/tableur" { "Excel et LibreOffice" }
                "\u{a0}: une cellule, une colonne ou un fichier entier\u{202f};"
            }
            li {
                a href="/documentation/lots" { "Une paie entière" }
                "\u{a0}: des milliers de lignes en un appel, en JSON ou en CSV\u{202f};"
            }
            li {
                a href="/documentation/dans-votre-page" { "Votre site" }
                "\u{a0}: le calcul du brut et du net en deux lignes de HTML\u{202f};"
            }
            li {
                "un assistant conversationnel\u{a0}: les calculs sont ses outils, à l’adresse "
                code { "/mcp" } "."
            }
        }
    }
}

/// Each version as a page to read and as a document for tools, and what is beside it.
fn reference(rules: &Rules) -> Markup {
    html! {
        ul {
            @for variant in &rules.service().variants {
                li { (viewer::reference(variant)) "\u{202f};" }
            }
            li { a href="/erreurs" { "toutes les erreurs" } ", par statut et par code\u{202f};" }
            li {
                a href=(guide::api_changes::PATH) { "les changements de l’API" }
                ", jour par jour\u{202f};"
            }
            li { a href=(availability::PATH) { "l’état du service" } "." }
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
    html! {
        li {
            // The title leads to the simulator: visitors come to calculate.
            a.title href=(listed.simulator()) { (prose(listed.folder.title())) }
            (listed.checked(today))
            " " span.links {
                @if let Some(call) = example(listed) { a href=(call) { "exemple JSON" } " · " }
                a href=(listed.page()) { "chiffres et textes" }
            }
        }
    }
}
