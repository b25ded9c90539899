//! The checker of calls: arguments and result type of each function.

use rust_decimal::Decimal;

use crate::law::{GroupId, Shape, Type};
use crate::text::power;
use crate::text::problem::Problem;

use super::{Ast, AstNode, Checker, Expr, Typed, hints};
use crate::law::formula::env::{ItemScope, Part};
use crate::law::formula::expr::Narrowing;
use crate::law::formula::function::{Function, LAST_MONTH, Typing};
use crate::law::formula::items::ItemFold;
use crate::law::formula::year::Sum;

/// A call that is being checked.
pub(super) struct Call<'c, 's> {
    pub checker: &'c mut Checker<'s>,
    pub ast: &'c Ast,
    pub function: &'static Function,
    pub arguments: &'c [Ast],
}

impl Call<'_, '_> {
    pub(super) fn check(mut self) -> Typed {
        // Without the block `year:`, there are no other months. Defaults are settled before the
        // months are calculated.
        if self.function.typing.is_of_year_of_pays() && !self.checker.env.symbols.has_year {
            let word = self.function.name.to_owned();
            return self
                .checker
                .error(&self.ast.span, Problem::SumWithoutYear { word });
        }
        if self.function.typing.is_of_year_of_pays()
            && matches!(self.checker.env.part, Part::Default)
        {
            return self.checker.error(
                &self.ast.span,
                Problem::SumInDefault {
                    function: self.function.name,
                },
            );
        }

        match self.function.typing {
            Typing::Sum => self.sum(),
            Typing::KnownForAllMonths => self.known_for_all_months(),
            Typing::Values(ty) => self.of_values(ty),
            Typing::Power => self.power(),
            Typing::Presence => self.presence(),
            Typing::Items(ItemFold::Count) => self.count(),
            Typing::Items(fold) => self.items(fold),
        }
    }

    fn operands(&mut self) -> Vec<Typed> {
        self.arguments
            .iter()
            .map(|argument| self.checker.operand(argument))
            .collect()
    }

    fn typed(&self, ty: Type, operands: Vec<Typed>) -> Typed {
        Typed {
            ty,
            expr: Expr::Call(
                self.function,
                operands.into_iter().map(|operand| operand.expr).collect(),
            ),
        }
    }

    /// Reports an argument of a type that the function does not take.
    fn refused(&mut self, found: String) -> Typed {
        let (function, help) = (self.function.name, self.function.help);
        self.checker.error(
            &self.ast.span,
            Problem::WrongArguments {
                function,
                found,
                takes: help.into(),
            },
        )
    }

    fn of_values(&mut self, ty: fn(&[Type]) -> Option<Type>) -> Typed {
        let operands = self.operands();

        // Functions compute with numbers and dates; words and booleans belong in conditions.
        for (argument, operand) in self.arguments.iter().zip(&operands) {
            if !operand.ty.is_numeric() && operand.ty != Type::Date {
                return self
                    .checker
                    .error(&argument.span, Problem::not_numeric(operand.ty));
            }
        }

        let types: Vec<Type> = operands.iter().map(|operand| operand.ty).collect();
        // The mistake of the first argument was reported: the others are compared with it.
        let found = if types.first() == Some(&Type::Unknown) {
            Some(Type::Unknown)
        } else {
            ty(&types)
        };

        match found {
            Some(ty) => self.typed(ty, operands),
            None => self.refused(
                types
                    .iter()
                    .map(|ty| ty.name())
                    .collect::<Vec<_>>()
                    .join("; "),
            ),
        }
    }

    /// `power`: a plain number to a multiple of a quarter, written out or read from a figure.
    fn power(&mut self) -> Typed {
        let operands = self.operands();
        let [base, exponent] = operands.as_slice() else {
            return Typed::unknown();
        };

        if base.ty == Type::Unknown || exponent.ty == Type::Unknown {
            return Typed::unknown();
        }

        let is_number = |operand: &Typed| matches!(operand.ty, Type::Number | Type::Zero);
        // The exponent must be known when the file is read, because only quarters can be computed
        // exactly to the last digit.
        match &exponent.expr {
            Expr::Number(value) if power::quarters(*value).is_some() => {}
            Expr::Column(figure, column) if is_number(exponent) => {
                self.checker.reads.exponents.insert((*figure, *column));
            }
            _ => {
                let span = self
                    .arguments
                    .get(1)
                    .map_or(&self.ast.span, |argument| &argument.span);
                return self.checker.error(span, Problem::BadExponent {});
            }
        }

        if !is_number(base) {
            let found = base.ty.name().to_owned();
            return self.refused(found);
        }
        self.typed(Type::Number, operands)
    }

    /// `given`: whether an optional input was sent, or a figure that starts or ends is in force.
    fn presence(&mut self) -> Typed {
        let Some(argument) = self.arguments.first() else {
            return Typed::unknown();
        };

        let env = self.checker.env;
        let (input, figure) = match &argument.node {
            AstNode::Name(name) => (env.input(name), env.figure(name)),
            _ => (None, None),
        };
        let figure = figure.filter(|figure| {
            figure
                .of(&env.symbols.figures)
                .is_some_and(Shape::may_be_absent)
        });

        match (input, figure) {
            // An input comes first: no figure that may be absent has the name of one.
            (Some(input), _) => {
                self.checker.reads.inputs.insert(input);
                if let Some(found) = env.declared(input)
                    && let Some(group) = found.group
                    && let Err(problem) = self.checker.read_item(&found.name, group)
                {
                    return self.checker.error(&argument.span, problem);
                }
                Typed {
                    expr: Expr::Given(input),
                    ty: Type::Boolean,
                }
            }
            (None, Some(figure)) => Typed {
                expr: Expr::GivenFigure(figure),
                ty: Type::Boolean,
            },
            (None, None) => {
                let problem = hints::not_given(env);
                self.checker.error(&argument.span, problem)
            }
        }
    }

    /// `count`: the number of items of a group, by its name.
    fn count(&mut self) -> Typed {
        let Some(argument) = self.arguments.first() else {
            return Typed::unknown();
        };
        let name = match &argument.node {
            AstNode::Name(name) => name.as_str(),
            _ => "",
        };

        // A count is the sum of one for each item, so that it has no form of its own to evaluate.
        let symbols = self.checker.env.symbols;
        match GroupId::find(&symbols.groups, |group| group.name == name) {
            Some(group) => Typed {
                expr: Expr::Items(
                    self.function,
                    group,
                    Box::new(Expr::Number(Decimal::ONE)),
                    None,
                ),
                ty: Type::Number,
            },
            None => {
                let problem = symbols.unknown_group(name);
                self.checker.error(&argument.span, problem)
            }
        }
    }

    /// The other functions of the items of a group, which is that of the values that their argument
    /// reads.
    fn items(&mut self, fold: ItemFold) -> Typed {
        let Some(argument) = self.arguments.first() else {
            return Typed::unknown();
        };

        // 1. The expression, and the key by which the items that count are chosen: a sum of 1 by
        // key counts them.
        let here = self.checker.env.items;
        let (of, read) = self.of_any_item(argument);
        let key = self.arguments.get(1).map(|key| self.of_any_item(key));
        if of.ty == Type::Unknown || key.as_ref().is_some_and(|(key, _)| key.ty == Type::Unknown) {
            return Typed::unknown();
        }

        // 2. The group.
        let by_key = key.as_ref().map(|(_, read)| *read);
        let group_of = |read: ItemScope| match read {
            ItemScope::OfFirstRead(group) => group,
            _ => None,
        };
        let group = match (group_of(read), by_key.map(group_of)) {
            (Some(group), None) => Some(group),
            (None, Some(of_key)) => of_key,
            (Some(group), Some(of_key)) => of_key.filter(|of_key| *of_key == group),
            (None, None) => None,
        };
        let Some(group) = group else {
            // A step that the scale of the day does not have is of no item.
            if matches!(of.expr, Expr::Absent(_)) {
                return of;
            }
            let function = self.function.name;
            let problem = Problem::NoItemRead { function };
            return self.checker.error(&self.ast.span, problem);
        };
        let is_of_an_item = fold == ItemFold::Before || key.is_some();
        if is_of_an_item && here != ItemScope::Of(group) {
            let function = self.function.name;
            let problem = Problem::BeforeOutsideEach { function };
            return self.checker.error(&self.ast.span, problem);
        }

        // 3. The type.
        let fits = if fold.is_of_conditions() {
            of.ty == Type::Boolean
        } else {
            of.ty.is_numeric()
        };
        if !fits {
            let problem = if fold.is_of_conditions() {
                hints::wrong_type(Type::Boolean, of.ty)
            } else {
                Problem::not_numeric(of.ty)
            };
            return self.checker.error(&argument.span, problem);
        }
        Typed {
            ty: of.ty,
            expr: Expr::Items(
                self.function,
                group,
                Box::new(of.expr),
                key.map(|(key, _)| Box::new(key.expr)),
            ),
        }
    }

    /// Checks an expression that is computed for any item; also gives the group that it reads.
    fn of_any_item(&mut self, argument: &Ast) -> (Typed, ItemScope) {
        // What is known of the item here is not known of all items.
        let env = self.checker.env;
        self.checker.env.items = ItemScope::OfFirstRead(None);
        let known = std::mem::take(&mut self.checker.known);
        let is_of_all = |fact: &&Narrowing| match fact {
            Narrowing::Given(input) | Narrowing::NotWord(input, _) => {
                let found = env.declared(*input);
                found.is_none_or(|input| input.group.is_none())
            }
            Narrowing::GivenFigure(_) => true,
        };
        self.checker.known = known.iter().filter(is_of_all).copied().collect();

        let typed = self.checker.operand(argument);

        self.checker.known = known;
        let read = self.checker.env.items;
        self.checker.env = env;
        (typed, read)
    }

    /// The name of an argument, with its value in this month.
    fn named(&mut self, argument: &Ast) -> Option<(String, Typed)> {
        // The values of other months are stored by name: an expression has none.
        let name = match &argument.node {
            AstNode::Name(name) => name.clone(),
            AstNode::Member(owner, name) => format!("{owner}.{name}"),
            _ => String::new(),
        };

        let typed = self.checker.operand(argument);
        if typed.ty == Type::Unknown {
            return None;
        }

        if name.is_empty()
            || !matches!(
                typed.expr,
                Expr::Input(_) | Expr::Output(..) | Expr::Absent(_)
            )
        {
            self.checker.error(
                &argument.span,
                Problem::SumOfNoName {
                    function: self.function.name,
                },
            );
            return None;
        }

        Some((name, typed))
    }

    /// Year-to-date sums: a value of this month, with those of the earlier months.
    fn sum(&mut self) -> Typed {
        // A formula that reads a sum depends on the pays of other months, whatever its operands.
        self.checker.reads.sums_months = true;
        let Some(of) = self.arguments.first() else {
            return Typed::unknown();
        };
        let Some((name, now)) = self.named(of) else {
            return Typed::unknown();
        };

        // Rates, words and booleans have no sum over months.
        let Some(ty) = now.ty.summed() else {
            return self.checker.error(
                &of.span,
                Problem::SumOfType {
                    name,
                    found: now.ty.name(),
                },
            );
        };

        let key = match self.arguments.get(1) {
            Some(key) => match self.key(key) {
                Some(key) => Some(key),
                None => return Typed::unknown(),
            },
            None => None,
        };

        // Each month of the year stores this value from now on, for the later ones to add.
        self.checker.reads.other_months.sums(&name);
        Typed {
            ty,
            expr: Expr::YearToDate(Box::new(now.expr), Sum { name, key }),
        }
    }

    /// Key of a sum, which restarts where its value changes.
    fn key(&mut self, argument: &Ast) -> Option<(String, Box<Expr>)> {
        let (name, typed) = self.named(argument)?;
        // A sum restarts where the key changes: amounts change every month, for no reason of the
        // law.
        if !typed.ty.may_start_again() {
            self.checker.error(
                &argument.span,
                Problem::BadSumKey {
                    name,
                    found: typed.ty.name(),
                },
            );
            return None;
        }

        self.checker.reads.other_months.sums(&name);
        Some((name, Box::new(typed.expr)))
    }

    /// Functions of a value that is known for every month in advance.
    fn known_for_all_months(&mut self) -> Typed {
        let Some(of) = self.arguments.first() else {
            return Typed::unknown();
        };
        let Some((name, now)) = self.named(of) else {
            return Typed::unknown();
        };

        // Only what the law alone sets is known in advance: the caller sends the rest for each
        // month.
        if self.checker.env.symbols.depends_on_pays(&now.expr) {
            return self
                .checker
                .error(&of.span, Problem::DependsOnPays { name });
        }

        self.checker.reads.other_months.looks_ahead(&name);

        if self.function.name == LAST_MONTH {
            return Typed {
                ty: Type::Boolean,
                expr: Expr::LastMonth(name),
            };
        }

        if !now.ty.is_numeric() {
            return self.checker.error(&of.span, Problem::not_numeric(now.ty));
        }
        Typed {
            ty: now.ty,
            expr: Expr::YearMean(Box::new(now.expr), name),
        }
    }
}
