//! Diagnostics for the authors of rule files: the place, the mistake and how to fix it.

use std::fmt::Write as _;
use std::path::Path;

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use crate::say;
use crate::text::limits::{ERRORS, Limit};
use crate::text::wrap::wrapped;
use crate::text::{Lang, Problem, Text};

pub(crate) use crate::text::place::folder_of;
pub use crate::text::place::{Place, RuleFile};

/// Path of the rule folder itself.
pub(crate) const ROOT_PATH: &str = ".";

/// The severity of a diagnostic.
///
/// A [`Report`] lists its errors and its warnings apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The rule set is refused.
    Error,
    /// The rule set works, but this is probably not what was meant.
    Warning,
}

/// A mistake at a place of a file.
///
/// [`Report`] has an example.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    place: Place,
    severity: Severity,
    problem: Problem,
}

impl Diagnostic {
    /// Path of the file, relative to the rule folder.
    pub fn file(&self) -> &str {
        self.place.file.path()
    }

    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.place.file.position(self.place.span.start).0
    }

    /// Column, from 1, in characters.
    pub fn column(&self) -> usize {
        self.place.file.position(self.place.span.start).1
    }

    /// The place of the mistake: the bytes to underline.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Stable code of the kind of mistake.
    pub fn code(&self) -> &'static str {
        self.problem.code()
    }

    /// The mistake as data, for programs that correct what they can.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Sort key of a report: file, place, severity, code.
    fn rank(&self) -> (&str, usize, Severity, &str) {
        (
            self.file(),
            self.place.span.start,
            self.severity,
            self.code(),
        )
    }

    /// Error or warning.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// This diagnostic as an error, where it warns of a draft that is not valid YAML; `None` for
    /// any other. Such a draft stops no service, but a check of the files must not pass over a file
    /// that nobody can read.
    pub fn of_unreadable_draft(&self) -> Option<Self> {
        let is_one = self.severity == Severity::Warning && self.code().starts_with('Y');
        is_one.then(|| Self {
            severity: Severity::Error,
            ..self.clone()
        })
    }

    /// Whether the warning depends on the day of the check (a scale that ends, a draft that waits),
    /// not on the files alone.
    pub fn is_reminder(&self) -> bool {
        matches!(
            self.problem,
            Problem::ScaleEnds { .. }
                | Problem::ScaleOver { .. }
                | Problem::FiguresUnchanged { .. }
                | Problem::DraftWaits { .. }
        )
    }

    /// The cause: lower case, no final period, what was written in backticks.
    pub fn message(&self, lang: Lang) -> String {
        self.problem.cause(lang)
    }

    /// How to fix the mistake.
    pub fn cure(&self, lang: Lang) -> String {
        self.problem.cure(lang)
    }

    /// The line of the file that the place starts on, without the line ending.
    pub fn excerpt(&self) -> &str {
        self.place.file.line(self.line())
    }

    /// The whole message as text: cause, place, line underlined at the place, cure.
    pub fn render(&self, how: Rendering) -> String {
        let lang = how.lang;
        let (line, column) = self.place.file.position(self.place.span.start);
        let excerpt = self.place.file.line(line);
        let word = match self.severity {
            Severity::Error => Text::new("erreur", "error"),
            Severity::Warning => Text::new("attention", "warning"),
        };
        let word = word.in_lang(lang);
        let marked = self
            .place
            .file
            .text
            .get(self.place.span.clone())
            .unwrap_or_default();
        let marked = marked
            .split('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count()
            .max(1);
        let gutter = " ".repeat(line.to_string().len());
        let (excerpt, before) = cropped(excerpt, column - 1, marked);
        let is_root = self.file() == ROOT_PATH && how.root != Path::new("");
        let file = if is_root {
            how.root.to_owned()
        } else {
            how.root.join(self.file())
        };
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{}",
            how.folded(
                &format!("{word}[{}] {}", self.code(), self.message(lang)),
                0
            )
        );
        if self.place.file.text.is_empty() {
            // A folder, or a file that was not read: there is no line to show.
            let _ = writeln!(out, "{gutter}--> {}", file.display());
        } else {
            let _ = writeln!(out, "{gutter}--> {}:{line}:{column}", file.display());
            let _ = writeln!(out, "{gutter} |");
            let _ = writeln!(out, "{line} | {excerpt}");
            let _ = writeln!(
                out,
                "{gutter} | {}{}",
                " ".repeat(columns(&excerpt, 0, before)),
                "^".repeat(columns(&excerpt, before, marked).max(1))
            );
        }
        let cure = self.cure(lang);
        if !cure.is_empty() {
            let cure = how.folded(
                &say!(lang, "remède : {cure}", "cure: {cure}"),
                gutter.len() + 3,
            );
            let _ = writeln!(out, "{gutter} = {cure}");
        }
        out
    }
}

/// Serialized as an object: `file`, `line`, `column`, `severity`, `code`, the `message` and the
/// `cure` in both languages, and as `data` the fields that these texts name.
///
/// ```
/// use bareme_engine::{FileSet, Loader};
///
/// let files = FileSet::from_texts([("zz/method.yaml", "format: bareme/1\nformat: bareme/1\n")]);
/// let report = Loader::new().load_files(&files).report;
/// let errors = serde_json::to_value(&report)?;
/// let twice = errors.as_array().and_then(|errors| errors.iter().find(|error| error["code"] == "Y02")).ok_or("no error")?;
/// assert_eq!(twice["data"]["key"], "format");
/// assert!(twice["cure"]["fr"].is_string());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Diagnostic", 8)?;
        object.serialize_field("file", self.file())?;
        object.serialize_field("line", &self.line())?;
        object.serialize_field("column", &self.column())?;
        object.serialize_field("severity", &self.severity)?;
        object.serialize_field("code", self.code())?;
        object.serialize_field("message", &Text::in_each(|lang| self.message(lang)))?;
        object.serialize_field("cure", &Text::in_each(|lang| self.cure(lang)))?;
        object.serialize_field("data", &self.problem)?;
        object.end()
    }
}

/// Options of the text form of a diagnostic.
///
/// ```
/// use std::path::Path;
///
/// use bareme_engine::{Lang, Report};
/// use bareme_engine::authoring::Node;
/// use bareme_engine::text::{Rendering, RuleFile};
///
/// let mut report = Report::default();
/// Node::read(&RuleFile::new("zz/method.yaml", "title: Un\ntitle: Deux\n"), &mut report);
/// let rendering = Rendering::new(Lang::En).under(Path::new("rules")).within(80);
/// let texts: Vec<String> = report.errors().map(|error| error.render(rendering)).collect();
/// assert!(texts.concat().contains("--> rules/zz/method.yaml:2:1"), "{texts:?}");
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Rendering<'r> {
    lang: Lang,
    root: &'r Path,
    width: Option<usize>,
}

impl<'r> Rendering<'r> {
    /// Options of a rendering in a language, with paths from the rule folder and lines of any
    /// length.
    pub fn new(lang: Lang) -> Self {
        Self {
            lang,
            root: Path::new(""),
            width: None,
        }
    }

    /// Sets the path of the rule folder, which is put before the path of the file.
    pub fn under(self, root: &'r Path) -> Self {
        Self { root, ..self }
    }

    /// Sets the width at which sentences are wrapped. The excerpt and its underline stay as they
    /// are.
    pub fn within(self, width: usize) -> Self {
        Self {
            width: Some(width),
            ..self
        }
    }

    /// Wraps a sentence that starts after `margin` characters. Its further lines are indented by
    /// two spaces where it starts a line, by the margin elsewhere.
    fn folded(self, sentence: &str, margin: usize) -> String {
        let Some(width) = self.width else {
            return sentence.to_owned();
        };
        let inset = if margin == 0 { "  " } else { "" };
        let lines = wrapped(sentence, width.saturating_sub(margin), inset);
        lines.join(&format!("\n{}", " ".repeat(margin)))
    }
}

/// Width in terminal columns of `count` characters of a line from the character `from` on: two for
/// a wide character, none for a combining accent, one for a tab.
fn columns(line: &str, from: usize, count: usize) -> usize {
    let part = line
        .chars()
        .skip(from)
        .take(count)
        .map(|letter| if letter == '\t' { ' ' } else { letter });
    textwrap::core::display_width(&part.collect::<String>())
}

/// Shortens a line to what fits beside its number; also gives the number of characters then left
/// before the underline.
fn cropped(line: &str, before: usize, marked: usize) -> (String, usize) {
    const MAX_WIDTH: usize = 72;
    const ELLIPSIS: char = '…';
    let length = line.chars().count();
    if length <= MAX_WIDTH {
        return (line.to_owned(), before);
    }
    // Most of the width goes to the text before the underline: it gives the context of the mistake.
    let start = if before + marked.min(MAX_WIDTH / 2) <= MAX_WIDTH {
        0
    } else {
        before.saturating_sub(MAX_WIDTH / 2)
    };
    let mut shown: String = line.chars().skip(start).take(MAX_WIDTH).collect();
    if start > 0 {
        shown = shown.chars().skip(1).collect();
        shown.insert(0, ELLIPSIS);
    }
    if start + MAX_WIDTH < length {
        shown.push(ELLIPSIS);
    }
    (shown, before - start)
}

/// Every diagnostic of one load of rule files.
///
/// ```
/// use bareme_engine::{Lang, Report};
/// use bareme_engine::authoring::Node;
/// use bareme_engine::text::RuleFile;
///
/// let mut report = Report::default();
/// Node::read(&RuleFile::new("zz/method.yaml", "title: Un\ntitle: Deux\n"), &mut report);
/// let error = report.errors().next().ok_or("no error")?;
/// assert_eq!((error.code(), error.line()), ("Y02", 2));
/// assert!(error.message(Lang::En).contains("`title`"));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, Default, Serialize)]
#[serde(transparent)]
pub struct Report {
    diagnostics: Vec<Diagnostic>,
}

impl Report {
    pub(crate) fn error(&mut self, place: &Place, problem: Problem) {
        self.push(place, Severity::Error, problem);
    }

    pub(crate) fn warn(&mut self, place: &Place, problem: Problem) {
        self.push(place, Severity::Warning, problem);
    }

    fn push(&mut self, place: &Place, severity: Severity, problem: Problem) {
        self.diagnostics.push(Diagnostic {
            place: place.clone(),
            severity,
            problem,
        });
    }

    pub(crate) fn extend(&mut self, other: Report) {
        self.diagnostics.extend(other.diagnostics);
    }

    /// Whether a file has so many errors that its checks may stop.
    pub(crate) fn is_full(&self) -> bool {
        self.diagnostics.len() > ERRORS.most && self.errors().count() > ERRORS.most
    }

    /// Adds the diagnostics of one file; its warnings only if it has no error, since a warning (an
    /// unused figure) is often a consequence of one. Keeps the first errors of a file that has too
    /// many.
    pub(crate) fn extend_file(&mut self, mut other: Report) {
        let is_ok = other.is_ok();
        other
            .diagnostics
            .retain(|one| is_ok || one.severity == Severity::Error);
        if !is_ok && other.diagnostics.len() > ERRORS.most {
            other.sort();
            other.diagnostics.truncate(ERRORS.most);
            if let Some(place) = other.diagnostics.last().map(|last| last.place.clone()) {
                other.error(&place, ERRORS.problem());
            }
        }
        self.extend(other);
    }

    /// A report of the diagnostics for which `is_wanted` is true.
    pub(crate) fn only(&self, is_wanted: impl Fn(&Diagnostic) -> bool) -> Self {
        Self {
            diagnostics: self
                .diagnostics
                .iter()
                .filter(|found| is_wanted(found))
                .cloned()
                .collect(),
        }
    }

    /// The report with every error turned into a warning.
    pub(crate) fn demoted(mut self) -> Self {
        self.diagnostics
            .iter_mut()
            .for_each(|one| one.severity = Severity::Warning);
        self
    }

    /// Adds the diagnostics whose place has no error yet.
    pub(crate) fn extend_new(&mut self, other: Report) {
        let known = |one: &Diagnostic| {
            self.errors()
                .any(|known| known.place.span.start == one.place.span.start)
        };
        let new: Vec<Diagnostic> = other
            .diagnostics
            .into_iter()
            .filter(|one| !known(one))
            .collect();
        self.diagnostics.extend(new);
    }

    /// Sorts the diagnostics by files and lines, and removes duplicates.
    pub(crate) fn sort(&mut self) {
        self.diagnostics.sort_by(|a, b| a.rank().cmp(&b.rank()));
        self.diagnostics.dedup_by(|a, b| {
            a.file() == b.file()
                && a.place.span == b.place.span
                && a.message(Lang::En) == b.message(Lang::En)
        });
    }

    /// Whether there is no error (warnings are allowed).
    pub fn is_ok(&self) -> bool {
        self.errors().next().is_none()
    }

    /// The errors.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// The warnings.
    pub fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Warning)
    }

    /// Errors and warnings, in the order of files and lines.
    pub fn all(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter()
    }
}

/// Kept beside the reports: the module of the limits does not depend on them.
impl Limit {
    /// Whether `count` is within the limit; reports it at the place if not.
    pub(crate) fn accepts(&self, count: usize, place: &Place, report: &mut Report) -> bool {
        let is_within = count <= self.most;
        if !is_within {
            report.error(place, self.problem());
        }
        is_within
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_stands_under_its_word_behind_wide_letters_and_accents_of_their_own() {
        for (line, marks) in [
            ("title: abc", "       ^^^"),
            ("title: 中文 abc", "            ^^^"),
            ("titre\u{301}: abc", "       ^^^"),
            ("title: 中文", "       ^^^^"),
        ] {
            let file = RuleFile::new("f.yaml", line);
            let start = line.rfind(' ').unwrap() + 1;
            let mut report = Report::default();
            report.error(&Place::new(&file, start..line.len()), Problem::EmptyFile {});
            let shown = report
                .errors()
                .next()
                .unwrap()
                .render(Rendering::new(Lang::En));
            assert!(shown.contains(&format!("\n  | {marks}\n")), "{shown}");
        }
    }
}
