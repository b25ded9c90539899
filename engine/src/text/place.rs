//! The files of rules, and places in them.

use std::ops::Range;
use std::sync::Arc;

/// The text of one file, kept so that a message can show its line.
///
/// ```
/// let file = bareme_engine::text::RuleFile::new("zz/method.yaml", "format: bareme/1\n");
/// assert_eq!((file.path(), file.text()), ("zz/method.yaml", "format: bareme/1\n"));
/// ```
#[derive(Debug)]
pub struct RuleFile {
    path: String,
    pub(super) text: String,
}

impl RuleFile {
    /// A file of the rule folder; `path` is relative to it, with `/` between the names.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self {
            path: path.into(),
            text: text.into(),
        })
    }

    /// Path relative to the rule folder.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Path of the folder of the file, empty at the root.
    pub(crate) fn folder(&self) -> &str {
        folder_of(&self.path)
    }

    /// File name, the last part of the path.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// The text as it was read, line endings included.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column, from 1, of a byte offset.
    pub(super) fn position(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;

        // In characters, as editors count: `é` is two bytes and one column.
        let column = before
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count()
            + 1;

        (line, column)
    }

    /// A line by its number, from 1, without its ending.
    pub(super) fn line(&self, number: usize) -> &str {
        self.text
            .split('\n')
            .nth(number - 1)
            .unwrap_or_default()
            .trim_end_matches('\r')
    }
}

/// Path of the folder of a file, empty at the root.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A place in a file.
///
/// ```
/// use bareme_engine::text::{Place, RuleFile};
///
/// let file = RuleFile::new("zz/method.yaml", "format: bareme/1\ntitle: Taxe\n");
/// assert_eq!(Place::new(&file, 24..28).line(), 2);
/// ```
#[derive(Debug, Clone)]
pub struct Place {
    pub(super) file: Arc<RuleFile>,
    pub(super) span: Range<usize>,
}

impl Place {
    /// The bytes `span` of `file`.
    pub fn new(file: &Arc<RuleFile>, span: Range<usize>) -> Self {
        Self {
            file: Arc::clone(file),
            span,
        }
    }

    /// The file as a whole, shown by its first line.
    pub fn of_file(file: &Arc<RuleFile>) -> Self {
        Self::new(file, 0..0)
    }

    /// The file.
    pub fn file(&self) -> &Arc<RuleFile> {
        &self.file
    }

    /// Range of bytes of the place in the file.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.file.position(self.span.start).0
    }
}
