//! Diagnostics for the authors of rule files: the place, the mistake and how to fix it.

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use crate::text::{Lang, Problem, Text};

pub(crate) use crate::text::place::folder_of;
pub use crate::text::place::{Place, RuleFile};
pub use crate::text::rendering::Rendering;
pub use crate::text::report::Report;

/// Path of the rule folder itself.
pub(crate) const ROOT_PATH: &str = ".";

/// The severity of a diagnostic.
///
/// A [`Report`] lists its errors and its warnings separately.
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
    pub(super) place: Place,
    pub(super) severity: Severity,
    pub(super) problem: Problem,
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
    pub(super) fn rank(&self) -> (&str, usize, Severity, &str) {
        // At one place, errors come first: `Error` is declared before `Warning`.
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
        // `Y` are the codes of what is not YAML.
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
                | Problem::ScaleEnded { .. }
                | Problem::ScaleToEnd { .. }
                | Problem::FiguresUnchanged { .. }
                | Problem::DraftWaits { .. }
        )
    }

    /// Whether it doubts a value, a row, a source or a whole file, beside the file before. What is
    /// doubted in a scale in force must not answer before somebody wrote why it is right
    /// (`reviewed`): [`Folder::doubts`](crate::Folder::doubts).
    pub fn is_doubt(&self) -> bool {
        matches!(
            self.problem,
            Problem::ValueMoved { .. }
                | Problem::BoundMoved { .. }
                | Problem::RowLost { .. }
                | Problem::RateFalls { .. }
                | Problem::ValuesSwapped { .. }
                | Problem::OutOfStep { .. }
                | Problem::BackToBefore { .. }
                | Problem::SourceUnchanged { .. }
                | Problem::ScaleCopied { .. }
                | Problem::SourceOfOtherYear { .. }
                | Problem::TextOfTwoDays { .. }
                | Problem::GazetteBeforeText { .. }
                | Problem::OutOfStepOfText { .. }
                | Problem::NoLongerEqual { .. }
                | Problem::NoLongerJoined { .. }
                | Problem::BoundsShifted { .. }
                | Problem::BoundsByOneFactor { .. }
                | Problem::ValueUnlisted { .. }
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
/// let errors = errors.as_array().ok_or("no list")?;
/// let twice = errors.iter().find(|error| error["code"] == "Y02").ok_or("no error")?;
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
