//! A folder that another one calculates, changed at random, rightly and wrongly: every answer is of
//! one pair of laws that went together.
//!
//! The answer of the calling folder names both laws, a thousand times the one of the other folder
//! plus its own. A model says which pair is in force after each change: a folder with mistakes keeps
//! its last good state, and so does one that can no longer calculate the other.

use bareme_engine::FileSet;
use harness::{Random, each_seed};

use super::super::*;
use super::SERVICE;

/// The files of a folder as they are written.
#[derive(Debug, Clone, Copy)]
struct Written {
    /// The number that its law is known by.
    law: u64,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Right,
    /// Right by itself, but the other folder cannot calculate it: its field has another name, or
    /// it requires one input more.
    WithoutField,
    WithInput,
    /// With a mistake, in its dated file or in its method.
    BadFigure,
    BadFormula,
}

impl State {
    const OF_CALLED: [Self; 6] = [
        Self::Right,
        Self::Right,
        Self::WithoutField,
        Self::WithInput,
        Self::BadFigure,
        Self::BadFormula,
    ];
    const OF_CALLER: [Self; 4] = [Self::Right, Self::Right, Self::BadFigure, Self::BadFormula];

    fn has_mistake(self) -> bool {
        matches!(self, Self::BadFigure | Self::BadFormula)
    }
}

impl Written {
    /// The files of the folder that is calculated.
    fn called(self) -> [(String, String); 2] {
        let field = if self.state == State::WithoutField {
            "autre_champ"
        } else {
            "x"
        };
        let input = if self.state == State::WithInput {
            "  parts: {type: number, required: true, label: Parts}\n"
        } else {
            ""
        };
        let formula = match self.state {
            State::BadFormula => "brut * f.inconnu",
            State::WithInput => "brut * f.v * parts",
            _ => "brut * f.v",
        };
        let method = format!(
            "inputs:\n  brut: {{type: number, required: true, label: Brut}}\n{input}\
             figures:\n  f: {{v: number}}\nsteps:\n  {field}: {{formula: {formula}, label: X}}\n\
             answer:\n  {field}: {field}\nheadline: [{{field: {field}, role: levy}}]\n"
        );
        self.files("yy", &method)
    }

    /// The files of the folder that calculates it.
    fn caller(self) -> [(String, String); 2] {
        let formula = if self.state == State::BadFormula {
            "appel * 1000 + f.inconnu"
        } else {
            "appel * 1000 + f.v"
        };
        let method = format!(
            "inputs:\n  brut: {{type: number, required: true, label: Brut}}\n\
             figures:\n  f: {{v: number}}\nsteps:\n  \
             appel: {{calculate: yy, given: {{brut: brut}}, value: x, label: Appel}}\n  \
             y: {{formula: {formula}, label: Y}}\n\
             answer:\n  y: y\nheadline: [{{field: y, role: levy}}]\n"
        );
        self.files("zz", &method)
    }

    fn files(self, folder: &str, method: &str) -> [(String, String); 2] {
        let law = if self.state == State::BadFigure {
            "beaucoup".to_owned()
        } else {
            self.law.to_string()
        };
        [
            (
                format!("{folder}/method.yaml"),
                format!("format: bareme/1\nfolder: {folder}\ntitle: Titre\n{method}"),
            ),
            (
                format!("{folder}/2026-01-01.yaml"),
                format!(
                    "format: bareme/1\ntitle: Titre\nreviewed: Essai\nsources:\n  \
                     s: {{kind: law, title: Source, publisher: Éditeur}}\n\
                     figures:\n  f: {{v: {law}, source: s, reviewed: Essai}}\n"
                ),
            ),
        ]
    }
}

/// Which laws are in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct InForce {
    called: u64,
    /// Whether the caller can calculate that one.
    is_callable: bool,
    /// The pair by which the caller answers: its own law, and that of the other folder.
    pair: (u64, u64),
}

impl InForce {
    /// After a reading of these files.
    fn after(self, called: Written, caller: Written) -> Self {
        let mut next = self;
        if !called.state.has_mistake() {
            next.called = called.law;
            next.is_callable = called.state == State::Right;
        }
        if next.is_callable && !caller.state.has_mistake() {
            next.pair = (caller.law, next.called);
        }
        next
    }

    /// The answer of the caller.
    fn answer(self) -> u64 {
        self.pair.1 * 1000 + self.pair.0
    }
}

/// The answer of the calling folder by a snapshot.
fn answer(snapshot: &Snapshot) -> u64 {
    let rules = &snapshot.rules;
    let endpoints = &rules.service().endpoints;
    let endpoint = endpoints
        .iter()
        .find(|endpoint| endpoint.name == "calcul")
        .unwrap();
    let day = jiff::civil::date(2026, 6, 30);
    let calculation = rules.calculate(endpoint, &[("brut", "1")], day).unwrap();
    let found = calculation.field("y").unwrap().number().unwrap();
    found.to_string().parse().unwrap()
}

#[test]
fn a_caller_answers_by_one_pair_of_laws() {
    let [mut kept, mut replaced] = [0; 2];
    let replays = each_seed(20, |seed, _| {
        let mut random = Random::new(seed);
        let right = |law| Written {
            law,
            state: State::Right,
        };
        let (mut called, mut caller) = (right(1), right(1));
        let mut in_force = InForce {
            called: 1,
            is_callable: true,
            pair: (1, 1),
        };
        let mut reloader = reloader(Path::new("rules"));
        let mut held: Vec<(Arc<Snapshot>, u64)> = Vec::new();

        for law in 1..=12 {
            // 1. A change of one folder, or of both at once.
            if law > 1 {
                let (first, second) = (random.below(3) != 0, random.below(3) != 0);
                if first {
                    let state = State::OF_CALLED[random.below(State::OF_CALLED.len())];
                    called = Written { law, state };
                }
                if second || !first {
                    let state = State::OF_CALLER[random.below(State::OF_CALLER.len())];
                    caller = Written { law, state };
                }
            }
            let mut files: Vec<(String, String)> = vec![("service.yaml".into(), SERVICE.into())];
            files.extend(called.called());
            files.extend(caller.caller());
            let files = FileSet::from_texts(files);
            reloader.guarded(|reloader| reloader.consider(files.clone(), |_| files));

            // 2. The pair that the model names.
            let before = in_force;
            in_force = in_force.after(called, caller);
            let snapshot = reloader.rules.snapshot().unwrap();
            let found = answer(&snapshot);
            assert_eq!(
                found,
                in_force.answer(),
                "seed {seed}, change {law}: {called:?}, {caller:?}: {:?}",
                reloader.rules.outcome()
            );
            kept += u32::from(before.pair == in_force.pair);
            replaced += u32::from(before.pair != in_force.pair);
            held.push((snapshot, found));
        }

        // 3. A call that began before a change ends by the laws with which it began.
        for (snapshot, found) in held {
            assert_eq!(answer(&snapshot), found, "seed {seed}");
        }
    });
    println!("{kept} changes that left the pair in force, {replaced} that replaced it");
    assert!(replays || kept > 0 && replaced > 0);
}
