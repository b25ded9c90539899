//! What two editions of a scale change for those who pay: over a range of incomes, household by household.

use bareme_engine::Lang;
use bareme_engine::curve::{Point, amounts};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::curve::{Axis, CENTS, Household};
use crate::page::{Cell, Page, Table, Tone};
use crate::session::{Session, say};
use crate::words::{aligned, decimals, exact, number};

use super::View;

/// Rows of the table of the first household.
const ROWS: u32 = 8;
/// Incomes compared for each household.
const PARTS: u32 = 400;
/// Falls shown.
const FALLS: usize = 5;

/// An income before and after.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Change {
    amount: Decimal,
    before: Decimal,
    after: Decimal,
}

impl Change {
    fn gain(self) -> Decimal {
        self.after.saturating_sub(self.before)
    }
}

/// Adds the effect to a page, and gives it for programs.
pub(super) fn show(axis: &Axis, seen: &View, page: &mut Page, session: &Session) -> Value {
    let lang = session.lang;
    let first = seen.households.first().cloned().unwrap_or_default();
    let field = &axis.field_label;
    page.heading(say!(lang, "Effet : {field}", "Effect: {field}"));
    let changes = changes(axis, seen, &first, ROWS);
    let summaries = summaries(axis, seen, lang);
    if summaries.iter().all(|(_, summary)| summary.higher + summary.lower == 0) {
        let (low, high) = (number(seen.range.0, lang), number(seen.range.1, lang));
        let (input, tried) = (&axis.input, summaries.len());
        page.text(say!(
            lang,
            "Aucun, pour {input} de {low} à {high} et {tried} ménage(s) essayé(s).",
            "None, for {input} from {low} to {high} and {tried} household(s) tried."
        ));
    } else {
        let who = first.label(&by_default(lang));
        page.toned(say!(lang, "Ménage : {who}", "Household: {who}"), Tone::Dim);
        page.table(table(axis, seen, &changes, lang));
        show_summaries(axis, &summaries, page, lang);
    }
    let falls = if axis.is_net { axis.falls(seen.range, &first, seen.new) } else { Vec::new() };
    show_falls(axis, seen, &falls, page, lang);
    let point = |change: &Change| json!({"revenu": exact(change.amount), "avant": exact(change.before), "apres": exact(change.after)});
    let fall = |fall: &Point| json!({"revenu": exact(fall.amount), "baisse": exact(fall.value)});
    json!({
        "champ": axis.field, "points": changes.iter().map(point).collect::<Vec<_>>(),
        "menages": summaries.iter().map(|(label, summary)| summary.described(label)).collect::<Vec<_>>(),
        "seuils": falls.iter().take(FALLS).map(fall).collect::<Vec<_>>(),
    })
}

fn by_default(lang: Lang) -> String {
    say!(lang, "par défaut", "by default")
}

/// The households that are answered and that something tells apart.
fn summaries(axis: &Axis, seen: &View, lang: Lang) -> Vec<(String, Summary)> {
    let mut known: Vec<Vec<Change>> = Vec::new();
    let mut summaries = Vec::new();
    for household in &seen.households {
        let changes = changes(axis, seen, household, PARTS);
        if !changes.is_empty() && !known.contains(&changes) {
            summaries.push((household.label(&by_default(lang)), Summary::of(&changes)));
            known.push(changes);
        }
    }
    summaries
}

fn show_summaries(axis: &Axis, summaries: &[(String, Summary)], page: &mut Page, lang: Lang) {
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
    for (label, summary) in summaries {
        table.row(summary.cells(label.clone(), axis.is_net, lang));
    }
    page.table(table);
    page.toned(
        say!(
            lang,
            "Parts de la plage de revenus, non de la population.",
            "Shares of the range of incomes, not of the population."
        ),
        Tone::Dim,
    );
}

fn changes(axis: &Axis, seen: &View, household: &Household, parts: u32) -> Vec<Change> {
    let change = |amount| {
        let (before, after) = (axis.at(amount, household, seen.old)?, axis.at(amount, household, seen.new)?);
        Some(Change { amount, before, after })
    };
    amounts(seen.range, parts, CENTS).into_iter().filter_map(change).collect()
}

fn table(axis: &Axis, seen: &View, changes: &[Change], lang: Lang) -> Table {
    let mut table = Table::default()
        .number(&axis.input)
        .number(seen.old.to_string())
        .number(seen.new.to_string())
        .number(say!(lang, "Écart", "Change"))
        .number("%");
    let decimals = decimals(changes.iter().flat_map(|change| [change.before, change.after]));
    let amounts = self::decimals(changes.iter().map(|change| change.amount));
    for change in changes {
        let share = change.gain().saturating_mul(Decimal::ONE_HUNDRED).checked_div(change.before.abs());
        let tone = tone(change.gain(), axis.is_net);
        table.row([
            aligned(change.amount, amounts, lang).into(),
            aligned(change.before, decimals, lang).into(),
            aligned(change.after, decimals, lang).into(),
            Cell::toned(signed(change.gain(), decimals, lang), tone),
            Cell::toned(share.map(|share| signed(share, 2, lang)).unwrap_or_default(), tone),
        ]);
    }
    table
}

/// A rise is good news where the field is what is left.
fn tone(gain: Decimal, is_net: bool) -> Tone {
    match gain.is_zero() {
        true => Tone::Dim,
        false if gain.is_sign_positive() == is_net => Tone::Good,
        false => Tone::Bad,
    }
}

fn signed(value: Decimal, decimals: u32, lang: Lang) -> String {
    let value = value.round_dp(decimals);
    let sign = if value > Decimal::ZERO { "+" } else { "" };
    format!("{sign}{}", aligned(value, decimals, lang))
}

/// A household over the range.
struct Summary {
    /// Shares of the incomes at which the field is higher, lower, in percent.
    higher: usize,
    lower: usize,
    mean: Decimal,
    best: Option<Change>,
    worst: Option<Change>,
    decimals: u32,
}

impl Summary {
    fn of(changes: &[Change]) -> Self {
        let gains = || changes.iter().map(|change| change.gain());
        let count = changes.len().max(1);
        let share = |part: usize| part * 100 / count;
        let total = gains().fold(Decimal::ZERO, |total, gain| total.saturating_add(gain));
        let extreme = |better: fn(Decimal, Decimal) -> bool| {
            changes
                .iter()
                .copied()
                .reduce(|best, change| if better(change.gain(), best.gain()) { change } else { best })
        };
        Self {
            higher: share(gains().filter(|gain| *gain > Decimal::ZERO).count()),
            lower: share(gains().filter(|gain| *gain < Decimal::ZERO).count()),
            mean: total.checked_div(Decimal::from(count)).unwrap_or_default(),
            best: extreme(|gain, best| gain > best).filter(|change| change.gain() > Decimal::ZERO),
            decimals: decimals(changes.iter().flat_map(|change| [change.before, change.after])),
            worst: extreme(|gain, worst| gain < worst).filter(|change| change.gain() < Decimal::ZERO),
        }
    }

    fn cells(&self, label: String, is_net: bool, lang: Lang) -> [Cell; 6] {
        let at = |change: Option<Change>| {
            let Some(change) = change else { return Cell::toned("–", Tone::Dim) };
            let (gain, amount) = (signed(change.gain(), self.decimals, lang), number(change.amount.round(), lang));
            Cell::toned(say!(lang, "{gain}\nà {amount}", "{gain}\nat {amount}"), tone(change.gain(), is_net))
        };
        [
            label.into(),
            format!("{} %", self.higher).into(),
            format!("{} %", self.lower).into(),
            signed(self.mean, self.decimals, lang).into(),
            at(self.best),
            at(self.worst),
        ]
    }

    fn described(&self, label: &str) -> Value {
        let at = |change: Option<Change>| {
            change.map(|change| json!({"revenu": exact(change.amount), "ecart": exact(change.gain())}))
        };
        json!({
            "menage": label, "hausse_pct": self.higher, "baisse_pct": self.lower, "moyenne": exact(self.mean.round_dp(2)),
            "plus_forte_hausse": at(self.best), "plus_forte_baisse": at(self.worst),
        })
    }
}

fn show_falls(axis: &Axis, seen: &View, falls: &[Point], page: &mut Page, lang: Lang) {
    if falls.is_empty() {
        return;
    }
    let date = seen.new;
    page.heading(say!(
        lang,
        "Plus grands seuils du barème du {date}, où le net baisse",
        "Greatest thresholds of the scale of {date}, where the net falls"
    ));
    let mut table = Table::default().number(&axis.input).number(say!(lang, "Baisse", "Fall"));
    for fall in falls.iter().take(FALLS) {
        table.row([number(fall.amount, lang).into(), Cell::toned(number(fall.value, lang), Tone::Bad)]);
    }
    page.table(table);
}
