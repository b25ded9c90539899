//! What the service offers, as `service.yaml` says it.

use bareme_engine::{Plan, Service, Variant};

use super::html::{escape, prose, thousands};

/// The plans of each variant.
pub fn offers(service: &Service) -> String {
    service.variants.iter().map(of_variant).collect()
}

fn of_variant(variant: &Variant) -> String {
    let row = |plan: &Plan| {
        let credit = if plan.attribution { "mention obligatoire" } else { "sans mention" };
        let mut terms = vec![credit];
        terms.extend(plan.terms.iter().map(String::as_str));
        let cells = [plan.title.as_str(), &plan.price, &calls(plan), &terms.join(", ")];
        format!("<tr>{}</tr>\n", cells.map(|cell| format!("<td>{}</td>", prose(cell))).concat())
    };
    format!(
        "<table class=\"offers\">\n<caption>{title} <small><code>{prefix}</code>, <a href=\"{prefix}/openapi.json\">OpenAPI</a></small>\
         </caption>\n<thead><tr><th>Offre</th><th>Prix</th><th>Quota</th><th>Conditions</th></tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table>\n",
        title = prose(&variant.title),
        prefix = escape(&variant.prefix),
        rows = variant.plans.iter().map(row).collect::<String>(),
    )
}

/// How the service is to be credited.
pub fn attribution(service: &Service) -> String {
    format!(
        "<p id=\"attribution\">Une offre à mention obligatoire permet un usage commercial si cette mention est \
         affichée\u{a0}: <q>{}</q></p>\n",
        escape(&service.attribution)
    )
}

/// The quota of a plan.
pub fn calls(plan: &Plan) -> String {
    plan.calls_per_day
        .map_or_else(|| "appels illimités".to_owned(), |calls| format!("{}\u{a0}appels par jour", thousands(calls)))
}
