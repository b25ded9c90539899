//! The result of a comparison: bars of the net pay, and a row for every country.

use bareme_show::{Amounts as Written, Locale, currency_decimals, currency_name};
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::country::{Amounts, Missing, Outcome};
use super::parameters::Parameters;
use crate::text::{percent, printed, prose};

/// Heading of nets before income tax.
const BEFORE: &str = "avant impôt";

/// Heading of the other nets.
const AFTER: &str = "impôt déduit";

/// Decimals of a converted amount.
const CONVERTED_DECIMALS: u32 = 2;

/// Bars of the share of the cost that is left, the longest first; nets before income tax in a group
/// of their own.
pub(super) fn bars(outcomes: &[Outcome]) -> Markup {
    let mut bars: Vec<(&Outcome, Decimal)> = outcomes
        .iter()
        .filter_map(|outcome| Some((outcome, outcome.result.as_ref().ok()?.kept_share()?)))
        .collect();
    bars.sort_by_key(|(_, share)| std::cmp::Reverse(*share));

    // Before and after income tax are two questions: their bars are not side by side.
    let (before, after): (Vec<_>, Vec<_>) = bars
        .into_iter()
        .partition(|(outcome, _)| outcome.country.is_before_income_tax());

    html! {
        @if !after.is_empty() {
            (figure("Part du coût employeur qui reste au salarié, impôt déduit", &after))
        }
        @if !before.is_empty() {
            (figure(
                "Avant impôt sur le revenu\u{a0}: nets non comparables aux précédents", &before
            ))
        }
    }
}

fn figure(title: &str, bars: &[(&Outcome, Decimal)]) -> Markup {
    // Clamped, since a share beyond the bar would be drawn outside of it.
    let width = |share: Decimal| {
        let percent = share.saturating_mul(Decimal::ONE_HUNDRED).round_dp(2);
        format!("{}%", percent.clamp(Decimal::ZERO, Decimal::ONE_HUNDRED))
    };

    html! {
        figure.shares {
            figcaption { (title) }
            ul {
                @for (outcome, share) in bars {
                    li {
                        span { (prose(outcome.country.name)) } " "
                        strong { (percent(share.round_dp(3))) }
                        svg.bar height="10" width="100%" aria-hidden="true" focusable="false" {
                            rect.rest width="100%" height="10" {}
                            rect.net width=(width(*share)) height="10" {}
                        }
                    }
                }
            }
        }
    }
}

/// A row for every country, by name; one whose currency has no rate says which it waits for.
pub(super) fn table(outcomes: &[Outcome], parameters: &Parameters) -> Markup {
    html! {
        div.wide.countries tabindex="0" role="region" aria-label="Comparaison des pays" {
            table {
                thead {
                    tr {
                        th scope="col" { "Pays" } th.n scope="col" { "Brut" }
                        th.n scope="col" { "Net" }
                        th.n scope="col" { "Retenues, % du brut" }
                        th.n scope="col" { "Coût employeur" }
                    }
                }
                tbody {
                    @for outcome in outcomes {
                        tr data-bareme=(outcome.country.listed.folder.path()) {
                            th scope="row" {
                                a href=(outcome.link) { (prose(outcome.country.name)) }
                            }
                            @match &outcome.result {
                                Ok(pay) => (cells(outcome, pay, parameters)),
                                // The link leads to the field of the missing rate.
                                Err(Missing::Rate) => td.soft colspan="4" {
                                    a href={ "#taux-" (outcome.country.code) } {
                                        "Donnez le taux de change"
                                    }
                                    "\u{a0}: " (currency_name(outcome.country.code))
                                },
                                Err(Missing::Refused(reason)) => td.soft colspan="4" {
                                    (printed(reason))
                                },
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The amounts of a country, each under the name of its column on a narrow screen.
fn cells(outcome: &Outcome, pay: &Amounts, parameters: &Parameters) -> Markup {
    let code = outcome.country.code;
    // In the visitor's currency as well, where that is another one.
    let converted = |found: Decimal| {
        let found = found.checked_div(parameters.units(code)?)?;
        let own = parameters.currency.as_deref().filter(|own| *own != code)?;

        Some(
            Written {
                decimals: CONVERTED_DECIMALS.min(currency_decimals(own)),
                currency: Some(own),
            }
            .text(found, Locale::PAGE),
        )
    };

    let shown = |found: Decimal| {
        let written = Written {
            decimals: pay.decimals,
            currency: Some(code),
        }
        .text(found, Locale::PAGE);

        html! {
            span {
                (written)
                @if let Some(converted) = converted(found) { br; span.soft { (converted) } }
            }
        }
    };

    let tax = if outcome.country.is_before_income_tax() {
        BEFORE
    } else {
        AFTER
    };

    html! {
        td.n data-colonne="Brut" { (shown(pay.gross)) }
        td.n data-colonne="Net" { span { (shown(pay.net)) br; small.soft { (tax) } } }
        td.n data-colonne="Retenues, % du brut" {
            @if let Some(rate) = pay.withheld() { (percent(rate.round_dp(4))) }
        }
        td.n data-colonne="Coût employeur" {
            @if let Some(cost) = pay.cost { (shown(cost)) } @else { "–" }
        }
    }
}
