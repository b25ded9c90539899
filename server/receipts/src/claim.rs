//! Claims: the question, the answer and the law of a calculation, as a receipt attests them.

use std::collections::BTreeMap;

use bareme_engine::Calculation;
use bareme_engine::jiff::Timestamp;
use bareme_engine::jiff::civil::Date;
use bareme_engine::law::parameter::{DATE, KNOWN_ON, OF_THE_DAY, RECEIPT, VERSION};
use bareme_engine::law::{Field, FieldValue};
use bareme_engine::run::YearCalculation;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::canonical::{CanonicalError, canonical, write_text};
use crate::{Hash, digest, encoded};

/// End of the name of a calculation that is a year of pays.
pub const OF_YEAR: &str = "/annee";

/// Version of this program.
pub const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// The claim of a receipt about one calculation.
///
/// The payload of a receipt is one, with the time and the program; each row of a batch has one,
/// with its place and its salt.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The endpoint, with `/annee` for a year of pays.
    pub calcul: String,
    /// The key of a row of a batch, which its answer repeats.
    pub cle: Option<BTreeMap<String, Box<RawValue>>>,
    /// The parameters as they were sent, with the day where none was. A refused row has none.
    pub demande: Option<BTreeMap<String, Texts>>,
    /// The time of issue.
    pub emis: Option<String>,
    /// The value of every input that has one, sent or not.
    pub entrees: Option<BTreeMap<String, Texts>>,
    /// The place of a row in its batch, from 0.
    pub ligne: Option<u64>,
    /// Version of the program.
    pub programme: Option<String>,
    /// Digest of the canonical answer.
    pub reponse: String,
    /// The fields of the answer that have a single value; of a year, the totals.
    pub resultats: Option<BTreeMap<String, Box<RawValue>>>,
    /// Salt of a row: without it, the hash of a row would give away guessed amounts.
    pub sel: Option<String>,
    /// The version of the law.
    pub version: Option<String>,
}

/// The claim of the receipt of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchClaim {
    /// The endpoint, with `/annee` for years of pays.
    pub calcul: String,
    /// The time of issue.
    pub emis: String,
    /// The number of rows.
    pub lignes: u64,
    /// Version of the program.
    pub programme: String,
    /// The root of the tree of the rows.
    pub racine: String,
}

/// A value as a query sends it, or several.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Texts {
    /// One.
    One(String),
    /// Several: a list of a query, or a value for each month.
    Several(Vec<String>),
}

impl Texts {
    /// The values.
    pub fn all(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Several(texts) => texts,
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::One(text) => write_text(text, out),
            Self::Several(texts) => {
                let mut separator = '[';
                for text in texts {
                    out.push(separator);
                    separator = ',';
                    write_text(text, out);
                }
                out.push_str(if texts.is_empty() { "[]" } else { "]" });
            }
        }
    }
}

/// A question, as it was sent.
#[derive(Debug, Clone, Copy)]
pub struct Question<'q, N, V> {
    /// The endpoint, with `/annee` for a year of pays.
    pub calculation: &'q str,
    /// The parameters.
    pub pairs: &'q [(N, V)],
    /// The day of a calculation that names none.
    pub today: Date,
}

/// What a calculation gives to attest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The version of the law.
    pub version: String,
    /// The inputs that have a value.
    pub inputs: BTreeMap<String, Texts>,
    /// The fields of a single value, in canonical JSON.
    pub results: BTreeMap<String, String>,
    /// The names of all its fields.
    pub fields: Vec<String>,
    /// Whether the law has days, and the question does not say which year.
    has_day: bool,
}

/// A field with its value in canonical JSON, if that is a single one.
fn single(field: &Field, value: &FieldValue) -> Option<(String, String)> {
    let FieldValue::Scalar(scalar) = value else {
        return None;
    };
    let text = canonical(&scalar.datum().to_string()).ok()?;
    Some((field.name.clone(), text))
}

impl Facts {
    /// The facts of a calculation.
    pub fn of(calculation: &Calculation) -> Self {
        let fields = calculation.fields();
        let input = |(name, text): (&str, String)| (name.to_owned(), Texts::One(text));
        Self {
            version: calculation.edition().version().to_owned(),
            inputs: calculation.inputs().map(input).collect(),
            results: fields
                .filter_map(|(field, value)| single(field, value))
                .collect(),
            fields: calculation
                .fields()
                .map(|(field, _)| field.name.clone())
                .collect(),
            has_day: calculation.edition().scale().is_some(),
        }
    }

    /// The facts of a year of pays: an input has a value for each month, or one that all have.
    pub fn of_year(year: &YearCalculation) -> Self {
        let months = year.months();
        let mut inputs: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (index, month) in months.iter().enumerate() {
            for (name, text) in month.calculation.inputs() {
                let values = inputs.entry(name.to_owned()).or_default();
                // A month whose law does not have the input keeps an empty place: the n-th value is
                // that of the n-th month.
                values.resize(index, String::new());
                values.push(text);
            }
        }

        let merged = |mut values: Vec<String>| {
            values.resize(months.len(), String::new());
            match values.split_first() {
                Some((first, rest)) if rest.iter().all(|text| text == first) => {
                    Texts::One(first.clone())
                }
                _ => Texts::Several(values),
            }
        };

        let totals = year.totals().iter();
        Self {
            version: year.version().to_owned(),
            inputs: inputs
                .into_iter()
                .map(|(name, values)| (name, merged(values)))
                .collect(),
            results: totals
                .filter_map(|total| single(total.field, &total.value))
                .collect(),
            // All fields of a year are within these two members of its answer.
            fields: ["mois", "total"].map(str::to_owned).into(),
            has_day: false,
        }
    }
}

/// The parameters that are part of a question, by name.
fn asked<N: AsRef<str>, V: AsRef<str>>(
    question: Question<N, V>,
    facts: &Facts,
) -> BTreeMap<String, Texts> {
    let mut asked: BTreeMap<String, Texts> = BTreeMap::new();
    let pairs = question
        .pairs
        .iter()
        .map(|(name, value)| (name.as_ref(), value.as_ref()));
    // The law is in the receipt by its version. An empty value counts as not sent.
    let pairs = pairs
        .filter(|(name, value)| !value.is_empty() && ![VERSION, KNOWN_ON, RECEIPT].contains(name));
    for (name, value) in pairs {
        match asked.get_mut(name) {
            None => {
                asked.insert(name.to_owned(), Texts::One(value.to_owned()));
            }
            Some(Texts::Several(known)) => known.push(value.to_owned()),
            Some(one) => {
                let first = one.all().first().cloned().unwrap_or_default();
                *one = Texts::Several(vec![first, value.to_owned()]);
            }
        }
    }

    // The day is an input that was not sent.
    if facts.has_day && !OF_THE_DAY.iter().any(|name| asked.contains_key(*name)) {
        asked.insert(DATE.to_owned(), Texts::One(question.today.to_string()));
    }
    asked
}

/// A writer of an object whose members come in order.
struct Object<'o> {
    out: &'o mut String,
    separator: char,
}

impl<'o> Object<'o> {
    fn new(out: &'o mut String) -> Self {
        Self {
            out,
            separator: '{',
        }
    }

    /// The output, after the name of a member.
    fn member(&mut self, name: &str) -> &mut String {
        self.out.push(self.separator);
        self.separator = ',';
        write_text(name, self.out);
        self.out.push(':');
        self.out
    }

    fn text(&mut self, name: &str, value: &str) {
        write_text(value, self.member(name));
    }

    fn map<V>(
        &mut self,
        name: &str,
        values: &BTreeMap<String, V>,
        write: impl Fn(&V, &mut String),
    ) {
        // The order of the map is that of bytes; names of parameters and fields are ASCII, where
        // it is that of canonical JSON.
        let mut object = Object::new(self.member(name));
        for (name, value) in values {
            write(value, object.member(name));
        }
        object.end();
    }

    fn end(self) {
        self.out
            .push_str(if self.separator == '{' { "{}" } else { "}" });
    }
}

/// The payload of the receipt of a calculation, whose answer is this JSON.
///
/// # Errors
/// The answer has no canonical form.
pub fn payload<N: AsRef<str>, V: AsRef<str>>(
    question: Question<N, V>,
    facts: &Facts,
    answer: &str,
    issued: Timestamp,
) -> Result<String, CanonicalError> {
    let mut text = String::with_capacity(1024);

    // The members are in the order of their names, as the canonical form has them: nothing sorts
    // them afterwards, and a check refuses any other order.
    let mut object = Object::new(&mut text);
    object.text("calcul", question.calculation);
    object.map("demande", &asked(question, facts), Texts::write);
    object.text("emis", &issued.to_string());
    object.map("entrees", &facts.inputs, Texts::write);
    object.text("programme", PROGRAM);
    object.text("reponse", &digest(&canonical(answer)?));
    object.map("resultats", &facts.results, |json, out| out.push_str(json));
    object.text("version", &facts.version);
    object.end();
    Ok(text)
}

/// A row of a batch.
#[derive(Debug, Clone, Copy)]
pub struct Row<'r> {
    /// Its place, from 0.
    pub index: usize,
    /// Its key: names, and values in JSON.
    pub key: &'r [(&'r str, String)],
    /// Its answer, with the key.
    pub answer: &'r str,
    /// Its salt.
    pub salt: &'r str,
}

/// The claim of a row: with facts, or of a row that is refused.
///
/// # Errors
/// The answer or the key has no canonical form.
pub fn of_row<N: AsRef<str>, V: AsRef<str>>(
    question: Question<N, V>,
    facts: Option<&Facts>,
    row: Row,
) -> Result<String, CanonicalError> {
    let mut text = String::with_capacity(1024);
    let mut object = Object::new(&mut text);
    object.text("calcul", question.calculation);
    if !row.key.is_empty() {
        // The key is JSON of the caller, in any layout and order.
        let key = row.key.iter().map(|(name, json)| (*name, json));
        let json: Vec<String> = key
            .map(|(name, json)| {
                let mut member = String::new();
                write_text(name, &mut member);
                member + ":" + json
            })
            .collect();
        let key = canonical(&format!("{{{}}}", json.join(",")))?;
        object.member("cle").push_str(&key);
    }

    // Nothing was computed for a refused row: its answer alone is attested.
    if let Some(facts) = facts {
        object.map("demande", &asked(question, facts), Texts::write);
        object.map("entrees", &facts.inputs, Texts::write);
    }

    object.member("ligne").push_str(&row.index.to_string());
    object.text("reponse", &digest(&canonical(row.answer)?));
    if let Some(facts) = facts {
        object.map("resultats", &facts.results, |json, out| out.push_str(json));
    }
    object.text("sel", row.salt);
    if let Some(facts) = facts {
        object.text("version", &facts.version);
    }
    object.end();
    Ok(text)
}

/// The path of a row as JSON.
pub fn path_json(path: &[Hash]) -> String {
    let steps: Vec<String> = path
        .iter()
        .map(|step| format!("\"{}\"", encoded(step)))
        .collect();
    format!("[{}]", steps.join(","))
}

/// The payload of the receipt of a batch.
pub fn of_batch(calculation: &str, root: &Hash, rows: usize, issued: Timestamp) -> String {
    let mut text = String::with_capacity(256);
    let mut object = Object::new(&mut text);
    object.text("calcul", calculation);
    object.text("emis", &issued.to_string());
    object.member("lignes").push_str(&rows.to_string());
    object.text("programme", PROGRAM);
    object.text("racine", &encoded(root));
    object.end();
    text
}
