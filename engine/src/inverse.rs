//! The other way round: the smallest value of an input for which a field reaches what is asked, such as
//! the gross pay that gives a net pay.
//!
//! A method declares it with `inverse: {input, field, parameter, label}`. What is found is exact on the
//! grid of the input (its `round`, or its decimals): the field is at least what is asked there, and
//! below it one unit earlier. It is the smallest such value as long as the field never rises more than
//! twice as fast as the input, but for roundings: nothing is then jumped over, however often the field
//! falls on the way. A net pay rises less than its gross, but for a levy whose yearly limit a higher pay
//! reaches earlier.

use crate::answer::Field;
use crate::diagnostic::Report;
use crate::formula::{RESERVED, Scope};
use crate::input::{Input, Presence};
use crate::problem::Problem;
use crate::types::Type;
use crate::words::{is_name, nearest};
use crate::yaml::Node;

/// A field that may be asked for, and the input that is then looked for.
#[derive(Debug)]
pub struct Inverse {
    /// The parameter that asks for the field, read as the input is.
    pub parameter: Input,
    /// Rank of the input.
    pub input: usize,
    /// Rank of the field.
    pub field: usize,
    /// Rank of the field that shows the input, and so what was found.
    pub shown: usize,
}

/// Reads the key `inverse` of a method.
pub(crate) fn read(node: &Node, scope: &Scope, answer: &[Field], report: &mut Report) -> Option<Inverse> {
    let (input, field, parameter) = (node.text_of("input")?, node.text_of("field")?, node.text_of("parameter")?);
    let inputs = scope.inputs.iter().map(|input| input.name.as_str());
    let found_input = inputs.clone().position(|name| name == input.value);
    if found_input.is_none() {
        let near = nearest(&input.value, inputs.clone()).map(str::to_owned);
        report.error(&input.place, Problem::UnknownInput { name: input.value.clone(), near });
    }
    let found_field = answer.iter().position(|known| known.name == field.value);
    if found_field.is_none() {
        let near = nearest(&field.value, answer.iter().map(|known| known.name.as_str())).map(str::to_owned);
        report.error(&field.place, Problem::UnknownField { name: field.value.clone(), near });
    }
    let name = &parameter.value;
    if !is_name(name) {
        report.error(&parameter.place, Problem::BadName { name: name.clone() });
    } else if RESERVED.contains(&name.as_str()) || inputs.clone().any(|known| known == name) {
        report.error(&parameter.place, Problem::ParameterTaken { name: name.clone() });
    }
    let (found_input, found_field) = (found_input?, found_field?);
    let model = scope.inputs.get(found_input)?;
    if !matches!(model.ty, Type::Money(_) | Type::Unknown) {
        report.error(&input.place, Problem::NotAnAmount { found: model.ty.name() });
    }
    if answer.get(found_field).is_some_and(|field| !field.is_plain_amount()) {
        report.error(&field.place, Problem::FieldIsNoAmount { name: field.value.clone() });
    }
    let shown = answer.iter().position(|field| field.shows_input(found_input));
    if shown.is_none() {
        report.error(&input.place, Problem::InputNotShown { name: input.value.clone() });
    }
    let parameter = Input {
        name: name.clone(),
        label: node.string_of("label").unwrap_or_default(),
        help: None,
        presence: Presence::Optional,
        ..model.clone()
    };
    Some(Inverse { parameter, input: found_input, field: found_field, shown: shown? })
}
