//! Groups: what is sent for each of their items, and what is computed for each.

use std::collections::HashMap;

use bareme_engine::authoring::Node;
use num_bigint::BigInt;

use crate::compute::{Run, Stop, number};
use crate::formula::Expr;
use crate::input::{Refused, presence_default, read};
use crate::json::Json;
use crate::law::{Law, Rat, Value, entries, same, text};

/// The group that an input of a method is of.
pub(crate) fn group<'l>(law: &'l Law, input: &str) -> Option<&'l str> {
    text(law.input(input)?, "group")
}

/// The inputs of a group.
fn inputs<'l>(law: &'l Law, group: &str) -> Vec<(&'l str, &'l Node)> {
    let all = entries(&law.method, "inputs").iter();
    all.filter(|(_, input)| text(input, "group") == Some(group))
        .map(|(name, input)| (name.value.as_str(), input))
        .collect()
}

/// The values of the items, separated by `;`.
pub(crate) fn read_list(
    law: &Law,
    name: &str,
    input: &Node,
    sent: Option<&str>,
) -> Result<Value, &'static str> {
    let group = law.method.get("groups").unwrap();
    let group = group.get(text(input, "group").unwrap()).unwrap();
    let bound = |key: &str| text(group, key).map(|bound| bound.parse::<usize>().unwrap());
    let is_required = text(input, "required") == Some("true");
    let Some(sent) = sent else {
        let is_missing = is_required && bound("least").is_some_and(|least| least > 0);
        return if is_missing {
            Err("manquant")
        } else {
            Ok(Value::Nothing)
        };
    };

    let parts: Vec<&str> = sent.split(';').map(str::trim).collect();
    if parts.len() > bound("most").unwrap() {
        return Err("longueur");
    }

    let values = parts.into_iter().map(|part| {
        let part = Some(part).filter(|part| is_required || !part.is_empty());
        read(name, input, part, &law.method)
    });
    Ok(Value::List(values.collect::<Result<_, _>>()?))
}

/// The lists that do not go together.
pub(crate) fn refused_lists(
    law: &Law,
    inputs: &HashMap<String, Value>,
    known: &[Refused],
) -> Vec<Refused> {
    let mut refused = Vec::new();
    for (group, node) in entries(&law.method, "groups") {
        let own = self::inputs(law, &group.value);
        let length = |name: &str| match &inputs.get(name) {
            Some(Value::List(list)) => Some(list.len()),
            _ => None,
        };
        let is_one = |(name, input): &&(&str, &Node)| {
            text(input, "shared") == Some("true") && length(name) == Some(1)
        };
        let lists = || own.iter().filter(|(name, _)| length(name).is_some());
        let first = lists().find(|own| !is_one(own)).or_else(|| lists().next());
        let Some((first, count)) = first.and_then(|(name, _)| Some((name, length(name)?))) else {
            continue;
        };
        let least = text(node, "least").map_or(0, |least| least.parse().unwrap());
        if count < least {
            refused.push(((*first).to_owned(), "longueur"));
        }
        for (name, input) in own {
            match length(name) {
                Some(1) if text(input, "shared") == Some("true") => {}
                Some(other) if other != count => refused.push((name.to_owned(), "longueur")),
                None if known.iter().any(|(refused, _)| refused == name) => {}
                None if text(input, "required") == Some("true") => {
                    refused.push((name.to_owned(), "manquant"));
                }
                _ => {}
            }
        }
    }
    refused
}

impl<'l> Run<'l> {
    /// Gives every input of a group a list, with the defaults of what was not sent.
    pub(crate) fn lay_out_items(&mut self) -> Result<(), Stop> {
        let law = self.law;
        for (group, _) in entries(&law.method, "groups") {
            let own = inputs(law, &group.value);
            let lengths = own
                .iter()
                .filter_map(|(name, _)| match &self.inputs[*name] {
                    Value::List(list) => Some(list.len()),
                    _ => None,
                });
            let count = lengths.max();
            for (name, input) in own {
                let list = match self.inputs.remove(name) {
                    Some(Value::List(list)) if list.len() == 1 => {
                        vec![list[0].clone(); count.unwrap_or_default()]
                    }
                    Some(Value::List(list)) => list,
                    _ => vec![Value::Nothing; count.unwrap_or_default()],
                };
                let default = match text(input, "default") {
                    Some(default) if list.contains(&Value::Nothing) => {
                        presence_default(input, default).map_or_else(|| self.one(default), Ok)?
                    }
                    _ => Value::Nothing,
                };
                let value = |sent: Value| match sent {
                    Value::Nothing => default.clone(),
                    sent => sent,
                };
                let list = list.into_iter().map(value).collect();
                self.inputs.insert(name.to_owned(), Value::List(list));
            }
        }
        Ok(())
    }

    /// The number of items of a group.
    fn count(&self, group: &str) -> usize {
        let (first, _) = inputs(self.law, group)[0];
        match &self.inputs[first] {
            Value::List(list) => list.len(),
            _ => self.of.as_ref().map_or(0, |(_, _, count)| *count),
        }
    }

    /// The calculation as an item of a group sees it.
    fn at(&self, group: &str, index: usize) -> Run<'l> {
        let mut values = self.whole.clone().unwrap_or_else(|| self.inputs.clone());
        let whole = Some(values.clone());
        let mut sent = self.sent.clone();
        for (name, _) in inputs(self.law, group) {
            let Value::List(list) = &values[name] else {
                panic!("{name} has no list")
            };
            let value = list[index].clone();
            if value == Value::Nothing {
                sent.remove(name);
            } else {
                sent.insert(name.to_owned());
            }
            values.insert(name.to_owned(), value);
        }

        let mut steps = self.steps.clone();
        for (name, outcomes) in &self.items {
            if let Some(outcome) = outcomes.get(index) {
                steps.insert(name.clone(), outcome.clone());
            }
        }
        Run {
            law: self.law,
            inputs: values,
            sent,
            steps,
            when: self.when,
            year: None,
            row: self.row,
            on: self.on.clone(),
            found: Vec::new(),
            day: self.day.clone(),
            called: Vec::new(),
            read: None,
            of: Some((group.to_owned(), index, self.count(group))),
            whole,
            items: self.items.clone(),
        }
    }

    /// Computes a step for each item of a group.
    pub(crate) fn each(&mut self, name: &str, node: &'l Node, group: &str) -> Result<(), Stop> {
        let mut outcomes = Vec::new();
        for index in 0..self.count(group) {
            let mut at = self.at(group, index);
            at.once(name, node)?;
            outcomes.push(at.steps[name].clone());
            self.found.extend(at.found);
            self.called.extend(at.called);
        }
        self.items.insert(name.to_owned(), outcomes);
        Ok(())
    }

    /// The objects of a field that lists the items of a group.
    pub(crate) fn listed(
        &self,
        group: &str,
        object: impl Fn(&Run<'l>) -> Result<Option<Json<'static>>, Stop>,
    ) -> Result<Json<'static>, Stop> {
        let items = (0..self.count(group)).map(|index| object(&self.at(group, index)));
        let items = items.collect::<Result<Vec<_>, _>>()?;
        Ok(Json::List(items.into_iter().flatten().collect()))
    }

    /// The functions of the items of a group.
    pub(crate) fn of_items(
        &self,
        function: &str,
        arguments: &[Expr],
    ) -> Result<Option<Value>, Stop> {
        let known = ["sum", "count", "least", "greatest", "any", "all", "before"];
        let (true, Some(of)) = (known.contains(&function), arguments.first()) else {
            return Ok(None);
        };
        if let ("count", Expr::Name(group)) = (function, of) {
            let count = BigInt::from(self.count(group));
            return Ok(Some(Value::Number(count.into(), false)));
        }

        let by_key = || self.group_read(arguments.get(1)?);
        let Some(group) = self.group_read(of).or_else(by_key) else {
            // A step of other days.
            return self.eval(of).map(Some);
        };
        let count = match (function, &self.of) {
            ("before", Some((_, index, _))) => *index,
            _ => self.count(&group),
        };
        if function == "any" || function == "all" {
            for index in 0..count {
                let is_true = self.at(&group, index).eval(of)? == Value::Boolean(true);
                if is_true == (function == "any") {
                    return Ok(Some(Value::Boolean(is_true)));
                }
            }
            return Ok(Some(Value::Boolean(function == "all")));
        }

        // The items of the same key as the one at hand.
        let own = arguments.get(1).map(|key| self.eval(key)).transpose()?;
        let mut values = Vec::new();
        let mut is_money = false;
        for index in 0..count {
            if let (Some(key), Some(own)) = (arguments.get(1), &own)
                && !same(&self.at(&group, index).eval(key)?, own)
            {
                continue;
            }
            let value = self.at(&group, index).eval(of)?;
            is_money |= matches!(value, Value::Number(_, true));
            values.push(number(value)?);
        }
        let zero = || Rat::from(BigInt::from(0));
        let value = match function {
            "least" => values.into_iter().min().unwrap_or_else(zero),
            "greatest" => values.into_iter().max().unwrap_or_else(zero),
            _ => values.into_iter().sum(),
        };
        Ok(Some(Value::Number(value, is_money)))
    }

    /// The group of the first name of an expression that has a value for each item of one.
    fn group_read(&self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Number(_) | Expr::Boolean(_) => None,
            Expr::Name(name) | Expr::Member(name, _) => {
                let of_step = || {
                    let parts = self.law.parts().into_iter();
                    parts
                        .filter_map(|(_, part)| text(part.get("steps")?.get(name)?, "each"))
                        .next()
                };
                let found = group(self.law, name).or_else(of_step);
                found.map(str::to_owned)
            }
            Expr::Negative(inner) | Expr::Not(inner) => self.group_read(inner),
            Expr::Binary(_, a, b) => self.group_read(a).or_else(|| self.group_read(b)),
            Expr::If(test, yes, no) => [test, yes, no]
                .into_iter()
                .find_map(|part| self.group_read(part)),
            Expr::Call(_, arguments) => arguments.iter().find_map(|part| self.group_read(part)),
        }
    }
}
