//! Amounts, weights and shares of an impact, converted from sums of integers.

use rust_decimal::Decimal;

use super::statistics::ratio;
use super::tally::{Part, Tally};

/// The decimals of the amounts and of the weights of an impact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Units {
    /// Decimals of the field.
    pub amount: u32,
    pub weight: u32,
    /// Decimals of the income, the amount that drives the calculation.
    pub income: u32,
    /// Decimals of the income that gains are a share of.
    pub base: u32,
    /// Decimals of the consumption units.
    pub consumption: u32,
}

impl Units {
    /// An integer divided by ten to the power `decimals`, without trailing zeros.
    pub(super) fn number(value: i128, decimals: u32) -> Decimal {
        // A number with more digits than a decimal holds keeps the first ones: it is shown, not
        // computed with.
        let (mut value, mut decimals) = (value, decimals);

        loop {
            match Decimal::try_from_i128_with_scale(value, decimals) {
                Ok(number) => return number.normalize(),
                Err(_) if decimals > 0 => {
                    value = value.wrapping_div(10);
                    decimals = decimals.saturating_sub(1);
                }
                Err(_) => return Decimal::MAX,
            }
        }
    }

    /// An amount of the field.
    pub(super) fn amount(self, value: i128) -> Decimal {
        Self::number(value, self.amount)
    }

    /// An amount of the income.
    pub(super) fn income(self, value: i128) -> Decimal {
        Self::number(value, self.income)
    }

    pub(super) fn weight(self, value: i128) -> Decimal {
        Self::number(value, self.weight)
    }

    /// A weighted sum of amounts of the field.
    pub(super) fn total(self, value: i128) -> Decimal {
        Self::number(value, self.amount.saturating_add(self.weight))
    }

    /// A weighted mean of amounts of the field, with two more decimals.
    pub(super) fn mean(self, sum: i128, weight: i128) -> Option<Decimal> {
        let mean =
            ratio(sum, weight)?.checked_div(Decimal::from(10_u64.checked_pow(self.amount)?))?;
        Some(mean.round_dp(self.amount.saturating_add(2)).normalize())
    }

    /// An amount divided by consumption units, which are positive, rounded half up to the decimals of
    /// the amount.
    pub(super) fn for_each_unit(self, amount: i128, units: i128) -> Option<i128> {
        let exact = amount.checked_mul(10_i128.checked_pow(self.consumption)?)?;
        let half = units.checked_div(2)?;
        let rounded = match exact.is_negative() {
            true => exact.checked_sub(half)?,
            false => exact.checked_add(half)?,
        };
        rounded.checked_div(units)
    }

    /// A share of a weight, to six decimals.
    pub(super) fn share(weight: i128, all: i128) -> Option<Decimal> {
        ratio(weight, all).map(|share| share.round_dp(6).normalize())
    }

    /// A mean of the income that gains are a share of, with the decimals of a mean of the field: those
    /// of the income depend on how a file writes it.
    pub(super) fn mean_base(self, tally: &Tally) -> Option<Decimal> {
        let unit = Decimal::from(10_u64.checked_pow(self.base)?);
        let mean = ratio(tally.base, tally.weight)?.checked_div(unit)?;
        Some(mean.round_dp(self.amount.saturating_add(2)).normalize())
    }

    /// The gain over the income, to twelve decimals; `None` unless the income is positive.
    pub(super) fn gain_share(self, tally: &Tally) -> Option<Decimal> {
        let more = |decimals: u32| 10_i128.checked_pow(decimals);
        let gain = tally
            .gain()
            .checked_mul(more(self.base.saturating_sub(self.amount))?)?;
        let base = tally
            .base
            .checked_mul(more(self.amount.saturating_sub(self.base))?)?;
        ratio(gain, base).filter(|_| base > 0)
    }

    fn rate(share: Decimal, is_net: bool) -> Decimal {
        // Of a net, what matters is the part that is withheld.
        let share = if is_net {
            Decimal::ONE.saturating_sub(share)
        } else {
            share
        };
        share.round_dp(4).normalize()
    }

    /// The weighted sum of the field divided by that of the income, before and after; for a net,
    /// one minus that.
    pub(super) fn effective_rates(self, tally: &Tally, is_net: bool) -> Option<[Decimal; 2]> {
        // Income and field may have different decimals: both are brought to the more precise of the
        // two.
        let more = |decimals: u32| 10_i128.checked_pow(decimals);
        let unit = more(self.income.saturating_sub(self.amount))?;

        let income = tally
            .income
            .checked_mul(more(self.amount.saturating_sub(self.income))?)?;

        let rate = |field: i128| Some(Self::rate(ratio(field.checked_mul(unit)?, income)?, is_net));
        Some([rate(tally.before)?, rate(tally.after)?])
    }

    /// The mean change of the field for one more unit of income, before and after; for a net, one
    /// minus that.
    pub(super) fn marginal_rates(self, tally: &Tally, is_net: bool) -> Option<[Decimal; 2]> {
        let raise = super::compute::RAISE.checked_mul(10_i128.checked_pow(self.amount)?)?;
        let weight = tally.marginal_weight.checked_mul(raise)?;

        let rate = |change: i128| Some(Self::rate(ratio(change, weight)?, is_net));
        let [before, after] = tally.marginal;
        Some([rate(before)?, rate(after)?])
    }
}

impl Tally {
    /// The winners, the losers and the others, each with its name in the JSON.
    pub(super) fn parts(&self) -> [(&'static str, &Part); 3] {
        [
            ("winners", &self.winners),
            ("losers", &self.losers),
            ("unchanged", &self.unchanged),
        ]
    }

    /// The weighted sum of the gains, in which losses are negative.
    pub(super) fn gain(&self) -> i128 {
        self.winners.gain.saturating_add(self.losers.gain)
    }

    /// The weighted sum after, minus that before.
    pub(super) fn difference(&self) -> i128 {
        self.after.saturating_sub(self.before)
    }
}

/// An integer converted to another number of decimals; further digits are cut off.
pub(super) fn rescaled(value: i128, own: u32, decimals: u32) -> Option<i128> {
    match decimals.checked_sub(own) {
        Some(more) => value.checked_mul(10_i128.checked_pow(more)?),
        None => value.checked_div(10_i128.checked_pow(own.checked_sub(decimals)?)?),
    }
}
