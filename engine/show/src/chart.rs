//! Line charts as SVG: the results of a calculation over an input, and its rates.

use bareme_engine::run::curve::{Point, effective_rates, marginal_rates};
use plotters::coord::Shift;
use plotters::prelude::*;
use rust_decimal::Decimal;

use crate::locale::Locale;
use crate::ruler::Ruler;

/// Range of the rates shown, in percent: the marginal rate at a threshold would flatten all others.
const RATES: (i64, i64) = (-10, 100);

/// A line chart: panels one above the other, over the same amounts.
#[derive(Debug)]
pub struct Chart<'c> {
    /// The panels.
    pub panels: Vec<Panel<'c>>,
    /// Label of the horizontal axis, under each panel.
    pub amounts: Option<&'c str>,
    /// An amount to mark.
    pub here: Option<Decimal>,
    /// Other amounts to mark, less strongly.
    pub marks: Vec<Decimal>,
    /// Colours and sizes.
    pub look: Look,
}

/// A panel: curves over the same amounts, with a common vertical axis.
#[derive(Debug)]
pub struct Panel<'c> {
    /// Title above the panel, if any.
    pub caption: Option<&'c str>,
    /// Kind of values of the curves.
    pub values: Values,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// Kind of values of the curves of a panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// Amounts: from zero, or the least negative amount, to the greatest.
    Amounts,
    /// Rates in percent.
    Rates,
}

/// A curve and its name.
#[derive(Debug)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// Its points.
    pub points: Vec<Point>,
    /// Its colour.
    pub colour: Colour,
    /// Whether it is drawn lighter, behind another one of the same colour.
    pub is_pale: bool,
}

/// An RGB colour.
pub type Colour = (u8, u8, u8);

/// Options of a chart.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// Width and height.
    pub size: (u32, u32),
    /// Margin around a panel, and at its right.
    pub margins: (u32, u32),
    /// Space for the labels of amounts under a panel, and of values at its left.
    pub labels: (u32, u32),
    /// Foreground colour of the page that the chart is part of: it then has no background, no grid,
    /// and larger letters. `None` for a standalone chart.
    pub colours_of_page: Option<Colour>,
}

impl Look {
    /// A standalone chart.
    pub const STANDALONE: Self = Self {
        size: (900, 720),
        margins: (12, 36),
        labels: (36, 90),
        colours_of_page: None,
    };

    /// The drawing as SVG; `None` if it fails, since pages also show the values in a table.
    pub(crate) fn svg(&self, draw: impl FnOnce(&Area) -> Drawn) -> Option<String> {
        let mut svg = String::new();
        // The backend writes into the text until it is dropped.
        let area = SVGBackend::with_string(&mut svg, self.size).into_drawing_area();

        if self.colours_of_page.is_none() {
            area.fill(&WHITE).ok()?;
        }

        draw(&area).ok()?;
        area.present().ok()?;
        drop(area);

        Some(svg)
    }

    /// A plane to draw on, with space for its labels and its title, if any.
    pub(crate) fn plane<'a, 's>(
        &self,
        area: &'a Area<'s>,
        caption: Option<&str>,
        (x, y): (Ruler, Ruler),
    ) -> Drawn<Plane<'a, 's>> {
        let mut builder = ChartBuilder::on(area);
        if let Some(caption) = caption {
            builder.caption(caption, ("sans-serif", 18));
        }

        builder.margin(self.margins.0).margin_right(self.margins.1);
        builder
            .x_label_area_size(self.labels.0)
            .y_label_area_size(self.labels.1);

        Ok(builder.build_cartesian_2d(x, y)?)
    }
}

/// The area of a chart, or of one of its panels.
pub(crate) type Area<'s> = DrawingArea<SVGBackend<'s>, Shift>;
type Plane<'a, 's> = ChartContext<'a, SVGBackend<'s>, Cartesian2d<Ruler, Ruler>>;
pub(crate) type Drawn<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// The effective rates of a curve, then its marginal rates, each as a named curve.
pub fn rates(points: &[Point], names: [String; 2], colours: [Colour; 2]) -> [Curve; 2] {
    let [effective, marginal] = names;
    let [first, second] = colours;

    let (least, most) = (Decimal::from(RATES.0), Decimal::from(RATES.1));

    // A marginal rate can be a thousand percent at a threshold.
    let within = |point: Point| Point {
        value: point.value.clamp(least, most),
        ..point
    };

    let marginal_points = marginal_rates(points).into_iter().map(within).collect();

    [
        Curve {
            name: effective,
            points: effective_rates(points),
            colour: first,
            is_pale: false,
        },
        Curve {
            name: marginal,
            points: marginal_points,
            colour: second,
            is_pale: first == second,
        },
    ]
}

impl Chart<'_> {
    /// The chart as SVG; `None` where there is no point to draw, or drawing fails: the values are in a
    /// table too.
    pub fn svg(&self, locale: Locale) -> Option<String> {
        self.panels.iter().flat_map(Panel::points).next()?;
        self.look.svg(|area| {
            // Panels are one above the other, over the same axis.
            let parts = area.split_evenly((self.panels.len(), 1));
            parts
                .iter()
                .zip(&self.panels)
                .try_for_each(|(part, panel)| self.draw_panel(part, panel, locale))
        })
    }

    /// The axis of the amounts, taken from the first panel.
    fn ruler(&self) -> Ruler {
        let points = self.panels.first().into_iter().flat_map(Panel::points);
        Ruler::over(points.map(|point| point.amount))
    }

    fn draw_panel(&self, area: &Area, panel: &Panel, locale: Locale) -> Drawn {
        let (look, amounts, values) = (&self.look, self.ruler(), panel.ruler());
        let mut chart = look.plane(area, panel.caption, (amounts, values))?;

        let label = |value: &Decimal| shown(*value, locale);
        let mut mesh = chart.configure_mesh();
        mesh.x_label_formatter(&label)
            .y_label_formatter(&label)
            .light_line_style(WHITE);

        if let Some(title) = self.amounts {
            mesh.x_desc(title);
        }

        // On a page the letters are scaled down with the drawing: they are larger, and there are
        // fewer.
        if look.colours_of_page.is_some() {
            mesh.disable_x_mesh()
                .light_line_style(TRANSPARENT)
                .x_labels(5)
                .y_labels(6)
                .label_style(("sans-serif", 17));
        }

        mesh.draw()?;

        // Marks come before the curves, which are drawn over them.
        if let Some(colour) = look.colours_of_page {
            let line = |amount: Decimal| [(amount, values.least), (amount, values.most)];
            for mark in &self.marks {
                chart.draw_series(LineSeries::new(
                    line(*mark),
                    rgb(colour).mix(0.35).stroke_width(1),
                ))?;
            }
            if let Some(here) = self.here {
                chart.draw_series(LineSeries::new(line(here), rgb(colour).stroke_width(2)))?;
            }
        }

        for curve in &panel.curves {
            let points = curve.points.iter().map(|point| (point.amount, point.value));

            // A pale curve lies behind another of the same colour.
            let colour = rgb(curve.colour);
            let style = if curve.is_pale {
                colour.mix(0.5).stroke_width(1)
            } else {
                colour.stroke_width(2)
            };

            chart
                .draw_series(LineSeries::new(points, style))?
                .label(&curve.name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x.saturating_add(18), y)], style));
        }

        // A single curve has the title of its panel, and needs no legend.
        if look.colours_of_page.is_some() && panel.curves.len() < 2 {
            return Ok(());
        }

        let mut legend = chart.configure_series_labels();
        legend.position(panel.free_corner(amounts));

        match look.colours_of_page {
            Some(_) => legend
                .label_font(("sans-serif", 17))
                .border_style(TRANSPARENT)
                .draw()?,
            None => legend
                .background_style(WHITE.mix(0.9))
                .border_style(BLACK.mix(0.3))
                .draw()?,
        }
        Ok(())
    }
}

impl Panel<'_> {
    fn points(&self) -> impl Iterator<Item = &Point> {
        self.curves.iter().flat_map(|curve| &curve.points)
    }

    /// The upper corner in which the curves are lower, for a legend that would hide them in the
    /// other one: what is left of a loan begins at the top on the left.
    fn free_corner(&self, amounts: Ruler) -> SeriesLabelPosition {
        let middle = amounts.least.saturating_add(amounts.most);
        let middle = middle.checked_div(Decimal::TWO).unwrap_or_default();
        let highest = |is_left: bool| {
            let side = self
                .points()
                .filter(|point| (point.amount < middle) == is_left);
            side.map(|point| point.value).max()
        };

        if highest(true) > highest(false) {
            SeriesLabelPosition::UpperRight
        } else {
            SeriesLabelPosition::UpperLeft
        }
    }

    /// The axis of the values shown.
    fn ruler(&self) -> Ruler {
        let (least, most) = match self.values {
            Values::Rates => {
                let values = || self.points().map(|point| point.value);
                let tens = |value: Decimal| value.checked_div(Decimal::TEN).unwrap_or_default();
                // The axis ends at whole tens, within the rates that are shown.
                let most = tens(values().max().unwrap_or_default())
                    .ceil()
                    .saturating_mul(Decimal::TEN);
                let least = tens(values().min().unwrap_or_default())
                    .floor()
                    .saturating_mul(Decimal::TEN);

                let most = most.clamp(Decimal::TEN, Decimal::from(RATES.1));
                (least.clamp(Decimal::from(RATES.0), Decimal::ZERO), most)
            }
            Values::Amounts => {
                let values = || self.points().map(|point| point.value);

                (
                    values().min().unwrap_or_default().min(Decimal::ZERO),
                    values().max().unwrap_or_default(),
                )
            }
        };

        Ruler { least, most }
    }
}

fn rgb((red, green, blue): Colour) -> RGBColor {
    RGBColor(red, green, blue)
}

/// A value beside an axis.
pub(crate) fn shown(value: Decimal, locale: Locale) -> String {
    locale.number(value.round_dp(2).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The coordinates of the lines of a drawing.
    fn coordinates(svg: &str) -> Vec<(i64, i64)> {
        let lines = svg.split("<polyline").skip(1);
        let points = lines.filter_map(|line| line.split("points=\"").nth(1)?.split('"').next());
        points
            .flat_map(str::split_whitespace)
            .map(|pair| {
                let (x, y) = pair.split_once(',').unwrap();
                (x.parse().unwrap(), y.parse().unwrap())
            })
            .collect()
    }

    #[test]
    fn what_lies_outside_the_axes_is_drawn_at_their_edge() {
        let point = |amount: &str, value: &str| Point {
            amount: amount.parse().unwrap(),
            value: value.parse().unwrap(),
        };
        let curve = |points| Curve {
            name: "Taux".to_owned(),
            points,
            colour: (0, 0, 0),
            is_pale: false,
        };
        let panel = |values, curves| Panel {
            caption: None,
            values,
            curves,
        };

        // A net of 10^12 beside a gross of a cent: -10^16 %, then +10^16 %.
        let net = curve(vec![point("0", "0"), point("0.01", "1000000000000")]);
        let rates = curve(vec![
            point("0.00125", "-10000000000000000"),
            point("0.005", "50"),
            point("0.01", "10000000000000000"),
        ]);
        let look = Look {
            colours_of_page: Some((0, 0, 0)),
            ..Look::STANDALONE
        };
        let chart = Chart {
            panels: vec![
                panel(Values::Amounts, vec![net]),
                panel(Values::Rates, vec![rates]),
            ],
            amounts: None,
            here: Some("10".parse().unwrap()),
            marks: vec!["0.005".parse().unwrap()],
            look,
        };

        let svg = chart.svg(Locale::PAGE).unwrap();
        let found = coordinates(&svg);
        assert!(found.len() > 8, "{svg}");
        let (width, height) = (i64::from(look.size.0), i64::from(look.size.1));
        assert!(
            found
                .iter()
                .all(|(x, y)| (0..=width).contains(x) && (0..=height).contains(y)),
            "{found:?}"
        );

        // The last line is that of the rates: from the least rate to the greatest, in its own panel.
        let rates = found.get(found.len() - 3..).unwrap();
        let [first, middle, last] = rates else {
            panic!("{rates:?}")
        };
        assert!(first.1 > middle.1 && middle.1 > last.1, "{rates:?}");
        assert!(last.1 >= height / 2, "{rates:?}");
    }

    #[test]
    fn a_legend_is_in_the_corner_that_the_curves_leave_free() {
        let corner = |values: [&str; 3]| {
            let amounts = ["0", "10", "20"].into_iter().zip(values);
            let points = amounts.map(|(amount, value)| Point {
                amount: amount.parse().unwrap(),
                value: value.parse().unwrap(),
            });
            let curve = Curve {
                name: "Capital".to_owned(),
                points: points.collect(),
                colour: (0, 0, 0),
                is_pale: false,
            };
            let panel = Panel {
                caption: None,
                values: Values::Amounts,
                curves: vec![curve],
            };
            let amounts = panel.points().map(|point| point.amount);
            panel.free_corner(Ruler::over(amounts))
        };
        let falls = corner(["250000", "145000", "0"]);
        assert!(matches!(falls, SeriesLabelPosition::UpperRight));
        let rises = corner(["0", "60000", "95000"]);
        assert!(matches!(rises, SeriesLabelPosition::UpperLeft));
    }

    #[test]
    fn a_chart_without_a_point_is_none() {
        let chart = Chart {
            panels: vec![Panel {
                caption: None,
                values: Values::Amounts,
                curves: Vec::new(),
            }],
            amounts: None,
            here: None,
            marks: Vec::new(),
            look: Look::STANDALONE,
        };
        assert_eq!(chart.svg(Locale::PAGE), None);
    }
}
