//! The keys that a request sends.

use bareme_engine::text::{BadParameter, ParameterCode};
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

/// The field that carries a key.
pub const KEY_FIELD: HeaderName = HeaderName::from_static("x-api-key");

/// The keys that a request sends, in `X-API-Key` or as `Authorization: Bearer`. Credentials of
/// another scheme are a key that is not valid: who identifies itself is never taken for a caller
/// without a key. The same key in both fields is one, as clients send it that fill in every field
/// of the description.
pub fn sent_keys(headers: &HeaderMap) -> impl Iterator<Item = &[u8]> {
    let named = || headers.get_all(KEY_FIELD).iter().map(HeaderValue::as_bytes);
    // A key sent twice is one key: the token is left out if the other field has it.
    let credentials = headers
        .get_all(AUTHORIZATION)
        .iter()
        .map(HeaderValue::as_bytes);
    let others = credentials.filter_map(move |value| match strip_bearer(value) {
        Some(token) => (!named().any(|key| key == token)).then_some(token),
        None => Some(value),
    });
    named().chain(others)
}

fn strip_bearer(credentials: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = credentials.split_at_checked(b"Bearer ".len())?;
    scheme
        .eq_ignore_ascii_case(b"Bearer ")
        .then(|| token.trim_ascii())
}

/// Names under which callers of other services send their keys in the address, without their signs.
const PARAMETERS: [&str; 9] = [
    "key",
    "cle",
    "apikey",
    "clef",
    "cleapi",
    "xapikey",
    "token",
    "accesstoken",
    "authorization",
];

/// An unknown parameter that must be a key: the error explains how a key is sent, and never echoes
/// the value.
pub(crate) fn sent_as_parameter(bad: BadParameter) -> BadParameter {
    // `X-API-Key`, `x_api_key` and `xApiKey` are the same mistake.
    let plain: String = bad
        .name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    if bad.code != ParameterCode::Unknown || !PARAMETERS.contains(&plain.to_lowercase().as_str()) {
        return bad;
    }

    // The value is left out: it would be echoed into a body that logs may keep.
    let reason = (
        "Une clé s’envoie dans l’en-tête `X-API-Key`, jamais dans l’adresse, que des journaux \
         gardent.",
        "A key is sent in the header `X-API-Key`, never in the address, which logs keep.",
    );
    let expected = (
        "l’en-tête `X-API-Key: …`, sans ce paramètre",
        "the header `X-API-Key: …`, without this parameter",
    );
    BadParameter::new(&bad.name, ParameterCode::Unknown, reason, None, expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_key_in_both_fields_is_one() {
        let sent = |fields: &[(&HeaderName, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in fields {
                headers.append(*name, HeaderValue::from_str(value).unwrap());
            }
            sent_keys(&headers)
                .map(|key| String::from_utf8_lossy(key).into_owned())
                .collect::<Vec<_>>()
        };
        let (key, bearer) = (&KEY_FIELD, &AUTHORIZATION);
        assert_eq!(sent(&[(key, "a"), (bearer, "Bearer a")]), ["a"]);
        assert_eq!(sent(&[(key, "a"), (bearer, "bearer  a ")]), ["a"]);
        assert_eq!(sent(&[(key, "a"), (bearer, "Bearer b")]), ["a", "b"]);
        assert_eq!(sent(&[(key, "a"), (bearer, "Basic a")]), ["a", "Basic a"]);
        assert_eq!(sent(&[(key, "a"), (key, "a")]), ["a", "a"]);
        assert_eq!(
            sent(&[(bearer, "Bearer a"), (bearer, "Bearer a")]),
            ["a", "a"]
        );
    }

    fn problem_of(name: &str, code: ParameterCode) -> BadParameter {
        sent_as_parameter(BadParameter::new(
            name,
            code,
            ("Inconnu.", "Unknown."),
            Some("secret"),
            ("rien", "nothing"),
        ))
    }

    #[test]
    fn a_key_among_the_parameters_is_reported_its_header_and_is_not_sent_back() {
        for name in [
            "api_key",
            "apikey",
            "API-Key",
            "key",
            "cle",
            "token",
            "X-API-Key",
        ] {
            let bad = problem_of(name, ParameterCode::Unknown);
            assert!(
                bad.reason.fr.contains("`X-API-Key`") && bad.reason.en.contains("`X-API-Key`"),
                "{name}"
            );
            assert_eq!((bad.name.as_str(), bad.received), (name, None));
        }
        for (name, code) in [
            ("keys", ParameterCode::Unknown),
            ("cle", ParameterCode::Format),
        ] {
            assert_eq!(
                problem_of(name, code).received.as_deref(),
                Some("secret"),
                "{name}"
            );
        }
    }
}
