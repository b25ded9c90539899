//! Questions that people type, such as “SMIC net”, each with what its endpoint is asked and what
//! its answer is written with.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::run::Folder;
use crate::run::rules::family;
use crate::set::schema::forms::{closed, properties, text};
use crate::text::{Node, Piece, Place, PlacedText, Problem, Report};

use super::{Endpoint, Service};

/// A question that people type: a page answers it from the rules in force.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases()
/// #     .load_service(root).rules.ok_or("errors")?;
/// let mut endpoints = rules.service().endpoints.iter();
/// let pay = endpoints.find(|endpoint| endpoint.name == "salaire").ok_or("not served")?;
/// let mut questions = pay.questions.iter();
/// let minimum = questions.find(|question| question.name == "smic-net").ok_or("not asked")?;
/// assert_eq!((minimum.found[0].as_str(), minimum.answer.as_str()), ("brut", "net"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Question {
    /// Last part of the path of its page.
    pub name: String,
    /// The question, part by part, without a field.
    pub title: Vec<QuestionPart>,
    /// The word of its folder, where the endpoint is a family.
    pub word: Option<String>,
    /// The choice each of whose words is a question of its own: the folders of a family, or an
    /// input of the folder.
    pub each: Option<String>,
    /// The parameters that are sent.
    pub given: Vec<(String, String)>,
    /// Inputs that are sent with the value that another endpoint computes.
    pub found: Vec<String>,
    /// The field that answers it.
    pub answer: String,
    /// The answer as a text, part by part.
    pub text: Vec<QuestionPart>,
    place: Place,
    /// The braces of the title and of the text that have no other one.
    stray_braces: Vec<Place>,
}

/// A part of the title of a [`Question`] or of the text that answers it, between braces in the file
/// but for words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionPart {
    /// Words, as they are.
    Words(String),
    /// The year of the law that answers.
    Year,
    /// The label of the word of [`Question::each`].
    Each,
    /// A field of the answer, by name.
    Field(String),
}

/// Schema of the questions that people type.
pub(super) fn schema() -> Value {
    let given = json!({
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {"type": ["string", "number", "boolean"]},
        "description": "what is asked: a map from the parameters of a call to their values",
    });
    let entry = closed(
        properties([
            (
                "title",
                text(
                    "the question, in French; `{annee}` is the year of the law that answers, \
                        and the name of `each` between braces the label of its word",
                ),
            ),
            ("word", text("the folder of a family, by its word")),
            (
                "each",
                text(
                    "what makes a question for each of its words: the parameter by which a folder \
                        of the family is chosen, or an input of the folder that is a choice",
                ),
            ),
            ("given", given),
            (
                "found",
                text("inputs that take the value of their `found_by`, separated by `;`"),
            ),
            ("answer", text("the field that answers the question")),
            (
                "text",
                text("the answer in French, with fields of the answer between braces"),
            ),
        ]),
        &["title", "answer", "text"],
    );
    json!({
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"},
        "additionalProperties": entry,
        "description": "questions that people type, each with a page of the site: \
            a map from the last part of its path to it",
    })
}

impl Question {
    /// The placeholder of the year of the law, in a title and in a text.
    pub const YEAR: &'static str = "annee";

    /// Those of an endpoint.
    pub(super) fn read_all(endpoint: &Node) -> Vec<Self> {
        let entries = endpoint.entries_of("questions").iter();
        entries.map(Self::read).collect()
    }

    fn read((name, node): &(PlacedText, Node)) -> Self {
        let given = node.entries_of("given").iter();
        let given = given
            .filter_map(|(input, value)| Some((input.value.clone(), value.text()?.value.clone())));
        let found = node.list_of("found").into_iter();
        let each = node.string_of("each");
        let mut stray_braces = Vec::new();
        let mut parts = |key: &str| -> Vec<QuestionPart> {
            let pieces = node.text_of(key).map(PlacedText::pieces);
            let (pieces, stray_brace) = pieces.unwrap_or_default();
            stray_braces.extend(stray_brace);
            let part = |piece| QuestionPart::of(piece, each.as_deref());
            pieces.into_iter().map(part).collect()
        };
        let (title, text) = (parts("title"), parts("text"));

        Self {
            name: name.value.clone(),
            title,
            word: node.string_of("word"),
            each,
            given: given.collect(),
            found: found.map(|input| input.value).collect(),
            answer: node.string_of("answer").unwrap_or_default(),
            text,
            place: name.place.clone(),
            stray_braces,
        }
    }

    /// The folders that answer it.
    fn folders<'f>(
        &self,
        endpoint: &Endpoint,
        folders: &'f BTreeMap<String, Arc<Folder>>,
    ) -> Vec<&'f Folder> {
        if endpoint.by.is_none() {
            return folders
                .get(&endpoint.folder)
                .map(Arc::as_ref)
                .into_iter()
                .collect();
        }
        let is_asked = |word: &str| self.word.as_deref().is_none_or(|own| own == word);
        let all = family(folders, &endpoint.folder);
        let asked = all.filter(|(word, _)| is_asked(word));
        asked.map(|(_, folder)| folder).collect()
    }
}

impl QuestionPart {
    fn of(piece: Piece, each: Option<&str>) -> Self {
        match piece {
            Piece::Words(words) => Self::Words(words),
            Piece::Between(inside) if inside.value == Question::YEAR => Self::Year,
            Piece::Between(inside) if Some(inside.value.as_str()) == each => Self::Each,
            Piece::Between(inside) => Self::Field(inside.value),
        }
    }

    /// The field that it shows.
    fn field(&self) -> Option<&str> {
        match self {
            Self::Field(name) => Some(name),
            Self::Words(_) | Self::Year | Self::Each => None,
        }
    }
}

/// Checks that the title and the text of each question have their braces by twos, and that its
/// folders have the parameters and the fields that it names.
pub(super) fn check_questions(
    service: &Service,
    folders: &BTreeMap<String, Arc<Folder>>,
    report: &mut Report,
) {
    for endpoint in &service.endpoints {
        for question in &endpoint.questions {
            for place in &question.stray_braces {
                report.error(place, Problem::BraceOfSentence {});
            }
            // A list of questions calculates nothing: their titles have no amount.
            for name in question.title.iter().filter_map(QuestionPart::field) {
                let name = name.to_owned();
                report.error(&question.place, Problem::FieldInTitle { name });
            }

            // A folder with errors is absent, which is reported with them.
            let mut lacking = Lacking::default();
            for folder in question.folders(endpoint, folders) {
                lacking.add(question, endpoint, folder);
            }
            for name in lacking.inputs {
                let endpoint = endpoint.name.clone();
                let problem = Problem::EndpointWithoutInput { endpoint, name };
                report.error(&question.place, problem);
            }
            for name in lacking.fields {
                let endpoint = endpoint.name.clone();
                let problem = Problem::EndpointWithoutField { endpoint, name };
                report.error(&question.place, problem);
            }
        }
    }
}

/// The names of a question that one of its folders lacks.
#[derive(Debug, Default)]
struct Lacking {
    inputs: BTreeSet<String>,
    fields: BTreeSet<String>,
}

impl Lacking {
    /// Adds what a folder lacks.
    fn add(&mut self, question: &Question, endpoint: &Endpoint, folder: &Folder) {
        let inputs = folder.inputs();
        let targets = folder.inverses();
        // An input, or the parameter of an inverse, which is sent in place of one.
        let takes = |name: &str| {
            let mut targets = targets.iter();
            inputs.iter().any(|input| input.name == name)
                || targets.any(|inverse| inverse.parameter.name == name)
        };
        let is_found = |name: &str| {
            let mut found_by = endpoint.found_by.iter();
            found_by.any(|found| found.input == name)
        };
        let is_choice = |name: &str| {
            let mut inputs = inputs.iter();
            let has_words = inputs.any(|input| input.name == name && !input.values.is_empty());
            has_words || endpoint.by.as_deref() == Some(name)
        };

        let given = question.given.iter().map(|(name, _)| name);
        let unknown = given.filter(|name| !takes(name));
        let never_found = question.found.iter().filter(|name| !is_found(name));
        let no_choice = question.each.iter().filter(|name| !is_choice(name));
        let lacking = unknown.chain(never_found).chain(no_choice);
        self.inputs.extend(lacking.cloned());

        let fields = folder.fields();
        let is_known = |name: &str| fields.iter().any(|field| field.name == name);
        let named = question.text.iter().filter_map(QuestionPart::field);
        let named = named.chain([question.answer.as_str()]);
        let unknown = named.filter(|name| !is_known(name));
        self.fields.extend(unknown.map(str::to_owned));
    }
}
