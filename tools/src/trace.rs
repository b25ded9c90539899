//! The steps of a calculation, put in words.

use bareme_engine::{
    Calculation, CalculationError, Lang, Operand, RoundMode, Roundings, Sentence, Slice, Step, StepResult, StepTrace,
};

use crate::formula_words::{formula, unit};
use crate::page::{Cell, Table};
use crate::session::say;
use crate::words::{number, percent, value};

/// What a table of steps says of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Its label and its result.
    Result,
    /// How it was worked out too, with the numbers of its sources and what its result is counted in.
    Full,
}

/// The steps of a calculation that are wanted; `numbering`: the ids of the sources, in the order of their list.
///
/// # Errors
/// A fault of the engine.
pub(crate) fn table(
    calculation: &Calculation,
    wanted: impl Fn(&Step) -> bool,
    depth: Depth,
    numbering: &[&str],
    lang: Lang,
) -> Result<Table, CalculationError> {
    let currency = calculation.edition().method().currency.as_deref();
    let mut table = Table::default().text(say!(lang, "Étape", "Step")).number(say!(lang, "Résultat", "Result"));
    if depth == Depth::Full {
        table = table.text(say!(lang, "Unité", "Unit"));
    }
    for trace in calculation.steps()?.iter().filter(|trace| wanted(trace.step)) {
        if depth == Depth::Full && !trace.applied {
            continue;
        }
        let mut cell = trace.step.title().to_owned();
        if depth == Depth::Full {
            for line in how(trace, numbering, lang) {
                cell.push_str("\n  ");
                cell.push_str(&line);
            }
        }
        let cells = [Cell::from(cell), result(trace, lang).into()].into_iter();
        table.row(cells.chain((depth == Depth::Full).then(|| unit_of(trace, currency, lang).into())));
    }
    Ok(table)
}

/// Labels of the steps that did not apply.
///
/// # Errors
/// A fault of the engine.
pub(crate) fn skipped<'c>(calculation: &'c Calculation) -> Result<Vec<&'c str>, CalculationError> {
    Ok(calculation.steps()?.iter().filter(|trace| !trace.applied).map(|trace| trace.step.title()).collect())
}

/// What came out; nothing where the step gives several values.
fn result(trace: &StepTrace, lang: Lang) -> String {
    match &trace.result {
        _ if !trace.applied => "–".to_owned(),
        StepResult::Value(found, ty) => value(found.datum(), *ty, lang),
        StepResult::Outputs(_) => String::new(),
    }
}

/// What the result is counted in.
fn unit_of(trace: &StepTrace, currency: Option<&str>, lang: Lang) -> String {
    match &trace.result {
        StepResult::Value(_, ty) => unit(*ty, currency, lang).unwrap_or_default(),
        StepResult::Outputs(_) => String::new(),
    }
}

/// How a step was worked out, a line each: operands, slices, limits, rounding, article.
fn how(trace: &StepTrace, numbering: &[&str], lang: Lang) -> Vec<String> {
    let mut lines = operation(trace, lang);
    lines.extend(trace.slices.iter().map(|slice| slice_line(slice, lang)));
    let mut ends = Vec::new();
    for limit in &trace.limits {
        let phrase = limit.modifier.phrase.in_lang(lang);
        ends.extend(limit.value.datum().number().map(|limit| format!("{phrase} {}", number(limit, lang))));
    }
    if !trace.rounding.0.is_empty() {
        let rounding = rounded(&trace.rounding, lang);
        ends.push(say!(lang, "arrondi {rounding}", "rounded {rounding}"));
    }
    if !ends.is_empty() {
        lines.push(ends.join(", "));
    }
    let law = trace.step.law.as_deref().unwrap_or_default();
    let cited = cited(trace, numbering);
    if !law.is_empty() || !cited.is_empty() {
        lines.push(format!("{law} {cited}").trim().to_owned());
    }
    lines
}

fn rounded(roundings: &Roundings, lang: Lang) -> String {
    if lang == Lang::Fr {
        return roundings.to_string();
    }
    let one = |rounding: &bareme_engine::Rounding<_>| {
        let mode = match rounding.mode {
            RoundMode::HalfUp => "to the nearest",
            RoundMode::Down => "down to",
            RoundMode::Up => "up to",
        };
        format!("{mode} {}", number(rounding.unit, lang))
    };
    roundings.0.iter().map(one).collect::<Vec<_>>().join(", then ")
}

/// The numbers of the sources of a step, `[1, 3]`.
fn cited(trace: &StepTrace, numbering: &[&str]) -> String {
    let cited = numbering.iter().enumerate().filter(|(_, id)| trace.sources.contains(id));
    let cited: Vec<String> = cited.map(|(index, _)| (index + 1).to_string()).collect();
    if cited.is_empty() { String::new() } else { format!("[{}]", cited.join(", ")) }
}

/// A formula and what it reads share a line up to this length.
const SHORT: usize = 60;

fn operation(trace: &StepTrace, lang: Lang) -> Vec<String> {
    let step = trace.step;
    match step.sentence() {
        Sentence::Words { fr, en } => {
            let shown = |name: &str| {
                let operand = trace.operands.iter().find(|operand| operand.name == name)?;
                Some(value(operand.value.datum(), operand.ty, lang))
            };
            vec![worded(if lang == Lang::Fr { fr } else { en }, &shown)]
        }
        Sentence::Row => {
            let StepResult::Outputs(outputs) = &trace.result else { return vec![named(&trace.operands, " = ", lang)] };
            let found = outputs.iter().filter(|output| output.name != "source");
            vec![format!("{} : {}", named(&trace.operands, " = ", lang), named(found, " ", lang))]
        }
        Sentence::Formula => {
            let operands = named(&trace.operands, " = ", lang);
            // `a = 3` beside the formula `a` says nothing more than the result.
            let is_bare = !step.formula.contains([' ', '(']);
            let read = formula(&step.formula, lang);
            let line = format!("{read}, {operands}");
            match operands.is_empty() || is_bare {
                true => vec![read],
                false if line.chars().count() <= SHORT => vec![line],
                false => vec![read, operands],
            }
        }
        Sentence::Operands => vec![named(&trace.operands, " = ", lang)],
    }
}

/// The sentence of a kind with its operands in place.
fn worded(sentence: &str, shown: &dyn Fn(&str) -> Option<String>) -> String {
    Words { left: sentence, shown }.group().text
}

/// A sentence of a kind that is being worded.
struct Words<'w> {
    left: &'w str,
    shown: &'w dyn Fn(&str) -> Option<String>,
}

/// What a part of a sentence gives.
#[derive(Default)]
struct Worded {
    text: String,
    /// Whether an operand is missing.
    is_lacking: bool,
    /// Whether each part in brackets is shown.
    inner: Vec<bool>,
}

impl Worded {
    fn is_shown(&self) -> bool {
        !self.is_lacking && (self.inner.is_empty() || self.inner.contains(&true))
    }
}

impl Words<'_> {
    /// Up to the end of the sentence or of what is in brackets.
    fn group(&mut self) -> Worded {
        let mut out = Worded::default();
        while let Some(letter) = self.next() {
            match letter {
                ']' => break,
                '[' => {
                    let inner = self.group();
                    out.inner.push(inner.is_shown());
                    if inner.is_shown() {
                        out.text.push_str(&inner.text);
                    }
                }
                '{' => match (self.shown)(self.name()) {
                    Some(value) => out.text.push_str(&value),
                    None => out.is_lacking = true,
                },
                letter => out.text.push(letter),
            }
        }
        out
    }

    fn next(&mut self) -> Option<char> {
        let mut letters = self.left.chars();
        let letter = letters.next();
        self.left = letters.as_str();
        letter
    }

    /// The name that ends with `}`.
    fn name(&mut self) -> &str {
        let (name, left) = self.left.split_once('}').unwrap_or((self.left, ""));
        self.left = left;
        name
    }
}

/// `brut = 450 000 ; famille (taux) = 20 %`
fn named<'o>(operands: impl IntoIterator<Item = &'o Operand<'o>>, between: &str, lang: Lang) -> String {
    let shown = |operand: &Operand| {
        let (name, found) = (formula(operand.name, lang), value(operand.value.datum(), operand.ty, lang));
        let found = if found.is_empty() { say!(lang, "non donné", "not given") } else { found };
        format!("{name}{between}{found}")
    };
    operands.into_iter().map(shown).collect::<Vec<_>>().join(" ; ")
}

/// `630 000 à 1 500 000 : 20 % x 870 000 = 174 000`
fn slice_line(slice: &Slice, lang: Lang) -> String {
    let amount = |amount| number(amount, lang);
    let (from, base, tax) = (amount(slice.from), amount(slice.base), amount(slice.amount));
    let place = match slice.to.map(amount) {
        Some(to) => say!(lang, "de {from} à {to}", "{from} to {to}"),
        None => say!(lang, "au-delà de {from}", "above {from}"),
    };
    let constant =
        slice.constant.map(amount).map(|constant| say!(lang, ", constante {constant}", ", constant {constant}"));
    format!("{place} : {} x {base}{} = {tax}", percent(slice.rate, lang), constant.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lacks_an_operand_is_left_out_of_a_sentence() {
        let sentence = "{a} x {b}[ ({c}[, floor {d}][, ceiling {e}])][, at most {f}]";
        let with = |known: &str| worded(sentence, &|name: &str| known.contains(name).then(|| name.to_uppercase()));
        assert_eq!(with("abc"), "A x B");
        assert_eq!(with("abce"), "A x B (C, ceiling E)");
        assert_eq!(with("abcdef"), "A x B (C, floor D, ceiling E), at most F");
    }
}
