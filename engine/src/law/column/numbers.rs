//! Numbers of a block and their arithmetic: scaled integers where nothing can overflow, else
//! decimals.

use std::cmp::Ordering;
use std::sync::Arc;

use rust_decimal::Decimal;

use crate::law::formula::EvalError;
use crate::text::number::{
    self, ArithmeticError, GUARD_DECIMALS, RoundMode, compare, round_decimals,
};

use super::active::{Active, Booleans};
use super::block::Block;
use super::scaled::{Operand, Scaled};

/// Numbers, one a row.
#[derive(Debug, Clone)]
pub(crate) enum Numbers {
    One(Decimal),
    Scaled(Scaled),
    Decimals(Arc<[Decimal]>),
}

/// Decimal arithmetic that may fail.
type Exact = fn(Decimal, Decimal) -> Result<Decimal, ArithmeticError>;

impl Numbers {
    /// A column of decimals, stored as scaled integers where these can represent them.
    pub(crate) fn of_decimals(values: Vec<Decimal>) -> Self {
        Scaled::of_decimals(&values).map_or_else(|| Self::Decimals(values.into()), Self::Scaled)
    }

    pub(crate) fn at(&self, row: usize) -> Option<Decimal> {
        match self {
            Self::One(value) => Some(*value),
            Self::Scaled(scaled) => scaled.at(row),
            Self::Decimals(values) => values.get(row).copied(),
        }
    }

    /// The numbers stored one for each row, even if they are all equal.
    pub(crate) fn each(self, rows: usize) -> Self {
        // A mask over the rows needs one number for each of them.
        match self {
            Self::One(value) => Self::of_decimals(vec![value; rows]),
            each => each,
        }
    }

    /// The numbers as an operand of integer arithmetic; `None` where integers do not represent
    /// them.
    pub(crate) fn operand(&self) -> Option<Operand> {
        match self {
            Self::One(value) => Operand::one(*value),
            Self::Scaled(scaled) => Some(Operand::Each(scaled.clone())),
            Self::Decimals(_) => None,
        }
    }

    pub(crate) fn select_rows(&self, rows: &[usize]) -> Self {
        match self {
            Self::One(_) => self.clone(),
            Self::Scaled(scaled) => Self::Scaled(Scaled {
                values: super::select_rows(&scaled.values, rows),
                ..scaled.clone()
            }),
            Self::Decimals(values) => Self::Decimals(super::select_rows(values, rows)),
        }
    }

    /// Takes each row from `yes` where the condition holds, from `no` elsewhere.
    pub(crate) fn select(test: &[bool], yes: &Self, no: &Self) -> Self {
        // Integers where both sides have them, decimals otherwise.
        let scaled = || Operand::select(test, &yes.operand()?, &no.operand()?);

        scaled().map_or_else(
            || {
                let chosen =
                    |(row, test): (usize, &bool)| if *test { yes.at(row) } else { no.at(row) };
                let values = test
                    .iter()
                    .enumerate()
                    .map(|pair| chosen(pair).unwrap_or_default());
                Self::Decimals(values.collect())
            },
            Self::Scaled,
        )
    }

    fn combined(
        &self,
        other: &Self,
        quick: impl Fn(&Operand, &Operand) -> Option<Scaled>,
        exact: Exact,
        block: &Block,
        active: &Active,
    ) -> Self {
        // One number on both sides: one operation for the whole block.
        if let (Self::One(a), Self::One(b)) = (self, other) {
            return Self::One(exact(*a, *b).unwrap_or_else(|_| block.fail_all(active)));
        }

        let scaled = || quick(&self.operand()?, &other.operand()?);
        scaled().map_or_else(
            || block.each_row(active, &[self, other], |[a, b]| Ok(exact(*a, *b)?)),
            Self::Scaled,
        )
    }

    pub(crate) fn plus(&self, other: &Self, block: &Block, active: &Active) -> Self {
        let quick = |a: &Operand, b: &Operand| a.together(b, i64::checked_add, i64::wrapping_add);
        self.combined(other, quick, number::add, block, active)
    }

    pub(crate) fn minus(&self, other: &Self, block: &Block, active: &Active) -> Self {
        let quick = |a: &Operand, b: &Operand| a.together(b, i64::checked_add, i64::wrapping_sub);
        self.combined(other, quick, number::sub, block, active)
    }

    pub(crate) fn times(&self, other: &Self, block: &Block, active: &Active) -> Self {
        // Scales add up: products with too many decimals are computed as decimals.
        self.combined(other, Operand::times, number::mul, block, active)
    }

    pub(crate) fn divided_by(&self, other: &Self, block: &Block, active: &Active) -> Self {
        // Division by a number such as 2 or 100 is multiplication by 0.5 or 0.01, which is exact,
        // and which integers can do.
        if let Self::One(divisor) = other
            && let Some(inverse) = exact_inverse(*divisor)
        {
            return self.times(&Self::One(inverse), block, active);
        }
        self.combined(other, |_, _| None, number::div, block, active)
    }

    pub(crate) fn larger(&self, other: &Self, block: &Block, active: &Active) -> Self {
        let quick = |a: &Operand, b: &Operand| a.together(b, |a, b| Some(a.max(b)), i64::max);
        self.combined(other, quick, |a, b| Ok(number::larger(a, b)), block, active)
    }

    pub(crate) fn smaller(&self, other: &Self, block: &Block, active: &Active) -> Self {
        let quick = |a: &Operand, b: &Operand| a.together(b, |a, b| Some(a.max(b)), i64::min);
        self.combined(
            other,
            quick,
            |a, b| Ok(number::smaller(a, b)),
            block,
            active,
        )
    }

    /// Compares numbers row by row.
    pub(crate) fn compared(
        &self,
        other: &Self,
        short: fn(&i64, &i64) -> bool,
        holds: fn(Ordering) -> bool,
        block: &Block,
    ) -> Booleans {
        if let (Self::One(a), Self::One(b)) = (self, other) {
            return Booleans::One(holds(compare(*a, *b)));
        }

        // Comparisons have no errors to keep: rows that are not active are compared as well.
        let scaled = || self.operand()?.compared(&other.operand()?, short);
        Booleans::each(scaled().unwrap_or_else(|| {
            let order = |row| {
                compare(
                    self.at(row).unwrap_or_default(),
                    other.at(row).unwrap_or_default(),
                )
            };
            (0..block.rows()).map(|row| holds(order(row))).collect()
        }))
    }

    /// Rounds to multiples of a unit; a unit of 0 leaves the values alone.
    pub(crate) fn rounded(
        &self,
        unit: &Self,
        mode: RoundMode,
        block: &Block,
        active: &Active,
    ) -> Self {
        // Integers decide only where the fifteen decimals of a single calculation would decide the
        // same.
        if let (Self::Scaled(scaled), Self::One(unit)) = (self, unit)
            && let Some(rounded) = scaled.rounded(*unit, mode)
        {
            return Self::Scaled(rounded);
        }

        let exact = |[value, unit]: &[Decimal; 2]| {
            number::round(*value, *unit, mode).ok_or(EvalError::Overflow)
        };

        if let (Self::One(value), Self::One(unit)) = (self, unit) {
            return Self::One(exact(&[*value, *unit]).unwrap_or_else(|_| block.fail_all(active)));
        }

        block.each_row(active, &[self, unit], exact)
    }

    /// Rounds half up to a number of decimals, as everything that is shown.
    pub(crate) fn shown(&self, decimals: u32) -> Self {
        match self {
            Self::One(value) => Self::One(round_decimals(*value, decimals)),
            // Fewer decimals than are shown: there is nothing to round.
            Self::Scaled(scaled) if scaled.scale <= decimals => self.clone(),
            // Through the decimals that single calculations keep, so that both round the same
            // number.
            Self::Scaled(scaled) => Self::Scaled(
                scaled
                    .cut(GUARD_DECIMALS, RoundMode::HalfUp)
                    .cut(decimals, RoundMode::HalfUp),
            ),
            Self::Decimals(values) => Self::of_decimals(
                values
                    .iter()
                    .map(|value| round_decimals(*value, decimals))
                    .collect(),
            ),
        }
    }
}

/// The inverse of a divisor, if it has a finite decimal expansion.
fn exact_inverse(divisor: Decimal) -> Option<Decimal> {
    // An inverse that was itself rounded would give other results than the division.
    let inverse = Decimal::ONE.checked_div(divisor)?.normalize();
    let is_exact =
        inverse.scale() <= GUARD_DECIMALS && number::mul(inverse, divisor) == Ok(Decimal::ONE);
    is_exact.then_some(inverse)
}
