//! The JSON of an impact: `impact/1`. Amounts and weights are exact; shares are of the weight of
//! the computed rows.

use bareme_engine::law::Role;
use rust_decimal::Decimal;
use serde_json::{Map, Value, json};

use crate::format::json_number;

use super::Impact;
use super::changed_figures::ChangedFigure;
use super::compute::Group;
use super::errors::OF_SHARES;
use super::extremes::Extreme;
use super::scale::Units;
use super::sides::Side;
use super::tally::Tally;

/// Format of the JSON; its number changes when the meaning of a member does.
const FORMAT: &str = "impact/1";

/// The members of an object.
fn members(object: Value) -> Map<String, Value> {
    if let Value::Object(members) = object {
        members
    } else {
        Map::new()
    }
}

impl Impact<'_> {
    pub(super) fn to_json(&self) -> Value {
        let (found, units) = (&self.found, self.units);

        let extremes =
            |rows: &[Extreme]| rows.iter().map(|row| self.extreme(row)).collect::<Vec<_>>();

        // Rows are refused for few reasons: each has its number of rows and an example.
        let reasons = found.reasons.values();
        let reasons =
            reasons.map(|why| json!({"rows": why.rows, "first": why.first, "reason": why.message}));

        let side = |side: &Side| {
            let date = side.edition.scale().map(|scale| scale.date.to_string());
            json!({
                "day": side.day.to_string(),
                "scale": date,
                "version": side.folder.version(),
                "defaulted": side.defaulted,
            })
        };

        // The members are in the order in which they are documented.
        let mut all = members(json!({
            "format": FORMAT, "field": self.field, "unit": self.quantity.unit_word().en,
            "rows": found.rows, "refused": found.refused,
            "weight": json_number(units.weight(found.tally.weight)),
        }));

        all.extend(self.of_tally(&found.tally, true));
        all.extend(self.replication_json());
        all.extend(self.errors_member(self.errors_of_all()));
        all.extend(members(
            json!({"groups": self.groups_json(), "distribution": self.distribution_json()}),
        ));
        all.extend(
            self.inequality_json()
                .map(|inequality| ("inequality".to_owned(), inequality)),
        );

        all.extend(members(json!({
            "most": {
                "winners": extremes(&found.extremes.winners),
                "losers": extremes(&found.extremes.losers),
            },
            "reasons": reasons.collect::<Vec<_>>(), "folder": self.question.after.folder.path(),
            "is_net": self.question.role == Role::Net,
            "role": self.role_word(),
            "from": side(self.question.before),
            "to": side(self.question.after),
            "unused_columns": self.unused,
            "figures": self.changed.iter().map(ChangedFigure::to_json).collect::<Vec<_>>(),
            "moved": self.moved.to_json(["figure", "fields", "refusals", "calculations"]),
        })));

        Value::Object(all)
    }

    /// The word of the role of the field.
    fn role_word(&self) -> &'static str {
        let role = self.question.role;
        Role::WORDS
            .iter()
            .find(|(_, known_role)| *known_role == role)
            .map_or("", |(word, _)| word)
    }

    /// The members for a group of rows. A rate or a count has means and no totals.
    fn of_tally(&self, tally: &Tally, with_medians: bool) -> Vec<(String, Value)> {
        let units = self.units;

        // What cannot be computed, as a mean over no weight, is null rather than 0.
        let number = |value: Option<Decimal>| value.map_or(Value::Null, json_number);
        let total = |sum| number(self.quantity.adds_up().then(|| units.total(sum)));
        let mean = |sum| number(units.mean(sum, tally.weight));
        let side = |sum| json!({"total": total(sum), "mean": mean(sum)});

        let mut members = vec![
            ("before".to_owned(), side(tally.before)),
            ("after".to_owned(), side(tally.after)),
            ("difference".to_owned(), total(tally.difference())),
            ("mean_difference".to_owned(), mean(tally.difference())),
        ];

        for (name, part) in tally.parts() {
            let mut value = json!({
                "rows": part.rows,
                "weight": json_number(units.weight(part.weight)),
                "total": total(part.gain),
                "share": number(Units::share(part.weight, tally.weight)),
                "mean": number(units.mean(part.gain, part.weight)),
            });
            // Medians need all gains, which are only kept of the whole sample.
            if with_medians && let Value::Object(value) = &mut value {
                let median = self.median(name).map(|gain| units.amount(gain));
                value.insert("median".to_owned(), number(median));
            }

            members.push((name.to_owned(), value));
        }

        // Gains are a share of the income that was named, or of the one that rates are of.
        if self.question.has_base() {
            let share = self.units.gain_share(tally);
            let share = share.map(|share| share.round_dp(OF_SHARES).normalize());
            members.push(("mean_income".to_owned(), number(units.mean_base(tally))));
            members.push(("gain_share".to_owned(), number(share)));
        }

        let is_net = self.question.role == Role::Net;
        for (name, rates) in [
            ("effective_rate", units.effective_rates(tally, is_net)),
            ("marginal_rate", units.marginal_rates(tally, is_net)),
        ] {
            // Rates are of an income: without its column there are none.
            if let Some([before, after]) = rates {
                members.push((
                    name.to_owned(),
                    json!({"before": json_number(before), "after": json_number(after)}),
                ));
            }
        }

        members
    }

    fn groups_json(&self) -> Value {
        let mut list = Vec::new();
        let groupings = self.question.groupings.iter().zip(&self.found.groups);
        for (place, (grouping, groups)) in groupings.enumerate() {
            for (group, tally) in groups {
                // A quantile group is a number from 1, an empty cell null.
                let value = match group {
                    Group::Part(part) => json!(part),
                    Group::Number(number) => json_number(*number),
                    Group::Text(text) => json!(text),
                    Group::Empty => Value::Null,
                };

                let weight = json_number(self.units.weight(tally.weight));
                let mut of_group = members(json!({
                    "by": grouping.name,
                    "value": value,
                    "rows": tally.rows,
                    "weight": weight,
                }));

                of_group.extend(self.of_tally(tally, false));
                of_group.extend(self.errors_member(self.errors_of(place, group, tally)));
                list.push(Value::Object(of_group));
            }
        }
        list.into()
    }

    fn distribution_json(&self) -> Value {
        let slices = self.distribution().into_iter().map(|slice| {
            let end = |end: Option<Decimal>| end.map_or(Value::Null, json_number);
            json!({
                "from": end(slice.from), "to": end(slice.to), "rows": slice.rows,
                "weight": json_number(self.units.weight(slice.weight)),
            })
        });
        slices.collect::<Vec<_>>().into()
    }

    fn inequality_json(&self) -> Option<Value> {
        let inequality = self.inequality.as_ref()?;
        // Both measures are given before and after.
        let pair = |pair: &[Decimal; 2]| {
            let [before, after] = pair;
            json!({"before": json_number(*before), "after": json_number(*after)})
        };

        let mut value = json!({"gini": inequality.gini.as_ref().map(pair)});
        if let (Value::Object(members), Some((line, poverty))) = (&mut value, &inequality.poverty) {
            members.insert("poverty_line".to_owned(), json_number(*line));
            members.insert("poverty".to_owned(), pair(poverty));
        }

        Some(value)
    }

    fn extreme(&self, row: &Extreme) -> Value {
        let query = |query: &[(String, String)]| {
            let members = query
                .iter()
                .map(|(name, value)| (name.clone(), value.as_str().into()));
            Value::Object(members.collect())
        };

        let [before, after] = &row.queries;

        let units = self.units;

        // The parameters are repeated, so that a row can be explained by `bareme explain`.
        json!({
            "row": row.number,
            "before": json_number(units.amount(row.before)),
            "after": json_number(units.amount(row.after)),
            "gain": json_number(units.amount(row.gain)),
            "sent_before": query(before),
            "sent_after": query(after),
        })
    }
}
