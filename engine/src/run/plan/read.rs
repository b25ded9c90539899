//! Parsing of a column of cells as the values of an input.
//!
//! Numbers are checked as integers at one scale. Any other column is parsed by the input itself,
//! cell by cell; a refused cell is left to a single calculation, which gives the reason.

use rust_decimal::Decimal;

use crate::law::column::{Booleans, Column, Numbers, Scaled, Sent};
use crate::law::{Input, Type, Value};
use crate::text::number::{GUARD_DECIMALS, RoundMode, integer_at_scale, power_of_ten_short};

use super::cells::{Cells, following};

/// The values of an input in some rows.
pub(super) struct ReadColumn {
    pub column: Column,
    pub sent: Sent,
    /// Positions of the rows whose cell the input refuses.
    pub refused: Vec<usize>,
}

/// Parses the cells of some rows.
pub(super) fn read(input: &Input, cells: &Cells, rows: &[usize]) -> ReadColumn {
    // From the quickest to the one that parses anything: each gives up at what is not as simple as
    // it needs.
    let is_number = matches!(input.ty, Type::Money(_) | Type::Rate | Type::Number);
    if is_number && let Some(read) = accepted_numbers(input, cells, rows) {
        return read;
    }
    if input.ty == Type::Boolean
        && let Some(read) = booleans(cells, rows)
    {
        return read;
    }

    let present: Vec<bool> = rows.iter().map(|row| cells.is_present(*row)).collect();
    if is_number && let Some(read) = quick_numbers(input, cells, rows, &present) {
        return read;
    }

    cell_by_cell(input, cells, rows, &present)
}

fn cell_by_cell(input: &Input, cells: &Cells, rows: &[usize], present: &[bool]) -> ReadColumn {
    let mut refused = Vec::new();
    let mut values = Vec::with_capacity(rows.len());

    // A column of words has few distinct texts: each is parsed once.
    let mut known: Vec<(String, Value)> = Vec::new();
    for (position, row) in rows.iter().enumerate() {
        let Some(text) = cells.text(*row) else {
            values.push(Value::Nothing);
            continue;
        };

        if let Some((_, value)) = known.iter().find(|(known, _)| *known == text) {
            values.push(value.clone());
            continue;
        }

        let value = input.parse(&text).unwrap_or_else(|_| {
            refused.push(position);
            Value::Nothing
        });

        // A refused text is parsed again for its own row: only accepted values are kept.
        if known.len() < MOST_KNOWN && value != Value::Nothing {
            known.push((text.into_owned(), value.clone()));
        }

        values.push(value);
    }
    ReadColumn {
        column: Column::of_values(&values),
        sent: Booleans::each(present.to_vec()),
        refused,
    }
}

/// The booleans of rows that all have one.
fn booleans(cells: &Cells, rows: &[usize]) -> Option<ReadColumn> {
    let Cells::Booleans(values) = cells else {
        return None;
    };
    let values = rows.iter().map(|row| values.get(*row).copied().flatten());
    Some(ReadColumn {
        column: Booleans::each(values.collect::<Option<_>>()?).into(),
        sent: Booleans::One(true),
        refused: Vec::new(),
    })
}

/// The numbers of rows that follow each other, all of which have one that the input accepts as it
/// is.
fn accepted_numbers(input: &Input, cells: &Cells, rows: &[usize]) -> Option<ReadColumn> {
    let Cells::Numbers {
        decimals, values, ..
    } = cells
    else {
        return None;
    };
    if !cells.are_all_present() || input.round.is_some() {
        return None;
    }
    let bounds = Bounds::new(input, *decimals)?;

    // The least and the greatest say of all that they are within the bounds, and fit 64 bits.
    let values = values.get(following(rows)?)?;
    let (least, greatest) = (values.iter().min()?, values.iter().max()?);
    let within = |value: &i128| {
        let value = i64::try_from(*value).ok()?.checked_mul(bounds.factor)?;
        (value >= bounds.min && value <= bounds.max).then_some(value)
    };
    within(least).zip(within(greatest))?;

    // Between the least and the greatest, no product overflows.
    let scaled = |value: &i128| {
        i64::try_from(*value)
            .unwrap_or_default()
            .wrapping_mul(bounds.factor)
    };
    let values: Vec<i64> = values.iter().map(scaled).collect();
    if bounds.grid != 1 && !values.iter().all(|value| bounds.is_multiple(*value)) {
        return None;
    }
    Some(ReadColumn {
        column: Column::Numbers(Numbers::Scaled(Scaled::new(bounds.scale, values)?)),
        sent: Booleans::One(true),
        refused: Vec::new(),
    })
}

/// Greatest number of texts whose values are cached.
const MOST_KNOWN: usize = 32;

/// Integers with a number of decimals.
struct Integers {
    decimals: u32,
    values: Vec<i64>,
}

/// Parses numbers as integers; `None` where a cell needs the parser of the input.
fn quick_numbers(
    input: &Input,
    cells: &Cells,
    rows: &[usize],
    present: &[bool],
) -> Option<ReadColumn> {
    // 1. The cells as integers of one scale.
    let integers = match cells {
        Cells::Numbers {
            decimals, values, ..
        } => {
            let value = |(row, present): (&usize, &bool)| {
                if *present {
                    i64::try_from(*values.get(*row)?).ok()
                } else {
                    Some(0)
                }
            };
            Integers {
                decimals: *decimals,
                values: rows.iter().zip(present).map(value).collect::<Option<_>>()?,
            }
        }
        Cells::Texts(texts) => of_texts(rows.iter().map(|row| texts.get(*row).copied().flatten()))?,
        Cells::Booleans(_) | Cells::Dates(_) => return None,
    };

    // 2. The values that are within the bounds of the input.
    let bounds = Bounds::new(input, integers.decimals)?;
    let accepted = |value: &i64| bounds.accepted(*value);

    // A row without a value gets that of another: with 0, a number of shares could not be computed
    // as integers.
    let found = integers
        .values
        .iter()
        .zip(present)
        .filter(|(_, present)| **present)
        .find_map(|(value, _)| accepted(value));
    let filler = found.unwrap_or_default();

    let mut refused = Vec::new();
    let mut read = Vec::with_capacity(rows.len());
    for (position, (value, present)) in integers.values.iter().zip(present).enumerate() {
        let value = accepted(value).filter(|_| *present);
        if *present && value.is_none() {
            refused.push(position);
        }
        read.push(value.unwrap_or(filler));
    }

    let scaled = Scaled::new(bounds.scale, read)?;

    // 3. The values as the input rounds them.
    let numbers = match input.round {
        Some(unit) => {
            let rounded = scaled.rounded(unit, RoundMode::HalfUp)?;
            // An amount that is rounded on entry must be within its bounds before and after.
            let is_within = |position: &usize| {
                rounded
                    .at(*position)
                    .is_some_and(|value| input.accepts(value).is_ok())
            };
            let outside = (0..rows.len()).filter(|position| !is_within(position));
            let own = |position: &usize| {
                present.get(*position).copied().unwrap_or_default() && !refused.contains(position)
            };
            refused.extend(outside.filter(own).collect::<Vec<_>>());
            rounded
        }
        None => scaled,
    };

    // 4. Rows without a cell have no value, whatever integer holds their place.
    let sent = Booleans::each(present.to_vec());
    let column = match &sent {
        Booleans::One(true) => Column::Numbers(Numbers::Scaled(numbers)),
        Booleans::One(false) => Column::default(),
        Booleans::Each(present) => Column::Sparse(Numbers::Scaled(numbers), present.clone()),
    };

    Some(ReadColumn {
        column,
        sent,
        refused,
    })
}

/// Bounds and grid of an input, as integers at one scale.
struct Bounds {
    /// Decimals of the parsed values; rates are fractions.
    scale: u32,
    /// Factor that converts a cell to that scale.
    factor: i64,
    min: i64,
    max: i64,
    /// Values are multiples of the grid, counted from `origin`.
    grid: i64,
    origin: i64,
}

impl Bounds {
    /// `None` where 64 bits do not hold them.
    fn new(input: &Input, decimals: u32) -> Option<Self> {
        let numbers = [input.min, input.max, input.step]
            .into_iter()
            .flatten()
            .map(|number| number.normalize().scale());
        // A rate is sent in percent and computed as a fraction.
        let own = if input.ty == Type::Rate {
            decimals.checked_add(2)?
        } else {
            decimals
        };
        let scale = numbers.chain([own]).max()?;

        if decimals > GUARD_DECIMALS {
            return None;
        }

        // All bounds are whole numbers at the scale with most decimals of them.
        let power = |decimals: u32| power_of_ten_short(scale.checked_sub(decimals)?);
        let integer = |number: Decimal| integer_at_scale(number.normalize(), scale);

        let min = if let Some(min) = input.min {
            integer(min)?
        } else {
            i64::MIN
        };
        let max = if let Some(max) = input.max {
            integer(max)?
        } else {
            i64::MAX
        };

        let most_decimals = if input.round.is_none() {
            input.decimals
        } else {
            None
        };

        // A grid is a step from the lower bound, whole numbers, or a number of decimals; two of
        // these at once are left to the parser of the input.
        let (grid, origin) = match (input.step, most_decimals, input.integer) {
            // A step on an amount comes besides the limit of its decimals.
            (Some(_), Some(_), _) => return None,
            (Some(step), None, false) => (integer(step)?, input.min.map_or(Some(0), integer)?),
            (Some(step), None, true)
                if step.fract().is_zero() && input.min.is_none_or(|min| min.fract().is_zero()) =>
            {
                (integer(step)?, input.min.map_or(Some(0), integer)?)
            }
            (Some(_), None, true) => return None,
            (None, _, true) => (power(0)?, 0),
            (None, Some(decimals), false) => (
                if decimals >= scale {
                    1
                } else {
                    power(decimals)?
                },
                0,
            ),
            (None, None, false) => (1, 0),
        };

        Some(Self {
            scale,
            factor: power(own)?,
            min,
            max,
            grid,
            origin,
        })
    }

    /// A cell converted to the scale, if it is accepted.
    #[inline]
    fn accepted(&self, cell: i64) -> Option<i64> {
        let value = cell.checked_mul(self.factor)?;
        let is_within = value >= self.min && value <= self.max;
        (is_within && self.is_multiple(value)).then_some(value)
    }

    /// Whether a value is on the grid.
    #[inline]
    fn is_multiple(&self, value: i64) -> bool {
        let rest = || value.checked_sub(self.origin)?.checked_rem(self.grid);
        self.grid == 1 || rest() == Some(0)
    }
}

/// Parses texts of plain numbers at the scale of the one with most decimals; an absent one is 0.
fn of_texts<'t>(texts: impl Iterator<Item = Option<&'t str>>) -> Option<Integers> {
    let mut parsed: Vec<(i64, u32)> = Vec::new();
    for text in texts {
        parsed.push(
            text.filter(|text| !text.is_empty())
                .map_or(Some((0, 0)), plain_number)?,
        );
    }

    let decimals = parsed
        .iter()
        .map(|(_, decimals)| *decimals)
        .max()
        .unwrap_or_default();
    let scaled = |(value, own): &(i64, u32)| {
        value.checked_mul(power_of_ten_short(decimals.checked_sub(*own)?)?)
    };

    Some(Integers {
        decimals,
        values: parsed.iter().map(scaled).collect::<Option<_>>()?,
    })
}

/// Parses `-12.50` as an integer and its decimals; `None` for any other form, and where 64 bits do
/// not hold it.
fn plain_number(text: &str) -> Option<(i64, u32)> {
    /// The greatest number of digits that 64 bits always hold.
    const MOST_DIGITS: usize = 18;

    let (is_negative, digits) = text
        .strip_prefix('-')
        .map_or((false, text), |digits| (true, digits));

    if digits.is_empty() || digits.len() > MOST_DIGITS {
        return None;
    }

    let (mut value, mut decimals, mut has_point) = (0_i64, 0_u32, false);
    for byte in digits.bytes() {
        match byte {
            b'0'..=b'9' => {
                value = value
                    .wrapping_mul(10)
                    .wrapping_add(i64::from(byte.wrapping_sub(b'0')));
                decimals = decimals.wrapping_add(u32::from(has_point));
            }
            b'.' if !has_point && value_has_started(digits) => has_point = true,
            _ => return None,
        }
    }

    // A point has a digit on each side.
    if has_point && decimals == 0 {
        return None;
    }

    Some((
        if is_negative {
            value.wrapping_neg()
        } else {
            value
        },
        decimals,
    ))
}

/// Whether a digit comes first.
fn value_has_started(digits: &str) -> bool {
    digits.starts_with(|first: char| first.is_ascii_digit())
}
