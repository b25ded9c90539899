//! Calculations, figures and legal texts of dated scales as tools of an assistant, by the Model
//! Context Protocol.
//!
//! The tools are made from the loaded rules: an endpoint is a tool with the parameters of its
//! folders, so that a new folder needs no code. What cannot be computed is refused, with what is
//! missing and the codes of the API; an amount is never made up.
//!
//! | to read | module |
//! |---|---|
//! | every tool: its name, what it takes, what it costs | `catalogue` |
//! | a tool | `tools` |
//! | the layout of an answer within its length, and of a refusal | `answer`, `refused` |
//! | what is not known of an answer | `reserves` |
//! | the law that a call names, where past ones are kept | `laws` |
//! | the pages that an assistant may read | `resources` |
//! | numbers as they were written | `exact` |
//! | what is made once a rule set, for searches and changes | `index` |
//! | the protocol, and over HTTP (feature `http`) | `server`, `http` |
//!
//! ```
//! use bareme_assistant::Assistant;
//! use bareme_engine::{Lang, Loader};
//!
//! # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../rules"));
//! let rules = Loader::new().without_cases().only(&["tva"])
//!     .load_service(root).rules.ok_or("errors")?;
//! let assistant = Assistant::new(&rules, None, jiff::civil::date(2026, 3, 31), Lang::Fr);
//! let arguments = serde_json::json!({"montant": 120, "sens": "ttc"});
//! let arguments = arguments.as_object().ok_or("no object")?;
//! let result = assistant.call("tva", arguments).ok_or("no such tool")?;
//! assert_eq!(result.structured_content.ok_or("no answer")?["reponse"]["ht"], 100);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod arguments;
mod catalogue;
mod exact;
#[cfg(feature = "http")]
pub mod http;
mod index;
mod laws;
mod link;
mod refused;
mod reserves;
mod resources;
mod server;
mod tools;

use std::sync::Arc;

use bareme_engine::Lang;
use bareme_engine::service::{Endpoint, Rules, Variant};
use bareme_show::{Locale, Medium};
use jiff::civil::Date;

pub use exact::with_exact_numbers;
pub use index::Index;
pub use laws::{FoundLaw, LawError, Question, UnknownLaw};
pub use server::{RuleSource, Server};

/// The tools and resources of a rule set on a day, in a language. Labels of the law stay French.
///
/// The crate has an example.
#[derive(Debug, Clone)]
pub struct Assistant<'r> {
    rules: &'r Rules,
    /// The prefix of the paths of its calculations.
    prefix: &'r str,
    endpoints: Vec<&'r Endpoint>,
    today: Date,
    lang: Lang,
    index: Arc<Index>,
    /// The laws that a call names; `None` where none but the rules are kept.
    laws: Option<Vec<FoundLaw<'r>>>,
}

impl<'r> Assistant<'r> {
    /// The tools of a variant of the service, or of all its endpoints; `today` is the day of calls
    /// without a date.
    pub fn new(rules: &'r Rules, variant: Option<&'r Variant>, today: Date, lang: Lang) -> Self {
        let service = rules.service();
        let endpoints = match variant {
            Some(variant) => service.endpoints_of(variant).collect(),
            None => service.endpoints.iter().collect(),
        };

        Self {
            rules,
            prefix: variant.map_or("", |variant| variant.prefix.as_str()),
            endpoints,
            today,
            lang,
            index: Arc::default(),
            laws: None,
        }
    }

    /// The same tools with the index of their rule set, which then outlives them: what they search
    /// is made once.
    #[must_use]
    pub fn with_index(self, index: &Arc<Index>) -> Self {
        Self {
            index: Arc::clone(index),
            ..self
        }
    }

    /// How values are formatted in sentences.
    fn locale(&self) -> Locale {
        Locale {
            lang: self.lang,
            medium: Medium::Page,
        }
    }
}
