//! The changes of each household over the range, in summary.

use bareme_engine::Lang;
use bareme_engine::law::Role;
use bareme_engine::run::curve::amounts;
use bareme_show::curve::Axis;
use bareme_show::{Cell, Table, Tone, say};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use super::super::View;
use super::super::household::Pair;
use super::{Change, PARTS, by_default, changes, tone};
use crate::format::{decimals, json_number};
use crate::page::Page;
use crate::quantity::Quantity;

/// Decimals of the means in the JSON: those of a rate that is a fraction have some after those of
/// its percentage.
const MEAN_DECIMALS: u32 = 6;

/// The households, with a summary of the changes of each.
pub(super) fn summaries(axis: &Axis, seen: &View, lang: Lang) -> Vec<(String, Summary)> {
    // The number of incomes is the same for all households; those that are refused are the rest.
    let count = amounts(seen.range, PARTS, axis.decimals).len();

    let summary = |pair: &Pair| {
        (
            pair.label(&by_default(lang)),
            Summary::new(&changes(axis, seen, pair, PARTS), count),
        )
    };
    seen.households.iter().map(summary).collect()
}

pub(super) fn show_summaries(
    axis: &Axis,
    summaries: &[(String, Summary)],
    quantity: &Quantity,
    page: &mut Page,
) {
    let lang = quantity.locale.lang;
    page.heading(say!(
        lang,
        "Par ménage, sur la même plage de revenus",
        "By household, over the same range of incomes"
    ));

    let mut table = Table::default()
        .text(say!(lang, "Ménage", "Household"))
        .number(say!(lang, "Hausse", "Higher"))
        .number(say!(lang, "Baisse", "Lower"))
        .number(say!(lang, "Moyenne", "Mean"))
        .number(say!(lang, "Plus forte hausse", "Greatest rise"))
        .number(say!(lang, "Plus forte baisse", "Greatest fall"));

    // One line a household, in the order in which they were chosen.
    for (label, summary) in summaries {
        table.row(summary.cells(label.clone(), axis.role, quantity));
    }

    page.table(table);
    for (label, summary) in summaries.iter().filter(|(_, summary)| summary.refused > 0) {
        let refused = summary.refused;
        page.toned(
            say!(
                lang,
                "{label} : {refused} revenus de la plage sont refusés par un des barèmes, et ne \
                 sont pas comparés.",
                "{label}: {refused} incomes of the range are refused by one of the scales, and \
                 are not compared."
            ),
            Tone::Warning,
        );
    }

    page.toned(
        say!(
            lang,
            "Pourcentages de la plage de revenus, non de la population.",
            "Shares of the range of incomes, not of the population."
        ),
        Tone::Dim,
    );
}

/// Summary of the changes of a household over the range.
pub(super) struct Summary {
    /// Shares of the incomes at which the field is higher and lower, in percent.
    pub(super) higher: usize,
    pub(super) lower: usize,
    mean: Decimal,
    best: Option<Change>,
    worst: Option<Change>,
    decimals: u32,
    /// Number of incomes that one of the editions refuses.
    refused: usize,
}

impl Summary {
    /// Summarises the changes at `amounts` incomes, as far as both editions calculate them.
    fn new(changes: &[Change], amounts: usize) -> Self {
        let gains = || changes.iter().map(|change| change.gain());
        // At least 1, so that no division is by 0 where everything is refused.
        let count = changes.len().max(1);
        // In whole percent of the incomes compared: these are no shares of people.
        let share = |part: usize| part * 100 / count;
        // The mean over the incomes, each of which counts the same.
        let total = gains().fold(Decimal::ZERO, |total, gain| total.saturating_add(gain));

        // The first of equal changes is kept, that at the lowest income.
        let extreme = |better: fn(Decimal, Decimal) -> bool| {
            changes.iter().copied().reduce(|best, change| {
                if better(change.gain(), best.gain()) {
                    change
                } else {
                    best
                }
            })
        };

        Self {
            refused: amounts.saturating_sub(changes.len()),
            higher: share(gains().filter(|gain| *gain > Decimal::ZERO).count()),
            lower: share(gains().filter(|gain| *gain < Decimal::ZERO).count()),
            mean: total.checked_div(Decimal::from(count)).unwrap_or_default(),
            best: extreme(|gain, best| gain > best).filter(|change| change.gain() > Decimal::ZERO),
            decimals: decimals(
                changes
                    .iter()
                    .flat_map(|change| [change.before, change.after]),
            ),
            worst: extreme(|gain, worst| gain < worst)
                .filter(|change| change.gain() < Decimal::ZERO),
        }
    }

    fn cells(&self, label: String, role: Role, quantity: &Quantity) -> [Cell; 6] {
        let (locale, quantity) = (quantity.locale, quantity.with_decimals(self.decimals));
        let at = |change: Option<Change>| {
            // A household that never gains has no greatest rise.
            let Some(change) = change else {
                return Cell::toned("–", Tone::Dim);
            };
            let (gain, amount) = (
                quantity.signed(change.gain()),
                locale.number(change.amount.round()),
            );
            Cell::toned(
                say!(locale.lang, "{gain}\nà {amount}", "{gain}\nat {amount}"),
                tone(change.gain(), role),
            )
        };

        [
            label.into(),
            format!("{} %", self.higher).into(),
            format!("{} %", self.lower).into(),
            quantity.signed(self.mean).into(),
            at(self.best),
            at(self.worst),
        ]
    }

    pub(super) fn to_json(&self, label: &str) -> Value {
        let at = |change: Option<Change>| {
            change.map(|change| {
                json!({
                    "revenu": json_number(change.amount),
                    "ecart": json_number(change.gain()),
                })
            })
        };

        json!({
            "menage": label,
            "hausse_pct": self.higher,
            "baisse_pct": self.lower,
            "moyenne": json_number(self.mean.round_dp(MEAN_DECIMALS).normalize()),
            "plus_forte_hausse": at(self.best),
            "plus_forte_baisse": at(self.worst),
            "refuses": self.refused,
        })
    }
}
