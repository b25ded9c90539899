//! Routes of the API, by the variants and endpoints of the rule set.

use bareme_engine::Folder;
use bareme_engine::service::{Endpoint, Held, Rules, Service, Variant};
use bareme_engine::text::nearest;
use jiff::civil::Date;

use super::called_calculation::{self, CalledCalculation};
use crate::wire::headers::{BATCH_METHODS, METHODS};

/// Last segment of the path of the OpenAPI document of a variant.
pub const DESCRIPTION: &str = "openapi.json";

/// Prefix of the paths of batches in a variant.
pub const BATCHES: &str = "lot/";
/// Last segment of the path of what was published in a variant.
pub(crate) const PUBLISHED: &str = "changements";
/// First segment of the paths of scales in a variant.
pub(crate) const SCALES: &str = "baremes";

/// Path, below the documentation, of the page about versions and withdrawals.
pub const WITHDRAWALS: &str = "/documentation/versions";

/// A route of the API.
#[derive(Debug, Clone, Copy)]
pub enum Route<'a> {
    /// A calculation of a variant.
    Endpoint(&'a Variant, CalledCalculation<'a>),
    /// Many calculations of a variant in one request.
    Batch(&'a Variant, CalledCalculation<'a>),
    /// The OpenAPI document of a variant.
    Description(&'a Variant),
    /// The data of a variant.
    Data(&'a Variant, Data<'a>),
    /// The rule sets that were published, with their corrections.
    Published(&'a Variant),
}

/// A route of the data.
#[derive(Debug, Clone, Copy)]
pub enum Data<'a> {
    /// The index of all data, with addresses.
    Index,
    /// The folders of the endpoints.
    Scales,
    /// A folder: its parameters, its fields, its editions.
    Scale(Source<'a>),
    /// The edition of a folder in force on a day, with its figures.
    Edition(Source<'a>, Date),
    /// The words of the parameter with this name, which selects a folder in families of the
    /// variant.
    Words(&'a str),
}

/// A folder with an endpoint.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The endpoint whose figures it shows.
    pub endpoint: &'a Endpoint,
    /// The word that selects the folder in a family.
    pub word: Option<&'a str>,
    /// The folder whose figures it shows.
    pub folder: &'a Folder,
}

impl<'a> Route<'a> {
    /// The variant that the route belongs to.
    pub fn variant(self) -> &'a Variant {
        match self {
            Self::Endpoint(variant, _)
            | Self::Batch(variant, _)
            | Self::Description(variant)
            | Self::Data(variant, _)
            | Self::Published(variant) => variant,
        }
    }

    /// The methods that the route accepts, for `Allow`.
    pub fn methods(self) -> &'static str {
        match self {
            Self::Batch(..) => BATCH_METHODS,
            Self::Endpoint(..) | Self::Description(_) | Self::Data(..) | Self::Published(_) => {
                METHODS
            }
        }
    }

    /// The label of the path in metrics, where each day has its own path.
    pub fn counted_as(self) -> Option<String> {
        let Self::Data(variant, Data::Edition(source, _)) = self else {
            return None;
        };
        Some(format!(
            "{}/{SCALES}/{}/{{date}}",
            variant.prefix,
            source.folder.path()
        ))
    }
}

/// Finds the route of a path.
pub fn find<'a>(rules: &'a Rules, path: &'a str) -> Option<Route<'a>> {
    let service = rules.service();
    service.variants.iter().find_map(|variant| {
        // The prefix itself is the index of the data.
        let name = match path.strip_prefix(variant.prefix.as_str())? {
            "" => return Some(Route::Data(variant, Data::Index)),
            below => below.strip_prefix('/')?,
        };

        // Calculations first: they are nearly all calls.
        if let Some(called) = CalledCalculation::find(rules, variant, name) {
            return Some(Route::Endpoint(variant, called));
        }
        if name == DESCRIPTION {
            return Some(Route::Description(variant));
        }
        if name == PUBLISHED {
            return Some(Route::Published(variant));
        }
        if let Some(name) = name.strip_prefix(BATCHES) {
            return CalledCalculation::find(rules, variant, name)
                .map(|called| Route::Batch(variant, called));
        }

        // Whatever is below the prefix and is none of these is data, or unknown.
        data(rules, variant, name).map(|data| Route::Data(variant, data))
    })
}

fn data<'a>(rules: &'a Rules, variant: &'a Variant, name: &'a str) -> Option<Data<'a>> {
    if name == SCALES {
        return Some(Data::Scales);
    }
    if let Some(by) = selectors(rules.service(), variant).find(|by| *by == name) {
        return Some(Data::Words(by));
    }

    let path = below_scales(name)?;
    if let Some(source) = source(rules, variant, path) {
        return Some(Data::Scale(source));
    }

    // The day is written in one way only, so that an edition has one address.
    let (path, day) = path.rsplit_once('/')?;
    let date: Date = day
        .parse()
        .ok()
        .filter(|date: &Date| date.to_string() == day)?;
    Some(Data::Edition(source(rules, variant, path)?, date))
}

/// Path without the prefix of a variant and its slash; `None` if it does not start with them.
fn below<'a>(variant: &Variant, path: &'a str) -> Option<&'a str> {
    path.strip_prefix(variant.prefix.as_str())?
        .strip_prefix('/')
}

fn below_scales(name: &str) -> Option<&str> {
    name.strip_prefix(SCALES)?.strip_prefix('/')
}

/// The folder for a path, if an endpoint of the variant has it.
fn source<'a>(rules: &'a Rules, variant: &'a Variant, path: &str) -> Option<Source<'a>> {
    sources(rules, variant).find(|source| source.folder.path() == path)
}

/// The folders of the endpoints of a variant, in the order of the endpoints.
pub fn sources<'a>(rules: &'a Rules, variant: &'a Variant) -> impl Iterator<Item = Source<'a>> {
    rules
        .service()
        .endpoints_of(variant)
        .flat_map(move |endpoint| sources_of(rules, endpoint))
}

/// The folders of an endpoint.
pub(crate) fn sources_of<'a>(
    rules: &'a Rules,
    endpoint: &'a Endpoint,
) -> impl Iterator<Item = Source<'a>> {
    rules.members(endpoint).map(move |(word, folder)| Source {
        endpoint,
        word,
        folder,
    })
}

/// The parameters that select a folder in families of a variant, each once.
pub(crate) fn selectors<'a>(
    service: &'a Service,
    variant: &'a Variant,
) -> impl Iterator<Item = &'a str> {
    let mut found: Vec<&str> = service
        .endpoints_of(variant)
        .filter_map(|endpoint| endpoint.by.as_deref())
        .collect();
    found.dedup();
    found.into_iter()
}

/// The absent folder whose data a path is for.
pub fn absent<'a>(rules: &'a Rules, path: &str) -> Option<&'a Held> {
    let asked = rules
        .service()
        .variants
        .iter()
        .find_map(|variant| below_scales(below(variant, path)?))?;

    // The folder itself, or one of its editions.
    let is_it = |held: &&Held| {
        asked
            .strip_prefix(held.folder.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    rules.absent().find(is_it)
}

/// The path of the folder without a year of pays, where a path asks for one.
pub fn without_year<'a>(rules: &'a Rules, path: &'a str) -> Option<&'a str> {
    let of_variant = |variant: &Variant| {
        // A batch of years is asked for in the same way.
        let name = below(variant, path)?;
        let called =
            CalledCalculation::year_of(rules, variant, name.strip_prefix(BATCHES).unwrap_or(name))?;
        called
            .folder(rules)
            .filter(|folder| folder.year_block().is_none())
            .map(Folder::path)
    };
    rules.service().variants.iter().find_map(of_variant)
}

/// The paths to list in the answer to an unknown one; the paths of the data can be found from the
/// first.
pub fn paths(service: &Service) -> Vec<String> {
    let of_variant = |variant: &Variant| {
        let below = names(service, variant).map(|name| format!("{}/{name}", variant.prefix));
        std::iter::once(variant.prefix.clone())
            .chain(below)
            .collect::<Vec<_>>()
    };
    service.variants.iter().flat_map(of_variant).collect()
}

/// The last segments of the paths of a variant.
fn names<'a>(service: &'a Service, variant: &'a Variant) -> impl Iterator<Item = &'a str> {
    let endpoints = variant.endpoints.iter().map(String::as_str);
    endpoints
        .chain([DESCRIPTION, SCALES, PUBLISHED])
        .chain(selectors(service, variant))
}

/// The path that may be meant by an unknown one: in capitals, with another separator, with a `/` at
/// its end, or mistyped.
pub fn near(rules: &Rules, path: &str) -> Option<String> {
    let service = rules.service();

    let asked = path.trim_matches('/').to_lowercase();
    service.variants.iter().find_map(|variant| {
        let prefix = variant.prefix.trim_matches('/');
        let below = asked.strip_prefix(prefix)?;
        if below.is_empty() {
            return Some(variant.prefix.clone());
        }
        let name = below.strip_prefix('/')?;

        // A batch is looked for like its calculation.
        let (before, called) = name
            .strip_prefix(BATCHES)
            .map_or(("", name), |called| (BATCHES, called));
        if let Some(meant) = called_calculation::near(rules, variant, called) {
            return Some(format!("{}/{before}{meant}", variant.prefix));
        }

        // Then any other path of the variant, by its distance.
        let folders =
            sources(rules, variant).map(|source| format!("{SCALES}/{}", source.folder.path()));
        let folders: Vec<String> = folders.collect();
        let known = names(service, variant).chain(folders.iter().map(String::as_str));
        nearest(name, known).map(|name| format!("{}/{name}", variant.prefix))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::rules;

    #[test]
    fn a_path_that_is_nearly_one_is_reported_that_one() {
        let rules = rules();
        for (path, meant) in [
            ("/api/v1/", Some("/api/v1")),
            ("/api/v1/ir/", Some("/api/v1/ir")),
            ("/api/v1/IR", Some("/api/v1/ir")),
            ("/API/V1/ir", Some("/api/v1/ir")),
            ("//api/v1/ir", Some("/api/v1/ir")),
            ("/api/v1/salaire_net", Some("/api/v1/salaire-net")),
            (
                "/api/v1/Baremes/Salaire-Net/ci/",
                Some("/api/v1/baremes/salaire-net/ci"),
            ),
            (
                "/api/v1/salaire-net/senegal",
                Some("/api/v1/salaire-net/sn"),
            ),
            ("/api/v1/salaire-net/S%C3%A9n%C3%A9gal", None),
            ("/api/v1/salaire_net/SN/", Some("/api/v1/salaire-net/sn")),
            ("/api/v1/salaire-net/ca", Some("/api/v1/salaire-net/qc")),
            ("/api/v1/salaire-net/fr", Some("/api/v1/salaire")),
            (
                "/api/v1/lot/salaire-net/senegl",
                Some("/api/v1/lot/salaire-net/sn"),
            ),
            ("/api/v1/salaire-net/atlantide", None),
            ("/api/v1/xyz", None),
            ("/api/v2/ir", None),
            ("/api/v1/ir/2026", None),
        ] {
            assert_eq!(near(&rules, path).as_deref(), meant, "{path}");
        }
    }

    #[test]
    fn data_are_of_the_endpoints_of_a_variant() {
        let rules = rules();
        let shown = |path: &str| {
            find(&rules, path).map(|route| {
                format!("{route:?}")
                    .split([' ', '('])
                    .next()
                    .unwrap_or_default()
                    .to_owned()
            })
        };
        for (path, kind) in [
            ("/api/v1", Some("Data")),
            ("/api/v1/baremes", Some("Data")),
            ("/api/v1/baremes/salaire-net/ci/2026-02-01", Some("Data")),
            ("/api/v1/pays", Some("Data")),
            ("/api/v1/ir", Some("Endpoint")),
            ("/api/v1/salaire-net/ci", Some("Endpoint")),
            ("/api/v1/lot/salaire-net/ci", Some("Batch")),
            ("/api/v1/salaire-net/zz", None),
            ("/api-docs/v1/salaire-net/ci", None),
            ("/api-docs/v1/pays", None),
            ("/api-docs/v1/baremes/ifi", None),
            ("/api/v1/baremes/salaire-net", None),
            ("/api/v1/baremes/ir/2026-2-1", None),
            ("/api/v1/baremes/ir/2026-02-30", None),
            ("/api/v1/baremes/", None),
        ] {
            assert_eq!(shown(path).as_deref(), kind, "{path}");
        }
    }
}
