//! The rows of one year of pays in the order of their months, and what is wrong with them, by the
//! lines of the file.

use bareme_engine::law::parameter::DEPARTURE;
use bareme_engine::run::{RowFault, RowFaultKind, order_months};
use bareme_engine::{Folder, Lang};
use bareme_show::say;

use super::super::layout::Query;
use super::records::{KEY, MONTH, Record};

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
        // Rows that cannot be read: without them, the order of the others means nothing.
        let unread = |(index, record): &(usize, &Record)| Some((*index, record.unread.clone()?));
        let unread: Wrong = records.iter().filter_map(unread).collect();
        if !unread.is_empty() {
            return Err(unread);
        }

        let rows: Vec<_> = records
            .iter()
            .map(|(_, record)| record.month_row())
            .collect();
        match order_months(&rows, folder) {
            Ok(months) => Ok(Self {
                rows: months
                    .order
                    .iter()
                    .filter_map(|place| records.get(*place).copied())
                    .collect(),
                query: months.query,
            }),
            Err(faults) => {
                let wrong = faults.iter().filter_map(|fault| {
                    let (index, record) = records.get(fault.row)?;
                    Some((*index, sentence(fault, record, records, lang)))
                });
                Err(wrong.collect())
            }
        }
    }
}

/// The fault of a row, which names the line of the other one.
fn sentence(fault: &RowFault, record: &Record, records: &[(usize, &Record)], lang: Lang) -> String {
    let month = &record.month;
    let line_of = |place: &usize| {
        records
            .get(*place)
            .map(|(_, record)| record.line)
            .unwrap_or_default()
    };

    match &fault.kind {
        RowFaultKind::NoKey => say!(
            lang,
            "{KEY} : dire de qui est cette paie, d’un même mot dans tous ses mois",
            "{KEY}: say whose pay it is, by one word in all its months"
        ),
        RowFaultKind::NotMonth => say!(
            lang,
            "{MONTH} : un mois de 1 à 12 (reçu : {month})",
            "{MONTH}: a month from 1 to 12 (received: {month})"
        ),
        RowFaultKind::Repeated { other } => {
            let line = line_of(other);
            say!(
                lang,
                "{MONTH} : le mois {month} est déjà à la ligne {line}",
                "{MONTH}: month {month} is at line {line} already"
            )
        }
        RowFaultKind::Gap { missing } => say!(
            lang,
            "{MONTH} : il manque le mois {missing} ; un mois sans paie a sa ligne, avec un brut \
             de 0",
            "{MONTH}: month {missing} is missing; a month without pay has its row, with a gross of \
             0"
        ),
        RowFaultKind::SeveralValues { name } => {
            let value = record.value(name);
            say!(
                lang,
                "{name} : une seule valeur par mois (reçu : {value})",
                "{name}: a single value a month (received: {value})"
            )
        }
        RowFaultKind::EndsBefore { last } => {
            let line = line_of(last);
            say!(
                lang,
                "{DEPARTURE} : se dit sur la ligne du dernier mois, la ligne {line}",
                "{DEPARTURE}: is stated in the row of the last month, line {line}"
            )
        }
        RowFaultKind::Differs { name, last } => {
            let line = line_of(last);
            say!(
                lang,
                "{name} : vaut pour toute l’année, et diffère de la ligne {line}",
                "{name}: holds for the whole year, and differs from line {line}"
            )
        }
    }
}
