//! Comparison of alternatives by a method: what a page shows of each beside the others, over the
//! amount that drives them. No answer of the API depends on it.

use rust_decimal::Decimal;

use crate::law::formula::Symbols;
use crate::law::input::literal;
use crate::law::page::number_named;
use crate::law::presentation::{read_amount_input, read_field};
use crate::law::{CALCULATE, Field, InputId, StepId, Type};
use crate::say;
use crate::text::{Node, PlacedText, Problem, Report};

/// Alternatives that a method calculates side by side, such as the statuses of a business.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["statuts"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("statuts").ok_or("no such folder")?;
/// let method = folder.latest().ok_or("no edition")?.method();
/// let comparison = method.comparison().ok_or("nothing is compared")?;
/// let words = comparison.alternatives.iter().map(|alternative| alternative.word.as_str());
/// assert_eq!(words.collect::<Vec<_>>(), ["micro", "ei", "eurl", "sasu"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Comparison {
    /// The input that drives all alternatives.
    pub input: InputId,
    /// The amount up to which the input is drawn at least.
    pub until: Option<Decimal>,
    /// What the alternatives are compared by, in French.
    pub label: String,
    /// What the amount is, after its number in a sentence, in French: `de chiffre d’affaires`.
    pub of: String,
    /// What an alternative does more than another, in French: `laisse plus que`.
    pub more: String,
    /// The field with the word of the best alternative, by index: an answer that leaves it out
    /// names none.
    pub best: Option<usize>,
    /// The other columns, each with its heading in French.
    pub columns: Vec<(String, String)>,
    /// The alternatives, in order.
    pub alternatives: Vec<Alternative>,
}

/// An alternative of a [`Comparison`].
#[derive(Debug)]
pub struct Alternative {
    /// The word by which the field of the best one names it.
    pub word: String,
    /// Its label, in French.
    pub label: String,
    /// Its name in a sentence, with its article: `l’EURL`.
    pub name: String,
    /// The field by which it is compared, by index.
    pub field: usize,
    /// The field that says whether it may be chosen, by index.
    pub when: Option<usize>,
    /// For each of the other columns, the fields whose sum it shows.
    pub values: Vec<Vec<usize>>,
    /// The steps that calculate it in other folders.
    pub calculations: Vec<StepId>,
    /// Parameters to add to the query of these calculations in a link.
    pub assumed: Vec<(String, String)>,
}

/// Reads the key `compare`.
pub(crate) fn read_comparison(
    node: &Node,
    symbols: &Symbols,
    answer: &[Field],
    report: &mut Report,
) -> Option<Comparison> {
    let node = node.get("compare")?;
    let what = say!("une comparaison", "a comparison");
    let input = read_amount_input(node, "over", symbols, what, report);

    let best = node
        .text_of("best")
        .and_then(|text| read_typed(text, "text", answer, report));
    let columns: Vec<(String, String)> = node
        .entries_of("columns")
        .iter()
        .filter_map(|(name, label)| Some((name.value.clone(), label.text()?.value.clone())))
        .collect();

    // The columns are known before the alternatives, which name them.
    let mut reader = Reader {
        symbols,
        answer,
        columns: &columns,
        report,
    };
    let alternatives: Vec<Alternative> = node
        .entries_of("alternatives")
        .iter()
        .filter_map(|(word, node)| reader.alternative(word, node))
        .collect();

    Some(Comparison {
        input: input?,
        until: literal(node, "until", Type::Number, report),
        label: node.string_of("label").unwrap_or_default(),
        of: node.string_of("of").unwrap_or_default(),
        more: node.string_of("more").unwrap_or_default(),
        best,
        columns,
        alternatives,
    })
}

/// Reads the alternatives.
struct Reader<'r, 'm> {
    symbols: &'r Symbols,
    answer: &'r [Field],
    columns: &'r [(String, String)],
    report: &'m mut Report,
}

impl Reader<'_, '_> {
    fn alternative(&mut self, word: &PlacedText, node: &Node) -> Option<Alternative> {
        let field = node
            .text_of("field")
            .and_then(|text| self.plain_amount(text));
        let when = node
            .text_of("when")
            .and_then(|text| read_typed(text, "boolean", self.answer, self.report));

        // The parameters that a link adds are checked against the folders that it leads to.
        let values = self.values(node);
        let calculations: Vec<StepId> = node
            .list_of("calculations")
            .iter()
            .filter_map(|name| self.calculation(name))
            .collect();
        let assumed = self.assumed(node, &calculations);

        Some(Alternative {
            word: word.value.clone(),
            label: node.string_of("label").unwrap_or_default(),
            name: node.string_of("name").unwrap_or_default(),
            field: field?,
            when,
            values,
            calculations,
            assumed,
        })
    }

    /// A field that every answer has, as an amount.
    fn plain_amount(&mut self, text: &PlacedText) -> Option<usize> {
        let index = read_field(text, self.answer, self.report)?;
        let field = self.answer.get(index)?;
        if !field.is_plain_amount() {
            let name = text.value.clone();
            self.report
                .error(&text.place, Problem::FieldIsNoAmount { name });
        }
        Some(index)
    }

    /// For each column the fields whose sum it shows.
    fn values(&mut self, node: &Node) -> Vec<Vec<usize>> {
        let mut values = vec![Vec::new(); self.columns.len()];
        for (name, fields) in node.entries_of("values") {
            let position = self
                .columns
                .iter()
                .position(|(column, _)| *column == name.value);
            let Some(place) = position.and_then(|position| values.get_mut(position)) else {
                let known = self.columns.iter().map(|(column, _)| column.as_str());
                let problem = Problem::unknown_compared_column(&name.value, known);
                self.report.error(&name.place, problem);
                continue;
            };

            let named = fields.text().map(PlacedText::list).unwrap_or_default();
            *place = named
                .iter()
                .filter_map(|text| number_named(text, self.answer, self.report))
                .collect();
        }
        values
    }

    /// A step that calculates another folder.
    fn calculation(&mut self, name: &PlacedText) -> Option<StepId> {
        let symbols = self.symbols;
        let found = StepId::find(&symbols.steps, |step| step.name == name.value);
        let Some(step) = found.and_then(|id| id.of(&symbols.steps)) else {
            // A step may be absent from the scale of the day.
            let mut absent = symbols.absent_steps.iter();
            if !absent.any(|step| step.name == name.value) {
                let known = symbols.steps.iter().map(|step| step.name.as_str());
                let problem = Problem::unknown_step(&name.value, known);
                self.report.error(&name.place, problem);
            }
            return None;
        };

        if step.called_folder().is_none() {
            let problem = Problem::StepOfOtherKind {
                name: name.value.clone(),
                expected: CALCULATE.to_owned(),
                found: step.kind.name,
            };
            self.report.error(&name.place, problem);
            return None;
        }
        found
    }

    /// Parameters that a link adds: each is an input of the folder that is calculated, with a value
    /// that it accepts.
    fn assumed(&mut self, node: &Node, calculations: &[StepId]) -> Vec<(String, String)> {
        let folders = calculations
            .iter()
            .filter_map(|id| id.of(&self.symbols.steps)?.called_folder());
        let callees: Vec<_> = folders
            .filter_map(|folder| self.symbols.callees.read(folder))
            .collect();

        // A link leads to the calculation of today: the inputs are those of the latest edition.
        let mut assumed = Vec::new();
        for (name, value) in node.entries_of("assume") {
            let Some(text) = value.text() else { continue };
            let mut known = Vec::new();
            let mut accepted = None;
            for callee in &callees {
                let editions = callee.editions();
                let Some(latest) = editions.last() else {
                    continue;
                };
                let inputs = latest.method.inputs();
                known.extend(inputs.iter().map(|input| input.name.clone()));
                let input = inputs.iter().find(|input| input.name == name.value);
                accepted = accepted.or(input.map(|input| input.parse(&text.value).err()));
            }

            // The first folder that has the input decides: the link leads there.
            match accepted {
                Some(None) => assumed.push((name.value.clone(), text.value.clone())),
                Some(Some(bad)) => {
                    let problem = Problem::AssumedValue {
                        text: text.value.clone(),
                        accepted: bad.expected,
                    };
                    self.report.error(&text.place, problem);
                }
                None => {
                    let known = known.iter().map(String::as_str);
                    let problem = Problem::unknown_input(&name.value, known);
                    self.report.error(&name.place, problem);
                }
            }
        }
        assumed
    }
}

/// The field that a text names, of a type of JSON.
fn read_typed(
    text: &PlacedText,
    expected: &'static str,
    answer: &[Field],
    report: &mut Report,
) -> Option<usize> {
    let index = read_field(text, answer, report)?;
    let field = answer.get(index)?;
    let found = match field.json_type() {
        "string" => "text",
        found => found,
    };
    if found != expected {
        let problem = Problem::FieldOfOtherType {
            name: text.value.clone(),
            expected,
            found,
        };
        report.error(&text.place, problem);
    }
    Some(index)
}
