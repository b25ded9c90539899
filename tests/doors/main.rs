//! One question, one answer, at every door: random questions about every folder, right and wrong,
//! asked of the service (single calls, lots, the assistant's tools, the site), of the command line
//! and of the Python package. Each must give what the engine gives to the single question, to the
//! last digit.
//!
//! `BAREME_DOORS` says how many questions; `BAREME_SEED` which.

#![cfg(test)]

mod answer;
mod door;
mod draw;
mod history;
mod json;
mod ledger;
mod oracle;
mod values;
mod years;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use bareme_arrow::Format;
use harness::{Random, Server, Wheel, built};

use answer::Answer;
use door::{
    Assistant, Batch, Calculate, Door, Explain, Group, Lot, PlanOfTables, Python, Single, Site,
    Tables,
};
use door::{BatchForm, LotForm};
use draw::{Draw, Question};
use ledger::Ledger;
use oracle::{Oracle, TODAY, Target};

/// Questions of the suite.
const QUESTIONS: usize = 3000;

/// Of how many questions one is about a year of pays, besides.
const YEARS: usize = 10;

/// Questions of a target that are asked together.
const TOGETHER: usize = 2000;

/// The seed of the questions of the suite.
const SEED: u64 = 45;

/// The questions of a target with their answers.
struct Asked<'r> {
    target: Target<'r>,
    questions: Vec<Question>,
    expected: Vec<Answer>,
    /// Names of the fields that answers may have.
    answered: BTreeSet<String>,
}

fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).map_or(usual, |number| number.parse().unwrap())
}

#[test]
fn every_door_gives_the_answer_of_the_engine() {
    let count = usize::try_from(number("BAREME_DOORS", QUESTIONS as u64)).unwrap();
    let seed = number("BAREME_SEED", SEED);
    println!("seed {seed}, {count} questions");

    let oracle = Oracle::new();
    let server = Server::start_with(&["--mcp", "--date", TODAY, "--trusted-proxy", "127.0.0.1"]);
    let program = built("bareme");
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("doors");
    let python = Wheel::install(&place).map(|wheel| Python::start(&wheel));
    let doors = doors(&server, &program, python.as_ref(), &oracle);

    let mut ledger = Ledger::default();
    let rounds = count.div_ceil(TOGETHER * oracle.targets().len() / 2).max(1);
    for round in 0..rounds {
        let asked = draw(
            &oracle,
            count / rounds,
            seed.wrapping_mul(1009).wrapping_add(round as u64),
        );
        ledger.merge(ask_all(&doors, &asked));
    }
    ledger.merge(years::ask_all(
        &oracle,
        &server,
        &program,
        count / YEARS,
        seed,
    ));
    ledger.close(&format!(
        "BAREME_SEED={seed} BAREME_DOORS={count} cargo test --workspace --test doors"
    ));
}

/// Every door.
fn doors<'d>(
    server: &Server,
    program: &'d Path,
    python: Option<&'d Python>,
    oracle: &'d Oracle,
) -> Vec<Box<dyn Door + 'd>> {
    let service = server.address();
    let mut doors: Vec<Box<dyn Door + 'd>> = vec![
        Box::new(Single(service)),
        Box::new(Assistant(service)),
        Box::new(Site { service, oracle }),
    ];
    for form in [LotForm::Json, LotForm::Lines, LotForm::Csv] {
        doors.push(Box::new(Lot { service, form }));
    }
    doors.push(Box::new(Explain(program)));
    for keeps in [false, true] {
        for form in [BatchForm::Csv, BatchForm::Lines] {
            doors.push(Box::new(Batch {
                program,
                form,
                keeps,
            }));
        }
        for (format, is_typed) in [(Format::Arrow, false), (Format::Parquet, true)] {
            doors.push(Box::new(Tables {
                program,
                format,
                is_typed,
                keeps,
            }));
        }
    }
    if let Some(python) = python {
        doors.push(Box::new(Calculate { python, oracle }));
        doors.push(Box::new(PlanOfTables(python)));
    }
    doors
}

/// Draws questions, as many about each folder as it has inputs at least: each sends another input in
/// turn.
fn draw(oracle: &Oracle, count: usize, seed: u64) -> Vec<Asked<'_>> {
    let targets = oracle.targets();
    let folders: usize = targets
        .iter()
        .map(|target| oracle.members(*target).len())
        .sum();
    let mut never = BTreeSet::new();
    let asked = targets.iter().enumerate().map(|(place, target)| {
        let mut draw = Draw::new(
            oracle,
            *target,
            Random::new(seed.wrapping_mul(131).wrapping_add(place as u64)),
        );
        let mut questions = Vec::new();
        for member in oracle.members(*target) {
            let inputs = member.folder.accepted_inputs();
            let own = count.div_ceil(folders).max(inputs.len());
            questions.extend((0..own).map(|index| draw.question(member, index)));
            let inputs = inputs.into_iter();
            let names = inputs.map(|input| (member.folder.path().to_owned(), input.name.clone()));
            never.extend(names.filter(|name| !draw.accepted.contains(name)));
        }
        let limits = oracle.limits(*target);
        let answer = |question: &Question| {
            let mut answer = oracle.answer(*target, &question.query());
            if question.fields.is_some() && !answer.is_refused() {
                answer.whole = Some(Box::new(oracle.answer(*target, &question.pairs)));
            }
            answer.with_unfit(&limits)
        };
        let expected = questions.iter().map(answer).collect();
        let fields = oracle
            .members(*target)
            .into_iter()
            .flat_map(|member| member.folder.fields());
        let answered = fields.map(|field| field.name.clone()).collect();
        Asked {
            target: *target,
            questions,
            expected,
            answered,
        }
    });
    let asked: Vec<Asked> = asked.collect();
    let all: usize = asked.iter().map(|asked| asked.questions.len()).sum();
    let refused = asked
        .iter()
        .flat_map(|asked| &asked.expected)
        .filter(|answer| answer.is_refused())
        .count();
    println!("{all} questions, {refused} of them refused");
    assert!(
        never.is_empty(),
        "inputs that no accepted question sends: {never:?}"
    );
    asked
}

/// Asks every door everything that it takes, on as many threads as there are processors.
fn ask_all(doors: &[Box<dyn Door + '_>], asked: &[Asked]) -> Ledger {
    let mut jobs: Vec<(&dyn Door, Group, Vec<Answer>)> = Vec::new();
    for Asked {
        target,
        questions,
        expected,
        answered,
    } in asked
    {
        let lists: BTreeSet<Option<&str>> = questions
            .iter()
            .map(|question| question.fields.as_deref())
            .collect();
        for fields in lists {
            let own = questions
                .iter()
                .zip(expected)
                .filter(|(question, _)| question.fields.as_deref() == fields);
            let (questions, expected): (Vec<&Question>, Vec<&Answer>) = own.unzip();
            for door in doors {
                let group = Group {
                    target: *target,
                    fields,
                    answered,
                    questions: questions.clone(),
                };
                jobs.push((
                    door.as_ref(),
                    group,
                    expected.iter().copied().cloned().collect(),
                ));
            }
        }
    }

    let (next, ledger) = (AtomicUsize::new(0), Mutex::new(Ledger::default()));
    let work = || {
        while let Some((door, group, expected)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let own = ledger::ask(*door, group, expected);
            ledger.lock().unwrap().merge(own);
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        (0..threads).for_each(|_| drop(scope.spawn(work)));
    });
    ledger.into_inner().unwrap()
}
