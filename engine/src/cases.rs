//! Worked cases: what a calculation must give, run whenever the rules are read.

use std::sync::Arc;

use jiff::civil::Date;

use crate::diagnostic::{Place, Report, SourceFile};
use crate::folder::{Extras, Folder};
use crate::json::Json;
use crate::number::{number_text, parse_amount};
use crate::problem::Problem;
use crate::scale::parse_date;
use crate::yaml::{Content, Node, Text};

/// A worked case.
#[derive(Debug, Clone)]
pub struct Case {
    /// What it shows, in French.
    pub name: String,
    /// What is sent: the date and the inputs.
    pub query: Vec<(String, String)>,
    /// Fields and their exact values.
    pub expect: Vec<(Text, Expected)>,
    /// Fields that must not be there.
    pub absent: Vec<Text>,
    /// The parameter that is refused.
    pub refuse: Option<Text>,
    /// Part of a warning.
    pub warns: Option<Text>,
    /// Where it stands.
    pub place: Place,
}

/// The expected value of a field.
#[derive(Debug, Clone)]
pub enum Expected {
    /// `null`
    Nothing,
    /// The text of a number, a boolean or a string.
    Text(Text),
}

/// Day on which cases of methods without dates run; nothing depends on it.
const ANY_DAY: Date = Date::constant(2026, 1, 1);

impl Case {
    /// Reads the cases of a file.
    pub(crate) fn read_all(file: &Arc<SourceFile>, node: &Node, dated: bool, report: &mut Report) -> Vec<Self> {
        let cases = node.get("cases").map(Node::items).unwrap_or_default();
        cases.iter().map(|node| Self::read(file, node, dated, report)).collect()
    }

    fn read(file: &Arc<SourceFile>, node: &Node, dated: bool, report: &mut Report) -> Self {
        let place = node.entries().first().map_or(Place::of_file(file), |(key, _)| key.place.clone());
        let mut query = Vec::new();
        let date = node.text_of("date");
        if date.is_some() != dated {
            report.error(&place, Problem::CaseDate { dated });
        }
        if let Some(text) = date {
            if parse_date(&text.value).is_none() {
                report.error(&text.place, Problem::BadDate { text: text.value.clone() });
            }
            query.push(("date".to_owned(), text.value.clone()));
        }
        for (name, value) in node.get("given").map(Node::entries).unwrap_or_default() {
            query.extend(value.text().map(|text| (name.value.clone(), text.value.clone())));
        }
        let expected = |node: &Node| match &node.content {
            Content::Text(text) => Some(Expected::Text(text.clone())),
            Content::Empty => Some(Expected::Nothing),
            _ => None,
        };
        let expect = node.get("expect").map(Node::entries).unwrap_or_default();
        let case = Self {
            name: node.string_of("name").unwrap_or_default(),
            query,
            expect: expect.iter().filter_map(|(field, node)| Some((field.clone(), expected(node)?))).collect(),
            absent: node.text_of("absent").map(Text::list).unwrap_or_default(),
            refuse: node.text_of("refuse").cloned(),
            warns: node.text_of("warns").cloned(),
            place,
        };
        if case.expect.is_empty() && case.absent.is_empty() && case.refuse.is_none() && case.warns.is_none() {
            report.error(&case.place, Problem::CaseExpectsNothing {});
        }
        case
    }

    /// Runs the case; what differs goes to the report.
    pub fn run(&self, folder: &Folder, report: &mut Report) {
        let outcome = folder.answer_with(&self.query, Extras::default(), ANY_DAY, |answer| self.hold(answer, report));
        let Err(refusal) = outcome else {
            if let Some(input) = &self.refuse {
                report.error(&input.place, Problem::CaseNotRefused { input: input.value.clone() });
            }
            return;
        };
        let told = || {
            let parameters =
                refusal.parameters.iter().map(|bad| format!("`{}` ({})", bad.name, bad.reason.trim_end_matches('.')));
            parameters.collect::<Vec<_>>().join(", ")
        };
        match &self.refuse {
            None => report.error(&self.place, Problem::CaseRefused { parameters: told() }),
            Some(input) if !refusal.parameters.iter().any(|bad| bad.name == input.value) => {
                let problem = Problem::CaseRefusedOtherwise { input: input.value.clone(), parameters: told() };
                report.error(&input.place, problem);
            }
            Some(_) => {}
        }
    }

    fn hold(&self, answer: &Json, report: &mut Report) {
        if self.refuse.is_some() {
            return;
        }
        for (field, expected) in &self.expect {
            match answer.path(&field.value) {
                None => report.error(&field.place, Problem::CaseLacksField { field: field.value.clone() }),
                Some(found) if !expected.agrees(found) => {
                    let problem = Problem::CaseDiffers {
                        field: field.value.clone(),
                        expected: expected.shown(),
                        found: found.to_string(),
                    };
                    report.error(&field.place, problem);
                }
                Some(_) => {}
            }
        }
        for field in self.absent.iter().filter(|field| answer.path(&field.value).is_some()) {
            report.error(&field.place, Problem::CaseHasField { field: field.value.clone() });
        }
        if let Some(text) = &self.warns {
            let said = match answer.get("avertissements") {
                Some(Json::List(warnings)) => {
                    warnings.iter().any(|warning| matches!(warning, Json::Text(said) if said.contains(&text.value)))
                }
                _ => false,
            };
            if !said {
                report.error(&text.place, Problem::CaseWarnsNot { text: text.value.clone() });
            }
        }
    }
}

impl Expected {
    /// Whether a value of the answer is exactly the expected one.
    pub fn agrees(&self, found: &Json) -> bool {
        match (self, found) {
            (Self::Nothing, found) => *found == Json::Null,
            (Self::Text(text), Json::Number(number)) => {
                parse_amount(&text.value).is_ok_and(|expected| expected == *number)
            }
            (Self::Text(text), Json::Boolean(value)) => text.value == value.to_string(),
            (Self::Text(text), Json::Text(value)) => text.value == *value,
            _ => false,
        }
    }

    /// The value as an answer would show it.
    pub fn shown(&self) -> String {
        match self {
            Self::Nothing => "null".to_owned(),
            Self::Text(text) => parse_amount(&text.value).map_or_else(|_| text.value.clone(), number_text),
        }
    }
}
