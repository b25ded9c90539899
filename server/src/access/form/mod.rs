//! `/cle`: the form that gives a free key at once, to a person (HTML) or to a program (JSON).
//!
//! It is not part of the API: it is the only path that accepts POST, and pages of other sites may neither
//! send it nor read its answer.

pub(crate) mod fields;
mod page;
pub(crate) mod usage;

use std::net::IpAddr;
use std::time::Duration;

use bareme_engine::{BadParameter, ParameterCode, Plan, Rules, Service, Variant};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::Method;
use hyper::body::{Body, Bytes};
use hyper::header::{ALLOW, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, ORIGIN};
use hyper::http::request::Parts;
use jiff::Timestamp;
use serde_json::json;
use tokio::time::timeout;

use fields::{EMAIL, PATH, USAGE_PATH, VARIANT};

use super::Access;
use super::address::client_network;
use super::issue::{self, Issued};
use super::mail;
use super::quota::Charge;
use super::store::Unavailable;
use super::subject::Subject;
use crate::clock::RequestTime;
use crate::http::accept::wants_json;
use crate::http::headers::RequestContext;
use crate::http::problem::{Problem, kinds};
use crate::http::query::Query;
use crate::http::reply::{self, Reply};
use crate::shared::Shared;

const METHODS: &str = "GET, HEAD, POST, OPTIONS";

/// Longest form, in bytes.
const MAX_LENGTH: usize = 2048;

/// How long a form may take to arrive.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Keys that an address may request in a day.
const OF_AN_ADDRESS: u64 = 5;

/// Keys for an IPv6 network, which has many addresses: a provider gives each customer up to a /48.
const OF_A_NETWORK: u64 = 25;
const NETWORK: u8 = 48;

/// Keys issued in a day, in all. There is no limit by mailbox: anyone could use it up in the name of
/// someone else.
const OF_ALL: u64 = 2_000;

/// The body of the form, if the request sends it.
pub(crate) type FormBody = Option<Result<Bytes, Problem>>;

/// Reads the body of a request to the form.
pub(crate) async fn read<B: Body>(request: &Parts, body: B) -> FormBody
where
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if request.method != Method::POST || ![PATH, USAGE_PATH].contains(&request.uri.path()) {
        return None;
    }
    let read = timeout(TIMEOUT, Limited::new(body, MAX_LENGTH).collect()).await;
    Some(match read {
        Ok(Ok(form)) => Ok(form.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Problem::plain(&kinds::FORM_LENGTH)),
        Ok(Err(_)) => Err(Problem::plain(&kinds::UNREADABLE)),
        Err(_) => Err(Problem::plain(&kinds::TIMEOUT)),
    })
}

/// Answers a request for the form.
pub(crate) async fn respond(
    shared: &Shared,
    rules: &Rules,
    request: &Parts,
    form: FormBody,
    peer: IpAddr,
    context: &RequestContext,
) -> Reply {
    let service = rules.service();
    let applied = match &request.method {
        &Method::GET | &Method::HEAD => return page::form(service, "", None),
        &Method::OPTIONS => {
            let mut reply = reply::options();
            reply.headers_mut().insert(ALLOW, HeaderValue::from_static(METHODS));
            return reply;
        }
        &Method::POST => apply(&shared.access, service, request, form, peer, context).await,
        method => Err((Problem::method(method.as_str()), String::new())),
    };
    let to_program = wants_json(&request.headers);
    match applied {
        Ok((issued, variant, plan)) if to_program => issued_json(service, variant, plan, &issued),
        Ok((issued, variant, plan)) => page::issued(rules, variant, plan, &issued),
        Err((problem, email)) => {
            shared.metrics.refused(problem.kind());
            let status = problem.kind().status;
            let text = problem.text();
            let mut reply = problem.in_language(context.lang).into_reply(Some(&service.documentation), context.id);
            if !to_program {
                // The same status and the same fields, on a page.
                let (page, body) = page::form(service, &email, Some(&text)).into_parts();
                reply.headers_mut().extend(page.headers);
                *reply.body_mut() = body;
            }
            if status == 405 {
                reply.headers_mut().insert(ALLOW, HeaderValue::from_static(METHODS));
            }
            reply
        }
    }
}

type IssuedKey<'s> = (Issued, &'s Variant, &'s Plan);

/// Issues a key, or says why not, with the e-mail address as it was typed.
async fn apply<'s>(
    access: &Access,
    service: &'s Service,
    request: &Parts,
    form: FormBody,
    peer: IpAddr,
    context: &RequestContext,
) -> Result<IssuedKey<'s>, (Problem, String)> {
    let blank = |problem| (problem, String::new());
    if !is_from_here(&request.headers) {
        return Err(blank(Problem::plain(&kinds::ORIGIN)));
    }
    let form = form.unwrap_or_else(|| Ok(Bytes::new())).map_err(blank)?;
    if !is_form(&request.headers) {
        return Err(blank(Problem::plain(&kinds::FORM_TYPE)));
    }
    let (email, variant) = read_form(service, &form)?;
    let known = |problem| (problem, email.clone());
    let plan = variant.plans.first().ok_or_else(|| known(Problem::plain(&kinds::INTERNAL)))?;

    let address = access.proxies.client(peer, &request.headers);
    admit(access, address, &context.time).await.map_err(known)?;
    let now = access.now(&context.time).map_err(known)?;
    let issued =
        store_new_key(access, variant, plan, &email, now).await.map_err(|unavailable| known(unavailable.into()))?;
    tracing::info!(key = %issued.record.id, variant = variant.name, "free key issued");
    Ok((issued, variant, plan))
}

/// Charges a key request to the limits of its address, of its network and of all.
async fn admit(access: &Access, address: IpAddr, time: &RequestTime) -> Result<(), Problem> {
    let moment = access.moment(time);
    let names = access.names(moment.day).await?;
    let network = address.is_ipv6().then(|| names.network(client_network(address, NETWORK)));
    let bounds = [
        Some((names.applicant(address), OF_AN_ADDRESS)),
        network.map(|network| (network, OF_A_NETWORK)),
        Some((Subject::APPLICANTS, OF_ALL)),
    ];
    for (subject, most) in bounds.into_iter().flatten() {
        if access.quotas.charge(moment, subject, most).await? == Charge::Exhausted {
            return Err(Problem::until(&kinds::TOO_MANY_KEYS, moment.midnight()));
        }
    }
    Ok(())
}

/// Stores a new key. If this does not return it, for whatever reason, the key must not stay.
async fn store_new_key(
    access: &Access,
    variant: &Variant,
    plan: &Plan,
    email: &str,
    now: Timestamp,
) -> Result<Issued, Unavailable> {
    let issued = issue::generate_for(variant, plan, email, now)?;
    let claim = access.orphans.expect(issued.record.id);
    access.store.add_key(issued.record.clone()).await?;
    claim.hand_over();
    Ok(issued)
}

/// Reads the fields of the form; everything that is wrong at once.
fn read_form<'s>(service: &'s Service, form: &[u8]) -> Result<(String, &'s Variant), (Problem, String)> {
    let text = std::str::from_utf8(form).map_err(|_| (Problem::plain(&kinds::FORM_TYPE), String::new()))?;
    let Query { pairs, mut bad } = Query::read(text);
    let value = |name: &str| pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.trim());

    let email = EMAIL.into_iter().find_map(value).unwrap_or_default();
    let blamed = |bad: &[BadParameter], name: &str| bad.iter().any(|bad| bad.name == name);
    if mail::address(email).is_none() && !EMAIL.iter().any(|name| blamed(&bad, name)) {
        bad.push(BadParameter::new(
            EMAIL.first().copied().unwrap_or_default(),
            ParameterCode::Format,
            ("Ce n'est pas une adresse électronique.", "It is not an e-mail address."),
            Some(email).filter(|email| !email.is_empty()),
            (
                "une adresse électronique, comme `prenom.nom@exemple.fr`",
                "an e-mail address, such as `first.last@example.org`",
            ),
        ));
    }
    let asked = value(VARIANT);
    let variant = match asked {
        Some(name) => service.variants.iter().find(|variant| variant.name == name),
        None => service.variants.first(),
    };
    if variant.is_none() && !blamed(&bad, VARIANT) {
        let names: Vec<String> = service.variants.iter().map(|variant| format!("`{}`", variant.name)).collect();
        bad.push(BadParameter::new(
            VARIANT,
            ParameterCode::UnknownValue,
            ("Cette version de l'interface n'existe pas.", "This version of the interface does not exist."),
            asked,
            (names.join(" ou "), names.join(" or ")),
        ));
    }
    match variant {
        Some(variant) if bad.is_empty() => Ok((email.to_owned(), variant)),
        _ => Err((Problem::parameters(bad), email.to_owned())),
    }
}

/// Whether the form was not sent by a page of another site. Browsers say so themselves: by `Sec-Fetch-Site`,
/// and by `Origin` with every POST. A program sends neither, and is not a browser.
fn is_from_here(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    if let Some(client_network) = text("sec-fetch-site") {
        return client_network == "same-origin" || client_network == "none";
    }
    let authority = |origin: &str| origin.split_once("://").map(|(_, authority)| authority.to_ascii_lowercase());
    match (text(ORIGIN.as_str()), text(HOST.as_str())) {
        (Some(origin), Some(host)) => authority(origin) == Some(host.to_ascii_lowercase()),
        (origin, _) => origin.is_none(),
    }
}

fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/x-www-form-urlencoded"))
}

fn issued_json(service: &Service, variant: &Variant, plan: &Plan, issued: &Issued) -> Reply {
    reply::unstored(
        hyper::StatusCode::CREATED,
        &json!({
            "cle": issued.key.reveal(),
            "id": issued.record.id.to_string(),
            "variante": variant.name,
            "offre": plan.name,
            "appels_par_jour": plan.calls_per_day,
            "expire": issued.record.expires.map(|expires| expires.to_string()),
            "expire_apres_jours_sans_appel": plan.unused_days,
            "attribution": plan.attribution.then_some(&service.attribution),
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::request;

    fn from_here(headers: &[(&'static str, &str)]) -> bool {
        let mut parts = request("POST", PATH);
        for (name, value) in headers {
            parts.headers.insert(*name, value.parse().unwrap());
        }
        is_from_here(&parts.headers)
    }

    #[test]
    fn a_page_of_another_site_cannot_ask_for_a_key() {
        assert!(from_here(&[]), "a program");
        assert!(from_here(&[("origin", "http://localhost")]));
        assert!(from_here(&[("origin", "https://LOCALHOST")]), "behind a proxy that ends TLS");
        assert!(from_here(&[("sec-fetch-site", "same-origin"), ("origin", "null")]));
        for other in [
            &[("origin", "https://evil.example")][..],
            &[("origin", "null")],
            &[("origin", "")],
            &[("origin", "http://localhost:81")],
            &[("origin", "http://localhost.evil.example")],
            &[("sec-fetch-site", "cross-site")],
            &[("sec-fetch-site", "same-site"), ("origin", "http://localhost")],
        ] {
            assert!(!from_here(other), "{other:?}");
        }
    }

    #[tokio::test]
    async fn a_form_has_a_longest_length() {
        let body = |length: usize| http_body_util::Full::new(Bytes::from(vec![b'a'; length]));
        let read = async |length| read(&request("POST", PATH), body(length)).await.unwrap();
        assert_eq!(read(MAX_LENGTH).await.unwrap().len(), MAX_LENGTH);
        assert_eq!(read(MAX_LENGTH + 1).await.unwrap_err().kind(), &kinds::FORM_LENGTH);
        assert!(super::read(&request("GET", PATH), body(1)).await.is_none());
        assert!(super::read(&request("POST", "/api/v1/ir"), body(1)).await.is_none());
    }
}
