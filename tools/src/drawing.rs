//! Charts of a scale as SVG: the result, and the rates.

use bareme_engine::Lang;
use bareme_engine::run::curve::Point;
use bareme_show::chart::{Chart, Colour, Curve, Look, Panel, Values, rates};
use bareme_show::curve::Axis;
use bareme_show::say;

/// Number of parts of the range.
pub(crate) const POINTS: u32 = 300;

/// Colours that colour-blind people can distinguish.
const COLOURS: [Colour; 2] = [(0, 90, 160), (200, 80, 0)];

/// Draws one or two editions, each a name with its points; for two, also their difference.
pub(crate) fn draw(axis: &Axis, editions: &[(String, Vec<Point>)], lang: Lang) -> Option<String> {
    let editions = &shown(axis, editions);
    let coloured = || editions.iter().zip(COLOURS);
    let values = if axis.unit.is_share() {
        Values::Rates
    } else {
        Values::Amounts
    };

    // The result itself, one curve for each edition.
    let amounts = coloured().map(|((name, points), colour)| Curve {
        name: name.clone(),
        points: points.clone(),
        colour,
        is_pale: false,
    });
    let caption = Some(axis.field_label.as_str());
    let mut panels = vec![Panel {
        caption,
        values,
        curves: amounts.collect(),
    }];

    // Two editions are also compared: their difference, in the colour of the newer one.
    let difference = say!(lang, "Écart", "Difference");
    if let [(_, before), (name, after)] = editions.as_slice() {
        let [_, colour] = COLOURS;
        let points = differences(before, after);
        let curves = vec![Curve {
            name: name.clone(),
            points,
            colour,
            is_pale: false,
        }];
        panels.push(Panel {
            caption: Some(&difference),
            values,
            curves,
        });
    }

    // Rates of withholding mean something of a net income only: of another result, what is left of
    // the gross is unknown.
    let withheld = say!(
        lang,
        "Taux de prélèvement, en %",
        "Rate of withholding, in %"
    );
    if axis.is_net() {
        let curves = coloured().flat_map(|((name, points), colour)| {
            let effective = say!(lang, "{name}, taux effectif", "{name}, effective rate");
            let marginal = say!(lang, "{name}, taux marginal", "{name}, marginal rate");
            rates(points, [effective, marginal], [colour; 2])
        });
        panels.push(Panel {
            caption: Some(&withheld),
            values: Values::Rates,
            curves: curves.collect(),
        });
    }

    let chart = Chart {
        panels,
        amounts: Some(&axis.input_label),
        here: None,
        marks: Vec::new(),
        look: Look::STANDALONE,
    };
    chart.svg(lang.into())
}

/// The editions with the values of their points as people read them.
fn shown(axis: &Axis, editions: &[(String, Vec<Point>)]) -> Vec<(String, Vec<Point>)> {
    let point = |point: &Point| Point {
        amount: point.amount,
        value: axis.unit.shown(point.value),
    };
    editions
        .iter()
        .map(|(name, points)| (name.clone(), points.iter().map(point).collect()))
        .collect()
}

/// The second curve minus the first, at the amounts of both.
fn differences(before: &[Point], after: &[Point]) -> Vec<Point> {
    // The points of two editions may differ, as each has points at its own thresholds: only common
    // amounts are compared.
    let difference = |after: &Point| {
        let before = before.iter().find(|before| before.amount == after.amount)?;
        Some(Point {
            amount: after.amount,
            value: after.value.saturating_sub(before.value),
        })
    };
    after.iter().filter_map(difference).collect()
}
