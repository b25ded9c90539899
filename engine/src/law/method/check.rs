//! Checks of a method: conditions under which a query is refused, or answered with a warning.

use crate::law::formula::{ExpectedType, Expr, Scope};
use crate::law::index::InputId;
use crate::text::{Node, Problem, Report};

/// A check of the inputs or of the computed values.
#[derive(Debug)]
pub(crate) struct Check {
    pub condition: Expr,
    pub message: String,
    /// The input refused; `None` for a warning.
    pub refuses: Option<InputId>,
    /// Whether it reads no step: it then runs before them.
    pub early: bool,
    /// The option that it belongs to, by index; `None`: the method itself.
    pub option: Option<usize>,
}

/// Reads a check; `None` where its condition is false on all the days that the method is read for.
pub(super) fn read_check(node: &Node, scope: &mut Scope, report: &mut Report) -> Option<Check> {
    let condition = node.text_of("if")?;
    let (typed, steps) = scope.steps_read(|scope| scope.check(condition, ExpectedType::BOOLEAN, &[], report));
    if scope.settled(&typed.expr) == Some(false) {
        return None;
    }
    if let Some(divisor) = scope.divisor_that_may_be_zero(&typed.expr) {
        report.warn(&condition.place, Problem::CheckMayDivideByZero { divisor });
    }
    let early = steps.is_empty();
    let refuses = node.text_of("input").and_then(|name| scope.named_input(name, report));
    let (refuse, warn) = (node.string_of("refuse"), node.string_of("warn"));
    let is_misspelt = |key: &&str| node.misspells(key, &["if", "warn", "refuse", "input"]);
    let is_unclear = refuse.is_some() != node.get("input").is_some() || refuse.is_some() == warn.is_some();
    if is_unclear && !["warn", "refuse", "input"].iter().any(is_misspelt) {
        report.error(&condition.place, Problem::CheckUnclear {});
    }
    let option = scope.option;
    Some(Check { condition: typed.expr, message: refuse.or(warn)?, refuses, early, option })
}
