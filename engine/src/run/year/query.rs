//! Parsing of the query of a year of pays: the year, its months, and a query for each of them.

use jiff::civil::Date;

use crate::law::formula::When;
use crate::law::parameter::{
    Call, DATE, DEPARTURE, FINAL_MONTH, FIRST_MONTH, GeneralType, YEAR, of_call,
};
use crate::law::{Input, Method, Value, YearBlock};
use crate::run::query::{
    ChosenFields, ReadQuery, RequestedMonth, first_day, parameter_names, unknown_parameter,
};
use crate::run::{Edition, Folder, Query};
use crate::say;
use crate::text::words::boolean;
use crate::text::{BadParameter, ParameterCode, Reason, Text};

use super::bad_parameters::MonthlyBadParameters;

/// Months of a year.
const MONTHS: i8 = 12;
/// Separator of the months of a list.
const SEPARATOR: char = ';';

/// The query of a year of pays, split by month.
pub(super) struct ReadYear<'f> {
    pub year: i16,
    pub months: Vec<ReadMonth<'f>>,
    pub detail: bool,
    /// Names of the parameters with a value for each month.
    pub lists: Vec<String>,
}

/// A month of a year of pays, parsed against its edition.
pub(super) struct ReadMonth<'f> {
    pub month: i8,
    /// Its last day.
    pub date: Date,
    pub edition: &'f Edition,
    pub when: When,
    pub values: Vec<Value>,
    pub fields: Option<ChosenFields>,
}

/// Values of a parameter over the months.
enum Months<'q> {
    /// One value for all months.
    All(&'q str),
    /// A value for each month.
    Each(Vec<&'q str>),
}

impl<'q> Months<'q> {
    fn of(&self, index: usize) -> &'q str {
        match self {
            Self::All(value) => value,
            Self::Each(values) => values.get(index).copied().unwrap_or_default(),
        }
    }
}

impl<'f> ReadYear<'f> {
    /// Reads a query.
    ///
    /// # Errors
    /// Every parameter that cannot be used. Where the year is one of them, the others are read
    /// against the latest scale.
    pub(super) fn new(folder: &'f Folder, query: &Query) -> Result<Self, Vec<BadParameter>> {
        let mut bad = Vec::new();
        let mut asked = RequestedMonths::read(query, &mut bad);
        let Some((method, block)) = asked.method(folder, query, &mut bad) else {
            return Err(bad);
        };
        let mut lists = Lists {
            folder,
            method,
            block,
            months: Vec::new(),
            bad,
        };
        lists.read(query);
        let count = lists.count(&asked);
        lists.check_each_month(count);
        let rank = lists.rank();
        let Lists {
            months: parameters,
            mut bad,
            ..
        } = lists;
        let is_list = |(name, months): &(&str, Months)| {
            matches!(months, Months::Each(_)).then(|| (*name).to_owned())
        };
        let lists: Vec<String> = parameters.iter().filter_map(is_list).collect();
        let (mut months, mut faults, mut detail) =
            (Vec::new(), MonthlyBadParameters::default(), false);
        for index in 0..count {
            let Some((month, last_day)) = asked.month(index) else {
                continue;
            };
            let sent = parameters
                .iter()
                .map(|(name, months)| (*name, months.of(index)));
            let text = month.to_string();
            let sent = sent.chain(rank.map(|rank| (rank.name.as_str(), text.as_str())));
            let query = Query {
                parameters: sent.collect(),
                month: Some(RequestedMonth { last_day }),
                ..query.without_any()
            };
            // Without a date nothing is asked of today.
            let read = ReadQuery::new(folder, &query, last_day.unwrap_or_default());
            detail = read.detail;
            faults.take(month, read.bad);
            if let (Some(edition), Some(date)) = (read.edition, last_day) {
                let so_far = index.saturating_add(1);
                let last = so_far == count && (month == MONTHS || asked.leaves);
                let when = When {
                    months: i8::try_from(so_far).unwrap_or(MONTHS),
                    last,
                    ..edition.when(date)
                };
                months.push(ReadMonth {
                    month,
                    date,
                    edition,
                    when,
                    values: read.values,
                    fields: read.fields,
                });
            }
        }
        // A list of another length lacks months: its length says so once.
        let is_short = |name: &str| {
            bad.iter()
                .any(|bad| bad.name == name && bad.code == ParameterCode::Length)
        };
        faults.retain(|missing| missing.code != ParameterCode::Missing || !is_short(&missing.name));
        bad.extend(faults.into_list(count, &lists));
        match asked.year {
            Some(year) if bad.is_empty() => Ok(Self {
                year,
                months,
                detail,
                lists,
            }),
            _ => Err(bad),
        }
    }
}

/// The months that a query asks for, as far as they can be read.
struct RequestedMonths {
    year: Option<i16>,
    first: i8,
    /// The last month, if the query sends one.
    last: Option<i8>,
    /// Whether the contract ends with the last month.
    leaves: bool,
}

impl RequestedMonths {
    fn read(query: &Query, bad: &mut Vec<BadParameter>) -> Self {
        let year = read_one(
            query,
            YEAR,
            |text| first_day(text).map(Date::year).ok_or(Reason::NotYear),
            bad,
        );
        if query.sent(YEAR).is_none() && query.all(YEAR).count() < 2 {
            bad.push(refused(YEAR, Reason::Missing, None));
        }
        let first = read_one(query, FIRST_MONTH, month_number, bad).unwrap_or(1);
        let mut last = read_one(query, FINAL_MONTH, month_number, bad);
        if last.is_some_and(|last| last < first) {
            bad.push(refused(
                FINAL_MONTH,
                Reason::LastBeforeFirst,
                query.sent(FINAL_MONTH),
            ));
            last = None;
        }
        let leaves = read_one(
            query,
            DEPARTURE,
            |text| boolean(text).ok_or(Reason::NotBoolean),
            bad,
        );
        Self {
            year,
            first,
            last,
            leaves: leaves.unwrap_or_default(),
        }
    }

    /// The method of the year, that of its last day; of a year that cannot be used, or has no
    /// scale, the last method that computes one.
    fn method<'f>(
        &mut self,
        folder: &'f Folder,
        query: &Query,
        bad: &mut Vec<BadParameter>,
    ) -> Option<(&'f Method, &'f YearBlock)> {
        let end = self.year.and_then(|year| Date::new(year, MONTHS, 31).ok());
        if let Some(method) = end.and_then(|end| folder.edition(end)).map(Edition::method) {
            if let Some(block) = method.year() {
                return Some((method, block));
            }
            self.year = None;
            bad.push(refused(YEAR, Reason::NoYear, query.sent(YEAR)));
        }
        let last = folder.year_method();
        if last.is_none() && bad.is_empty() {
            bad.push(refused(YEAR, Reason::NoYear, query.sent(YEAR)));
        }
        last
    }

    /// The number of months from the first one to the last that there may be.
    fn month_count(&self) -> usize {
        let months = self
            .last
            .unwrap_or(MONTHS)
            .saturating_sub(self.first)
            .saturating_add(1);
        usize::try_from(months).unwrap_or_default()
    }

    /// A month by its place in the lists, with its last day where the year is known.
    fn month(&self, index: usize) -> Option<(i8, Option<Date>)> {
        let month = self
            .first
            .checked_add(i8::try_from(index).ok()?)
            .filter(|month| *month <= MONTHS)?;
        let day = self.year.and_then(|year| Date::new(year, month, 1).ok());
        Some((month, day.map(Date::last_of_month)))
    }
}

/// The last days of the months that the query of a year of pays is for, as far as it can be parsed.
pub(crate) fn days_of_year(query: &Query) -> Vec<Date> {
    let asked = RequestedMonths::read(query, &mut Vec::new());
    let lists = query
        .parameters
        .iter()
        .map(|(_, value)| value.split(SEPARATOR).count());
    let count = lists
        .filter(|count| *count > 1)
        .max()
        .unwrap_or(usize::MAX)
        .min(asked.month_count());
    (0..count)
        .filter_map(|index| asked.month(index)?.1)
        .collect()
}

/// A month by its number.
fn month_number(text: &str) -> Result<i8, Reason> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Reason::NotWhole);
    }
    match text.parse() {
        Ok(month @ 1..=MONTHS) => Ok(month),
        Ok(0) => Err(Reason::TooLow),
        _ => Err(Reason::TooHigh),
    }
}

fn refused(name: &str, reason: Reason, received: Option<&str>) -> BadParameter {
    let own = of_call(Call::Year).find(|parameter| parameter.name == name);
    let expected = match own.map(|parameter| parameter.ty) {
        Some(GeneralType::Year) => say!("une année, comme 2026", "a year, such as 2026"),
        Some(GeneralType::Month) => say!("un mois de 1 à 12", "a month from 1 to 12"),
        Some(GeneralType::Boolean) => say!("true ou false", "true or false"),
        _ => say!("ne pas l’envoyer", "not to send it"),
    };
    BadParameter::because(name, reason, received, expected)
}

/// Reads a parameter of the whole year, if it is sent.
fn read_one<T>(
    query: &Query,
    name: &str,
    read: impl Fn(&str) -> Result<T, Reason>,
    bad: &mut Vec<BadParameter>,
) -> Option<T> {
    if query.all(name).count() > 1 {
        bad.push(refused(name, Reason::Repeated, query.sent(name)));
        return None;
    }
    let text = query.sent(name)?;
    let read = read(text).map_err(|reason| bad.push(refused(name, reason, Some(text))));
    read.ok()
}

/// The values of the parameters by month.
struct Lists<'m, 'q> {
    folder: &'m Folder,
    method: &'m Method,
    block: &'m YearBlock,
    months: Vec<(&'q str, Months<'q>)>,
    bad: Vec<BadParameter>,
}

impl<'m, 'q> Lists<'m, 'q> {
    fn read(&mut self, query: &Query<'q>) {
        let of_month = Query {
            month: Some(RequestedMonth { last_day: None }),
            ..query.without_any()
        };
        for (index, (name, _)) in query.parameters.iter().enumerate() {
            let is_again = query
                .parameters
                .iter()
                .take(index)
                .any(|(before, _)| before == name);
            if !is_again && ![YEAR, FIRST_MONTH, FINAL_MONTH, DEPARTURE].contains(name) {
                self.parameter(name, query.all(name).collect(), &of_month);
            }
        }
    }

    /// The input that is the number of the month in a year.
    fn rank(&self) -> Option<&'m Input> {
        self.block.rank()?.of(self.method.inputs())
    }

    /// Reads a parameter; `of_month` is the query of a month, without parameters.
    fn parameter(&mut self, name: &'q str, sent: Vec<&'q str>, of_month: &Query) {
        let first = sent.first().copied().unwrap_or_default();
        let is_asked_for = parameter_names(self.method).any(|known| known == name);
        let is_rank = self.rank().is_some_and(|rank| rank.name == name);
        if name == DATE || self.block.is_excluded_in_year(name) || is_asked_for || is_rank {
            self.bad.push(refused(
                name,
                Reason::NotInYear,
                Some(first).filter(|text| !text.is_empty()),
            ));
            return;
        }
        if self.block.varies(name) {
            return self.list(name, &sent);
        }
        let mut methods = self.folder.editions().iter().map(Edition::method);
        if !methods.any(|method| of_month.known(method, true).any(|known| known == name)) {
            // Of the whole year; one that the scales of some months know is for these to judge.
            self.bad.push(unknown_parameter(
                name,
                first,
                of_month.known(self.method, true),
            ));
            return;
        }
        let is_input = self.method.inputs().iter().any(|input| input.name == name);
        if is_input && (sent.len() > 1 || first.contains(SEPARATOR)) {
            let expected = Text::new("une seule valeur", "a single value");
            self.bad.push(BadParameter::because(
                name,
                Reason::HoldsForYear,
                Some(&sent.join(";")),
                expected,
            ));
            // Reported once for the year: the months get the first value.
            self.months.extend(
                first
                    .split(SEPARATOR)
                    .next()
                    .map(|value| (name, Months::All(value.trim()))),
            );
            return;
        }
        self.months
            .extend(sent.into_iter().map(|value| (name, Months::All(value))));
    }

    /// Reads the values of an input that may differ from month to month.
    fn list(&mut self, name: &'q str, sent: &[&'q str]) {
        let months: Vec<&'q str> = sent
            .iter()
            .flat_map(|value| value.split(SEPARATOR))
            .map(str::trim)
            .collect();
        if sent.len() > 1 && sent.iter().any(|value| value.contains(SEPARATOR)) {
            let expected = Text::new(
                "`a;b;c`, ou le paramètre répété",
                "`a;b;c`, or the parameter repeated",
            );
            self.bad.push(BadParameter::because(
                name,
                Reason::ListTwice,
                Some(&sent.join("&")),
                expected,
            ));
        }
        let months = match months.as_slice() {
            [all] => Months::All(all),
            _ => Months::Each(months),
        };
        self.months.push((name, months));
    }

    /// Refuses one value for several months of an input that each of them has its own value of.
    fn check_each_month(&mut self, count: usize) {
        for (name, months) in &self.months {
            let Months::All(value) = months else { continue };
            if count > 1 && !value.is_empty() && self.block.is_asked_each_month(name) {
                let expected = say!(
                    "{count} valeurs séparées par `;`, une par mois : une place vide a la valeur par défaut",
                    "{count} values separated by `;`, one for each month: an empty place has the default"
                );
                let reason = Reason::OneForSeveralMonths { count };
                self.bad
                    .push(BadParameter::because(name, reason, Some(value), expected));
            }
        }
    }

    /// The number of months: that of the lists, which agree, or else all up to the last one; where
    /// the query names that, the lists go up to it.
    fn count(&mut self, asked: &RequestedMonths) -> usize {
        let room = asked.month_count();
        let lists = self
            .months
            .iter()
            .filter_map(|(name, months)| match months {
                Months::Each(values) => Some((*name, values)),
                Months::All(_) => None,
            });
        let mut lists = lists.peekable();
        let Some((first, values)) = lists.peek().copied() else {
            return room;
        };
        let (first, count) = if asked.last.is_some() {
            (FINAL_MONTH, room)
        } else {
            (first, values.len())
        };
        for (name, values) in lists {
            let found = values.len();
            let reason = if found > room {
                Reason::TooManyMonths { found }
            } else if found != count {
                Reason::OtherLength {
                    other: first.to_owned(),
                    count,
                    found,
                }
            } else {
                continue;
            };
            let expected = say!(
                "une valeur pour tous les mois, ou une par mois : {room} au plus",
                "a value for all the months, or one for each: {room} at most"
            );
            let sent = values.join(";");
            self.bad
                .push(BadParameter::because(name, reason, Some(&sent), expected));
        }
        count.min(room)
    }
}
