//! Parsing of the query of a year of pays: the year, its months, and a query for each of them.

use jiff::civil::Date;

use crate::law::formula::When;
use crate::law::parameter::{
    Call, DEPARTURE, FINAL_MONTH, FIRST_MONTH, GeneralType, YEAR, of_call,
};
use crate::law::{DetailLevel, Input, Method, VALUE_SEPARATOR, Value, YearBlock};
use crate::run::query::{ChosenFields, ReadQuery, RequestedMonth, first_day};
use crate::run::{Edition, Folder, Query};
use crate::say;
use crate::text::words::boolean;
use crate::text::{BadParameter, ParameterCode, Reason};

use super::bad_parameters::MonthlyBadParameters;
use super::lists::{Lists, Months};

/// Months of a year.
const MONTHS: i8 = 12;

/// The query of a year of pays, split by month.
pub(super) struct ReadYear<'f> {
    pub year: i16,
    pub months: Vec<ReadMonth<'f>>,
    pub detail: DetailLevel,
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

impl<'f> ReadYear<'f> {
    /// Reads a query.
    ///
    /// # Errors
    /// Every parameter that cannot be used. Where the year is one of them, the others are read
    /// against the latest scale.
    pub(super) fn new(folder: &'f Folder, query: &Query) -> Result<Self, Vec<BadParameter>> {
        // 1. The year and its months. Without a method that computes a year, nothing else can be
        // judged.
        let mut bad = Vec::new();
        let mut asked = RequestedMonths::read(query, &mut bad);
        let Some((method, block)) = asked.method(folder, query, &mut bad) else {
            return Err(bad);
        };

        // 2. The values of each parameter, and how many months they are for.
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

        // 3. Each month, as a query of its own against the scale of its last day.
        let ReadMonths {
            months,
            mut faults,
            detail,
        } = ReadMonths::new(folder, query, &asked, (&parameters, count), rank);

        // 4. All that is wrong. A list of another length lacks months: its length says so once.
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

/// The months of a year, as they were read.
struct ReadMonths<'f> {
    months: Vec<ReadMonth<'f>>,
    faults: MonthlyBadParameters,
    detail: DetailLevel,
}

impl<'f> ReadMonths<'f> {
    /// Reads `count` months of a query, each with its own values of the parameters.
    fn new(
        folder: &'f Folder,
        query: &Query,
        asked: &RequestedMonths,
        (parameters, count): (&[(&str, Months)], usize),
        rank: Option<&Input>,
    ) -> Self {
        let mut read_months = Self {
            months: Vec::new(),
            faults: MonthlyBadParameters::default(),
            detail: DetailLevel::None,
        };

        for index in 0..count {
            let Some((month, last_day)) = asked.month(index) else {
                continue;
            };

            // The query of the month has its values only, and its rank where the method has one.
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
            read_months.detail = read.detail;
            read_months.faults.take(month, read.bad);

            // A month without a scale was refused by the reading: it has no values to compute.
            if let (Some(edition), Some(date)) = (read.edition, last_day) {
                let so_far = index.saturating_add(1);
                let last = so_far == count && (month == MONTHS || asked.leaves);
                let when = When {
                    months: i8::try_from(so_far).unwrap_or(MONTHS),
                    last,
                    ..edition.when(date)
                };

                read_months.months.push(ReadMonth {
                    month,
                    date,
                    edition,
                    when,
                    values: read.values,
                    fields: read.fields,
                });
            }
        }

        read_months
    }
}

/// The months that a query asks for, as far as they can be read.
pub(super) struct RequestedMonths {
    year: Option<i16>,
    first: i8,
    /// The last month, if the query sends one.
    pub last: Option<i8>,
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

        // A year that is there twice, or cannot be read, was reported already.
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
            // As if none were sent, so that the lists are not held to it as well.
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

    /// The method of the year, which is that of its last day. A year that cannot be used, or has no
    /// scale, falls back to the latest method that computes one.
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
    pub(super) fn month_count(&self) -> usize {
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
        .map(|(_, value)| value.split(VALUE_SEPARATOR).count());

    // A list says how many months are meant; one value for all of them says nothing.
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
    // `parse` would accept `+3`.
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Reason::NotWhole);
    }
    match text.parse() {
        Ok(month @ 1..=MONTHS) => Ok(month),
        Ok(0) => Err(Reason::TooLow),
        _ => Err(Reason::TooHigh),
    }
}

pub(super) fn refused(name: &str, reason: Reason, received: Option<&str>) -> BadParameter {
    let own = of_call(Call::Year).find(|parameter| parameter.name == name);

    let expected = match own.map(|parameter| parameter.ty) {
        Some(GeneralType::Year) => say!("une année, comme 2026", "a year, such as 2026"),
        Some(GeneralType::Month) => say!("un mois de 1 à 12", "a month from 1 to 12"),
        Some(GeneralType::Boolean) => say!("true ou false", "true or false"),
        Some(GeneralType::Detail) => say!("true, false ou complet", "true, false or complet"),
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
