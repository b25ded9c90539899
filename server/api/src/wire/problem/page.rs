//! The problems of publishable keys: the page, and the door.

use bareme_accounts::publishable::PageDenial;
use bareme_engine::say;
use bareme_engine::text::{Text, excerpt};

use super::{Problem, kinds};
use crate::wire::mask::mask;

impl Problem {
    /// A publishable key that is not accepted for a call.
    pub(crate) fn of_page(denial: &PageDenial) -> Self {
        // It may be anything that a program makes up.
        let origin = match denial {
            PageDenial::OtherOrigin(sent) => Some(mask(&excerpt(sent)).into_owned()),
            _ => None,
        };

        let cause: Text<String> = match denial {
            PageDenial::Door => return Self::plain(&kinds::PAGE_DOOR),
            PageDenial::NoOrigin => (
                "L’en-tête `Origin` manque : aucune page de navigateur n’a fait cet appel.",
                "The `Origin` header is missing: no page of a browser made this call.",
            )
                .into(),
            PageDenial::SeveralOrigins => (
                "L’en-tête `Origin` est répété : un navigateur n’en envoie qu’un.",
                "The `Origin` header is repeated: a browser sends one.",
            )
                .into(),
            PageDenial::OtherOrigin(sent) if sent == "null" => (
                "L’en-tête `Origin` est `null` : la page est un fichier, ou dans un cadre isolé. La \
                 servir par https, depuis une origine déclarée.",
                "The `Origin` header is `null`: the page is a file, or in an isolated frame. Serve \
                 it over https, from a declared origin.",
            )
                .into(),
            PageDenial::OtherOrigin(_) => {
                let origin = origin.as_deref().unwrap_or_default();
                say!(
                    "L’en-tête `Origin` nomme `{origin}`, qui n’est pas déclarée pour cette clé.",
                    "The `Origin` header names `{origin}`, which is not declared for this key."
                )
            }
        };

        let detail = say!(
            "{cause} Si cette page est la vôtre, déclarez son origine sur la page de vos clés.",
            "{cause} If this page is yours, declare its origin on the page of your keys.";
            cause
        );
        Self {
            members: vec![("entete", "Origin".into()), ("origine", origin.into())],
            ..Self::new(&kinds::PAGE_ORIGIN, detail)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_header_the_origin_and_a_cure() {
        let problem = Problem::of_page(&PageDenial::OtherOrigin("https://evil.example".to_owned()));
        assert_eq!(problem.kind.code, "origine_non_declaree");
        assert_eq!(
            problem.text(),
            "L’en-tête `Origin` nomme `https://evil.example`, qui n’est pas déclarée pour cette \
             clé. Si cette page est la vôtre, déclarez son origine sur la page de vos clés."
        );
        assert_eq!(
            problem.members,
            [
                ("entete", "Origin".into()),
                ("origine", "https://evil.example".into())
            ]
        );
        let secret = "bma_0000000000000000000000000000002p64JP".to_owned();
        let masked = Problem::of_page(&PageDenial::OtherOrigin(secret));
        assert_eq!(masked.members[1].1, "bma_…", "nothing secret is sent back");
    }
}
