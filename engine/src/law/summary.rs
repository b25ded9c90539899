//! Sentences about an answer: the result in words, and what is paid in advance of it. No answer of
//! the API depends on them.

use crate::law::formula::Scope;
use crate::law::presentation::{read_amount_input, read_assumed, read_field};
use crate::law::{Field, InputId, Period, Type};
use crate::say;
use crate::text::{Node, PlacedText, Problem, Report};

/// The word after the name of a field that divides a yearly amount by twelve.
const PER_MONTH: &str = " per month";

/// A part of the sentence that says the result.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["independant"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("independant").ok_or("no such folder")?;
/// use bareme_engine::law::SummaryPart;
///
/// let method = folder.latest().ok_or("no edition")?.method();
/// let fields = method.summary().iter().filter_map(|part| match part {
///     SummaryPart::Amount { field, .. } => method.fields().get(*field),
///     SummaryPart::Words(_) => None,
/// });
/// let names: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
/// assert_eq!(names, ["benefice", "net", "net", "total"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub enum SummaryPart {
    /// Words, in French.
    Words(String),
    /// An amount of the answer.
    Amount {
        /// The field, by index.
        field: usize,
        /// Whether it is the part of a month of a yearly amount.
        is_per_month: bool,
    },
}

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

/// Reads the key `summary`: words, with fields between braces.
pub(crate) fn read_summary(node: &Node, answer: &[Field], report: &mut Report) -> Vec<SummaryPart> {
    let Some(text) = node.text_of("summary") else {
        return Vec::new();
    };

    let mut parts = Vec::new();
    let mut start = 0;
    while let Some(rest) = text.value.get(start..).filter(|rest| !rest.is_empty()) {
        // Words up to the next brace, which may be a closing one that nothing opens.
        let words = rest.find(['{', '}']).unwrap_or(rest.len());
        let (before, from) = rest.split_at(words);
        if !before.is_empty() {
            parts.push(SummaryPart::Words(before.to_owned()));
        }
        if from.is_empty() {
            break;
        }

        // Neither a closing brace first, nor another opening one inside.
        let opened = from.strip_prefix('{');
        let end = opened.and_then(|inside| inside.find(['{', '}']));
        let end = end
            .map(|end| end + 1)
            .filter(|end| from.get(*end..).is_some_and(|rest| rest.starts_with('}')));
        let Some(end) = end else {
            let place = text.part(start + words..start + words + 1);
            report.error(&place, Problem::SummaryBrace {});
            break;
        };
        let inside = PlacedText {
            value: from.get(1..end).unwrap_or_default().to_owned(),
            place: text.part(start + words + 1..start + words + end),
        };
        parts.extend(read_amount(&inside, answer, report));
        start += words + end + 1;
    }
    parts
}

/// An amount between braces: `net`, or `net per month`.
fn read_amount(text: &PlacedText, answer: &[Field], report: &mut Report) -> Option<SummaryPart> {
    let name = text.value.strip_suffix(PER_MONTH);
    let is_per_month = name.is_some();
    let named = PlacedText {
        value: name.unwrap_or(&text.value).to_owned(),
        place: text.place.clone(),
    };

    let index = read_field(&named, answer, report)?;
    let field = answer.get(index)?;
    let is_yearly = matches!(
        field.value_type(),
        Type::Money(Period::Year) | Type::Unknown
    );
    let name = named.value;
    if !field.is_plain_amount() {
        report.error(&text.place, Problem::FieldIsNoAmount { name });
    } else if is_per_month && !is_yearly {
        let problem = Problem::FieldOfOtherType {
            name,
            expected: Type::Money(Period::Year).name(),
            found: field.value_type().name(),
        };
        report.error(&text.place, problem);
    }
    Some(SummaryPart::Amount {
        field: index,
        is_per_month,
    })
}

/// Reads the key `advances`.
pub(crate) fn read_advances(
    node: &Node,
    scope: &Scope,
    answer: &[Field],
    report: &mut Report,
) -> Option<Advances> {
    let node = node.get("advances")?;
    let field = read_number(node, answer, report);
    let what = say!("une avance", "an advance");
    let input = read_amount_input(node, "over", scope, what, report);

    let first = node.get("first").and_then(|first| {
        let field = read_number(first, answer, report);
        let assumed = read_assumed(first, scope, report);
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
