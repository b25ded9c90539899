//! The link from the simulator of one pay to that of a year, with what was typed.

use bareme_engine::Calculation;
use bareme_engine::law::parameter::YEAR;
use bareme_engine::law::{FieldValue, Input, InputId, Method, Type};
use bareme_engine::text::number_text;
use bareme_show::query_string;
use jiff::civil::Date;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::super::period;
use super::super::question::Question;
use super::super::unit::YEAR as YEAR_WORD;
use super::PATH_END;
use super::column::{ALL, MONTHS};
use crate::text::say;

/// Decimals of the pay of a month that is a twelfth of a year's.
const CENTS: u32 = 2;

/// Months of a year, and the parts that its pay has where one more is paid with the last month.
const MONTHS_OF_YEAR: Decimal = Decimal::from_parts(12, 0, 0, false, 0);
const PARTS: Decimal = Decimal::from_parts(13, 0, 0, false, 0);

/// The link to the year of the question: its pay in every month, what is paid once in its month.
pub(in crate::simulator) fn link_to_year(
    question: &Question,
    calculation: &Calculation,
    today: Date,
) -> Markup {
    let listed = &question.listed;
    let lang = question.lang();
    if !listed.has_year() {
        return html! {};
    }
    let day = question.day().unwrap_or(today);

    let link = link_of(question, pairs(question, calculation, day));

    html! {
        p.screen {
            a href=(link) {
                (say(lang, "Une année de paies, mois par mois", "A year of pays, month by month"))
            }
            (say(
                lang,
                "\u{a0}: primes, embauche, départ, régularisations.",
                ": bonuses, hiring, departure, settlements."
            ))
        }
    }
}

/// The link to the year of a question about the pay of a year that has an amount paid once in it,
/// such as a thirteenth month: as much as a month, with the last one. `None` for any other question,
/// and where a year of pays does not take that amount.
pub(in crate::simulator) fn link_included(
    question: &Question,
    calculation: &Calculation,
    today: Date,
) -> Option<String> {
    let method = calculation.edition().method();
    let once = method.once()?;
    let input = once.input.of(method.inputs())?;
    let block = question.listed.folder.year_block()?;
    if input.is_absent || !block.varies(&input.name) {
        return None;
    }

    // 1. The year in equal parts; the last one has the cents that their rounding leaves.
    let year = pay_of_year(question, calculation)?;
    let part = year.checked_div(PARTS)?.round_dp(CENTS);
    let last = year.checked_sub(part.checked_mul(MONTHS_OF_YEAR)?)?;

    // 2. The year of pays with them.
    let day = question.day().unwrap_or(today);
    let driver = question.driver()?.input.name.as_str();
    let own = pairs(question, calculation, day).into_iter();
    let mut pairs: Vec<_> = own.filter(|(name, _)| name != driver).collect();
    let inputs = question.listed.folder.year_inputs();
    let is_left_out = |(name, _): &&(String, String)| {
        question.sent(name).is_none() && inputs.iter().any(|input| input.name == *name)
    };
    pairs.extend(once.assumed.iter().filter(is_left_out).cloned());
    pairs.push((driver.to_owned(), number_text(part.normalize())));
    pairs.push((
        format!("{}-{MONTHS}", input.name),
        number_text(last.normalize()),
    ));
    Some(link_of(question, pairs))
}

/// The pay of a year that a question is about; `None` for one about a month.
fn pay_of_year(question: &Question, calculation: &Calculation) -> Option<Decimal> {
    let typed = question.unit.as_ref().filter(|unit| unit.word == YEAR_WORD);
    if let Some(unit) = typed {
        return unit.typed.parse().ok();
    }

    let months = period::months(calculation)?;
    let method = calculation.edition().method();
    let shown = method
        .fields()
        .get(question.driver()?.inverses.first()?.shown)?;
    let found = calculation.field(&shown.name)?.number()?;
    (months == MONTHS_OF_YEAR).then_some(found)
}

/// The link to a year of pays.
fn link_of(question: &Question, pairs: Vec<(String, String)>) -> String {
    let year = question.day();
    let year = year.map(|day| (YEAR.to_owned(), day.year().to_string()));
    let pairs: Vec<_> = year.into_iter().chain(pairs).collect();
    let query = query_string::from_pairs(&pairs);
    format!("{}{PATH_END}?{query}", question.listed.simulator())
}

/// What the year is asked with.
fn pairs(question: &Question, calculation: &Calculation, day: Date) -> Vec<(String, String)> {
    // Inputs of a single pay that a year does not take are left out, or the year would be refused.
    let method = calculation.edition().method();
    let inputs = question.listed.folder.year_inputs();
    let is_kept = |name: &str| inputs.iter().any(|input| input.name == name);
    let of_month = |name: &str| is_of_one_month(question, method, name);

    let months = period::months(calculation).unwrap_or(Decimal::ONE);
    let gross = gross(question, calculation, months);
    // A month of some days has its own pay; the others have the one of the whole month.
    let is_part = question
        .sent
        .iter()
        .any(|(name, _)| of_days(question, method, name));
    let whole = is_part.then(|| whole_month(question, method)).flatten();

    let mut pairs = Vec::new();
    if let Some((name, gross)) = gross {
        match whole {
            Some(whole) => {
                pairs.push((format!("{name}-{ALL}"), whole));
                pairs.push((format!("{name}-{}", day.month()), gross));
            }
            None => pairs.push((name, gross)),
        }
    }
    let driver = question.driver();
    let own = question.sent.iter().filter(|(name, _)| {
        let mut names = driver.iter().flat_map(|driver| driver.names());
        is_kept(name) && !names.any(|known| known == name)
    });
    // The amounts of a year are no amounts of its months, but for the pay.
    let is_amount = |name: &str| {
        let mut inputs = method.inputs().iter();
        inputs.any(|input| input.name == name && matches!(input.ty, Type::Money(_)))
    };
    let own = own.filter(|(name, _)| months == Decimal::ONE || !is_amount(name));
    pairs.extend(own.map(|(name, value)| {
        let name = if of_month(name) {
            format!("{name}-{}", day.month())
        } else {
            name.clone()
        };
        (name, value.clone())
    }));
    pairs
}

/// The pay of a month that the question starts from, or that was found for it.
fn gross(
    question: &Question,
    calculation: &Calculation,
    months: Decimal,
) -> Option<(String, String)> {
    let driver = question.driver()?;
    let name = driver.input.name.clone();
    // What was typed is kept as it is; a pay of several months, or one that was searched, is that
    // of the answer.
    if let Some(sent) = question.sent(&name).filter(|_| months == Decimal::ONE) {
        return Some((name, sent.to_owned()));
    }

    let method = calculation.edition().method();
    let shown = method.fields().get(driver.inverses.first()?.shown)?;
    let found = calculation
        .field(&shown.name)
        .and_then(FieldValue::number)?;
    let month = found.checked_div(months)?.round_dp(CENTS);
    Some((name, number_text(month.normalize())))
}

/// Whether an input says how many days of the month are paid: each month has its own.
fn of_days(question: &Question, method: &Method, name: &str) -> bool {
    let block = question.listed.folder.year_block();
    let is_there = method.inputs().iter().any(|input| input.name == name);
    is_there && block.is_some_and(|block| block.is_asked_each_month(name))
}

/// The input that is given beside the days of a month: its pay had it been whole.
fn beside_days<'m>(question: &Question, method: &'m Method) -> Option<&'m Input> {
    let mut days = InputId::enumerate(method.inputs());
    days.find_map(|(id, input)| {
        let is_of_days = of_days(question, method, &input.name);
        is_of_days
            .then(|| method.companion(id)?.of(method.inputs()))
            .flatten()
    })
}

/// The pay of a whole month, where the question is about a part of one.
fn whole_month(question: &Question, method: &Method) -> Option<String> {
    let input = beside_days(question, method)?;
    question.sent(&input.name).map(str::to_owned)
}

/// Whether a value holds for the month of the question alone: what is paid once, and the days of the
/// month with what goes beside them.
fn is_of_one_month(question: &Question, method: &Method, name: &str) -> bool {
    let once = method
        .once()
        .and_then(|once| once.input.of(method.inputs()));
    let beside = beside_days(question, method);
    [once, beside]
        .into_iter()
        .flatten()
        .any(|input| input.name == name)
        || of_days(question, method, name)
}
