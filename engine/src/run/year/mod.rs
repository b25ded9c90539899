//! A year of pays: up to twelve months of one calendar year, computed one after the other, each by the scale of its own
//! last day. What the law adds up since January, a month reads from those before it; nothing is kept between calls.

mod answer;
mod month;
mod query;

use std::sync::Arc;

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::law::answer::Field;
use crate::law::formula::{EarlierMonth, OtherMonths};
use crate::law::input::Input;
use crate::law::method::YearBlock;
use crate::law::references::{FigureRemark, Reference};
use crate::run::calculation::Calculation;
use crate::run::edition::Edition;
use crate::run::error::CalculationError;
use crate::run::folder::Folder;
use crate::run::query::{Query, without_effect};
use crate::text::json::Datum;
use crate::text::lang::Text;
use crate::text::refusal::Refusal;

use answer::{cited, of_edition, totals};
pub(crate) use month::YearSlots;
pub(crate) use query::days_of_year;
use query::{Found, ReadMonth, ReadYear};

/// The answer of a folder to the query of a year of pays: its months, what they add up to, and once what they have in
/// common. Its JSON is written straight from the computed values.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().about(&["salaire"]).load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("salaire").ok_or("no such folder")?;
/// use bareme_engine::Query;
///
/// let year = folder.year(&Query::from([("annee", "2026"), ("brut", "2600;2600;3000"), ("premier_mois", "10")]))?;
/// assert_eq!(year.months().iter().map(|month| month.month).collect::<Vec<_>>(), [10, 11, 12]);
/// assert_eq!(year.total("brut"), Some(8200.into()));
/// assert!(year.to_json().starts_with(r#"{"annee":2026,"mois":[{"mois":10,"brut":2600,"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct YearCalculation<'f> {
    folder: &'f Folder,
    year: i16,
    months: Vec<YearMonth<'f>>,
    totals: Vec<Total<'f>>,
    citation: String,
    references: Vec<OfMonths<Reference<'f>>>,
    unsourced: Vec<OfMonths<FigureRemark<'f>>>,
    warnings: Vec<OfMonths<Text<String>>>,
}

/// A month of a year of pays.
///
/// [`YearCalculation::months`] lists them.
#[derive(Debug)]
#[non_exhaustive]
pub struct YearMonth<'f> {
    /// The month, 1 to 12.
    pub month: i8,
    /// Its last day: the scale of that day computed it.
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
    /// The sum of its values before they are rounded for show, rounded as the field is.
    pub value: Decimal,
}

/// Something that an answer of a year of pays says once for several months.
///
/// [`YearCalculation::warnings`] and [`YearCalculation::references`] list them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OfMonths<T> {
    /// What it is.
    pub what: T,
    /// The months that it is about, 1 to 12, in order.
    pub months: Vec<i8>,
    /// Whether these are all the months of the answer.
    pub always: bool,
}

impl<T> OfMonths<T> {
    /// Merges the warnings of the months, each once.
    fn merged<'m, 'f: 'm>(
        months: &'m [YearMonth<'f>],
        said: impl Fn(&'m YearMonth<'f>) -> Vec<T>,
        is_it: impl Fn(&T, &T) -> bool,
    ) -> Vec<Self> {
        let mut list: Vec<Self> = Vec::new();
        for month in months {
            for what in said(month) {
                match list.iter_mut().find(|known| is_it(&known.what, &what)) {
                    Some(known) if known.months.last() == Some(&month.month) => {}
                    Some(known) => known.months.push(month.month),
                    None => list.push(Self { what, months: vec![month.month], always: false }),
                }
            }
        }
        list.iter_mut().for_each(|known| known.always = known.months.len() == months.len());
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

    /// The fields that are added up, in the order of the block `year:`; those that no month answers are left out.
    pub fn totals(&self) -> &[Total<'f>] {
        &self.totals
    }

    /// The sum of a field over the months, if the year adds it up.
    pub fn total(&self, field: &str) -> Option<Decimal> {
        self.totals.iter().find(|total| total.field.name == field).map(|total| total.value)
    }

    /// The sources of the figures that were used, each with the months in which they were.
    pub fn references(&self) -> &[OfMonths<Reference<'f>>] {
        &self.references
    }

    /// Remarks on the figures that were used and that no text sets, each with its months.
    pub fn unsourced(&self) -> &[OfMonths<FigureRemark<'f>>] {
        &self.unsourced
    }

    /// The warnings of the months, each once with its months; the sentences of a method are those of its analyst, in
    /// French.
    pub fn warnings(&self) -> &[OfMonths<Text<String>>] {
        &self.warnings
    }

    /// Hash of the content of the rule files.
    pub fn version(&self) -> &'f str {
        self.folder.version()
    }

    /// The line by which a report cites the answer, in French.
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

    /// The JSON text, in a string of its own.
    pub fn to_json(&self) -> String {
        let mut text = String::with_capacity(USUAL_LENGTH);
        self.write_json(&mut text);
        text
    }
}

/// Answers of twelve months take up to sixty kilobytes.
const USUAL_LENGTH: usize = 65_536;

impl Folder {
    /// The block `year:` of its last method that has one: none where the folder computes no year of pays.
    pub fn year_block(&self) -> Option<&YearBlock> {
        self.editions.iter().rev().find_map(|edition| edition.method().year())
    }

    /// The inputs of a year of pays, in order: those of a single pay, but what only it has. None where the folder computes no
    /// year.
    pub fn year_inputs(&self) -> Vec<&Input> {
        let with_year = self.editions.iter().rev().map(Edition::method).find(|method| method.year().is_some());
        let Some((method, block)) = with_year.and_then(|method| Some((method, method.year()?))) else {
            return Vec::new();
        };
        let rank = block.rank().and_then(|rank| rank.of(method.inputs())).map(|rank| rank.name.as_str());
        let is_asked = |input: &&Input| !block.goes_without(&input.name) && rank != Some(input.name.as_str());
        self.inputs().into_iter().filter(is_asked).collect()
    }

    /// Calculates a year of pays. The query has `annee`, and if need be `premier_mois` (the first month of the lists, 1)
    /// and `depart` (whether the contract ends with the last one); each input that varies by month is one value for all
    /// months, or a list: its months separated by `;`, or the parameter repeated, an empty place being the default. The
    /// lists have one length, which is the number of months; without a list the months are those that the year has left.
    ///
    /// # Errors
    /// Every parameter that cannot be used, with its month; or a fault of the engine.
    pub fn year(&self, query: &Query) -> Result<YearCalculation<'_>, CalculationError> {
        let read = ReadYear::new(self, query).map_err(|parameters| Refusal { parameters })?;
        if !read.bad.is_empty() {
            return Err(Refusal { parameters: read.bad }.into());
        }
        let year = read.year;
        YearCalculation::new(self, year, self.run_months(read, query)?)
    }

    /// Computes the months one after the other; one that is refused refuses the year.
    fn run_months<'f>(&'f self, read: ReadYear<'f>, query: &Query) -> Result<Vec<YearMonth<'f>>, CalculationError> {
        let ReadYear { months, lists, detail, .. } = read;
        let count = months.len();
        let ahead = |month: &ReadMonth| month.edition.program.known_ahead(&month.values, month.when);
        let looks_ahead = months.iter().any(|month| month.edition.program.looks_ahead());
        let ahead: Arc<[_]> = if looks_ahead { months.iter().map(ahead).collect() } else { Arc::default() };
        let mut earlier: Option<Arc<EarlierMonth>> = None;
        let (mut done, mut found) = (Vec::with_capacity(count), Found::default());
        for (index, read) in months.into_iter().enumerate() {
            let ReadMonth { month, date, edition, when, values, fields } = read;
            let program = &edition.program;
            if !found.is_empty() {
                // Sums with a hole in them would be wrong: what the inputs alone say is all there is to say.
                found.take(month, program.refused_by_inputs(values, when));
                continue;
            }
            let others =
                OtherMonths { earlier: earlier.take(), ahead: Arc::clone(&ahead), month: index, in_year: true };
            let before = others.earlier.clone();
            let mut run = match program.run_month(values, when, Arc::new(others)) {
                Ok(run) => run,
                Err(CalculationError::Refused(refusal)) => {
                    found.take(month, refusal.parameters);
                    continue;
                }
                Err(fault) => return Err(fault),
            };
            earlier = Some(Arc::new(EarlierMonth { values: program.left_for_later(&run), before }));
            run.warnings.extend(without_effect(query, edition.method()));
            let calculation = Calculation::new(self, edition, run, detail, fields)?;
            done.push(YearMonth { month, date, calculation });
        }
        if found.is_empty() {
            return Ok(done);
        }
        Err(Refusal { parameters: found.told(count, &lists) }.into())
    }
}

impl<'f> YearCalculation<'f> {
    fn new(folder: &'f Folder, year: i16, months: Vec<YearMonth<'f>>) -> Result<Self, CalculationError> {
        let totals = totals(&months)?;
        let citation = cited(folder, year, &months);
        let warned = |month: &YearMonth| {
            let own = month.calculation.warnings().iter().cloned();
            own.chain(of_edition(folder, &months, month)).collect()
        };
        let warnings = OfMonths::merged(&months, warned, |a, b| a == b);
        let references =
            OfMonths::merged(&months, |month| month.calculation.references().to_vec(), |a, b| a.is_alike(b));
        let unsourced = OfMonths::merged(&months, |month| month.calculation.unsourced().to_vec(), |a, b| a == b);
        Ok(Self { folder, year, months, totals, citation, references, unsourced, warnings })
    }
}
