//! The sources that an answer cites: those of the figures of the scale, and those of the rows found.

use std::cell::OnceCell;

use crate::answer::members::{REFERENCE, REMARK, ROW_REMARK, visit_members};
use crate::diagnostic::Lang;
use crate::figure::{Figure, Remark, Shape};
use crate::json::{Datum, Key, List, Object};
use crate::option::Switched;
use crate::source::Source;

/// The sources of a scale, arranged by who cites them.
#[derive(Debug)]
pub(crate) struct References {
    sources: Vec<Source>,
    figures: Vec<Cited>,
    /// Sources named by whole figures: in every answer.
    always: Vec<bool>,
    /// JSON text of each source with the remarks of whole figures.
    written: Vec<String>,
    /// JSON text of the references of an answer without rows of their own.
    usual: String,
}

#[derive(Debug)]
struct Cited {
    name: String,
    sources: Vec<usize>,
    remark: Remark,
    /// Whether its option is on, where it has one.
    is_on: bool,
    /// Sources and remark of each row.
    rows: Vec<(Vec<usize>, Remark)>,
}

impl Cited {
    /// Whether it, or a row of it, names a source.
    fn names(&self, source: usize) -> bool {
        self.sources.contains(&source) || self.rows.iter().any(|(sources, _)| sources.contains(&source))
    }
}

/// A source that an answer cites.
#[derive(Debug)]
#[non_exhaustive]
pub struct Reference<'f> {
    /// The source.
    pub source: &'f Source,
    /// How certain its figures are, those that are certain apart.
    pub remarks: Vec<FigureRemark<'f>>,
    /// Its JSON text, where it is ready.
    written: Option<&'f str>,
}

/// How certain a figure is.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct FigureRemark<'f> {
    /// Name of the figure.
    pub figure: &'f str,
    /// How certain it is, or a row of it.
    pub remark: &'f Remark,
}

/// The references of one answer. They are looked up when they are asked for, and usually written already.
#[derive(Debug)]
pub(crate) struct CitedReferences<'f> {
    references: &'f References,
    /// Rows found that have their own sources or remarks, as (figure, row).
    rows: Vec<(usize, usize)>,
    found: OnceCell<Vec<Reference<'f>>>,
}

impl References {
    /// The sources of a scale where some options are on: figures of the others are not cited.
    pub(crate) fn new(sources: &[Source], figures: &[Figure], shapes: &[Shape], on: Switched) -> Self {
        let cited = |(figure, shape): (&Figure, &Shape)| Cited {
            name: shape.name.clone(),
            sources: figure.sources.clone(),
            remark: figure.remark.clone(),
            is_on: on.runs(shape.option),
            rows: figure.rows.iter().map(|row| (row.sources.clone(), row.remark.clone())).collect(),
        };
        let figures: Vec<Cited> = figures.iter().zip(shapes).map(cited).collect();
        let ranks = 0..sources.len();
        let always = match figures.iter().any(|figure| figure.is_on) {
            true => {
                ranks.map(|rank| figures.iter().any(|cited| cited.is_on && cited.sources.contains(&rank))).collect()
            }
            // A method without figures cites all of its sources.
            false => ranks.map(|rank| !figures.iter().any(|cited| cited.names(rank))).collect(),
        };
        let (written, usual) = (Vec::new(), String::new());
        let mut references = Self { sources: sources.to_vec(), figures, always, written, usual };
        let (whole, every) = (references.remarks(&[]), 0..references.sources.len());
        let written = every.filter_map(|rank| references.reference(rank, &whole));
        references.written = written.map(|reference| Datum::Object(&reference).to_string()).collect();
        references.usual = Datum::List(&references.found(&[])).to_string();
        references
    }

    /// The sources that a method cites without its options, in the order of the file.
    pub(crate) fn of_the_method(&self) -> impl Iterator<Item = &Source> {
        let named =
            |rank: usize, is_on: bool| self.figures.iter().any(|cited| cited.is_on == is_on && cited.names(rank));
        let sources = self.sources.iter().enumerate();
        sources.filter(move |(rank, _)| named(*rank, true) || !named(*rank, false)).map(|(_, source)| source)
    }

    fn row(&self, (figure, row): (usize, usize)) -> Option<(&Cited, &Vec<usize>, &Remark)> {
        let figure = self.figures.get(figure)?;
        let (sources, remark) = figure.rows.get(row)?;
        Some((figure, sources, remark))
    }

    /// The references of an answer in which these rows were found.
    fn found(&self, rows: &[(usize, usize)]) -> Vec<Reference<'_>> {
        let mut wanted = self.always.clone();
        for source in rows.iter().filter_map(|place| self.row(*place)).flat_map(|(_, sources, _)| sources) {
            if let Some(known) = wanted.get_mut(*source) {
                *known = true;
            }
        }
        let remarks = self.remarks(rows);
        let cited = wanted.iter().enumerate().filter(|(_, wanted)| **wanted);
        cited.filter_map(|(rank, _)| self.reference(rank, &remarks)).collect()
    }

    /// The remarks of the whole figures that are cited, then those of the rows found.
    fn remarks(&self, rows: &[(usize, usize)]) -> Vec<Remarked<'_>> {
        let whole = self.figures.iter().filter(|cited| cited.is_on).map(Remarked::whole);
        let own = rows.iter().filter_map(|place| self.row(*place));
        let own = own.map(|(figure, sources, remark)| Remarked::row(figure, sources, remark));
        whole.chain(own).filter(|remarked| !remarked.remark.is_empty()).collect()
    }

    /// A source with the remarks that are shown under it.
    fn reference<'f>(&'f self, rank: usize, remarks: &[Remarked<'f>]) -> Option<Reference<'f>> {
        let own = remarks.iter().filter(|remarked| remarked.first == Some(rank));
        // Where no row adds a remark the text is ready.
        let is_whole = !own.clone().any(|remarked| remarked.is_of_row);
        let written = if is_whole { self.written.get(rank).map(String::as_str) } else { None };
        let own = own.map(|remarked| FigureRemark { figure: remarked.figure, remark: remarked.remark });
        Some(Reference { source: self.sources.get(rank)?, remarks: own.collect(), written })
    }

    /// The references of an answer in which these rows were found, when they are asked for.
    pub(crate) fn cited(&self, rows: Vec<(usize, usize)>) -> CitedReferences<'_> {
        CitedReferences { references: self, rows, found: OnceCell::new() }
    }

    /// Ids of the sources of some figures and of the rows found of them, for the line of a step.
    pub(crate) fn ids(&self, figures: &[usize], rows: &[(usize, usize)]) -> Vec<&str> {
        let mut ids: Vec<&str> = Vec::new();
        let of_rows = rows.iter().filter(|(figure, _)| figures.contains(figure));
        let of_rows = of_rows.filter_map(|place| self.row(*place)).flat_map(|(_, sources, _)| sources);
        let of_figures = figures.iter().filter_map(|rank| self.figures.get(*rank)).flat_map(|figure| &figure.sources);
        for source in of_figures.chain(of_rows).filter_map(|rank| self.sources.get(*rank)) {
            if !ids.contains(&source.id.as_str()) {
                ids.push(&source.id);
            }
        }
        ids
    }
}

impl<'f> CitedReferences<'f> {
    /// The references, typed.
    pub(crate) fn list(&self) -> &Vec<Reference<'f>> {
        self.found.get_or_init(|| self.references.found(&self.rows))
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
        self.rows.is_empty().then_some(&self.references.usual)
    }
}

/// A remark, the figure it is about and the source under which it is shown: the first of its figure,
/// or of its row.
#[derive(Clone, Copy)]
struct Remarked<'r> {
    figure: &'r str,
    first: Option<usize>,
    remark: &'r Remark,
    is_of_row: bool,
}

impl<'r> Remarked<'r> {
    fn whole(figure: &'r Cited) -> Self {
        Self { figure: &figure.name, first: figure.sources.first().copied(), remark: &figure.remark, is_of_row: false }
    }

    fn row(figure: &'r Cited, sources: &'r [usize], remark: &'r Remark) -> Self {
        let first = sources.first().or(figure.sources.first()).copied();
        Self { figure: &figure.name, first, remark, is_of_row: true }
    }
}

/// Confidence and note, as they are shown.
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
            Some(Datum::Text(&source.publisher)),
            source.date.as_ref().map(|date| Datum::Shown(date)),
            source.url.as_deref().map(Datum::Text),
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

    use crate::folder::Folder;

    fn cited() -> Folder {
        let inputs = "  statut: {type: choice, values: a; b; c, default: a, label: Statut}\n";
        let shapes = "figures:\n  f: {statut: key, v: rate}\n  g: {v: rate}\n";
        let steps = "steps:\n  t: {table: f, by: statut}\n  x: {contribution: brut, rate: t}\n  y: {contribution: brut, with: g, rate: g.v}\nanswer:\n  x: x\n  y: y\n";
        let scale = "format: bareme/1
title: T
sources:
  loi:    {title: La loi, publisher: Journal, date: 2026-01-01, url: \"https://example.org\"}
  decret: {title: Un décret, publisher: Journal}
  autre:  {title: Un autre, publisher: Journal}
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
        let law = r#""id":"loi","titre":"La loi","editeur":"Journal","date":"2026-01-01","url":"https://example.org""#;
        let f = remark("f", r#","note":"En moyenne.""#);
        let g = remark("g", r#","confiance":"moyenne","note":"Non publié.""#);
        assert_eq!(shown(&cited(), "brut=1", "references"), format!(r#"[{{{law},"reserves":[{f},{g}]}}]"#));
    }

    #[test]
    fn a_row_that_is_found_adds_its_own() {
        let told = shown(&cited(), "brut=1&statut=b", "references");
        let low = remark("f", r#","confiance":"faible""#);
        assert!(
            told.contains(&format!(r#"{{"id":"decret","titre":"Un décret","editeur":"Journal","reserves":[{low}]}}"#)),
            "{told}"
        );
        assert!(told.contains(r#"{"id":"autre","titre":"Un autre","editeur":"Journal"}"#), "{told}");
        let told = shown(&cited(), "brut=1&statut=c", "references");
        assert!(told.contains(&remark("f", r#","note":"Provisoire.""#)) && !told.contains("decret"), "{told}");
    }

    #[test]
    fn a_step_names_the_sources_of_its_figures_and_of_its_row() {
        assert_eq!(shown(&cited(), "brut=1&statut=b&detail=1", "etapes.0.sources"), r#"["loi","decret","autre"]"#);
        assert_eq!(shown(&cited(), "brut=1&statut=b&detail=1", "etapes.2.sources"), r#"["loi"]"#);
    }
}
