//! Reports: the diagnostics of one load of rule files.

use serde::Serialize;

use crate::text::diagnostic::{Diagnostic, Severity};
use crate::text::limits::{ERRORS, Limit};
use crate::text::{Lang, Place, Problem};

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
        // The number of all diagnostics is at hand, and bounds that of the errors.
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

        // Sorted first, so that the errors kept are those at the top of the file, where an author
        // begins.
        if !is_ok && other.diagnostics.len() > ERRORS.most {
            other.sort();
            other.diagnostics.truncate(ERRORS.most);
            if let Some(place) = other.diagnostics.last().map(|last| last.place.clone()) {
                other.error(&place, ERRORS.problem());
            }
        }

        self.extend(other);
    }

    /// A report of the diagnostics for which `is_kept` is true.
    pub(crate) fn only(&self, is_kept: impl Fn(&Diagnostic) -> bool) -> Self {
        Self {
            diagnostics: self
                .diagnostics
                .iter()
                .filter(|found| is_kept(found))
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
        // Another finding at the place of an error is mostly a consequence of it.
        let has_error = |place: &Place| {
            self.errors()
                .any(|error| error.place.span.start == place.span.start)
        };
        let new: Vec<Diagnostic> = other
            .diagnostics
            .into_iter()
            .filter(|one| !has_error(&one.place))
            .collect();

        self.diagnostics.extend(new);
    }

    /// Sorts the diagnostics by files and lines, and removes duplicates.
    pub(crate) fn sort(&mut self) {
        self.diagnostics.sort_by(|a, b| a.rank().cmp(&b.rank()));

        // Two checks may report the same mistake in the same words: an author reads it once.
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
