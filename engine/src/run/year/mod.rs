//! A year of pays: up to twelve months of one calendar year, computed one after the other, each by
//! the scale of its last day. Amounts that the law accumulates since January are read from the
//! months before; nothing is kept between calls.

mod answer;
mod bad_parameters;
mod lists;
mod month;
mod query;
mod rows;

use std::sync::Arc;

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::law::formula::{EarlierMonth, OtherMonths};
use crate::law::parameter::{Call, VERSION, of_call};
use crate::law::{Field, FieldValue, FigureRemark, Input, Method, Reference, Warning, YearBlock};
use crate::run::program::Program;
use crate::run::query::{other_law, without_effect};
use crate::run::{Calculation, CalculationError, Edition, Folder, Query};
use crate::text::{Datum, Refusal};

pub use answer::version_of_year;
use answer::{cited, of_edition, totals};
use bad_parameters::MonthlyBadParameters;
pub(crate) use month::YearSlots;
pub(crate) use query::days_of_year;
use query::{ReadMonth, ReadYear};
pub use rows::{MonthRow, OrderedMonths, RowFault, RowFaultKind, order_months, rows_by_year};

/// What follows the name of a calculation where a year of pays is asked for.
pub const YEAR_PATH: &str = "/annee";

/// The answer of a folder to the query of a year of pays: its months, their totals, and their
/// common fields. Its JSON is written directly from the computed values.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["salaire"])
/// #     .load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("salaire").ok_or("no such folder")?;
/// use bareme_engine::Query;
///
/// let pays = [("annee", "2026"), ("brut", "2600;2600;3000"), ("premier_mois", "10")];
/// let year = folder.year(&Query::from(pays))?;
/// let months: Vec<i8> = year.months().iter().map(|month| month.month).collect();
/// assert_eq!(months, [10, 11, 12]);
/// assert_eq!(year.total("brut"), Some(8200.into()));
/// assert!(year.to_json().starts_with(r#"{"annee":2026,"mois":[{"mois":10,"brut":2600,"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct YearCalculation<'f> {
    year: i16,
    months: Vec<YearMonth<'f>>,
    totals: Vec<Total<'f>>,
    version: String,
    citation: String,
    references: Vec<OfMonths<Reference<'f>>>,
    unsourced: Vec<OfMonths<FigureRemark<'f>>>,
    warnings: Vec<OfMonths<Warning>>,
}

/// A month of a year of pays.
///
/// [`YearCalculation::months`] lists them.
#[derive(Debug)]
#[non_exhaustive]
pub struct YearMonth<'f> {
    /// The month, 1 to 12.
    pub month: i8,
    /// Its last day, which decides the scale.
    pub date: Date,
    /// Calculation of the month.
    pub calculation: Calculation<'f>,
}

/// A field of the answer added up over the months of a year of pays.
///
/// [`YearCalculation::totals`] lists them.
#[derive(Debug)]
#[non_exhaustive]
pub struct Total<'f> {
    /// The field.
    pub field: &'f Field,
    /// The sum of its values before rounding for display, rounded as the field is: a number, or
    /// lines that are added up one by one.
    pub value: FieldValue<'f>,
}

/// A warning or a reference that several months of a year of pays share.
///
/// [`YearCalculation::warnings`] and [`YearCalculation::references`] list them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OfMonths<T> {
    /// The warning, reference or remark.
    pub what: T,
    /// The months that it is about, 1 to 12, in order.
    pub months: Vec<i8>,
    /// Whether these are all the months of the answer.
    pub always: bool,
}

impl<T> OfMonths<T> {
    /// Merges equal warnings of the months.
    fn merged<'m, 'f: 'm>(
        months: &'m [YearMonth<'f>],
        of_month: impl Fn(&'m YearMonth<'f>) -> Vec<T>,
        is_it: impl Fn(&T, &T) -> bool,
    ) -> Vec<Self> {
        let mut list: Vec<Self> = Vec::new();
        for month in months {
            for what in of_month(month) {
                // Two equal warnings of one month count once.
                match list.iter_mut().find(|known| is_it(&known.what, &what)) {
                    // Said twice in one month, it names the month once.
                    Some(known) if known.months.last() == Some(&month.month) => {}
                    Some(known) => known.months.push(month.month),
                    None => list.push(Self {
                        what,
                        months: vec![month.month],
                        always: false,
                    }),
                }
            }
        }

        list.iter_mut()
            .for_each(|known| known.always = known.months.len() == months.len());

        list
    }
}

impl<'f> YearCalculation<'f> {
    /// The year.
    pub fn year(&self) -> i16 {
        self.year
    }

    /// The months, in order.
    pub fn months(&self) -> &[YearMonth<'f>] {
        &self.months
    }

    /// The totals, in the order of the block `year:`; fields that no month has are left out.
    pub fn totals(&self) -> &[Total<'f>] {
        &self.totals
    }

    /// The total of a field that is a number, if the year has one.
    pub fn total(&self, field: &str) -> Option<Decimal> {
        self.totals
            .iter()
            .find(|total| total.field.name == field)?
            .value
            .number()
    }

    /// The sources of the figures used, each with the months that used them.
    pub fn references(&self) -> &[OfMonths<Reference<'f>>] {
        &self.references
    }

    /// Remarks on the figures used that have no source to be shown under, each with its months.
    pub fn unsourced(&self) -> &[OfMonths<FigureRemark<'f>>] {
        &self.unsourced
    }

    /// The warnings, each with its months.
    pub fn warnings(&self) -> &[OfMonths<Warning>] {
        &self.warnings
    }

    /// The warnings about a month.
    pub fn warnings_of(&self, month: i8) -> Vec<Warning> {
        let of_month = self.warnings.iter();
        let of_month = of_month.filter(|warning| warning.months.contains(&month));
        of_month.map(|warning| warning.what.clone()).collect()
    }

    /// The version of the law that it applies: that of its months, or a digest of theirs where
    /// they differ.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The citation line of the answer, in French.
    pub fn citation(&self) -> &str {
        &self.citation
    }

    /// The answer as it is written.
    pub fn datum(&self) -> Datum<'_> {
        Datum::Object(self)
    }

    /// Appends the JSON text: equal calculations give equal bytes.
    pub fn write_json(&self, out: &mut String) {
        self.datum().write(out);
    }

    /// The JSON text, as a new string.
    pub fn to_json(&self) -> String {
        let mut text = String::with_capacity(USUAL_LENGTH);
        self.write_json(&mut text);
        text
    }
}

/// Greatest usual length of an answer of twelve months in bytes: the buffer is allocated once.
const USUAL_LENGTH: usize = 65_536;

impl Folder {
    /// The block `year:` of its last method that has one; `None` where the folder computes no year
    /// of pays.
    pub fn year_block(&self) -> Option<&YearBlock> {
        self.year_method().map(|(_, block)| block)
    }

    /// Its last method that computes a year of pays, with the block that says so.
    pub(crate) fn year_method(&self) -> Option<(&Method, &YearBlock)> {
        let mut methods = self.editions.iter().rev().map(Edition::method);
        methods.find_map(|method| Some((method, method.year()?)))
    }

    /// The inputs of a year of pays, in order: those of a single pay, without the ones for single
    /// months only. Empty where the folder computes no year of pays.
    pub fn year_inputs(&self) -> Vec<&Input> {
        let Some((method, block)) = self.year_method() else {
            return Vec::new();
        };

        // A year gives each month its rank itself.
        let rank = block
            .rank()
            .and_then(|rank| rank.of(method.inputs()))
            .map(|rank| rank.name.as_str());

        let is_asked = |input: &&Input| {
            !block.is_excluded_in_year(&input.name) && rank != Some(input.name.as_str())
        };
        self.inputs().into_iter().filter(is_asked).collect()
    }

    /// Names of the parameters of a year of pays: those that say which months, then the inputs.
    /// None where the folder computes no year.
    pub fn year_parameters(&self) -> Vec<&str> {
        let inputs = self.year_inputs();

        // A folder without a year has no inputs of one, and no other parameters of it either.
        let general = of_call(Call::YearRow)
            .filter(|_| !inputs.is_empty())
            .map(|parameter| parameter.name);

        general
            .chain(inputs.iter().map(|input| input.name.as_str()))
            .collect()
    }

    /// Calculates a year of pays. The query has `annee`, optionally `premier_mois` (the first month
    /// of the lists, 1 by default) and `depart` (whether the contract ends with the last one). Each
    /// input that varies by month has one value for all months, or a list: values separated by `;`,
    /// or the parameter repeated; an empty place has the default. All lists have the same length,
    /// which is the number of months; without a list the months go up to December.
    ///
    /// # Errors
    /// Every bad parameter, with its month; or an internal error of the engine.
    pub fn year(&self, query: &Query) -> Result<YearCalculation<'_>, CalculationError> {
        let read = ReadYear::new(self, query).map_err(|parameters| Refusal { parameters })?;
        let year = read.year;
        let calculation = YearCalculation::new(self, year, self.run_months(read, query)?)?;

        // The law of a year is that of its months, which are known now.
        match other_law(query.sent(VERSION), calculation.version()) {
            Some(bad) => Err(Refusal {
                parameters: vec![bad],
            }
            .into()),
            None => Ok(calculation),
        }
    }

    /// Computes the months one after the other; a refused month refuses the year.
    fn run_months<'f>(
        &'f self,
        read: ReadYear<'f>,
        query: &Query,
    ) -> Result<Vec<YearMonth<'f>>, CalculationError> {
        let ReadYear {
            months,
            lists,
            detail,
            ..
        } = read;

        let count = months.len();
        let programs: Vec<&Program> = months
            .iter()
            .map(|month| month.edition.program())
            .collect::<Result<_, _>>()?;

        // Values that do not depend on other months are computed first, for the formulas that read
        // those of later ones.
        let known_ahead = |(month, program): (&ReadMonth, &&Program)| {
            program.known_ahead(&month.values, month.when)
        };
        let looks_ahead = programs.iter().any(|program| program.looks_ahead());
        let ahead: Arc<[_]> = if looks_ahead {
            months.iter().zip(&programs).map(known_ahead).collect()
        } else {
            Arc::default()
        };

        let mut earlier: Option<Arc<EarlierMonth>> = None;
        let (mut done, mut faults) = (Vec::with_capacity(count), MonthlyBadParameters::default());

        for (index, (read, program)) in months.into_iter().zip(programs).enumerate() {
            let ReadMonth {
                month,
                date,
                edition,
                when,
                values,
                fields,
            } = read;

            if !faults.is_empty() {
                // Sums with a hole in them would be wrong: what the inputs alone say is all there
                // is to say.
                faults.take(month, program.refused_by_inputs(values, when));
                continue;
            }

            let others = OtherMonths {
                earlier: earlier.take(),
                ahead: Arc::clone(&ahead),
                month: index,
                in_year: true,
            };

            // Lists of earlier months are chains: each holds the one before, and none is copied.
            let before = others.earlier.clone();

            let mut run = match program.run_month(values, when, Arc::new(others)) {
                Ok(run) => run,
                Err(CalculationError::Refused(refusal)) => {
                    faults.take(month, refusal.parameters);
                    continue;
                }
                Err(fault) => return Err(fault),
            };

            earlier = Some(Arc::new(EarlierMonth {
                values: program.left_for_later(&run),
                before,
            }));

            run.warnings.extend(without_effect(query, edition.method()));

            let calculation =
                Calculation::new(self, edition, run, query.explanation(detail), fields)?;

            done.push(YearMonth {
                month,
                date,
                calculation,
            });
        }

        if faults.is_empty() {
            return Ok(done);
        }

        Err(Refusal {
            parameters: faults.into_list(count, &lists),
        }
        .into())
    }
}

impl<'f> YearCalculation<'f> {
    fn new(
        folder: &'f Folder,
        year: i16,
        months: Vec<YearMonth<'f>>,
    ) -> Result<Self, CalculationError> {
        let totals = totals(&months)?;

        let laws = months
            .iter()
            .map(|month| month.calculation.edition().version());
        let version = version_of_year(laws);
        let citation = cited(folder, year, &months, &version);

        // A warning of several months is in the answer once, with its months.
        let warned = |month: &YearMonth| {
            let own = month.calculation.warnings().iter().cloned();
            own.chain(of_edition(folder, &months, month)).collect()
        };

        let warnings = OfMonths::merged(&months, warned, |a, b| a == b);

        let references = OfMonths::merged(
            &months,
            |month| month.calculation.references().to_vec(),
            |a, b| a.is_equal_to(b),
        );

        let unsourced = OfMonths::merged(
            &months,
            |month| month.calculation.unsourced().to_vec(),
            |a, b| a == b,
        );

        Ok(Self {
            year,
            months,
            totals,
            version,
            citation,
            references,
            unsourced,
            warnings,
        })
    }
}
