//! The result of a comparison: bars of the net pay, and a row for every country.

use bareme_engine::Lang;
use bareme_engine::text::Text;
use bareme_show::{Amounts as Written, Locale, currency_decimals, currency_name};
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::RESULT;
use super::country::{Amounts, Missing, Outcome};
use super::parameters::Parameters;
use crate::folder_pictures::image;
use crate::text::{printed, prose, say};

/// Heading of nets before income tax.
const BEFORE: Text = Text::new("avant impôt", "before tax");

/// Heading of the other nets.
const AFTER: Text = Text::new("impôt déduit", "after tax");

/// Headings of columns.
const GROSS: Text = Text::new("Brut", "Gross");
const NET: Text = Text::new("Net", "Net");
const WITHHELD: Text = Text::new("Retenues, % du brut", "Deductions, % of gross");
const COST: Text = Text::new("Coût employeur", "Employer cost");

/// Decimals of a converted amount.
const CONVERTED_DECIMALS: u32 = 2;

/// Bars of the share of the cost that is left, the longest first; nets before income tax in a group
/// of their own.
pub(super) fn bars(outcomes: &[Outcome], lang: Lang) -> Markup {
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
            (figure(
                say(
                    lang,
                    "Part du coût employeur qui reste au salarié, impôt déduit",
                    "Share of the employer cost that the employee keeps, after tax"
                ),
                &after,
                lang
            ))
        }
        @if !before.is_empty() {
            (figure(
                say(
                    lang,
                    "Avant impôt sur le revenu\u{a0}: nets non comparables aux précédents",
                    "Before income tax: net pays that do not compare with those above"
                ),
                &before,
                lang
            ))
        }
    }
}

fn figure(title: &str, bars: &[(&Outcome, Decimal)], lang: Lang) -> Markup {
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
                        strong { (Locale::page(lang).percent(share.round_dp(3))) }
                        // The share is written beside it: a drawing that is read aloud would say it
                        // twice.
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

/// A row for every country, by name; those whose currency has no rate come after the others, and
/// say which they wait for.
pub(super) fn table(outcomes: &[Outcome], parameters: &Parameters, lang: Lang) -> Markup {
    let waits = |outcome: &&Outcome| matches!(outcome.result, Err(Missing::Rate));
    let (waiting, answered): (Vec<_>, Vec<_>) = outcomes.iter().partition(waits);

    html! {
        // A table that scrolls takes the focus: otherwise the keyboard would not reach its last
        // columns.
        div.wide.countries #(RESULT) tabindex="0" role="region" aria-label=(
            say(lang, "Comparaison des pays", "Comparison of countries")
        ) {
            table {
                thead {
                    tr {
                        th scope="col" { (say(lang, "Pays", "Country")) }
                        @for heading in [GROSS, NET, WITHHELD, COST] {
                            th.n scope="col" { (heading.in_lang(lang)) }
                        }
                    }
                }
                tbody {
                    @for outcome in answered.into_iter().chain(waiting) {
                        tr data-bareme=(outcome.country.listed.folder.path()) {
                            th scope="row" {
                                (image(outcome.country.listed.folder))
                                a href=(outcome.link) { (prose(outcome.country.name)) }
                            }
                            @match &outcome.result {
                                Ok(pay) => (cells(outcome, pay, parameters, lang)),
                                // The link leads to the field of the missing rate.
                                Err(Missing::Rate) => td.soft colspan="4" {
                                    a href={ "#taux-" (outcome.country.code) } {
                                        (say(lang, "Donnez le taux de change", "Give the exchange rate"))
                                    }
                                    (say(lang, "\u{a0}: ", ": ")) (currency_name(outcome.country.code, lang))
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
fn cells(outcome: &Outcome, pay: &Amounts, parameters: &Parameters, lang: Lang) -> Markup {
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
            .text(found, Locale::page(lang)),
        )
    };

    let shown = |found: Decimal| {
        let written = Written {
            decimals: pay.decimals,
            currency: Some(code),
        }
        .text(found, Locale::page(lang));

        html! {
            span {
                (written)
                @if let Some(converted) = converted(found) { br; span.soft { (converted) } }
            }
        }
    };

    let country = outcome.country;
    let tax = match country.assumed_net() {
        Some(label) => printed(label),
        None if country.is_before_income_tax() => BEFORE.in_lang(lang).to_owned(),
        None => AFTER.in_lang(lang).to_owned(),
    };

    html! {
        td.n data-colonne=(GROSS.in_lang(lang)) { (shown(pay.gross)) }
        td.n data-colonne=(NET.in_lang(lang)) {
            span { (shown(pay.net)) br; small.soft { (prose(&tax)) } }
        }
        td.n data-colonne=(WITHHELD.in_lang(lang)) {
            @if let Some(rate) = pay.withheld() { (Locale::page(lang).percent(rate.round_dp(4))) }
        }
        td.n data-colonne=(COST.in_lang(lang)) {
            @if let Some(cost) = pay.cost { (shown(cost)) } @else { "–" }
        }
    }
}
