//! The drawings of a simulator: the pay in parts, the brackets in which the income falls, the curves.

use bareme_engine::Calculation;
use bareme_engine::law::Slice;
use bareme_engine::run::StepTrace;
use bareme_engine::run::curve::Point;
use bareme_show::chart::{Chart, Colour, Curve, Look, Panel, Values, rates};
use bareme_show::curve::{Axis, Household};
use bareme_show::trace::bounds;
use bareme_show::{Locale, Pay};
use jiff::civil::Date;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::question::Question;
use crate::pages::text::{amount, number, percent, prose};

/// Parts of the range of a curve.
const PARTS: u32 = 120;

/// Colours that the style sheet replaces, in a light theme and in a dark one.
const NET: Colour = (43, 122, 75);
const EFFECTIVE: Colour = (28, 79, 143);
const MARGINAL: Colour = (168, 72, 12);
const HERE: Colour = (80, 92, 108);

/// Small, so that its words are read on a telephone: the page stretches it.
const LOOK: Look = Look { size: (480, 440), margins: (8, 24), labels: (32, 64), colours_of_page: Some(HERE) };

/// The pay as one bar: net, levies, tax, the employer's part.
pub(super) fn parts(pay: &Pay, decimals: u32) -> Markup {
    let (levies, tax) = pay.parts();
    let employer = pay.cost.map(|cost| cost.saturating_sub(pay.gross)).unwrap_or_default();
    let parts = [
        ("net", "Net", pay.net),
        ("levies", "Cotisations du salarié", levies),
        ("tax", "Impôts et taxes du salarié", tax),
        ("employer", "Part de l’employeur", employer),
    ];
    let parts = parts.into_iter().filter(|(_, _, part)| !part.is_zero()).collect::<Vec<_>>();
    let whole: Decimal = parts.iter().map(|(_, _, part)| *part).sum();
    // A credit makes a net above the gross: a bar cannot show it, the table does.
    if whole.is_zero() || parts.iter().any(|(_, _, part)| part.is_sign_negative()) {
        return html! {};
    }
    html! {
        figure.parts {
            (bar(&parts.iter().map(|(class, _, part)| ((*class).to_owned(), *part)).collect::<Vec<_>>(), whole))
            ul.legend {
                @for (class, label, part) in &parts {
                    li class=(class) { (label) " " strong { (amount(*part, decimals)) } " " span.soft { (percent(share(*part, whole).round_dp(3))) } }
                }
            }
        }
    }
}

fn share(part: Decimal, whole: Decimal) -> Decimal {
    part.checked_div(whole).unwrap_or_default()
}

/// Parts side by side, each with the class of its colour.
fn bar(parts: &[(String, Decimal)], whole: Decimal) -> Markup {
    let mut before = Decimal::ZERO;
    let mut placed = Vec::new();
    for (class, part) in parts {
        let place =
            |value: Decimal| format!("{}%", share(value, whole).saturating_mul(Decimal::ONE_HUNDRED).round_dp(3));
        placed.push((class, place(before), place(*part)));
        before = before.saturating_add(*part);
    }
    html! {
        svg.bar height="36" width="100%" aria-hidden="true" focusable="false" {
            @for (class, x, width) in placed { rect class=(class) x=(x) y="0" width=(width) height="36" {} }
        }
    }
}

/// Each scale of brackets as a bar: how much of the income falls in which bracket.
pub(super) fn brackets(calculation: &Calculation) -> Markup {
    let mut scales: Vec<&StepTrace> = Vec::new();
    for step in super::trace::steps(calculation) {
        // The same income through the same scale is drawn once.
        let is_drawn = scales.iter().any(|drawn| sliced(drawn).eq(sliced(step)));
        if step.slices.len() > 1 && !is_drawn {
            scales.push(step);
        }
    }
    html! {
        @for step in scales {
            figure.brackets {
                figcaption { "Tranches\u{a0}: " (prose(step.step.title())) }
                (bar(&classed(&step.slices), step.slices.iter().map(|slice| slice.base).sum()))
                ol.legend {
                    @for (slice, (class, _)) in step.slices.iter().zip(classed(&step.slices)) {
                        li class=(class) { (bounds(slice, Locale::PAGE)) "\u{a0}: " strong { (percent(slice.rate)) } " de " (number(slice.base)) " = " (number(slice.amount)) }
                    }
                }
            }
        }
    }
}

fn sliced(step: &StepTrace) -> impl Iterator<Item = (Decimal, Decimal)> {
    step.slices.iter().map(|slice| (slice.base, slice.amount))
}

/// Each slice with the class of its shade: they are in the order of the scale.
fn classed(slices: &[Slice]) -> Vec<(String, Decimal)> {
    let shade = |index: usize| format!("shade-{}", index.min(7));
    slices.iter().enumerate().map(|(index, slice)| (shade(index), slice.base)).collect()
}

/// Net, effective and marginal rate against the gross, around the one that is asked.
pub(super) fn curve(question: &Question, calculation: &Calculation, pay: &Pay, today: Date) -> Option<String> {
    let axis = Axis::of(question.listed.folder, None)?;
    let points = points(&axis, question, calculation, pay, today)?;
    let names = ["Taux effectif, en %", "Taux marginal, en %"].map(str::to_owned);
    let rates = rates(&points, names, [EFFECTIVE, MARGINAL]);
    let nets = Curve { name: "Net".to_owned(), points, colour: NET, is_pale: false };
    let panel = |values, curves| Panel { caption: None, values, curves };
    let panels = vec![panel(Values::Amounts, vec![nets]), panel(Values::Rates, rates.into())];
    Chart { panels, amounts: None, here: Some(pay.gross), look: LOOK }.svg(Locale::PAGE)
}

/// The nets of grosses up to twice that of the payslip.
fn points(axis: &Axis, question: &Question, calculation: &Calculation, pay: &Pay, today: Date) -> Option<Vec<Point>> {
    let method = calculation.edition().method();
    // What an option adds changes no net: it would only take time.
    let is_kept = |name: &str| {
        let is_input = method.inputs().iter().any(|input| input.name == name && input.name != axis.input);
        (is_input && method.options().iter().all(|option| option.name != name)) || ["date", "annee"].contains(&name)
    };
    let query = question.sent.iter().filter(|(name, _)| is_kept(name)).cloned().collect();
    let end = pay.gross.checked_mul(Decimal::TWO)?;
    let decimals = if end > Decimal::ONE_THOUSAND { 0 } else { 2 };
    let points = axis.points((Decimal::ZERO, end), (PARTS, decimals), &Household { query }, today);
    (points.len() > 2 && !end.is_zero()).then_some(points)
}
