//! References: the sources that an answer cites, those of the figures of the scale and those of the
//! rows found. Sources that a figure was only checked against are evidence, listed after the others
//! in explanations.

mod cited;
mod remark;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use crate::law::members::{REFERENCE, visit_members};
use crate::law::option::OptionSet;
use crate::law::{Figure, FigureId, Remark, Row, Shape, Source};
use crate::text::json::{Datum, Key, Object};

pub(crate) use cited::CitedReferences;
pub use remark::{FigureRemark, OwnedRemark};
use remark::{SourcedRemark, remarks_under};

/// The sources of a scale, indexed by the figures that cite them.
#[derive(Debug)]
pub(crate) struct References {
    sources: Arc<[Source]>,
    figures: Arc<[Cited]>,
    /// The options that are on.
    on: OptionSet,
    /// Whether each source sets a whole figure: it is then in every answer.
    always: Vec<bool>,
    /// Whether each source is evidence for a whole figure: it is then in every answer that shows
    /// evidence.
    always_evidence: Vec<bool>,
    /// Whether a figure with remarks has no reference to show them under.
    has_unsourced: bool,
    /// The JSON texts, once an answer shows them: many scales are never asked for.
    written: OnceLock<Written>,
}

/// JSON texts that answers share.
#[derive(Debug)]
struct Written {
    /// Each source with the remarks of whole figures.
    each: Vec<String>,
    /// The references of an answer without rows of their own.
    usual: String,
}

/// The sources that a figure, or a row of it, names.
#[derive(Debug)]
struct Citing {
    sources: Vec<usize>,
    evidence: Vec<usize>,
    remark: Remark,
}

/// A figure, with the sources that it names.
#[derive(Debug)]
pub(crate) struct Cited {
    name: String,
    whole: Citing,
    rows: Vec<Citing>,
    /// The option that it belongs to; `None` for figures of the method itself.
    option: Option<usize>,
}

impl Cited {
    /// The figures of a scale.
    pub(crate) fn all(figures: &[Figure], shapes: &[Shape]) -> Arc<[Self]> {
        figures
            .iter()
            .zip(shapes)
            .map(|(figure, shape)| Self::new(figure, shape))
            .collect()
    }

    fn new(figure: &Figure, shape: &Shape) -> Self {
        // The details that references need are copied, so that they do not keep the figure's
        // values.
        let row = |row: &Row| Citing {
            sources: row.sources.clone(),
            evidence: row.evidence.clone(),
            remark: row.remark.clone(),
        };

        Self {
            name: shape.name.clone(),
            whole: Citing {
                sources: figure.sources.clone(),
                evidence: figure.evidence.clone(),
                remark: figure.remark.clone(),
            },
            rows: figure.rows.iter().map(row).collect(),
            option: shape.option,
        }
    }

    fn parts(&self) -> impl Iterator<Item = &Citing> {
        [&self.whole].into_iter().chain(&self.rows)
    }

    /// Whether a source sets the figure, or a row of it.
    fn is_set_by(&self, source: usize) -> bool {
        self.parts().any(|part| part.sources.contains(&source))
    }

    /// Whether the figure, or a row of it, names a source.
    fn names(&self, source: usize) -> bool {
        self.is_set_by(source) || self.parts().any(|part| part.evidence.contains(&source))
    }
}

/// A source that an answer cites.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// # let sent = [("montant".to_owned(), "120".to_owned()), ("sens".to_owned(), "ttc".to_owned())];
/// # let calculation = folder.calculate(&sent[..].into(), jiff::civil::date(2026, 3, 31))?;
/// assert!(calculation.references().iter().all(|reference| !reference.source.title.is_empty()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Reference<'f> {
    /// Its id in the answer: that of the source, after the path of its folder where a step calculates
    /// that one.
    pub id: Cow<'f, str>,
    /// The source.
    pub source: &'f Source,
    /// Remarks on the figures that it sets and that are not certain.
    pub remarks: Vec<FigureRemark<'f>>,
    /// Its JSON text, where it was formatted in advance.
    written: Option<&'f str>,
}

impl References {
    /// The references for a combination of options: figures of the options that are off are not
    /// cited.
    pub(crate) fn new(sources: &Arc<[Source]>, figures: &Arc<[Cited]>, on: OptionSet) -> Self {
        let (always, always_evidence) = always_cited(sources, figures, &|figure| {
            figure
                .of(figures)
                .is_some_and(|cited| on.runs(cited.option))
        });

        let has_unsourced = figures.iter().any(|figure| {
            let bears_none = |part: &Citing| part.sources.is_empty() && !part.remark.is_empty();
            on.runs(figure.option)
                && figure.whole.sources.is_empty()
                && figure.parts().any(bears_none)
        });
        let written = OnceLock::new();
        Self {
            sources: Arc::clone(sources),
            figures: Arc::clone(figures),
            on,
            always,
            always_evidence,
            has_unsourced,
            written,
        }
    }

    /// The JSON texts that answers share.
    fn written(&self) -> &Written {
        self.written.get_or_init(|| {
            // Without rows: these are the texts that answers share.
            let remarks = self.remarks(&[], None);

            let each = self.sources.iter().enumerate().map(|(index, source)| {
                let remarks = remarks_under(index, &remarks)
                    .map(SourcedRemark::of_figure)
                    .collect();
                Datum::Object(&Reference {
                    id: Cow::Borrowed(&source.id),
                    source,
                    remarks,
                    written: None,
                })
                .to_string()
            });

            let each: Vec<String> = each.collect();

            // A source that sets a whole figure is in every answer.
            let cited = ranks_of(&self.always)
                .into_iter()
                .filter_map(|index| each.get(index));

            let usual = format!(
                "[{}]",
                cited.map(String::as_str).collect::<Vec<&str>>().join(",")
            );

            Written { each, usual }
        })
    }

    /// The sources that the method itself cites, options aside, in the order of the file.
    pub(crate) fn of_the_method(&self) -> impl Iterator<Item = &Source> {
        let is_own = |index: usize| {
            self.figures
                .iter()
                .any(|cited| self.is_on(cited) && cited.is_set_by(index))
        };

        let is_named = |index: usize| self.figures.iter().any(|cited| cited.names(index));

        // A source that no figure names is of the method as a whole, whatever its options.
        let sources = self.sources.iter().enumerate();
        sources
            .filter(move |(index, _)| is_own(*index) || !is_named(*index))
            .map(|(_, source)| source)
    }

    /// The remarks of an answer in which these rows were found, in the order of its references.
    pub(crate) fn remarks_of(&self, rows: &[(FigureId, usize)]) -> Vec<OwnedRemark> {
        let references = self.found(rows, false, None);
        let sourced = references.iter().flat_map(|reference| &reference.remarks);
        let unsourced = self.unsourced(rows, None);
        sourced.chain(&unsourced).map(OwnedRemark::from).collect()
    }

    /// Whether the option of a figure is on, if it has one.
    fn is_on(&self, figure: &Cited) -> bool {
        self.on.runs(figure.option)
    }

    fn row(&self, (figure, row): (FigureId, usize)) -> Option<(&Cited, &Citing)> {
        let figure = figure.of(&self.figures)?;
        Some((figure, figure.rows.get(row)?))
    }

    /// Whether an answer that reads some figures cites one; `None`: it reads all of them.
    fn is_read(&self, figure: FigureId, read: Option<&[bool]>) -> bool {
        figure
            .of(&self.figures)
            .is_some_and(|cited| self.is_on(cited))
            && read.is_none_or(|read| figure.of(read).copied().unwrap_or_default())
    }

    /// The references of an answer in which these rows were found; evidence comes last.
    fn found(
        &self,
        rows: &[(FigureId, usize)],
        with_evidence: bool,
        read: Option<&[bool]>,
    ) -> Vec<Reference<'_>> {
        let of_some = read.map(|_| {
            always_cited(&self.sources, &self.figures, &|figure| {
                self.is_read(figure, read)
            })
        });
        let (always, always_evidence) = match &of_some {
            Some((always, evidence)) => (always, evidence),
            None => (&self.always, &self.always_evidence),
        };

        let rows_found = || rows.iter().filter_map(|place| self.row(*place));
        // The sources of whole figures are always cited; each row found adds its own.
        let sources = marked(always, rows_found().flat_map(|(_, row)| &row.sources));
        let mut ranks = ranks_of(&sources);
        // A source that sets a figure is no evidence beside it, even for another one.
        if with_evidence {
            let evidence = marked(
                always_evidence,
                rows_found().flat_map(|(_, row)| &row.evidence),
            );
            ranks.extend(
                ranks_of(&evidence)
                    .into_iter()
                    .filter(|index| sources.get(*index) != Some(&true)),
            );
        }

        // A remark is shown once, under the first source of its figure or of its row.
        let remarks = self.remarks(rows, read);
        // The texts that answers share have the remarks of all figures.
        ranks
            .into_iter()
            .filter_map(|index| self.reference(index, &remarks))
            .map(|reference| Reference {
                written: reference.written.filter(|_| read.is_none()),
                ..reference
            })
            .collect()
    }

    /// The remarks of figures without any reference, in an answer in which these rows were found.
    fn unsourced(
        &self,
        rows: &[(FigureId, usize)],
        read: Option<&[bool]>,
    ) -> Vec<FigureRemark<'_>> {
        // Most scales have none: their answers look for none.
        if !self.has_unsourced {
            return Vec::new();
        }

        // A remark without a source is in no reference: the answer has a member for it.
        let remarks = self
            .remarks(rows, read)
            .into_iter()
            .filter(|remarked| remarked.first.is_none());

        remarks
            .map(|remarked| FigureRemark {
                figure: remarked.figure,
                remark: remarked.remark,
            })
            .collect()
    }

    /// The remarks of the whole figures that are cited, then those of the rows found.
    fn remarks(&self, rows: &[(FigureId, usize)], read: Option<&[bool]>) -> Vec<SourcedRemark<'_>> {
        let whole = FigureId::enumerate(&self.figures)
            .filter(|(figure, _)| self.is_read(*figure, read))
            .map(|(_, cited)| SourcedRemark::whole(cited));

        let own = rows.iter().filter_map(|place| self.row(*place));
        let own = own.map(|(figure, row)| SourcedRemark::row(figure, row));

        whole
            .chain(own)
            .filter(|remarked| !remarked.remark.is_empty())
            .collect()
    }

    /// A source with the remarks to show under it.
    fn reference<'f>(
        &'f self,
        index: usize,
        remarks: &[SourcedRemark<'f>],
    ) -> Option<Reference<'f>> {
        let own = || remarks_under(index, remarks);
        // Without remarks of rows, the JSON is one that answers share.
        let is_whole = !own().any(|remarked| remarked.is_of_row);
        let written = if is_whole {
            self.written().each.get(index).map(String::as_str)
        } else {
            None
        };

        let remarks = own().map(SourcedRemark::of_figure).collect();
        let source = self.sources.get(index)?;
        Some(Reference {
            id: Cow::Borrowed(&source.id),
            source,
            remarks,
            written,
        })
    }

    /// Ids of the sources of some figures and of their rows found, for the line of a step.
    pub(crate) fn ids(&self, figures: &[FigureId], rows: &[(FigureId, usize)]) -> Vec<&str> {
        let mut ids: Vec<&str> = Vec::new();
        let of_rows = rows.iter().filter(|(figure, _)| figures.contains(figure));
        let of_rows = of_rows
            .filter_map(|place| self.row(*place))
            .flat_map(|(_, row)| &row.sources);

        let of_figures = figures.iter().filter_map(|figure| figure.of(&self.figures));
        let of_figures = of_figures.flat_map(|figure| &figure.whole.sources);

        // Those of the figures come first, then those of the rows, each once.
        for source in of_figures
            .chain(of_rows)
            .filter_map(|index| self.sources.get(*index))
        {
            if !ids.contains(&source.id.as_str()) {
                ids.push(&source.id);
            }
        }

        ids
    }
}

/// For each source, whether every answer that reads some figures cites it, and whether every such
/// answer that shows evidence does.
fn always_cited(
    sources: &[Source],
    figures: &[Cited],
    is_read: &dyn Fn(FigureId) -> bool,
) -> (Vec<bool>, Vec<bool>) {
    let by_rank = |is_cited: &dyn Fn(usize, &Source) -> bool| {
        sources
            .iter()
            .enumerate()
            .map(|(index, source)| is_cited(index, source))
            .collect::<Vec<bool>>()
    };

    // The figures of options that are off are not cited.
    let any = |holds: &dyn Fn(&Cited) -> bool| {
        FigureId::enumerate(figures).any(|(figure, cited)| is_read(figure) && holds(cited))
    };

    if FigureId::enumerate(figures).any(|(figure, _)| is_read(figure)) {
        let sets = by_rank(&|index, _| any(&|cited| cited.whole.sources.contains(&index)));
        return (
            sets,
            by_rank(&|index, _| any(&|cited| cited.whole.evidence.contains(&index))),
        );
    }
    // A method without figures cites all of its sources.
    let is_free = |index: usize| !figures.iter().any(|cited| cited.names(index));
    let sets = by_rank(&|index, source| is_free(index) && !source.is_secondary());
    (
        sets,
        by_rank(&|index, source| is_free(index) && source.is_secondary()),
    )
}

/// The marks, with some more indices set.
fn marked<'r>(always: &[bool], more: impl Iterator<Item = &'r usize>) -> Vec<bool> {
    // The marks of all answers are copied, for one answer to add its own.
    let mut marks = always.to_vec();
    for index in more {
        if let Some(mark) = marks.get_mut(*index) {
            *mark = true;
        }
    }
    marks
}

fn ranks_of(marks: &[bool]) -> Vec<usize> {
    marks
        .iter()
        .enumerate()
        .filter(|(_, mark)| **mark)
        .map(|(index, _)| index)
        .collect()
}

impl Reference<'_> {
    /// Whether another answer has an equal reference, with the same remarks.
    pub(crate) fn is_equal_to(&self, other: &Self) -> bool {
        // Editions of one folder have lists of sources of their own: their texts are compared where
        // the sources are not the same one.
        let written = |reference: &Self| Datum::Object(reference).to_string();
        let is_same = || self.id == other.id && written(self) == written(other);
        (std::ptr::eq(self.source, other.source)
            && self.id == other.id
            && self.remarks == other.remarks)
            || is_same()
    }
}

impl Object for Reference<'_> {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        let source = self.source;
        let values = [
            Some(Datum::Text(&self.id)),
            Some(Datum::Text(&source.title)),
            source.article.as_deref().map(Datum::Text),
            Some(Datum::Text(&source.publisher)),
            source.published.as_deref().map(Datum::Text),
            source.date.as_ref().map(|date| Datum::Shown(date)),
            source.identifier.as_deref().map(Datum::Text),
            source.url.as_deref().map(Datum::Text),
            Some(Datum::Text(source.kind.french())),
            (!self.remarks.is_empty()).then_some(Datum::List(&self.remarks)),
        ];
        visit_members(&REFERENCE, values, visit);
    }
    fn written(&self) -> Option<&str> {
        self.written
    }
}
