//! The reader of the modifiers of a step: conditions, limits, roundings, earlier months.

use crate::law::formula::{ExpectedType, narrowings};
use crate::law::unit::warn_of_units;
use crate::law::{Ast, AstNode, Expr, Sum, Type};
use crate::text::number::parse_plain;
use crate::text::problem::suggestion;
use crate::text::words::normalize;
use crate::text::{PlacedText, Problem, RoundMode};

use super::modifiers::Change;
use super::{Effect, KeyForm, MODIFIERS, Modifiers, Reader, Rounding, Written};

impl Reader<'_> {
    /// Reads the conditions, and adds what they establish to what is known. Returns whether one of
    /// them is false on all the days that the method is read for.
    pub(super) fn conditions(&mut self, modifiers: &mut Modifiers) -> bool {
        let mut is_absent = false;
        for modifier in MODIFIERS
            .iter()
            .filter(|modifier| matches!(modifier.effect, Effect::Condition))
        {
            let Some(text) = self.node.text_of(modifier.name) else {
                continue;
            };
            let condition = self.check(modifier.name, text, ExpectedType::BOOLEAN).expr;

            self.known.extend(narrowings(&condition, true));
            let settled = self.env.symbols.settled(&condition);
            is_absent |= settled == Some(false);
            // A condition that always holds on these days costs nothing in a calculation.
            if settled != Some(true) {
                modifiers.conditions.push(condition);
            }
        }
        is_absent
    }

    /// The modifiers, in the order of the table. Returns the step whose earlier values are taken
    /// off.
    pub(super) fn modifiers(
        &mut self,
        main: Option<Type>,
        modifiers: &mut Modifiers,
    ) -> Option<PlacedText> {
        let mut earlier_step = None;

        let is_numeric = main.is_some_and(Type::is_numeric);
        let limit = ExpectedType::limit(main.unwrap_or(Type::Unknown));
        // A loan rounds each payment: its `round` is a key of the kind.
        let rounds_itself = self
            .kind
            .keys
            .iter()
            .any(|key| key.form == KeyForm::Rounding);

        for modifier in MODIFIERS {
            let Some(text) = self.node.text_of(modifier.name) else {
                continue;
            };

            let change = match modifier.effect {
                // Read before the other keys, by `conditions`.
                Effect::Condition => continue,
                Effect::Rounding if rounds_itself => continue,
                Effect::Limit(_) | Effect::Rounding | Effect::Earlier if !is_numeric => {
                    self.report.error(
                        &text.place,
                        Problem::ModifierNeedsNumber {
                            modifier: modifier.name,
                        },
                    );
                    continue;
                }
                Effect::Limit(apply) => {
                    let limit = self.check(modifier.name, text, limit);
                    Change::Limit(modifier, apply, limit.expr)
                }
                Effect::Rounding => Change::Rounding(self.roundings(modifier.name)),
                Effect::Earlier => {
                    let Some((step, sum)) = self.already(text, main.unwrap_or(Type::Unknown))
                    else {
                        continue;
                    };
                    earlier_step = Some(step);
                    Change::Earlier(Expr::Earlier(sum))
                }
            };

            modifiers.changes.push(change);
        }
        earlier_step
    }

    /// `already: reduction` or `already: reduction; delta`: the step whose earlier values are taken
    /// off, and what starts them again. Whether there is such a step is known once all are read.
    fn already(&mut self, text: &PlacedText, main: Type) -> Option<(PlacedText, Sum)> {
        let key = MODIFIERS
            .iter()
            .find(|modifier| matches!(modifier.effect, Effect::Earlier))?
            .name;

        if !self.env.symbols.has_year {
            self.error(
                &text.place,
                Problem::SumWithoutYear {
                    word: key.to_owned(),
                },
            );
            return None;
        }

        // Only a sum over months has an earlier part of the same kind to take off.
        if main.of_the_month().is_none() {
            self.error(&text.place, Problem::AlreadyOfType { found: main.name() });
            return None;
        }

        let parts = text.list();
        let (step, restart_key) = match parts.as_slice() {
            [step] => (step, None),
            [step, restart_key] => (step, Some(restart_key)),
            _ => {
                self.error(&text.place, Problem::AlreadyCount { count: parts.len() });
                return None;
            }
        };

        self.keep(key, Some(Written::Name(step.value.clone())));
        let restart_key = match restart_key {
            Some(restart_key) => Some(
                self.env
                    .sum_key(restart_key, &self.known, self.report)
                    .recorded_in(&mut self.reads)?,
            ),
            None => None,
        };
        // The sum counts as one of the names of the year, and the step as depending on the pays.
        self.reads.other_months.sums(&step.value);
        self.reads.sums_months = true;

        Some((
            step.clone(),
            Sum {
                name: step.value.clone(),
                key: restart_key,
            },
        ))
    }

    /// `round: 1; 100` or `round: base.pas down`.
    pub(crate) fn roundings(&mut self, key: &'static str) -> Vec<Rounding<Expr>> {
        let Some(text) = self.node.text_of(key) else {
            return Vec::new();
        };

        // Each rounding is kept twice: to compute with, and as the pages show it.
        let read: Vec<(Rounding<Expr>, Option<Ast>)> = text
            .list()
            .iter()
            .filter_map(|part| self.rounding(part))
            .collect();

        let written = |(rounding, unit): &(Rounding<Expr>, Option<Ast>)| {
            unit.clone().map(|unit| Rounding {
                unit,
                mode: rounding.mode,
            })
        };

        self.keep(
            key,
            Some(Written::Roundings(
                read.iter().filter_map(written).collect(),
            )),
        );
        read.into_iter().map(|(rounding, _)| rounding).collect()
    }

    fn rounding(&mut self, part: &PlacedText) -> Option<(Rounding<Expr>, Option<Ast>)> {
        // The word of the mode comes last: the unit may be a formula.
        let (unit, mode) = match part.value.rsplit_once(' ') {
            Some((unit, word)) => {
                let start = part.value.len() - word.len();
                let place = part.part(start..part.value.len());
                match RoundMode::WORDS.iter().find(|(known, _)| *known == word) {
                    Some((_, mode)) => (unit.trim_end(), *mode),
                    None => {
                        // `down 1` instead of `1 down`.
                        let is_first = RoundMode::WORDS
                            .iter()
                            .any(|(known, _)| *known == unit.trim());
                        let near = suggestion(word, RoundMode::WORDS.map(|(known, _)| known))
                            .map(str::to_owned);
                        // Such a correction is that of the whole rounding, not of its last word.
                        let whole = if is_first {
                            Some(format!("{word} {}", unit.trim()))
                        } else {
                            unit_of_decimals(unit, word)
                        };
                        let modes = RoundMode::WORDS.map(|(known, _)| known).join(", ");
                        let place = whole.as_ref().map_or(&place, |_| &part.place);
                        let near = whole.clone().or(near);
                        self.error(
                            place,
                            Problem::UnknownRoundMode {
                                word: word.to_owned(),
                                modes,
                                near,
                            },
                        );
                        return None;
                    }
                }
            }
            None => (part.value.as_str(), RoundMode::HalfUp),
        };

        // A unit written as a number is checked when the file is read; one that a formula gives
        // cannot be.
        if let Ok(value) = parse_plain(unit) {
            let written = Ast {
                span: 0..unit.len(),
                node: AstNode::Number(value),
            };
            if value.is_sign_negative() {
                self.error(&part.place, Problem::NegativeRounding {});
            }
            warn_of_units(value, part, self.report);
            return Some((
                Rounding {
                    unit: Expr::Number(value),
                    mode,
                },
                Some(written),
            ));
        }

        let text = PlacedText {
            value: unit.to_owned(),
            place: part.part(0..unit.len()),
        };
        let expected = ExpectedType::exactly(Type::Number);

        let (typed, written) = self
            .env
            .check_and_keep(&text, expected, &self.known, self.report)
            .recorded_in(&mut self.reads);

        Some((
            Rounding {
                unit: typed.expr,
                mode,
            },
            written,
        ))
    }
}

/// The unit of a number of decimals: `2 décimales` is `0.01`.
fn unit_of_decimals(unit: &str, word: &str) -> Option<String> {
    let decimals: usize = unit.trim().parse().ok()?;
    let is_unit = normalize(word).starts_with("decimal") && decimals < 10;
    is_unit.then(|| match decimals {
        0 => "1".to_owned(),
        _ => format!("0.{}1", "0".repeat(decimals - 1)),
    })
}
