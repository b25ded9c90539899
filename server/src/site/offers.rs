//! What the service offers, as `service.yaml` says it.

use bareme_engine::{Plan, Service, Variant};
use maud::{Markup, html};

use super::text::{number, printed, prose};

/// The plans of each variant.
pub(super) fn offers(service: &Service) -> Markup {
    html! { @for variant in &service.variants { (of_variant(variant)) } }
}

fn of_variant(variant: &Variant) -> Markup {
    html! {
        table.offers {
            caption {
                (prose(&variant.title)) " "
                small { code { (variant.prefix) } ", " a href={ (variant.prefix) "/openapi.json" } { "OpenAPI" } }
            }
            thead { tr { th scope="col" { "Offre" } th scope="col" { "Prix" } th scope="col" { "Quota" } th scope="col" { "Conditions" } } }
            tbody {
                @for plan in &variant.plans {
                    tr {
                        th scope="row" { (prose(&plan.title)) }
                        td { (prose(&plan.price)) }
                        td { (calls(plan)) }
                        td { (prose(&terms(plan))) }
                    }
                }
            }
        }
    }
}

fn terms(plan: &Plan) -> String {
    let credit = if plan.attribution { "mention obligatoire" } else { "sans mention" };
    let terms: Vec<&str> = [credit].into_iter().chain(plan.terms.iter().map(String::as_str)).collect();
    terms.join(", ")
}

/// How the service is to be credited.
pub(super) fn attribution(service: &Service) -> Markup {
    html! {
        p #attribution {
            "Une offre à mention obligatoire permet un usage commercial si cette mention est affichée\u{a0}:"
        }
        pre.copy tabindex="0" { (service.attribution) }
    }
}

/// The quota of a plan.
pub(super) fn calls(plan: &Plan) -> String {
    let shown = |calls: u64| printed(&format!("{} appels par jour", number(calls.into())));
    plan.calls_per_day.map_or_else(|| "appels illimités".to_owned(), shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quota_is_printed_as_french_is() {
        let plan = |calls_per_day| Plan {
            name: String::new(),
            title: String::new(),
            price: String::new(),
            calls_per_day,
            attribution: false,
            valid_days: None,
            unused_days: None,
            terms: Vec::new(),
            buy: None,
            payment_price: None,
        };
        assert_eq!(calls(&plan(Some(500_000))), "500\u{202f}000\u{a0}appels par jour");
        assert_eq!(calls(&plan(None)), "appels illimités");
    }
}
