//! What comes after an amount: the next bracket of the scale, and the effect of an increase.

use bareme_engine::law::{FieldValue, Slice};
use bareme_engine::{Calculation, Lang};
use jiff::civil::Date;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::amounts::Money;
use super::chart::ShownAmount;
use crate::text::{prose, say};

/// What comes after the amount of a declared curve.
pub(super) fn next_bracket(calculation: &Calculation, asked: &ShownAmount, today: Date) -> Markup {
    let method = calculation.edition().method();
    // Only methods that declare a curve have an amount to increase.
    let Some(curve) = method.curve() else {
        return html! {};
    };

    let money = Money::new(method);
    let lang = money.lang();

    let gain = curve
        .more
        .and_then(|more| Some((more, effect(calculation, asked, today, more)?)));
    let next = distance_and_rate(calculation);

    html! {
        @if gain.is_some() || next.is_some() {
            ul.ahead {
                @if let Some((distance, rate)) = next {
                    li {
                        @if lang == Lang::Fr { "À " } strong { (money.text(distance)) }
                        (say(lang, " de la tranche à ", " below the band at "))
                        strong { (money.percent(rate)) } "."
                    }
                }
                @if let Some((more, effect)) = gain {
                    li {
                        (money.round(more)) (say(lang, " de plus\u{a0}: ", " more: "))
                        (prose(&lower(&asked.axis.field_label))) " "
                        strong { @if effect.is_sign_positive() { "+" } (money.text(effect)) }
                        " (" (money.percent(effect.checked_div(more).unwrap_or_default().round_dp(4)))
                        ")."
                    }
                }
            }
        }
    }
}

/// The change of the field for an increase of the amount.
fn effect(
    calculation: &Calculation,
    asked: &ShownAmount,
    today: Date,
    more: Decimal,
) -> Option<Decimal> {
    let found = calculation.field(&asked.axis.field)?.number()?;

    let after = asked
        .axis
        .at(asked.here.checked_add(more)?, &asked.household, today)?;
    Some(after.saturating_sub(found))
}

/// Distance from the base to the next slice of the only scale in the answer, and the rate of that
/// slice.
fn distance_and_rate(calculation: &Calculation) -> Option<(Decimal, Decimal)> {
    // A scale with a computed tax a bracket is another kind of table.
    let slices: &Vec<Slice> = calculation.fields().find_map(|(_, found)| match found {
        FieldValue::Slices(slices) if slices.iter().all(|slice| slice.tax.is_none()) => {
            Some(slices)
        }
        _ => None,
    })?;

    // The first bracket that begins at the base or above it, and has none of it yet.
    let base: Decimal = slices.iter().map(|slice| slice.base).sum();
    // Where nothing is taxable, an allowance is between the amount and the scale.
    if base.is_zero() {
        return None;
    }
    let next = slices
        .iter()
        .find(|slice| slice.from >= base && slice.base.is_zero() && slice.from > Decimal::ZERO)?;

    let distance = next.from.saturating_sub(base);
    (distance > Decimal::ZERO).then_some((distance, next.rate))
}

/// A label in lower case, for the middle of a sentence.
fn lower(label: &str) -> String {
    let mut letters = label.chars();
    letters
        .next()
        .map(|first| first.to_lowercase().chain(letters).collect())
        .unwrap_or_default()
}
