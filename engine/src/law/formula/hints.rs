//! Corrections proposed for formulas with mistakes: typographic signs and those of other languages,
//! French words, amounts and rates of the law written out.

use std::ops::Range;

use rust_decimal::Decimal;

use crate::law::source::parse_date;
use crate::law::{Output, Period, Shape, Step, Type};
use crate::say;
use crate::text::lang::Text;
use crate::text::problem::{Problem, list_of_names, suggestion, translated};

use super::ast::{Ast, AstNode, COMPARISONS, KEYWORDS, Mistake, Operator};
use super::env::{Env, Part};
use super::expr::Typed;
use super::function::Function;

/// Signs that formulas do not have, each with the operator meant.
// A sign is listed before those that it begins with: `&&` before `&`.
const FOREIGN_OPERATORS: &[(&str, &str)] = &[
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
    ("!(", "not ("),
];

/// Words of a sentence that compare, each with what a formula writes.
const SPOKEN_COMPARISONS: &[(&str, &str)] = &[
    ("est", "="),
    ("is", "="),
    ("egal", "="),
    ("égal", "="),
    ("vaut", "="),
    ("in", "… = … or … = …"),
    ("dans", "… = … or … = …"),
    ("parmi", "… = … or … = …"),
    ("between", "… >= … and … <= …"),
    ("entre", "… >= … and … <= …"),
];

/// The unknown sign that a text begins with, and the operator meant.
pub(super) fn sign(rest: &str) -> Option<(&'static str, &'static str)> {
    FOREIGN_OPERATORS
        .iter()
        .copied()
        .find(|(sign, _)| rest.starts_with(sign))
}

/// The day that a text begins with, `2012-03-01`.
pub(super) fn day(rest: &str) -> Option<&str> {
    let (day, after) = rest.split_at_checked("2012-03-01".len())?;
    let is_whole = !after.starts_with(|letter: char| letter.is_alphanumeric() || letter == '.');
    (is_whole && parse_date(day).is_some()).then_some(day)
}

/// Words of a French sentence that formulas do not have.
const ARTICLES: [&str; 7] = ["le", "la", "les", "du", "de", "des", "un"];

/// A word with its place.
pub(super) type Word<'w> = (&'w str, Range<usize>);

/// The way to write a spreadsheet function as a formula.
pub(super) fn spreadsheet(name: &str) -> Option<&'static str> {
    const FOREIGN_FUNCTIONS: &[(&str, &str)] = &[
        ("si", "if … then … else …"),
        ("if", "if … then … else …"),
        ("et", "… and …"),
        ("ou", "… or …"),
        ("somme", "… + …"),
        ("sum", "… + …"),
    ];

    // Spreadsheets write their functions in capitals.
    let plain = name.to_lowercase();
    FOREIGN_FUNCTIONS
        .iter()
        .find(|(known, _)| *known == plain)
        .map(|(_, meant)| *meant)
}

/// The mistake of a word that may not follow the one before it.
pub(super) fn misread(before: Option<Word>, (here, span): Word) -> Option<Mistake> {
    let (before, start) = before.unwrap_or_default();
    // `SI`, `Then`: keywords in capitals are those of a spreadsheet.
    let in_capitals = |word: &str| {
        KEYWORDS
            .iter()
            .copied()
            .find(|known| *known == word.to_lowercase())
    };
    let known = |word: &str| {
        let written = ["if", "then", "else", "and", "or", "not", "+", "-", "*", "/"];
        let french = translated(word, &written);
        french.or_else(|| in_capitals(word).filter(|meant| *meant != word))
    };

    let meant = |found: String, near: String, span: Range<usize>| {
        (
            span,
            Problem::FormulaExpected {
                expected: Text::default(),
                found,
                near: Some(near),
            },
        )
    };

    // `a > = b`: one sign, in two pieces.
    if here == "=" && [">", "<"].contains(&before) {
        return Some(meant(
            format!("{before} {here}"),
            format!("{before}{here}"),
            start.start..span.end,
        ));
    }

    // `a < b < c`: the second comparison follows an operand.
    let is_operand = before == ")" || before.starts_with(|first: char| first.is_alphanumeric());
    if COMPARISONS.contains(&here) && is_operand && !KEYWORDS.contains(&before) {
        return Some((span, Problem::ChainedComparison {}));
    }

    // `situation est couple`, `situation not couple`: a comparison in words after its operand.
    if is_operand && !KEYWORDS.contains(&before) {
        let spoken = SPOKEN_COMPARISONS.iter().find(|(word, _)| *word == here);
        let near = spoken.map_or((here == "not").then_some("!="), |(_, near)| Some(*near));
        if let Some(near) = near {
            return Some(meant(here.to_owned(), near.to_owned(), span));
        }
    }

    // `max 0; x`: the arguments of a function are in parentheses.
    if let Some(function) = Function::find(before) {
        let near = format!("{}(…)", function.name);
        return Some(meant(before.to_owned(), near, start));
    }

    // A French word, or a keyword in capitals, at the mistake or just before it.
    if let Some(near) = known(here) {
        return Some(meant(here.to_owned(), near.to_owned(), span));
    }
    if let Some(near) = known(before) {
        return Some(meant(before.to_owned(), near.to_owned(), start));
    }

    // `1 500`: the grouping of thousands of a printed amount.
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits(before) && digits(here) && here.len() == 3 {
        return Some(meant(
            format!("{before} {here}"),
            format!("{before}{here}"),
            start.start..span.end,
        ));
    }

    // `le brut`: a sentence of the law has articles, a formula has none.
    if ARTICLES.contains(&before) {
        return Some(meant(
            format!("{before} {here}"),
            here.to_owned(),
            start.start..span.end,
        ));
    }

    let is_name = |word: &str| {
        word.starts_with(|first: char| first.is_alphabetic()) && !KEYWORDS.contains(&word)
    };
    // `brut net`: an operator is missing, or the name is written with a space.
    (is_name(before) && is_name(here)).then(|| {
        let problem = Problem::TwoNames {
            left: before.to_owned(),
            right: here.to_owned(),
        };
        (start.start..span.end, problem)
    })
}

/// The number of a literal, with its sign.
fn literal(ast: &Ast) -> Option<Decimal> {
    if let AstNode::Number(value) = &ast.node {
        Some(*value)
    } else {
        None
    }
}

/// The problem of an amount or a rate of the law written out in a formula.
pub(super) fn written_out(ast: &Ast, expected: Type) -> Option<Problem> {
    // Only a number alone: a longer expression has a mistake of its own.
    let text = literal(ast)?.to_string();

    match expected {
        Type::Rate => Some(Problem::RateInFormula { text }),
        Type::Money(_) => Some(Problem::AmountInFormula {
            text,
            ty: expected.name(),
        }),
        _ => None,
    }
}

/// The cure of types for which there is no better one.
const FIX: Text = Text::new(
    "corriger la formule, ou le type de ce qu’elle lit",
    "fix the formula, or the type of what it reads",
);

/// The problem of an expression of another type than expected.
pub(super) fn wrong_type(expected: Type, found: Type) -> Problem {
    // Two periods have a function that converts one to the other.
    let cure = match (expected, found) {
        (Type::Money(Period::Month), Type::Money(Period::Year)) => Text::new(
            "en faire un montant par mois : `monthly(…)`",
            "make it an amount per month: `monthly(…)`",
        ),
        (Type::Money(Period::Year), Type::Money(Period::Month)) => Text::new(
            "en faire un montant par an : `annual(…)`",
            "make it an amount per year: `annual(…)`",
        ),
        _ => FIX,
    };

    Problem::WrongType {
        expected: expected.name(),
        found: found.name(),
        cure: cure.into(),
    }
}

/// The problem of two operands whose types do not go together, at the one to change.
pub(super) fn mismatch(
    ast: &Ast,
    operator: Operator,
    (left, a): (&Ast, Type),
    (right, b): (&Ast, Type),
) -> (Range<usize>, Problem) {
    for (literal, other) in [(right, a), (left, b)] {
        // A literal beside an amount is what to change, rather than the types.
        let is_sum = !matches!(operator, Operator::Multiply | Operator::Divide);
        if let (true, Type::Money(_), Some(problem)) = (is_sum, other, written_out(literal, other))
        {
            return (literal.span.clone(), problem);
        }
    }

    let cure = match (operator, a, b) {
        (Operator::Multiply, Type::Money(_), Type::Money(_)) => Text::new(
            "deux montants ne se multiplient pas : multiplier par un taux, un nombre, ou le \
             rapport de deux montants (`ratio`)",
            "two amounts do not multiply: multiply by a rate, a number, or the ratio of two \
             amounts (`ratio`)",
        ),
        (_, Type::Money(Period::None), Type::Money(_))
        | (_, Type::Money(_), Type::Money(Period::None)) => Text::new(
            "dire la période de celui qui n’en a pas : `per` à l’entrée ou à l’étape, \
             `money/month` ou `money/year` au chiffre",
            "say the period of the one that has none: `per` on the input or the step, \
             `money/month` or `money/year` on the figure",
        ),
        (_, Type::Money(_), Type::Money(_)) => Text::new(
            "ramener les deux à la même période par `annual` ou `monthly` ; `x * 12` reste un \
             montant par mois",
            "bring both to the same period by `annual` or `monthly`; `x * 12` stays an amount per \
             month",
        ),
        (_, Type::Money(_), Type::Rate) | (_, Type::Rate, Type::Money(_)) => Text::new(
            "un taux multiplie un montant : écrire de quel montant il est le taux, comme `brut * \
             taux`",
            "a rate multiplies an amount: write the amount that it is the rate of, like `gross * \
             rate`",
        ),
        _ => FIX,
    };

    let problem = Problem::TypesDoNotMix {
        left: a.name(),
        operator: operator.symbol(),
        right: b.name(),
        cure: cure.into(),
    };
    (ast.span.clone(), problem)
}

/// Finds a literal that multiplies an amount like a rate: `brut * 0.036`, `brut * 3.6 / 100`.
pub(super) fn rate_like<'a>(
    operator: Operator,
    (left, a): (&'a Ast, &Typed),
    (right, b): (&'a Ast, &Typed),
) -> Option<&'a Ast> {
    let is_money = |typed: &Typed| matches!(typed.ty, Type::Money(_));
    let is_fraction = |ast: &Ast| literal(ast).is_some_and(|value| !value.fract().is_zero());
    let is_hundred = |ast: &Ast| {
        literal(ast)
            .is_some_and(|value| value == Decimal::ONE_HUNDRED || value == Decimal::ONE_THOUSAND)
    };

    // A fraction beside an amount is a rate; over 100 or 1000, the other number is one.
    match operator {
        Operator::Multiply if is_money(a) && is_fraction(right) => Some(right),
        Operator::Multiply if is_money(b) && is_fraction(left) => Some(left),
        Operator::Divide if is_money(a) && is_hundred(right) => Some(right),
        _ => None,
    }
}

/// The problem of an unknown name, with a special case for fields of the answer.
pub(super) fn unknown_name(name: &str, env: Env) -> Problem {
    // Formulas read steps: the answer is made from them, and read by none.
    let mut fields = env.symbols.fields.iter();
    if let Some(field) = fields.find(|field| field.name == name) {
        return Problem::FieldInFormula {
            name: name.to_owned(),
            cure: behind_field(field.shown.as_deref()),
        };
    }

    // `situation = seul or couple`: each side of `or` is a comparison of its own.
    let mut choices = env.inputs().filter(|input| {
        let mut words = input.values.iter();
        !input.name.is_empty() && words.any(|(word, _)| word == name)
    });
    let compared = match (choices.next(), choices.next()) {
        (Some(only), None) => Some(format!("{} = {name}", only.name)),
        _ => None,
    };

    let inputs = env.inputs().map(|input| input.name.as_str());
    let known = inputs.chain(env.step_names());
    Problem::UnknownName {
        name: name.to_owned(),
        near: compared.or_else(|| suggestion(name, known).map(str::to_owned)),
    }
}

/// The problem of a step that reads itself or one further down.
pub(super) fn not_above(name: &str, env: Env) -> Problem {
    let is_itself = matches!(env.part, Part::Step { name: own, .. } if own == name);
    let name = name.to_owned();
    // A step that reads itself often means the figure of the same name.
    if !is_itself {
        return Problem::StepBelow { name };
    }

    let figure = env.figure(&name);
    let figure = figure.and_then(|figure| figure.of(&env.symbols.figures));

    let cure = match figure.filter(|shape| !shape.has_rows()).and_then(columns) {
        Some(columns) => {
            say!(
                "pour le chiffre de ce nom, écrire {columns}",
                "for the figure of that name write {columns}";
                columns
            )
        }
        None => say!(
            "nommer l’entrée ou l’étape, écrite plus haut, d’où elle part : un calcul ne tourne \
             pas en rond",
            "name the input or the step, written above, that it starts from: a calculation does \
             not go in circles"
        ),
    };
    Problem::StepReadsItself { name, cure }
}

/// The problem of a figure without a column: `pension` rather than `pension.rate`.
pub(super) fn bare_figure(shape: &Shape) -> Problem {
    let name = shape.name.clone();
    // A record is read by its columns, a table by a step that finds its row.
    match columns(shape) {
        Some(columns) if !shape.has_rows() => Problem::BareFigure { name, columns },
        _ => Problem::RowsOutsideTable { name },
    }
}

/// The names of the columns of a figure as formulas read them, in one text.
fn columns(shape: &Shape) -> Option<Text<String>> {
    let names: Vec<String> = shape
        .columns
        .iter()
        .map(|column| format!("`{}.{}`", shape.name, column.name))
        .collect();

    let (last, others) = names.split_last()?;
    if others.is_empty() {
        return Some(Text::same(last));
    }

    let others = others.join(", ");
    Some(say!("{others} ou {last}", "{others} or {last}"))
}

/// The problem of a name that is never absent, in `given`; lists the names that may be.
pub(super) fn not_given(env: Env) -> Problem {
    // Only an optional input, or a figure with dates, may be absent.
    let inputs = env
        .inputs()
        .filter(|input| input.is_optional())
        .map(|input| input.name.as_str());
    let figures = env
        .symbols
        .figures
        .iter()
        .filter(|shape| shape.may_be_absent() && env.is_visible(shape.option));
    let names: Vec<&str> = inputs
        .chain(figures.map(|shape| shape.name.as_str()))
        .collect();

    let listed = list_of_names(&names);
    let cure = if names.is_empty() {
        say!(
            "rien ne peut manquer dans cette méthode : retirer `given`",
            "nothing may be absent in this method: remove `given`"
        )
    } else {
        say!("nommer ce qui peut manquer{listed}", "name what may be absent{listed}"; listed)
    };

    Problem::GivenNeedsInput { cure }
}

/// The names by which formulas read the outputs of a step.
pub(super) fn outputs(step: &Step) -> String {
    let read = |output: &Output| match output.name.as_str() {
        "" => step.name.clone(),
        name => format!("{}.{name}", step.name),
    };
    step.outputs.iter().map(read).collect::<Vec<_>>().join(", ")
}

/// The cure for a formula that reads a field of the answer: read the step that the field shows.
fn behind_field(shown: Option<&str>) -> Text<String> {
    match shown {
        Some(shown) => say!(
            "lire ce qu’il montre, `{shown}`",
            "read what it shows, `{shown}`"
        ),
        None => say!("lire l’étape qu’il montre", "read the step that it shows"),
    }
}
