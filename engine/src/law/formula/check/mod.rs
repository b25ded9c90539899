//! The checker of formulas: resolves their names and checks their types.
//!
//! Every branch is checked, even one that no input reaches. A mistake is reported once: an
//! expression that could not be typed is [`Type::Unknown`], and nothing that depends on it is
//! reported.

mod call;
mod names;
mod operators;

use std::ops::Range;

use crate::law::Type;
use crate::text::{PlacedText, Problem, Report};

use super::ast::{Ast, AstNode};
use super::env::Env;
use super::expr::{Expr, Narrowing, Typed, narrowings};
use super::hints;
use super::parser;
use super::reads::{Reads, WithReads};

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

impl Env<'_> {
    /// Checks a formula; `known` are the facts that its `when` and the like establish.
    pub(crate) fn check(
        self,
        text: &PlacedText,
        expected: ExpectedType,
        known: &[Narrowing],
        report: &mut Report,
    ) -> WithReads<Typed> {
        self.check_and_keep(text, expected, known, report)
            .map(|(typed, _)| typed)
    }

    /// Checks a formula and also gives its syntax tree; `None` where it could not be parsed.
    pub(crate) fn check_and_keep(
        self,
        text: &PlacedText,
        expected: ExpectedType,
        known: &[Narrowing],
        report: &mut Report,
    ) -> WithReads<(Typed, Option<Ast>)> {
        // An expression whose mistakes no longer fit in the report is not checked: its other
        // mistakes are enough.
        if report.is_full() {
            return WithReads::of_nothing((Typed::unknown(), None));
        }

        match parser::parse(&text.value) {
            Ok(ast) => self
                .check_ast(text, &ast, expected, known, report)
                .map(|typed| (typed, Some(ast))),
            Err((span, problem)) => {
                report.error(&text.part(span), problem);
                WithReads::of_nothing((Typed::unknown(), None))
            }
        }
    }

    /// Checks formulas separated by `;` and also gives their syntax trees.
    pub(crate) fn check_list(
        self,
        text: &PlacedText,
        known: &[Narrowing],
        report: &mut Report,
    ) -> WithReads<(Vec<Typed>, Vec<Ast>)> {
        match parser::parse_list(&text.value) {
            Ok(list) => {
                let mut reads = Reads::default();
                let check = |ast| {
                    self.check_ast(text, ast, ExpectedType::default(), known, report)
                        .recorded_in(&mut reads)
                };
                let typed = list.iter().map(check).collect();
                WithReads {
                    found: (typed, list),
                    reads,
                }
            }
            Err((span, problem)) => {
                report.error(&text.part(span), problem);
                WithReads::of_nothing((Vec::new(), Vec::new()))
            }
        }
    }

    /// Key of a sum over months, which restarts where its value changes: its name, and its value of
    /// this month.
    pub(crate) fn sum_key(
        self,
        text: &PlacedText,
        known: &[Narrowing],
        report: &mut Report,
    ) -> WithReads<Option<(String, Box<Expr>)>> {
        let WithReads {
            found: typed,
            mut reads,
        } = self.check(text, ExpectedType::default(), known, report);

        // Earlier months keep the key by its name: an expression has none.
        let is_name = matches!(
            typed.expr,
            Expr::Input(_) | Expr::Output(..) | Expr::Absent(_)
        );

        let name = text.value.clone();
        let found = match typed.ty {
            Type::Unknown => None,
            ty if is_name && ty.may_start_again() => {
                reads.other_months.sums(&name);
                Some((name, Box::new(typed.expr)))
            }
            ty => {
                let found = ty.name();
                report.error(&text.place, Problem::BadSumKey { name, found });
                None
            }
        };
        WithReads { found, reads }
    }

    fn check_ast(
        self,
        text: &PlacedText,
        ast: &Ast,
        expected: ExpectedType,
        known: &[Narrowing],
        report: &mut Report,
    ) -> WithReads<Typed> {
        // Past the limit of words nothing is checked: the cost of that is what the limit bounds.
        if !self.words.accepts(ast.count(), &text.place, report) {
            return WithReads::of_nothing(Typed::unknown());
        }

        let is_condition = expected.ty == Some(Type::Boolean);
        let mut checker = Checker {
            env: self,
            text,
            known: known.to_vec(),
            is_condition,
            reads: Reads::default(),
            report,
        };

        // The type is first found, then compared: a mistake inside is reported rather than its
        // type.
        let typed = checker.expr(ast, expected);
        let typed = checker.expect(ast, typed, expected);
        WithReads {
            found: checker.refuse_date(ast, typed),
            reads: checker.reads,
        }
    }
}

pub(super) struct Checker<'c> {
    pub(super) env: Env<'c>,
    text: &'c PlacedText,
    known: Vec<Narrowing>,
    /// Whether the formula is a condition, in which no number is taken for a rate of the law.
    is_condition: bool,
    /// The names that the formula reads.
    pub(super) reads: Reads,
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

        // An amount or a rate written out in a formula is the likely mistake, and has its own cure.
        let problem =
            hints::written_out(ast, ty).unwrap_or_else(|| hints::wrong_type(ty, typed.ty));
        self.error(&ast.span, problem)
    }

    /// Refuses a formula whose value is a date, but for an input passed on as it is: a date is what
    /// durations are counted from, and no amount.
    fn refuse_date(&mut self, ast: &Ast, typed: Typed) -> Typed {
        if typed.ty != Type::Date || matches!(typed.expr, Expr::Input(_)) {
            return typed;
        }
        self.error(&ast.span, Problem::DateAsValue {})
    }

    fn expr(&mut self, ast: &Ast, expected: ExpectedType) -> Typed {
        match &ast.node {
            // 0 is an amount, a rate or a number, like what it is added to or compared with.
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
        // Read without an expected type, so that a mistake inside is reported before its type.
        let typed = self.expr(ast, ExpectedType::default());
        self.expect(ast, typed, ExpectedType::BOOLEAN).expr
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

        // A branch that no day of the scale takes is checked all the same, but reads nothing.
        let settled = self.env.symbols.settled(&test);
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
        // Facts are a stack: those of inner conditions are dropped on the way out.
        let before = self.known.len();
        let read_before = is_dead.then(|| std::mem::take(&mut self.reads));
        self.known.extend(narrowings);

        let out = check(self);
        self.known.truncate(before);
        if let Some(reads) = read_before {
            self.reads = reads;
        }

        out
    }
}

#[cfg(test)]
mod tests;
