//! Currencies as French texts name them, and how amounts of one are written.

use bareme_engine::law::Method;

/// A currency.
struct Currency {
    /// Code of ISO 4217.
    code: &'static str,
    /// Its name, in the plural.
    name: &'static str,
    /// What follows an amount of it.
    sign: &'static str,
}

/// The currencies that have a name or a sign of their own; another one is written by its code.
const CURRENCIES: &[Currency] = &[
    Currency { code: "CAD", name: "dollars canadiens", sign: "$\u{a0}CA" },
    Currency { code: "CDF", name: "francs congolais", sign: "FC" },
    Currency { code: "CHF", name: "francs suisses", sign: "CHF" },
    Currency { code: "DJF", name: "francs de Djibouti", sign: "DJF" },
    Currency { code: "DZD", name: "dinars algériens", sign: "DA" },
    Currency { code: "EUR", name: "euros", sign: "€" },
    Currency { code: "GNF", name: "francs guinéens", sign: "GNF" },
    Currency { code: "KMF", name: "francs comoriens", sign: "KMF" },
    Currency { code: "MAD", name: "dirhams marocains", sign: "DH" },
    Currency { code: "MGA", name: "ariarys", sign: "Ar" },
    Currency { code: "MRU", name: "ouguiyas", sign: "MRU" },
    Currency { code: "MUR", name: "roupies mauriciennes", sign: "Rs" },
    Currency { code: "RWF", name: "francs rwandais", sign: "RWF" },
    Currency { code: "TND", name: "dinars tunisiens", sign: "DT" },
    Currency { code: "XAF", name: "francs CFA (CEMAC)", sign: "F\u{a0}CFA" },
    Currency { code: "XOF", name: "francs CFA (UEMOA)", sign: "F\u{a0}CFA" },
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

/// How amounts of a calculation are written: their decimals, and the currency whose sign follows them on a page.
#[derive(Debug, Clone, Copy, Default)]
pub struct Amounts<'m> {
    /// The decimals.
    pub decimals: u32,
    /// Code of the currency; none: no sign follows.
    pub currency: Option<&'m str>,
}

/// Without a currency.
impl From<u32> for Amounts<'_> {
    fn from(decimals: u32) -> Self {
        Self { decimals, currency: None }
    }
}

/// Those of the answers of a method.
impl<'m> From<&'m Method> for Amounts<'m> {
    fn from(method: &'m Method) -> Self {
        Self { decimals: method.decimals, currency: method.currency.as_deref() }
    }
}
