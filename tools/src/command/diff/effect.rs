//! The effect of a change between two editions: over a range of incomes, for several households.

use bareme_engine::Lang;
use bareme_engine::law::Role;
use bareme_engine::run::Edition;
use bareme_engine::run::curve::{Point, amounts};
use bareme_engine::text::pluralized;
use bareme_show::curve::Axis;
use bareme_show::{Cell, Locale, Table, Tone, say};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::format::{decimals, json_number, unique};
use crate::moved::Moved;
use crate::page::Page;
use crate::quantity::Quantity;
use crate::session::{Failure, Session};
use crate::target::reason;

use super::View;
use super::household::{LeftOut, Pair};

/// Rows of the table for the first household.
const ROWS: u32 = 8;
/// Incomes compared for each household.
const PARTS: u32 = 400;
/// Incomes tried for each candidate household.
const COARSE: u32 = 100;
/// Households shown where none is named.
const SHOWN: usize = 8;
/// Decimals of the means in the JSON: those of a rate that is a fraction have some after those of
/// its percentage.
const MEAN_DECIMALS: u32 = 6;
/// Falls of the field shown.
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

/// Adds the effect to a page, and returns it as JSON.
pub(super) fn show(
    axis: &Axis,
    seen: &View,
    moved: &Moved,
    new: &Edition,
    page: &mut Page,
    session: &Session,
) -> Value {
    let lang = session.lang;
    let (decimals, currency) = (new.method().decimals, new.method().currency.clone());
    let quantity = Quantity {
        unit: axis.unit,
        decimals,
        currency,
        locale: lang.into(),
    };
    let first = seen.households.first().cloned().unwrap_or_default();
    let field = &axis.field_label;
    page.heading(say!(lang, "Effet : {field}", "Effect: {field}"));
    let changes = changes(axis, seen, &first, ROWS);
    let summaries = summaries(axis, seen, lang);
    if summaries
        .iter()
        .all(|(_, summary)| summary.higher + summary.lower == 0)
    {
        let (low, high) = (
            Locale::from(lang).number(seen.range.0),
            Locale::from(lang).number(seen.range.1),
        );
        let (input, tried) = (&axis.input, seen.tried);
        page.text(pluralized(
            &say!(
                lang,
                "Aucun, pour {input} de {low} à {high} et {tried} ménage(s) calculé(s).",
                "None, for {input} from {low} to {high} and {tried} household(s) computed."
            ),
            lang,
        ));
        if !moved.figures.is_empty() {
            page.toned(
                say!(
                    lang,
                    "Des chiffres changent pourtant, et plus bas leurs champs : élargir la plage \
                     (`--range`), regarder un autre champ (`--field`) ou un autre ménage \
                     (`--household`).",
                    "Figures change nevertheless, with the fields below: widen the range \
                     (`--range`), look at another field (`--field`) or another household \
                     (`--household`)."
                ),
                Tone::Warning,
            );
        }
    } else {
        let who = first.label(&by_default(lang));
        page.toned(say!(lang, "Ménage : {who}", "Household: {who}"), Tone::Dim);
        page.table(table(axis, seen, &changes, &quantity));
        show_summaries(axis, &summaries, &quantity, page);
    }
    show_left_out(seen, page, lang);
    let falls = if axis.is_net() {
        axis.falls(seen.range, &first.after, seen.new)
    } else {
        Vec::new()
    };
    show_falls(axis, seen, &falls, page, lang);
    let point = |change: &Change| json!({"revenu": json_number(change.amount), "avant": json_number(change.before), "apres": json_number(change.after)});
    let fall = |fall: &Point| json!({"revenu": json_number(fall.amount), "baisse": json_number(fall.value)});
    json!({
        "champ": axis.field, "unite": quantity.unit_word().fr, "points": changes.iter().map(point).collect::<Vec<_>>(),
        "menages_calcules": seen.tried,
        "menages": summaries.iter().map(|(label, summary)| summary.to_json(label)).collect::<Vec<_>>(),
        "seuils": falls.iter().take(FALLS).map(fall).collect::<Vec<_>>(),
    })
}

fn by_default(lang: Lang) -> String {
    say!(lang, "par défaut", "by default")
}

/// The households, with a summary of the changes of each.
fn summaries(axis: &Axis, seen: &View, lang: Lang) -> Vec<(String, Summary)> {
    let count = amounts(seen.range, PARTS, axis.decimals).len();
    let summary = |pair: &Pair| {
        (
            pair.label(&by_default(lang)),
            Summary::new(&changes(axis, seen, pair, PARTS), count),
        )
    };
    seen.households.iter().map(summary).collect()
}

/// Selects households to show among candidates: the first, then those with another change than
/// those before, the greatest changes first.
///
/// # Errors
/// Both editions refuse every candidate.
pub(super) fn pick_households(
    axis: &Axis,
    seen: View,
    candidates: Vec<Pair>,
    session: &Session,
) -> Result<View, Failure> {
    let mut known: Vec<Vec<Decimal>> = Vec::new();
    let mut found: Vec<(Decimal, Pair)> = Vec::new();
    let mut tried = 0;
    for pair in candidates {
        let gains: Vec<Decimal> = changes(axis, &seen, &pair, COARSE)
            .into_iter()
            .map(Change::gain)
            .collect();
        if gains.is_empty() {
            continue;
        }
        tried += 1;
        if !known.contains(&gains) {
            let greatest = gains
                .iter()
                .map(|gain| gain.abs())
                .max()
                .unwrap_or_default();
            found.push((greatest, pair));
            known.push(gains);
        }
    }
    if let Some((_, others)) = found.split_first_mut() {
        others.sort_by_key(|(greatest, _)| std::cmp::Reverse(*greatest));
    }
    found.truncate(SHOWN);
    let households: Vec<Pair> = found.into_iter().map(|(_, pair)| pair).collect();
    let seen = View {
        households,
        tried,
        ..seen
    };
    match tried {
        0 => Err(not_computed(axis, &seen, &Pair::default(), session)),
        _ => Ok(seen),
    }
}

/// Checks that both editions calculate every named household somewhere in the range.
///
/// # Errors
/// A household that is refused, with the reason.
pub(super) fn check_answered(axis: &Axis, seen: &View, session: &Session) -> Result<(), Failure> {
    let unanswered = seen
        .households
        .iter()
        .find(|pair| changes(axis, seen, pair, PARTS).is_empty());
    unanswered.map_or(Ok(()), |pair| Err(not_computed(axis, seen, pair, session)))
}

/// The error of a household that an edition refuses over the whole range, with the reason in its
/// middle.
fn not_computed(axis: &Axis, seen: &View, pair: &Pair, session: &Session) -> Failure {
    let lang = session.lang;
    let (low, high) = seen.range;
    let middle = low
        .saturating_add(high)
        .checked_div(Decimal::TWO)
        .unwrap_or(low)
        .round_dp(axis.decimals);
    let sides = [(&pair.before, seen.old), (&pair.after, seen.new)];
    let why = sides.into_iter().find_map(|(household, day)| {
        let reason = match axis.calculate(middle, household, day) {
            Ok(Some(_)) => return None,
            Ok(None) => {
                let field = &axis.field;
                say!(
                    lang,
                    "la réponse n’a pas `{field}`",
                    "the answer has no `{field}`"
                )
            }
            Err(error) => reason(&error, lang),
        };
        Some(say!(lang, "au {day}, {reason}", "on {day}, {reason}"))
    });
    let (who, why) = (pair.label(&by_default(lang)), why.unwrap_or_default());
    let (input, middle) = (&axis.input, Locale::from(lang).number(middle));
    Failure::wrong(say!(
        lang,
        "Aucun effet calculé pour le ménage `{who}` ({input} = {middle}) : {why}.",
        "No effect computed for the household `{who}` ({input} = {middle}): {why}."
    ))
}

/// Reports the inputs that one edition does not have, and the amounts that one refuses.
fn show_left_out(seen: &View, page: &mut Page, lang: Lang) {
    for LeftOut { input, day } in unique(seen.households.iter().flat_map(|pair| &pair.left_out)) {
        let line = say!(
            lang,
            "Le barème du {day} ne connaît pas `{input}` : laissé de côté de ce côté-là.",
            "The scale of {day} does not know `{input}`: left out on that side."
        );
        page.toned(line, Tone::Warning);
    }
}

fn show_summaries(
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

fn changes(axis: &Axis, seen: &View, pair: &Pair, parts: u32) -> Vec<Change> {
    let change = |amount| {
        let (before, after) = (
            axis.at(amount, &pair.before, seen.old)?,
            axis.at(amount, &pair.after, seen.new)?,
        );
        Some(Change {
            amount,
            before,
            after,
        })
    };
    amounts(seen.range, parts, axis.decimals)
        .into_iter()
        .filter_map(change)
        .collect()
}

fn table(axis: &Axis, seen: &View, changes: &[Change], quantity: &Quantity) -> Table {
    let locale = quantity.locale;
    let mut table = Table::default()
        .number(&axis.input)
        .number(seen.old.to_string())
        .number(seen.new.to_string())
        .number(say!(locale.lang, "Écart", "Change"));
    // The change of a rate is in points: a percentage of it would be taken for them.
    let has_shares = !axis.unit.is_share();
    if has_shares {
        table = table.number("%");
    }
    let quantity = quantity.with_decimals(decimals(
        changes
            .iter()
            .flat_map(|change| [change.before, change.after]),
    ));
    let amounts = self::decimals(changes.iter().map(|change| change.amount));
    for change in changes {
        let share = change
            .gain()
            .saturating_mul(Decimal::ONE_HUNDRED)
            .checked_div(change.before.abs());
        let tone = tone(change.gain(), axis.role);
        let cells = [
            locale.aligned(change.amount, amounts).into(),
            quantity.cell(change.before).into(),
            quantity.cell(change.after).into(),
            Cell::toned(quantity.signed(change.gain()), tone),
        ];
        let share = Cell::toned(
            share
                .map(|share| locale.signed(share, 2))
                .unwrap_or_default(),
            tone,
        );
        table.row(cells.into_iter().chain(has_shares.then_some(share)));
    }
    table
}

/// The tone of a change: an increase is good of a net and of a benefit.
fn tone(gain: Decimal, role: Role) -> Tone {
    match gain.is_zero() {
        true => Tone::Dim,
        false if gain.is_sign_positive() == role.gains_by_more() => Tone::Good,
        false => Tone::Bad,
    }
}

/// Summary of the changes of a household over the range.
struct Summary {
    /// Shares of the incomes at which the field is higher and lower, in percent.
    higher: usize,
    lower: usize,
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
        let count = changes.len().max(1);
        let share = |part: usize| part * 100 / count;
        let total = gains().fold(Decimal::ZERO, |total, gain| total.saturating_add(gain));
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

    fn to_json(&self, label: &str) -> Value {
        let at = |change: Option<Change>| {
            change.map(|change| json!({"revenu": json_number(change.amount), "ecart": json_number(change.gain())}))
        };
        json!({
            "menage": label, "hausse_pct": self.higher, "baisse_pct": self.lower,
            "moyenne": json_number(self.mean.round_dp(MEAN_DECIMALS).normalize()),
            "plus_forte_hausse": at(self.best), "plus_forte_baisse": at(self.worst), "refuses": self.refused,
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
    let mut table = Table::default()
        .number(&axis.input)
        .number(say!(lang, "Baisse", "Fall"));
    for fall in falls.iter().take(FALLS) {
        let [amount, value] =
            [fall.amount, fall.value].map(|amount| Locale::from(lang).number(amount));
        table.row([amount.into(), Cell::toned(value, Tone::Bad)]);
    }
    page.table(table);
}
