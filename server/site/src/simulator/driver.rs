//! The amount that a question starts from: the input of the first inverse calculation, or what may
//! replace it. The form has a field for each; a link may have the amount and the name of what it is.

use bareme_api::wire::query::value;
use bareme_engine::law::{Input, Inverse, Method};

use super::question::{Question, take};
use super::targets::SHOWN;

/// Parameter of the page with the name of the starting amount.
pub(super) const START: &str = "point-de-depart";
const AMOUNT: &str = "montant-de-depart";

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

impl Driver<'_> {
    /// The names of the parameters that a question may start from, the input first.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let targets = self.inverses.iter();
        let targets = targets.map(|inverse| inverse.parameter.name.as_str());
        [self.input.name.as_str()].into_iter().chain(targets)
    }

    /// The parameter that a question starts from: the input where it has none.
    pub(super) fn typed(&self, question: &Question) -> &str {
        let mut names = self.names();
        let sent = names.find(|name| question.sent(name).is_some());
        sent.unwrap_or(&self.input.name)
    }

    /// Parameters without the amount that a question starts from.
    pub(super) fn without_amounts(&self, sent: &[(String, String)]) -> Vec<(String, String)> {
        let others = sent.iter();
        let others = others.filter(|(name, _)| !self.names().any(|own| own == name));
        others.cloned().collect()
    }
}

/// Leaves the starting amount alone under the parameter with its name. A link says which one it is;
/// a form sends the field of each, of which one differs from what the page showed.
pub(super) fn start(pairs: &mut Vec<(String, String)>, method: &Method) {
    let (start, amount) = (take(pairs, START), take(pairs, AMOUNT));
    // What each field showed decides which one was typed; it is no parameter of the law.
    let is_shown = |(name, _): &mut (String, String)| name.starts_with(SHOWN);
    let shown: Vec<(String, String)> = pairs.extract_if(.., is_shown).collect();
    let Some(driver) = driver(method) else {
        return;
    };

    let named = driver.names().find(|name| start.as_deref() == Some(name));
    if let Some(amount) = amount {
        let name = named.unwrap_or(&driver.input.name).to_owned();
        pairs.push((name, amount));
    } else if start.is_some() {
        // A form sends all of its amounts: but for one, they would be several starting points of
        // one question.
        let kept = typed(pairs, &shown, &driver, named).map(str::to_owned);
        pairs.retain(|(name, _)| {
            kept.as_ref() == Some(name) || !driver.names().any(|known| known == name)
        });
    }
}

/// The parameter of the field that was typed, among those that a form sent.
fn typed<'d>(
    pairs: &[(String, String)],
    shown: &[(String, String)],
    driver: &'d Driver,
    before: Option<&'d str>,
) -> Option<&'d str> {
    let sent = |name: &str| value(pairs, name).map(str::trim);
    let is_changed = |name: &&str| {
        let before = value(shown, &format!("{SHOWN}{name}")).map(str::trim);
        sent(name).is_some() && sent(name) != before
    };

    // What the question started from before stays, where no other field was typed.
    let mut changed = driver.names().filter(is_changed);
    let other = changed.find(|name| Some(*name) != before);
    let is_there = |name: &&str| sent(name).is_some();
    other
        .or(before.filter(is_there))
        .or_else(|| driver.names().find(is_there))
}
