//! The brackets of a dated file, ready to compute with: the edges, the rate and the printed amount
//! of each row.

use rust_decimal::Decimal;

use crate::law::figure::find_bound;
use crate::law::formula::EvalError;
use crate::law::{Bound, ColumnId, Figure, Lookup, Slice, Value};
use crate::text::json::Head;
use crate::text::number::{add, compare, is_one, larger, mul, smaller, sub, times};

/// The columns that the form reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns {
    pub rate: ColumnId,
    pub less: Option<ColumnId>,
    pub plus: Option<ColumnId>,
    pub min: Option<ColumnId>,
    pub max: Option<ColumnId>,
}

/// A row of a scale.
#[derive(Debug)]
pub(super) struct Bracket {
    /// Its index in the figure.
    pub row: usize,
    pub rate: Decimal,
    pub constant: Option<Constant>,
    pub bound: Option<Bound>,
    pub from: Decimal,
    /// None for the last one, which has no end.
    pub to: Option<Decimal>,
    /// Its slice as it is shown where nothing multiplies its edges, but for what falls in it.
    shown: Slice<'static>,
    head: Head,
}

/// The amount that some forms print for a row.
#[derive(Debug, Clone, Copy)]
pub(super) enum Constant {
    /// Taken off rate x base.
    Less(Decimal),
    /// Added to the rate on what is above the lower edge; the sum is then clamped between `min` and
    /// `max`.
    Plus {
        amount: Decimal,
        min: Option<Decimal>,
        max: Option<Decimal>,
    },
}

impl Constant {
    pub(super) fn amount(self) -> Decimal {
        match self {
            Self::Less(amount) | Self::Plus { amount, .. } => amount,
        }
    }
}

/// The brackets of each group of rows that some values of the keys lead to. None where a cell is
/// missing, which is an error of the file.
pub(super) fn compile(
    figure: &Figure,
    columns: Columns,
    decimals: u32,
) -> Lookup<Option<Vec<Bracket>>> {
    figure
        .lookup
        .map(&|group: &Vec<usize>| of_group(figure, group, columns, decimals))
}

/// The first slice starts at 0.
fn of_group(
    figure: &Figure,
    group: &[usize],
    columns: Columns,
    decimals: u32,
) -> Option<Vec<Bracket>> {
    let bound = |row: &usize| figure.rows.get(*row).and_then(|row| row.bound);
    // An upper bound is the end of its own slice, a lower one that of the slice before.
    let ends = if figure.bounds_are_upper {
        group
    } else {
        group.get(1..).unwrap_or_default()
    };

    // A scale starts at its first lower bound; with upper bounds, it starts at 0.
    let first = if figure.bounds_are_upper {
        None
    } else {
        group.first()
    };
    let mut start = first.and_then(bound).map(|bound| bound.value);
    let mut brackets = Vec::with_capacity(group.len());

    for (index, row) in group.iter().enumerate() {
        let cells = &figure.rows.get(*row)?.cells;
        let cell = |column: ColumnId| match column.of(cells) {
            Some(Some(Value::Number(number))) => Some(*number),
            _ => None,
        };

        let constant = match (columns.less, columns.plus) {
            (Some(less), _) => Some(Constant::Less(cell(less)?)),
            (None, Some(plus)) => Some(Constant::Plus {
                amount: cell(plus)?,
                min: columns.min.and_then(cell),
                max: columns.max.and_then(cell),
            }),
            (None, None) => None,
        };

        let to = ends.get(index).and_then(bound).map(|bound| bound.value);
        let from = std::mem::replace(&mut start, to).unwrap_or_default();

        brackets.push(Bracket::new(
            *row,
            bound(row),
            from,
            to,
            cell(columns.rate)?,
            constant,
            decimals,
        ));
    }
    Some(brackets)
}

impl Bracket {
    pub(super) fn new(
        row: usize,
        bound: Option<Bound>,
        from: Decimal,
        to: Option<Decimal>,
        rate: Decimal,
        constant: Option<Constant>,
        decimals: u32,
    ) -> Self {
        let amount = constant.map(Constant::amount);

        // Formatted once, when the file is read, because most calculations show edges that nothing
        // multiplies.
        let mut shown = Slice::new(from, to, rate, amount);
        shown.show(decimals, None);
        let head = shown.head_text();

        Self {
            row,
            rate,
            constant,
            bound,
            from,
            to,
            shown,
            head,
        }
    }

    /// The tax on a base that falls in it.
    pub(super) fn tax(
        &self,
        brackets: &[Self],
        base: Decimal,
        shares: Decimal,
    ) -> Result<Decimal, EvalError> {
        match self.constant {
            Some(constant) => self.printed_tax(constant, base, shares),
            None => marginal_tax(brackets, base, shares),
        }
    }

    pub(super) fn printed_tax(
        &self,
        constant: Constant,
        base: Decimal,
        shares: Decimal,
    ) -> Result<Decimal, EvalError> {
        match constant {
            // The rate is taken of the whole base: the printed amount gives back what the lower
            // brackets tax less.
            Constant::Less(less) => Ok(sub(mul(base, self.rate)?, times(less, shares)?)?),
            Constant::Plus { amount, min, max } => {
                // The printed amount is the tax at the lower edge, for one share.
                let above = sub(base, times(self.from, shares)?)?;
                let mut tax = add(times(amount, shares)?, mul(above, self.rate)?)?;
                if let Some(min) = min {
                    tax = larger(tax, times(min, shares)?);
                }
                if let Some(max) = max {
                    tax = smaller(tax, times(max, shares)?);
                }
                Ok(tax)
            }
        }
    }
}

/// The bracket in which a base falls, its edges being multiplied by `shares`.
pub(super) fn find(
    brackets: &[Bracket],
    bounds_are_upper: bool,
    base: Decimal,
    shares: Decimal,
) -> Option<&Bracket> {
    // The same search as for the rows of a table, on what was compiled of them.
    find_bound(
        brackets.iter().map(|bracket| (bracket, bracket.bound)),
        bounds_are_upper,
        base,
        shares,
    )
}

/// A bracket whose edges are multiplied by a number of shares.
pub(super) struct Edges<'b> {
    pub bracket: &'b Bracket,
    pub from: Decimal,
    pub to: Option<Decimal>,
}

/// The brackets, in order, with their edges multiplied by `shares`.
pub(super) fn edges(
    brackets: &[Bracket],
    shares: Decimal,
) -> impl Iterator<Item = Result<Edges<'_>, EvalError>> {
    // The edges of one bracket are multiplied once: the end of a slice is the start of the next.
    let mut start = brackets
        .first()
        .map_or(Ok(Decimal::ZERO), |first| times(first.from, shares));

    brackets.iter().map(move |bracket| {
        let to = bracket.to.map(|to| times(to, shares)).transpose();
        let from = std::mem::replace(&mut start, to.map(Option::unwrap_or_default))?;
        Ok(Edges {
            bracket,
            from,
            to: to?,
        })
    })
}

impl<'b> Edges<'b> {
    /// The part of a base that lies between them.
    pub(super) fn part_of(&self, base: Decimal) -> Result<Decimal, EvalError> {
        let top = self.to.map_or(base, |to| smaller(base, to));
        if compare(top, self.from).is_le() {
            Ok(Decimal::ZERO)
        } else {
            Ok(sub(top, self.from)?)
        }
    }

    /// The slice with what of a base falls in it: with a printed constant, all of it in the bracket
    /// found.
    pub(super) fn slice(
        &self,
        base: Decimal,
        shares: Decimal,
        found: Option<usize>,
    ) -> Result<Slice<'b>, EvalError> {
        let bracket = self.bracket;

        // With a printed amount, the slices have no tax each: the bracket found has all of it.
        let (part, amount) = match bracket.constant {
            None => {
                let part = self.part_of(base)?;
                (part, mul(part, bracket.rate)?)
            }
            Some(_) if found != Some(bracket.row) => (Decimal::ZERO, Decimal::ZERO),
            Some(constant) => {
                let above = if matches!(constant, Constant::Plus { .. }) {
                    self.from
                } else {
                    Decimal::ZERO
                };
                (
                    sub(base, above)?,
                    bracket.printed_tax(constant, base, shares)?,
                )
            }
        };

        // The edges are those that the file prints, whose JSON is ready.
        if is_one(shares) {
            return Ok(Slice {
                base: part,
                amount,
                head: Some(&bracket.head),
                ..bracket.shown.clone()
            });
        }

        let constant = bracket
            .constant
            .map(|constant| times(constant.amount(), shares))
            .transpose()?;
        Ok(Slice {
            base: part,
            amount,
            ..Slice::new(self.from, self.to, bracket.rate, constant)
        })
    }
}

/// The sum of rate x slice.
fn marginal_tax(
    brackets: &[Bracket],
    base: Decimal,
    shares: Decimal,
) -> Result<Decimal, EvalError> {
    let mut tax = Decimal::ZERO;
    // The brackets go up: past the base, all the others are empty.
    for edges in edges(brackets, shares) {
        let edges = edges?;
        if compare(base, edges.from).is_le() {
            break;
        }
        tax = add(tax, mul(edges.part_of(base)?, edges.bracket.rate)?)?;
    }
    Ok(tax)
}
