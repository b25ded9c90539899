//! The amount that a question starts from: the input of the first inverse calculation, or what may
//! replace it. The form has one field for the amount, and a select that says what it is.

use bareme_engine::law::{Input, Inverse, Method};

use super::question::take;

/// Parameter of the page with the name of the starting amount.
pub(super) const START: &str = "point-de-depart";
pub(super) const AMOUNT: &str = "montant-de-depart";

/// The input that a pay starts from, and the parameters that may replace it.
#[derive(Debug)]
pub(super) struct Driver<'r> {
    pub input: &'r Input,
    /// Inverse calculations whose parameter replaces it.
    pub inverses: Vec<&'r Inverse>,
}

/// The input of the first inverse calculation, and all those that replace it.
pub(super) fn driver(method: &Method) -> Option<Driver<'_>> {
    let input = method.inverses().first()?.input;

    let inverses = method
        .inverses()
        .iter()
        .filter(|inverse| inverse.input == input)
        .collect();

    Some(Driver {
        input: input.of(method.inputs())?,
        inverses,
    })
}

/// Moves the starting amount to the parameter with its name.
pub(super) fn start(pairs: &mut Vec<(String, String)>, method: &Method) {
    let (start, amount) = (take(pairs, START), take(pairs, AMOUNT));
    let (Some(amount), Some(driver)) = (amount, driver(method)) else {
        return;
    };

    let names = driver
        .inverses
        .iter()
        .map(|inverse| &inverse.parameter.name)
        .chain([&driver.input.name]);

    let name = names
        .into_iter()
        .find(|name| Some(name.as_str()) == start.as_deref())
        .unwrap_or(&driver.input.name);

    pairs.push((name.clone(), amount));
}
