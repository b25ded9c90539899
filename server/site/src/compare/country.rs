//! Countries of a comparison: the folders that calculate a pay, by name, and the result of each.

use bareme_api::wire::problem::Problem;
use bareme_engine::CalculationError;
use bareme_engine::law::{Find, Inverse, Method, Presence};
use bareme_engine::service::Rules;
use bareme_engine::text::{Text, nearest, normalize};
use bareme_show::{Pay, currency_decimals, query_string};
use jiff::civil::Date;
use rust_decimal::Decimal;

use super::parameters::Parameters;
use crate::catalogue::{self, ListedFolder};
use crate::simulator::Question;

#[derive(Debug, Clone, Copy)]
pub(super) struct Country<'r> {
    pub listed: ListedFolder<'r>,
    method: &'r Method,
    /// The net that is compared.
    net: &'r Inverse,
    /// Its currency.
    pub code: &'r str,
    pub name: &'r str,
}

/// Why a country has no result.
const NO_COST: Text = Text::new(
    "le coût employeur n’est pas connu",
    "the employer cost is not known",
);
const TOO_GREAT: Text = Text::new("montant trop grand", "the amount is too great");
const NO_PAYSLIP: Text = Text::new("sans bulletin", "no payslip");
const TOO_SMALL: Text = Text::new(
    "montant trop faible pour un salaire de ce pays",
    "the amount is too small for a pay in this country",
);

/// Result of a country.
pub(super) struct Outcome<'r> {
    pub country: Country<'r>,
    pub result: Result<Amounts, Missing>,
    /// Link to the simulator with the same query.
    pub link: String,
}

/// Why a country has no result.
pub(super) enum Missing {
    /// The rate of its currency is not known.
    Rate,
    /// Its calculation is refused, for this reason.
    Refused(String),
}

/// The amounts of a pay, in the currency of the country.
#[derive(Debug)]
pub(super) struct Amounts {
    pub gross: Decimal,
    pub net: Decimal,
    pub cost: Option<Decimal>,
    pub decimals: u32,
}

impl Amounts {
    /// Share of the cost that is left to the employee; share of the gross where the cost is not
    /// known.
    pub(super) fn kept_share(&self) -> Option<Decimal> {
        self.net.checked_div(
            self.cost
                .filter(|cost| !cost.is_zero())
                .unwrap_or(self.gross),
        )
    }

    /// Share of the gross that is withheld.
    pub(super) fn withheld(&self) -> Option<Decimal> {
        self.gross.saturating_sub(self.net).checked_div(self.gross)
    }
}

/// The countries, in alphabetical order of their names.
pub(super) fn all(rules: &Rules) -> Vec<Country<'_>> {
    let mut countries: Vec<Country> = catalogue::all(rules)
        .into_iter()
        .filter_map(Country::new)
        .collect();
    countries.sort_by_cached_key(|country| normalize(country.name));
    countries
}

/// The country that a word calls: its folder, as the form sends it, or any of its names, as callers
/// of the API send them.
pub(super) fn called<'c, 'r>(countries: &'c [Country<'r>], word: &str) -> Option<&'c Country<'r>> {
    let spelled = normalize(word);
    let is_it = |country: &&Country| {
        let listed = country.listed;
        let aliases = listed.folder.aliases().into_iter();
        let mut names = aliases
            .map(|alias| alias.name.as_str())
            .chain([country.name])
            .chain(listed.word);
        listed.folder.path() == word || names.any(|name| normalize(name) == spelled)
    };
    // The family of the others knows by which endpoint a country of its own is calculated.
    let elsewhere = || {
        let endpoints = countries.iter().map(|country| country.listed.endpoint);
        let mut others = endpoints.flat_map(|endpoint| &endpoint.elsewhere);
        let (_, name) = others.find(|(word, _)| *word == spelled)?;
        let mut countries = countries.iter();
        countries.find(|country| country.listed.endpoint.name == *name)
    };
    countries.iter().find(is_it).or_else(elsewhere)
}

/// The country that may be meant by a word which calls none.
pub(super) fn meant<'c, 'r>(
    rules: &Rules,
    countries: &'c [Country<'r>],
    word: &str,
) -> Option<&'c Country<'r>> {
    let name = nearest(word, countries.iter().map(|country| country.name));
    let is_named = |country: &&Country| Some(country.name) == name;
    // The engine suggests a folder by its aliases too: Quebec for Canada.
    let is_suggested = |country: &&Country| {
        let own = rules.word_meant(country.listed.endpoint, word);
        own.is_some() && own == country.listed.word
    };
    let mut all = countries.iter();
    all.find(is_named)
        .or_else(|| countries.iter().find(is_suggested))
}

impl<'r> Country<'r> {
    /// The country of a folder that calculates a net from a gross alone, in a known currency.
    fn new(listed: ListedFolder<'r>) -> Option<Self> {
        let method = listed.folder.latest()?.method();
        let net = method.inverse(Find::Smallest)?;
        let driver = net.input.of(method.inputs())?;
        // A pay that needs more inputs than the gross cannot be compared.
        let mut others = method
            .inputs()
            .iter()
            .filter(|input| input.name != driver.name && !input.is_absent);
        if !others.all(|input| !matches!(input.presence, Presence::Required)) {
            return None;
        }

        Some(Self {
            listed,
            method,
            net: after_tax(method, net).unwrap_or(net),
            code: method.currency.as_deref()?,
            name: catalogue::name(&listed),
        })
    }

    /// Whether the income tax is still to be paid from its net.
    pub(super) fn is_before_income_tax(&self) -> bool {
        self.net.before_income_tax
    }

    /// The label of its net after a tax that the page assumes, `Net après impôt, au taux neutre`;
    /// `None` for any other net.
    pub(super) fn assumed_net(&self) -> Option<&'r str> {
        let mut headlines = self.method.headlines().iter();
        let own = headlines
            .find(|headline| headline.field == self.net.field && !headline.assumed.is_empty())?;
        own.label.as_deref()
    }

    /// The result for these parameters.
    pub(super) fn outcome(self, parameters: &Parameters, today: Date) -> Outcome<'r> {
        // A country without a result still has its simulator.
        let link = |sent: &[(String, String)]| {
            format!(
                "{}?{}",
                self.listed.simulator(),
                query_string::from_pairs(sent)
            )
        };

        // The link has the same query, so that the visitor finds the same amounts.
        let (result, link) = match self.sent(parameters) {
            Ok(sent) => (
                self.pay(&sent, today).map_err(Missing::Refused),
                link(&sent),
            ),
            Err(missing) => (Err(missing), self.listed.simulator()),
        };

        Outcome {
            country: self,
            result,
            link,
        }
    }

    /// The parameters that ask it for the amount.
    fn sent(&self, parameters: &Parameters) -> Result<Vec<(String, String)>, Missing> {
        let lang = self.listed.lang();
        let refused = |reason: Text| Missing::Refused(reason.in_lang(lang).to_owned());
        // The amount in the currency of the country; without a rate it waits for one.
        let rate = parameters.units(self.code).ok_or(Missing::Rate)?;

        // From the gross, or from the cost where the country knows it.
        let find = if parameters.from_cost {
            Find::Greatest
        } else {
            Find::Smallest
        };
        let inverse = self.method.inverse(find).ok_or_else(|| refused(NO_COST))?;
        let inputs = self.method.inputs();
        let assumed = self.net.assumed.iter().filter_map(|assumed| {
            let input = assumed.input.of(inputs)?;
            Some((input.name.clone(), input.sent_text(&assumed.value)))
        });

        let found = parameters
            .amount
            .as_ref()
            .ok()
            .and_then(|amount| amount.checked_mul(rate));
        // On the grid of the parameter: a target between two amounts would be refused.
        let steps = found
            .and_then(|found| found.checked_div(inverse.unit))
            .map(|steps| steps.round());
        let found = steps.and_then(|steps| steps.checked_mul(inverse.unit));
        let found = found.ok_or_else(|| refused(TOO_GREAT))?.normalize();

        let name = if parameters.from_cost {
            Some(inverse.parameter.name.clone())
        } else {
            inverse.input.of(inputs).map(|input| input.name.clone())
        };

        let mut sent = vec![(name.unwrap_or_default(), found.to_string())];
        sent.extend(assumed);
        // With all options, so that the cost of the employer is in the answer.
        sent.extend(
            self.method
                .options()
                .iter()
                .map(|option| (option.name.clone(), "true".to_owned())),
        );
        Ok(sent)
    }

    fn pay(&self, sent: &[(String, String)], today: Date) -> Result<Amounts, String> {
        let question = Question::empty(self.listed);
        // Only what is sent counts: the page has no day, and no other parameter.
        let calculation = question
            .ask(sent, today)
            .map_err(|error| self.refused(error))?;
        let found = Pay::new(&calculation)
            .map_err(|error| self.refused(error))?
            .ok_or_else(|| NO_PAYSLIP.in_lang(self.listed.lang()).to_owned())?;

        // The net that is compared, which the payslip may not be paid out as.
        let fields = self.method.fields();
        let own = fields.get(self.net.field);
        let own = own.and_then(|field| calculation.field(&field.name)?.number());
        let net = own.unwrap_or(found.net);

        // Where contributions are due on a floor, they may take all of a tiny amount.
        if net <= Decimal::ZERO && found.gross > Decimal::ZERO {
            return Err(TOO_SMALL.in_lang(self.listed.lang()).to_owned());
        }

        // A law that counts in halves of a franc is paid in whole ones.
        let decimals = calculation.edition().method().decimals;
        let decimals = decimals.min(currency_decimals(self.code));
        Ok(Amounts {
            gross: found.gross,
            net,
            cost: found.cost,
            decimals,
        })
    }

    /// Why it has no result; an internal error does not affect the other countries.
    fn refused(&self, error: CalculationError) -> String {
        // The first reason is enough for a row of a table.
        match error {
            CalculationError::Refused(refusal) => refusal
                .parameters
                .first()
                .map(|bad| bad.reason.in_lang(self.listed.lang()).to_owned())
                .unwrap_or_default(),
            CalculationError::Internal(fault) => {
                Problem::internal(self.listed.folder.path(), &fault).text()
            }
        }
    }
}

/// The net after an income tax that the page may assume, as that of the grid for those whose rate
/// is not known; `None` where the method has no such tax.
fn after_tax<'r>(method: &'r Method, net: &Inverse) -> Option<&'r Inverse> {
    let mut inverses = method.inverses().iter();
    inverses.find(|other| {
        other.find == Find::Smallest
            && other.input == net.input
            && !other.before_income_tax
            && !other.assumed.is_empty()
    })
}
