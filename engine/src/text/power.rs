//! Powers whose exponent is a multiple of a quarter, correctly rounded: the root is taken of the
//! exact product, in integers of any size.

use num_bigint::BigUint;
use rust_decimal::Decimal;

/// Greatest exponent.
const MAX_EXPONENT: Decimal = Decimal::from_parts(16, 0, 0, false, 0);

/// Significant digits of a result, and its greatest number of decimals.
const SIGNIFICANT_DIGITS: u32 = 28;

/// An exponent as a number of quarters, 0 to 64; `None` for any other number.
pub(crate) fn quarters(exponent: Decimal) -> Option<u32> {
    let quarters = exponent.checked_mul(Decimal::from(4))?;
    let fits =
        !exponent.is_sign_negative() && exponent <= MAX_EXPONENT && quarters.fract().is_zero();
    fits.then(|| quarters.trunc().try_into().ok()).flatten()
}

/// A number to the power `quarters / 4`, rounded half up to 28 digits, 28 decimals at most. `None`
/// where it has no such power (a root of a negative number) or overflows.
pub(crate) fn power(base: Decimal, quarters: u32) -> Option<Decimal> {
    // x^(2/4) is the square root of x: the smallest root keeps the product short.
    let (mut product, mut root) = (quarters, 4_u32);
    while root > 1 && product % 2 == 0 {
        (product, root) = (product / 2, root / 2);
    }

    // Only an even root is left to take: no real number is that of a negative one.
    if base.is_sign_negative() && !base.is_zero() && root > 1 {
        return None;
    }

    let base = base.normalize();

    // The root of m^k / 10^(s k), with one digit more than is kept: a factor of 10^(29 r) more
    // under the root.
    let kept = u128::from(SIGNIFICANT_DIGITS + 1) * u128::from(root);
    let scale = u128::from(base.scale()) * u128::from(product);
    let above = BigUint::from(base.mantissa().unsigned_abs()).pow(product)
        * ten(kept.saturating_sub(scale))?;
    let radicand = above / ten(scale.saturating_sub(kept))?;

    // The fourth root is the square root of the square root: the integer part of the integer part
    // is that of the whole, so that nothing is lost between the two.
    let digits = match root {
        1 => radicand,
        2 => radicand.sqrt(),
        _ => radicand.sqrt().sqrt(),
    };

    let value = rounded(digits)?;
    Some(if base.is_sign_negative() && product % 2 == 1 {
        -value
    } else {
        value
    })
}

/// Ten to a power.
fn ten(power: u128) -> Option<BigUint> {
    Some(BigUint::from(10_u32).pow(u32::try_from(power).ok()?))
}

/// A decimal from an integer in units of the 29th decimal, rounded half up to the digits kept.
fn rounded(mut digits: BigUint) -> Option<Decimal> {
    // A number over 128 bits has 39 digits at least: its last ten are never kept.
    let mut cut = 0;
    while digits.bits() > 128 {
        digits /= ten(10)?;
        cut += 10;
    }

    let digits = u128::try_from(digits).ok()?;
    let count = digits.checked_ilog10().map_or(1, |power| power + 1) + cut;
    let dropped = count.saturating_sub(SIGNIFICANT_DIGITS).max(1);
    let scale = (SIGNIFICANT_DIGITS + 1).checked_sub(dropped)?;

    // The digits kept and one more: adding 5 to that one before it is dropped rounds half up.
    let half_up = (digits / 10_u128.checked_pow(dropped.checked_sub(cut + 1)?)? + 5) / 10;

    let mantissa = i128::try_from(half_up).ok()?;
    Decimal::try_from_i128_with_scale(mantissa, scale)
        .ok()
        .map(|value| value.normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(base: &str, exponent: &str) -> Option<String> {
        let quarters = quarters(exponent.parse().unwrap()).unwrap();
        power(base.parse().unwrap(), quarters).map(|value| value.to_string())
    }

    #[test]
    fn roots_and_products_are_exact_where_they_can_be() {
        for (base, exponent, expected) in [
            ("16", "0.25", "2"),
            ("0.0016", "0.75", "0.008"),
            ("2.25", "1.5", "3.375"),
            ("1.1", "16", "4.5949729863572161"),
            ("-3", "3", "-27"),
            ("-3", "2", "9"),
            ("0", "0", "1"),
            ("0", "0.25", "0"),
            ("123.456", "1", "123.456"),
            ("7", "0", "1"),
            ("10", "16", "10000000000000000"),
            ("1000000000", "3", "1000000000000000000000000000"),
            (
                "12345678901234567890",
                "1.25",
                "731802218120691135296747.1979",
            ),
        ] {
            assert_eq!(
                of(base, exponent).as_deref(),
                Some(expected),
                "{base}^{exponent}"
            );
        }
    }

    #[test]
    fn others_are_rounded_to_twenty_eight_digits() {
        assert_eq!(of("2", "0.5").unwrap(), "1.414213562373095048801688724");
        assert_eq!(of("2", "0.25").unwrap(), "1.189207115002721066717499971");
        assert_eq!(
            of("0.602641129032258064516129032", "1.75")
                .unwrap()
                .get(..11),
            Some("0.412195118")
        );
        assert_eq!(
            of("1000000000001", "0.5").unwrap(),
            "1000000.000000499999999999875"
        );
    }

    #[test]
    fn what_is_no_power_or_too_great_is_none() {
        for (base, exponent) in [
            ("-2", "0.5"),
            ("-1", "0.25"),
            ("1000000000000", "3"),
            ("79", "16"),
        ] {
            assert_eq!(of(base, exponent), None, "{base}^{exponent}");
        }
        for exponent in ["0.1", "16.25", "-1", "1.76"] {
            assert_eq!(quarters(exponent.parse().unwrap()), None, "{exponent}");
        }
    }

    proptest::proptest! {
        /// The square of a root and of its two neighbours, halfway, enclose the number; checked in
        /// integers.
        #[test]
        fn a_square_root_is_the_nearest(mantissa in 1_u64..u64::MAX, scale in 0_u32..18) {
            let number = Decimal::from_i128_with_scale(mantissa.into(), scale);
            let root = power(number, 2).unwrap();
            let (digits, decimals) = (BigUint::from(root.mantissa().unsigned_abs()), root.scale());
            // 4 x number, and the squares of twice the neighbouring midpoints, all in units of
            // 10^(-2 decimals).
            let ten = |power: u32| BigUint::from(10_u32).pow(power);
            let four = BigUint::from(mantissa) * 4_u32 * ten(2 * decimals + 40 - scale);
            let unit = ten(40);
            let (low, high) = (&digits * 2_u32 - 1_u32, &digits * 2_u32 + 1_u32);
            // A root with fewer digits is exact.
            let is_exact = &digits * &digits * 4_u32 * &unit == four;
            let is_nearest = &low * &low * &unit <= four && four < &high * &high * &unit;
            proptest::prop_assert!(is_exact || is_nearest, "{number} {root}");
        }
    }

    #[test]
    fn an_exponent_of_a_dated_file_is_checked() {
        use crate::testing::{GROSS, errors, folder, shown};
        let keys = format!(
            "{GROSS}figures:\n  f: {{n: number}}\nsteps:\n  x: {{formula: power(ratio(brut; brut * \
             4); f.n)}}\nanswer:\n  x: x\n"
        );
        assert_eq!(
            shown(&folder(&keys, "  f: {n: 1.5, source: s}"), "brut=3", "x"),
            "0.125"
        );
        assert_eq!(errors(&keys, "  f: {n: 1.6, source: s}"), ["F22"]);
        assert_eq!(
            errors(
                &keys.replace("f: {n: number}", "f: {n: optional number}"),
                "  f: {source: s}"
            ),
            ["T09"]
        );
    }
}
