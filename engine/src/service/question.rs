//! Questions that people type, such as “SMIC net”, each with what its endpoint is asked and what
//! its answer is written with.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::run::Folder;
use crate::run::rules::family;
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
    /// The question, in French; [`Question::YEAR`] is replaced by the year of the day.
    pub title: String,
    /// The word of its folder, where the endpoint is a family.
    pub word: Option<String>,
    /// The parameters that are sent.
    pub given: Vec<(String, String)>,
    /// Inputs that are sent with the value that another endpoint computes.
    pub found: Vec<String>,
    /// The field that answers it.
    pub answer: String,
    /// The answer as a text in French, part by part.
    pub text: Vec<AnswerPart>,
    place: Place,
    /// The first brace of the text that has no other one.
    stray_brace: Option<Place>,
}

/// A part of the text that answers a [`Question`], between braces in the file but for words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerPart {
    /// Words, as they are.
    Words(String),
    /// The year of the day.
    Year,
    /// A field of the answer, by name.
    Field(String),
}

impl Question {
    /// The placeholder of the year of the day, in a title and in a text.
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
        let text = node.text_of("text").map(PlacedText::pieces);
        let (pieces, stray_brace) = text.unwrap_or_default();

        Self {
            name: name.value.clone(),
            title: node.string_of("title").unwrap_or_default(),
            word: node.string_of("word"),
            given: given.collect(),
            found: found.map(|input| input.value).collect(),
            answer: node.string_of("answer").unwrap_or_default(),
            text: pieces.into_iter().map(AnswerPart::of).collect(),
            place: name.place.clone(),
            stray_brace,
        }
    }

    /// The fields that its text shows.
    fn fields_of_text(&self) -> impl Iterator<Item = &str> {
        self.text.iter().filter_map(|part| match part {
            AnswerPart::Field(name) => Some(name.as_str()),
            AnswerPart::Words(_) | AnswerPart::Year => None,
        })
    }

    /// The folder that answers it.
    fn folder<'f>(
        &self,
        endpoint: &Endpoint,
        folders: &'f BTreeMap<String, Arc<Folder>>,
    ) -> Option<&'f Folder> {
        if endpoint.by.is_none() {
            return folders.get(&endpoint.folder).map(Arc::as_ref);
        }
        let mut all = family(folders, &endpoint.folder);
        all.find(|(word, _)| Some(*word) == self.word.as_deref())
            .map(|(_, folder)| folder)
    }
}

impl AnswerPart {
    fn of(piece: Piece) -> Self {
        match piece {
            Piece::Words(words) => Self::Words(words),
            Piece::Between(inside) if inside.value == Question::YEAR => Self::Year,
            Piece::Between(inside) => Self::Field(inside.value),
        }
    }
}

/// Checks that the text of each question has its braces by twos, and that its folder has the
/// parameters and the fields that it names.
pub(super) fn check_questions(
    service: &Service,
    folders: &BTreeMap<String, Arc<Folder>>,
    report: &mut Report,
) {
    for endpoint in &service.endpoints {
        for question in &endpoint.questions {
            if let Some(place) = &question.stray_brace {
                report.error(place, Problem::BraceOfSentence {});
            }
            // A folder with errors is absent, which is reported with them.
            let Some(folder) = question.folder(endpoint, folders) else {
                continue;
            };

            let inputs = folder.inputs().into_iter().map(|input| &input.name);
            let targets = folder.inverses().into_iter();
            let targets = targets.map(|inverse| &inverse.parameter.name);
            let parameters: Vec<&String> = inputs.chain(targets).collect();
            let is_found = |input: &String| {
                let mut found_by = endpoint.found_by.iter();
                found_by.any(|found| found.input == *input)
            };
            let given = question.given.iter().map(|(name, _)| name);
            let unknown = given.filter(|name| !parameters.contains(name));
            let never_found = question.found.iter().filter(|input| !is_found(input));
            for name in unknown.chain(never_found) {
                let (endpoint, name) = (endpoint.name.clone(), name.clone());
                report.error(
                    &question.place,
                    Problem::EndpointWithoutInput { endpoint, name },
                );
            }

            let known: Vec<&String> = folder.fields().iter().map(|field| &field.name).collect();
            let named = [question.answer.as_str()].into_iter();
            for name in named.chain(question.fields_of_text()) {
                if !known.iter().any(|known| *known == name) {
                    let (endpoint, name) = (endpoint.name.clone(), name.to_owned());
                    report.error(
                        &question.place,
                        Problem::EndpointWithoutField { endpoint, name },
                    );
                }
            }
        }
    }
}
