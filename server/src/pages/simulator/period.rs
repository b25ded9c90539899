//! The period of the amounts of a question: the choice of the form, and what is asked about an
//! amount that is far too large, or too small, for the period that was chosen.

use bareme_engine::Calculation;
use bareme_engine::law::{Ast, AstNode, Input, Method, Step, Type};
use jiff::civil::Date;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::amounts::Money;
use super::driver::Driver;
use super::example::example;
use super::question::Question;
use super::trace;
use crate::pages::text::prose;

/// Months in a year.
const YEAR: Decimal = Decimal::from_parts(12, 0, 0, false, 0);

/// An amount of a month is taken for one of a year from so many times that of the worked case on.
const TOO_LARGE: Decimal = Decimal::from_parts(8, 0, 0, false, 0);

/// An amount of a year is taken for one of a month up to so many times that of the worked case.
const TOO_SMALL: Decimal = Decimal::from_parts(15, 0, 0, false, 1);

/// The input that chooses the period: the choice that the step of the months reads.
pub(super) fn input(method: &Method) -> Option<&Input> {
    let formula = step(method)?.formula()?;
    let mut inputs = method.inputs().iter();
    inputs.find(|input| {
        matches!(input.ty, Type::Choice(_)) && !input.is_absent && reads(formula, &input.name)
    })
}

/// The step that gives the months of the amounts.
fn step(method: &Method) -> Option<&Step> {
    let mut headlines = method.headlines().iter();
    headlines.find_map(|headline| headline.months?.of(method.steps()))
}

/// Months that an answer covers; `None` where the method does not say.
pub(super) fn months(calculation: &Calculation) -> Option<Decimal> {
    let step = step(calculation.edition().method())?;
    trace::number(calculation, &step.name)
}

/// Whether a formula reads a name.
fn reads(formula: &Ast, name: &str) -> bool {
    match &formula.node {
        AstNode::Number(_) | AstNode::Boolean(_) | AstNode::Member(..) => false,
        AstNode::Name(own) => own == name,
        AstNode::Negative(inner) | AstNode::Not(inner) => reads(inner, name),
        AstNode::Binary(_, left, right) => reads(left, name) || reads(right, name),
        AstNode::If(condition, yes, no) => [condition, yes, no]
            .into_iter()
            .any(|part| reads(part, name)),
        AstNode::Call(_, arguments) => arguments.iter().any(|part| reads(part, name)),
    }
}

/// The question whether the amount is one of the other period, with the link to it.
pub(super) fn doubt(question: &Question, calculation: &Calculation, today: Date) -> Markup {
    let Some(Doubt {
        amount,
        link,
        words,
    }) = Doubt::new(question, calculation, today)
    else {
        return html! {};
    };
    let (own, other) = words;

    html! {
        p.warning.screen {
            (prose(&format!("{amount} {own} ? "))) a href=(link) { "Passer à " (other) } "."
        }
    }
}

/// An amount that may be one of the other period.
struct Doubt {
    /// The amount that was typed.
    amount: String,
    /// The link to the question with the other period.
    link: String,
    /// The periods in words: that of the question, and the other one.
    words: (&'static str, &'static str),
}

impl Doubt {
    fn new(question: &Question, calculation: &Calculation, today: Date) -> Option<Self> {
        // 1. The amount, and the months that it covers.
        let method = calculation.edition().method();
        let (input, driver) = (input(method)?, question.driver()?);
        let months = months(calculation)?;
        let typed: Decimal = question.sent(driver.typed(question))?.parse().ok()?;

        // 2. Beside a usual one, that of a month of the worked case.
        let usual = usual(question, method, &driver, today)?;
        let (asked, words) = if months == Decimal::ONE && typed >= usual.checked_mul(TOO_LARGE)? {
            (YEAR, ("par mois", "par an"))
        } else if months == YEAR && typed <= usual.checked_mul(TOO_SMALL)? {
            (Decimal::ONE, ("par an", "par mois"))
        } else {
            return None;
        };

        // 3. The word of the choice with which an answer covers the other months.
        let with = |word: &str| {
            let mut sent = question.sent_without(&input.name);
            sent.push((input.name.clone(), word.to_owned()));
            sent
        };
        let of_other = |word: &&String| {
            let gross = with(word).into_iter();
            let mut gross: Vec<_> = driver.without_amounts(&gross.collect::<Vec<_>>());
            gross.push((driver.input.name.clone(), typed.to_string()));
            let other = question.ask(&gross, today).ok();
            other.as_ref().and_then(self::months) == Some(asked)
        };
        let mut words_of_input = input.values.iter().map(|(word, _)| word);
        let word = words_of_input.find(of_other)?;

        Some(Self {
            amount: Money::new(method).short(typed),
            link: question.link_of(with(word)),
            words,
        })
    }
}

/// The amount of a month that the worked case of a folder starts from.
fn usual(question: &Question, method: &Method, driver: &Driver, today: Date) -> Option<Decimal> {
    let sent = example(&question.listed, method, today);
    let own = sent.iter().find(|(name, _)| *name == driver.input.name);
    let amount: Decimal = own?.1.parse().ok()?;

    let answer = question.ask(&sent, today).ok()?;
    amount.checked_div(months(&answer)?)
}
