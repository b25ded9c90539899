//! The service's own site, in French, for people: try it, understand it, trust it, get a key.
//!
//! | topic | module |
//! |---|---|
//! | routes | [`Route`] |
//! | layout, static files, compression | [`layout`], [`assets`], [`compressed`] |
//! | the catalogue of folders | [`catalogue`] |
//! | pages that were made | [`made`] |
//! | error pages | [`failure`] |
//!
//! Every page is generated from the rule set in force, so a new folder needs no code; what it costs
//! is a row of
//! [`cost`]. Markup
//! escapes by default; there are no cookies, no inline scripts or styles, and nothing from other
//! hosts.

mod assets;
pub(crate) mod availability;
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
pub(crate) mod made;
mod offers;
pub(crate) mod owner;
mod scales;
mod simulator;
mod table;
mod text;
mod typed;
mod viewer;
mod wellknown;
mod widget;

use bareme_engine::service::{Held, Rules, Service, Variant};
use hyper::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, HeaderMap, HeaderValue};
use jiff::civil::Date;

use crate::openapi::form;
use crate::wire::problem::Problem;
use crate::wire::problem::kinds::Kind;
use crate::wire::reply::{self, Content, Reply};
use crate::work::cost::{self, Work};
use assets::Asset;
use catalogue::ListedFolder;

pub(crate) use guide::WITHDRAWALS;

/// Content security policy of the pages: resources and form targets are limited to this host.
pub(crate) const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; script-src 'self'; \
                          connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Media type of the pages.
pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// A route of the site.
#[derive(Debug)]
pub(crate) enum Route<'r> {
    /// A file that pages load.
    Asset(Asset),
    /// A page or a file at a path of its own.
    Fixed(&'static FixedPage),
    /// A page or a file of a rule folder.
    Folder(&'static FolderPage, ListedFolder<'r>),
    Error(&'static Kind),
    Guide(&'static guide::Guide),
    Reference(&'r Variant),
    /// Terms, privacy, legal notice.
    Legal(&'static legal::pages::LegalPage),
}

/// The request of a page.
#[derive(Debug, Clone, Copy)]
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

/// A page or a file at a path of its own.
#[derive(Debug)]
pub(crate) struct FixedPage {
    path: &'static str,
    /// Whether the sitemap lists it.
    is_listed: bool,
    /// What it costs for a query. [`cost::MADE`]: it depends on the rules and the day alone.
    work: fn(&str) -> &'static Work,
    content: fn(&Visit) -> Content,
}

impl FixedPage {
    const fn new(path: &'static str, content: fn(&Visit) -> Content) -> Self {
        Self {
            path,
            is_listed: false,
            work: |_| &cost::MADE,
            content,
        }
    }

    const fn listed(self) -> Self {
        Self {
            is_listed: true,
            ..self
        }
    }

    const fn costs(self, work: fn(&str) -> &'static Work) -> Self {
        Self { work, ..self }
    }
}

/// The work of a page that reads its query, if it has one.
fn asked(query: &str, work: &'static Work) -> &'static Work {
    if query.is_empty() { &cost::MADE } else { work }
}

/// Every page or file at a path of its own, in the order of the sitemap.
static FIXED_PAGES: [FixedPage; 14] = [
    FixedPage::new("/", |visit| html(home::page(visit)))
        .listed()
        .costs(|query| asked(query, &cost::TRIAL)),
    FixedPage::new(simulator::PATH, |visit| {
        html(simulator::index(visit.rules, visit.query))
    })
    .listed()
    .costs(|query| asked(query, &cost::LOOK_UP)),
    FixedPage::new(compare::PATH, |visit| html(compare::page(visit)))
        .listed()
        .costs(compare::work),
    FixedPage::new(scales::PATH, |visit| html(scales::index(visit.rules))).listed(),
    FixedPage::new(changes::PATH, |visit| html(changes::page(visit.rules))).listed(),
    FixedPage::new(guide::PATH, |visit| html(guide::index(visit.rules))).listed(),
    FixedPage::new(errors::PATH, |visit| html(errors::index(visit.rules))),
    // For the script of the home page.
    FixedPage::new(call::PATH, |visit| html(call::part(visit))).costs(|_| &cost::TRIAL),
    FixedPage::new(feed::PATH, |visit| {
        Content::new(feed::ATOM, feed::atom(visit.rules, None))
    }),
    FixedPage::new(guide::api_changes::FEED, |visit| {
        Content::new(feed::ATOM, feed::of_api(visit.rules))
    }),
    FixedPage::new("/sitemap.xml", |visit| {
        Content::new(feed::XML, feed::sitemap(visit.rules))
    }),
    FixedPage::new("/robots.txt", |visit| {
        Content::new(wellknown::TEXT, feed::robots(visit.rules))
    }),
    FixedPage::new(wellknown::ASSISTANTS, |visit| {
        Content::new(
            wellknown::TEXT,
            wellknown::assistants(visit.rules).into_bytes(),
        )
    }),
    FixedPage::new(wellknown::SECURITY, |visit| {
        let text = wellknown::security(visit.rules.service(), visit.today).unwrap_or_default();
        Content::new(wellknown::TEXT, text.into_bytes())
    }),
];

/// A page of every rule folder: prefix and suffix of its paths, with the folder between them, and
/// its content.
type FolderPage = (&'static str, &'static str, FolderContent);

/// A calculation of a folder for a visit, as a page or as a file.
type Calculated<T> = fn(&Visit, &ListedFolder) -> Result<T, Problem>;

/// Content of a page of a rule folder.
#[derive(Debug)]
pub(crate) enum FolderContent {
    /// A page with a calculation.
    Calculated(Calculated<String>),
    /// A calculation as a file for spreadsheets, and the end of its name.
    File(Calculated<Vec<u8>>, &'static str),
    /// Content that depends on the rules alone.
    OfRules(fn(&Rules, &ListedFolder) -> Content),
}

static FOLDER_PAGES: [FolderPage; 9] = [
    (
        simulator::PATH,
        "",
        FolderContent::Calculated(simulator::page),
    ),
    (
        simulator::PATH,
        ".csv",
        FolderContent::File(simulator::file, ""),
    ),
    (
        simulator::RESULT_PATH,
        "",
        FolderContent::Calculated(simulator::part),
    ),
    (
        simulator::PATH,
        simulator::YEAR_END,
        FolderContent::Calculated(simulator::year_page),
    ),
    (
        simulator::PATH,
        simulator::YEAR_FILE_END,
        FolderContent::File(simulator::year_file, "-annee"),
    ),
    (
        simulator::RESULT_PATH,
        simulator::YEAR_END,
        FolderContent::Calculated(simulator::year_part),
    ),
    (widget::PATH, "", FolderContent::Calculated(widget::page)),
    (
        scales::PATH,
        "",
        FolderContent::OfRules(|rules, listed| html(scales::page(rules, listed))),
    ),
    (
        scales::PATH,
        ".atom",
        FolderContent::OfRules(|rules, listed| {
            Content::new(feed::ATOM, feed::atom(rules, Some(listed)))
        }),
    ),
];

fn html(page: String) -> Content {
    Content::new(HTML, page.into_bytes())
}

fn folder_in<'p>((beginning, end, _): &FolderPage, path: &'p str) -> Option<&'p str> {
    path.strip_prefix(beginning)?
        .strip_prefix('/')?
        .strip_suffix(end)
}

/// The absent folder that a page is about.
pub(crate) fn absent<'r>(rules: &'r Rules, path: &str) -> Option<&'r Held> {
    let is_of = |held: &&Held| {
        FOLDER_PAGES
            .iter()
            .any(|page| folder_in(page, path) == Some(&held.folder))
    };
    rules.absent().find(is_of)
}

impl<'r> Route<'r> {
    /// The route of a path, if the site has it.
    pub(crate) fn find(rules: &'r Rules, path: &str) -> Option<Self> {
        if path == wellknown::SECURITY && rules.service().contact.is_none() {
            return None;
        }
        let fixed = FIXED_PAGES
            .iter()
            .find(|page| page.path == path)
            .map(Self::Fixed);
        fixed
            .or_else(|| {
                viewer::file(path)
                    .or_else(|| assets::find(path))
                    .map(Self::Asset)
            })
            .or_else(|| errors::find(path).map(Self::Error))
            .or_else(|| guide::find(path).map(Self::Guide))
            .or_else(|| legal::find(path).map(Self::Legal))
            .or_else(|| viewer::find(rules, path).map(Self::Reference))
            .or_else(|| Self::of_folder(rules, path))
    }

    /// The route of a page of a rule folder, if the folder has it: not every one computes a year of
    /// pays.
    fn of_folder(rules: &'r Rules, path: &str) -> Option<Self> {
        let found = |page: &'static FolderPage| {
            Some((page, catalogue::find(rules, folder_in(page, path)?)?))
        };
        let (page, listed) = FOLDER_PAGES.iter().find_map(found)?;
        (!page.1.starts_with(simulator::YEAR_END) || listed.has_year())
            .then_some(Self::Folder(page, listed))
    }

    /// What the page costs for a query. [`cost::MADE`]: it depends on the rules and the day alone.
    pub(crate) fn work(&self, query: &str) -> &'static Work {
        match self {
            Self::Fixed(page) => (page.work)(query),
            Self::Folder((.., FolderContent::OfRules(_)), _) => &cost::MADE,
            Self::Folder(_, listed) => simulator::work(listed, query),
            Self::Legal(_) => &cost::OWN_TEXT,
            Self::Asset(_) | Self::Error(_) | Self::Guide(_) | Self::Reference(_) => &cost::MADE,
        }
    }

    /// What a page costs that is made for the first time.
    pub(crate) fn making(&self) -> &'static Work {
        match self {
            Self::Fixed(page) if [changes::PATH, feed::PATH].contains(&page.path) => &cost::MAKING,
            Self::Folder(..) => &cost::MAKING_OF_SCALE,
            _ => &cost::MAKING_OTHER,
        }
    }

    /// The content of the page, compressed where that is asked for and worth it.
    ///
    /// # Errors
    /// An internal error of the engine.
    pub(crate) fn content(&self, visit: &Visit, gzip: bool) -> Result<Content, Problem> {
        let Visit { rules, texts, .. } = *visit;
        let content = match self {
            Self::Asset(asset) => Content::new(asset.media, asset.bytes.to_vec()),
            Self::Fixed(page) => (page.content)(visit),
            Self::Folder((.., content), listed) => match content {
                FolderContent::Calculated(page) => html(page(visit, listed)?),
                FolderContent::File(file, _) => Content::new(simulator::CSV, file(visit, listed)?),
                FolderContent::OfRules(content) => content(rules, listed),
            },
            Self::Legal(page) => html(legal::page(rules.service(), page, texts)),
            Self::Error(kind) => html(errors::page(rules.service(), kind)),
            Self::Guide(guide) => html(guide::page(rules, guide)),
            Self::Reference(variant) => html(viewer::page(rules, variant)),
        };
        let smaller = gzip.then(|| match self {
            Self::Asset(asset) => compressed::file(asset.path, &content),
            _ => compressed::page(&content),
        });
        Ok(smaller.flatten().unwrap_or(content))
    }

    /// The reply with the content of the page. Any cache may keep it where the page is `public`.
    pub(crate) fn reply(
        &self,
        content: Content,
        service: &Service,
        request: &HeaderMap,
        public: bool,
    ) -> Reply {
        let cache = if public {
            reply::PUBLIC
        } else {
            reply::FOR_ALL
        };
        let mut reply = reply::good(cache, content, request);
        let policy = match self {
            Self::Reference(_) => Some(HeaderValue::from_static(viewer::POLICY)),
            // The schema of `service.yaml` only accepts valid addresses.
            Self::Folder((widget::PATH, ..), _) => {
                HeaderValue::try_from(widget::policy(service)).ok()
            }
            _ => None,
        };
        let policy = policy.unwrap_or(HeaderValue::from_static(POLICY));
        reply.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
        if let Self::Folder((.., FolderContent::File(_, end)), listed) = self {
            let name = listed.folder.path().replace('/', "-");
            let name = format!("attachment; filename=\"{name}{end}.csv\"");
            let name = HeaderValue::try_from(name).ok();
            reply
                .headers_mut()
                .extend(name.map(|name| (CONTENT_DISPOSITION, name)));
        }
        reply
    }
}

/// Every page and file, by the pattern of its path, with its cost: without a query, and with one
/// that asks for a result.
#[cfg(test)]
pub(crate) fn doors(rules: &Rules) -> Vec<(String, [&'static Work; 2])> {
    const FOLDER: &str = "salaire";
    let works = |path: &str| {
        let route = Route::find(rules, path).unwrap();
        let query = format!("a=1&{}=cout&cout=1", compare::START);
        [route.work(""), route.work(&query)]
    };
    let fixed = FIXED_PAGES
        .iter()
        .map(|page| (page.path.to_owned(), works(page.path)));
    let folders = FOLDER_PAGES.iter().map(|(beginning, end, _)| {
        (
            format!("{beginning}/<folder>{end}"),
            works(&format!("{beginning}/{FOLDER}{end}")),
        )
    });
    let guides = guide::paths().map(|path| (path.clone(), works(&path)));
    let legal = legal::pages::PAGES
        .iter()
        .map(|page| (page.path.to_owned(), works(page.path)));
    let references = rules.service().variants.iter().map(viewer::page_path);
    let references = references.map(|path| (path.clone(), works(&path)));
    let errors = format!("{}/<code>", errors::PATH);
    let error = works(&errors::path(&crate::wire::problem::kinds::QUOTA));
    let all = fixed
        .chain(folders)
        .chain(guides)
        .chain(legal)
        .chain(references);
    all.chain([(errors, error)]).collect()
}

/// The paths of all pages.
fn paths(rules: &Rules) -> Vec<String> {
    let fixed = FIXED_PAGES
        .iter()
        .filter(|page| page.is_listed)
        .map(|page| page.path);
    let references = rules.service().variants.iter().map(viewer::page_path);
    let of_folders = catalogue::all(rules).into_iter().flat_map(|listed| {
        [listed.simulator(), listed.page()]
            .into_iter()
            .chain(listed.year_simulator())
    });
    let errors = errors::kinds().map(errors::path);
    fixed
        .chain([
            form::PATH,
            form::USAGE_PATH,
            form::OWNER_PATH,
            availability::PATH,
            errors::PATH,
        ])
        .map(str::to_owned)
        .chain(legal::pages::PAGES.iter().map(|page| page.path.to_owned()))
        .chain(guide::paths())
        .chain(references)
        .chain(of_folders)
        .chain(errors)
        .collect()
}

/// An example call of a variant, from its worked cases.
fn first_call(rules: &Rules, variant: &Variant) -> String {
    let of_variant = |listed: &ListedFolder| variant.endpoints.contains(&listed.endpoint.name);
    let first = catalogue::all(rules).into_iter().find(of_variant);
    first
        .and_then(|listed| home::example(&ListedFolder { variant, ..listed }))
        .unwrap_or_default()
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
        let visit = Visit {
            rules,
            query: "",
            today: jiff::civil::date(2026, 11, 22),
            texts: &legal::OwnTexts::default(),
        };
        let content = Route::find(rules, path)
            .unwrap()
            .content(&visit, false)
            .unwrap();
        String::from_utf8(content.body.to_vec()).unwrap()
    }

    #[test]
    fn every_endpoint_and_every_plan_is_on_the_first_page() {
        let rules = rules();
        let home = text(&rules, "/");
        for variant in &rules.service().variants {
            assert!(home.contains(&format!("href=\"{}/openapi.json\"", variant.prefix)));
            for plan in &variant.plans {
                assert!(
                    home.contains(&prose(&plan.price).into_string()),
                    "{}",
                    plan.price
                );
            }
        }
        for endpoint in &rules.service().endpoints {
            assert!(
                home.contains(&prose(&endpoint.title).into_string()),
                "{}",
                endpoint.title
            );
        }
        for listed in catalogue::all(&rules) {
            assert!(
                home.contains(&listed.simulator()) && home.contains(&listed.page()),
                "{}",
                listed.folder.path()
            );
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
