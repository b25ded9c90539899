//! Brackets over a block of rows: the tax and the marginal rate of each row.

use std::sync::Arc;

use rust_decimal::Decimal;

use crate::law::column::{Active, Block, Numbers, Operand, Scaled};
use crate::law::formula::EvalError;
use crate::text::number::{integer_at_scale, power_of_ten_short};

use super::bracket::{self, Bracket};
use super::changes::{Change, Changes};

/// The tax and the marginal rate of each row.
pub(super) struct Taxes {
    pub tax: Numbers,
    pub rate: Numbers,
}

impl Taxes {
    /// These in some rows, others in the rest.
    pub(super) fn where_true(&self, rows: &[bool], others: &Self) -> Self {
        let select = |own, other| Numbers::select(rows, own, other);
        Self {
            tax: select(&self.tax, &others.tax),
            rate: select(&self.rate, &others.rate),
        }
    }
}

impl Default for Taxes {
    fn default() -> Self {
        Self {
            tax: Numbers::One(Decimal::ZERO),
            rate: Numbers::One(Decimal::ZERO),
        }
    }
}

/// The taxes of the rows whose keys lead to these brackets.
pub(super) fn taxes(
    brackets: &[Bracket],
    bounds_are_upper: bool,
    base: &Numbers,
    shares: &Numbers,
    block: &Block,
    active: &Active,
) -> Taxes {
    // A base and shares that are the same in all rows need one calculation.
    if let (Numbers::One(base), Numbers::One(shares)) = (base, shares) {
        let (tax, rate) = exact(brackets, bounds_are_upper, *base, *shares)
            .unwrap_or_else(|_| block.fail_all(active));
        return Taxes {
            tax: Numbers::One(tax),
            rate: Numbers::One(rate),
        };
    }

    // Integers of 64 bits where they hold all values; otherwise the decimals of single
    // calculations, row by row.
    let quick = || Scale::new(brackets, base.operand()?, shares.operand()?)?.taxes(block, active);
    quick().unwrap_or_else(|| {
        let of_row = |row: usize| {
            let (base, shares) = base
                .at(row)
                .zip(shares.at(row))
                .ok_or(EvalError::Internal)?;
            exact(brackets, bounds_are_upper, base, shares)
        };

        // Errors are kept by row, so that the tax and the rate of a row fail together.
        let found: Vec<_> = (0..block.rows())
            .map(|row| {
                if active.at(row) {
                    of_row(row)
                } else {
                    Ok(<_>::default())
                }
            })
            .collect();

        let part = |part: fn(&(Decimal, Decimal)) -> Decimal| {
            block.each_row_index(active, |row| {
                found
                    .get(row)
                    .copied()
                    .unwrap_or(Err(EvalError::Internal))
                    .map(|both| part(&both))
            })
        };

        Taxes {
            tax: part(|(tax, _)| *tax),
            rate: part(|(_, rate)| *rate),
        }
    })
}

/// The tax and the marginal rate of a base; both 0 below the first lower bound.
pub(super) fn exact(
    brackets: &[Bracket],
    bounds_are_upper: bool,
    base: Decimal,
    shares: Decimal,
) -> Result<(Decimal, Decimal), EvalError> {
    match bracket::find(brackets, bounds_are_upper, base, shares) {
        // Without an open row above, the law does not say: the row fails.
        None if bounds_are_upper => Err(EvalError::Internal),
        None => Ok(<_>::default()),
        Some(found) => Ok((found.tax(brackets, base, shares)?, found.rate)),
    }
}

/// Brackets as integers: their edges at one scale, their rates at another.
struct Scale {
    /// The base at the scale of the edges.
    base: Scaled,
    shares: Shares,
    /// The rate before the first edge that changes it.
    start: i64,
    edges: Vec<Edge>,
    /// Whether a base that is equal to an edge is past it.
    is_past_at: bool,
    /// The last upper bound, above which the law does not say.
    top: Option<i64>,
    rate_scale: u32,
    rate_bound: i64,
    /// The bound of the tax.
    bound: i64,
}

/// Numbers of shares as integers that multiply the edges.
enum Shares {
    One,
    Each(Arc<Vec<i64>>),
}

/// A change of the rate, in integers.
struct Edge {
    at: i64,
    of_slice: i64,
    of_base: i64,
}

impl Scale {
    /// None where integers of 64 bits do not hold all that is computed, or a row prints an amount.
    fn new(brackets: &[Bracket], base: Operand, shares: Operand) -> Option<Self> {
        // Printed amounts have formulas of their own, and the integers suppose edges of 0 or more:
        // the decimals compute these.
        if brackets
            .iter()
            .any(|bracket| bracket.constant.is_some() || bracket.from.is_sign_negative())
        {
            return None;
        }

        // 1. The scales: the decimals of the edges and those of the rates, without trailing zeros.
        let changes = Changes::new(brackets)?;
        let edges = changes.edges.iter().map(|edge| edge.at);
        let numbers = edges.chain(changes.top).map(|edge| edge.normalize());
        let edge_scale = numbers.map(|edge| edge.scale()).max()?;
        let rates: Vec<Decimal> = brackets.iter().map(|bracket| bracket.rate).collect();
        let rates = Scaled::of_decimals(&rates.iter().map(Decimal::normalize).collect::<Vec<_>>())?;

        // 2. The numbers of shares. None of them may be 0 or negative, for the order of the edges
        // must not change.
        let (share_scale, shares, most) = match shares {
            Operand::One { value, .. } if value <= 0 => return None,
            Operand::One { scale, value } => (scale, Shares::One, value),
            Operand::Each(each) if each.values.iter().any(|share| *share <= 0) => return None,
            Operand::Each(each) => (
                each.scale,
                Shares::Each(Arc::clone(&each.values)),
                each.bound,
            ),
        };

        let base = match base {
            Operand::Each(base) => base,
            Operand::One { scale, value } => {
                let Shares::Each(shares) = &shares else {
                    return None;
                };
                Scaled::new(scale, vec![value; shares.len()])?
            }
        };

        // 3. The base and the edges at one scale: that of the base, or of the product of edges and
        // shares.
        let own_scale = edge_scale.checked_add(share_scale)?;
        let base = base.at_scale(base.scale.max(own_scale))?;
        let factor = power_of_ten_short(base.scale.checked_sub(own_scale)?)?;

        // A number of shares that is the same in all rows multiplies the edges here, once.
        let one = if let Shares::One = shares { most } else { 1 };
        let integer = |edge: Decimal| {
            let integer = integer_of(edge, edge_scale)?
                .checked_mul(factor)?
                .checked_mul(one)?;
            // Every row can multiply it by its shares, and take it off its base.
            let most = integer.checked_mul(most)?;
            base.bound.checked_add(most).map(|_| integer)
        };
        let edge = |change: &Change| {
            Some(Edge {
                at: integer(change.at)?,
                of_slice: integer_of(change.of_slice, rates.scale)?,
                of_base: integer_of(change.of_base, rates.scale)?,
            })
        };
        let mut edges = changes
            .edges
            .iter()
            .map(edge)
            .collect::<Option<Vec<Edge>>>()?;
        let top = match changes.top {
            Some(top) => Some(integer(top)?),
            None => None,
        };

        // No base of the block reaches the others, whatever its shares.
        let is_reached = |edge: &Edge| edge.at <= base.bound;
        edges.retain(|edge| is_reached(edge) && (edge.of_slice, edge.of_base) != (0, 0));

        // The parts of the brackets add up to the base at most.
        let bound = base.bound.checked_mul(rates.bound)?;
        base.scale
            .checked_add(rates.scale)
            .filter(|scale| *scale <= 18)?;

        Some(Self {
            base,
            shares,
            start: integer_of(changes.start, rates.scale)?,
            edges,
            is_past_at: changes.is_past_at,
            top,
            rate_scale: rates.scale,
            rate_bound: rates.bound,
            bound,
        })
    }

    fn taxes(&self, block: &Block, active: &Active) -> Option<Taxes> {
        // The law does not say what is due above the last upper bound.
        if let Some(top) = self.top {
            let share = |row: usize| match &self.shares {
                Shares::One => Some(1),
                Shares::Each(shares) => shares.get(row).copied(),
            };
            for (row, base) in self.base.values.iter().enumerate() {
                let above = share(row).map(|share| base.wrapping_sub(top.wrapping_mul(share)));
                if above.is_none_or(|above| self.is_past(above)) {
                    block.fail(row, active);
                }
            }
        }

        let (taxes, rates) = match self.is_past_at {
            true => self.rows(|above| above >= 0),
            false => self.rows(|above| above > 0),
        };
        let numbers = |scale, bound, values: Vec<i64>| {
            let values = values.into();
            Numbers::Scaled(Scaled {
                scale,
                bound,
                values,
            })
        };
        Some(Taxes {
            // The product of a base and a rate has the decimals of both.
            tax: numbers(
                self.base.scale.checked_add(self.rate_scale)?,
                self.bound,
                taxes,
            ),
            rate: numbers(self.rate_scale, self.rate_bound, rates),
        })
    }

    fn is_past(&self, above: i64) -> bool {
        above > 0 || (above == 0 && self.is_past_at)
    }

    /// The tax and the marginal rate of each row.
    fn rows(&self, is_past: impl Fn(i64) -> bool) -> (Vec<i64>, Vec<i64>) {
        // A tax is what is above each edge, times the change of the rate there. What is added may
        // overflow by itself, unlike the sum, as `new` checked: wrapping operations give the sum
        // all the same.
        let of_row = |base: i64, share: i64| {
            let (mut tax, mut rate) = (0_i64, self.start);
            for edge in &self.edges {
                let above = base.wrapping_sub(edge.at.wrapping_mul(share));
                tax = tax.wrapping_add(above.max(0).wrapping_mul(edge.of_slice));
                rate = rate.wrapping_add(if is_past(above) { edge.of_base } else { 0 });
            }
            (tax, rate)
        };

        let bases = self.base.values.iter();
        match &self.shares {
            Shares::One => bases.map(|base| of_row(*base, 1)).unzip(),
            Shares::Each(shares) => {
                let rows = bases.zip(shares.iter());
                rows.map(|(base, share)| of_row(*base, *share)).unzip()
            }
        }
    }
}

/// A number without its trailing zeros, as an integer of a scale.
fn integer_of(number: Decimal, scale: u32) -> Option<i64> {
    integer_at_scale(number.normalize(), scale)
}

#[cfg(test)]
mod tests;
