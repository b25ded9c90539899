//! The JSON of an impact: `impact/1`. Amounts and weights are exact; shares are of the weight of the computed rows.

use rust_decimal::Decimal;
use serde_json::{Map, Value, json};

use crate::format::json_number;

use super::Impact;
use super::compute::Group;
use super::extremes::Extreme;
use super::scale::Units;
use super::tally::Tally;

/// Format of the JSON; its number changes when the meaning of a member does.
const FORMAT: &str = "impact/1";

impl Impact<'_> {
    pub(super) fn to_json(&self) -> Value {
        let (found, units) = (&self.found, self.units);
        let mut members = Map::new();
        let mut put = |name: &str, value: Value| drop(members.insert(name.to_owned(), value));
        put("format", FORMAT.into());
        put("field", self.field.as_str().into());
        put("rows", found.rows.into());
        put("refused", found.refused.into());
        put("weight", json_number(units.weight(found.tally.weight)));
        for (name, value) in self.of_tally(&found.tally, true) {
            put(&name, value);
        }
        put("groups", self.groups_json());
        put("distribution", self.distribution_json());
        if let Some(inequality) = self.inequality_json() {
            put("inequality", inequality);
        }
        put(
            "most",
            json!({
                "winners": found.extremes.winners.iter().map(|row| self.extreme(row)).collect::<Vec<_>>(),
                "losers": found.extremes.losers.iter().map(|row| self.extreme(row)).collect::<Vec<_>>(),
            }),
        );
        let reasons = found.reasons.values();
        let reasons = reasons.map(|why| json!({"rows": why.rows, "first": why.first, "reason": why.said}));
        put("reasons", reasons.collect::<Vec<_>>().into());
        put("folder", self.question.after.folder.path().into());
        put("is_net", self.question.is_net.into());
        for (name, side) in [("from", self.question.before), ("to", self.question.after)] {
            let date = side.edition.scale().map(|scale| scale.date.to_string());
            put(
                name,
                json!({
                    "day": side.day.to_string(), "scale": date, "version": side.folder.version(), "defaulted": side.defaulted,
                }),
            );
        }
        put("unused_columns", json!(self.unused));
        put("figures", self.changed.iter().map(|changed| changed.to_json()).collect::<Vec<_>>().into());
        Value::Object(members)
    }

    /// The members for a group of rows.
    fn of_tally(&self, tally: &Tally, with_medians: bool) -> Vec<(String, Value)> {
        let units = self.units;
        let number = |value: Option<Decimal>| value.map_or(Value::Null, json_number);
        let side = |sum| json!({"total": json_number(units.total(sum)), "mean": number(units.mean(sum, tally.weight))});
        let mut members = vec![
            ("before".to_owned(), side(tally.before)),
            ("after".to_owned(), side(tally.after)),
            ("difference".to_owned(), json_number(units.total(tally.difference()))),
        ];
        for (name, part) in tally.parts() {
            let mut value = json!({
                "rows": part.rows, "weight": json_number(units.weight(part.weight)), "total": json_number(units.total(part.gain)),
                "share": number(Units::share(part.weight, tally.weight)), "mean": number(units.mean(part.gain, part.weight)),
            });
            if with_medians && let Value::Object(value) = &mut value {
                let median = self.median(name).map(|gain| units.amount(gain));
                value.insert("median".to_owned(), number(median));
            }
            members.push((name.to_owned(), value));
        }
        let is_net = self.question.is_net;
        for (name, rates) in [
            ("effective_rate", units.effective_rates(tally, is_net)),
            ("marginal_rate", units.marginal_rates(tally, is_net)),
        ] {
            if let Some([before, after]) = rates {
                members.push((name.to_owned(), json!({"before": json_number(before), "after": json_number(after)})));
            }
        }
        members
    }

    fn groups_json(&self) -> Value {
        let mut list = Vec::new();
        for (grouping, groups) in self.question.groupings.iter().zip(&self.found.groups) {
            for (group, tally) in groups {
                let mut members = Map::new();
                members.insert("by".to_owned(), grouping.name.as_str().into());
                let value = match group {
                    Group::Part(part) => json!(part),
                    Group::Number(number) => json_number(*number),
                    Group::Text(text) => json!(text),
                    Group::Empty => Value::Null,
                };
                members.insert("value".to_owned(), value);
                members.insert("rows".to_owned(), tally.rows.into());
                members.insert("weight".to_owned(), json_number(self.units.weight(tally.weight)));
                members.extend(self.of_tally(tally, false));
                list.push(Value::Object(members));
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
            let members = query.iter().map(|(name, value)| (name.clone(), value.as_str().into()));
            Value::Object(members.collect())
        };
        let [before, after] = &row.queries;
        let units = self.units;
        json!({
            "row": row.number, "before": json_number(units.amount(row.before)), "after": json_number(units.amount(row.after)),
            "gain": json_number(units.amount(row.gain)), "sent_before": query(before), "sent_after": query(after),
        })
    }
}
