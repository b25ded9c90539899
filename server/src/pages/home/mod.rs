//! The home page: a pay at once, the reasons people come for, the countries; then, for developers,
//! a call to try, the calculations and the plans.

mod pay;
mod reasons;

use bareme_engine::law::Scale;
use bareme_engine::run::Edition;
use bareme_engine::service::Rules;
use jiff::civil::Date;
use maud::{Markup, html};

use super::catalogue::{self, ListedFolder};
use super::layout::Page;
use super::offers::{attribution, offers};
use super::simulator::{country_form, search_form};
use super::text::{number, prose};
use super::{PageRequest, assets, call, questions};

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
        h1 { "Combien vais-je toucher\u{202f}?" }
        (pay::pay(rules, query, today))

        h2 #raisons { "Que voulez-vous calculer\u{202f}?" }
        (search_form(""))
        (reasons::reasons(rules))

        h2 #questions { "Questions fréquentes" }
        (questions::links(&questions::all(rules), today))

        h2 #pays-calcules { "Un salaire dans un autre pays" }
        (country_form())
        (pay::countries(rules))
        p { "Pour les mettre côte à côte\u{a0}: " a href="/comparer" { "comparer un salaire" } "." }

        h2 #api { "Pour les développeurs" }
        p {
            (all.len())
            " calculs de pays francophones par une requête GET et une réponse JSON. Chaque barème \
             est daté, chaque chiffre a sa source, et les montants sont des décimales exactes."
        }
        p.actions {
            a.button href="/cle" { "Obtenir une clé gratuite" } " "
            a.button.plain href="/documentation" { "Lire la documentation" }
        }

        h3 #essai { "Un appel" }
        (call::form(rules, &sent, today))
        (members_of_answers())

        details.block #calculs {
            summary { "Tous les calculs, avec un exemple d’appel (" (all.len()) ")" }
            (calculations(rules, &all, today))
        }

        h2 #sources { "D’où viennent les chiffres" }
        (checks(&all))

        h2 #offres { "Offres" }
        (offers(service))
        p { "Sans clé, la première offre de chaque version s’applique, par adresse IP." }
        (attribution(service))
    };

    let page = Page {
        title: "",
        description: "Du brut au net, coût employeur, impôt, TVA, prêt et succession\u{a0}: \
                      simulateurs gratuits et API JSON, barèmes datés et sourcés.",
        path: Some("/"),
        script: Some(assets::CALL),
        feed: Some("/baremes.atom"),
        content,
        ..Page::default()
    };
    page.render(service)
}

/// What every answer has besides its amounts.
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

/// Numbers of figures, sources and worked cases.
fn checks(all: &[ListedFolder]) -> Markup {
    // Counted in the rules in force, so that the sentence is never out of date.
    let scales = || {
        all.iter()
            .flat_map(|listed| listed.folder.editions())
            .filter_map(Edition::scale)
    };
    let figures = |scale: &Scale| {
        let of = |figure: &bareme_engine::law::Figure| figure.rows.len().max(1);
        scale.figures.iter().map(of).sum::<usize>()
    };
    let count = |count: usize| number(count.into());

    let cases: usize = all
        .iter()
        .map(|listed| listed.folder.examples().count)
        .sum();

    html! {
        p {
            (count(all.len())) " calculs, " (count(scales().count())) " éditions, "
            (count(scales().map(figures).sum())) " lignes de chiffres, "
            "chacune avec sa source. " (count(cases))
            " cas chiffrés, au résultat attendu exact, sont recalculés avant que "
            "des règles n’entrent en service\u{a0}: un seul écart, et les règles précédentes \
             restent en place. "
            a href="/documentation/sources" { "Comment un chiffre est sourcé et vérifié" } "."
        }
    }
}
