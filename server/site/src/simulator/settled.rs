//! What is paid in advance during a year and settled after it.

use bareme_engine::Calculation;
use bareme_engine::law::{Advances, FieldValue, Find, FirstAdvances, Line, Method, Period, Type};
use jiff::civil::Date;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::amounts::Money;
use super::question::Question;
use super::values::plain;
use crate::text::{printed, prose};

/// Parameter of the page with the amount of an earlier year, from which advances are computed.
pub(super) const EARLIER: &str = "annee-anterieure";

/// Months in a year.
const YEAR: Decimal = Decimal::from_parts(12, 0, 0, false, 0);

fn number(calculation: &Calculation, field: usize) -> Option<Decimal> {
    let name = &calculation.edition().method().fields().get(field)?.name;
    calculation.field(name).and_then(FieldValue::number)
}

/// A twelfth, to the cent.
pub(super) fn of_month(amount: Decimal) -> Decimal {
    amount.checked_div(YEAR).unwrap_or_default().round_dp(2)
}

/// Advances and their settlement: what is called during the year, and what is left once it is over.
pub(super) fn advances(question: &Question, calculation: &Calculation, today: Date) -> Markup {
    let method = calculation.edition().method();
    let Some((advances, due)) = method
        .advances()
        .and_then(|advances| Some((advances, number(calculation, advances.field)?)))
    else {
        return html! {};
    };

    // 1. Those of an amount of an earlier year, and of whoever has none.
    let earlier = question
        .earlier
        .as_deref()
        .map(|typed| of_earlier(question, method, (advances, typed), today));
    let first = advances
        .first
        .as_ref()
        .and_then(|first| of_first(question, calculation, first, today));

    let money = Money::new(method);
    let of_known = |(amount, called): &(Decimal, Decimal)| {
        let label = format!("{} : {}", advances.label, money.round(*amount));
        (label, *called)
    };
    let known = earlier.as_ref().and_then(|known| known.as_ref().ok());
    let cases: Vec<(String, Decimal)> = known.map(of_known).into_iter().chain(first).collect();
    html! {
        section.advances {
            h2 { "Pendant l’année, puis à la régularisation" }
            p { (prose(&advances.called)) }
            p { (prose(&advances.settled)) }
            @if earlier.is_none() {
                p {
                    "Si l’année ressemble aux précédentes, les appels font "
                    strong { (money.text(of_month(due))) } " par mois, soit " (money.text(due))
                    " par an, et il ne reste rien à régulariser."
                }
            }
            @if let Some(Err(reason)) = &earlier { p.warning { (prose(reason)) } }
            @if !cases.is_empty() { (settlement(money, &cases, due)) }
        }
    }
}

/// What is called in each case, by month and by year, what is due, and the difference in words.
fn settlement(money: Money, cases: &[(String, Decimal)], due: Decimal) -> Markup {
    let left = |called: Decimal| due.saturating_sub(called);
    html! {
        div.wide tabindex="0" role="region" aria-label="Appels et régularisation" {
            table.settled {
                thead {
                    tr {
                        th scope="col" { span.reader { "Montant" } }
                        @for (label, _) in cases { th.n scope="col" { (prose(label)) } }
                    }
                }
                tbody {
                    tr {
                        th scope="row" { "Appelé par mois" }
                        @for (_, called) in cases { td.n { (money.text(of_month(*called))) } }
                    }
                    tr {
                        th scope="row" { "Appelé dans l’année" }
                        @for (_, called) in cases { td.n { (money.text(*called)) } }
                    }
                    tr {
                        th scope="row" { "Dû pour l’année" }
                        @for _ in cases { td.n { (money.text(due)) } }
                    }
                    tr.total {
                        th scope="row" { "À la régularisation" }
                        @for (_, called) in cases {
                            td.n {
                                (money.text(left(*called).abs())) br;
                                small {
                                    @if left(*called).is_zero() { "rien à régler" }
                                    @else if left(*called).is_sign_negative() { "à vous rendre" }
                                    @else { "à payer" }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The advances that an amount of an earlier year gives, with that amount; or why there are none.
fn of_earlier(
    question: &Question,
    method: &Method,
    (advances, typed): (&Advances, &str),
    today: Date,
) -> Result<(Decimal, Decimal), String> {
    let input = advances.input.of(method.inputs());
    let input = input.ok_or_else(String::new)?;
    let sent = plain(method, input, typed).map_err(|bad| bad.reason.fr)?;
    let amount: Decimal = sent
        .parse()
        .map_err(|_| format!("Montant attendu : {}", printed(&advances.label)))?;

    // The same question, from that amount in place of whatever this one starts from.
    let replaces = |name: &str| {
        let mut inverses = method.inverses().iter();
        name == input.name || inverses.any(|inverse| inverse.parameter.name == name)
    };
    let others = question.sent.iter().filter(|(name, _)| !replaces(name));
    let mut asked: Vec<(String, String)> = others.cloned().collect();
    asked.push((input.name.clone(), sent));

    // One reason is enough: there is one field to put right.
    let refused = |error: bareme_engine::CalculationError| match error {
        bareme_engine::CalculationError::Refused(refusal) => {
            let first = refusal.parameters.into_iter().next();
            first.map(|bad| bad.reason.fr).unwrap_or_default()
        }
        bareme_engine::CalculationError::Internal(fault) => fault.to_string(),
    };
    let calculation = question.ask(&asked, today).map_err(refused)?;
    let called = number(&calculation, advances.field).ok_or_else(String::new)?;
    Ok((amount, called))
}

/// The advances of whoever has no earlier year, with their label; `None` on days without them.
fn of_first(
    question: &Question,
    calculation: &Calculation,
    first: &FirstAdvances,
    today: Date,
) -> Option<(String, Decimal)> {
    if let Some(found) = number(calculation, first.field) {
        return Some((first.label.clone(), found));
    }
    let is_sent = |(name, _): &&(String, String)| question.sent(name).is_none();
    let assumed = first.assumed.iter().filter(is_sent).cloned();
    let asked: Vec<(String, String)> = question.sent.iter().cloned().chain(assumed).collect();
    let calculation = question.ask(&asked, today).ok()?;
    Some((first.label.clone(), number(&calculation, first.field)?))
}

/// Whether what is calculated is the pay of an employee: it costs an employer something, and nobody
/// pays the contributions of a wage in advance.
pub(super) fn is_of_employee(calculation: &Calculation) -> bool {
    let method = calculation.edition().method();
    method.advances().is_none() && method.inverse(Find::Greatest).is_some()
}

/// The lines of an answer that is no pay of an employee, by month and by year where they are of a
/// year.
pub(super) fn lines(calculation: &Calculation) -> Option<Markup> {
    let method = calculation.edition().method();
    // Without advances, the lines are those of a payslip, which has a table of its own.
    method.advances()?;
    let money = Money::new(method);
    let tables = calculation
        .fields()
        .filter_map(|(field, found)| match found {
            FieldValue::Lines(lines) if !lines.is_empty() => {
                let rate = |line: &Line| line.rate.map(|rate| money.percent(field.fraction(rate)));
                let rows: Vec<_> = lines.iter().map(|line| (line, rate(line))).collect();
                Some((field.label.as_deref().unwrap_or_default(), rows))
            }
            _ => None,
        });

    Some(html! {
        @for (label, rows) in tables {
            @let yearly = rows.iter().all(|(line, _)| is_yearly(line));
            div.wide tabindex="0" role="region" aria-label=(printed(label)) {
                table.payslip {
                    caption { (prose(label)) ", " (money.sign()) }
                    thead {
                        tr {
                            th scope="col" { "Ligne" } th.n.aside scope="col" { "Assiette" }
                            th.n.aside scope="col" { "Taux" }
                            @if yearly { th.n scope="col" { "Par mois" } }
                            th.n scope="col" { @if yearly { "Par an" } @else { "Montant" } }
                        }
                    }
                    tbody {
                        @for (line, rate) in &rows {
                            tr {
                                th scope="row" { (prose(line.step.title())) }
                                td.n.aside {
                                    (line.base.map(|base| money.plain(base)).unwrap_or_default())
                                }
                                td.n.aside { (rate.as_deref().unwrap_or_default()) }
                                @if yearly { td.n { (money.plain(of_month(line.amount))) } }
                                td.n { (money.plain(line.amount)) }
                            }
                        }
                    }
                }
            }
        }
    })
}

/// Whether a line is an amount of a year.
fn is_yearly(line: &Line) -> bool {
    let main = line.step.outputs.iter().find(|output| output.main);
    main.is_some_and(|output| matches!(output.ty, Type::Money(Period::Year)))
}
