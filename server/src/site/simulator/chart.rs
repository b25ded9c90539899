//! The drawings of a simulator: the pay in parts, the brackets in which the income falls, the curves.

use std::ops::Range;

use bareme_engine::curve::{Point, amounts, effective_rates, marginal_rates};
use bareme_engine::{Calculation, Find, Slice, StepTrace};
use jiff::civil::Date;
use maud::{Markup, html};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use rust_decimal::Decimal;
use rust_decimal::prelude::{FromPrimitive as _, ToPrimitive as _};

use super::payslip::Payslip;
use super::question::Question;
use super::trace::bounds;
use crate::site::text::{amount, number, percent, prose};

/// Points of a curve.
const POINTS: u32 = 120;

/// Small, so that its words are read on a telephone: the page stretches it.
const SIZE: (u32, u32) = (480, 440);

/// Rates shown, in percent: a threshold's own marginal rate would flatten all the others.
const RATES: Range<f64> = -10.0..100.0;

/// Colours that the style sheet replaces, in a light theme and in a dark one.
const NET: RGBColor = RGBColor(43, 122, 75);
const EFFECTIVE: RGBColor = RGBColor(28, 79, 143);
const MARGINAL: RGBColor = RGBColor(168, 72, 12);
const HERE: RGBColor = RGBColor(80, 92, 108);

/// The pay as one bar: net, levies, tax, the employer's part.
pub(super) fn parts(payslip: &Payslip, decimals: u32) -> Markup {
    let (levies, tax) = payslip.parts();
    let employer = payslip.cost.map(|cost| cost.saturating_sub(payslip.gross)).unwrap_or_default();
    let parts = [
        ("net", "Net", payslip.net),
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
                        li class=(class) { (bounds(slice)) "\u{a0}: " strong { (percent(slice.rate)) } " de " (number(slice.base)) " = " (number(slice.amount)) }
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
pub(super) fn curve(question: &Question, calculation: &Calculation, payslip: &Payslip, today: Date) -> Option<String> {
    let points = points(question, calculation, payslip, today)?;
    let mut svg = String::new();
    // A drawing that fails is left out: whatever it shows is in the tables too.
    draw(&mut svg, &points, payslip.gross).ok()?;
    Some(svg)
}

/// The nets of grosses up to twice that of the payslip.
fn points(question: &Question, calculation: &Calculation, payslip: &Payslip, today: Date) -> Option<Vec<Point>> {
    let method = calculation.edition().method();
    let net = method.inverse(Find::Smallest)?;
    let field = &method.fields().get(net.field)?.name;
    let driver = &net.input.of(method.inputs())?.name;
    // What an option adds changes no net: it would only take time.
    let is_left_out = |name: &str| {
        name == driver
            || method.options().iter().any(|option| option.name == name)
            || method.inverses().iter().any(|inverse| inverse.parameter.name == name)
    };
    let household: Vec<_> = question.sent.iter().filter(|(name, _)| !is_left_out(name)).cloned().collect();
    let end = payslip.gross.checked_mul(Decimal::TWO)?;
    let decimals = if end > Decimal::ONE_THOUSAND { 0 } else { 2 };
    let at = |gross: Decimal| {
        let mut sent = household.clone();
        sent.push((driver.clone(), gross.to_string()));
        Some(Point { amount: gross, value: question.ask(&sent, today).ok()?.field(field)?.number()? })
    };
    let points: Vec<Point> = amounts((Decimal::ZERO, end), POINTS, decimals).into_iter().filter_map(at).collect();
    (points.len() > 2 && !end.is_zero()).then_some(points)
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

fn draw(svg: &mut String, points: &[Point], here: Decimal) -> Drawn {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let (top, bottom) = area.split_vertically(SIZE.1 / 2);
    let least = points.iter().map(|point| point.value).min().unwrap_or_default().min(Decimal::ZERO);
    let most = points.iter().map(|point| point.value).max().unwrap_or_default();
    let nets = points.iter().copied().map(place).collect();
    draw_part(&top, points, float(least)..float(most), here, &[("Net", NET, nets)])?;
    let effective = effective_rates(points).into_iter().map(place).collect();
    let marginal = marginal_rates(points).into_iter().map(place);
    let marginal = marginal.map(|(gross, rate)| (gross, rate.clamp(RATES.start, RATES.end))).collect();
    let rates = [("Taux effectif, en %", EFFECTIVE, effective), ("Taux marginal, en %", MARGINAL, marginal)];
    draw_part(&bottom, points, RATES, here, &rates)?;
    area.present()?;
    Ok(())
}

type Series<'s> = (&'s str, RGBColor, Vec<(f64, f64)>);

/// Curves over the same gross, with the one that is asked as a vertical line.
fn draw_part(
    area: &DrawingArea<SVGBackend, plotters::coord::Shift>,
    points: &[Point],
    values: Range<f64>,
    here: Decimal,
    series: &[Series],
) -> Drawn {
    let end = points.last().map(|point| float(point.amount)).unwrap_or_default();
    let mut chart: ChartContext<_, Cartesian2d<RangedCoordf64, RangedCoordf64>> = ChartBuilder::on(area)
        .margin(8)
        .margin_right(24)
        .x_label_area_size(32)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..end, values.clone())?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .x_labels(5)
        .y_labels(6)
        .x_label_formatter(&|x| shown(*x))
        .y_label_formatter(&|y| shown(*y))
        .label_style(("sans-serif", 14))
        .draw()?;
    chart
        .draw_series(LineSeries::new([(float(here), values.start), (float(here), values.end)], HERE.stroke_width(1)))?;
    for (name, colour, points) in series {
        let colour = *colour;
        chart
            .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font(("sans-serif", 14))
        .border_style(TRANSPARENT)
        .draw()?;
    Ok(())
}

fn place(point: Point) -> (f64, f64) {
    (float(point.amount), float(point.value))
}

/// A drawing has the precision of its pixels: here alone amounts become floats.
fn float(value: Decimal) -> f64 {
    value.to_f64().unwrap_or_default()
}

fn shown(value: f64) -> String {
    number(Decimal::from_f64(value).unwrap_or_default().round_dp(2).normalize())
}
