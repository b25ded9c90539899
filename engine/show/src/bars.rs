//! Bar charts as SVG: one bar or more for each group, in one colour above zero, in another below
//! it.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use rust_decimal::Decimal;

use crate::chart::{Area, Colour, Drawn, Look, shown};
use crate::locale::Locale;
use crate::ruler::Ruler;

/// Colours that colour-blind people can distinguish: of bars above zero, and below it.
const COLOURS: [Colour; 2] = [(0, 90, 160), (200, 80, 0)];
/// Share of the width of a group that its bars fill, in hundredths.
const BAR_SHARE: i64 = 70;

/// A bar chart.
///
/// ```
/// use bareme_show::Locale;
/// use bareme_show::bars::Bars;
///
/// let deciles = [("1".to_owned(), 12.into()), ("2".to_owned(), (-3).into())];
/// let bars = Bars::of_one_series("Gain moyen", "Décile", deciles);
/// assert!(bars.svg(Locale::PAGE).is_some_and(|svg| svg.contains("Gain moyen")));
/// ```
#[derive(Debug)]
pub struct Bars<'b> {
    /// Title above the chart; `None` where the page has it.
    pub caption: Option<&'b str>,
    /// Title of the axis of the groups, under the bars.
    pub groups: &'b str,
    /// Names of the series, in the order of the bars of a group.
    pub series: Vec<Series<'b>>,
    /// The groups, each with its name and its value in each series.
    pub bars: Vec<(String, Vec<Decimal>)>,
    /// Sizes, and whether the chart takes the colours of its page.
    pub look: Look,
}

/// A series of bars, one for each group.
#[derive(Debug, Clone, Copy)]
pub struct Series<'b> {
    /// Its name in the legend; a chart of a single series has none.
    pub name: &'b str,
    /// Colours above zero, and below it.
    pub colours: [Colour; 2],
}

impl<'b> Bars<'b> {
    /// A standalone chart of a single series.
    pub fn of_one_series(
        caption: &'b str,
        groups: &'b str,
        bars: impl IntoIterator<Item = (String, Decimal)>,
    ) -> Self {
        Self {
            caption: Some(caption),
            groups,
            series: vec![Series {
                name: caption,
                colours: COLOURS,
            }],
            bars: bars
                .into_iter()
                .map(|(name, value)| (name, vec![value]))
                .collect(),
            look: Look {
                size: (900, 360),
                margins: (12, 12),
                labels: (52, 90),
                colours_of_page: None,
            },
        }
    }

    /// The chart as SVG; `None` where drawing fails: the values are in a table too.
    pub fn svg(&self, locale: Locale) -> Option<String> {
        self.look.svg(|area| self.draw(area, locale))
    }

    /// The least and the greatest value with a margin, so that no bar touches the frame; a flat
    /// chart has one too.
    fn ruler(&self) -> Ruler {
        let values = || self.bars.iter().flat_map(|(_, values)| values).copied();
        // Zero is always on the axis: bars start from it.
        let least = values().min().unwrap_or_default().min(Decimal::ZERO);
        let most = values().max().unwrap_or_default().max(Decimal::ZERO);

        let room = most
            .saturating_sub(least)
            .checked_div(Decimal::from(20))
            .filter(|room| !room.is_zero());
        let room = room.unwrap_or(Decimal::ONE);
        // On a page, bars that are all above zero stand on the axis itself.
        let below = if self.look.colours_of_page.is_some() && least.is_zero() {
            Decimal::ZERO
        } else {
            room
        };

        Ruler {
            least: least.saturating_sub(below),
            most: most.saturating_add(room),
        }
    }

    fn draw(&self, area: &Area, locale: Locale) -> Drawn {
        let look = &self.look;
        let values = self.ruler();
        let places = Ruler {
            least: Decimal::ZERO,
            most: self.bars.len().max(1).into(),
        };

        let mut chart = look.plane(area, self.caption, (places, values))?;
        let label = |value: &Decimal| shown(*value, locale);

        // The groups have names below their bars, and no numbers on their axis.
        let mut mesh = chart.configure_mesh();
        mesh.disable_x_mesh()
            .light_line_style(WHITE)
            .x_labels(0)
            .y_label_formatter(&label)
            .x_desc(self.groups);

        if look.colours_of_page.is_some() {
            mesh.light_line_style(TRANSPARENT)
                .y_labels(6)
                .label_style(("sans-serif", 17));
        }

        mesh.draw()?;

        let size = if look.colours_of_page.is_some() {
            17
        } else {
            13
        };
        let style = ("sans-serif", size)
            .into_font()
            .into_text_style(area)
            .pos(Pos::new(HPos::Center, VPos::Top));

        let count = u32::try_from(self.series.len()).unwrap_or(1).max(1);

        for (index, (name, own)) in (0_u32..).zip(&self.bars) {
            for (place, (series, value)) in (0_u32..).zip(self.series.iter().zip(own)) {
                let (left, right) = bar(index, place, count);

                let [above, below] = series
                    .colours
                    .map(|(red, green, blue)| RGBColor(red, green, blue));
                let colour = if value.is_sign_negative() {
                    below
                } else {
                    above
                };

                chart.draw_series([Rectangle::new(
                    [(left, Decimal::ZERO), (right, *value)],
                    colour.filled(),
                )])?;
            }

            // The name of a group is centred under its bars, in pixels of the drawing.
            let (x, y) = chart.backend_coord(&(bar(index, 0, count).0, values.least));
            let (end, _) =
                chart.backend_coord(&(bar(index, count.saturating_sub(1), count).1, values.least));

            area.draw(&Text::new(
                name.as_str(),
                (x.midpoint(end), y.saturating_add(6)),
                style.clone(),
            ))?;
        }

        Ok(())
    }
}

/// Left and right side of a bar: bar `place` of the `count` bars of a group.
fn bar(group: u32, place: u32, count: u32) -> (Decimal, Decimal) {
    let filled = Decimal::new(BAR_SHARE, 2);
    let width = filled.checked_div(count.into()).unwrap_or_default();
    let margin = Decimal::ONE.saturating_sub(filled);
    let margin = margin.checked_div(Decimal::TWO).unwrap_or_default();

    let left = Decimal::from(group)
        .saturating_add(margin)
        .saturating_add(width.saturating_mul(place.into()));
    (left, left.saturating_add(width))
}
