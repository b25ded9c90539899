//! Plans of the service, from `service.yaml`.

use bareme_engine::service::{Plan, Service, Variant};
use bareme_show::query_string::percent_encoded;
use maud::{Markup, html};

use super::text::{number, printed, prose};

/// The plans of each variant.
pub(super) fn offers(service: &Service) -> Markup {
    html! { @for variant in &service.variants { (of_variant(service, variant)) } }
}

fn of_variant(service: &Service, variant: &Variant) -> Markup {
    html! {
        table.offers {
            caption {
                (prose(&variant.title)) " "
                small {
                    code { (variant.prefix) } ", "
                    a href={ (variant.prefix) "/openapi.json" } { "OpenAPI" }
                }
            }
            thead {
                tr {
                    th scope="col" { "Offre" } th scope="col" { "Prix" } th scope="col" { "Quota" }
                    th scope="col" { "Conditions" }
                }
            }
            tbody {
                @for plan in &variant.plans {
                    tr {
                        th scope="row" { (prose(&plan.title)) }
                        td {
                            (prose(&plan.price))
                            @if let Some(buy) = &plan.buy { br; a href=(buy) { "Acheter" } }
                            // The form only gives the first plan of each variant: others are
                            // requested.
                            @else if let (Some(contact), Some(_)) = (
                                &service.contact, plan.valid_days
                            ) {
                                br;
                                a href=(demand(contact, variant, plan)) { "Demander cette offre" }
                            }
                        }
                        td { (calls(plan)) }
                        td { (prose(&terms(plan))) }
                    }
                }
            }
        }
    }
}

/// Link to an e-mail that requests a plan.
fn demand(contact: &str, variant: &Variant, plan: &Plan) -> String {
    // The subject names the plan, so that the request can be answered at once.
    let subject = percent_encoded(&format!("Offre {} ({})", plan.title, variant.title));
    format!("mailto:{contact}?subject={subject}")
}

fn terms(plan: &Plan) -> String {
    let credit = if plan.attribution {
        "mention obligatoire"
    } else {
        "sans mention"
    };

    let terms: Vec<&str> = [credit]
        .into_iter()
        .chain(plan.terms.iter().map(String::as_str))
        .collect();

    terms.join(", ")
}

/// How the attribution is to be shown.
pub(super) fn attribution(service: &Service) -> Markup {
    html! {
        p #attribution {
            "Une offre à mention obligatoire permet un usage commercial si cette mention est \
             affichée\u{a0}:"
        }
        pre.copy tabindex="0" { (service.attribution) }
    }
}

/// The quota of a plan.
pub(super) fn calls(plan: &Plan) -> String {
    let shown = |calls: u64| printed(&format!("{} appels par jour", number(calls.into())));
    plan.calls_per_day
        .map_or_else(|| "appels illimités".to_owned(), shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quota_is_printed_as_french_is() {
        let plan = |calls_per_day| Plan {
            calls_per_day,
            ..Plan::default()
        };
        assert_eq!(
            calls(&plan(Some(500_000))),
            "500\u{202f}000\u{a0}appels par jour"
        );
        assert_eq!(calls(&plan(None)), "appels illimités");
    }
}
