//! Targets of inverse calculations: an amount sent for a field in place of an input, such as a net
//! instead of a gross.

use rust_decimal::Decimal;

use crate::law::{InputId, Inverse, Method, Value};
use crate::text::{BadParameter, Reason, Text};

use super::Query;

/// The amount that a field must reach, or stay within.
#[derive(Debug)]
pub(crate) struct Target {
    /// Index of the inverse calculation in the method.
    pub inverse: usize,
    pub amount: Decimal,
}

impl Target {
    /// Reads the target of a query: at most one, and never together with the input that it
    /// replaces.
    pub(crate) fn read(
        query: &Query,
        method: &Method,
        bad: &mut Vec<BadParameter>,
    ) -> Option<Self> {
        // In the order of the method: the first one sent is the target, the others are refused.
        let sent = method.inverses().iter().enumerate();
        let mut sent = sent.filter_map(|(index, inverse)| {
            Some((index, inverse, query.sent(&inverse.parameter.name)?))
        });
        let (index, inverse, text) = sent.next()?;

        let parameter = &inverse.parameter;

        let mut refuse = |name: &Inverse, reason, text| {
            bad.push(BadParameter::because(
                &name.parameter.name,
                reason,
                Some(text),
                name.parameter.accepted(),
            ));
        };

        // Two targets cannot both be reached by one input.
        for (_, other, text) in sent {
            refuse(
                other,
                Reason::NotWith {
                    other: parameter.name.clone(),
                },
                text,
            );
        }

        let input = inverse.input.of(method.inputs())?;

        // With the input itself there is nothing left to search for.
        if query.sent(&input.name).is_some() {
            refuse(
                inverse,
                Reason::InsteadOf {
                    input: input.name.clone(),
                },
                text,
            );
        }

        match parameter.parse(text) {
            Ok(Value::Number(amount)) => Some(Self {
                inverse: index,
                amount,
            }),
            Ok(_) => None,
            Err(problem) => {
                bad.push(problem);
                None
            }
        }
    }

    /// Sends the inputs that the search assumes, where the query leaves them out.
    pub(crate) fn send_assumed(&self, method: &Method, values: &mut [Value]) {
        let inverse = method.inverses().get(self.inverse);
        let assumed = inverse.map(|inverse| inverse.assumed.as_slice());

        for assumed in assumed.unwrap_or_default() {
            // A value that the query sends is kept.
            if let Some(place) = values.get_mut(assumed.input.position())
                && *place == Value::Nothing
            {
                *place = assumed.value.clone();
            }
        }
    }

    /// Switches on the option that the target's field belongs to; refuses a query that switches it
    /// off.
    pub(crate) fn switch_option_on(
        &self,
        query: &Query,
        method: &Method,
        values: &mut [Value],
        bad: &mut Vec<BadParameter>,
    ) {
        let inverse = method.inverses().get(self.inverse);
        let option =
            inverse.and_then(|inverse| Some((inverse, method.options().get(inverse.option?)?)));
        let Some((inverse, option)) = option else {
            return;
        };

        let Some(value) = values.get_mut(option.input.position()) else {
            return;
        };

        // A field of an option is computed only where it is on, so that the search would find no
        // value.
        if *value == Value::Boolean(false) {
            let reason = Reason::SwitchedBy {
                parameter: inverse.parameter.name.clone(),
                option: option.name.clone(),
            };
            bad.push(BadParameter::because(
                &option.name,
                reason,
                query.sent(&option.name),
                Text::same("true"),
            ));
        }

        // It is on even where the query was refused: what follows is then checked with it.
        *value = Value::Boolean(true);
    }
}

/// Names of the parameters that may replace an input.
pub(crate) fn parameters_instead_of(
    input: InputId,
    method: &Method,
) -> impl Iterator<Item = &str> + Clone {
    parameters(method)
        .filter(move |(_, of)| *of == Some(input))
        .map(|(name, _)| name)
}

/// Names of all the parameters that replace inputs.
pub(crate) fn parameter_names(method: &Method) -> impl Iterator<Item = &str> + Clone {
    parameters(method).map(|(name, _)| name)
}

/// The parameters that replace inputs, each with its input; those of options that the scale leaves
/// out too, so that a query that sends one is refused with the reason.
fn parameters(method: &Method) -> impl Iterator<Item = (&str, Option<InputId>)> + Clone {
    let known = method
        .inverses()
        .iter()
        .map(|inverse| (inverse.parameter.name.as_str(), Some(inverse.input)));
    let left_out = method.left_out.iter().flat_map(|option| &option.parameters);
    let left_out = left_out.map(|(name, input)| (name.as_str(), *input));
    known.chain(left_out)
}
