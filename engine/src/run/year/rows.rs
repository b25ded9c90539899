//! A year of pays from rows, a month each: their order, and the query that they are together.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::law::VALUE_SEPARATOR;
use crate::law::members::MONTH;
use crate::law::parameter::{DEPARTURE, FINAL_MONTH, FIRST_MONTH, ROW_KEY, YEAR};
use crate::run::Folder;
use crate::text::words::distinct;
use crate::text::{BadParameter, Reason, Text};

/// A row: a month of somebody's year of pays, as it is written.
///
/// [`order_months`] takes the rows of one year.
#[derive(Debug, Clone, Default)]
pub struct MonthRow<'r> {
    /// Whose pay it is.
    pub key: Cow<'r, str>,
    /// The year, empty where the row has none.
    pub year: Cow<'r, str>,
    /// The month, 1 to 12.
    pub month: Cow<'r, str>,
    /// The other parameters, without empty ones.
    pub parameters: Vec<(&'r str, Cow<'r, str>)>,
}

impl MonthRow<'_> {
    /// The month by its number.
    pub fn number(&self) -> Option<i8> {
        // `+3` is a number for `parse`, but no month.
        let is_whole = self.month.bytes().all(|byte| byte.is_ascii_digit());

        let number = self.month.parse().ok();
        number.filter(|month| is_whole && (1..=12).contains(month))
    }

    fn value(&self, name: &str) -> Option<&str> {
        let mut parameters = self.parameters.iter();
        let found = parameters.find(|(parameter, _)| *parameter == name);
        found.map(|(_, value)| value.as_ref())
    }
}

/// The months of a year in their order, and the query of the year.
#[derive(Debug)]
pub struct OrderedMonths {
    /// Indices of the rows, by month.
    pub order: Vec<usize>,
    /// The query of the year: what holds for all of it once, what varies as a list.
    pub query: Vec<(String, String)>,
}

/// A row that does not fit the others of its year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowFault {
    /// The index of the row.
    pub row: usize,
    /// What is wrong with it.
    pub kind: RowFaultKind,
}

/// What is wrong with a row beside the others of its year.
///
/// [`RowFault::kind`] is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowFaultKind {
    /// It does not say whose pay it is.
    NoKey,
    /// Its month is none.
    NotMonth,
    /// Its month is that of another row.
    Repeated {
        /// The index of the row before.
        other: usize,
    },
    /// The month before it has no row.
    Gap {
        /// The first month that is missing.
        missing: i8,
    },
    /// A value is a list.
    SeveralValues {
        /// The parameter.
        name: String,
    },
    /// A parameter of the whole year has another value than in the last row.
    Differs {
        /// The parameter.
        name: String,
        /// The index of the last row.
        last: usize,
    },
    /// It ends the contract, and is not the last one.
    EndsBefore {
        /// The index of the last row.
        last: usize,
    },
}

impl RowFault {
    /// The fault as that of a parameter of its row.
    pub fn parameter(&self, rows: &[MonthRow]) -> BadParameter {
        let row = rows.get(self.row);
        let month = row.map(|row| row.month.as_ref());
        let value = |name: &str| row.and_then(|row| row.value(name));

        let (name, reason, received) = match &self.kind {
            RowFaultKind::NoKey => (ROW_KEY, Reason::Missing, None),
            RowFaultKind::NotMonth => (MONTH.name, Reason::NotMonth, month),
            RowFaultKind::Repeated { .. } => (MONTH.name, Reason::MonthTwice, month),
            RowFaultKind::Gap { missing } => {
                let missing = *missing;
                (MONTH.name, Reason::MonthMissing { missing }, month)
            }
            RowFaultKind::SeveralValues { name } => (name.as_str(), Reason::NotList, value(name)),
            RowFaultKind::Differs { name, .. } => {
                (name.as_str(), Reason::HoldsForYear, value(name))
            }
            RowFaultKind::EndsBefore { .. } => (DEPARTURE, Reason::NotLastMonth, value(DEPARTURE)),
        };
        BadParameter::because(name, reason, received, Text::<String>::default())
    }
}

/// The rows of each year by their indices, in the order in which the first of each comes; `places`
/// are the key and the year of each row.
pub fn rows_by_year<'r>(places: impl Iterator<Item = (&'r str, &'r str)>) -> Vec<Vec<usize>> {
    let mut years: Vec<Vec<usize>> = Vec::new();
    let mut known: HashMap<(&str, &str), usize> = HashMap::new();

    for (row, (key, year)) in places.enumerate() {
        // Rows that do not say whose they are have no year in common: each is refused by itself.
        let place = if key.is_empty() {
            years.len()
        } else {
            *known.entry((key, year)).or_insert(years.len())
        };
        match years.get_mut(place) {
            Some(rows) => rows.push(row),
            None => years.push(vec![row]),
        }
    }
    years
}

/// Puts the rows of a year in order, and makes its query of them.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["salaire"])
/// #     .load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("salaire").ok_or("no such folder")?;
/// use bareme_engine::run::{MonthRow, order_months};
///
/// let row = |month: &'static str, gross: &'static str| MonthRow {
///     key: "anne".into(),
///     year: "2026".into(),
///     month: month.into(),
///     parameters: vec![("brut", gross.into())],
/// };
/// let months = order_months(&[row("3", "2700"), row("2", "2600")], folder);
/// let months = months.map_err(|faults| format!("{faults:?}"))?;
/// assert_eq!(months.order, [1, 0]);
/// let brut = months.query.iter().find(|(name, _)| name == "brut").ok_or("no gross")?;
/// assert_eq!(brut.1, "2600;2700");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Everything that is wrong with the rows beside each other.
pub fn order_months(rows: &[MonthRow], folder: &Folder) -> Result<OrderedMonths, Vec<RowFault>> {
    // 1. Rows without a place in a year: without them, the order of the others means nothing.
    let mut faults: Vec<RowFault> = rows.iter().enumerate().filter_map(without_place).collect();
    if !faults.is_empty() {
        return Err(faults);
    }

    // 2. The order, in which every month follows the one before.
    let mut order: Vec<(usize, &MonthRow)> = rows.iter().enumerate().collect();
    order.sort_by_key(|(_, row)| row.number());
    faults.extend(order.windows(2).filter_map(not_next));

    let Some((first, last)) = order.first().copied().zip(order.last().copied()) else {
        return Err(faults);
    };

    // 3. The query: what holds for the year once, what may vary as a list of a value for each
    // month.
    let mut query = Vec::new();
    if !first.1.year.is_empty() {
        query.push((YEAR.to_owned(), first.1.year.clone().into_owned()));
    }
    query.push((FIRST_MONTH.to_owned(), first.1.month.clone().into_owned()));
    query.push((FINAL_MONTH.to_owned(), last.1.month.clone().into_owned()));

    let block = folder.year_block();
    let parameters = order.iter().flat_map(|(_, row)| &row.parameters);
    for &(name, _) in distinct(parameters, |(name, _)| *name) {
        if block.is_some_and(|block| block.varies(name)) {
            match list(name, &order) {
                Ok(list) => query.push((name.to_owned(), list)),
                Err(fault) => faults.push(fault),
            }
            continue;
        }
        // A value of the whole year is taken from the last row, in which the end of the contract
        // is.
        faults.extend(not_of_year(name, &order, last));
        let value = last.1.value(name);
        query.extend(value.map(|value| (name.to_owned(), value.to_owned())));
    }

    if faults.is_empty() {
        let order = order.into_iter().map(|(index, _)| index).collect();
        Ok(OrderedMonths { order, query })
    } else {
        Err(faults)
    }
}

fn without_place((row, month): (usize, &MonthRow)) -> Option<RowFault> {
    let kind = if month.key.is_empty() {
        RowFaultKind::NoKey
    } else if month.number().is_none() {
        RowFaultKind::NotMonth
    } else {
        return None;
    };
    Some(RowFault { row, kind })
}

/// A row that does not follow the one before it: its month is there already, or months between them
/// are missing.
fn not_next(pair: &[(usize, &MonthRow)]) -> Option<RowFault> {
    let [(other, before), (row, after)] = pair else {
        return None;
    };

    let (earlier, month) = (before.number()?, after.number()?);
    let kind = match month.saturating_sub(earlier) {
        1 => return None,
        0 => RowFaultKind::Repeated { other: *other },
        _ => RowFaultKind::Gap {
            missing: earlier.saturating_add(1),
        },
    };
    Some(RowFault { row: *row, kind })
}

/// The values of a parameter, a month each.
fn list(name: &str, order: &[(usize, &MonthRow)]) -> Result<String, RowFault> {
    let mut list = String::new();
    for (place, (row, month)) in order.iter().enumerate() {
        let value = month.value(name).unwrap_or_default();
        // The character that separates the months in the query would shift them.
        if value.contains(VALUE_SEPARATOR) {
            let kind = RowFaultKind::SeveralValues {
                name: name.to_owned(),
            };
            return Err(RowFault { row: *row, kind });
        }

        if place > 0 {
            list.push(VALUE_SEPARATOR);
        }
        list.push_str(value);
    }
    Ok(list)
}

/// The first row in which a parameter of the whole year is another than in the last one; whether
/// the contract ends is what the last month says.
fn not_of_year(
    name: &str,
    order: &[(usize, &MonthRow)],
    (last, month): (usize, &MonthRow),
) -> Option<RowFault> {
    let expected = month.value(name);

    let is_other = |row: &MonthRow| match name {
        DEPARTURE => expected.is_none() && row.value(name).is_some_and(|sent| sent != "false"),
        _ => row.value(name) != expected,
    };

    let (row, _) = order.iter().find(|(_, row)| is_other(row))?;
    let kind = match name {
        DEPARTURE => RowFaultKind::EndsBefore { last },
        _ => RowFaultKind::Differs {
            name: name.to_owned(),
            last,
        },
    };
    Some(RowFault { row: *row, kind })
}
