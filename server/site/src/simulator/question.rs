//! Questions to a simulator: the parameters of the API, and those of the page alone.

use std::cell::OnceCell;

use bareme_api::wire::problem::Problem;
use bareme_api::wire::query::{Query, value};
use bareme_engine::law::parameter::{DATE, OF_THE_DAY, YEAR};
use bareme_engine::law::{Input, InputId, Method};
use bareme_engine::run::Edition;
use bareme_engine::service::Rules;
use bareme_engine::text::{BadParameter, ParameterCode};
use bareme_engine::{Calculation, CalculationError, Lang, Refusal};
use bareme_show::Locale;
use jiff::civil::Date;
use rust_decimal::Decimal;

use super::choice::Choice;
use super::driver::{Driver, driver, start};
use super::example::example;
use super::groups;
use super::settled::EARLIER;
use super::trials::Tried;
use super::unit::{self, Unit};
use super::values::{given, in_words, is_default, short_day};
use crate::catalogue::ListedFolder;
use crate::labels::Labels;
use crate::text::say;

/// Parameter of the page with another day to compare.
pub(super) const COMPARED: &str = "comparer-a";

/// Parameter of the page with the simulator to go back to, and its question.
pub(super) const BACK: &str = "retour-vers";

/// Parameter of the page that shows every step of the calculation.
pub(super) const STEPS: &str = "toutes-les-etapes";

#[derive(Debug)]
pub(crate) struct Question<'r> {
    /// The folder.
    pub listed: ListedFolder<'r>,
    /// The edition of the day asked, or else the last one.
    pub edition: Option<&'r Edition>,
    /// The parameters of the API, without those at their default.
    pub sent: Vec<(String, String)>,
    /// Parameters that could not be decoded, and numbers that read in two ways.
    pub bad: Vec<BadParameter>,
    /// The other day to compare.
    pub compared: Option<String>,
    /// The amount of an earlier year, as it was typed.
    pub earlier: Option<String>,
    /// The simulator that a field of the answer goes back to, with its question.
    pub back: Option<String>,
    /// Whether every step of the calculation is shown.
    pub(super) shows_steps: bool,
    /// The change that is tried.
    pub(super) tried: Option<Tried>,
    /// The inputs that exclude each other, with the side chosen.
    pub(super) choices: Vec<Choice<'r>>,
    /// The hours of a month that are worked, where the law of the country says how many they are.
    pub(super) hours: Option<Decimal>,
    /// The period of the amounts that the page shows, where the law has another one.
    pub(super) unit: Option<Unit>,
    /// Why options were left out that the law refuses beside what was typed.
    pub(super) left_out: Vec<String>,
    /// The labels of what the folder asks, made for the first sentence that is written.
    labels: OnceCell<Labels<'r>>,
}

/// A calculation, or every parameter that it cannot use.
pub(crate) type Answer<'r> = Result<Calculation<'r>, Vec<BadParameter>>;

impl<'r> Question<'r> {
    /// A question to a folder that says nothing.
    pub(crate) fn empty(listed: ListedFolder<'r>) -> Self {
        Self {
            listed,
            edition: None,
            sent: Vec::new(),
            bad: Vec::new(),
            compared: None,
            earlier: None,
            back: None,
            shows_steps: false,
            tried: None,
            choices: Vec::new(),
            hours: None,
            unit: None,
            left_out: Vec::new(),
            labels: OnceCell::new(),
        }
    }

    /// Parses the query of a page, with the period of its amounts; without a query, takes a worked
    /// case.
    pub(super) fn read_with_period(
        rules: &Rules,
        listed: &ListedFolder<'r>,
        query: &str,
        today: Date,
    ) -> Self {
        let (mut question, asked) = Self::read_and_period(listed, query, today);
        unit::read_weekly_hours(rules, listed, &mut question.sent, today);
        question.hours = unit::hours(rules, listed, &question.sent, today);
        if let Some(asked) = asked {
            unit::convert(&mut question, &asked);
        }
        question
    }

    /// Parses the query of a page whose amounts are those of the law; without one, takes a worked
    /// case.
    pub(super) fn read(listed: &ListedFolder<'r>, query: &str, today: Date) -> Self {
        Self::read_and_period(listed, query, today).0
    }

    /// The question with its amounts as they were typed, and the period that the page was asked.
    fn read_and_period(
        listed: &ListedFolder<'r>,
        query: &str,
        today: Date,
    ) -> (Self, Option<String>) {
        // An empty parameter counts as absent, as in the API.
        let Query {
            pairs: typed,
            mut bad,
        } = Query::read(query);
        let is_sent = |(_, value): &&(String, String)| !value.trim().is_empty();
        let mut pairs: Vec<(String, String)> = typed.iter().filter(is_sent).cloned().collect();

        let edition_on = |pairs: &[(String, String)]| {
            let day = asked_day(pairs).unwrap_or(today);
            listed
                .folder
                .edition(day)
                .or_else(|| listed.folder.latest())
        };

        // 1. A first visit shows a worked case.
        if pairs.is_empty() && bad.is_empty() {
            pairs = edition_on(&[])
                .map(|edition| example(listed, edition.method(), today))
                .unwrap_or_default();
        }

        // 2. Parameters of the page alone, which the API does not have.
        let compared = take(&mut pairs, COMPARED);
        let earlier = take(&mut pairs, EARLIER);
        let back = take(&mut pairs, BACK);
        let shows_steps = take(&mut pairs, STEPS).is_some();
        let tried = Tried::take(&mut pairs);
        let edition = edition_on(&pairs);
        let (mut sent, mut choices) = (Vec::new(), Vec::new());
        let mut period = None;
        // 3. The inputs in the order of the method, so that equal questions have equal links.
        if let Some(method) = edition.map(Edition::method) {
            start(&mut pairs, method);
            period = unit::take_period(&mut pairs, method);
            if !typed.is_empty() {
                groups::join(&typed, &mut pairs, method);
            }
            choices = Choice::all(method);
            choices
                .iter_mut()
                .for_each(|choice| choice.choose(&mut pairs));

            for input in asked_inputs(method) {
                let own: Vec<&str> = pairs
                    .iter()
                    .filter(|(name, _)| *name == input.name)
                    .map(|(_, value)| value.as_str())
                    .collect();
                // A parameter that is there twice is refused, also where one of its values is the
                // default.
                let is_sent =
                    |(_, value): &(String, String)| own.len() > 1 || !is_default(input, value);
                let given = own
                    .iter()
                    .map(|value| given(method, input, value, &mut bad));
                sent.extend(given.filter(is_sent));
            }

            // 4. What is left is no input of these days: the engine refuses it.
            pairs.retain(|(name, _)| !asked_inputs(method).any(|input| input.name == *name));
        }
        sent.append(&mut pairs);
        let question = Self {
            edition,
            sent,
            bad,
            compared,
            earlier,
            back,
            shows_steps,
            tried,
            choices,
            ..Self::empty(*listed)
        };
        (question, period)
    }

    /// Inputs of a year of pays that do not vary by month, without those at their default.
    pub(super) fn of_year(
        listed: &ListedFolder<'r>,
        edition: Option<&'r Edition>,
        pairs: Vec<(String, String)>,
        mut bad: Vec<BadParameter>,
    ) -> Self {
        let method = edition.map(Edition::method);
        // An input is read by its type; the rest goes to the engine as it is.
        let read = |(name, value): (String, String)| {
            let input =
                method.and_then(|method| method.inputs().iter().find(|input| input.name == name));
            match method.zip(input) {
                Some((method, input)) => Some(given(method, input, &value, &mut bad))
                    .filter(|(_, value)| !is_default(input, value)),
                None => Some((name, value)),
            }
        };

        let sent = pairs.into_iter().filter_map(read).collect();
        Self {
            edition,
            sent,
            bad,
            ..Self::empty(*listed)
        }
    }

    /// Language of the page.
    pub(super) fn lang(&self) -> Lang {
        self.listed.lang()
    }

    /// The manner of writing of the page.
    pub(super) fn locale(&self) -> Locale {
        Locale::page(self.lang())
    }

    /// The day asked, if there is one.
    pub(super) fn day(&self) -> Option<Date> {
        asked_day(&self.sent)
    }

    /// The answer, or every bad parameter.
    ///
    /// # Errors
    /// An internal error of the engine.
    pub(super) fn calculate(&self, today: Date) -> Result<Answer<'r>, Problem> {
        let asked = self.answer(
            self.listed
                .folder
                .calculate(&self.listed.query(&self.sent), today),
        )?;
        Ok(self.unless_bad(asked))
    }

    /// An answer, or every bad parameter where one could not be read: those of the answer too, but
    /// for what compares a parameter with others.
    pub(super) fn unless_bad<T>(
        &self,
        asked: Result<T, Vec<BadParameter>>,
    ) -> Result<T, Vec<BadParameter>> {
        if self.bad.is_empty() {
            return asked;
        }

        // A comparison with a parameter that could not be read would report a mistake that is not
        // there.
        let compares = |bad: &BadParameter| {
            matches!(
                bad.code,
                ParameterCode::Incompatible | ParameterCode::NotComputable
            )
        };

        let is_known = |other: &BadParameter| {
            self.bad
                .iter()
                .any(|bad| bad.name == other.name && bad.month == other.month)
        };

        let others = asked.err().unwrap_or_default();
        let others = others
            .into_iter()
            .filter(|other| !compares(other) && !is_known(other));
        Err(self.bad.iter().cloned().chain(others).collect())
    }

    /// The answer to the same question on the other day, if there is one.
    ///
    /// # Errors
    /// An internal error of the engine.
    pub(super) fn calculate_compared(&self, today: Date) -> Result<Option<Answer<'r>>, Problem> {
        let Some(other) = &self.compared else {
            return Ok(None);
        };

        // The same parameters but the day.
        let mut sent: Vec<_> = self
            .sent
            .iter()
            .filter(|(name, _)| !OF_THE_DAY.contains(&name.as_str()))
            .cloned()
            .collect();

        sent.push((DATE.to_owned(), other.clone()));
        self.answer(self.ask(&sent, today)).map(Some)
    }

    /// The answer to other parameters for the same folder.
    pub(crate) fn ask(
        &self,
        sent: &[(String, String)],
        today: Date,
    ) -> Result<Calculation<'r>, CalculationError> {
        // With a parameter that could not be read, any answer would be to another question.
        if !self.bad.is_empty() {
            return Err(Refusal {
                parameters: self.bad.clone(),
            }
            .into());
        }

        self.listed
            .folder
            .calculate(&self.listed.query(sent), today)
    }

    /// The answer for the page: a calculation, or the bad parameters.
    fn answer(
        &self,
        asked: Result<Calculation<'r>, CalculationError>,
    ) -> Result<Answer<'r>, Problem> {
        self.or_bad(
            asked.and_then(|calculation| calculation.steps().map(drop).map(|()| calculation)),
        )
    }

    /// An answer of the engine, or the bad parameters.
    ///
    /// # Errors
    /// A fault of the engine.
    pub(super) fn or_bad<T>(
        &self,
        asked: Result<T, CalculationError>,
    ) -> Result<Result<T, Vec<BadParameter>>, Problem> {
        match asked {
            Ok(found) => Ok(Ok(found)),
            Err(CalculationError::Refused(refusal)) => {
                let shown = |bad| self.in_words_of_page(bad);
                Ok(Err(refusal.parameters.into_iter().map(shown).collect()))
            }
            Err(CalculationError::Internal(fault)) => {
                Err(Problem::internal(self.listed.folder.path(), &fault))
            }
        }
    }

    /// The labels of what the folder asks.
    pub(super) fn labels(&self) -> &Labels<'r> {
        self.labels
            .get_or_init(|| Labels::of_folder(self.listed.folder))
    }

    /// Value sent for a parameter.
    pub(super) fn sent(&self, name: &str) -> Option<&str> {
        value(&self.sent, name)
    }

    /// The input that the pay starts from, if it is one.
    pub(super) fn driver(&self) -> Option<Driver<'r>> {
        driver(self.edition?.method())
    }

    /// The label of a parameter.
    pub(super) fn label(&self, name: &str) -> Option<&'r str> {
        let method = self.edition?.method();
        asked_inputs(method)
            .find(|input| input.name == name)
            .map(|input| input.label.as_str())
    }

    /// The question in words: the label and the value of each parameter.
    pub(super) fn pairs_in_words(&self) -> Vec<(String, String)> {
        let method = self.edition.map(Edition::method);
        // An input has its label; the day is a parameter of every calculation.
        let pair = |(name, value): &(String, String)| {
            let input =
                method.and_then(|method| asked_inputs(method).find(|input| input.name == *name));
            match (method, input) {
                (Some(method), Some(input)) => {
                    (input.label.clone(), in_words(method, input, value))
                }
                _ if name == DATE => {
                    let label = say(self.lang(), "Date du calcul", "Day of the calculation");
                    (label.to_owned(), short_day(value))
                }
                _ => (name.clone(), value.clone()),
            }
        };
        self.sent.iter().map(pair).collect()
    }
}

/// The inputs of a method, each followed by the parameters that may replace it.
pub(super) fn asked_inputs(method: &Method) -> impl Iterator<Item = &Input> {
    InputId::enumerate(method.inputs())
        .filter(|(_, input)| !input.is_absent)
        .flat_map(|(index, input)| {
            let instead = method
                .inverses()
                .iter()
                .filter(move |inverse| inverse.input == index);
            [input]
                .into_iter()
                .chain(instead.map(|inverse| &inverse.parameter))
        })
}

/// Takes a parameter out of a query.
pub(super) fn take(pairs: &mut Vec<(String, String)>, name: &str) -> Option<String> {
    let found = pairs.iter().position(|(known, _)| known == name)?;
    Some(pairs.remove(found).1)
}

/// The day that a query asks for.
fn asked_day(pairs: &[(String, String)]) -> Option<Date> {
    let of_year = || format!("{}-01-01", value(pairs, YEAR)?).parse().ok();
    value(pairs, DATE)
        .and_then(|date| date.parse().ok())
        .or_else(of_year)
}

#[cfg(test)]
mod tests {
    use bareme_api::wire::problem::kinds;
    use bareme_engine::run::InternalFault;

    use super::*;
    use crate::catalogue;
    use crate::testing::rules;

    #[test]
    fn a_fault_of_the_engine_is_no_mistake_of_who_asks() {
        let rules = rules();
        let listed = catalogue::all(&rules).into_iter().next().unwrap();
        let question = Question::read(&listed, "", jiff::civil::date(2026, 11, 22));
        let problem = question
            .answer(Err(InternalFault::new("impot").into()))
            .unwrap_err();
        assert_eq!(problem.kind, &kinds::INTERNAL);
        let refusal = Refusal {
            parameters: Vec::new(),
        };
        assert!(question.answer(Err(refusal.into())).unwrap().is_err());
    }
}
