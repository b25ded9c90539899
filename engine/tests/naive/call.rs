//! The calculation of another folder by a step.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use bareme_engine::authoring::Node;
use num_bigint::BigInt;
use num_traits::ToPrimitive as _;

use crate::answer::{Calculated, calculated};
use crate::compute::{Computed, Outcome, Run, Step, Stop};
use crate::formula::Expr;
use crate::input::{Refused, admitted};
use crate::json::Json;
use crate::law::{Law, Rat, Value, entries, literal, plain, round, text};
use crate::rule_folder::read_folder;

thread_local! {
    /// The folders that were read, for the rest of the tests.
    static FOLDERS: RefCell<HashMap<String, &'static [Law]>> = RefCell::default();
}

/// The dated scales of a folder beside another.
pub(crate) fn laws(beside: &Law, folder: &str) -> &'static [Law] {
    let path = beside.root.join(folder);
    let name = path.display().to_string();
    if let Some(read) = FOLDERS.with_borrow(|known| known.get(&name).copied()) {
        return read;
    }
    // Its own figures may be those of a third folder, which is read meanwhile.
    let read: &'static [Law] = read_folder(&path).leak();
    FOLDERS.with_borrow_mut(|known| known.insert(name, read));
    read
}

/// The scale of another folder that is in force on a day.
pub(crate) fn law_on(beside: &Law, folder: &str, day: &str) -> &'static Law {
    let is_in_force = |law: &&Law| {
        let has_started = law
            .first_day
            .as_ref()
            .is_none_or(|date| date.as_str() <= day);
        has_started && (crate::WITH_DRAFTS || !law.is_draft())
    };
    laws(beside, folder).iter().rfind(is_in_force).unwrap()
}

/// The day on which a step calculates another folder.
pub(crate) fn day_of_call(step: &Node, day: &str) -> String {
    match text(step, "on") {
        Some("next_year") => {
            let year: i16 = day[..4].parse().unwrap();
            format!("{:04}-01-01", year + 1)
        }
        _ => day.to_owned(),
    }
}

/// Whether a step of a law looks for an amount of another folder.
pub(crate) fn searches(caller: &Law) -> bool {
    let parts = caller.parts().into_iter();
    let mut steps = parts.flat_map(|(_, part)| entries(part, "steps"));
    steps.any(|(_, step)| {
        let folder = text(step, "calculate");
        folder.is_some_and(|folder| laws(caller, folder).iter().any(|law| is_search(step, law)))
    })
}

/// Whether a step gives an amount that the other folder has to reach, which is no input of it.
pub(crate) fn is_search(step: &Node, callee: &Law) -> bool {
    let is_input = |name: &str| callee.input(name).is_some();
    entries(step, "given")
        .iter()
        .any(|(name, _)| !is_input(&name.value))
}

/// The input of a method that a step gives as it is.
pub(crate) fn passes(caller: &Law, step: &Node, name: &str) -> Option<String> {
    let given = step
        .get("given")?
        .get(name)?
        .text()?
        .value
        .trim()
        .to_owned();
    caller.input(&given).map(|_| given)
}

/// The calculation of another folder, once it is made.
pub(crate) struct Called {
    pub run: Run<'static>,
    pub warnings: Vec<Json<'static>>,
}

impl<'l> Run<'l> {
    pub(crate) fn calculate(&mut self, name: &str, step: &Step) -> Result<Outcome, Stop> {
        let day = day_of_call(step.node, &self.day);
        let law = law_on(self.law, step.main, &day);
        // After its last day, no law says what the answer would be.
        if law.until().is_some_and(|until| day > until) {
            let first = &entries(&self.law.method, "inputs")[0].0.value;
            let name = match &self.law.date {
                Some(_) if self.year.is_some() => "annee",
                Some(_) => "date",
                None => first,
            };
            return Err(Stop::Refused(vec![(name.to_owned(), "sans_bareme")]));
        }

        // What is given, each within the bounds of its input.
        let mut refused = Vec::new();
        let mut inputs: HashMap<String, Value> = HashMap::new();
        for (input_name, input) in entries(&law.method, "inputs") {
            let given = step
                .node
                .get("given")
                .and_then(|given| given.get(&input_name.value));
            let value = match given.and_then(Node::text) {
                Some(formula) => {
                    let words = crate::input::words(input, "values");
                    self.chosen(&self.law.formulas(&formula.value)[0], &words)?
                }
                None => Value::Nothing,
            };
            let value = match value {
                Value::Number(number, money) => admitted(input, number)
                    .map(|number| Value::Number(number, money))
                    .unwrap_or_else(|code| {
                        refused.push((input_name.value.clone(), code));
                        Value::Nothing
                    }),
                value => value,
            };
            inputs.insert(input_name.value.clone(), value);
        }
        if !refused.is_empty() {
            return Err(self.refused(step, refused));
        }

        let read = read_figures(&read_fields(self.law, name), law);
        let when = crate::days::when(law, day.parse().unwrap());
        if let Some(target) = self.target(step, law)? {
            let asked = Asked {
                law,
                inputs: &inputs,
                when,
                day: &day,
            };
            let found = asked.search(&target)?;
            inputs.insert(target.input, Value::Number(found, true));
        }
        let Calculated { mut run, warnings } = calculated(law, inputs, when, &day, None)
            .map_err(|refused| self.refused(step, refused))?;
        let outputs = outputs(&mut run)?;
        let main = text(step.node, "value").map(|field| outputs[field].clone());

        let warnings = warnings
            .into_iter()
            .map(|warning| self.passed(step, warning));
        let warnings = warnings
            .chain(crate::days::too_late_for_call(law, &day))
            .chain(crate::days::in_preparation_for_call(law))
            .collect();
        run.read = Some(read);
        self.called.push(Called { run, warnings });
        Ok(Outcome {
            main,
            outputs,
            ..Outcome::default()
        })
    }

    /// The value of a formula, whose words are those of the choice it is given to before they are
    /// names of this folder.
    fn chosen(&self, formula: &Expr, words: &[String]) -> Computed {
        match formula {
            Expr::Name(word) if words.contains(word) => Ok(Value::Word(word.clone())),
            Expr::If(test, yes, no) => {
                let is_met = self.eval(test)? == Value::Boolean(true);
                self.chosen(if is_met { yes } else { no }, words)
            }
            other => self.eval(other),
        }
    }

    /// The fields of the other folder where it is not calculated: nothing is due.
    pub(crate) fn nothing_of(&self, step: &Step) -> BTreeMap<String, Value> {
        let law = law_on(self.law, step.main, &day_of_call(step.node, &self.day));
        let parts = law.parts().into_iter();
        let fields = parts.flat_map(|(_, part)| entries(part, "answer"));
        let of_number = fields.filter(|(_, node)| text(node, "text").is_none());
        of_number
            .map(|(name, _)| (name.value.clone(), Value::zero()))
            .collect()
    }

    /// The amount that an inverse calculation of the other folder must reach.
    fn target(&self, step: &Step, law: &'static Law) -> Result<Option<Target>, Stop> {
        for (_, part) in law.parts() {
            for node in part.get("inverse").map(Node::items).unwrap_or_default() {
                let part = |key: &str| text(node, key).unwrap().to_owned();
                let given = step.node.get("given");
                let Some(formula) = given.and_then(|given| given.get(&part("parameter"))) else {
                    continue;
                };
                let Value::Number(amount, _) = self.one(&formula.text().unwrap().value)? else {
                    panic!("a target is an amount")
                };
                // The target is rounded as the input is.
                let input = law.input(&part("input")).unwrap();
                let amount = admitted(input, amount.clone()).unwrap_or(amount);
                let unit = plain(text(node, "unit").unwrap_or("0.01")).unwrap();
                let least = literal(text(input, "min").unwrap_or("0")).unwrap();
                return Ok(Some(Target {
                    input: part("input"),
                    field: part("field"),
                    amount,
                    least: (least / unit.clone()).to_integer().to_i64().unwrap(),
                    unit,
                    is_budget: text(node, "find") == Some("greatest"),
                }));
            }
        }
        Ok(None)
    }

    /// What the other folder refuses, by the names of this one.
    fn refused(&self, step: &Step, refused: Vec<Refused>) -> Stop {
        let first = &entries(&self.law.method, "inputs")[0].0.value;
        let own = |(name, code): Refused| match passes(self.law, step.node, &name) {
            Some(input) => (input, code),
            None => (first.clone(), "non_calculable"),
        };
        Stop::Refused(refused.into_iter().map(own).collect())
    }

    /// A warning of the other folder, by the names of this one.
    fn passed(&self, step: &Step, warning: Json<'static>) -> Json<'static> {
        let Json::Object(members) = warning else {
            panic!("a warning is an object")
        };
        let own = members.into_iter().filter_map(|(name, value)| {
            if name != "parametre" {
                return Some((name, value));
            }
            let written = value.to_string();
            let input = passes(self.law, step.node, written.trim_matches('"'))?;
            Some((name, Json::text(input)))
        });
        Json::Object(own.collect())
    }
}

/// The amount that is looked for so that a field comes as near as it can to another.
struct Target {
    input: String,
    field: String,
    amount: Rat,
    /// The input is a multiple of this unit.
    unit: Rat,
    /// The least value of the input, in units.
    least: i64,
    /// Whether the field is to stay within the amount, and not to reach it.
    is_budget: bool,
}

/// What another folder is asked, but for the input that is looked for.
struct Asked<'a> {
    law: &'static Law,
    inputs: &'a HashMap<String, Value>,
    when: crate::past::When,
    day: &'a str,
}

impl Asked<'_> {
    /// The least input by which the field, which grows with it, reaches its target; of a budget, the
    /// greatest by which it does not exceed it.
    fn search(&self, target: &Target) -> Result<Rat, Stop> {
        let amount = |units: i64| Rat::from(BigInt::from(units)) * target.unit.clone();
        let is_enough = |units: i64| -> Result<bool, Stop> {
            let mut inputs = self.inputs.clone();
            inputs.insert(target.input.clone(), Value::Number(amount(units), true));
            let made = calculated(self.law, inputs, self.when, self.day, None);
            let Ok(Calculated { mut run, .. }) = made else {
                panic!("a search goes through amounts that are accepted")
            };
            match &outputs(&mut run)?[&target.field] {
                Value::Number(found, _) if target.is_budget => Ok(*found > target.amount),
                Value::Number(found, _) => Ok(*found >= target.amount),
                other => panic!("{other:?} is no amount"),
            }
        };

        // The input has no value below its minimum.
        let (mut below, mut enough) = (target.least - 1, 1);
        while !is_enough(enough)? {
            (below, enough) = (enough, enough * 2);
        }
        while enough - below > 1 {
            let between = below + (enough - below) / 2;
            if between < target.least || !is_enough(between)? {
                below = between;
            } else {
                enough = between;
            }
        }
        Ok(amount(if target.is_budget { below } else { enough }))
    }
}

/// The fields of one value of an answer.
fn outputs(run: &mut Run<'static>) -> Result<BTreeMap<String, Value>, Stop> {
    let mut outputs = BTreeMap::new();
    let fields: Vec<_> = run
        .parts()
        .into_iter()
        .flat_map(|part| entries(part, "answer"))
        .collect();
    for (name, node) in fields {
        if let Some(value) = field(run, node)? {
            outputs.insert(name.value.clone(), value);
        }
    }
    Ok(outputs)
}

/// The words of all texts of a node.
fn words(node: &Node) -> BTreeSet<String> {
    let own = node.text().into_iter().flat_map(|text| {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
        text.value
            .split(move |letter: char| !is_part(letter))
            .map(str::to_owned)
    });
    let below = node
        .entries()
        .iter()
        .map(|(_, node)| node)
        .chain(node.items())
        .flat_map(words);
    own.chain(below).collect()
}

/// The fields of another folder that something reads of a step.
pub(crate) fn read_fields(caller: &Law, step: &str) -> BTreeSet<String> {
    let main = caller.step(step).and_then(|node| text(node, "value"));
    words(&caller.method)
        .iter()
        .filter_map(|word| Some(word.strip_prefix(step)?.strip_prefix('.')?.to_owned()))
        .chain(main.map(str::to_owned))
        .collect()
}

/// The figures that some fields depend on, and the checks and the steps that may refuse.
fn read_figures(read: &BTreeSet<String>, law: &Law) -> BTreeSet<String> {
    let parts = law.parts();
    let fields = parts.iter().flat_map(|(_, part)| entries(part, "answer"));
    let fields = fields
        .filter(|(name, _)| read.contains(&name.value))
        .map(|(_, node)| node);
    let checks = parts
        .iter()
        .flat_map(|(_, part)| part.get("checks").map(Node::items).unwrap_or_default())
        .filter(|check| !law.is_of_other_days(check, "if"))
        .filter_map(|check| check.get("if"));
    let steps = || {
        let all = parts.iter().flat_map(|(_, part)| entries(part, "steps"));
        all.filter(|(_, node)| !law.is_of_other_days(node, "when"))
    };
    let refusing = steps()
        .filter(|(_, node)| node.get("or_refuse").is_some() || node.get("calculate").is_some())
        .map(|(name, _)| name.value.clone());

    // Every step that is named, with those that it names.
    let mut named: BTreeSet<String> = fields.chain(checks).flat_map(words).collect();
    named.extend(refusing);
    loop {
        let is_named = |name: &str| {
            named
                .iter()
                .any(|word| word.split('.').next() == Some(name))
        };
        let more: BTreeSet<String> = steps()
            .filter(|(name, _)| is_named(&name.value))
            .flat_map(|(_, node)| words(node))
            .collect();
        if more.is_subset(&named) {
            break;
        }
        named.extend(more);
    }

    let of_steps: BTreeSet<String> = steps()
        .filter(|(name, _)| {
            named
                .iter()
                .any(|word| word.split('.').next() == Some(&name.value))
        })
        .flat_map(|(_, node)| words(node))
        .collect();
    let is_read = |name: &&String| {
        of_steps
            .iter()
            .any(|word| word.split('.').next() == Some(name.as_str()))
    };
    law.order.iter().filter(is_read).cloned().collect()
}

/// The value of a field of one value, rounded where the field rounds.
fn field(run: &mut Run<'static>, node: &'static Node) -> Result<Option<Value>, Stop> {
    if text(node, "when").map_or(Ok(true), |when| run.is(when))? {
        let formula = node
            .text()
            .map(|text| text.value.as_str())
            .or(text(node, "value"));
        if let Some(constant) = text(node, "text") {
            return Ok(Some(Value::Text(constant.to_owned())));
        }
        let Some(formula) = formula else {
            return Ok(None);
        };
        return Ok(Some(match run.one(formula)? {
            Value::Number(mut number, money) => {
                let is_percent = text(node, "as") == Some("percent");
                let hundred = crate::law::power_of_ten(2);
                if let Some(rounding) = text(node, "round") {
                    let (unit, mode) = rounding.split_once(' ').unwrap_or((rounding, "half_up"));
                    if is_percent {
                        number *= hundred.clone();
                    }
                    number = round(&number, &crate::law::plain(unit).unwrap(), mode);
                    if is_percent {
                        number /= hundred;
                    }
                }
                Value::Number(number, money)
            }
            Value::Word(word) => Value::Text(word),
            value => value,
        }));
    }
    Ok(Some(Value::Nothing))
}
