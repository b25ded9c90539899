//! The effect of a change between two editions: over a range of incomes, for several households.

mod summary;

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
use summary::{show_summaries, summaries};

/// Rows of the table for the first household.
const ROWS: u32 = 8;
/// Incomes compared for each household.
const PARTS: u32 = 400;
/// Incomes tried for each candidate household.
const COARSE: u32 = 100;
/// Households shown where none is named.
const SHOWN: usize = 8;
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
    // Each household is compared at many incomes; the table has a few rows of the first one.
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
        // An effect outside of the range or of the field is likely where figures have changed: the
        // page says how to look for it.
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
    // Falls are thresholds: of another field than a net, a fall is the rule.
    let falls = if axis.is_net() {
        axis.falls(seen.range, &first.after, seen.new)
    } else {
        Vec::new()
    };
    show_falls(axis, seen, &falls, page, lang);

    let point = |change: &Change| {
        json!({
            "revenu": json_number(change.amount),
            "avant": json_number(change.before),
            "apres": json_number(change.after),
        })
    };
    let fall = |fall: &Point| {
        json!({
            "revenu": json_number(fall.amount),
            "baisse": json_number(fall.value),
        })
    };
    json!({
        "champ": axis.field,
        "unite": quantity.unit_word().fr,
        "points": changes.iter().map(point).collect::<Vec<_>>(),
        "menages_calcules": seen.tried,
        "menages": summaries
            .iter()
            .map(|(label, summary)| summary.to_json(label))
            .collect::<Vec<_>>(),
        "seuils": falls.iter().take(FALLS).map(fall).collect::<Vec<_>>(),
    })
}

fn by_default(lang: Lang) -> String {
    say!(lang, "par défaut", "by default")
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
    let mut seen_gains: Vec<Vec<Decimal>> = Vec::new();
    let mut found: Vec<(Decimal, Pair)> = Vec::new();
    let mut tried = 0;

    for pair in candidates {
        let gains: Vec<Decimal> = changes(axis, &seen, &pair, COARSE)
            .into_iter()
            .map(Change::gain)
            .collect();
        // A household that one edition refuses everywhere, as for a parameter that it requires.
        if gains.is_empty() {
            continue;
        }

        tried += 1;
        // Households with the same changes at all incomes say nothing more.
        if !seen_gains.contains(&gains) {
            let greatest = gains
                .iter()
                .map(|gain| gain.abs())
                .max()
                .unwrap_or_default();
            found.push((greatest, pair));
            seen_gains.push(gains);
        }
    }

    // The first household, that of the defaults, stays the first.
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
    // The middle of the range is where a household is least likely to be refused for its income.
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

fn changes(axis: &Axis, seen: &View, pair: &Pair, parts: u32) -> Vec<Change> {
    let change = |amount| {
        // An income counts where both editions compute it.
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

    // All rows have the decimals of the one that has the most.
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
