//! The rows of one year of pays as the query of a year: its months in order, a list for each
//! parameter that may differ among them.

use bareme_engine::law::parameter::{DEPARTURE, FINAL_MONTH, FIRST_MONTH, YEAR};
use bareme_engine::{Folder, Lang};
use bareme_show::say;

use super::super::layout::Query;
use super::records::{KEY, MONTH, Record};
use crate::format::unique;

/// The months of a year.
pub(super) struct Months<'r> {
    /// The rows, in the order of their months.
    pub rows: Vec<(usize, &'r Record)>,
    /// The query of the year.
    pub query: Query,
}

/// What is wrong with rows, by their indices.
type Wrong = Vec<(usize, String)>;

impl<'r> Months<'r> {
    /// Puts the rows of a year in order.
    ///
    /// # Errors
    /// Everything that is wrong with the rows beside each other, or of which one cannot be read.
    pub(super) fn new(
        records: &[(usize, &'r Record)],
        folder: &Folder,
        lang: Lang,
    ) -> Result<Self, Wrong> {
        // 1. Rows that cannot be read: without them, the order of the others means nothing.
        let mut wrong: Wrong = records
            .iter()
            .filter_map(|(index, record)| Some((*index, unread(record, lang)?)))
            .collect();
        if !wrong.is_empty() {
            return Err(wrong);
        }

        // 2. The order, in which every month follows the one before.
        let mut rows = records.to_vec();
        rows.sort_by_key(|(_, record)| record.month());
        wrong.extend(rows.windows(2).filter_map(|pair| not_next(pair, lang)));

        let Some(((_, first), (_, last))) = rows.first().copied().zip(rows.last().copied()) else {
            return Err(wrong);
        };

        // 3. The query: what holds for the year once, what may vary as a list of a value for each
        // month.
        let mut query: Query = Vec::new();
        if !first.year.is_empty() {
            query.push((YEAR.to_owned(), first.year.clone()));
        }
        query.push((FIRST_MONTH.to_owned(), first.month.clone()));
        query.push((FINAL_MONTH.to_owned(), last.month.clone()));

        let block = folder.year_block();
        for name in unique(
            rows.iter()
                .flat_map(|(_, record)| &record.query)
                .map(|(name, _)| name.as_str()),
        ) {
            if block.is_some_and(|block| block.varies(name)) {
                match list(name, &rows, lang) {
                    Ok(list) => query.push((name.to_owned(), list)),
                    Err(fault) => wrong.push(fault),
                }
                continue;
            }
            // A value of the whole year is taken from the last row, in which the end of the
            // contract is.
            wrong.extend(not_of_year(name, &rows, lang));
            query.extend(value(last, name).map(|value| (name.to_owned(), value.to_owned())));
        }

        if wrong.is_empty() {
            Ok(Self { rows, query })
        } else {
            Err(wrong)
        }
    }
}

/// Why a row is no month of a year.
fn unread(record: &Record, lang: Lang) -> Option<String> {
    if let Some(message) = &record.unread {
        return Some(message.clone());
    }

    if record.key.is_empty() {
        return Some(say!(
            lang,
            "{KEY} : dire de qui est cette paie, d’un même mot dans tous ses mois",
            "{KEY}: say whose pay it is, by one word in all its months"
        ));
    }

    let received = &record.month;
    record.month().is_none().then(|| {
        say!(
            lang,
            "{MONTH} : un mois de 1 à 12 (reçu : {received})",
            "{MONTH}: a month from 1 to 12 (received: {received})"
        )
    })
}

/// A row that does not follow the one before it: its month is there already, or months between them
/// are missing.
fn not_next(pair: &[(usize, &Record)], lang: Lang) -> Option<(usize, String)> {
    let [(_, before), (index, record)] = pair else {
        return None;
    };

    let (earlier, month) = (before.month()?, record.month()?);
    let line = before.line;
    let message = match month.saturating_sub(earlier) {
        1 => return None,
        0 => say!(
            lang,
            "{MONTH} : le mois {month} est déjà à la ligne {line}",
            "{MONTH}: month {month} is at line {line} already"
        ),
        _ => {
            let missing = earlier.saturating_add(1);
            say!(
                lang,
                "{MONTH} : il manque le mois {missing} ; un mois sans paie a sa ligne, avec un \
                 brut de 0",
                "{MONTH}: month {missing} is missing; a month without pay has its row, with a \
                 gross of 0"
            )
        }
    };

    Some((*index, message))
}

fn value<'r>(record: &'r Record, name: &str) -> Option<&'r str> {
    record
        .query
        .iter()
        .find(|(parameter, _)| parameter == name)
        .map(|(_, value)| value.as_str())
}

/// The values of a parameter, a month each.
fn list(name: &str, rows: &[(usize, &Record)], lang: Lang) -> Result<String, (usize, String)> {
    let mut values: Vec<&str> = Vec::new();
    for (index, record) in rows {
        let value = value(record, name).unwrap_or_default();
        // A semicolon separates the months in the query: inside a value it would shift them.
        if value.contains(';') {
            let message = say!(
                lang,
                "{name} : une seule valeur par mois (reçu : {value})",
                "{name}: a single value a month (received: {value})"
            );
            return Err((*index, message));
        }
        values.push(value);
    }
    Ok(values.join(";"))
}

/// The first row in which a parameter of the whole year is another than in the others; whether the
/// contract ends is what the last month says.
fn not_of_year(name: &str, rows: &[(usize, &Record)], lang: Lang) -> Option<(usize, String)> {
    let (_, last) = rows.last()?;
    let expected = value(last, name);

    let is_other = |record: &Record| match name {
        DEPARTURE => {
            expected.is_none() && value(record, name).is_some_and(|found| found != "false")
        }
        _ => value(record, name) != expected,
    };

    let (index, _) = rows.iter().find(|(_, record)| is_other(record))?;
    let line = last.line;
    let message = match name {
        DEPARTURE => say!(
            lang,
            "{name} : se dit sur la ligne du dernier mois, la ligne {line}",
            "{name}: is stated in the row of the last month, line {line}"
        ),
        _ => say!(
            lang,
            "{name} : vaut pour toute l’année, et diffère de la ligne {line}",
            "{name}: holds for the whole year, and differs from line {line}"
        ),
    };

    Some((*index, message))
}
