//! Usual situations of a question, such as an executive or part time: a button each, which a second
//! press takes back.

use bareme_engine::Calculation;
use bareme_engine::law::{FieldValue, Method, Preset};
use bareme_engine::text::number_text;
use jiff::civil::Date;
use rust_decimal::Decimal;

use super::question::Question;
use super::unit;
use crate::typed::in_link;

/// A button of a usual situation.
pub(super) struct Button {
    /// What it says, with a mark where the question has the situation.
    pub label: String,
    /// The link to the question with the situation, or without it.
    pub link: String,
    /// Whether the question has the situation.
    pub is_on: bool,
}

/// The buttons of a question, in the order of the method; a situation that the law refuses beside
/// what was typed takes the place of the others, or has no button.
pub(super) fn buttons(question: &Question, calculation: &Calculation, today: Date) -> Vec<Button> {
    let method = calculation.edition().method();
    let button = |preset: &Preset| {
        let is_on = is_on(question, preset);
        let sent = if is_on {
            without(&question.sent, preset)
        } else {
            let answered = |sent: &Vec<(String, String)>| {
                question
                    .ask(&by_input(question, calculation, sent), today)
                    .is_ok()
            };
            let beside = with(&question.sent, preset);
            [beside, with(&without_all(&question.sent, method), preset)]
                .into_iter()
                .find(answered)?
        };

        Some(Button {
            label: if is_on {
                format!("✓ {}", preset.label)
            } else {
                preset.label.clone()
            },
            link: question.link_of(at_other_hours(question, sent)),
            is_on,
        })
    };

    method.presets().iter().filter_map(button).collect()
}

/// Parameters with the pay of other hours in place of that of the question: who looks at 80 % of a
/// full time is paid 80 % of it. A pay of an hour is the same at any hours, and so is a target.
fn at_other_hours(question: &Question, sent: Vec<(String, String)>) -> Vec<(String, String)> {
    let changed = || {
        let driver = question.driver()?;
        let is_input = question.unit.is_none() && driver.typed(question) == driver.input.name;
        let mut found_by = question.listed.endpoint.found_by.iter();
        let found = found_by.find(|found| found.part_time.is_some() && is_input)?;

        let part = |sent: &[(String, String)]| {
            unit::part_of_full_time(found, &question.listed, sent).unwrap_or(Decimal::ONE)
        };
        let (before, after) = (part(&question.sent), part(&sent));
        let pay = question.sent(&driver.input.name)?.parse::<Decimal>().ok()?;
        let pay = pay.checked_mul(after)?.checked_div(before)?;
        let decimals = question.edition?.method().decimals;
        let pay = number_text(pay.round_dp(decimals).normalize());
        (before != after).then(|| (driver.input.name.as_str(), in_link(pay)))
    };

    let Some((name, pay)) = changed() else {
        return sent;
    };
    let with = |(known, value): (String, String)| {
        let value = if known == name { pay.clone() } else { value };
        (known, value)
    };
    sent.into_iter().map(with).collect()
}

/// Whether a question sends all that a situation sends.
fn is_on(question: &Question, preset: &Preset) -> bool {
    let mut sent = preset.sent.iter();
    sent.all(|(name, value)| question.sent(name) == Some(value))
}

/// Parameters without those of a situation.
fn without(sent: &[(String, String)], preset: &Preset) -> Vec<(String, String)> {
    let is_own = |name: &str| preset.sent.iter().any(|(own, _)| own == name);
    let others = sent.iter().filter(|(name, _)| !is_own(name));
    others.cloned().collect()
}

/// Parameters without those of any situation.
fn without_all(sent: &[(String, String)], method: &Method) -> Vec<(String, String)> {
    let presets = method.presets().iter();
    presets.fold(sent.to_vec(), |sent, preset| without(&sent, preset))
}

/// Parameters with those of a situation.
fn with(sent: &[(String, String)], preset: &Preset) -> Vec<(String, String)> {
    let mut sent = without(sent, preset);
    sent.extend(preset.sent.iter().cloned());
    sent
}

/// Parameters that start from the input of an answer: a search for each button would cost more than
/// the answer.
fn by_input(
    question: &Question,
    calculation: &Calculation,
    sent: &[(String, String)],
) -> Vec<(String, String)> {
    let method = calculation.edition().method();
    let found = question.driver().and_then(|driver| {
        let shown = driver.inverses.first()?.shown;
        let name = &method.fields().get(shown)?.name;
        let input = calculation.field(name).and_then(FieldValue::number)?;
        let mut sent = driver.without_amounts(sent);
        sent.push((driver.input.name.clone(), number_text(input)));
        Some(sent)
    });
    found.unwrap_or_else(|| sent.to_vec())
}
