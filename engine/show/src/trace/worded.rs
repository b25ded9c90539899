//! The computation of a step for readers of a page: with the numbers of the calculation, and in
//! words with labels.

use bareme_engine::Datum;
use bareme_engine::law::{Ast, AstNode, Field, Method, Operand, Operator, Sentence, StepId, Type};
use bareme_engine::run::{StepResult, StepTrace};
use rust_decimal::Decimal;

use super::{is_bare, limits};
use crate::currency_decimals;
use crate::formula::{binding, separator};
use crate::labels::{known_label, of_word, with_labels};
use crate::locale::Locale;
use crate::say;

/// Months in a year.
const YEAR: Decimal = Decimal::from_parts(12, 0, 0, false, 0);

/// The computation with its numbers, `2 650,00 € × 6,9 % = 182,85 €`; `None` for a step that is no
/// arithmetic.
pub(super) fn equation(trace: &StepTrace, method: &Method, locale: Locale) -> Option<String> {
    let StepResult::Value(result, ty) = &trace.result else {
        return None;
    };
    let ty = &shown_type(&trace.step.name, *ty, method);
    let numbers = Numbers {
        trace,
        method,
        locale,
    };
    let (shown, found) = numbers.computed()?;
    // An amount is rounded as the law says, which may differ from how a page rounds a half; and no
    // page shows less than the least coin.
    let coins = method.currency.as_deref().map(currency_decimals);
    let decimals = coins.map_or(method.decimals, |coins| method.decimals.min(coins));
    let unit = Decimal::new(1, decimals);
    let is_near = |result: Decimal| found.saturating_sub(result).abs() < unit;
    let is_amount = matches!(ty, Type::Money(_));
    let is_same = is_amount && result.datum().number().is_some_and(is_near);
    let value = |found| value(found, *ty, method, locale);
    let result = value(result.datum());
    let found = if is_same {
        result.clone()
    } else {
        value(Datum::Number(found))
    };

    // In a year of pays the result is what the months before have left of the sum.
    if trace.earlier.is_some() || found == result {
        return Some(format!("{shown} = {found}"));
    }
    let is_limited = limits(trace, method.into(), locale).next().is_some();
    let is_rounded = !is_limited && !trace.rounding.0.is_empty();
    let end = if is_rounded {
        say!(locale.lang, "arrondi à", "rounded to")
    } else {
        say!(locale.lang, "retenu :", "kept:")
    };
    Some(format!("{shown} = {found}, {end} {result}"))
}

/// The formula of a step in words, with labels; `None` where its equation, if it has one, says as
/// much.
pub(super) fn rule(
    trace: &StepTrace,
    method: &Method,
    locale: Locale,
    has_equation: bool,
) -> Option<String> {
    let formula = formula(trace).filter(|_| !is_bare(trace.step))?;
    let formula = of_edition(formula.clone(), method);
    let is_single = matches!(
        formula.node,
        AstNode::Number(_) | AstNode::Boolean(_) | AstNode::Name(_) | AstNode::Member(..)
    );
    if is_single || (has_equation && !has_condition(&formula)) {
        return None;
    }

    Some(with_labels(method, locale, |words| words.formula(&formula)))
}

/// A formula without the branches of figures that the edition does not have: they ended before it,
/// or start after it.
fn of_edition(mut formula: Ast, method: &Method) -> Ast {
    let part = |inner: Box<Ast>| Box::new(of_edition(*inner, method));
    formula.node = match formula.node {
        AstNode::If(condition, yes, no) => match settled(&condition, method) {
            Some(true) => return of_edition(*yes, method),
            Some(false) => return of_edition(*no, method),
            None => AstNode::If(part(condition), part(yes), part(no)),
        },
        AstNode::Binary(operator @ (Operator::And | Operator::Or), left, right) => {
            let decides = operator == Operator::Or;
            match (settled(&left, method), settled(&right, method)) {
                (Some(found), _) | (_, Some(found)) if found == decides => {
                    AstNode::Boolean(decides)
                }
                (Some(_), Some(_)) => AstNode::Boolean(!decides),
                // One of the conditions is known, and leaves the other one to decide.
                (Some(_), None) => return of_edition(*right, method),
                (None, Some(_)) => return of_edition(*left, method),
                (None, None) => AstNode::Binary(operator, part(left), part(right)),
            }
        }
        AstNode::Binary(operator, left, right) => {
            AstNode::Binary(operator, part(left), part(right))
        }
        AstNode::Not(inner) => AstNode::Not(part(inner)),
        AstNode::Negative(inner) => AstNode::Negative(part(inner)),
        AstNode::Call(function, arguments) => {
            let arguments = arguments.into_iter();
            AstNode::Call(
                function,
                arguments.map(|inner| of_edition(inner, method)).collect(),
            )
        }
        leaf => leaf,
    };
    formula
}

/// Whether a condition is met in every calculation of an edition, or in none: what is not there is
/// not given.
fn settled(condition: &Ast, method: &Method) -> Option<bool> {
    match &condition.node {
        AstNode::Call(function, arguments) if function.name == "given" => {
            let [inner] = &arguments[..] else { return None };
            let (AstNode::Name(name) | AstNode::Member(name, _)) = &inner.node else {
                return None;
            };
            let is_there = known_label(name, method).is_some()
                || method.steps().iter().any(|step| step.name == *name);
            (!is_there).then_some(false)
        }
        AstNode::Not(inner) => Some(!settled(inner, method)?),
        AstNode::Binary(operator @ (Operator::And | Operator::Or), left, right) => {
            let decides = *operator == Operator::Or;
            let found = [settled(left, method), settled(right, method)];
            if found.contains(&Some(decides)) {
                return Some(decides);
            }
            let [left, right] = found;
            left.and(right).map(|_| !decides)
        }
        _ => None,
    }
}

/// The type of a number as a page shows it: that of a field of the answer which gives the same
/// number as a rate.
pub(super) fn shown_type(name: &str, ty: Type, method: &Method) -> Type {
    let is_it = |step: &StepId| {
        step.of(method.steps())
            .is_some_and(|step| step.name == name)
    };
    let is_rate = |field: &Field| {
        field.value_type() == Type::Rate && matches!(field.steps.as_slice(), [step] if is_it(step))
    };
    if ty == Type::Number && method.fields().iter().any(is_rate) {
        Type::Rate
    } else {
        ty
    }
}

/// The formula that a step is; that of the base of another kind is no computation of its own.
fn formula<'t>(trace: &'t StepTrace) -> Option<&'t Ast> {
    let formula = trace.step.formula();
    formula.filter(|_| trace.step.sentence() == Sentence::Formula)
}

/// The value of a step as a page shows it.
pub fn step_value(trace: &StepTrace, method: &Method, locale: Locale) -> Option<String> {
    let StepResult::Value(found, ty) = &trace.result else {
        return None;
    };
    let ty = shown_type(&trace.step.name, *ty, method);
    Some(value(found.datum(), ty, method, locale))
}

/// A value as a page shows it: a word of a choice by its label.
fn value(found: Datum, ty: Type, method: &Method, locale: Locale) -> String {
    match found {
        Datum::Text(word) if ty != Type::Date => {
            let label = of_word(word, method).map(str::to_owned);
            label.unwrap_or_else(|| locale.value_in(found, ty, method))
        }
        _ => locale.value_in(found, ty, method),
    }
}

/// The operands that a page shows beside the equation of a step: of a product, only what limited
/// its base.
pub(super) fn operands<'t, 'f>(
    trace: &'t StepTrace<'f>,
    method: &Method,
    locale: Locale,
) -> impl Iterator<Item = &'t Operand<'f>> {
    let is_product = formula(trace).is_none() && equation(trace, method, locale).is_some();
    let number = |name: &str| {
        let mut operands = trace.operands.iter();
        let found = operands.find(|operand| operand.name == name)?;
        found.value.datum().number()
    };
    let is_limited = number("assiette") != number("base") && number("assiette").is_some();

    let is_shown = move |operand: &&Operand| match operand.name {
        "assiette" | "taux" => !is_product,
        "base" => !is_product || is_limited,
        "au_dela_de" => operand.value.datum().number() != Some(Decimal::ZERO),
        _ => true,
    };
    trace.operands.iter().filter(is_shown)
}

/// An operand as a page shows it.
pub(super) fn operand(operand: &Operand, method: &Method, locale: Locale) -> String {
    let ty = shown_type(operand.name, operand.ty, method);
    let values = operand.value.each().iter();
    let shown = values.map(|found| value(found.datum(), ty, method, locale));
    shown.collect::<Vec<_>>().join(separator(locale.lang))
}

/// Whether a formula decides between two values.
fn has_condition(formula: &Ast) -> bool {
    match &formula.node {
        AstNode::If(..) => true,
        AstNode::Number(_) | AstNode::Boolean(_) | AstNode::Name(_) | AstNode::Member(..) => false,
        AstNode::Negative(inner) | AstNode::Not(inner) => has_condition(inner),
        AstNode::Binary(_, left, right) => has_condition(left) || has_condition(right),
        AstNode::Call(_, arguments) => arguments.iter().any(has_condition),
    }
}

/// A value of a part of a formula.
#[derive(Debug, PartialEq)]
enum Found<'t> {
    Number(Decimal),
    Boolean(bool),
    Word(&'t str),
}

impl Found<'_> {
    fn number(self) -> Option<Decimal> {
        match self {
            Self::Number(found) => Some(found),
            _ => None,
        }
    }

    fn boolean(self) -> Option<bool> {
        match self {
            Self::Boolean(found) => Some(found),
            _ => None,
        }
    }
}

/// The numbers of the operands of a step.
struct Numbers<'t, 'f> {
    trace: &'t StepTrace<'f>,
    method: &'t Method,
    locale: Locale,
}

impl<'t> Numbers<'t, '_> {
    /// The computation with its numbers, and its value before limits and roundings.
    fn computed(&self) -> Option<(String, Decimal)> {
        if let Some(formula) = formula(self.trace) {
            let taken = self.taken(formula)?;
            let is_computed = matches!(taken.node, AstNode::Binary(..) | AstNode::Call(..));
            let found = self.found(taken)?.number()?;
            return if is_computed {
                Some((self.shown(taken, None)?, found))
            } else {
                None
            };
        }

        // A contribution has what counts of its base, a deduction its base.
        let number = |operand: &Operand| operand.value.datum().number();
        let base = self.operand("assiette").or_else(|| self.operand("base"))?;
        let rate = self.operand("taux")?;
        let (base_number, rate_number) = (number(base)?, number(rate)?);
        let [base, rate] = [base, rate].map(|found| operand(found, self.method, self.locale));
        let found = base_number.checked_mul(rate_number)?;
        Some((format!("{base} × {rate}"), found))
    }

    fn operand(&self, name: &str) -> Option<&'t Operand<'t>> {
        self.trace
            .operands
            .iter()
            .find(|operand| operand.name == name)
    }

    /// The operand of a name or of a column.
    fn operand_of(&self, node: &AstNode) -> Option<&'t Operand<'t>> {
        match node {
            AstNode::Name(name) => self.operand(name),
            AstNode::Member(owner, member) => {
                let operands = self.trace.operands.iter();
                let is_own = |operand: &&Operand| {
                    operand.name.split_once('.') == Some((owner.as_str(), member.as_str()))
                };
                let mut own = operands.filter(is_own);
                own.next()
            }
            _ => None,
        }
    }

    /// The branch that the conditions of a formula lead to.
    fn taken<'a>(&self, formula: &'a Ast) -> Option<&'a Ast> {
        let AstNode::If(condition, yes, no) = &formula.node else {
            return Some(formula);
        };
        let is_met = self.found(condition)?.boolean()?;
        self.taken(if is_met { yes } else { no })
    }

    /// The value of a part of a formula, as far as the operands tell.
    fn found<'a>(&self, formula: &'a Ast) -> Option<Found<'a>>
    where
        't: 'a,
    {
        let number = |inner: &Ast| self.found(inner)?.number();
        Some(match &formula.node {
            AstNode::Number(found) => Found::Number(*found),
            AstNode::Boolean(found) => Found::Boolean(*found),
            // A name is an operand, or else a word of a choice.
            AstNode::Name(_) | AstNode::Member(..) => match self.operand_of(&formula.node) {
                Some(operand) => match operand.value.datum() {
                    Datum::Number(found) => Found::Number(found),
                    Datum::Boolean(found) => Found::Boolean(found),
                    Datum::Text(word) => Found::Word(word),
                    _ => return None,
                },
                None => match &formula.node {
                    AstNode::Name(word) => {
                        of_word(word, self.method)?;
                        Found::Word(word)
                    }
                    _ => return None,
                },
            },
            AstNode::Negative(inner) => Found::Number(Decimal::ZERO.checked_sub(number(inner)?)?),
            AstNode::Not(inner) => Found::Boolean(!self.found(inner)?.boolean()?),
            // The other branch may read what is not given.
            AstNode::If(..) => self.found(self.taken(formula)?)?,
            AstNode::Binary(operator, left, right) => self.binary(*operator, left, right)?,
            AstNode::Call(function, arguments) => match (function.name, &arguments[..]) {
                ("given", [inner]) => {
                    let operand = self.operand_of(&inner.node)?;
                    Found::Boolean(!matches!(operand.value.datum(), Datum::Null))
                }
                ("annual", [inner]) => Found::Number(number(inner)?.checked_mul(YEAR)?),
                ("monthly", [inner]) => Found::Number(number(inner)?.checked_div(YEAR)?),
                ("ratio", [above, below]) => {
                    let (above, below) = (number(above)?, number(below)?);
                    Found::Number(above.checked_div(below).unwrap_or_default())
                }
                ("min" | "max", [first, others @ ..]) => {
                    let mut found = number(first)?;
                    for other in others {
                        let other = number(other)?;
                        let is_least = function.name == "min";
                        found = if is_least {
                            found.min(other)
                        } else {
                            found.max(other)
                        };
                    }
                    Found::Number(found)
                }
                _ => return None,
            },
        })
    }

    fn binary(&self, operator: Operator, left: &Ast, right: &Ast) -> Option<Found<'static>> {
        let boolean = |inner: &Ast| self.found(inner)?.boolean();
        // The second condition may read what the first one excludes.
        match operator {
            Operator::And => return Some(Found::Boolean(boolean(left)? && boolean(right)?)),
            Operator::Or => return Some(Found::Boolean(boolean(left)? || boolean(right)?)),
            Operator::Equal => {
                return Some(Found::Boolean(self.found(left)? == self.found(right)?));
            }
            Operator::NotEqual => {
                return Some(Found::Boolean(self.found(left)? != self.found(right)?));
            }
            _ => {}
        }

        let (left, right) = (self.found(left)?.number()?, self.found(right)?.number()?);
        Some(match operator {
            Operator::Add => Found::Number(left.checked_add(right)?),
            Operator::Subtract => Found::Number(left.checked_sub(right)?),
            Operator::Multiply => Found::Number(left.checked_mul(right)?),
            Operator::Divide => Found::Number(left.checked_div(right)?),
            Operator::Less => Found::Boolean(left < right),
            Operator::LessOrEqual => Found::Boolean(left <= right),
            Operator::Greater => Found::Boolean(left > right),
            Operator::GreaterOrEqual => Found::Boolean(left >= right),
            _ => return None,
        })
    }

    /// A part of a formula with its numbers; one beside a rate is shown in percent.
    fn shown(&self, formula: &Ast, beside: Option<Type>) -> Option<String> {
        Some(match &formula.node {
            AstNode::Number(found) if beside == Some(Type::Rate) => self.locale.percent(*found),
            AstNode::Number(found) => self.locale.number(*found),
            AstNode::Name(_) | AstNode::Member(..) => {
                let operand = self.operand_of(&formula.node)?;
                self::operand(operand, self.method, self.locale)
            }
            AstNode::Negative(inner) => {
                format!("−{}", self.part(inner, binding(&formula.node), None)?)
            }
            AstNode::If(..) => self.shown(self.taken(formula)?, beside)?,
            AstNode::Binary(operator, left, right) => {
                let sign = match operator {
                    Operator::Add => "+",
                    Operator::Subtract => "−",
                    Operator::Multiply => "×",
                    Operator::Divide => "÷",
                    _ => return None,
                };
                let own = binding(&formula.node);
                let is_sum = matches!(operator, Operator::Add | Operator::Subtract);
                let (left_type, right_type) = (self.type_of(left), self.type_of(right));
                let beside = |other: Option<Type>| other.filter(|_| is_sum);
                let first = self.part(left, own, beside(right_type))?;
                let second = self.part(right, own.saturating_add(1), beside(left_type))?;
                format!("{first} {sign} {second}")
            }
            AstNode::Call(function, arguments) => match (function.name, &arguments[..]) {
                ("annual", [inner]) => format!("12 × {}", self.part(inner, FACTOR, None)?),
                ("monthly", [inner]) => format!("{} ÷ 12", self.part(inner, FACTOR, None)?),
                ("ratio", [above, below]) => {
                    // The ratio to nothing is nothing, and no division.
                    if self.found(below)?.number()?.is_zero() {
                        return None;
                    }
                    let above = self.part(above, FACTOR, None)?;
                    format!("{above} ÷ {}", self.part(below, FACTOR, None)?)
                }
                ("min" | "max", arguments) => {
                    let ty = arguments.iter().find_map(|inner| self.type_of(inner));
                    let shown: Option<Vec<String>> = arguments
                        .iter()
                        .map(|inner| self.shown(inner, ty))
                        .collect();
                    let shown = shown?.join(separator(self.locale.lang));
                    format!("{}({shown})", function.words.in_lang(self.locale.lang))
                }
                _ => return None,
            },
            AstNode::Boolean(_) | AstNode::Not(_) => return None,
        })
    }

    /// A part within an operation, in parentheses where it binds less or is negative.
    fn part(&self, formula: &Ast, outer: u8, beside: Option<Type>) -> Option<String> {
        let taken = self.taken(formula)?;
        let shown = self.shown(taken, beside)?;
        // Functions that give a quotient or a product bind as these do.
        let own = match &taken.node {
            AstNode::Call(function, _)
                if ["annual", "monthly", "ratio"].contains(&function.name) =>
            {
                FACTOR.saturating_sub(1)
            }
            node => binding(node),
        };
        let is_negative = shown.starts_with('\u{2212}');
        Some(if own < outer || is_negative {
            format!("({shown})")
        } else {
            shown
        })
    }

    /// The type of a name or of a column.
    fn type_of(&self, formula: &Ast) -> Option<Type> {
        self.operand_of(&formula.node).map(|operand| operand.ty)
    }
}

/// The binding strength that a factor needs, above that of a product: see [`binding`].
const FACTOR: u8 = 7;

#[cfg(test)]
mod tests;
