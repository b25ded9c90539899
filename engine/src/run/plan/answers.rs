//! Answers of a plan: a column of values for each field, the refused rows, the warnings, the scales
//! used.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::civil::Date;

use crate::law::OwnedRemark;
use crate::law::column::{Column, Numbers};
use crate::law::{FieldValue, Scalar, Value, Warning};
use crate::run::error::CalculationError;
use crate::text::Datum;

use super::cells::following;
use super::fixed_point::{FixedPoint, FixedPoints};
use super::{FieldKind, PlanField};

/// The answers to the rows of a plan.
///
/// [`Plan`](super::Plan) has an example.
#[derive(Debug)]
pub struct Answers {
    /// The number of rows.
    pub count: usize,
    /// The values of each field of the plan, in order.
    pub fields: Vec<Values>,
    /// The refused rows, each with the reason, in order.
    pub refused: Vec<(usize, CalculationError)>,
    /// Number of rows computed one by one: refused rows, and rows that columns cannot compute.
    pub alone: usize,
    /// The scales used, each once.
    pub scales: Vec<UsedScale>,
    /// The lists of warnings, each distinct list once.
    pub warnings: Vec<Arc<[Warning]>>,
    /// The lists of remarks, each distinct list once.
    pub remarks: Vec<Vec<OwnedRemark>>,
    scale_of: Vec<u32>,
    warnings_of: Vec<u32>,
    remarks_of: Vec<u32>,
    known_texts: Vec<HashMap<Arc<str>, u32>>,
}

/// A scale that was used for some rows.
///
/// [`Answers::scales`] lists them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedScale {
    /// The path of its folder.
    pub folder: String,
    /// First day in force; `None` for a method without dates.
    pub date: Option<Date>,
    /// The version of its law.
    pub version: String,
}

/// The values of a field, one for each row.
///
/// [`Plan`](super::Plan) has an example.
#[derive(Debug, Clone)]
pub enum Values {
    /// Numbers, as integers of one scale.
    Numbers(FixedPoints),
    /// True or false.
    Booleans {
        /// The values; false for a row without one.
        values: Vec<bool>,
        /// Whether each row has a value.
        present: Vec<bool>,
    },
    /// Distinct texts, and an index into them for each row.
    Texts {
        /// The distinct texts.
        texts: Vec<Arc<str>>,
        /// The index of each row; [`NONE`] where there is no text.
        indices: Vec<u32>,
    },
}

/// A value in the form in which a column keeps it.
#[derive(Debug, Clone, Copy)]
enum Cell {
    Nothing,
    /// An integer at the scale of the column.
    Number(i128),
    Boolean(bool),
    /// The index of a text.
    Text(u32),
}

/// The positions of a block that get no value: they are computed alone.
#[derive(Debug, Default)]
pub(super) struct LeftOut(Vec<bool>);

impl LeftOut {
    /// The positions where a mask is true; mostly there is none.
    pub(super) fn new(mask: Vec<bool>) -> Self {
        match mask.contains(&true) {
            true => Self(mask),
            false => Self::default(),
        }
    }

    pub(super) fn has(&self, position: usize) -> bool {
        self.0.get(position).copied().unwrap_or_default()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Index of a row without a text, scale or warning.
pub const NONE: u32 = u32::MAX;

impl Answers {
    pub(super) fn new(fields: &[PlanField], count: usize) -> Self {
        Self {
            count,
            fields: fields
                .iter()
                .map(|field| Values::new(field.kind, count))
                .collect(),
            refused: Vec::new(),
            alone: 0,
            scales: Vec::new(),
            warnings: Vec::new(),
            remarks: Vec::new(),
            scale_of: vec![NONE; count],
            warnings_of: vec![NONE; count],
            remarks_of: vec![NONE; count],
            known_texts: fields.iter().map(|_| HashMap::new()).collect(),
        }
    }

    /// The scale used for a row; `None` for a refused row.
    pub fn scale(&self, row: usize) -> Option<&UsedScale> {
        self.scales.get(index(self.scale_of.get(row)?)?)
    }

    /// For each row the index of its scale among [`scales`](Self::scales); [`NONE`] for a refused
    /// one.
    pub fn scale_indices(&self) -> &[u32] {
        &self.scale_of
    }

    /// The warnings of a row.
    pub fn warnings(&self, row: usize) -> &[Warning] {
        let found = self
            .warnings_of
            .get(row)
            .and_then(index)
            .and_then(|index| self.warnings.get(index));
        found.map(Arc::as_ref).unwrap_or_default()
    }

    /// For each row the index of its list among [`warnings`](Self::warnings); [`NONE`] where it has
    /// no warning.
    pub fn warning_indices(&self) -> &[u32] {
        &self.warnings_of
    }

    /// The remarks on the figures that a row uses, if the plan
    /// [asks for them](super::Plan::with_remarks).
    pub fn remarks(&self, row: usize) -> &Vec<OwnedRemark> {
        static NONE_AT_ALL: Vec<OwnedRemark> = Vec::new();
        let found = self
            .remarks_of
            .get(row)
            .and_then(index)
            .and_then(|index| self.remarks.get(index));
        found.unwrap_or(&NONE_AT_ALL)
    }

    /// For each row the index of its list among [`remarks`](Self::remarks); [`NONE`] where it has
    /// no remark.
    pub fn remark_indices(&self) -> &[u32] {
        &self.remarks_of
    }

    /// Adds a list of remarks, or finds it; returns its index.
    pub(super) fn remark_list(&mut self, remarks: Vec<OwnedRemark>) -> u32 {
        if remarks.is_empty() {
            return NONE;
        }

        let known = self.remarks.iter().position(|known| *known == remarks);
        let index = known.unwrap_or_else(|| {
            self.remarks.push(remarks);
            self.remarks.len().saturating_sub(1)
        });
        u32::try_from(index).unwrap_or(NONE)
    }

    /// Gives a row the list of remarks of an index.
    pub(super) fn remark(&mut self, row: usize, list: u32) {
        put(&mut self.remarks_of, row, list);
    }

    /// Removes the values written for a row.
    pub(super) fn clear(&mut self, row: usize) {
        for indices in [
            &mut self.scale_of,
            &mut self.warnings_of,
            &mut self.remarks_of,
        ] {
            put(indices, row, NONE);
        }
        self.fields.iter_mut().for_each(|values| values.clear(row));
    }

    pub(super) fn set_scale(&mut self, rows: &[usize], scale: &UsedScale) {
        let known = self.scales.iter().position(|known| known == scale);
        let index = known.unwrap_or_else(|| {
            self.scales.push(scale.clone());
            self.scales.len().saturating_sub(1)
        });
        let index = u32::try_from(index).unwrap_or(NONE);
        match following(rows).and_then(|range| self.scale_of.get_mut(range)) {
            Some(places) => places.fill(index),
            None => rows.iter().for_each(|row| {
                put(&mut self.scale_of, *row, index);
            }),
        }
    }

    pub(super) fn warn(&mut self, row: usize, warnings: &[Warning]) {
        if warnings.is_empty() {
            return;
        }

        // Successive rows mostly have the same list.
        let known = self
            .warnings
            .iter()
            .rposition(|known| known.as_ref() == warnings);
        let index = known.unwrap_or_else(|| {
            self.warnings.push(warnings.into());
            self.warnings.len().saturating_sub(1)
        });
        put(
            &mut self.warnings_of,
            row,
            u32::try_from(index).unwrap_or(NONE),
        );
    }

    /// Writes the values of a field to rows, leaving some out; `column` has one for each of them.
    /// Returns the positions whose value does not fit the kind of the field.
    pub(super) fn set_column(
        &mut self,
        field: usize,
        column: &Column,
        rows: &[usize],
        left_out: &LeftOut,
    ) -> Vec<usize> {
        let (Some(values), Some(texts)) =
            (self.fields.get_mut(field), self.known_texts.get_mut(field))
        else {
            return Vec::new();
        };

        let mut unfit = Vec::new();

        // Integers of one scale are copied without a decimal for each row.
        if let (Values::Numbers(numbers), Column::Numbers(Numbers::Scaled(scaled))) =
            (&mut *values, column)
            && numbers.set_scaled(scaled, rows, left_out)
        {
            return unfit;
        }

        // So are booleans.
        if let (Values::Booleans { values, present }, Column::Booleans(booleans)) =
            (&mut *values, column)
            && left_out.is_empty()
            && let Some(range) = following(rows)
            && let Some(places) = values.get_mut(range.clone())
            && let Some(present) = present.get_mut(range)
        {
            let written = places.iter_mut().zip(booleans.iter());
            written.for_each(|(place, value)| *place = *value);
            present.fill(true);
            return unfit;
        }
        // One value for all rows is converted once, and its text looked up once.
        let shared = match column {
            Column::One(value) => Some(values.cell(value, texts)),
            _ => None,
        };
        // So is each value of a list that many rows share, when a row first has it.
        let mut listed: Vec<Option<Option<Cell>>> = match column {
            Column::Listed(list, _) if list.len() < rows.len() => vec![None; list.len()],
            _ => Vec::new(),
        };
        for (position, row) in rows.iter().enumerate() {
            if left_out.has(position) {
                continue;
            }
            let place = match column {
                Column::Listed(_, indices) => indices
                    .get(position)
                    .and_then(|index| listed.get_mut(usize::try_from(*index).ok()?)),
                _ => None,
            };
            let mut convert = || values.cell(&column.at(position), texts);
            let cell = match place {
                Some(place) => *place.get_or_insert_with(convert),
                None => shared.unwrap_or_else(&mut convert),
            };
            if !cell.is_some_and(|cell| values.put(*row, cell)) {
                unfit.push(position);
            }
        }
        unfit
    }

    /// Writes the value of a field of a single calculation; returns whether it fits the kind of the
    /// field.
    pub(super) fn set_field(&mut self, field: usize, row: usize, value: &FieldValue) -> bool {
        let (Some(values), Some(texts)) =
            (self.fields.get_mut(field), self.known_texts.get_mut(field))
        else {
            return false;
        };

        let text = |text: &str| Value::Text(text.into());
        let value = match value {
            FieldValue::Scalar(Scalar::Number(number)) => Value::Number(*number),
            FieldValue::Scalar(Scalar::Boolean(value)) => Value::Boolean(*value),
            FieldValue::Scalar(Scalar::Text(written)) => text(written),
            FieldValue::Scalar(Scalar::Null) => Value::Nothing,
            list => text(&list.datum().to_string()),
        };
        values.set(row, &value, texts)
    }
}

fn index(index: &u32) -> Option<usize> {
    if *index == NONE {
        None
    } else {
        usize::try_from(*index).ok()
    }
}

impl Values {
    fn new(kind: FieldKind, count: usize) -> Self {
        match kind {
            FieldKind::Amount { decimals }
            | FieldKind::Rate { decimals }
            | FieldKind::Number { decimals } => Self::Numbers(FixedPoints::empty(decimals, count)),
            FieldKind::Boolean => Self::Booleans {
                values: vec![false; count],
                present: vec![false; count],
            },
            FieldKind::Text | FieldKind::List => Self::Texts {
                texts: Vec::new(),
                indices: vec![NONE; count],
            },
        }
    }

    /// The form in which a value is kept; `None` where it does not fit the kind of the field.
    fn cell(&mut self, value: &Value, known: &mut HashMap<Arc<str>, u32>) -> Option<Cell> {
        match (self, value) {
            (_, Value::Nothing) => Some(Cell::Nothing),
            (Self::Numbers(numbers), Value::Number(number)) => {
                numbers.integer(*number).map(Cell::Number)
            }
            (Self::Booleans { .. }, Value::Boolean(value)) => Some(Cell::Boolean(*value)),
            (Self::Texts { texts, .. }, value) => {
                let text: Arc<str> = match value {
                    Value::Text(text) => Arc::clone(text),
                    Value::Number(number) => Datum::Number(*number).to_string().into(),
                    Value::Boolean(value) => value.to_string().into(),
                    _ => return None,
                };

                let index = *known.entry(text).or_insert_with_key(|text| {
                    texts.push(Arc::clone(text));
                    u32::try_from(texts.len().saturating_sub(1)).unwrap_or(NONE)
                });
                Some(Cell::Text(index))
            }
            _ => None,
        }
    }

    /// Writes a cell of its kind; returns whether it was one, in a row that there is.
    fn put(&mut self, row: usize, cell: Cell) -> bool {
        match (self, cell) {
            (_, Cell::Nothing) => true,
            (Self::Numbers(numbers), Cell::Number(integer)) => numbers.put(row, integer),
            (Self::Booleans { values, present }, Cell::Boolean(value)) => {
                put(values, row, value) && put(present, row, true)
            }
            (Self::Texts { indices, .. }, Cell::Text(index)) => put(indices, row, index),
            _ => false,
        }
    }

    /// Writes a value; returns whether it fits.
    fn set(&mut self, row: usize, value: &Value, known: &mut HashMap<Arc<str>, u32>) -> bool {
        let cell = self.cell(value, known);
        cell.is_some_and(|cell| self.put(row, cell))
    }

    fn clear(&mut self, row: usize) {
        match self {
            Self::Numbers(numbers) => numbers.clear(row),
            Self::Booleans { present, .. } => drop(put(present, row, false)),
            Self::Texts { indices, .. } => drop(put(indices, row, NONE)),
        }
    }

    /// The value of a row, as an answer shows it.
    pub fn at(&self, row: usize) -> Datum<'_> {
        let is_there = |present: &[bool]| present.get(row).copied().unwrap_or_default();
        match self {
            Self::Numbers(numbers) => numbers
                .get(row)
                .and_then(FixedPoint::to_decimal)
                .map_or(Datum::Null, Datum::Number),
            Self::Booleans { values, present } if is_there(present) => {
                Datum::Boolean(values.get(row).copied().unwrap_or_default())
            }
            Self::Texts { texts, indices } => {
                let text = indices
                    .get(row)
                    .and_then(index)
                    .and_then(|index| texts.get(index));
                text.map_or(Datum::Null, |text| Datum::Text(text))
            }
            _ => Datum::Null,
        }
    }
}

fn put<T>(values: &mut [T], row: usize, value: T) -> bool {
    let Some(place) = values.get_mut(row) else {
        return false;
    };
    *place = value;
    true
}
