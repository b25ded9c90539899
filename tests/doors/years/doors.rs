//! The doors that take years of pays.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use harness::repository;

use super::{YearGroup, YearQuestion, flat};
use crate::answer::{Answer, Carried, Fields, Refusals, Reserves, Warnings};
use crate::door::{BatchForm, Caller, LotForm, cells, of_members, query, quoted_or_plain, records};
use crate::json::{Json, quoted};
use crate::oracle::TODAY;

/// The forms of lots.
pub(super) const FORMS: [LotForm; 3] = [LotForm::Json, LotForm::Lines, LotForm::Csv];

/// The forms of files.
pub(super) const BATCHES: [BatchForm; 2] = [BatchForm::Csv, BatchForm::Lines];

/// Of how many questions one is explained.
const ONE_IN: usize = 10;

/// A way to ask about years.
pub(super) trait YearDoor {
    fn name(&self) -> String;

    /// What it gives of an answer.
    fn carries(&self) -> Carried;

    /// Whether a question can be put so.
    fn takes(&self, _: &YearQuestion) -> bool {
        true
    }

    /// An answer to each question of a group.
    fn ask(&self, group: &YearGroup) -> Vec<Answer>;
}

/// `GET /api/v1/…/annee`.
pub(super) struct Single(pub SocketAddr);

impl YearDoor for Single {
    fn name(&self) -> String {
        "GET annee".to_owned()
    }

    fn carries(&self) -> Carried {
        Carried::WHOLE
    }

    fn ask(&self, group: &YearGroup) -> Vec<Answer> {
        let mut caller = Caller::new(self.0);
        let path = |question: &YearQuestion| {
            format!("/api/v1/{}/annee?{}", group.name, query(&question.query()))
        };
        let mut of = |question| flat(Answer::of_json(&Json::read(&caller.get(&path(question)))));
        group.questions.iter().map(&mut of).collect()
    }
}

/// `bareme explain …/annee --format json`.
pub(super) struct Explain<'p>(pub &'p Path);

impl YearDoor for Explain<'_> {
    fn name(&self) -> String {
        "explain annee".to_owned()
    }

    fn carries(&self) -> Carried {
        Carried {
            refusals: Refusals::Reasons,
            ..Carried::WHOLE
        }
    }

    fn takes(&self, question: &YearQuestion) -> bool {
        question.index.is_multiple_of(ONE_IN)
    }

    fn ask(&self, group: &YearGroup) -> Vec<Answer> {
        let of = |question: &YearQuestion| {
            let mut command = Command::new(self.0);
            command.args([
                "explain",
                &format!("{}/annee", group.name),
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
            match done.status.code() {
                Some(0) => {
                    let mut answer = flat(Answer::of_json(&Json::read(
                        &String::from_utf8(done.stdout).unwrap(),
                    )));
                    // The steps are what is asked for.
                    answer.fields.retain(|name, _| !name.ends_with(".etapes"));
                    answer
                }
                Some(1) => {
                    let sentence = String::from_utf8(done.stderr).unwrap();
                    Answer {
                        sentence: Some(sentence),
                        ..Answer::default()
                    }
                }
                code => panic!(
                    "{command:?}: {code:?} {}",
                    String::from_utf8_lossy(&done.stderr)
                ),
            }
        };
        group.questions.iter().map(of).collect()
    }
}

/// `POST /api/v1/lot/…/annee`.
pub(super) struct Lot {
    pub service: SocketAddr,
    pub form: LotForm,
}

impl YearDoor for Lot {
    fn name(&self) -> String {
        format!("lot annee {:?}", self.form)
    }

    fn carries(&self) -> Carried {
        match self.form {
            LotForm::Json | LotForm::Lines => Carried::WHOLE,
            LotForm::Csv => Carried {
                types: false,
                fields: Fields::Totals,
                refusals: Refusals::Reasons,
                warnings: Warnings::Whole,
                cited: false,
                day: false,
                ..Carried::WHOLE
            },
        }
    }

    fn takes(&self, question: &YearQuestion) -> bool {
        // A column that the folder does not know refuses the table.
        self.form != LotForm::Csv || question.whole.iter().all(|(name, _)| name != "inconnu")
    }

    fn ask(&self, group: &YearGroup) -> Vec<Answer> {
        let mut caller = Caller::new(self.service);
        let path = format!("/api/v1/lot/{}/annee", group.name);
        // A year takes the time of twelve rows.
        let posted = group.questions.chunks(200).flat_map(|questions| {
            let body = caller.post(
                &path,
                self.form.media(),
                self.rows(questions).as_bytes(),
                "",
            );
            self.answers(&body)
        });
        posted.collect()
    }
}

impl Lot {
    fn rows(&self, questions: &[YearQuestion]) -> String {
        let objects = || questions.iter().map(object);
        match self.form {
            LotForm::Json => format!("[{}]", objects().collect::<Vec<_>>().join(",")),
            LotForm::Lines => objects().map(|row| format!("{row}\n")).collect(),
            LotForm::Csv => cells(
                &questions
                    .iter()
                    .map(YearQuestion::query)
                    .collect::<Vec<_>>(),
            ),
        }
    }

    fn answers(&self, body: &str) -> Vec<Answer> {
        match self.form {
            LotForm::Json => Json::read(body)
                .items()
                .iter()
                .map(|row| flat(Answer::of_json(row)))
                .collect(),
            LotForm::Lines => body
                .lines()
                .map(|row| flat(Answer::of_json(&Json::read(row))))
                .collect(),
            LotForm::Csv => records(body).iter().map(totals).collect(),
        }
    }
}

/// A year as a JSON object, its lists as arrays.
fn object(question: &YearQuestion) -> String {
    let lists = |name: &str| {
        question
            .monthly
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, values)| values)
    };
    let member = |(name, value): &(String, String)| match lists(name) {
        Some(values) => {
            let values: Vec<String> = values.iter().map(|value| quoted_or_plain(value)).collect();
            format!("{}:[{}]", quoted(name), values.join(","))
        }
        None => format!("{}:{}", quoted(name), quoted_or_plain(value)),
    };
    format!(
        "{{{}}}",
        question
            .query()
            .iter()
            .map(member)
            .collect::<Vec<_>>()
            .join(",")
    )
}

/// The totals in a row of CSV.
fn totals(row: &Json) -> Answer {
    if let Some(error) = row.get("erreur").filter(|cell| !cell.is_nothing()) {
        return Answer {
            sentence: Some(error.cell()),
            ..Answer::default()
        };
    }
    let mut answer = of_members(
        row.members()
            .iter()
            .filter(|(name, _)| name != "erreur" && name != "annee"),
    );
    answer.fields = answer
        .fields
        .into_iter()
        .map(|(name, value)| (format!("total.{name}"), value))
        .collect();
    answer
}

/// `bareme batch …/annee`: a row a month.
pub(super) struct Batch<'p> {
    pub program: &'p Path,
    pub form: BatchForm,
}

impl YearDoor for Batch<'_> {
    fn name(&self) -> String {
        format!("batch annee {:?}", self.form)
    }

    fn carries(&self) -> Carried {
        Carried {
            types: self.form == BatchForm::Lines,
            fields: Fields::Months,
            refusals: Refusals::None,
            // A row has the warnings of its month.
            warnings: Warnings::Kinds,
            reserves: Reserves::None,
            cited: false,
            day: false,
            ..Carried::WHOLE
        }
    }

    fn takes(&self, question: &YearQuestion) -> bool {
        self.form != BatchForm::Csv || question.whole.iter().all(|(name, _)| name != "inconnu")
    }

    fn ask(&self, group: &YearGroup) -> Vec<Answer> {
        let place = tempfile::tempdir().unwrap();
        let extension = self.form.extension();
        let file = |name: &str| place.path().join(format!("{name}.{extension}"));
        let rows: Vec<Vec<(String, String)>> = group
            .questions
            .iter()
            .enumerate()
            .flat_map(|(key, question)| months(key, question))
            .collect();
        let text = match self.form {
            BatchForm::Csv => cells(&rows),
            BatchForm::Lines => rows
                .iter()
                .map(|row| format!("{}\n", crate::door::row_of_json(row)))
                .collect(),
        };
        std::fs::write(file("in"), text).unwrap();

        let mut command = Command::new(self.program);
        command.args([
            "batch",
            &format!("{}/annee", group.name),
            "--date",
            TODAY,
            "--rules",
        ]);
        command.arg(repository().join("rules")).arg(file("in"));
        command
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

        let mut answers: BTreeMap<usize, Answer> = BTreeMap::new();
        let read = |name: &str| {
            let text = std::fs::read_to_string(file(name)).unwrap();
            match self.form {
                BatchForm::Csv => records(&text),
                BatchForm::Lines => text.lines().map(Json::read).collect(),
            }
        };
        for row in read("out").iter().chain(&read("errors")) {
            add(
                row,
                answers
                    .entry(row.get("cle").unwrap().cell().parse().unwrap())
                    .or_default(),
            );
        }
        answers.into_values().collect()
    }
}

/// The rows of a year.
fn months(key: usize, question: &YearQuestion) -> Vec<Vec<(String, String)>> {
    let own = |name: &str, value: String| (name.to_owned(), value);
    let month = |place: usize| {
        let monthly = question
            .monthly
            .iter()
            .map(|(name, values)| own(name, values[place].clone()));
        let is_last = place + 1 == question.count;
        let leaves = (question.leaves && is_last).then(|| own("depart", "true".to_owned()));
        let days = [
            own("cle", key.to_string()),
            own("mois", question.month(place).to_string()),
            own("annee", question.year.clone()),
        ];
        days.into_iter()
            .chain(leaves)
            .chain(question.whole.iter().cloned())
            .chain(monthly)
            .collect()
    };
    (0..question.count).map(month).collect()
}

/// Adds the row of a month to the answer of its year.
fn add(row: &Json, answer: &mut Answer) {
    if let Some(reason) = row.get("motif") {
        answer.sentence = Some(reason.cell());
        return;
    }
    let month = row.get("mois").unwrap().cell();
    let own = row
        .members()
        .iter()
        .filter(|(name, _)| !["cle", "mois", "ligne"].contains(&name.as_str()));
    let found = of_members(own);
    let day = found
        .day
        .map(|day| (format!("{month}.bareme_en_vigueur"), Json::Text(day)));
    answer.fields.extend(
        found
            .fields
            .into_iter()
            .map(|(name, value)| (format!("{month}.{name}"), value))
            .chain(day),
    );
    answer.warnings.extend(found.warnings);
    answer.version = found.version;
}
