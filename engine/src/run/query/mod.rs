//! Queries: the parameters that a caller sends to a folder.

use jiff::civil::Date;

mod fields;
mod read;
pub(crate) mod target;

pub(crate) use fields::{ChosenFields, unknown_fields};
pub(crate) use read::{ReadQuery, first_day, no_effect, without_effect};
pub(crate) use target::parameter_names;

/// Parameters that every dated folder understands besides its inputs.
pub(crate) const DATE: &str = "date";
/// Short for the first day of a year.
pub(crate) const YEAR: &str = "annee";
/// Parameters that every folder with a year of pays understands: the first month of the lists.
pub(crate) const FIRST_MONTH: &str = "premier_mois";
/// The last month that is asked.
pub(crate) const FINAL_MONTH: &str = "dernier_mois";
/// Whether the contract ends with the last month of the lists.
pub(crate) const DEPARTURE: &str = "depart";
/// Parameters that every folder understands besides its inputs: that which asks for the steps.
pub(crate) const DETAIL: &str = "detail";
/// That which asks for some fields only.
pub(crate) const FIELDS: &str = "champs";

/// The parameters that a caller sends to a folder, borrowed. An empty value is a missing one.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().about(&["tva"]).load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// use bareme_engine::Query;
///
/// let ignored = ["couleur".to_owned()];
/// let query = Query::from([("montant", "100"), ("couleur", "rouge")]).ignoring(&ignored);
/// let calculation = folder.calculate(&query, jiff::civil::date(2026, 3, 31))?;
/// assert!(calculation.to_json().contains("avertissements"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Query<'q> {
    /// Names and values, in the order sent.
    pub(crate) parameters: Vec<(&'q str, &'q str)>,
    /// Parameters accepted in any case.
    pub(crate) ignored: &'q [String],
    /// The parameter that chose the folder.
    pub(crate) selector: Option<&'q str>,
    /// The month of a year of pays that it asks about, by its last day.
    pub(crate) month: Option<Date>,
    /// The only fields of the answer, where it has them; none: those that the parameters ask for.
    pub(crate) only: Option<&'q [&'q str]>,
}

impl<'q> FromIterator<(&'q str, &'q str)> for Query<'q> {
    fn from_iter<I: IntoIterator<Item = (&'q str, &'q str)>>(parameters: I) -> Self {
        Self { parameters: parameters.into_iter().collect(), ..Self::default() }
    }
}

impl<'q, const COUNT: usize> From<[(&'q str, &'q str); COUNT]> for Query<'q> {
    fn from(parameters: [(&'q str, &'q str); COUNT]) -> Self {
        parameters.into_iter().collect()
    }
}

impl<'q, N: AsRef<str>, V: AsRef<str>> From<&'q [(N, V)]> for Query<'q> {
    fn from(parameters: &'q [(N, V)]) -> Self {
        parameters.iter().map(|(name, value)| (name.as_ref(), value.as_ref())).collect()
    }
}

impl<'q, N: AsRef<str>, V: AsRef<str>> From<&'q Vec<(N, V)>> for Query<'q> {
    fn from(parameters: &'q Vec<(N, V)>) -> Self {
        Self::from(parameters.as_slice())
    }
}

impl<'q> Query<'q> {
    /// Accepts some parameters in any case; they are without effect, and a warning says so, where the method has no such
    /// input.
    #[must_use]
    pub fn ignoring(self, names: &'q [String]) -> Self {
        Self { ignored: names, ..self }
    }

    /// Accepts the parameter that chose the folder among those of its family.
    #[must_use]
    pub fn chosen_by(self, selector: Option<&'q str>) -> Self {
        Self { selector, ..self }
    }

    /// Limits the answer to some fields, as far as it has them: an option that is off leaves its own out. Unlike those
    /// of the parameter `champs`, names that no answer has are not refused.
    #[must_use]
    pub fn only(self, names: &'q [&'q str]) -> Self {
        Self { only: Some(names), ..self }
    }

    /// Leaves parameters out.
    pub(crate) fn without(mut self, is_out: impl Fn(&str, &str) -> bool) -> Self {
        self.parameters.retain(|(name, value)| !is_out(name, value));
        self
    }

    /// All the values sent for a parameter, empty ones too.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &'q str> + Clone {
        self.parameters.iter().filter(move |(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// The value sent for a parameter.
    pub(crate) fn sent(&self, name: &str) -> Option<&'q str> {
        let found = self.parameters.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value).filter(|value| !value.is_empty())
    }
}
