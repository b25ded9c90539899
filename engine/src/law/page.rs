//! The page of a method: the sections of its questions, its usual situations, the sentence of its
//! answer, the bar of where an amount went, and changes of a question that are tried. No answer of
//! the API depends on it.

use rust_decimal::Decimal;

use crate::law::formula::Symbols;
use crate::law::input::literal;
use crate::law::presentation::{PERCENT, read_field, read_parameters};
use crate::law::{Field, InputId, Period, Type};
use crate::text::{Node, Piece, PlacedText, Problem, Report};

/// The words after the name of a field that divide a yearly amount by twelve.
const PER_MONTH: &str = " per month";

/// A section of the questions of a form.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases();
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("foyer").ok_or("no such folder")?;
/// let method = folder.latest().ok_or("no edition")?.method();
/// let first = method.sections().first().ok_or("no section")?;
/// assert!(first.is_open);
/// let asked = first.inputs[0].of(method.inputs()).ok_or("no input")?;
/// assert_eq!(asked.name, "situation");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Section {
    /// Its title, in French.
    pub label: String,
    /// The inputs that it asks for, in order.
    pub inputs: Vec<InputId>,
    /// Whether it is shown unfolded.
    pub is_open: bool,
}

/// A usual situation, which a button of the page gives.
///
/// [`Method::presets`](crate::law::Method::presets) has all of them, in order.
#[derive(Debug)]
pub struct Preset {
    /// Its label, in French.
    pub label: String,
    /// The parameters that it sends.
    pub sent: Vec<(String, String)>,
}

/// A part of the sentence of an answer, by the sign of a field.
///
/// [`Method::sentence`](crate::law::Method::sentence) has all of them, in order.
#[derive(Debug)]
pub struct SentencePart {
    /// The field whose sign chooses, by index.
    pub field: usize,
    /// The text where the field is above zero.
    pub positive: Option<FieldText>,
    /// The text where the field is zero.
    pub zero: Option<FieldText>,
    /// The text where the field is below zero.
    pub negative: Option<FieldText>,
}

/// A text with fields of the answer between braces: `{impot_net} d’impôt`, `{net per month} par
/// mois`.
///
/// A [`SentencePart`] has one by sign.
#[derive(Debug)]
pub struct FieldText(pub Vec<TextPart>);

/// A part of a [`FieldText`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextPart {
    /// Words, as they are.
    Words(String),
    /// A field of the answer, by index.
    Field(usize),
    /// The part of a month of a yearly amount of the answer, by index.
    PerMonth(usize),
}

/// The bar of where an amount went.
///
/// [`Method::bar`](crate::law::Method::bar) has it.
#[derive(Debug)]
pub struct Bar {
    /// The whole amount, a field by index.
    pub whole: usize,
    /// The label of the remainder, in French.
    pub rest: String,
    /// The fields deducted from the whole amount, by index, in order.
    pub parts: Vec<usize>,
}

/// A change of a question that is tried: its answer is compared with the answer to the question.
///
/// [`Method::trials`](crate::law::Method::trials) has all of them, in order.
#[derive(Debug)]
pub struct Trial {
    /// The label of the change, in French.
    pub label: String,
    /// The input that it is added to.
    pub input: InputId,
    /// How much more.
    pub more: Decimal,
    /// Whether its effect is always shown, as a share of what is added.
    pub is_percent: bool,
}

/// Reads the key `sections`: each input is in one section at most.
pub(crate) fn read_sections(node: &Node, symbols: &Symbols, report: &mut Report) -> Vec<Section> {
    let mut asked: Vec<InputId> = Vec::new();
    let mut sections = Vec::new();

    for entry in node.items_of("sections") {
        let mut inputs = Vec::new();
        for name in entry.list_of("ask") {
            // A name that is wrong is reported, and the others of the section are kept.
            let Some(input) = symbols.named_input(&name, report) else {
                continue;
            };
            if asked.contains(&input) {
                report.error(&name.place, Problem::AskedTwice { name: name.value });
                continue;
            }
            asked.push(input);
            inputs.push(input);
        }

        sections.push(Section {
            label: entry.string_of("label").unwrap_or_default(),
            inputs,
            is_open: entry.string_of("open").as_deref() == Some("true"),
        });
    }
    sections
}

/// Reads the key `presets`.
pub(crate) fn read_presets(node: &Node, symbols: &Symbols, report: &mut Report) -> Vec<Preset> {
    let entries = node.items_of("presets").iter();
    let presets = entries.map(|entry| Preset {
        label: entry.string_of("label").unwrap_or_default(),
        sent: read_parameters(entry, "send", symbols, report),
    });
    presets.collect()
}

/// Reads the key `sentence`.
pub(crate) fn read_sentence(
    node: &Node,
    answer: &[Field],
    report: &mut Report,
) -> Vec<SentencePart> {
    let entries = node.items_of("sentence").iter();
    let parts = entries.filter_map(|entry| {
        let mut text = |key| Some(read_text(entry.text_of(key)?, answer, report));
        let (positive, zero, negative) = (text("positive"), text("zero"), text("negative"));
        Some(SentencePart {
            field: read_number(entry, "field", answer, report)?,
            positive,
            zero,
            negative,
        })
    });
    parts.collect()
}

/// Reads a text with fields between braces.
fn read_text(text: &PlacedText, answer: &[Field], report: &mut Report) -> FieldText {
    let (pieces, alone) = text.pieces();
    if let Some(place) = alone {
        report.error(&place, Problem::BraceOfSentence {});
    }

    let parts = pieces.into_iter().filter_map(|piece| match piece {
        Piece::Words(words) => Some(TextPart::Words(words)),
        Piece::Between(inside) => read_part(inside, answer, report),
    });
    FieldText(parts.collect())
}

/// Reads what is between braces: `net`, or `net per month`.
fn read_part(inside: PlacedText, answer: &[Field], report: &mut Report) -> Option<TextPart> {
    let Some(name) = inside.value.strip_suffix(PER_MONTH) else {
        return Some(TextPart::Field(read_field(&inside, answer, report)?));
    };
    let named = PlacedText {
        place: inside.part(0..name.len()),
        value: name.to_owned(),
    };
    let index = read_field(&named, answer, report)?;

    let found = answer.get(index)?.value_type();
    if !matches!(found, Type::Money(Period::Year) | Type::Unknown) {
        let problem = Problem::FieldOfOtherType {
            name: named.value,
            expected: Type::Money(Period::Year).name(),
            found: found.name(),
        };
        report.error(&named.place, problem);
    }
    Some(TextPart::PerMonth(index))
}

/// Reads the key `bar`.
pub(crate) fn read_bar(node: &Node, answer: &[Field], report: &mut Report) -> Option<Bar> {
    let node = node.get("bar")?;
    let fields = node.list_of("fields");
    let parts = fields
        .iter()
        .filter_map(|name| number_named(name, answer, report))
        .collect();

    Some(Bar {
        whole: read_number(node, "whole", answer, report)?,
        rest: node.string_of("rest").unwrap_or_default(),
        parts,
    })
}

/// Reads the key `try`.
pub(crate) fn read_trials(node: &Node, symbols: &Symbols, report: &mut Report) -> Vec<Trial> {
    let entries = node.items_of("try").iter();
    let trials = entries.filter_map(|entry| {
        let name = entry.text_of("input")?;
        let input = symbols.named_input(name, report)?;
        let model = input.of(&symbols.inputs)?;

        let is_number = matches!(model.ty, Type::Money(_) | Type::Number | Type::Unknown);
        if !is_number || model.group.is_some() {
            report.error(
                &name.place,
                Problem::NothingToAdd {
                    name: name.value.clone(),
                },
            );
        }

        Some(Trial {
            label: entry.string_of("label").unwrap_or_default(),
            input,
            more: literal(entry, "more", Type::Number, report)?,
            is_percent: entry.string_of("as").is_some_and(|form| form == PERCENT),
        })
    });
    trials.collect()
}

/// The numeric field that a key names.
fn read_number(node: &Node, key: &str, answer: &[Field], report: &mut Report) -> Option<usize> {
    number_named(node.text_of(key)?, answer, report)
}

/// The numeric field of a name.
pub(crate) fn number_named(
    name: &PlacedText,
    answer: &[Field],
    report: &mut Report,
) -> Option<usize> {
    let found = read_field(name, answer, report)?;
    let is_number = |field: &Field| field.json_type() == "number";
    if !answer.get(found).is_some_and(is_number) {
        let problem = Problem::FieldIsNoNumber {
            name: name.value.clone(),
        };
        report.error(&name.place, problem);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{GROSS, errors, folder};

    const KEYS: &str = "figures:
  f: {v: rate}
steps:
  taxe: {formula: brut * f.v}
answer:
  brut: brut
  taxe: taxe
  mot: {text: mot}
  an: {value: annual(brut), label: An}
";
    const FIGURES: &str = "  f: {v: 10%, source: s}";

    fn with(keys: &str) -> String {
        format!("{GROSS}{KEYS}{keys}")
    }

    #[test]
    fn what_a_page_shows_is_read_and_checked() {
        for (keys, expected) in [
            ("sections: [{label: Paie, ask: brut, open: true}]", &[][..]),
            ("sections: [{label: Paie, ask: brut; brut}]", &["I21"]),
            ("sections: [{label: Paie, ask: brute}]", &["I06"]),
            (
                "sentence: [{field: taxe, positive: \"Vous payez {taxe}.\"}]",
                &[],
            ),
            ("sentence: [{field: mot, positive: Oui}]", &["A15"]),
            ("sentence: [{field: taxe, zero: \"{taxes}\"}]", &["A06"]),
            ("sentence: [{field: taxe, zero: \"{taxe\"}]", &["A16"]),
            (
                "sentence: [{field: taxe, zero: \"taxe} {taxes}\"}]",
                &["A16", "A06"],
            ),
            ("sentence: [{field: an, zero: \"{an per month}\"}]", &[]),
            (
                "sentence: [{field: an, zero: \"{brut per month} {ans per month}\"}]",
                &["A18", "A06"],
            ),
            ("bar: {whole: brut, rest: Reste, fields: taxe}", &[]),
            (
                "bar: {whole: brut, rest: Reste, fields: taxe; mot}",
                &["A15"],
            ),
            ("presets: [{label: Cadre, send: {cadre: true}}]", &[]),
            ("presets: [{label: Cadre, send: {cadres: true}}]", &["I06"]),
            ("presets: [{label: Cadre, send: {cadre: 3}}]", &["A12"]),
            ("try: [{label: Plus, input: brut, more: 100}]", &[]),
            ("try: [{label: Plus, input: cadre, more: 1}]", &["I22"]),
        ] {
            assert_eq!(errors(&with(keys), FIGURES), expected, "{keys}");
        }
    }

    #[test]
    fn a_text_has_its_fields_between_its_words() {
        let folder = folder(
            &with(
                "sentence: [{field: taxe, negative: \"{taxe} sur {brut}, soit {an per month}.\"}]",
            ),
            FIGURES,
        );
        let method = folder.latest().unwrap().method();
        let [part] = method.sentence() else {
            panic!("one part");
        };
        let words = |words: &str| TextPart::Words(words.to_owned());
        assert_eq!(
            part.negative.as_ref().unwrap().0,
            [
                TextPart::Field(1),
                words(" sur "),
                TextPart::Field(0),
                words(", soit "),
                TextPart::PerMonth(3),
                words("."),
            ]
        );
        assert!(part.positive.is_none() && part.zero.is_none());
    }
}
