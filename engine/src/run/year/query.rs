//! The reading of the query of a year of pays: the year, its months, and a query for each of them.

use std::borrow::Cow;

use jiff::civil::Date;

use crate::law::formula::When;
use crate::law::input::Input;
use crate::law::method::{Method, YearBlock};
use crate::law::types::Value;
use crate::run::edition::Edition;
use crate::run::folder::Folder;
use crate::run::query::{
    ChosenFields, DATE, DEPARTURE, FINAL_MONTH, FIRST_MONTH, Query, ReadQuery, YEAR, first_day, parameter_names,
};
use crate::say;
use crate::text::lang::Text;
use crate::text::refusal::{BadParameter, Reason};
use crate::text::words::boolean;

/// Months of a year.
const MONTHS: i8 = 12;
/// The sign between the months of a list.
const SEPARATOR: char = ';';

/// The query of a year of pays, month by month.
pub(super) struct ReadYear<'f> {
    pub year: i16,
    pub months: Vec<ReadMonth<'f>>,
    pub detail: bool,
    /// Names of the parameters that have a value for each month.
    pub lists: Vec<String>,
    /// Every parameter that cannot be used.
    pub bad: Vec<BadParameter>,
}

/// A month of a year of pays, read against its edition.
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
    /// One value for all of them.
    All(&'q str),
    /// A value for each.
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

/// A folder that cannot be asked for this year, or whose query has no year: what is wrong with it.
type Unread = Vec<BadParameter>;

impl<'f> ReadYear<'f> {
    pub(super) fn new(folder: &'f Folder, query: &Query) -> Result<Self, Unread> {
        let mut bad = Vec::new();
        let year = read_number(query, YEAR, None, |text| first_day(text).map(Date::year), &mut bad);
        let month = |text: &str| text.parse().ok().filter(|month| (1..=MONTHS).contains(month));
        let first = read_number(query, FIRST_MONTH, Some(1), month, &mut bad);
        let last = read_number(query, FINAL_MONTH, Some(MONTHS), month, &mut bad);
        if first.zip(last).is_some_and(|(first, last)| last < first) {
            bad.push(refused(FINAL_MONTH, Reason::LastBeforeFirst, query.sent(FINAL_MONTH)));
        }
        let leaves = read_flag(query, DEPARTURE, &mut bad);
        let method = year.and_then(|year| method_of(folder, year));
        let Some((method, block)) = method.and_then(|method| Some((method, method.year()?))) else {
            if bad.is_empty() {
                bad.push(refused(YEAR, Reason::NoYear, query.sent(YEAR)));
            }
            return Err(bad);
        };
        let mut lists = Lists { method, block, months: Vec::new(), bad };
        lists.read(query);
        let room = last.unwrap_or(MONTHS).saturating_sub(first.unwrap_or(1)).saturating_add(1);
        let ends = query.sent(FINAL_MONTH).is_some();
        let count = lists.count(usize::try_from(room).unwrap_or_default(), ends);
        let rank = lists.rank();
        let Lists { months: parameters, mut bad, .. } = lists;
        let is_list = |(name, months): &(&str, Months)| matches!(months, Months::Each(_)).then(|| (*name).to_owned());
        let lists = parameters.iter().filter_map(is_list).collect();
        let year = year.unwrap_or_default();
        let mut read = Self { year, months: Vec::new(), detail: false, lists, bad: Vec::new() };
        let mut found = Found::default();
        for index in 0..count {
            let Some((month, date)) = month_of(read.year, first.unwrap_or(1), index) else { continue };
            let sent = parameters.iter().map(|(name, months)| (*name, months.of(index)));
            let text = month.to_string();
            let sent = sent.chain(rank.map(|rank| (rank.name.as_str(), text.as_str())));
            let query = Query { parameters: sent.collect(), month: Some(date), ..query.clone() };
            let ReadQuery { edition, detail, fields, values, bad, .. } = ReadQuery::new(folder, &query, date);
            read.detail = detail;
            found.take(month, bad);
            if let Some(edition) = edition {
                let last = index.saturating_add(1) == count && (month == MONTHS || leaves);
                let months = i8::try_from(index.saturating_add(1)).unwrap_or(MONTHS);
                let when = When { months, last, ..edition.when(date) };
                read.months.push(ReadMonth { month, date, edition, when, values, fields });
            }
        }
        bad.extend(found.told(count, &read.lists));
        read.bad = bad;
        Ok(read)
    }
}

/// The method of a year: that of its last day, or else the last there is.
fn method_of(folder: &Folder, year: i16) -> Option<&Method> {
    let end = Date::new(year, MONTHS, 31).ok()?;
    folder.edition(end).or_else(|| folder.latest()).map(Edition::method)
}

/// The last days of the months that the query of a year of pays asks about, as far as it can be read.
pub(crate) fn days_of_year(query: &Query) -> Vec<Date> {
    let Some(year) = query.sent(YEAR).and_then(first_day).map(Date::year) else { return Vec::new() };
    let month = |name: &str, default: i8| query.sent(name).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (first, last) = (month(FIRST_MONTH, 1), month(FINAL_MONTH, MONTHS));
    let lists = query.parameters.iter().map(|(_, value)| value.split(SEPARATOR).count());
    let count = lists.filter(|count| *count > 1).max().unwrap_or(usize::from(u8::MAX));
    let months = (0..count).map_while(|index| month_of(year, first, index)).take_while(|(month, _)| *month <= last);
    months.map(|(_, date)| date).collect()
}

/// A month of the year, by its place in the lists, with its last day.
fn month_of(year: i16, first: i8, index: usize) -> Option<(i8, Date)> {
    let month = first.checked_add(i8::try_from(index).ok()?)?;
    Some((month, Date::new(year, month, 1).ok()?.last_of_month()))
}

fn refused(name: &str, reason: Reason, received: Option<&str>) -> BadParameter {
    let expected = match name {
        YEAR => say!("une année, comme 2026", "a year, such as 2026"),
        FIRST_MONTH | FINAL_MONTH => say!("un mois de 1 à 12", "a month from 1 to 12"),
        DEPARTURE => say!("true ou false", "true or false"),
        _ => say!("ne pas l’envoyer", "not to send it"),
    };
    BadParameter::because(name, reason, received, expected)
}

/// A number of the whole year, which is required where it has no default.
fn read_number<T>(
    query: &Query,
    name: &str,
    default: Option<T>,
    read: impl Fn(&str) -> Option<T>,
    bad: &mut Vec<BadParameter>,
) -> Option<T> {
    if query.all(name).count() > 1 {
        bad.push(refused(name, Reason::Repeated, query.sent(name)));
        return None;
    }
    let Some(text) = query.sent(name) else {
        if default.is_none() {
            bad.push(refused(name, Reason::Missing, None));
        }
        return default;
    };
    let found = read(text);
    if found.is_none() {
        bad.push(refused(name, Reason::NotNumber, Some(text)));
    }
    found
}

fn read_flag(query: &Query, name: &str, bad: &mut Vec<BadParameter>) -> bool {
    if query.all(name).count() > 1 {
        bad.push(refused(name, Reason::Repeated, query.sent(name)));
        return false;
    }
    let Some(text) = query.sent(name) else { return false };
    boolean(text).unwrap_or_else(|| {
        bad.push(refused(name, Reason::NotBoolean, Some(text)));
        false
    })
}

/// The parameters of the months, as the query has them.
struct Lists<'m, 'q> {
    method: &'m Method,
    block: &'m YearBlock,
    months: Vec<(&'q str, Months<'q>)>,
    bad: Vec<BadParameter>,
}

impl<'m, 'q> Lists<'m, 'q> {
    fn read(&mut self, query: &Query<'q>) {
        for (index, (name, _)) in query.parameters.iter().enumerate() {
            let is_again = query.parameters.iter().take(index).any(|(before, _)| before == name);
            if !is_again && ![YEAR, FIRST_MONTH, FINAL_MONTH, DEPARTURE].contains(name) {
                self.parameter(name, query.all(name).collect());
            }
        }
    }

    /// The input that is the month in a year.
    fn rank(&self) -> Option<&'m Input> {
        self.block.rank()?.of(self.method.inputs())
    }

    fn parameter(&mut self, name: &'q str, sent: Vec<&'q str>) {
        let first = sent.first().copied().unwrap_or_default();
        let is_asked_for = parameter_names(self.method).any(|known| known == name);
        let is_rank = self.rank().is_some_and(|rank| rank.name == name);
        if name == DATE || self.block.goes_without(name) || is_asked_for || is_rank {
            self.bad.push(refused(name, Reason::NotInYear, Some(first).filter(|text| !text.is_empty())));
            return;
        }
        if self.block.varies(name) {
            return self.list(name, &sent);
        }
        let is_input = self.method.inputs().iter().any(|input| input.name == name);
        if is_input && (sent.len() > 1 || first.contains(SEPARATOR)) {
            let expected = Text::new("une seule valeur", "a single value");
            self.bad.push(BadParameter::because(name, Reason::HoldsForYear, Some(&sent.join(";")), expected));
            // Once is enough: a month is not told it as well.
            self.months.extend(first.split(SEPARATOR).next().map(|value| (name, Months::All(value.trim()))));
            return;
        }
        self.months.extend(sent.into_iter().map(|value| (name, Months::All(value))));
    }

    /// The months of an input that may differ from one to the next.
    fn list(&mut self, name: &'q str, sent: &[&'q str]) {
        let months: Vec<&'q str> = match sent {
            [all] => all.split(SEPARATOR).map(str::trim).collect(),
            several => several.iter().map(|value| value.trim()).collect(),
        };
        if sent.len() > 1 && sent.iter().any(|value| value.contains(SEPARATOR)) {
            let expected = Text::new("`a;b;c`, ou le paramètre répété", "`a;b;c`, or the parameter repeated");
            self.bad.push(BadParameter::because(name, Reason::ListTwice, Some(&sent.join("&")), expected));
        }
        let months = match months.as_slice() {
            [all] => Months::All(all),
            _ => Months::Each(months),
        };
        self.months.push((name, months));
    }

    /// The number of months: that of the lists, which agree, or else all up to the last one; where the query names that, the
    /// lists go up to it.
    fn count(&mut self, room: usize, ends: bool) -> usize {
        let lists = self.months.iter().filter_map(|(name, months)| match months {
            Months::Each(values) => Some((*name, values)),
            Months::All(_) => None,
        });
        let mut lists = lists.peekable();
        let Some((first, values)) = lists.peek().copied() else { return room };
        let (first, count) = if ends { (FINAL_MONTH, room) } else { (first, values.len()) };
        for (name, values) in lists {
            let found = values.len();
            let reason = if found > room {
                Reason::TooManyMonths { found }
            } else if found != count {
                Reason::OtherLength { other: first.to_owned(), count, found }
            } else {
                continue;
            };
            let expected = say!(
                "une valeur pour tous les mois, ou une par mois : {room} au plus",
                "a value for all the months, or one for each: {room} at most"
            );
            let sent = values.join(";");
            self.bad.push(BadParameter::because(name, reason, Some(&sent), expected));
        }
        count.min(room)
    }
}

/// The bad parameters of the months.
#[derive(Default)]
pub(super) struct Found(Vec<BadParameter>);

impl Found {
    pub(super) fn take(&mut self, month: i8, bad: impl IntoIterator<Item = BadParameter>) {
        self.0.extend(bad.into_iter().map(|bad| bad.in_month(month)));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each once, in the order of the inputs: what is wrong in every month with a parameter that is no list is wrong with
    /// the whole year.
    pub(super) fn told(self, count: usize, lists: &[String]) -> Vec<BadParameter> {
        let mut order: Vec<Cow<str>> = Vec::new();
        for bad in &self.0 {
            if !order.iter().any(|name| *name == bad.name) {
                order.push(Cow::Owned(bad.name.clone()));
            }
        }
        let mut all = self.0;
        all.sort_by_key(|bad| order.iter().position(|name| *name == bad.name));
        let whole = |bad: &BadParameter| BadParameter { month: None, ..bad.clone() };
        let mut told: Vec<BadParameter> = Vec::new();
        for bad in &all {
            let alike = all.iter().filter(|other| whole(other) == whole(bad)).count();
            let of_year = alike >= count && !lists.contains(&bad.name);
            let said = if of_year { whole(bad) } else { bad.clone() };
            if !told.contains(&said) {
                told.push(said);
            }
        }
        told
    }
}
