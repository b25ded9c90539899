//! `POST /api/v1/lot/…`: many questions in one request, as JSON, JSON lines or CSV.

use std::net::SocketAddr;

use super::batch::{of_members, records, row_of_json, table};
use super::single::Caller;
use super::{Door, Group};
use crate::answer::{Answer, Carried, Fields, Refusals};
use crate::draw::{Kind, Question};
use crate::json::Json;
use crate::oracle::Target;

/// Rows of a request: few enough for its greatest length.
const ROWS: usize = 1000;

/// Lots of the service in one form.
pub(crate) struct Lot {
    pub service: SocketAddr,
    pub form: Form,
}

/// The form of the rows and of the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    Lines,
    Csv,
}

impl Form {
    /// The media type.
    pub(crate) fn media(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Lines => "application/x-ndjson",
            Self::Csv => "text/csv",
        }
    }
}

impl Door for Lot {
    fn name(&self) -> String {
        format!("lot {:?}", self.form)
    }

    fn carries(&self) -> Carried {
        match self.form {
            Form::Json | Form::Lines => Carried::WHOLE,
            Form::Csv => Carried {
                types: false,
                fields: Fields::Single,
                refusals: Refusals::Reasons,
                cited: false,
                ..Carried::WHOLE
            },
        }
    }

    fn takes(&self, target: Target, question: &Question) -> bool {
        let is_of_rows = match self.form {
            Form::Json | Form::Lines => true,
            // A table has a column a parameter; a column that no folder knows refuses the table.
            // An empty line is none.
            Form::Csv => {
                !matches!(
                    question.kind,
                    Kind::Unknown | Kind::Repeated | Kind::Fields | Kind::Comma
                ) && !question.pairs.is_empty()
            }
        };
        target.endpoint.is_some() && is_of_rows
    }

    fn ask(&self, group: &Group) -> Vec<Answer> {
        let mut caller = Caller::new(self.service);
        let mut answers = Vec::new();
        for questions in group.questions.chunks(ROWS) {
            let path = format!("/api/v1/lot/{}", group.target.name);
            let sent = self.rows(questions);
            let fields = group.fields.filter(|_| self.form == Form::Csv);
            let path = fields.map_or(path.clone(), |fields| format!("{path}?champs={fields}"));
            let body = caller.post(&path, self.form.media(), sent.as_bytes(), "");
            let found = self.answers(&body);
            assert_eq!(
                found.len(),
                questions.len(),
                "{}: {sent}\n{body}",
                group.target.name
            );
            answers.extend(found);
        }
        answers
    }
}

impl Lot {
    fn rows(&self, questions: &[&Question]) -> String {
        let objects = || {
            questions
                .iter()
                .map(|question| row_of_json(&question.query()))
        };
        match self.form {
            Form::Json => format!("[{}]", objects().collect::<Vec<_>>().join(",")),
            Form::Lines => objects().map(|row| format!("{row}\n")).collect(),
            Form::Csv => table(questions),
        }
    }

    fn answers(&self, body: &str) -> Vec<Answer> {
        match self.form {
            Form::Json => Json::read(body)
                .items()
                .iter()
                .map(Answer::of_json)
                .collect(),
            Form::Lines => body
                .lines()
                .map(|line| Answer::of_json(&Json::read(line)))
                .collect(),
            Form::Csv => records(body).iter().map(of_row).collect(),
        }
    }
}

/// The answer in a row of CSV.
fn of_row(row: &Json) -> Answer {
    let sentence = row
        .get("erreur")
        .filter(|cell| !cell.is_nothing())
        .map(Json::cell);
    let own = row.members().iter().filter(|(name, _)| name != "erreur");
    Answer {
        sentence,
        ..of_members(own)
    }
}
