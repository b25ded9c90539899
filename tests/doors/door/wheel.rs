//! The Python package: `calculate`, and `plan` over tables of PyArrow.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::Mutex;

use bareme_engine::Folder;
use harness::{Wheel, repository};

use super::batch::{columns, takes};
use super::tables::{CARRIED, of_row};
use super::{Door, Group};
use crate::answer::{Answer, Carried, Following};
use crate::draw::{Kind, Question};
use crate::json::{Json, quoted};
use crate::oracle::{Oracle, Pairs, TODAY, Target};

/// A Python that has read the rules, for all questions: reading them takes seconds.
pub(crate) struct Python(Mutex<Session>);

struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// `calculate`.
pub(crate) struct Calculate<'w> {
    pub python: &'w Python,
    pub oracle: &'w Oracle,
}

/// `plan`, over tables of texts.
pub(crate) struct PlanOfTables<'w>(pub &'w Python);

impl Python {
    /// Starts it with the package.
    pub(crate) fn start(wheel: &Wheel) -> Self {
        let mut command = wheel.python(&repository().join("tests/doors/door/wheel.py"));
        command
            .arg(repository().join("rules"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self(Mutex::new(Session {
            child,
            input,
            output,
        }))
    }

    /// Sends a line, and reads so many answers.
    fn ask(&self, line: &str, count: usize) -> Vec<Json> {
        let Session { input, output, .. } = &mut *self.0.lock().unwrap();
        writeln!(input, "{line}").unwrap();
        let mut answer = || {
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            Json::read(&line)
        };
        (0..count).map(|_| answer()).collect()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Door for Calculate<'_> {
    fn name(&self) -> String {
        "Python calculate".to_owned()
    }

    fn carries(&self) -> Carried {
        Carried::WHOLE
    }

    fn takes(&self, _: Target, question: &Question) -> bool {
        // A keyword is given once.
        question.kind != Kind::Repeated
    }

    fn ask(&self, group: &Group) -> Vec<Answer> {
        let members = self.oracle.members(group.target);
        let is_dated = |question: &Question| {
            let is_it = |folder: &Folder| folder.path() == question.folder;
            members
                .iter()
                .any(|member| is_it(member.folder) && member.folder.is_dated())
        };
        let questions = group
            .questions
            .iter()
            .map(|question| object(&dated(question, is_dated(question))));
        let questions: Vec<String> = questions.collect();
        let line = format!(
            r#"{{"name":{},"questions":[{}]}}"#,
            quoted(group.target.name),
            questions.join(",")
        );
        self.python
            .ask(&line, questions.len())
            .iter()
            .map(Answer::of_json)
            .collect()
    }
}

/// The parameters with the day of the test, where they say none: the package counts from the day
/// that it is.
fn dated(question: &Question, is_dated: bool) -> Pairs {
    let mut pairs = question.query();
    if is_dated
        && !pairs
            .iter()
            .any(|(name, _)| name == "date" || name == "annee")
    {
        pairs.push(("date".to_owned(), TODAY.to_owned()));
    }
    pairs
}

impl Door for PlanOfTables<'_> {
    fn name(&self) -> String {
        "Python plan".to_owned()
    }

    fn carries(&self) -> Carried {
        Carried {
            following: Following::Always,
            ..CARRIED
        }
    }

    fn takes(&self, _: Target, question: &Question) -> bool {
        takes(question, false)
    }

    fn ask(&self, group: &Group) -> Vec<Answer> {
        let names = columns(&group.questions);
        let column = |name: &String| {
            let value = |question: &&Question| {
                let sent = question.pairs.iter().find(|(known, _)| known == name);
                sent.map_or("null".to_owned(), |(_, value)| quoted(value))
            };
            let values: Vec<String> = group.questions.iter().map(value).collect();
            format!("{}:[{}]", quoted(name), values.join(","))
        };
        let columns: Vec<String> = names.iter().map(column).collect();
        let fields = group
            .fields
            .map(|fields| fields.split(',').map(quoted).collect::<Vec<_>>().join(","));
        let fields = fields.map_or("null".to_owned(), |fields| format!("[{fields}]"));
        let (name, columns) = (quoted(group.target.name), columns.join(","));
        let line = format!(
            r#"{{"name":{name},"day":"{TODAY}","fields":{fields},"columns":{{{columns}}}}}"#
        );
        self.0
            .ask(&line, group.questions.len())
            .iter()
            .map(of_row)
            .collect()
    }
}

/// Parameters as a JSON object of texts.
fn object(pairs: &Pairs) -> String {
    let member = |(name, value): &(String, String)| format!("{}:{}", quoted(name), quoted(value));
    format!(
        "{{{}}}",
        pairs.iter().map(member).collect::<Vec<_>>().join(",")
    )
}
