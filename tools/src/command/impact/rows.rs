//! The effect on each row of a sample.

use rust_decimal::Decimal;
use serde_json::{Value, json};

use bareme_engine::law::Role;

use crate::format::json_number;

use super::Impact;
use super::compute::RAISE;
use super::scale::Units;
use super::tally::Row;

/// Decimals of a share of the income.
pub(super) const OF_SHARES: u32 = 6;

impl Impact<'_> {
    /// The effect on each row, where it was kept, in the order of the sample.
    pub(super) fn rows_json(&self) -> Vec<Value> {
        let kept = self.found.kept.iter();
        kept.map(|(number, row)| self.row_json(*number, row))
            .collect()
    }

    fn row_json(&self, number: u64, row: &Row) -> Value {
        let units = self.units;
        let amount = |value| json_number(units.amount(value));
        let optional = |value: Option<Decimal>| value.map_or(Value::Null, json_number);

        let income = row.income.map(|income| units.income(income));
        let gain = units.amount(row.gain);
        // Of an income of nothing there is no share.
        let base = row.base.map(|base| Units::number(base, units.base));
        let share = base
            .filter(|base| *base > Decimal::ZERO)
            .and_then(|base| gain.checked_div(base))
            .map(|share| share.round_dp(OF_SHARES).normalize());

        let rate = |change: i128| {
            let taken = units.amount(change).checked_div(Decimal::from(RAISE))?;
            // Of a net, what matters is the part that is withheld.
            let taken = match self.question.role {
                Role::Net => Decimal::ONE.checked_sub(taken)?,
                _ => taken,
            };
            Some(taken.normalize())
        };
        let [before, after] = row
            .marginal
            .map_or([None, None], |changes| changes.map(rate));

        json!({
            "row": number,
            "weight": json_number(units.weight(row.weight)),
            "income": optional(income),
            "before": amount(row.before),
            "after": amount(row.after),
            "gain": amount(row.gain),
            "gain_share": optional(share),
            "marginal_rate": {"before": optional(before), "after": optional(after)},
        })
    }
}
