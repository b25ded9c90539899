//! Modifiers, the keys that every step may have besides those of its kind: one row each, applied in
//! the order of [`MODIFIERS`]. The reader, the schema, the explanations and the pages go by this
//! table.

use rust_decimal::Decimal;

use crate::law::column::{Active, Block, Booleans, Column, Numbers};
use crate::law::formula::{Code, EvalError, Limits, State};
use crate::law::range::{Range, Ranges, Span};
use crate::law::{Expr, Scalar, SlotId, Value};
use crate::text::lang::Text;
use crate::text::number::{larger, plain_zero, round, smaller, sub};

use super::{Compiler, Rounding};

/// A key that any step may have besides those of its kind.
///
/// ```
/// use bareme_engine::law::MODIFIERS;
///
/// let names: Vec<&str> = MODIFIERS.iter().map(|modifier| modifier.name).collect();
/// assert!(names.contains(&"at_least"));
/// ```
#[derive(Debug)]
pub struct Modifier {
    /// Its key.
    pub name: &'static str,
    /// Its effect, for the editor.
    pub help: &'static str,
    /// The phrase printed before its value where a page says how a step is computed.
    pub phrase: Text,
    /// The member of an explained step that shows its value, one of
    /// [`members::STEP`](crate::law::members::STEP).
    pub(crate) member: Option<&'static str>,
    pub(crate) effect: Effect,
}

/// Operation of a limit on a value, and on the values of many rows at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounding {
    value: fn(Decimal, Decimal) -> Decimal,
    column: fn(&Numbers, &Numbers, &Block, &Active) -> Numbers,
}

/// The effect of a modifier.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Effect {
    /// The step is computed where a condition holds; what it establishes is known in every key of
    /// the step.
    Condition,
    /// The value is combined with an operand of its type; an empty operand has no effect.
    Limit(Bounding),
    /// The value becomes a multiple of a unit.
    Rounding,
    /// Takes off the amount that a step gave in the earlier months of the year of pays.
    Earlier,
}

/// Every modifier, in the order in which they are applied: around the kind, conditions before it.
///
/// ```
/// use bareme_engine::law::MODIFIERS;
///
/// let place = |name| MODIFIERS.iter().position(|modifier| modifier.name == name);
/// assert!(place("at_least") < place("round"));
/// ```
pub static MODIFIERS: &[Modifier] = &[
    Modifier {
        name: "when",
        help: "false: the step gives 0, false or nothing, and the rest is skipped",
        phrase: Text::new("seulement si", "only if"),
        member: None,
        effect: Effect::Condition,
    },
    Modifier {
        name: "at_least",
        help: "the amount is raised to it",
        phrase: Text::new("au moins", "at least"),
        member: Some("au_moins"),
        effect: Effect::Limit(Bounding {
            value: larger,
            column: Numbers::larger,
        }),
    },
    Modifier {
        name: "at_most",
        help: "then lowered to it, so it wins",
        phrase: Text::new("au plus", "at most"),
        member: Some("au_plus"),
        effect: Effect::Limit(Bounding {
            value: smaller,
            column: Numbers::smaller,
        }),
    },
    Modifier {
        name: "round",
        help: "`unit [half_up|down|up]`, several separated by `;`",
        phrase: Text::new("arrondi", "rounded"),
        member: Some("arrondi"),
        effect: Effect::Rounding,
    },
    Modifier {
        name: "already",
        help: "`step` or `step; k`: what the step gave in the earlier months of the year of pays, \
            since k changed, is taken off",
        phrase: Text::new(
            "moins, pour les mois précédents,",
            "less, for the earlier months,",
        ),
        member: Some("deja"),
        effect: Effect::Earlier,
    },
];

/// The modifiers of a checked step, or of a compiled one.
#[derive(Debug)]
pub(crate) struct Modifiers<E = Expr> {
    pub conditions: Vec<E>,
    pub changes: Vec<Change<E>>,
}

/// The modifiers of a step.
#[derive(Debug)]
pub(crate) enum Change<E> {
    Limit(&'static Modifier, Bounding, E),
    Rounding(Vec<Rounding<E>>),
    /// The sum that is taken off.
    Earlier(E),
}

/// The modifiers of a compiled step.
pub(crate) type CompiledModifiers = Modifiers<Code>;

impl<E> Default for Modifiers<E> {
    fn default() -> Self {
        Self {
            conditions: Vec::new(),
            changes: Vec::new(),
        }
    }
}

impl Modifiers {
    /// Whether on some days, or for some queries, the step is not computed.
    pub(crate) fn may_skip(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// Whether they leave the value as it is, but for a rounding.
    pub(crate) fn only_round(&self) -> bool {
        self.changes
            .iter()
            .all(|change| matches!(change, Change::Rounding(_)))
    }

    pub(crate) fn compile(&self, compiler: &Compiler) -> CompiledModifiers {
        // A limit that is empty in this file leaves no change to apply.
        let changes = self.changes.iter().filter_map(|change| {
            Some(match change {
                Change::Limit(modifier, apply, limit) => {
                    Change::Limit(modifier, *apply, compiler.limit(Some(limit))?)
                }
                Change::Rounding(list) => Change::Rounding(compile_roundings(list, compiler)),
                Change::Earlier(sum) => Change::Earlier(compiler.code(sum)),
            })
        });

        CompiledModifiers {
            conditions: self
                .conditions
                .iter()
                .map(|condition| compiler.code(condition))
                .collect(),
            changes: changes.collect(),
        }
    }
}

pub(super) fn compile_roundings(
    list: &[Rounding<Expr>],
    compiler: &Compiler,
) -> Vec<Rounding<Code>> {
    list.iter()
        .map(|rounding| Rounding {
            unit: compiler.code(&rounding.unit),
            mode: rounding.mode,
        })
        .collect()
}

/// A limit of the value of a step, in a calculation.
///
/// A [`StepTrace`](crate::run::StepTrace) lists those of its step.
#[derive(Debug)]
pub struct AppliedLimit<'f> {
    /// The limit.
    pub modifier: &'static Modifier,
    /// The limit; `Null` where it does not bind.
    pub value: Scalar<'f>,
}

impl CompiledModifiers {
    /// Whether the step is to be computed.
    pub(crate) fn applies(&self, state: &State) -> Result<bool, EvalError> {
        for condition in &self.conditions {
            if !condition.boolean(state)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The limits, as an explanation shows them.
    pub(crate) fn limits(&self, state: &State) -> Result<Vec<AppliedLimit<'_>>, EvalError> {
        let mut limits = Vec::new();

        for change in &self.changes {
            if let Change::Limit(modifier, _, code) = change {
                limits.push(AppliedLimit {
                    modifier,
                    value: Scalar::exact(&code.run(state)?),
                });
            }
        }
        Ok(limits)
    }

    /// The roundings that round: a unit of 0 leaves the value alone.
    pub(crate) fn roundings(&self, state: &State) -> Result<Vec<Rounding<Decimal>>, EvalError> {
        let mut roundings = Vec::new();
        for change in &self.changes {
            let Change::Rounding(list) = change else {
                continue;
            };

            for rounding in list {
                roundings.push(Rounding {
                    unit: rounding.unit.number(state)?,
                    mode: rounding.mode,
                });
            }
        }

        roundings.retain(|rounding| !rounding.unit.is_zero());
        Ok(roundings)
    }

    /// Amount of the earlier months of a year of pays that is taken off; none in a calculation of
    /// one month, or where nothing is taken off.
    pub(crate) fn earlier(&self, state: &State) -> Result<Option<Decimal>, EvalError> {
        // A step has this modifier once at most.
        let found = self.changes.iter().find_map(|change| {
            if let Change::Earlier(sum) = change {
                Some(sum)
            } else {
                None
            }
        });

        found
            .filter(|_| state.year.is_some())
            .map(|sum| sum.number(state))
            .transpose()
    }

    /// Limits and rounds the value in a slot, and takes off what the earlier months gave.
    pub(crate) fn finish(&self, state: &mut State, slot: SlotId) -> Result<(), EvalError> {
        if self.changes.is_empty() {
            return Ok(());
        }
        // Only numbers are limited or rounded: an empty output stays empty.
        let Value::Number(mut value) = *state.get(slot)? else {
            return Ok(());
        };

        for change in &self.changes {
            match change {
                Change::Limit(_, apply, limit) => {
                    value = limit
                        .limit(state)?
                        .map_or(value, |limit| (apply.value)(value, limit));
                }
                Change::Rounding(list) => {
                    for rounding in list {
                        value = round(value, rounding.unit.number(state)?, rounding.mode)
                            .ok_or(EvalError::Overflow)?;
                    }
                }
                // 0 in a calculation of one month.
                Change::Earlier(sum) => value = sub(value, sum.number(state)?)?,
            }
        }

        // Rounding a small negative amount leaves a zero with a sign, which no answer shows.
        state.set(slot, Value::Number(plain_zero(value)))
    }

    /// Whether the step is to be computed in a whole interval; `None` where it may be in a part.
    pub(crate) fn applies_over(&self, ranges: &Ranges) -> Option<bool> {
        let mut applies = Some(true);
        for condition in &self.conditions {
            match condition.truth(ranges) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => applies = None,
            }
        }
        applies
    }

    /// Limits and rounds the range in a slot.
    pub(crate) fn finish_ranges(&self, ranges: &mut Ranges, slot: SlotId) {
        if self.changes.is_empty() {
            return;
        }
        // Only numbers are limited or rounded.
        if let Span::Number(range) = ranges.get(slot) {
            let changed = self.changed_range(range, ranges);
            ranges.set(slot, changed);
        }
    }

    /// A range after all changes, each of which rises with the number that it changes.
    fn changed_range(&self, range: Range, ranges: &Ranges) -> Option<Range> {
        let mut range = range;
        for change in &self.changes {
            range = match change {
                Change::Limit(_, apply, limit) => limit.limited(range, ranges, apply.value)?,
                Change::Rounding(list) => list.iter().try_fold(range, |range, rounding| {
                    let unit = rounding.unit.range(ranges)?.single()?;
                    range.each(|value| round(value, unit, rounding.mode))
                })?,
                // A calculation of one month has no earlier ones.
                Change::Earlier(_) => Some(range).filter(|_| ranges.state.year.is_none())?,
            };
        }
        range.each(|value| Some(plain_zero(value)))
    }

    /// The rows in which the step is to be computed.
    pub(crate) fn applies_in(&self, block: &Block) -> Booleans {
        self.conditions
            .iter()
            .fold(Booleans::One(true), |all, condition| {
                // A condition is computed only where those before it hold, as in a single
                // calculation.
                let active = Active::ALL.where_true(&all);
                if active.is_empty() {
                    all
                } else {
                    all.and(&condition.booleans(block, &active))
                }
            })
    }

    /// Limits and rounds the values of a column.
    pub(crate) fn finished(&self, column: &Column, block: &Block, active: &Active) -> Column {
        match column {
            Column::One(Value::Number(value)) => {
                self.changed(Numbers::One(*value), block, active).into()
            }
            Column::Numbers(numbers) => self.changed(numbers.clone(), block, active).into(),
            // Rows without a value have no number to change, and so no error.
            Column::Sparse(numbers, there) => {
                let active = active.where_true(&Booleans::Each(there.clone()));
                Column::Sparse(self.changed(numbers.clone(), block, &active), there.clone())
            }
            other => other.clone(),
        }
    }

    fn changed(&self, numbers: Numbers, block: &Block, active: &Active) -> Numbers {
        self.changes
            .iter()
            .fold(numbers, |numbers, change| match change {
                Change::Limit(_, apply, limit) => {
                    let apply = |numbers: &Numbers, limit: &Numbers| {
                        (apply.column)(numbers, limit, block, active)
                    };
                    Limits::of(Some(limit), block, active).applied(numbers, apply)
                }
                Change::Rounding(list) => list.iter().fold(numbers, |numbers, rounding| {
                    let unit = rounding.unit.numbers(block, active);
                    numbers.rounded(&unit, rounding.mode, block, active)
                }),
                // A row is a month of its own.
                Change::Earlier(_) => numbers,
            })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, folder};

    #[test]
    fn an_explanation_has_a_member_for_each() {
        for member in super::MODIFIERS
            .iter()
            .filter_map(|modifier| modifier.member)
        {
            assert!(
                crate::law::members::STEP
                    .iter()
                    .any(|known| known.name == member),
                "{member}"
            );
        }
    }

    #[test]
    fn a_text_may_be_absent_where_its_step_has_a_condition() {
        for (condition, is_always_there) in [("", true), (", when: cadre", false)] {
            let keys = format!(
                "{GROSS}figures:\n  t: {{bound: money/month, nom: text}}
steps:\n  t: {{table: t, by: brut{condition}}}\nanswer:\n  nom: t.nom\n"
            );
            let folder = folder(&keys, "  t: {per: month, source: s, rows: [{nom: tous}]}\n");
            let [nom] = folder.latest().unwrap().method().fields() else {
                panic!()
            };
            assert_eq!(nom.is_always_there(), is_always_there, "{condition}");
        }
    }
}
