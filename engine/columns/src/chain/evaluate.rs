//! Computation of chains: the feeds first, then the plan with what they give.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{
    Array as _, ArrayRef, AsArray as _, BooleanArray, ListArray, RecordBatch, RecordBatchOptions,
    StringArray, StructArray, UInt32Array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::compute::{is_null, nullif, take};
use arrow::datatypes::{DataType, Field};
use bareme_engine::text::ParameterCode;

use super::given::{Given, Target};
use super::{BoundChain, BoundFeed};
use crate::error::Error;
use crate::lists;
use crate::output::REFUSAL;

/// Why a row has no answer: the texts of the columns of refusals.
type Refused = [String; REFUSAL.len()];

/// The answers of a feed, and what they give.
struct Fed {
    /// The column of its answers.
    column: ArrayRef,
    /// The columns of parameters.
    given: Vec<ArrayRef>,
}

impl BoundChain {
    /// Computes the answers to a table.
    ///
    /// # Errors
    /// A table with another schema than the bound one.
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<RecordBatch, Error> {
        if self.feeds.is_empty() {
            return self.bound.evaluate(batch);
        }

        // 1. What is computed before, and the rows that it refuses.
        let mut refused = BTreeMap::new();
        let fed = self
            .feeds
            .iter()
            .map(|feed| feed.evaluate(batch, &mut refused))
            .collect::<Result<Vec<_>, _>>()?;

        // 2. The plan, over its columns and the computed ones.
        let own = self
            .own
            .iter()
            .filter_map(|index| batch.columns().get(*index));
        let given = fed.iter().flat_map(|fed| &fed.given);
        let columns = own.chain(given).cloned().collect();
        let table = with_rows(&self.schema, columns, batch.num_rows())?;
        let answers = self.bound.evaluate(&table)?;

        // 3. A row whose parameters were refused has no answer, whatever the plan made of it.
        let mut columns = answers.columns().to_vec();
        if !refused.is_empty() {
            let copied = self.bound.copied_columns().len();
            columns = without_answers(&answers, copied, &refused)?;
        }
        columns.extend(fed.into_iter().map(|fed| fed.column));
        with_rows(&self.output, columns, batch.num_rows())
    }
}

/// A table of so many rows, which may have no column.
fn with_rows(
    schema: &arrow::datatypes::SchemaRef,
    columns: Vec<ArrayRef>,
    rows: usize,
) -> Result<RecordBatch, Error> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(
        Arc::clone(schema),
        columns,
        &options,
    )?)
}

impl BoundFeed {
    /// Computes its answers; rows without some are added to `refused`, with the first reason.
    fn evaluate(
        &self,
        batch: &RecordBatch,
        refused: &mut BTreeMap<usize, Refused>,
    ) -> Result<Fed, Error> {
        let Some(place) = self.place else {
            return self.of_rows(batch, refused);
        };
        let column = batch.columns().get(place).ok_or_else(|| Error::Mapped {
            column: self.name.clone(),
        })?;
        self.of_elements(&lists::as_lists(column)?, refused)
    }

    /// Over the rows of the table.
    fn of_rows(
        &self,
        batch: &RecordBatch,
        refused: &mut BTreeMap<usize, Refused>,
    ) -> Result<Fed, Error> {
        let columns = self.members.iter();
        let columns = columns.filter_map(|index| batch.columns().get(*index).cloned());
        let table = with_rows(&self.schema, columns.collect(), batch.num_rows())?;
        let answers = self.bound.evaluate(&table)?;

        for row in 0..batch.num_rows() {
            if let Some(reason) = reason(&answers, row) {
                // The first feed that refuses a row gives its reason.
                refused.entry(row).or_insert_with(|| {
                    let [code, parameter, message] = reason;
                    let name = &self.name;
                    [
                        code,
                        format!("{name}.{parameter}"),
                        format!("{name} : {message}"),
                    ]
                });
            }
        }

        let mut columns = Vec::new();
        for given in &self.given {
            // Over rows of the table, a field gives one parameter.
            columns.push(given.values(&answers)?);
        }
        Ok(Fed {
            column: Arc::new(StructArray::from(answers)),
            given: columns,
        })
    }

    /// Over the elements of lists.
    fn of_elements(
        &self,
        lists: &ListArray,
        refused: &mut BTreeMap<usize, Refused>,
    ) -> Result<Fed, Error> {
        // 1. The elements of these rows alone: a slice of a table has the values of all of it.
        let (first, last) = (lists.value_offsets().first(), lists.value_offsets().last());
        let (first, last) = (count(first), count(last));
        let elements = last.saturating_sub(first);
        let structs = lists.values().slice(first, elements);
        let structs = structs.as_struct();
        let hidden = is_null(structs)?;

        let mut columns = Vec::with_capacity(self.members.len());
        for member in &self.members {
            if let Some(values) = structs.columns().get(*member) {
                // A struct that is null hides what its members hold.
                columns.push(nullif(values, &hidden)?);
            }
        }
        let answers = self
            .bound
            .evaluate(&with_rows(&self.schema, columns, elements)?)?;

        // 2. Where the elements of each row are among the answers.
        let lengths = lists.offsets().lengths();
        let offsets = OffsetBuffer::<i32>::from_lengths(lengths);
        let rows = Elements {
            offsets,
            nulls: lists.nulls().cloned(),
        };
        rows.refuse(self, &answers, refused);

        // 3. What they give, and the column of the answers.
        let mut given = Vec::new();
        for one in &self.given {
            let values = one.values(&answers)?;
            match &one.to {
                Target::Items(_) => given.push(rows.lists(values)?),
                Target::Places(names) => {
                    for place in 0..names.len() {
                        given.push(take(&values, &rows.at(place), None)?);
                    }
                }
            }
        }
        Ok(Fed {
            column: rows.lists(Arc::new(StructArray::from(answers)))?,
            given,
        })
    }

    /// The most elements of a row; `None` where a list takes all.
    fn most(&self) -> Option<usize> {
        let places = self.given.iter().filter_map(|given| match &given.to {
            Target::Places(names) => Some(names.len()),
            Target::Items(_) => None,
        });
        places.min()
    }
}

impl Given {
    /// The values of its field in some answers, in the unit of the parameters.
    fn values(&self, answers: &RecordBatch) -> Result<ArrayRef, Error> {
        let values = answers.column_by_name(&self.field);
        let values = values.ok_or_else(|| Error::Mapped {
            column: self.field.clone(),
        })?;
        self.conversion.convert(values)
    }
}

/// The rows that elements are of.
struct Elements {
    offsets: OffsetBuffer<i32>,
    nulls: Option<NullBuffer>,
}

impl Elements {
    fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// The elements of a row: none of a list that is null.
    fn of_row(&self, row: usize) -> std::ops::Range<usize> {
        let is_null = self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
        let start = count(self.offsets.get(row));
        let end = count(self.offsets.get(row.saturating_add(1)));
        if is_null { start..start } else { start..end }
    }

    /// The index of the element of each row at a place.
    fn at(&self, place: usize) -> UInt32Array {
        let index = |row| {
            let index = self.of_row(row).nth(place)?;
            u32::try_from(index).ok()
        };
        (0..self.len()).map(index).collect()
    }

    /// The values of the elements as lists.
    fn lists(&self, values: ArrayRef) -> Result<ArrayRef, Error> {
        let field = Field::new_list_field(values.data_type().clone(), true);
        Ok(Arc::new(ListArray::try_new(
            Arc::new(field),
            self.offsets.clone(),
            values,
            self.nulls.clone(),
        )?))
    }

    /// Adds the rows of which an element is refused, and those with more elements than parameters.
    fn refuse(
        &self,
        feed: &BoundFeed,
        answers: &RecordBatch,
        refused: &mut BTreeMap<usize, Refused>,
    ) {
        let (name, most) = (&feed.name, feed.most());
        let codes = answers.column_by_name(REFUSAL[0]);
        let has_none = codes.is_some_and(|codes| codes.null_count() == codes.len());

        for row in 0..self.len() {
            let elements = self.of_row(row);
            if let Some(most) = most.filter(|most| elements.len() > *most) {
                let count = elements.len();
                let message = format!("{name} : {count} éléments, pour {most} au plus");
                let code = ParameterCode::Length.as_str().to_owned();
                refused.entry(row).or_insert([code, name.clone(), message]);
                continue;
            }
            // Mostly no element is refused: no text is looked for.
            if has_none {
                continue;
            }

            let reasons = elements.enumerate();
            let first = reasons
                .filter_map(|(place, element)| Some((place, reason(answers, element)?)))
                .next();
            if let Some((place, [code, parameter, message])) = first {
                let place = place.saturating_add(1);
                refused.entry(row).or_insert_with(|| {
                    let message = format!("{name}, élément {place} : {message}");
                    [code, format!("{name}.{parameter}"), message]
                });
            }
        }
    }
}

/// Why a row of answers is refused.
fn reason(answers: &RecordBatch, row: usize) -> Option<Refused> {
    let text = |name: &&str| {
        let texts = answers.column_by_name(name)?.as_string_opt::<i32>()?;
        texts.is_valid(row).then(|| texts.value(row).to_owned())
    };
    // A row without a code has an answer.
    text(&REFUSAL[0])?;
    Some(
        REFUSAL
            .each_ref()
            .map(|name| text(name).unwrap_or_default()),
    )
}

/// The columns of answers, empty after the copied ones in the rows that are refused, with their
/// reasons.
fn without_answers(
    answers: &RecordBatch,
    copied: usize,
    refused: &BTreeMap<usize, Refused>,
) -> Result<Vec<ArrayRef>, Error> {
    let rows = 0..answers.num_rows();
    let hidden: BooleanArray = rows
        .clone()
        .map(|row| Some(refused.contains_key(&row)))
        .collect();

    let schema = answers.schema();
    let columns = answers.columns().iter().zip(schema.fields()).enumerate();
    let columns = columns.map(|(index, (column, field))| {
        if index < copied {
            return Ok(Arc::clone(column));
        }
        let part = REFUSAL.iter().position(|name| *name == field.name());
        let (Some(part), DataType::Utf8) = (part, field.data_type()) else {
            return Ok(nullif(column, &hidden)?);
        };

        let own = column.as_string::<i32>();
        let texts = rows.clone().map(|row| match refused.get(&row) {
            Some(reason) => reason.get(part).map(String::as_str),
            None => own.is_valid(row).then(|| own.value(row)),
        });
        Ok(Arc::new(texts.collect::<StringArray>()) as ArrayRef)
    });
    columns.collect()
}

/// An offset as a number of elements.
fn count(offset: Option<&i32>) -> usize {
    offset
        .and_then(|offset| usize::try_from(*offset).ok())
        .unwrap_or_default()
}
