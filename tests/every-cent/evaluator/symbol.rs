//! Values of a calculation being compiled: what the fixed inputs decide is a constant already.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::builder::{Builder, Test, Unsupported};
use super::kernel::Slot;
use super::number::Number;
use crate::law::Value;

/// A value; that of an optional cell may be there in some rows only.
#[derive(Debug, Clone)]
pub(crate) enum Symbol {
    Nothing,
    /// A number, and whether it is an amount.
    Number(Number, bool),
    Boolean(Test),
    Word(String),
    Text(String),
    /// One of some texts, by an index.
    Texts(Slot, Rc<[Option<String>]>),
    /// A value where a condition holds.
    Perhaps(Test, Box<Symbol>),
}

impl Symbol {
    pub(crate) fn zero() -> Self {
        Self::Number(Number::zero(), false)
    }

    pub(crate) fn number(&self) -> Result<Number, Unsupported> {
        match self {
            Self::Number(number, _) => Ok(number.clone()),
            Self::Perhaps(_, value) => value.number(),
            _ => Err(Unsupported("a value that is no number")),
        }
    }

    pub(crate) fn test(&self) -> Result<Test, Unsupported> {
        if let Self::Boolean(test) = self {
            Ok(*test)
        } else {
            Err(Unsupported("a value that is no condition"))
        }
    }
}

impl From<&Value> for Symbol {
    fn from(value: &Value) -> Self {
        match value {
            // No combination sends an item of a group.
            Value::Nothing | Value::List(_) => Self::Nothing,
            Value::Number(number, money) => Self::Number(Number::Fixed(number.clone()), *money),
            Value::Boolean(value) => Self::Boolean(Test::Fixed(*value)),
            Value::Word(word) => Self::Word(word.clone()),
            Value::Text(text) => Self::Text(text.clone()),
        }
    }
}

impl Builder {
    /// One of two values.
    pub(crate) fn select(
        &mut self,
        test: Test,
        yes: &Symbol,
        no: &Symbol,
    ) -> Result<Symbol, Unsupported> {
        match test {
            Test::Fixed(true) => return Ok(yes.clone()),
            Test::Fixed(false) => return Ok(no.clone()),
            Test::Column(_) => {}
        }

        Ok(match (yes, no) {
            (Symbol::Nothing, Symbol::Nothing) => Symbol::Nothing,
            (Symbol::Number(yes, money), Symbol::Number(no, other)) => {
                Symbol::Number(self.choose(test, yes, no)?, *money || *other)
            }
            (Symbol::Boolean(yes), Symbol::Boolean(no)) => {
                let other = self.not(test);
                let (yes, no) = (self.both(test, *yes), self.both(other, *no));
                Symbol::Boolean(self.either(yes, no))
            }
            // A step that does not apply gives false where it would give a condition.
            (Symbol::Boolean(yes), Symbol::Number(..)) => Symbol::Boolean(self.both(test, *yes)),
            (Symbol::Word(yes), Symbol::Word(no)) if yes == no => Symbol::Word(yes.clone()),
            (Symbol::Text(yes), Symbol::Text(no)) if yes == no => Symbol::Text(yes.clone()),
            (Symbol::Nothing, Symbol::Perhaps(there, value)) => {
                let other = self.not(test);
                Symbol::Perhaps(self.both(other, *there), value.clone())
            }
            (Symbol::Perhaps(there, value), Symbol::Nothing) => {
                Symbol::Perhaps(self.both(test, *there), value.clone())
            }
            (Symbol::Nothing, value) => Symbol::Perhaps(self.not(test), Box::new(value.clone())),
            (value, Symbol::Nothing) => Symbol::Perhaps(test, Box::new(value.clone())),
            (Symbol::Perhaps(there, yes), no) => {
                let missing = self.not(*there);
                let missing = self.both(test, missing);
                let value = self.select(test, yes, no)?;
                Symbol::Perhaps(self.not(missing), Box::new(value))
            }
            (yes, Symbol::Perhaps(there, no)) => {
                let (other, missing) = (self.not(test), self.not(*there));
                let missing = self.both(other, missing);
                let value = self.select(test, yes, no)?;
                Symbol::Perhaps(self.not(missing), Box::new(value))
            }
            _ => return self.select_text(test, yes, no),
        })
    }

    /// One of two texts, each of which may be one of several: an index of the texts of both.
    fn select_text(
        &mut self,
        test: Test,
        yes: &Symbol,
        no: &Symbol,
    ) -> Result<Symbol, Unsupported> {
        let listed = |builder: &Self, symbol: &Symbol| match symbol {
            Symbol::Text(text) | Symbol::Word(text) => {
                Ok((Number::zero(), vec![Some(text.clone())]))
            }
            Symbol::Texts(index, texts) => Ok((builder.whole_column(*index), texts.to_vec())),
            _ => Err(Unsupported("two values of two sorts")),
        };

        let (yes, mut texts) = listed(self, yes)?;
        let (no, others) = listed(self, no)?;
        let no = self.plus(&no, &Number::whole(texts.len() as i64))?;
        texts.extend(others);
        match self.choose(test, &yes, &no)? {
            Number::Column(index) => Ok(Symbol::Texts(index.top, texts.into())),
            _ => Err(Unsupported("a text by a condition")),
        }
    }
}

/// What a step gives.
#[derive(Debug, Clone, Default)]
pub(crate) struct Given {
    pub main: Option<Symbol>,
    pub outputs: BTreeMap<String, Symbol>,
    pub is_boolean: bool,
}

impl Builder {
    pub(crate) fn select_given(
        &mut self,
        test: Test,
        yes: &Given,
        no: &Given,
    ) -> Result<Given, Unsupported> {
        let main = match (&yes.main, &no.main) {
            (Some(yes), Some(no)) => Some(self.select(test, yes, no)?),
            (main, None) | (None, main) => main.clone(),
        };

        let mut outputs = BTreeMap::new();

        for (name, yes) in &yes.outputs {
            let no = no.outputs.get(name).cloned().unwrap_or(Symbol::Nothing);
            outputs.insert(name.clone(), self.select(test, yes, &no)?);
        }

        Ok(Given {
            main,
            outputs,
            is_boolean: yes.is_boolean,
        })
    }
}
