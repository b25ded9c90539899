//! How the last reading of the rules ended, as `/readyz` and the metrics tell it.

use bareme_engine::{Diagnostic, Lang};
use jiff::{Timestamp, Unit};

/// How the last reload ended, and when.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Since when it is so.
    pub since: Timestamp,
    /// Why the set was refused; empty when it is in force.
    pub faults: Vec<Fault>,
}

impl Outcome {
    /// A reading that ends now.
    pub fn of(faults: Vec<Fault>) -> Self {
        let now = Timestamp::now();
        Self { since: now.round(Unit::Second).unwrap_or(now), faults }
    }
}

/// One error of a refused set, in the words of its author's language.
#[derive(Debug)]
pub struct Fault {
    /// File, relative to the rule folder.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// Stable code of the mistake.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub cure: String,
}

impl From<&Diagnostic> for Fault {
    fn from(diagnostic: &Diagnostic) -> Self {
        Self {
            file: diagnostic.file().to_owned(),
            line: diagnostic.line(),
            column: diagnostic.column(),
            code: diagnostic.code().to_owned(),
            message: diagnostic.message(Lang::Fr),
            cure: diagnostic.cure(Lang::Fr),
        }
    }
}

impl Fault {
    /// The engine itself failed. The panic is in the log.
    pub(crate) fn internal() -> Self {
        Self {
            file: String::new(),
            line: 1,
            column: 1,
            code: "erreur-interne".to_owned(),
            message: "la lecture des barèmes a échoué".to_owned(),
            cure: "signalez ce défaut avec les fichiers qui le provoquent".to_owned(),
        }
    }
}
