//! What is refused of a confirmation, line by line: all of it is reported at once.

use bareme_engine::Lang;
use bareme_show::say;

use crate::session::{Exit, Failure};

/// Why a cell or a line is refused.
#[derive(Debug, Clone)]
pub(super) struct Mistake {
    /// The line of the file that gave it.
    pub line: Option<usize>,
    /// The name of its cell.
    pub cell: Option<String>,
    pub reason: String,
}

impl Mistake {
    /// One that concerns a whole file.
    pub(super) fn whole(reason: impl Into<String>) -> Self {
        Self {
            line: None,
            cell: None,
            reason: reason.into(),
        }
    }

    /// One of a line whose cell the reason names.
    pub(super) fn of_line(line: usize, reason: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            ..Self::whole(reason)
        }
    }
}

/// The mistakes of one confirmation.
#[derive(Debug)]
pub(super) struct Mistakes {
    pub list: Vec<Mistake>,
    /// What to do about all of them.
    pub cure: Option<String>,
    exit: Exit,
    lang: Lang,
}

impl Mistakes {
    pub(super) fn new(list: Vec<Mistake>, lang: Lang) -> Self {
        Self {
            list,
            cure: None,
            exit: Exit::Unusable,
            lang,
        }
    }

    /// A failure as the only mistake.
    pub(super) fn of(failure: Failure, lang: Lang) -> Self {
        Self {
            exit: failure.exit,
            ..Self::new(vec![Mistake::whole(failure.message)], lang)
        }
    }

    pub(super) fn with_cure(self, cure: String) -> Self {
        Self {
            cure: Some(cure),
            ..self
        }
    }
}

impl From<Mistakes> for Failure {
    fn from(mistakes: Mistakes) -> Self {
        let lang = mistakes.lang;
        let shown = |Mistake { line, reason, .. }: &Mistake| match line {
            Some(line) => say!(lang, "ligne {line} : {reason}", "line {line}: {reason}"),
            None => reason.clone(),
        };

        let lines = mistakes.list.iter().map(shown).chain(mistakes.cure);
        Self {
            exit: mistakes.exit,
            message: lines.collect::<Vec<_>>().join("\n"),
        }
    }
}
