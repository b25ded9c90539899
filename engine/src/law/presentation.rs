//! Presentation of a method: its headline fields and the curves drawn of them. No answer of the API depends on it.

use rust_decimal::Decimal;

use crate::law::formula::Scope;
use crate::law::input::literal;
use crate::law::{Field, InputId, StepId, Type};
use crate::text::{Node, Problem, Report};

/// The value of `as` for a fraction that is shown in percent.
pub(crate) const PERCENT: &str = "percent";

/// A headline field, shown above the others.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["tva"]).load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// let method = folder.latest().ok_or("no edition")?.method();
/// let first = method.headlines().first().and_then(|headline| method.fields().get(headline.field));
/// assert_eq!(first.map(|field| field.name.as_str()), Some("tva"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Headline {
    /// The field, by index.
    pub field: usize,
    /// Its label as a headline, where it differs from that of the field.
    pub label: Option<String>,
    /// Whether it is a fraction that is shown in percent, as a rate is.
    pub is_percent: bool,
    /// Parameters to send where the query leaves them out, to get an answer that has the field.
    pub assumed: Vec<(String, String)>,
    /// The step that gives the number of months that the amount covers.
    pub months: Option<StepId>,
}

/// A curve of a field over an amount.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["ir"]).load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("ir").ok_or("no such folder")?;
/// let method = folder.latest().ok_or("no edition")?.method();
/// let curve = method.curve().ok_or("no curve")?;
/// assert_eq!(curve.input.of(method.inputs()).map(|input| input.name.as_str()), Some("revenu"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FieldCurve {
    /// The input on the horizontal axis.
    pub input: InputId,
    /// The field, by index.
    pub field: usize,
    /// An increase of the input whose effect on the field is described.
    pub more: Option<Decimal>,
}

/// Reads the entries of the key `headline`, which may be fields of options.
pub(crate) fn read_headlines(node: &Node, scope: &Scope, answer: &[Field], report: &mut Report) -> Vec<Headline> {
    let entries = node.items_of("headline");
    entries.iter().filter_map(|entry| read_headline(entry, scope, answer, report)).collect()
}

fn read_headline(node: &Node, scope: &Scope, answer: &[Field], report: &mut Report) -> Option<Headline> {
    let field = read_field(node, answer, report);
    let mut assumed = Vec::new();
    for (name, value) in node.entries_of("assume") {
        let found = scope.named_input(name, report).and_then(|input| input.of(&scope.inputs));
        let Some(input) = found else { continue };
        let Some(text) = value.text() else { continue };
        if let Err(bad) = input.parse(&text.value) {
            report.error(&text.place, Problem::AssumedValue { text: text.value.clone(), accepted: bad.expected });
        }
        assumed.push((name.value.clone(), text.value.clone()));
    }
    let months = node.text_of("months").and_then(|name| {
        let found = StepId::find(&scope.steps, |step| step.name == name.value);
        // A step may be absent from the scale of the day.
        if found.is_none() && !scope.absent_steps.iter().any(|step| step.name == name.value) {
            let known = scope.steps.iter().map(|step| step.name.as_str());
            report.error(&name.place, Problem::unknown_step(&name.value, known));
        }
        found
    });
    let is_percent = node.string_of("as").is_some_and(|form| form == PERCENT);
    Some(Headline { field: field?, label: node.string_of("label"), is_percent, assumed, months })
}

/// Reads the key `curve`.
pub(crate) fn read_curve(node: &Node, scope: &Scope, answer: &[Field], report: &mut Report) -> Option<FieldCurve> {
    let node = node.get("curve")?;
    let name = node.text_of("input")?;
    let input = scope.named_input(name, report);
    let model = input.and_then(|input| input.of(&scope.inputs));
    if let Some(model) = model.filter(|model| !matches!(model.ty, Type::Money(_) | Type::Unknown)) {
        report.error(&name.place, Problem::NotAnAmount { found: model.ty.name() });
    }
    let field = read_field(node, answer, report)?;
    if let Some(text) = node.text_of("field")
        && answer.get(field).is_some_and(|field| !field.is_plain_amount())
    {
        report.error(&text.place, Problem::FieldIsNoAmount { name: text.value.clone() });
    }
    Some(FieldCurve { input: input?, field, more: literal(node, "more", Type::Number, report) })
}

/// The field that an entry names.
fn read_field(node: &Node, answer: &[Field], report: &mut Report) -> Option<usize> {
    let name = node.text_of("field")?;
    let found = answer.iter().position(|known| known.name == name.value);
    if found.is_none() {
        let known = answer.iter().map(|known| known.name.as_str());
        report.error(&name.place, Problem::unknown_field(&name.value, known));
    }
    found
}
