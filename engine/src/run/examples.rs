//! Examples among the worked cases of a folder.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use crate::law::VALUE_SEPARATOR;
use crate::law::types::Type;
use crate::run::{Case, Folder};

/// Number of cases kept as examples.
const SHOWN: usize = 8;

/// Examples among the worked cases of a folder, and statistics of these; kept in memory, unlike the
/// cases.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().only(&["tva"]).load(root).rules.ok_or("errors")?;
/// let examples = rules.folder("tva").ok_or("no such folder")?.examples();
/// assert!(examples.count >= examples.answered && examples.answered >= examples.first.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Examples {
    /// The number of cases.
    pub count: usize,
    /// The number of those that expect an answer.
    pub answered: usize,
    /// The first of the cases that expect an answer.
    pub first: Vec<Case>,
    /// The first case with an answer whose words are spelled as the inputs list them; if possible,
    /// one without decimals.
    pub plain: Option<Case>,
    /// The first case of a year of pays with an answer and no empty place in its lists.
    pub year: Option<Case>,
    /// The usual range of each parameter in the cases, from the tenth percentile to the ninetieth.
    usual: BTreeMap<String, (Decimal, Decimal)>,
}

impl Examples {
    pub(crate) fn new(folder: &Folder, cases: &[Case]) -> Self {
        // A year of pays is another kind of query.
        let has_answer = |case: &&Case| case.refuse.is_none() && !case.is_year;
        let answered = || {
            cases
                .iter()
                .filter(has_answer)
                .filter(|case| !case.expect.is_empty())
        };

        let inputs = folder.accepted_inputs();
        // A case may send an alias or another spelling of a word, which is no example to copy.
        let is_listed = |(name, value): &(String, String)| {
            let input = inputs
                .iter()
                .find(|input| input.name == *name && matches!(input.ty, Type::Choice(_)));
            input.is_none_or(|input| input.values.iter().any(|(word, _)| word == value))
        };

        let mut listed = cases
            .iter()
            .filter(has_answer)
            .filter(|case| case.query.iter().all(is_listed));

        let is_whole = |case: &&Case| case.query.iter().all(|(_, value)| !value.contains('.'));

        let is_full = |(_, value): &(String, String)| {
            value
                .split(VALUE_SEPARATOR)
                .all(|place| !place.trim().is_empty())
        };

        let mut years = cases
            .iter()
            .filter(|case| case.is_year && case.refuse.is_none());

        Self {
            count: cases.len(),
            answered: answered().count(),
            first: answered().take(SHOWN).cloned().collect(),
            plain: listed
                .clone()
                .find(is_whole)
                .or_else(|| listed.next())
                .cloned(),
            year: years.find(|case| case.query.iter().all(is_full)).cloned(),
            usual: usual(cases),
        }
    }

    /// The usual range of a parameter in the cases.
    pub fn usual(&self, parameter: &str) -> Option<(Decimal, Decimal)> {
        self.usual.get(parameter).copied()
    }
}

fn usual(cases: &[Case]) -> BTreeMap<String, (Decimal, Decimal)> {
    let mut amounts: BTreeMap<&str, Vec<Decimal>> = BTreeMap::new();

    // Flags and shares, which are 1 at most, are no amounts.
    for (name, value) in cases.iter().flat_map(|case| &case.query) {
        if let Ok(amount) = value.parse()
            && amount > Decimal::ONE
        {
            amounts.entry(name).or_default().push(amount);
        }
    }

    let range = |(name, mut amounts): (&str, Vec<Decimal>)| {
        amounts.sort();

        let at = |percent: usize| {
            amounts
                .get(amounts.len().saturating_sub(1).saturating_mul(percent) / 100)
                .copied()
        };

        Some((name.to_owned(), (at(10)?, at(90)?)))
    };

    amounts.into_iter().filter_map(range).collect()
}
