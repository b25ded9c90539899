//! Formats of a batch: a JSON array, JSON lines, CSV.

use bareme_show::spreadsheet::{Dialect, DialectOptions, encoding_named};
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap};

use crate::wire::reply::JSON;

/// Media types of JSON lines, none of which is registered.
const LINES: [&str; 4] = [
    "application/x-ndjson",
    "application/ndjson",
    "application/jsonl",
    "application/x-jsonlines",
];

/// Media type of CSV.
const CSV: &str = "text/csv";

/// The format of a batch, in the request or in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A JSON array of objects.
    Array,
    /// JSON objects, one on each line.
    Lines,
    /// CSV with the names of the columns in the first line, and its dialect.
    Csv(Dialect),
}

impl Form {
    /// The format of a request, by its `Content-Type`, with the settings that this gives; `None` if
    /// it is none of a batch, or in an encoding that is not read.
    pub fn sent(headers: &HeaderMap) -> Option<(Self, DialectOptions)> {
        let text = headers.get(CONTENT_TYPE)?.to_str().ok()?;
        let form = Self::of_media(text)?;

        // JSON is in UTF-8 by definition (RFC 8259): its `charset` means nothing.
        let is_csv = matches!(form, Self::Csv(_));
        let encoding = match charset(text).filter(|_| is_csv) {
            Some(name) => Some(encoding_named(name)?),
            None => None,
        };

        Some((
            form,
            DialectOptions {
                encoding,
                ..DialectOptions::default()
            },
        ))
    }

    /// The format of the answer: the first known one in `Accept`, or else that of the request.
    pub fn requested(headers: &HeaderMap, sent: Self) -> Self {
        let lines = headers
            .get_all(ACCEPT)
            .into_iter()
            .filter_map(|line| line.to_str().ok());
        let asked = lines
            .flat_map(|line| line.split(','))
            .find_map(Self::of_media);
        match (asked, sent) {
            // The dialect of the request is kept.
            (Some(Self::Csv(_)) | None, sent @ Self::Csv(_)) => sent,
            (asked, sent) => asked.unwrap_or(sent),
        }
    }

    fn of_media(text: &str) -> Option<Self> {
        let media = text.split(';').next()?.trim().to_ascii_lowercase();
        match media.as_str() {
            JSON => Some(Self::Array),
            CSV => Some(Self::Csv(Dialect::usual(DialectOptions::default()))),
            other => LINES.contains(&other).then_some(Self::Lines),
        }
    }

    /// The media type of the format.
    pub fn media(self) -> &'static str {
        match self {
            Self::Array => JSON,
            Self::Lines => "application/x-ndjson",
            Self::Csv(dialect) if dialect.is_windows() => {
                "text/csv; charset=windows-1252; header=present"
            }
            Self::Csv(_) => "text/csv; charset=utf-8; header=present",
        }
    }
}

/// The parameter `charset` of a media type.
fn charset(media: &str) -> Option<&str> {
    let parameters = media
        .split(';')
        .skip(1)
        .filter_map(|parameter| parameter.split_once('='));

    let mut named = parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    named
        .next()
        .map(|(_, value)| value.trim().trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn headers(name: hyper::header::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    fn csv(header: &str) -> Form {
        Form::Csv(Dialect::detect(header.as_bytes(), DialectOptions::default()).0)
    }

    #[test]
    fn the_type_of_the_body_says_its_form() {
        let sent = |value| Form::sent(&headers(CONTENT_TYPE, value)).map(|(form, _)| form);
        assert_eq!(sent("application/json"), Some(Form::Array));
        assert_eq!(sent("Application/JSON; charset=utf-8"), Some(Form::Array));
        assert_eq!(sent("application/x-ndjson"), Some(Form::Lines));
        assert_eq!(sent("text/csv;header=present"), Some(csv("")));
        assert_eq!(sent("text/csv; charset=utf-16"), None);
        assert_eq!(sent("application/x-www-form-urlencoded"), None);
        assert!(Form::sent(&HeaderMap::new()).is_none());
        let encoding = |value| {
            Form::sent(&headers(CONTENT_TYPE, value))
                .unwrap()
                .1
                .encoding
        };
        assert_eq!(encoding("text/csv"), None);
        for name in [
            "text/csv; charset=Windows-1252",
            "text/csv;charset=\"iso-8859-1\"",
        ] {
            assert_eq!(encoding(name), encoding_named("windows-1252"), "{name}");
        }
    }

    #[test]
    fn the_answer_is_in_the_form_of_the_rows_unless_another_is_requested() {
        let requested = |value, sent| Form::requested(&headers(ACCEPT, value), sent);
        assert_eq!(requested("*/*", Form::Lines), Form::Lines);
        assert_eq!(requested("text/html, text/csv;q=0.5", Form::Array), csv(""));
        assert_eq!(requested("text/csv", csv("a;b")), csv("a;b"));
        assert_eq!(requested("application/json", csv("a;b")), Form::Array);
        assert_eq!(Form::requested(&HeaderMap::new(), csv("a\tb")), csv("a\tb"));
    }
}
