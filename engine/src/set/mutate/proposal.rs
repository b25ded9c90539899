//! Cases proposed for a change that no case notices.

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::law::{FieldValue, Input, Type};
use crate::run::{Calculation, Case, Edition, Folder, Query};
use crate::text::number_text;

/// Greatest number of cases whose question is tried with other amounts.
const CASES: usize = 12;
/// Greatest number of amounts that are tried in each.
const AMOUNTS: usize = 60;
/// Months of a year: a bound of the year shows at a twelfth of it.
const MONTHS: Decimal = Decimal::from_parts(12, 0, 0, false, 0);

/// A question that the right rules and the changed ones answer otherwise: a case to be worked out by
/// hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The parameters of the query, the date among them.
    pub query: Vec<(String, String)>,
    /// The fields that differ, in the order of the answer.
    pub fields: Vec<String>,
}

/// A question that an edition and a changed one, the right one first, answer otherwise; `None` where
/// none of those tried does. They are the questions of some cases, each numeric input in turn at
/// `amounts`, at their twelfth and their twelvefold, and a little beside these.
pub fn propose(
    folder: &Folder,
    cases: &[&Case],
    editions: [Edition; 2],
    amounts: &[Decimal],
) -> Option<Proposal> {
    let [right, wrong] = editions.map(|edition| folder.with_only(edition));
    let method = right.latest()?.method();
    let inputs: Vec<&Input> = method
        .inputs()
        .iter()
        .filter(|input| is_numeric(input))
        .collect();
    let amounts = around(amounts);

    // Cases spread over the file ask about different things.
    let asked = cases
        .iter()
        .filter(|case| !case.is_year && case.refuse.is_none());
    let stride = cases.len().div_ceil(CASES).max(1);
    for case in asked.step_by(stride) {
        for input in &inputs {
            for amount in &amounts {
                let query = with(&case.query, &input.name, &number_text(*amount));
                let day = case.date().unwrap_or(Date::MIN);
                let fields = differing(&right, &wrong, &query, day);
                if !fields.is_empty() {
                    return Some(Proposal { query, fields });
                }
            }
        }
    }
    None
}

fn is_numeric(input: &Input) -> bool {
    matches!(input.ty, Type::Money(_) | Type::Number | Type::Rate)
}

/// The amounts themselves, their twelfth and their twelvefold, and a little below and above each;
/// then some that roundings tell from each other.
fn around(amounts: &[Decimal]) -> Vec<Decimal> {
    let bases = amounts.iter().flat_map(|amount| {
        let twelfth = amount.checked_div(MONTHS).map(|part| part.round_dp(2));
        [Some(*amount), twelfth, amount.checked_mul(MONTHS)]
    });
    let unit = Decimal::new(1, 2);
    let near = bases.flatten().flat_map(|base| {
        [
            base,
            base.saturating_sub(unit),
            base.saturating_add(unit),
            base.saturating_add(Decimal::ONE),
        ]
    });
    let odd = [123_457, 234_563, 310_009, 777_777].map(|cents| Decimal::new(cents, 2));

    let mut all: Vec<Decimal> = near
        .chain(odd)
        .filter(|value| !value.is_sign_negative())
        .collect();
    // Each of them is two calculations for every case and every input.
    all.truncate(AMOUNTS);
    all
}

/// A query with another value of a parameter.
fn with(query: &[(String, String)], name: &str, value: &str) -> Vec<(String, String)> {
    let mut query: Vec<_> = query
        .iter()
        .filter(|(known, _)| known != name)
        .cloned()
        .collect();
    query.push((name.to_owned(), value.to_owned()));
    query
}

/// The fields that two folders answer otherwise; empty where both refuse, or one of them does.
fn differing(right: &Folder, wrong: &Folder, query: &[(String, String)], day: Date) -> Vec<String> {
    let answer = |folder: &'_ Folder| -> Option<Vec<(String, String)>> {
        let calculation = folder.calculate(&Query::from(query), day).ok()?;
        Some(values(&calculation))
    };
    let (Some(right), Some(wrong)) = (answer(right), answer(wrong)) else {
        return Vec::new();
    };
    let changed = right.into_iter().filter(|field| !wrong.contains(field));
    changed.map(|(name, _)| name).collect()
}

/// The fields that a case may expect: lists are not among them.
fn values(calculation: &Calculation) -> Vec<(String, String)> {
    let fields = calculation.fields();
    fields
        .filter(|(_, value)| matches!(value, FieldValue::Scalar(_)))
        .map(|(field, value)| (field.name.clone(), value.datum().to_string()))
        .collect()
}
