//! Files for programs: Atom feeds of the changes, sitemap, robots.txt.

use bareme_engine::service::Rules;
use jiff::civil::{Date, date};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use super::catalogue::ListedFolder;
use super::changes::{self, News};
use super::guide::api_changes;

/// The feed of all scales.
pub(super) const PATH: &str = "/baremes.atom";

/// Media type of feeds.
pub(super) const ATOM: &str = "application/atom+xml; charset=utf-8";

/// Media type of a site map.
pub(super) const XML: &str = "application/xml; charset=utf-8";

/// The feed of a folder, or of all of them.
pub(super) fn atom<'r>(rules: &'r Rules, only: Option<&ListedFolder<'r>>) -> Vec<u8> {
    let news = changes::news(rules, only);
    let root = &rules.service().documentation;

    // The feed of all folders, or of one, has the page with the same news.
    let path = only.map_or_else(
        || PATH.to_owned(),
        |listed| format!("{}.atom", listed.page()),
    );
    let page = only.map_or_else(|| changes::PATH.to_owned(), ListedFolder::page);
    let title = only.map_or_else(
        || "tous les barèmes".to_owned(),
        |listed| listed.folder.title().to_owned(),
    );

    let entries = news.into_iter().map(
        |News {
             listed,
             date,
             title,
             summary,
         }| {
            // The id is of the folder and the day: a title that is worded otherwise makes no new
            // entry.
            let page = format!("{root}{}", listed.page());
            Entry {
                id: format!("{page}#{date}"),
                title,
                updated: moment(date),
                page,
                summary,
            }
        },
    );

    let entries: Vec<Entry> = entries.collect();

    Feed {
        path: &path,
        page: &page,
        title: &format!("changements de barème, {title}"),
        entries,
    }
    .xml(rules)
}

/// The feed of the changes of the API.
pub(super) fn of_api(rules: &Rules) -> Vec<u8> {
    let page = format!("{}{}", rules.service().documentation, api_changes::PATH);
    // Permanent: readers show an entry again when its id changes.
    let entries = api_changes::CHANGES.iter().map(|change| Entry {
        id: format!("{page}#{}-{}", change.day, change.subject.replace(' ', "-")),
        title: format!("{} : {}", change.nature.label(), change.subject),
        updated: moment(change.day),
        page: page.clone(),
        summary: change.text.to_owned(),
    });

    let (path, own_page) = (api_changes::FEED, api_changes::PATH);
    Feed {
        path,
        page: own_page,
        title: "changements de l’API",
        entries: entries.collect(),
    }
    .xml(rules)
}

/// The day on which the feeds began: one without entries has not changed since.
const BEGAN: Date = date(2026, 11, 22);

/// A feed, the newest entry first.
pub(super) struct Feed<'f> {
    pub path: &'f str,
    /// Path of the page with the same news.
    pub page: &'f str,
    pub title: &'f str,
    pub entries: Vec<Entry>,
}

/// A piece of news.
pub(super) struct Entry {
    /// Its permanent address.
    pub id: String,
    pub title: String,
    /// When it was published, or comes into force, as RFC 3339 writes it.
    pub updated: String,
    /// Address of the page about it.
    pub page: String,
    pub summary: String,
}

impl Feed<'_> {
    /// The feed as Atom.
    pub(super) fn xml(&self, rules: &Rules) -> Vec<u8> {
        let Self {
            path,
            page,
            title,
            entries,
        } = self;
        let service = rules.service();
        let (root, name) = (&service.documentation, &service.title);

        // What RFC 4287 demands: an id, a title and the time of the last change, for the feed and
        // for each entry.
        let mut xml = Xml::new();
        xml.open(
            "feed",
            &[("xmlns", "http://www.w3.org/2005/Atom"), ("xml:lang", "fr")],
        );
        xml.text("id", &[], &format!("{root}{path}"));
        xml.text("title", &[], &format!("{name} : {title}"));
        xml.text(
            "updated",
            &[],
            &entries
                .first()
                .map_or_else(|| moment(BEGAN), |entry| entry.updated.clone()),
        );
        xml.text(
            "link",
            &[("rel", "self"), ("href", &format!("{root}{path}"))],
            "",
        );
        xml.text("link", &[("href", &format!("{root}{page}"))], "");
        xml.open("author", &[]);
        xml.text("name", &[], name);
        xml.close("author");

        // The newest entry is first, so its day is that of the feed.
        for Entry {
            id,
            title,
            updated,
            page,
            summary,
        } in entries
        {
            xml.open("entry", &[]);
            xml.text("id", &[], id);
            xml.text("title", &[], title);
            xml.text("updated", &[], updated);
            xml.text("link", &[("href", page)], "");
            xml.text("summary", &[], summary);
            xml.close("entry");
        }

        xml.close("feed");
        xml.finish()
    }
}

fn moment(date: Date) -> String {
    // Editions have a day and no time.
    format!("{date}T00:00:00Z")
}

/// The sitemap of all pages, for search engines; `english` are the rules of those in English.
pub(super) fn sitemap(rules: &Rules, english: Option<&Rules>) -> Vec<u8> {
    let mut xml = Xml::new();
    xml.open(
        "urlset",
        &[("xmlns", "http://www.sitemaps.org/schemas/sitemap/0.9")],
    );

    // Addresses in a sitemap are absolute.
    let english = english.map(super::english_paths).unwrap_or_default();
    for path in super::paths(rules).into_iter().chain(english) {
        xml.open("url", &[]);
        xml.text(
            "loc",
            &[],
            &format!("{}{path}", rules.service().documentation),
        );
        xml.close("url");
    }

    xml.close("urlset");
    xml.finish()
}

/// The robots that read a link which somebody shares, to show its preview, and obey `robots.txt`.
const PREVIEWERS: [&str; 3] = ["facebookexternalhit", "LinkedInBot", "Twitterbot"];

/// `robots.txt`: robots may read the pages, but not run calculations or call the API; those that
/// show the preview of a link may read the case that it leads to, and its picture.
pub(super) fn robots(rules: &Rules) -> Vec<u8> {
    let prefixes = rules
        .service()
        .variants
        .iter()
        .map(|variant| format!("Disallow: {}/\n", variant.prefix));

    // Each query is a calculation, which a robot could ask for without end.
    let (prefixes, root) = (prefixes.collect::<String>(), &rules.service().documentation);
    let previewers = PREVIEWERS
        .map(|name| format!("User-agent: {name}\n"))
        .concat();

    format!(
        "User-agent: *\nDisallow: /site/\nDisallow: /*?\n{prefixes}\n\
         {previewers}Disallow: /site/\n{prefixes}\n\
         Sitemap: {root}/sitemap.xml\n"
    )
    .into_bytes()
}

/// A writer of XML to memory, which cannot fail.
struct Xml(Writer<Vec<u8>>);

impl Xml {
    fn new() -> Self {
        let mut xml = Self(Writer::new(Vec::new()));
        xml.event(Event::Decl(BytesDecl::new("1.0", Some("utf-8"), None)));
        xml
    }

    fn event(&mut self, event: Event) {
        self.0.write_event(event).unwrap_or_default();
    }

    fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.event(Event::Start(
            BytesStart::new(name).with_attributes(attributes.iter().copied()),
        ));
    }

    fn close(&mut self, name: &str) {
        self.event(Event::End(BytesEnd::new(name)));
    }

    fn text(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        self.open(name, attributes);
        self.event(Event::Text(BytesText::new(text)));
        self.close(name);
    }

    fn finish(self) -> Vec<u8> {
        self.0.into_inner()
    }
}
