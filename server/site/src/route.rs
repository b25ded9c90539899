//! The routes of the site: every page and file, by its path.

use bareme_api::openapi::form;
use bareme_api::wire::problem::Problem;
use bareme_api::wire::problem::kinds::Kind;
use bareme_api::wire::reply::{self, Content, Reply};
use bareme_api::work::cost::{self, Work};
use bareme_engine::Lang;
use bareme_engine::service::{Held, Rules, Service, Variant};
use hyper::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, HeaderMap, HeaderValue};

use crate::assets::{self, Asset};
use crate::catalogue::{self, ListedFolder};
use crate::{
    HTML, POLICY, PageRequest, availability, call, changes, compare, compressed, developers,
    element, errors, feed, folder_pictures, guide, home, legal, picture, questions, scales,
    simulator, suggestions, viewer, wellknown, widget,
};

/// A route of the site.
#[derive(Debug)]
pub enum Route<'r> {
    /// A file that pages load.
    Asset(Asset),
    /// A page or a file at a path of its own.
    Fixed(&'static FixedPage),
    /// A page or a file of a rule folder.
    Folder(&'static FolderPage, ListedFolder<'r>),
    /// What a problem of the catalogue means.
    Error(&'static Kind),
    /// A guide for developers.
    Guide(&'static guide::Guide),
    /// A question that people type, with its answer.
    Question(questions::ListedQuestion<'r>),
    /// The viewer of the OpenAPI document of a variant.
    Reference(&'r Variant),
    /// Terms, privacy, legal notice.
    Legal(&'static legal::pages::LegalPage),
}

/// A page or a file at a path of its own.
#[derive(Debug)]
pub struct FixedPage {
    pub(crate) path: &'static str,
    /// Whether the sitemap lists it.
    is_listed: bool,
    /// What it costs for a query. [`cost::MADE`]: it depends on the rules and the day alone.
    work: fn(&str) -> &'static Work,
    content: fn(&PageRequest) -> Content,
}

impl FixedPage {
    const fn new(path: &'static str, content: fn(&PageRequest) -> Content) -> Self {
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
pub(crate) static FIXED_PAGES: [FixedPage; 21] = [
    FixedPage::new("/", |request| html(home::page(request)))
        .listed()
        .costs(|query| asked(query, &cost::TRIAL)),
    FixedPage::new(simulator::PATH, |request| html(simulator::index(request)))
        .listed()
        .costs(|query| asked(query, &cost::LOOK_UP)),
    FixedPage::new(compare::PATH, |request| html(compare::page(request)))
        .listed()
        .costs(compare::work),
    FixedPage::new(questions::PATH, |request| html(questions::index(request))).listed(),
    FixedPage::new(scales::PATH, |request| html(scales::index(request.rules))).listed(),
    FixedPage::new(changes::PATH, |request| html(changes::page(request.rules))).listed(),
    FixedPage::new(developers::PATH, |request| html(developers::page(request)))
        .listed()
        .costs(|query| asked(query, &cost::TRIAL)),
    FixedPage::new(guide::PATH, |request| html(guide::index(request))).listed(),
    FixedPage::new(errors::PATH, |request| html(errors::index(request.rules))),
    // For the pages of other sites.
    FixedPage::new(element::PATH, |request| {
        Content::new(
            element::SCRIPT,
            element::script(request.rules, request.other),
        )
    }),
    FixedPage::new(folder_pictures::PATH, |request| {
        folder_pictures::file(request.rules)
    }),
    // For the script of the search.
    FixedPage::new(suggestions::PATH, |request| {
        html(suggestions::part(request))
    })
    .costs(|query| asked(query, &cost::LOOK_UP)),
    // For the script of the page for developers.
    FixedPage::new(call::PATH, |request| html(call::part(request))).costs(|_| &cost::TRIAL),
    FixedPage::new(feed::PATH, |request| {
        Content::new(feed::ATOM, feed::atom(request.rules, None))
    }),
    FixedPage::new(guide::api_changes::FEED, |request| {
        Content::new(feed::ATOM, feed::of_api(request.rules))
    }),
    FixedPage::new("/sitemap.xml", |request| {
        Content::new(feed::XML, feed::sitemap(request.rules, request.other))
    }),
    FixedPage::new("/robots.txt", |request| {
        Content::new(wellknown::TEXT, feed::robots(request.rules))
    }),
    // For links to pages without a case.
    FixedPage::new(picture::PATH, |request| {
        Content::new(picture::PNG, picture::of_service(request.rules.service()))
    }),
    FixedPage::new(wellknown::MANIFEST, |request| {
        Content::new(
            wellknown::MANIFEST_TYPE,
            wellknown::manifest(request.rules.service()),
        )
    }),
    FixedPage::new(wellknown::ASSISTANTS, |request| {
        Content::new(
            wellknown::TEXT,
            wellknown::assistants(request.rules).into_bytes(),
        )
    }),
    FixedPage::new(wellknown::SECURITY, |request| {
        let text = wellknown::security(request.rules.service(), request.today).unwrap_or_default();
        Content::new(wellknown::TEXT, text.into_bytes())
    }),
];

/// A page or a file of every rule folder.
#[derive(Debug)]
pub struct FolderPage {
    /// What its paths begin and end with; the folder is between them.
    pub(crate) prefix: &'static str,
    pub(crate) suffix: &'static str,
    content: FolderContent,
}

impl FolderPage {
    const fn new(prefix: &'static str, suffix: &'static str, content: FolderContent) -> Self {
        Self {
            prefix,
            suffix,
            content,
        }
    }

    /// The folder in a path, if it is one of this page.
    fn folder_in<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(self.prefix)?
            .strip_prefix('/')?
            .strip_suffix(self.suffix)
    }
}

/// A calculation of a folder for a request, as a page or as a file.
type Calculated<T> = fn(&PageRequest, &ListedFolder) -> Result<T, Problem>;

/// Content of a page of a rule folder.
#[derive(Debug)]
pub(crate) enum FolderContent {
    /// A page with a calculation.
    Calculated(Calculated<String>),
    /// A calculation as a file for spreadsheets, and the end of its name.
    File(Calculated<Vec<u8>>, &'static str),
    /// The picture of a calculation.
    Picture(Calculated<Vec<u8>>),
    /// Content that depends on the rules alone.
    OfRules(fn(&Rules, &ListedFolder) -> Content),
}

pub(crate) static FOLDER_PAGES: [FolderPage; 10] = [
    FolderPage::new(
        simulator::PATH,
        "",
        FolderContent::Calculated(simulator::page),
    ),
    FolderPage::new(
        simulator::PATH,
        ".csv",
        FolderContent::File(simulator::file, ""),
    ),
    FolderPage::new(
        simulator::PATH,
        ".png",
        FolderContent::Picture(simulator::picture),
    ),
    FolderPage::new(
        simulator::RESULT_PATH,
        "",
        FolderContent::Calculated(simulator::part),
    ),
    FolderPage::new(
        simulator::PATH,
        simulator::YEAR_END,
        FolderContent::Calculated(simulator::year_page),
    ),
    FolderPage::new(
        simulator::PATH,
        simulator::YEAR_FILE_END,
        FolderContent::File(simulator::year_file, "-annee"),
    ),
    FolderPage::new(
        simulator::RESULT_PATH,
        simulator::YEAR_END,
        FolderContent::Calculated(simulator::year_part),
    ),
    FolderPage::new(widget::PATH, "", FolderContent::Calculated(widget::page)),
    FolderPage::new(
        scales::PATH,
        "",
        FolderContent::OfRules(|rules, listed| html(scales::page(rules, listed))),
    ),
    FolderPage::new(
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

/// The pages and parts of pages at paths of their own that are in English too.
const ENGLISH_PATHS: [&str; 9] = [
    "/",
    picture::PATH,
    simulator::PATH,
    compare::PATH,
    questions::PATH,
    suggestions::PATH,
    developers::PATH,
    call::PATH,
    guide::PATH,
];

/// The ends of the paths of a folder that are in English too.
const ENGLISH_SUFFIXES: [&str; 5] = [
    "",
    ".csv",
    ".png",
    simulator::YEAR_END,
    simulator::YEAR_FILE_END,
];

/// The absent folder that a page is about.
pub fn absent<'r>(rules: &'r Rules, path: &str) -> Option<&'r Held> {
    // Any page of an absent folder answers that it is absent, rather than unknown.
    let is_of = |held: &&Held| {
        FOLDER_PAGES
            .iter()
            .any(|page| page.folder_in(path) == Some(&held.folder))
    };
    rules.absent().find(is_of)
}

impl<'r> Route<'r> {
    /// The route of a path, if the site has it.
    pub fn find(rules: &'r Rules, path: &str) -> Option<Self> {
        // `security.txt` without a contact would be invalid.
        if path == wellknown::SECURITY && rules.service().contact.is_none() {
            return None;
        }

        // Fixed paths first: they are few, and a lookup in the folders goes through all of them.
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
            .or_else(|| questions::find(rules, path).map(Self::Question))
            .or_else(|| viewer::find(rules, path).map(Self::Reference))
            .or_else(|| Self::of_folder(rules, path))
    }

    /// The route of a page in English, by its path without the prefix of the language.
    pub fn in_english(rules: &'r Rules, path: &str) -> Option<Self> {
        let has_english = |route: &Self| match route {
            Self::Fixed(page) => ENGLISH_PATHS.contains(&page.path),
            Self::Question(_) => true,
            Self::Guide(guide) => guide.is_in(Lang::En),
            Self::Folder(page, _) => {
                [simulator::PATH, simulator::RESULT_PATH, widget::PATH].contains(&page.prefix)
                    && ENGLISH_SUFFIXES.contains(&page.suffix)
            }
            _ => false,
        };
        Self::find(rules, path).filter(has_english)
    }

    /// The route of a page of a rule folder, if the folder has it: not every one computes a year of
    /// pays.
    fn of_folder(rules: &'r Rules, path: &str) -> Option<Self> {
        let found = |page: &'static FolderPage| {
            Some((page, catalogue::find(rules, page.folder_in(path)?)?))
        };

        let (page, listed) = FOLDER_PAGES.iter().find_map(found)?;

        // Only some folders compute a year of pays, although the pattern of the path fits all of
        // them.
        (!page.suffix.starts_with(simulator::YEAR_END) || listed.has_year())
            .then_some(Self::Folder(page, listed))
    }

    /// What the page costs for a query. [`cost::MADE`]: it depends on the rules and the day alone.
    pub fn work(&self, query: &str) -> &'static Work {
        // A page that reads no query is made once and kept.
        match self {
            Self::Fixed(page) => (page.work)(query),
            Self::Folder(page, listed) => match page.content {
                FolderContent::OfRules(_) => &cost::MADE,
                FolderContent::Calculated(_)
                | FolderContent::File(..)
                | FolderContent::Picture(_) => simulator::work(listed, query),
            },
            Self::Legal(_) => &cost::OWN_TEXT,
            Self::Asset(_)
            | Self::Error(_)
            | Self::Guide(_)
            | Self::Question(_)
            | Self::Reference(_) => &cost::MADE,
        }
    }

    /// Cost of making a page for the first time.
    pub fn making(&self) -> &'static Work {
        match self {
            Self::Fixed(page) if [changes::PATH, feed::PATH].contains(&page.path) => &cost::MAKING,
            Self::Folder(..) => &cost::MAKING_OF_SCALE,
            Self::Question(question) => question.making(),
            _ => &cost::MAKING_OTHER,
        }
    }

    /// The content of the page, compressed where that is asked for and worth it.
    ///
    /// # Errors
    /// An internal error of the engine.
    pub fn content(&self, request: &PageRequest, gzip: bool) -> Result<Content, Problem> {
        let PageRequest { rules, texts, .. } = *request;
        let content = match self {
            Self::Asset(asset) => Content::new(asset.media, asset.bytes.to_vec()),
            Self::Fixed(page) => (page.content)(request),
            Self::Folder(page, listed) => match &page.content {
                FolderContent::Calculated(page) => html(page(request, listed)?),
                FolderContent::File(file, _) => {
                    Content::new(simulator::CSV, file(request, listed)?)
                }
                FolderContent::Picture(picture) => {
                    Content::new(picture::PNG, picture(request, listed)?)
                }
                FolderContent::OfRules(content) => content(rules, listed),
            },
            Self::Legal(page) => html(legal::page(rules.service(), page, texts)),
            Self::Error(kind) => html(errors::page(rules.service(), kind)),
            Self::Guide(guide) => html(guide::page(request, guide)),
            Self::Question(question) => html(questions::page(request, question)?),
            Self::Reference(variant) => html(viewer::page(rules, variant)),
        };

        // A file of the site is compressed once and kept; a page each time, or once where it is
        // kept whole. A picture is compressed by its format.
        let is_worth_it = gzip && content.media != picture::PNG;
        let smaller = is_worth_it.then(|| match self {
            Self::Asset(asset) => compressed::file(asset.path, &content),
            _ => compressed::page(&content),
        });

        Ok(smaller.flatten().unwrap_or(content))
    }

    /// The reply with the content of the page. Any cache may keep it where the page is `public`.
    pub fn reply(
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

        // The reference needs what Swagger UI loads, and a widget the sites that embed it.
        let policy = match self {
            Self::Reference(_) => Some(HeaderValue::from_static(viewer::POLICY)),
            Self::Fixed(page) if page.path == folder_pictures::PATH => {
                Some(HeaderValue::from_static(folder_pictures::POLICY))
            }
            // The schema of `service.yaml` only accepts valid addresses.
            Self::Folder(page, _) if page.prefix == widget::PATH => {
                HeaderValue::try_from(widget::policy(service)).ok()
            }
            _ => None,
        };

        let policy = policy.unwrap_or(HeaderValue::from_static(POLICY));
        reply.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);

        // The script of the element is loaded by pages of any site.
        if let Self::Fixed(page) = self
            && page.path == element::PATH
        {
            reply.headers_mut().extend(element::headers());
        }

        // A file is saved under the name of its folder, which has no slash there.
        if let Self::Folder(page, listed) = self
            && let FolderContent::File(_, end) = page.content
        {
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

/// The paths of all pages.
pub(super) fn paths(rules: &Rules) -> Vec<String> {
    let fixed = FIXED_PAGES
        .iter()
        .filter(|page| page.is_listed)
        .map(|page| page.path);

    let references = rules.service().variants.iter().map(viewer::page_path);

    // The pages of a folder, but no file of it and no query.
    let of_folders = catalogue::all(rules).into_iter().flat_map(|listed| {
        [listed.simulator(), listed.page()]
            .into_iter()
            .chain(listed.year_simulator())
    });
    let errors = errors::kinds().map(errors::path);
    let questions = questions::all(rules).into_iter();
    let questions = questions.map(|question| question.path());

    fixed
        .chain([
            // The forms and the availability are made by the server, from its store: they have no
            // row above.
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
        .chain(questions)
        .chain(errors)
        .collect()
}
