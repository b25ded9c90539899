//! What a request says it can read, in its `Accept` fields.

use hyper::header::{ACCEPT, HeaderMap};

/// Whether a program asks: it says so, or takes anything as clients of HTTP do, where a browser wants a page.
pub(crate) fn wants_json(headers: &HeaderMap) -> bool {
    lists(headers, "application/json") || (lists(headers, "*/*") && !lists(headers, "text/html"))
}

/// Whether a person asks, with a browser: it names HTML, and no JSON.
pub(crate) fn wants_page(headers: &HeaderMap) -> bool {
    lists(headers, "text/html") && !lists(headers, "application/json")
}

/// Whether a media type is listed; its weight is not read.
fn lists(headers: &HeaderMap, media: &str) -> bool {
    let lines = headers.get_all(ACCEPT).iter().filter_map(|line| line.to_str().ok());
    let mut listed = lines.flat_map(|line| line.split(',')).filter_map(|kind| kind.split(';').next()).map(str::trim);
    listed.any(|kind| kind.eq_ignore_ascii_case(media))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::request;

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
        assert!(!accepts("*/*") && !accepts("application/json") && !accepts("text/html, application/json"));
        assert!(!wants_page(&HeaderMap::new()));
    }
}
