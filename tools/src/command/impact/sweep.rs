//! A sweep: the cost of a reform for several values of one of its figures.

use bareme_engine::FileSet;
use bareme_engine::run::curve::Point;
use bareme_engine::service::Rules;
use bareme_engine::text::Lang;
use bareme_show::chart::{Chart, Curve, Look, Panel, Values as Shown};
use bareme_show::curve::Axis;
use bareme_show::{Cell, Locale, Table, Tone, say};
use jiff::civil::Date;
use rayon::prelude::*;
use rust_decimal::Decimal;
use serde_json::{Map, Value, json};

use crate::format::json_number;
use crate::hypothesis::{Hypothesis, find_cell};
use crate::page::Page;
use crate::progress::Progress;
use crate::quantity::Quantity;
use crate::series::Series;
use crate::session::{Failure, Outcome, Session};
use crate::user_input::number;

use super::compute::{Question, too_great};
use super::money::Totals;
use super::scale::Units;
use super::sides::{Side, Terms};
use super::tally::{Part, Tally};

/// Greatest number of values to try.
pub(super) const MOST: usize = 200;

/// A figure, with the values to try.
pub(super) struct Sweep {
    pub figure: String,
    pub values: Vec<Decimal>,
    /// The value in the file.
    pub written: String,
    /// The day of the scale.
    date: Date,
}

/// The files and the terms of which rules with other values of figures are made.
pub(super) struct Variants<'v> {
    pub files: &'v FileSet,
    /// The side after.
    pub terms: &'v Terms<'v>,
    pub axis: &'v Axis<'v>,
}

/// Computes the sample for each value of a figure of some rule files, reading every batch once.
pub(super) fn run(
    asked: &str,
    question: &Question,
    variants: &Variants,
    totals: &Totals,
    session: &Session,
) -> Result<Outcome, Failure> {
    // 1. The figure, in the dated file of the scale after.
    let sweep = Sweep::read(asked, question.after, variants.files, session)?;

    // 2. The rules with each value, and all of them in one pass over the sample.
    let choices: Vec<Vec<Choice>> = sweep.choices().map(|choice| vec![choice]).collect();
    let tallies = variants.tallies(&choices, question, session)?;

    let points: Vec<_> = sweep.values.iter().copied().zip(tallies).collect();
    Ok(sweep.outcome(question, variants.axis, &points, totals, session))
}

impl Variants<'_> {
    /// The sums for each choice of values, reading every batch once.
    pub(super) fn tallies(
        &self,
        choices: &[Vec<Choice>],
        question: &Question,
        session: &Session,
    ) -> Result<Vec<Tally>, Failure> {
        // The files are changed in memory, and checked like any other.
        let rules = choices.iter().map(|choice| self.rules(choice, session));
        let rules: Vec<Rules> = rules.collect::<Result<_, Failure>>()?;

        // A variant is a side of its own: its plan is compiled with the changed figures.
        let sides = rules.iter().map(|rules| {
            let terms = Terms {
                rules,
                ..*self.terms
            };
            Side::new(&terms, self.axis, question.sample, session)
        });
        let sides: Vec<Side> = sides.collect::<Result<_, Failure>>()?;
        tallies(question, &sides, session)
    }

    /// The rules with other values of some figures.
    fn rules(&self, choice: &[Choice], session: &Session) -> Result<Rules, Failure> {
        let figures: Vec<(String, String)> = choice
            .iter()
            .map(|choice| (choice.figure.to_owned(), choice.text()))
            .collect();
        let date = choice.first().map(|choice| choice.date);
        let date = date.unwrap_or(self.terms.day);

        let hypothesis = Hypothesis {
            figures: &figures,
            folder: Some(self.terms.path),
            since: date,
            until: Some(date),
            drafts: session.drafts,
            lang: session.lang,
        };

        let loaded = hypothesis.load(self.files, self.terms.rules, &[self.terms.path]);
        loaded.map(|set| set.rules).map_err(|error| {
            let first = error.mistakes.first();
            let first = first.map(|first| first.message(session.lang));
            let why = first.unwrap_or(error.message);
            let values = figures
                .iter()
                .map(|(figure, value)| format!("{figure}={value}"))
                .collect::<Vec<_>>()
                .join(", ");
            Failure::wrong(say!(
                session.lang,
                "`{values}` n’est pas une valeur possible : {why}",
                "`{values}` is not a possible value: {why}"
            ))
        })
    }
}

/// A value of a figure.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice<'s> {
    figure: &'s str,
    value: Decimal,
    /// Whether the file writes it in percent.
    is_percent: bool,
    date: Date,
}

impl Choice<'_> {
    /// The value as a rule file writes it.
    fn text(&self) -> String {
        let percent = if self.is_percent { "%" } else { "" };
        format!("{}{percent}", self.value)
    }
}

/// The sums for each variant; a row that one of them refuses counts for none.
fn tallies(question: &Question, sides: &[Side], session: &Session) -> Result<Vec<Tally>, Failure> {
    let mut found = vec![Tally::default(); sides.len()];

    let progress = Progress::new(question.sample.rows(), session);

    for batch in question.sample.batches()? {
        let batch = batch?;
        let before = question.before.evaluate(&batch)?;
        // Weights are read once a batch, not once a variant.
        let weights = question.weights(&batch)?;
        // The scale before is computed once for all variants.
        let after = sides
            .par_iter()
            .map(|side| side.evaluate(&batch))
            .collect::<Result<Vec<_>, _>>()?;

        for row in 0..batch.num_rows() {
            let weight = weights.get(row).copied().flatten();
            // A row counts for all variants or for none, so that their sums are comparable.
            let values: Option<Vec<i128>> = after
                .iter()
                .map(|answers| question.value(answers, row))
                .collect();

            let (Some(before), Some(weight), Some(values)) =
                (question.value(&before, row), weight, values)
            else {
                continue;
            };

            for (tally, after) in found.iter_mut().zip(values) {
                tally
                    .take(&question.row(weight, before, after))
                    .map_err(|error| too_great(error, session))?;
            }
        }
        progress.add(batch.num_rows());
    }

    progress.finish();
    if found.iter().all(|tally| tally.rows == 0) {
        return Err(Failure::wrong(say!(
            session.lang,
            "Aucune ligne n’est calculée.",
            "No row is computed."
        )));
    }
    Ok(found)
}

impl Sweep {
    /// Parses `figure=from..to:step`.
    pub(super) fn read(
        asked: &str,
        side: &Side,
        files: &FileSet,
        session: &Session,
    ) -> Result<Self, Failure> {
        let lang = session.lang;

        let wrong = || {
            Failure::unusable(say!(
                lang,
                "`--figure {asked}` : écrire `chiffre=de..à:pas`, comme `bareme[1].up_to=11 \
                 600..12 000:50`.",
                "`--figure {asked}`: write `figure=from..to:step`, like `bareme[1].up_to=11 \
                 600..12 000:50`."
            ))
        };

        // The percent sign of a rate is that of the figure in the file, whatever is typed.
        let number =
            |text: &str| number(text.trim().trim_end_matches('%'), session)?.ok_or_else(wrong);

        let (name, range) = asked.split_once('=').ok_or_else(wrong)?;
        let (ends, step) = range.split_once(':').ok_or_else(wrong)?;
        let (from, to) = ends.split_once("..").ok_or_else(wrong)?;
        let (from, to, step) = (number(from)?, number(to)?, number(step)?);
        // A step of 0 would never arrive.
        if step <= Decimal::ZERO {
            return Err(wrong());
        }

        let name = name.trim();
        let series = Series::loaded(files, side.folder);
        let date = side.edition.scale().map(|scale| scale.date);
        let date = date.unwrap_or_default();

        let file = series
            .on(date)
            .ok_or_else(|| Failure::unusable(format!("{date}.yaml ?")))?;
        let cell = find_cell(&series, file, name, lang)
            .map_err(|error| Failure::unusable(error.message))?;
        let written = cell.text.map(|text| text.value.clone());

        // The values stop one beyond the limit, which is enough to reject the range.
        let mut values = Vec::new();
        let mut value = from;
        while value <= to && values.len() <= MOST {
            values.push(value.normalize());
            value = value.checked_add(step).ok_or_else(wrong)?;
        }

        if values.is_empty() || values.len() > MOST {
            return Err(Failure::unusable(say!(
                lang,
                "`--figure {asked}` : de 1 à {MOST} valeurs.",
                "`--figure {asked}`: 1 to {MOST} values."
            )));
        }

        Ok(Self {
            figure: name.to_owned(),
            values,
            written: written.unwrap_or_default(),
            date,
        })
    }

    /// Its values, as choices.
    pub(super) fn choices(&self) -> impl Iterator<Item = Choice<'_>> + Clone {
        let is_percent = self.written.trim_end().ends_with('%');
        self.values.iter().map(move |value| Choice {
            figure: &self.figure,
            value: *value,
            is_percent,
            date: self.date,
        })
    }

    /// The head of the table of values.
    fn empty_table(&self, quantity: &Quantity, totals: &Totals, lang: Lang) -> Table {
        Table::default()
            .number(&self.figure)
            .number(totals.titled(&if quantity.adds_up() {
                say!(lang, "Total", "Total")
            } else {
                say!(lang, "Moyenne", "Mean")
            }))
            .number(totals.titled(&say!(lang, "Écart", "Difference")))
            .number(say!(lang, "Gagnants", "Winners"))
            .number(say!(lang, "Perdants", "Losers"))
    }

    /// The curve of the values of the figure against the difference of the field.
    fn drawing(
        &self,
        axis: &Axis,
        points: Vec<Point>,
        caption: &str,
        locale: Locale,
    ) -> Option<String> {
        let curve = Curve {
            name: self.figure.clone(),
            points,
            colour: (0, 90, 160),
            is_pale: false,
        };
        let values = if axis.unit.is_share() {
            Shown::Rates
        } else {
            Shown::Amounts
        };
        let panels = vec![Panel {
            caption: Some(caption),
            values,
            curves: vec![curve],
        }];

        let look = Look {
            size: (900, 420),
            ..Look::STANDALONE
        };
        let chart = Chart {
            panels,
            amounts: Some(&self.figure),
            here: None,
            marks: Vec::new(),
            look,
        };
        chart.svg(locale)
    }

    fn outcome(
        &self,
        question: &Question,
        axis: &Axis,
        tallies: &[(Decimal, Tally)],
        totals: &Totals,
        session: &Session,
    ) -> Outcome {
        let (lang, locale) = (session.lang, Locale::from(session.lang));
        // Decimals and units are those of the question, so that values compare with `bareme
        // impact`.
        let (units, quantity) = (question.units(), question.quantity());

        // Of a rate or a count, the mean: a sum over people means nothing.
        let sum = |tally: &Tally, sum| match quantity.adds_up() {
            true => units.total(sum),
            false => units.mean(sum, tally.weight).unwrap_or_default(),
        };

        let (figure, written, field) = (&self.figure, &self.written, &axis.field_label);
        let title = question.after.folder.title();
        let mut page = Page::titled(say!(
            lang,
            "{title} : {field} selon `{figure}`",
            "{title}: {field} by `{figure}`"
        ));
        page.text(say!(
            lang,
            "Dans le fichier, `{figure}` vaut {written}. Chaque valeur est comparée au barème \
             d’avant.",
            "In the file `{figure}` is {written}. Each value is compared with the scale before."
        ));

        let mut table = self.empty_table(&quantity, totals, lang);
        for (value, tally) in tallies {
            let share = |weight| {
                Units::share(weight, tally.weight)
                    .map(super::percent)
                    .unwrap_or_default()
            };

            let share = |weight| Cell::from(format!("{} %", locale.number(share(weight))));
            table.row([
                locale.number(*value).into(),
                totals.cell(sum(tally, tally.after)).into(),
                Cell::toned(totals.signed(sum(tally, tally.difference())), Tone::Strong),
                share(tally.winners.weight),
                share(tally.losers.weight),
            ]);
        }

        page.table(table);

        let difference = |tally: &Tally| {
            axis.unit
                .shown(totals.number(sum(tally, tally.difference())))
        };
        let points = tallies.iter().map(|(value, tally)| Point {
            amount: *value,
            value: difference(tally),
        });

        let caption = totals.titled(&say!(
            lang,
            "Écart avec le barème d’avant",
            "Difference with the scale before"
        ));

        if let Some(svg) = self.drawing(axis, points.collect(), &caption, locale) {
            page.drawing(svg, caption);
        }

        let described = tallies.iter().map(|(value, tally)| {
            let mut point = Map::from_iter([("value".to_owned(), json_number(*value))]);
            point.extend(point_members(tally, units, &quantity));
            Value::Object(point)
        });
        let json = json!({
            "format": "impact-sweep/1",
            "field": axis.field,
            "unit": quantity.unit_word().en,
            "figure": figure,
            "written": written,
            "points": described.collect::<Vec<Value>>(),
        });

        Outcome {
            page,
            json,
            annotations: Vec::new(),
        }
    }
}

/// The sums of a point, with all their decimals.
pub(super) fn point_members(
    tally: &Tally,
    units: Units,
    quantity: &Quantity,
) -> Map<String, Value> {
    let total = |sum| {
        if quantity.adds_up() {
            json_number(units.total(sum))
        } else {
            Value::Null
        }
    };
    let mean = |sum| {
        units
            .mean(sum, tally.weight)
            .map_or(Value::Null, json_number)
    };

    let side = |sum| json!({"total": total(sum), "mean": mean(sum)});
    let part = |part: &Part| {
        json!({
            "rows": part.rows,
            "weight": json_number(units.weight(part.weight)),
        })
    };

    let members = [
        ("rows", json!(tally.rows)),
        ("weight", json_number(units.weight(tally.weight))),
        ("before", side(tally.before)),
        ("after", side(tally.after)),
        ("difference", total(tally.difference())),
        ("mean_difference", mean(tally.difference())),
        ("winners", part(&tally.winners)),
        ("losers", part(&tally.losers)),
    ];
    members
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
}
