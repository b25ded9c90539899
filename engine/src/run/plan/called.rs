//! Rows that a step of another folder asks of a program, computed as a block.

use crate::law::callee::{RowsAnswer, RowsCall};
use crate::law::column::{Block, Booleans, Column};
use crate::law::formula::When;
use crate::law::option::OptionSet;
use crate::law::{Input, Presence, Value};
use crate::run::program::Program;

use super::evaluate::{check, fill_defaults, no_items};
use super::slice::{Besides, Slice};

/// Computes some fields of many rows; `None` where the rows differ in their options, or where the
/// answer to a row depends on a search.
pub(crate) fn called_rows(program: &Program, when: When, call: RowsCall) -> Option<RowsAnswer> {
    // 1. The options, the same for every row.
    let on = options(program, &call)?;
    let fields: Vec<Option<usize>> = call.fields.iter().copied().map(Some).collect();
    let slice = Slice::new(program, &fields, Besides::Warnings, on);
    if slice.fields.iter().any(Option::is_none) {
        return None;
    }

    // 2. What is given, within the bounds of the inputs. A row out of them is calculated alone,
    // which says why it is refused.
    let inputs = program.method().inputs();
    let mut refused = vec![false; call.rows];
    let mut columns = Vec::with_capacity(inputs.len());
    for ((column, sent), input) in call.inputs.into_iter().zip(inputs) {
        if input.group.is_some() {
            columns.push((no_items(), Booleans::One(false)));
            continue;
        }
        let is_required = matches!(input.presence, Presence::Required);
        for (row, refused) in refused.iter_mut().enumerate() {
            *refused |= is_required && !sent.at(row);
        }
        columns.push((admitted(column, input, &mut refused), sent));
    }

    // 3. The order is that of a single calculation: defaults, early checks, steps, late checks.
    let mut block = Block::new(call.rows, columns, slice.slots, when);
    fill_defaults(program, on, &mut block);
    let mut warned = Vec::new();
    check(program, &slice.early, &block, &mut warned);
    for step in slice
        .steps
        .iter()
        .filter_map(|index| program.steps.get(*index))
    {
        step.run_columns(&mut block);
    }
    check(program, &slice.late, &block, &mut warned);

    // 4. The fields, as another folder reads them.
    let of_field = |field: &usize| {
        let compiled = program.fields.get(*field)?;
        Some(compiled.called_column(&block, program.evaluator()))
    };
    let columns = call
        .fields
        .iter()
        .map(of_field)
        .collect::<Option<Vec<Column>>>()?;

    let failed = refused
        .iter()
        .enumerate()
        .map(|(row, refused)| *refused || block.failed(row));
    let own = warned
        .into_iter()
        .map(|(rows, warning)| (rows, warning.clone()));
    Some(RowsAnswer {
        columns,
        failed: failed.collect(),
        warnings: own.chain(block.call_warnings()).collect(),
    })
}

/// The options that are on; `None` where that differs between rows.
fn options(program: &Program, call: &RowsCall) -> Option<OptionSet> {
    let mut on = OptionSet::default();
    for (index, option) in program.method().options().iter().enumerate() {
        let (column, _) = option.input.of(&call.inputs)?;
        match column {
            Column::One(value) if *value == Value::Boolean(true) => on.switch_on(index),
            Column::One(_) => {}
            _ => return None,
        }
    }
    Some(on)
}

/// A column with its numbers rounded on entry; marks the rows out of the bounds of the input.
fn admitted(column: Column, input: &Input, refused: &mut [bool]) -> Column {
    match &column {
        Column::One(Value::Number(number)) => match input.admitted(*number) {
            Ok(number) => Column::One(Value::Number(number)),
            Err(_) => {
                refused.iter_mut().for_each(|row| *row = true);
                column
            }
        },
        Column::Numbers(_) | Column::Sparse(..) => {
            let mut values = Vec::new();
            for (row, refused) in refused.iter_mut().enumerate() {
                let Value::Number(number) = column.at(row) else {
                    values.push(Value::Nothing);
                    continue;
                };
                let admitted = input.admitted(number);
                *refused |= admitted.is_err();
                values.push(Value::Number(admitted.unwrap_or(number)));
            }

            // Rounding on entry alone changes a number: the column is mostly kept as it is.
            if input.round.is_some() {
                Column::of_values(&values)
            } else {
                column
            }
        }
        _ => column,
    }
}
