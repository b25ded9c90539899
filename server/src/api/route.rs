//! Routes of the interface, by the rule set's own list of variants and endpoints.

use bareme_engine::service::{Endpoint, Service, Variant};

/// Name of the description of the interface, under the prefix of each variant.
pub(crate) const DESCRIPTION: &str = "openapi.json";

/// A route of the interface.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Route<'a> {
    /// A calculation of a variant.
    Endpoint(&'a Variant, &'a Endpoint),
    /// The description of a variant's interface.
    Description(&'a Variant),
}

impl<'a> Route<'a> {
    /// The variant of the interface that the path is of.
    pub(crate) fn variant(self) -> &'a Variant {
        match self {
            Self::Endpoint(variant, _) | Self::Description(variant) => variant,
        }
    }
}

/// Finds what a path stands for.
pub(crate) fn find<'a>(service: &'a Service, path: &str) -> Option<Route<'a>> {
    service.variants.iter().find_map(|variant| {
        let name = path.strip_prefix(variant.prefix.as_str())?.strip_prefix('/')?;
        if name == DESCRIPTION {
            return Some(Route::Description(variant));
        }
        service.endpoint(variant, name).map(|endpoint| Route::Endpoint(variant, endpoint))
    })
}

/// Every path, for the answer to an unknown one.
pub(crate) fn paths(service: &Service) -> Vec<String> {
    let of_variant = |variant: &Variant| {
        let names = variant.endpoints.iter().map(String::as_str).chain([DESCRIPTION]);
        names.map(|name| format!("{}/{name}", variant.prefix)).collect::<Vec<_>>()
    };
    service.variants.iter().flat_map(of_variant).collect()
}
