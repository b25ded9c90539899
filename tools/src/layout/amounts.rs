//! Spaces between the thousands of amounts in a rule file: figures that the method declares as
//! amounts, and bounds of inputs.

use std::collections::HashSet;

use bareme_engine::authoring::{Content, Node};
use bareme_engine::law::BoundWord;
use bareme_engine::text::PlacedText;

use crate::edit::Edit;

/// The columns of figures that are amounts, as (figure, column); the bound of rows is the column
/// `bound`.
#[derive(Debug, Default)]
pub(crate) struct Amounts(HashSet<(String, String)>);

/// Keys of an input or a column of a method whose values are amounts if its type is.
const LIMITS: &[&str] = &["min", "max", "default", "step"];
const BOUND: &str = "bound";

impl Amounts {
    /// The columns that methods declare as amounts.
    pub(crate) fn of_methods<'n>(methods: impl IntoIterator<Item = &'n Node>) -> Self {
        let mut found = HashSet::new();
        for figures in methods
            .into_iter()
            .flat_map(|method| sections(method, "figures"))
        {
            for (name, shape) in figures.entries() {
                // Columns are identified by figure and name: `value` is an amount in one figure and
                // a rate in another.
                let columns = shape.entries().iter().filter(|(_, ty)| is_money(ty));
                found.extend(columns.map(|(column, _)| (name.value.clone(), column.value.clone())));
            }
        }

        Self(found)
    }

    /// The edits that add the spaces in the amounts of a file.
    pub(super) fn spaced(&self, root: &Node) -> Vec<Edit> {
        let mut texts = Vec::new();
        for (name, figure) in root.get("figures").map(Node::entries).unwrap_or_default() {
            // A figure is a record, or a table whose rows have the same columns.
            let rows = figure.get("rows").map(Node::items).unwrap_or_default();
            for (key, value) in [figure].into_iter().chain(rows).flat_map(Node::entries) {
                // The bound of a bracket has one of several keys, `above` or `up_to`, for one
                // declared column.
                let is_bound = BoundWord::from_word(&key.value).is_some() && !rows.is_empty();
                let column = if is_bound { BOUND } else { key.value.as_str() };
                if self.0.contains(&(name.value.clone(), column.to_owned())) {
                    texts.extend(value.text());
                }
            }
        }

        // In a method, the limits and the default of what is declared as an amount.
        let declared = sections(root, "inputs").chain(
            sections(root, "figures")
                .flat_map(|section| section.entries().iter().map(|(_, shape)| shape)),
        );
        let limited = declared
            .flat_map(Node::entries)
            .filter(|(_, form)| is_money(form));

        for (key, value) in limited.flat_map(|(_, form)| form.entries()) {
            if LIMITS.contains(&key.value.as_str()) {
                texts.extend(value.text());
            }
        }
        texts.into_iter().filter_map(spaced).collect()
    }
}

/// A section of a method, and the sections of its options with the same name.
pub(crate) fn sections<'n>(method: &'n Node, name: &'n str) -> impl Iterator<Item = &'n Node> {
    let options = method.get("options").map(Node::entries).unwrap_or_default();

    // An option of a method declares its own figures and inputs, in sections of the same names.
    [method]
        .into_iter()
        .chain(options.iter().map(|(_, option)| option))
        .filter_map(move |part| part.get(name))
}

/// Whether a column or an input is declared as an amount: `money/month`, `optional money`,
/// `{type: money, …}`.
fn is_money(form: &Node) -> bool {
    // The short form `ceiling: money`, or the long one with a label.
    let written = match &form.content {
        Content::Text(text) => Some(text),
        _ => form.get("type").and_then(Node::text),
    };

    written.is_some_and(|text| {
        text.value
            .trim_start_matches("optional ")
            .starts_with("money")
    })
}

/// The edit that adds spaces between the thousands of a number without any.
fn spaced(text: &PlacedText) -> Option<Edit> {
    // A number in braces, in quotes or with an exponent stays: the edit replaces the text as it is
    // read, so it must be the text as it is written.
    let unsigned = text.value.strip_prefix('-').unwrap_or(&text.value);
    let (whole, decimals) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let is_digits =
        |part: &str| !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit());

    let span = text.place.span();
    let is_plain = text.place.file().text().get(span.clone()) == Some(text.value.as_str());
    // Years and codes of four digits are no amounts, but the type has excluded them; a leading zero
    // would be one.
    if whole.len() < 4
        || !is_digits(whole)
        || !is_digits(decimals)
        || whole.starts_with('0')
        || !is_plain
    {
        return None;
    }

    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && whole.len().saturating_sub(index).is_multiple_of(3) {
            grouped.push(' ');
        }
        grouped.push(digit);
    }

    Some(Edit::replace(span, text.value.replacen(whole, &grouped, 1)))
}
