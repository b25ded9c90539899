//! Formulas: a small recursive parser, and nothing checked.

use std::collections::VecDeque;

use crate::law::{Rat, plain};

#[derive(Debug, Clone)]
pub(crate) enum Expr {
    Number(Rat),
    Boolean(bool),
    Name(String),
    Member(String, String),
    Negative(Box<Expr>),
    Not(Box<Expr>),
    Binary(String, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Call(String, Vec<Expr>),
}

impl Expr {
    /// Whether a formula is true or false rather than a number, even where it is not computed;
    /// `is_named` tells it of a name.
    pub(crate) fn is_boolean(&self, is_named: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Self::Boolean(_) | Self::Not(_) => true,
            Self::Binary(operator, ..) => !["+", "-", "*", "/"].contains(&operator.as_str()),
            Self::Call(function, _) => {
                ["given", "last_month", "any", "all"].contains(&function.as_str())
            }
            Self::Member(owner, name) => owner == "scale" && (name == "last" || name == "in_year"),
            Self::If(_, yes, _) => yes.is_boolean(is_named),
            Self::Name(name) => is_named(name),
            _ => false,
        }
    }
}

/// Formulas separated by `;`.
pub(crate) fn parse(text: &str) -> Vec<Expr> {
    let mut tokens = Tokens(split(text));
    let mut list = vec![tokens.expr()];
    while tokens.take(";") {
        list.push(tokens.expr());
    }
    assert!(tokens.0.is_empty(), "`{text}`: what is {:?}?", tokens.0);
    list
}

fn split(text: &str) -> VecDeque<String> {
    let mut tokens: VecDeque<String> = VecDeque::new();
    let mut glued = false;

    for letter in text.chars() {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let glues = match tokens.back() {
            // A point belongs to a number, and stands alone in `figure.column`.
            Some(last) if last.starts_with(|first: char| first.is_ascii_digit()) => {
                is_word(letter) || letter == '.'
            }
            Some(last) if last.starts_with(is_word) => is_word(letter),
            Some(last) => letter == '=' && matches!(last.as_str(), "<" | ">" | "!"),
            None => false,
        };
        match (letter.is_whitespace(), glued && glues) {
            (true, _) => glued = false,
            (false, true) => tokens.back_mut().unwrap().push(letter),
            (false, false) => {
                tokens.push_back(letter.into());
                glued = true;
            }
        }
    }

    tokens
}

struct Tokens(VecDeque<String>);

impl Tokens {
    fn take(&mut self, wanted: &str) -> bool {
        let found = self.0.front().is_some_and(|token| token == wanted);
        if found {
            self.0.pop_front();
        }
        found
    }

    fn need(&mut self, wanted: &str) {
        assert!(self.take(wanted), "`{wanted}` expected before {:?}", self.0);
    }

    fn expr(&mut self) -> Expr {
        if !self.take("if") {
            return self.level(0);
        }
        let test = self.expr();
        self.need("then");
        let yes = self.expr();
        self.need("else");
        Expr::If(test.into(), yes.into(), self.expr().into())
    }

    /// The operators that bind least first.
    fn level(&mut self, level: usize) -> Expr {
        const LEVELS: [&[&str]; 5] = [
            &["or"],
            &["and"],
            &["=", "!=", "<", "<=", ">", ">="],
            &["+", "-"],
            &["*", "/"],
        ];
        const NOT: usize = 2;
        if level == NOT && self.take("not") {
            return Expr::Not(self.level(NOT).into());
        }

        let Some(operators) = LEVELS.get(level) else {
            return self.atom();
        };

        let mut left = self.level(level + 1);

        while let Some(operator) = operators.iter().find(|operator| self.take(operator)) {
            left = Expr::Binary(
                (*operator).into(),
                left.into(),
                self.level(level + 1).into(),
            );
        }

        left
    }

    fn atom(&mut self) -> Expr {
        if self.take("-") {
            return Expr::Negative(self.atom().into());
        }

        if self.take("(") {
            let inner = self.expr();
            self.need(")");
            return inner;
        }

        let word = self.0.pop_front().unwrap();
        if word.starts_with(|first: char| first.is_ascii_digit()) {
            return Expr::Number(plain(&word).unwrap());
        }

        if self.take(".") {
            return Expr::Member(word, self.0.pop_front().unwrap());
        }

        if self.take("(") {
            let mut arguments = vec![self.expr()];
            while self.take(";") {
                arguments.push(self.expr());
            }
            self.need(")");
            return Expr::Call(word, arguments);
        }

        match word.as_str() {
            "true" | "false" => Expr::Boolean(word == "true"),
            _ => Expr::Name(word),
        }
    }
}
