//! The effect by groups, and how precise it is: tables, bars of few groups, curves of many.

use bareme_engine::run::curve::Point;
use bareme_show::bars::Bars;
use bareme_show::chart::{Chart, Colour, Curve, Look, Panel, Values};
use bareme_show::{Tone, say};
use rust_decimal::Decimal;

use super::super::compute::Group;
use super::super::replication::Replication;
use super::super::tally::Tally;
use super::super::{Impact, percent};
use crate::page::Page;

/// The most groups with a bar each: more could not be distinguished.
const BARS: usize = 25;

/// Colour of the curves.
const COLOUR: Colour = (0, 90, 160);

impl Impact<'_> {
    pub(super) fn show_groups(&self, page: &mut Page) {
        let lang = self.lang;
        let groupings = self.question.groupings.iter().zip(&self.found.groups);
        for (place, (grouping, groups)) in groupings.enumerate() {
            let name = self.grouping_name(grouping);
            page.heading(say!(lang, "Par {name}", "By {name}"));
            page.table(self.group_table(&name, place, grouping, groups));
            page.toned(
                say!(
                    lang,
                    "Avant et après : moyennes pondérées.",
                    "Before and after: weighted means."
                ),
                Tone::Dim,
            );

            if groups.len() > BARS {
                self.show_curves(page, &name, groups.iter());
            } else {
                let bars = groups.iter().map(|(group, tally)| {
                    (self.group_name(grouping, group), self.shown_gain(tally))
                });
                self.show_bars(page, &name, bars.collect());
            }
        }
    }

    /// The mean gain of a group, unchanged rows included, as people read it.
    fn shown_gain(&self, tally: &Tally) -> Decimal {
        let gain = self.units.mean(tally.gain(), tally.weight);
        self.quantity.unit.shown(gain.unwrap_or_default())
    }

    fn show_bars(&self, page: &mut Page, name: &str, bars: Vec<(String, Decimal)>) {
        let lang = self.lang;
        let caption = self
            .totals
            .titled_in_ones(&say!(lang, "Gain moyen", "Mean gain"));
        let drawing = Bars::of_one_series(&caption, name, bars).svg(self.locale());
        if let Some(svg) = drawing {
            let words = say!(lang, "Gain moyen par {name}.", "Mean gain by {name}.");
            page.drawing(svg, words);
        }
    }

    /// The curves of the mean gain, and of the gain in percent of the income, against the groups in
    /// their order: the centiles of an income.
    fn show_curves<'g>(
        &self,
        page: &mut Page,
        name: &str,
        groups: impl Iterator<Item = (&'g Group, &'g Tally)> + Clone,
    ) {
        let lang = self.lang;
        // Words have no place on an axis of numbers.
        let place = |group: &Group| match group {
            Group::Part(part) => Some(Decimal::from(*part)),
            Group::Number(number) => Some(*number),
            Group::Text(_) | Group::Empty => None,
        };
        let curve = |value: &dyn Fn(&Tally) -> Option<Decimal>| {
            let points = groups.clone().filter_map(|(group, tally)| {
                Some(Point {
                    amount: place(group)?,
                    value: value(tally)?,
                })
            });
            Curve {
                name: name.to_owned(),
                points: points.collect(),
                colour: COLOUR,
                is_pale: false,
            }
        };

        let gains = curve(&|tally| Some(self.shown_gain(tally)));
        let shares = curve(&|tally| self.units.gain_share(tally).map(percent));
        let caption = self
            .totals
            .titled_in_ones(&say!(lang, "Gain moyen", "Mean gain"));
        let caption_of_shares = say!(lang, "Gain, en % du revenu", "Gain, in % of the income");
        let with_shares = self.question.has_base() && !shares.points.is_empty();

        // A panel of rates shows those between -10 and 100 %, where shares of an income are not.
        let panel = |caption, curve| Panel {
            caption: Some(caption),
            values: Values::Amounts,
            curves: vec![curve],
        };
        let mut panels = vec![panel(caption.as_str(), gains)];
        if with_shares {
            panels.push(panel(caption_of_shares.as_str(), shares));
        }

        let chart = Chart {
            panels,
            amounts: Some(name),
            here: None,
            marks: Vec::new(),
            look: Look::STANDALONE,
        };
        if let Some(svg) = chart.svg(self.locale()) {
            let words = say!(lang, "Gain moyen par {name}.", "Mean gain by {name}.");
            page.drawing(svg, words);
        }
    }

    /// The gain over the income, and the standard error of the cost.
    pub(super) fn show_precision(&self, page: &mut Page) {
        let lang = self.lang;
        let share = self.units.gain_share(&self.found.tally);
        if let Some(share) = share.filter(|_| self.question.named_income.is_some()) {
            let share = self.locale().signed(percent(share), 2);
            page.text(say!(
                lang,
                "Gain rapporté au revenu : {share} %.",
                "Gain over the income: {share} %."
            ));
        }

        let Some(errors) = self.errors_of_all() else {
            return;
        };
        let error = match self.quantity.adds_up() {
            true => errors.difference.map(|error| self.totals.value(error)),
            false => errors
                .mean_difference
                .map(|error| self.quantity.value(error)),
        };
        let error = error.unwrap_or_else(|| "–".to_owned());

        let count = self.question.replication.count();
        let by = match &self.question.replication {
            Replication::Bootstrap { seed, .. } => say!(
                lang,
                "{count} tirages des lignes avec remise, graine {seed}",
                "{count} draws of the rows with replacement, seed {seed}"
            ),
            _ => say!(
                lang,
                "{count} jeux de poids répliqués",
                "{count} sets of replicate weights"
            ),
        };
        page.text(say!(
            lang,
            "Erreur type de l’écart : {error} ({by}).",
            "Standard error of the difference: {error} ({by})."
        ));
    }
}
