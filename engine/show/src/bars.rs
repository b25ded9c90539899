//! Bars, one for each group, drawn as SVG: above zero in one colour, below it in another.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use rust_decimal::Decimal;
use rust_decimal::prelude::{FromPrimitive as _, ToPrimitive as _};

use crate::chart::Colour;
use crate::locale::Locale;

/// Colours that people who confuse some colours tell apart too: of bars above zero, and below it.
const COLOURS: [Colour; 2] = [(0, 90, 160), (200, 80, 0)];
/// Width and height.
const SIZE: (u32, u32) = (900, 360);
/// Share of its place that a bar fills.
const FILLED: f64 = 0.7;

/// A drawing of bars.
///
/// ```
/// use bareme_show::Locale;
/// use bareme_show::bars::Bars;
///
/// let bars = Bars { caption: "Gain moyen", groups: "Décile", bars: vec![("1".to_owned(), 12.into()), ("2".to_owned(), (-3).into())] };
/// assert!(bars.svg(Locale::PAGE).is_some_and(|svg| svg.contains("Gain moyen")));
/// ```
#[derive(Debug)]
pub struct Bars<'b> {
    /// Title above the drawing.
    pub caption: &'b str,
    /// Title of the groups, written under the bars.
    pub groups: &'b str,
    /// Name and value of each group.
    pub bars: Vec<(String, Decimal)>,
}

impl Bars<'_> {
    /// The drawing as SVG. One that fails is left out: whatever it shows is in a table too.
    pub fn svg(&self, locale: Locale) -> Option<String> {
        let mut svg = String::new();
        self.draw(&mut svg, locale).ok()?;
        Some(svg)
    }

    fn draw(&self, svg: &mut String, locale: Locale) -> Result<(), Box<dyn std::error::Error>> {
        let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let values = || self.bars.iter().map(|(_, value)| *value);
        let least = values().min().unwrap_or_default().min(Decimal::ZERO);
        let most = values().max().unwrap_or_default().max(Decimal::ZERO);
        // A little room, so that no bar touches the frame; a flat drawing has some too.
        let room = most.saturating_sub(least).checked_div(Decimal::from(20)).filter(|room| !room.is_zero());
        let room = room.unwrap_or(Decimal::ONE);
        let range = float(least.saturating_sub(room))..float(most.saturating_add(room));
        let places = f64::from(u32::try_from(self.bars.len()).unwrap_or(u32::MAX).max(1));
        let mut chart = ChartBuilder::on(&area)
            .caption(self.caption, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(52)
            .y_label_area_size(90)
            .build_cartesian_2d(0.0..places, range.clone())?;
        let label = |value: &f64| locale.number(Decimal::from_f64(*value).unwrap_or_default().round_dp(2).normalize());
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(WHITE)
            .x_labels(0)
            .y_label_formatter(&label)
            .x_desc(self.groups)
            .draw()?;
        let [above, below] = COLOURS.map(|(red, green, blue)| RGBColor(red, green, blue));
        let style = ("sans-serif", 13).into_font().into_text_style(&area).pos(Pos::new(HPos::Center, VPos::Top));
        for (index, (name, value)) in (0_u32..).zip(&self.bars) {
            let (left, right) = bar(f64::from(index));
            let colour = if value.is_sign_negative() { below } else { above };
            chart.draw_series([Rectangle::new([(left, 0.0), (right, float(*value))], colour.filled())])?;
            let (x, y) = chart.backend_coord(&(left, range.start));
            let (end, _) = chart.backend_coord(&(right, range.start));
            let middle = x.midpoint(end);
            area.draw(&Text::new(name.as_str(), (middle, y.saturating_add(6)), style.clone()))?;
        }
        area.present()?;
        Ok(())
    }
}

/// The sides of a bar at a place.
#[expect(clippy::float_arithmetic, reason = "a drawing has the precision of its pixels")]
fn bar(place: f64) -> (f64, f64) {
    let side = (1.0 - FILLED) / 2.0;
    (place + side, place + 1.0 - side)
}

fn float(value: Decimal) -> f64 {
    value.to_f64().unwrap_or_default()
}
