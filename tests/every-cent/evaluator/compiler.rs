//! From a law, fixed inputs and a range of amounts to a program: the steps in their order, each by
//! what the manual says of its kind.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bareme_engine::authoring::Node;
use num_bigint::BigInt;
use num_traits::One;

use super::builder::{Builder, Test, Unsupported};
use super::fields::Warned;
use super::kernel::Slot;
use super::number::{Fraction, Number};
use super::symbol::{Given, Symbol};
use crate::compute::Run;
use crate::formula::Expr;
use crate::input::{presence_default, read};
use crate::law::{Law, Rat, Value, entries, power_of_ten, text};
use crate::loan::OUTPUTS;
use crate::past::{When, names};

/// Why there is no program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// No amount has an answer with these inputs.
    Refused,
    Unsupported(&'static str),
}

impl From<Unsupported> for Stopped {
    fn from(Unsupported(what): Unsupported) -> Self {
        Self::Unsupported(what)
    }
}

/// The amounts of a case: the input that they are sent as, and how a unit is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Axis {
    pub input: String,
    /// Decimals of a unit.
    pub decimals: u32,
    pub first: i64,
    pub last: i64,
}

/// A calculation being compiled.
pub(crate) struct Compiler<'l> {
    pub law: &'l Law,
    pub builder: Builder,
    pub inputs: HashMap<String, Symbol>,
    pub sent: BTreeSet<String>,
    pub steps: HashMap<String, Given>,
    pub when: When,
    /// Where what is compiled is computed.
    pub active: Test,
    /// Conditions under which a row has no answer.
    pub failures: Vec<Slot>,
    /// The warnings, each with the condition under which it comes.
    pub warnings: Vec<(Test, Warned)>,
    on: BTreeSet<String>,
    /// The equal pays of the year before the one in hand, where the query says its rank.
    pub earlier: Vec<Pay>,
}

/// A pay of the year that was compiled before the one in hand.
pub(crate) struct Pay {
    inputs: HashMap<String, Symbol>,
    steps: HashMap<String, Given>,
}

impl Pay {
    /// The value of an input, of a step or of an output.
    pub(crate) fn value(&self, name: &Expr) -> Option<Symbol> {
        match name {
            Expr::Name(name) => self
                .inputs
                .get(name)
                .or_else(|| self.steps.get(name)?.main.as_ref())
                .cloned(),
            Expr::Member(owner, name) => self.steps.get(owner)?.outputs.get(name).cloned(),
            _ => None,
        }
    }
}

impl<'l> Compiler<'l> {
    pub(crate) fn new(law: &'l Law, when: When) -> Self {
        Self {
            law,
            builder: Builder::default(),
            inputs: HashMap::new(),
            sent: BTreeSet::new(),
            steps: HashMap::new(),
            when,
            active: Test::Fixed(true),
            failures: Vec::new(),
            warnings: Vec::new(),
            on: BTreeSet::new(),
            earlier: Vec::new(),
        }
    }

    /// The parts that run: the method, and the options that are on.
    pub(crate) fn parts(&self) -> Vec<&'l Node> {
        let parts = self.law.parts().into_iter();
        parts
            .filter(|(option, _)| option.is_none_or(|option| self.on.contains(option)))
            .map(|(_, part)| part)
            .collect()
    }

    /// A text of the scale: its date, its currency, its sources.
    pub(crate) fn texts_of_scale(&self, name: &str) -> Value {
        let (inputs, steps) = (HashMap::new(), HashMap::new());
        let (sent, on) = (BTreeSet::new(), BTreeSet::new());
        let run = Run {
            law: self.law,
            inputs,
            sent,
            steps,
            when: self.when,
            year: None,
            row: None,
            on,
            found: Vec::new(),
        };
        run.one(&format!("scale.{name}")).unwrap_or(Value::Nothing)
    }

    /// Compiles a pay, after the equal pays before it where the query says its rank in the year.
    pub(crate) fn compile(
        &mut self,
        sent: &[(String, String)],
        axis: Option<&Axis>,
    ) -> Result<(), Stopped> {
        let rank = names(self.law, "rank").pop();
        let is_rank = |name: &String| Some(name) == rank.as_ref();
        let told = sent
            .iter()
            .find(|(name, _)| is_rank(name))
            .and_then(|(_, value)| value.parse().ok());
        for pay in 1..told
            .filter(|pays| (2..=12).contains(pays))
            .unwrap_or(1_usize)
        {
            let ranked = |(name, value): &(String, String)| {
                (
                    name.clone(),
                    if is_rank(name) {
                        pay.to_string()
                    } else {
                        value.clone()
                    },
                )
            };
            self.pay(&sent.iter().map(ranked).collect::<Vec<_>>(), axis)?;
            let (inputs, steps) = (
                std::mem::take(&mut self.inputs),
                std::mem::take(&mut self.steps),
            );
            self.earlier.push(Pay { inputs, steps });
            self.sent.clear();
            self.warnings.clear();
        }
        self.pay(sent, axis)
    }

    /// Reads the inputs, the amounts in the place of one of them, then compiles checks and steps.
    fn pay(&mut self, sent: &[(String, String)], axis: Option<&Axis>) -> Result<(), Stopped> {
        self.read_inputs(sent, axis)?;
        self.fill_defaults()?;
        let options = entries(&self.law.method, "options")
            .iter()
            .map(|(name, _)| name.value.clone());
        let is_on = |name: &String| matches!(self.inputs[name], Symbol::Boolean(Test::Fixed(true)));
        self.on = options.filter(is_on).collect();
        let steps: Vec<_> = self
            .parts()
            .into_iter()
            .flat_map(|part| entries(part, "steps"))
            .collect();
        let checks: Vec<&Node> = self
            .parts()
            .into_iter()
            .flat_map(|part| part.get("checks").map(Node::items).unwrap_or_default())
            .collect();
        let reads_step = |check: &&&Node| {
            let mut words = text(check, "if")
                .unwrap()
                .split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            words.any(|word| steps.iter().any(|(name, _)| name.value == word))
        };
        let (late, early): (Vec<&Node>, Vec<&Node>) = checks.iter().partition(reads_step);
        self.checks(&early)?;
        for (name, node) in steps {
            self.builder.steps.push(name.value.clone());
            let given = self.step(node)?;
            self.steps.insert(name.value.clone(), given);
        }
        self.builder.steps.push(String::new());
        self.checks(&late)
    }

    fn read_inputs(
        &mut self,
        sent: &[(String, String)],
        axis: Option<&Axis>,
    ) -> Result<(), Stopped> {
        for (name, input) in entries(&self.law.method, "inputs") {
            let name = &name.value;
            if let Some(axis) = axis.filter(|axis| axis.input == *name) {
                let top = self.builder.axis(axis.first, axis.last);
                let den = power_of_ten(axis.decimals as usize);
                let end = |amount: i64| Rat::new(BigInt::from(amount), den.clone());
                let money = text(input, "type") == Some("money");
                let (low, high) = (end(axis.first), end(axis.last));
                let column = Fraction {
                    top,
                    den: den.clone(),
                    by: None,
                    low,
                    high,
                };
                self.inputs
                    .insert(name.clone(), Symbol::Number(Number::Column(column), money));
                self.sent.insert(name.clone());
                continue;
            }
            let text = sent
                .iter()
                .find(|(known, text)| known == name && !text.is_empty())
                .map(|(_, text)| text.as_str());
            if self.law.is_input_of_other_days(name) {
                if text.is_some() {
                    return Err(Stopped::Refused);
                }
                self.inputs.insert(name.clone(), Symbol::Nothing);
                continue;
            }
            let value = read(name, input, text, &self.law.method).map_err(|_| Stopped::Refused)?;
            if value != Value::Nothing {
                self.sent.insert(name.clone());
            }
            self.inputs.insert(name.clone(), Symbol::from(&value));
        }
        let left_out = |name: &str| {
            self.law.is_left_out(name)
                && matches!(
                    self.inputs.get(name),
                    Some(Symbol::Boolean(Test::Fixed(true)))
                )
        };
        let is_refused = entries(&self.law.method, "options")
            .iter()
            .any(|(name, _)| left_out(&name.value));
        if is_refused {
            Err(Stopped::Refused)
        } else {
            Ok(())
        }
    }

    fn fill_defaults(&mut self) -> Result<(), Stopped> {
        let left_out: Vec<&str> = entries(&self.law.method, "options")
            .iter()
            .filter(|(name, _)| self.law.is_left_out(&name.value))
            .flat_map(|(_, part)| entries(part, "figures"))
            .map(|(name, _)| name.value.as_str())
            .collect();
        for (name, input) in entries(&self.law.method, "inputs") {
            let (Symbol::Nothing, Some(default)) =
                (&self.inputs[&name.value], text(input, "default"))
            else {
                continue;
            };
            // A default may read a figure that the scale goes without: nothing reads the input
            // then.
            if default
                .split('.')
                .next()
                .is_some_and(|figure| left_out.contains(&figure))
            {
                continue;
            }
            self.inputs.remove(&name.value);
            let value = match presence_default(input, default) {
                Some(value) => Symbol::from(&value),
                None => self.one(default)?,
            };
            self.inputs.insert(name.value.clone(), value);
        }
        Ok(())
    }

    fn checks(&mut self, checks: &[&'l Node]) -> Result<(), Stopped> {
        for check in checks {
            let test = self.is(text(check, "if").unwrap())?;
            match text(check, "warn") {
                Some(_) => self.warnings.push((test, Warned::read(check))),
                None => self.fail(test)?,
            }
        }
        Ok(())
    }

    fn step(&mut self, node: &'l Node) -> Result<Given, Stopped> {
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
            return Ok(self.skipped(&step));
        }
        let given = self.under(applies, |compiler| compiler.computed(&step))?;
        if applies == Test::Fixed(true) {
            return Ok(given);
        }
        let skipped = self.skipped(&step);
        Ok(self.builder.select_given(applies, &given, &skipped)?)
    }

    fn computed(&mut self, step: &Step<'l>) -> Result<Given, Stopped> {
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

    fn skipped(&self, step: &Step) -> Given {
        let mut given = Given {
            main: Some(Symbol::zero()),
            ..Given::default()
        };
        match step.kind {
            "formula" if self.is_boolean(&self.law.formulas(step.main)[0]) => {
                given.main = Some(Symbol::Boolean(Test::Fixed(false)));
                given.is_boolean = true;
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

/// A step as it is written.
pub(crate) struct Step<'l> {
    pub node: &'l Node,
    pub kind: &'l str,
    pub main: &'l str,
}

/// The number of the smallest unit with so many decimals.
pub(crate) fn unit(decimals: u32) -> Rat {
    Rat::new(BigInt::one(), power_of_ten(decimals as usize))
}
