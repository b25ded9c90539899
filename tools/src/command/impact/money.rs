//! Sums of amounts as a report shows them: in ones, in millions or in billions of the currency.

use bareme_engine::Lang;
use bareme_show::{currency_sign_in, say};
use clap::ValueEnum;
use rust_decimal::Decimal;

use super::compute::Question;
use crate::quantity::Quantity;

/// The unit of the sums of a report. Those for programs are always in ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum TotalsIn {
    /// Ones, to the last decimal.
    #[default]
    Ones,
    /// Millions, with one decimal.
    Millions,
    /// Billions, with two decimals.
    Billions,
}

/// How sums of a field are shown.
#[derive(Debug, Clone)]
pub(super) struct Totals {
    unit: TotalsIn,
    quantity: Quantity,
}

impl Question<'_> {
    /// How sums of the field are shown.
    pub(super) fn totals(&self, unit: TotalsIn) -> Totals {
        Totals {
            unit,
            quantity: self.quantity(),
        }
    }
}

impl Totals {
    fn lang(&self) -> Lang {
        self.quantity.locale.lang
    }

    /// How many ones the unit has, and the decimals that are shown of it.
    fn power(&self) -> Option<(Decimal, u32)> {
        match self.unit {
            TotalsIn::Ones => None,
            TotalsIn::Millions => Some((Decimal::from(1_000_000), 1)),
            TotalsIn::Billions => Some((Decimal::from(1_000_000_000), 2)),
        }
    }

    /// A sum as a number of the unit.
    pub(super) fn number(&self, sum: Decimal) -> Decimal {
        let number = self.power().and_then(|(power, _)| sum.checked_div(power));
        number.unwrap_or(sum)
    }

    /// The word of the unit, `M€`; `None` for ones.
    pub(super) fn word(&self) -> Option<String> {
        let code = self.quantity.currency.as_deref().unwrap_or_default();
        let sign = currency_sign_in(code, self.lang());
        let word = match self.unit {
            TotalsIn::Ones => return None,
            TotalsIn::Millions => say!(self.lang(), "M", "M"),
            TotalsIn::Billions => say!(self.lang(), "Md", "bn"),
        };
        // In French a sign of one letter follows at once, as in `Md€`.
        Some(match sign.chars().count() {
            0 => word,
            1 if self.lang() == Lang::Fr => format!("{word}{sign}"),
            _ => format!("{word}\u{a0}{sign}"),
        })
    }

    /// A sum with its unit.
    pub(super) fn value(&self, sum: Decimal) -> String {
        match self.power().zip(self.word()) {
            None => self.quantity.value(sum),
            Some(((_, decimals), word)) => {
                let number = self.quantity.locale.aligned(self.number(sum), decimals);
                format!("{number}\u{a0}{word}")
            }
        }
    }

    /// A change of a sum, with its sign and its unit.
    pub(super) fn change(&self, sum: Decimal) -> String {
        match self.word() {
            None => self.quantity.change(sum),
            Some(word) => format!("{}\u{a0}{word}", self.signed(sum)),
        }
    }

    /// A sum for a column, whose title has the unit.
    pub(super) fn cell(&self, sum: Decimal) -> String {
        match self.power() {
            None => self.quantity.cell(sum),
            Some((_, decimals)) => self.quantity.locale.aligned(self.number(sum), decimals),
        }
    }

    /// A change of a sum for a column.
    pub(super) fn signed(&self, sum: Decimal) -> String {
        match self.power() {
            None => self.quantity.signed(sum),
            Some((_, decimals)) => self.quantity.locale.signed(self.number(sum), decimals),
        }
    }

    /// A title with the unit of its column or axis: that of sums, or the currency.
    pub(super) fn titled(&self, title: &str) -> String {
        with_unit(title, self.word().or_else(|| self.currency()), self.lang())
    }

    /// A title with the unit of amounts that are no sums.
    pub(super) fn titled_in_ones(&self, title: &str) -> String {
        with_unit(title, self.currency(), self.lang())
    }

    /// The sign of the currency, of amounts; that of percent or points, of rates.
    fn currency(&self) -> Option<String> {
        if !self.quantity.adds_up() {
            let points = self.quantity.unit.is_share();
            return points.then(|| say!(self.lang(), "points", "points"));
        }
        let code = self.quantity.currency.as_deref()?;
        Some(currency_sign_in(code, self.lang()).to_owned())
    }
}

fn with_unit(title: &str, unit: Option<String>, lang: Lang) -> String {
    match unit {
        None => title.to_owned(),
        Some(unit) => say!(lang, "{title}, en {unit}", "{title}, in {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use bareme_show::Locale;
    use bareme_show::curve::Unit;

    use super::*;

    fn shown(unit: TotalsIn, currency: &str, lang: Lang) -> [String; 4] {
        let totals = Totals {
            unit,
            quantity: Quantity {
                unit: Unit::Money,
                decimals: 2,
                currency: Some(currency.to_owned()),
                locale: Locale::from(lang),
            },
        };
        let sum: Decimal = "-1234567890.125".parse().unwrap();
        [
            totals.value(-sum),
            totals.change(sum),
            totals.signed(sum),
            totals.titled("Coût"),
        ]
    }

    #[test]
    fn sums_have_the_unit_that_was_chosen() {
        assert_eq!(
            shown(TotalsIn::Millions, "EUR", Lang::Fr),
            [
                "1 234,6\u{a0}M€",
                "−1 234,6\u{a0}M€",
                "−1 234,6",
                "Coût, en M€"
            ]
        );
        assert_eq!(
            shown(TotalsIn::Billions, "EUR", Lang::Fr),
            ["1,23\u{a0}Md€", "−1,23\u{a0}Md€", "−1,23", "Coût, en Md€"]
        );
        assert_eq!(
            shown(TotalsIn::Billions, "EUR", Lang::En)[0],
            "1.23\u{a0}bn\u{a0}€"
        );
        assert_eq!(
            shown(TotalsIn::Millions, "CHF", Lang::Fr)[3],
            "Coût, en M\u{a0}CHF"
        );
        assert_eq!(shown(TotalsIn::Ones, "EUR", Lang::Fr)[3], "Coût, en €");
    }
}
