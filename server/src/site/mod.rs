//! The service's own pages, in French, for people: what it computes, what it offers, what each error
//! means.
//!
//! They are made once from each rule set, as the description of the interface is, so that an endpoint
//! that is added shows itself. No script, no cookie, nothing from elsewhere.

mod errors;
mod home;
mod html;
mod offers;

use bareme_engine::Rules;
use hyper::header::{CONTENT_SECURITY_POLICY, HeaderMap, HeaderValue};

use crate::http::reply::{self, Content, Reply};

pub use html::{escape, page, prose};
pub use offers::{attribution, calls, offers};

/// What the pages may load, and where their forms may be sent: here and nowhere else.
pub const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; \
                          frame-ancestors 'none'";

/// What the pages are.
pub const HTML: &str = "text/html; charset=utf-8";

/// The pages of a rule set, by path.
#[derive(Debug)]
pub struct Site {
    pages: Vec<(String, Content)>,
}

impl Site {
    /// Makes every page.
    pub fn new(rules: &Rules) -> Self {
        let html = |page: String| Content::new(HTML, page.into_bytes());
        let file = |media, text: &str| Content::new(media, text.as_bytes().to_vec());
        let service = rules.service();
        let mut pages = vec![
            ("/".to_owned(), html(home::page(rules))),
            (errors::PATH.to_owned(), html(errors::index(service))),
            (html::STYLE_PATH.to_owned(), file("text/css; charset=utf-8", include_str!("style.css"))),
            (html::ICON_PATH.to_owned(), file("image/svg+xml", include_str!("icon.svg"))),
        ];
        pages.extend(errors::each(service).map(|(path, page)| (path, html(page))));
        Self { pages }
    }

    /// What a path shows, if it is one of ours.
    pub fn find(&self, path: &str) -> Option<&Content> {
        self.pages.iter().find(|(known, _)| known == path).map(|(_, content)| content)
    }
}

/// The answer to who asks for a page.
pub fn reply(page: &Content, request: &HeaderMap) -> Reply {
    let mut reply = reply::good(page.clone(), request);
    reply.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    reply
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn rules() -> Rules {
        bareme_engine::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules")).rules.unwrap()
    }

    fn text(site: &Site, path: &str) -> String {
        String::from_utf8(site.find(path).unwrap().body.to_vec()).unwrap()
    }

    #[test]
    fn every_endpoint_and_every_plan_is_on_the_first_page() {
        let rules = rules();
        let home = text(&Site::new(&rules), "/");
        for variant in &rules.service().variants {
            assert!(home.contains(&format!("href=\"{}/openapi.json\"", variant.prefix)));
            for plan in &variant.plans {
                assert!(home.contains(&prose(&plan.price)), "{}", plan.price);
            }
        }
        for endpoint in &rules.service().endpoints {
            assert!(home.contains(&prose(&endpoint.title)), "{}", endpoint.title);
        }
        assert!(home.contains(&escape(&rules.service().attribution)));
    }

    #[test]
    fn every_link_within_the_site_leads_somewhere() {
        let rules = rules();
        let site = Site::new(&rules);
        let served = |path: &str| {
            path == "/cle" || site.find(path).is_some() || crate::http::route::find(rules.service(), path).is_some()
        };
        for (path, _) in &site.pages {
            for link in text(&site, path).split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                let target = link.split(['?', '#']).next().unwrap();
                assert!(served(target), "{link} on {path}");
            }
        }
    }

    #[test]
    fn pages_hold_nothing_that_their_policy_refuses() {
        let site = Site::new(&rules());
        for (path, _) in site.pages.iter().filter(|(path, _)| !path.contains('.')) {
            let page = text(&site, path);
            for refused in ["<script", "style=", "<style", " onclick", "http-equiv"] {
                assert!(!page.contains(refused), "{refused} on {path}");
            }
        }
    }
}
