//! Amounts of fields before rounding, from which the totals of a year of pays are added up.

use rust_decimal::Decimal;

use crate::law::formula::{EvalError, State};
use crate::law::{Scalar, Value};

use super::compile::{CompiledContent, CompiledField, Evaluator};

impl CompiledField {
    /// The number of the field before it is rounded for display; `None` where it is not in the answer.
    pub(crate) fn exact(&self, state: &State) -> Result<Option<Decimal>, EvalError> {
        if let Some(when) = &self.when
            && !when.boolean(state)?
        {
            return Ok(None);
        }
        let CompiledContent::Value(code, _) = &self.content else { return Ok(None) };
        match code.run(state)? {
            Value::Number(number) => Ok(Some(number)),
            _ => Ok(None),
        }
    }

    /// A number rounded as the field shows it.
    pub(crate) fn shown(&self, number: Decimal, evaluator: Evaluator) -> Result<Decimal, EvalError> {
        let CompiledContent::Value(_, shown) = &self.content else { return Err(EvalError::Internal) };
        match evaluator.number(number, shown)? {
            Scalar::Number(number) => Ok(number),
            _ => Err(EvalError::Internal),
        }
    }
}
