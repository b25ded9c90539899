//! Inputs, figures and steps that a method declares and nothing uses.

use crate::law::formula::Scope;
use crate::law::index::{ColumnId, FigureId, InputId, StepId};
use crate::text::diagnostic::Report;
use crate::text::problem::Problem;

/// Warns of inputs, figures, columns and steps that nothing uses, probably because a line of the law was forgotten.
pub(super) fn warn_unused(scope: &Scope, report: &mut Report) {
    for (id, input) in InputId::enumerate(&scope.inputs) {
        if !scope.used.inputs.contains(&id) {
            report.warn(&input.place, Problem::UnusedInput { name: input.name.clone() });
        }
    }
    for (figure, shape) in FigureId::enumerate(&scope.figures) {
        let is_used = |column: ColumnId| scope.used.columns.contains(&(figure, column));
        if !ColumnId::enumerate(&shape.columns).any(|(column, _)| is_used(column)) {
            report.warn(&shape.place, Problem::UnusedFigure { name: shape.name.clone() });
            continue;
        }
        for (_, found) in ColumnId::enumerate(&shape.columns).filter(|(column, _)| !is_used(*column)) {
            report.warn(&found.place, Problem::UnusedColumn { figure: shape.name.clone(), column: found.name.clone() });
        }
    }
    for (id, step) in StepId::enumerate(&scope.steps) {
        if !scope.used.steps.contains(&id) {
            report.warn(&step.place, Problem::UnusedStep { name: step.name.clone() });
        }
    }
}
