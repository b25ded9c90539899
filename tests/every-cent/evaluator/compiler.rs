//! From a law, fixed inputs and a range of amounts to a program: the steps in their order, each by
//! what the manual says of its kind.

use std::collections::{BTreeSet, HashMap};

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
use crate::items::group;
use crate::law::{Law, Rat, Value, entries, power_of_ten, text};
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
    /// The warnings of the other folders that steps calculate.
    pub called: Vec<(Test, Warned)>,
    pub on: BTreeSet<String>,
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
            called: Vec::new(),
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
            day: String::new(),
            called: Vec::new(),
            read: None,
            of: None,
            whole: None,
            items: HashMap::new(),
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
        let rank_sent = sent
            .iter()
            .find(|(name, _)| is_rank(name))
            .and_then(|(_, value)| value.parse().ok());
        for pay in 1..rank_sent
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
            self.called.clear();
        }

        self.pay(sent, axis)
    }

    /// Reads the inputs, the amounts in the place of one of them, then compiles checks and steps.
    fn pay(&mut self, sent: &[(String, String)], axis: Option<&Axis>) -> Result<(), Stopped> {
        self.read_inputs(sent, axis)?;
        self.parts_of_law()
    }

    /// Compiles defaults, checks and steps, once the inputs are there.
    pub(super) fn parts_of_law(&mut self) -> Result<(), Stopped> {
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
        // A check is no step: what it compares bends nothing of the law.
        self.builder.steps.push(String::new());
        self.checks(&early)?;

        for (name, node) in steps {
            // No combination sends an item of a group.
            if text(node, "each").is_some() {
                continue;
            }
            self.builder.steps.push(name.value.clone());
            let given = self.step(&name.value, node)?;
            self.steps.insert(name.value.clone(), given);
        }

        self.builder.steps.push(String::new());
        self.checks(&late)?;

        // After its own warnings, those of the folders that it calculates.
        self.warnings.append(&mut self.called);
        Ok(())
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
            if group(self.law, name).is_some() {
                self.inputs.insert(name.clone(), Symbol::Nothing);
                continue;
            }
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

    /// The value of a formula that reads figures alone.
    fn figure(&mut self, formula: &str) -> Result<Value, Stopped> {
        let Symbol::Number(Number::Fixed(value), is_money) = self.one(formula)? else {
            panic!("{formula} is a number of the law");
        };
        Ok(Value::Number(value, is_money))
    }

    fn checks(&mut self, checks: &[&'l Node]) -> Result<(), Stopped> {
        for check in checks {
            let test = self.is(text(check, "if").unwrap())?;
            match text(check, "warn") {
                // A figure that is absent is shown where the check holds, never here.
                Some(_) if matches!(test, Test::Fixed(false)) => {}
                Some(written) => {
                    let law = self.law;
                    let sentence = law.sentence(written, |formula| self.figure(formula))?;
                    self.warnings.push((test, Warned::new(check, sentence)));
                }
                None => self.fail(test)?,
            }
        }
        Ok(())
    }
}

/// The number of the smallest unit with so many decimals.
pub(crate) fn unit(decimals: u32) -> Rat {
    Rat::new(BigInt::one(), power_of_ten(decimals as usize))
}
