//! Exchange rates of a comparison: fixed by law, or given by the operator of the service, or typed
//! by the visitor. The service invents none.

use bareme_engine::law::FieldValue;
use bareme_engine::service::{ExchangeRates, Rules};
use bareme_engine::{Folder, Query};
use jiff::civil::Date;
use rust_decimal::Decimal;

/// Where a rate comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// The currency of the amount itself.
    Own,
    /// Fixed by law, with the legal texts.
    Law(String),
    /// Given by the operator, with the publisher and the day.
    Reference(String, Date),
    /// Typed by the visitor.
    Visitor,
}

/// Exchange rate: units of a currency for one unit of the amount's.
#[derive(Debug, Clone)]
pub(super) struct Rate {
    pub units: Decimal,
    /// Where they come from.
    pub origin: Origin,
}

/// The rates known without the visitor.
#[derive(Debug)]
pub(super) struct Exchange<'r> {
    parities: Option<&'r Folder>,
    reference: Option<&'r ExchangeRates>,
    today: Date,
}

impl<'r> Exchange<'r> {
    /// The known rates of a service on a day.
    pub(super) fn new(rules: &'r Rules, today: Date) -> Self {
        let service = rules.service();
        // The parities fixed by law are a folder of rules like the others.
        let parities = service
            .parities
            .as_deref()
            .and_then(|path| rules.folder(path));

        Self {
            parities,
            reference: service.exchange_rates.as_ref(),
            today,
        }
    }

    /// The rate between two currencies, if it is known.
    pub(super) fn rate(&self, from: &str, to: &str) -> Option<Rate> {
        if from == to {
            return Some(Rate {
                units: Decimal::ONE,
                origin: Origin::Own,
            });
        }
        self.by_law(from, to)
            .or_else(|| self.by_reference(from, to))
    }

    /// The rate between two currencies whose parity, with a third one or with each other, is fixed
    /// by law.
    fn by_law(&self, from: &str, to: &str) -> Option<Rate> {
        let (base, texts) = self.parity(from)?;
        // Both currencies have a parity with the base: the rate between them follows from the two.
        let (units, other_texts) = self.parity(to)?;
        let texts = if texts.is_empty() { other_texts } else { texts };

        Some(Rate {
            units: units.checked_div(base)?.round_dp(DECIMALS).normalize(),
            origin: Origin::Law(texts),
        })
    }

    /// The units of a currency for one of the base currency of the parities, with the legal texts.
    fn parity(&self, code: &str) -> Option<(Decimal, String)> {
        let folder = self.parities?;
        let method = folder.edition(self.today)?.method();
        if method.currency.as_deref() == Some(code) {
            return Some((Decimal::ONE, String::new()));
        }

        // The folder has one choice, whose words are the currencies.
        let sent = [(method.inputs().first()?.name.clone(), code.to_lowercase())];
        let calculation = folder.calculate(&Query::from(&sent[..]), self.today).ok()?;

        let units = calculation
            .fields()
            .find_map(|(_, found)| FieldValue::number(found))?;
        let texts = calculation
            .edition()
            .scale()
            .map(|scale| scale.source_text())
            .unwrap_or_default();

        Some((units, texts))
    }

    /// The rate between two currencies by the operator's rates, for a third one or for each other;
    /// a fixed parity with one of them is used too.
    fn by_reference(&self, from: &str, to: &str) -> Option<Rate> {
        let given = self.reference?;
        // Rates to the operator's own currency; what it does not give may be fixed by law.
        let units = |code: &str| {
            if code == given.currency {
                return Some(Decimal::ONE);
            }
            let own = given
                .rates
                .iter()
                .find(|(known, _)| known == code)
                .map(|(_, units)| *units);
            own.or_else(|| Some(self.by_law(&given.currency, code)?.units))
        };

        let rate = units(to)?
            .checked_div(units(from)?)?
            .round_dp(DECIMALS)
            .normalize();

        Some(Rate {
            units: rate,
            origin: Origin::Reference(given.publisher.clone(), given.date),
        })
    }
}

/// Decimals of a computed rate.
const DECIMALS: u32 = 8;

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::testing::rules;

    #[test]
    fn parities_come_from_the_law_and_other_rates_from_the_owners_alone() {
        let rules = rules();
        let mut exchange = Exchange::new(&rules, date(2026, 11, 22));
        let units = |exchange: &Exchange, from: &str, to: &str| {
            exchange.rate(from, to).map(|rate| rate.units.to_string())
        };
        assert_eq!(units(&exchange, "EUR", "XOF").as_deref(), Some("655.957"));
        assert_eq!(units(&exchange, "EUR", "KMF").as_deref(), Some("491.96775"));
        assert_eq!(units(&exchange, "XAF", "XOF").as_deref(), Some("1"));
        assert_eq!(units(&exchange, "EUR", "MAD"), None);
        let Origin::Law(texts) = exchange.rate("XOF", "EUR").unwrap().origin else {
            panic!("no law")
        };
        assert!(texts.contains("98/683"), "{texts}");
        let given = ExchangeRates {
            date: date(2026, 11, 20),
            publisher: "Banque".to_owned(),
            currency: "EUR".to_owned(),
            rates: vec![("MAD".to_owned(), Decimal::new(1072, 2))],
        };
        exchange.reference = Some(&given);
        assert_eq!(units(&exchange, "EUR", "MAD").as_deref(), Some("10.72"));
        assert_eq!(
            units(&exchange, "XOF", "MAD").as_deref(),
            Some("0.01634253")
        );
        assert_eq!(units(&exchange, "EUR", "TND"), None);
        exchange.today = date(1998, 1, 1);
        assert_eq!(units(&exchange, "EUR", "XOF"), None);
    }
}
