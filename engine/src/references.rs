//! The sources that an answer cites: those of the figures of the scale, and those of the rows found.

use std::borrow::Cow;

use crate::figure::{Figure, Remark, Shape};
use crate::json::{Json, WrittenJson};
use crate::option::Switched;
use crate::source::Source;

/// The sources of a scale, arranged by who cites them.
#[derive(Debug)]
pub(crate) struct References {
    sources: Vec<Source>,
    figures: Vec<Cited>,
    /// Sources named by whole figures: in every answer.
    always: Vec<bool>,
    /// Each source as it is shown with the remarks of whole figures.
    written: Vec<WrittenJson>,
    /// The references of an answer without rows of their own.
    usual: WrittenJson,
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

/// The remarks of the whole figures that are cited.
fn remarked(figures: &[Cited]) -> impl Iterator<Item = Remarked<'_>> {
    figures.iter().filter(|cited| cited.is_on).map(Remarked::whole).filter(|own| !own.remark.is_empty())
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
        let always: Vec<bool> = match figures.iter().any(|figure| figure.is_on) {
            true => {
                ranks.map(|rank| figures.iter().any(|cited| cited.is_on && cited.sources.contains(&rank))).collect()
            }
            // A method without figures cites all of its sources.
            false => ranks.map(|rank| !figures.iter().any(|cited| cited.names(rank))).collect(),
        };
        let whole: Vec<Remarked> = remarked(&figures).collect();
        let shown = sources.iter().enumerate().map(|(rank, source)| reference(rank, source, &whole));
        let shown: Vec<Json<'static>> = shown.collect();
        let usual = shown.iter().zip(&always).filter(|(_, always)| **always).map(|(shown, _)| shown.clone());
        let usual = WrittenJson::new(Json::List(usual.collect()));
        let written = shown.into_iter().map(WrittenJson::new).collect();
        Self { sources: sources.to_vec(), figures, always, written, usual }
    }

    /// The sources that a method cites without its options, in the order of the file.
    pub(crate) fn of_the_method(&self) -> impl Iterator<Item = &Source> {
        let named =
            |rank: usize, is_on: bool| self.figures.iter().any(|cited| cited.is_on == is_on && cited.names(rank));
        let sources = self.sources.iter().enumerate();
        sources.filter(move |(rank, _)| named(*rank, true) || !named(*rank, false)).map(|(_, source)| source)
    }

    fn row(&self, figure: usize, row: usize) -> Option<(&Cited, &Vec<usize>, &Remark)> {
        let figure = self.figures.get(figure)?;
        let (sources, remark) = figure.rows.get(row)?;
        Some((figure, sources, remark))
    }

    /// The references of an answer, `rows` being the rows found that have their own.
    pub(crate) fn show(&self, rows: &[(usize, usize)]) -> Json<'_> {
        if rows.is_empty() {
            return Json::Written(&self.usual);
        }
        let mut wanted = self.always.clone();
        let found: Vec<_> = rows.iter().filter_map(|(figure, row)| self.row(*figure, *row)).collect();
        for source in found.iter().flat_map(|(_, sources, _)| sources.iter()) {
            if let Some(known) = wanted.get_mut(*source) {
                *known = true;
            }
        }
        let own = found.iter().map(|(figure, sources, remark)| Remarked::row(figure, sources, remark));
        let own: Vec<Remarked> = own.filter(|own| !own.remark.is_empty()).collect();
        let with_whole = || remarked(&self.figures);
        let sources = self.sources.iter().zip(&self.written).zip(wanted).enumerate().filter(|(_, (_, wanted))| *wanted);
        let shown = sources.map(|(rank, ((source, written), _))| {
            let remarked = own.iter().any(|own| own.first == Some(rank));
            if remarked {
                reference(rank, source, &with_whole().chain(own.iter().copied()).collect::<Vec<_>>())
            } else {
                Json::Written(written)
            }
        });
        Json::List(shown.collect())
    }

    /// Ids of the sources of some figures and of the rows found of them, for the line of a step.
    pub(crate) fn ids(&self, figures: &[usize], rows: &[(usize, usize)]) -> Vec<&str> {
        let mut ids: Vec<&str> = Vec::new();
        let of_rows = rows.iter().filter(|(figure, _)| figures.contains(figure));
        let of_rows = of_rows.filter_map(|(figure, row)| self.row(*figure, *row)).flat_map(|(_, sources, _)| sources);
        let of_figures = figures.iter().filter_map(|rank| self.figures.get(*rank)).flat_map(|figure| &figure.sources);
        for source in of_figures.chain(of_rows).filter_map(|rank| self.sources.get(*rank)) {
            if !ids.contains(&source.id.as_str()) {
                ids.push(&source.id);
            }
        }
        ids
    }
}

/// A remark, the figure it is about and the source under which it is shown: the first of its figure,
/// or of its row.
#[derive(Clone, Copy)]
struct Remarked<'r> {
    figure: &'r str,
    first: Option<usize>,
    remark: &'r Remark,
}

impl<'r> Remarked<'r> {
    fn whole(figure: &'r Cited) -> Self {
        Self { figure: &figure.name, first: figure.sources.first().copied(), remark: &figure.remark }
    }

    fn row(figure: &'r Cited, sources: &'r [usize], remark: &'r Remark) -> Self {
        let first = sources.first().or(figure.sources.first()).copied();
        Self { figure: &figure.name, first, remark }
    }

    fn show(&self) -> Json<'static> {
        let mut members: Vec<(Cow<str>, Json)> = vec![("figure".into(), Json::text(self.figure.to_owned()))];
        members.extend(remark_members(self.remark));
        Json::Object(members)
    }
}

/// What an answer says of the certainty of a figure or of a row.
pub(crate) fn remark_members(remark: &Remark) -> Vec<(Cow<'static, str>, Json<'static>)> {
    let confidence = match remark.confidence.as_deref() {
        Some("low") => Some("faible"),
        Some(_) => Some("moyenne"),
        None => None,
    };
    let confidence = confidence.map(|word| ("confiance".into(), Json::text(word)));
    let note = remark.note.clone().map(|note| ("note".into(), Json::text(note)));
    confidence.into_iter().chain(note).collect()
}

fn reference(rank: usize, source: &Source, remarks: &[Remarked]) -> Json<'static> {
    let mut members: Vec<(Cow<str>, Json)> = vec![
        ("id".into(), Json::text(source.id.clone())),
        ("titre".into(), Json::text(source.title.clone())),
        ("editeur".into(), Json::text(source.publisher.clone())),
    ];
    members.extend(source.date.map(|date| ("date".into(), Json::text(date.to_string()))));
    members.extend(source.url.clone().map(|url| ("url".into(), Json::text(url))));
    let own: Vec<Json> = remarks.iter().filter(|own| own.first == Some(rank)).map(Remarked::show).collect();
    if !own.is_empty() {
        members.push(("reserves".into(), Json::List(own)));
    }
    Json::Object(members)
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
