//! Catalogue of the site: every rule folder with an endpoint, and the addresses of its pages.

use bareme_api::calls::called_calculation::CalledCalculation;
use bareme_engine::law::Scale;
use bareme_engine::law::parameter::DATE;
use bareme_engine::run::{Case, Edition};
use bareme_engine::service::{Endpoint, Rules, Variant};
use bareme_engine::text::normalize;
use bareme_engine::{Folder, Lang, Query};
use bareme_show::query_string;
use jiff::civil::Date;
use maud::{Markup, html};

use super::language::localized;
use super::simulator::{self, YEAR_END};
use super::text::{day_in, say};

/// A rule folder with its endpoint.
#[derive(Debug, Clone, Copy)]
pub struct ListedFolder<'r> {
    pub folder: &'r Folder,
    pub endpoint: &'r Endpoint,
    /// The first variant that has the endpoint.
    pub variant: &'r Variant,
    /// The word that selects it in a family.
    pub word: Option<&'r str>,
}

/// Every folder with an endpoint, in the order of the endpoints, those of a family by name.
pub(super) fn all(rules: &Rules) -> Vec<ListedFolder<'_>> {
    let by_name = |endpoint| {
        let mut members: Vec<_> = members(rules, endpoint).collect();
        members.sort_by_cached_key(|member| normalize(name(member)));
        members
    };
    rules.service().endpoints.iter().flat_map(by_name).collect()
}

/// The folders of an endpoint; none of one that no variant has, which cannot be called and so has
/// no pages.
fn members<'r>(rules: &'r Rules, endpoint: &'r Endpoint) -> impl Iterator<Item = ListedFolder<'r>> {
    let mut variants = rules.service().variants.iter();
    let variant = variants.find(|variant| variant.endpoints.contains(&endpoint.name));

    variant.into_iter().flat_map(move |variant| {
        let members = rules.members(endpoint);
        members.map(move |(word, folder)| ListedFolder {
            folder,
            endpoint,
            variant,
            word,
        })
    })
}

/// Finds a folder by path.
pub(super) fn find<'r>(rules: &'r Rules, path: &str) -> Option<ListedFolder<'r>> {
    // In their own order: each page looks for its folder, and need not sort all the others.
    let endpoints = rules.service().endpoints.iter();
    let mut listed = endpoints.flat_map(|endpoint| members(rules, endpoint));
    listed.find(|listed| listed.folder.path() == path)
}

/// The name of a folder of a family as people call it: its first alias, or that of its endpoint.
pub(super) fn name<'r>(listed: &ListedFolder<'r>) -> &'r str {
    let alias = listed.folder.aliases().into_iter().next();
    let name = alias.map(|alias| alias.name.as_str());
    name.or(listed.endpoint.country.as_deref())
        .unwrap_or(listed.folder.title())
}

impl<'r> ListedFolder<'r> {
    /// Address of its simulator.
    pub(super) fn simulator(&self) -> String {
        localized(&self.french_simulator(), self.lang())
    }

    /// Address of its simulator in French.
    pub(super) fn french_simulator(&self) -> String {
        format!("{}/{}", simulator::PATH, self.folder.path())
    }

    /// Language of its pages.
    pub(super) fn lang(&self) -> Lang {
        self.folder.lang()
    }

    /// Whether its last method compares alternatives.
    pub(super) fn compares(&self) -> bool {
        let latest = self.folder.latest().map(Edition::method);
        latest.is_some_and(|method| method.comparison().is_some())
    }

    /// Whether it has a year of pays.
    pub(super) fn has_year(&self) -> bool {
        self.folder.year_block().is_some()
    }

    /// Address of its simulator of a year of pays, where it computes one.
    pub(super) fn year_simulator(&self) -> Option<String> {
        self.has_year()
            .then(|| format!("{}{YEAR_END}", self.simulator()))
    }

    /// Address of the page of its scales.
    pub(super) fn page(&self) -> String {
        format!("/baremes/{}", self.folder.path())
    }

    /// The last scale, where it is dated.
    pub(super) fn last_scale(&self) -> Option<&'r Scale> {
        self.folder.latest().and_then(Edition::scale)
    }

    /// Until when its scales are checked: up to date, where that is not over.
    pub(super) fn checked(&self, today: Date) -> Markup {
        let lang = self.lang();
        let until = self.last_scale().map(|scale| scale.known_until);
        html! {
            @if let Some(until) = until {
                " " span.soft {
                    @if until >= today {
                        (say(lang, "à jour, vérifié", "up to date, checked"))
                    } @else {
                        (say(lang, "vérifié", "checked"))
                    }
                    (say(lang, " jusqu’au ", " until ")) (day_in(until, lang))
                }
            }
        }
    }

    /// The call of the API with these parameters.
    pub(super) fn call(&self, pairs: &[(String, String)]) -> String {
        let selected = self.endpoint.by.clone().zip(self.word.map(str::to_owned));
        // The date comes last, as the least important.
        let (dates, inputs): (Vec<_>, Vec<_>) =
            pairs.iter().cloned().partition(|(name, _)| name == DATE);

        let pairs: Vec<_> = selected.into_iter().chain(inputs).chain(dates).collect();
        format!(
            "{}/{}?{}",
            self.variant.prefix,
            self.endpoint.name,
            query_string::from_pairs(&pairs)
        )
    }

    /// The call of the API for a year of pays.
    pub(super) fn year_call(&self, pairs: &[(String, String)]) -> String {
        let called = CalledCalculation {
            endpoint: self.endpoint,
            word: self.word,
            year: true,
        };

        format!(
            "{}/{}?{}",
            self.variant.prefix,
            called.path(),
            query_string::from_pairs(pairs)
        )
    }

    /// The API query with these parameters.
    pub(super) fn query<'q>(&self, parameters: &'q [(String, String)]) -> Query<'q>
    where
        'r: 'q,
    {
        Query::from(parameters)
            .ignoring(&self.endpoint.ignored)
            .chosen_by(self.endpoint.by.as_deref())
    }

    /// A worked case that expects an answer.
    pub(super) fn example(&self) -> Option<&'r Case> {
        self.folder.examples().first.first()
    }
}
