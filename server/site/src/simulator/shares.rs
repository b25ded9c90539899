//! Parts of an amount as one bar: the pay, and where an amount of the answer went.

use bareme_engine::Calculation;
use bareme_show::Pay;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::amounts::Money;
use super::settled;
use crate::text::{prose, say};

/// What a part of an amount is, by which it is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Net,
    Levies,
    Tax,
    Employer,
}

impl Kind {
    /// The class of the style sheet.
    const fn class(self) -> &'static str {
        match self {
            Self::Net => "net",
            Self::Levies => "levies",
            Self::Tax => "tax",
            Self::Employer => "employer",
        }
    }
}

/// A part of an amount.
#[derive(Debug)]
pub(super) struct Part {
    pub kind: Kind,
    pub label: String,
    amount: Decimal,
    /// Its share of the whole, in thousandths that add up to one.
    pub share: Decimal,
}

/// The parts of a pay: net, levies, tax, employer's part. None where a bar cannot show them.
pub(super) fn of_pay(calculation: &Calculation, pay: &Pay) -> Vec<Part> {
    let (levies, tax) = pay.parts();
    let employer = pay
        .cost
        .map(|cost| cost.saturating_sub(pay.gross))
        .unwrap_or_default();

    let lang = calculation.edition().method().lang;
    let own = if settled::is_of_employee(calculation) {
        say(lang, "Cotisations du salarié", "Employee contributions")
    } else {
        say(lang, "Cotisations et contributions", "Contributions")
    };

    // Where no tax is withheld, the net is not what is paid out: the largest result may be after it.
    let net = pay.untaxed.unwrap_or("Net");

    // In the order of the bar. Parts at zero would only widen the legend.
    let parts = [
        (Kind::Net, net, pay.net),
        (Kind::Levies, own, levies),
        (
            Kind::Tax,
            say(lang, "Impôts et taxes du salarié", "Employee taxes"),
            tax,
        ),
        (
            Kind::Employer,
            say(lang, "Part de l’employeur", "Employer’s part"),
            employer,
        ),
    ];
    let parts = parts
        .into_iter()
        .filter(|(_, _, part)| !part.is_zero())
        .collect::<Vec<_>>();

    // A tax credit makes the net greater than the gross, which a bar cannot show; the table does.
    if parts.iter().any(|(_, _, part)| part.is_sign_negative()) {
        return Vec::new();
    }
    shared(&parts)
}

/// Where an amount of the answer went, for a method that says so: what was taken of it, and what is
/// left.
pub(super) fn of_answer(calculation: &Calculation) -> Vec<Part> {
    /// Colours of what is taken.
    const TAKEN: [Kind; 3] = [Kind::Tax, Kind::Levies, Kind::Employer];

    let method = calculation.edition().method();
    let field = |index: usize| {
        let field = method.fields().get(index)?;
        let found = calculation.field(&field.name)?.number()?;
        Some((field.label.as_deref().unwrap_or_default(), found))
    };
    let Some((bar, (_, whole))) = method.bar().and_then(|bar| Some((bar, field(bar.whole)?)))
    else {
        return Vec::new();
    };

    // What is given back is in what is left.
    let taken: Vec<(&str, Decimal)> = bar.parts.iter().filter_map(|part| field(*part)).collect();
    let rest = taken.iter().map(|(_, part)| *part);
    let rest = whole.saturating_sub(rest.sum());
    let shown = taken.iter().filter(|(_, part)| *part > Decimal::ZERO);
    let shown = shown.zip(TAKEN.into_iter().cycle());
    let mut parts = vec![(Kind::Net, bar.rest.as_str(), rest)];
    parts.extend(shown.map(|((label, part), kind)| (kind, *label, *part)));

    if rest <= Decimal::ZERO {
        return Vec::new();
    }
    shared(&parts)
}

/// Parts with the share of each; none of nothing.
fn shared(parts: &[(Kind, &str, Decimal)]) -> Vec<Part> {
    let amounts: Vec<_> = parts.iter().map(|(_, _, part)| *part).collect();
    let whole: Decimal = amounts.iter().sum();
    if whole.is_zero() {
        return Vec::new();
    }

    let rounded = rounded_shares(&amounts, whole);
    let part = |(&(kind, label, amount), share): (&(Kind, &str, Decimal), Decimal)| Part {
        kind,
        label: label.to_owned(),
        amount,
        share,
    };
    parts.iter().zip(rounded).map(part).collect()
}

/// Parts side by side, each with its label, its amount and its share; nothing without any.
pub(super) fn shares(parts: &[Part], money: Money) -> Markup {
    if parts.is_empty() {
        return html! {};
    }
    let whole: Decimal = parts.iter().map(|part| part.amount).sum();
    let sized = parts.iter();
    let sized = sized.map(|part| (part.kind.class().to_owned(), part.amount));

    html! {
        figure.parts {
            (bar(&sized.collect::<Vec<_>>(), whole))
            ul.legend {
                @for Part { kind, label, amount, share } in parts {
                    li class=(kind.class()) {
                        (prose(label)) " " strong { (money.text(*amount)) } " "
                        span.soft { (money.percent(*share)) }
                    }
                }
            }
        }
    }
}

/// The share of each part of a whole, in thousandths that add up to it: each is rounded down, and the
/// thousandths that are then missing go to the parts that lost most.
fn rounded_shares(parts: &[Decimal], whole: Decimal) -> Vec<Decimal> {
    let thousandth = Decimal::new(1, 3);
    let mut rounded: Vec<(Decimal, Decimal)> = parts
        .iter()
        .map(|part| {
            let exact = share(*part, whole);
            let down = exact.trunc_with_scale(3);
            (down, exact.saturating_sub(down))
        })
        .collect();

    let shown: Decimal = rounded.iter().map(|(down, _)| *down).sum();
    let mut missing = Decimal::ONE.saturating_sub(shown);

    // The first of equal ones, so that a page is the same whenever it is made.
    let mut order: Vec<_> = rounded.iter_mut().collect();
    order.sort_by(|(_, one), (_, other)| other.cmp(one));
    for (down, _) in order {
        if missing < thousandth {
            break;
        }
        *down = down.saturating_add(thousandth);
        missing = missing.saturating_sub(thousandth);
    }
    rounded.into_iter().map(|(share, _)| share).collect()
}

fn share(part: Decimal, whole: Decimal) -> Decimal {
    part.checked_div(whole).unwrap_or_default()
}

/// A bar of parts side by side, each with the class of its colour.
pub(super) fn bar(parts: &[(String, Decimal)], whole: Decimal) -> Markup {
    // Each part begins where those before it end, in percent of the width.
    let mut before = Decimal::ZERO;
    let mut placed = Vec::new();
    for (class, part) in parts {
        let place = |value: Decimal| {
            format!(
                "{}%",
                share(value, whole)
                    .saturating_mul(Decimal::ONE_HUNDRED)
                    .round_dp(3)
            )
        };
        // In percent, so that the bar fits any width.
        placed.push((class, place(before), place(*part)));
        before = before.saturating_add(*part);
    }

    html! {
        svg.bar height="36" width="100%" aria-hidden="true" focusable="false" {
            @for (class, x, width) in placed {
                rect class=(class) x=(x) y="0" width=(width) height="36" {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_a_bar_add_up_to_the_whole() {
        let shares = |parts: &[&str]| {
            let parts: Vec<Decimal> = parts.iter().map(|part| part.parse().unwrap()).collect();
            let shares = rounded_shares(&parts, parts.iter().sum());
            let texts: Vec<_> = shares.iter().map(Decimal::to_string).collect();
            texts.join(" ")
        };
        // Rounded each by itself, they would be 55.6, 7.7 and 36.6 %; then 63.7, 6.6 and 29.8 %.
        assert_eq!(
            shares(&["5810.19", "805.39", "3825.92"]),
            "0.557 0.077 0.366"
        );
        assert_eq!(
            shares(&["7055.62", "727.37", "3298.89"]),
            "0.637 0.065 0.298"
        );
        assert_eq!(shares(&["1", "1", "1"]), "0.334 0.333 0.333");
        assert_eq!(shares(&["3", "1"]), "0.750 0.250");
        assert_eq!(shares(&["1000000", "0.01"]), "1.000 0.000");
    }
}
