//! Two editions of a scale side by side, figure by figure.

use bareme_engine::Lang;
use bareme_engine::law::{Type, Value};
use bareme_engine::run::Edition;
use bareme_show::{Locale, figures, say};
use rust_decimal::Decimal;

/// A value of two editions.
#[derive(Debug)]
pub(crate) struct Line {
    /// The figure that it belongs to.
    pub figure: String,
    pub label: String,
    pub old: Option<String>,
    pub new: Option<String>,
    /// Its change in words; empty for an unchanged value.
    pub change: String,
}

type TypedValue = (Value, Type);

/// Every value of two editions, in the order of the newer one, followed by removed values.
pub(crate) fn lines(old: &Edition, new: &Edition, lang: Lang) -> Vec<Line> {
    let shown = |found: Option<&TypedValue>| {
        found.map(|(value, ty)| figures::value(value, *ty, new.method().decimals, lang.into()))
    };

    let line = |line: &figures::Line| {
        let [new, old] = [0, 1].map(|index| line.values.get(index).and_then(Option::as_ref));
        Line {
            figure: line.figure.to_owned(),
            label: line.path(lang),
            old: shown(old),
            new: shown(new),
            change: change(old, new, lang),
        }
    };

    figures::side_by_side(&[new, old])
        .iter()
        .map(line)
        .collect()
}

/// The change of a value in words; empty for an unchanged value.
fn change(old: Option<&TypedValue>, new: Option<&TypedValue>, lang: Lang) -> String {
    let (old, new, ty) = match (old, new) {
        (None, _) => return say!(lang, "nouveau", "new"),
        (_, None) => return say!(lang, "disparu", "gone"),
        (Some((old, _)), Some((new, _))) if old == new => return String::new(),
        (Some((Value::Number(old), _)), Some((Value::Number(new), ty))) => (*old, *new, *ty),
        _ => return say!(lang, "changé", "changed"),
    };

    let difference = new.saturating_sub(old);
    // The change of a rate is in points: a percentage of a percentage would be misread.
    let signed = |value: Decimal| {
        let sign = if value > Decimal::ZERO { "+" } else { "" };
        format!(
            "{sign}{}",
            Locale::from(lang).number(value.round_dp(2).normalize())
        )
    };

    if ty == Type::Rate {
        let points = signed(difference.saturating_mul(Decimal::ONE_HUNDRED));
        return say!(lang, "{points} pt", "{points} pt");
    }

    // Of 0 there is no percentage: the difference is shown.
    match difference
        .saturating_mul(Decimal::ONE_HUNDRED)
        .checked_div(old.abs())
    {
        Some(share) => format!("{} %", signed(share)),
        None => signed(difference),
    }
}
