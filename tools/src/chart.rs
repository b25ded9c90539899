//! Curves of a scale as an SVG drawing: what is left, and the rates.

use bareme_engine::Lang;
use bareme_engine::curve::{Point, effective_rates, marginal_rates};
use plotters::prelude::*;
use rust_decimal::Decimal;
use rust_decimal::prelude::{FromPrimitive, ToPrimitive};

use crate::curve::Axis;
use crate::session::say;
use crate::words::number;

/// Parts into which the range is cut.
pub(crate) const PARTS: u32 = 300;

const SIZE: (u32, u32) = (900, 720);
/// Readable for everybody, whatever colours they see.
const COLOURS: [RGBColor; 2] = [RGBColor(0, 90, 160), RGBColor(200, 80, 0)];
/// Rates shown, in percent: a threshold's own marginal rate would flatten all the others.
const RATES: Range = (-10.0, 100.0);

/// A scale for one household.
pub(crate) struct Curve {
    pub name: String,
    pub points: Vec<Point>,
}

/// Draws one edition or two.
pub(crate) fn draw(axis: &Axis, curves: &[Curve], lang: Lang) -> String {
    let mut svg = String::new();
    // A drawing that fails is left out: whatever it shows is in the tables too.
    let drawn = draw_into(&mut svg, axis, curves, lang).is_ok();
    if drawn { svg } else { String::new() }
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

fn draw_into(svg: &mut String, axis: &Axis, curves: &[Curve], lang: Lang) -> Drawn {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let amounts = || curves.iter().flat_map(|curve| &curve.points).map(|point| float(point.amount));
    let (low, high) = (amounts().fold(f64::INFINITY, f64::min), amounts().fold(f64::NEG_INFINITY, f64::max));
    if axis.is_net {
        let (top, bottom) = area.split_vertically(SIZE.1 / 2);
        draw_values(&top, axis, curves, (low, high), lang)?;
        draw_rates(&bottom, axis, curves, (low, high), lang)?;
    } else {
        draw_values(&area, axis, curves, (low, high), lang)?;
    }
    area.present()?;
    Ok(())
}

/// The least and the greatest value of an axis.
type Range = (f64, f64);

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn draw_values(area: &Area, axis: &Axis, curves: &[Curve], amounts: Range, lang: Lang) -> Drawn {
    let values = || curves.iter().flat_map(|curve| &curve.points).map(|point| float(point.value));
    let top = values().fold(f64::NEG_INFINITY, f64::max);
    let bottom = values().fold(f64::INFINITY, f64::min).min(0.0);
    let mut chart = frame(area, &axis.field_label, axis, amounts, (bottom, top), lang)?;
    for (curve, colour) in curves.iter().zip(COLOURS) {
        let points = curve.points.iter().copied().map(place);
        chart
            .draw_series(LineSeries::new(points, colour.stroke_width(2)))?
            .label(&curve.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
    }
    legend(&mut chart)
}

fn draw_rates(area: &Area, axis: &Axis, curves: &[Curve], amounts: Range, lang: Lang) -> Drawn {
    let caption = say!(lang, "Taux de prélèvement, en %", "Rate of withholding, in %");
    let mut chart = frame(area, &caption, axis, amounts, RATES, lang)?;
    for (curve, colour) in curves.iter().zip(COLOURS) {
        let name = &curve.name;
        let effective = effective_rates(&curve.points).into_iter().map(place);
        chart
            .draw_series(LineSeries::new(effective, colour.stroke_width(2)))?
            .label(say!(lang, "{name}, taux effectif", "{name}, effective rate"))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
        let marginal = marginal_rates(&curve.points).into_iter().map(place);
        let marginal = marginal.map(|(amount, rate)| (amount, rate.clamp(RATES.0, RATES.1)));
        let pale = colour.mix(0.5);
        chart
            .draw_series(LineSeries::new(marginal, pale.stroke_width(1)))?
            .label(say!(lang, "{name}, taux marginal", "{name}, marginal rate"))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], pale.stroke_width(1)));
    }
    legend(&mut chart)
}

type Chart<'c, 'a> = ChartContext<
    'c,
    SVGBackend<'a>,
    Cartesian2d<plotters::coord::types::RangedCoordf64, plotters::coord::types::RangedCoordf64>,
>;

/// A chart with its caption, its axes and its grid, and no curve yet.
fn frame<'c, 'a: 'c>(
    area: &'c Area<'a>,
    caption: &str,
    axis: &Axis,
    (low, high): Range,
    (bottom, top): Range,
    lang: Lang,
) -> Result<Chart<'c, 'a>, Box<dyn std::error::Error>> {
    let mut chart = ChartBuilder::on(area)
        .caption(caption, ("sans-serif", 18))
        .margin(12)
        .margin_right(36)
        .x_label_area_size(36)
        .y_label_area_size(90)
        .build_cartesian_2d(low..high, bottom..top)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc(&axis.input_label)
        .x_label_formatter(&|x| shown(*x, lang))
        .y_label_formatter(&|y| shown(*y, lang))
        .draw()?;
    Ok(chart)
}

fn legend<'c, 'a: 'c>(chart: &mut Chart<'c, 'a>) -> Drawn {
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK.mix(0.3))
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

fn shown(value: f64, lang: Lang) -> String {
    number(Decimal::from_f64(value).unwrap_or_default().round_dp(2).normalize(), lang)
}
