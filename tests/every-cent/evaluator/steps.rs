//! The steps of a law, each by its kind, then limited and rounded.

use std::collections::BTreeMap;

use bareme_engine::authoring::Node;

use super::builder::Test;
use super::compiler::{Compiler, Stopped};
use super::number::Number;
use super::symbol::{Given, Symbol};
use crate::call::read_fields;
use crate::formula::Expr;
use crate::law::text;
use crate::loan::OUTPUTS;

/// A step as it is written.
pub(crate) struct Step<'l> {
    pub node: &'l Node,
    pub kind: &'l str,
    pub main: &'l str,
}

impl<'l> Compiler<'l> {
    /// Compiles a step. One that does not apply is not computed, so that it cannot fail.
    pub(super) fn step(&mut self, name: &str, node: &'l Node) -> Result<Given, Stopped> {
        let formula = node.text().map(|text| text.value.as_str());
        let (kind, main) = match node.entries().first() {
            Some((kind, _)) => (kind.value.as_str(), text(node, &kind.value).unwrap()),
            None => ("formula", formula.unwrap()),
        };

        let step = Step { node, kind, main };
        if self.law.is_of_other_days(node, "when") {
            let outputs = ["base", "rate"].map(|output| (output.to_owned(), Symbol::zero()));
            return Ok(Given {
                main: Some(Symbol::zero()),
                outputs: outputs.into(),
                is_boolean: false,
            });
        }

        let applies = match text(node, "when") {
            Some(when) => self.is(when)?,
            None => Test::Fixed(true),
        };

        if applies == Test::Fixed(false) {
            return Ok(self.skipped(name, &step));
        }

        let given = self.under(applies, |compiler| compiler.computed(name, &step))?;
        if applies == Test::Fixed(true) {
            return Ok(given);
        }

        let skipped = self.skipped(name, &step);
        Ok(self.builder.select_given(applies, &given, &skipped)?)
    }

    /// The value of a step where it applies, with its limits and roundings.
    fn computed(&mut self, name: &str, step: &Step<'l>) -> Result<Given, Stopped> {
        let mut given = match step.kind {
            "formula" => {
                let main = self.one(step.main)?;
                let is_boolean = matches!(main, Symbol::Boolean(_));
                Given {
                    main: Some(main),
                    outputs: BTreeMap::new(),
                    is_boolean,
                }
            }
            "contribution" => self.contribution(step)?,
            "deduction" => self.deduction(step)?,
            "brackets" => self.brackets(step)?,
            "table" => self.table(step)?,
            "loan" => self.loan(step)?,
            "calculate" => self.calculate(name, step)?,
            _ => return Err(Stopped::Unsupported("a step of this kind")),
        };

        if let Some(Symbol::Number(value, money)) = &given.main {
            let value = self.limited(step, value.clone())?;
            given.main = Some(Symbol::Number(value, *money));
        }

        // A single column of a table is also the bare name.
        if let ("table", Some(value)) = (step.kind, given.main.clone()) {
            let columns = &self.law.figures[step.main].shape;
            let (column, _) = columns
                .iter()
                .find(|(name, ty)| ty != "key" && name != "bound")
                .unwrap();
            given.outputs.insert(column.clone(), value);
        }

        Ok(given)
    }

    /// A value after the modifiers of its step, in their order.
    fn limited(&mut self, step: &Step<'l>, mut value: Number) -> Result<Number, Stopped> {
        if let Some(least) = self.slot(step, "at_least")? {
            value = self.bounded(value, &least, true)?;
        }

        if let Some(most) = self.slot(step, "at_most")? {
            value = self.bounded(value, &most, false)?;
        }

        for part in text(step.node, "round")
            .into_iter()
            .flat_map(|text| text.split(';'))
        {
            let (unit, mode) = part
                .trim()
                .split_once(' ')
                .unwrap_or((part.trim(), "half_up"));
            let Number::Fixed(unit) = self.one(unit)?.number()? else {
                return Err(Stopped::Unsupported("a unit of the row"));
            };
            value = self.builder.rounded(&value, &unit, mode)?;
        }

        if let Some(already) = text(step.node, "already") {
            let names = self.law.formulas(already);
            let before = self.before(&names[0], names.get(1))?;
            value = self.builder.minus(&value, &before)?;
        }

        Ok(value)
    }

    /// A value raised or lowered to a limit, where the limit is there.
    fn bounded(&mut self, value: Number, limit: &Symbol, raised: bool) -> Result<Number, Stopped> {
        let bounded = self.builder.extreme(&value, &limit.number()?, raised)?;
        Ok(match limit {
            Symbol::Perhaps(there, _) => self.builder.choose(*there, &bounded, &value)?,
            _ => bounded,
        })
    }

    /// A key that the step writes, else the column of `with` of that name; none where it is empty.
    pub(crate) fn slot(&mut self, step: &Step<'l>, name: &str) -> Result<Option<Symbol>, Stopped> {
        let value = if let Some(formula) = text(step.node, name) {
            Some(self.one(formula)?)
        } else {
            let own = [
                "rate",
                "floor",
                "ceiling",
                "over",
                "min",
                "max",
                "months",
                "fees",
                "insurance",
            ]
            .contains(&name);
            let with = text(step.node, "with").filter(|_| own);
            with.and_then(|figure| self.law.figures[figure].record.cells.get(name))
                .map(Symbol::from)
        };

        Ok(value.filter(|value| !matches!(value, Symbol::Nothing)))
    }

    fn contribution(&mut self, step: &Step<'l>) -> Result<Given, Stopped> {
        let mut base = self.one(step.main)?.number()?;
        if let Some(floor) = self.slot(step, "floor")? {
            base = self.bounded(base, &floor, true)?;
        }

        if let Some(ceiling) = self.slot(step, "ceiling")? {
            base = self.bounded(base, &ceiling, false)?;
        }

        if let Some(over) = self.slot(step, "over")? {
            let above = self.builder.minus(&base, &over.number()?)?;
            let above = self.builder.extreme(&above, &Number::zero(), true)?;
            base = match over {
                Symbol::Perhaps(there, _) => self.builder.choose(there, &above, &base)?,
                _ => above,
            };
        }

        let rate = self
            .slot(step, "rate")?
            .ok_or(Stopped::Unsupported("a contribution without rate"))?
            .number()?;
        let amount = self.builder.times(&base, &rate)?;
        let outputs = BTreeMap::from([("base".to_owned(), Symbol::Number(base, true))]);
        Ok(Given {
            main: Some(Symbol::Number(amount, true)),
            outputs,
            is_boolean: false,
        })
    }

    fn deduction(&mut self, step: &Step<'l>) -> Result<Given, Stopped> {
        let base = self.one(step.main)?.number()?;
        let rate = self
            .slot(step, "rate")?
            .ok_or(Stopped::Unsupported("a deduction without rate"))?
            .number()?;
        let mut amount = self.builder.times(&base, &rate)?;
        if let Some(min) = self.slot(step, "min")? {
            amount = self.bounded(amount, &min, true)?;
        }

        if let Some(max) = self.slot(step, "max")? {
            amount = self.bounded(amount, &max, false)?;
        }

        Ok(Given {
            main: Some(Symbol::Number(amount, true)),
            ..Given::default()
        })
    }

    /// The value of a step where it does not apply: zero, or false.
    fn skipped(&self, name: &str, step: &Step) -> Given {
        let mut given = Given {
            main: Some(Symbol::zero()),
            ..Given::default()
        };

        match step.kind {
            "formula" if self.is_boolean(&self.law.formulas(step.main)[0]) => {
                given.main = Some(Symbol::Boolean(Test::Fixed(false)));
                given.is_boolean = true;
            }
            "calculate" => {
                let read = read_fields(self.law, name).into_iter();
                given.outputs = read.map(|field| (field, Symbol::zero())).collect();
            }
            "contribution" => drop(given.outputs.insert("base".into(), Symbol::zero())),
            "brackets" => drop(given.outputs.insert("rate".into(), Symbol::zero())),
            "loan" => {
                given.main = None;
                given.outputs = OUTPUTS
                    .iter()
                    .map(|name| ((*name).to_owned(), Symbol::zero()))
                    .collect();
            }
            "table" => {
                let columns = self.law.figures[step.main].shape.iter();
                for (column, ty) in columns.filter(|(name, ty)| ty != "key" && name != "bound") {
                    let value = if ty == "text" {
                        Symbol::Nothing
                    } else {
                        Symbol::zero()
                    };
                    given.main = Some(value.clone());
                    given.outputs.insert(column.clone(), value);
                }
                if given.outputs.len() > 1 {
                    given.main = None;
                }
            }
            _ => {}
        }

        given
    }

    /// Whether a formula is true or false rather than a number, even where it is not computed.
    fn is_boolean(&self, expr: &Expr) -> bool {
        expr.is_boolean(&|name| {
            let input = self.law.input(name).and_then(|input| text(input, "type"));
            input == Some("boolean") || self.steps.get(name).is_some_and(|step| step.is_boolean)
        })
    }
}
