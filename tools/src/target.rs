//! What a query is sent to: a rule folder by its path, or an endpoint of the service by its name.

use std::borrow::Cow;

use bareme_engine::{Calculation, CalculationError, Endpoint, Folder, Query, Refusal, Rules};
use jiff::civil::Date;

use crate::rule_files::unknown_name;
use crate::session::{Failure, Session, say};

/// What a query is sent to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'r> {
    rules: &'r Rules,
    /// The folder itself; none where a parameter chooses it.
    folder: Option<&'r Folder>,
    endpoint: Option<&'r Endpoint>,
}

impl<'r> Target<'r> {
    /// The folder or the endpoint of this name.
    pub(crate) fn find(rules: &'r Rules, name: &str, session: &Session) -> Result<Self, Failure> {
        let name = name.trim_matches('/');
        let endpoints = &rules.service().endpoints;
        if let Some(folder) = rules.folder(name) {
            let leads = |endpoint: &&Endpoint| {
                endpoint.folder == name || name.split_once('/').is_some_and(|(family, _)| endpoint.folder == family)
            };
            return Ok(Self { rules, folder: Some(folder), endpoint: endpoints.iter().find(leads) });
        }
        if let Some(endpoint) = endpoints.iter().find(|endpoint| endpoint.name == name) {
            return Ok(Self { rules, folder: rules.folder(&endpoint.folder), endpoint: Some(endpoint) });
        }
        let known: Vec<&str> = rules.folders().map(Folder::path).collect();
        Err(unknown_name(name, &known, session))
    }

    /// The folder that answers a query.
    pub(crate) fn folder(&self, query: &[(String, String)]) -> Result<&'r Folder, Refusal> {
        match (self.folder, self.endpoint) {
            (Some(folder), _) => Ok(folder),
            (None, Some(endpoint)) => self.rules.select(endpoint, query),
            (None, None) => Err(Refusal { parameters: Vec::new() }),
        }
    }

    /// Every folder that may answer.
    pub(crate) fn folders(&self) -> Vec<&'r Folder> {
        match (self.folder, self.endpoint) {
            (Some(folder), _) => vec![folder],
            (None, Some(endpoint)) => self.rules.family(&endpoint.folder).map(|(_, folder)| folder).collect(),
            (None, None) => Vec::new(),
        }
    }

    /// The parameter that chooses the folder, if one does.
    pub(crate) fn selector(&self) -> Option<&'r str> {
        if self.folder.is_some() { None } else { self.endpoint.and_then(|endpoint| endpoint.by.as_deref()) }
    }

    /// Parameters that are accepted without effect where a method has no such input.
    pub(crate) fn ignored(&self) -> &'r [String] {
        self.endpoint.map(|endpoint| endpoint.ignored.as_slice()).unwrap_or_default()
    }

    /// Calculates as the service would.
    pub(crate) fn calculate(
        &self,
        parameters: &[(String, String)],
        today: Date,
    ) -> Result<Calculation<'r>, CalculationError> {
        let query = Query { parameters, ignored: self.ignored(), selector: self.selector() };
        self.folder(parameters)?.calculate(&query, today)
    }
}

/// `name=value` as it stands on the command line.
pub(crate) fn query(words: &[String], session: &Session) -> Result<Vec<(String, String)>, Failure> {
    let pair = |word: &String| {
        let (name, value) = word.split_once('=').ok_or_else(|| {
            Failure::unusable(say!(
                session.lang,
                "`{word}` n'est pas un paramètre : écrire `nom=valeur`, comme `brut=450000`.",
                "`{word}` is not a parameter: write `name=value`, like `brut=450000`."
            ))
        })?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    };
    words.iter().map(pair).collect()
}

/// A query as it would stand on the command line.
pub(crate) fn words(query: &[(String, String)]) -> String {
    let word = |(name, value): &(String, String)| {
        let plain = value.chars().all(|letter| letter.is_alphanumeric() || ".-_".contains(letter));
        let value =
            if plain { Cow::Borrowed(value) } else { Cow::Owned(format!("'{}'", value.replace('\'', "'\\''"))) };
        format!("{name}={value}")
    };
    query.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// A query without answer: refused, parameter by parameter, or a fault of the engine.
pub(crate) fn failed(error: &CalculationError, session: &Session) -> Failure {
    match error {
        CalculationError::Refused(refusal) => refused(refusal, session),
        CalculationError::Internal(fault) => Failure::unusable(fault.to_string()),
    }
}

/// A refused query, parameter by parameter.
pub(crate) fn refused(refusal: &Refusal, session: &Session) -> Failure {
    let line = |bad: &bareme_engine::BadParameter| {
        let received = bad
            .received
            .as_deref()
            .map(|received| say!(session.lang, " (reçu : {received})", " (received: {received})"));
        let expected = if bad.expected.is_empty() {
            String::new()
        } else {
            let expected = &bad.expected;
            say!(session.lang, "\n  accepté : {expected}", "\n  accepted: {expected}")
        };
        format!("`{}` : {}{}{expected}", bad.name, bad.reason, received.unwrap_or_default())
    };
    Failure::wrong(refusal.parameters.iter().map(line).collect::<Vec<_>>().join("\n"))
}
