//! What a caller asks for instead of sending an input: a net instead of a gross.

use rust_decimal::Decimal;

use crate::index::InputId;
use crate::inverse::Inverse;
use crate::method::Method;
use crate::query::Query;
use crate::refusal::{BadParameter, Reason, Said};
use crate::types::Value;

/// What is asked of a field.
#[derive(Debug)]
pub(crate) struct Asked {
    /// Index of the method's inverse.
    pub inverse: usize,
    /// What the field must reach, or stay within.
    pub amount: Decimal,
}

/// Reads what is asked. One parameter only, and never with the input that it stands for.
pub(crate) fn read(query: &Query, method: &Method, bad: &mut Vec<BadParameter>) -> Option<Asked> {
    let found = method.inverses().iter().enumerate();
    let mut found = found.filter_map(|(index, inverse)| Some((index, inverse, query.sent(&inverse.parameter.name)?)));
    let (index, inverse, text) = found.next()?;
    let parameter = &inverse.parameter;
    let mut refuse = |name: &Inverse, reason, text| {
        bad.push(BadParameter::because(&name.parameter.name, reason, Some(text), name.parameter.accepted()));
    };
    for (_, other, text) in found {
        refuse(other, Reason::NotWith { other: parameter.name.clone() }, text);
    }
    let input = inverse.input.of(method.inputs())?;
    if query.sent(&input.name).is_some() {
        refuse(inverse, Reason::InsteadOf { input: input.name.clone() }, text);
    }
    match parameter.parse(text) {
        Ok(Value::Number(amount)) => Some(Asked { inverse: index, amount }),
        Ok(_) => None,
        Err(problem) => {
            bad.push(problem);
            None
        }
    }
}

/// Names of the parameters that may be sent instead of an input.
pub(crate) fn instead_of(input: InputId, method: &Method) -> impl Iterator<Item = &str> + Clone {
    stand_ins(method).filter(move |(_, of)| *of == Some(input)).map(|(name, _)| name)
}

/// Names of all the parameters that ask for a field.
pub(crate) fn parameters(method: &Method) -> impl Iterator<Item = &str> + Clone {
    stand_ins(method).map(|(name, _)| name)
}

/// The parameters that ask for a field, those of options that the scale goes without too; each with the input
/// that it stands for.
fn stand_ins(method: &Method) -> impl Iterator<Item = (&str, Option<InputId>)> + Clone {
    let known = method.inverses().iter().map(|inverse| (inverse.parameter.name.as_str(), Some(inverse.input)));
    let left_out = method.left_out.iter().flat_map(|option| &option.parameters);
    let left_out = left_out.map(|(name, input)| (name.as_str(), *input));
    known.chain(left_out)
}

/// Asking for a field of an option switches the option on.
pub(crate) fn switch_on(
    asked: &Asked,
    query: &Query,
    method: &Method,
    values: &mut [Value],
    bad: &mut Vec<BadParameter>,
) {
    let inverse = method.inverses().get(asked.inverse);
    let option = inverse.and_then(|inverse| Some((inverse, method.options().get(inverse.option?)?)));
    let Some((inverse, option)) = option else { return };
    let Some(value) = values.get_mut(option.input.position()) else { return };
    if *value == Value::Boolean(false) {
        let reason = Reason::SwitchedBy { parameter: inverse.parameter.name.clone(), option: option.name.clone() };
        bad.push(BadParameter::because(&option.name, reason, query.sent(&option.name), Said::alike("true")));
    }
    *value = Value::Boolean(true);
}
