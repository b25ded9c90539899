//! The sources that an answer cites: those of the figures of the scale, and those of the rows found.

use std::borrow::Cow;

use crate::figure::{Figure, Remark, Shape};
use crate::json::Json;
use crate::scale::Source;

/// The sources of a scale, arranged by who cites them.
#[derive(Debug)]
pub(crate) struct References {
    sources: Vec<Source>,
    figures: Vec<Cited>,
    /// Sources named by whole figures: in every answer.
    always: Vec<bool>,
}

#[derive(Debug)]
struct Cited {
    name: String,
    sources: Vec<usize>,
    remark: Remark,
    /// Sources and remark of each row.
    rows: Vec<(Vec<usize>, Remark)>,
}

impl References {
    pub(crate) fn new(sources: &[Source], figures: &[Figure], shapes: &[Shape]) -> Self {
        let mut always = vec![false; sources.len()];
        for source in figures.iter().flat_map(|figure| &figure.sources) {
            if let Some(known) = always.get_mut(*source) {
                *known = true;
            }
        }
        // A method without figures cites all of its sources.
        if figures.is_empty() {
            always.fill(true);
        }
        let cited = |(figure, shape): (&Figure, &Shape)| Cited {
            name: shape.name.clone(),
            sources: figure.sources.clone(),
            remark: figure.remark.clone(),
            rows: figure.rows.iter().map(|row| (row.sources.clone(), row.remark.clone())).collect(),
        };
        Self { sources: sources.to_vec(), figures: figures.iter().zip(shapes).map(cited).collect(), always }
    }

    fn row(&self, figure: usize, row: usize) -> Option<(&Cited, &Vec<usize>, &Remark)> {
        let figure = self.figures.get(figure)?;
        let (sources, remark) = figure.rows.get(row)?;
        Some((figure, sources, remark))
    }

    /// The references of an answer, `rows` being the rows found that have their own.
    pub(crate) fn show(&self, rows: &[(usize, usize)]) -> Json<'_> {
        let mut wanted = self.always.clone();
        let found: Vec<_> = rows.iter().filter_map(|(figure, row)| self.row(*figure, *row)).collect();
        for source in found.iter().flat_map(|(_, sources, _)| sources.iter()) {
            if let Some(known) = wanted.get_mut(*source) {
                *known = true;
            }
        }
        // A remark goes under the first source of its figure, or of its row.
        let whole = self.figures.iter().map(|figure| (figure, &figure.sources, &figure.remark));
        let own = found.iter().map(|(figure, sources, remark)| {
            (*figure, if sources.is_empty() { &figure.sources } else { *sources }, *remark)
        });
        let remarks: Vec<_> = whole.chain(own).filter(|(_, _, remark)| !remark.is_empty()).collect();
        let sources = self.sources.iter().zip(wanted).enumerate().filter(|(_, (_, wanted))| *wanted);
        Json::List(sources.map(|(rank, (source, _))| self.reference(rank, source, &remarks)).collect())
    }

    fn reference<'a>(
        &'a self,
        rank: usize,
        source: &'a Source,
        remarks: &[(&'a Cited, &'a Vec<usize>, &'a Remark)],
    ) -> Json<'a> {
        let mut members: Vec<(Cow<str>, Json)> = vec![
            ("titre".into(), Json::text(source.title.as_str())),
            ("editeur".into(), Json::text(source.publisher.as_str())),
        ];
        members.extend(source.date.map(|date| ("date".into(), Json::text(date.to_string()))));
        members.extend(source.url.as_deref().map(|url| ("url".into(), Json::text(url))));
        let own = remarks.iter().filter(|(_, sources, _)| sources.first() == Some(&rank));
        let own: Vec<Json> = own.map(|(figure, _, remark)| show_remark(figure, remark)).collect();
        if !own.is_empty() {
            members.push(("reserves".into(), Json::List(own)));
        }
        Json::Object(members)
    }

    /// Titles of the sources of some figures, for the line of a step.
    pub(crate) fn titles(&self, figures: &[usize], rows: &[(usize, usize)]) -> String {
        let mut titles: Vec<&str> = Vec::new();
        let of_rows = rows.iter().filter(|(figure, _)| figures.contains(figure));
        let of_rows = of_rows.filter_map(|(figure, row)| self.row(*figure, *row)).flat_map(|(_, sources, _)| sources);
        let of_figures = figures.iter().filter_map(|rank| self.figures.get(*rank)).flat_map(|figure| &figure.sources);
        for source in of_figures.chain(of_rows).filter_map(|rank| self.sources.get(*rank)) {
            if !titles.contains(&source.title.as_str()) {
                titles.push(&source.title);
            }
        }
        titles.join(" ; ")
    }
}

fn show_remark<'a>(figure: &'a Cited, remark: &'a Remark) -> Json<'a> {
    let mut members: Vec<(Cow<str>, Json)> = vec![("figure".into(), Json::text(figure.name.as_str()))];
    let confidence = match remark.confidence.as_deref() {
        Some("low") => Some("faible"),
        Some(_) => Some("moyenne"),
        None => None,
    };
    members.extend(confidence.map(|word| ("confiance".into(), Json::text(word))));
    members.extend(remark.note.as_deref().map(|note| ("note".into(), Json::text(note))));
    Json::Object(members)
}
