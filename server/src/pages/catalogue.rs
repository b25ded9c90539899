//! Catalogue of the site: every rule folder that an endpoint answers from, and the addresses of its pages.

use bareme_engine::law::Scale;
use bareme_engine::run::{Case, Edition};
use bareme_engine::service::{Endpoint, Rules, Variant};
use bareme_engine::{Folder, Query};
use bareme_show::address;

use crate::api::called::Called;

/// A rule folder with the endpoint that answers from it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Listed<'r> {
    /// The folder.
    pub folder: &'r Folder,
    /// The endpoint.
    pub endpoint: &'r Endpoint,
    /// The first variant that has the endpoint.
    pub variant: &'r Variant,
    /// The word that selects it in a family.
    pub word: Option<&'r str>,
}

/// Every folder that can be called, in the order of the endpoints.
pub(super) fn all(rules: &Rules) -> Vec<Listed<'_>> {
    let service = rules.service();
    let of_endpoint = |endpoint: &'_ Endpoint| {
        let has = |variant: &&Variant| variant.endpoints.contains(&endpoint.name);
        service.variants.iter().find(has)
    };
    let endpoints = service.endpoints.iter().filter_map(|endpoint| Some((endpoint, of_endpoint(endpoint)?)));
    let listed = endpoints.flat_map(|(endpoint, variant)| {
        rules.members(endpoint).map(move |(word, folder)| Listed { folder, endpoint, variant, word })
    });
    listed.collect()
}

/// A folder by its path.
pub(super) fn find<'r>(rules: &'r Rules, path: &str) -> Option<Listed<'r>> {
    all(rules).into_iter().find(|listed| listed.folder.path() == path)
}

impl<'r> Listed<'r> {
    /// Address of its simulator.
    pub(super) fn simulator(&self) -> String {
        format!("/simulateurs/{}", self.folder.path())
    }

    /// Whether it computes a year of pays.
    pub(super) fn has_year(&self) -> bool {
        self.folder.year_block().is_some()
    }

    /// Address of the page of its scales.
    pub(super) fn page(&self) -> String {
        format!("/baremes/{}", self.folder.path())
    }

    /// The last scale, where it is dated.
    pub(super) fn last_scale(&self) -> Option<&'r Scale> {
        self.folder.latest().and_then(Edition::scale)
    }

    /// The call of the interface that asks this.
    pub(super) fn call(&self, pairs: &[(String, String)]) -> String {
        let selected = self.endpoint.by.clone().zip(self.word.map(str::to_owned));
        // The date comes last: it is the least of what is asked.
        let (dates, inputs): (Vec<_>, Vec<_>) = pairs.iter().cloned().partition(|(name, _)| name == "date");
        let pairs: Vec<_> = selected.into_iter().chain(inputs).chain(dates).collect();
        format!("{}/{}?{}", self.variant.prefix, self.endpoint.name, address::query(&pairs))
    }

    /// The call of the interface that asks a year of pays.
    pub(super) fn year_call(&self, pairs: &[(String, String)]) -> String {
        let called = Called { endpoint: self.endpoint, word: self.word, year: true };
        format!("{}/{}?{}", self.variant.prefix, called.path(), address::query(pairs))
    }

    /// Query of the interface for these parameters.
    pub(super) fn query<'q>(&self, parameters: &'q [(String, String)]) -> Query<'q>
    where
        'r: 'q,
    {
        Query::from(parameters).ignoring(&self.endpoint.ignored).chosen_by(self.endpoint.by.as_deref())
    }

    /// A worked case that gives an answer.
    pub(super) fn example(&self) -> Option<&'r Case> {
        self.folder.examples().first.first()
    }
}
