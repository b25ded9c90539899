//! The figures that a reform changes, each with the legal text that sets it.

use bareme_engine::Lang;
use bareme_engine::law::Source;
use bareme_engine::run::Edition;
use bareme_show::figures;
use serde_json::{Value, json};

use super::super::diff::figures::{Line, lines};
use crate::format::unique;

/// A changed figure.
pub(super) struct ChangedFigure {
    pub line: Line,
    /// The sources of its new value.
    pub texts: String,
}

/// The figures whose values differ.
pub(super) fn changed_figures(before: &Edition, after: &Edition, lang: Lang) -> Vec<ChangedFigure> {
    let texts = |figure: &str| {
        // The text that counts is that of the new value; of a figure that the reform removes, the
        // old one.
        let edition = if figures::given(after).any(|(shape, _)| shape.name == figure) {
            after
        } else {
            before
        };

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
    };

    let lines = lines(before, after, lang)
        .into_iter()
        .filter(|line| !line.change.is_empty());
    lines
        .map(|line| ChangedFigure {
            texts: texts(&line.figure),
            line,
        })
        .collect()
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
