//! The parameters of a comparison.

use bareme_api::wire::query::{Query, value};
use bareme_engine::service::Rules;
use bareme_engine::{Lang, say};
use bareme_show::query_string;
use rust_decimal::Decimal;

use super::country::{Country, called, meant};
use super::exchange::{Exchange, Origin, Rate};
use crate::simulator::without_commas;
use crate::typed::{self, Kind, Typed};

/// Parameters of the page: their names have a hyphen, which no input has, but for the amount.
pub(super) const AMOUNT: &str = "montant";
pub(crate) const START: &str = "point-de-depart";
/// The word of [`START`] for a cost.
pub(super) const FROM_COST: &str = "cout";
pub(super) const CURRENCY: &str = "devise";
pub(super) const RATE: &str = "taux-";
/// The folder of a country that is compared, once for each; that of the home page too.
pub(super) const COUNTRY: &str = "pays";

/// The amount of a comparison that says none.
const USUAL: &str = "3000";

/// The currency in which amounts are compared, where none is asked.
const USUAL_CURRENCY: &str = "EUR";

/// Parameters of a comparison.
#[derive(Debug)]
pub(super) struct Parameters {
    /// The amount, or what is wrong with it.
    pub amount: Result<Decimal, String>,
    pub written: String,
    pub from_cost: bool,
    /// The currency of the amount; none: that of each country.
    pub currency: Option<String>,
    /// The currencies of the countries.
    pub rates: Vec<RateField>,
    /// The folders of the countries to compare; none: all of them.
    chosen: Vec<String>,
    /// Words that were chosen and are no country of the service.
    pub unknown: Vec<UnknownCountry>,
}

/// A word that is no country of the service.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnknownCountry {
    pub word: String,
    /// The country that may be meant, and the query with it in place of the word.
    pub near: Option<(String, String)>,
}

/// The rate of a currency.
#[derive(Debug)]
pub(super) struct RateField {
    /// The currency.
    pub code: String,
    /// Units of it for one of the amount's.
    pub rate: Option<Rate>,
    /// What the visitor typed.
    pub written: String,
}

impl Parameters {
    /// Reads the query of the page.
    pub(super) fn read(
        rules: &Rules,
        query: &str,
        countries: &[Country],
        exchange: &Exchange,
        lang: Lang,
    ) -> Self {
        let pairs = Query::read(query).pairs;
        let value = |name: &str| {
            value(&pairs, name)
                .map(str::trim)
                .filter(|value| !value.is_empty())
        };

        let written = value(AMOUNT).unwrap_or(USUAL).to_owned();

        // `locale`: the same number in each currency, without any conversion.
        let currency = match value(CURRENCY) {
            Some("locale") => None,
            Some(code) => Some(code.to_owned()),
            None => Some(USUAL_CURRENCY.to_owned()),
        };

        // A rate for each currency: by law, typed, or given by the operator, in this order.
        let rate = |code: &str| {
            let written = value(&format!("{RATE}{code}"))
                .unwrap_or_default()
                .to_owned();
            let known = currency.as_deref().and_then(|own| exchange.rate(own, code));
            let typed = positive(&written, Kind::exchange_rate(), lang)
                .ok()
                .map(|units| Rate {
                    units,
                    origin: Origin::Visitor,
                });
            // A visitor cannot change a parity that a law fixes.
            let is_fixed = known
                .as_ref()
                .is_some_and(|rate| !matches!(rate.origin, Origin::Reference(..)));
            let rate = if is_fixed { known } else { typed.or(known) };

            RateField {
                code: code.to_owned(),
                rate,
                written,
            }
        };

        // One field for each currency, whichever countries share it.
        let mut codes: Vec<&str> = countries.iter().map(|country| country.code).collect();
        codes.sort_unstable();
        codes.dedup();
        let rates = codes.into_iter().map(rate).collect();

        let mut chosen: Vec<String> = Vec::new();
        let mut unknown: Vec<UnknownCountry> = Vec::new();
        for (name, word) in &pairs {
            let word = word.trim();
            if name != COUNTRY || word.is_empty() {
                continue;
            }
            match called(countries, word) {
                Some(country) => chosen.push(country.listed.folder.path().to_owned()),
                None if unknown.iter().any(|known| known.word == word) => {}
                None => unknown.push(UnknownCountry {
                    word: word.to_owned(),
                    near: meant(rules, countries, word)
                        .map(|country| (country.name.to_owned(), with(&pairs, word, country))),
                }),
            }
        }

        let amount = positive(
            &written,
            Kind::amount(currency.as_deref(), AMOUNT_DECIMALS, None),
            lang,
        );

        Self {
            amount,
            written,
            from_cost: value(START) == Some(FROM_COST),
            rates,
            currency,
            chosen,
            unknown,
        }
    }

    /// Whether a country was chosen by name.
    pub(super) fn is_chosen(&self, country: &Country) -> bool {
        let mut chosen = self.chosen.iter();
        chosen.any(|path| path == country.listed.folder.path())
    }

    /// Whether a country is compared: chosen, or one of all where nothing was chosen.
    pub(super) fn compares(&self, country: &Country) -> bool {
        self.compares_all() || self.is_chosen(country)
    }

    /// Whether no country is compared, since none of those that were chosen is one.
    pub(super) fn compares_none(&self) -> bool {
        self.chosen.is_empty() && !self.compares_all()
    }

    fn compares_all(&self) -> bool {
        self.chosen.is_empty() && self.unknown.is_empty()
    }

    /// Units of a currency for one of the amount's.
    pub(super) fn units(&self, code: &str) -> Option<Decimal> {
        if self.currency.is_none() {
            return Some(Decimal::ONE);
        }
        self.rates
            .iter()
            .find(|rate| rate.code == code)?
            .rate
            .as_ref()
            .map(|rate| rate.units)
    }
}

/// The query with a country in place of a word.
fn with(pairs: &[(String, String)], word: &str, country: &Country) -> String {
    let replaced = |(name, value): &(String, String)| {
        let is_it = name == COUNTRY && value.trim() == word;
        let value = if is_it {
            country.listed.folder.path()
        } else {
            value
        };
        (name.clone(), value.to_owned())
    };
    query_string::from_pairs(&pairs.iter().map(replaced).collect::<Vec<_>>())
}

/// Decimals of an amount, in any of the currencies.
const AMOUNT_DECIMALS: u32 = 2;

/// A positive number as people write it, or what is wrong with it.
fn positive(written: &str, kind: Kind, lang: Lang) -> Result<Decimal, String> {
    // In English a comma separates thousands.
    let without = (lang == Lang::En).then(|| without_commas(written));
    let number = match typed::read(without.as_deref().unwrap_or(written), kind) {
        Typed::Number(number) => number.parse::<Decimal>().ok(),
        Typed::Ambiguous(ambiguity) => return Err(ambiguity.question().in_lang(lang).to_owned()),
        Typed::Other => None,
    };
    // A bound that no pay reaches, so that no product below overflows.
    let found = number
        .filter(|found| *found > Decimal::ZERO && *found < Decimal::from(1_000_000_000_000_u64));

    found.ok_or_else(|| {
        say!(
            lang,
            "Le montant n’est pas un nombre positif\u{a0}: `{written}`.",
            "The amount is not a positive number: `{written}`."
        )
    })
}
