//! The home page: what the service is, a call to try, its calculations, its plans.

use bareme_engine::law::Scale;
use bareme_engine::run::Edition;
use bareme_engine::service::Rules;
use maud::{Markup, html};

use super::catalogue::{self, ListedFolder};
use super::layout::Page;
use super::offers::{attribution, offers};
use super::simulator::search;
use super::text::{day, number, prose};
use super::{PageRequest, assets, call};

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
        h1 { (prose(&service.title)) }
        p.lead {
            "Pour les éditeurs de paie, les cabinets comptables et ceux qui déclarent, emploient \
             ou empruntent\u{a0}: "
            (all.len())
            " calculs d’impôts, de salaires et de TVA de pays francophones, à l’écran ou par une \
             requête GET et une réponse JSON. Chaque "
            "barème est daté, chaque chiffre a sa source, et les montants sont des décimales \
             exactes."
        }
        p.actions {
            a.button href="/cle" { "Obtenir une clé gratuite" } " "
            a.button.plain href="/simulateurs" { "Essayer un simulateur" }
        }

        h2 #essai { "Un appel" }
        (call::form(rules, &sent, today))

        h2 #calculs { "Ce qui se calcule" }
        (search(""))
        (calculations(rules, &all))
        (members_of_answers())

        h2 #sources { "D’où viennent les chiffres" }
        (checks(&all))

        h2 #offres { "Offres" }
        (offers(service))
        p { "Sans clé, la première offre de chaque version s’applique, par adresse IP." }
        (attribution(service))
    };

    let page = Page {
        title: "",
        description: "Impôt sur le revenu, salaire net, coût employeur et TVA des pays \
                      francophones\u{a0}: une API JSON datée, sourcée, et ses simulateurs.",
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
        h2 { "Ce que dit chaque réponse" }
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
fn calculations(rules: &Rules, all: &[ListedFolder]) -> Markup {
    html! {
        @for endpoint in &rules.service().endpoints {
            @let members: Vec<&ListedFolder> = all.iter().filter(
                |listed| listed.endpoint.name == endpoint.name
            ).collect();
            @if !members.is_empty() {
                h3 { (prose(&endpoint.title)) " " small { code { "/" (endpoint.name) } } }
                ul.cards { @for listed in members { (card(listed)) } }
            }
        }
    }
}

fn card(listed: &ListedFolder) -> Markup {
    html! {
        li {
            // The title leads to the simulator: visitors come to calculate.
            a.title href=(listed.simulator()) { (prose(listed.folder.title())) }
            @if let Some(scale) = listed.last_scale() {
                " " span.soft { "édition du " (day(scale.date)) }
            }
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
