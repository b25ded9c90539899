//! Detection of divisors that may be zero in a check: it could then not be computed.

use rust_decimal::Decimal;

use crate::law::index::{InputId, StepId};
use crate::text::lang::Text;

use super::ast::Operator;
use super::expr::{Expr, ScaleField};
use super::symbols::Symbols;

/// A value of the calculation that may be known not to be zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NonzeroCandidate {
    Input(InputId),
    Output(StepId, usize),
}

impl NonzeroCandidate {
    fn from_expr(expr: &Expr) -> Option<Self> {
        match expr {
            Expr::Input(input) => Some(Self::Input(*input)),
            Expr::Output(step, output) => Some(Self::Output(*step, *output)),
            _ => None,
        }
    }
}

impl Symbols {
    /// The first divisor of a condition that may be zero: its name, where it has one.
    pub(crate) fn divisor_that_may_be_zero(&self, condition: &Expr) -> Option<Text<String>> {
        let named = |name: &str| Text::same(format!("`{name}`"));

        let divisor = self.zero_divisor(condition, &[])?;
        // A message names the input or the step; a longer divisor is `a calculation`.
        let name = match NonzeroCandidate::from_expr(divisor) {
            Some(NonzeroCandidate::Input(input)) => {
                input.of(&self.inputs).map(|input| input.name.as_str())
            }
            Some(NonzeroCandidate::Output(step, _)) => {
                step.of(&self.steps).map(|step| step.name.as_str())
            }
            None => None,
        };

        Some(name.map_or_else(|| Text::new("un calcul", "a calculation").into(), named))
    }

    /// The first divisor that may be zero, given values known not to be.
    fn zero_divisor<'e>(&self, expr: &'e Expr, known: &[NonzeroCandidate]) -> Option<&'e Expr> {
        // A condition excludes zero for what follows it: `x > 0 and y / x > 2`.
        let with = |condition: &Expr, truth: bool| [known, &nonzero(condition, truth)].concat();

        match expr {
            Expr::Negative(inner) | Expr::Not(inner) => self.zero_divisor(inner, known),
            Expr::Binary(Operator::And, a, b) => self
                .zero_divisor(a, known)
                .or_else(|| self.zero_divisor(b, &with(a, true))),
            Expr::Binary(Operator::Or, a, b) => self
                .zero_divisor(a, known)
                .or_else(|| self.zero_divisor(b, &with(a, false))),
            Expr::If(condition, yes, no) => self
                .zero_divisor(condition, known)
                .or_else(|| self.zero_divisor(yes, &with(condition, true)))
                .or_else(|| self.zero_divisor(no, &with(condition, false))),
            Expr::Binary(Operator::Divide, a, b) if self.is_nonzero(b, known) => self
                .zero_divisor(a, known)
                .or_else(|| self.zero_divisor(b, known)),
            Expr::Binary(Operator::Divide, _, b) => Some(b),
            Expr::Binary(_, a, b) => self
                .zero_divisor(a, known)
                .or_else(|| self.zero_divisor(b, known)),
            Expr::Call(_, arguments) => arguments
                .iter()
                .find_map(|argument| self.zero_divisor(argument, known)),
            // What is known of one item, or of none, is not known of the others.
            Expr::Items(_, _, of, key) => self
                .zero_divisor(of, &[])
                .or_else(|| self.zero_divisor(key.as_deref()?, &[])),
            _ => None,
        }
    }

    /// Whether an expression is never zero. Figures of the law count as never zero: a worked case
    /// would show a zero divisor.
    fn is_nonzero(&self, expr: &Expr, known: &[NonzeroCandidate]) -> bool {
        // An input whose least value is above 0 is never 0.
        let is_bounded = |input: InputId| {
            input
                .of(&self.inputs)
                .and_then(|input| input.min)
                .is_some_and(is_positive)
        };

        match expr {
            Expr::Number(value) => !value.is_zero(),
            Expr::Column(..) | Expr::Scale(ScaleField::Days | ScaleField::Months) => true,
            Expr::Input(input) if is_bounded(*input) => true,
            Expr::Negative(inner) => self.is_nonzero(inner, known),
            Expr::Binary(Operator::Multiply, a, b) => {
                self.is_nonzero(a, known) && self.is_nonzero(b, known)
            }
            _ => NonzeroCandidate::from_expr(expr).is_some_and(|value| known.contains(&value)),
        }
    }
}

fn is_positive(value: Decimal) -> bool {
    value > Decimal::ZERO
}

/// The values that cannot be zero where a condition is true, or where it is false.
fn nonzero(condition: &Expr, truth: bool) -> Vec<NonzeroCandidate> {
    match condition {
        Expr::Not(inner) => nonzero(inner, !truth),
        Expr::Binary(Operator::And, a, b) if truth => [nonzero(a, true), nonzero(b, true)].concat(),
        Expr::Binary(Operator::Or, a, b) if !truth => {
            [nonzero(a, false), nonzero(b, false)].concat()
        }
        Expr::Binary(operator, a, b) => {
            // Only the comparison of a value with a literal says something about zero.
            let (Some(value), Expr::Number(limit)) = (NonzeroCandidate::from_expr(a), &**b) else {
                return Vec::new();
            };

            let holds = match (operator, truth) {
                (Operator::Greater, true) | (Operator::LessOrEqual, false) => {
                    *limit >= Decimal::ZERO
                }
                (Operator::GreaterOrEqual, true) | (Operator::Less, false) => {
                    *limit > Decimal::ZERO
                }
                (Operator::NotEqual, true) | (Operator::Equal, false) => limit.is_zero(),
                (Operator::Equal, true) | (Operator::NotEqual, false) => !limit.is_zero(),
                _ => false,
            };

            Some(value).filter(|_| holds).into_iter().collect()
        }
        _ => Vec::new(),
    }
}
