//! Cells of a figure as a dated file writes them, and which of them are `unconfirmed`.

use crate::text::problem::{list_of_names, suggestion};
use crate::text::{Node, PlacedText, Problem, Report};

use super::{Shape, UNCONFIRMED, parts_of, rows_of};

/// Value of `unconfirmed` that marks a whole figure or row.
const WHOLE_PART: &str = "true";

/// A cell of a figure in a dated file: the value of a column, or a bound. A record or row without
/// values counts as one cell.
#[derive(Debug, Clone)]
pub struct WrittenCell<'n> {
    /// Name of its figure.
    pub figure: &'n str,
    /// Its row, from 1; `None` in a record.
    pub row: Option<usize>,
    /// Its column, or the word of its bound; `None` where the record or row has no value.
    pub column: Option<&'n str>,
    /// The record or row that holds it.
    pub part: &'n Node,
    /// Its value as it is written.
    pub text: Option<&'n PlacedText>,
    /// Whether it is marked `unconfirmed`.
    pub is_unconfirmed: bool,
}

impl WrittenCell<'_> {
    /// Its name: `cnps.ceiling`, `impot[3].rate`.
    pub fn name(&self) -> String {
        let row = self.row.map(|row| format!("[{row}]")).unwrap_or_default();
        let column = self
            .column
            .map(|column| format!(".{column}"))
            .unwrap_or_default();
        format!("{}{row}{column}", self.figure)
    }
}

/// Every cell of a figure, in the order of the file. The keys of a row are not cells.
pub fn written_cells<'n>(shape: &'n Shape, figure: &'n Node) -> Vec<WrittenCell<'n>> {
    // A mark on the figure as a whole holds for all of its rows.
    let whole = mark(figure).is_some_and(|mark| shape.has_rows() || mark.value == WHOLE_PART);

    if !shape.has_rows() {
        return cells_of(shape, figure, None, whole);
    }

    let rows = rows_of(figure);
    // Rows are counted from 1, as messages show them.
    (1..)
        .zip(rows)
        .flat_map(|(row, part)| cells_of(shape, part, Some(row), whole))
        .collect()
}

fn cells_of<'n>(
    shape: &'n Shape,
    part: &'n Node,
    row: Option<usize>,
    whole: bool,
) -> Vec<WrittenCell<'n>> {
    let marked = mark(part).map(PlacedText::list).unwrap_or_default();
    let is_marked = |column: &str| {
        whole
            || marked
                .iter()
                .any(|name| name.value == WHOLE_PART || name.value == column)
    };

    let figure = shape.name.as_str();

    let cell = |column: Option<&'n str>, text| {
        // A part without values is one cell, so that a mark on it is seen.
        let is_unconfirmed = column.map_or(whole || !marked.is_empty(), is_marked);
        WrittenCell {
            figure,
            row,
            column,
            part,
            text,
            is_unconfirmed,
        }
    };

    let written = values_of(shape, part)
        .map(|(column, value)| cell(Some(column.value.as_str()), value.text()));
    let cells: Vec<WrittenCell> = written.collect();

    if cells.is_empty() {
        vec![cell(None, None)]
    } else {
        cells
    }
}

/// The entries of a record or a row that hold values or a bound.
fn values_of<'n>(shape: &'n Shape, part: &'n Node) -> impl Iterator<Item = &'n (PlacedText, Node)> {
    // The keys of a row choose it, and are no values of the law.
    let is_value =
        |key: &str| shape.columns.iter().any(|column| column.name == key) || shape.is_bound(key);
    part.entries()
        .iter()
        .filter(move |(key, _)| is_value(&key.value))
}

fn mark(part: &Node) -> Option<&PlacedText> {
    part.get(UNCONFIRMED).and_then(Node::text)
}

/// Whether a figure, or a row of it, has the key `unconfirmed`, whatever its value.
pub(crate) fn is_marked(figure: &Node) -> bool {
    parts_of(figure).any(|part| part.get(UNCONFIRMED).is_some())
}

/// Reports cells named by `unconfirmed` that the figure or its row does not have.
pub(crate) fn check_marks(figure: &Node, shape: &Shape, report: &mut Report) {
    let rows = rows_of(figure);

    // The schema accepts no other mark on a whole table than `true`.
    let parts: Vec<&Node> = if shape.has_rows() {
        rows.iter().collect()
    } else {
        vec![figure]
    };

    for part in parts {
        // A mark names cells that its own record or row writes.
        let known: Vec<&str> = values_of(shape, part)
            .map(|(column, _)| column.value.as_str())
            .collect();

        for name in mark(part).map(PlacedText::list).unwrap_or_default() {
            if name.value == WHOLE_PART || known.contains(&name.value.as_str()) {
                continue;
            }

            let near = suggestion(&name.value, known.iter().copied()).map(str::to_owned);
            let text = name.value.clone();
            report.error(
                &name.place,
                Problem::UnknownMarkedCell {
                    text,
                    known: list_of_names(&known),
                    near,
                },
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::written_cells;
    use crate::testing::{GROSS, folder, warnings};
    use crate::text::diagnostic::{Report, RuleFile};
    use crate::text::yaml::Node;

    fn keys() -> String {
        format!(
            "{GROSS}figures:\n  f: {{v: rate, w: optional rate}}\n  g: {{cadre: key, bound: \
             money/month, v: rate}}\nsteps:\n  x: brut * f.v\nanswer:\n  x: x\n"
        )
    }

    /// The names of the cells of a file, with a star after unconfirmed ones.
    fn cells(figures: &str) -> Vec<String> {
        let good = folder(
            &keys(),
            "  f: {v: 1%, source: s}\n  g: {per: month, source: s, rows: [{v: 2%}]}",
        );
        let file = RuleFile::new("2027-01-01.yaml", format!("figures:\n{figures}\n"));
        let node = Node::read(&file, &mut Report::default()).unwrap();
        let figures = node.get("figures").unwrap();
        let shapes = good.latest().unwrap().method().figures().to_vec();
        let named = shapes
            .iter()
            .filter_map(|shape| Some((shape, figures.get(&shape.name)?)));
        let cells = named.flat_map(|(shape, node)| written_cells(shape, node));
        cells
            .map(|cell| cell.name() + if cell.is_unconfirmed { "*" } else { "" })
            .collect()
    }

    #[test]
    fn a_mark_is_of_a_figure_a_row_or_the_cells_that_it_names() {
        assert_eq!(
            cells("  f: {unconfirmed: true, v: 1%, w: 2%}"),
            ["f.v*", "f.w*"]
        );
        assert_eq!(
            cells("  f: {unconfirmed: w, v: 1%, w: 2%}"),
            ["f.v", "f.w*"]
        );
        assert_eq!(cells("  f: {unconfirmed: true, note: N}"), ["f*"]);
        let rows = "rows: [{unconfirmed: true, cadre: true, up_to: 5, v: 1%}, {unconfirmed: v, \
            up_to: 6, v: 1%}, {v: 2%}]";
        assert_eq!(
            cells(&format!("  g: {{{rows}}}")),
            ["g[1].up_to*", "g[1].v*", "g[2].up_to", "g[2].v*", "g[3].v"]
        );
        assert!(
            cells(&format!("  g: {{unconfirmed: true, {rows}}}"))
                .iter()
                .all(|name| name.ends_with('*'))
        );
    }

    #[test]
    fn a_mark_names_what_is_written_beside_it() {
        // The file is a draft: its mistakes are warnings.
        let codes = |f: &str, row: &str| {
            let figures = format!(
                "  f: {{v: 1%, source: s{f}}}\n  g: {{per: month, source: s, rows: [{{{row}v: \
                 2%}}]}}"
            );
            let mut codes = warnings(&keys(), &figures);
            codes.retain(|code| code.starts_with('G'));
            codes
        };
        assert_eq!(
            codes(", unconfirmed: v", "unconfirmed: true, "),
            Vec::<&str>::new()
        );
        assert_eq!(codes(", unconfirmed: w", ""), ["G31"]);
        assert_eq!(codes("", "unconfirmed: v; up_to, "), ["G31"]);
        assert_eq!(codes(", unconfirmed: false", ""), ["G31"]);
    }
}
