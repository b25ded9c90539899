//! What was asked, and where a door answered otherwise than the engine.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::answer::Difference;
use crate::door::{Door, Group};

/// Differences to print in full.
const SHOWN: usize = 60;

/// Characters of a value that are printed.
const LENGTH: usize = 400;

/// The differences found, and the numbers of questions.
#[derive(Default)]
pub(crate) struct Ledger {
    /// Questions asked, by door.
    asked: BTreeMap<String, usize>,
    /// The first difference of a door in a part of the answers, with their number.
    found: BTreeMap<[String; 2], (usize, String)>,
}

impl Ledger {
    /// Counts questions that a door was asked.
    pub(crate) fn count(&mut self, door: &str, questions: usize) {
        *self.asked.entry(door.to_owned()).or_default() += questions;
    }

    /// Adds the differences of an answer.
    pub(crate) fn add(&mut self, door: &str, folder: &str, query: &str, list: Vec<Difference>) {
        for Difference {
            part,
            expected,
            found,
        } in list
        {
            let key = [door.to_owned(), part];
            let [expected, found] =
                [expected, found].map(|text| text.chars().take(LENGTH).collect::<String>());
            let first = || {
                (
                    0,
                    format!("{folder}, {query}\n    expected {expected}\n    found    {found}"),
                )
            };
            self.found.entry(key).or_insert_with(first).0 += 1;
        }
    }

    /// The questions asked of each door.
    pub(crate) fn asked(&self) -> String {
        let line = |(door, count): (&String, &usize)| format!("{count:8} {door}");
        self.asked.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// Fails where a door answered otherwise than the engine; `again` is the command for the same
    /// questions.
    pub(crate) fn close(self, again: &str) {
        println!("{}", self.asked());
        let mut report = String::new();
        for ([door, part], (count, first)) in self.found.iter().take(SHOWN) {
            writeln!(report, "{door}: {part}, {count} times, first of {first}").unwrap();
        }
        let count = self.found.len();
        assert!(
            count == 0,
            "{count} kinds of differences; the same questions again: {again}\n{report}"
        );
    }
}

/// Asks a door the questions of a group that it takes.
pub(crate) fn ask(door: &dyn Door, group: &Group, expected: &[crate::answer::Answer]) -> Ledger {
    let mut ledger = Ledger::default();
    let taken: Vec<usize> = (0..group.questions.len())
        .filter(|at| door.takes(group.target, group.questions[*at]))
        .collect();
    if taken.is_empty() {
        return ledger;
    }
    let questions = taken.iter().map(|at| group.questions[*at]).collect();
    let own = Group {
        target: group.target,
        fields: group.fields,
        answered: group.answered,
        questions,
    };
    // A door that fails hides no other.
    let Ok(answers) = catch_unwind(AssertUnwindSafe(|| door.ask(&own))) else {
        let failed = Difference {
            part: "(porte)".to_owned(),
            expected: "answers".to_owned(),
            found: "a failure, printed above".to_owned(),
        };
        ledger.add(&door.name(), group.target.name, "", vec![failed]);
        return ledger;
    };
    assert_eq!(answers.len(), taken.len(), "{}", door.name());
    ledger.count(&door.name(), taken.len());
    for (at, found) in taken.into_iter().zip(answers) {
        let question = group.questions[at];
        let list = expected[at].differences(&found, door.carries());
        let query = format!(
            "{}?{}",
            group.target.name,
            crate::door::query(&question.query())
        );
        ledger.add(&door.name(), &question.folder, &query, list);
    }
    ledger
}

impl Ledger {
    /// Adds another ledger.
    pub(crate) fn merge(&mut self, other: Self) {
        for (door, count) in other.asked {
            *self.asked.entry(door).or_default() += count;
        }
        for (key, (count, first)) in other.found {
            self.found.entry(key).or_insert((0, first)).0 += count;
        }
    }
}
