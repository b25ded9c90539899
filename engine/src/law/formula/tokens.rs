//! The tokens of formulas.

use std::ops::Range;

use crate::text::limits::FORMULA;
use crate::text::problem::Problem;

use super::ast::Mistake;
use super::hints;

/// A word, a number or a sign of a formula.
pub(super) struct Token<'t> {
    pub text: &'t str,
    pub span: Range<usize>,
}

// The longest first: `<=` must not be read as `<`, then `=`.
const SYMBOLS: &[&str] = &[
    "!=", "<=", ">=", "=", "<", ">", "+", "-", "*", "/", "(", ")", ";", ".", ",",
];

/// Splits a formula into its tokens; spaces have no meaning.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Mistake> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        // Spaces separate tokens, and have no meaning of their own.
        let space = rest.len() - rest.trim_start().len();
        if space > 0 {
            start += space;
            continue;
        }

        // A sign that is likely meant for another one, `≤` or `×`, before it is taken for an
        // unknown sign.
        if let Some((sign, meant)) = hints::sign(rest) {
            let problem = Problem::StrangeSign {
                found: sign.to_owned(),
                near: Some(meant.to_owned()),
            };
            return Err((start..start + sign.len(), problem));
        }

        // A day would be read as a subtraction, `2012 - 03 - 01`.
        if let Some(day) = hints::day(rest) {
            let problem = Problem::DayInFormula {
                text: day.to_owned(),
            };
            return Err((start..start + day.len(), problem));
        }

        let length = token_length(rest);
        let span = start..start + length;
        match rest.get(..length) {
            // The bound on tokens is one on the time and the memory of all that follows.
            Some(_) if tokens.len() == FORMULA.most => return Err((span, FORMULA.problem())),
            Some(token) if length > 0 => tokens.push(Token {
                text: token,
                span: span.clone(),
            }),
            _ => {
                let strange = rest.chars().next().unwrap_or_default();
                let span = start..start + strange.len_utf8();
                return Err((
                    span,
                    Problem::StrangeSign {
                        found: strange.to_string(),
                        near: None,
                    },
                ));
            }
        }

        start = span.end;
    }
    Ok(tokens)
}

fn token_length(rest: &str) -> usize {
    let run = |accept: fn(char) -> bool| {
        rest.find(|letter: char| !accept(letter))
            .unwrap_or(rest.len())
    };

    match rest.chars().next() {
        // A number takes the letters and signs that follow it, so that `12a` or `5%` is reported as
        // one token.
        Some('0'..='9') => {
            run(|letter| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '%'))
        }
        Some(letter) if letter.is_alphabetic() || letter == '_' => {
            run(|letter| letter.is_alphanumeric() || letter == '_')
        }
        _ => SYMBOLS
            .iter()
            .find(|symbol| rest.starts_with(**symbol))
            .map_or(0, |symbol| symbol.len()),
    }
}
