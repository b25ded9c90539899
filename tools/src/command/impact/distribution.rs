//! Distribution of the gains: number of winners and losers by size of the gain.

use rust_decimal::Decimal;

use super::Impact;

/// A range of gains, as people read them: of a rate, in points.
pub(super) struct Slice {
    /// Lower bound, included; `None` for the lowest range. The range of no change has both bounds
    /// at 0.
    pub from: Option<Decimal>,
    /// Upper bound, excluded; `None` for the highest range.
    pub to: Option<Decimal>,
    pub rows: u64,
    pub weight: i128,
}

/// Ranges in each direction, so that the greatest gain falls in the last but one.
const SLICES: usize = 5;

impl Impact<'_> {
    /// The gains by ranges of round amounts, without empty ranges.
    pub(super) fn distribution(&self) -> Vec<Slice> {
        // The greater median of winners and losers is in the middle of the ranges, so that neither
        // side has all of its rows in one range.
        let sorted = self.found.gains.sorted(|_| true);
        let typical = self
            .found
            .gains
            .median(|gain| gain > 0)
            .into_iter()
            .chain(self.found.gains.median(|gain| gain < 0));

        let shown = |gain: i128| self.quantity.unit.shown(self.units.amount(gain));
        let typical = typical
            .map(|gain| shown(gain).abs())
            .max()
            .unwrap_or_default();

        // The edges are symmetric, so that gains and losses can be compared.
        let mut edges: Vec<Decimal> = round_amounts(typical)
            .iter()
            .map(|edge| -*edge)
            .rev()
            .collect();
        edges.push(Decimal::ZERO);
        edges.extend(round_amounts(typical));

        let range = |gain: i128| {
            let gain = shown(gain);
            let after = edges.partition_point(|edge| *edge <= gain);
            let before = after
                .checked_sub(1)
                .and_then(|index| edges.get(index))
                .copied();
            // No change is a range of its own, with both bounds at 0.
            if gain.is_zero() {
                (before, before)
            } else {
                (before, edges.get(after).copied())
            }
        };

        let slice = |gains: &[(i128, u64, i128)]| {
            let (from, to) = gains
                .first()
                .map(|(gain, ..)| range(*gain))
                .unwrap_or_default();
            let weight = gains.iter().map(|(_, _, weight)| weight).sum();
            Slice {
                from,
                to,
                rows: gains.iter().map(|(_, rows, _)| rows).sum(),
                weight,
            }
        };

        sorted
            .chunk_by(|(one, ..), (other, ..)| range(*one) == range(*other))
            .map(slice)
            .collect()
    }

    /// The median gain of the winners, of the losers, or of the others.
    pub(super) fn median(&self, part: &str) -> Option<i128> {
        self.found.gains.median(|gain| match part {
            "winners" => gain > 0,
            "losers" => gain < 0,
            _ => gain == 0,
        })
    }
}

/// Round amounts around a typical one: 1, 2, 5, 10, 20, …
fn round_amounts(typical: Decimal) -> Vec<Decimal> {
    // The steps divide by 100: the smallest amount is a cent.
    let steps = [Decimal::ONE, Decimal::TWO, Decimal::from(5)];

    let all = (0..16_u32).flat_map(|power| {
        let ten = Decimal::from(10_u64.saturating_pow(power));
        steps.map(|step| {
            step.saturating_mul(ten)
                .checked_div(Decimal::ONE_HUNDRED)
                .unwrap_or(step)
        })
    });

    let all: Vec<Decimal> = all.map(|edge| edge.normalize()).collect();

    let middle = all.partition_point(|edge| *edge <= typical);
    let first = middle.saturating_sub(SLICES / 2 + 1);
    all.into_iter().skip(first).take(SLICES).collect()
}
