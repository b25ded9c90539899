//! The answer of a year of pays: totals, members shared by several months, JSON.

use sha2::{Digest as _, Sha256};

use crate::law::Warning;
use crate::law::members::{
    AUTOMATIC, MONTH, OF_MONTHS, SCALE_IN_FORCE, STEPS, YEAR, visit_members,
};
use crate::law::method::YearBlock;
use crate::run::rules::version_of;
use crate::run::{Calculation, CalculationError, Edition, Folder};
use crate::say;
use crate::text::date_in_words::since;
use crate::text::json::Key;
use crate::text::{Datum, List, Object};

use super::{OfMonths, Total, YearCalculation, YearMonth};

/// Adds up the fields that the block `year:` of the last month names.
pub(super) fn totals<'f>(months: &[YearMonth<'f>]) -> Result<Vec<Total<'f>>, CalculationError> {
    let block = months
        .last()
        .and_then(|month| month.calculation.edition().method().year());

    // The block names the fields in the order in which the answer shows them.
    let names = block.into_iter().flat_map(YearBlock::totals);
    let mut totals = Vec::new();
    for name in names {
        totals.extend(total(name, months)?);
    }
    Ok(totals)
}

/// The sum of a field over the months that have it.
fn total<'f>(name: &str, months: &[YearMonth<'f>]) -> Result<Option<Total<'f>>, CalculationError> {
    let (mut values, mut last) = (Vec::with_capacity(months.len()), None);
    for month in months {
        let Calculation { run, chosen, .. } = &month.calculation;

        let fields = month
            .calculation
            .edition()
            .method()
            .fields()
            .iter()
            .enumerate();

        let Some((index, field)) = fields.into_iter().find(|(_, field)| field.name == name) else {
            continue;
        };

        let is_asked = chosen
            .as_ref()
            .is_none_or(|chosen| chosen.fields.contains(&index));
        if !is_asked || !run.runs(field.option) {
            continue;
        }

        // Exact values are added up: a sum of rounded months would differ from the year by cents.
        if let Some(value) = run.exact(index)? {
            values.push(value);
            last = Some((run, index, field));
        }
    }

    // The last month that has the field says how the sum is rounded.
    let Some((run, index, field)) = last else {
        return Ok(None);
    };

    Ok(Some(Total {
        field,
        value: run.total(index, values)?,
    }))
}

/// The citation line of a year of pays:
/// `Barème, Salaire brut en net, année 2026 (barèmes au 1er janvier 2026 et au 1er mai 2026), version 8b017a56`.
pub(super) fn cited(folder: &Folder, year: i16, months: &[YearMonth], version: &str) -> String {
    let mut editions: Vec<&Edition> = months
        .iter()
        .map(|month| month.calculation.edition())
        .collect();
    // Months of one edition follow each other.
    editions.dedup_by(|a, b| a.is_of_file_of(b));

    let lang = folder.lang();
    let starts = editions
        .iter()
        .filter_map(|edition| Some(since(edition.scale()?.date, lang)));
    let starts: Vec<String> = starts.collect();

    let title = editions
        .last()
        .map_or_else(|| folder.title(), |edition| edition.method().title.as_str());

    let scales = match starts.as_slice() {
        [] => String::new(),
        [only] => say!(lang, " (barème {only})", " (scale {only})"),
        [first @ .., last] => {
            let first = first.join(", ");
            say!(
                lang,
                " (barèmes {first} et {last})",
                " (scales {first} and {last})"
            )
        }
    };

    let cited = say!(
        lang,
        "{title}, année {year}{scales}",
        "{title}, year {year}{scales}"
    );
    Edition::cited(&cited, version)
}

/// The version of the law of a year of pays, by those of its months in their order: theirs where
/// they share it, else a digest of the different ones.
///
/// ```
/// use bareme_engine::run::version_of_year;
///
/// assert_eq!(version_of_year(["aa", "aa"]), "aa");
/// assert_eq!(version_of_year(["aa", "bb", "bb"]), version_of_year(["aa", "bb"]));
/// assert_ne!(version_of_year(["aa", "bb"]), version_of_year(["bb", "aa"]));
/// ```
pub fn version_of_year<'v>(months: impl IntoIterator<Item = &'v str>) -> String {
    let mut versions: Vec<&str> = months.into_iter().collect();
    versions.dedup();

    match versions.as_slice() {
        [only] => (*only).to_owned(),
        several => version_of(Sha256::digest(several.join("\n")).into()),
    }
}

/// The warnings that every month of an edition has.
pub(super) fn of_edition(folder: &Folder, months: &[YearMonth], month: &YearMonth) -> Vec<Warning> {
    let edition = month.calculation.edition();

    // The last day of the edition's months decides whether a warning is due, so that the months
    // have one and the same.
    let of_it = months
        .iter()
        .rev()
        .find(|other| other.calculation.edition().is_of_file_of(edition));

    folder.warnings_of_day(
        edition,
        month.date,
        of_it.map_or(month.date, |last| last.date),
    )
}

impl Object for YearCalculation<'_> {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        // `champs` selects the same members in every month: the first one shows which.
        let shows = |name: &str| {
            let member = AUTOMATIC.iter().find(|member| member.name == name);
            let first = self.months.first();
            member
                .zip(first)
                .is_none_or(|(member, month)| month.calculation.shows(member))
        };

        let values = [
            Some(Datum::Number(self.year.into())),
            Some(Datum::List(&self.months)),
            Some(Datum::Object(&self.totals)),
            Some(Datum::List(&self.references)),
            (!self.unsourced.is_empty()).then_some(Datum::List(&self.unsourced)),
            Some(Datum::Text(self.version())),
            Some(Datum::Text(&self.citation)),
            (!self.warnings.is_empty()).then_some(Datum::List(&self.warnings)),
        ];

        let mut table = YEAR.iter();

        let shown = values.map(|value| {
            let member = table.next();
            value.filter(|_| member.is_some_and(|member| shows(member.name)))
        });

        visit_members(&YEAR, shown, visit);
    }
}

/// JSON of a month, without the members that are merged for the year.
impl Object for YearMonth<'_> {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        visit(MONTH.written(), Datum::Number(self.month.into()));
        for (field, value) in self.calculation.fields() {
            visit(Key::written(&field.name, &field.key), value.datum());
        }
        let scale = self
            .calculation
            .edition()
            .scale()
            .filter(|_| self.calculation.shows(&SCALE_IN_FORCE));
        if let Some(scale) = scale {
            visit(SCALE_IN_FORCE.written(), Datum::Shown(&scale.date));
        }
        if let Some(steps) = self.calculation.detailed() {
            visit(STEPS.written(), Datum::List(steps));
        }
    }
}

impl Object for Vec<Total<'_>> {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        for total in self {
            visit(
                Key::written(&total.field.name, &total.field.key),
                total.value.datum(),
            );
        }
    }
}

/// JSON of what a month says, with the months, unless these are all of them.
impl<T: Object> Object for OfMonths<T> {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        self.what.visit(visit);
        if !self.always {
            visit(OF_MONTHS.written(), Datum::List(&self.months));
        }
    }
}

impl List for Vec<i8> {
    fn count(&self) -> usize {
        self.len()
    }

    fn item(&self, index: usize) -> Option<Datum<'_>> {
        self.get(index).map(|month| Datum::Number((*month).into()))
    }
}
