//! The countries of a comparison: the folders whose answer is a pay, by their names, and what each gives.

use bareme_engine::CalculationError;
use bareme_engine::law::{Find, Inverse, Method, Presence};
use bareme_engine::service::Rules;
use bareme_engine::text::normalize;
use bareme_show::{Pay, address};
use jiff::civil::Date;
use rust_decimal::Decimal;

use super::asked::Asked;
use crate::pages::catalogue::{self, Listed};
use crate::pages::simulator::Question;
use crate::wire::problem::Problem;

/// A country.
#[derive(Debug, Clone, Copy)]
pub(super) struct Country<'r> {
    pub listed: Listed<'r>,
    method: &'r Method,
    net: &'r Inverse,
    /// Its currency.
    pub code: &'r str,
    /// Its name.
    pub name: &'r str,
}

/// Result of a country.
pub(super) struct Outcome<'r> {
    pub country: Country<'r>,
    pub result: Result<Amounts, Missing>,
    /// The simulator of the case.
    pub link: String,
}

/// Why a country gives no pay.
pub(super) enum Missing {
    /// The rate of its currency is not known.
    Rate,
    /// It refuses, for a reason.
    Refused(String),
}

/// A pay in the currency of its country.
#[derive(Debug)]
pub(super) struct Amounts {
    pub gross: Decimal,
    pub net: Decimal,
    pub cost: Option<Decimal>,
    pub decimals: u32,
}

impl Amounts {
    /// The part of the cost that is left to the employee; of the gross where the cost is not known.
    pub(super) fn kept(&self) -> Option<Decimal> {
        self.net.checked_div(self.cost.filter(|cost| !cost.is_zero()).unwrap_or(self.gross))
    }

    /// The part of the gross that is withheld.
    pub(super) fn withheld(&self) -> Option<Decimal> {
        self.gross.saturating_sub(self.net).checked_div(self.gross)
    }
}

/// The countries, by their names as a person orders them.
pub(super) fn all(rules: &Rules) -> Vec<Country<'_>> {
    let mut countries: Vec<Country> = catalogue::all(rules).into_iter().filter_map(Country::of).collect();
    countries.sort_by_cached_key(|country| normalize(country.name));
    countries
}

impl<'r> Country<'r> {
    /// The country of a folder whose answer has a net of nothing but a gross, in some currency.
    fn of(listed: Listed<'r>) -> Option<Self> {
        let method = listed.folder.latest()?.method();
        let net = method.inverse(Find::Smallest)?;
        let driver = net.input.of(method.inputs())?;
        // What asks for more than its gross is no pay: two of them cannot stand beside each other.
        let mut others = method.inputs().iter().filter(|input| input.name != driver.name && !input.is_absent);
        if !others.all(|input| !matches!(input.presence, Presence::Required)) {
            return None;
        }
        let alias = listed.folder.aliases().first().map(|alias| alias.name.as_str());
        let name = alias.or(listed.endpoint.country.as_deref()).unwrap_or(listed.folder.title());
        Some(Self { listed, method, net, code: method.currency.as_deref()?, name })
    }

    /// Whether the income tax is still to be paid from its net.
    pub(super) fn is_before_income_tax(&self) -> bool {
        self.net.before_income_tax
    }

    /// The result of what is asked.
    pub(super) fn outcome(self, asked: &Asked, today: Date) -> Outcome<'r> {
        let link = |sent: &[(String, String)]| format!("{}?{}", self.listed.simulator(), address::query(sent));
        let (result, link) = match self.sent(asked) {
            Ok(sent) => (self.pay(&sent, today).map_err(Missing::Refused), link(&sent)),
            Err(missing) => (Err(missing), self.listed.simulator()),
        };
        Outcome { country: self, result, link }
    }

    /// The parameters that ask it for the amount.
    fn sent(&self, asked: &Asked) -> Result<Vec<(String, String)>, Missing> {
        let refused = |reason: &str| Missing::Refused(reason.to_owned());
        let rate = asked.units(self.code).ok_or(Missing::Rate)?;
        let find = if asked.from_cost { Find::Greatest } else { Find::Smallest };
        let inverse = self.method.inverse(find).ok_or_else(|| refused("le coût employeur n’est pas connu"))?;
        let found = asked.amount.and_then(|amount| amount.checked_mul(rate));
        let steps = found.and_then(|found| found.checked_div(inverse.unit)).map(|steps| steps.round());
        let found = steps.and_then(|steps| steps.checked_mul(inverse.unit));
        let found = found.ok_or_else(|| refused("montant trop grand"))?.normalize();
        let name = if asked.from_cost {
            Some(inverse.parameter.name.clone())
        } else {
            inverse.input.of(self.method.inputs()).map(|input| input.name.clone())
        };
        let mut sent = vec![(name.unwrap_or_default(), found.to_string())];
        sent.extend(self.method.options().iter().map(|option| (option.name.clone(), "true".to_owned())));
        Ok(sent)
    }

    fn pay(&self, sent: &[(String, String)], today: Date) -> Result<Amounts, String> {
        let question =
            Question { listed: self.listed, edition: None, sent: Vec::new(), bad: Vec::new(), compared: None };
        let calculation = question.ask(sent, today).map_err(|error| self.refused(error))?;
        let found = Pay::of(&calculation).map_err(|error| self.refused(error))?.ok_or("sans bulletin")?;
        let decimals = calculation.edition().method().decimals;
        Ok(Amounts { gross: found.gross, net: found.net, cost: found.cost, decimals })
    }

    /// Why it gives no pay; a fault of the engine leaves the other countries as they are.
    fn refused(&self, error: CalculationError) -> String {
        match error {
            CalculationError::Refused(refusal) => {
                refusal.parameters.first().map(|bad| bad.reason.fr.clone()).unwrap_or_default()
            }
            CalculationError::Internal(fault) => Problem::internal(self.listed.folder.path(), &fault).text(),
        }
    }
}
