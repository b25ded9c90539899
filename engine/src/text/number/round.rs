//! Rounding to a unit or to a number of decimals.

use std::cmp::Ordering;

use rust_decimal::Decimal;

use super::{GUARD_DECIMALS, plain_zero, power_of_ten, short_mantissa};

/// Direction of a rounding.
///
/// ```
/// use bareme_engine::text::RoundMode;
///
/// assert_eq!(RoundMode::WORDS.map(|(word, _)| word), ["half_up", "down", "up"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundMode {
    /// To the nearest multiple; halves go away from zero.
    HalfUp,
    /// To the lower multiple.
    Down,
    /// To the upper multiple.
    Up,
}

impl RoundMode {
    /// Every mode, with the word that names it in a rule file.
    pub const WORDS: [(&'static str, Self); 3] = [
        ("half_up", Self::HalfUp),
        ("down", Self::Down),
        ("up", Self::Up),
    ];

    /// Its name in an explanation, in French, before the unit.
    pub(crate) fn french(self) -> &'static str {
        match self {
            Self::HalfUp => "au plus proche, à",
            Self::Down => "par défaut, à",
            Self::Up => "par excès, à",
        }
    }
}

/// Rounds to a multiple of `unit`; a unit of 0 leaves the value alone. `None` on overflow.
pub(crate) fn round(value: Decimal, unit: Decimal, mode: RoundMode) -> Option<Decimal> {
    if unit.is_zero() {
        return Some(value);
    }

    // Without the guard, 1/3 x 3 would be 0.999… and be rounded down to 0.
    let value = round_to_scale(value, GUARD_DECIMALS, RoundMode::HalfUp);
    let rounded = if unit.mantissa() == 1 {
        // A unit of 1, 0.1, 0.01…: decimals are dropped, without a division.
        round_to_scale(value, unit.scale(), mode)
    } else {
        let multiples = round_to_scale(value.checked_div(unit)?, GUARD_DECIMALS, RoundMode::HalfUp);
        round_to_scale(multiples, 0, mode).checked_mul(unit)?
    };

    Some(plain_zero(rounded))
}

/// Rounds half up to a number of decimals: the rounding of everything that is shown.
pub(crate) fn round_decimals(value: Decimal, decimals: u32) -> Decimal {
    if value.scale() <= decimals {
        return plain_zero(value);
    }

    let value = round_to_scale(value, GUARD_DECIMALS, RoundMode::HalfUp);
    plain_zero(round_to_scale(value, decimals, RoundMode::HalfUp))
}

/// Rounds a value to a number of decimals, several times as quick as the library
/// (`benches/answer.rs`).
fn round_to_scale(value: Decimal, decimals: u32, mode: RoundMode) -> Decimal {
    // A decimal has at most 28 decimals: the power is in the table wherever decimals are dropped.
    let dropped = value
        .scale()
        .checked_sub(decimals)
        .filter(|dropped| *dropped > 0);
    let Some(power) = dropped.and_then(power_of_ten) else {
        return value;
    };

    match (short_mantissa(value), i64::try_from(power)) {
        // A 64-bit division is much quicker.
        (Some(mantissa), Ok(power)) => {
            // The remainder of such a division is never negative: below zero, too, up is towards
            // the greater.
            let lower = mantissa.div_euclid(power);
            let rest = mantissa.rem_euclid(power);
            let remainder = Remainder {
                is_zero: rest == 0,
                to_half: rest.cmp(&(power - rest)),
            };

            let up = remainder.goes_up(mode, mantissa > 0);
            Decimal::new(lower + i64::from(up), decimals)
        }
        _ => {
            let mantissa = value.mantissa();
            let lower = mantissa.div_euclid(power);
            let rest = mantissa - lower * power;
            let remainder = Remainder {
                is_zero: rest == 0,
                to_half: rest.cmp(&(power - rest)),
            };

            let up = remainder.goes_up(mode, mantissa > 0);
            Decimal::from_i128_with_scale(lower + i128::from(up), decimals)
        }
    }
}

/// What a division towards minus infinity leaves of a value, from 0 to less than one unit.
struct Remainder {
    is_zero: bool,
    /// The remainder compared with half a unit.
    to_half: Ordering,
}

impl Remainder {
    /// Whether a rounding goes up from the lower multiple.
    fn goes_up(&self, mode: RoundMode, is_positive: bool) -> bool {
        match mode {
            RoundMode::Down => false,
            RoundMode::Up => !self.is_zero,
            // Halves round away from zero: up where the value is positive.
            RoundMode::HalfUp => self.to_half.is_gt() || (self.to_half.is_eq() && is_positive),
        }
    }
}

/// Whether a number has more than `decimals` decimals, not counting trailing zeros.
pub(crate) fn has_more_decimals(value: Decimal, decimals: u32) -> bool {
    value.scale() > decimals && value.normalize().scale() > decimals
}

#[cfg(test)]
mod tests {
    use rust_decimal::RoundingStrategy;

    use super::*;
    use crate::text::number::{number_text, parse_plain};

    impl RoundMode {
        fn strategy(self) -> RoundingStrategy {
            match self {
                Self::HalfUp => RoundingStrategy::MidpointAwayFromZero,
                Self::Down => RoundingStrategy::ToNegativeInfinity,
                Self::Up => RoundingStrategy::ToPositiveInfinity,
            }
        }
    }

    fn decimal(text: &str) -> Decimal {
        parse_plain(text).unwrap()
    }

    #[test]
    fn the_quick_rounding_is_that_of_the_library() {
        let mantissas = (-2_600..2_600).chain([i64::MAX, i64::MIN, i64::MAX - 5, i64::MIN + 5]);
        // Wider than 64 bits, as the result of a division is.
        for mantissa in [1, 5, 49, 50, 51, 99]
            .into_iter()
            .flat_map(|last| [333, 666, 999, 500, 499].map(|first| (first, last)))
        {
            let wide = mantissa.0 * 10_i128.pow(25) + mantissa.1;
            for (wide, decimals) in [
                (wide, 15),
                (-wide, 15),
                (wide / 2, 2),
                (-wide / 3, 0),
                (wide, 26),
            ] {
                let value = Decimal::from_i128_with_scale(wide, 28);
                for (_, mode) in RoundMode::WORDS {
                    let library = value.round_dp_with_strategy(decimals, mode.strategy());
                    assert_eq!(
                        round_to_scale(value, decimals, mode),
                        library,
                        "{value} {decimals} {mode:?}"
                    );
                }
            }
        }
        let around = |wide: i64| {
            [0, 1, 49, 50, 51, 4_999, 5_000, 5_001].map(|part| i128::from(wide) * 10_000 + part)
        };
        for mantissa in
            mantissas.flat_map(|wide| around(wide).into_iter().chain([i128::from(wide)]))
        {
            for (scale, decimals) in [
                (1, 0),
                (2, 0),
                (4, 2),
                (4, 4),
                (2, 15),
                (18, 0),
                (19, 0),
                (25, 3),
            ] {
                let value = Decimal::from_i128_with_scale(mantissa, scale);
                for (_, mode) in RoundMode::WORDS {
                    let library = value.round_dp_with_strategy(decimals, mode.strategy());
                    assert_eq!(
                        round_to_scale(value, decimals, mode),
                        library,
                        "{value} {decimals} {mode:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn halves_go_away_from_zero_and_dust_does_not_decide() {
        let round = |value: &str, unit: &str, mode| {
            number_text(round(decimal(value), decimal(unit), mode).unwrap())
        };
        assert_eq!(round("2.5", "1", RoundMode::HalfUp), "3");
        assert_eq!(round("-2.5", "1", RoundMode::HalfUp), "-3");
        assert_eq!(round("0.4999999999999999999", "1", RoundMode::HalfUp), "1");
        assert_eq!(
            round("3605.9999999999999999999", "1", RoundMode::Down),
            "3606"
        );
        assert_eq!(round("3605999", "1000", RoundMode::Down), "3605000");
        assert_eq!(round("97618", "100", RoundMode::HalfUp), "97600");
        assert_eq!(round("97650", "100", RoundMode::HalfUp), "97700");
        assert_eq!(round("10.025", "0.05", RoundMode::HalfUp), "10.05");
        assert_eq!(round("1.001", "0.01", RoundMode::Up), "1.01");
        assert_eq!(round("-0.3", "1", RoundMode::HalfUp), "0");
        assert_eq!(round("12.345", "0", RoundMode::HalfUp), "12.345");
    }
}
