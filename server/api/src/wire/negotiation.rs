//! Negotiation of media type, language and coding by the `Accept` headers of a request.

use bareme_engine::Lang;
use hyper::header::{ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, HeaderMap, HeaderName};

/// Whether a program asks: it names JSON, or accepts anything like HTTP clients, while a browser
/// wants HTML.
pub fn wants_json(headers: &HeaderMap) -> bool {
    lists(headers, "application/json") || (lists(headers, "*/*") && !lists(headers, "text/html"))
}

/// Whether a person asks with a browser: it names HTML, and not JSON.
pub fn wants_page(headers: &HeaderMap) -> bool {
    lists(headers, "text/html") && !lists(headers, "application/json")
}

/// Whether gzip is accepted: named, and not with weight 0.
pub fn accepts_gzip(headers: &HeaderMap) -> bool {
    let mut listed = items(headers, ACCEPT_ENCODING);
    listed.any(|(coding, weight)| {
        coding.eq_ignore_ascii_case("gzip") && thousandths(weight) != Some(0)
    })
}

/// The language of errors: English if it is ranked above French, else French.
pub(crate) fn language(headers: &HeaderMap) -> Lang {
    let weight_of = |language: &str| {
        let named = items(headers, ACCEPT_LANGUAGE).filter(|(range, _)| {
            range
                .split('-')
                .next()
                .is_some_and(|tag| tag.eq_ignore_ascii_case(language))
        });
        named.filter_map(|(_, weight)| thousandths(weight)).max()
    };

    // `*` accepts any language, so it ranks the default one, French.
    let (english, french) = (
        weight_of("en").unwrap_or(0),
        weight_of("fr").or(weight_of("*")).unwrap_or(0),
    );
    if english > french { Lang::En } else { Lang::Fr }
}

/// A weight, `q=0.8`, in thousandths; the greatest if there is none.
fn thousandths(weight: &str) -> Option<u32> {
    if weight.is_empty() {
        return Some(1000);
    }
    let weight = weight.strip_prefix("q=")?;
    let (whole, decimals) = weight.split_once('.').unwrap_or((weight, ""));

    // A weight has three decimals at most (RFC 9110, 12.4.2): as an integer it compares exactly.
    Some(
        format!("{whole}{decimals:0<3}")
            .parse::<u32>()
            .ok()?
            .min(1000),
    )
}

/// Whether a media type is listed, whatever its weight.
fn lists(headers: &HeaderMap, media: &str) -> bool {
    items(headers, ACCEPT).any(|(kind, _)| kind.eq_ignore_ascii_case(media))
}

/// Items of a list, each with its parameter.
fn items(headers: &HeaderMap, field: HeaderName) -> impl Iterator<Item = (&str, &str)> {
    let lines = headers
        .get_all(field)
        .into_iter()
        .filter_map(|line| line.to_str().ok());
    lines
        .flat_map(|line| line.split(','))
        .map(|item| item.split_once(';').unwrap_or((item, "")))
        .map(|(name, weight)| (name.trim(), weight.trim()))
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;
    use crate::testing::request;

    #[test]
    fn gzip_is_for_who_names_it() {
        let accepts = |coding: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(coding));
            accepts_gzip(&headers)
        };
        assert!(accepts("gzip") && accepts("br, GZIP;q=0.5") && accepts("gzip;q=1"));
        assert!(
            !accepts("br") && !accepts("gzip;q=0") && !accepts("gzip; q=0.000") && !accepts("*")
        );
        assert!(!accepts_gzip(&HeaderMap::new()));
    }

    fn sent(accept: &str) -> HeaderMap {
        let mut parts = request("GET", "/");
        parts.headers.insert(ACCEPT, accept.parse().unwrap());
        parts.headers
    }

    #[test]
    fn a_program_asks_for_json() {
        let accepts = |accept: &str| wants_json(&sent(accept));
        assert!(accepts("application/json") && accepts("text/plain, application/json;q=0.9"));
        assert!(accepts("*/*"), "a client of HTTP that says nothing else");
        assert!(!accepts("text/html,application/xhtml+xml,*/*;q=0.8") && !accepts("text/html"));
    }

    #[test]
    fn a_browser_asks_for_a_page() {
        let accepts = |accept: &str| wants_page(&sent(accept));
        assert!(accepts("text/html,application/xhtml+xml,*/*;q=0.8") && accepts("Text/HTML"));
        assert!(
            !accepts("*/*")
                && !accepts("application/json")
                && !accepts("text/html, application/json")
        );
        assert!(!wants_page(&HeaderMap::new()));
    }

    #[test]
    fn english_is_for_whoever_ranks_it_first() {
        let language = |accept: &str| {
            let mut parts = request("GET", "/");
            parts
                .headers
                .insert(ACCEPT_LANGUAGE, accept.parse().unwrap());
            super::language(&parts.headers)
        };
        for english in [
            "en",
            "en-GB",
            "EN;q=0.5",
            "en,fr;q=0.9",
            "de, en;q=0.8, fr;q=0.7",
            "fr;q=0, en;q=0.1",
        ] {
            assert_eq!(language(english), Lang::En, "{english}");
        }
        for french in [
            "",
            "fr",
            "*",
            "de",
            "fr, en",
            "fr-CA,fr;q=0.9,en;q=0.8",
            "en;q=0",
            "en;q=x",
            "english",
            ";;,",
        ] {
            assert_eq!(language(french), Lang::Fr, "{french}");
        }
        assert_eq!(super::language(&HeaderMap::new()), Lang::Fr);
    }
}
