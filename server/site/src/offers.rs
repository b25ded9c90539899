//! Plans of the service, from `service.yaml`.

use bareme_engine::service::{Plan, Service, Variant};
use bareme_engine::{Lang, say};
use bareme_show::Locale;
use bareme_show::query_string::percent_encoded;
use maud::{Markup, html};

use super::text::{printed, prose, say};

/// The plans of each variant.
pub(super) fn offers(service: &Service) -> Markup {
    html! { @for variant in &service.variants { (of_variant(service, variant)) } }
}

fn of_variant(service: &Service, variant: &Variant) -> Markup {
    let lang = service.lang;
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
                    th scope="col" { (say(lang, "Offre", "Plan")) }
                    th scope="col" { (say(lang, "Prix", "Price")) }
                    th scope="col" { "Quota" }
                    th scope="col" { (say(lang, "Conditions", "Terms")) }
                }
            }
            tbody {
                @for plan in &variant.plans {
                    tr {
                        th scope="row" { (prose(&plan.title)) }
                        td {
                            (prose(&plan.price))
                            @if let Some(buy) = &plan.buy {
                                br; a href=(buy) { (say(lang, "Acheter", "Buy")) }
                            }
                            // The form only gives the first plan of each variant: others are
                            // requested.
                            @else if let (Some(contact), Some(_)) = (
                                &service.contact, plan.valid_days
                            ) {
                                br;
                                a href=(demand(contact, variant, plan, lang)) {
                                    (say(lang, "Demander cette offre", "Ask for this plan"))
                                }
                            }
                        }
                        td { (calls(plan, lang)) }
                        td { (prose(&terms(plan, lang))) }
                    }
                }
            }
        }
    }
}

/// Link to an e-mail that requests a plan.
fn demand(contact: &str, variant: &Variant, plan: &Plan, lang: Lang) -> String {
    // The subject names the plan, so that the request can be answered at once.
    let (plan, variant) = (&plan.title, &variant.title);
    let subject = say!(lang, "Offre {plan} ({variant})", "Plan {plan} ({variant})");
    let subject = percent_encoded(&subject);
    format!("mailto:{contact}?subject={subject}")
}

fn terms(plan: &Plan, lang: Lang) -> String {
    let credit = if plan.attribution {
        say(lang, "mention obligatoire", "attribution required")
    } else {
        say(lang, "sans mention", "no attribution")
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
            (say(
                service.lang,
                "Une offre à mention obligatoire permet un usage commercial si cette mention est \
                 affichée\u{a0}:",
                "A plan with attribution allows commercial use if this line is shown:"
            ))
        }
        pre.copy tabindex="0" { (service.attribution) }
    }
}

/// The quota of a plan.
pub(super) fn calls(plan: &Plan, lang: Lang) -> String {
    let shown = |calls: u64| {
        let calls = Locale::page(lang).number(calls.into());
        printed(&say!(
            lang,
            "{calls} appels par jour",
            "{calls} calls a day"
        ))
    };
    let unlimited = say(lang, "appels illimités", "unlimited calls");
    plan.calls_per_day
        .map_or_else(|| unlimited.to_owned(), shown)
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
            calls(&plan(Some(500_000)), Lang::Fr),
            "500\u{202f}000\u{a0}appels par jour"
        );
        assert_eq!(calls(&plan(None), Lang::Fr), "appels illimités");
        assert_eq!(
            calls(&plan(Some(500_000)), Lang::En).replace('\u{a0}', " "),
            "500,000 calls a day"
        );
    }
}
