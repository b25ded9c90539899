//! References: the sources that an answer cites, those of the figures of the scale and those of the rows found.
//! Sources that a figure was only checked against are evidence, listed after the others in explanations.

use std::cell::OnceCell;

use crate::law::figure::{Figure, Remark, Row, Shape};
use crate::law::index::FigureId;
use crate::law::members::{REFERENCE, REMARK, ROW_REMARK, visit_members};
use crate::law::option::OptionSet;
use crate::law::source::Source;
use crate::text::json::{Datum, Key, List, Object};
use crate::text::lang::Lang;

/// The sources of a scale, indexed by the figures that cite them.
#[derive(Debug)]
pub(crate) struct References {
    sources: Vec<Source>,
    figures: Vec<Cited>,
    /// Whether each source sets a whole figure: it is then in every answer.
    always: Vec<bool>,
    /// Whether each source is evidence for a whole figure: it is then in every answer that shows evidence.
    always_evidence: Vec<bool>,
    /// JSON text of each source with the remarks of whole figures.
    written: Vec<String>,
    /// JSON text of the references of an answer without rows of their own.
    usual: String,
    /// Whether a figure with remarks has no reference to show them under.
    has_unsourced: bool,
}

/// The sources that a figure, or a row of it, names.
#[derive(Debug)]
struct Citing {
    sources: Vec<usize>,
    evidence: Vec<usize>,
    remark: Remark,
}

#[derive(Debug)]
struct Cited {
    name: String,
    whole: Citing,
    rows: Vec<Citing>,
    /// Whether its option is on; true for figures of the method itself.
    is_on: bool,
}

impl Cited {
    fn new(figure: &Figure, shape: &Shape, on: OptionSet) -> Self {
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
            is_on: on.runs(shape.option),
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
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["tva"]).load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// # let sent = [("montant".to_owned(), "120".to_owned()), ("sens".to_owned(), "ttc".to_owned())];
/// # let calculation = folder.calculate(&sent[..].into(), jiff::civil::date(2026, 3, 31))?;
/// assert!(calculation.references().iter().all(|reference| !reference.source.title.is_empty()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Reference<'f> {
    /// The source.
    pub source: &'f Source,
    /// Remarks on the figures that it sets and that are not certain.
    pub remarks: Vec<FigureRemark<'f>>,
    /// Its JSON text, where it was formatted in advance.
    written: Option<&'f str>,
}

/// Confidence in a figure, and the note on it.
///
/// [`Calculation::unsourced`](crate::Calculation::unsourced) lists those of figures without any reference.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FigureRemark<'f> {
    /// Name of the figure.
    pub figure: &'f str,
    /// The confidence in it, or in a row of it.
    pub remark: &'f Remark,
}

/// The references of one answer, looked up on demand; their JSON is usually formatted in advance.
#[derive(Debug)]
pub(crate) struct CitedReferences<'f> {
    references: &'f References,
    /// Rows found that have their own sources or remarks, as (figure, row).
    rows: Vec<(FigureId, usize)>,
    with_evidence: bool,
    found: OnceCell<Vec<Reference<'f>>>,
    unsourced: OnceCell<Vec<FigureRemark<'f>>>,
}

impl References {
    /// The references for a combination of options: figures of the options that are off are not cited.
    pub(crate) fn new(sources: &[Source], figures: &[Figure], shapes: &[Shape], on: OptionSet) -> Self {
        let figures: Vec<Cited> =
            figures.iter().zip(shapes).map(|(figure, shape)| Cited::new(figure, shape, on)).collect();
        let (always, always_evidence) = always_cited(sources, &figures);
        let has_unsourced = figures.iter().any(|figure| {
            let bears_none = |part: &Citing| part.sources.is_empty() && !part.remark.is_empty();
            figure.is_on && figure.whole.sources.is_empty() && figure.parts().any(bears_none)
        });
        let (written, usual) = (Vec::new(), String::new());
        let sources = sources.to_vec();
        let mut references = Self { sources, figures, always, always_evidence, written, usual, has_unsourced };
        let (whole, every) = (references.remarks(&[]), 0..references.sources.len());
        let written = every.filter_map(|index| references.reference(index, &whole));
        references.written = written.map(|reference| Datum::Object(&reference).to_string()).collect();
        references.usual = Datum::List(&references.found(&[], false)).to_string();
        references
    }

    /// The sources that the method itself cites, options aside, in the order of the file.
    pub(crate) fn of_the_method(&self) -> impl Iterator<Item = &Source> {
        let is_own = |index: usize| self.figures.iter().any(|cited| cited.is_on && cited.is_set_by(index));
        let is_named = |index: usize| self.figures.iter().any(|cited| cited.names(index));
        let sources = self.sources.iter().enumerate();
        sources.filter(move |(index, _)| is_own(*index) || !is_named(*index)).map(|(_, source)| source)
    }

    fn row(&self, (figure, row): (FigureId, usize)) -> Option<(&Cited, &Citing)> {
        let figure = figure.of(&self.figures)?;
        Some((figure, figure.rows.get(row)?))
    }

    /// The references of an answer in which these rows were found; evidence comes last.
    fn found(&self, rows: &[(FigureId, usize)], with_evidence: bool) -> Vec<Reference<'_>> {
        let rows_found = || rows.iter().filter_map(|place| self.row(*place));
        let sources = marked(&self.always, rows_found().flat_map(|(_, row)| &row.sources));
        let mut wanted = ranks_of(&sources);
        if with_evidence {
            let evidence = marked(&self.always_evidence, rows_found().flat_map(|(_, row)| &row.evidence));
            wanted.extend(ranks_of(&evidence).into_iter().filter(|index| sources.get(*index) != Some(&true)));
        }
        let remarks = self.remarks(rows);
        wanted.into_iter().filter_map(|index| self.reference(index, &remarks)).collect()
    }

    /// The remarks of figures without any reference, in an answer in which these rows were found.
    fn unsourced(&self, rows: &[(FigureId, usize)]) -> Vec<FigureRemark<'_>> {
        if !self.has_unsourced {
            return Vec::new();
        }
        let remarks = self.remarks(rows).into_iter().filter(|remarked| remarked.first.is_none());
        remarks.map(|remarked| FigureRemark { figure: remarked.figure, remark: remarked.remark }).collect()
    }

    /// The remarks of the whole figures that are cited, then those of the rows found.
    fn remarks(&self, rows: &[(FigureId, usize)]) -> Vec<SourcedRemark<'_>> {
        let whole = self.figures.iter().filter(|cited| cited.is_on).map(SourcedRemark::whole);
        let own = rows.iter().filter_map(|place| self.row(*place));
        let own = own.map(|(figure, row)| SourcedRemark::row(figure, row));
        whole.chain(own).filter(|remarked| !remarked.remark.is_empty()).collect()
    }

    /// A source with the remarks to show under it.
    fn reference<'f>(&'f self, index: usize, remarks: &[SourcedRemark<'f>]) -> Option<Reference<'f>> {
        let own = remarks.iter().filter(|remarked| remarked.first == Some(index));
        // Without remarks of rows, the JSON was formatted in advance.
        let is_whole = !own.clone().any(|remarked| remarked.is_of_row);
        let written = if is_whole { self.written.get(index).map(String::as_str) } else { None };
        let own = own.map(|remarked| FigureRemark { figure: remarked.figure, remark: remarked.remark });
        Some(Reference { source: self.sources.get(index)?, remarks: own.collect(), written })
    }

    /// The references, to be looked up on demand, of an answer in which these rows were found.
    pub(crate) fn cited(&self, rows: Vec<(FigureId, usize)>, with_evidence: bool) -> CitedReferences<'_> {
        let (found, unsourced) = (OnceCell::new(), OnceCell::new());
        CitedReferences { references: self, rows, with_evidence, found, unsourced }
    }

    /// Ids of the sources of some figures and of their rows found, for the line of a step.
    pub(crate) fn ids(&self, figures: &[FigureId], rows: &[(FigureId, usize)]) -> Vec<&str> {
        let mut ids: Vec<&str> = Vec::new();
        let of_rows = rows.iter().filter(|(figure, _)| figures.contains(figure));
        let of_rows = of_rows.filter_map(|place| self.row(*place)).flat_map(|(_, row)| &row.sources);
        let of_figures = figures.iter().filter_map(|figure| figure.of(&self.figures));
        let of_figures = of_figures.flat_map(|figure| &figure.whole.sources);
        for source in of_figures.chain(of_rows).filter_map(|index| self.sources.get(*index)) {
            if !ids.contains(&source.id.as_str()) {
                ids.push(&source.id);
            }
        }
        ids
    }
}

/// For each source, whether every answer cites it, and whether every answer that shows evidence does.
fn always_cited(sources: &[Source], figures: &[Cited]) -> (Vec<bool>, Vec<bool>) {
    let by_rank = |is_cited: &dyn Fn(usize, &Source) -> bool| {
        sources.iter().enumerate().map(|(index, source)| is_cited(index, source)).collect::<Vec<bool>>()
    };
    let any = |holds: &dyn Fn(&Cited) -> bool| figures.iter().any(|cited| cited.is_on && holds(cited));
    if figures.iter().any(|figure| figure.is_on) {
        let sets = by_rank(&|index, _| any(&|cited| cited.whole.sources.contains(&index)));
        return (sets, by_rank(&|index, _| any(&|cited| cited.whole.evidence.contains(&index))));
    }
    // A method without figures cites all of its sources.
    let is_free = |index: usize| !figures.iter().any(|cited| cited.names(index));
    let sets = by_rank(&|index, source| is_free(index) && !source.is_secondary());
    (sets, by_rank(&|index, source| is_free(index) && source.is_secondary()))
}

/// The marks, with some more indices set.
fn marked<'r>(always: &[bool], more: impl Iterator<Item = &'r usize>) -> Vec<bool> {
    let mut marks = always.to_vec();
    for index in more {
        if let Some(mark) = marks.get_mut(*index) {
            *mark = true;
        }
    }
    marks
}

fn ranks_of(marks: &[bool]) -> Vec<usize> {
    marks.iter().enumerate().filter(|(_, mark)| **mark).map(|(index, _)| index).collect()
}

impl<'f> CitedReferences<'f> {
    pub(crate) fn list(&self) -> &Vec<Reference<'f>> {
        self.found.get_or_init(|| self.references.found(&self.rows, self.with_evidence))
    }

    /// The remarks of figures without any reference.
    pub(crate) fn unsourced(&self) -> &Vec<FigureRemark<'f>> {
        self.unsourced.get_or_init(|| self.references.unsourced(&self.rows))
    }
}

impl Reference<'_> {
    /// Whether another answer has the same references and remarks.
    pub(crate) fn is_alike(&self, other: &Self) -> bool {
        let written = |reference: &Self| Datum::Object(reference).to_string();
        let is_same = || self.source.id == other.source.id && written(self) == written(other);
        (std::ptr::eq(self.source, other.source) && self.remarks == other.remarks) || is_same()
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
        (self.rows.is_empty() && !self.with_evidence).then_some(&self.references.usual)
    }
}

/// A remark, its figure and the source under which it is shown: the first of the figure, or of the row.
#[derive(Clone, Copy)]
struct SourcedRemark<'r> {
    figure: &'r str,
    first: Option<usize>,
    remark: &'r Remark,
    is_of_row: bool,
}

impl<'r> SourcedRemark<'r> {
    fn whole(figure: &'r Cited) -> Self {
        let first = figure.whole.sources.first().copied();
        Self { figure: &figure.name, first, remark: &figure.whole.remark, is_of_row: false }
    }

    fn row(figure: &'r Cited, row: &'r Citing) -> Self {
        let first = row.sources.first().or(figure.whole.sources.first()).copied();
        Self { figure: &figure.name, first, remark: &row.remark, is_of_row: true }
    }
}

/// Confidence and note as JSON values.
fn certainty(remark: &Remark) -> [Option<Datum<'_>>; 2] {
    [remark.confidence_in(Lang::Fr).map(Datum::Text), remark.note.as_deref().map(Datum::Text)]
}

impl Object for Remark {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        visit_members(&ROW_REMARK, certainty(self), visit);
    }
}

impl Object for FigureRemark<'_> {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        let [confidence, note] = certainty(self.remark);
        visit_members(&REMARK, [Some(Datum::Text(self.figure)), confidence, note], visit);
    }
}

impl Object for Reference<'_> {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        let source = self.source;
        let values = [
            Some(Datum::Text(&source.id)),
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

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, method, read, shown};

    use crate::run::folder::Folder;

    fn cited() -> Folder {
        let inputs = "  statut: {type: choice, values: a; b; c, default: a, label: Statut}\n";
        let shapes = "figures:\n  f: {statut: key, v: rate}\n  g: {v: rate}\n";
        let steps = "steps:\n  t: {table: f, by: statut}\n  x: {contribution: brut, rate: t}\n  y: {contribution: brut, with: g, rate: g.v}\nanswer:\n  x: x\n  y: y\n";
        let scale = "format: bareme/1
title: T
sources:
  loi:    {kind: law, title: La loi, publisher: Journal, date: 2026-01-01, url: \"https://example.org\"}
  decret: {kind: law, title: Un décret, publisher: Journal}
  autre:  {kind: law, title: Un autre, publisher: Journal}
figures:
  f:
    source: loi
    note: En moyenne.
    rows: [{statut: a, v: 1%}, {statut: b, v: 2%, source: decret; autre, confidence: low}, {v: 3%, note: Provisoire.}]
  g: {v: 5%, source: loi, confidence: medium, note: Non publié.}
";
        let method = method(&format!("{GROSS}{inputs}{shapes}{steps}"));
        let (folder, report) = read(&[("method.yaml", &method), ("2026-01-01.yaml", scale)]);
        folder.unwrap_or_else(|| panic!("{report:?}"))
    }

    fn remark(figure: &str, rest: &str) -> String {
        format!(r#"{{"figure":"{figure}"{rest}}}"#)
    }

    #[test]
    fn an_answer_cites_the_sources_of_its_figures_with_their_remarks() {
        let law = r#""id":"loi","titre":"La loi","editeur":"Journal","date":"2026-01-01","url":"https://example.org","nature":"loi""#;
        let f = remark("f", r#","note":"En moyenne.""#);
        let g = remark("g", r#","confiance":"moyenne","note":"Non publié.""#);
        assert_eq!(shown(&cited(), "brut=1", "references"), format!(r#"[{{{law},"reserves":[{f},{g}]}}]"#));
    }

    #[test]
    fn a_row_that_is_found_adds_its_own() {
        let reported = shown(&cited(), "brut=1&statut=b", "references");
        let low = remark("f", r#","confiance":"faible""#);
        assert!(
            reported.contains(&format!(
                r#"{{"id":"decret","titre":"Un décret","editeur":"Journal","nature":"loi","reserves":[{low}]}}"#
            )),
            "{reported}"
        );
        assert!(
            reported.contains(r#"{"id":"autre","titre":"Un autre","editeur":"Journal","nature":"loi"}"#),
            "{reported}"
        );
        let reported = shown(&cited(), "brut=1&statut=c", "references");
        assert!(
            reported.contains(&remark("f", r#","note":"Provisoire.""#)) && !reported.contains("decret"),
            "{reported}"
        );
    }

    #[test]
    fn a_step_names_the_sources_of_its_figures_and_of_its_row() {
        assert_eq!(shown(&cited(), "brut=1&statut=b&detail=1", "etapes.0.sources"), r#"["loi","decret","autre"]"#);
        assert_eq!(shown(&cited(), "brut=1&statut=b&detail=1", "etapes.2.sources"), r#"["loi"]"#);
    }

    /// A scale whose figures name legal texts and evidence, one of them without a legal text.
    fn checked() -> Folder {
        let shapes = "figures:\n  f: {cadre: key, v: rate}\n  g: {v: rate}\n";
        let steps = "steps:\n  t: {table: f, by: cadre}\n  x: {contribution: brut, rate: t.v}\n  y: {contribution: brut, with: g, rate: g.v}\nanswer:\n  x: x\n  y: y\n  s: scale.source\n  r: t.source\n";
        let scale = "format: bareme/1
title: T
sources:
  blog:   {kind: secondary, title: Un blog, publisher: Quelqu’un}
  decret: {kind: law, title: Le décret, article: art. 4, publisher: Ministère, published: \"JO n° 3, p. 12\", date: 2026-01-01, identifier: \"2026-41\", url: \"https://example.org\"}
  page:   {kind: administration, title: La page, publisher: La caisse}
  presse: {kind: secondary, title: La presse, publisher: Un journal}
figures:
  f: {rows: [{cadre: true, v: 1%, source: decret, checked_with: page}, {cadre: false, v: 2%, checked_with: presse, confidence: low, note: Texte non retrouvé.}]}
  g: {v: 5%, source: decret, checked_with: blog}
";
        let method = method(&format!("{GROSS}{shapes}{steps}"));
        let (folder, report) = read(&[("method.yaml", &method), ("2026-01-01.yaml", scale)]);
        folder.unwrap_or_else(|| panic!("{report:?}"))
    }

    const DECREE: &str = r#"{"id":"decret","titre":"Le décret","article":"art. 4","editeur":"Ministère","parution":"JO n° 3, p. 12","date":"2026-01-01","identifiant":"2026-41","url":"https://example.org","nature":"loi"}"#;

    #[test]
    fn evidence_is_shown_with_the_steps_only_after_what_sets_the_figures() {
        let blog = r#"{"id":"blog","titre":"Un blog","editeur":"Quelqu’un","nature":"secondaire"}"#;
        let page = r#"{"id":"page","titre":"La page","editeur":"La caisse","nature":"administration"}"#;
        assert_eq!(shown(&checked(), "brut=1&cadre=true", "references"), format!("[{DECREE}]"));
        let detail = shown(&checked(), "brut=1&cadre=true&detail=1", "references");
        assert_eq!(detail, format!("[{DECREE},{blog},{page}]"));
        assert_eq!(shown(&checked(), "brut=1&cadre=true&detail=1", "etapes.0.sources"), r#"["decret"]"#);
        assert_eq!(shown(&checked(), "brut=1", "s"), "\"Le décret, art. 4\"");
        let citation = shown(&checked(), "brut=1", "citation");
        assert!(
            citation.starts_with("\"Barème, Titre, au 1er janvier 2026 (Le décret, art. 4), version "),
            "{citation}"
        );
    }

    #[test]
    fn a_figure_that_no_text_sets_says_so_beside_the_references() {
        let remark = remark("f", r#","confiance":"faible","note":"Texte non retrouvé.""#);
        assert_eq!(shown(&checked(), "brut=1", "references"), format!("[{DECREE}]"));
        assert_eq!(shown(&checked(), "brut=1", "reserves"), format!("[{remark}]"));
        assert_eq!(shown(&checked(), "brut=1&cadre=true", "reserves"), "absent");
        assert_eq!(shown(&checked(), "brut=1", "r"), "\"Texte non retrouvé\"");
        assert!(shown(&checked(), "brut=1&detail=1", "references").contains("\"presse\""));
    }
}
