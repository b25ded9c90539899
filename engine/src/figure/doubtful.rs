//! What a figure of the law can say and hardly ever does: thousands after a point, rates over 100 %, negative amounts.

use rust_decimal::Decimal;

use crate::diagnostic::Report;
use crate::number::{number_text, parse_amount, parse_rate};
use crate::problem::Problem;
use crate::types::Type;
use crate::yaml::{Node, Text};

use super::{BoundWord, ROWS, Shape};

/// Looks at each value of a figure; `decimals` are those of the amounts of the method.
pub(crate) fn check_doubtful(node: &Node, shape: &Shape, decimals: u32, report: &mut Report) {
    let rows = node.get(ROWS).map(Node::items).unwrap_or_default();
    for part in [node].into_iter().chain(rows) {
        for (key, value) in part.entries() {
            let column = shape.columns.iter().find(|column| column.name == key.value).map(|column| column.ty);
            let bound = shape.bound.filter(|_| shape.has_rows() && BoundWord::read(&key.value).is_some());
            if let (Some(ty), Some(text)) = (bound.or(column), value.text()) {
                match bound {
                    Some(_) => check_amount(text, ty, decimals, report),
                    None => check_value(&key.value, text, ty, decimals, report),
                }
            }
        }
    }
}

fn check_value(column: &str, text: &Text, ty: Type, decimals: u32, report: &mut Report) {
    // What a law levies is less than what it levies it on; another share may be a little more: 108 % of a pay.
    let most = if column == "rate" { Decimal::ONE } else { Decimal::TWO };
    if ty == Type::Rate && parse_rate(&text.value).is_ok_and(|rate| rate > most) {
        report.warn(&text.place, Problem::RateOverHundred { text: text.value.clone() });
    }
    check_amount(text, ty, decimals, report);
}

fn check_amount(text: &Text, ty: Type, decimals: u32, report: &mut Report) {
    let Type::Money(_) = ty else { return };
    if let Some(problem) = thousands(&text.value, decimals) {
        report.error(&text.place, problem);
    }
    if parse_amount(&text.value).is_ok_and(|amount| amount < Decimal::ZERO) {
        report.warn(&text.place, Problem::NegativeAmount { text: text.value.clone() });
    }
}

/// Whether a bound may be thousands that a point separates.
pub(super) fn reads_in_two_ways(text: &str) -> bool {
    thousands(text, 2).is_some()
}

/// An amount like `60.000`, which reads as 60 and is more often 60 000: three decimals that end in zero, or any three
/// where the currency has none.
fn thousands(text: &str, decimals: u32) -> Option<Problem> {
    let (whole, fraction) = text.split_once('.')?;
    let digits = whole.trim_start_matches('-');
    let is_group = fraction.len() == 3 && (1..=3).contains(&digits.len()) && digits != "0";
    if !is_group || !(fraction.ends_with('0') || decimals == 0) {
        return None;
    }
    let value = parse_amount(text).ok()?;
    let point = if value.scale() == value.normalize().scale() { format!("{text}0") } else { number_text(value) };
    Some(Problem::PointOrThousands { text: text.to_owned(), spaced: format!("{whole} {fraction}"), point })
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, errors, warnings};

    fn with(column: &str) -> String {
        format!("{GROSS}figures:\n  f: {{v: {column}}}\nsteps:\n  x: brut\nanswer:\n  x: x\n  f: f.v\n")
    }

    fn said(column: &str, figure: &str) -> Vec<&'static str> {
        let figure = format!("  f: {{{figure}, source: s}}");
        [errors(&with(column), &figure), warnings(&with(column), &figure)].concat()
    }

    #[test]
    fn what_reads_in_two_ways_is_refused() {
        for amount in ["60.000", "1.250", "-18.500"] {
            assert_eq!(said("money/month", &format!("v: {amount}, per: month"))[0], "G24", "{amount}");
        }
        for amount in ["160.875", "60", "1250.500", "0.500", "18.5", "1 000.500"] {
            assert_eq!(said("money/month", &format!("v: {amount}, per: month")), ["W01"], "{amount}");
        }
        let francs = with("money/month").replace("inputs:", "decimals: 0\ninputs:");
        assert_eq!(errors(&francs, "  f: {v: 160.875, per: month, source: s}"), ["G24"]);
        assert_eq!(said("number", "v: 1.250"), ["W01"]);
    }

    #[test]
    fn what_the_law_hardly_ever_says_is_odd() {
        assert_eq!(said("rate", "v: 630%"), ["W20", "W01"]);
        assert_eq!(said("rate", "v: 108%"), ["W01"]);
        let levied = with("rate").replace("{v: rate}", "{rate: rate}").replace("f.v", "f.rate");
        assert_eq!(warnings(&levied, "  f: {rate: 108%, source: s}"), ["W20", "W01"]);
        assert_eq!(warnings(&levied, "  f: {rate: 100%, source: s}"), ["W01"]);
        assert_eq!(said("money/month", "v: -5, per: month"), ["W19", "W01"]);
        assert_eq!(said("number", "v: -5"), ["W01"]);
    }
}
