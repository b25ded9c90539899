//! Values of a measured field in words: amounts with their currency, rates in percent and their
//! changes in points, other numbers as they are.

use bareme_show::curve::Unit;
use bareme_show::{Locale, Text, say};
use rust_decimal::Decimal;

/// Decimals of a share in percent, and of its changes in points.
const OF_SHARES: u32 = 2;

/// A field whose values are shown.
#[derive(Debug, Clone)]
pub(crate) struct Quantity {
    pub unit: Unit,
    /// Decimals of an amount.
    pub decimals: u32,
    pub currency: Option<String>,
    pub locale: Locale,
}

impl Quantity {
    /// The same with other decimals of its amounts.
    pub(crate) fn with_decimals(&self, decimals: u32) -> Self {
        Self {
            decimals,
            ..self.clone()
        }
    }

    /// Whether a sum over people means something: of amounts it does, of rates and of counts the
    /// mean is given instead.
    pub(crate) fn adds_up(&self) -> bool {
        self.unit == Unit::Money
    }

    /// The word of its unit in JSON, which has values as answers have them: a fraction is 0.07 for
    /// 7 %.
    pub(crate) fn unit_word(&self) -> Text {
        match self.unit {
            Unit::Money => Text::new("montant", "amount"),
            Unit::Fraction => Text::new("fraction", "fraction"),
            Unit::Percent => Text::new("pourcentage", "percentage"),
            Unit::Number => Text::new("nombre", "number"),
        }
    }

    /// A value with its unit: `1 296,00 EUR`, `7,01 %`, `12`.
    pub(crate) fn value(&self, value: Decimal) -> String {
        match self.unit {
            Unit::Money => self.with_currency(self.locale.amount(value, self.decimals)),
            Unit::Fraction | Unit::Percent | Unit::Number => self.cell(value),
        }
    }

    /// A change with its sign and its unit: `+12,00 EUR`, `−0,5 pt`, `+3`.
    pub(crate) fn change(&self, value: Decimal) -> String {
        match self.unit {
            Unit::Money => {
                let sign = if value > Decimal::ZERO { "+" } else { "" };
                format!("{sign}{}", self.value(value))
            }
            Unit::Fraction | Unit::Percent | Unit::Number => self.signed(value),
        }
    }

    /// A value for a column: an amount without its currency.
    pub(crate) fn cell(&self, value: Decimal) -> String {
        let shown = self.unit.shown(value);
        match self.unit {
            // Answers have a fraction (0.07), people read percents (7 %): the value is converted
            // before it is rounded.
            // Amounts in a column are padded to the same decimals, so that their decimal points are
            // aligned.
            Unit::Money => self.locale.aligned(shown, self.decimals),
            Unit::Fraction | Unit::Percent => {
                format!("{} %", self.locale.aligned(shown, OF_SHARES))
            }
            Unit::Number => self.locale.number(shown.round_dp(OF_SHARES).normalize()),
        }
    }

    /// A change for a column: an amount without its currency.
    pub(crate) fn signed(&self, value: Decimal) -> String {
        let shown = self.unit.shown(value);
        match self.unit {
            Unit::Money => self.locale.signed(shown, self.decimals),
            Unit::Fraction | Unit::Percent => {
                let points = self.locale.signed(shown, OF_SHARES);
                say!(self.locale.lang, "{points} pt", "{points} pt")
            }
            Unit::Number => {
                let sign = if shown > Decimal::ZERO { "+" } else { "" };
                format!(
                    "{sign}{}",
                    self.locale.number(shown.round_dp(OF_SHARES).normalize())
                )
            }
        }
    }

    fn with_currency(&self, shown: String) -> String {
        format!("{shown} {}", self.currency.as_deref().unwrap_or_default())
            .trim_end()
            .to_owned()
    }
}

#[cfg(test)]
mod tests {
    use bareme_engine::Lang;

    use super::*;

    #[test]
    fn each_unit_is_shown_as_people_read_it() {
        let shown = |unit, value: &str| {
            let currency = Some("EUR".to_owned());
            let quantity = Quantity {
                unit,
                decimals: 2,
                currency,
                locale: Locale::from(Lang::Fr),
            };
            let value: Decimal = value.parse().unwrap();
            [
                quantity.value(value),
                quantity.change(value),
                quantity.cell(value),
                quantity.signed(value),
            ]
            .join(" | ")
        };
        assert_eq!(
            shown(Unit::Money, "1234.5"),
            "1 234,50 EUR | +1 234,50 EUR | 1 234,50 | +1 234,50"
        );
        assert_eq!(
            shown(Unit::Fraction, "0.0346"),
            "3,46 % | +3,46 pt | 3,46 % | +3,46 pt"
        );
        assert_eq!(
            shown(Unit::Percent, "-15.73"),
            "−15,73 % | −15,73 pt | −15,73 % | −15,73 pt"
        );
        assert_eq!(shown(Unit::Number, "12"), "12 | +12 | 12 | +12");
    }
}
