//! Values under the keys of a step as a method writes them, for the pages that say how the step is
//! computed.

use crate::law::formula::Ast;

use super::{Reader, Rounding, Step};

/// Value under a key of a step as a method writes it, parsed.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// use bareme_engine::law::Written;
/// use bareme_engine::text::RoundMode;
///
/// let method = folder.latest().ok_or("no edition")?.method();
/// let step = method.steps().iter().find(|step| step.name == "ht").ok_or("no such step")?;
/// let Some((_, Written::Roundings(roundings))) = step.keys.last() else {
///     return Err("no rounding".into());
/// };
/// assert_eq!(roundings[0].mode, RoundMode::HalfUp);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub enum Written {
    /// A formula.
    Formula(Ast),
    /// Formulas separated by `;`.
    Formulas(Vec<Ast>),
    /// Roundings separated by `;`.
    Roundings(Vec<Rounding<Ast>>),
    /// The name of a figure, of an input or of a field, a period, or the title of a folder.
    Name(String),
    /// What is given to another folder.
    Given(Vec<GivenInput>),
}

/// What a step gives to an input of another folder.
///
/// An element of [`Written::Given`].
#[derive(Debug, Clone)]
pub struct GivenInput {
    /// The label of the input there, in French.
    pub label: String,
    /// The words of the choice that it is there, each with its label.
    pub words: Vec<(String, String)>,
    /// The formula whose value is given.
    pub formula: Ast,
}

impl Step {
    /// The formula of its kind's own key, such as the base of a contribution; none for a table,
    /// which names a figure.
    pub fn formula(&self) -> Option<&Ast> {
        self.keys.iter().find_map(|(key, written)| match written {
            Written::Formula(formula) if *key == self.kind.name => Some(formula),
            _ => None,
        })
    }
}

impl Reader<'_> {
    /// Keeps the value of a key.
    pub(super) fn keep(&mut self, key: &'static str, written: Option<Written>) {
        self.written.extend(written.map(|written| (key, written)));
    }

    /// Values of the keys, in the order of the file.
    pub(super) fn take_written(&mut self) -> Vec<(&'static str, Written)> {
        let (node, mut written) = (self.node, std::mem::take(&mut self.written));

        // They were read in the order of the kind: pages show that of the file.
        written.sort_by_key(|(key, _)| {
            node.entries()
                .iter()
                .position(|(name, _)| name.value == *key)
        });
        written
    }
}
