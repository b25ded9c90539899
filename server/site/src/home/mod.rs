//! The home page: a pay at once, the reasons people come for, the questions that they type, the
//! countries; then the way to the API, and where the figures come from.

mod pay;
mod reasons;

use bareme_engine::Lang;
use bareme_engine::law::Scale;
use bareme_engine::run::Edition;
use bareme_show::Locale;
use maud::{Markup, html};

use super::catalogue::{self, ListedFolder};
use super::language::localized;
use super::layout::Page;
use super::simulator::{country_form, foreign, search_form};
use super::text::say;
use super::{PageRequest, assets, compare, developers, questions};

/// The page; the query may hold a pay.
pub(super) fn page(request: &PageRequest) -> String {
    let PageRequest {
        rules,
        query,
        today,
        ..
    } = *request;
    let (service, lang) = (rules.service(), request.lang());

    let all = catalogue::all(rules);

    let content = html! {
        h1 { (say(lang, "Combien vais-je toucher\u{202f}?", "How much will I take home?")) }
        (pay::pay(rules, query, today))

        h2 #raisons {
            (say(lang, "Que voulez-vous calculer\u{202f}?", "What would you like to calculate?"))
        }
        (search_form(lang, ""))
        (reasons::reasons(rules))

        h2 #questions { (questions::TITLE.in_lang(lang)) }
        (questions::links(&questions::short_list(rules), today))
        p {
            a href=(localized(questions::PATH, lang)) {
                (say(
                    lang,
                    "Salaire minimum, net et TVA pays par pays\u{a0}: toutes les questions",
                    "Minimum wages, net pay and VAT country by country: all questions"
                ))
            } "."
        }

        h2 #pays-calcules {
            (say(lang, "Un salaire dans un autre pays", "A pay in another country"))
        }
        (country_form(lang))
        (pay::countries(rules))
        p {
            (say(lang, "Pour les mettre côte à côte\u{a0}: ", "Side by side: "))
            a href=(localized(compare::PATH, lang)) {
                (say(lang, "comparer un salaire", "compare a pay"))
            } "."
        }

        h2 #api { (say(lang, "Pour les développeurs", "For developers")) }
        p {
            (say(
                lang,
                "Les mêmes calculs dans vos logiciels, par une requête GET et une réponse \
                 JSON\u{a0}: ",
                "The same calculations in your software, by a GET request and a JSON answer: "
            ))
            (all.len())
            (say(
                lang,
                " calculs, des barèmes datés, des montants exacts. ",
                " calculations, dated figures, exact amounts. "
            ))
            a href=(localized(developers::PATH, lang)) {
                (say(lang, "Découvrir l’API", "Discover the API"))
            } "."
        }

        h2 #sources { (say(lang, "D’où viennent les chiffres", "Where the figures come from")) }
        (checks(&all, lang))
    };

    let page = Page {
        title: "",
        description: description(lang),
        path: Some("/"),
        switch: request.has_both("/").then_some(query),
        script: Some(assets::SEARCH),
        feed: (lang == Lang::Fr).then_some("/baremes.atom"),
        content,
        ..Page::default()
    };
    page.render(service)
}

/// The description of the service for search engines and its picture, in one sentence.
pub(super) fn description(lang: Lang) -> &'static str {
    say(
        lang,
        "Du brut au net, coût employeur, impôt, TVA, prêt et succession\u{a0}: simulateurs gratuits \
         et API JSON, barèmes datés et sourcés.",
        "From gross to net pay and employer cost, country by country: free calculators and a JSON \
         API, dated figures with their sources.",
    )
}

/// Numbers of figures, sources and worked cases.
fn checks(all: &[ListedFolder], lang: Lang) -> Markup {
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
    let count = |count: usize| Locale::page(lang).number(count.into());

    let cases: usize = all
        .iter()
        .map(|listed| listed.folder.examples().count)
        .sum();

    html! {
        p {
            (count(all.len())) (say(lang, " calculs, ", " calculations, "))
            (count(scales().count())) (say(lang, " éditions, ", " dated files, "))
            (count(scales().map(figures).sum()))
            (say(
                lang,
                " lignes de chiffres, chacune avec sa source. ",
                " rows of figures, each with its source. "
            ))
            (count(cases))
            (say(
                lang,
                " cas chiffrés, au résultat attendu exact, sont recalculés avant que des règles \
                 n’entrent en service\u{a0}: un seul écart, et les règles précédentes restent en \
                 place. ",
                " worked cases, whose exact results are known, are calculated again before rules \
                 come into force: a single difference, and the rules before stay in place. "
            ))
            a href="/documentation/sources" hreflang=[foreign(lang)] {
                (say(
                    lang,
                    "Comment un chiffre est sourcé et vérifié",
                    "How a figure is sourced and checked (in French)"
                ))
            } "."
        }
    }
}
