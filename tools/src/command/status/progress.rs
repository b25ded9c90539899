//! How far the preparation of a year is in a folder: read, to be read, blocked, in force.

use std::collections::BTreeSet;

use bareme_engine::law::{PendingText, Scale};
use bareme_engine::run::Edition;
use bareme_engine::{FileSet, Folder, Loader, Rules};
use jiff::civil::Date;
use serde_json::{Value, json};

use super::files::Line;

/// How far a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// All of it was read, and it comes into force on a day to come.
    Read,
    /// Figures are left to be read in texts that are out.
    ToRead,
    /// Nothing can be read on: mistakes, doubts, or a text that has not come.
    Blocked,
    /// What is in force was read for the year.
    InForce,
}

impl State {
    /// Its word in JSON.
    fn word(self) -> &'static str {
        match self {
            Self::Read => "lu",
            Self::ToRead => "a_lire",
            Self::Blocked => "bloque",
            Self::InForce => "en_vigueur",
        }
    }
}

/// What blocks a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reason {
    /// So many mistakes.
    Mistakes(usize),
    /// So many doubts about what is in force.
    Doubts(usize),
    /// A text that has not come, by its day.
    Awaits(Date, String),
}

/// The progress of a folder.
#[derive(Debug)]
pub(super) struct Progress {
    pub folder: String,
    pub state: State,
    /// Number of figures left to be read.
    pub left: usize,
    /// Whether a draft of the year is written.
    pub has_draft: bool,
    /// The first day to come on which a file that was read comes into force.
    pub from: Option<Date>,
    pub reasons: Vec<Reason>,
}

impl Progress {
    /// The progress of a folder, from its files of the year.
    pub(super) fn new(folder: &Folder, lines: &[Line], year: i16, today: Date) -> Self {
        let end = Date::new(year, 12, 31).unwrap_or(today);
        let scale = folder.latest().and_then(Edition::scale);
        let files = || lines.iter().filter_map(|(file, _)| *file);
        let count = |at: usize| -> usize {
            let counts = lines.iter().filter_map(|(_, counts)| *counts.get(at)?);
            counts.sum()
        };

        // 1. What is left to be read. Without a file of the year, all of the last scale, unless it
        // is known until the end of the year.
        let has_draft = files().any(|(_, is_draft)| is_draft);
        let is_known = |scale: &Scale| scale.known_until >= end;
        let is_missing = files().next().is_none() && !scale.is_some_and(is_known);
        let left = match scale.filter(|_| is_missing) {
            Some(scale) => scale.figures.len(),
            None => count(UNCONFIRMED),
        };

        // 2. What blocks it.
        let mut reasons = Vec::new();
        let (mistakes, doubts) = (count(MISTAKES), folder.doubts().count());
        reasons.extend((mistakes > 0).then_some(Reason::Mistakes(mistakes)));
        reasons.extend((doubts > 0).then_some(Reason::Doubts(doubts)));
        // A text blocks what waits for it; a file of the year that was read goes without.
        if has_draft || is_missing {
            let watch = scale
                .map(|scale| scale.watch.as_slice())
                .unwrap_or_default();
            let awaited = blocking(watch, year, today);
            reasons.extend(awaited.map(|text| Reason::Awaits(text.expected, text.text.clone())));
        }

        // 3. Where it is.
        let from = files()
            .map(|(date, _)| date)
            .filter(|date| *date > today)
            .min();
        let state = if !reasons.is_empty() {
            State::Blocked
        } else if left > 0 {
            State::ToRead
        } else if has_draft || from.is_some() {
            State::Read
        } else {
            State::InForce
        };

        Self {
            folder: folder.path().to_owned(),
            state,
            left,
            has_draft,
            from,
            reasons,
        }
    }

    /// Adds its members to a file of the folder.
    pub(super) fn add_to(&self, file: &mut Value) {
        let words = |reason: &Reason| match reason {
            Reason::Mistakes(count) => format!("fautes : {count}"),
            Reason::Doubts(count) => format!("doutes : {count}"),
            Reason::Awaits(day, text) => format!("attend le {day} : {text}"),
        };
        if let Value::Object(members) = file {
            members.insert("etat".to_owned(), self.state.word().into());
            members.insert("a_lire".to_owned(), self.left.into());
            let reasons: Vec<String> = self.reasons.iter().map(words).collect();
            members.insert("bloque_par".to_owned(), reasons.into());
        }
    }

    /// A folder that cannot be read, for programs: it has no count of a file but its mistakes.
    pub(super) fn alone(&self) -> Value {
        let mistakes = self.reasons.iter().find_map(|reason| match reason {
            Reason::Mistakes(count) => Some(*count),
            _ => None,
        });
        let nothing = Value::Null;
        let mut one = json!({
            "bareme": self.folder, "fichier": nothing, "a_confirmer": nothing, "sans_loi": nothing,
            "cas": nothing, "calcules": nothing, "fautes": mistakes, "attendu": [],
        });
        self.add_to(&mut one);
        one
    }
}

/// The awaited texts that have not come and block a year. Those of the course of the year block
/// only what awaits nothing else: where a text was due before, there is something to read.
fn blocking(watch: &[PendingText], year: i16, today: Date) -> impl Iterator<Item = &PendingText> {
    let start = Date::new(year, 1, 1).unwrap_or(today);
    let end = Date::new(year, 12, 31).unwrap_or(today);
    let coming = move |text: &&PendingText| text.expected >= today && text.expected <= end;

    let is_early = watch
        .iter()
        .filter(coming)
        .any(|text| text.expected <= start);
    let has_passed = watch.iter().any(|text| text.expected < today);
    watch
        .iter()
        .filter(coming)
        .filter(move |_| is_early || !has_passed)
}

/// The place of the figures to confirm among the counts of a file.
const UNCONFIRMED: usize = 0;
/// That of its mistakes.
const MISTAKES: usize = 4;

/// The dated folders that could not be loaded: mistakes in what is in force block all of them.
pub(super) fn broken(set: &FileSet, read: &Rules) -> Vec<Progress> {
    let known: BTreeSet<&str> = read.folders().map(Folder::path).collect();
    let is_dated = |folder: &&str| {
        let files = set.of_folder(folder);
        let is_day = |path: &str| {
            let name = path
                .rsplit('/')
                .next()
                .and_then(|name| name.strip_suffix(".yaml"));
            name.is_some_and(|name| name.parse::<Date>().is_ok())
        };
        files.paths().any(is_day)
    };

    set.folders()
        .filter(|folder| !known.contains(folder))
        .filter(is_dated)
        .map(|folder| {
            let report = Loader::new().load_files(&set.with_called(folder)).report;
            Progress {
                folder: folder.to_owned(),
                state: State::Blocked,
                left: 0,
                has_draft: false,
                from: None,
                reasons: vec![Reason::Mistakes(report.errors().count())],
            }
        })
        .collect()
}
