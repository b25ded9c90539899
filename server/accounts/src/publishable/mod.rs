//! Publishable keys: their owner may put one in the source of a web page, since it is accepted from
//! the origins alone that he declared for it.
//!
//! A browser names the origin of a page in `Origin`, which no page can change: the page of another
//! site that copies the key is refused. A program that is no browser sends any `Origin`, so such a
//! key is no secret and opens nothing but calculations. The daily limit of the key itself bounds
//! what its copies can use up of the plan.

mod draft;
mod origin;
mod owned;

use crate::subject::Subject;

pub use draft::Draft;
pub use origin::{Origin, OriginError};
pub use owned::Published;

/// The most origins of a key.
// A site with its staging, its countries and a developer's machine; more sites are more keys, each
// with a limit of its own.
pub const MAX_ORIGINS: usize = 10;

/// The most valid publishable keys of an account: a bound on what one link can make the store hold.
pub const MAX_KEYS: usize = 10;

/// Greatest length of the name of a key, in characters.
pub const MAX_LABEL: usize = 60;

/// Where a publishable key is accepted, and what its owner knows it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publication {
    /// The name that its owner gave it; may be empty.
    pub label: String,
    /// The origins that it is accepted from.
    pub origins: Vec<Origin>,
    /// The most calls of this key in a day, within the quota of its plan.
    pub calls_per_day: Option<u64>,
}

impl Publication {
    /// Its origins and its limit, for the audit log.
    // Without the name, in which its owner may have written anything.
    pub fn in_words(&self) -> String {
        let limit = self
            .calls_per_day
            .map(|most| format!(", at most {most} calls a day"));
        format!(
            "publishable, from {}{}",
            Origin::listed(&self.origins),
            limit.unwrap_or_default()
        )
    }
}

/// Which keys a door of the service accepts.
#[derive(Debug, Clone, Copy)]
pub enum Door<'r> {
    /// Secret keys alone.
    Secret,
    /// Publishable keys too, from the origin that the request names.
    Pages(SentOrigin<'r>),
}

/// The origin that a request names.
#[derive(Debug, Clone, Copy)]
pub enum SentOrigin<'r> {
    /// None: no browser sends a key from a page of another site without one.
    Missing,
    /// One, as it was sent.
    One(&'r [u8]),
    /// Several, which no browser sends.
    Several,
}

impl<'r> SentOrigin<'r> {
    /// The origin of the `Origin` fields of a request.
    pub fn new(mut fields: impl Iterator<Item = &'r [u8]>) -> Self {
        match (fields.next(), fields.next()) {
            (None, _) => Self::Missing,
            (Some(origin), None) => Self::One(origin),
            (Some(_), Some(_)) => Self::Several,
        }
    }
}

/// Why a publishable key is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageDenial {
    /// The door is not for pages.
    Door,
    /// The request names no origin.
    NoOrigin,
    /// The request names several origins.
    SeveralOrigins,
    /// The key was not declared for the origin, given as it was sent.
    OtherOrigin(String),
}

/// The calls of a publishable key, which are counted beside those of its account.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageCalls {
    /// The count of the key itself.
    pub subject: Subject,
    /// Its daily limit.
    pub most: Option<u64>,
}

impl Door<'_> {
    /// Admits the call of a publishable key.
    ///
    /// # Errors
    /// The door is not for pages, or the call does not come from one origin that was declared.
    pub(crate) fn admit(self, publication: &Publication) -> Result<(), PageDenial> {
        let sent = match self {
            Self::Secret => return Err(PageDenial::Door),
            Self::Pages(SentOrigin::Missing) => return Err(PageDenial::NoOrigin),
            Self::Pages(SentOrigin::Several) => return Err(PageDenial::SeveralOrigins),
            Self::Pages(SentOrigin::One(sent)) => sent,
        };

        // Byte by byte: browsers write an origin in one way, in which declared ones are kept.
        let mut declared = publication.origins.iter();
        match declared.any(|origin| origin.as_str().as_bytes() == sent) {
            true => Ok(()),
            false => Err(PageDenial::OtherOrigin(
                String::from_utf8_lossy(sent).into_owned(),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn publication(origins: &[&str]) -> Publication {
        let draft = Draft {
            origins: origins.to_vec(),
            ..Draft::default()
        };
        draft.read().unwrap()
    }

    #[test]
    fn a_call_is_admitted_from_a_declared_origin_alone() {
        let shop = publication(&["https://Boutique.example.fr:443/", "http://localhost:8080"]);
        let admitted = |sent: &[&'static str]| {
            let sent = SentOrigin::new(sent.iter().map(|origin| origin.as_bytes()));
            Door::Pages(sent).admit(&shop)
        };
        assert_eq!(admitted(&["https://boutique.example.fr"]), Ok(()));
        assert_eq!(admitted(&["http://localhost:8080"]), Ok(()));
        assert_eq!(admitted(&[]), Err(PageDenial::NoOrigin));
        assert_eq!(
            admitted(&["https://boutique.example.fr", "https://boutique.example.fr"]),
            Err(PageDenial::SeveralOrigins)
        );
        for other in [
            "null",
            "",
            "*",
            "http://boutique.example.fr",
            "https://boutique.example.fr:443",
            "https://boutique.example.fr:8443",
            "https://boutique.example.fr.",
            "https://boutique.example.fr/",
            "https://Boutique.example.fr",
            "https://www.boutique.example.fr",
            "https://example.fr",
            "https://boutique.example.fr.evil.example",
            "https://boutique.example.fr@evil.example",
            "https://boutique.example.fr, https://evil.example",
            "https://boutique.example.fr https://evil.example",
            "http://localhost",
            "https://localhost:8080",
            "http://127.0.0.1:8080",
        ] {
            assert_eq!(
                admitted(&[other]),
                Err(PageDenial::OtherOrigin(other.to_owned())),
                "{other}"
            );
        }
    }

    #[test]
    fn a_door_that_is_not_for_pages_refuses_every_publishable_key() {
        let shop = publication(&["https://boutique.example.fr"]);
        assert_eq!(Door::Secret.admit(&shop), Err(PageDenial::Door));
    }

    #[test]
    fn the_log_has_origins_and_limit_without_the_name() {
        let shop = Publication {
            label: "Claire".to_owned(),
            calls_per_day: Some(500),
            ..publication(&["https://a.example", "https://b.example"])
        };
        assert_eq!(
            shop.in_words(),
            "publishable, from https://a.example https://b.example, at most 500 calls a day"
        );
    }
}
