//! The tables of an impact.

use std::collections::BTreeMap;

use bareme_engine::law::Role;
use bareme_show::{Cell, Table, Tone, say};
use rust_decimal::Decimal;

use crate::target::words;

use super::compute::{Group, Grouping};
use super::distribution::Slice;
use super::extremes::Extreme;
use super::scale::Units;
use super::tally::Tally;
use super::{Impact, PARTS, percent};

impl Impact<'_> {
    fn tone(gain: Decimal) -> Tone {
        match (gain.is_zero(), gain.is_sign_negative()) {
            (true, _) => Tone::Dim,
            (false, true) => Tone::Bad,
            (false, false) => Tone::Good,
        }
    }

    fn percent_cell(&self, share: Option<Decimal>) -> Cell {
        // A share of nothing is a dash, not 0 %.
        share.map_or_else(
            || "–".into(),
            |share| format!("{} %", self.locale().number(percent(share))).into(),
        )
    }

    fn amount_cell(&self, value: Option<Decimal>) -> Cell {
        let Some(value) = value else {
            return "–".into();
        };
        Cell::toned(self.quantity.signed(value), Self::tone(value))
    }

    /// The cell of a sum over rows, of a field that adds up.
    fn total_cell(&self, gain: i128) -> Option<Cell> {
        self.quantity.adds_up().then(|| {
            let total = self.units.total(gain);
            Cell::toned(self.totals.signed(total), Self::tone(total))
        })
    }

    /// The title of a column of sums, with their unit where one was chosen.
    fn sum_title(&self, title: String) -> String {
        match self.totals.word() {
            None => title,
            Some(_) => self.totals.titled(&title),
        }
    }

    /// The unit of the counts: weights, or rows.
    fn units_title(&self) -> String {
        match self.question.weight {
            Some(_) => say!(self.lang, "Nombre pondéré", "Weighted number"),
            None => say!(self.lang, "Lignes", "Rows"),
        }
    }

    pub(super) fn parts_table(&self) -> Table {
        let (lang, tally, units) = (self.lang, &self.found.tally, self.units);

        let mut table = Table::default()
            .text("")
            .number(self.units_title())
            .number(say!(lang, "Part", "Share"));

        // A total column is there only for a field whose sum over people means something.
        if self.quantity.adds_up() {
            let title = say!(lang, "Gain ou perte en tout", "Gain or loss in all");
            table = table.number(self.sum_title(title));
        }
        table = table
            .number(say!(lang, "Moyenne", "Mean"))
            .number(say!(lang, "Médiane", "Median"));

        // The titles are in the order of `Tally::parts`.
        let titles = [
            say!(lang, "Gagnants", "Winners"),
            say!(lang, "Perdants", "Losers"),
            say!(lang, "Sans changement", "Unchanged"),
        ];

        for (title, (name, part)) in titles.into_iter().zip(tally.parts()) {
            let counts: [Cell; 3] = [
                title.into(),
                self.locale().number(units.weight(part.weight)).into(),
                self.percent_cell(Units::share(part.weight, tally.weight)),
            ];

            let gains = [
                self.amount_cell(units.mean(part.gain, part.weight)),
                self.amount_cell(self.median(name).map(|gain| units.amount(gain))),
            ];

            table.row(
                counts
                    .into_iter()
                    .chain(self.total_cell(part.gain))
                    .chain(gains),
            );
        }
        table
    }

    /// The name of a grouping: `décile de revenu`, or that of the column.
    pub(super) fn grouping_name(&self, grouping: &Grouping) -> String {
        let column = self.question.sample.schema.fields().get(grouping.column);

        let column = column
            .map(|field| field.name().as_str())
            .unwrap_or_default();

        match (&grouping.bounds, grouping.name.as_str()) {
            (None, name) => name.to_owned(),
            (Some(_), "decile") => say!(self.lang, "décile de {column}", "decile of {column}"),
            (Some(_), word) => say!(self.lang, "{word} de {column}", "{word} of {column}"),
        }
    }

    /// The name of a group; for a quantile group with its least value.
    pub(super) fn group_name(&self, grouping: &Grouping, group: &Group) -> String {
        match group {
            Group::Number(number) => self.locale().number(*number),
            Group::Text(text) => self
                .word_label(grouping, text)
                .unwrap_or_else(|| text.clone()),
            Group::Empty => say!(self.lang, "(vide)", "(empty)"),
            Group::Part(part) => {
                let all = PARTS
                    .iter()
                    .find(|(word, _)| *word == grouping.name)
                    .map_or(0, |(_, parts)| *parts);
                format!("{part}/{all}")
            }
        }
    }

    /// The label of a word, where the column is a choice input.
    fn word_label(&self, grouping: &Grouping, word: &str) -> Option<String> {
        let side = self.question.after;
        let (_, name) = side
            .columns
            .iter()
            .find(|(column, _)| *column == grouping.column)?;

        let input = side
            .edition
            .method()
            .inputs()
            .iter()
            .find(|input| input.name == *name)?;

        // A file may write a word in another form than the method: both are read as the same value.
        let value = input.parse(word).ok()?;
        let word = input.sent_text(&value);
        input
            .values
            .iter()
            .find(|(value, _)| *value == word)
            .map(|(_, label)| label.clone())
    }

    pub(super) fn group_table(
        &self,
        name: &str,
        place: usize,
        grouping: &Grouping,
        groups: &BTreeMap<Group, Tally>,
    ) -> Table {
        let (lang, units) = (self.lang, self.units);
        let has_errors = !self.replicates.is_empty();

        let mut table = Table::default()
            .text(name)
            .number(say!(lang, "Avant", "Before"))
            .number(say!(lang, "Après", "After"))
            .number(say!(lang, "Gain moyen", "Mean gain"));

        if has_errors {
            table = table.number(say!(lang, "Erreur type", "Standard error"));
        }
        if self.question.named_income.is_some() {
            table = table.number(say!(lang, "Gain, % du revenu", "Gain, % of income"));
        }
        if self.quantity.adds_up() {
            table = table.number(self.sum_title(say!(lang, "Gain en tout", "Gain in all")));
        }
        table = table
            .number(say!(lang, "Gagnants", "Winners"))
            .number(say!(lang, "Perdants", "Losers"));

        // A quantile group is shown with its least value; the first one has none.
        let from = |group: &Group| {
            let Group::Part(part) = group else {
                return String::new();
            };
            let bound = part
                .checked_sub(2)
                .and_then(|index| grouping.bounds.as_ref()?.get(index));

            let decimals = self.question.sample.decimals(grouping.column);
            // A group that no row is in has a bound above every value.
            let bound = bound
                .filter(|bound| **bound != i64::MAX)
                .map(|bound| Decimal::new(*bound, decimals));
            let bound = bound.map(|bound| self.locale().number(bound.normalize()));
            bound
                .map(|bound| say!(lang, ", dès {bound}", ", from {bound}"))
                .unwrap_or_default()
        };

        for (group, tally) in groups {
            // The gain of a group is the sum over its winners and losers, whose signs differ.
            let gain = tally.gain();
            let mean = |sum| {
                units
                    .mean(sum, tally.weight)
                    .map(|mean| self.quantity.cell(mean))
            };

            let means: [Cell; 4] = [
                format!("{}{}", self.group_name(grouping, group), from(group)).into(),
                mean(tally.before).unwrap_or_default().into(),
                mean(tally.after).unwrap_or_default().into(),
                self.amount_cell(units.mean(gain, tally.weight)),
            ];

            let error = has_errors.then(|| {
                let errors = self.errors_of(place, group, tally);
                let error = errors.and_then(|errors| errors.mean_difference);
                let error = error.map(|error| self.quantity.cell(error));
                Cell::from(error.unwrap_or_else(|| "–".to_owned()))
            });
            let of_income = self.question.named_income.is_some();
            let of_income = of_income.then(|| self.percent_cell(units.gain_share(tally)));

            let shares = [tally.winners.weight, tally.losers.weight];
            let shares = shares.map(|weight| self.percent_cell(Units::share(weight, tally.weight)));
            let others = error.into_iter().chain(of_income);
            let others = others.chain(self.total_cell(gain)).chain(shares);
            table.row(means.into_iter().chain(others));
        }
        table
    }

    /// The distribution of the gains, with its bars.
    pub(super) fn distribution_table(&self) -> (Table, Vec<(String, Decimal)>) {
        let (lang, units) = (self.lang, self.units);
        let mut table = Table::default()
            .text(say!(lang, "Gain ou perte", "Gain or loss"))
            .number(self.units_title())
            .number(say!(lang, "Part", "Share"));

        let mut bars = Vec::new();
        for slice in self.distribution() {
            let name = self.slice_name(&slice);
            let share = Units::share(slice.weight, self.found.tally.weight);
            let weight = self.locale().number(units.weight(slice.weight));

            table.row([
                name.as_str().into(),
                weight.into(),
                self.percent_cell(share),
            ]);
            // The bars repeat the table, in its order.
            bars.push((name, percent(share.unwrap_or_default())));
        }
        (table, bars)
    }

    fn slice_name(&self, slice: &Slice) -> String {
        let lang = self.lang;
        // The bounds are numbers as people read them: points of a rate.
        let unit = if self.quantity.unit.is_share() {
            say!(lang, " pt", " pt")
        } else {
            String::new()
        };

        let number = |value: Decimal| {
            let signed = self
                .locale()
                .signed(value, if value.fract().is_zero() { 0 } else { 2 });
            format!("{signed}{unit}")
        };

        // No change has both bounds at 0; the ranges at the ends have one bound.
        match (slice.from, slice.to) {
            (Some(from), Some(to)) if from == to => say!(lang, "aucun", "none"),
            (Some(from), Some(to)) => {
                let (from, to) = (number(from), number(to));
                say!(lang, "{from} à {to}", "{from} to {to}")
            }
            (None, Some(to)) => {
                let to = number(to);
                say!(lang, "sous {to}", "below {to}")
            }
            (Some(from), None) => {
                let from = number(from);
                say!(lang, "dès {from}", "from {from}")
            }
            (None, None) => String::new(),
        }
    }

    /// Rates, inequality and poverty before and after; `None` where the sample has no income.
    pub(super) fn rates_table(&self) -> Option<Table> {
        let (lang, tally, is_net) = (
            self.lang,
            &self.found.tally,
            self.question.role == Role::Net,
        );
        // Without an income column there are neither rates nor inequality.
        let inequality = self.inequality.as_ref()?;

        let mut table = Table::default()
            .text("")
            .number(say!(lang, "Avant", "Before"))
            .number(say!(lang, "Après", "After"))
            .number(say!(lang, "Écart", "Change"));

        let mut put = |title: String, pair: Option<[Decimal; 2]>, is_share: bool| {
            let Some([before, after]) = pair else { return };
            let (before, after) = if is_share {
                (percent(before), percent(after))
            } else {
                (before, after)
            };

            let unit = if is_share { " %" } else { "" };
            let shown =
                |value: Decimal| Cell::from(format!("{}{unit}", self.locale().number(value)));

            // The change of a rate is in points, with the decimals that it has.
            let change = self.locale().signed(after.saturating_sub(before), 4);
            let change = change
                .trim_end_matches('0')
                .trim_end_matches([',', '.'])
                .to_owned();

            let unit = if is_share {
                say!(lang, " pt", " pt")
            } else {
                String::new()
            };

            table.row([
                title.into(),
                shown(before),
                shown(after),
                format!("{change}{unit}").into(),
            ]);
        };

        put(
            say!(lang, "Taux effectif", "Effective rate"),
            self.units.effective_rates(tally, is_net),
            true,
        );
        put(
            say!(lang, "Taux marginal moyen", "Mean marginal rate"),
            self.units.marginal_rates(tally, is_net),
            true,
        );

        put(
            say!(lang, "Indice de Gini", "Gini coefficient"),
            inequality.gini,
            false,
        );

        if let Some((line, poverty)) = &inequality.poverty {
            let line = self.quantity.value(*line);
            put(
                say!(lang, "Part sous {line}", "Share below {line}"),
                Some(*poverty),
                true,
            );
        }
        Some(table)
    }

    pub(super) fn extremes_table<'e>(&self, list: impl Iterator<Item = &'e Extreme>) -> Table {
        let (lang, units) = (self.lang, self.units);

        let mut table = Table::default()
            .number(say!(lang, "Ligne", "Row"))
            .text(say!(lang, "Données", "Inputs"))
            .number(say!(lang, "Avant", "Before"))
            .number(say!(lang, "Après", "After"))
            .number(say!(lang, "Gain ou perte", "Gain or loss"));

        for row in list {
            // What was sent differs between the sides only with columns of their own.
            let [before, after] = &row.queries;
            let sent = if before == after {
                words(after)
            } else {
                format!("{} → {}", words(before), words(after))
            };

            // Amounts are those of the row alone, without its weight.
            let amount = |value| Cell::from(self.quantity.cell(units.amount(value)));
            table.row([
                self.locale().number(row.number.into()).into(),
                sent.into(),
                amount(row.before),
                amount(row.after),
                self.amount_cell(Some(units.amount(row.gain))),
            ]);
        }
        table
    }
}
