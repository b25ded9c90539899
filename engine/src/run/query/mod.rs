//! Queries: the parameters that a caller sends to a folder.

use jiff::civil::Date;

use crate::law::VALUE_SEPARATOR;
use crate::law::explanation::{Addresses, DetailLevel, Explanation};
use crate::law::method::Method;
use crate::law::parameter::{Call, of_call};

mod fields;
mod items;
mod law;
mod read;
pub(crate) mod target;

pub use fields::FieldSelection;
pub(crate) use fields::{ChosenFields, unknown_fields};
pub(crate) use law::other_law;
pub(crate) use read::{ReadQuery, first_day, no_effect, unknown_parameter, without_effect};
pub(crate) use target::parameter_names;

/// The parameters of a query, borrowed. An empty value counts as not sent.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["tva"])
/// #     .load(root).rules.ok_or("errors")?;
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
    /// Parameters to accept without effect where the method does not have them.
    pub(crate) ignored: &'q [String],
    /// The parameter that selected the folder.
    pub(crate) selector: Option<&'q str>,
    /// The month of a year of pays that the query is for.
    pub(crate) month: Option<RequestedMonth>,
    /// The fields that the caller selects beside the parameters; `None`: as the parameters say.
    pub(crate) selection: Option<FieldSelection<'q>>,
    /// The addresses of the calculations that its answer explains.
    pub(crate) addresses: Option<&'q dyn Addresses>,
}

/// A month of a year of pays that a query asks about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestedMonth {
    /// Its last day; none where its year cannot be read: what it sends is then read against the
    /// latest scale.
    pub last_day: Option<Date>,
}

impl<'q> FromIterator<(&'q str, &'q str)> for Query<'q> {
    fn from_iter<I: IntoIterator<Item = (&'q str, &'q str)>>(parameters: I) -> Self {
        Self {
            parameters: parameters.into_iter().collect(),
            ..Self::default()
        }
    }
}

impl<'q, const COUNT: usize> From<[(&'q str, &'q str); COUNT]> for Query<'q> {
    fn from(parameters: [(&'q str, &'q str); COUNT]) -> Self {
        parameters.into_iter().collect()
    }
}

impl<'q, N: AsRef<str>, V: AsRef<str>> From<&'q [(N, V)]> for Query<'q> {
    fn from(parameters: &'q [(N, V)]) -> Self {
        parameters
            .iter()
            .map(|(name, value)| (name.as_ref(), value.as_ref()))
            .collect()
    }
}

impl<'q, N: AsRef<str>, V: AsRef<str>> From<&'q Vec<(N, V)>> for Query<'q> {
    fn from(parameters: &'q Vec<(N, V)>) -> Self {
        Self::from(parameters.as_slice())
    }
}

impl<'q> Query<'q> {
    /// Accepts some parameters in any case. Where the method has no such input they have no effect,
    /// and a warning says so.
    #[must_use]
    pub fn ignoring(self, names: &'q [String]) -> Self {
        Self {
            ignored: names,
            ..self
        }
    }

    /// Accepts the parameter that selected the folder within its family.
    #[must_use]
    pub fn chosen_by(self, selector: Option<&'q str>) -> Self {
        Self { selector, ..self }
    }

    /// Limits the answer to a selection of fields. A query that has the parameter `champs` besides
    /// is refused where the selection was asked for by name, and has its own fields where it was
    /// not.
    #[must_use]
    pub fn selecting(self, fields: FieldSelection<'q>) -> Self {
        Self {
            selection: Some(fields),
            ..self
        }
    }

    /// Lets an explanation say where the calculations of other folders can be asked for.
    #[must_use]
    pub fn addressed_by(self, addresses: &'q dyn Addresses) -> Self {
        Self {
            addresses: Some(addresses),
            ..self
        }
    }

    /// The level of the explanation of its answer, with the addresses that it gives.
    pub(crate) fn explanation(&self, level: DetailLevel) -> Explanation<'q> {
        Explanation {
            level,
            addresses: self.addresses,
        }
    }

    /// The same query without any parameter.
    pub(crate) fn without_any(&self) -> Self {
        Self {
            parameters: Vec::new(),
            ..*self
        }
    }

    /// Removes the parameters for which `is_out` is true.
    pub(crate) fn without(mut self, is_out: impl Fn(&str, &str) -> bool) -> Self {
        self.parameters.retain(|(name, value)| !is_out(name, value));
        self
    }

    /// Names of the parameters that it may have where a method answers it; `is_dated` where that is
    /// a method of dated scales.
    pub(crate) fn known<'k>(
        &'k self,
        method: &'k Method,
        is_dated: bool,
    ) -> impl Iterator<Item = &'k str> + Clone {
        let call = match self.month {
            Some(_) => Call::Year,
            None if is_dated => Call::Dated,
            None => Call::Undated,
        };
        let general = of_call(call).map(|parameter| parameter.name);

        // In a year, the inputs of a single month are refused with a reason of their own.
        let year = self.month.and_then(|_| method.year());
        let is_of_both = move |name: &&str| year.is_none_or(|year| !year.is_excluded_in_year(name));

        let inputs = method
            .inputs()
            .iter()
            .map(|input| input.name.as_str())
            .filter(is_of_both);
        let inputs = inputs.chain(parameter_names(method).filter(move |_| year.is_none()));

        let extra = self.ignored.iter().map(String::as_str).chain(self.selector);
        // An ignored parameter may be an input of this very method.
        let extra = extra.filter(|name| !method.inputs().iter().any(|input| input.name == **name));

        inputs.chain(general).chain(extra)
    }

    /// All the values sent for a parameter, empty ones included.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &'q str> + Clone {
        self.parameters
            .iter()
            .filter(move |(known, _)| *known == name)
            .map(|(_, value)| *value)
    }

    /// The values sent for a parameter of the items of a group, in one text; `None` where it is sent
    /// once, or not.
    pub(crate) fn list(&self, name: &str) -> Option<String> {
        let values: Vec<&str> = self.all(name).collect();
        (values.len() > 1).then(|| values.join(&VALUE_SEPARATOR.to_string()))
    }

    /// The value sent for a parameter.
    pub(crate) fn sent(&self, name: &str) -> Option<&'q str> {
        // The first value counts; a repeated parameter is refused elsewhere.
        let found = self.parameters.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, value)| *value)
            .filter(|value| !value.is_empty())
    }
}
