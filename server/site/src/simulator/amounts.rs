//! Amounts as a page prints them, with all decimals of their currency, and its sign.

use bareme_engine::law::{Field, Method, Type};
use bareme_show::{Amounts, Locale, currency_decimals, currency_sign};
use rust_decimal::Decimal;

use crate::text::{number, percent};

/// Decimals of a number that is not an amount.
const OTHERS: u32 = 4;

/// The currency of a calculation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Money<'m>(pub Amounts<'m>);

impl<'m> Money<'m> {
    /// The currency of a method.
    pub(super) fn new(method: &'m Method) -> Self {
        let currency = method.currency.as_deref();
        Self(Amounts {
            // A law that counts in halves of a franc is paid in whole ones.
            decimals: currency.map_or(method.decimals, |code| {
                method.decimals.min(currency_decimals(code))
            }),
            currency,
        })
    }

    /// The sign of the currency, or else its code.
    pub(super) fn sign(self) -> &'m str {
        self.0.currency.map(currency_sign).unwrap_or_default()
    }

    /// An amount with all decimals but no sign, for a column whose heading gives the currency.
    pub(super) fn plain(self, amount: Decimal) -> String {
        self.0.plain(amount, Locale::PAGE)
    }

    /// An amount with the sign.
    pub(super) fn text(self, amount: Decimal) -> String {
        self.0.text(amount, Locale::PAGE)
    }

    /// A round amount with the sign: `1 000 €`.
    pub(super) fn round(self, amount: Decimal) -> String {
        format!("{}\u{a0}{}", number(amount.normalize()), self.sign())
            .trim_end()
            .to_owned()
    }

    /// An amount with the sign, without decimals where it is whole: `3 412 €`.
    pub(super) fn short(self, amount: Decimal) -> String {
        if amount.fract().is_zero() {
            self.round(amount)
        } else {
            self.text(amount)
        }
    }

    /// A number of an answer, formatted by the type of its field.
    pub(super) fn of_field(self, field: &Field, found: Decimal) -> String {
        // A whole number is a count, such as days, and has no decimals.
        match field.value_type() {
            Type::Money(_) => self.text(found),
            Type::Rate => percent(found),
            _ if field.json_type() == "integer" => found.normalize().to_string(),
            _ => number(found.round_dp(OTHERS).normalize()),
        }
    }
}
