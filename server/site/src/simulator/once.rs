//! Amounts paid once beside the usual pay, such as a thirteenth month: the link that adds one, and
//! its effect on the net, on what is withheld and on the cost.

use bareme_engine::law::{Input, Method, Once};
use bareme_engine::text::number_text;
use bareme_engine::{Calculation, say};
use bareme_show::Pay;
use jiff::civil::Date;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::amounts::Money;
use super::example::example;
use super::question::Question;
use super::{trace, year};
use crate::catalogue::ListedFolder;
use crate::text::{printed, say};

/// Differences that an amount paid once makes to a pay.
#[derive(Debug)]
pub(crate) struct Added {
    /// The pay.
    pub paid: Decimal,
    /// The contributions withheld.
    pub contributions: Decimal,
    /// The tax withheld; `None` where the pay is not taxed.
    pub tax: Option<Decimal>,
    /// The net.
    pub net: Decimal,
    /// The cost to the employer, where it is known.
    pub cost: Option<Decimal>,
}

impl Added {
    /// The differences between a pay with the amount and the same pay without it.
    fn new(with: &Pay, without: &Pay) -> Self {
        let paid = with.paid.saturating_sub(without.paid);
        let net = with.net.saturating_sub(without.net);
        let tax = with.parts().1.saturating_sub(without.parts().1);
        let cost = with.cost.zip(without.cost);

        Self {
            paid,
            contributions: paid.saturating_sub(net).saturating_sub(tax),
            tax: with.untaxed.is_none().then_some(tax),
            net,
            cost: cost.map(|(with, without)| with.saturating_sub(without)),
        }
    }
}

/// The input of what is paid once, on the days of a method that have it.
fn input(method: &Method) -> Option<(&Once, &Input)> {
    let once = method.once()?;
    let input = once.input.of(method.inputs())?;
    (!input.is_absent).then_some((once, input))
}

/// The link that adds it to a pay of one month; or, where it was sent, what it adds.
pub(super) fn once(
    question: &Question,
    calculation: &Calculation,
    pay: &Pay,
    today: Date,
) -> Markup {
    let method = calculation.edition().method();
    let Some((once, input)) = input(method) else {
        return html! {};
    };

    let name = input.name.as_str();
    if question.sent(name).is_none() {
        // As much as the pay of the month: that of a year says nothing of one month.
        let is_left_out = |(known, _): &&(String, String)| question.sent(known).is_none();
        let assumed = once.assumed.iter().filter(is_left_out).cloned();
        let amount = (name.to_owned(), number_text(pay.gross));
        let added: Vec<_> = assumed.chain([amount]).collect();
        let is_paid = pay.gross > Decimal::ZERO;
        let is_of_month = !covers_months(calculation) && is_paid;
        let included = is_paid.then(|| year::link_included(question, calculation, today));
        return html! {
            @if let Some(link) = included.flatten() {
                p.screen {
                    a.button.plain href=(link) {
                        @let once = printed(&once.label);
                        (say!(
                            method.lang,
                            "{once}\u{a0}: le brut en 13\u{a0}fois, mois par mois",
                            "{once}: the gross in 13 parts, month by month"
                        ))
                    }
                }
            }
            @if is_of_month {
                p.screen {
                    a.button.plain href=(question.link_with(added)) {
                        "+ " (printed(&once.label))
                    }
                }
            }
        };
    }

    // The same question without it: the difference of the two pays is what it adds.
    let Ok(without) = question.ask(&question.sent_without(name), today) else {
        return html! {};
    };
    let Some(usual) = trace::pay(&without) else {
        return html! {};
    };

    let added = Added::new(pay, &usual);
    let main = main_result(question, calculation, name, today);
    let main = main.filter(|(_, more)| *more != added.net);
    html! {
        section.added {
            h2 { (say(method.lang, "Ce que la prime ajoute", "What the bonus adds")) }
            (table(&added, main, Money::new(method)))
            p.screen {
                a href=(question.link_without(name)) {
                    (say(method.lang, "La même paie sans la prime", "The same pay without the bonus"))
                }
            }
        }
    }
}

/// Whether the amounts are those of several months.
fn covers_months(calculation: &Calculation) -> bool {
    let method = calculation.edition().method();
    let steps = method
        .headlines()
        .iter()
        .filter_map(|headline| headline.months);
    let months = steps.filter_map(|step| {
        let step = step.of(method.steps())?;
        trace::number(calculation, &step.name)
    });
    months.into_iter().any(|months| months != Decimal::ONE)
}

/// The main result of the page, such as the net after tax, with what the amount adds to it.
fn main_result(
    question: &Question,
    calculation: &Calculation,
    name: &str,
    today: Date,
) -> Option<(String, Decimal)> {
    let method = calculation.edition().method();
    let headline = method.headlines().first()?;
    let field = method.fields().get(headline.field)?;

    // What the headline assumes is assumed of both pays, unless the question sends it.
    let is_set = |(name, _): &(String, String)| question.sent(name).is_some();
    let is_assumed = !headline.assumed.iter().any(is_set);
    let assumed = headline.assumed.iter().filter(|_| is_assumed);
    let result = |mut sent: Vec<(String, String)>| {
        sent.extend(assumed.clone().cloned());
        let answer = question.ask(&sent, today).ok()?;
        answer.field(&field.name)?.number()
    };

    let with = result(question.sent.clone())?;
    let without = result(question.sent_without(name))?;
    let own = headline.label.as_deref().filter(|_| is_assumed);
    let label = printed(own.or(field.label.as_deref())?);
    Some((label, with.saturating_sub(without)))
}

fn table(added: &Added, main: Option<(String, Decimal)>, money: Money) -> Markup {
    let lang = money.lang();
    let net = if main.is_some() {
        say(lang, "Net avant impôt en plus", "More net pay before tax")
    } else {
        say(lang, "Net en plus", "More net pay")
    };
    let mut rows = vec![
        (
            say(lang, "Prime brute", "Gross bonus").to_owned(),
            Some(added.paid),
        ),
        (
            say(lang, "Cotisations du salarié", "Employee contributions").to_owned(),
            Some(added.contributions),
        ),
        (
            say(lang, "Impôt retenu", "Tax withheld").to_owned(),
            added.tax,
        ),
        (net.to_owned(), Some(added.net)),
    ];
    rows.extend(main.map(|(label, more)| {
        let label = say!(lang, "{label}\u{a0}: en plus", "More: {label}");
        (label, Some(more))
    }));
    rows.push((
        say(lang, "Coût pour l’employeur", "Cost to the employer").to_owned(),
        added.cost,
    ));

    html! {
        table {
            tbody {
                @for (label, amount) in rows {
                    @if let Some(amount) = amount {
                        tr { th scope="row" { (label) } td.n { (money.text(amount)) } }
                    }
                }
            }
        }
    }
}

/// A thirteenth month in the example of a folder.
pub(crate) struct Thirteenth<'r> {
    /// The input that it is sent by.
    pub input: &'r Input,
    /// Its method, for the currency of the amounts.
    pub method: &'r Method,
    /// The pay of the month, to which it is equal.
    pub gross: Decimal,
    pub added: Added,
    /// The warnings of the law about it.
    pub warnings: Vec<String>,
}

impl<'r> Thirteenth<'r> {
    /// That of the last scale of a folder; `None` where it takes nothing that is paid once, or its
    /// example is refused.
    pub(crate) fn new(listed: &ListedFolder<'r>) -> Option<Self> {
        let folder = listed.folder;
        let edition = folder.latest()?;
        let method = edition.method();
        let (once, input) = input(method)?;
        let day = edition.scale()?.date;
        let calculated = |sent: &[(String, String)]| folder.calculate(&listed.query(sent), day);

        // 1. The usual pay.
        let mut sent = example(listed, method, day);
        sent.retain(|(name, _)| *name != input.name);
        let mut usual = calculated(&sent).ok()?;
        let gross = trace::pay(&usual)?.gross;

        // 2. The same with as much again, without the options that the law refuses beside it.
        let assumed = once.assumed.iter().cloned();
        let own = (input.name.clone(), number_text(gross));
        let added: Vec<_> = assumed.chain([own]).collect();
        let is_option = |name: &str| method.options().iter().any(|option| option.name == name);
        let mut with = calculated(&[&sent[..], &added].concat());
        if with.is_err() {
            sent.retain(|(name, _)| !is_option(name));
            usual = calculated(&sent).ok()?;
            with = calculated(&[&sent[..], &added].concat());
        }
        let with = with.ok()?;
        let (usual_pay, with_pay) = (trace::pay(&usual)?, trace::pay(&with)?);

        // What the usual pay is warned of too is not about the bonus.
        let is_usual = |text: &str| {
            let mut known = usual.warnings().iter();
            known.any(|warning| warning.text.fr == text)
        };
        let warnings = with
            .warnings()
            .iter()
            .map(|warning| warning.text.fr.clone());
        Some(Self {
            input,
            method,
            gross,
            added: Added::new(&with_pay, &usual_pay),
            warnings: warnings.filter(|text| !is_usual(text)).collect(),
        })
    }
}
