//! The reading of a query against the scale of its day: the date, the details asked for, the inputs, and
//! everything that cannot be used.

use jiff::civil::Date;

use crate::law::index::InputId;
use crate::law::input::{Input, Presence};
use crate::law::method::Method;
use crate::law::source::parse_date;
use crate::law::types::Value;
use crate::run::edition::Edition;
use crate::run::folder::Folder;
use crate::say;
use crate::text::lang::Text;
use crate::text::refusal::{BadParameter, Reason};
use crate::text::words::{boolean, nearest};

use super::fields::ChosenFields;
use super::target::{Target, parameter_names, parameters_instead_of};
use super::{DATE, DEPARTURE, DETAIL, FIELDS, FINAL_MONTH, FIRST_MONTH, Query, YEAR};

/// A query read against the scale of its day.
pub(crate) struct ReadQuery<'f> {
    /// The day asked, where it can be read.
    pub date: Option<Date>,
    /// The edition in force that day.
    pub edition: Option<&'f Edition>,
    pub detail: bool,
    /// The fields that are asked for; none: all of them.
    pub fields: Option<ChosenFields>,
    /// The amount that a field must reach, to find the input that gives it.
    pub target: Option<Target>,
    /// The value of each input; nothing where it was not sent or is bad.
    pub values: Vec<Value>,
    /// Every parameter that cannot be used.
    pub bad: Vec<BadParameter>,
}

impl<'f> ReadQuery<'f> {
    /// Reads a query that is asked of a folder today.
    pub(crate) fn new(folder: &'f Folder, query: &Query, today: Date) -> Self {
        let mut reader = Reader { folder, query, bad: Vec::new() };
        let date = reader.date(today);
        let edition = date.and_then(|date| reader.edition(date));
        let detail = reader.flag(DETAIL);
        let (mut target, mut values, mut fields) = (None, Vec::new(), None);
        // Without a usable date the other parameters are still read, against the last scale.
        if let Some(edition) = edition.or_else(|| folder.latest()) {
            reader.unknown(&edition.method);
            target = Target::read(query, &edition.method, &mut reader.bad);
            values = reader.inputs(edition);
            if let Some(target) = &target {
                target.switch_option_on(query, &edition.method, &mut values, &mut reader.bad);
            }
            reader.options_left_out(edition, &values);
            fields = reader.fields(edition, (&values, detail));
        }
        Self { date, edition, detail, fields, target, values, bad: reader.bad }
    }
}

struct Reader<'r, 'f> {
    folder: &'f Folder,
    query: &'r Query<'r>,
    bad: Vec<BadParameter>,
}

impl<'f> Reader<'_, 'f> {
    fn refuse(&mut self, name: &str, reason: Reason, received: Option<&str>, expected: impl Into<Text<String>>) {
        self.bad.push(BadParameter::because(name, reason, received, expected));
    }

    /// The day whose scale is asked. `annee` is short for 1 January of that year.
    fn date(&mut self, today: Date) -> Option<Date> {
        if !self.folder.is_dated() {
            return Some(today);
        }
        if let Some(day) = self.query.month {
            return Some(day);
        }
        let (name, text, date, reason) = match (self.query.sent(DATE), self.query.sent(YEAR)) {
            (None, None) => return Some(today),
            (Some(date), Some(_)) => (DATE, date, None, Reason::DateAndYear),
            (Some(text), None) => {
                let is_written = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
                let reason = if is_written { Reason::NoSuchDay } else { Reason::NotDate };
                (DATE, text, parse_date(text), reason)
            }
            (None, Some(text)) => (YEAR, text, first_day(text), Reason::NotNumber),
        };
        if date.is_none() {
            self.refuse(name, reason, Some(text), self.accepted_dates());
        }
        date
    }

    fn edition(&mut self, date: Date) -> Option<&'f Edition> {
        let found = self.folder.edition(date);
        let end = |edition: &Edition| edition.scale.as_ref()?.until.filter(|until| date > *until);
        let reason = match found.map(|edition| (edition, end(edition))) {
            None => Reason::BeforeFirstScale,
            Some((_, Some(until))) => Reason::NoScale { until },
            Some((edition, None)) => return Some(edition),
        };
        let is_year = self.query.month.is_some() || self.query.sent(YEAR).is_some();
        let name = if is_year { YEAR } else { DATE };
        let asked = || if is_year { date.year().to_string() } else { date.to_string() };
        let received = self.query.sent(name).map_or_else(asked, str::to_owned);
        self.refuse(name, reason, Some(&received), self.accepted_dates());
        None
    }

    /// The fields asked for, if not all are.
    fn fields(&mut self, edition: &Edition, (values, detail): (&[Value], bool)) -> Option<ChosenFields> {
        if let Some(names) = self.query.only {
            return Some(ChosenFields::among(names.iter().copied(), edition, values));
        }
        let text = self.query.sent(FIELDS)?;
        Some(ChosenFields::read(text, (self.folder, edition), (values, detail), &mut self.bad))
    }

    /// An option that the scale goes without is not computed without its figures.
    fn options_left_out(&mut self, edition: &Edition, values: &[Value]) {
        let query = self.query;
        for option in &edition.method.left_out {
            let is_on = option.input.of(values) == Some(&Value::Boolean(true));
            let asked = option.parameters.iter().map(|(name, _)| name).filter(|name| query.sent(name).is_some());
            let asked: Vec<&String> = is_on.then_some(&option.name).into_iter().chain(asked).collect();
            let has_it = |edition: &Edition| edition.method.options().iter().any(|known| known.name == option.name);
            let later = self.folder.editions.iter().skip_while(|known| !std::ptr::eq(*known, edition));
            let from = later.filter(|later| has_it(later)).find_map(|later| Some(later.scale.as_ref()?.date));
            for name in asked {
                let expected = Text::new("ne pas le demander à cette date", "not to ask for it on this date");
                self.refuse(name, Reason::OptionNotKnown { from }, query.sent(name), expected);
            }
        }
    }

    /// An input that nothing reads on the days of a scale is refused there.
    fn input_of_other_days(&mut self, edition: &Edition, input: &Input, sent: Option<&str>) {
        let Some(text) = sent else { return };
        let is_it = |known: &Input| known.name == input.name && !known.is_absent;
        let reads = |edition: &&Edition| edition.method.inputs().iter().any(is_it);
        let start = |edition: &Edition| Some(edition.scale.as_ref()?.date);
        let editions = &self.folder.editions;
        let here = editions.iter().position(|known| std::ptr::eq(known, edition)).unwrap_or_default();
        let from = editions.iter().skip(here).find(reads).and_then(start);
        let after = editions.iter().take(here).rposition(|edition| reads(&edition));
        let until = after.and_then(|last| start(editions.get(last + 1)?)?.yesterday().ok());
        let expected = Text::new("ne pas l’envoyer à cette date", "not to send it on this date");
        self.refuse(&input.name, Reason::InputOfOtherDays { from, until }, Some(text), expected);
    }

    /// The days that some scale answers: up to where the law ends one that none follows.
    fn accepted_dates(&self) -> Text<String> {
        let mut spans: Vec<(Date, Option<Date>)> = Vec::new();
        for scale in self.folder.editions.iter().filter_map(Edition::scale) {
            match spans.last_mut() {
                Some((_, until)) if until.is_none_or(|until| until.tomorrow().is_ok_and(|next| scale.date <= next)) => {
                    *until = scale.until;
                }
                _ => spans.push((scale.date, scale.until)),
            }
        }
        let said = |(from, until): &(Date, Option<Date>)| match until {
            Some(until) => say!("du {from} au {until}", "from {from} to {until}"),
            None => say!("à partir du {from}", "from {from} on"),
        };
        let mut all = spans.iter().map(said);
        let Some(first) = all.next() else { return Text::default() };
        let first = say!("une date {first}", "a date {first}"; first);
        all.fold(first, |before, next| say!("{before}, ou {next}", "{before}, or {next}"; before, next))
    }

    fn flag(&mut self, name: &str) -> bool {
        let Some(text) = self.query.sent(name) else { return false };
        boolean(text).unwrap_or_else(|| {
            self.refuse(name, Reason::NotBoolean, Some(text), Text::new("true ou false", "true or false"));
            false
        })
    }

    /// Unknown and repeated parameters: a typo must never change a result silently.
    fn unknown(&mut self, method: &Method) {
        let query = self.query;
        let dates: &[&str] = match query.month {
            Some(_) => &[YEAR, FIRST_MONTH, FINAL_MONTH, DEPARTURE],
            None if self.folder.is_dated() => &[DATE, YEAR],
            None => &[],
        };
        // Inputs of a single month alone are refused in a year, and were reported.
        let year = query.month.and_then(|_| method.year());
        let is_of_both = move |name: &&str| year.is_none_or(|year| !year.goes_without(name));
        let inputs = method.inputs().iter().map(|input| input.name.as_str()).filter(is_of_both);
        let inputs = inputs.chain(parameter_names(method).filter(move |_| year.is_none()));
        let extra = query.ignored.iter().map(String::as_str).chain(query.selector);
        // An ignored parameter may be an input of this very method.
        let extra = extra.filter(|name| !method.inputs().iter().any(|input| input.name == **name));
        let known = inputs.chain(dates.iter().copied()).chain([DETAIL, FIELDS]).chain(extra);
        let mut refused: Vec<&str> = Vec::new();
        for (index, (name, value)) in query.parameters.iter().enumerate() {
            let repeated = query.parameters.iter().take(index).any(|(before, _)| before == name);
            if refused.contains(name) {
                continue;
            }
            if !known.clone().any(|known| known == *name) {
                let near = nearest(name, known.clone()).map(str::to_owned);
                let known = known.clone().collect::<Vec<_>>().join(", ");
                self.refuse(name, Reason::Unknown { near }, Some(value), Text::alike(known));
                refused.push(name);
            } else if repeated {
                self.refuse(name, Reason::Repeated, Some(value), Text::new("une seule valeur", "a single value"));
                refused.push(name);
            }
        }
    }

    fn inputs(&mut self, edition: &Edition) -> Vec<Value> {
        let method = &edition.method;
        // With room for the values of the steps.
        let mut values = Vec::with_capacity(edition.program.usual_slots());
        for (id, input) in InputId::enumerate(method.inputs()) {
            let value = match self.query.sent(&input.name) {
                text if input.is_absent => {
                    self.input_of_other_days(edition, input, text);
                    Value::Nothing
                }
                Some(text) => input.parse(text).unwrap_or_else(|problem| {
                    // One that is repeated is refused already.
                    if !self.bad.iter().any(|bad| bad.name == input.name) {
                        self.bad.push(problem);
                    }
                    Value::Nothing
                }),
                None => {
                    let instead = || parameters_instead_of(id, method);
                    let is_found = || instead().any(|name| self.query.sent(name).is_some());
                    if matches!(input.presence, Presence::Required) && !is_found() {
                        let or_instead =
                            |said: Text<String>, name| said.then(say!(", ou bien `{name}`", ", or else `{name}`"));
                        let expected = instead().fold(input.accepted(), or_instead);
                        self.refuse(&input.name, Reason::Missing, None, expected);
                    }
                    Value::Nothing
                }
            };
            values.push(value);
        }
        values
    }
}

/// The first day of a year of four digits.
pub(crate) fn first_day(text: &str) -> Option<Date> {
    let is_year = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_year { Date::new(text.parse().ok()?, 1, 1).ok() } else { None }
}

/// Sentences for the ignored parameters that were sent all the same.
pub(crate) fn without_effect(query: &Query, method: &Method) -> Vec<Text<String>> {
    let has_no_input = |name: &&String| !method.inputs().iter().any(|input| input.name == **name);
    let ignored = query.ignored.iter().filter(has_no_input).filter(|name| query.sent(name).is_some());
    ignored.map(|name| no_effect(name)).collect()
}

/// The warning of a parameter that is accepted and changes nothing.
pub(crate) fn no_effect(name: &str) -> Text<String> {
    say!(
        "Le paramètre `{name}` n’a pas d’effet sur ce calcul.",
        "The parameter `{name}` has no effect on this calculation."
    )
}
