//! Cells of dated files: the amounts, rates, numbers and bounds of their figures, with their texts.

use rust_decimal::Decimal;

use crate::law::{BoundWord, Shape, Type};
use crate::text::number::{parse_amount, parse_rate};
use crate::text::yaml::{Node, PlacedText};

/// A cell of a figure in a dated file: an amount, a rate, a number or a bound.
///
/// [`Probe::cells`](crate::set::mutate::Probe::cells) lists those of a scale.
#[derive(Debug, Clone)]
pub struct Cell {
    /// The name of the figure that is changed.
    pub figure: String,
    /// Its row, from 1; `None` in a record.
    pub row: Option<usize>,
    /// The column, or the word of the bound.
    pub column: String,
    pub(super) ty: Type,
    pub(super) is_bound: bool,
    pub(super) text: PlacedText,
}

impl Cell {
    /// Its name: `cnps.ceiling`, `impot[3].rate`.
    pub fn name(&self) -> String {
        let row = self.row.map(|row| format!("[{row}]")).unwrap_or_default();
        format!("{}{row}.{}", self.figure, self.column)
    }

    /// Its text in the file.
    pub fn written(&self) -> &str {
        &self.text.value
    }

    /// Its line in the file, from 1.
    pub fn line(&self) -> usize {
        self.text.place.line()
    }

    /// Its value; `None` where the text cannot be parsed.
    pub(super) fn value(&self) -> Option<Decimal> {
        let text = self.written();
        if self.ty == Type::Rate {
            parse_rate(text).ok()
        } else {
            parse_amount(text).ok()
        }
    }
}

/// The cells of a record or of a row, in the order of the file.
pub(super) fn cells_of<'n>(
    shape: &'n Shape,
    node: &'n Node,
    row: Option<usize>,
) -> impl Iterator<Item = Cell> + 'n {
    node.entries().iter().filter_map(move |(key, value)| {
        let column = shape
            .columns
            .iter()
            .find(|column| column.name == key.value)
            .map(|column| column.ty);
        let bound = BoundWord::from_word(&key.value).and(shape.bound);

        // A text is no figure of the law: nothing is compared or changed in it.
        let ty = column.or(bound).filter(|ty| *ty != Type::Text)?;

        Some(Cell {
            figure: shape.name.clone(),
            row,
            column: key.value.clone(),
            ty,
            is_bound: column.is_none(),
            text: value.text()?.clone(),
        })
    })
}
