//! The steps of a calculation, with operands, results and sources.

mod details;
mod worded;

use bareme_engine::law::{AstNode, Method, Operand, Sentence, Slice, Step, Type};
use bareme_engine::run::{StepResult, StepTrace};
use bareme_engine::text::pluralized;
use bareme_engine::{Calculation, CalculationError, Datum};

use crate::currency::Amounts;
use crate::formula::{applied_roundings, column, formula, name, separator, unit};
use crate::labels::column_label;
use crate::locale::{Locale, Medium};
use crate::names;
use crate::say;
use crate::sentence::fill_in;
use crate::table::{Cell, Table};

pub use details::details;
pub use worded::step_value;

/// How much of each step a table shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Its label and its result.
    Result,
    /// Also how it is computed, the numbers of its sources and the unit of its result.
    Full,
}

/// A table of selected steps of a calculation; `numbering` lists the ids of the sources, in the
/// order of their numbers.
///
/// # Errors
/// An internal error of the engine.
pub fn table(
    calculation: &Calculation,
    is_shown: impl Fn(&Step) -> bool,
    depth: Depth,
    numbering: &[&str],
    locale: Locale,
) -> Result<Table, CalculationError> {
    let (lang, method) = (locale.lang, calculation.edition().method());
    let is_full = depth == Depth::Full;

    let mut table = Table::default()
        .text(say!(lang, "Étape", "Step"))
        .number(say!(lang, "Résultat", "Result"));
    if is_full {
        table = table.text(say!(lang, "Unité", "Unit"));
    }

    // In full, steps that did not apply are left out: `skipped` lists them.
    for trace in calculation
        .steps()?
        .iter()
        .filter(|trace| is_shown(trace.step) && (trace.applied || !is_full))
    {
        let mut cell = trace.title(method).into_owned();

        let how = if is_full {
            how(trace, method.decimals, numbering, locale)
        } else {
            Vec::new()
        };

        how.iter()
            .for_each(|line| cell.push_str(&format!("\n  {line}")));

        let counted_in = match &trace.result {
            StepResult::Value(_, ty) => {
                unit(*ty, method.currency.as_deref(), lang).unwrap_or_default()
            }
            StepResult::Outputs(_) => String::new(),
        };

        let cells = [Cell::from(cell), result(trace, method, locale).into()].into_iter();

        table.row(cells.chain(is_full.then(|| counted_in.into())));
    }

    Ok(table)
}

/// Labels of the steps that did not apply.
///
/// # Errors
/// An internal error of the engine.
pub fn skipped<'c>(calculation: &'c Calculation) -> Result<Vec<&'c str>, CalculationError> {
    Ok(calculation
        .steps()?
        .iter()
        .filter(|trace| !trace.applied)
        .map(|trace| trace.step.title())
        .collect())
}

/// Result of a step. On a terminal it is empty for several values, which are among the lines of
/// `how`.
pub fn result<'m>(trace: &StepTrace, amounts: impl Into<Amounts<'m>>, locale: Locale) -> String {
    let amounts = amounts.into();
    match (&trace.result, locale.medium) {
        // A step that did not apply has no result, which is not the same as zero.
        (_, Medium::Plain) if !trace.applied => "–".to_owned(),
        (_, Medium::Page) if !trace.applied => say!(locale.lang, "sans objet", "not applicable"),
        (StepResult::Value(found, ty), _) => locale.value_in(found.datum(), *ty, amounts),
        (StepResult::Outputs(_), Medium::Plain) => String::new(),
        (StepResult::Outputs(outputs), Medium::Page) => {
            let values = values(outputs, amounts, locale);
            let shown = |(output, value): (&Operand, String)| {
                let name = output.label.unwrap_or(column(output.name, locale.lang));
                format!("{name} {value}")
            };
            values
                .map(shown)
                .collect::<Vec<_>>()
                .join(separator(locale.lang))
        }
    }
}

/// The values of a step that has several, each by its column, without the text that a row cites;
/// none for any other step.
pub fn outputs(trace: &StepTrace, method: &Method, locale: Locale) -> Vec<(String, String)> {
    let StepResult::Outputs(outputs) = &trace.result else {
        return Vec::new();
    };

    // The text that a row cites is a source, and is shown as one.
    let own = values(outputs, method.into(), locale).filter(|(output, _)| output.name != CITED);

    let label = |output: &Operand| {
        let own = output.label;
        let own = own.or_else(|| column_label(trace.step, output.name, method));
        own.map_or_else(
            || capitalized(&names::words(column(output.name, locale.lang), locale.lang)),
            str::to_owned,
        )
    };
    own.map(|(output, value)| (label(output), value)).collect()
}

/// The outputs of a step, each with its value as it is shown.
fn values<'o, 'f>(
    outputs: &'o [Operand<'f>],
    amounts: Amounts<'o>,
    locale: Locale,
) -> impl Iterator<Item = (&'o Operand<'f>, String)> {
    outputs.iter().map(move |output| {
        (
            output,
            locale.value_in(output.value.datum(), output.ty, amounts),
        )
    })
}

/// The output of a row that cites its source.
const CITED: &str = "source";

/// How a step was computed, one line each: operands, slices, limits, rounding, article.
fn how(trace: &StepTrace, decimals: u32, numbering: &[&str], locale: Locale) -> Vec<String> {
    let lang = locale.lang;
    let mut lines = operation(trace, decimals, locale);

    // The brackets come after the line that they add up to.
    lines.extend(
        trace
            .slices
            .iter()
            .map(|slice| slice_line(slice, decimals, locale)),
    );

    // Limits and roundings apply last, in this order, and share a line.
    let mut ends: Vec<String> = limits(trace, decimals.into(), locale)
        .map(|(phrase, limit)| format!("{phrase} {limit}"))
        .collect();

    if !trace.rounding.0.is_empty() {
        let rounding = applied_roundings(&trace.rounding.0, locale);
        ends.push(say!(lang, "arrondi {rounding}", "rounded {rounding}"));
    }

    if !ends.is_empty() {
        lines.push(ends.join(", "));
    }

    lines.extend(
        settled(trace, decimals.into(), locale).map(|(so_far, given)| {
            say!(
                lang,
                "{so_far} depuis le premier mois, moins {given} des mois précédents",
                "{so_far} since the first month, less {given} of the months before"
            )
        }),
    );

    // The numbers are those of the list of sources under the table.
    let cited = numbering
        .iter()
        .enumerate()
        .filter(|(_, id)| trace.sources.contains(id));
    let cited = cited
        .map(|(index, _)| index.saturating_add(1).to_string())
        .collect::<Vec<_>>()
        .join(", ");

    let cited = if cited.is_empty() {
        cited
    } else {
        format!("[{cited}]")
    };

    lines.push(
        format!("{} {cited}", trace.step.law.as_deref().unwrap_or_default())
            .trim()
            .to_owned(),
    );

    lines.retain(|line| !line.is_empty());
    lines
}

/// Modifiers and limits that changed the result of a step, each with its phrase.
fn limits<'t>(
    trace: &'t StepTrace,
    amounts: Amounts<'t>,
    locale: Locale,
) -> impl Iterator<Item = (&'static str, String)> + 't {
    // A limit has the type of the value that it limits.
    let ty = if let StepResult::Value(_, ty) = trace.result {
        ty
    } else {
        Type::Number
    };

    trace.limits.iter().filter_map(move |limit| {
        // A limit without a value, such as an optional ceiling that is not given, limited nothing.
        limit.value.datum().number()?;
        Some((
            limit.modifier.phrase.in_lang(locale.lang),
            locale.value_in(limit.value.datum(), ty, amounts),
        ))
    })
}

/// In a year of pays, the amount of a step from the first month on and what the months before gave
/// of it, where that is taken off.
fn settled(trace: &StepTrace, amounts: Amounts, locale: Locale) -> Option<(String, String)> {
    let (earlier, StepResult::Value(_, ty)) = (trace.earlier?, &trace.result) else {
        return None;
    };

    let shown = |amount| locale.value_in(Datum::Number(amount), *ty, amounts);

    Some((shown(earlier.so_far), shown(earlier.taken_off)))
}

/// Longest line that shows a formula together with its operands.
const SHORT: usize = 60;

fn operation(trace: &StepTrace, decimals: u32, locale: Locale) -> Vec<String> {
    let step = trace.step;

    let operands = named(
        &trace.operands,
        |operand| format!("{} =", name(operand, locale.lang)),
        decimals,
        locale,
    );
    match step.sentence() {
        Sentence::Words(words) => {
            // The sentence leaves out a group whose operand this step does not have.
            let shown = |name: &str| {
                let operand = trace.operands.iter().find(|operand| operand.name == name)?;
                Some(locale.operand(operand, decimals))
            };
            vec![pluralized(
                &fill_in(words.in_lang(locale.lang), &shown),
                locale.lang,
            )]
        }
        Sentence::Row => {
            let StepResult::Outputs(outputs) = &trace.result else {
                return vec![operands];
            };

            // The text that a row cites is a source, and is shown as one.
            let found = outputs.iter().filter(|output| output.name != CITED);
            let columns = named(
                found,
                |output| column(output, locale.lang).to_owned(),
                decimals,
                locale,
            );

            vec![say!(
                locale.lang,
                "{operands} : {columns}",
                "{operands}: {columns}"
            )]
        }
        Sentence::Formula => {
            let read = step
                .formula()
                .map(|read| formula(read, locale.lang))
                .unwrap_or_default();

            let line = format!("{read}, {operands}");

            // For a formula `a`, the operand `a = 3` would repeat the result.
            // A short formula has its operands on its own line, a long one below it.
            match operands.is_empty() || is_bare(step) {
                true => vec![read],
                false if line.chars().count() <= SHORT => vec![line],
                false => vec![read, operands],
            }
        }
        Sentence::Operands => vec![operands],
    }
}

/// Whether the formula of a step is a single name or number.
fn is_bare(step: &Step) -> bool {
    let is_leaf = |node: &AstNode| {
        matches!(
            node,
            AstNode::Number(_) | AstNode::Boolean(_) | AstNode::Name(_) | AstNode::Member(..)
        )
    };
    step.formula().is_none_or(|read| is_leaf(&read.node))
}

/// Names with their values: `brut = 450 000 ; famille (taux) = 20 %`.
fn named<'o>(
    operands: impl IntoIterator<Item = &'o Operand<'o>>,
    name: impl Fn(&str) -> String,
    decimals: u32,
    locale: Locale,
) -> String {
    // An optional input that is not given has no value, which a formula may ask about.
    let shown = |operand: &Operand| {
        let found = locale.operand(operand, decimals);
        let found = if found.is_empty() {
            say!(locale.lang, "non donné", "not given")
        } else {
            found
        };

        format!("{} {found}", name(operand.name))
    };

    operands
        .into_iter()
        .map(shown)
        .collect::<Vec<_>>()
        .join(separator(locale.lang))
}

/// The bounds of a slice: `de 630 000 à 1 500 000`.
pub fn bounds(slice: &Slice, locale: Locale) -> String {
    // Bounds are set by the law, and shown without a currency, as the law writes them.
    let from = locale.number(slice.from);
    match slice.to.map(|to| locale.number(to)) {
        Some(to) => say!(locale.lang, "de {from} à {to}", "{from} to {to}"),
        None => say!(locale.lang, "au-delà de {from}", "above {from}"),
    }
}

/// `de 630 000 à 1 500 000 : 20 % × 870 000 = 174 000`
fn slice_line(slice: &Slice, decimals: u32, locale: Locale) -> String {
    let (place, rate) = (bounds(slice, locale), locale.percent(slice.rate));
    let (base, tax) = (
        locale.money(slice.base, decimals),
        locale.money(slice.amount, decimals),
    );

    // A table may print a constant beside the rate, which saves adding up the brackets below.
    let constant = slice.constant.map(|constant| locale.number(constant));
    let constant = constant.map(|constant| {
        say!(
            locale.lang,
            ", constante {constant}",
            ", constant {constant}"
        )
    });
    let constant = constant.unwrap_or_default();

    say!(
        locale.lang,
        "{place} : {rate} × {base}{constant} = {tax}",
        "{place}: {rate} × {base}{constant} = {tax}"
    )
}

/// A table of the slices that hold a part of the base.
pub fn slices<'m>(slices: &[Slice], amounts: impl Into<Amounts<'m>>, locale: Locale) -> Table {
    let (lang, amounts) = (locale.lang, amounts.into());
    let mut table = Table::default()
        .text(say!(lang, "Tranche", "Band"))
        .number(say!(lang, "Assiette", "Base"))
        .number(say!(lang, "Taux", "Rate"))
        .number(say!(lang, "Montant", "Amount"));

    for slice in slices {
        let [base, amount] = [slice.base, slice.amount].map(|amount| locale.money(amount, amounts));
        table.row([bounds(slice, locale), base, rate_of(slice, locale), amount].map(Into::into));
    }

    table
}

/// The rate of a slice, with the constant that a table prints beside it: `1,1 % + 10,33`. Without
/// it, rate and base would not give the amount.
fn rate_of(slice: &Slice, locale: Locale) -> String {
    let rate = locale.percent(slice.rate);
    let Some(constant) = slice.constant.filter(|constant| !constant.is_zero()) else {
        return rate;
    };

    let product = slice.base.saturating_mul(slice.rate);
    let sign = if slice.amount < product {
        '\u{2212}'
    } else {
        '+'
    };
    format!("{rate} {sign} {}", locale.number(constant))
}

/// A phrase with its first letter in upper case.
pub fn capitalized(phrase: &str) -> String {
    let mut letters = phrase.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}
