//! Inverse calculations: the input for which a field reaches a target, such as the gross pay for a
//! net pay, or stays within it, such as the greatest gross pay within a budget.
//!
//! A method or an option declares it as `inverse: [{input, field, find, parameter, label}]`. The
//! search is exact on the grid of the input (its `round`, or its decimals), or on a coarser one:
//! `unit: 1` searches whole units, for a currency that is paid in no smaller ones.

use rust_decimal::Decimal;

use crate::law::formula::{Scope, reserved};
use crate::law::input::literal;
use crate::law::{Field, Input, InputId, Presence, Type};
use crate::say;
use crate::text::words::is_name;
use crate::text::{Node, PlacedText, Problem, Report, number_text};

/// A field that a caller may set a target for, and the input to search.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["salaire-net/qc"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("salaire-net/qc").ok_or("no such folder")?;
/// use bareme_engine::law::Find;
///
/// let method = folder.latest().ok_or("no edition")?.method();
/// let net = method.inverse(Find::Smallest).ok_or("no inverse")?;
/// let sent = [(net.parameter.name.clone(), "3000".to_owned())];
/// let calculation = folder.calculate(&sent[..].into(), jiff::civil::date(2026, 3, 31))?;
/// let found = calculation.edition().method().fields()[net.field].name.as_str();
/// assert!(calculation.field(found).and_then(|value| value.number()) >= Some(3_000.into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Inverse {
    /// The parameter that sets the target, parsed like the input.
    pub parameter: Input,
    /// The input to search.
    pub input: InputId,
    /// The field with the target, by index.
    pub field: usize,
    /// Index of the field that shows the input, and so the result of the search.
    pub shown: usize,
    /// Whether the smallest or the greatest input is searched.
    pub find: Find,
    /// The grid of the search: results are multiples of it above the least value of the input.
    pub unit: Decimal,
    /// Whether the field is a net pay before income tax.
    pub before_income_tax: bool,
    /// The option that it belongs to, by index: setting the target switches the option on.
    pub option: Option<usize>,
}

/// Choice among the inputs that meet a target.
///
/// [`Inverse`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Find {
    /// The smallest input whose field is at least the target.
    Smallest,
    /// The greatest input whose field is at most the target.
    Greatest,
}

impl Find {
    /// The words in rule files.
    pub const WORDS: [(&'static str, Self); 2] =
        [("smallest", Self::Smallest), ("greatest", Self::Greatest)];
}

/// Reads an entry of the key `inverse`; `known` are the entries above it.
pub(crate) fn read_inverse(
    node: &Node,
    scope: &Scope,
    answer: &[Field],
    known: &[Inverse],
    report: &mut Report,
) -> Option<Inverse> {
    // 1. The keys. The schema reports a missing key, or an unknown word of `find`.
    let (input, field, parameter) = (
        node.text_of("input")?,
        node.text_of("field")?,
        node.text_of("parameter")?,
    );
    let find = node.text_of("find")?;
    let find = Find::WORDS
        .iter()
        .find(|(word, _)| *word == find.value)
        .map(|(_, find)| *find)?;

    // 2. What they name: all three are checked before the first mistake ends the reading.
    let found_input = scope.named_input(input, report);
    let found_field = find_field(field, scope, answer, report);
    check_parameter(parameter, scope, known, report);
    let (found_input, found_field) = (found_input?, found_field?);

    // 3. A search compares amounts, on the grid of the input.
    let model = found_input.of(&scope.inputs)?;
    if let Some(group) = model.group {
        let search = say!("une recherche", "a search");
        report.error(&input.place, scope.use_of_items(&model.name, group, search));
    }
    if !matches!(model.ty, Type::Money(_) | Type::Unknown) {
        report.error(
            &input.place,
            Problem::NotAnAmount {
                found: model.ty.name(),
            },
        );
    }
    if answer
        .get(found_field)
        .is_some_and(|field| !field.is_plain_amount())
    {
        report.error(
            &field.place,
            Problem::FieldIsNoAmount {
                name: field.value.clone(),
            },
        );
    }

    // 4. The answer must show what was found, since the caller did not send it.
    let shown = answer
        .iter()
        .position(|field| field.shows_input(found_input));
    if shown.is_none() {
        report.error(
            &input.place,
            Problem::InputNotShown {
                name: input.value.clone(),
            },
        );
    }

    let unit = unit(node, model, report);
    let parameter = Input {
        name: parameter.value.clone(),
        label: node.string_of("label").unwrap_or_default(),
        help: None,
        presence: Presence::Optional,
        ..model.clone()
    };
    let before_income_tax = node
        .string_of("before_income_tax")
        .is_some_and(|text| text == "true");

    Some(Inverse {
        parameter,
        input: found_input,
        field: found_field,
        shown: shown?,
        find,
        unit,
        before_income_tax,
        option: scope.option,
    })
}

/// Index of the field with the target: one of the method itself, or of the option being read.
fn find_field(
    named: &PlacedText,
    scope: &Scope,
    answer: &[Field],
    report: &mut Report,
) -> Option<usize> {
    let is_visible = |field: &Field| field.option.is_none() || field.option == scope.option;
    let found = answer
        .iter()
        .position(|field| field.name == named.value && is_visible(field));

    if found.is_none() {
        let known = answer
            .iter()
            .filter(|field| is_visible(field))
            .map(|field| field.name.as_str());
        report.error(&named.place, Problem::unknown_field(&named.value, known));
    }
    found
}

/// Reports a parameter whose name is malformed, reserved, or that of an input or of another
/// inverse calculation: a query sends them side by side.
fn check_parameter(parameter: &PlacedText, scope: &Scope, known: &[Inverse], report: &mut Report) {
    let name = &parameter.value;
    let mut taken = scope
        .input_names()
        .chain(known.iter().map(|inverse| inverse.parameter.name.as_str()));

    if !is_name(name) {
        report.error(&parameter.place, Problem::bad_name(name));
    } else if reserved().any(|known| known == name) || taken.any(|known| known == name) {
        report.error(
            &parameter.place,
            Problem::ParameterTaken { name: name.clone() },
        );
    }
}

/// The unit of the search: a coarser one from the file, or that of the input.
fn unit(node: &Node, model: &Input, report: &mut Report) -> Decimal {
    // The finest amounts that a query can send: multiples of the rounding, else of the last
    // decimal.
    let rounded = model.round.filter(|unit| !unit.is_zero());
    let grid = rounded.or_else(|| model.unit()).unwrap_or(Decimal::ONE);
    let Some((text, unit)) = node
        .text_of("unit")
        .zip(literal(node, "unit", Type::Number, report))
    else {
        return grid;
    };

    // A finer unit than that of the input would find amounts that no query can send.
    if unit > Decimal::ZERO && unit.checked_rem(grid).is_some_and(|rest| rest.is_zero()) {
        return unit;
    }

    report.error(
        &text.place,
        Problem::SearchUnit {
            unit: text.value.clone(),
            grid: number_text(grid),
        },
    );
    grid
}
