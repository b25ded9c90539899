//! A sweep of two figures: the cost for each pair of their values.

use bareme_show::{Cell, Locale, Table, Tone, say};
use serde_json::{Map, Value, json};

use super::compute::Question;
use super::money::Totals;
use super::sweep::{Choice, MOST, Sweep, Variants, point_members};
use super::tally::Tally;
use crate::format::json_number;
use crate::page::Page;
use crate::session::{Failure, Outcome, Session};

/// Computes the sample for each pair of values of two figures, reading every batch once.
pub(super) fn run(
    asked: &[String],
    question: &Question,
    variants: &Variants,
    totals: &Totals,
    session: &Session,
) -> Result<Outcome, Failure> {
    let lang = session.lang;
    let [one, other] = asked else {
        return Err(Failure::unusable(say!(
            lang,
            "`--figure` : un chiffre, ou deux.",
            "`--figure`: one figure, or two."
        )));
    };

    // 1. The figures: the first is that of the rows, the second that of the columns.
    let read = |asked: &str| Sweep::read(asked, question.after, variants.files, session);
    let (rows, columns) = (read(one)?, read(other)?);
    if rows.figure == columns.figure {
        let figure = &rows.figure;
        return Err(Failure::unusable(say!(
            lang,
            "`--figure {figure}` est donné deux fois.",
            "`--figure {figure}` is given twice."
        )));
    }
    let count = rows.values.len().saturating_mul(columns.values.len());
    if count > MOST {
        return Err(Failure::unusable(say!(
            lang,
            "Une grille de {count} cases : {MOST} au plus.",
            "A grid of {count} cells: {MOST} at most."
        )));
    }

    // 2. The sums of each cell, row by row.
    let choices: Vec<Vec<Choice>> = rows
        .choices()
        .flat_map(|row| columns.choices().map(move |column| vec![row, column]))
        .collect();
    let tallies = variants.tallies(&choices, question, session)?;

    let grid = Grid {
        rows,
        columns,
        tallies,
    };
    Ok(Outcome {
        page: grid.page(question, variants, totals, session),
        json: grid.json(question, variants),
        annotations: Vec::new(),
    })
}

/// Two figures, and the sums for each pair of their values, row by row.
struct Grid {
    rows: Sweep,
    columns: Sweep,
    tallies: Vec<Tally>,
}

impl Grid {
    fn page(
        &self,
        question: &Question,
        variants: &Variants,
        totals: &Totals,
        session: &Session,
    ) -> Page {
        let (lang, locale) = (session.lang, Locale::from(session.lang));
        let (units, quantity) = (question.units(), question.quantity());
        let (title, field) = (question.after.folder.title(), &variants.axis.field_label);
        let (one, other) = (&self.rows.figure, &self.columns.figure);

        let mut page = Page::titled(say!(
            lang,
            "{title} : {field} selon `{one}` et `{other}`",
            "{title}: {field} by `{one}` and `{other}`"
        ));
        let (first, second) = (&self.rows.written, &self.columns.written);
        page.text(say!(
            lang,
            "Dans le fichier, `{one}` vaut {first}, `{other}` vaut {second}. Chaque case est \
             comparée au barème d’avant.",
            "In the file `{one}` is {first} and `{other}` is {second}. Each cell is compared with \
             the scale before."
        ));

        let caption = if quantity.adds_up() {
            say!(lang, "Écart du total", "Difference of the total")
        } else {
            say!(lang, "Écart de la moyenne", "Difference of the mean")
        };
        page.heading(totals.titled(&caption));

        let mut table = Table::default().number(format!("{one} \u{2193} {other} \u{2192}"));
        for value in &self.columns.values {
            table = table.number(locale.number(*value));
        }
        // Of a rate or a count, the mean: a sum over people means nothing.
        let difference = |tally: &Tally| match quantity.adds_up() {
            true => units.total(tally.difference()),
            false => units
                .mean(tally.difference(), tally.weight)
                .unwrap_or_default(),
        };
        let width = self.columns.values.len().max(1);
        for (value, tallies) in self.rows.values.iter().zip(self.tallies.chunks(width)) {
            let cells = tallies
                .iter()
                .map(|tally| Cell::toned(totals.signed(difference(tally)), Tone::Strong));
            let head = Cell::from(locale.number(*value));
            table.row([head].into_iter().chain(cells));
        }
        page.table(table);
        page
    }

    fn json(&self, question: &Question, variants: &Variants) -> Value {
        let (units, quantity) = (question.units(), question.quantity());
        let pairs = self.rows.values.iter().flat_map(|row| {
            let columns = self.columns.values.iter();
            columns.map(move |column| [*row, *column])
        });

        let points = pairs.zip(&self.tallies).map(|(values, tally)| {
            let values: Vec<Value> = values.map(json_number).to_vec();
            let mut point = Map::from_iter([("values".to_owned(), Value::Array(values))]);
            point.extend(point_members(tally, units, &quantity));
            Value::Object(point)
        });
        let figure = |sweep: &Sweep| {
            let values: Vec<Value> = sweep.values.iter().copied().map(json_number).collect();
            json!({"figure": sweep.figure, "written": sweep.written, "values": values})
        };

        json!({
            "format": "impact-grid/1",
            "field": variants.axis.field,
            "unit": quantity.unit_word().en,
            "figures": [figure(&self.rows), figure(&self.columns)],
            "points": points.collect::<Vec<Value>>(),
        })
    }
}
