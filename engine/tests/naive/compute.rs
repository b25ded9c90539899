//! One calculation: the steps in their order, each by what the manual says of its kind.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bareme_engine::authoring::Node;
use num_traits::Zero;

use crate::call::Called;
use crate::input::Refused;
use crate::law::{Figure, Law, Rat, Row, Value, round, text};
use crate::loan::{self, Payment};
use crate::past::{When, Year};

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Stop {
    /// An overflow or a division by zero.
    Impossible,
    /// The input that `or_refuse` blames.
    NoRow(String),
    /// What another folder refuses.
    Refused(Vec<Refused>),
}

/// Result of a step.
#[derive(Default, Clone)]
pub(crate) struct Outcome {
    pub applied: bool,
    pub is_boolean: bool,
    pub main: Option<Value>,
    pub outputs: BTreeMap<String, Value>,
    /// Base and rate of the payslip line.
    pub line: (Option<Rat>, Option<Rat>),
    /// Base and shares of brackets.
    pub base: Rat,
    pub shares: Rat,
    pub schedule: Vec<Payment>,
}

/// A calculation under way.
pub(crate) struct Run<'l> {
    pub law: &'l Law,
    pub inputs: HashMap<String, Value>,
    pub sent: BTreeSet<String>,
    pub steps: HashMap<String, Outcome>,
    /// Year, month and its days that the answer speaks of.
    pub when: When,
    /// The other months, within a year of pays.
    pub year: Option<Year>,
    /// The row being listed, with its figure.
    pub row: Option<(&'l str, &'l Row)>,
    /// The options that are switched on.
    pub on: BTreeSet<String>,
    /// Rows found, as (figure, place in its list).
    pub found: Vec<(String, usize)>,
    /// The day asked.
    pub day: String,
    /// The other folders that were calculated, in the order of the steps.
    pub called: Vec<Called>,
    /// The figures that it cites, where a step of another folder reads some of its fields.
    pub read: Option<BTreeSet<String>>,
    /// The group whose item it is computed for: its name, the index of the item, their number.
    pub of: Option<(String, usize, usize)>,
    /// The inputs with the lists of all items, where it is computed for one of them.
    pub whole: Option<HashMap<String, Value>>,
    /// The results of the steps that are computed for each item.
    pub items: HashMap<String, Vec<Outcome>>,
}

pub(crate) type Computed = Result<Value, Stop>;

pub(crate) fn number(value: Value) -> Result<Rat, Stop> {
    match value {
        Value::Number(number, _) => Ok(number),
        other => panic!("{other:?} is no number"),
    }
}

impl<'l> Run<'l> {
    /// Parts that run: the method, and the options that are on.
    pub(crate) fn parts(&self) -> Vec<&'l Node> {
        let parts = self.law.parts().into_iter();
        parts
            .filter(|(option, _)| option.is_none_or(|option| self.on.contains(option)))
            .map(|(_, part)| part)
            .collect()
    }

    pub(crate) fn step(&mut self, name: &str, node: &'l Node) -> Result<(), Stop> {
        match text(node, "each") {
            Some(group) if !self.law.is_of_other_days(node, "when") => self.each(name, node, group),
            _ => self.once(name, node),
        }
    }

    pub(crate) fn once(&mut self, name: &str, node: &'l Node) -> Result<(), Stop> {
        let formula = node.text().map(|text| text.value.as_str());
        let (kind, main) = match node.entries().first() {
            Some((kind, _)) => (kind.value.as_str(), text(node, &kind.value).unwrap()),
            None => ("formula", formula.unwrap()),
        };

        if self.law.is_of_other_days(node, "when") {
            let outputs = ["base", "rate"].map(|output| (output.to_owned(), Value::zero()));
            let outcome = Outcome {
                main: Some(Value::zero()),
                outputs: outputs.into(),
                ..Outcome::default()
            };
            self.steps.insert(name.to_owned(), outcome);
            return Ok(());
        }

        let applied = text(node, "when").map_or(Ok(true), |when| self.is(when))?;
        let step = Step { node, kind, main };
        let mut outcome = if applied {
            self.compute(name, &step)?
        } else {
            self.skip(&step)?
        };

        outcome.applied = applied;
        outcome.is_boolean = kind == "formula" && self.is_boolean(&self.law.formulas(main)[0]);
        if let (Some(Value::Number(value, money)), true) = (&outcome.main, applied) {
            let value = self.limited(&step, value.clone())?;
            outcome.main = Some(Value::Number(value, *money));
        }

        // A single column of a table is also the bare name.
        if let ("table" | "interpolate", Some(value)) = (kind, &outcome.main) {
            let column = &self.law.figures[main]
                .shape
                .iter()
                .find(|(name, ty)| ty != "key" && name != "bound")
                .unwrap()
                .0;
            outcome.outputs.insert(column.clone(), value.clone());
        }

        self.steps.insert(name.to_owned(), outcome);
        Ok(())
    }

    fn limited(&self, step: &Step, mut value: Rat) -> Result<Rat, Stop> {
        if let Some(least) = self.slot(step, "at_least")? {
            value = value.max(least);
        }

        if let Some(most) = self.slot(step, "at_most")? {
            value = value.min(most);
        }

        // The rounding of a loan is that of its payments.
        let rounding = text(step.node, "round").filter(|_| step.kind != "loan");

        for part in rounding.into_iter().flat_map(|text| text.split(';')) {
            let (unit, mode) = self.rounding(part)?;
            value = round(&value, &unit, mode);
        }

        if let Some(already) = text(step.node, "already") {
            value -= self.already(already)?;
        }

        Ok(value)
    }

    /// Sum of a step over the earlier months, back to the one in which the key had another value.
    fn already(&self, already: &str) -> Result<Rat, Stop> {
        match self.law.formulas(already).as_slice() {
            [step] => self.before(step, None),
            [step, key] => self.before(step, Some(key)),
            more => panic!("`already` of {} names", more.len()),
        }
    }

    pub(crate) fn rounding<'t>(&self, part: &'t str) -> Result<(Rat, &'t str), Stop> {
        let (unit, mode) = part
            .trim()
            .split_once(' ')
            .unwrap_or((part.trim(), "half_up"));
        Ok((number(self.one(unit)?)?, mode))
    }

    /// A slot that the step writes, else the column of `with` of that name.
    pub(crate) fn slot_value(&self, step: &Step, name: &str) -> Result<Option<Value>, Stop> {
        if let Some(formula) = text(step.node, name) {
            return self.one(formula).map(Some);
        }

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
        Ok(with
            .and_then(|figure| self.law.figures[figure].record.cells.get(name))
            .cloned())
    }

    pub(crate) fn slot(&self, step: &Step, name: &str) -> Result<Option<Rat>, Stop> {
        match self.slot_value(step, name)? {
            None | Some(Value::Nothing) => Ok(None),
            Some(value) => number(value).map(Some),
        }
    }

    fn compute(&mut self, name: &str, step: &Step) -> Result<Outcome, Stop> {
        match step.kind {
            "formula" => {
                let line = (self.slot(step, "base")?, self.slot(step, "rate")?);
                Ok(Outcome {
                    main: Some(self.one(step.main)?),
                    line,
                    ..Outcome::default()
                })
            }
            "contribution" => self.contribution(step),
            "deduction" => {
                let mut amount = number(self.one(step.main)?)? * self.slot(step, "rate")?.unwrap();
                if let Some(min) = self.slot(step, "min")? {
                    amount = amount.max(min);
                }
                if let Some(max) = self.slot(step, "max")? {
                    amount = amount.min(max);
                }
                Ok(Outcome {
                    main: Some(Value::Number(amount, true)),
                    ..Outcome::default()
                })
            }
            "brackets" => self.brackets(step),
            "table" => self.table(step),
            "interpolate" => self.interpolate(step),
            "loan" => self.loan(step),
            "calculate" => self.calculate(name, step),
            kind => panic!("the naive evaluator does not know the kind {kind}"),
        }
    }

    fn skip(&self, step: &Step) -> Result<Outcome, Stop> {
        let mut outcome = Outcome {
            main: Some(Value::zero()),
            ..Outcome::default()
        };

        match step.kind {
            "formula" if self.is_boolean(&self.law.formulas(step.main)[0]) => {
                outcome.main = Some(Value::Boolean(false))
            }
            "formula" => {
                let base = text(step.node, "base").map(|_| Rat::zero());
                outcome.line = (base, self.fixed_rate(step)?);
            }
            "contribution" => {
                outcome.outputs.insert("base".into(), Value::zero());
                outcome.line = (Some(Rat::zero()), self.fixed_rate(step)?);
            }
            "brackets" => drop(outcome.outputs.insert("rate".into(), Value::zero())),
            "table" | "interpolate" => {
                let figure = &self.law.figures[step.main];
                for (column, ty) in figure
                    .shape
                    .iter()
                    .filter(|(name, ty)| ty != "key" && name != "bound")
                {
                    let value = if ty == "text" {
                        Value::Nothing
                    } else {
                        Value::zero()
                    };
                    outcome.main = Some(value.clone());
                    outcome.outputs.insert(column.clone(), value);
                }
                if outcome.outputs.len() > 1 {
                    outcome.main = None;
                }
            }
            "loan" => {
                outcome.main = None;
                outcome.outputs = loan::OUTPUTS
                    .iter()
                    .map(|name| ((*name).to_owned(), Value::zero()))
                    .collect();
            }
            "calculate" => outcome.outputs = self.nothing_of(step),
            _ => {}
        }

        Ok(outcome)
    }

    /// The rate of a line that is skipped: the one that depends on nothing, else zero.
    fn fixed_rate(&self, step: &Step) -> Result<Option<Rat>, Stop> {
        let written = text(step.node, "rate");
        let fixed = written.is_none_or(|rate| self.is_fixed(&self.law.formulas(rate)[0]));
        if fixed {
            self.slot(step, "rate")
        } else {
            Ok(Some(Rat::zero()))
        }
    }

    pub(crate) fn by(&self, node: &Node) -> Result<Vec<Value>, Stop> {
        let formulas = text(node, "by").map(|by| self.law.formulas(by));
        formulas
            .iter()
            .flat_map(|list| list.iter())
            .map(|value| self.eval(value))
            .collect()
    }

    /// The rows for the values of the keys.
    pub(crate) fn rows(
        &self,
        step: &Step,
        figure: &'l Figure,
        by: &[Value],
    ) -> Result<Vec<&'l Row>, Stop> {
        figure.rows_by(by).map_err(|_| no_row(step))
    }

    /// Notes a row that was found, for the references.
    pub(crate) fn cite(&mut self, figure: &Figure, row: &Row) {
        let index = figure
            .rows
            .iter()
            .position(|known| std::ptr::eq(known, row))
            .unwrap();
        self.found.push((figure.name.clone(), index));
    }
}

/// A step as it is written.
pub(crate) struct Step<'l> {
    pub node: &'l Node,
    kind: &'l str,
    pub main: &'l str,
}

pub(crate) fn no_row(step: &Step) -> Stop {
    text(step.node, "or_refuse").map_or(Stop::Impossible, |input| Stop::NoRow(input.to_owned()))
}

/// The title of a source with its articles.
pub(crate) fn cited(source: &Node) -> Option<String> {
    let (title, article) = (text(source, "title")?, text(source, "article"));
    Some(article.map_or(title.to_owned(), |article| format!("{title}, {article}")))
}
