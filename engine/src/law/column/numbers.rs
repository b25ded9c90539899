//! Numbers of a block and their arithmetic: scaled integers where nothing can overflow, integers
//! near the numbers where these have too many decimals, else decimals.

use std::cmp::Ordering;
use std::sync::Arc;

use rust_decimal::Decimal;

use crate::law::formula::EvalError;
use crate::text::number::{
    self, ArithmeticError, GUARD_DECIMALS, RoundMode, compare, round_decimals,
};

use super::active::{Active, Booleans};
use super::block::Block;
use super::near::{Found, Near, Nearby};
use super::scaled::{Operand, Scaled};

/// Numbers, one a row.
#[derive(Debug, Clone)]
pub(crate) enum Numbers {
    One(Decimal),
    Scaled(Scaled),
    Near(Near),
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
            Self::Near(near) => near.at(row),
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
            Self::Near(_) | Self::Decimals(_) => None,
        }
    }

    pub(crate) fn select_rows(&self, rows: &[usize]) -> Self {
        match self {
            Self::One(_) => self.clone(),
            Self::Scaled(scaled) => Self::Scaled(scaled.select_rows(rows)),
            Self::Near(near) => Self::Near(near.select_rows(rows)),
            Self::Decimals(values) => Self::Decimals(super::select_rows(values, rows)),
        }
    }

    /// Takes each row from `yes` where the condition holds, from `no` elsewhere.
    pub(crate) fn select(test: &[bool], yes: &Self, no: &Self) -> Self {
        // Integers where both sides have them, or are near some, decimals otherwise.
        let scaled = || Operand::select(test, &yes.operand()?, &no.operand()?);
        if let Some(scaled) = scaled() {
            return Self::Scaled(scaled);
        }

        let near = || Nearby::select(test, &Nearby::of(yes)?, &Nearby::of(no)?);
        if let Some(found) = near() {
            let (test, yes, no): (Arc<[bool]>, _, _) = (test.into(), yes.clone(), no.clone());
            return Self::Near(Near::new(found, move |row| {
                if *test.get(row)? {
                    yes.at(row)
                } else {
                    no.at(row)
                }
            }));
        }

        let chosen = |(row, test): (usize, &bool)| if *test { yes.at(row) } else { no.at(row) };
        let values = test.iter().enumerate();
        let values = values.map(|pair| chosen(pair).unwrap_or_default());
        Self::Decimals(values.collect())
    }

    /// The numbers near those that an operation gives.
    fn near(&self, other: &Self, found: Found, exact: Exact) -> Self {
        let (a, b) = (self.clone(), other.clone());
        Self::Near(Near::new(found, move |row| {
            exact(a.at(row)?, b.at(row)?).ok()
        }))
    }

    fn combined(
        &self,
        other: &Self,
        quick: impl Fn(&Operand, &Operand) -> Option<Scaled>,
        near: impl Fn(&Nearby, &Nearby) -> Option<Found>,
        exact: Exact,
        block: &Block,
        active: &Active,
    ) -> Self {
        // One number on both sides: one operation for the whole block.
        if let (Self::One(a), Self::One(b)) = (self, other) {
            return Self::One(exact(*a, *b).unwrap_or_else(|_| block.fail_all(active)));
        }

        let scaled = || quick(&self.operand()?, &other.operand()?);
        if let Some(scaled) = scaled() {
            return Self::Scaled(scaled);
        }

        // Where integers represent both sides, the decimals of each row do not cost more.
        let near = || {
            let (a, b) = (Nearby::of(self)?, Nearby::of(other)?);
            let is_near = !(a.is_exact() && b.is_exact());
            is_near.then(|| near(&a, &b)).flatten()
        };
        match near() {
            Some(found) => self.near(other, found, exact),
            None => block.each_row(active, &[self, other], |[a, b]| Ok(exact(*a, *b)?)),
        }
    }

    pub(crate) fn plus(&self, other: &Self, block: &Block, active: &Active) -> Self {
        let quick = |a: &Operand, b: &Operand| a.together(b, i64::checked_add, i64::wrapping_add);
        let near = |a: &Nearby, b: &Nearby| a.together(b, i64::checked_add, i64::wrapping_add);
        self.combined(other, quick, near, number::add, block, active)
    }

    pub(crate) fn minus(&self, other: &Self, block: &Block, active: &Active) -> Self {
        let quick = |a: &Operand, b: &Operand| a.together(b, i64::checked_add, i64::wrapping_sub);
        let near = |a: &Nearby, b: &Nearby| a.together(b, i64::checked_add, i64::wrapping_sub);
        self.combined(other, quick, near, number::sub, block, active)
    }

    pub(crate) fn times(&self, other: &Self, block: &Block, active: &Active) -> Self {
        // Scales add up: products with too many decimals are computed as decimals.
        self.combined(
            other,
            Operand::times,
            Nearby::times,
            number::mul,
            block,
            active,
        )
    }

    pub(crate) fn divided_by(&self, other: &Self, block: &Block, active: &Active) -> Self {
        // Division by a number such as 2 or 100 is multiplication by 0.5 or 0.01, which is exact,
        // and which integers can do.
        if let Self::One(divisor) = other
            && let Some(inverse) = exact_inverse(*divisor)
        {
            return self.times(&Self::One(inverse), block, active);
        }

        // A row without a quotient is found by the decimals.
        let has_all = |divisor: &Operand| match divisor {
            Operand::One { value, .. } => *value != 0,
            Operand::Each(each) => !each.values.contains(&0),
        };
        self.quotients(other, has_all, number::div)
            .unwrap_or_else(|| {
                let none = |_: &Operand, _: &Operand| None;
                let none_near = |_: &Nearby, _: &Nearby| None;
                self.combined(other, none, none_near, number::div, block, active)
            })
    }

    /// The quotients, 0 where the divisor is 0, as `exact` gives them too; `None` where decimals
    /// have to give them.
    pub(crate) fn ratio(&self, other: &Self, exact: Exact) -> Option<Self> {
        self.quotients(other, |_| true, exact)
    }

    fn quotients(
        &self,
        other: &Self,
        is_computed: impl Fn(&Operand) -> bool,
        exact: Exact,
    ) -> Option<Self> {
        // Two constants are divided once, in decimals.
        if let (Self::One(_), Self::One(_)) = (self, other) {
            return None;
        }
        let (dividend, divisor) = (Nearby::of(self)?, other.operand()?);
        if !is_computed(&divisor) {
            return None;
        }

        let (found, is_exact) = dividend.quotients(&divisor)?;
        Some(match is_exact {
            true => found.into_exact(),
            false => self.near(other, found, exact),
        })
    }

    /// Powers by a number of quarters, which `exact` gives too; `None` where decimals have to give
    /// them.
    pub(crate) fn power(
        &self,
        quarters: u32,
        exact: fn(Decimal, u32) -> Option<Decimal>,
        active: &Active,
    ) -> Option<Self> {
        let found = Near::power(self, quarters, active)?;
        let base = self.clone();
        let exact = move |row| exact(base.at(row)?, quarters);
        Some(Self::Near(Near::new(found, exact)))
    }

    pub(crate) fn larger(&self, other: &Self, block: &Block, active: &Active) -> Self {
        let bound = |a: i64, b: i64| Some(a.max(b));
        let quick = |a: &Operand, b: &Operand| a.together(b, bound, i64::max);
        let near = |a: &Nearby, b: &Nearby| a.together(b, bound, i64::max);
        let exact = |a, b| Ok(number::larger(a, b));
        self.combined(other, quick, near, exact, block, active)
    }

    pub(crate) fn smaller(&self, other: &Self, block: &Block, active: &Active) -> Self {
        let bound = |a: i64, b: i64| Some(a.max(b));
        let quick = |a: &Operand, b: &Operand| a.together(b, bound, i64::min);
        let near = |a: &Nearby, b: &Nearby| a.together(b, bound, i64::min);
        let exact = |a, b| Ok(number::smaller(a, b));
        self.combined(other, quick, near, exact, block, active)
    }

    /// Compares numbers row by row.
    pub(crate) fn compared(
        &self,
        other: &Self,
        short: impl Fn(&i64, &i64) -> bool + Copy,
        holds: fn(Ordering) -> bool,
        block: &Block,
    ) -> Booleans {
        if let (Self::One(a), Self::One(b)) = (self, other) {
            return Booleans::One(holds(compare(*a, *b)));
        }

        // Comparisons have no errors to keep: rows that are not active are compared as well.
        let exact = |row: usize| {
            holds(compare(
                self.at(row).unwrap_or_default(),
                other.at(row).unwrap_or_default(),
            ))
        };
        let scaled = || self.operand()?.compared(&other.operand()?, short);
        let near = || {
            let decided = Nearby::of(self)?.compared(&Nearby::of(other)?, short)?;
            let decided = decided.into_iter().enumerate();
            Some(
                decided
                    .map(|(row, holds)| holds.unwrap_or_else(|| exact(row)))
                    .collect(),
            )
        };
        let found: Option<Vec<bool>> = scaled().or_else(near);
        Booleans::each(found.unwrap_or_else(|| (0..block.rows()).map(exact).collect()))
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
        let quick = match (self, unit) {
            (Self::Scaled(scaled), Self::One(unit)) => scaled.rounded(*unit, mode),
            // A unit of 0 leaves them as they are.
            (Self::Near(_), Self::One(unit)) if unit.is_zero() => return self.clone(),
            (Self::Near(near), Self::One(unit)) => near.rounded(*unit, mode),
            _ => None,
        };
        if let Some(rounded) = quick {
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
        let of_row = |row| round_decimals(self.at(row).unwrap_or_default(), decimals);
        let of_rows = |rows: usize| Self::of_decimals((0..rows).map(of_row).collect());
        match self {
            Self::One(value) => Self::One(round_decimals(*value, decimals)),
            Self::Scaled(scaled) => Self::Scaled(scaled.shown(decimals)),
            Self::Near(near) => near
                .shown(decimals)
                .map_or_else(|| of_rows(near.scaled.values.len()), Self::Scaled),
            Self::Decimals(values) => of_rows(values.len()),
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
