//! The examples of the messages: one mistake each in small sound rules, and how it is mended.
//!
//! `examples.txt` holds both as edits, and says how they are written. The message that is shown is
//! the one that the check of the mistaken rules gives.

use std::collections::BTreeMap;

use bareme_engine::service::Loaded;
use bareme_engine::set::lint;
use bareme_engine::{Diagnostic, FileSet, Loader};
use jiff::civil::{Date, date};

const EXAMPLES: &str = include_str!("examples.txt");
/// The line between the edits that make a mistake and those that mend it.
const MENDED: &str = "mended";

/// The sound rules, in which the tests of messages make their mistakes too.
const SOUND: [(&str, &str); 5] = [
    (
        "service.yaml",
        include_str!("../../../../tests/broken/base/service.yaml"),
    ),
    (
        "zz/method.yaml",
        include_str!("../../../../tests/broken/base/zz/method.yaml"),
    ),
    (
        "zz/2026-01-01.yaml",
        include_str!("../../../../tests/broken/base/zz/2026-01-01.yaml"),
    ),
    (
        "zz/cases.yaml",
        include_str!("../../../../tests/broken/base/zz/cases.yaml"),
    ),
    (
        "zz/picture.svg",
        include_str!("../../../../tests/broken/base/zz/picture.svg"),
    ),
];
/// The day on which they are checked, since some warnings depend on it.
const DAY: Date = date(2026, 5, 1);

/// The example of a message.
#[derive(Debug)]
pub(super) struct Example {
    /// The message about the mistake.
    pub message: Diagnostic,
    /// Where the mistake is mended.
    pub places: Vec<Place>,
}

/// A place of a file, before and after it is mended: whole lines, or the whole file.
#[derive(Debug)]
pub(super) struct Place {
    pub file: String,
    pub before: String,
    /// `None` for a file that is not to be there.
    pub after: Option<String>,
}

/// The example of a code; `None` if it has none.
pub(super) fn example(code: &str) -> Option<Example> {
    let lines = lines_of(code)?;
    let mut halves = lines.split(|line| *line == MENDED);
    let (mistake, mend) = (edits(halves.next()?), halves.next().map(edits));

    // 1. The mistake, made in the sound rules.
    let mut files: Files = SOUND
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect();
    let made = apply(&mistake, &mut files)?;

    // 2. What a check says of it.
    let message = checked(&files)
        .into_iter()
        .find(|found| found.code() == code)?;

    // 3. The mend: edits of its own, or the mistake undone.
    let places = match mend {
        Some(mend) => apply(&mend, &mut files)?,
        None => undone(made),
    };
    Some(Example { message, places })
}

/// The places of a mistake that is undone.
fn undone(made: Vec<Place>) -> Vec<Place> {
    // A file beside is what makes some mistakes: it is the mistake itself only where it is all.
    let is_beside = |place: &Place| place.after.is_none();
    let (beside, own): (Vec<Place>, Vec<Place>) = made.into_iter().partition(is_beside);

    if own.is_empty() {
        return beside;
    }
    own.into_iter().filter_map(Place::undone).collect()
}

/// The texts of rule files by their paths.
type Files = BTreeMap<String, String>;

/// Everything that a check says of rule files.
fn checked(files: &Files) -> Vec<Diagnostic> {
    let Loaded { rules, report } =
        Loader::new().load_service_files(&FileSet::from_texts(files.clone()));
    let advice = rules.as_ref().map(|rules| lint(rules.folders(), DAY));

    let advice = advice.iter().flat_map(|advice| advice.all());
    report.all().chain(advice).cloned().collect()
}

/// The lines of the section of a code.
fn lines_of(code: &str) -> Option<Vec<&'static str>> {
    let mut sections = EXAMPLES.split("\n## ").skip(1);
    sections.find_map(|section| {
        let (own, lines) = section.split_once('\n')?;
        (own == code).then(|| lines.lines().filter(|line| !line.is_empty()).collect())
    })
}

/// The edits of a file, or of a copy of it.
#[derive(Debug)]
struct Edit {
    from: &'static str,
    to: &'static str,
    changes: Vec<Change>,
}

/// Lines to find, and those to put there.
#[derive(Debug, Default)]
struct Change {
    old: Vec<String>,
    new: Vec<String>,
}

fn edits(lines: &[&'static str]) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for line in lines {
        let sign = line.strip_prefix('-').map(|rest| (true, rest));
        let sign = sign.or_else(|| line.strip_prefix('+').map(|rest| (false, rest)));

        match (sign, edits.last_mut()) {
            (Some((is_old, rest)), Some(edit)) => {
                let content = spelled_out(rest.strip_prefix(' ').unwrap_or(rest));
                edit.add(is_old, content);
            }
            _ => {
                let (from, to) = line.split_once(" => ").unwrap_or((line, line));
                edits.push(Edit {
                    from,
                    to,
                    changes: Vec::new(),
                });
            }
        }
    }
    edits
}

/// A line with the characters that are written by their codes: `<00A0>`.
fn spelled_out(line: &str) -> String {
    let mut parts = line.split('<');
    let mut out = parts.next().unwrap_or_default().to_owned();

    for part in parts {
        let coded = part.split_once('>').and_then(|(code, rest)| {
            // No word of a rule file between such brackets is a number of four digits.
            let number = u32::from_str_radix(code, 16).ok();
            let character = number
                .filter(|_| code.len() == 4)
                .and_then(char::from_u32)?;
            Some((character, rest))
        });
        match coded {
            Some((character, rest)) => {
                out.push(character);
                out.push_str(rest);
            }
            None => {
                out.push('<');
                out.push_str(part);
            }
        }
    }
    out
}

impl Edit {
    /// Adds a line to find, or one to put there.
    fn add(&mut self, is_old: bool, content: String) {
        // Lines to find that follow lines to put somewhere start the next change.
        let is_next = self
            .changes
            .last()
            .is_none_or(|last| is_old && !last.new.is_empty());
        if is_next {
            self.changes.push(Change::default());
        }

        if let Some(last) = self.changes.last_mut() {
            let lines = if is_old { &mut last.old } else { &mut last.new };
            lines.push(content);
        }
    }
}

/// Edits files; gives the places that changed, or `None` where an edit finds no place.
fn apply(edits: &[Edit], files: &mut Files) -> Option<Vec<Place>> {
    let mut places = Vec::new();
    for edit in edits {
        let is_new = !files.contains_key(edit.to);
        let mut text = files.get(edit.from).cloned().unwrap_or_default();
        let mut changed = Vec::new();

        for change in &edit.changes {
            let (next, place) = replaced(&text, change, edit.to)?;
            text = next;
            changed.push(place);
        }

        // Of a file that was not there before, the name alone is what is wrong.
        if is_new {
            changed = vec![Place {
                file: edit.to.to_owned(),
                before: String::new(),
                after: None,
            }];
        }
        files.insert(edit.to.to_owned(), text);
        places.extend(changed);
    }
    Some(places)
}

/// A text with a change, and the whole lines that it touched.
fn replaced(text: &str, change: &Change, file: &str) -> Option<(String, Place)> {
    let (old, new) = (change.old.join("\n"), change.new.join("\n"));
    if old.is_empty() {
        // Lines to add at the end follow the last one, which shows where.
        let last = text.trim_end().lines().last().unwrap_or_default();
        let place = Place {
            file: file.to_owned(),
            before: last.to_owned(),
            after: Some(format!("{last}\n{new}")),
        };
        return Some((format!("{text}{new}\n"), place));
    }

    let (head, tail) = text.split_once(&old)?;
    let start = head.rsplit_once('\n').map_or(head, |(_, start)| start);
    let end = tail.split_once('\n').map_or(tail, |(end, _)| end);
    let place = Place {
        file: file.to_owned(),
        before: format!("{start}{old}{end}"),
        after: Some(format!("{start}{new}{end}")),
    };
    Some((format!("{head}{new}{tail}"), place))
}

impl Place {
    /// The same place where what was done to it is to be undone; `None` for a whole file.
    fn undone(self) -> Option<Self> {
        Some(Self {
            file: self.file,
            before: self.after?,
            after: Some(self.before),
        })
    }
}
