//! The chart of a loan: what is still owed, and the interest paid.

use bareme_engine::law::Payment;
use bareme_engine::run::curve::Point;
use bareme_show::Locale;
use bareme_show::chart::{Chart, Curve, Look, Panel, Values};
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::amounts::Money;
use super::chart::{EFFECTIVE, LOOK, MARGINAL};
use crate::text::drawing;

/// The principal left and the interest paid, month by month.
pub(super) fn payments(payments: &[Payment], money: Money) -> Markup {
    let caption = format!("Capital restant dû et intérêts payés, {}", money.sign());
    let panels = vec![Panel {
        caption: Some(&caption),
        values: Values::Amounts,
        curves: loan_curves(payments),
    }];

    // One panel: a lower picture than the curve with its rates.
    let look = Look {
        size: (480, 260),
        ..LOOK
    };
    let chart = Chart {
        panels,
        amounts: Some("Années depuis le début"),
        here: None,
        marks: Vec::new(),
        look,
    };

    html! {
        @if let Some(svg) = chart.svg(Locale::PAGE) {
            figure.curve.screen {
                figcaption { "Capital et intérêts dans le temps" }
                div.drawing role="img"
                    aria-label="Courbes du capital restant dû et des intérêts payés\u{a0}; \
                                les mêmes montants se lisent dans l’échéancier." {
                    (drawing(svg))
                }
            }
        }
    }
}

/// What is still owed, which goes down, and what was paid in interest, which goes up.
fn loan_curves(payments: &[Payment]) -> Vec<Curve> {
    let mut paid = Decimal::ZERO;
    let mut left = Vec::new();
    let mut interest = Vec::new();

    // The first point is the loan before any payment: its balance is the principal.
    if let Some(first) = payments.first() {
        let start = |value: Decimal| Point {
            amount: Decimal::ZERO,
            value,
        };
        left.push(start(first.balance.saturating_add(first.principal)));
        interest.push(start(Decimal::ZERO));
    }

    for payment in payments {
        let years = Decimal::from(payment.month)
            .checked_div(Decimal::from(12))
            .unwrap_or_default();
        paid = paid.saturating_add(payment.interest);
        left.push(Point {
            amount: years,
            value: payment.balance,
        });
        interest.push(Point {
            amount: years,
            value: paid,
        });
    }

    let curve = |name: &str, points, colour| Curve {
        name: name.to_owned(),
        points,
        colour,
        is_pale: false,
    };
    vec![
        curve("Capital restant dû", left, EFFECTIVE),
        curve("Intérêts payés", interest, MARGINAL),
    ]
}
