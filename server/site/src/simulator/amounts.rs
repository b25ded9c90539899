//! Amounts as a page prints them, with all decimals of their currency, and its sign.

use bareme_engine::law::{Field, Method, Type};
use bareme_engine::text::Datum;
use bareme_engine::{Calculation, Lang};
use bareme_show::{Amounts, Locale, currency_decimals, currency_sign_in, with_currency};
use rust_decimal::Decimal;

/// Decimals of a number that is not an amount.
const OTHERS: u32 = 4;

/// The currency of a calculation, and the manner of writing its amounts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Money<'m>(pub Amounts<'m>, pub Locale);

/// The field of an answer with the currency, where the method of several countries has none.
const CURRENCY: &str = "devise";

impl<'m> Money<'m> {
    /// The currency of a method.
    pub(super) fn new(method: &'m Method) -> Self {
        Self::in_currency(method, method.currency.as_deref())
    }

    /// The sign of the currency that a field of an answer names; `None` for any other field.
    pub(super) fn sign_of_field(self, field: &Field, text: &str) -> Option<String> {
        let sign = currency_sign_in(text, self.1.lang).to_owned();
        (field.name == CURRENCY).then_some(sign)
    }

    /// The currency of an answer: that of its method, or the one that the answer names.
    pub(super) fn of(calculation: &'m Calculation) -> Self {
        let method = calculation.edition().method();
        let named = || match calculation.field(CURRENCY)?.datum() {
            Datum::Text(code) => Some(code),
            _ => None,
        };
        Self::in_currency(method, method.currency.as_deref().or_else(named))
    }

    fn in_currency(method: &'m Method, currency: Option<&'m str>) -> Self {
        let amounts = Amounts {
            // A law that counts in halves of a franc is paid in whole ones.
            decimals: currency.map_or(method.decimals, |code| {
                method.decimals.min(currency_decimals(code))
            }),
            currency,
        };
        Self(amounts, Locale::page(method.lang))
    }

    /// Language of the page.
    pub(super) fn lang(self) -> Lang {
        self.1.lang
    }

    /// A fraction as a percentage.
    pub(super) fn percent(self, fraction: Decimal) -> String {
        self.1.percent(fraction)
    }

    /// The sign of the currency, or else its code.
    pub(super) fn sign(self) -> &'m str {
        let sign = self.0.currency;
        sign.map(|code| currency_sign_in(code, self.1.lang))
            .unwrap_or_default()
    }

    /// An amount with all decimals but no sign, for a column whose heading gives the currency.
    pub(super) fn plain(self, amount: Decimal) -> String {
        self.0.plain(amount, self.1)
    }

    /// An amount with the sign.
    pub(super) fn text(self, amount: Decimal) -> String {
        self.0.text(amount, self.1)
    }

    /// A round amount with the sign: `1 000 €`.
    pub(super) fn round(self, amount: Decimal) -> String {
        let number = self.1.number(amount.normalize());
        match self.0.currency {
            Some(code) => with_currency(&number, code, self.1.lang),
            None => number,
        }
    }

    /// An amount with the sign, without decimals where it is whole: `3 412 €`.
    pub(super) fn short(self, amount: Decimal) -> String {
        if amount.fract().is_zero() {
            self.round(amount)
        } else {
            self.text(amount)
        }
    }

    /// An amount; one below a unit of money, such as the price of a kilometre, with all of the
    /// decimals that the law rounds it to.
    fn priced(self, amount: Decimal) -> String {
        let (usual, own) = (self.0.decimals, amount.normalize().scale());
        let is_price = amount.abs() < Decimal::ONE && usual > 0 && own <= OTHERS;
        let decimals = if is_price { usual.max(own) } else { usual };
        Amounts { decimals, ..self.0 }.text(amount, self.1)
    }

    /// A number of an answer, formatted by the type of its field.
    pub(super) fn of_field(self, field: &Field, found: Decimal) -> String {
        // A whole number is a count, such as days, and has no decimals.
        match field.value_type() {
            Type::Money(_) => self.priced(found),
            Type::Rate => self.percent(found),
            _ if field.json_type() == "integer" => found.normalize().to_string(),
            _ => self.1.number(found.round_dp(OTHERS).normalize()),
        }
    }
}
