//! Names of currencies, and the format of their amounts.

use bareme_engine::Lang;
use bareme_engine::law::Method;
use bareme_engine::text::Text;
use rust_decimal::Decimal;

use crate::Locale;

struct Currency {
    /// Code of ISO 4217.
    code: &'static str,
    /// Its name, in the plural.
    name: Text,
    /// Its sign, written after an amount.
    sign: &'static str,
    /// Decimals of the smallest amount that is paid.
    decimals: u32,
}

/// Currencies with a name or a sign of their own; any other is shown by its code.
const CURRENCIES: &[Currency] = &[
    Currency {
        code: "CAD",
        name: Text::new("dollars canadiens", "Canadian dollars"),
        sign: "$\u{a0}CA",
        decimals: 2,
    },
    Currency {
        code: "CDF",
        name: Text::new("francs congolais", "Congolese francs"),
        sign: "FC",
        decimals: 2,
    },
    Currency {
        code: "CHF",
        name: Text::new("francs suisses", "Swiss francs"),
        sign: "CHF",
        decimals: 2,
    },
    Currency {
        code: "DJF",
        name: Text::new("francs de Djibouti", "Djibouti francs"),
        sign: "DJF",
        decimals: 0,
    },
    Currency {
        code: "DZD",
        name: Text::new("dinars algériens", "Algerian dinars"),
        sign: "DA",
        decimals: 2,
    },
    Currency {
        code: "EUR",
        name: Text::new("euros", "euros"),
        sign: "€",
        decimals: 2,
    },
    Currency {
        code: "GNF",
        name: Text::new("francs guinéens", "Guinean francs"),
        sign: "GNF",
        decimals: 0,
    },
    Currency {
        code: "KMF",
        name: Text::new("francs comoriens", "Comorian francs"),
        sign: "KMF",
        decimals: 0,
    },
    Currency {
        code: "MAD",
        name: Text::new("dirhams marocains", "Moroccan dirhams"),
        sign: "DH",
        decimals: 2,
    },
    Currency {
        code: "MGA",
        name: Text::new("ariarys", "ariary"),
        sign: "Ar",
        decimals: 0,
    },
    Currency {
        code: "MRU",
        name: Text::new("ouguiyas", "ouguiyas"),
        sign: "MRU",
        decimals: 2,
    },
    Currency {
        code: "MUR",
        name: Text::new("roupies mauriciennes", "Mauritian rupees"),
        sign: "Rs",
        decimals: 2,
    },
    Currency {
        code: "RWF",
        name: Text::new("francs rwandais", "Rwandan francs"),
        sign: "RWF",
        decimals: 0,
    },
    Currency {
        code: "TND",
        name: Text::new("dinars tunisiens", "Tunisian dinars"),
        sign: "DT",
        decimals: 3,
    },
    Currency {
        code: "XAF",
        name: Text::new("francs CFA (CEMAC)", "CFA francs (CEMAC)"),
        sign: "F\u{a0}CFA",
        decimals: 0,
    },
    Currency {
        code: "XOF",
        name: Text::new("francs CFA (UEMOA)", "CFA francs (WAEMU)"),
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
/// use bareme_engine::Lang;
///
/// assert_eq!(bareme_show::currency_name("MAD", Lang::Fr), "dirhams marocains");
/// assert_eq!(bareme_show::currency_name("MAD", Lang::En), "Moroccan dirhams");
/// assert_eq!(bareme_show::currency_name("ZZZ", Lang::Fr), "ZZZ");
/// ```
pub fn currency_name(code: &str, lang: Lang) -> &str {
    known(code).map_or(code, |currency| currency.name.in_lang(lang))
}

/// The sign that follows amounts of a currency: `€`.
pub fn currency_sign(code: &str) -> &str {
    known(code).map_or(code, |currency| currency.sign)
}

/// The sign of a currency, as a language writes it: `CA$` and `MAD` in English.
pub fn currency_sign_in(code: &str, lang: Lang) -> &str {
    match (code, lang) {
        ("CAD", Lang::En) => "CA$",
        ("XAF" | "XOF", Lang::En) => "CFA",
        ("EUR", _) | (_, Lang::Fr) => currency_sign(code),
        (_, Lang::En) => code,
    }
}

/// An amount with the sign of its currency, which English writes first.
///
/// ```
/// use bareme_engine::Lang;
/// use bareme_show::with_currency;
///
/// assert_eq!(with_currency("2 650,50", "EUR", Lang::Fr), "2 650,50\u{a0}€");
/// assert_eq!(with_currency("2,650.50", "EUR", Lang::En), "€2,650.50");
/// assert_eq!(with_currency("−5", "MAD", Lang::En), "−MAD\u{a0}5");
/// ```
pub fn with_currency(amount: &str, code: &str, lang: Lang) -> String {
    let sign = currency_sign_in(code, lang);
    if lang == Lang::Fr {
        return format!("{amount}\u{a0}{sign}");
    }
    let (minus, digits) = match amount.strip_prefix(['\u{2212}', '-']) {
        Some(digits) => ("\u{2212}", digits),
        None => ("", amount),
    };
    // A space is between letters and the number, and none after a sign.
    let space = if sign.ends_with(char::is_alphabetic) {
        "\u{a0}"
    } else {
        ""
    };
    format!("{minus}{sign}{space}{digits}")
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
        let plain = self.plain(value, locale);
        match self.currency {
            Some(code) => with_currency(&plain, code, locale.lang),
            None => plain,
        }
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
