//! The service's own site, in French, for people: try it, understand it, trust it, get a key.
//!
//! | to read | module |
//! |---|---|
//! | which path shows what | [`Route`] |
//! | the frame of a page, its files | [`layout`], [`assets`] |
//! | what the pages list | [`catalogue`] |
//! | how often an address may have the site calculate | [`limit`] |
//!
//! Every page is made from the rule set in force when it is asked for, so a folder that is added shows
//! itself. Markup escapes by default; no cookie, no inline script or style, nothing from elsewhere.

mod assets;
mod call;
mod catalogue;
mod errors;
mod home;
pub mod key;
mod layout;
mod limit;
mod offers;
mod simulator;
mod text;

use bareme_engine::{Rules, Variant};
use hyper::header::{CONTENT_SECURITY_POLICY, HeaderMap, HeaderValue};
use jiff::civil::Date;

use crate::http::problem::kinds::Kind;
use crate::http::reply::{self, Content, Reply};
use assets::Asset;
use catalogue::Listed;

pub use limit::RateLimit;
pub use text::prose;

/// What the pages may load, and where their forms may be sent: here and nowhere else.
pub const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; script-src 'self'; \
                          connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What the pages are.
pub const HTML: &str = "text/html; charset=utf-8";

/// What a path of the site shows.
#[derive(Debug)]
pub enum Route<'r> {
    /// A file that pages load.
    Asset(&'static Asset),
    /// The first page.
    Home,
    /// The answer to the call of the first page, for its script.
    Call,
    /// The list of the errors.
    Errors,
    /// An error.
    Error(&'static Kind),
    /// The list of the simulators.
    Simulators,
    /// A simulator.
    Simulator(Listed<'r>),
    /// The result of a simulator, for its module.
    Result(Listed<'r>),
}

/// What is asked of a page.
#[derive(Debug)]
pub struct Visit<'v> {
    /// The rule set in force.
    pub rules: &'v Rules,
    /// The query, without its `?`.
    pub query: &'v str,
    /// The day of a calculation that says none.
    pub today: Date,
}

impl<'r> Route<'r> {
    /// What a path shows, if it is one of the site's.
    pub fn find(rules: &'r Rules, path: &str) -> Option<Self> {
        let listed = |prefix: &str| catalogue::find(rules, path.strip_prefix(prefix)?.strip_prefix('/')?);
        Some(match path {
            "/" => Self::Home,
            call::PATH => Self::Call,
            errors::PATH => Self::Errors,
            simulator::PATH => Self::Simulators,
            _ => {
                let asset = assets::find(path).map(Self::Asset);
                let error = || errors::find(path).map(Self::Error);
                let simulator = || listed(simulator::PATH).map(Self::Simulator);
                let result = || listed(simulator::RESULT_PATH).map(Self::Result);
                return asset.or_else(error).or_else(simulator).or_else(result);
            }
        })
    }

    /// Whether it calculates what the visitor asks: that is bounded by [`RateLimit`].
    pub fn calculates(&self, query: &str) -> bool {
        match self {
            Self::Call | Self::Simulator(_) | Self::Result(_) => true,
            Self::Home => !query.is_empty(),
            Self::Asset(_) | Self::Errors | Self::Error(_) | Self::Simulators => false,
        }
    }

    /// The content.
    pub fn content(&self, visit: &Visit) -> Content {
        let Visit { rules, query, today } = *visit;
        let service = rules.service();
        let html = match self {
            Self::Asset(asset) => return Content::new(asset.media, asset.text.as_bytes().to_vec()),
            Self::Home => home::page(rules, query, today),
            Self::Call => call::answer(rules, &call::sent(query).unwrap_or_default(), today).into_string(),
            Self::Errors => errors::index(service),
            Self::Error(kind) => errors::page(service, kind),
            Self::Simulators => simulator::index(rules),
            Self::Simulator(listed) => simulator::page(rules, listed, query, today),
            Self::Result(listed) => simulator::part(rules, listed, query, today),
        };
        Content::new(HTML, html.into_bytes())
    }
}

/// The answer to who asks for a page.
pub fn reply(content: Content, request: &HeaderMap) -> Reply {
    let mut reply = reply::good(content, request);
    reply.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    reply
}

/// A first call of a variant, from its worked cases.
pub fn first_call(rules: &Rules, variant: &Variant) -> String {
    let of_variant = |listed: &Listed| variant.endpoints.contains(&listed.endpoint.name);
    let first = catalogue::all(rules).into_iter().find(of_variant);
    first.and_then(|listed| home::example(&Listed { variant, ..listed })).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn rules() -> Rules {
        bareme_engine::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules")).rules.unwrap()
    }

    fn text(rules: &Rules, path: &str) -> String {
        let visit = Visit { rules, query: "", today: jiff::civil::date(2026, 11, 22) };
        let content = Route::find(rules, path).unwrap().content(&visit);
        String::from_utf8(content.body.to_vec()).unwrap()
    }

    #[test]
    fn every_endpoint_and_every_plan_is_on_the_first_page() {
        let rules = rules();
        let home = text(&rules, "/");
        for variant in &rules.service().variants {
            assert!(home.contains(&format!("href=\"{}/openapi.json\"", variant.prefix)));
            for plan in &variant.plans {
                assert!(home.contains(&prose(&plan.price).into_string()), "{}", plan.price);
            }
        }
        for endpoint in &rules.service().endpoints {
            assert!(home.contains(&prose(&endpoint.title).into_string()), "{}", endpoint.title);
        }
        for listed in catalogue::all(&rules) {
            assert!(home.contains(&listed.simulator()) && home.contains(&listed.page()), "{}", listed.folder.path());
        }
        assert!(home.contains(&rules.service().attribution));
    }

    #[test]
    fn pages_hold_nothing_that_their_policy_refuses() {
        let rules = rules();
        for path in ["/", "/erreurs", "/erreurs/parametres-invalides"] {
            let page = text(&rules, path);
            for refused in ["<script>", "style=", "<style", " onclick", "http-equiv"] {
                assert!(!page.contains(refused), "{refused} on {path}");
            }
        }
    }
}
