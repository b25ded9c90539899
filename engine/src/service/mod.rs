//! `service.yaml`: the endpoints with their folders of the rules, and the variants of the API with
//! their plans.
//!
//! A service is a file beside the rules: [`Loader::load_service`](crate::Loader::load_service)
//! reads both, [`Loader::load`](crate::Loader::load) the rules alone. The four other modules do not
//! depend on it.

mod by_folder;
mod found_by;
mod leads_to;
mod load;
mod not_calculated;
mod question;
mod reachable;
mod read;
mod retirement;
mod rules;
mod schema;
mod shared;
#[cfg(test)]
mod tests;
mod topic;

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::text::Lang;

pub use by_folder::Held;
pub use found_by::FoundBy;
pub use leads_to::LeadsTo;
pub use load::Loaded;
pub use not_calculated::NotCalculated;
pub use question::{Question, QuestionPart};
pub use retirement::{NOTICE_MONTHS, Retirement};
pub use rules::Rules;
pub use schema::service_schema;
pub use topic::{Picture, Topic};

/// The description of a service.
///
/// ```
/// use bareme_engine::service::Variant;
///
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["tva"])
/// #     .load_service(root).rules.ok_or("errors")?;
/// let service = rules.service();
/// let mut endpoints = service.endpoints.iter();
/// let endpoint = endpoints.find(|endpoint| endpoint.folder == "tva").ok_or("not served")?;
/// let mut variants = service.variants.iter();
/// let has_it = |variant: &&Variant| variant.endpoints.contains(&endpoint.name);
/// let variant = variants.find(has_it).ok_or("no variant")?;
/// assert!(service.endpoint(variant, &endpoint.name).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Service {
    /// Language of its texts.
    pub lang: Lang,
    /// The same service with its texts in English: the endpoints of which every text is there.
    pub english: Option<Box<Self>>,
    /// Name of the service.
    pub title: String,
    /// Address of the documentation of the service; error types are below it.
    pub documentation: String,
    /// The attribution, in French, that some plans oblige callers to show.
    pub attribution: String,
    /// E-mail address to which callers write.
    pub contact: Option<String>,
    /// The sites that may embed its simulators: `*`, or their origins.
    pub embedded_by: Vec<String>,
    /// The folder of exchange parities fixed by law: its first input is a currency, its first
    /// number the units of it for one unit of the currency of the method.
    pub parities: Option<String>,
    /// Reference exchange rates, where the operator gives some.
    pub exchange_rates: Option<ExchangeRates>,
    /// The topics that come first in the catalogue, in order.
    pub topics: Vec<Topic>,
    /// The endpoints, in order.
    pub endpoints: Vec<Endpoint>,
    /// Subjects that people search and no endpoint calculates.
    pub not_calculated: Vec<NotCalculated>,
    /// The variants of the API, in order.
    pub variants: Vec<Variant>,
}

/// Exchange rates of a day.
///
/// [`Service::exchange_rates`] holds them.
#[derive(Debug, Clone)]
pub struct ExchangeRates {
    /// The day.
    pub date: Date,
    /// Who published them, in French.
    pub publisher: String,
    /// The currency of which one unit is converted.
    pub currency: String,
    /// For each currency, how many units one unit of the base currency buys.
    pub rates: Vec<(String, Decimal)>,
}

/// An endpoint: a name and the folder that it calculates from.
///
/// [`Service`] has an example.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Last part of its path.
    pub name: String,
    /// Its title, in French.
    pub title: String,
    /// Its folder; the folder of the family where `by` is set.
    pub folder: String,
    /// The parameter that selects a folder of the family.
    pub by: Option<String>,
    /// Parameters that every folder of the endpoint accepts: without effect, and with a warning,
    /// where a method has no such input.
    pub ignored: Vec<String>,
    /// Words that select no folder of the family because another endpoint covers them, each with
    /// the name of that endpoint. The words are normalized.
    pub elsewhere: Vec<(String, String)>,
    /// Its withdrawal, if it is announced.
    pub retirement: Option<Retirement>,
    /// French headings of the catalogue that list it, the main one first.
    pub topics: Vec<String>,
    /// French search terms.
    pub search: Vec<String>,
    /// French search terms of folders of the family, each with the word of the folder.
    pub search_of: Vec<(String, Vec<String>)>,
    /// Name of its country, in French, where it is in no family of countries.
    pub country: Option<String>,
    /// Inputs whose value another endpoint computes.
    pub found_by: Vec<FoundBy>,
    /// Other endpoints that go on from its answer.
    pub leads_to: Vec<LeadsTo>,
    /// Questions that people type, each with a page that answers it.
    pub questions: Vec<Question>,
}

/// A variant of the API: a set of endpoints with its own plans and keys.
///
/// [`Service`] has an example.
#[derive(Debug, Clone, Default)]
pub struct Variant {
    /// Its name in the file.
    pub name: String,
    /// Its title, in French.
    pub title: String,
    /// Prefix of its paths, `/api/v1`.
    pub prefix: String,
    /// Names of its endpoints, in order.
    pub endpoints: Vec<String>,
    /// The three letters with which its keys begin.
    pub key_prefix: String,
    /// Whether scripts of other sites may read its answers (CORS).
    pub cors: bool,
    /// Its withdrawal, if it is announced.
    pub retirement: Option<Retirement>,
    /// Its plans, in order; the first is that of callers without a key.
    pub plans: Vec<Plan>,
}

/// A plan of a variant.
///
/// An element of [`Variant::plans`].
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Its name in the file.
    pub name: String,
    /// Its name, for readers.
    pub title: String,
    /// Price, in words.
    pub price: String,
    /// Calls a day; `None`: unlimited.
    pub calls_per_day: Option<u64>,
    /// Calls a day from one address, for all keys of this plan together; `None`: no limit.
    pub calls_per_address: Option<u64>,
    /// Rows of a batch; `None`: the limit of the service.
    pub batch_rows: Option<u32>,
    /// Whether the caller must show the attribution.
    pub attribution: bool,
    /// Days for which a key is valid; `None`: it does not expire.
    pub valid_days: Option<u32>,
    /// Days without a call after which a key is revoked; `None`: never.
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
    // An endpoint that the variant does not list is unknown to its callers.
    pub fn endpoint(&self, variant: &Variant, name: &str) -> Option<&Endpoint> {
        if !variant.endpoints.iter().any(|known| known == name) {
            return None;
        }
        self.endpoints.iter().find(|endpoint| endpoint.name == name)
    }

    /// The withdrawal that applies to an endpoint of a variant: the earlier one of both.
    pub fn retirement(variant: &Variant, endpoint: &Endpoint) -> Option<Retirement> {
        variant
            .retirement
            .into_iter()
            .chain(endpoint.retirement)
            // An endpoint ends with its variant at the latest.
            .reduce(Retirement::sooner)
    }

    /// The endpoints of a variant, in its order.
    pub fn endpoints_of<'s>(&'s self, variant: &'s Variant) -> impl Iterator<Item = &'s Endpoint> {
        variant
            .endpoints
            .iter()
            .filter_map(|name| self.endpoint(variant, name))
    }
}
