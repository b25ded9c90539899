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
use serde_json::{Value, json};

use crate::format::json_number;
use crate::hypothesis::{Hypothesis, find_cell};
use crate::page::Page;
use crate::progress::Progress;
use crate::quantity::Quantity;
use crate::series::Series;
use crate::session::{Failure, Outcome, Session};
use crate::user_input::number;

use super::compute::{Question, too_great};
use super::scale::Units;
use super::sides::{Side, Terms};
use super::tally::{Part, Tally};

/// Greatest number of values to try.
const MOST: usize = 200;

/// A figure, with the values to try.
struct Sweep {
    figure: String,
    values: Vec<Decimal>,
    /// The value in the file.
    written: String,
    /// The day of the scale.
    date: Date,
}

/// Computes the sample for each value of a figure of some rule files, reading every batch once.
pub(super) fn run(
    asked: &str,
    question: &Question,
    terms: &Terms,
    axis: &Axis,
    files: &FileSet,
    session: &Session,
) -> Result<Outcome, Failure> {
    // 1. The figure, in the dated file of the scale after.
    let sweep = Sweep::read(asked, question.after, files, session)?;

    // 2. The rules with each value: the file is changed in memory, and checked like any other.
    let variants = sweep.values.iter().map(|value| {
        let rules = sweep.rules(*value, files, terms, session)?;
        Ok((*value, rules))
    });
    let variants: Vec<(Decimal, Rules)> = variants.collect::<Result<_, Failure>>()?;

    // A variant is a side of its own: its plan is compiled with the changed figure.
    let sides = variants.iter().map(|(value, rules)| {
        let terms = Terms { rules, ..*terms };
        Ok((*value, Side::new(&terms, axis, question.sample, session)?))
    });
    let sides: Vec<(Decimal, Side)> = sides.collect::<Result<_, Failure>>()?;

    // 3. All variants in one pass over the sample, so that the file is read once.
    let tallies = tallies(question, &sides, session)?;
    Ok(sweep.outcome(question, axis, &tallies, session))
}

/// The sums for each variant; a row that one of them refuses counts for none.
fn tallies(
    question: &Question,
    sides: &[(Decimal, Side)],
    session: &Session,
) -> Result<Vec<(Decimal, Tally)>, Failure> {
    let mut found: Vec<(Decimal, Tally)> = sides
        .iter()
        .map(|(value, _)| (*value, Tally::default()))
        .collect();

    let progress = Progress::new(question.sample.rows(), session);

    for batch in question.sample.batches()? {
        let batch = batch?;
        let before = question.before.evaluate(&batch)?;
        // Weights are read once a batch, not once a variant.
        let weights = question
            .weight
            .map(|weight| question.sample.readable_numbers(&batch, weight))
            .transpose()?;
        // The scale before is computed once for all variants.
        let after = sides
            .par_iter()
            .map(|(_, side)| side.evaluate(&batch))
            .collect::<Result<Vec<_>, _>>()?;

        for row in 0..batch.num_rows() {
            let weight = weights
                .as_ref()
                .map_or(Some(1), |weights| weights.get(row).copied().flatten());
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

            for ((_, tally), after) in found.iter_mut().zip(values) {
                tally
                    .take(&question.row(weight, before, after))
                    .map_err(|error| too_great(error, session))?;
            }
        }
        progress.add(batch.num_rows());
    }

    progress.finish();
    if found.iter().all(|(_, tally)| tally.rows == 0) {
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
    fn read(asked: &str, side: &Side, files: &FileSet, session: &Session) -> Result<Self, Failure> {
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

    /// The rules with another value of the figure.
    fn rules(
        &self,
        value: Decimal,
        files: &FileSet,
        terms: &Terms,
        session: &Session,
    ) -> Result<Rules, Failure> {
        let percent = if self.written.trim_end().ends_with('%') {
            "%"
        } else {
            ""
        };

        let figures = [(self.figure.clone(), format!("{value}{percent}"))];
        let hypothesis = Hypothesis {
            figures: &figures,
            folder: Some(terms.path),
            since: self.date,
            until: Some(self.date),
            drafts: session.drafts,
            lang: session.lang,
        };

        let loaded = hypothesis.load(files, terms.rules, &[terms.path]);
        loaded.map(|set| set.rules).map_err(|error| {
            let first = error.mistakes.first();
            let first = first.map(|first| first.message(session.lang));
            let (figure, why) = (&self.figure, first.unwrap_or(error.message));
            Failure::wrong(say!(
                session.lang,
                "`{figure}` ne peut valoir {value} : {why}",
                "`{figure}` cannot be {value}: {why}"
            ))
        })
    }

    /// The head of the table of values.
    fn empty_table(&self, quantity: &Quantity, lang: Lang) -> Table {
        Table::default()
            .number(&self.figure)
            .number(if quantity.adds_up() {
                say!(lang, "Total", "Total")
            } else {
                say!(lang, "Moyenne", "Mean")
            })
            .number(say!(lang, "Écart", "Difference"))
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

        let mut table = self.empty_table(&quantity, lang);
        for (value, tally) in tallies {
            let share = |weight| {
                Units::share(weight, tally.weight)
                    .map(super::percent)
                    .unwrap_or_default()
            };

            let share = |weight| Cell::from(format!("{} %", locale.number(share(weight))));
            table.row([
                locale.number(*value).into(),
                quantity.cell(sum(tally, tally.after)).into(),
                Cell::toned(
                    quantity.signed(sum(tally, tally.difference())),
                    Tone::Strong,
                ),
                share(tally.winners.weight),
                share(tally.losers.weight),
            ]);
        }

        page.table(table);

        let difference = |tally: &Tally| axis.unit.shown(sum(tally, tally.difference()));
        let points = tallies.iter().map(|(value, tally)| Point {
            amount: *value,
            value: difference(tally),
        });

        let caption = say!(
            lang,
            "Écart avec le barème d’avant",
            "Difference with the scale before"
        );

        if let Some(svg) = self.drawing(axis, points.collect(), &caption, locale) {
            page.drawing(svg, caption);
        }

        // The JSON has the sums with all their decimals.
        let total = |sum| {
            if quantity.adds_up() {
                json_number(units.total(sum))
            } else {
                Value::Null
            }
        };
        let mean = |tally: &Tally, sum| {
            units
                .mean(sum, tally.weight)
                .map_or(Value::Null, json_number)
        };

        let side = |tally: &Tally, sum| json!({"total": total(sum), "mean": mean(tally, sum)});
        let part = |part: &Part| {
            json!({
                "rows": part.rows,
                "weight": json_number(units.weight(part.weight)),
            })
        };

        let described = tallies.iter().map(|(value, tally)| {
            json!({
                "value": json_number(*value),
                "rows": tally.rows,
                "weight": json_number(units.weight(tally.weight)),
                "before": side(tally, tally.before), "after": side(tally, tally.after),
                "difference": total(tally.difference()),
                "mean_difference": mean(tally, tally.difference()),
                "winners": part(&tally.winners), "losers": part(&tally.losers),
            })
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
