//! What is paid during a year in advance of an amount that is settled after it. No answer of the API
//! depends on it.

use crate::law::formula::Symbols;
use crate::law::presentation::{read_amount_input, read_assumed, read_field};
use crate::law::{Field, InputId};
use crate::say;
use crate::text::{Node, Problem, Report};

/// What is paid during a year in advance of an amount that is settled after it.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["independant"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("independant").ok_or("no such folder")?;
/// let method = folder.latest().ok_or("no edition")?.method();
/// let advances = method.advances().ok_or("nothing is paid in advance")?;
/// assert_eq!(method.fields()[advances.field].name, "total");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Advances {
    /// The field that is settled, by index.
    pub field: usize,
    /// The input that advances are computed from, of an earlier year.
    pub input: InputId,
    /// What that earlier amount is, in French.
    pub label: String,
    /// How advances are paid, in French.
    pub called: String,
    /// How the year is settled, in French.
    pub settled: String,
    /// The advances of whoever has no earlier year.
    pub first: Option<FirstAdvances>,
}

/// The [`Advances`] of whoever has no earlier year.
#[derive(Debug)]
pub struct FirstAdvances {
    /// The field that they are, by index.
    pub field: usize,
    /// What they are, in French.
    pub label: String,
    /// Parameters to send for an answer that has the field.
    pub assumed: Vec<(String, String)>,
}

/// Reads the key `advances`.
pub(crate) fn read_advances(
    node: &Node,
    symbols: &Symbols,
    answer: &[Field],
    report: &mut Report,
) -> Option<Advances> {
    let node = node.get("advances")?;
    let field = read_number(node, answer, report);
    let what = say!("une avance", "an advance");
    let input = read_amount_input(node, "over", symbols, what, report);

    // Nothing was earned before the first year: its advances are those of another question.
    let first = node.get("first").and_then(|first| {
        let field = read_number(first, answer, report);
        let assumed = read_assumed(first, symbols, report);
        Some(FirstAdvances {
            field: field?,
            label: first.string_of("label").unwrap_or_default(),
            assumed,
        })
    });

    Some(Advances {
        field: field?,
        input: input?,
        label: node.string_of("label").unwrap_or_default(),
        called: node.string_of("called").unwrap_or_default(),
        settled: node.string_of("settled").unwrap_or_default(),
        first,
    })
}

/// The amount that a field of an entry is.
fn read_number(node: &Node, answer: &[Field], report: &mut Report) -> Option<usize> {
    let text = node.text_of("field")?;
    let index = read_field(text, answer, report)?;
    if !answer.get(index)?.is_plain_amount() {
        let name = text.value.clone();
        report.error(&text.place, Problem::FieldIsNoAmount { name });
    }
    Some(index)
}
