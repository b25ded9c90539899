//! Usage of inputs and declarations by the formulas of a method: inputs that only options read,
//! unused declarations.

use std::collections::BTreeSet;

use crate::law::Input;
use crate::law::formula::{Reads, Symbols};
use crate::law::index::{ColumnId, FigureId, InputId, StepId};
use crate::text::{Problem, Report};

/// Marks the inputs that options read and the method itself does not.
pub(super) fn mark_inputs_of_options(
    inputs: &mut [Input],
    read: &BTreeSet<InputId>,
    read_by_the_method: &BTreeSet<InputId>,
) {
    for (position, input) in inputs.iter_mut().enumerate() {
        let id = InputId::new(position);
        input.only_of_options = read.contains(&id) && !read_by_the_method.contains(&id);
    }
}

/// The inputs that something reads, directly or through the default of another one that is read.
pub(super) fn read_with_defaults(inputs: &[Input], read: &BTreeSet<InputId>) -> BTreeSet<InputId> {
    let mut read = read.clone();
    // A default reads inputs above its own: the reverse order visits it before what it reads, so
    // that one pass is enough.
    for (id, input) in InputId::enumerate(inputs)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
    {
        if read.contains(&id) {
            read.extend(&input.default_reads);
        }
    }

    read
}

/// Warns of inputs, figures, columns and steps that nothing uses, probably because a line of the
/// law was forgotten.
pub(super) fn warn_unused(symbols: &Symbols, reads: &Reads, report: &mut Report) {
    for (id, input) in InputId::enumerate(&symbols.inputs) {
        if !reads.inputs.contains(&id) {
            report.warn(
                &input.place,
                Problem::UnusedInput {
                    name: input.name.clone(),
                },
            );
        }
    }

    for (figure, shape) in FigureId::enumerate(&symbols.figures) {
        let is_used = |column: ColumnId| reads.columns.contains(&(figure, column));
        // A figure that nothing reads is reported once, without its columns.
        if !ColumnId::enumerate(&shape.columns).any(|(column, _)| is_used(column)) {
            report.warn(
                &shape.place,
                Problem::UnusedFigure {
                    name: shape.name.clone(),
                },
            );
            continue;
        }

        // The columns of a figure of another folder are declared for all who read it.
        if shape.shared.is_some() {
            continue;
        }

        for (_, found) in
            ColumnId::enumerate(&shape.columns).filter(|(column, _)| !is_used(*column))
        {
            report.warn(
                &found.place,
                Problem::UnusedColumn {
                    figure: shape.name.clone(),
                    column: found.name.clone(),
                },
            );
        }
    }

    for (id, step) in StepId::enumerate(&symbols.steps) {
        if !reads.steps.contains(&id) {
            report.warn(
                &step.place,
                Problem::UnusedStep {
                    name: step.name.clone(),
                },
            );
        }
    }
}
