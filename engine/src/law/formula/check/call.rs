//! The check of a call: what its function takes, and the type of its value.

use crate::law::figure::Shape;
use crate::law::types::Type;
use crate::text::power;
use crate::text::problem::Problem;

use super::{Ast, AstNode, Checker, Expr, Typed, hints};
use crate::law::formula::function::{Function, Typing};

/// A call that is being checked.
pub(super) struct Call<'c, 's> {
    pub checker: &'c mut Checker<'s>,
    pub ast: &'c Ast,
    pub function: &'static Function,
    pub arguments: &'c [Ast],
}

impl Call<'_, '_> {
    pub(super) fn check(mut self) -> Typed {
        match self.function.typing {
            Typing::Values(ty) => self.of_values(ty),
            Typing::Power => self.power(),
            Typing::Presence => self.presence(),
        }
    }

    fn operands(&mut self) -> Vec<Typed> {
        self.arguments.iter().map(|argument| self.checker.operand(argument)).collect()
    }

    fn typed(&self, ty: Type, operands: Vec<Typed>) -> Typed {
        Typed { ty, expr: Expr::Call(self.function, operands.into_iter().map(|operand| operand.expr).collect()) }
    }

    /// An argument has another type than the function takes.
    fn refused(&mut self, found: String) -> Typed {
        let (function, help) = (self.function.name, self.function.help);
        self.checker.error(&self.ast.span, Problem::WrongArguments { function, found, takes: help.into() })
    }

    fn of_values(&mut self, ty: fn(&[Type]) -> Option<Type>) -> Typed {
        let operands = self.operands();
        for (argument, operand) in self.arguments.iter().zip(&operands) {
            if !operand.ty.is_numeric() {
                return self.checker.error(&argument.span, Problem::not_numeric(operand.ty));
            }
        }
        let types: Vec<Type> = operands.iter().map(|operand| operand.ty).collect();
        let found = if types.first() == Some(&Type::Unknown) { Some(Type::Unknown) } else { ty(&types) };
        match found {
            Some(ty) => self.typed(ty, operands),
            None => self.refused(types.iter().map(|ty| ty.name()).collect::<Vec<_>>().join("; ")),
        }
    }

    /// A plain number to a multiple of a quarter, written out or read from a figure.
    fn power(&mut self) -> Typed {
        let operands = self.operands();
        let [base, exponent] = operands.as_slice() else { return Typed::unknown() };
        if base.ty == Type::Unknown || exponent.ty == Type::Unknown {
            return Typed::unknown();
        }
        let is_number = |operand: &Typed| matches!(operand.ty, Type::Number | Type::Zero);
        match &exponent.expr {
            Expr::Number(value) if power::quarters(*value).is_some() => {}
            Expr::Column(figure, column) if is_number(exponent) => {
                self.checker.scope.used.exponents.insert((*figure, *column));
            }
            _ => {
                let span = self.arguments.get(1).map_or(&self.ast.span, |argument| &argument.span);
                return self.checker.error(span, Problem::BadExponent {});
            }
        }
        if !is_number(base) {
            let found = base.ty.name().to_owned();
            return self.refused(found);
        }
        self.typed(Type::Number, operands)
    }

    /// Whether an optional input was sent, or a figure that starts or ends is there.
    fn presence(&mut self) -> Typed {
        let Some(argument) = self.arguments.first() else { return Typed::unknown() };
        let scope = &mut *self.checker.scope;
        let (input, figure) = match &argument.node {
            AstNode::Name(name) => (scope.input(name), scope.figure(name)),
            _ => (None, None),
        };
        let figure = figure.filter(|figure| figure.of(&scope.figures).is_some_and(Shape::may_be_absent));
        match (input, figure) {
            (Some(input), _) => {
                scope.used.inputs.insert(input);
                Typed { expr: Expr::Given(input), ty: Type::Boolean }
            }
            (None, Some(figure)) => Typed { expr: Expr::GivenFigure(figure), ty: Type::Boolean },
            (None, None) => {
                let problem = hints::not_given(scope);
                self.checker.error(&argument.span, problem)
            }
        }
    }
}
