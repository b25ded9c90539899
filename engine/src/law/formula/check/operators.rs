//! The checker of operators between two expressions.

use crate::law::Type;
use crate::law::formula::ast::{Ast, AstNode, Operator};
use crate::law::formula::expr::{Expr, Narrowing, Typed, narrowings};
use crate::law::formula::hints;
use crate::text::Problem;
use crate::text::problem::suggestion;

use super::Checker;

impl Checker<'_> {
    pub(super) fn binary(
        &mut self,
        ast: &Ast,
        operator: Operator,
        left: &Ast,
        right: &Ast,
    ) -> Typed {
        match operator {
            Operator::And | Operator::Or => return self.logic(operator, left, right),
            // A word has no type of its own: the choice on the left gives it one.
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

        // Products and quotients change the type; all others need one type on both sides.
        let ty = match operator {
            Operator::Multiply => a.ty.product(b.ty),
            Operator::Divide => a.ty.quotient(b.ty),
            Operator::Equal | Operator::NotEqual if both_boolean => Some(Type::Boolean),
            _ if numeric => a.ty.together(b.ty),
            _ => with_dates(operator, a.ty, b.ty),
        };

        let Some(ty) = ty else {
            let (span, problem) = hints::mismatch(ast, operator, (left, a.ty), (right, b.ty));
            return self.error(&span, problem);
        };

        // A rate of the law belongs in the figures, with its source. In a condition, no number is
        // taken for a rate.
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
        // Where the left side decides alone, the right one is dead code on the days of the scale.
        let decides = self.env.symbols.settled(&a) == Some(operator == Operator::Or);

        // `given(x) and x > 0`: the right side is read with what the left one establishes.
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
        let input = self.env.input(name)?;

        let found = self.env.declared(input)?;
        let words: Vec<String> = found.comparable_words().map(str::to_owned).collect();
        let is_choice = matches!(found.ty, Type::Choice(_));
        let (optional, group) = (found.is_optional(), found.group);
        if found.ty == Type::Unknown {
            // The words of the choice are not known: that was reported at its declaration.
            return Some(Typed {
                ty: Type::Boolean,
                ..Typed::unknown()
            });
        }
        // An input without words: an ordinary comparison.
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

        // A state holds the index of a word, by which they are compared.
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

        self.reads.inputs.insert(input);
        if optional && !self.known.contains(&Narrowing::Given(input)) {
            return Some(self.error(&left.span, Problem::MaybeAbsent { name: name.clone() }));
        }

        if let Some(group) = group
            && let Err(problem) = self.read_item(name, group)
        {
            return Some(self.error(&left.span, problem));
        }

        let word = Expr::Word(index);
        let expr = Expr::Binary(operator, Box::new(Expr::Input(input)), Box::new(word));
        Some(Typed {
            expr,
            ty: Type::Boolean,
        })
    }
}

/// The type of an operator between a date and another date, or a number of days; `None` where they
/// do not go together.
fn with_dates(operator: Operator, left: Type, right: Type) -> Option<Type> {
    match (left, right) {
        (Type::Date, Type::Date) if operator.is_test() => Some(Type::Date),
        (Type::Date, Type::Number) => {
            matches!(operator, Operator::Add | Operator::Subtract).then_some(Type::Date)
        }
        (Type::Date, Type::Unknown) | (Type::Unknown, Type::Date) => Some(Type::Unknown),
        _ => None,
    }
}
