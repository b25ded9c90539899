//! The calculation of another folder by a step: its own steps, compiled in the place of the step.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bareme_engine::authoring::Node;

use super::builder::Test;
use super::compiler::{Compiler, Stopped};
use super::fields::Warned;
use super::number::Number;
use super::steps::Step;
use super::symbol::{Given, Symbol};
use crate::call::{day_of_call, is_search, law_on, passes, read_fields};
use crate::law::{Law, entries, literal, plain, text};

impl<'l> Compiler<'l> {
    pub(super) fn calculate(&mut self, name: &str, step: &Step<'l>) -> Result<Given, Stopped> {
        let day = day_of_call(step.node, &self.when.day.to_string());
        let law: &'static Law = law_on(self.law, step.main, &day);
        let read = read_fields(self.law, name);
        if is_search(step.node, law) {
            return Err(Stopped::Unsupported("a search in another folder"));
        }

        // 1. What is given, in the words of this law.
        let mut inputs = HashMap::new();
        let mut sent = BTreeSet::new();
        for (input, node) in entries(&law.method, "inputs") {
            let given = step
                .node
                .get("given")
                .and_then(|given| given.get(&input.value));
            let value = match given.and_then(Node::text) {
                Some(formula) => self.one(&formula.value)?,
                None => Symbol::Nothing,
            };
            self.check_bounds(&value, node)?;
            // The other folder rounds what enters it, as it does what is sent.
            let value = match (value, text(node, "round").and_then(plain)) {
                (Symbol::Number(number, money), Some(unit)) => {
                    let rounded = self.builder.rounded(&number, &unit, "half_up")?;
                    Symbol::Number(rounded, money)
                }
                (value, _) => value,
            };
            if !matches!(value, Symbol::Nothing) {
                sent.insert(input.value.clone());
            }
            inputs.insert(input.value.clone(), value);
        }

        // 2. The other law in the place of this one, for the time of its steps.
        let own_inputs = std::mem::replace(&mut self.inputs, inputs);
        let own_sent = std::mem::replace(&mut self.sent, sent);
        let own_law = std::mem::replace(&mut self.law, law);
        let own_when =
            std::mem::replace(&mut self.when, crate::days::when(law, day.parse().unwrap()));
        let own_steps = std::mem::take(&mut self.steps);
        let own_on = std::mem::take(&mut self.on);
        let own_earlier = std::mem::take(&mut self.earlier);
        let own_warnings = std::mem::take(&mut self.warnings);
        let own_called = std::mem::take(&mut self.called);

        let outputs = self.parts_of_law().and_then(|()| self.outputs(&read));

        self.inputs = own_inputs;
        self.sent = own_sent;
        self.law = own_law;
        self.when = own_when;
        self.steps = own_steps;
        self.on = own_on;
        self.earlier = own_earlier;
        let warnings = std::mem::replace(&mut self.warnings, own_warnings);
        self.called = own_called;

        // 3. Its warnings, each once, and its fields.
        let of_day = crate::days::sentence_too_late(law, &day)
            .map(|sentence| Warned("bareme_non_verifie".to_owned(), sentence, None));
        let of_day = of_day.into_iter().map(|warned| (Test::Fixed(true), warned));
        for (test, mut warned) in warnings.into_iter().chain(of_day) {
            warned.2 = warned
                .2
                .and_then(|input| passes(self.law, step.node, &input));
            let test = self.builder.both(self.active, test);
            let is_it =
                |(_, known): &(Test, Warned)| (&known.0, &known.1) == (&warned.0, &warned.1);
            match self.called.iter().position(is_it) {
                Some(known) => {
                    let either = self.builder.either(self.called[known].0, test);
                    self.called[known].0 = either;
                }
                None => self.called.push((test, warned)),
            }
        }

        let outputs = outputs?;
        let main = text(step.node, "value").map(|field| outputs[field].clone());
        Ok(Given {
            main,
            outputs,
            is_boolean: false,
        })
    }

    /// The values of some fields, rounded where they round.
    fn outputs(&mut self, read: &BTreeSet<String>) -> Result<BTreeMap<String, Symbol>, Stopped> {
        let mut outputs = BTreeMap::new();
        let fields: Vec<_> = self
            .parts()
            .into_iter()
            .flat_map(|part| entries(part, "answer"))
            .filter(|(name, _)| read.contains(&name.value))
            .collect();
        for (name, node) in fields {
            if text(node, "when").is_some() || text(node, "as") == Some("percent") {
                return Err(Stopped::Unsupported("a field of another folder"));
            }
            let formula = node.text().map(|text| text.value.as_str());
            let formula = formula
                .or(text(node, "value"))
                .ok_or(Stopped::Unsupported("a text of another folder"))?;
            let value = match (self.one(formula)?, text(node, "round")) {
                (Symbol::Number(value, money), Some(rounding)) => {
                    let (unit, mode) = rounding.split_once(' ').unwrap_or((rounding, "half_up"));
                    let unit = plain(unit).ok_or(Stopped::Unsupported("a unit"))?;
                    Symbol::Number(self.builder.rounded(&value, &unit, mode)?, money)
                }
                (Symbol::Word(word), _) => Symbol::Text(word),
                (value, _) => value,
            };
            outputs.insert(name.value.clone(), value);
        }
        Ok(outputs)
    }

    /// A row in which what is given is out of bounds has no answer.
    fn check_bounds(&mut self, value: &Symbol, input: &Node) -> Result<(), Stopped> {
        let Symbol::Number(number, _) = value else {
            return Ok(());
        };
        // A number of shares follows a step that a column of amounts does not.
        if text(input, "step").is_some() && !matches!(number, Number::Fixed(_)) {
            return Err(Stopped::Unsupported("a step of another folder"));
        }
        if let Some(least) = text(input, "min").and_then(literal) {
            let is_low = self.builder.is_less(number, &Number::Fixed(least), false)?;
            self.fail(is_low)?;
        }
        Ok(())
    }
}
