//! The rows that gain and lose most in the report, and the steps of one of them.

use bareme_engine::Calculation;
use bareme_engine::run::StepTrace;
use bareme_show::{Table, say, trace};

use super::super::Impact;
use super::super::extremes::Extreme;
use crate::page::Page;
use crate::target::words;

/// Number of rows shown in each direction; the JSON has all that are kept.
const SHOWN: usize = 20;

impl Impact<'_> {
    pub(super) fn show_extremes(&self, page: &mut Page) {
        let lang = self.lang;
        let extremes = &self.found.extremes;

        for (title, list) in [
            (
                say!(lang, "Plus fortes pertes", "Greatest losses"),
                &extremes.losers,
            ),
            (
                say!(lang, "Plus forts gains", "Greatest gains"),
                &extremes.winners,
            ),
        ] {
            if !list.is_empty() {
                page.heading(title);
                page.table(self.extremes_table(list.iter().take(SHOWN)));
            }
        }

        // One row is shown step by step: the greatest loss, or without any the greatest gain.
        let first = extremes.losers.first().or(extremes.winners.first());
        if let Some(row) = first {
            self.explain(row, page);
        }
    }

    /// The steps of a row whose results differ, before and after.
    fn explain(&self, row: &Extreme, page: &mut Page) {
        let (lang, number) = (self.lang, row.number);
        // What was sent may differ between the sides, by columns of their own.
        let [sent, sent_after] = &row.queries;

        let sides = self
            .question
            .before
            .calculate(sent)
            .ok()
            .zip(self.question.after.calculate(sent_after).ok());
        let Some((before, after)) = sides else { return };
        let (Some(before), Some(after)) = (self.results(&before), self.results(&after)) else {
            return;
        };

        let mut table = Table::default()
            .text(say!(lang, "Étape", "Step"))
            .number(say!(lang, "Avant", "Before"))
            .number(say!(lang, "Après", "After"));
        for (name, title, value) in &after {
            // A step that applies after only has no value before.
            let old = before
                .iter()
                .find(|(step, ..)| step == name)
                .map(|(_, _, value)| value.as_str());
            if old != Some(value) {
                table.row([
                    title.as_str().into(),
                    old.unwrap_or("–").into(),
                    value.as_str().into(),
                ]);
            }
        }

        page.heading(say!(
            lang,
            "Étapes qui changent pour la ligne {number}",
            "Steps that change for row {number}"
        ));
        page.text(words(sent_after));
        page.table(table);
    }

    /// The results of the steps that applied: name, title, value.
    fn results(&self, calculation: &Calculation) -> Option<Vec<(String, String, String)>> {
        let decimals = calculation.edition().method().decimals;
        // Steps that do not apply have no result to compare.
        let steps = calculation
            .steps()
            .ok()?
            .iter()
            .filter(|trace| trace.applied);

        let result = |trace: &StepTrace| {
            let shown = trace::result(trace, decimals, self.locale());
            (
                trace.step.name.clone(),
                trace.step.title().to_owned(),
                shown,
            )
        };
        Some(steps.map(result).collect())
    }
}
