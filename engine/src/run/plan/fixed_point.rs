//! Numbers as integers that carry their scale, so that no reader can take them for those of another
//! one.

use rust_decimal::Decimal;

use crate::law::column::Scaled;
use crate::text::number::{power_of_ten, power_of_ten_short};

use super::answers::LeftOut;
use super::cells::following;

/// A number as an integer, to be divided by ten to the power of its decimals.
///
/// ```
/// use bareme_engine::run::plan::FixedPoint;
///
/// let rate = FixedPoint::new(701, 4);
/// assert_eq!(rate.to_decimal(), Some("0.0701".parse()?));
/// assert_eq!((rate.at_scale(6), rate.at_scale(2)), (Some(70_100), None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedPoint {
    value: i128,
    decimals: u32,
}

impl FixedPoint {
    /// The number `value / 10^decimals`.
    pub fn new(value: i128, decimals: u32) -> Self {
        Self { value, decimals }
    }

    /// The integer of the same number with so many decimals; `None` where digits would be lost, or
    /// 128 bits do not hold it.
    pub fn at_scale(self, decimals: u32) -> Option<i128> {
        match decimals.checked_sub(self.decimals) {
            Some(0) => Some(self.value),
            // More decimals: zeros are appended, if 128 bits have room for them.
            Some(more) => self.value.checked_mul(power_of_ten(more)?),
            None => {
                // Fewer: only zeros may be dropped.
                let power = power_of_ten(self.decimals.checked_sub(decimals)?)?;
                (self.value.checked_rem(power)? == 0).then_some(self.value.checked_div(power)?)
            }
        }
    }

    /// The same number without trailing zeros: its integer and its decimals.
    pub fn shortest(self) -> (i128, u32) {
        let Self {
            mut value,
            mut decimals,
        } = self;
        while decimals > 0 && value % 10 == 0 {
            value = value.wrapping_div(10);
            decimals = decimals.saturating_sub(1);
        }
        (value, decimals)
    }

    /// The same number as a decimal, without trailing zeros; `None` where it has more digits than
    /// one holds.
    pub fn to_decimal(self) -> Option<Decimal> {
        let (value, decimals) = self.shortest();
        Decimal::try_from_i128_with_scale(value, decimals).ok()
    }
}

impl From<Decimal> for FixedPoint {
    fn from(number: Decimal) -> Self {
        Self {
            value: number.mantissa(),
            decimals: number.scale(),
        }
    }
}

/// A column of numbers of one scale, some rows of which may have none.
///
/// [`Plan`](super::Plan) has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedPoints {
    decimals: u32,
    /// The integers; 0 for a row without a number.
    values: Vec<i128>,
    present: Vec<bool>,
}

/// The integers of a column at one scale.
///
/// [`FixedPoints::at_scale`] returns them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integers {
    /// The integers; 0 for a row without one.
    pub values: Vec<i128>,
    /// Whether each row has one.
    pub present: Vec<bool>,
    /// The rows whose number has no integer at the scale, or one beyond the limit.
    pub unfit: Vec<usize>,
}

impl FixedPoints {
    /// A column of so many rows without numbers.
    pub(super) fn empty(decimals: u32, count: usize) -> Self {
        Self {
            decimals,
            values: vec![0; count],
            present: vec![false; count],
        }
    }

    /// The number of a row, if it has one.
    pub fn get(&self, row: usize) -> Option<FixedPoint> {
        let value = self
            .values
            .get(row)
            .filter(|_| self.present.get(row) == Some(&true))?;
        Some(FixedPoint::new(*value, self.decimals))
    }

    /// The integers of all rows with so many decimals, each less than `limit` without its sign. No
    /// digit is lost: a number that does not fit has none.
    pub fn at_scale(self, decimals: u32, limit: i128) -> Integers {
        let Self {
            decimals: own,
            mut values,
            mut present,
        } = self;

        // At the same scale, mostly every value is within the limit.
        let is_within = |value: &i128| value.unsigned_abs() < limit.unsigned_abs();
        if own == decimals && values.iter().all(is_within) {
            return Integers {
                values,
                present,
                unfit: Vec::new(),
            };
        }

        let mut unfit = Vec::new();
        for (row, (value, present)) in values.iter_mut().zip(&mut present).enumerate() {
            // A value without an integer at this scale is absent and reported: a rounded figure
            // would be taken for the exact one.
            let found = FixedPoint::new(*value, own).at_scale(decimals);
            let found =
                found.filter(|integer| integer.checked_abs().is_some_and(|size| size < limit));

            if found.is_none() {
                *present = false;
                unfit.push(row);
            }
            *value = found.unwrap_or_default();
        }

        Integers {
            values,
            present,
            unfit,
        }
    }

    /// The integer of a number at the scale of the column; `None` where digits would be lost.
    pub(super) fn integer(&self, number: Decimal) -> Option<i128> {
        FixedPoint::from(number).at_scale(self.decimals)
    }

    /// Writes an integer at the scale of the column; returns whether there is such a row.
    pub(super) fn put(&mut self, row: usize, integer: i128) -> bool {
        let (Some(value), Some(present)) = (self.values.get_mut(row), self.present.get_mut(row))
        else {
            return false;
        };
        (*value, *present) = (integer, true);
        true
    }

    /// Writes 64-bit integers of a scale to rows, leaving some positions out; returns whether its
    /// decimals are not more than those of the column: nothing is written otherwise.
    pub(super) fn set_scaled(
        &mut self,
        scaled: &Scaled,
        rows: &[usize],
        left_out: &LeftOut,
    ) -> bool {
        // More decimals than the column has may not fit: the values are then written one by one.
        let power = self
            .decimals
            .checked_sub(scaled.scale)
            .and_then(power_of_ten_short);
        let Some(power) = power else { return false };

        // The product of two 64-bit integers fits 128 bits.
        let integer = |value: &i64| i128::from(*value).wrapping_mul(i128::from(power));

        // Rows that follow each other, all of them written: no row is looked at.
        if left_out.is_empty()
            && let Some(range) = following(rows)
            && let Some(places) = self.values.get_mut(range.clone())
            && let Some(present) = self.present.get_mut(range)
        {
            let integers = places.iter_mut().zip(scaled.values.iter());
            integers.for_each(|(place, value)| *place = integer(value));
            present.fill(true);
            return true;
        }

        for (position, (row, number)) in rows.iter().zip(scaled.values.iter()).enumerate() {
            if !left_out.has(position)
                && let (Some(value), Some(present)) =
                    (self.values.get_mut(*row), self.present.get_mut(*row))
            {
                *value = integer(number);
                *present = true;
            }
        }
        true
    }

    /// Removes the number of a row.
    pub(super) fn clear(&mut self, row: usize) {
        if let (Some(value), Some(present)) = (self.values.get_mut(row), self.present.get_mut(row))
        {
            (*value, *present) = (0, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_digit_is_lost_between_two_scales() {
        for (value, own, requested, found) in [
            (1_394_920, 4, 6, Some(139_492_000)),
            (701, 4, 6, Some(70_100)),
            (-20, 3, 2, Some(-2)),
            (25, 3, 2, None),
            (i128::MAX, 0, 1, None),
            (0, 28, 0, Some(0)),
            (1, 0, 40, None),
        ] {
            assert_eq!(
                FixedPoint::new(value, own).at_scale(requested),
                found,
                "{value} {own} {requested}"
            );
        }
    }

    #[test]
    fn a_number_that_does_not_fit_is_absent_and_reported() {
        let mut numbers = FixedPoints::empty(4, 4);
        for (row, number) in [(0, "0.0701"), (2, "1234.5"), (3, "0.5")] {
            let integer = numbers.integer(number.parse().unwrap());
            assert!(numbers.put(row, integer.unwrap()));
        }
        assert_eq!(numbers.integer("0.00001".parse().unwrap()), None);
        let integers = numbers.at_scale(6, 1_000_000_000);
        assert_eq!(integers.values, [70_100, 0, 0, 500_000]);
        assert_eq!(
            (integers.present, integers.unfit),
            (vec![true, false, false, true], vec![2])
        );
    }

    #[test]
    fn a_number_wider_than_a_decimal_at_its_scale_is_still_that_number() {
        let mut numbers = FixedPoints::empty(10, 1);
        let integer = numbers.integer("7000000000000000000000000000".parse().unwrap());
        assert!(numbers.put(0, integer.unwrap()));
        assert_eq!(
            numbers.get(0).and_then(FixedPoint::to_decimal),
            "7000000000000000000000000000".parse().ok()
        );
    }
}
