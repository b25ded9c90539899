//! What edits of a file would be refused for, at the lines that they come from.

use std::ops::Range;

use bareme_engine::authoring::{Node, WrittenCell};
use bareme_engine::{Diagnostic, Lang};
use bareme_show::say;

use super::apply::{CellReading, Plan};
use super::mistakes::Mistake;
use super::write::CellId;
use crate::series::Series;

impl Plan {
    /// The errors that the edits add to the file whose cells are confirmed, each with the line of
    /// the reading that it comes from.
    pub(super) fn mistakes_of_edits(
        &self,
        series: &Series,
        read: &[CellReading],
        lang: Lang,
    ) -> Vec<Mistake> {
        let (Some(report), Some(file)) = (self.report_of_edits(series), self.file()) else {
            return Vec::new();
        };

        let cells = file.cells(&series.shapes);
        let sources = file.node.get("sources").map(Node::entries);
        let sources = sources.unwrap_or_default();
        let sections: Vec<usize> = file
            .node
            .entries()
            .iter()
            .map(|(key, _)| key.place.span().start)
            .collect();
        let mistake = |error: &Diagnostic| {
            let place = error.place().span();
            let holds = |outer: &Range<usize>| {
                outer.start <= place.start && place.start < outer.end.max(outer.start + 1)
            };

            // The cell in which it is, or the source that a line describes.
            let is_there =
                |cell: &&WrittenCell| cell.text.is_some_and(|text| holds(&text.place.span()));
            let of_cell = cells.iter().find(is_there).map(CellId::new);
            // A source reaches to the next one, or to the next section.
            let of_source = sources.iter().rev().find(|(id, _)| {
                let start = id.place.span().start;
                let is_between = |section: &usize| start < *section && *section <= place.start;
                start <= place.start && !sections.iter().any(is_between)
            });
            let is_its_own = |one: &&CellReading| match (&of_cell, of_source) {
                (Some(id), _) => one.id == *id,
                (None, Some((id, _))) => {
                    let named = one.reading.source.as_deref().map(crate::series::ids);
                    named.is_some_and(|named| named.contains(&id.value))
                }
                (None, None) => false,
            };

            let (code, message, cure) = (error.code(), error.message(lang), error.cure(lang));
            let cell = of_cell
                .as_ref()
                .and_then(|id| cells.iter().find(|cell| id.is(cell)));
            Mistake {
                line: read.iter().find(is_its_own).and_then(|one| one.line),
                cell: cell.map(WrittenCell::name),
                reason: say!(
                    lang,
                    "[{code}] {message} ; remède : {cure}",
                    "[{code}] {message}; cure: {cure}"
                ),
            }
        };
        report
            .errors()
            .filter(|error| error.file() == file.inside)
            .map(mistake)
            .collect()
    }
}
