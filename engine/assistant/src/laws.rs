//! Laws as they were: the law that a calculation names, the version of an earlier answer or the
//! scales as they were known on a day, and the rules that hold it.
//!
//! The rules of a past law come from a store, which is asked before a tool is called: the service
//! looks up the law of each of [`Assistant::questions`], and gives them to
//! [`Assistant::with_laws`].

use bareme_engine::law::parameter::{KNOWN_ON, VERSION};
use bareme_engine::say;
use bareme_engine::service::{Endpoint, Rules};
use bareme_engine::text::{BadParameter, Text};
use bareme_show::schema::Parameter;
use rmcp::model::JsonObject;
use serde_json::json;

use crate::Assistant;
use crate::refused::ToolError;

/// A calculation that a tool asks for by a law that it names.
///
/// [`Assistant::questions`] lists those of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The name of its endpoint.
    pub endpoint: String,
    /// Its parameters, as texts; those that name the law are among them.
    pub sent: Vec<(String, String)>,
}

/// The law of a question, as it was found.
#[derive(Debug, Clone)]
pub struct FoundLaw<'r> {
    /// The calculation that names it.
    pub question: Question,
    /// The rules that hold it.
    pub rules: Result<&'r Rules, LawError>,
}

/// Why there is no law for a question.
#[derive(Debug, Clone)]
pub enum LawError {
    /// The parameters that name it cannot be used.
    Parameters(Vec<BadParameter>),
    /// Nothing is kept of it.
    Unknown(UnknownLaw),
}

/// A law that nothing is kept of, as the interface says it.
///
/// [`LawError`] has one.
#[derive(Debug, Clone)]
pub struct UnknownLaw {
    /// The code of the problem.
    pub code: &'static str,
    /// Its sentence.
    pub detail: Text<String>,
    /// The versions that are kept for the day of the calculation, the newest first.
    pub versions: Vec<String>,
    /// The first day that is kept.
    pub since: Option<String>,
}

/// A calculation with the rules that answer it.
#[derive(Debug)]
pub(crate) struct Asked<'r> {
    pub rules: &'r Rules,
    pub endpoint: &'r Endpoint,
    /// The parameters as they were sent.
    pub sent: Vec<(String, String)>,
    /// Whether they name the law.
    pub is_named: bool,
}

impl<'r> Assistant<'r> {
    /// The same tools with the laws that a call names: they then take `version` and `connu_le`.
    /// Without, a calculation is by the rules at hand, and what names another law is refused.
    #[must_use]
    pub fn with_laws(self, laws: Vec<FoundLaw<'r>>) -> Self {
        Self {
            laws: Some(laws),
            ..self
        }
    }

    /// The calculations of a call that name their law.
    pub fn questions(&self, tool: &str, arguments: &JsonObject) -> Vec<Question> {
        let asked = self.calculations_of(tool, arguments);
        let named = asked.into_iter().filter(|(_, sent)| names_law(sent));
        named
            .map(|(endpoint, sent)| Question {
                endpoint: endpoint.name.clone(),
                sent,
            })
            .collect()
    }

    /// The rules that answer a calculation.
    ///
    /// # Errors
    /// The law that it names was not found.
    pub(crate) fn asked(
        &self,
        endpoint: &'r Endpoint,
        sent: Vec<(String, String)>,
    ) -> Result<Asked<'r>, ToolError> {
        let laws = self.laws.as_deref().filter(|_| names_law(&sent));
        let is_it =
            |law: &&FoundLaw| law.question.endpoint == endpoint.name && law.question.sent == sent;
        let found = laws.and_then(|laws| laws.iter().find(is_it));

        let rules = match found {
            None => self.rules,
            Some(law) => law.rules.clone()?,
        };
        Ok(Asked {
            rules,
            endpoint,
            sent,
            is_named: found.is_some(),
        })
    }

    /// The parameters that name a law, where laws are kept.
    pub(crate) fn law_parameters(&self) -> Vec<Parameter> {
        if self.laws.is_none() {
            return Vec::new();
        }

        // Shorter than in the description of the interface: a model reads them for every tool.
        let version = say!(
            self.lang,
            "Droit à appliquer : `version` d’une réponse antérieure.",
            "Law to apply: `version` of an earlier answer."
        );
        let known_on = say!(
            self.lang,
            "Barèmes tels qu’ils étaient en service à la fin de ce jour (UTC).",
            "Scales as they were in service at the end of that day (UTC)."
        );
        vec![
            Parameter::optional(VERSION, version, json!({"type": "string"})),
            Parameter::optional(
                KNOWN_ON,
                known_on,
                json!({"type": "string", "format": "date"}),
            ),
        ]
    }
}

impl Asked<'_> {
    /// The parameters of the calculation itself, which the day of knowledge is none of.
    pub(crate) fn pairs(&self) -> Vec<(String, String)> {
        let is_own = |(name, _): &&(String, String)| !(self.is_named && name == KNOWN_ON);
        self.sent.iter().filter(is_own).cloned().collect()
    }
}

/// Whether a name is that of a parameter that names the law.
pub(crate) fn is_of_law(name: &str) -> bool {
    [VERSION, KNOWN_ON].contains(&name)
}

/// Whether parameters name the law; an empty one is absent.
fn names_law(sent: &[(String, String)]) -> bool {
    sent.iter()
        .any(|(name, value)| is_of_law(name) && !value.is_empty())
}
