//! What a caller asks of a folder.

mod read;

pub(crate) use read::{ReadQuery, without_effect};

/// What a caller asks of a folder.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().about(&["tva"]).load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// let parameters = [("montant".to_owned(), "100".to_owned()), ("couleur".to_owned(), "rouge".to_owned())];
/// let ignored = ["couleur".to_owned()];
/// let query = bareme_engine::Query { parameters: &parameters, ignored: &ignored, selector: None };
/// let calculation = folder.calculate(&query, jiff::civil::date(2026, 3, 31))?;
/// assert!(calculation.to_json().contains("avertissements"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Query<'q> {
    /// Names and values, in the order sent. An empty value is a missing one.
    pub parameters: &'q [(String, String)],
    /// Parameters accepted in any case; without effect (and with a warning) where the method has no such input.
    pub ignored: &'q [String],
    /// A parameter that is understood already: the one that chose the folder.
    pub selector: Option<&'q str>,
}

/// A query of parameters alone.
impl<'q> From<&'q [(String, String)]> for Query<'q> {
    fn from(parameters: &'q [(String, String)]) -> Self {
        Self { parameters, ..Self::default() }
    }
}

impl<'q> From<&'q Vec<(String, String)>> for Query<'q> {
    fn from(parameters: &'q Vec<(String, String)>) -> Self {
        Self::from(parameters.as_slice())
    }
}

impl<'q> Query<'q> {
    /// The value sent for a parameter.
    pub(crate) fn sent(&self, name: &str) -> Option<&'q str> {
        let found = self.parameters.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }
}
