//! What went into a step, by name, for the explanation of an answer.

use std::sync::Arc;

use crate::formula::{Code, Expr, State};
use crate::input::Input;
use crate::types::Value;

use super::Binder;

/// Something that a step reads.
#[derive(Debug)]
pub(super) struct Operand {
    name: String,
    code: Code,
    /// The words of the choice it is, to show a word rather than its rank.
    words: Vec<Arc<str>>,
}

impl Operand {
    pub(super) fn new(name: String, code: Code, input: Option<&Input>) -> Self {
        let words = input.map(|input| input.comparable_words().map(Into::into).collect());
        Self { name, code, words: words.unwrap_or_default() }
    }

    /// Its name and value in a state that ran.
    pub(super) fn show(&self, state: &State) -> (String, Value) {
        let value = match self.code.run(state).unwrap_or_default() {
            Value::Word(rank) => self.words.get(usize::from(rank)).cloned().map_or(Value::Nothing, Value::Text),
            value => value,
        };
        (self.name.clone(), value)
    }
}

/// The names that a formula reads, each once, in the order of the text.
pub(super) fn of_formula(expr: &Expr, binder: &Binder) -> Vec<Operand> {
    let mut found = Vec::new();
    collect(expr, binder, &mut found);
    found
}

fn collect(expr: &Expr, binder: &Binder, found: &mut Vec<Operand>) {
    let mut input = None;
    let name = match expr {
        Expr::Input(rank) => {
            input = binder.inputs.get(*rank);
            input.map(|input| input.name.clone())
        }
        Expr::Output(step, output) => binder.output_name(*step, *output),
        Expr::Column(figure, column) => binder
            .shapes
            .get(*figure)
            .and_then(|shape| shape.columns.get(*column).map(|column| format!("{}.{}", shape.name, column.name))),
        Expr::Negative(inner) | Expr::Not(inner) => return collect(inner, binder, found),
        Expr::Binary(_, a, b) => {
            collect(a, binder, found);
            return collect(b, binder, found);
        }
        Expr::If(test, yes, no) => {
            for part in [test, yes, no] {
                collect(part, binder, found);
            }
            return;
        }
        Expr::Call(_, arguments) => return arguments.iter().for_each(|argument| collect(argument, binder, found)),
        _ => None,
    };
    if let Some(name) = name
        && !found.iter().any(|known| known.name == name)
    {
        found.push(Operand::new(name, binder.code(expr), input));
    }
}
