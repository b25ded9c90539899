//! What is reported to the author of a rule file: where, what is wrong, and how to fix it.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::limits::{ERRORS, Limit};
use crate::problem::Problem;
use crate::wrap::wrapped;

/// Path of the rule folder itself.
pub(crate) const ROOT: &str = ".";

/// Language of the messages for authors of rule files.
///
/// The example of [`Report`] reads a message in one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lang {
    /// French, the language of the rule files.
    #[default]
    Fr,
    /// English.
    En,
}

/// The text of one file, kept so that a message can show the line it speaks of.
///
/// ```
/// let file = bareme_engine::RuleFile::new("zz/method.yaml", "format: bareme/1\n");
/// assert_eq!((file.path(), file.text()), ("zz/method.yaml", "format: bareme/1\n"));
/// ```
#[derive(Debug)]
pub struct RuleFile {
    path: String,
    text: String,
}

impl RuleFile {
    /// A file of the rule folder; `path` is relative to it, with `/` between the names.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { path: path.into(), text: text.into() })
    }

    /// Path relative to the rule folder.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Path of the folder that it is in, empty at the root.
    pub(crate) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map(|(folder, _)| folder).unwrap_or_default()
    }

    /// Its own name, the last part of its path.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// The text as it was read, line endings included.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column, from 1, of a byte offset.
    fn position(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (line, column)
    }

    /// Byte offset of a line and column, both from 1.
    pub(crate) fn offset(&self, line: usize, column: usize) -> usize {
        let before: usize = self.text.split('\n').take(line.saturating_sub(1)).map(|line| line.len() + 1).sum();
        let inside = self.line(line.max(1)).chars().take(column.saturating_sub(1)).map(char::len_utf8).sum::<usize>();
        (before + inside).min(self.text.len())
    }

    fn line(&self, number: usize) -> &str {
        self.text.split('\n').nth(number - 1).unwrap_or_default().trim_end_matches('\r')
    }
}

/// A place in a file.
///
/// ```
/// use bareme_engine::{Place, RuleFile};
///
/// let file = RuleFile::new("zz/method.yaml", "format: bareme/1\ntitle: Taxe\n");
/// assert_eq!(Place::new(&file, 24..28).line(), 2);
/// ```
#[derive(Debug, Clone)]
pub struct Place {
    file: Arc<RuleFile>,
    span: Range<usize>,
}

impl Place {
    /// The bytes `span` of `file`.
    pub fn new(file: &Arc<RuleFile>, span: Range<usize>) -> Self {
        Self { file: Arc::clone(file), span }
    }

    /// The file as a whole, shown by its first line.
    pub fn of_file(file: &Arc<RuleFile>) -> Self {
        Self::new(file, 0..0)
    }

    /// The file.
    pub fn file(&self) -> &Arc<RuleFile> {
        &self.file
    }

    /// The bytes of the file.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.file.position(self.span.start).0
    }
}

/// How grave a diagnostic is.
///
/// A [`Report`] lists its errors and its warnings apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The rule set is refused.
    Error,
    /// The rule set works, but this is probably not what was meant.
    Warning,
}

/// One thing wrong at one place.
///
/// The example of [`Report`] reads one.
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

    /// Stable code of the kind of mistake.
    pub fn code(&self) -> &'static str {
        self.problem.code()
    }

    /// Error or warning.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// Whether it only reminds of the day: the same files deserve it on one day and not on another.
    pub fn is_reminder(&self) -> bool {
        matches!(self.problem, Problem::ScaleEnds { .. } | Problem::FiguresUnchanged { .. })
    }

    /// What is wrong: lower case, no final period, what was written in backticks.
    pub fn message(&self, lang: Lang) -> String {
        self.problem.cause(lang)
    }

    /// How to fix it.
    pub fn cure(&self, lang: Lang) -> String {
        self.problem.cure(lang)
    }

    /// The line it speaks of, without its end.
    pub fn excerpt(&self) -> &str {
        self.place.file.line(self.line())
    }

    /// Everything at once, with the line and a mark under the place.
    pub fn render(&self, how: Rendering) -> String {
        let lang = how.lang;
        let (line, column) = self.place.file.position(self.place.span.start);
        let excerpt = self.place.file.line(line);
        let word = match (self.severity, lang) {
            (Severity::Error, Lang::Fr) => "erreur",
            (Severity::Error, Lang::En) => "error",
            (Severity::Warning, Lang::Fr) => "attention",
            (Severity::Warning, Lang::En) => "warning",
        };
        let cure_word = if lang == Lang::Fr { "remède :" } else { "cure:" };
        let marked = self.place.file.text.get(self.place.span.clone()).unwrap_or_default();
        let marked = marked.split('\n').next().unwrap_or_default().chars().count().max(1);
        let gutter = " ".repeat(line.to_string().len());
        let (excerpt, before) = cropped(excerpt, column - 1, marked);
        let room = excerpt.chars().count().saturating_sub(before).max(1);
        let is_root = self.file() == ROOT && how.root != Path::new("");
        let file = if is_root { how.root.to_owned() } else { how.root.join(self.file()) };
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{}", how.folded(&format!("{word}[{}] {}", self.code(), self.message(lang)), 0));
        if self.place.file.text.is_empty() {
            // A folder, or a file that was not read: there is no line to show.
            let _ = writeln!(out, "{gutter}--> {}", file.display());
        } else {
            let _ = writeln!(out, "{gutter}--> {}:{line}:{column}", file.display());
            let _ = writeln!(out, "{gutter} |");
            let _ = writeln!(out, "{line} | {excerpt}");
            let _ = writeln!(out, "{gutter} | {}{}", " ".repeat(before), "^".repeat(marked.min(room)));
        }
        let cure = self.cure(lang);
        if !cure.is_empty() {
            let cure = how.folded(&format!("{cure_word} {cure}"), gutter.len() + 3);
            let _ = writeln!(out, "{gutter} = {cure}");
        }
        out
    }
}

/// How a diagnostic is written out.
///
/// ```
/// use std::path::Path;
///
/// use bareme_engine::{Lang, Node, Rendering, Report, RuleFile};
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
    /// In a language, with the path of the file from the rule folder and lines as long as they come.
    pub fn new(lang: Lang) -> Self {
        Self { lang, root: Path::new(""), width: None }
    }

    /// With the path of the file from where the rule folder is `root`.
    pub fn under(self, root: &'r Path) -> Self {
        Self { root, ..self }
    }

    /// With sentences broken to a width. The excerpt and its mark stay as they are.
    pub fn within(self, width: usize) -> Self {
        Self { width: Some(width), ..self }
    }

    /// A sentence that starts after `margin` characters; at the start of a line it goes on a little further in,
    /// elsewhere below itself.
    fn folded(self, sentence: &str, margin: usize) -> String {
        let Some(width) = self.width else { return sentence.to_owned() };
        let inset = if margin == 0 { "  " } else { "" };
        let lines = wrapped(sentence, width.saturating_sub(margin), inset);
        lines.join(&format!("\n{}", " ".repeat(margin)))
    }
}

/// A line cut to what fits beside its number, and the characters that are then before the mark.
fn cropped(line: &str, before: usize, marked: usize) -> (String, usize) {
    const WIDE: usize = 72;
    const ELLIPSIS: char = '…';
    let length = line.chars().count();
    if length <= WIDE {
        return (line.to_owned(), before);
    }
    // Most of the room goes to what stands before the mark: it says what the mark is about.
    let start = if before + marked.min(WIDE / 2) <= WIDE { 0 } else { before.saturating_sub(WIDE / 2) };
    let mut shown: String = line.chars().skip(start).take(WIDE).collect();
    if start > 0 {
        shown = shown.chars().skip(1).collect();
        shown.insert(0, ELLIPSIS);
    }
    if start + WIDE < length {
        shown.push(ELLIPSIS);
    }
    (shown, before - start)
}

/// Every diagnostic of a reading of rule files.
///
/// ```
/// use bareme_engine::{Lang, Node, Report, RuleFile};
///
/// let mut report = Report::default();
/// Node::read(&RuleFile::new("zz/method.yaml", "title: Un\ntitle: Deux\n"), &mut report);
/// let error = report.errors().next().ok_or("no error")?;
/// assert_eq!((error.code(), error.line()), ("Y02", 2));
/// assert!(error.message(Lang::En).contains("`title`"));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, Default)]
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
        self.diagnostics.push(Diagnostic { place: place.clone(), severity, problem });
    }

    pub(crate) fn extend(&mut self, other: Report) {
        self.diagnostics.extend(other.diagnostics);
    }

    /// Whether so many errors were reported in a file that no more are looked for.
    pub(crate) fn is_full(&self) -> bool {
        self.diagnostics.len() > ERRORS.most && self.errors().count() > ERRORS.most
    }

    /// Takes over what is said of one file; its warnings only if it has no error, of which they are often an
    /// echo: what cannot be read uses nothing. Of a file that has too many errors, the first ones are said.
    pub(crate) fn extend_file(&mut self, mut other: Report) {
        let is_ok = other.is_ok();
        other.diagnostics.retain(|one| is_ok || one.severity == Severity::Error);
        if !is_ok && other.diagnostics.len() > ERRORS.most {
            other.sort();
            other.diagnostics.truncate(ERRORS.most);
            if let Some(place) = other.diagnostics.last().map(|last| last.place.clone()) {
                other.error(&place, ERRORS.problem());
            }
        }
        self.extend(other);
    }

    /// The same with every error as a warning.
    pub(crate) fn demoted(mut self) -> Self {
        self.diagnostics.iter_mut().for_each(|one| one.severity = Severity::Warning);
        self
    }

    /// Takes over what is said of places of which nothing is said yet.
    pub(crate) fn extend_new(&mut self, other: Report) {
        let known = |one: &Diagnostic| self.errors().any(|known| known.place.span.start == one.place.span.start);
        let new: Vec<Diagnostic> = other.diagnostics.into_iter().filter(|one| !known(one)).collect();
        self.diagnostics.extend(new);
    }

    /// In the order of files and lines, each said once.
    pub(crate) fn sort(&mut self) {
        self.diagnostics.sort_by(|a, b| {
            (a.file(), a.place.span.start, a.severity, a.code()).cmp(&(
                b.file(),
                b.place.span.start,
                b.severity,
                b.code(),
            ))
        });
        self.diagnostics.dedup_by(|a, b| {
            a.file() == b.file() && a.place.span == b.place.span && a.message(Lang::En) == b.message(Lang::En)
        });
    }

    /// Whether there is no error (warnings are allowed).
    pub fn is_ok(&self) -> bool {
        self.errors().next().is_none()
    }

    /// The errors.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// The warnings.
    pub fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Warning)
    }

    /// Errors and warnings, in the order of files and lines.
    pub fn all(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter()
    }
}

/// The limits are known before anything is reported.
impl Limit {
    /// Whether so many are accepted; when they are not, says so at the place.
    pub(crate) fn accepts(&self, count: usize, place: &Place, report: &mut Report) -> bool {
        let is_within = count <= self.most;
        if !is_within {
            report.error(place, self.problem());
        }
        is_within
    }
}
