//! Remarks on figures: the confidence in them and the notes, under the sources that show them.

use crate::law::Remark;
use crate::law::members::{REMARK, ROW_REMARK, visit_members};
use crate::text::json::{Datum, Key, Object};
use crate::text::lang::Lang;

use super::{Cited, Citing};

/// Confidence in a figure, and the note on it.
///
/// reference.
/// [`Calculation::unsourced`](crate::Calculation::unsourced) lists those of figures without any
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FigureRemark<'f> {
    /// Name of the figure.
    pub figure: &'f str,
    /// The confidence in it, or in a row of it.
    pub remark: &'f Remark,
}

/// A remark on a figure, for an answer that outlives the rules.
///
/// [`Answers::remarks`](crate::run::plan::Answers::remarks) lists those of a row.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OwnedRemark {
    /// Name of the figure.
    pub figure: String,
    /// The confidence in it, or in a row of it.
    pub remark: Remark,
}

impl From<&FigureRemark<'_>> for OwnedRemark {
    fn from(found: &FigureRemark) -> Self {
        Self {
            figure: found.figure.to_owned(),
            remark: found.remark.clone(),
        }
    }
}

/// A remark, its figure and the source under which it is shown: the first of the figure, or of the
/// row.
#[derive(Clone, Copy)]
pub(super) struct SourcedRemark<'r> {
    pub figure: &'r str,
    pub first: Option<usize>,
    pub remark: &'r Remark,
    pub is_of_row: bool,
}

impl<'r> SourcedRemark<'r> {
    pub(super) fn whole(figure: &'r Cited) -> Self {
        let first = figure.whole.sources.first().copied();
        Self {
            figure: &figure.name,
            first,
            remark: &figure.whole.remark,
            is_of_row: false,
        }
    }

    pub(super) fn row(figure: &'r Cited, row: &'r Citing) -> Self {
        // A row without a source of its own is shown under that of its figure.
        let first = row
            .sources
            .first()
            .or(figure.whole.sources.first())
            .copied();

        Self {
            figure: &figure.name,
            first,
            remark: &row.remark,
            is_of_row: true,
        }
    }

    pub(super) fn of_figure(&self) -> FigureRemark<'r> {
        FigureRemark {
            figure: self.figure,
            remark: self.remark,
        }
    }
}

/// The remarks that are shown under a source.
pub(super) fn remarks_under<'r, 's>(
    source: usize,
    remarks: &'s [SourcedRemark<'r>],
) -> impl Iterator<Item = &'s SourcedRemark<'r>> {
    remarks
        .iter()
        .filter(move |remarked| remarked.first == Some(source))
}

/// Confidence and note as JSON values.
fn certainty(remark: &Remark) -> [Option<Datum<'_>>; 2] {
    [
        remark.confidence_in(Lang::Fr).map(Datum::Text),
        remark.note.as_deref().map(Datum::Text),
    ]
}

impl Object for Remark {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        visit_members(&ROW_REMARK, certainty(self), visit);
    }
}

impl Object for FigureRemark<'_> {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        let [confidence, note] = certainty(self.remark);
        visit_members(
            &REMARK,
            [Some(Datum::Text(self.figure)), confidence, note],
            visit,
        );
    }
}

impl Object for OwnedRemark {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        let [confidence, note] = certainty(&self.remark);
        visit_members(
            &REMARK,
            [Some(Datum::Text(&self.figure)), confidence, note],
            visit,
        );
    }
}
