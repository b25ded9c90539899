//! The parser of formulas. The grammar:
//!
//! ```text
//! expr    = "if" expr "then" expr "else" expr | or
//! or      = and { "or" and }          and  = not { "and" not }          not = "not" not | compare
//! compare = sum [ ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) sum ]
//! sum     = product { ( "+" | "-" ) product }      product = unary { ( "*" | "/" ) unary }
//! unary   = "-" unary | atom
//! atom    = number | "true" | "false" | name [ "." name ] | "(" expr ")"
//!         | function "(" expr { ";" expr } ")"
//! ```

use std::ops::Range;

use crate::law::types::Type;
use crate::say;
use crate::text::lang::Text;
use crate::text::number::{BadLiteral, parse_plain};
use crate::text::problem::{Problem, suggestion};

use super::ast::{Ast, AstNode, COMPARISONS, KEYWORDS, Mistake, Operator};
use super::function::Function;
use super::hints;
use super::tokens::{Token, tokens};

/// Greatest nesting of parentheses and branches: a formula is a line, not a program.
const MAX_DEPTH: usize = 40;

pub(crate) fn parse(text: &str) -> Result<Ast, Mistake> {
    let mut parser = Parser::new(text)?;
    let ast = parser.expr()?;
    parser.end()?;
    Ok(ast)
}

/// Parses several formulas separated by `;`.
pub(crate) fn parse_list(text: &str) -> Result<Vec<Ast>, Mistake> {
    let mut parser = Parser::new(text)?;
    let mut list = vec![parser.expr()?];
    while parser.take(";") {
        list.push(parser.expr()?);
    }
    parser.end()?;
    Ok(list)
}

/// A token or construct that the grammar expects.
#[derive(Debug, Clone, Copy)]
enum Expectation {
    Value,
    Operator,
    Name,
    /// A keyword or a parenthesis.
    Sign(&'static str),
}

impl Expectation {
    fn text(self) -> Text<String> {
        match self {
            Self::Value => say!("une valeur", "a value"),
            Self::Operator => say!("un opérateur", "an operator"),
            Self::Name => say!("un nom", "a name"),
            Self::Sign(sign) => Text::same(format!("`{sign}`")),
        }
    }
}

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    next: usize,
    end: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Result<Self, Mistake> {
        Ok(Self {
            tokens: tokens(text)?,
            next: 0,
            end: text.len(),
            depth: 0,
        })
    }

    fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.next).map(|token| token.text)
    }

    fn take(&mut self, expected: &str) -> bool {
        let found = self.peek() == Some(expected);
        if found {
            self.next += 1;
        }
        found
    }

    fn take_any(&mut self, expected: &[(&str, Operator)]) -> Option<Operator> {
        let found = self.peek()?;
        let operator = expected
            .iter()
            .find(|(symbol, _)| *symbol == found)
            .map(|(_, operator)| *operator)?;
        self.next += 1;
        Some(operator)
    }

    fn here(&self) -> Range<usize> {
        // At the end of the formula, messages point after its last sign.
        self.tokens
            .get(self.next)
            .map_or(self.end..self.end, |token| token.span.clone())
    }

    fn expected(&self, expected: Expectation) -> Mistake {
        // The tokens before the mistake often show the intention: `1 500`, `si`, two names.
        let before = self
            .next
            .checked_sub(1)
            .and_then(|index| self.tokens.get(index));
        let before = before.map(|token| (token.text, token.span.clone()));
        if let Some(mistake) = self
            .peek()
            .and_then(|here| hints::misread(before, (here, self.here())))
        {
            return mistake;
        }

        let found = self.peek().unwrap_or_default().to_owned();

        let problem = match found.as_str() {
            "," => Problem::CommaInFormula {},
            "" => Problem::FormulaEndsEarly {
                expected: expected.text(),
            },
            // `a * if b then c else d`: only the whole of a formula may be a choice as it is.
            "if" => Problem::FormulaExpected {
                expected: say!(
                    "le choix entre parenthèses, `(if … then … else …)`,",
                    "the choice in parentheses, `(if … then … else …)`,"
                ),
                found,
                near: None,
            },
            _ => Problem::FormulaExpected {
                expected: expected.text(),
                found,
                near: None,
            },
        };
        (self.here(), problem)
    }

    fn expect(&mut self, expected: &'static str) -> Result<(), Mistake> {
        if self.take(expected) {
            Ok(())
        } else {
            Err(self.expected(Expectation::Sign(expected)))
        }
    }

    fn end(&mut self) -> Result<(), Mistake> {
        match self.peek() {
            // `a < b < c`: comparisons do not chain.
            None => Ok(()),
            Some(symbol) if COMPARISONS.contains(&symbol) => {
                Err((self.here(), Problem::ChainedComparison {}))
            }
            Some(_) => Err(self.expected(Expectation::Operator)),
        }
    }

    fn expr(&mut self) -> Result<Ast, Mistake> {
        self.depth += 1;
        // Each level is a call of this function: the bound protects the stack of the server.
        if self.depth > MAX_DEPTH {
            return Err((self.here(), Problem::FormulaTooDeep {}));
        }

        // The branches may be whole expressions: `else` takes all that follows.
        let start = self.here().start;
        let ast = if self.take("if") {
            let condition = self.expr()?;
            self.expect("then")?;
            let yes = self.expr()?;
            self.expect("else")?;
            let no = self.expr()?;
            let span = start..no.span.end;
            Ast {
                span,
                node: AstNode::If(Box::new(condition), Box::new(yes), Box::new(no)),
            }
        } else {
            self.or()?
        };

        self.depth -= 1;
        Ok(ast)
    }

    fn or(&mut self) -> Result<Ast, Mistake> {
        self.chain(&[("or", Operator::Or)], Self::and)
    }

    fn and(&mut self) -> Result<Ast, Mistake> {
        self.chain(&[("and", Operator::And)], Self::not)
    }

    fn not(&mut self) -> Result<Ast, Mistake> {
        let start = self.here().start;
        if !self.take("not") {
            return self.compare();
        }

        let inner = self.nested(Self::not)?;
        Ok(Ast {
            span: start..inner.span.end,
            node: AstNode::Not(Box::new(inner)),
        })
    }

    fn compare(&mut self) -> Result<Ast, Mistake> {
        let left = self.sum()?;
        let comparisons = [
            ("=", Operator::Equal),
            ("!=", Operator::NotEqual),
            ("<", Operator::Less),
            ("<=", Operator::LessOrEqual),
            (">", Operator::Greater),
            (">=", Operator::GreaterOrEqual),
        ];

        // One comparison at most: in `a < b < c`, the second one would compare a boolean.
        match self.take_any(&comparisons) {
            None => Ok(left),
            Some(operator) => Ok(binary(operator, left, self.sum()?)),
        }
    }

    fn sum(&mut self) -> Result<Ast, Mistake> {
        self.chain(
            &[("+", Operator::Add), ("-", Operator::Subtract)],
            Self::product,
        )
    }

    fn product(&mut self) -> Result<Ast, Mistake> {
        self.chain(
            &[("*", Operator::Multiply), ("/", Operator::Divide)],
            Self::unary,
        )
    }

    fn chain(
        &mut self,
        operators: &[(&str, Operator)],
        operand: fn(&mut Self) -> Result<Ast, Mistake>,
    ) -> Result<Ast, Mistake> {
        // From the left: `a - b - c` is `(a - b) - c`.
        let mut left = operand(self)?;
        while let Some(operator) = self.take_any(operators) {
            left = binary(operator, left, operand(self)?);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Ast, Mistake> {
        let start = self.here().start;
        if !self.take("-") {
            return self.atom();
        }

        let inner = self.nested(Self::unary)?;
        Ok(Ast {
            span: start..inner.span.end,
            node: AstNode::Negative(Box::new(inner)),
        })
    }

    /// Parses the operand of a prefix operator that may be repeated (`- - x`, `not not x`), one
    /// level deeper.
    fn nested(&mut self, operand: fn(&mut Self) -> Result<Ast, Mistake>) -> Result<Ast, Mistake> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err((self.here(), Problem::FormulaTooDeep {}));
        }
        let ast = operand(self);
        self.depth -= 1;
        ast
    }

    fn atom(&mut self) -> Result<Ast, Mistake> {
        let span = self.here();
        let Some(token) = self.peek() else {
            return Err(self.expected(Expectation::Value));
        };

        let first = token.chars().next().unwrap_or_default();
        // The span keeps the parentheses, for messages to underline them.
        if token == "(" {
            self.next += 1;
            let inner = self.expr()?;
            let end = self.here().end;
            self.expect(")")?;
            return Ok(Ast {
                span: span.start..end,
                node: inner.node,
            });
        }

        if first.is_ascii_digit() {
            self.next += 1;
            return number(token, span);
        }

        if !(first.is_alphabetic() || first == '_')
            || (KEYWORDS.contains(&token) && !matches!(token, "true" | "false"))
        {
            return Err(self.expected(Expectation::Value));
        }

        self.next += 1;
        // Any word before a parenthesis is a call, even of a function that does not exist.
        if self.peek() == Some("(") {
            return self.call(token, span);
        }

        let node = match token {
            "true" => AstNode::Boolean(true),
            "false" => AstNode::Boolean(false),
            _ if self.take(".") => return self.member(token, span),
            _ => AstNode::Name(token.to_owned()),
        };
        Ok(Ast { span, node })
    }

    fn member(&mut self, owner: &str, span: Range<usize>) -> Result<Ast, Mistake> {
        // `step.output` or `figure.column`: a single point, and a name after it.
        let place = self.here();
        match self.peek() {
            Some(name) if name.starts_with(|first: char| first.is_alphabetic()) => {
                self.next += 1;
                Ok(Ast {
                    span: span.start..place.end,
                    node: AstNode::Member(owner.to_owned(), name.to_owned()),
                })
            }
            _ => Err(self.expected(Expectation::Name)),
        }
    }

    fn call(&mut self, name: &str, span: Range<usize>) -> Result<Ast, Mistake> {
        let Some(function) = Function::find(name) else {
            let near = hints::spreadsheet(name)
                .or_else(|| suggestion(name, Function::names()))
                .map(str::to_owned);
            let functions = Function::names().collect::<Vec<_>>().join(", ");
            return Err((
                span,
                Problem::UnknownFunction {
                    name: name.to_owned(),
                    functions,
                    near,
                },
            ));
        };

        self.expect("(")?;
        // At least one argument: no function is a constant.
        let mut arguments = vec![self.expr()?];
        while self.take(";") {
            arguments.push(self.expr()?);
        }

        let end = self.here().end;
        self.expect(")")?;

        let count = arguments.len();
        if count < function.least || count > function.most {
            let (function, least) = (function.name, function.least);
            return Err((
                span.start..end,
                Problem::ArgumentCount {
                    function,
                    least,
                    count,
                },
            ));
        }

        Ok(Ast {
            span: span.start..end,
            node: AstNode::Call(function, arguments),
        })
    }
}

fn binary(operator: Operator, left: Ast, right: Ast) -> Ast {
    // Messages underline the operation with both of its operands.
    let span = left.span.start..right.span.end;
    Ast {
        span,
        node: AstNode::Binary(operator, Box::new(left), Box::new(right)),
    }
}

fn number(text: &str, span: Range<usize>) -> Result<Ast, Mistake> {
    // A rate is a figure of the law, with its source: formulas read it by name.
    if text.ends_with('%') {
        return Err((
            span,
            Problem::RateInFormula {
                text: text.to_owned(),
            },
        ));
    }

    match parse_plain(text) {
        Ok(value) => Ok(Ast {
            span,
            node: AstNode::Number(value),
        }),
        Err(BadLiteral::TooLong) => Err((
            span,
            Problem::NumberTooLong {
                text: text.to_owned(),
            },
        )),
        Err(problem) => Err((span, Problem::literal(problem, text, Type::Number))),
    }
}

#[cfg(test)]
mod tests;
