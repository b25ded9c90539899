//! The answer as a sentence, for a method that has one.

use bareme_engine::Calculation;
use bareme_engine::law::{Field, FieldText, FieldValue, Method, TextPart, Type};
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::amounts::Money;
use super::result::field_text;
use super::settled::of_month;
use crate::text::{printed, prose};

/// Decimals of a fraction that is shown in percent: `6,2 %`.
const OF_PERCENT: u32 = 3;

/// The sentence of an answer; nothing where its method has none.
pub(super) fn sentence(calculation: &Calculation) -> Markup {
    let text = text(calculation);
    html! { @if !text.is_empty() { p.sentence { (prose(&text)) } } }
}

/// The parts of the sentence, each by the sign of its field.
fn text(calculation: &Calculation) -> String {
    let method = calculation.edition().method();
    let parts = method.sentence().iter().filter_map(|part| {
        let (_, found) = field(calculation, part.field)?;
        let found = found.number()?;
        let text = match found {
            found if found.is_zero() => &part.zero,
            found if found.is_sign_negative() => &part.negative,
            _ => &part.positive,
        };
        written(calculation, method, text.as_ref()?)
    });
    parts.collect()
}

/// A text with its fields; `None` where the answer lacks one of them.
fn written(calculation: &Calculation, method: &Method, text: &FieldText) -> Option<String> {
    let part = |part: &TextPart| match part {
        TextPart::Words(words) => Some(printed(words)),
        TextPart::Field(index) => {
            let (own, found) = field(calculation, *index)?;
            match found.number() {
                Some(number) => Some(without_sign(Money::new(method), own, number)),
                None => {
                    let text = field_text(calculation, own, found)?;
                    let sign = Money::new(method).sign_of_field(own, &text);
                    Some(sign.unwrap_or(text))
                }
            }
        }
        TextPart::PerMonth(index) => {
            let (own, found) = field(calculation, *index)?;
            let number = of_month(found.number()?);
            Some(without_sign(Money::new(method), own, number))
        }
    };
    text.0.iter().map(part).collect()
}

/// A field of the answer, by index.
fn field<'c, 'f>(
    calculation: &'c Calculation<'f>,
    index: usize,
) -> Option<(&'c Field, &'c FieldValue<'f>)> {
    let own = calculation.edition().method().fields().get(index)?;
    Some((own, calculation.field(&own.name)?))
}

/// A number in a sentence whose words say what its sign is.
fn without_sign(money: Money, field: &Field, number: Decimal) -> String {
    let number = number.abs();
    match field.value_type() {
        Type::Money(_) => money.short(number),
        Type::Rate => money.percent(number.round_dp(OF_PERCENT)),
        _ => money.of_field(field, number),
    }
}
