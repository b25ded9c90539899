//! Years of pays: random months of the folders that compute years, at every door that takes them.

mod doors;
mod draw;

use std::path::Path;

use harness::{Random, Server};

use crate::answer::Answer;
use crate::json::Json;
use crate::ledger::Ledger;
use crate::oracle::{Oracle, Pairs, Target};
use doors::{Batch, Explain, Lot, Single, YearDoor};
use draw::draw;

/// A question about a year of pays.
#[derive(Debug, Clone)]
pub(crate) struct YearQuestion {
    /// Its rank among the questions of its folder.
    pub index: usize,
    /// The word that selects the folder, and the parameter that says it.
    pub selected: Option<(String, String)>,
    pub year: String,
    /// The first month and the number of months.
    pub first: usize,
    pub count: usize,
    /// Inputs of the whole year.
    pub whole: Pairs,
    /// Inputs with a value each month.
    pub monthly: Vec<(String, Vec<String>)>,
    /// Whether the contract ends with the last month.
    pub leaves: bool,
}

/// The questions about a folder.
pub(crate) struct YearGroup<'q> {
    /// The name by which the folder is asked, `salaire-net/qc`.
    pub name: String,
    pub questions: &'q [YearQuestion],
}

impl YearQuestion {
    /// As a query of the address of the folder: lists are separated by `;`.
    pub(crate) fn query(&self) -> Pairs {
        let own = |name: &str, value: String| (name.to_owned(), value);
        let days = [
            own("annee", self.year.clone()),
            own("premier_mois", self.first.to_string()),
            own("dernier_mois", (self.first + self.count - 1).to_string()),
        ];
        let leaves = self.leaves.then(|| own("depart", "true".to_owned()));
        let monthly = self
            .monthly
            .iter()
            .map(|(name, values)| own(name, values.join(";")));
        days.into_iter()
            .chain(leaves)
            .chain(self.whole.iter().cloned())
            .chain(monthly)
            .collect()
    }

    /// The month at a place of the lists.
    pub(crate) fn month(&self, place: usize) -> usize {
        self.first + place
    }
}

/// Asks every door about years: how many questions there are is `count`.
pub(crate) fn ask_all(
    oracle: &Oracle,
    server: &Server,
    program: &Path,
    count: usize,
    seed: u64,
) -> Ledger {
    let service = server.address();
    let mut doors: Vec<Box<dyn YearDoor + '_>> =
        vec![Box::new(Single(service)), Box::new(Explain(program))];
    doors.extend(doors::FORMS.map(|form| Box::new(Lot { service, form }) as Box<dyn YearDoor>));
    doors.extend(doors::BATCHES.map(|form| Box::new(Batch { program, form }) as Box<dyn YearDoor>));

    let with_years = oracle.targets().into_iter().flat_map(|target| {
        let members = oracle.members(target).into_iter();
        members
            .filter(|member| member.folder.year_block().is_some())
            .map(move |member| (target, member))
    });
    let with_years: Vec<_> = with_years.collect();
    let mut ledger = Ledger::default();
    let mut refused = 0;
    for (place, (target, member)) in with_years.iter().enumerate() {
        let random = Random::new(seed.wrapping_mul(137).wrapping_add(place as u64));
        let questions = draw(
            oracle,
            *target,
            *member,
            count.div_ceil(with_years.len()),
            random,
        );
        let expected: Vec<Answer> = questions
            .iter()
            .map(|question| answer(oracle, *target, question))
            .collect();
        refused += expected.iter().filter(|answer| answer.is_refused()).count();
        let name = member.word.map_or(target.name.to_owned(), |word| {
            format!("{}/{word}", target.name)
        });
        let group = YearGroup {
            name,
            questions: &questions,
        };
        doors
            .iter()
            .for_each(|door| ledger.merge(ask(door.as_ref(), &group, &expected)));
    }
    println!(
        "years of {} folders, {refused} of {count} refused",
        with_years.len()
    );
    ledger
}

/// The answer of the engine to a year.
pub(crate) fn answer(oracle: &Oracle, target: Target, question: &YearQuestion) -> Answer {
    let selected = question.selected.clone().into_iter();
    flat(oracle.year(target, &selected.chain(question.query()).collect()))
}

/// Asks a door the questions that it takes.
fn ask(door: &dyn YearDoor, group: &YearGroup, expected: &[Answer]) -> Ledger {
    let taken = group
        .questions
        .iter()
        .zip(expected)
        .filter(|(question, _)| door.takes(question));
    let (questions, expected): (Vec<YearQuestion>, Vec<&Answer>) = taken
        .map(|(question, expected)| (question.clone(), expected))
        .unzip();
    let mut ledger = Ledger::default();
    if questions.is_empty() {
        return ledger;
    }
    let answers = door.ask(&YearGroup {
        name: group.name.clone(),
        questions: &questions,
    });
    assert_eq!(answers.len(), questions.len(), "{}", door.name());
    ledger.count(&door.name(), questions.len());
    for ((question, expected), found) in questions.iter().zip(expected).zip(answers) {
        let query = format!(
            "{}/annee?{}",
            group.name,
            crate::door::query(&question.query())
        );
        let list = expected.differences(&found, door.carries());
        ledger.add(&door.name(), &group.name, &query, list);
    }
    ledger
}

/// An answer with a field for each field of each month, and for each total.
pub(crate) fn flat(mut answer: Answer) -> Answer {
    let of_months = answer.fields.remove("mois").into_iter().flat_map(|months| {
        let month = |month: &Json| {
            let rank = month.get("mois").unwrap().cell();
            let own = month.members().iter().filter(|(name, _)| name != "mois");
            own.map(|(name, value)| (format!("{rank}.{name}"), value.clone()))
                .collect::<Vec<_>>()
        };
        months.items().iter().flat_map(month).collect::<Vec<_>>()
    });
    let of_months: Vec<_> = of_months.collect();
    let totals = answer
        .fields
        .remove("total")
        .map(|totals| totals.members().to_vec())
        .unwrap_or_default();
    let totals = totals
        .into_iter()
        .map(|(name, value)| (format!("total.{name}"), value));
    answer.fields.extend(of_months);
    answer.fields.extend(totals);
    answer
}
