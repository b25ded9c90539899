//! A whole rule set, known to be good.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;

use crate::calculation::Calculation;
use crate::draft::Draft;
use crate::error::CalculationError;
use crate::folder::Folder;
use crate::method::Alias;
use crate::query::Query;
use crate::refusal::{BadParameter, Reason, Refusal, Said};
use crate::service::{Endpoint, Service};
use crate::words::{nearest, normalize};

/// The folders of a family with the word that selects each.
pub(crate) fn family<'f>(
    folders: &'f BTreeMap<String, Arc<Folder>>,
    family: &str,
) -> impl Iterator<Item = (&'f str, &'f Folder)> + use<'f> {
    let beginning = format!("{family}/");
    folders.iter().filter_map(move |(path, folder)| Some((path.strip_prefix(&beginning)?, folder.as_ref())))
}

/// A word that chooses a folder as its file writes it.
fn written<'a>(word: &str, mut aliases: impl Iterator<Item = &'a Alias>) -> String {
    aliases.find(|alias| alias.word == word).map_or_else(|| word.to_owned(), |alias| alias.name.clone())
}

/// An immutable rule set.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().about(&["tva"]).load(root).rules.ok_or("errors")?;
/// let folder = rules.folder("tva").ok_or("no such folder")?;
/// assert_eq!(folder.title(), "TVA en France");
/// let countries: Vec<&str> = rules.family("salaire-net").map(|(word, _)| word).collect();
/// assert!(countries.contains(&"ci"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Rules {
    pub(crate) version: String,
    pub(crate) service: Service,
    pub(crate) folders: BTreeMap<String, Arc<Folder>>,
}

impl Rules {
    /// Hash of the content of the whole set, but for the drafts: these change nothing of its answers.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Endpoints, variants and plans.
    pub fn service(&self) -> &Service {
        &self.service
    }

    /// The folders, by path.
    pub fn folders(&self) -> impl Iterator<Item = &Folder> {
        self.folders.values().map(Arc::as_ref)
    }

    /// A folder by its path, `salaire-net/ci`.
    pub fn folder(&self, path: &str) -> Option<&Folder> {
        self.folders.get(path).map(Arc::as_ref)
    }

    /// The dated files that are prepared, each with the path of its folder.
    pub fn drafts(&self) -> impl Iterator<Item = (&str, &Draft)> {
        self.folders().flat_map(|folder| folder.drafts().iter().map(|draft| (folder.path(), draft)))
    }

    /// The folders of a family with the word that selects each.
    pub fn family<'r>(&'r self, family: &str) -> impl Iterator<Item = (&'r str, &'r Folder)> {
        self::family(&self.folders, family)
    }

    /// Calculates what is asked of an endpoint.
    ///
    /// # Errors
    /// Every parameter that cannot be used, with what was received and what is accepted; or a fault of the engine.
    pub fn calculate(
        &self,
        endpoint: &Endpoint,
        parameters: &[(String, String)],
        today: Date,
    ) -> Result<Calculation<'_>, CalculationError> {
        let query = Query { parameters, ignored: &endpoint.ignored, selector: endpoint.by.as_deref() };
        match self.select(endpoint, parameters) {
            Ok(folder) => folder.calculate(&query, today),
            Err(mut refusal) => {
                refusal.parameters.extend(self.refused_by_all(endpoint, &query, today));
                Err(refusal.into())
            }
        }
    }

    /// The parameters that no folder of a family could use: they are bad whichever folder was meant. What
    /// each folder accepts instead may differ.
    fn refused_by_all(&self, endpoint: &Endpoint, query: &Query, today: Date) -> Vec<BadParameter> {
        let mut families = self.family(&endpoint.folder).map(|(_, folder)| folder.refused(query, today));
        let Some(by) = &endpoint.by else { return Vec::new() };
        let mut common = families.next().unwrap_or_default();
        common.retain(|bad| bad.name != *by);
        for other in families {
            common.retain_mut(|bad| {
                let Some(known) = other.iter().find(|known| known.name == bad.name) else { return false };
                if known.expected != bad.expected {
                    bad.expected = format!("selon `{by}`");
                }
                true
            });
        }
        common
    }

    /// The folder that an endpoint answers a query from.
    ///
    /// # Errors
    /// The selecting parameter, missing, repeated or unknown, with the words that exist.
    pub fn select(&self, endpoint: &Endpoint, parameters: &[(String, String)]) -> Result<&Folder, Refusal> {
        let Some(by) = &endpoint.by else {
            return self.folder(&endpoint.folder).ok_or(Refusal { parameters: Vec::new() });
        };
        let words: Vec<&str> = self.family(&endpoint.folder).map(|(word, _)| word).collect();
        let aliases = || self.family(&endpoint.folder).flat_map(|(_, folder)| folder.aliases());
        let refuse = |reason, received| {
            let or_name = match aliases().next() {
                Some(_) => (", ou le nom en toutes lettres", ", or the whole name"),
                None => ("", ""),
            };
            Refusal::of(BadParameter::because(by, reason, received, Said::alike(words.join(", ")).then(or_name)))
        };
        let received = Query::from(parameters).sent(by);
        if parameters.iter().filter(|(name, _)| name == by).count() > 1 {
            return Err(refuse(Reason::Repeated, received));
        }
        let Some(received) = received else { return Err(refuse(Reason::Missing, None)) };
        let word = normalize(received);
        let is_it = |known: &str, folder: &Folder| known == word || folder.is_called(&word);
        let found = self.family(&endpoint.folder).find(|(known, folder)| is_it(known, folder));
        found.map(|(_, folder)| folder).ok_or_else(|| {
            let known = words.iter().copied().chain(aliases().map(|alias| alias.word.as_str()));
            let near = nearest(&word, known).map(|near| written(near, aliases()));
            refuse(Reason::NotListed { near }, Some(received))
        })
    }
}
