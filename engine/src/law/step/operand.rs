//! The operands of a step, by name, for the explanation of an answer.

use std::borrow::Cow;

use crate::law::formula::{Code, EvalError, State};
use crate::law::{Expr, Input, Scalar, Type, Value};

use super::Compiler;

/// A value that went into a step or came out of it, by name.
///
/// The example of [`StepTrace`](crate::run::StepTrace) names one.
#[derive(Debug)]
#[non_exhaustive]
pub struct Operand<'f> {
    /// Its name: that of an input, a step or a column as a formula writes it, or what it is to the
    /// step.
    pub name: &'f str,
    /// Its value as an explanation shows it, with ten decimals at most.
    pub value: Scalar<'f>,
    /// Its type, which says how to read the number: an amount and its period, a rate, a count.
    pub ty: Type,
    /// Its label in another folder, in French, where it is given to that one or comes from there.
    pub label: Option<&'f str>,
}

impl<'f> Operand<'f> {
    pub(crate) fn new(name: &'f str, value: &Value, ty: Type) -> Self {
        Self {
            name,
            value: Scalar::exact(value),
            ty,
            label: None,
        }
    }
}

/// An operand that a kind of step reads under a name of its own.
pub(super) struct NamedOperand<'c> {
    pub name: &'static str,
    /// The operand, absent where the step leaves it out.
    pub code: Option<&'c Code>,
    pub ty: Type,
}

/// The operands that a step has, in this order.
pub(super) fn operands_of_kind<const N: usize>(
    given: [NamedOperand; N],
    state: &State,
) -> Result<Vec<Operand<'static>>, EvalError> {
    let present = given
        .into_iter()
        .filter_map(|one| Some((one.name, one.code?, one.ty)));
    present
        .map(|(name, code, ty)| Ok(Operand::new(name, &code.run(state)?, ty)))
        .collect()
}

/// An input, a step or a column that a formula reads.
#[derive(Debug)]
pub(super) struct CompiledOperand {
    name: String,
    code: Code,
    ty: Type,
    /// The words of the choice it is, to show a word rather than its index.
    words: Vec<String>,
    /// Whether it is of other months: a calculation of one month does not show it.
    of_other_months: bool,
    /// Its label in another folder.
    label: Option<String>,
}

impl CompiledOperand {
    pub(super) fn new(name: String, code: Code, ty: Type, input: Option<&Input>) -> Self {
        let words = input.map(|input| input.comparable_words().map(str::to_owned).collect());
        Self {
            name,
            code,
            ty,
            words: words.unwrap_or_default(),
            of_other_months: false,
            label: None,
        }
    }

    /// An operand that is given to an input of another folder, of this label; its value may be one
    /// of some words, by index.
    pub(super) fn given(self, label: &str, words: &[String]) -> Self {
        Self {
            words: words.to_vec(),
            label: Some(label.to_owned()),
            ..self
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether a calculation shows it.
    pub(super) fn is_shown(&self, state: &State) -> bool {
        !self.of_other_months || state.year.is_some()
    }

    /// A value as people see it: a word is an index in a state.
    fn shown(&self, value: &Value) -> Result<Scalar<'_>, EvalError> {
        match value {
            Value::Word(index) => {
                let word = self.words.get(usize::from(*index));
                word.map(|word| Scalar::Text(Cow::Borrowed(word)))
                    .ok_or(EvalError::Internal)
            }
            value => Ok(Scalar::exact(value)),
        }
    }

    /// Its name and value in a state that ran.
    pub(super) fn read(&self, state: &State) -> Result<Operand<'_>, EvalError> {
        let value = match self.code.run(state)? {
            Value::List(values) => {
                let values = values.iter().map(|value| self.shown(value));
                Scalar::List(values.collect::<Result<_, _>>()?)
            }
            value => self.shown(&value)?,
        };

        Ok(Operand {
            name: &self.name,
            value,
            ty: self.ty,
            label: self.label.as_deref(),
        })
    }
}

/// The names that a formula reads, each once, in the order of the text.
pub(super) fn of_formula(expr: &Expr, compiler: &Compiler) -> Vec<CompiledOperand> {
    let mut found = Vec::new();
    // The order of the text is that in which people read the formula.
    collect(expr, compiler, false, &mut found);
    found
}

/// Adds the names that an expression reads; `of_all` where it is computed for all items of a group.
fn collect(expr: &Expr, compiler: &Compiler, of_all: bool, found: &mut Vec<CompiledOperand>) {
    let mut input = None;
    let mut of_other_months = false;

    let named = match expr {
        Expr::Input(id) => {
            input = id.of(compiler.inputs);
            input.map(|input| (input.name.clone(), input.ty))
        }
        Expr::Output(step, output) => step.of(compiler.steps).and_then(|step| {
            let output = step.outputs.get(*output)?;
            let name = if output.main {
                step.name.clone()
            } else {
                format!("{}.{}", step.name, output.name)
            };
            Some((name, output.ty))
        }),
        Expr::Column(figure, column) => figure.of(compiler.shapes).and_then(|shape| {
            let column = column.of(&shape.columns)?;
            Some((format!("{}.{}", shape.name, column.name), column.ty))
        }),
        Expr::Negative(inner) | Expr::Not(inner) => return collect(inner, compiler, of_all, found),
        Expr::Binary(_, a, b) => {
            collect(a, compiler, of_all, found);
            return collect(b, compiler, of_all, found);
        }
        Expr::If(test, yes, no) => {
            for part in [test, yes, no] {
                collect(part, compiler, of_all, found);
            }
            return;
        }
        Expr::Call(_, arguments) => {
            return arguments
                .iter()
                .for_each(|argument| collect(argument, compiler, of_all, found));
        }
        Expr::Items(_, _, of, key) => {
            for part in [Some(of), key.as_ref()].into_iter().flatten() {
                collect(part, compiler, true, found);
            }
            return;
        }
        Expr::YearToDate(now, sum) => {
            // The value of this month is shown first, then the sum under a name of its own.
            collect(now, compiler, of_all, found);
            of_other_months = true;

            let last = found.iter().find(|operand| operand.name == sum.name);
            last.and_then(|operand| Some((format!("cumul({})", sum.name), operand.ty.summed()?)))
        }
        Expr::YearMean(now, name) => {
            collect(now, compiler, of_all, found);
            of_other_months = true;

            let last = found.iter().find(|operand| operand.name == *name);
            last.map(|operand| (format!("moyenne({name})"), operand.ty))
        }
        _ => None,
    };

    // Each name is shown once, however often the formula reads it.
    if let Some((name, ty)) = named
        && !found.iter().any(|known| known.name == name)
    {
        let code = compiler.list(expr).filter(|_| of_all);
        let code = code.unwrap_or_else(|| compiler.code(expr));
        let operand = CompiledOperand::new(name, code, ty, input);
        found.push(CompiledOperand {
            of_other_months,
            ..operand
        });
    }
}
