//! What a formula that does not hold was meant to say: the signs of typesetters and of other languages, French words,
//! amounts and rates of the law written out.

use std::ops::Range;

use rust_decimal::Decimal;

use crate::diagnostic::Lang;
use crate::figure::Shape;
use crate::problem::{Problem, listed, meant};
use crate::step::{Output, Step};
use crate::types::{Period, Type};

use super::ast::{Ast, AstNode, KEYWORDS, Mistake, Operator};
use super::expr::Typed;
use super::scope::Scope;

/// Signs that formulas do not have, each with the one that is meant.
const SIGNS: [(&str, &str); 23] = [
    ("≤", "<="),
    ("≥", ">="),
    ("≠", "!="),
    ("×", "*"),
    ("÷", "/"),
    ("−", "-"),
    ("–", "-"),
    ("==", "="),
    ("<>", "!="),
    ("=<", "<="),
    ("=>", ">="),
    ("&&", "and"),
    ("||", "or"),
    ("&", "and"),
    ("|", "or"),
    ("·", "*"),
    ("**", "power(x; 2)"),
    ("^", "power(x; 2)"),
    ("²", "power(x; 2)"),
    ("[", "("),
    ("]", ")"),
    ("{", "("),
    ("}", ")"),
];

/// French words that are none of the grammar, each with the one that is meant.
const WORDS: [(&str, &str); 8] = [
    ("si", "if"),
    ("alors", "then"),
    ("sinon", "else"),
    ("et", "and"),
    ("ou", "or"),
    ("non", "not"),
    ("fois", "*"),
    ("x", "*"),
];

/// The sign that a formula begins with and does not have, and the one that is meant.
pub(super) fn sign(rest: &str) -> Option<(&'static str, &'static str)> {
    SIGNS.into_iter().find(|(sign, _)| rest.starts_with(sign))
}

/// A word with its place.
pub(super) type Word<'w> = (&'w str, Range<usize>);

/// What a function of a spreadsheet is in a formula.
pub(super) fn spreadsheet(name: &str) -> Option<&'static str> {
    const FUNCTIONS: [(&str, &str); 6] = [
        ("si", "if … then … else …"),
        ("if", "if … then … else …"),
        ("et", "… and …"),
        ("ou", "… or …"),
        ("somme", "… + …"),
        ("sum", "… + …"),
    ];
    let plain = name.to_lowercase();
    FUNCTIONS.iter().find(|(known, _)| *known == plain).map(|(_, meant)| *meant)
}

/// What was meant where a word is not expected after another.
pub(super) fn misread(before: Option<Word>, (here, span): Word) -> Option<Mistake> {
    let (before, start) = before.unwrap_or_default();
    let in_capitals = |word: &str| KEYWORDS.into_iter().find(|known| *known == word.to_lowercase());
    let known = |word: &str| {
        let plain = word.to_lowercase();
        let french = WORDS.iter().find(|(known, _)| *known == plain).map(|(_, meant)| *meant);
        french.or_else(|| in_capitals(word).filter(|meant| *meant != word))
    };
    let meant = |found: String, near: String, span: Range<usize>| {
        (span, Problem::FormulaExpected { fr: String::new(), en: String::new(), found, near: Some(near) })
    };
    const COMPARISONS: [&str; 6] = ["=", "!=", "<", "<=", ">", ">="];
    let is_operand = before == ")" || before.starts_with(|first: char| first.is_alphanumeric());
    if COMPARISONS.contains(&here) && is_operand && !KEYWORDS.contains(&before) {
        return Some((span, Problem::ChainedComparison {}));
    }
    if let Some(near) = known(here) {
        return Some(meant(here.to_owned(), near.to_owned(), span));
    }
    if let Some(near) = known(before) {
        return Some(meant(before.to_owned(), near.to_owned(), start));
    }
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits(before) && digits(here) && here.len() == 3 {
        return Some(meant(format!("{before} {here}"), format!("{before}{here}"), start.start..span.end));
    }
    let is_name = |word: &str| word.starts_with(|first: char| first.is_alphabetic()) && !KEYWORDS.contains(&word);
    (is_name(before) && is_name(here)).then(|| {
        let problem = Problem::TwoNames { left: before.to_owned(), right: here.to_owned() };
        (start.start..span.end, problem)
    })
}

/// The text of a plain number.
fn literal(ast: &Ast) -> Option<Decimal> {
    if let AstNode::Number(value) = &ast.node { Some(*value) } else { None }
}

/// An amount or a rate of the law that is written where a type is expected.
pub(super) fn written_out(ast: &Ast, expected: Type) -> Option<Problem> {
    let text = literal(ast)?.to_string();
    match expected {
        Type::Rate => Some(Problem::RateInFormula { text }),
        Type::Money(_) => Some(Problem::AmountInFormula { text, ty: expected.name() }),
        _ => None,
    }
}

/// A type where another is expected.
pub(super) fn wrong_type(expected: Type, found: Type) -> Problem {
    let (fr, en) = match (expected, found) {
        (Type::Money(Period::Month), Type::Money(Period::Year)) => {
            ("en faire un montant par mois : `monthly(…)`", "make it an amount per month: `monthly(…)`")
        }
        (Type::Money(Period::Year), Type::Money(Period::Month)) => {
            ("en faire un montant par an : `annual(…)`", "make it an amount per year: `annual(…)`")
        }
        _ => ("corriger la formule, ou le type de ce qu'elle lit", "fix the formula, or the type of what it reads"),
    };
    Problem::WrongType { expected: expected.name(), found: found.name(), fr, en }
}

/// Why two operands do not go together, with the place of the one to change.
pub(super) fn mismatch(
    ast: &Ast,
    operator: Operator,
    (left, a): (&Ast, Type),
    (right, b): (&Ast, Type),
) -> (Range<usize>, Problem) {
    for (literal, other) in [(right, a), (left, b)] {
        let is_sum = !matches!(operator, Operator::Multiply | Operator::Divide);
        if let (true, Type::Money(_), Some(problem)) = (is_sum, other, written_out(literal, other)) {
            return (literal.span.clone(), problem);
        }
    }
    let (fr, en) = match (operator, a, b) {
        (Operator::Multiply, Type::Money(_), Type::Money(_)) => (
            "deux montants ne se multiplient pas : multiplier par un taux, un nombre, ou le rapport de deux montants (`ratio`)",
            "two amounts do not multiply: multiply by a rate, a number, or the ratio of two amounts (`ratio`)",
        ),
        (_, Type::Money(Period::None), Type::Money(_)) | (_, Type::Money(_), Type::Money(Period::None)) => (
            "dire la période de celui qui n'en a pas : `per` à l'entrée ou à l'étape, `money/month` ou `money/year` au chiffre",
            "say the period of the one that has none: `per` on the input or the step, `money/month` or `money/year` on the figure",
        ),
        (_, Type::Money(_), Type::Money(_)) => (
            "ramener les deux à la même période par `annual` ou `monthly` ; `x * 12` reste un montant par mois",
            "bring both to the same period by `annual` or `monthly`; `x * 12` stays an amount per month",
        ),
        (_, Type::Money(_), Type::Rate) | (_, Type::Rate, Type::Money(_)) => (
            "un taux multiplie un montant : écrire de quel montant il est le taux, comme `brut * taux`",
            "a rate multiplies an amount: write the amount that it is the rate of, like `gross * rate`",
        ),
        _ => ("corriger la formule, ou le type de ce qu'elle lit", "fix the formula, or the type of what it reads"),
    };
    let problem = Problem::TypesDoNotMix { left: a.name(), operator: operator.symbol(), right: b.name(), fr, en };
    (ast.span.clone(), problem)
}

/// A literal that multiplies an amount as a rate would: `brut * 0.036`, `brut * 3.6 / 100`.
pub(super) fn rate_like<'a>(
    operator: Operator,
    (left, a): (&'a Ast, &Typed),
    (right, b): (&'a Ast, &Typed),
) -> Option<&'a Ast> {
    let is_money = |typed: &Typed| matches!(typed.ty, Type::Money(_));
    let is_fraction = |ast: &Ast| literal(ast).is_some_and(|value| !value.fract().is_zero());
    let is_hundred =
        |ast: &Ast| literal(ast).is_some_and(|value| value == Decimal::ONE_HUNDRED || value == Decimal::ONE_THOUSAND);
    match operator {
        Operator::Multiply if is_money(a) && is_fraction(right) => Some(right),
        Operator::Multiply if is_money(b) && is_fraction(left) => Some(left),
        Operator::Divide if is_money(a) && is_hundred(right) => Some(right),
        _ => None,
    }
}

/// What is wrong with a name that nothing has, a field of the answer perhaps.
pub(super) fn unknown_name(name: &str, scope: &Scope) -> Problem {
    if let Some((_, shown)) = scope.fields.iter().find(|(field, _)| field == name) {
        let [fr, en] = [Lang::Fr, Lang::En].map(|lang| behind_field(shown.as_deref(), lang));
        return Problem::FieldInFormula { name: name.to_owned(), fr, en };
    }
    let known = scope.input_names().chain(scope.known_steps());
    Problem::UnknownName { name: name.to_owned(), near: meant(name, known).map(str::to_owned) }
}

/// A step that is not there to be read: itself, or one further down.
pub(super) fn not_above(name: &str, scope: &Scope) -> Problem {
    let name = name.to_owned();
    if scope.step_being_read.as_ref() != Some(&name) {
        return Problem::StepBelow { name };
    }
    let figure = scope.figure(&name).and_then(|figure| figure.of(&scope.figures));
    let (fr, en) = match figure.filter(|shape| !shape.has_rows()).and_then(columns) {
        Some((fr, en)) => {
            (format!("pour le chiffre de ce nom, écrire {fr}"), format!("for the figure of that name write {en}"))
        }
        None => (
            "nommer l'entrée ou l'étape, écrite plus haut, d'où elle part : un calcul ne tourne pas en rond".to_owned(),
            "name the input or the step, written above, that it starts from: a calculation does not go in circles"
                .to_owned(),
        ),
    };
    Problem::StepReadsItself { name, fr, en }
}

/// The name of a figure without one of its columns.
pub(super) fn bare_figure(shape: &Shape) -> Problem {
    let name = shape.name.clone();
    match columns(shape).filter(|_| !shape.has_rows()) {
        Some((fr, en)) => Problem::BareFigure { name, fr, en },
        None => Problem::RowsOutsideTable { name },
    }
}

/// How the columns of a figure are read, in French and in English.
fn columns(shape: &Shape) -> Option<(String, String)> {
    let names: Vec<String> = shape.columns.iter().map(|column| format!("`{}.{}`", shape.name, column.name)).collect();
    let (last, others) = names.split_last()?;
    if others.is_empty() {
        return Some((last.clone(), last.clone()));
    }
    let others = others.join(", ");
    Some((format!("{others} ou {last}"), format!("{others} or {last}")))
}

/// What `given` may ask about: what may be absent.
pub(super) fn not_given(scope: &Scope) -> Problem {
    let inputs = scope.inputs.iter().filter(|input| input.is_optional()).map(|input| input.name.as_str());
    let figures = scope.figures.iter().filter(|shape| shape.may_be_absent() && scope.is_near(shape.option));
    let names: Vec<&str> = inputs.chain(figures.map(|shape| shape.name.as_str())).collect();
    let (fr, en) = listed(&names);
    if names.is_empty() {
        return Problem::GivenNeedsInput {
            fr: "rien ne peut manquer dans cette méthode : retirer `given`".to_owned(),
            en: "nothing may be absent in this method: remove `given`".to_owned(),
        };
    }
    Problem::GivenNeedsInput {
        fr: format!("nommer ce qui peut manquer{fr}"),
        en: format!("name what may be absent{en}"),
    }
}

/// The ways in which a step is read.
pub(super) fn outputs(step: &Step) -> String {
    let read = |output: &Output| match output.name.as_str() {
        "" => step.name.clone(),
        name => format!("{}.{name}", step.name),
    };
    step.outputs.iter().map(read).collect::<Vec<_>>().join(", ")
}

/// How a field of the answer is read by a formula: through the step that it shows.
fn behind_field(shown: Option<&str>, lang: Lang) -> String {
    match (shown, lang) {
        (Some(shown), Lang::Fr) => format!("lire ce qu'il montre, `{shown}`"),
        (Some(shown), Lang::En) => format!("read what it shows, `{shown}`"),
        (None, Lang::Fr) => "lire l'étape qu'il montre".to_owned(),
        (None, Lang::En) => "read the step that it shows".to_owned(),
    }
}
