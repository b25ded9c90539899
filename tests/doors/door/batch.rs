//! `bareme batch` over texts: CSV and JSON lines, with the inputs kept or not.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use harness::repository;

use super::{Door, Group};
use crate::answer::{Answer, Carried, Fields, Following, Refusals, Reserves, remarks, warnings};
use crate::draw::{Kind, Question};
use crate::json::{Json, is_number, quoted};
use crate::oracle::{Pairs, TODAY, Target};
use crate::values;

/// `bareme batch` over texts.
pub(crate) struct Batch<'p> {
    pub program: &'p Path,
    pub form: Form,
    /// Whether every input is copied to the answers.
    pub keeps: bool,
}

/// The form of the rows and of the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Csv,
    Lines,
}

impl Form {
    /// The ending of the names of files.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Lines => "jsonl",
        }
    }
}

impl Door for Batch<'_> {
    fn name(&self) -> String {
        format!(
            "batch {}{}",
            self.form.extension(),
            if self.keeps { " --keep" } else { "" }
        )
    }

    fn carries(&self) -> Carried {
        let (types, fields) = match self.form {
            Form::Csv => (false, Fields::Single),
            Form::Lines => (true, Fields::All),
        };
        Carried {
            types,
            fields,
            refusals: Refusals::Sentence,
            cited: false,
            reserves: Reserves::All,
            following: Following::Asked,
            ..Carried::WHOLE
        }
    }

    fn takes(&self, _: Target, question: &Question) -> bool {
        let is_of_objects = self.form == Form::Lines;
        // An empty row is skipped, and a power of ten is what a spreadsheet makes of digits that it
        // loses.
        let is_row = is_of_objects
            || !question.pairs.is_empty()
                && !question
                    .pairs
                    .iter()
                    .any(|(_, value)| value == values::POWER);
        // A copied column that is no parameter is only copied.
        let is_copied = self.keeps && question.kind == Kind::Unknown;
        takes(question, is_of_objects) && is_row && !is_copied
    }

    fn ask(&self, group: &Group) -> Vec<Answer> {
        let place = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            place
                .path()
                .join(format!("{name}.{}", self.form.extension()))
        };
        let kept = if self.keeps { kept(group) } else { Vec::new() };
        let rows = match self.form {
            Form::Csv => table(&group.questions),
            Form::Lines => group
                .questions
                .iter()
                .map(|question| format!("{}\n", row_of_json(&question.pairs)))
                .collect(),
        };
        std::fs::write(file("in"), rows).unwrap();

        let mut command = command(self.program, group, &kept);
        command
            .arg(file("in"))
            .arg("--output")
            .arg(file("out"))
            .arg("--errors")
            .arg(file("errors"));
        let done = command.output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(
            done.status.code().is_some_and(|code| code < 2),
            "{command:?}: {said}"
        );

        let first_line = if self.form == Form::Csv { 2 } else { 1 };
        let mut found: BTreeMap<usize, Answer> = BTreeMap::new();
        for row in self
            .read(&file("out"))
            .into_iter()
            .chain(self.read(&file("errors")))
        {
            let (line, answer) = of_row(&row, &kept, &group.questions, first_line);
            assert!(
                found.insert(line, answer).is_none(),
                "line {line} twice: {command:?}"
            );
        }
        assert_eq!(found.len(), group.questions.len(), "{command:?}: {said}");
        found.into_values().collect()
    }
}

impl Batch<'_> {
    /// The rows of a file, as objects.
    fn read(&self, file: &Path) -> Vec<Json> {
        let text = std::fs::read_to_string(file).unwrap();
        match self.form {
            Form::Lines => text.lines().map(Json::read).collect(),
            Form::Csv => records(&text),
        }
    }
}

/// Whether rows of a file can say a question; the fields are those of the whole file.
pub(super) fn takes(question: &Question, is_of_objects: bool) -> bool {
    match question.kind {
        Kind::Right | Kind::Value | Kind::Missing | Kind::Day => true,
        Kind::Comma | Kind::Unknown => is_of_objects,
        Kind::Repeated | Kind::Fields => false,
    }
}

/// `bareme batch` of the target and the fields of a group, copying some columns.
pub(super) fn command(program: &Path, group: &Group, kept: &[String]) -> Command {
    let mut command = Command::new(program);
    command
        .args(["batch", group.target.name, "--date", TODAY, "--rules"])
        .arg(repository().join("rules"));
    if let Some(fields) = group.fields {
        command.args(["--fields", fields]);
    }
    if !kept.is_empty() {
        command.args(["--keep", &kept.join(",")]);
    }
    command
}

/// The line and the answer of a row; copied cells must be those that were sent.
fn of_row(
    row: &Json,
    kept: &[String],
    questions: &[&Question],
    first_line: usize,
) -> (usize, Answer) {
    let line: usize = row.get("ligne").unwrap().cell().parse().unwrap();
    if let Some(reason) = row.get("motif") {
        return (
            line,
            Answer {
                sentence: Some(reason.cell()),
                ..Answer::default()
            },
        );
    }

    let pairs = &questions[line - first_line].pairs;
    let members: Vec<&(String, Json)> = row
        .members()
        .iter()
        .filter(|(name, _)| name != "ligne")
        .collect();
    let (copied, own) = members.split_at(kept.len());
    for (name, (found, value)) in kept.iter().zip(copied) {
        assert_eq!(
            (found.as_str(), value.cell().as_str()),
            (name.as_str(), cell(pairs, name)),
            "{row}"
        );
    }
    (line, of_members(own.iter().copied()))
}

/// The answer that the members of a row are.
pub(crate) fn of_members<'j>(members: impl Iterator<Item = &'j (String, Json)>) -> Answer {
    let mut answer = Answer::default();
    for (name, value) in members {
        let text = || Some(value.cell()).filter(|text| !text.is_empty());
        match name.as_str() {
            "bareme_en_vigueur" => answer.day = text(),
            "version" => answer.version = text(),
            "avertissements" => answer.warnings = warnings(&listed(value)),
            "reserves" => answer.reserves = remarks(&listed(value)),
            _ => {
                answer.fields.insert(name.clone(), value.clone());
            }
        }
    }
    answer
}

/// A list, which a cell writes as JSON.
fn listed(value: &Json) -> Json {
    match value {
        Json::Text(text) if text.starts_with('[') => Json::read(text),
        Json::Text(text) if !text.is_empty() => Json::List(vec![value.clone()]),
        other => other.clone(),
    }
}

/// The rows of a table of texts, as objects.
pub(crate) fn records(text: &str) -> Vec<Json> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names = reader.headers().unwrap().clone();
    let row = |row: csv::StringRecord| {
        let cells = names.iter().zip(&row);
        Json::Object(
            cells
                .map(|(name, cell)| (name.to_owned(), Json::Text(cell.to_owned())))
                .collect(),
        )
    };
    reader.records().map(|read| row(read.unwrap())).collect()
}

/// Names, each once.
fn distinct<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    for name in names {
        if !known.iter().any(|other| other == name) {
            known.push(name.to_owned());
        }
    }
    known
}

/// The names of the parameters of some questions, each once, with those that are missing.
pub(super) fn columns(questions: &[&Question]) -> Vec<String> {
    let sent = questions
        .iter()
        .flat_map(|question| &question.pairs)
        .map(|(name, _)| name.as_str());
    distinct(
        sent.chain(
            questions
                .iter()
                .filter_map(|question| question.missing.as_deref()),
        ),
    )
}

/// The parameters to copy: those whose name no field has.
pub(super) fn kept(group: &Group) -> Vec<String> {
    columns(&group.questions)
        .into_iter()
        .filter(|name| !group.answered.contains(name))
        .collect()
}

/// Questions as CSV; a parameter that is not sent is an empty cell.
pub(super) fn table(questions: &[&Question]) -> String {
    let rows: Vec<&Pairs> = questions.iter().map(|question| &question.pairs).collect();
    written(&columns(questions), &rows)
}

/// Rows as CSV.
pub(crate) fn cells(rows: &[Pairs]) -> String {
    let names = distinct(rows.iter().flatten().map(|(name, _)| name.as_str()));
    written(&names, &rows.iter().collect::<Vec<_>>())
}

fn written(names: &[String], rows: &[&Pairs]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(names).unwrap();
    for row in rows {
        writer
            .write_record(names.iter().map(|name| cell(row, name)))
            .unwrap();
    }
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

fn cell<'p>(pairs: &'p Pairs, name: &str) -> &'p str {
    pairs
        .iter()
        .find(|(known, _)| known == name)
        .map_or("", |(_, value)| value)
}

/// A row as a JSON object; what can be a number or a boolean of JSON is one.
pub(crate) fn row_of_json(pairs: &[(String, String)]) -> String {
    let member =
        |(name, value): &(String, String)| format!("{}:{}", quoted(name), quoted_or_plain(value));
    format!(
        "{{{}}}",
        pairs.iter().map(member).collect::<Vec<_>>().join(",")
    )
}

/// A value of JSON: a number or a boolean where it can be one.
pub(crate) fn quoted_or_plain(value: &str) -> String {
    match is_number(value) || ["true", "false"].contains(&value) {
        true => value.to_owned(),
        false => quoted(value),
    }
}
