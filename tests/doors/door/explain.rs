//! `bareme explain --format json`: a process a question.

use std::path::Path;
use std::process::Command;

use harness::repository;

use super::{Door, Group};
use crate::answer::{Answer, Carried, Refusals};
use crate::draw::{Kind, Question};
use crate::json::Json;
use crate::oracle::{TODAY, Target};

/// Of how many questions one is asked: each starts a process that reads the rules.
const ONE_IN: usize = 20;

/// `bareme explain`.
pub(crate) struct Explain<'p>(pub &'p Path);

impl Door for Explain<'_> {
    fn name(&self) -> String {
        "explain".to_owned()
    }

    fn carries(&self) -> Carried {
        Carried {
            refusals: Refusals::Reasons,
            ..Carried::WHOLE
        }
    }

    fn takes(&self, _: Target, question: &Question) -> bool {
        question.index.is_multiple_of(ONE_IN) && question.kind != Kind::Comma
    }

    fn ask(&self, group: &Group) -> Vec<Answer> {
        group
            .questions
            .iter()
            .map(|question| self.explained(group.target, question))
            .collect()
    }
}

impl Explain<'_> {
    fn explained(&self, target: Target, question: &Question) -> Answer {
        let mut command = Command::new(self.0);
        command.args([
            "explain",
            target.name,
            "--format",
            "json",
            "--date",
            TODAY,
            "--rules",
        ]);
        command.arg(repository().join("rules"));
        command.args(
            question
                .query()
                .iter()
                .map(|(name, value)| format!("{name}={value}")),
        );
        let done = command.output().unwrap();

        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        match done.status.code() {
            Some(0) => Answer::of_json(&Json::read(&text(&done.stdout))),
            Some(1) => Answer {
                sentence: Some(text(&done.stderr)),
                ..Answer::default()
            },
            code => panic!("{command:?}: {code:?} {}", text(&done.stderr)),
        }
    }
}
