//! Doubtful values of figures: a point that may separate thousands, and values beyond the limits of
//! their column.

use crate::law::types::Type;
use crate::text::number::{parse_amount, parse_rate};
use crate::text::{Node, PlacedText, Problem, Report, number_text};

use super::{Limits, Shape, parts_of};

/// Checks each value of a figure; `decimals` are those of the currency.
pub(crate) fn check_plausibility(node: &Node, shape: &Shape, decimals: u32, report: &mut Report) {
    for part in parts_of(node) {
        for (key, value) in part.entries() {
            // In a row, `over` or `up_to` is the bound; in a record, a column of that name.
            let column = shape.columns.iter().find(|column| column.name == key.value);
            let is_bound = shape.is_bound(&key.value);
            let of_bound = if is_bound { shape.bound } else { None };
            let bound = of_bound.map(|ty| Declared {
                column: "bound",
                ty,
                limits: shape.bound_limits,
            });
            let declared = bound.or(column.map(|column| Declared {
                column: &column.name,
                ty: column.ty,
                limits: column.limits,
            }));

            if let (Some(declared), Some(text)) = (declared, value.text()) {
                check_value(&declared, text, decimals, report);
            }
        }
    }
}

/// Declared type and limits of the values of a column, or of the bound of a row.
struct Declared<'s> {
    column: &'s str,
    ty: Type,
    limits: Limits,
}

fn check_value(declared: &Declared, text: &PlacedText, decimals: u32, report: &mut Report) {
    let ty = declared.ty;

    // A point between thousands is the likelier mistake: the value is then not checked against
    // limits.
    if let (Type::Money(_), Some(problem)) = (ty, thousands(&text.value, decimals)) {
        report.error(&text.place, problem);
        return;
    }

    let read = if ty == Type::Rate {
        parse_rate(&text.value)
    } else {
        parse_amount(&text.value)
    };

    if let (Ok(value), true) = (read, ty.is_numeric()) {
        declared
            .limits
            .check(declared.column, text, ty, value, report);
    }
}

/// Whether the text of a bound may be a number with a point between thousands.
pub(super) fn is_ambiguous(text: &str) -> bool {
    // The decimals of the currency are not at hand: most have two.
    thousands(text, 2).is_some()
}

/// An amount like `60.000`, which reads as 60 and is more often 60 000: three decimals that end in
/// zero, or any three where the currency has none.
pub(crate) fn thousands(text: &str, decimals: u32) -> Option<Problem> {
    let (whole, fraction) = text.split_once('.')?;
    let digits = whole.trim_start_matches('-');

    // Three digits after the point, one to three before it: the way thousands are grouped.
    let is_group = fraction.len() == 3 && (1..=3).contains(&digits.len()) && digits != "0";
    if !is_group || !(fraction.ends_with('0') || decimals == 0) {
        return None;
    }

    let value = parse_amount(text).ok()?;
    // The number that the author may have meant by the point, in an unambiguous notation.
    let point = if value.scale() == value.normalize().scale() {
        format!("{text}0")
    } else {
        number_text(value)
    };

    Some(Problem::PointOrThousands {
        text: text.to_owned(),
        spaced: format!("{whole} {fraction}"),
        point,
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, errors, warnings};

    fn with(column: &str) -> String {
        format!(
            "{GROSS}figures:\n  f: {{v: {column}}}\nsteps:\n  x: brut\nanswer:\n  x: x\n  f: f.v\n"
        )
    }

    fn codes(column: &str, figure: &str) -> Vec<&'static str> {
        let figure = format!("  f: {{{figure}, source: s}}");
        [
            errors(&with(column), &figure),
            warnings(&with(column), &figure),
        ]
        .concat()
    }

    #[test]
    fn what_reads_in_two_ways_is_refused() {
        for amount in ["60.000", "1.250", "-18.500"] {
            assert_eq!(
                codes("money/month", &format!("v: {amount}, per: month"))[0],
                "G24",
                "{amount}"
            );
        }
        for amount in ["160.875", "60", "1250.500", "0.500", "18.5", "1 000.500"] {
            assert_eq!(
                codes("money/month", &format!("v: {amount}, per: month")),
                ["W01"],
                "{amount}"
            );
        }
        let francs = with("money/month").replace("inputs:", "decimals: 0\ninputs:");
        assert_eq!(
            errors(&francs, "  f: {v: 160.875, per: month, source: s}"),
            ["G24"]
        );
        assert_eq!(codes("number", "v: 1.250"), ["W01"]);
    }

    #[test]
    fn what_the_law_hardly_ever_says_is_refused_unless_the_method_admits_it() {
        let admitted = |column: &str, key: &str| format!("{{type: {column}, {key}}}");
        for (column, value, key) in [
            ("rate", "630%", "max: 1000%"),
            ("rate", "108%", "max: 108%"),
            ("rate", "-0.5%", "min: -1%"),
            ("money/month", "-5", "min: -5"),
        ] {
            let figure = if column == "rate" {
                format!("v: {value}")
            } else {
                format!("v: {value}, per: month")
            };
            assert_eq!(codes(column, &figure)[0], "G29", "{value}");
            assert_eq!(codes(&admitted(column, key), &figure), ["W01"], "{value}");
        }
        assert_eq!(codes("rate", "v: 100%"), ["W01"]);
        assert_eq!(codes("number", "v: -5"), ["W01"]);
        assert_eq!(codes("{type: number, min: 0}", "v: -5")[0], "G29");
        assert_eq!(
            codes("{type: optional rate, max: 200%}", "v: 150%"),
            ["W01"]
        );
        assert_eq!(codes("{type: rate, max: 1%, min: 2%}", "v: 1%")[0], "I05");
    }

    #[test]
    fn a_bound_is_not_negative_unless_the_method_admits_it() {
        let keyed = |bound: &str| {
            format!(
                "{GROSS}figures:\n  f: {{bound: {bound}, v: rate}}\nsteps:\n  x: {{table: f, by: \
                 brut}}\nanswer:\n  x: x.v\n"
            )
        };
        let figure = "  f: {per: month, source: s, rows: [{up_to: -5, v: 1%}, {v: 2%}]}";
        assert_eq!(errors(&keyed("money/month"), figure), ["G29"]);
        assert_eq!(
            errors(&keyed("{type: money/month, min: -10}"), figure),
            Vec::<&str>::new()
        );
    }
}
