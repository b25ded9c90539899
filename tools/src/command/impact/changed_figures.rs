//! The figures that a reform changes, each with the legal text that sets it, or as one of the
//! hypothesis.

use bareme_engine::Lang;
use bareme_engine::law::Source;
use bareme_engine::run::Edition;
use bareme_show::{figures, say};
use serde_json::{Value, json};

use super::super::diff::figures::{Line, lines};
use super::sides::Side;
use crate::format::unique;

/// A changed figure.
pub(super) struct ChangedFigure {
    pub line: Line,
    /// The sources of its new value.
    pub texts: String,
}

/// The figures whose values differ.
pub(super) fn changed_figures(before: &Side, after: &Side, lang: Lang) -> Vec<ChangedFigure> {
    let texts = |figure: &str| {
        // The text that counts is that of the new value; of a figure that the reform removes, the
        // old one.
        let is_given = figures::given(after.edition).any(|(shape, _)| shape.name == figure);
        let edition = if is_given { after } else { before }.edition;

        if is_assumed(figure, before, after, lang) {
            say!(lang, "chiffre de l’hypothèse", "figure of the hypothesis")
        } else {
            texts(figure, edition)
        }
    };

    let lines = lines(before.edition, after.edition, lang)
        .into_iter()
        .filter(|line| !line.change.is_empty());
    lines
        .map(|line| ChangedFigure {
            texts: texts(&line.figure),
            line,
        })
        .collect()
}

/// Whether a figure differs from the same scale of the rules before, and cites the same texts,
/// which therefore do not set it.
fn is_assumed(figure: &str, before: &Side, after: &Side, lang: Lang) -> bool {
    let Some(edition) = before.folder.edition(after.day) else {
        return false;
    };
    let date = |edition: &Edition| edition.scale().map(|scale| scale.date);

    // A scale that the rules before do not have has texts of its own.
    if date(edition) != date(after.edition) {
        return false;
    }
    let mut lines = lines(edition, after.edition, lang).into_iter();
    let differs = lines.any(|line| line.figure == figure && !line.change.is_empty());
    differs && texts(figure, edition) == texts(figure, after.edition)
}

/// The texts that set a figure.
fn texts(figure: &str, edition: &Edition) -> String {
    let found = figures::given(edition).find(|(shape, _)| shape.name == figure);

    let sources = edition
        .scale()
        .map(|scale| scale.sources.as_ref())
        .unwrap_or_default();
    // Rows of a table may cite texts of their own.
    let own = found.map(|(_, figure)| {
        let rows = figure.rows.iter().flat_map(|row| &row.sources);
        figure
            .sources
            .iter()
            .chain(rows)
            .copied()
            .collect::<Vec<usize>>()
    });

    let cited = own
        .unwrap_or_default()
        .into_iter()
        .filter_map(|index| sources.get(index));
    unique(cited.map(Source::cited)).join(" ; ")
}

impl ChangedFigure {
    /// The figure as JSON.
    pub(super) fn to_json(&self) -> Value {
        let Line {
            label,
            old,
            new,
            change,
            ..
        } = &self.line;
        json!({"figure": label, "before": old, "after": new, "change": change, "law": self.texts})
    }
}
