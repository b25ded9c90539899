//! Numbers, amounts, rates, values and counts as they are read.

use bareme_engine::law::Type;
use bareme_engine::text::{Text, number_french};
use bareme_engine::{Datum, Lang};
use rust_decimal::Decimal;

/// The language of what is shown, and where it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Locale {
    /// The language.
    pub lang: Lang,
    /// Medium: a terminal or a page.
    pub medium: Medium,
}

/// The medium on which something is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    /// On a terminal or in a file: every digit, with the spaces and the minus of a keyboard.
    Plain,
    /// On a page for everybody: amounts with the decimals of their currency, the spaces and the minus of a printer.
    Page,
}

/// A terminal or a file in a language.
impl From<Lang> for Locale {
    fn from(lang: Lang) -> Self {
        Self { lang, medium: Medium::Plain }
    }
}

impl Locale {
    /// A French page.
    pub const PAGE: Self = Self { lang: Lang::Fr, medium: Medium::Page };

    /// One of two texts.
    pub fn say(self, text: Text) -> &'static str {
        text.in_lang(self.lang)
    }

    /// A number with its thousands apart: `1 296 000,5`, or `1,296,000.5` in English.
    pub fn number(self, value: Decimal) -> String {
        let french = number_french(value);
        let shown = if self.lang == Lang::Fr { french } else { french.replace(',', ".").replace(' ', ",") };
        match self.medium {
            Medium::Plain => shown,
            Medium::Page => shown.replace(' ', "\u{202f}").replace('-', "\u{2212}"),
        }
    }

    /// A number with as many decimals as the others of its column.
    pub fn aligned(self, value: Decimal, decimals: u32) -> String {
        let rounded = value.round_dp(decimals).normalize();
        let mut shown = self.number(rounded);
        if decimals > 0 && rounded.scale() == 0 {
            shown.push(if self.lang == Lang::Fr { ',' } else { '.' });
        }
        shown.extend((rounded.scale()..decimals).map(|_| '0'));
        shown
    }

    /// An amount that stands alone: whole, or with all the decimals of its currency.
    pub fn amount(self, value: Decimal, decimals: u32) -> String {
        let is_whole = value.round_dp(decimals).fract().is_zero();
        self.aligned(value, if is_whole { 0 } else { decimals })
    }

    /// The same with every decimal that it has beyond those of its currency.
    pub fn exact_amount(self, value: Decimal, decimals: u32) -> String {
        self.amount(value, decimals.max(value.normalize().scale()))
    }

    /// An amount of a calculation: exact on a terminal, where it is there to be worked out again.
    pub fn money(self, value: Decimal, decimals: u32) -> String {
        match self.medium {
            Medium::Page => self.amount(value, decimals),
            Medium::Plain => self.exact_amount(value, decimals),
        }
    }

    /// A number after its sign, also where it is positive: `+12`.
    pub fn signed(self, value: Decimal, decimals: u32) -> String {
        let rounded = value.round_dp(decimals);
        let sign = if rounded > Decimal::ZERO { "+" } else { "" };
        format!("{sign}{}", self.aligned(rounded, decimals))
    }

    /// A fraction in percent: `6,3 %`, or `6.3%` in English.
    pub fn percent(self, fraction: Decimal) -> String {
        let hundredfold = fraction.checked_mul(Decimal::ONE_HUNDRED).unwrap_or(fraction).normalize();
        match (self.medium, self.lang) {
            (Medium::Page, _) => format!("{}\u{202f}%", self.number(hundredfold.round_dp(4).normalize())),
            (Medium::Plain, Lang::Fr) => format!("{} %", self.number(hundredfold)),
            (Medium::Plain, Lang::En) => format!("{}%", self.number(hundredfold)),
        }
    }

    /// A value of a calculation, by its type; `decimals`: those of an amount.
    pub fn value(self, value: Datum, ty: Type, decimals: u32) -> String {
        match value {
            Datum::Number(rate) if ty == Type::Rate => self.percent(rate),
            Datum::Number(found) if matches!(ty, Type::Money(_)) => self.money(found, decimals),
            Datum::Number(found) if self.medium == Medium::Plain => self.number(found),
            Datum::Number(found) => self.number(found.round_dp(6).normalize()),
            Datum::Boolean(value) => self.say(if value { YES } else { NO }).to_owned(),
            Datum::Text(text) => text.to_owned(),
            Datum::Shown(shown) => shown.to_string(),
            _ => String::new(),
        }
    }

    /// A count with its word: `3 erreurs`.
    pub fn count(self, count: usize, one: Text, many: Text) -> String {
        // In French zero is singular.
        let is_many = if self.lang == Lang::Fr { count > 1 } else { count != 1 };
        format!("{} {}", self.number(Decimal::from(count)), self.say(if is_many { many } else { one }))
    }
}

const YES: Text = Text::new("oui", "yes");
const NO: Text = Text::new("non", "no");

#[cfg(test)]
mod tests {
    use super::*;

    const FRENCH: Locale = Locale { lang: Lang::Fr, medium: Medium::Plain };
    const ENGLISH: Locale = Locale { lang: Lang::En, medium: Medium::Plain };

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn numbers_follow_the_language_and_the_medium() {
        let value = decimal("-1296000.50");
        assert_eq!(FRENCH.number(value), "-1 296 000,5");
        assert_eq!(ENGLISH.number(value), "-1,296,000.5");
        assert_eq!(Locale::PAGE.number(value), "\u{2212}1\u{202f}296\u{202f}000,5");
        assert_eq!(FRENCH.aligned(value, 2), "-1 296 000,50");
        assert_eq!(ENGLISH.aligned(Decimal::from(7), 2), "7.00");
        assert_eq!(FRENCH.aligned(decimal("-0.001"), 2), "0,00");
        assert_eq!(FRENCH.signed(decimal("12.5"), 2), "+12,50");
        assert_eq!(
            (FRENCH.percent(decimal("0.0630")), ENGLISH.percent(decimal("0.063"))),
            ("6,3 %".into(), "6.3%".into())
        );
        assert_eq!(Locale::PAGE.percent(decimal("0.0945")), "9,45\u{202f}%");
    }

    #[test]
    fn amounts_have_the_decimals_of_their_currency_or_none() {
        let shown = ["1000", "1234.5", "-0.005", "70.126"].map(|text| Locale::PAGE.amount(decimal(text), 2));
        assert_eq!(shown, ["1\u{202f}000", "1\u{202f}234,50", "0", "70,13"]);
        let shown = ["1000", "1234.5", "-0.005", "70.126"].map(|text| FRENCH.money(decimal(text), 2));
        assert_eq!(shown, ["1 000", "1 234,50", "-0,005", "70,126"]);
    }

    #[test]
    fn counts_agree_with_their_word() {
        let words = (Text::new("erreur", "error"), Text::new("erreurs", "errors"));
        let said = |locale: Locale, count| locale.count(count, words.0, words.1);
        assert_eq!((said(FRENCH, 0), said(ENGLISH, 0)), ("0 erreur".to_owned(), "0 errors".to_owned()));
        assert_eq!((said(FRENCH, 1200), said(ENGLISH, 1)), ("1 200 erreurs".to_owned(), "1 error".to_owned()));
    }
}
