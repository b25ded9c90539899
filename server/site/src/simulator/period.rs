//! The period of the amounts of a question: the choice of the form, and what is asked about an
//! amount that is far too large, or too small, for the period that was chosen.

use bareme_engine::law::{Ast, AstNode, Input, Method, Step, Type};
use bareme_engine::text::number_text;
use bareme_engine::{Calculation, Lang, say};
use jiff::civil::Date;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::amounts::Money;
use super::driver::Driver;
use super::example::example;
use super::question::Question;
use super::{trace, unit};
use crate::text::{prose, say};

/// Months in a year.
const YEAR: Decimal = Decimal::from_parts(12, 0, 0, false, 0);

/// An amount so many times a usual one, or so small a part of it, is doubted.
const FAR: Decimal = Decimal::from_parts(8, 0, 0, false, 0);

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

/// The question whether the amount is one of another period, with the link to it.
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
    let lang = question.lang();

    html! {
        p.warning.screen {
            (prose(&say!(lang, "{amount} {own} ? ", "{amount} {own}? ")))
            a href=(link) { (say(lang, "Passer à ", "Change to ")) (other) } "."
        }
    }
}

/// An amount that may be one of another period.
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
        // 1. The amount as it was typed, its period, and what it is in a month.
        let method = calculation.edition().method();
        let driver = question.driver()?;
        let covered = months(calculation);
        if covered.is_none() && !unit::is_of_month(method) {
            return None;
        }
        let covered = covered.unwrap_or(Decimal::ONE);
        let sent: Decimal = question.sent(driver.typed(question))?.parse().ok()?;
        let month = sent.checked_div(covered)?;
        let (own, typed) = match &question.unit {
            Some(unit) => (unit.word, unit.typed.parse().ok()?),
            None if covered == YEAR => (unit::YEAR, sent),
            None => (unit::MONTH, sent),
        };

        // 2. Beside a usual one, that of a month of the worked case.
        let usual = usual(question, method, &driver, today)?;
        let is_high = month >= usual.checked_mul(FAR)?;
        if !is_high && month > usual.checked_div(FAR)? {
            return None;
        }

        // 3. The nearest period in which the amount is nearer to the usual one.
        let of_month = |word: &str| match word {
            unit::YEAR => typed.checked_div(YEAR),
            unit::HOUR => typed.checked_mul(question.hours?),
            _ => Some(typed),
        };
        let is_usual = |amount: &Decimal| {
            let bounds = usual.checked_div(FAR).zip(usual.checked_mul(FAR));
            bounds.is_some_and(|(least, most)| *amount > least && *amount < most)
        };
        let other = [unit::MONTH, unit::YEAR, unit::HOUR].into_iter();
        let mut other = other.filter(|word| {
            let amount = of_month(word);
            *word != own && amount.as_ref().is_some_and(is_usual)
        });
        // An amount that is high in any period is most likely one of a year.
        let year = Some(unit::YEAR).filter(|year| is_high && *year != own);
        let asked = other.next().or(year)?;

        let link = Self::link(question, method, &driver, (asked, typed), today)?;
        Some(Self {
            amount: Money::new(method).short(typed),
            link,
            words: (
                in_words(own, question.lang()),
                in_words(asked, question.lang()),
            ),
        })
    }

    /// The link to the question with this amount in another period.
    fn link(
        question: &Question,
        method: &Method,
        driver: &Driver,
        (asked, typed): (&'static str, Decimal),
        today: Date,
    ) -> Option<String> {
        let own = input(method);
        let is_period = |name: &str| own.is_some_and(|own| own.name == name);
        let name = driver.typed(question);
        let others = question.sent.iter().filter(|(known, _)| !is_period(known));
        let mut sent: Vec<(String, String)> = others.cloned().collect();
        for (_, amount) in sent.iter_mut().filter(|(known, _)| known == name) {
            *amount = number_text(typed);
        }

        // The choice of the law, where it has one for that period.
        match own {
            Some(own) if asked != unit::HOUR => {
                let months = if asked == unit::YEAR {
                    YEAR
                } else {
                    Decimal::ONE
                };
                let word = word_of(question, own, driver, (months, typed), today)?;
                sent.push((own.name.clone(), word));
            }
            None if asked == unit::MONTH => {}
            _ => sent.push((unit::PERIOD.to_owned(), asked.to_owned())),
        }
        Some(question.link_of(sent))
    }
}

/// A period of the page in words.
fn in_words(period: &str, lang: Lang) -> &'static str {
    match period {
        unit::YEAR => say(lang, "par an", "per year"),
        unit::HOUR => say(lang, "par heure", "per hour"),
        _ => say(lang, "par mois", "per month"),
    }
}

/// The word of the choice with which an answer covers some months.
fn word_of(
    question: &Question,
    input: &Input,
    driver: &Driver,
    (months, typed): (Decimal, Decimal),
    today: Date,
) -> Option<String> {
    let covers = |word: &&String| {
        let mut sent = driver.without_amounts(&question.sent_without(&input.name));
        sent.push((input.name.clone(), (*word).clone()));
        sent.push((driver.input.name.clone(), number_text(typed)));
        let answer = question.ask(&sent, today).ok();
        answer.as_ref().and_then(self::months) == Some(months)
    };
    let mut words = input.values.iter().map(|(word, _)| word);
    words.find(covers).cloned()
}

/// The amount of a month that the worked case of a folder starts from.
fn usual(question: &Question, method: &Method, driver: &Driver, today: Date) -> Option<Decimal> {
    let sent = example(&question.listed, method, today);
    let own = sent.iter().find(|(name, _)| *name == driver.input.name);
    let amount: Decimal = own?.1.parse().ok()?;

    let answer = question.ask(&sent, today).ok()?;
    amount.checked_div(months(&answer).unwrap_or(Decimal::ONE))
}
