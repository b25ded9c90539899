//! Brackets over a block of rows: the tax and the marginal rate of each row.

use std::sync::Arc;

use rust_decimal::Decimal;

use crate::law::column::{Active, Block, Numbers, Operand, Scaled};
use crate::law::figure::BoundWord;
use crate::law::formula::EvalError;
use crate::text::number::{power_of_ten_short, short_mantissa};

use super::bracket::{self, Bracket};

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
    let quick = || {
        Scale::new(brackets, base.operand()?, shares.operand()?)?.taxes(
            bounds_are_upper,
            block,
            active,
        )
    };
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
    edges: Vec<Edges>,
    rates: Vec<i64>,
    rate_scale: u32,
    /// The bound of the tax.
    bound: i64,
}

/// Numbers of shares as integers that multiply the edges.
enum Shares {
    One,
    Each(Arc<[i64]>),
}

/// The edges of a bracket, and the bound by which it is found.
struct Edges {
    from: i64,
    to: Option<i64>,
    bound: Option<(BoundWord, i64)>,
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
        let numbers = brackets
            .iter()
            .flat_map(Bracket::edge_numbers)
            .map(|edge| edge.normalize());
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
            let edge = edge.normalize();
            let power = power_of_ten_short(edge_scale.checked_sub(edge.scale())?)?;
            let integer = short_mantissa(edge)?
                .checked_mul(power)?
                .checked_mul(factor)?
                .checked_mul(one)?;
            // Every row can multiply it by its shares.
            integer.checked_mul(most).map(|_| integer)
        };

        let of_bracket = |bracket: &Bracket| {
            let to = bracket.to.map(integer);
            let bound = bracket
                .bound
                .map(|bound| Some((bound.word, integer(bound.value)?)));
            Some(Edges {
                from: integer(bracket.from)?,
                to: if let Some(to) = to { Some(to?) } else { None },
                bound: if let Some(bound) = bound {
                    Some(bound?)
                } else {
                    None
                },
            })
        };

        let edges = brackets
            .iter()
            .map(of_bracket)
            .collect::<Option<Vec<_>>>()?;

        // The parts of the brackets add up to the base at most.
        let bound = base.bound.checked_mul(rates.bound)?;
        base.scale
            .checked_add(rates.scale)
            .filter(|scale| *scale <= 18)?;

        Some(Self {
            base,
            shares,
            edges,
            rates: rates.values.to_vec(),
            rate_scale: rates.scale,
            bound,
        })
    }

    fn taxes(&self, bounds_are_upper: bool, block: &Block, active: &Active) -> Option<Taxes> {
        // The product of a base and a rate has the decimals of both.
        let scale = self.base.scale.checked_add(self.rate_scale)?;
        let tax = Scaled {
            scale,
            bound: self.bound,
            values: self.tax().into(),
        };

        let found = self.found(bounds_are_upper);
        let mut rates = Vec::with_capacity(found.len());

        for (row, found) in found.iter().enumerate() {
            match self.rates.get(usize::from(*found)) {
                Some(rate) => rates.push(*rate),
                None => {
                    // Below the first lower bound nothing is due; above the last upper one the law
                    // does not say.
                    if bounds_are_upper {
                        block.fail(row, active);
                    }
                    rates.push(0);
                }
            }
        }

        Some(Taxes {
            tax: Numbers::Scaled(tax),
            rate: Numbers::Scaled(Scaled::new(self.rate_scale, rates)?),
        })
    }

    /// The sum of rate x slice of each row.
    fn tax(&self) -> Vec<i64> {
        let mut taxes = vec![0_i64; self.base.values.len()];

        // Nothing overflows, as `new` checked: wrapping operations let the compiler use vectors.
        let part = |base: i64, from: i64, to: i64| base.min(to).wrapping_sub(from).max(0);
        // A rate of 0 adds nothing.
        for (edges, rate) in self
            .edges
            .iter()
            .zip(&self.rates)
            .filter(|(_, rate)| **rate != 0)
        {
            let rows = taxes.iter_mut().zip(self.base.values.iter());
            match (&self.shares, edges.to) {
                // No base of the block reaches this bracket.
                (Shares::One, _) if edges.from > self.base.bound => {}
                (Shares::One, to) => {
                    let (from, to) = (edges.from, to.unwrap_or(i64::MAX));
                    for (tax, base) in rows {
                        *tax = tax.wrapping_add(part(*base, from, to).wrapping_mul(*rate));
                    }
                }
                (Shares::Each(shares), Some(to)) => {
                    for ((tax, base), share) in rows.zip(shares.iter()) {
                        let slice = part(
                            *base,
                            edges.from.wrapping_mul(*share),
                            to.wrapping_mul(*share),
                        );
                        *tax = tax.wrapping_add(slice.wrapping_mul(*rate));
                    }
                }
                (Shares::Each(shares), None) => {
                    for ((tax, base), share) in rows.zip(shares.iter()) {
                        let slice = part(*base, edges.from.wrapping_mul(*share), i64::MAX);
                        *tax = tax.wrapping_add(slice.wrapping_mul(*rate));
                    }
                }
            }
        }

        taxes
    }

    /// The index of the bracket of each row; one that no bracket has where there is none.
    fn found(&self, bounds_are_upper: bool) -> Vec<u16> {
        let mut found = vec![u16::MAX; self.base.values.len()];

        let mut indexed: Vec<(&Edges, u16)> = self.edges.iter().zip(0..).collect();
        // The first bracket whose upper bound holds, or the last whose lower one does: what is
        // written last stays.
        if bounds_are_upper {
            indexed.reverse();
        }

        for (edges, index) in indexed {
            match edges.bound {
                None => found.fill(index),
                Some((BoundWord::UpTo, edge)) => {
                    self.mark(&mut found, index, edge, |value, edge| value <= edge)
                }
                Some((BoundWord::Below, edge)) => {
                    self.mark(&mut found, index, edge, |value, edge| value < edge)
                }
                Some((BoundWord::Over, edge)) => {
                    self.mark(&mut found, index, edge, |value, edge| value > edge)
                }
                Some((BoundWord::From, edge)) => {
                    self.mark(&mut found, index, edge, |value, edge| value >= edge)
                }
            }
        }
        found
    }

    /// Writes the index of a bracket where its bound holds.
    fn mark(&self, found: &mut [u16], index: u16, edge: i64, holds: impl Fn(i64, i64) -> bool) {
        // Every row is written, changed or not, so that the loop needs no branch.
        let rows = found.iter_mut().zip(self.base.values.iter());
        match &self.shares {
            Shares::One => {
                for (found, base) in rows {
                    *found = if holds(*base, edge) { index } else { *found };
                }
            }
            Shares::Each(shares) => {
                for ((found, base), share) in rows.zip(shares.iter()) {
                    *found = if holds(*base, edge.wrapping_mul(*share)) {
                        index
                    } else {
                        *found
                    };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
