//! The service's own site, in French, for people: try it, understand it, trust it, get a key.
//!
//! | topic | module |
//! |---|---|
//! | routes | [`Route`] |
//! | layout, static files, compression | [`layout`], [`assets`], [`compressed`] |
//! | the catalogue of folders | [`catalogue`] |
//! | rate limit of calculations | [`limit`] |
//! | error pages | [`failure`] |
//!
//! Every page is generated from the rule set in force when it is requested, so a new folder needs no code. Markup
//! escapes by default; there are no cookies, no inline scripts or styles, and nothing from other hosts.

mod assets;
mod call;
mod catalogue;
mod changes;
mod compare;
mod compressed;
mod errors;
pub(crate) mod failure;
mod feed;
mod figures;
mod guide;
mod home;
pub(crate) mod key;
mod layout;
pub(crate) mod legal;
mod limit;
mod offers;
mod scales;
mod simulator;
mod table;
mod text;
mod viewer;
mod wellknown;
mod widget;

use bareme_engine::service::{Held, Rules, Variant};
use hyper::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, HeaderMap, HeaderValue};
use jiff::civil::Date;

use crate::openapi::form;
use crate::wire::negotiation::accepts_gzip;
use crate::wire::problem::Problem;
use crate::wire::problem::kinds::Kind;
use crate::wire::reply::{self, Content, Reply};
use assets::Asset;
use catalogue::Listed;

pub(crate) use guide::WITHDRAWALS;
pub(crate) use limit::RateLimit;

/// Content security policy of the pages: resources and form targets are limited to this host.
pub(crate) const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; script-src 'self'; \
                          connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Media type of the pages.
pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// A route of the site.
#[derive(Debug)]
pub(crate) enum Route<'r> {
    /// A file that pages load.
    Asset(&'static Asset),
    /// The home page.
    Home,
    /// The answer to the call on the home page, for its script.
    Call,
    /// The list of the errors.
    Errors,
    Error(&'static Kind),
    /// The list of the simulators.
    Simulators,
    Simulator(Listed<'r>),
    /// The result of a simulator, for its script.
    Result(Listed<'r>),
    /// The lines of a simulator as a file.
    Lines(Listed<'r>),
    /// The simulator of a year of pays.
    Year(Listed<'r>),
    /// The result of a year of pays, for its script.
    YearResult(Listed<'r>),
    /// The months of a year of pays as a file.
    YearFile(Listed<'r>),
    /// The list of the scales.
    Scales,
    /// The figures and sources of a folder.
    Scale(Listed<'r>),
    /// The last changes of all scales.
    Changes,
    /// The feed of the changes of all scales, or of one folder.
    Feed(Option<Listed<'r>>),
    /// The comparison of one pay in every country.
    Compare,
    /// The list of the guides.
    Guides,
    Guide(&'static guide::Guide),
    Reference(&'r Variant),
    ReferenceFile(String),
    /// Terms, privacy, legal notice.
    Legal(&'static legal::pages::LegalPage),
    /// The sitemap.
    Sitemap,
    /// `robots.txt`.
    Robots,
    Assistants,
    /// `security.txt`, the contact for security reports.
    Security,
    /// A simulator for the pages of other sites.
    Widget(Listed<'r>),
}

/// The request of a page.
#[derive(Debug)]
pub(crate) struct Visit<'v> {
    /// The rule set in force.
    pub rules: &'v Rules,
    /// The query, without its `?`.
    pub query: &'v str,
    /// The day of a calculation without a date.
    pub today: Date,
    /// The operator's texts.
    pub texts: &'v legal::OwnTexts,
}

/// A page of every rule folder: prefix and suffix of its paths, with the folder between them, and its route.
type FolderPage = (&'static str, &'static str, for<'r> fn(Listed<'r>) -> Route<'r>);

const FOLDER_PAGES: [FolderPage; 9] = [
    (simulator::PATH, "", |listed| Route::Simulator(listed)),
    (simulator::PATH, ".csv", |listed| Route::Lines(listed)),
    (simulator::RESULT_PATH, "", |listed| Route::Result(listed)),
    (simulator::PATH, simulator::YEAR_END, |listed| Route::Year(listed)),
    (simulator::PATH, simulator::YEAR_FILE_END, |listed| Route::YearFile(listed)),
    (simulator::RESULT_PATH, simulator::YEAR_END, |listed| Route::YearResult(listed)),
    (widget::PATH, "", |listed| Route::Widget(listed)),
    (scales::PATH, "", |listed| Route::Scale(listed)),
    (scales::PATH, ".atom", |listed| Route::Feed(Some(listed))),
];

fn folder_in<'p>((beginning, end, _): &FolderPage, path: &'p str) -> Option<&'p str> {
    path.strip_prefix(beginning)?.strip_prefix('/')?.strip_suffix(end)
}

/// The absent folder that a page is about.
pub(crate) fn absent<'r>(rules: &'r Rules, path: &str) -> Option<&'r Held> {
    let is_of = |held: &&Held| FOLDER_PAGES.iter().any(|page| folder_in(page, path) == Some(&held.folder));
    rules.absent().find(is_of)
}

impl<'r> Route<'r> {
    /// The route of a path, if the site has it.
    pub(crate) fn find(rules: &'r Rules, path: &str) -> Option<Self> {
        Some(match path {
            "/" => Self::Home,
            call::PATH => Self::Call,
            changes::PATH => Self::Changes,
            compare::PATH => Self::Compare,
            errors::PATH => Self::Errors,
            feed::PATH => Self::Feed(None),
            guide::PATH => Self::Guides,
            scales::PATH => Self::Scales,
            simulator::PATH => Self::Simulators,
            "/robots.txt" => Self::Robots,
            "/sitemap.xml" => Self::Sitemap,
            wellknown::ASSISTANTS => Self::Assistants,
            wellknown::SECURITY if rules.service().contact.is_some() => Self::Security,
            _ if viewer::is_file(path) => Self::ReferenceFile(path.to_owned()),
            _ => {
                let asset = assets::find(path).map(Self::Asset);
                let error = || errors::find(path).map(Self::Error);
                let guide = || guide::find(path).map(Self::Guide);
                let legal = || legal::find(path).map(Self::Legal);
                let reference = || viewer::find(rules, path).map(Self::Reference);
                let fixed = asset.or_else(error).or_else(guide).or_else(legal).or_else(reference);
                return fixed.or_else(|| Self::of_folder(rules, path));
            }
        })
    }

    /// The route of a page of a rule folder.
    fn of_folder(rules: &'r Rules, path: &str) -> Option<Self> {
        let found = |page: &FolderPage| Some(page.2(catalogue::find(rules, folder_in(page, path)?)?));
        FOLDER_PAGES.iter().find_map(found).filter(Self::is_there)
    }

    /// Whether the folder has this page: not every one computes a year of pays.
    fn is_there(&self) -> bool {
        match self {
            Self::Year(listed) | Self::YearResult(listed) | Self::YearFile(listed) => listed.has_year(),
            _ => true,
        }
    }

    /// Whether the route runs a calculation, to be limited by [`RateLimit`].
    pub(crate) fn calculates(&self, query: &str) -> bool {
        match self {
            Self::Call | Self::Compare | Self::Simulator(_) | Self::Result(_) | Self::Lines(_) | Self::Widget(_) => {
                true
            }
            Self::Year(_) | Self::YearResult(_) | Self::YearFile(_) => true,
            Self::Home => !query.is_empty(),
            _ => false,
        }
    }

    /// The content of the page.
    ///
    /// # Errors
    /// An internal error of the engine.
    pub(crate) fn content(&self, visit: &Visit) -> Result<Content, Problem> {
        let Visit { rules, query, today, texts } = *visit;
        let service = rules.service();
        let html = match self {
            Self::Asset(asset) => return Ok(Content::new(asset.media, asset.text.as_bytes().to_vec())),
            Self::ReferenceFile(path) => {
                let (media, bytes) = viewer::file(path).unwrap_or_default();
                return Ok(Content::new(media, bytes.to_vec()));
            }
            Self::Lines(listed) => {
                return Ok(Content::new(simulator::CSV, simulator::file(rules, listed, query, today)?));
            }
            Self::YearFile(listed) => {
                return Ok(Content::new(simulator::CSV, simulator::year_file(rules, listed, query, today)?));
            }
            Self::Feed(listed) => return Ok(Content::new(feed::ATOM, feed::atom(rules, listed.as_ref()))),
            Self::Sitemap => return Ok(Content::new(feed::XML, feed::sitemap(rules))),
            Self::Robots => return Ok(Content::new(wellknown::TEXT, feed::robots(rules))),
            Self::Assistants => return Ok(Content::new(wellknown::TEXT, wellknown::assistants(rules).into_bytes())),
            Self::Security => {
                let text = wellknown::security(service, today).unwrap_or_default();
                return Ok(Content::new(wellknown::TEXT, text.into_bytes()));
            }
            Self::Widget(listed) => widget::page(rules, listed, query, today)?,
            Self::Home => home::page(rules, query, today),
            Self::Call => call::answer(rules, &call::sent(query).unwrap_or_default(), today).into_string(),
            Self::Legal(page) => legal::page(service, page, texts),
            Self::Errors => errors::index(service),
            Self::Error(kind) => errors::page(service, kind),
            Self::Simulators => simulator::index(rules, query),
            Self::Simulator(listed) => simulator::page(rules, listed, query, today)?,
            Self::Result(listed) => simulator::part(rules, listed, query, today)?,
            Self::Year(listed) => simulator::year_page(rules, listed, query, today)?,
            Self::YearResult(listed) => simulator::year_part(rules, listed, query, today)?,
            Self::Scales => scales::index(rules),
            Self::Changes => changes::page(rules),
            Self::Scale(listed) => scales::page(rules, listed),
            Self::Compare => compare::page(rules, query, today),
            Self::Guides => guide::index(rules),
            Self::Guide(guide) => guide::page(rules, guide),
            Self::Reference(variant) => viewer::page(rules, variant),
        };
        Ok(Content::new(HTML, html.into_bytes()))
    }

    /// The reply to a request for the page.
    ///
    /// # Errors
    /// An internal error of the engine.
    pub(crate) fn reply(&self, visit: &Visit, request: &HeaderMap) -> Result<Reply, Problem> {
        let content = self.content(visit)?;
        let smaller = accepts_gzip(request).then(|| match self {
            Self::Asset(asset) => compressed::file(asset.path, &content),
            Self::ReferenceFile(path) => compressed::file(path, &content),
            _ => compressed::page(&content),
        });
        let mut reply = reply::good(smaller.flatten().unwrap_or(content), request);
        let policy = match self {
            Self::Reference(_) => Some(HeaderValue::from_static(viewer::POLICY)),
            // The schema of `service.yaml` only accepts valid addresses.
            Self::Widget(_) => HeaderValue::try_from(widget::policy(visit.rules.service())).ok(),
            _ => None,
        };
        let policy = policy.unwrap_or(HeaderValue::from_static(POLICY));
        reply.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
        let file = match self {
            Self::Lines(listed) => Some((listed, "")),
            Self::YearFile(listed) => Some((listed, "-annee")),
            _ => None,
        };
        if let Some((listed, end)) = file {
            let name = format!("attachment; filename=\"{}{end}.csv\"", listed.folder.path().replace('/', "-"));
            reply.headers_mut().extend(HeaderValue::try_from(name).ok().map(|name| (CONTENT_DISPOSITION, name)));
        }
        Ok(reply)
    }
}

/// The paths of all pages.
fn paths(rules: &Rules) -> Vec<String> {
    let fixed = [
        "/",
        simulator::PATH,
        compare::PATH,
        scales::PATH,
        changes::PATH,
        guide::PATH,
        form::PATH,
        form::USAGE_PATH,
        errors::PATH,
    ];
    let references = rules.service().variants.iter().map(viewer::page_path);
    let of_folders = catalogue::all(rules)
        .into_iter()
        .flat_map(|listed| [listed.simulator(), listed.page()].into_iter().chain(listed.year_simulator()));
    let errors = errors::kinds().map(errors::path);
    fixed
        .into_iter()
        .map(str::to_owned)
        .chain(legal::pages::PAGES.iter().map(|page| page.path.to_owned()))
        .chain(guide::paths())
        .chain(references)
        .chain(of_folders)
        .chain(errors)
        .collect()
}

/// An example call of a variant, from its worked cases.
pub(crate) fn first_call(rules: &Rules, variant: &Variant) -> String {
    let of_variant = |listed: &Listed| variant.endpoints.contains(&listed.endpoint.name);
    let first = catalogue::all(rules).into_iter().find(of_variant);
    first.and_then(|listed| home::example(&Listed { variant, ..listed })).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::text::prose;
    use super::*;

    fn rules() -> Rules {
        bareme_engine::Loader::new()
            .without_cases()
            .load_service(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules"))
            .rules
            .unwrap()
    }

    fn text(rules: &Rules, path: &str) -> String {
        let visit =
            Visit { rules, query: "", today: jiff::civil::date(2026, 11, 22), texts: &legal::OwnTexts::default() };
        let content = Route::find(rules, path).unwrap().content(&visit).unwrap();
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
        for path in [
            "/",
            "/erreurs",
            "/erreurs/parametres-invalides",
            "/comparer",
            "/simulateurs/ir",
            "/baremes/ir",
            "/documentation/quotas",
        ] {
            let page = text(&rules, path);
            for refused in ["<script>", "style=", "<style", " onclick", "http-equiv"] {
                assert!(!page.contains(refused), "{refused} on {path}");
            }
        }
    }
}
