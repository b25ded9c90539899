//! The schedule of a loan: its chart, and its payments by year.

use bareme_engine::Calculation;
use bareme_engine::law::{FieldValue, Payment};
use jiff::civil::Date;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::amounts::Money;
use super::question::Question;
use super::{headline, loan_chart};
use crate::text::prose;

/// Payments of a year.
const YEAR: usize = 12;

/// The chart of the schedule in the answer, or of the headline field with one; and its table, if
/// the answer has it.
pub(super) fn schedule(question: &Question, calculation: &Calculation, today: Date) -> Markup {
    let method = calculation.edition().method();
    let money = Money::new(method);
    // The answer has the schedule only where it is asked for; the headline may compute it besides.
    let payments = |found: &FieldValue| {
        if let FieldValue::Payments(list) = found {
            Some(list.clone())
        } else {
            None
        }
    };

    let asked = calculation
        .fields()
        .find_map(|(field, found)| Some((field, payments(found)?)));

    let named = || {
        let read = |_: &Calculation, found: &FieldValue| payments(found);
        let found = |entry| headline::with(question, calculation, entry, today, read);
        method
            .headlines()
            .iter()
            .find_map(found)
            .map(|(payments, _)| payments)
    };

    let drawn = asked.as_ref().map(|(_, list)| list.clone()).or_else(named);

    html! {
        @if let Some(drawn) = drawn { (loan_chart::payments(&drawn, money)) }
        @if let Some((field, list)) = asked {
            details.block.schedule open id=(field.name) {
                summary { (prose(field.label.as_deref().unwrap_or_default())) }
                (table(&list, money))
            }
        }
    }
}

/// The payments, each year after its totals.
fn table(payments: &[Payment], money: Money) -> Markup {
    // Without insurance, its column would be zeros.
    let has_insurance = payments.iter().any(|payment| !payment.insurance.is_zero());
    let row = |payment: &Payment| {
        html! {
            td.n { (money.plain(payment.payment)) }
            td.n { (money.plain(payment.interest)) }
            td.n { (money.plain(payment.principal)) }
            @if has_insurance { td.n { (money.plain(payment.insurance)) } }
            td.n { (money.plain(payment.balance)) }
        }
    };

    html! {
        div.wide tabindex="0" role="region" aria-label="Échéancier du prêt" {
            table {
                caption { "Montants en " (money.sign()) }
                thead {
                    tr {
                        th scope="col" { abbr title="Numéro de l’échéance" { "N°" } }
                        th.n scope="col" { "Mensualité" } th.n scope="col" { "Intérêts" }
                        th.n scope="col" { "Capital" }
                        @if has_insurance { th.n scope="col" { "Assurance" } }
                        th.n scope="col" { "Reste dû" }
                    }
                }
                // A body for each year, whose totals come first, so that the table can be skimmed.
                @for (index, year) in payments.chunks(YEAR).enumerate() {
                    tbody {
                        tr.total {
                            th scope="rowgroup" { "Année\u{a0}" (index.saturating_add(1)) }
                            (row(&total(year)))
                        }
                        @for payment in year {
                            tr { th scope="row" { (payment.month) } (row(payment)) }
                        }
                    }
                }
            }
        }
    }
}

/// The payments of a year added up, with the balance after the last one.
fn total(year: &[Payment]) -> Payment {
    let sum = |part: fn(&Payment) -> Decimal| {
        year.iter()
            .map(part)
            .fold(Decimal::ZERO, Decimal::saturating_add)
    };

    // The balance of a year is that of its last payment.
    let mut total = year.last().cloned().unwrap_or_default();
    total.payment = sum(|payment| payment.payment);
    total.interest = sum(|payment| payment.interest);
    total.principal = sum(|payment| payment.principal);
    total.insurance = sum(|payment| payment.insurance);
    total
}
