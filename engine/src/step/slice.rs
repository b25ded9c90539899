//! The slices of a scale: their edges, and what of a base falls in them.

use rust_decimal::Decimal;

use crate::figure::Figure;
use crate::formula::EvalError;
use crate::number::{NUMBER_DECIMALS, compare, greater, lesser, round_decimals, sub, times};

use super::Step;

/// One slice of a scale, as the law prints it, with what falls in it.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().about(&["ir"]).load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("ir").ok_or("no such folder")?;
/// # let sent = [("revenu".to_owned(), "30000".to_owned())];
/// # let calculation = folder.calculate(&sent[..].into(), jiff::civil::date(2026, 3, 31))?;
/// let scale = calculation.steps()?.iter().find(|trace| trace.slices.len() > 1).ok_or("no scale")?;
/// assert!(scale.slices.windows(2).all(|two| two[0].to == Some(two[1].from) && two[0].rate < two[1].rate));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Slice<'f> {
    /// Its tax, where it is listed with the slices of others.
    pub tax: Option<&'f Step>,
    /// Lower bound.
    pub from: Decimal,
    /// Upper bound; none for the last slice.
    pub to: Option<Decimal>,
    /// Its rate, as a fraction: 0.07 for 7 %.
    pub rate: Decimal,
    /// The printed amount of the forms with `less` or `plus`.
    pub constant: Option<Decimal>,
    /// Part of the base in the slice.
    pub base: Decimal,
    /// Tax of the slice.
    pub amount: Decimal,
}

impl<'f> Slice<'f> {
    /// Rounds it as it is shown: amounts to the decimals of the answer.
    pub(crate) fn show(&mut self, decimals: u32, tax: Option<&'f Step>) {
        self.tax = tax;
        for amount in [&mut self.from, &mut self.base, &mut self.amount] {
            *amount = round_decimals(*amount, decimals);
        }
        self.to = self.to.map(|to| round_decimals(to, decimals));
        self.rate = round_decimals(self.rate, NUMBER_DECIMALS);
        // As the law prints it: its decimals may go beyond those of an amount.
        self.constant = self.constant.map(|constant| round_decimals(constant, NUMBER_DECIMALS));
    }
}

/// What of a base is between two edges.
pub(super) fn part_between(base: Decimal, edges: &Edges) -> Result<Decimal, EvalError> {
    if compare(base, edges.from).is_le() {
        return Ok(Decimal::ZERO);
    }
    let top = edges.to.map_or(base, |to| lesser(base, to));
    Ok(greater(sub(top, edges.from)?, Decimal::ZERO))
}

/// The edges of the slice of a row.
pub(super) struct Edges {
    pub row: usize,
    pub from: Decimal,
    /// None for the last slice, which has no end.
    pub to: Option<Decimal>,
}

/// The edges of the slices of a group of rows, in order: the first slice starts at 0. Bounds are multiplied by
/// `shares`.
pub(super) fn edges<'f>(
    figure: &'f Figure,
    group: &'f [usize],
    shares: Decimal,
) -> impl Iterator<Item = Result<Edges, EvalError>> + use<'f> {
    let edge = move |row: Option<&usize>| {
        let bound = row.and_then(|row| figure.rows.get(*row)?.bound);
        bound.map(|bound| times(bound.value, shares)).transpose()
    };
    // An upper bound is the end of its own slice, a lower one that of the slice before.
    let ends = if figure.upper { group } else { group.get(1..).unwrap_or_default() };
    let mut start = if figure.upper { Ok(None) } else { edge(group.first()) };
    group.iter().enumerate().map(move |(place, row)| {
        let end = edge(ends.get(place));
        let from = std::mem::replace(&mut start, end)?.unwrap_or_default();
        Ok(Edges { row: *row, from, to: end? })
    })
}
