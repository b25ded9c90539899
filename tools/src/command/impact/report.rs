//! The report of an impact for decision-makers: cost, winners and losers, changed figures with
//! their articles, and notes on how to read the numbers.

mod extremes;
mod groups;

use bareme_show::bars::Bars;
use bareme_show::{Cell, Locale, Table, Tone, say};
use rust_decimal::Decimal;

use crate::page::Page;

use super::sides::Side;
use super::{Impact, percent};

/// Number of reasons of refusals shown.
const REASONS: usize = 10;
impl Impact<'_> {
    pub(super) fn page(&self) -> Page {
        let (lang, title) = (self.lang, self.question.after.folder.title());
        let [from, to] = self.dates();
        let mut page = Page::titled(say!(
            lang,
            "{title} : effet de la réforme, du {from} au {to}",
            "{title}: effect of the reform, from {from} to {to}"
        ));
        // The order is that of a reader who decides: the cost first, the reasons last.
        self.show_cost(&mut page);
        self.show_winners(&mut page);
        self.show_groups(&mut page);
        self.show_distribution(&mut page);
        self.show_rates_and_inequality(&mut page);
        self.show_changed(&mut page);
        self.moved.show(&mut page, lang);
        self.show_extremes(&mut page);
        self.show_reading(&mut page);
        page
    }

    /// The two scales by their first days, and the days asked for where these are others; if they
    /// are equal, with the versions of the rules.
    pub(super) fn dates(&self) -> [String; 2] {
        let sides = [self.question.before, self.question.after];

        let named = |side: &Side| {
            let (day, start) = (
                side.day,
                side.edition.scale().map_or(side.day, |scale| scale.date),
            );
            match day == start {
                true => start.to_string(),
                false => say!(
                    self.lang,
                    "{start} (calcul au {day})",
                    "{start} (computed on {day})"
                ),
            }
        };

        let [before, after] = sides.map(named);
        if before != after {
            return [before, after];
        }
        // Two sets of rules on one day differ by their versions.
        sides.map(|side| {
            format!(
                "{} ({})",
                named(side),
                side.folder.version().get(..8).unwrap_or_default()
            )
        })
    }

    pub(super) fn locale(&self) -> Locale {
        Locale::from(self.lang)
    }

    /// A weighted mean of the field over all rows.
    fn mean(&self, sum: i128) -> Decimal {
        self.units
            .mean(sum, self.found.tally.weight)
            .unwrap_or_default()
    }

    fn show_cost(&self, page: &mut Page) {
        let (lang, tally) = (self.lang, &self.found.tally);

        let label = &self.field_label;
        // A sum over people is the first number to read; of a rate or a count it is the mean.
        if self.quantity.adds_up() {
            let change = self.totals.change(self.units.total(tally.difference()));
            page.toned(
                say!(lang, "{label} : {change}", "{label}: {change}"),
                Tone::Main,
            );
            self.show_totals(page);
        } else {
            let change = self.quantity.change(self.mean(tally.difference()));
            page.toned(
                say!(
                    lang,
                    "{label} : {change} en moyenne",
                    "{label}: {change} on average"
                ),
                Tone::Main,
            );
            let [before, after] =
                [tally.before, tally.after].map(|sum| self.quantity.value(self.mean(sum)));
            page.text(say!(
                lang,
                "Moyenne avant : {before}. Moyenne après : {after}.",
                "Mean before: {before}. Mean after: {after}."
            ));
        }

        self.show_precision(page);

        // Rows and weights are both shown: a weight that is far from a population is a mistake of
        // the sample.
        let rows = self.locale().number(Decimal::from(tally.rows));
        page.text(match self.question.weight {
            Some(_) => {
                let weight = self.locale().number(self.units.weight(tally.weight));
                say!(
                    lang,
                    "{rows} lignes calculées, soit {weight} une fois pondérées.",
                    "{rows} rows computed, or {weight} by their weights."
                )
            }
            None => say!(
                lang,
                "{rows} lignes calculées, sans poids.",
                "{rows} rows computed, without weights."
            ),
        });

        self.show_refused(page);
    }

    fn show_totals(&self, page: &mut Page) {
        let tally = &self.found.tally;
        // Without a total before there is no share of it.
        let share = super::statistics::ratio(tally.difference(), tally.before).map(percent);
        let Some(share) = share.map(|share| self.locale().signed(share, 2)) else {
            return;
        };

        // Both totals are shown, since a share of a small total misleads.
        let total = |sum| self.totals.value(self.units.total(sum));
        let (before, after) = (total(tally.before), total(tally.after));

        page.text(say!(
            self.lang,
            "Total avant : {before}. Total après : {after}, soit {share} %.",
            "Total before: {before}. Total after: {after}, or {share} %."
        ));
    }

    fn show_refused(&self, page: &mut Page) {
        let (lang, refused) = (self.lang, self.found.refused);

        if refused == 0 {
            return;
        }

        // A refused row is in no sum: without this line, the totals would seem to cover the whole
        // file.
        let (refused, all) = (
            self.locale().number(refused.into()),
            self.locale().number(self.found.rows.into()),
        );
        page.toned(
            say!(
                lang,
                "{refused} lignes sur {all} sont refusées et ne comptent dans aucun chiffre :",
                "{refused} rows out of {all} are refused and count in no number:"
            ),
            Tone::Warning,
        );

        let mut reasons: Vec<_> = self.found.reasons.values().collect();
        // The most frequent reason is the one to fix first.
        reasons.sort_by_key(|why| std::cmp::Reverse(why.rows));

        let line = |why: &&super::compute::RefusedRows| {
            let (rows, first, message) = (
                self.locale().number(why.rows.into()),
                why.first,
                &why.message,
            );
            say!(
                lang,
                "{rows}, dont la ligne {first} : {message}",
                "{rows}, among them row {first}: {message}"
            )
        };

        page.list(reasons.iter().take(REASONS).map(line).collect());
    }

    fn show_winners(&self, page: &mut Page) {
        let lang = self.lang;
        page.heading(say!(lang, "Gagnants et perdants", "Winners and losers"));
        page.table(self.parts_table());

        let label = &self.field_label;
        // Each kind of field has its own sentence, since "to gain" of a tax is to pay less.
        let gain = match (self.question.role.gains_by_more(), self.quantity.adds_up()) {
            (true, true) => {
                say!(
                    lang,
                    "Gagner, c’est ici avoir plus de « {label} ».",
                    "To gain means here more of \"{label}\"."
                )
            }
            (false, true) => {
                say!(
                    lang,
                    "Gagner, c’est ici payer moins de « {label} ».",
                    "To gain means here less of \"{label}\"."
                )
            }
            (true, false) => {
                say!(
                    lang,
                    "Gagner, c’est ici une hausse de « {label} ».",
                    "To gain means here a higher \"{label}\"."
                )
            }
            (false, false) => {
                say!(
                    lang,
                    "Gagner, c’est ici une baisse de « {label} ».",
                    "To gain means here a lower \"{label}\"."
                )
            }
        };

        page.toned(
            say!(
                lang,
                "{gain} Parts du poids des lignes calculées.",
                "{gain} Shares of the weight of the rows computed."
            ),
            Tone::Dim,
        );
    }

    fn show_distribution(&self, page: &mut Page) {
        let lang = self.lang;
        let (table, bars) = self.distribution_table();

        page.heading(say!(
            lang,
            "Répartition des gains et des pertes",
            "Distribution of gains and losses"
        ));

        page.table(table);
        let caption = say!(lang, "Part du poids, en %", "Share of the weight, in %");
        let groups = say!(lang, "Gain ou perte", "Gain or loss");
        if let Some(svg) = Bars::of_one_series(&caption, &groups, bars).svg(self.locale()) {
            page.drawing(
                svg,
                say!(
                    lang,
                    "Part du poids par gain ou perte.",
                    "Share of the weight by gain or loss."
                ),
            );
        }
    }

    fn show_rates_and_inequality(&self, page: &mut Page) {
        let lang = self.lang;

        let Some(table) = self.rates_table() else {
            return;
        };
        page.heading(say!(lang, "Taux et inégalités", "Rates and inequality"));
        page.table(table);

        let (income, raised) = (&self.income_label, &self.raised_label);
        let left = self.left_in_words();
        page.toned(
            say!(
                lang,
                "Taux effectif : total rapporté à celui de « {income} ». Taux marginal : moyenne \
                 pondérée de ce que prendraient 100 de plus de « {raised} ». Gini et pauvreté : de \
                 ce qui reste à chaque ligne de « {income} », {left}.",
                "Effective rate: the total over that of \"{income}\". Marginal rate: weighted \
                 mean of what would be taken of 100 more of \"{raised}\". Gini and poverty: of \
                 what each row has left of \"{income}\", {left}."
            ),
            Tone::Dim,
        );
    }

    /// How what is left of an income depends on the size of the household.
    fn left_in_words(&self) -> String {
        let lang = self.lang;
        let column = self
            .question
            .consumption
            .and_then(|column| self.question.sample.schema.fields().get(column));

        match column.map(|field| field.name()) {
            Some(column) => say!(
                lang,
                "par unité de consommation (`{column}`), au centime près",
                "for each consumption unit (`{column}`), to the cent"
            ),
            None => say!(
                lang,
                "sans correction de la taille du ménage",
                "without regard to the size of the household"
            ),
        }
    }

    fn show_changed(&self, page: &mut Page) {
        let lang = self.lang;
        page.heading(say!(
            lang,
            "Ce qui change dans la loi",
            "What changes in the law"
        ));

        // Two sets of rules may differ by their formulas only.
        if self.changed.is_empty() {
            page.text(say!(lang, "Aucun chiffre ne change.", "No figure changes."));
            return;
        }

        let mut table = Table::default()
            .text(say!(lang, "Chiffre", "Figure"))
            .number(say!(lang, "Avant", "Before"))
            .number(say!(lang, "Après", "After"))
            .number(say!(lang, "Écart", "Change"))
            .text(say!(lang, "Texte", "Text of the law"));

        for changed in &self.changed {
            let shown = |value: &Option<String>| {
                Cell::from(value.clone().unwrap_or_else(|| "–".to_owned()))
            };
            let line = &changed.line;
            table.row([
                line.label.as_str().into(),
                shown(&line.old),
                shown(&line.new),
                Cell::toned(&line.change, Tone::Strong),
                changed.texts.as_str().into(),
            ]);
        }

        page.table(table);
    }

    /// Adds notes on how to read the numbers.
    fn show_reading(&self, page: &mut Page) {
        let lang = self.lang;
        let (before, after) = (self.question.before, self.question.after);
        page.heading(say!(lang, "Lecture", "How to read this"));
        // Defaults are listed by side, since a reform may add an input.
        for side in [before, after] {
            let mut lines = side.defaulted.clone();
            if lines.is_empty() {
                continue;
            }
            lines.sort();

            let (day, names) = (side.day, lines.join(", "));
            page.toned(
                say!(
                    lang,
                    "Au {day}, sans colonne dans le fichier, ces données ont leur valeur par \
                     défaut : {names}.",
                    "On {day} these inputs have no column in the file and take their defaults: \
                     {names}."
                ),
                Tone::Dim,
            );
        }

        // A column that nothing reads is often a misspelt parameter.
        if !self.unused.is_empty() {
            let names = self.unused.join(", ");
            page.toned(
                say!(
                    lang,
                    "Colonnes du fichier que le calcul ne lit pas : {names}.",
                    "Columns of the file that nothing reads: {names}."
                ),
                Tone::Warning,
            );
        }

        page.toned(
            say!(
                lang,
                "Effet mécanique de la loi sur l’échantillon donné : sans changement de \
                 comportement ni de population.",
                "Mechanical effect of the law on the given sample: behaviour and population stay \
                 the same."
            ),
            Tone::Dim,
        );

        for side in [before, after] {
            page.toned(side.edition.citation(), Tone::Dim);
        }
    }
}
