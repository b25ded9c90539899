//! Formatting of numbers, amounts, rates, values and counts.

use bareme_engine::law::{Operand, Type};
use bareme_engine::text::{Text, french_date, number_french};
use bareme_engine::{Datum, Lang};
use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::currency::{Amounts, with_currency};
use crate::names;

/// The language and the medium of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Locale {
    /// The language.
    pub lang: Lang,
    /// Medium: a terminal or a page.
    pub medium: Medium,
}

/// The medium of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    /// A terminal or a file: every digit, with ordinary spaces.
    Plain,
    /// A page for everybody: amounts with the decimals and the sign of their currency, and no-break
    /// spaces.
    Page,
}

/// A terminal or a file in a language.
impl From<Lang> for Locale {
    fn from(lang: Lang) -> Self {
        Self {
            lang,
            medium: Medium::Plain,
        }
    }
}

impl Locale {
    /// A French page.
    pub const PAGE: Self = Self {
        lang: Lang::Fr,
        medium: Medium::Page,
    };

    /// A page in a language.
    pub const fn page(lang: Lang) -> Self {
        Self {
            lang,
            medium: Medium::Page,
        }
    }

    /// The text in the language.
    pub fn say(self, text: Text) -> &'static str {
        text.in_lang(self.lang)
    }

    /// A number with its thousands separated: `1 296 000,5`, or `1,296,000.5` in English.
    pub fn number(self, value: Decimal) -> String {
        // The French form is exact; the English one only has other signs.
        let french = number_french(value);
        // `number_french` writes `1 296 000,5` with a minus sign of ASCII.
        let shown = if self.lang == Lang::Fr {
            french.replace('-', "\u{2212}")
        } else {
            french.replace(',', ".").replace(' ', ",")
        };

        match self.medium {
            Medium::Plain => shown,
            // A narrow no-break space keeps the digits of a number on one line.
            Medium::Page => shown.replace(' ', "\u{202f}").replace('-', "\u{2212}"),
        }
    }

    /// A number with the decimals of its column.
    pub fn aligned(self, value: Decimal, decimals: u32) -> String {
        let rounded = value.round_dp(decimals).normalize();
        let mut shown = self.number(rounded);
        // A whole number has no decimal mark yet: the zeros follow one.
        if decimals > 0 && rounded.scale() == 0 {
            shown.push(if self.lang == Lang::Fr { ',' } else { '.' });
        }
        shown.extend((rounded.scale()..decimals).map(|_| '0'));

        shown
    }

    /// An amount without its currency: whole, or with `decimals` decimals.
    pub fn amount(self, value: Decimal, decimals: u32) -> String {
        self.aligned(value, Amounts::from(decimals).decimals_of(value))
    }

    /// An amount set by a legal text: whole as in the text, or with the decimals of its currency
    /// and any further ones.
    pub fn set_amount(self, value: Decimal, amounts: Amounts) -> String {
        let scale = value.normalize().scale();

        // A third of an amount has no last decimal: a page shows that it goes on.
        if self.medium == Medium::Page && scale > MOST_OF_A_TEXT {
            let cut = value.trunc_with_scale(amounts.decimals);
            let shown = format!("{}…", self.aligned(cut, amounts.decimals));
            return self.with_sign(shown, amounts);
        }

        // A legal text writes `1 200`, or `1 200,50` with all its decimals.
        let shown = self.aligned(
            value,
            if scale == 0 {
                0
            } else {
                amounts.decimals.max(scale)
            },
        );

        self.with_sign(shown, amounts)
    }

    /// A number set by a legal text: one that has no last decimal is cut on a page, `151,66…`.
    pub fn set_number(self, value: Decimal) -> String {
        if self.medium == Medium::Plain || value.normalize().scale() <= MOST_OF_A_TEXT {
            return self.number(value);
        }

        let cut = value.trunc_with_scale(decimals_of_number(value));
        format!("{}…", self.number(cut))
    }

    /// An amount of a calculation: with its sign on a page; on a terminal exact and without a sign,
    /// to be recalculated beside a unit.
    pub fn money<'m>(self, value: Decimal, amounts: impl Into<Amounts<'m>>) -> String {
        let amounts = amounts.into();
        match self.medium {
            Medium::Page => {
                self.with_sign(self.aligned(value, amounts.decimals_of(value)), amounts)
            }
            Medium::Plain => {
                // A terminal shows every digit, to be checked by hand.
                let decimals = amounts.decimals.max(value.normalize().scale());
                self.aligned(
                    value,
                    Amounts {
                        decimals,
                        ..amounts
                    }
                    .decimals_of(value),
                )
            }
        }
    }

    fn with_sign(self, shown: String, amounts: Amounts) -> String {
        match amounts.currency {
            Some(code) if self.medium == Medium::Page => with_currency(&shown, code, self.lang),
            _ => shown,
        }
    }

    /// A number with its sign, even a positive one: `+12`.
    pub fn signed(self, value: Decimal, decimals: u32) -> String {
        let rounded = value.round_dp(decimals);
        let sign = if rounded > Decimal::ZERO { "+" } else { "" };
        format!("{sign}{}", self.aligned(rounded, decimals))
    }

    /// A fraction in percent: `6,3 %`, or `6.3%` in English.
    pub fn percent(self, fraction: Decimal) -> String {
        // A fraction too great for a hundredfold is shown as it is: no rate of a law is.
        let hundredfold = fraction
            .checked_mul(Decimal::ONE_HUNDRED)
            .unwrap_or(fraction)
            .normalize();
        match (self.medium, self.lang) {
            // Four decimals are more than any rate of a law has.
            (Medium::Page, lang) => format!(
                "{}{}",
                self.number(hundredfold.round_dp(4).normalize()),
                percent_sign(lang)
            ),
            (Medium::Plain, Lang::Fr) => format!("{} %", self.number(hundredfold)),
            (Medium::Plain, Lang::En) => format!("{}%", self.number(hundredfold)),
        }
    }

    /// Formats a value of a calculation by its type; `decimals` are those of an amount.
    pub fn value(self, value: Datum, ty: Type, decimals: u32) -> String {
        self.value_in(value, ty, decimals)
    }

    /// Formats the values of an operand by its type: of one, or of each item of a group.
    pub fn operand<'m>(self, operand: &Operand, amounts: impl Into<Amounts<'m>>) -> String {
        let amounts = amounts.into();
        let values = operand.value.each().iter();
        let shown = values.map(|value| self.value_in(value.datum(), operand.ty, amounts));
        let separator = self.say(LIST_SEPARATOR);
        shown.collect::<Vec<_>>().join(separator)
    }

    /// Formats a value of a calculation by its type, amounts with the sign of their currency.
    pub fn value_in<'m>(self, value: Datum, ty: Type, amounts: impl Into<Amounts<'m>>) -> String {
        match value {
            Datum::Number(rate) if ty == Type::Rate => self.percent(rate),
            Datum::Number(found) if matches!(ty, Type::Money(_)) => self.money(found, amounts),
            Datum::Number(found) if self.medium == Medium::Plain => self.number(found),
            // A page rounds what a division leaves: no reader counts more digits.
            Datum::Number(found) => {
                self.number(found.round_dp(decimals_of_number(found)).normalize())
            }
            Datum::Boolean(value) => self.say(if value { YES } else { NO }).to_owned(),
            Datum::Text(text) if ty == Type::Date => text
                .parse()
                .map_or_else(|_| text.to_owned(), |day| self.day(day)),
            // A word of a table is written as a name.
            Datum::Text(text)
                if self.medium == Medium::Page && text.contains('_') && !text.contains(' ') =>
            {
                names::words(text, self.lang)
            }
            Datum::Text(text) => text.to_owned(),
            Datum::Shown(shown) => shown.to_string(),
            _ => String::new(),
        }
    }

    /// A date: `1er janvier 2026` in French; in English `1 January 2026` on a page.
    pub fn day(self, date: Date) -> String {
        match (self.lang, self.medium) {
            (Lang::Fr, _) => french_date(date),
            (Lang::En, Medium::Page) => date.strftime("%-d %B %Y").to_string(),
            (Lang::En, Medium::Plain) => date.to_string(),
        }
    }

    /// A count with its word: `3 erreurs`.
    pub fn count(self, count: usize, one: Text, many: Text) -> String {
        // In French zero is singular.
        let is_many = if self.lang == Lang::Fr {
            count > 1
        } else {
            count != 1
        };

        format!(
            "{} {}",
            self.number(Decimal::from(count)),
            self.say(if is_many { many } else { one })
        )
    }
}

/// The percent sign of a page, with the space before it.
pub fn percent_sign(lang: Lang) -> &'static str {
    match lang {
        Lang::Fr => "\u{202f}%",
        Lang::En => "%",
    }
}

/// Decimals of a number that is no amount, on a page.
fn decimals_of_number(value: Decimal) -> u32 {
    if value.abs() < Decimal::ONE_HUNDRED {
        4
    } else {
        2
    }
}

/// Decimals that an amount of a legal text has at most; one with more is a quotient.
const MOST_OF_A_TEXT: u32 = 8;
/// Between the values of the items of a group.
const LIST_SEPARATOR: Text = Text::new(" ; ", "; ");
const YES: Text = Text::new("oui", "yes");
const NO: Text = Text::new("non", "no");

#[cfg(test)]
mod tests {
    use super::*;

    const FRENCH: Locale = Locale {
        lang: Lang::Fr,
        medium: Medium::Plain,
    };
    const ENGLISH: Locale = Locale {
        lang: Lang::En,
        medium: Medium::Plain,
    };

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn numbers_follow_the_language_and_the_medium() {
        let value = decimal("-1296000.50");
        assert_eq!(FRENCH.number(value), "\u{2212}1 296 000,5");
        assert_eq!(ENGLISH.number(value), "-1,296,000.5");
        assert_eq!(
            Locale::PAGE.number(value),
            "\u{2212}1\u{202f}296\u{202f}000,5"
        );
        assert_eq!(FRENCH.aligned(value, 2), "\u{2212}1 296 000,50");
        assert_eq!(ENGLISH.aligned(Decimal::from(7), 2), "7.00");
        assert_eq!(FRENCH.aligned(decimal("-0.001"), 2), "0,00");
        assert_eq!(FRENCH.signed(decimal("12.5"), 2), "+12,50");
        assert_eq!(
            (
                FRENCH.percent(decimal("0.0630")),
                ENGLISH.percent(decimal("0.063"))
            ),
            ("6,3 %".into(), "6.3%".into())
        );
        assert_eq!(Locale::PAGE.percent(decimal("0.0945")), "9,45\u{202f}%");
    }

    #[test]
    fn amounts_have_the_decimals_and_the_sign_of_their_currency() {
        let texts = ["1000", "1234.5", "-0.001", "70.126"];
        let (euros, francs) = (
            Amounts {
                decimals: 2,
                currency: Some("EUR"),
            },
            Amounts {
                decimals: 2,
                currency: Some("XOF"),
            },
        );
        let shown = texts.map(|text| Locale::PAGE.money(decimal(text), euros));
        assert_eq!(
            shown,
            [
                "1\u{202f}000,00\u{a0}€",
                "1\u{202f}234,50\u{a0}€",
                "0,00\u{a0}€",
                "70,13\u{a0}€"
            ]
        );
        let shown = texts.map(|text| Locale::PAGE.money(decimal(text), francs));
        assert_eq!(
            shown[..2],
            [
                "1\u{202f}000\u{a0}F\u{a0}CFA",
                "1\u{202f}234,50\u{a0}F\u{a0}CFA"
            ]
        );
        let shown = texts.map(|text| FRENCH.money(decimal(text), euros));
        assert_eq!(shown, ["1 000,00", "1 234,50", "\u{2212}0,001", "70,126"]);
        let shown = texts.map(|text| Locale::PAGE.set_amount(decimal(text), euros));
        assert_eq!(
            shown[..2],
            ["1\u{202f}000\u{a0}€", "1\u{202f}234,50\u{a0}€"]
        );
        let third = Decimal::from(85_000) / Decimal::from(3);
        assert_eq!(
            Locale::PAGE.set_amount(third, euros),
            "28\u{202f}333,33…\u{a0}€"
        );
        let hours = Decimal::from(1820) / Decimal::from(12);
        assert_eq!(
            (
                Locale::PAGE.set_number(hours),
                Locale::PAGE.set_number(decimal("0.93319"))
            ),
            ("151,66…".to_owned(), "0,93319".to_owned())
        );
        assert!(FRENCH.set_number(hours).starts_with("151,6666666"));
        assert_eq!(
            Locale::PAGE.set_amount(decimal("0.123456"), euros),
            "0,123456\u{a0}€"
        );
    }

    #[test]
    fn counts_agree_with_their_word() {
        let words = (Text::new("erreur", "error"), Text::new("erreurs", "errors"));
        let stated = |locale: Locale, count| locale.count(count, words.0, words.1);
        assert_eq!(
            (stated(FRENCH, 0), stated(ENGLISH, 0)),
            ("0 erreur".to_owned(), "0 errors".to_owned())
        );
        assert_eq!(
            (stated(FRENCH, 1200), stated(ENGLISH, 1)),
            ("1 200 erreurs".to_owned(), "1 error".to_owned())
        );
    }
}
