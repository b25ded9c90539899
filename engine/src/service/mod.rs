//! `service.yaml`: which endpoint answers from which folder of the rules, and what the variants of an interface offer.
//!
//! A service is beside the rules: [`Loader::load_service`](crate::Loader::load_service) reads both,
//! [`Loader::load`](crate::Loader::load) the rules alone. Nothing else of the engine knows a service.

mod apart;
mod load;
mod read;
mod retirement;
mod rules;
mod schema;
mod served;
#[cfg(test)]
mod tests;

use jiff::civil::Date;
use rust_decimal::Decimal;

pub use apart::Held;
pub use load::Loaded;
pub use retirement::{NOTICE_MONTHS, Retirement};
pub use rules::Rules;
pub use schema::service_schema;

/// The service as its owners describe it.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().about(&["tva"]).load_service(root).rules.ok_or("errors")?;
/// let service = rules.service();
/// let endpoint = service.endpoints.iter().find(|endpoint| endpoint.folder == "tva").ok_or("not served")?;
/// let variant = service.variants.iter().find(|variant| variant.endpoints.contains(&endpoint.name)).ok_or("no variant")?;
/// assert!(service.endpoint(variant, &endpoint.name).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Service {
    /// Name of the service.
    pub title: String,
    /// Address under which the service documents itself; error types are below it.
    pub documentation: String,
    /// The credit, in French, that callers of some plans show to their users.
    pub attribution: String,
    /// E-mail address to which callers write.
    pub contact: Option<String>,
    /// The sites that may show its simulators within their pages: `*`, or their origins.
    pub embedded_by: Vec<String>,
    /// The folder of the parities that a law fixes: its first input is a currency, its first number the units of it for
    /// one of its own currency.
    pub parities: Option<String>,
    /// Rates of exchange that its owners give.
    pub exchange_rates: Option<ExchangeRates>,
    /// The endpoints, in order.
    pub endpoints: Vec<Endpoint>,
    /// The variants of the interface, in order.
    pub variants: Vec<Variant>,
}

/// Rates of exchange of a day.
///
/// A [`Service`] may have some.
#[derive(Debug, Clone)]
pub struct ExchangeRates {
    /// The day.
    pub date: Date,
    /// Who published them, in French.
    pub publisher: String,
    /// The currency that each rate is for one unit of.
    pub currency: String,
    /// Units of each currency.
    pub rates: Vec<(String, Decimal)>,
}

/// An endpoint: a name and the folder that answers.
///
/// The example of [`Service`] finds one by its folder.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Last part of its path.
    pub name: String,
    /// Its title, in French.
    pub title: String,
    /// The folder that answers; the folder of the family where `by` is set.
    pub folder: String,
    /// The parameter that selects a folder of the family.
    pub by: Option<String>,
    /// Parameters accepted everywhere, without effect (and with a warning) where a method has no such input.
    pub ignored: Vec<String>,
    /// Words that select no folder of the family because another endpoint answers them, each with its name. They are
    /// normalised, as words are compared.
    pub elsewhere: Vec<(String, String)>,
    /// Its withdrawal, if it is announced.
    pub retirement: Option<Retirement>,
    /// Headings under which people look for it, in French, the first one first.
    pub topics: Vec<String>,
    /// Other words by which it is found, in French.
    pub search: Vec<String>,
    /// Name of its country, in French, where it is in no family of countries.
    pub country: Option<String>,
}

/// A variant of the interface.
///
/// The example of [`Service`] finds one by its endpoints.
#[derive(Debug, Clone, Default)]
pub struct Variant {
    /// Its name in the file.
    pub name: String,
    /// Its title, in French.
    pub title: String,
    /// Beginning of its paths, `/api/v1`.
    pub prefix: String,
    /// Names of its endpoints, in order.
    pub endpoints: Vec<String>,
    /// The three letters that its keys begin with.
    pub key_prefix: String,
    /// Whether scripts of other sites may read its answers.
    pub cors: bool,
    /// Its withdrawal, if it is announced.
    pub retirement: Option<Retirement>,
    /// Its plans, in order; the first is that of callers without a key.
    pub plans: Vec<Plan>,
}

/// A plan of a variant.
///
/// A [`Variant`] lists its own.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Its name in the file.
    pub name: String,
    /// Its name, for readers.
    pub title: String,
    /// Price, in words.
    pub price: String,
    /// Calls a day; none: unlimited.
    pub calls_per_day: Option<u64>,
    /// Calls a day of all keys of this plan together that come from one address; none: no ceiling.
    pub calls_per_address: Option<u64>,
    /// Rows of a batch; none: as many as the service takes.
    pub batch_rows: Option<u32>,
    /// Whether the caller must credit the service.
    pub attribution: bool,
    /// Days for which a key is good; none: it does not expire.
    pub valid_days: Option<u32>,
    /// Days without a call after which a key ends; none: it may rest.
    pub unused_days: Option<u32>,
    /// Other terms, in French.
    pub terms: Vec<String>,
    /// Address at which it is bought, `https:` or `mailto:`.
    pub buy: Option<String>,
    /// Identifier of its price at the payment provider.
    pub payment_price: Option<String>,
}

impl Service {
    /// An endpoint of a variant, by the last part of its path.
    pub fn endpoint(&self, variant: &Variant, name: &str) -> Option<&Endpoint> {
        if !variant.endpoints.iter().any(|known| known == name) {
            return None;
        }
        self.endpoints.iter().find(|endpoint| endpoint.name == name)
    }

    /// The withdrawal of an endpoint of a variant: of the two, what comes first.
    pub fn retirement(variant: &Variant, endpoint: &Endpoint) -> Option<Retirement> {
        variant.retirement.into_iter().chain(endpoint.retirement).reduce(Retirement::sooner)
    }

    /// The endpoints of a variant, in its order.
    pub fn endpoints_of<'s>(&'s self, variant: &'s Variant) -> impl Iterator<Item = &'s Endpoint> {
        variant.endpoints.iter().filter_map(|name| self.endpoint(variant, name))
    }
}
