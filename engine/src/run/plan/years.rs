//! Plans of years of pays: a row is a month, and the rows of one year, wherever they are among the
//! others, are computed together.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use jiff::civil::Date;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use crate::law::OwnedRemark;
use crate::law::members::{MONTH, REMARKS};
use crate::law::parameter::{FINAL_MONTH, FIRST_MONTH, ROW_KEY, YEAR};
use crate::run::year::{MonthRow, OrderedMonths, RowFault, order_months, rows_by_year};
use crate::run::{CalculationError, FieldSelection, Folder, Query, YearCalculation, YearMonth};
use crate::text::{BadParameter, Reason, Refusal, Text};

use super::answers::{Answers, UsedScale};
use super::cells::Rows;
use super::evaluate::Evaluation;
use super::{Plan, PlanError};

/// The columns that place a row in a year: whose it is, its month, its year.
const PLACE: [&str; 3] = [ROW_KEY, MONTH.name, YEAR];

/// Years that are computed at a time: their calculations are in memory together.
const YEARS_AT_A_TIME: usize = 512;

/// The rows of a year.
struct YearRows<'r> {
    /// Their indices, in the order of the table.
    indices: &'r [usize],
    rows: Vec<MonthRow<'r>>,
}

impl<'r> YearRows<'r> {
    fn new(indices: &'r [usize], rows: &'r Rows) -> Self {
        let months = indices.iter().map(|row| month(rows, *row)).collect();
        Self {
            indices,
            rows: months,
        }
    }
}

/// A year that was computed, or what is wrong with its rows.
enum Computed<'f> {
    Year(OrderedMonths, Box<YearCalculation<'f>>),
    /// The mistakes, each with the place of its row among those of the year.
    Refused(Vec<(usize, CalculationError)>),
}

impl Plan {
    /// A plan of the years of pays of a folder, which computes the fields of each month.
    ///
    /// Beside the inputs of a year, rows have `cle`, `mois` and `annee`; those of one `cle` and one
    /// `annee` are a year, in any order, and all in the rows that are evaluated together.
    ///
    /// # Errors
    /// A folder that computes no year, or an unknown field.
    pub(crate) fn of_years(
        path: &str,
        folder: &Arc<Folder>,
        ignored: &[String],
        day: Date,
        asked: Option<&[&str]>,
    ) -> Result<Self, PlanError> {
        if folder.year_block().is_none() {
            return Err(PlanError::NoYear {
                name: path.to_owned(),
            });
        }

        let folders = vec![(path.to_owned(), Arc::clone(folder))];
        let plan = Self::of_folders(folders, None, ignored, day, asked)?;

        // The months are those of the rows.
        let own = folder
            .year_parameters()
            .into_iter()
            .filter(|name| ![FIRST_MONTH, FINAL_MONTH, YEAR].contains(name));
        let columns = PLACE.into_iter().chain(own).map(str::to_owned);

        Ok(Self {
            columns: columns.chain(ignored.iter().cloned()).collect(),
            required: PLACE.map(|name| vec![name.to_owned()]).to_vec(),
            has_years: true,
            ..plan
        })
    }
}

/// Computes the answers to rows that are months of years.
pub(super) fn evaluate(plan: &Plan, rows: &Rows) -> Answers {
    let mut evaluation = Evaluation::of_rows(plan, rows);
    let Some(folder) = plan.targets.first().map(|target| target.folder.as_ref()) else {
        return evaluation.answers;
    };

    let years = indices_by_year(rows);
    for some in years.chunks(YEARS_AT_A_TIME) {
        // Years are computed independently of each other. The texts of their rows are made with
        // them: those of all rows would take more memory than the table itself.
        let computed: Vec<(YearRows, Computed)> = some
            .par_iter()
            .map(|indices| {
                let year = YearRows::new(indices, rows);
                let computed = compute(plan, folder, &year.rows);
                (year, computed)
            })
            .collect();

        for (year, computed) in computed {
            evaluation.take_year(folder, &year, computed);
        }
    }

    // Refusals are listed in the order of the rows.
    evaluation.answers.alone = rows.count();
    evaluation.answers.refused.sort_by_key(|(row, _)| *row);
    evaluation.answers
}

/// The rows of each year by their indices, in the order in which the first of each comes.
fn indices_by_year(rows: &Rows) -> Vec<Vec<usize>> {
    let texts = |name: &str| -> Vec<Cow<str>> {
        let cells = rows.column(name);
        let text = |row| cells.and_then(|cells| cells.text(row)).unwrap_or_default();
        (0..rows.count()).map(text).collect()
    };

    let (keys, years) = (texts(ROW_KEY), texts(YEAR));
    rows_by_year(
        keys.iter()
            .map(AsRef::as_ref)
            .zip(years.iter().map(AsRef::as_ref)),
    )
}

/// A row as a month of a year.
fn month<'r>(rows: &'r Rows, row: usize) -> MonthRow<'r> {
    let mut month = MonthRow::default();
    for (name, value) in rows.query(row) {
        match name {
            ROW_KEY => month.key = value,
            YEAR => month.year = value,
            name if name == MONTH.name => month.month = value,
            _ if value.is_empty() => {}
            _ => month.parameters.push((name, value)),
        }
    }
    month
}

fn compute<'f>(plan: &Plan, folder: &'f Folder, rows: &[MonthRow]) -> Computed<'f> {
    // 1. The query that the rows are together.
    let months = match order_months(rows, folder) {
        Ok(months) => months,
        Err(faults) => {
            let refused = |fault: &RowFault| {
                let bad = fault.parameter(rows);
                (fault.row, Refusal::of_parameter(bad).into())
            };
            return Computed::Refused(faults.iter().map(refused).collect());
        }
    };

    // 2. The fields of the plan, in every month.
    let remarks = plan.with_remarks.then_some(REMARKS.name);
    let own = plan.fields.iter().map(|field| field.name.as_str());
    let names: Vec<&str> = own.chain(remarks).collect();
    let selection = if plan.is_asked {
        FieldSelection::Asked
    } else {
        FieldSelection::Available
    };
    let sent = months.query.iter();
    let mut sent: Vec<(&str, &str)> = sent
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    plan.name_law(&mut sent);
    let query = sent.into_iter().collect::<Query>().ignoring(&plan.ignored);

    // 3. The year; a mistake is that of the row of its month.
    let error = match folder.year(&query.selecting(selection(&names))) {
        Ok(year) => return Computed::Year(months, Box::new(year)),
        Err(error) => error,
    };
    let CalculationError::Refused(refusal) = error else {
        return Computed::Refused(vec![(0, error)]);
    };
    let mut refused = Vec::new();
    for (place, row) in months.order.iter().enumerate() {
        let month = rows.get(*row).and_then(MonthRow::number);
        if let Some(own) = refusal.of_month(month, place == 0) {
            refused.push((*row, own.into()));
        }
    }
    Computed::Refused(refused)
}

impl Evaluation<'_, '_> {
    /// Takes over the months of a year, or refuses them.
    fn take_year(&mut self, folder: &Folder, year: &YearRows, computed: Computed) {
        match computed {
            Computed::Year(months, calculation) => {
                for (place, month) in months.order.iter().zip(calculation.months()) {
                    if let Some(row) = year.indices.get(*place) {
                        self.take_month(*row, folder, &calculation, month);
                    }
                }
            }
            Computed::Refused(faults) => self.refuse_year(year, faults),
        }
    }

    fn take_month(
        &mut self,
        row: usize,
        folder: &Folder,
        year: &YearCalculation,
        month: &YearMonth,
    ) {
        if !self.take_fields(row, &month.calculation) {
            return;
        }

        // The law of a month is part of that of its year, which the month names.
        let scale = UsedScale {
            version: year.version().to_owned(),
            ..UsedScale::new(folder, month.calculation.edition())
        };
        self.answers.set_scale(&[row], &scale);

        self.answers.warn(row, &year.warnings_of(month.month));

        if self.plan.with_remarks {
            let remarks = month.calculation.remarks().map(OwnedRemark::from).collect();
            let list = self.answers.remark_list(remarks);
            self.answers.remark(row, list);
        }
    }

    /// Refuses the rows of a year: those at fault, each with its reason, and the others with them.
    fn refuse_year(&mut self, year: &YearRows, faults: Vec<(usize, CalculationError)>) {
        let at_fault = faults.first().and_then(|(place, _)| year.rows.get(*place));
        let month = at_fault
            .map(|row| row.month.to_string())
            .unwrap_or_default();

        // Reversed: of several faults of one row, the first stays.
        let mut faults: HashMap<usize, CalculationError> = faults.into_iter().rev().collect();
        for (place, row) in year.indices.iter().enumerate() {
            let error = faults.remove(&place).unwrap_or_else(|| {
                let reason = Reason::OfRefusedYear {
                    month: month.clone(),
                };
                let key = year.rows.get(place).map(|row| row.key.as_ref());
                let bad = BadParameter::because(ROW_KEY, reason, key, Text::<String>::default());
                Refusal::of_parameter(bad).into()
            });
            self.refuse(*row, error);
        }
    }
}
