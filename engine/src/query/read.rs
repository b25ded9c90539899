//! The reading of a query against the scale of its day: the date, the details asked for, the inputs, and
//! everything that cannot be used.

use jiff::civil::Date;

use crate::asked::{self, Asked};
use crate::edition::Edition;
use crate::folder::Folder;
use crate::index::InputId;
use crate::input::{Input, Presence};
use crate::method::Method;
use crate::refusal::{BadParameter, Reason, Said};
use crate::source::parse_date;
use crate::types::Value;
use crate::words::{boolean, nearest};

use super::Query;

/// Parameters that every dated folder understands besides its inputs.
const DATE: &str = "date";
const YEAR: &str = "annee";
const DETAIL: &str = "detail";

/// A query read against the scale of its day.
pub(crate) struct ReadQuery<'f> {
    /// The day asked, where it can be read.
    pub date: Option<Date>,
    /// The edition in force that day.
    pub edition: Option<&'f Edition>,
    pub detail: bool,
    /// What is asked of a field, to find the input that gives it.
    pub asked: Option<Asked>,
    /// One value for each input, or nothing.
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
        let (mut asked, mut values) = (None, Vec::new());
        // Without a usable date the other parameters are still read, against the last scale.
        if let Some(edition) = edition.or_else(|| folder.latest()) {
            reader.unknown(&edition.method);
            asked = asked::read(query, &edition.method, &mut reader.bad);
            values = reader.inputs(edition);
            if let Some(asked) = &asked {
                asked::switch_on(asked, query, &edition.method, &mut values, &mut reader.bad);
            }
            reader.options_left_out(edition, &values);
        }
        Self { date, edition, detail, asked, values, bad: reader.bad }
    }
}

struct Reader<'r, 'f> {
    folder: &'f Folder,
    query: &'r Query<'r>,
    bad: Vec<BadParameter>,
}

impl<'f> Reader<'_, 'f> {
    fn refuse(&mut self, name: &str, reason: Reason, received: Option<&str>, expected: impl Into<Said>) {
        self.bad.push(BadParameter::because(name, reason, received, expected));
    }

    /// The day whose scale is asked. `annee` is short for 1 January of that year.
    fn date(&mut self, today: Date) -> Option<Date> {
        if !self.folder.is_dated() {
            return Some(today);
        }
        let (name, text, date, reason) = match (self.query.sent(DATE), self.query.sent(YEAR)) {
            (None, None) => return Some(today),
            (Some(date), Some(_)) => (DATE, date, None, Reason::DateAndYear),
            (Some(text), None) => (DATE, text, parse_date(text), Reason::NotDate),
            (None, Some(text)) => (YEAR, text, first_day(text), Reason::NotNumber),
        };
        if date.is_none() {
            self.refuse(name, reason, Some(text), self.accepted_dates());
        }
        date
    }

    fn edition(&mut self, date: Date) -> Option<&'f Edition> {
        let found = self.folder.edition(date);
        let ended =
            |edition: &Edition| edition.scale.as_ref().and_then(|scale| scale.until).is_some_and(|until| date > until);
        let reason = match found {
            None => Reason::BeforeFirstScale,
            Some(edition) if ended(edition) => Reason::NoScale,
            Some(edition) => return Some(edition),
        };
        let name = if self.query.sent(YEAR).is_some() { YEAR } else { DATE };
        let received = self.query.sent(name).map_or_else(|| date.to_string(), str::to_owned);
        self.refuse(name, reason, Some(&received), self.accepted_dates());
        None
    }

    /// An option that the scale goes without is not computed without its figures.
    fn options_left_out(&mut self, edition: &Edition, values: &[Value]) {
        let query = self.query;
        for option in &edition.method.left_out {
            let is_on = option.input.of(values) == Some(&Value::Boolean(true));
            let asked = option.parameters.iter().map(|(name, _)| name).filter(|name| query.sent(name).is_some());
            let asked: Vec<&String> = Some(&option.name).filter(|_| is_on).into_iter().chain(asked).collect();
            let has_it = |edition: &Edition| edition.method.options().iter().any(|known| known.name == option.name);
            let later = self.folder.editions.iter().skip_while(|known| !std::ptr::eq(*known, edition));
            let from = later.filter(|later| has_it(later)).find_map(|later| Some(later.scale.as_ref()?.date));
            for name in asked {
                let expected = ("ne pas le demander à cette date", "not to ask for it on this date");
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
        let expected = ("ne pas l'envoyer à cette date", "not to send it on this date");
        self.refuse(&input.name, Reason::InputOfOtherDays { from, until }, Some(text), expected);
    }

    fn accepted_dates(&self) -> Said {
        let first = self.folder.editions.first().and_then(|edition| edition.scale.as_ref());
        let from = first.map(|scale| scale.date);
        from.map_or_else(
            || Said::alike(""),
            |day| (format!("une date à partir du {day}"), format!("a date from {day} on")).into(),
        )
    }

    fn flag(&mut self, name: &str) -> bool {
        let Some(text) = self.query.sent(name) else { return false };
        boolean(text).unwrap_or_else(|| {
            self.refuse(name, Reason::NotBoolean, Some(text), ("true ou false", "true or false"));
            false
        })
    }

    /// Unknown and repeated parameters: a typo must never change a result silently.
    fn unknown(&mut self, method: &Method) {
        let query = self.query;
        let dates: &[&str] = if self.folder.is_dated() { &[DATE, YEAR] } else { &[] };
        let inputs = method.inputs().iter().map(|input| input.name.as_str()).chain(asked::parameters(method));
        let extra = query.ignored.iter().map(String::as_str).chain(query.selector);
        // An ignored parameter may be an input of this very method.
        let extra = extra.filter(|name| !method.inputs().iter().any(|input| input.name == **name));
        let known = inputs.chain(dates.iter().copied()).chain([DETAIL]).chain(extra);
        let mut refused: Vec<&str> = Vec::new();
        for (index, (name, value)) in query.parameters.iter().enumerate() {
            let repeated = query.parameters.iter().take(index).any(|(before, _)| before == name);
            if refused.contains(&name.as_str()) {
                continue;
            }
            if !known.clone().any(|known| known == name) {
                let near = nearest(name, known.clone()).map(str::to_owned);
                let known = known.clone().collect::<Vec<_>>().join(", ");
                self.refuse(name, Reason::Unknown { near }, Some(value), Said::alike(known));
                refused.push(name);
            } else if repeated {
                self.refuse(name, Reason::Repeated, Some(value), ("une seule valeur", "a single value"));
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
                    let instead = || asked::instead_of(id, method);
                    let is_found = || instead().any(|name| self.query.sent(name).is_some());
                    if matches!(input.presence, Presence::Required) && !is_found() {
                        let or_instead = |said: Said, name| {
                            said.then((format!(", ou bien `{name}`"), format!(", or else `{name}`")))
                        };
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
fn first_day(text: &str) -> Option<Date> {
    let plain = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| plain).and_then(|year| Date::new(year, 1, 1).ok())
}

/// Sentences for the ignored parameters that were sent all the same.
pub(crate) fn without_effect(query: &Query, method: &Method) -> Vec<String> {
    let has_no_input = |name: &&String| !method.inputs().iter().any(|input| input.name == **name);
    let ignored = query.ignored.iter().filter(has_no_input).filter(|name| query.sent(name).is_some());
    ignored.map(|name| format!("Le paramètre `{name}` n'a pas d'effet sur ce calcul.")).collect()
}
