//! Amounts of an hour, and of a year where the law has the pay of a month alone: the page turns
//! them into what the law asks for, and its answers back.

use bareme_api::wire::query::value;
use bareme_engine::law::parameter::DATE;
use bareme_engine::law::{Find, Input, Method, Type};
use bareme_engine::service::{FoundBy, Rules};
use bareme_engine::text::number_text;
use bareme_engine::{Lang, say};
use jiff::civil::Date;
use rust_decimal::Decimal;

use super::amounts::Money;
use super::driver::driver;
use super::question::{Question, take};
use super::{elsewhere, period};
use crate::catalogue::ListedFolder;
use crate::text::say;

/// Parameter of the page with the period of the amounts, where the law asks for none; the home page
/// sends it too.
pub(crate) const PERIOD: &str = "par";

/// The words of [`PERIOD`]: an hour also where the law asks for another period.
pub(crate) const MONTH: &str = "mois";
pub(crate) const YEAR: &str = "an";
pub(crate) const HOUR: &str = "heure";

/// Months in a year.
const MONTHS: Decimal = Decimal::from_parts(12, 0, 0, false, 0);

/// Weeks in a year.
const WEEKS: Decimal = Decimal::from_parts(52, 0, 0, false, 0);

/// Decimals of a part of full time in percent.
const PERCENT_DECIMALS: u32 = 4;

/// What is written beside the hours of a week, the longest first.
const HOUR_WORDS: [&str; 4] = ["heures", "hours", "heure", "h"];

/// Decimals of the hours of a month, as a page shows them.
const HOURS_SHOWN: u32 = 2;

/// The period of the amounts of a page, where the law has another one.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    /// The word of the period.
    pub word: &'static str,
    /// The parameter that the amount was typed for.
    name: String,
    /// The amount, as it was typed.
    pub typed: String,
    /// The amount of a month that the law is asked for.
    month: String,
    /// A month is so many times the period, then divided by months: 151.67 hours, 1 year of twelve.
    times: Decimal,
    months: Decimal,
}

impl Unit {
    /// The amount of this period that makes an amount of a month.
    pub(super) fn of_month(&self, month: Decimal) -> Decimal {
        let whole = month.saturating_mul(self.months);
        whole.checked_div(self.times).unwrap_or(whole)
    }

    /// The amount of a parameter as it was typed, in words, where it is the one of this period:
    /// `42 000 € par an`.
    pub(super) fn in_words(&self, (name, value): (&str, &str), money: Money) -> Option<String> {
        let typed = self.typed.parse().ok();
        let typed = typed.filter(|_| name == self.name && value == self.month)?;
        let amount = money.short(typed);
        let lang = money.lang();
        Some(match self.word {
            HOUR => say!(lang, "{amount} de l’heure", "{amount} an hour"),
            _ => say!(lang, "{amount} par an", "{amount} per year"),
        })
    }

    /// The parameters of the page in place of those of the law, where they still hold the amount
    /// that was typed: another amount is one of a month.
    pub(super) fn typed_in(&self, sent: Vec<(String, String)>) -> Vec<(String, String)> {
        let is_own = |(name, value): &(String, String)| *name == self.name && *value == self.month;
        if !sent.iter().any(is_own) {
            return sent;
        }

        let back = |pair: (String, String)| {
            if is_own(&pair) {
                (pair.0, self.typed.clone())
            } else {
                pair
            }
        };
        let mut typed: Vec<_> = sent.into_iter().map(back).collect();
        typed.push((PERIOD.to_owned(), self.word.to_owned()));
        typed
    }
}

/// Whether the amounts of a method are of a month: the pay of an employee.
pub(super) fn is_of_month(method: &Method) -> bool {
    method.advances().is_none() && method.inverse(Find::Greatest).is_some()
}

/// The label of an amount, without the month where the page lets its visitor choose the period.
pub(super) fn label<'l>(question: &Question, label: &'l str) -> &'l str {
    let method = question.edition.map(|edition| edition.method());
    let is_chosen = method.is_some_and(|method| !offered(question, method).is_empty());
    let of_month = match question.lang() {
        Lang::Fr => [" du mois", " mensuel", " de la période"],
        Lang::En => [" for the month", " per month", " for the period"],
    };
    let mut shorter = of_month.iter().filter_map(|end| label.strip_suffix(end));
    shorter.next().filter(|_| is_chosen).unwrap_or(label)
}

/// Takes the period of the page out of a query: from its own parameter, or from the choice of the
/// law, which has no word for an hour.
pub(super) fn take_period(pairs: &mut Vec<(String, String)>, method: &Method) -> Option<String> {
    if let Some(choice) = period::input(method)
        && value(pairs, &choice.name) == Some(HOUR)
    {
        return take(pairs, &choice.name);
    }
    take(pairs, PERIOD)
}

/// Turns the amount that a question starts from into one of a month, by the period that was asked.
/// The law gets a period that the page does not have, which it refuses, and an amount that is no
/// number.
pub(super) fn convert(question: &mut Question, asked: &str) {
    let method = question.edition.map(|edition| edition.method());
    let method = method.filter(|method| is_of_month(method));
    let known = method.and_then(|method| {
        let of_law = period::input(method);
        let has_year = of_law.is_none();
        // Two periods at once would be an amount of neither.
        let is_chosen = of_law.is_some_and(|own| question.sent(&own.name).is_some());
        match (asked, question.hours) {
            (MONTH, _) if has_year => Some((MONTH, Decimal::ONE, Decimal::ONE)),
            (YEAR, _) if has_year => Some((YEAR, Decimal::ONE, MONTHS)),
            (HOUR, Some(hours)) if !is_chosen => Some((HOUR, hours, Decimal::ONE)),
            _ => None,
        }
    });
    let (Some(method), Some((word, times, months))) = (method, known) else {
        question.sent.push((PERIOD.to_owned(), asked.to_owned()));
        return;
    };
    let Some(driver) = driver(method).filter(|_| word != MONTH) else {
        return;
    };

    let name = driver.typed(question).to_owned();
    let Some((_, amount)) = question.sent.iter_mut().find(|(known, _)| *known == name) else {
        return;
    };
    let month = amount.parse::<Decimal>().ok();
    let month = month.and_then(|typed| typed.checked_mul(times)?.checked_div(months));
    let Some(month) = month else {
        return;
    };
    let month = number_text(of_unit(month, driver.input, method));
    let typed = std::mem::replace(amount, month.clone());
    question.unit = Some(Unit {
        word,
        name,
        typed,
        month,
        times,
        months,
    });
}

/// An amount to the last decimal that the input takes.
fn of_unit(amount: Decimal, input: &Input, method: &Method) -> Decimal {
    let decimals = input
        .round
        .map_or(method.decimals, |unit| unit.normalize().scale());
    amount.round_dp(decimals)
}

/// The hours of a month that are worked: those that another folder answers on the day of the
/// question, and of these the part of full time.
pub(super) fn hours(
    rules: &Rules,
    listed: &ListedFolder,
    sent: &[(String, String)],
    today: Date,
) -> Option<Decimal> {
    let mut found_by = listed.endpoint.found_by.iter();
    let found = found_by.find(|found| found.hours.is_some())?;
    let full = full_time(rules, found, listed, sent, today)?;

    match part_of_full_time(found, listed, sent) {
        Some(part) => full.checked_mul(part),
        None => Some(full),
    }
}

/// The hours of a month of full time, on the day of a question.
fn full_time(
    rules: &Rules,
    found: &FoundBy,
    listed: &ListedFolder,
    sent: &[(String, String)],
    today: Date,
) -> Option<Decimal> {
    let day = value(sent, DATE).and_then(|day| day.parse().ok());
    elsewhere::hours(rules, found, listed.word, day.unwrap_or(today))
}

/// The part of full time that a question sends; `None` for full time. A part that is refused is
/// reported by the law.
pub(super) fn part_of_full_time(
    found: &FoundBy,
    listed: &ListedFolder,
    sent: &[(String, String)],
) -> Option<Decimal> {
    let input = part_time(found, listed)?;
    let part = value(sent, &input.name)?.parse::<Decimal>().ok()?;
    let part = part.checked_div(Decimal::ONE_HUNDRED)?;
    (part > Decimal::ZERO).then_some(part)
}

/// The input of the part of full time, in percent.
fn part_time<'r>(found: &FoundBy, listed: &ListedFolder<'r>) -> Option<&'r Input> {
    let name = found.part_time.as_deref()?;
    let mut inputs = listed.folder.inputs().into_iter();
    inputs.find(|input| input.name == name && input.ty == Type::Rate)
}

/// Reads a part of full time that was typed as hours of a week, `24 h`, where the law says how many
/// hours a month has.
pub(super) fn read_weekly_hours(
    rules: &Rules,
    listed: &ListedFolder,
    sent: &mut [(String, String)],
    today: Date,
) {
    let Some((input, percent)) = percent_of_week(rules, listed, sent, today) else {
        return;
    };
    if let Some((_, typed)) = sent.iter_mut().find(|(name, _)| *name == input.name) {
        *typed = percent;
    }
}

/// The input of the part of full time, and the percentage that the typed hours of a week are.
fn percent_of_week<'r>(
    rules: &Rules,
    listed: &ListedFolder<'r>,
    sent: &[(String, String)],
    today: Date,
) -> Option<(&'r Input, String)> {
    let mut found_by = listed.endpoint.found_by.iter();
    let found = found_by.find(|found| found.hours.is_some() && found.part_time.is_some())?;
    let input = part_time(found, listed)?;

    let week = of_week(value(sent, &input.name)?)?;
    let month = week.checked_mul(WEEKS)?.checked_div(MONTHS)?;
    let part = month.checked_div(full_time(rules, found, listed, sent, today)?)?;
    let percent = part.checked_mul(Decimal::ONE_HUNDRED)?;

    let percent = percent.round_dp(PERCENT_DECIMALS).normalize();
    Some((input, number_text(percent)))
}

/// Whether an input takes hours of a week too.
pub(super) fn reads_weekly_hours(question: &Question, input: &Input) -> bool {
    let mut found_by = question.listed.endpoint.found_by.iter();
    let is_part = |found: &FoundBy| found.part_time.as_ref() == Some(&input.name);
    question.hours.is_some() && found_by.any(is_part)
}

/// The hours of a text such as `24 h` or `17,5 heures`.
fn of_week(typed: &str) -> Option<Decimal> {
    let typed = typed.trim().to_lowercase();
    let mut words = HOUR_WORDS.iter();
    let number = words.find_map(|word| typed.strip_suffix(word))?;
    let hours: Decimal = number.trim_end().replace(',', ".").parse().ok()?;
    (hours > Decimal::ZERO).then_some(hours)
}

/// Hours as a page shows them.
pub(super) fn shown(hours: Decimal) -> Decimal {
    hours.round_dp(HOURS_SHOWN).normalize()
}

/// The periods that a page offers, each with its word and what it is called; none where the amounts
/// are no pay of a month. Where the law has a choice of its own, an hour alone is added to it.
pub(super) fn offered(question: &Question, method: &Method) -> Vec<(&'static str, &'static str)> {
    if !is_of_month(method) {
        return Vec::new();
    }
    let lang = question.lang();
    let month = (MONTH, say(lang, "Par mois", "Per month"));
    let year = (YEAR, say(lang, "Par an", "Per year"));
    let own = [month, year].into_iter();
    let own = own.filter(|_| period::input(method).is_none());
    let hour = question
        .hours
        .map(|_| (HOUR, say(lang, "Par heure", "Per hour")));
    own.chain(hour).collect()
}
