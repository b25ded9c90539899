//! Options of a method: parts of the law that a boolean input switches on, such as the employer's
//! side of a payslip. The entries of an option come after the method's own figures, steps, checks
//! and fields, and only the option reads them.

use std::ops::Range;

use crate::law::formula::{Env, NameOfOption, Symbols};
use crate::law::{Expr, InputId, Presence, Type};
use crate::text::{Node, PlacedText, Problem, Report};

/// Greatest number of options of a method: references are prepared for each combination of them.
pub(crate) const MOST_OPTIONS: usize = 4;

/// A part of the law that a boolean input switches on.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["salaire-net/qc"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("salaire-net/qc").ok_or("no such folder")?;
/// let method = folder.latest().ok_or("no edition")?.method();
/// for option in method.options() {
///     assert_eq!(option.input.of(method.inputs()).map(|input| &input.name), Some(&option.name));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct MethodOption {
    /// Its name, which is that of the input.
    pub name: String,
    /// The input that switches it on.
    pub input: InputId,
    pub(crate) figures: Vec<String>,
    /// Names of the parameters that set a target for one of its fields, each with the input that it
    /// replaces.
    pub(crate) parameters: Vec<(String, Option<InputId>)>,
}

/// Reads the declaration of an option, before its entries.
pub(crate) fn read_option(
    name: &PlacedText,
    node: &Node,
    symbols: &Symbols,
    report: &mut Report,
) -> Option<MethodOption> {
    let declared_input =
        InputId::enumerate(&symbols.inputs).find(|(_, input)| input.name == name.value);
    let is_switch =
        |presence: &Presence| matches!(presence, Presence::Default(Expr::Boolean(false), _));
    let Some((input, _)) =
        declared_input.filter(|(_, input)| input.ty == Type::Boolean && is_switch(&input.presence))
    else {
        // A switch is off unless it is sent, so that a query without it means the method alone.
        report.error(
            &name.place,
            Problem::OptionSwitch {
                name: name.value.clone(),
            },
        );
        return None;
    };

    let figures = node.entries_of("figures");
    let target = |node: &Node| {
        let replaced = node.string_of("input")?;
        let input = symbols.input(&replaced);
        Some((node.string_of("parameter")?, input))
    };

    let parameters = node.items_of("inverse").iter().filter_map(target);

    Some(MethodOption {
        name: name.value.clone(),
        input,
        figures: figures.iter().map(|(name, _)| name.value.clone()).collect(),
        parameters: parameters.collect(),
    })
}

/// Reads the options that a dated file leaves out (`without`); reports names that are not options.
pub(crate) fn read_without(
    node: &Node,
    options: &[MethodOption],
    report: &mut Report,
) -> Vec<PlacedText> {
    let written = node.list_of("without");
    for text in &written {
        // In a method without options, the key itself is reported as unknown.
        if !options.is_empty() && !options.iter().any(|option| option.name == text.value) {
            let known = options.iter().map(|option| option.name.as_str());
            report.error(&text.place, Problem::unknown_option(&text.value, known));
        }
    }
    written
}

/// The problem of a name that cannot be read here: one of another option has its own message, any
/// other is `otherwise`.
pub(crate) fn unknown(name: &str, env: Env, otherwise: Problem) -> Problem {
    let own = env.option_name();
    let mut others = env
        .symbols
        .names_of_options
        .iter()
        .filter(|known| own != Some(&known.option));

    match others.find(|known| known.name == name) {
        Some(known) => Problem::OtherOption {
            name: known.name.clone(),
            option: known.option.clone(),
        },
        None => otherwise,
    }
}

/// The names of the figures and steps of each option.
pub(crate) fn names(options: &[(PlacedText, Node)]) -> Vec<NameOfOption> {
    let of_option = |(option, node): &(PlacedText, Node)| {
        // Inputs are common to all options: only figures and steps belong to one.
        let entries = ["figures", "steps"]
            .into_iter()
            .filter_map(|key| node.get(key))
            .flat_map(Node::entries);
        entries
            .map(|(name, _)| NameOfOption {
                name: name.value.clone(),
                option: option.value.clone(),
            })
            .collect::<Vec<_>>()
    };
    options.iter().flat_map(of_option).collect()
}

/// Reports a name that is already taken in the method.
pub(crate) fn check_new(
    name: &PlacedText,
    mut known: impl Iterator<Item = impl AsRef<str>>,
    report: &mut Report,
) {
    if known.any(|known| known.as_ref() == name.value) {
        report.error(
            &name.place,
            Problem::NameTaken {
                name: name.value.clone(),
            },
        );
    }
}

/// The options that are on, as a bit set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct OptionSet(usize);

impl OptionSet {
    /// Every combination of so many options.
    pub(crate) fn all(options: usize) -> impl Iterator<Item = Self> {
        (0..1 << options.min(MOST_OPTIONS)).map(Self)
    }

    pub(crate) fn switch_on(&mut self, option: usize) {
        self.0 |= 1 << option;
    }

    /// Whether the entries of an option run; those of the method itself (`None`) always do.
    pub(crate) fn runs(self, option: Option<usize>) -> bool {
        option.is_none_or(|option| self.0 >> option & 1 == 1)
    }

    /// Index of the combination, among all.
    pub(crate) fn index(self) -> usize {
        self.0
    }
}

/// Index range of an option's entries in an ordered list; none: the method's own, which come first.
pub(crate) fn range<T>(
    list: &[T],
    option: Option<usize>,
    of: impl Fn(&T) -> Option<usize>,
) -> Range<usize> {
    // Lists are sorted by option: the method's own entries, then those of each option.
    list.partition_point(|one| of(one) < option)..list.partition_point(|one| of(one) <= option)
}

#[cfg(test)]
mod tests;
