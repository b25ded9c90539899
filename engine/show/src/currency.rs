//! French names of currencies, and the format of their amounts.

use bareme_engine::law::Method;
use rust_decimal::Decimal;

use crate::Locale;

struct Currency {
    /// Code of ISO 4217.
    code: &'static str,
    /// Its name, in the plural.
    name: &'static str,
    /// Its sign, written after an amount.
    sign: &'static str,
    /// Decimals of the smallest amount that is paid.
    decimals: u32,
}

/// Currencies with a name or a sign of their own; any other is shown by its code.
const CURRENCIES: &[Currency] = &[
    Currency {
        code: "CAD",
        name: "dollars canadiens",
        sign: "$\u{a0}CA",
        decimals: 2,
    },
    Currency {
        code: "CDF",
        name: "francs congolais",
        sign: "FC",
        decimals: 2,
    },
    Currency {
        code: "CHF",
        name: "francs suisses",
        sign: "CHF",
        decimals: 2,
    },
    Currency {
        code: "DJF",
        name: "francs de Djibouti",
        sign: "DJF",
        decimals: 0,
    },
    Currency {
        code: "DZD",
        name: "dinars algériens",
        sign: "DA",
        decimals: 2,
    },
    Currency {
        code: "EUR",
        name: "euros",
        sign: "€",
        decimals: 2,
    },
    Currency {
        code: "GNF",
        name: "francs guinéens",
        sign: "GNF",
        decimals: 0,
    },
    Currency {
        code: "KMF",
        name: "francs comoriens",
        sign: "KMF",
        decimals: 0,
    },
    Currency {
        code: "MAD",
        name: "dirhams marocains",
        sign: "DH",
        decimals: 2,
    },
    Currency {
        code: "MGA",
        name: "ariarys",
        sign: "Ar",
        decimals: 0,
    },
    Currency {
        code: "MRU",
        name: "ouguiyas",
        sign: "MRU",
        decimals: 2,
    },
    Currency {
        code: "MUR",
        name: "roupies mauriciennes",
        sign: "Rs",
        decimals: 2,
    },
    Currency {
        code: "RWF",
        name: "francs rwandais",
        sign: "RWF",
        decimals: 0,
    },
    Currency {
        code: "TND",
        name: "dinars tunisiens",
        sign: "DT",
        decimals: 3,
    },
    Currency {
        code: "XAF",
        name: "francs CFA (CEMAC)",
        sign: "F\u{a0}CFA",
        decimals: 0,
    },
    Currency {
        code: "XOF",
        name: "francs CFA (UEMOA)",
        sign: "F\u{a0}CFA",
        decimals: 0,
    },
];

fn known(code: &str) -> Option<&'static Currency> {
    CURRENCIES.iter().find(|currency| currency.code == code)
}

/// The name of a currency, in the plural.
///
/// ```
/// assert_eq!(bareme_show::currency_name("MAD"), "dirhams marocains");
/// assert_eq!(bareme_show::currency_name("ZZZ"), "ZZZ");
/// ```
pub fn currency_name(code: &str) -> &str {
    known(code).map_or(code, |currency| currency.name)
}

/// The sign that follows amounts of a currency: `€`.
pub fn currency_sign(code: &str) -> &str {
    known(code).map_or(code, |currency| currency.sign)
}

/// The decimals of the smallest amount of a currency that is paid: none for a franc CFA.
///
/// ```
/// assert_eq!(bareme_show::currency_decimals("XOF"), 0);
/// assert_eq!(bareme_show::currency_decimals("TND"), 3);
/// assert_eq!(bareme_show::currency_decimals("ZZZ"), 2);
/// ```
pub fn currency_decimals(code: &str) -> u32 {
    /// Those of most currencies.
    const USUAL: u32 = 2;
    known(code).map_or(USUAL, |currency| currency.decimals)
}

/// Format of the amounts of a calculation: number of decimals, and currency whose sign follows on a
/// page.
#[derive(Debug, Clone, Copy, Default)]
pub struct Amounts<'m> {
    /// Greatest number of decimals of an amount.
    pub decimals: u32,
    /// Code of the currency; `None`: no sign follows.
    pub currency: Option<&'m str>,
}

impl Amounts<'_> {
    /// Number of decimals to show of an amount: those of the currency, or all of the amount if it
    /// has more. Without a currency, none for a whole amount.
    pub fn decimals_of(self, value: Decimal) -> u32 {
        let usual = self
            .currency
            .and_then(known)
            .map_or(0, |currency| currency.decimals)
            .min(self.decimals);
        // More decimals than the currency has are shown only where the amount has them.
        if value.round_dp(usual) == value.round_dp(self.decimals) {
            usual
        } else {
            self.decimals
        }
    }

    /// An amount with all decimals but no sign, for a column whose heading gives the currency:
    /// `1 000,50`.
    pub fn plain(self, value: Decimal, locale: Locale) -> String {
        locale.aligned(value, self.decimals_of(value))
    }

    /// An amount with all decimals and the sign of its currency: `1 000,50 €`.
    ///
    /// ```
    /// use bareme_show::{Amounts, Locale};
    ///
    /// let francs = Amounts { decimals: 2, currency: Some("XOF") };
    /// assert_eq!(francs.text(350_000.into(), Locale::PAGE), "350\u{202f}000\u{a0}F\u{a0}CFA");
    /// ```
    pub fn text(self, value: Decimal, locale: Locale) -> String {
        let sign = self.currency.map(currency_sign).unwrap_or_default();
        format!("{}\u{a0}{sign}", self.plain(value, locale))
            .trim_end()
            .to_owned()
    }
}

/// Amounts without a currency.
impl From<u32> for Amounts<'_> {
    fn from(decimals: u32) -> Self {
        Self {
            decimals,
            currency: None,
        }
    }
}

/// Amounts in the answers of a method.
impl<'m> From<&'m Method> for Amounts<'m> {
    fn from(method: &'m Method) -> Self {
        Self {
            decimals: method.decimals,
            currency: method.currency.as_deref(),
        }
    }
}
