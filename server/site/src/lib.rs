//! The service's own site for people: try it, understand it, trust it, get a key. It is in French;
//! calculations whose texts are all in English have English pages too.
//!
//! | topic | module |
//! |---|---|
//! | routes | [`route`] |
//! | layout, static files, compression | [`layout`], [`assets`], [`compressed`] |
//! | the language of a page | [`language`] |
//! | the catalogue of folders | [`catalogue`] |
//! | pages that were made | [`made`] |
//! | error pages | [`failure`] |
//! | the pictures of links | [`picture`] |
//!
//! Every page is generated from the rule set in force, so a new folder needs no code; what it costs
//! is a row of [`cost`](bareme_api::work::cost). Markup escapes by default; there are no cookies, no
//! inline scripts or styles, and nothing from other hosts.

#![allow(
    rustdoc::private_intra_doc_links,
    reason = "a part of one program: its documentation is read with its private items"
)]

mod assets;
pub mod availability;
mod call;
mod catalogue;
mod changes;
mod compare;
mod compressed;
pub mod corrections;
#[cfg(test)]
mod costs;
mod developers;
mod element;
mod errors;
pub mod failure;
mod feed;
mod figures;
mod folder_pictures;
mod guide;
mod home;
pub mod key;
mod labels;
pub mod language;
mod layout;
pub mod legal;
pub mod made;
mod offers;
pub mod owner;
mod picture;
pub mod publishable;
mod questions;
mod route;
mod scales;
mod simulator;
mod suggestions;
mod table;
#[cfg(test)]
mod testing;
mod text;
mod typed;
mod viewer;
mod wellknown;
mod widget;

use bareme_engine::Lang;
use bareme_engine::service::{Rules, Variant};
use jiff::civil::Date;

use catalogue::ListedFolder;
use language::english_paths;
use route::paths;

pub use route::{Route, absent};

/// Content security policy of the pages: resources and form targets are limited to this host.
pub const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; \
                                 form-action 'self'; script-src 'self'; connect-src 'self'; \
                                 manifest-src 'self'; \
                                 base-uri 'none'; frame-ancestors 'none'";

/// Media type of the pages.
pub const HTML: &str = "text/html; charset=utf-8";

/// The request of a page.
#[derive(Debug, Clone, Copy)]
pub struct PageRequest<'v> {
    /// The rule set in force, in the language of the page.
    pub rules: &'v Rules,
    /// The same rule set in the other language, where it has one.
    pub other: Option<&'v Rules>,
    /// The query, without its `?`.
    pub query: &'v str,
    /// The day of a calculation without a date.
    pub today: Date,
    /// The operator's texts.
    pub texts: &'v legal::OwnTexts,
}

impl PageRequest<'_> {
    /// Language of the page.
    fn lang(&self) -> Lang {
        self.rules.service().lang
    }

    /// The rules that the API answers by: their texts are in French.
    fn rules_of_api(&self) -> &Rules {
        match self.lang() {
            Lang::Fr => self.rules,
            Lang::En => self.other.unwrap_or(self.rules),
        }
    }

    /// Whether the page at a path, in French without the prefix, is in both languages.
    fn has_both(&self, path: &str) -> bool {
        let other = self.other;
        other.is_some_and(|other| Route::in_english(other, path).is_some())
    }
}

/// An example call of a variant, from its worked cases.
fn first_call(rules: &Rules, variant: &Variant) -> String {
    let of_variant = |listed: &ListedFolder| variant.endpoints.contains(&listed.endpoint.name);
    let first = catalogue::all(rules).into_iter().find(of_variant);

    first
        .and_then(|listed| developers::example(&ListedFolder { variant, ..listed }))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::text::prose;
    use super::*;
    use crate::testing::rules;

    fn text(rules: &Rules, path: &str) -> String {
        let page_request = PageRequest {
            rules,
            other: None,
            query: "",
            today: jiff::civil::date(2026, 11, 22),
            texts: &legal::OwnTexts::default(),
        };
        let content = Route::find(rules, path)
            .unwrap()
            .content(&page_request, false)
            .unwrap();
        String::from_utf8(content.body.to_vec()).unwrap()
    }

    #[test]
    fn every_endpoint_is_on_the_first_page_and_every_plan_on_that_of_the_api() {
        let rules = rules();
        let home = text(&rules, "/");
        let api = text(&rules, developers::PATH);
        assert!(home.contains(&format!("href=\"{}\"", developers::PATH)));
        for variant in &rules.service().variants {
            assert!(api.contains(&format!("href=\"{}/openapi.json\"", variant.prefix)));
            for plan in &variant.plans {
                assert!(
                    api.contains(&prose(&plan.price).into_string()),
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
                api.contains(&listed.simulator()) && api.contains(&listed.page()),
                "{}",
                listed.folder.path()
            );
        }
        assert!(api.contains(&rules.service().attribution));
    }

    #[test]
    fn pages_hold_nothing_that_their_policy_refuses() {
        let rules = rules();
        for path in [
            "/",
            "/api",
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
