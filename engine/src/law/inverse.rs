//! Inverse calculations: the input for which a field reaches a target, such as the gross pay for a
//! net pay, or stays within it, such as the greatest gross pay within a budget.
//!
//! A method or an option declares it as `inverse: [{input, field, find, parameter, label}]`. The
//! search is exact on the grid of the input (its `round`, or its decimals), or on a coarser one:
//! `unit: 1` searches whole units, for a currency that is paid in no smaller ones. With `assume`,
//! inputs are sent where the query leaves them out, so that the answer has the field.

use rust_decimal::Decimal;

use crate::law::formula::{Env, Symbols, reserved};
use crate::law::input::literal;
use crate::law::presentation::read_assumed;
use crate::law::{Field, Input, InputId, Presence, Type, Value};
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
    /// Inputs that setting the target sends where the query leaves them out.
    pub assumed: Vec<AssumedInput>,
}

/// An input with the value that it has where the query leaves it out.
///
/// [`Inverse::assumed`] holds them.
#[derive(Debug, Clone)]
pub struct AssumedInput {
    /// The input.
    pub input: InputId,
    /// Its value.
    pub value: Value,
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
    env: Env,
    answer: &[Field],
    known: &[Inverse],
    report: &mut Report,
) -> Option<Inverse> {
    let symbols = env.symbols;
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
    let found_input = symbols.named_input(input, report);
    let found_field = find_field(field, env, answer, report);
    check_parameter(parameter, symbols, known, report);
    let (found_input, found_field) = (found_input?, found_field?);

    // 3. A search compares amounts, on the grid of the input.
    let model = found_input.of(&symbols.inputs)?;
    if let Some(group) = model.group {
        let search = say!("une recherche", "a search");
        report.error(
            &input.place,
            symbols.use_of_items(&model.name, group, search),
        );
    }
    if !matches!(model.ty, Type::Money(_) | Type::Unknown) {
        report.error(
            &input.place,
            Problem::NotAnAmount {
                found: model.ty.name(),
            },
        );
    }
    let assumed = read_assumed_values(node, symbols, report);
    let is_assumed = |input: InputId| assumed.iter().any(|assumed| assumed.input == input);
    if answer
        .get(found_field)
        .is_some_and(|field| !field.is_amount_beside(is_assumed))
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
        option: env.option,
        assumed,
    })
}

/// The key `assume`, as values of inputs.
fn read_assumed_values(node: &Node, symbols: &Symbols, report: &mut Report) -> Vec<AssumedInput> {
    let written = read_assumed(node, symbols, report).into_iter();
    // A name or a value that is wrong was reported when it was read.
    let value = |(name, text): (String, String)| {
        let input = InputId::find(&symbols.inputs, |input| input.name == name)?;
        let value = input.of(&symbols.inputs)?.parse(&text).ok()?;
        Some(AssumedInput { input, value })
    };
    written.filter_map(value).collect()
}

/// Index of the field with the target: one of the method itself, or of the option being read.
fn find_field(
    named: &PlacedText,
    env: Env,
    answer: &[Field],
    report: &mut Report,
) -> Option<usize> {
    let is_visible = |field: &Field| field.option.is_none() || field.option == env.option;
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
fn check_parameter(
    parameter: &PlacedText,
    symbols: &Symbols,
    known: &[Inverse],
    report: &mut Report,
) {
    let name = &parameter.value;
    let mut taken = symbols
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

#[cfg(test)]
mod tests {
    use crate::testing::{errors, folder, shown};

    const LAW: &str = "inputs:
  brut:  {type: money, per: month, required: true, min: 0, max: 100 000, label: Brut}
  taux:  {type: rate, optional: true, min: 0%, max: 100%, label: Taux}
  autre: {type: rate, optional: true, min: 0%, max: 100%, label: Autre}
figures:
  f: {v: rate}
steps:
  net:   brut * (1 - f.v)
  impot: {formula: net * taux, when: given(taux), round: 0.01}
  reste: {formula: net - impot, when: given(taux)}
answer:
  brut: brut
  net:  {value: net, label: Net}
  taux: {value: taux, when: given(taux)}
  reste: {value: reste, when: given(taux), label: Reste}
  grand: {value: net, when: brut > 0, label: Grand}
";
    const FIGURES: &str = "  f: {v: 10%, source: s}";

    fn asked(field: &str, assume: &str) -> String {
        format!(
            "{LAW}inverse:\n  - {{input: brut, field: {field}, find: smallest, parameter: vise, \
             label: Net visé{assume}}}\n"
        )
    }

    #[test]
    fn a_field_is_asked_for_beside_the_input_that_gives_it() {
        let law = folder(&asked("reste", ", assume: {taux: 20}"), FIGURES);
        // 90 % of the gross, less a fifth of that: 720 of 1 000; at a tenth, 810.
        for (query, brut, taux) in [
            ("vise=720", "1000", "0.2"),
            ("vise=720&taux=10", "888.89", "0.1"),
            ("vise=900&taux=0", "1000", "0"),
        ] {
            assert_eq!(shown(&law, query, "brut"), brut, "{query}");
            assert_eq!(shown(&law, query, "taux"), taux, "{query}");
        }

        // The gross itself assumes nothing.
        assert_eq!(shown(&law, "brut=1000", "net"), "900");
    }

    #[test]
    fn a_field_that_some_answers_lack_is_no_target() {
        for (field, assume, expected) in [
            ("net", "", &[][..]),
            ("reste", "", &["A07"]),
            ("reste", ", assume: {autre: 20}", &["A07"]),
            ("grand", ", assume: {taux: 20}", &["A07"]),
            ("reste", ", assume: {taux: 20}", &[]),
        ] {
            let law = asked(field, assume);
            assert_eq!(errors(&law, FIGURES), expected, "{field}{assume}");
        }
    }
}
