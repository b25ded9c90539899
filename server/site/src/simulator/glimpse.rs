//! A pay at a glance, for the home page: the main results of an amount, and the link to the rest.

use bareme_engine::Lang;
use bareme_engine::law::Method;
use bareme_engine::run::Edition;
use bareme_engine::service::Rules;
use bareme_engine::text::BadParameter;
use bareme_show::{Locale, query_string};
use jiff::civil::Date;
use maud::Markup;
use rust_decimal::Decimal;

use super::driver::{Driver, driver};
use super::example::example;
use super::period;
use super::question::Question;
use super::unit::{HOUR, MONTH, PERIOD, YEAR};
use super::{headline, trace, values};
use crate::catalogue::ListedFolder;
use crate::text::say;

/// Months in a year.
const MONTHS: Decimal = Decimal::from_parts(12, 0, 0, false, 0);

/// The main results of an amount.
pub(crate) struct Glimpse {
    /// The amount, as people write it.
    pub amount: String,
    /// The results.
    pub headline: Markup,
    /// The link to the simulator with the same question.
    pub link: String,
}

/// Why there is no result: what is wrong with the amount, in French.
#[derive(Debug)]
pub(crate) struct GlimpseError(pub Vec<String>);

impl Glimpse {
    /// The results of an amount of a month, a year or an hour; without one, of the worked case.
    ///
    /// # Errors
    /// The amount is no amount, or the law refuses it.
    pub(crate) fn new(
        rules: &Rules,
        listed: &ListedFolder,
        amount: Option<&str>,
        period: &'static str,
        today: Date,
    ) -> Result<Self, GlimpseError> {
        let none = || GlimpseError(vec!["Ce calcul n’est pas disponible.".to_owned()]);
        let edition = listed
            .folder
            .edition(today)
            .or_else(|| listed.folder.latest());
        let method = edition.map(Edition::method).ok_or_else(none)?;
        let driver = driver(method).ok_or_else(none)?;

        // 1. The amount that is typed, or that of the worked case; the part of the employer is
        // shown with it.
        let mut sent = example(listed, method, today);
        let lang = listed.lang();
        let usual = taken(&mut sent, &driver);
        let typed = amount.or(usual.as_deref()).ok_or_else(none)?;
        let plain = values::plain(method, driver.input, typed)
            .map_err(|bad| GlimpseError(vec![bad.reason.in_lang(lang).to_owned()]))?;

        // 2. Its period: that of the law, or that of the page.
        sent.push((driver.input.name.clone(), plain.clone()));
        let of_law = (period == YEAR).then(|| yearly(listed, method, &sent, today));
        match of_law.flatten() {
            Some(choice) => sent.push(choice),
            None if period == MONTH => {}
            None => sent.push((PERIOD.to_owned(), period.to_owned())),
        }

        // 3. The answer.
        let query = query_string::from_pairs(&sent);
        let question = Question::read_with_period(rules, listed, &query, today);
        if period == HOUR && question.hours.is_none() {
            let why = say(
                lang,
                "La loi de ce pays ne fixe pas ici les heures d’un mois : donnez le salaire d’un \
                 mois ou d’une année.",
                "The hours of a month are not set here by the law of this country: give the pay \
                 of a month or of a year.",
            );
            return Err(GlimpseError(vec![why.to_owned()]));
        }
        let answer = question
            .calculate(today)
            .map_err(|problem| GlimpseError(vec![problem.text()]))?;
        let calculation = answer.map_err(|bad| GlimpseError(reasons(&bad, lang)))?;
        let pay = trace::pay(&calculation);
        let figures = headline::figures(&question, &calculation, pay.as_ref(), today);

        let written = plain.parse().map_or_else(
            |_| typed.to_owned(),
            |number| Locale::page(lang).number(number),
        );
        Ok(Self {
            amount: written,
            headline: headline::headline(&figures),
            link: question.link(),
        })
    }
}

/// Why parameters cannot be used.
fn reasons(bad: &[BadParameter], lang: Lang) -> Vec<String> {
    let reasons = bad.iter().map(|bad| bad.reason.in_lang(lang).to_owned());
    reasons.collect()
}

/// Takes the amount that a question starts from out of it.
fn taken(sent: &mut Vec<(String, String)>, driver: &Driver) -> Option<String> {
    let found = sent
        .iter()
        .position(|(name, _)| *name == driver.input.name)?;
    Some(sent.remove(found).1)
}

/// The word of the choice of the period for a year.
fn yearly(
    listed: &ListedFolder,
    method: &Method,
    sent: &[(String, String)],
    today: Date,
) -> Option<(String, String)> {
    let input = period::input(method)?;
    let question = Question::empty(*listed);
    // A word of the law says no number of months: the one with which the answer covers twelve is
    // that of a year.
    let mut words = input.values.iter().map(|(word, _)| word);
    let word = words.find(|word| {
        let mut sent = sent.to_vec();
        sent.push((input.name.clone(), (*word).clone()));
        let answer = question.ask(&sent, today).ok();
        answer.as_ref().and_then(period::months) == Some(MONTHS)
    })?;
    Some((input.name.clone(), word.clone()))
}
