//! Parsing of a query against the scale of its day: date, options of the answer, inputs, and every
//! bad parameter.

use jiff::civil::Date;

use crate::law::parameter::{DATE, DETAIL, FIELDS, VERSION, YEAR};
use crate::law::source::parse_date;
use crate::law::{DetailLevel, Input, InputId, Method, Presence, Value, Warning, WarningCode};
use crate::run::program::Program;
use crate::run::{Edition, Folder};
use crate::say;
use crate::text::date_in_words::in_words;
use crate::text::{BadParameter, Reason, Text, nearest};

use super::Query;
use super::fields::{ChosenFields, FieldSelection, SentValues};
use super::law::other_law;
use super::target::{Target, parameters_instead_of};

/// A query parsed against the scale of its day.
pub(crate) struct ReadQuery<'f> {
    /// The day asked, if it is valid.
    pub date: Option<Date>,
    /// The edition for that day.
    pub edition: Option<&'f Edition>,
    /// How far the answer is explained.
    pub detail: DetailLevel,
    /// The fields asked for; `None`: all of them.
    pub fields: Option<ChosenFields>,
    /// The target of an inverse calculation.
    pub target: Option<Target>,
    /// The value of each input; [`Value::Nothing`] where it was not sent or is bad.
    pub values: Vec<Value>,
    /// Every parameter that cannot be used.
    pub bad: Vec<BadParameter>,
}

impl<'f> ReadQuery<'f> {
    /// Parses a query to a folder.
    pub(crate) fn new(folder: &'f Folder, query: &Query, today: Date) -> Self {
        let mut reader = Reader {
            folder,
            query,
            bad: Vec::new(),
        };

        let date = reader.date(today);
        let edition = date.and_then(|date| reader.edition(date));
        if let Some(edition) = edition {
            let asked = query.sent(VERSION);
            reader.bad.extend(other_law(asked, edition.version()));
        }
        let detail = reader.detail();

        let mut target = None;
        let mut values = Vec::new();
        let mut fields = None;

        // Without a valid date the other parameters are still checked, against the last scale.
        if let Some(edition) = edition.or_else(|| folder.latest()) {
            // Unknown parameters first: the order of these calls is that of the refusals in an
            // answer.
            reader.unknown(&edition.method);
            target = Target::read(query, &edition.method, &mut reader.bad);
            values = reader.inputs(edition);
            if let Some(target) = &target {
                // Before the options left out and the fields, which ask whether it is on.
                target.switch_option_on(query, &edition.method, &mut values, &mut reader.bad);
                target.send_assumed(&edition.method, &mut values);
            }
            reader.options_left_out(edition, &values);
            let sent = SentValues {
                values: &values,
                detail: detail != DetailLevel::None,
            };
            fields = reader.fields(edition, sent);
        }

        Self {
            date,
            edition,
            detail,
            fields,
            target,
            values,
            bad: reader.bad,
        }
    }
}

pub(super) struct Reader<'r, 'f> {
    folder: &'f Folder,
    pub(super) query: &'r Query<'r>,
    bad: Vec<BadParameter>,
}

impl<'f> Reader<'_, 'f> {
    pub(super) fn refuse(
        &mut self,
        name: &str,
        reason: Reason,
        received: Option<&str>,
        expected: impl Into<Text<String>>,
    ) {
        self.bad
            .push(BadParameter::because(name, reason, received, expected));
    }

    /// The day of the query. `annee` is short for 1 January of that year.
    fn date(&mut self, today: Date) -> Option<Date> {
        if !self.folder.is_dated() {
            return Some(today);
        }

        // A month of a year of pays has its day from the year, which was checked there.
        if let Some(month) = self.query.month {
            return month.last_day;
        }

        // `date` and `annee` exclude each other. `None` as the day is an error with the reason
        // beside it.
        let (name, text, date, reason) = match (self.query.sent(DATE), self.query.sent(YEAR)) {
            // Without a day, the law of today applies.
            (None, None) => return Some(today),
            (Some(date), Some(_)) => (DATE, date, None, Reason::DateAndYear),
            (Some(text), None) => {
                let is_written = text.len() == 10
                    && text
                        .bytes()
                        .all(|byte| byte.is_ascii_digit() || byte == b'-');
                let reason = if is_written {
                    Reason::NoSuchDay
                } else {
                    Reason::NotDate
                };
                (DATE, text, parse_date(text), reason)
            }
            (None, Some(text)) => (YEAR, text, first_day(text), Reason::NotYear),
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
            Some((_, Some(until))) => Reason::NoScale {
                until: in_words(until),
            },
            Some((edition, None)) => return Some(edition),
        };

        // The parameter that set the day is the one to blame; a query without any is blamed for the
        // date of today.
        let is_year = self.query.month.is_some() || self.query.sent(YEAR).is_some();
        let name = if is_year { YEAR } else { DATE };

        let asked = || {
            if is_year {
                date.year().to_string()
            } else {
                date.to_string()
            }
        };

        let received = self.query.sent(name).map_or_else(asked, str::to_owned);
        self.refuse(name, reason, Some(&received), self.accepted_dates());
        None
    }

    /// The selected fields; `None` for all of them.
    fn fields(&mut self, edition: &Edition, sent: SentValues) -> Option<ChosenFields> {
        let text = self.query.sent(FIELDS);

        // `champs` and a selection by name are two answers to the same question, and are refused
        // together; a selection of what is available gives way to `champs`.
        let asked: Vec<&str> = match (self.query.selection, text) {
            (None | Some(FieldSelection::Available(_)), Some(text)) => {
                text.split(',').map(str::trim).collect()
            }
            (Some(FieldSelection::Available(names)), None) => {
                return Some(ChosenFields::among(
                    names.iter().copied(),
                    edition,
                    sent.values,
                ));
            }
            (Some(FieldSelection::Asked(names)), text) => {
                if text.is_some() {
                    self.refuse(
                        FIELDS,
                        Reason::Repeated,
                        text,
                        Text::new("une seule valeur", "a single value"),
                    );
                }
                names.to_vec()
            }
            (None, None) => return None,
        };

        Some(ChosenFields::read(
            asked.into_iter(),
            (self.folder, edition),
            sent,
            &mut self.bad,
        ))
    }

    /// Refuses an option that the scale leaves out.
    fn options_left_out(&mut self, edition: &Edition, values: &[Value]) {
        let query = self.query;
        // Either the option itself is switched on, or one of the parameters is sent that would.
        for option in &edition.method.left_out {
            let is_on = option.input.of(values) == Some(&Value::Boolean(true));
            let asked = option
                .parameters
                .iter()
                .map(|(name, _)| name)
                .filter(|name| query.sent(name).is_some());

            let asked: Vec<&String> = is_on
                .then_some(&option.name)
                .into_iter()
                .chain(asked)
                .collect();

            // The first later scale that has the option, for the reason.
            let has_it = |edition: &Edition| {
                edition
                    .method
                    .options()
                    .iter()
                    .any(|known| known.name == option.name)
            };

            let later = self
                .folder
                .editions
                .iter()
                .skip_while(|known| !known.is_of_file_of(edition));

            let from = later
                .filter(|later| has_it(later))
                .find_map(|later| Some(later.scale.as_ref()?.date));

            for name in asked {
                let expected = Text::new(
                    "ne pas le demander à cette date",
                    "not to ask for it on this date",
                );
                let not_yet = |from| Reason::OptionNotYet {
                    from: in_words(from),
                };
                self.refuse(
                    name,
                    from.map_or(Reason::OptionNotKnown, not_yet),
                    query.sent(name),
                    expected,
                );
            }
        }
    }

    /// Refuses an input that nothing reads on the days of the scale.
    fn input_of_other_days(&mut self, edition: &Edition, input: &Input, sent: Option<&str>) {
        let Some(text) = sent else { return };

        let is_it = |known: &Input| known.name == input.name && !known.is_absent;
        let reads = |edition: &&Edition| edition.method.inputs().iter().any(is_it);
        let start = |edition: &Edition| Some(edition.scale.as_ref()?.date);

        let editions = &self.folder.editions;
        let here = editions
            .iter()
            .position(|known| known.is_of_file_of(edition))
            .unwrap_or_default();

        // A later scale that reads the input is named first; without one, the last day on which an
        // earlier scale did.
        let from = editions.iter().skip(here).find(reads).and_then(start);
        let after = editions
            .iter()
            .take(here)
            .rposition(|edition| reads(&edition));
        let until = after.and_then(|last| start(editions.get(last + 1)?)?.yesterday().ok());

        let expected = Text::new(
            "ne pas l’envoyer à cette date",
            "not to send it on this date",
        );

        let reason = match (from.map(in_words), until.map(in_words)) {
            (Some(from), _) => Reason::InputNotYet { from },
            (None, Some(until)) => Reason::InputNoLonger { until },
            (None, None) => Reason::InputOfOtherDays,
        };

        self.refuse(&input.name, reason, Some(text), expected);
    }

    /// The days for which there is a scale: from the first one on, up to the end of one that the
    /// law ends without a successor.
    fn accepted_dates(&self) -> Text<String> {
        // Scales that follow each other without a gap are one span.
        let mut spans: Vec<(Date, Option<Date>)> = Vec::new();
        for scale in self.folder.editions.iter().filter_map(Edition::scale) {
            match spans.last_mut() {
                Some((_, until))
                    if until.is_none_or(|until| {
                        until.tomorrow().is_ok_and(|next| scale.date <= next)
                    }) =>
                {
                    *until = scale.until;
                }
                _ => spans.push((scale.date, scale.until)),
            }
        }
        let in_span = |(from, until): &(Date, Option<Date>)| match until {
            Some(until) => say!("du {from} au {until}", "from {from} to {until}"),
            None => say!("à partir du {from}", "from {from} on"),
        };

        let mut all = spans.iter().map(in_span);
        let Some(first) = all.next() else {
            return Text::default();
        };

        let first = say!("une date {first}", "a date {first}"; first);
        all.fold(
            first,
            |before, next| say!("{before}, ou {next}", "{before}, or {next}"; before, next),
        )
    }

    fn detail(&mut self) -> DetailLevel {
        let Some(text) = self.query.sent(DETAIL) else {
            return DetailLevel::None;
        };

        // A word that cannot be read is refused, and asks for nothing in what is read after it.
        DetailLevel::parse(text).unwrap_or_else(|| {
            self.refuse(
                DETAIL,
                Reason::NotDetailLevel,
                Some(text),
                Text::new("true, false ou complet", "true, false or complet"),
            );
            DetailLevel::None
        })
    }

    /// Refuses unknown and repeated parameters: a typo must never change a result silently.
    fn unknown(&mut self, method: &Method) {
        let query = self.query;

        let known = query.known(method, self.folder.is_dated());
        let mut refused: Vec<&str> = Vec::new();

        for (index, (name, value)) in query.parameters.iter().enumerate() {
            let repeated = query
                .parameters
                .iter()
                .take(index)
                .any(|(before, _)| before == name);
            // Each name is reported once, however often it is sent.
            if refused.contains(name) {
                continue;
            }

            // A file of many days has a column for what a method of other days takes: an empty cell
            // was not sent.
            let is_empty_of_other_days = value.is_empty() && self.folder.takes(name);
            let is_list = || {
                let mut inputs = method.inputs().iter();
                inputs.any(|input| input.name == *name && input.group.is_some())
            };
            if !known.clone().any(|known| known == *name) {
                if is_empty_of_other_days {
                    continue;
                }
                self.bad.push(unknown_parameter(name, value, known.clone()));
                refused.push(name);
            } else if repeated && !is_list() {
                self.refuse(
                    name,
                    Reason::Repeated,
                    Some(value),
                    Text::new("une seule valeur", "a single value"),
                );
                refused.push(name);
            }
        }
    }

    fn inputs(&mut self, edition: &Edition) -> Vec<Value> {
        let method = &edition.method;
        // The program puts the values of the steps after those of the inputs: there is room for
        // both.
        let mut values = Vec::with_capacity(edition.program().map_or(0, Program::usual_slots));

        for (id, input) in InputId::enumerate(method.inputs()) {
            // A repeated parameter is a list of the items of a group.
            let list = input.group.and_then(|_| self.query.list(&input.name));
            let value = match list.as_deref().or(self.query.sent(&input.name)) {
                // An input that no scale of the day reads is refused with the days on which it is
                // read.
                text if input.is_absent => {
                    self.input_of_other_days(edition, input, text);
                    Value::Nothing
                }
                Some(text) => input.parse(text).unwrap_or_else(|problem| {
                    // A repeated parameter was refused already.
                    if !self.bad.iter().any(|bad| bad.name == input.name) {
                        self.bad.push(problem);
                    }
                    Value::Nothing
                }),
                None => {
                    // A year asks for no net.
                    let is_alone = self.query.month.is_none();
                    let instead = || parameters_instead_of(id, method).filter(move |_| is_alone);
                    let is_found = || instead().any(|name| self.query.sent(name).is_some());
                    if matches!(input.presence, Presence::Required) && !is_found() {
                        let or_instead = |expected: Text<String>, name| {
                            expected.then(say!(", ou bien `{name}`", ", or else `{name}`"))
                        };
                        let expected = instead().fold(input.accepted(), or_instead);
                        self.refuse(&input.name, Reason::Missing, None, expected);
                    }
                    Value::Nothing
                }
            };

            values.push(value);
        }
        self.items(method, &mut values);
        values
    }
}

/// A parameter that is none of those known.
pub(crate) fn unknown_parameter<'k>(
    name: &str,
    value: &str,
    known: impl Iterator<Item = &'k str> + Clone,
) -> BadParameter {
    // All accepted names are listed: a caller may have another method in mind.
    let near = Text::suggestion(nearest(name, known.clone()));
    let known = known.collect::<Vec<_>>().join(", ");

    BadParameter::because(
        name,
        Reason::Unknown { near },
        Some(value),
        Text::same(known),
    )
}

/// The first day of a year written with four digits.
pub(crate) fn first_day(text: &str) -> Option<Date> {
    let is_year = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_year {
        Date::new(text.parse().ok()?, 1, 1).ok()
    } else {
        None
    }
}

/// Warnings for the ignored parameters that were sent.
pub(crate) fn without_effect(query: &Query, method: &Method) -> Vec<Warning> {
    let has_no_input = |name: &&String| !method.inputs().iter().any(|input| input.name == **name);
    let ignored = query
        .ignored
        .iter()
        .filter(has_no_input)
        .filter(|name| query.sent(name).is_some());
    ignored.map(|name| no_effect(name)).collect()
}

/// The warning of a parameter that is accepted without effect.
pub(crate) fn no_effect(name: &str) -> Warning {
    let sentence = say!(
        "Le paramètre `{name}` n’a pas d’effet sur ce calcul.",
        "The parameter `{name}` has no effect on this calculation."
    );
    Warning::new(WarningCode::NoEffect, sentence).about(name)
}
