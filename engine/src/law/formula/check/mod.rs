//! The checker of formulas: resolves their names and checks their types.
//!
//! Every branch is checked, even one that no input reaches. A mistake is reported once: an
//! expression that could not be typed is [`Type::Unknown`], and nothing that depends on it is
//! reported.

mod call;

use std::ops::Range;

use crate::law::option;
use crate::law::{ColumnId, FigureId, InputId, Shape, StepId, Type};
use crate::text::limits::FORMULAS;
use crate::text::problem::suggestion;
use crate::text::{PlacedText, Problem, Report};

use super::ast::{Ast, AstNode, Operator};
use super::expr::{Expr, Narrowing, ScaleField, Typed, narrowings};
use super::hints;
use super::parser;
use super::scope::Scope;

use call::Call;

/// The type that is expected of an expression.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ExpectedType {
    /// Its type, if only one fits.
    pub ty: Option<Type>,
    /// Whether an empty value is admitted: in a limit, or a field of the answer.
    pub optional: bool,
}

impl ExpectedType {
    pub(crate) fn exactly(ty: Type) -> Self {
        Self {
            ty: Some(ty),
            optional: false,
        }
    }

    pub(crate) fn limit(ty: Type) -> Self {
        Self {
            ty: Some(ty),
            optional: true,
        }
    }

    pub(crate) const BOOLEAN: Self = Self {
        ty: Some(Type::Boolean),
        optional: false,
    };
    pub(crate) const OPTIONAL: Self = Self {
        ty: None,
        optional: true,
    };
}

impl Scope {
    /// Checks a formula; `known` are the facts that its `when` and the like establish.
    pub(crate) fn check(
        &mut self,
        text: &PlacedText,
        expected: ExpectedType,
        known: &[Narrowing],
        report: &mut Report,
    ) -> Typed {
        self.check_and_keep(text, expected, known, report).0
    }

    /// Checks a formula and also gives its syntax tree; `None` where it could not be parsed.
    pub(crate) fn check_and_keep(
        &mut self,
        text: &PlacedText,
        expected: ExpectedType,
        known: &[Narrowing],
        report: &mut Report,
    ) -> (Typed, Option<Ast>) {
        if report.is_full() {
            return (Typed::unknown(), None);
        }
        match parser::parse(&text.value) {
            Ok(ast) => (
                self.check_ast(text, &ast, expected, known, report),
                Some(ast),
            ),
            Err((span, problem)) => {
                report.error(&text.part(span), problem);
                (Typed::unknown(), None)
            }
        }
    }

    /// Checks formulas separated by `;` and also gives their syntax trees.
    pub(crate) fn check_list(
        &mut self,
        text: &PlacedText,
        known: &[Narrowing],
        report: &mut Report,
    ) -> (Vec<Typed>, Vec<Ast>) {
        match parser::parse_list(&text.value) {
            Ok(list) => {
                let check = |ast| self.check_ast(text, ast, ExpectedType::default(), known, report);
                (list.iter().map(check).collect(), list)
            }
            Err((span, problem)) => {
                report.error(&text.part(span), problem);
                (Vec::new(), Vec::new())
            }
        }
    }

    /// Key of a sum over months, which restarts where its value changes: its name, and its value of
    /// this month.
    pub(crate) fn sum_key(
        &mut self,
        text: &PlacedText,
        known: &[Narrowing],
        report: &mut Report,
    ) -> Option<(String, Box<Expr>)> {
        let typed = self.check(text, ExpectedType::default(), known, report);
        let is_name = matches!(
            typed.expr,
            Expr::Input(_) | Expr::Output(..) | Expr::Absent(_)
        );
        let name = text.value.clone();
        match typed.ty {
            Type::Unknown => return None,
            ty if is_name && ty.may_start_again() => {}
            ty => {
                report.error(
                    &text.place,
                    Problem::BadSumKey {
                        name,
                        found: ty.name(),
                    },
                );
                return None;
            }
        }
        self.year.names.sums(&name);
        Some((name, Box::new(typed.expr)))
    }

    fn check_ast(
        &mut self,
        text: &PlacedText,
        ast: &Ast,
        expected: ExpectedType,
        known: &[Narrowing],
        report: &mut Report,
    ) -> Typed {
        let before = self.words;
        self.words += ast.count();
        // Beyond the limit, one formula is reported and the next ones are not checked.
        if before > FORMULAS.most || !FORMULAS.accepts(self.words, &text.place, report) {
            return Typed::unknown();
        }
        let is_condition = expected.ty == Some(Type::Boolean);
        let mut checker = Checker {
            scope: self,
            text,
            known: known.to_vec(),
            is_condition,
            report,
        };
        let typed = checker.expr(ast, expected);
        checker.expect(ast, typed, expected)
    }
}

pub(super) struct Checker<'c> {
    pub(super) scope: &'c mut Scope,
    text: &'c PlacedText,
    known: Vec<Narrowing>,
    /// Whether the formula is a condition, in which no number is taken for a rate of the law.
    is_condition: bool,
    report: &'c mut Report,
}

impl Checker<'_> {
    pub(super) fn error(&mut self, span: &Range<usize>, problem: Problem) -> Typed {
        self.report.error(&self.text.part(span.clone()), problem);
        Typed::unknown()
    }

    /// Checks the type of an expression against the one that is expected.
    fn expect(&mut self, ast: &Ast, typed: Typed, expected: ExpectedType) -> Typed {
        let Some(ty) = expected.ty else { return typed };
        // A plain number in a key for a rate would be misread: 7 as 700%.
        let fits = match (ty, typed.ty) {
            (Type::Rate, Type::Number) => false,
            (ty, found) => ty.together(found).is_some(),
        };
        if fits {
            return typed;
        }
        let problem =
            hints::written_out(ast, ty).unwrap_or_else(|| hints::wrong_type(ty, typed.ty));
        self.error(&ast.span, problem)
    }

    fn expr(&mut self, ast: &Ast, expected: ExpectedType) -> Typed {
        match &ast.node {
            AstNode::Number(value) if value.is_zero() => Typed {
                expr: Expr::Number(*value),
                ty: Type::Zero,
            },
            AstNode::Number(value) => Typed {
                expr: Expr::Number(*value),
                ty: Type::Number,
            },
            AstNode::Boolean(value) => Typed {
                expr: Expr::Boolean(*value),
                ty: Type::Boolean,
            },
            AstNode::Name(name) => self.name(&ast.span, name, expected),
            AstNode::Member(owner, name) => self.member(&ast.span, owner, name, expected),
            AstNode::Negative(inner) => {
                let typed = self.operand(inner);
                if !typed.ty.is_numeric() {
                    return self.error(&inner.span, Problem::not_numeric(typed.ty));
                }
                Typed {
                    ty: typed.ty,
                    expr: Expr::Negative(Box::new(typed.expr)),
                }
            }
            AstNode::Not(inner) => {
                let typed = self.boolean(inner);
                Typed {
                    ty: Type::Boolean,
                    expr: Expr::Not(Box::new(typed)),
                }
            }
            AstNode::Binary(operator, left, right) => self.binary(ast, *operator, left, right),
            AstNode::If(condition, yes, no) => self.choose(ast, condition, yes, no, expected),
            AstNode::Call(function, arguments) => Call {
                checker: self,
                ast,
                function,
                arguments,
            }
            .check(),
        }
    }

    pub(super) fn operand(&mut self, ast: &Ast) -> Typed {
        self.expr(ast, ExpectedType::default())
    }

    fn boolean(&mut self, ast: &Ast) -> Expr {
        let typed = self.expr(ast, ExpectedType::default());
        self.expect(ast, typed, ExpectedType::BOOLEAN).expr
    }

    fn name(&mut self, span: &Range<usize>, name: &str, expected: ExpectedType) -> Typed {
        if let Some(Type::Choice(input)) = expected.ty
            && let Some(word) = input
                .of(&self.scope.inputs)
                .and_then(|input| input.word(name))
        {
            return Typed {
                expr: Expr::Word(word),
                ty: Type::Choice(input),
            };
        }
        if let Some(input) = self.scope.input(name) {
            return self.input(span, input);
        }
        if let Some(step) = self.scope.step(name) {
            return self.output(span, step, None, expected);
        }
        if let Some(absent) = self.scope.absent_output(name, None) {
            return absent;
        }
        let problem = if self.scope.step_names.iter().any(|known| known == name) {
            hints::not_above(name, self.scope)
        } else if let Some(shape) = self
            .scope
            .figure(name)
            .and_then(|figure| figure.of(&self.scope.figures))
        {
            hints::bare_figure(shape)
        } else {
            option::unknown(name, self.scope, hints::unknown_name(name, self.scope))
        };
        self.error(span, problem)
    }

    fn input(&mut self, span: &Range<usize>, input: InputId) -> Typed {
        self.scope.used.inputs.insert(input);
        let Some(found) = input.of(&self.scope.inputs) else {
            return Typed::unknown();
        };
        let name = found.name.clone();
        if let Some(option) = found
            .option
            .as_ref()
            .filter(|option| !self.scope.may_read(option))
        {
            let option = option.clone();
            return self.error(span, Problem::OtherOption { name, option });
        }
        if found.is_optional() && !self.known.contains(&Narrowing::Given(input)) {
            return self.error(span, Problem::MaybeAbsent { name });
        }
        let possible = (0..)
            .zip(&found.words)
            .find(|(index, _)| !self.known.contains(&Narrowing::NotWord(input, *index)));
        if let Some((_, word)) = possible {
            let word = word.clone();
            return self.error(span, Problem::MaybeWord { name, word });
        }
        Typed {
            expr: Expr::Input(input),
            ty: found.ty,
        }
    }

    fn output(
        &mut self,
        span: &Range<usize>,
        step: StepId,
        name: Option<&str>,
        expected: ExpectedType,
    ) -> Typed {
        self.scope.used.steps.insert(step);
        let Some(found) = step.of(&self.scope.steps) else {
            return Typed::unknown();
        };
        let index = match name {
            Some(name) => found.outputs.iter().position(|output| output.name == name),
            None => found.main(),
        };
        let Some((index, output)) =
            index.and_then(|index| Some((index, found.outputs.get(index)?)))
        else {
            let problem = Problem::StepHasOutputs {
                name: found.name.clone(),
                outputs: hints::outputs(found),
            };
            return if found.outputs.is_empty() {
                Typed::unknown()
            } else {
                self.error(span, problem)
            };
        };
        let ty = output.ty;
        if output.optional && !expected.optional {
            let name = format!("{}.{}", found.name, output.name);
            return self.error(span, Problem::MaybeEmpty { name });
        }
        Typed {
            expr: Expr::Output(step, index),
            ty,
        }
    }

    fn member(
        &mut self,
        span: &Range<usize>,
        owner: &str,
        name: &str,
        expected: ExpectedType,
    ) -> Typed {
        if owner == "scale" {
            return self.scale(span, name);
        }
        if let Some(absent) = self.scope.absent_output(owner, Some(name)) {
            return absent;
        }
        let step = self.scope.step(owner);
        if let Some(step) = step
            && step
                .of(&self.scope.steps)
                .is_some_and(|step| step.outputs.iter().any(|output| output.name == name))
        {
            return self.output(span, step, Some(name), expected);
        }
        let figure = self.scope.figure(owner);
        // A table step often has the name of its figure: the step is then meant.
        let is_meant = |figure: &FigureId| {
            let has_rows = figure.of(&self.scope.figures).is_some_and(Shape::has_rows);
            step.is_none() || !has_rows || self.scope.row == Some(*figure)
        };
        if let Some(figure) = figure.filter(is_meant) {
            return self.column(span, figure, name, expected);
        }
        if let Some(step) = step {
            return self.output(span, step, Some(name), expected);
        }
        if self.scope.step_names.iter().any(|known| known == owner) {
            let problem = hints::not_above(owner, self.scope);
            return self.error(span, problem);
        }
        let near = suggestion(
            owner,
            self.scope.figure_names().chain(self.scope.known_steps()),
        );
        let near = near.map(|near| format!("{near}.{name}"));
        let problem = Problem::UnknownName {
            name: format!("{owner}.{name}"),
            near,
        };
        self.error(span, option::unknown(owner, self.scope, problem))
    }

    fn scale(&mut self, span: &Range<usize>, name: &str) -> Typed {
        match ScaleField::ALL
            .into_iter()
            .find(|(known, _)| *known == name)
        {
            Some((_, field)) if !self.scope.in_answer && field.is_for_answers() => {
                self.error(span, Problem::ScaleOutsideAnswer {})
            }
            Some((_, field))
                if self.scope.undated
                    && (!self.scope.in_answer
                        || (field.of_the_day().is_some() && field != ScaleField::Year)) =>
            {
                self.error(span, Problem::DayOfUndated {})
            }
            Some((_, field)) if field.is_of_year_of_pays() && !self.scope.year.exists => self
                .error(
                    span,
                    Problem::SumWithoutYear {
                        word: format!("scale.{name}"),
                    },
                ),
            Some((_, field)) => Typed {
                expr: Expr::Scale(field),
                ty: field.of_the_day().unwrap_or(Type::Text),
            },
            None => {
                let near = suggestion(name, ScaleField::ALL.map(|(known, _)| known))
                    .map(|near| format!("scale.{near}"));
                self.error(
                    span,
                    Problem::UnknownName {
                        name: format!("scale.{name}"),
                        near,
                    },
                )
            }
        }
    }

    fn column(
        &mut self,
        span: &Range<usize>,
        figure: FigureId,
        name: &str,
        expected: ExpectedType,
    ) -> Typed {
        let listed = self.scope.row == Some(figure);
        let Some(shape) = figure.of(&self.scope.figures) else {
            return Typed::unknown();
        };
        if shape.has_rows() && !listed {
            let name = shape.name.clone();
            return self.error(span, Problem::RowsOutsideTable { name });
        }
        let Some((index, column)) =
            ColumnId::enumerate(&shape.columns).find(|(_, column)| column.name == name)
        else {
            let names = shape.column_names();
            let near = suggestion(name, names.iter().copied())
                .map(|near| format!("{}.{near}", shape.name));
            let (figure, name, columns) = (shape.name.clone(), name.to_owned(), names.join(", "));
            return self.error(
                span,
                Problem::UnknownColumn {
                    figure,
                    name,
                    columns,
                    near,
                },
            );
        };
        let (ty, optional) = (column.ty, column.optional);
        self.scope.used.columns.insert((figure, index));
        if !listed && let Some(problem) = self.scope.unguarded(figure, &self.known) {
            return self.error(span, problem);
        }
        if optional && !expected.optional {
            let name = format!("{}.{name}", shape.name);
            return self.error(span, Problem::MaybeEmpty { name });
        }
        Typed {
            expr: if listed {
                Expr::RowColumn(index)
            } else {
                Expr::Column(figure, index)
            },
            ty,
        }
    }

    fn binary(&mut self, ast: &Ast, operator: Operator, left: &Ast, right: &Ast) -> Typed {
        match operator {
            Operator::And | Operator::Or => return self.logic(operator, left, right),
            Operator::Equal | Operator::NotEqual => {
                if let Some(typed) = self.word_comparison(operator, left, right) {
                    return typed;
                }
            }
            _ => {}
        }
        let (a, b) = (self.operand(left), self.operand(right));
        let both_boolean = a.ty == Type::Boolean && b.ty == Type::Boolean;
        let numeric = a.ty.is_numeric() && b.ty.is_numeric();
        let ty = match operator {
            Operator::Multiply => a.ty.product(b.ty),
            Operator::Divide => a.ty.quotient(b.ty),
            Operator::Equal | Operator::NotEqual if both_boolean => Some(Type::Boolean),
            _ if numeric => a.ty.together(b.ty),
            _ => None,
        };
        let Some(ty) = ty else {
            let (span, problem) = hints::mismatch(ast, operator, (left, a.ty), (right, b.ty));
            return self.error(&span, problem);
        };
        let rate_like = hints::rate_like(operator, (left, &a), (right, &b));
        if !self.is_condition
            && let Some(literal) = rate_like
        {
            let place = self.text.part(literal.span.clone());
            let text = self
                .text
                .value
                .get(literal.span.clone())
                .unwrap_or_default()
                .to_owned();
            self.report.warn(&place, Problem::LiteralRate { text });
        }
        // An operand of unknown type may not be meant for a comparison: `net = brut - taxe`.
        let is_typed = a.ty != Type::Unknown && b.ty != Type::Unknown;
        let ty = if operator.is_test() && is_typed {
            Type::Boolean
        } else {
            ty
        };
        Typed {
            ty,
            expr: Expr::Binary(operator, Box::new(a.expr), Box::new(b.expr)),
        }
    }

    /// `and`, `or`: the right side is checked with the facts that the left one establishes.
    fn logic(&mut self, operator: Operator, left: &Ast, right: &Ast) -> Typed {
        let a = self.boolean(left);
        let decides = self.scope.settled(&a) == Some(operator == Operator::Or);
        let known = narrowings(&a, operator == Operator::And);
        let b = self.knowing(known, decides, |checker| checker.boolean(right));
        Typed {
            ty: Type::Boolean,
            expr: Expr::Binary(operator, Box::new(a), Box::new(b)),
        }
    }

    /// `statut = cadre`: the word belongs to the choice on the left.
    fn word_comparison(&mut self, operator: Operator, left: &Ast, right: &Ast) -> Option<Typed> {
        let AstNode::Name(name) = &left.node else {
            return None;
        };
        let input = self.scope.input(name)?;
        let found = input.of(&self.scope.inputs)?;
        let words: Vec<String> = found.comparable_words().map(str::to_owned).collect();
        let is_choice = matches!(found.ty, Type::Choice(_));
        let optional = found.is_optional();
        if found.ty == Type::Unknown {
            // The words of the choice are not known: that was reported at its declaration.
            return Some(Typed {
                ty: Type::Boolean,
                ..Typed::unknown()
            });
        }
        if words.is_empty() {
            return None;
        }
        let AstNode::Name(word) = &right.node else {
            return is_choice.then(|| {
                let problem = Problem::ChoiceAgainstExpression {
                    name: name.clone(),
                    words: words.join(", "),
                };
                self.error(&right.span, problem)
            });
        };
        let index = words.iter().position(|known| known == word);
        let Some(index) = index.and_then(|index| u16::try_from(index).ok()) else {
            let near = suggestion(word, words.iter().map(String::as_str)).map(str::to_owned);
            let problem = Problem::UnknownWord {
                word: word.clone(),
                name: name.clone(),
                words: words.join(", "),
                near,
            };
            return is_choice.then(|| self.error(&right.span, problem));
        };
        self.scope.used.inputs.insert(input);
        if optional && !self.known.contains(&Narrowing::Given(input)) {
            return Some(self.error(&left.span, Problem::MaybeAbsent { name: name.clone() }));
        }
        let word = Expr::Word(index);
        let expr = Expr::Binary(operator, Box::new(Expr::Input(input)), Box::new(word));
        Some(Typed {
            expr,
            ty: Type::Boolean,
        })
    }

    fn choose(
        &mut self,
        ast: &Ast,
        condition: &Ast,
        yes: &Ast,
        no: &Ast,
        expected: ExpectedType,
    ) -> Typed {
        let test = self.boolean(condition);
        // Branches of a default may be words of its choice; a limit must not be empty inside a
        // branch.
        let inner = ExpectedType {
            ty: expected.ty.filter(|ty| matches!(ty, Type::Choice(_))),
            optional: false,
        };
        let settled = self.scope.settled(&test);
        let a = self.knowing(narrowings(&test, true), settled == Some(false), |checker| {
            checker.expr(yes, inner)
        });
        let b = self.knowing(narrowings(&test, false), settled == Some(true), |checker| {
            checker.expr(no, inner)
        });
        let Some(ty) = a.ty.together(b.ty) else {
            let problem = Problem::BranchesDiffer {
                yes: a.ty.name(),
                no: b.ty.name(),
            };
            return self.error(&ast.span, problem);
        };
        Typed {
            ty,
            expr: Expr::If(Box::new(test), Box::new(a.expr), Box::new(b.expr)),
        }
    }

    /// Runs a check with more facts known; names read in a branch that is dead on the days of the
    /// scale do not count as used.
    fn knowing<T>(
        &mut self,
        narrowings: Vec<Narrowing>,
        is_dead: bool,
        check: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = self.known.len();
        let used = is_dead.then(|| self.scope.used.clone());
        self.known.extend(narrowings);
        let out = check(self);
        self.known.truncate(before);
        if let Some(used) = used {
            self.scope.used = used;
        }
        out
    }
}

#[cfg(test)]
mod tests;
