//! The home page: a pay at once, the reasons people come for, the questions that they type, the
//! countries; then the way to the API, and where the figures come from.

mod pay;
mod reasons;

use bareme_engine::law::Scale;
use bareme_engine::run::Edition;
use maud::{Markup, html};

use super::catalogue::{self, ListedFolder};
use super::layout::Page;
use super::simulator::{country_form, search_form};
use super::text::number;
use super::{PageRequest, assets, developers, questions};

/// The page; the query may hold a pay.
pub(super) fn page(request: &PageRequest) -> String {
    let PageRequest {
        rules,
        query,
        today,
        ..
    } = *request;
    let service = rules.service();

    let all = catalogue::all(rules);

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
            "Les mêmes calculs dans vos logiciels, par une requête GET et une réponse JSON\u{a0}: "
            (all.len()) " calculs, des barèmes datés, des montants exacts. "
            a href=(developers::PATH) { "Découvrir l’API" } "."
        }

        h2 #sources { "D’où viennent les chiffres" }
        (checks(&all))
    };

    let page = Page {
        title: "",
        description: "Du brut au net, coût employeur, impôt, TVA, prêt et succession\u{a0}: \
                      simulateurs gratuits et API JSON, barèmes datés et sourcés.",
        path: Some("/"),
        script: Some(assets::SEARCH),
        feed: Some("/baremes.atom"),
        content,
        ..Page::default()
    };
    page.render(service)
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
