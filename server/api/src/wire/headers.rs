//! The headers of every reply, and the context that a request's headers give.

use std::time::SystemTime;

use bareme_accounts::allowance::Allowance;
use bareme_engine::Lang;
use bareme_engine::service::Retirement;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ALLOW, CONTENT_SECURITY_POLICY, DATE,
    HeaderMap, HeaderName, HeaderValue, LINK, ORIGIN, REFERRER_POLICY, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use uuid::Uuid;

use crate::wire::clock::{Clock, RequestTime};
use crate::wire::negotiation;

/// Methods of every path but batches and forms.
pub const METHODS: &str = "GET, HEAD, OPTIONS";

/// Methods of the path of a batch.
pub const BATCH_METHODS: &str = "POST, OPTIONS";

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Headers that let scripts of every site read a reply, errors included.
///
/// The origin is `*` because the answers are the same for everybody and no cookie exists: a
/// browser then shows errors too, instead of an opaque failure. A constant needs no `Vary`. The reply
/// to a publishable key names the origin of its page in place of `*`.
const CORS: [(HeaderName, &str); 3] = [
    (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    (
        ACCESS_CONTROL_EXPOSE_HEADERS,
        "RateLimit, RateLimit-Policy, Retry-After, ETag, Deprecation, Sunset, Link, X-Request-Id, \
         X-API-Key-Expires, X-API-Quota",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "cross-origin",
    ),
];

/// Request headers that scripts of other sites may send: those that are read, and those that
/// libraries add by habit.
const ALLOWED_HEADERS: &str = "X-API-Key, Authorization, Content-Type, If-None-Match, \
                               Cache-Control, X-Requested-With, traceparent, X-Request-Id, \
                               MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id";

/// Headers of every reply, unless it sets its own.
const ALWAYS: [(HeaderName, &str); 3] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; frame-ancestors 'none'",
    ),
    (REFERRER_POLICY, "no-referrer"),
];

/// Reports that a quota is counted by this node alone.
const QUOTA_STATE: HeaderName = HeaderName::from_static("x-api-quota");

/// The end of the key, once it is to be announced.
const KEY_EXPIRES: HeaderName = HeaderName::from_static("x-api-key-expires");

/// The day from which the resource is deprecated, and the one from which it may be gone.
const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
const SUNSET: HeaderName = HeaderName::from_static("sunset");

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Context of a request on arrival: its id, its time, and its trace.
#[derive(Debug)]
pub struct RequestContext {
    /// Our id of the request, sent to the caller and logged.
    pub id: Uuid,
    /// The time of the request, read once.
    pub time: RequestTime,
    /// The language of the caller, for errors.
    pub lang: Lang,
    /// The caller's trace, when its `traceparent` is well formed: for the log only.
    pub trace: Option<String>,
    /// The caller's own id of the request, when harmless: for the log only.
    pub client_id: Option<String>,
}

impl RequestContext {
    /// The context of a request with these headers.
    pub fn new(clock: &Clock, request: &HeaderMap) -> Self {
        let trace = request
            .get("traceparent")
            .and_then(|value| value.to_str().ok())
            .and_then(trace_id);
        let client_id = request
            .get(REQUEST_ID)
            .and_then(|value| value.to_str().ok())
            .filter(|id| is_harmless(id));

        // A trace or an id that is not well formed is left out: it would be written to the log as
        // it is.
        Self {
            trace: trace.map(str::to_owned),
            client_id: client_id.map(str::to_owned),
            lang: negotiation::language(request),
            ..Self::without_request(clock)
        }
    }

    /// The context of bytes that could not be parsed as a request.
    pub fn without_request(clock: &Clock) -> Self {
        Self {
            id: Uuid::now_v7(),
            time: clock.read(),
            lang: Lang::Fr,
            trace: None,
            client_id: None,
        }
    }
}

/// Name of the budget of work in headers and refusals.
pub(crate) const WORK_POLICY: &str = "travail";

/// A budget of work after a charge, in ordinary calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkLeft {
    /// What it is when whole.
    pub whole: u32,
    /// What is left of it.
    pub remaining: u32,
    /// Seconds in which all of it is regained.
    pub window: u32,
}

/// Metadata of a reply besides its content, for the stages that the request has reached.
#[derive(Debug, Clone, Default)]
pub struct ReplyMeta {
    /// Whether the path exists. Unknown paths are neither counted nor logged by name.
    pub served: bool,
    /// Whether scripts of other sites may not read it.
    pub without_cors: bool,
    /// The origin of the page that sent a publishable key: no other page may read the reply.
    pub page: Option<HeaderValue>,
    /// The caller's quota.
    pub allowance: Option<Allowance>,
    /// The caller's budget of work, after one that costs more than an ordinary call.
    pub work: Option<WorkLeft>,
    /// Where the caller finds the required attribution, if its plan has one.
    pub credit: Option<String>,
    /// Id of the caller's key: for the log only.
    pub key: Option<Uuid>,
    /// The end of the key, once it is to be announced, and where it can be renewed.
    pub ending: Option<(Timestamp, String)>,
    /// Whether the body of the request was read: if not, it is still on the connection.
    pub read_body: bool,
    /// The announced withdrawal of the resource, and the page about it.
    pub retirement: Option<(Retirement, String)>,
    /// The path label of the call in metrics, where it differs from the path.
    pub counted_as: Option<String>,
}

/// Adds the headers of every reply.
pub fn complete(headers: &mut HeaderMap, context: &RequestContext, meta: &ReplyMeta) {
    for (name, value) in ALWAYS {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }

    // Scripts of other sites read the API, and no page: a page may show a key.
    if !meta.without_cors {
        for (name, value) in CORS {
            headers.insert(name, HeaderValue::from_static(value));
        }
        if let Some(origin) = &meta.page {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        }
    }
    // The same address has another reply for another page, which a cache has to know.
    if meta.page.is_some() {
        headers.append(VARY, HeaderValue::from(ORIGIN));
    }

    // What the stages of the request have found out, as far as it went.
    if let Some(allowance) = &meta.allowance {
        insert_quota(headers, allowance);
    }
    if let Some(work) = &meta.work {
        append_work(headers, *work);
    }
    if let Some(credit) = &meta.credit {
        append_link(headers, credit, "rel=\"license\"");
    }
    if let Some((end, renewal)) = &meta.ending {
        insert_text(
            headers,
            KEY_EXPIRES,
            httpdate::fmt_http_date(SystemTime::from(*end)),
        );
        append_link(headers, renewal, "rel=\"payment\"");
    }
    if let Some((retirement, explained)) = &meta.retirement {
        insert_retirement(headers, *retirement, explained);
    }

    // The date is the second by which the request was answered, so that `t` of a quota agrees with
    // it.
    insert_text(headers, DATE, httpdate::fmt_http_date(context.time.second));
    if let Ok(id) = HeaderValue::from_str(
        context
            .id
            .hyphenated()
            .encode_lower(&mut Uuid::encode_buffer()),
    ) {
        headers.insert(REQUEST_ID, id);
    }
}

/// Sets a header to a text of ASCII, which is always a valid value.
fn insert_text(headers: &mut HeaderMap, name: HeaderName, text: String) {
    if let Ok(value) = HeaderValue::try_from(text) {
        headers.insert(name, value);
    }
}

fn append_link(headers: &mut HeaderMap, target: &str, relation: &str) {
    if let Ok(link) = HeaderValue::try_from(format!("<{target}>; {relation}")) {
        headers.append(LINK, link);
    }
}

/// Announces a withdrawal by `Deprecation` (RFC 9745) and `Sunset` (RFC 8594).
fn insert_retirement(headers: &mut HeaderMap, retirement: Retirement, explained: &str) {
    // Both fields have a moment, the rules a day: it starts at midnight UTC.
    let start = |day: Date| {
        day.to_zoned(TimeZone::UTC)
            .map(|day| day.timestamp())
            .unwrap_or_default()
    };
    insert_text(
        headers,
        DEPRECATION,
        format!("@{}", start(retirement.deprecated).as_second()),
    );

    if let Some(sunset) = retirement.sunset {
        insert_text(
            headers,
            SUNSET,
            httpdate::fmt_http_date(SystemTime::from(start(sunset))),
        );
    }

    let relation = if retirement.sunset.is_some() {
        "deprecation sunset"
    } else {
        "deprecation"
    };
    append_link(
        headers,
        explained,
        &format!("rel=\"{relation}\"; type=\"text/html\""),
    );
}

/// `t` counts from the second in `Date`: their sum is midnight.
fn insert_quota(headers: &mut HeaderMap, allowance: &Allowance) {
    let Allowance {
        policy,
        quota,
        remaining,
        provisional,
        seconds_left,
    } = allowance;
    if *provisional {
        headers.insert(QUOTA_STATE, HeaderValue::from_static("provisoire"));
    }

    // The fields are composed by hand: every call has them, and `format!` costs more.
    let (mut first, mut second) = (itoa::Buffer::new(), itoa::Buffer::new());
    if let Some(remaining) = remaining {
        let state = [
            "\"",
            policy,
            "\";r=",
            first.format(*remaining),
            ";t=",
            second.format(*seconds_left),
        ]
        .concat();
        insert_text(headers, RATE_LIMIT, state);
    }

    let policy = ["\"", policy, "\";q=", first.format(*quota), ";w=86400"].concat();
    insert_text(headers, RATE_LIMIT_POLICY, policy);
}

/// Adds the budget of work to what the quota fields say. `t` is when it is whole again.
fn append_work(headers: &mut HeaderMap, work: WorkLeft) {
    let WorkLeft {
        whole,
        remaining,
        window,
    } = work;
    let missing = u64::from(whole.saturating_sub(remaining)).saturating_mul(window.into());
    let seconds = missing.div_ceil(u64::from(whole.max(1)));

    let state = format!("\"{WORK_POLICY}\";r={remaining};t={seconds}");
    let policy = format!("\"{WORK_POLICY}\";q={whole};w={window}");
    // These fields are lists: the budget of work follows the quota of the day in them.
    for (name, own) in [(RATE_LIMIT, state), (RATE_LIMIT_POLICY, policy)] {
        let quota = headers.get(&name).and_then(|quota| quota.to_str().ok());
        let text = quota.map_or_else(|| own.clone(), |quota| format!("{quota}, {own}"));
        insert_text(headers, name, text);
    }
}

/// Adds the headers of a CORS preflight, which a browser sends before a request with a key.
pub(crate) fn preflight(headers: &mut HeaderMap, methods: &'static str) {
    headers.insert(ALLOW, HeaderValue::from_static(methods));
    headers.insert(
        ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static(methods),
    );
    headers.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static(ALLOWED_HEADERS),
    );
    // Two hours, the longest that browsers keep it.
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("7200"));
}

/// The trace id of a W3C `traceparent`, `00-<32 hex>-<16 hex>-<2 hex>`.
fn trace_id(value: &str) -> Option<&str> {
    let hex = |text: &str, length: usize| {
        text.len() == length
            && text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };

    let mut parts = value.split('-');
    let (version, trace, parent, flags) =
        (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let sound = hex(version, 2) && hex(trace, 32) && hex(parent, 16) && hex(flags, 2);
    // A later version may have more parts; version 00 has four, and `ff` is invalid.
    let known = version != "ff" && (version != "00" || parts.next().is_none());
    let named = trace.bytes().any(|byte| byte != b'0') && parent.bytes().any(|byte| byte != b'0');
    (sound && known && named).then_some(trace)
}

fn is_harmless(id: &str) -> bool {
    (1..=64).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_well_formed_traceparent_is_taken() {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        assert_eq!(
            trace_id(&format!("00-{trace}-00f067aa0ba902b7-01")),
            Some(trace)
        );
        assert_eq!(
            trace_id(&format!("01-{trace}-00f067aa0ba902b7-01-more")),
            Some(trace)
        );
        for bad in [
            "",
            "00",
            &format!("00-{trace}-00f067aa0ba902b7-01-more"),
            &format!("ff-{trace}-00f067aa0ba902b7-01"),
            &format!("00-{}-00f067aa0ba902b7-01", trace.to_uppercase()),
            &format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)),
            &format!("00-{trace}-{}-01", "0".repeat(16)),
            &format!("00-{trace}-00f067aa0ba902b7"),
        ] {
            assert_eq!(trace_id(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_withdrawal_is_announced_as_the_standards_write_it() {
        let announced = |sunset| {
            let mut headers = HeaderMap::new();
            let retirement = Retirement {
                deprecated: jiff::civil::date(2027, 1, 1),
                sunset,
            };
            insert_retirement(&mut headers, retirement, "https://docs.example/versions");
            [DEPRECATION, SUNSET, LINK].map(|name| {
                headers
                    .get(name)
                    .map(|value| value.to_str().unwrap().to_owned())
            })
        };
        let [deprecation, sunset, link] = announced(Some(jiff::civil::date(2027, 7, 1)));
        assert_eq!(deprecation.as_deref(), Some("@1798761600"));
        assert_eq!(sunset.as_deref(), Some("Thu, 01 Jul 2027 00:00:00 GMT"));
        assert_eq!(
            link.as_deref(),
            Some("<https://docs.example/versions>; rel=\"deprecation sunset\"; type=\"text/html\"")
        );
        let [_, sunset, link] = announced(None);
        assert!(sunset.is_none() && link.unwrap().contains("rel=\"deprecation\""));
    }

    #[test]
    fn a_caller_cannot_write_in_our_log() {
        assert!(is_harmless("order-12_b"));
        for bad in ["", "a b", "a\nb", "é", &"x".repeat(65)] {
            assert!(!is_harmless(bad), "{bad}");
        }
    }
}
