//! Comparison of one pay in every country: the same gross or the same cost, in the currency of each
//! country or converted at rates that are fixed by law, given by the operator, or typed by the
//! visitor.

mod country;
mod exchange;
mod form;
mod parameters;
mod table;

use bareme_api::wire::query::{Query, value};
use bareme_api::work::cost::{self, Work};
use bareme_engine::service::Rules;
use maud::html;

use super::PageRequest;
use super::assets;
use super::catalogue::ListedFolder;
use super::layout::Page;
use super::text::{day_in, prose, say};
use country::Outcome;
use exchange::Exchange;
use parameters::Parameters;
#[cfg(test)]
pub(super) use parameters::START;

/// Path of the page.
pub(super) const PATH: &str = "/comparer";

/// The place of the result, to which the form leads.
const RESULT: &str = "resultat";

/// What the page costs for a query.
pub(super) fn work(query: &str) -> &'static Work {
    // From a cost, each country is a search: many calculations instead of one.
    let pairs = Query::read(query).pairs;
    let from_cost = value(&pairs, parameters::START).map(str::trim) == Some(parameters::FROM_COST);

    if from_cost {
        &cost::COMPARISON_OF_COSTS
    } else {
        &cost::COMPARISON
    }
}

/// The countries with a pay, each with its name, in alphabetical order.
pub(super) fn countries(rules: &Rules) -> Vec<(&str, ListedFolder<'_>)> {
    let all = country::all(rules).into_iter();
    all.map(|country| (country.name, country.listed)).collect()
}

pub(super) fn page(request: &PageRequest) -> String {
    let PageRequest {
        rules,
        query,
        today,
        ..
    } = *request;

    let lang = request.lang();
    let title = say(lang, "Comparer un salaire", "Compare a pay");

    // Without an amount there is nothing to compare, and the form shows why.
    let countries = country::all(rules);
    let exchange = Exchange::new(rules, today);
    let parameters = Parameters::read(rules, query, &countries, &exchange, lang);
    let outcomes: Vec<Outcome> = match parameters.amount {
        Ok(_) => countries
            .iter()
            .filter(|country| parameters.compares(country))
            .map(|country| country.outcome(&parameters, today))
            .collect(),
        Err(_) => Vec::new(),
    };

    let content = html! {
        h1 { (title) }
        p.lead {
            (say(
                lang,
                "Un même brut, ou un même coût employeur, dans tous les pays du service ou dans \
                 ceux que vous choisissez.",
                "The same gross pay, or the same employer cost, in every country of the service \
                 or in those that you choose."
            ))
        }
        (form::form(&parameters, &countries, lang))
        // The script replaces what follows from the form, and the rates where none is being typed.
        div data-part="resultat" {
            @if let Err(wrong) = &parameters.amount { p.wrong role="alert" { (prose(wrong)) } }
            (form::unknown(&parameters, lang))
            @if !outcomes.is_empty() {
                (table::table(&outcomes, &parameters, lang)) (table::bars(&outcomes, lang))
            }
        }
        div data-part="cours" { (form::rates(&parameters, &countries, lang)) }
        p.soft {
            (say(lang, "Calculé le ", "Calculated on ")) (day_in(today, lang))
            (say(
                lang,
                " pour une personne seule, sans enfant, aux valeurs par défaut de chaque \
                 simulateur. Un net «\u{a0}avant impôt\u{a0}» doit encore l’impôt sur le \
                 revenu\u{a0}: il ne se compare pas à un net dont l’impôt est déduit.",
                " for a single person without children, with the default values of each \
                 calculator. Income tax is still due on a net pay “before tax”: it does not \
                 compare with a net pay from which tax has been deducted."
            ))
        }
    };

    let page = Page {
        title,
        description: say(
            lang,
            "Le salaire net, le taux de retenues et le coût employeur d’un même brut dans tous les \
             pays du service.",
            "Net pay, deductions and employer cost of the same gross pay in every country of the \
             service.",
        ),
        path: Some(PATH),
        switch: request.has_both(PATH).then_some(query),
        script: Some(assets::COMPARE),
        content,
        ..Page::default()
    };
    page.render(rules.service())
}
