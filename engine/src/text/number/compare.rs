//! Comparison of numbers, without the general one of the library where a short one suffices.

use std::cmp::Ordering;

use rust_decimal::Decimal;

use super::{power_of_ten_short, short_mantissa};

/// Compares two numbers. 64-bit mantissas are compared in 128 bits, several times as quick as the
/// library (`benches/answer.rs`), which compares the others.
#[inline]
pub(crate) fn compare(a: Decimal, b: Decimal) -> Ordering {
    compare_short(a, b).unwrap_or_else(|| a.cmp(&b))
}

/// Compares two numbers brought to the same scale, where 128 bits suffice.
#[inline]
fn compare_short(a: Decimal, b: Decimal) -> Option<Ordering> {
    let (short_a, short_b) = (short_mantissa(a)?, short_mantissa(b)?);

    // The product of two 64-bit numbers cannot overflow 128 bits.
    let scaled = |short: i64, exponent: u32| {
        Some(i128::from(short) * i128::from(power_of_ten_short(exponent)?))
    };

    Some(match a.scale().cmp(&b.scale()) {
        Ordering::Equal => short_a.cmp(&short_b),
        Ordering::Less => scaled(short_a, b.scale() - a.scale())?.cmp(&short_b.into()),
        Ordering::Greater => i128::from(short_a).cmp(&scaled(short_b, a.scale() - b.scale())?),
    })
}

/// The greater of two numbers.
pub(crate) fn larger(a: Decimal, b: Decimal) -> Decimal {
    if compare(a, b).is_gt() { a } else { b }
}

/// The lesser of two numbers.
pub(crate) fn smaller(a: Decimal, b: Decimal) -> Decimal {
    if compare(a, b).is_gt() { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_comparison_is_that_of_the_library() {
        // Around the bounds of 64 bits, where the quick comparison hands over to the library.
        let mantissas = [
            0,
            1,
            10,
            99,
            100,
            101,
            i64::MAX,
            i64::MAX - 1,
            i64::MIN,
            i64::MIN + 1,
        ];
        let wide = |mantissa: i64| {
            [
                i128::from(mantissa),
                -i128::from(mantissa),
                i128::from(mantissa) * 1_000,
            ]
        };
        let values: Vec<Decimal> = mantissas
            .into_iter()
            .flat_map(wide)
            .flat_map(|mantissa| {
                [0, 1, 2, 18, 19, 28].map(|scale| Decimal::from_i128_with_scale(mantissa, scale))
            })
            .collect();

        for a in &values {
            for b in &values {
                assert_eq!(compare(*a, *b), a.cmp(b), "{a} {b}");
                assert_eq!(
                    (larger(*a, *b), smaller(*a, *b)),
                    (*a.max(b), *a.min(b)),
                    "{a} {b}"
                );
            }
        }
    }
}
