//! A calculation as selected by a path: an endpoint, and in a family optionally a folder.
//!
//! `/salaire-net/ci` is `/salaire-net?pays=ci`: the same answer, with the same id. A folder with a
//! year of pays has it below its own path, `/salaire/annee`.

use std::borrow::Cow;

use bareme_engine::Folder;
use bareme_engine::run::YEAR_PATH;
use bareme_engine::service::{Endpoint, Rules, Variant};
use bareme_engine::text::{BadParameter, ParameterCode, nearest, normalize};
use bareme_show::spreadsheet;

use super::route::sources_of;
use crate::wire::query::Query;

/// A calculation as selected by a path.
#[derive(Debug, Clone, Copy)]
pub struct CalledCalculation<'a> {
    /// The endpoint of the path.
    pub endpoint: &'a Endpoint,
    /// The word by which the path selects a folder of the family.
    pub word: Option<&'a str>,
    /// Whether it is a year of pays, month by month.
    pub year: bool,
}

impl<'a> CalledCalculation<'a> {
    /// The calculation for the last segments of a path. A folder whose files have errors keeps its
    /// path.
    pub(crate) fn find(rules: &'a Rules, variant: &Variant, name: &'a str) -> Option<Self> {
        let year = || Self::year_of(rules, variant, name).filter(|called| called.has_year(rules));
        Self::find_pay(rules, variant, name).or_else(year)
    }

    /// The calculation whose year of pays a path asks for, whether it has one or not.
    pub(crate) fn year_of(rules: &'a Rules, variant: &Variant, name: &'a str) -> Option<Self> {
        let called = Self::find_pay(rules, variant, name.strip_suffix(YEAR_PATH)?)?;
        // A year of pays belongs to one folder: in a family, the path must name it.
        let is_of_one = called.word.is_some() || called.endpoint.by.is_none();
        is_of_one.then_some(Self {
            year: true,
            ..called
        })
    }

    /// Whether its folder has a year of pays; one whose files have errors may have.
    fn has_year(self, rules: &Rules) -> bool {
        self.folder(rules)
            .is_none_or(|folder| folder.year_block().is_some())
    }

    /// The folder, unless its files have errors or the query selects it.
    pub(crate) fn folder(self, rules: &'a Rules) -> Option<&'a Folder> {
        rules.folder(&self.folder_path())
    }

    /// The path of the folder; of the family, where the query selects the folder.
    pub(crate) fn folder_path(self) -> Cow<'a, str> {
        let folder = self.endpoint.folder.as_str();
        self.word.map_or(Cow::Borrowed(folder), |word| {
            format!("{folder}/{word}").into()
        })
    }

    /// The currency of the folders that it may use, where it is the same of all.
    pub fn currency(self, rules: &Rules) -> Option<String> {
        // A batch of a family may mix folders: a currency sign means something if all have the
        // same.
        let is_used = |word: Option<&str>| self.word.is_none() || word == self.word;
        let folders = sources_of(rules, self.endpoint).filter(|source| is_used(source.word));
        let folders: Vec<&Folder> = folders.map(|source| source.folder).collect();
        spreadsheet::currency(&folders).map(str::to_owned)
    }

    fn find_pay(rules: &'a Rules, variant: &Variant, name: &'a str) -> Option<Self> {
        let service = rules.service();
        // An endpoint with this whole name comes first.
        if let Some(endpoint) = service.endpoint(variant, name) {
            return Some(Self {
                endpoint,
                word: None,
                year: false,
            });
        }

        let (name, word) = name.split_once('/')?;
        let endpoint = service
            .endpoint(variant, name)
            .filter(|endpoint| endpoint.by.is_some())?;

        // A folder that is refused for its errors keeps its path: 503 says that it comes back, 404
        // that it never was.
        let is_there = || sources_of(rules, endpoint).any(|source| source.word == Some(word));
        let path = || format!("{}/{word}", endpoint.folder);
        let is_known = is_there() || rules.absent().any(|held| held.folder == path());
        is_known.then_some(Self {
            endpoint,
            word: Some(word),
            year: false,
        })
    }

    /// The path below the prefix of a variant.
    pub fn path(self) -> Cow<'a, str> {
        let name = self.endpoint.name.as_str();
        let year = if self.year { YEAR_PATH } else { "" };
        match self.word {
            None if !self.year => Cow::Borrowed(name),
            None => format!("{name}{year}").into(),
            Some(word) => format!("{name}/{word}{year}").into(),
        }
    }

    /// The parameter that selects the folder with the word of the path.
    pub(crate) fn selected(self) -> Option<(&'a str, &'a str)> {
        self.endpoint.by.as_deref().zip(self.word)
    }

    /// The query with the parameter that the path replaces, which must not be sent as well.
    pub fn query<Text: AsRef<str> + From<&'a str>>(self, mut query: Query<Text>) -> Query<Text> {
        // A path that selects nothing leaves the query as it is.
        let Some((by, word)) = self.selected() else {
            return query;
        };

        // Even the same word is refused: the address would say it twice.
        if let Some(at) = query.pairs.iter().position(|(name, _)| name.as_ref() == by) {
            let (_, received) = query.pairs.remove(at);
            query.pairs.retain(|(name, _)| name.as_ref() != by);
            query
                .bad
                .push(self.selected_twice(by, word, received.as_ref()));
        }

        query.pairs.insert(0, (by.into(), word.into()));
        query
    }

    fn selected_twice(self, by: &str, word: &str, received: &str) -> BadParameter {
        let own = self.path();
        let reason = (
            format!("L’adresse choisit déjà `{word}` : ce paramètre n’y est pas accepté."),
            format!("The address selects `{word}` already: it does not take this parameter."),
        );
        // A year has no address without the word.
        let expected = if self.year {
            (
                format!("`/{own}` sans `{by}`"),
                format!("`/{own}` without `{by}`"),
            )
        } else {
            let general = &self.endpoint.name;
            (
                format!("`/{own}` sans `{by}`, ou `/{general}` avec `{by}`"),
                format!("`/{own}` without `{by}`, or `/{general}` with `{by}`"),
            )
        };

        BadParameter::new(by, ParameterCode::Unknown, reason, Some(received), expected)
    }

    /// Path and query of the same call to the endpoint itself, for a path that selects a folder.
    pub fn general_target(self, variant: &Variant, query: Option<&str>) -> Option<String> {
        // A year has no address without the word.
        let (by, word) = self.selected().filter(|_| !self.year)?;

        let rest = query
            .filter(|query| !query.is_empty())
            .map(|query| format!("&{query}"))
            .unwrap_or_default();
        Some(format!(
            "{}/{}?{by}={word}{rest}",
            variant.prefix, self.endpoint.name
        ))
    }
}

/// The path that may be meant by one that selects a folder of a family: with an alias, a typo, or a
/// word that another endpoint covers.
pub(super) fn near(rules: &Rules, variant: &Variant, name: &str) -> Option<String> {
    // Both parts may be mistyped: the family is looked for first, then the word within it.
    let (name, word) = name.split_once('/')?;
    let families = || {
        rules
            .service()
            .endpoints_of(variant)
            .filter(|endpoint| endpoint.by.is_some())
    };
    let meant = nearest(name, families().map(|endpoint| endpoint.name.as_str()))?;
    let endpoint = families().find(|endpoint| endpoint.name == meant)?;

    // Another endpoint may have this folder, such as one for a single country.
    let spelled = normalize(word);
    let elsewhere = endpoint
        .elsewhere
        .iter()
        .find(|(known, _)| *known == spelled);
    if let Some((_, name)) = elsewhere.filter(|(_, name)| variant.endpoints.contains(name)) {
        return Some(name.clone());
    }

    rules
        .word_meant(endpoint, word)
        .map(|word| format!("{meant}/{word}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::rules;

    fn called<'r>(rules: &'r Rules, path: &'r str) -> Option<CalledCalculation<'r>> {
        CalledCalculation::find(rules, &rules.service().variants[0], path)
    }

    #[test]
    fn a_path_of_a_family_may_select_its_folder() {
        let rules = rules();
        let member = called(&rules, "salaire-net/ci").unwrap();
        assert_eq!(member.selected(), Some(("pays", "ci")));
        assert_eq!(called(&rules, "salaire-net").unwrap().selected(), None);
        for path in [
            "salaire-net/zz",
            "salaire-net/CI",
            "salaire-net/",
            "salaire-net/ci/ci",
            "ir/ci",
            "salaire/ci",
        ] {
            assert!(called(&rules, path).is_none(), "{path}");
        }
    }

    #[test]
    fn a_year_is_below_the_path_of_a_folder_that_computes_one() {
        let rules = rules();
        let year = called(&rules, "salaire/annee").unwrap();
        assert!(year.year && year.path() == "salaire/annee" && year.folder_path() == "salaire");
        for path in [
            "ir/annee",
            "salaire-net/annee",
            "salaire-net/ci/annee",
            "salaire/annee/annee",
            "salaire/annees",
        ] {
            assert!(called(&rules, path).is_none(), "{path}");
        }
        let variant = &rules.service().variants[0];
        assert_eq!(
            CalledCalculation::year_of(&rules, variant, "salaire-net/ci/annee")
                .unwrap()
                .folder_path(),
            "salaire-net/ci"
        );
        assert_eq!(year.general_target(variant, Some("brut=1")), None);
    }

    #[test]
    fn its_query_is_that_of_the_family() {
        let rules = rules();
        let member = called(&rules, "salaire-net/ci").unwrap();
        let query = member.query(Query::read("brut=1&parts=2"));
        assert_eq!(query, Query::read("pays=ci&brut=1&parts=2"));
        for text in ["brut=1&pays=ci", "pays=sn&brut=1&pays=", "pays=&brut=1"] {
            let query = member.query(Query::read(text));
            assert_eq!(query.pairs, Query::read("pays=ci&brut=1").pairs, "{text}");
            let [bad] = query.bad.as_slice() else {
                panic!("{text}")
            };
            assert_eq!(
                (bad.name.as_str(), bad.code),
                ("pays", ParameterCode::Unknown)
            );
        }
        let plain = called(&rules, "ir").unwrap();
        assert_eq!(plain.query(Query::read("pays=ci")), Query::read("pays=ci"));
        let variant = &rules.service().variants[0];
        assert_eq!(
            member.general_target(variant, Some("brut=1")).unwrap(),
            "/api/v1/salaire-net?pays=ci&brut=1"
        );
        assert_eq!(
            member.general_target(variant, Some("")),
            member.general_target(variant, None)
        );
        assert_eq!(plain.general_target(variant, Some("brut=1")), None);
    }
}
