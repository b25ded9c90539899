//! The slices of a scale: their edges, and what of a base falls in them.

use rust_decimal::Decimal;

use crate::figure::Figure;
use crate::formula::EvalError;
use crate::number::{NUMBER_DECIMALS, mul, round_decimals, sub};

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
    /// As it is shown: amounts with the decimals of the answer.
    pub(crate) fn shown(self, decimals: u32, tax: Option<&'f Step>) -> Self {
        let amount = |amount| round_decimals(amount, decimals);
        Self {
            tax,
            from: amount(self.from),
            to: self.to.map(amount),
            rate: round_decimals(self.rate, NUMBER_DECIMALS),
            // As the law prints it: its decimals may go beyond those of an amount.
            constant: self.constant.map(|constant| round_decimals(constant, NUMBER_DECIMALS)),
            base: amount(self.base),
            amount: amount(self.amount),
        }
    }
}

pub(super) fn times(a: Decimal, b: Decimal) -> Result<Decimal, EvalError> {
    if b == Decimal::ONE { Ok(a) } else { Ok(mul(a, b)?) }
}

pub(super) fn part_between(base: Decimal, from: Decimal, to: Option<Decimal>) -> Result<Decimal, EvalError> {
    let top = to.map_or(base, |to| base.min(to));
    Ok(sub(top, from)?.max(Decimal::ZERO))
}

/// Lower and upper edge of the slice at a place of a group: the first slice starts at 0, the last has
/// no upper edge.
pub(super) fn edges(
    figure: &Figure,
    group: &[usize],
    place: usize,
    shares: Decimal,
) -> Result<(Decimal, Option<Decimal>), EvalError> {
    let bound = |place: Option<usize>| {
        let row = place.and_then(|place| group.get(place)).and_then(|row| figure.rows.get(*row));
        row.and_then(|row| row.bound).map(|bound| times(bound.value, shares)).transpose()
    };
    let (from, to) = if figure.upper { (place.checked_sub(1), Some(place)) } else { (Some(place), Some(place + 1)) };
    Ok((bound(from)?.unwrap_or_default(), bound(to)?))
}
