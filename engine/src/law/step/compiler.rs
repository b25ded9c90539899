//! The context in which steps are compiled: the figures of a dated file, and the names around a step.

use crate::law::formula::{Code, CompileContext, Reads};
use crate::law::{Expr, Figure, FigureId, Input, Shape, Step, StepId, Value};
use crate::text::Report;

/// The context in which steps are compiled.
pub(crate) struct Compiler<'b> {
    pub context: &'b CompileContext<'b>,
    pub shapes: &'b [Shape],
    pub inputs: &'b [Input],
    pub steps: &'b [Step],
    /// The names that the formulas of the method read.
    pub reads: &'b Reads,
    /// The step being compiled.
    pub position: StepId,
    /// Decimals of the amounts of an answer.
    pub decimals: u32,
    pub report: &'b mut Report,
}

impl Compiler<'_> {
    pub(crate) fn code(&self, expr: &Expr) -> Code {
        Code::new(expr, self.context)
    }

    /// The code that reads the values of all items, where an expression is a value of each.
    pub(crate) fn list(&self, expr: &Expr) -> Option<Code> {
        let slot = match expr {
            Expr::Input(input) => input.slot(),
            Expr::Output(step, output) => step.of(self.context.slots)?.after(*output),
            _ => return None,
        };
        let is_list = slot.of(self.context.lists).copied().unwrap_or_default();
        is_list.then_some(Code::Slot(slot))
    }

    /// A limit: `None` where it is the empty column of a record.
    pub(crate) fn limit(&self, expr: Option<&Expr>) -> Option<Code> {
        // A limit whose column is empty in this file is no limit, and costs nothing in a
        // calculation.
        let code = self.code(expr?);
        (code.constant() != Some(&Value::Nothing)).then_some(code)
    }

    pub(crate) fn figure(&self, figure: FigureId) -> Option<&Figure> {
        figure.of(self.context.figures)
    }
}
