//! The references of one answer: those of its scale, and those of the other folders that its steps
//! calculate.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::law::FigureId;
use crate::law::callee::CitedRows;
use crate::text::json::{Datum, List};

use super::{FigureRemark, Reference};

/// The references of one answer, looked up on demand; their JSON is usually formatted in advance.
#[derive(Debug)]
pub(crate) struct CitedReferences<'f> {
    /// Those of the scale, with the rows found that have their own sources or remarks.
    own: CitedRows<'f>,
    /// Those of the other folders that steps calculate.
    called: Vec<CitedRows<'f>>,
    with_evidence: bool,
    found: OnceCell<Vec<Reference<'f>>>,
    unsourced: OnceCell<Vec<FigureRemark<'f>>>,
}

impl<'f> CitedReferences<'f> {
    /// The references, to be looked up on demand, of an answer in which these rows were found.
    pub(crate) fn new(own: CitedRows<'f>, called: Vec<CitedRows<'f>>, with_evidence: bool) -> Self {
        // Nothing is looked up yet: many answers are read for their amounts alone.
        Self {
            own,
            called,
            with_evidence,
            found: OnceCell::new(),
            unsourced: OnceCell::new(),
        }
    }

    /// Those of the scale, then those of the other folders, each once; what confirms figures comes
    /// last.
    pub(crate) fn list(&self) -> &Vec<Reference<'f>> {
        // Looked up once, and only where the answer shows its references.
        self.found.get_or_init(|| {
            let own = self.own.found(self.with_evidence);
            if self.called.is_empty() {
                return own;
            }

            let called = self.called.iter();
            let found = own
                .into_iter()
                .chain(called.flat_map(|cited| cited.found(self.with_evidence)));
            let mut all: Vec<Reference> = Vec::new();
            for reference in found {
                if !all.iter().any(|known| known.is_equal_to(&reference)) {
                    all.push(reference);
                }
            }

            // The evidence of one folder comes after the law of all.
            all.sort_by_key(|reference| reference.source.is_secondary());
            all
        })
    }

    /// The remarks of figures without any reference.
    pub(crate) fn unsourced(&self) -> &Vec<FigureRemark<'f>> {
        self.unsourced.get_or_init(|| {
            let mut all: Vec<FigureRemark> = Vec::new();
            for cited in [&self.own].into_iter().chain(&self.called) {
                for remark in cited
                    .references
                    .unsourced(&cited.rows, cited.read.as_deref())
                {
                    if !all.contains(&remark) {
                        all.push(remark);
                    }
                }
            }
            all
        })
    }
}

impl<'f> CitedRows<'f> {
    fn found(&self, with_evidence: bool) -> Vec<Reference<'f>> {
        let found = self
            .references
            .found(&self.rows, with_evidence, self.read.as_deref());
        let Some(folder) = self.folder else {
            return found;
        };

        // Two folders may give the same id to different texts.
        let qualified = found.into_iter().map(|reference| Reference {
            id: Cow::Owned(format!("{folder}/{}", reference.source.id)),
            written: None,
            ..reference
        });
        qualified.collect()
    }

    /// Whether another calculation cites the same scale with the same options.
    pub(crate) fn is_of_same_scale(&self, other: &Self) -> bool {
        std::ptr::eq(self.references, other.references)
    }

    /// Adds what another calculation cites of the same scale.
    pub(crate) fn join(&mut self, other: Self) {
        let is_new = |row: &(FigureId, usize)| !self.rows.contains(row);
        let rows: Vec<_> = other.rows.into_iter().filter(is_new).collect();
        self.rows.extend(rows);

        self.read = match (self.read.take(), other.read) {
            (Some(read), Some(more)) => Some(
                read.iter()
                    .zip(&more)
                    .map(|(read, more)| *read || *more)
                    .collect(),
            ),
            _ => None,
        };
    }
}

impl List for CitedReferences<'_> {
    fn count(&self) -> usize {
        self.list().len()
    }

    fn item(&self, index: usize) -> Option<Datum<'_>> {
        self.list().item(index)
    }

    fn written(&self) -> Option<&str> {
        // Only an answer without rows of its own, and without evidence, has the usual text.
        let is_usual = self.own.rows.is_empty() && self.called.is_empty() && !self.with_evidence;
        is_usual.then(|| self.own.references.written().usual.as_str())
    }
}
