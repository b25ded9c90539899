//! The parameters of a comparison.

use bareme_api::wire::query::{Query, value};
use bareme_engine::{Lang, say};
use rust_decimal::Decimal;

use super::country::Country;
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

        // A country that the service does not have is none of those that are compared.
        let is_there = |path: &str| {
            let mut known = countries.iter();
            known.any(|country| country.listed.folder.path() == path)
        };
        let chosen = pairs.iter().filter(|(name, _)| name == COUNTRY);
        let chosen = chosen
            .map(|(_, path)| path.trim())
            .filter(|path| is_there(path));
        let chosen = chosen.map(str::to_owned).collect();

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
        }
    }

    /// Whether a country was chosen by name.
    pub(super) fn is_chosen(&self, country: &Country) -> bool {
        let mut chosen = self.chosen.iter();
        chosen.any(|path| path == country.listed.folder.path())
    }

    /// Whether a country is compared: chosen, or one of all.
    pub(super) fn compares(&self, country: &Country) -> bool {
        self.chosen.is_empty() || self.is_chosen(country)
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
