//! The functions of formulas, one row each: its name, its arguments, its type, its value and its words. The reader,
//! the messages, the reserved words and the pages that put formulas in words go by this table.

use std::fmt;

use rust_decimal::Decimal;

use crate::figure::Shape;
use crate::number::{div, greater, lesser, mul};
use crate::power;
use crate::problem::Problem;
use crate::step::Help;
use crate::types::{Period, Type};

use super::ast::{Ast, AstNode};
use super::check::{Checker, Typed};
use super::code::{Code, EvalError, State};
use super::expr::Expr;
use super::hints;

/// A function of formulas.
///
/// ```
/// use bareme_engine::{Function, Lang};
///
/// let ratio = Function::find("ratio").ok_or("no such function")?;
/// assert_eq!((ratio.least, ratio.most, ratio.words.in_lang(Lang::Fr)), (2, 2, "rapport de "));
/// # Ok::<(), &str>(())
/// ```
pub struct Function {
    /// As it is written in a formula.
    pub name: &'static str,
    /// Fewest arguments.
    pub least: usize,
    /// Most arguments.
    pub most: usize,
    /// What it takes and gives.
    pub help: Help,
    /// What a reader who writes no rules reads instead of its name; `{}` is where its argument stands, if not after it.
    pub words: Help,
    check: fn(&mut Call) -> Typed,
    value: fn(&[Code], &State) -> Result<Decimal, EvalError>,
}

/// Every function.
///
/// ```
/// let names: Vec<&str> = bareme_engine::FUNCTIONS.iter().map(|function| function.name).collect();
/// assert!(names.contains(&"max"));
/// ```
pub static FUNCTIONS: [Function; 7] = [
    Function {
        name: "min",
        least: 2,
        most: usize::MAX,
        help: Help {
            en: "the least of two values or more, of one type",
            fr: "la plus petite de plusieurs valeurs de même type",
        },
        words: Help { en: "the least of ", fr: "le plus petit de " },
        check: |call| call.of_values(common),
        value: |arguments, state| extreme(arguments, state, lesser),
    },
    Function {
        name: "max",
        least: 2,
        most: usize::MAX,
        help: Help {
            en: "the greatest of two values or more, of one type",
            fr: "la plus grande de plusieurs valeurs de même type",
        },
        words: Help { en: "the greatest of ", fr: "le plus grand de " },
        check: |call| call.of_values(common),
        value: |arguments, state| extreme(arguments, state, greater),
    },
    Function {
        name: "annual",
        least: 1,
        most: 1,
        help: Help { en: "an amount per month, times 12", fr: "un montant par mois, fois 12" },
        words: Help { en: "twelve times ", fr: "douze fois " },
        check: |call| call.of_values(|types| changed(types, Period::Month, Period::Year)),
        value: |arguments, state| Ok(mul(only(arguments, state)?, MONTHS)?),
    },
    Function {
        name: "monthly",
        least: 1,
        most: 1,
        help: Help { en: "an amount per year, over 12", fr: "un montant par an, divisé par 12" },
        words: Help { en: "a twelfth of ", fr: "le douzième de " },
        check: |call| call.of_values(|types| changed(types, Period::Year, Period::Month)),
        value: |arguments, state| Ok(div(only(arguments, state)?, MONTHS)?),
    },
    Function {
        name: "ratio",
        least: 2,
        most: 2,
        help: Help {
            en: "`a / b` of two values of one type, and 0 where b is 0",
            fr: "`a / b` de deux valeurs de même type, et 0 quand b vaut 0",
        },
        words: Help { en: "ratio of ", fr: "rapport de " },
        check: |call| call.of_values(|types| common(types).map(|_| Type::Number)),
        value: |arguments, state| {
            let [above, below] = arguments else { return Err(EvalError::Internal) };
            let below = below.number(state)?;
            if below.is_zero() { Ok(Decimal::ZERO) } else { Ok(div(above.number(state)?, below)?) }
        },
    },
    Function {
        name: "power",
        least: 2,
        most: 2,
        help: Help {
            en: "a number raised to a multiple of a quarter", fr: "un nombre élevé à un multiple d'un quart"
        },
        words: Help { en: "power ", fr: "puissance " },
        check: power_type,
        value: |arguments, state| {
            let [base, exponent] = arguments else { return Err(EvalError::Internal) };
            let quarters = power::quarters(exponent.number(state)?).ok_or(EvalError::Internal)?;
            power::power(base.number(state)?, quarters).ok_or(EvalError::Overflow)
        },
    },
    Function {
        name: "given",
        least: 1,
        most: 1,
        help: Help {
            en: "whether the caller sent an input, or the scale has a figure",
            fr: "si l'appelant a envoyé une entrée, ou si le barème a un chiffre",
        },
        words: Help { en: "{} is given", fr: "{} est donné" },
        check: given,
        // Conditions are narrowed by it: it has an expression of its own.
        value: |_, _| Err(EvalError::Internal),
    },
];

const MONTHS: Decimal = Decimal::from_parts(12, 0, 0, false, 0);

impl Function {
    /// The function of a name.
    pub fn find(name: &str) -> Option<&'static Self> {
        FUNCTIONS.iter().find(|function| function.name == name)
    }

    /// The names of all.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        FUNCTIONS.iter().map(|function| function.name)
    }

    /// Checks a call of it.
    pub(super) fn check(&'static self, checker: &mut Checker, ast: &Ast, arguments: &[Ast]) -> Typed {
        (self.check)(&mut Call { checker, ast, function: self, arguments })
    }

    /// Its value.
    pub(super) fn value(&self, arguments: &[Code], state: &State) -> Result<Decimal, EvalError> {
        (self.value)(arguments, state)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// A call that is being checked.
struct Call<'c, 's> {
    checker: &'c mut Checker<'s>,
    ast: &'c Ast,
    function: &'static Function,
    arguments: &'c [Ast],
}

impl Call<'_, '_> {
    fn operands(&mut self) -> Vec<Typed> {
        self.arguments.iter().map(|argument| self.checker.operand(argument)).collect()
    }

    fn typed(&self, ty: Type, operands: Vec<Typed>) -> Typed {
        Typed { ty, expr: Expr::Call(self.function, operands.into_iter().map(|operand| operand.expr).collect()) }
    }

    /// What the function takes is of another type.
    fn refused(&mut self, found: String) -> Typed {
        let (function, help) = (self.function.name, self.function.help);
        self.checker.error(&self.ast.span, Problem::WrongArguments { function, found, fr: help.fr, en: help.en })
    }

    /// A function of numbers, rates or amounts, whose types say that of its value; none: they do not go together.
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
}

/// The type that values have in common.
fn common(types: &[Type]) -> Option<Type> {
    let (first, rest) = types.split_first()?;
    rest.iter().copied().try_fold(*first, Type::together)
}

/// An amount of one period, as one of another.
fn changed(types: &[Type], from: Period, to: Period) -> Option<Type> {
    (types == [Type::Money(from)]).then_some(Type::Money(to))
}

/// A plain number to a multiple of a quarter, written out or read from a figure.
fn power_type(call: &mut Call) -> Typed {
    let operands = call.operands();
    let [base, exponent] = operands.as_slice() else { return Typed::unknown() };
    if base.ty == Type::Unknown || exponent.ty == Type::Unknown {
        return Typed::unknown();
    }
    let is_number = |operand: &Typed| matches!(operand.ty, Type::Number | Type::Zero);
    match &exponent.expr {
        Expr::Number(value) if power::quarters(*value).is_some() => {}
        Expr::Column(figure, column) if is_number(exponent) => {
            call.checker.scope.used.exponents.insert((*figure, *column));
        }
        _ => {
            let span = call.arguments.get(1).map_or(&call.ast.span, |argument| &argument.span);
            return call.checker.error(span, Problem::BadExponent {});
        }
    }
    if !is_number(base) {
        let found = base.ty.name().to_owned();
        return call.refused(found);
    }
    call.typed(Type::Number, operands)
}

/// Whether an optional input was sent, or a figure that starts or ends is there.
fn given(call: &mut Call) -> Typed {
    let Some(argument) = call.arguments.first() else { return Typed::unknown() };
    let scope = &mut *call.checker.scope;
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
            call.checker.error(&argument.span, problem)
        }
    }
}

/// The value of the only argument.
fn only(arguments: &[Code], state: &State) -> Result<Decimal, EvalError> {
    let [argument] = arguments else { return Err(EvalError::Internal) };
    argument.number(state)
}

fn extreme(list: &[Code], state: &State, better: fn(Decimal, Decimal) -> Decimal) -> Result<Decimal, EvalError> {
    let (first, others) = list.split_first().ok_or(EvalError::Internal)?;
    let mut best = first.number(state)?;
    for code in others {
        best = better(best, code.number(state)?);
    }
    Ok(best)
}
