//! `/cle`: the form for a free key, for a person (HTML) or for a program (JSON). It gives the key
//! at once or, with a mail server, after a link that [confirms](confirmation) the mailbox.
//!
//! It is not part of the API: pages of other sites may neither submit it nor read its answer.

pub(crate) mod confirmation;
pub(crate) mod owner;
pub(crate) mod usage;

use std::time::Duration;

use bareme_accounts::issue::Issued;
use bareme_accounts::{Denial, mail};
use bareme_api::openapi::form::{CONFIRMATION_PATH, EMAIL, FORM_PATHS, ONCE, TOKEN, VARIANT};
use bareme_api::wire::limits;
use bareme_api::wire::negotiation::wants_json;
use bareme_api::wire::problem::{Problem, kinds};
use bareme_api::wire::query::{Query, value};
use bareme_api::wire::reply::{self, Reply};
use bareme_engine::service::{Plan, Rules, Service, Variant};
use bareme_engine::text::{BadParameter, ParameterCode};
use bareme_site::key;
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderMap, HeaderValue,
    ORIGIN, REFERRER_POLICY,
};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};
use serde_json::json;
use uuid::Uuid;

use crate::app::call::Call;

const METHODS: &str = "GET, HEAD, POST, OPTIONS";

/// Greatest length of a form, in bytes.
const MAX_LENGTH: usize = 2048;

/// How long a form may take to arrive.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The body of a submitted form.
pub(crate) type FormBody = Option<Result<Bytes, Problem>>;

/// Whether a request submits a form of the site.
fn is_sent(request: &Parts) -> bool {
    request.method == Method::POST && FORM_PATHS.contains(&request.uri.path())
}

/// Reads the body of a submitted form; gives back that of any other request.
pub(crate) async fn read_submitted(request: &Parts, body: Incoming) -> Result<FormBody, Incoming> {
    if !is_sent(request) {
        return Err(body);
    }
    let read = Box::pin(limits::read(body, MAX_LENGTH, TIMEOUT, &kinds::FORM_LENGTH));
    Ok(Some(read.await))
}

/// Answers a request for the form.
pub(super) async fn respond(call: Call<'_>, rules: &Rules, form: FormBody) -> Reply {
    let Call {
        shared,
        request,
        context,
        ..
    } = call;

    let service = rules.service();

    // 1. What the form does. A method that only shows something ends here.
    let applied = match &request.method {
        &Method::GET | &Method::HEAD => {
            return page(StatusCode::OK, empty(call, service, "", None));
        }
        &Method::OPTIONS => return reply::options(METHODS),
        &Method::POST => apply(call, service, form).await,
        method => Err((Problem::method(method.as_str()), String::new())),
    };

    // 2. The same outcome for a program (JSON) or a person (a page), with the same status.
    let to_program = wants_json(&request.headers);
    match applied {
        Ok(Applied::Unconfirmed(email)) if to_program => reply::unstored(
            StatusCode::ACCEPTED,
            &json!({"etat": "a_confirmer", "courriel": email}),
        ),
        Ok(Applied::Unconfirmed(email)) => {
            page(StatusCode::ACCEPTED, key::unconfirmed(service, &email))
        }
        Ok(Applied::Issued(issued, variant, plan)) => {
            show(rules, variant, plan, &issued, to_program)
        }
        Err((problem, email)) => {
            // The form comes back with what was typed, so that only the mistake has to be
            // corrected.
            shared.metrics.refused(problem.kind);
            let status = problem.kind.status;
            let text = problem.text();
            let mut reply = problem
                .in_language(context.lang)
                .into_reply(Some(&service.documentation), context.id);
            if !to_program {
                // The page with the same status and headers.
                let (page, body) =
                    page(StatusCode::OK, empty(call, service, &email, Some(&text))).into_parts();
                reply.headers_mut().extend(page.headers);
                *reply.body_mut() = body;
            }
            if status == 405 {
                reply
                    .headers_mut()
                    .insert(ALLOW, HeaderValue::from_static(METHODS));
            }
            reply
        }
    }
}

/// The form to fill in, with the error of the previous attempt.
fn empty(call: Call, service: &Service, email: &str, wrong: Option<&str>) -> String {
    let Call {
        shared, context, ..
    } = call;
    key::form(
        service,
        email,
        wrong,
        shared.confirmations.is_some(),
        shared.access.new_form(context.time.second),
    )
}

/// A page of the site, which no cache may store.
pub(super) fn page(status: StatusCode, html: String) -> Reply {
    let mut reply = Reply::new(html.into());
    *reply.status_mut() = status;
    for (name, value) in [
        (CONTENT_TYPE, bareme_site::HTML),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, bareme_site::POLICY),
        // Under `no-referrer` a browser would send the form with `Origin: null`.
        (REFERRER_POLICY, "same-origin"),
    ] {
        reply
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    reply
}

/// Outcome of a submitted form.
enum Applied<'s> {
    /// A key was issued.
    Issued(Box<Issued>, &'s Variant, &'s Plan),
    /// An e-mail to this address, whose owner gets the key.
    Unconfirmed(String),
}

/// Issues a key, or starts the confirmation of the mailbox; an error comes with the e-mail address
/// as it was typed.
async fn apply<'s>(
    call: Call<'_>,
    service: &'s Service,
    form: FormBody,
) -> Result<Applied<'s>, (Problem, String)> {
    let Call {
        shared,
        request,
        context,
        ..
    } = call;

    // 1. The form, read whole before anything is charged or stored.
    let access = &shared.access;
    let form = sent(request, form).map_err(|problem| (problem, String::new()))?;
    let (email, variant, once) = read_form(service, &form)?;
    let known = |denial: Denial| (denial.into(), email.clone());

    let plan = variant.plans.first().ok_or_else(|| known(Denial::NoPlan))?;

    // 2. Its id is good once: a page that is loaded again would replace the key that it has shown.
    if let Some(once) = once {
        access
            .use_form(once, context.time.second)
            .await
            .map_err(known)?;
    }

    // 3. The keys that an address may request in a day, before anything is sent or issued.
    access
        .admit_applicant(call.address(), context.time.second)
        .await
        .map_err(known)?;

    // 4. With a mail server the key is given to the owner of the mailbox, who opens the link.
    if let Some(confirmations) = &shared.confirmations {
        let link = format!("{}{CONFIRMATION_PATH}?{TOKEN}=", service.documentation);
        let sent = confirmations
            .send(
                access,
                service,
                (variant, plan),
                &email,
                &link,
                context.time.second,
            )
            .await;
        return sent.map_err(known).map(|()| Applied::Unconfirmed(email));
    }

    // 5. Without one, it is given at once.
    let issued = access
        .issue_free_key(variant, plan, &email, context.time.second)
        .await;
    let issued = issued.map_err(|unavailable| known(unavailable.into()))?;
    Ok(Applied::Issued(Box::new(issued), variant, plan))
}

/// The submitted form, refused if it comes from a page of another site.
fn sent(request: &Parts, form: FormBody) -> Result<String, Problem> {
    if !is_from_here(&request.headers) {
        return Err(Problem::plain(&kinds::ORIGIN));
    }

    // A POST without a body is a form without fields, whose mistakes are named.
    let form = form.unwrap_or_else(|| Ok(Bytes::new()))?;

    match String::from_utf8(form.to_vec()) {
        Ok(text) if is_form(&request.headers) => Ok(text),
        _ => Err(Problem::plain(&kinds::FORM_TYPE)),
    }
}

/// Shows a new key, only this once.
fn show(rules: &Rules, variant: &Variant, plan: &Plan, issued: &Issued, to_program: bool) -> Reply {
    // The text of the key is shown here and kept nowhere.
    if !to_program {
        return page(
            StatusCode::CREATED,
            key::new_key(rules, variant, plan, issued),
        );
    }
    reply::unstored(
        StatusCode::CREATED,
        &json!({
            "cle": issued.key.reveal(),
            "id": issued.record.id.to_string(),
            "variante": variant.name,
            "offre": plan.name,
            "appels_par_jour": plan.calls_per_day,
            "expire": issued.record.expires.map(|expires| expires.to_string()),
            "expire_apres_jours_sans_appel": plan.unused_days,
            "attribution": plan.attribution.then_some(&rules.service().attribution),
        }),
    )
}

/// The fields of a form: e-mail address, variant, and id of the form.
type Fields<'s> = (String, &'s Variant, Option<Uuid>);

/// Parses the fields of a form; reports everything that is wrong.
fn read_form<'s>(service: &'s Service, form: &str) -> Result<Fields<'s>, (Problem, String)> {
    let Query { pairs, mut bad } = Query::read(form);
    let value = |name: &str| value(&pairs, name).map(str::trim);

    // The address. What cannot be decoded is reported already, and once is enough.
    let email = EMAIL.into_iter().find_map(value).unwrap_or_default();
    let blamed = |bad: &[BadParameter], name: &str| bad.iter().any(|bad| bad.name == name);
    if mail::address(email).is_none() && !EMAIL.iter().any(|name| blamed(&bad, name)) {
        bad.push(no_address(email));
    }

    // The version of the API; without one the first, which has every calculation.
    let asked = value(VARIANT);
    let variant = match asked {
        Some(name) => service.variants.iter().find(|variant| variant.name == name),
        None => service.variants.first(),
    };
    if variant.is_none() && !blamed(&bad, VARIANT) {
        let names: Vec<String> = service
            .variants
            .iter()
            .map(|variant| format!("`{}`", variant.name))
            .collect();
        bad.push(BadParameter::new(
            VARIANT,
            ParameterCode::UnknownValue,
            (
                "Cette version de l’API n’existe pas.",
                "This version of the interface does not exist.",
            ),
            asked,
            (names.join(" ou "), names.join(" or ")),
        ));
    }

    // Everything that is wrong is reported at once.
    match variant {
        Some(variant) if bad.is_empty() => {
            // An invalid id was never issued: it is refused like one of another day.
            let once = value(ONCE).map(|once| Uuid::parse_str(once).unwrap_or_default());
            Ok((email.to_owned(), variant, once))
        }
        _ => Err((Problem::parameters(bad), email.to_owned())),
    }
}

/// The error of a text that is no e-mail address.
fn no_address(text: &str) -> BadParameter {
    BadParameter::new(
        EMAIL.first().copied().unwrap_or_default(),
        ParameterCode::Format,
        (
            "Ce n’est pas une adresse électronique.",
            "It is not an e-mail address.",
        ),
        Some(text).filter(|text| !text.is_empty()),
        (
            "une adresse électronique, comme `prenom.nom@exemple.fr`",
            "an e-mail address, such as `first.last@example.org`",
        ),
    )
}

/// Whether the form was not submitted by a page of another site. Browsers tell this by
/// `Sec-Fetch-Site`, and by `Origin` with every POST. A program sends neither, and is not a
/// browser.
fn is_from_here(headers: &HeaderMap) -> bool {
    let text = |name: &str| {
        headers
            .get(name)
            .map(|value| value.to_str().unwrap_or_default())
    };
    if let Some(site) = text("sec-fetch-site") {
        return site == "same-origin" || site == "none";
    }

    // Older browsers send only the origin, which must be this host.
    let authority = |origin: &str| {
        origin
            .split_once("://")
            .map(|(_, authority)| authority.to_ascii_lowercase())
    };
    match (text(ORIGIN.as_str()), text(HOST.as_str())) {
        (Some(origin), Some(host)) => authority(origin) == Some(host.to_ascii_lowercase()),
        (origin, _) => origin.is_none(),
    }
}

fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| {
        kind.trim()
            .eq_ignore_ascii_case("application/x-www-form-urlencoded")
    })
}

#[cfg(test)]
mod tests {
    use bareme_api::openapi::form::PATH;

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
        assert!(
            from_here(&[("origin", "https://LOCALHOST")]),
            "behind a proxy that ends TLS"
        );
        assert!(from_here(&[
            ("sec-fetch-site", "same-origin"),
            ("origin", "null")
        ]));
        for other in [
            &[("origin", "https://evil.example")][..],
            &[("origin", "null")],
            &[("origin", "")],
            &[("origin", "http://localhost:81")],
            &[("origin", "http://localhost.evil.example")],
            &[("sec-fetch-site", "cross-site")],
            &[
                ("sec-fetch-site", "same-site"),
                ("origin", "http://localhost"),
            ],
        ] {
            assert!(!from_here(other), "{other:?}");
        }
    }

    #[tokio::test]
    async fn a_form_has_a_longest_length() {
        let body = |length: usize| http_body_util::Full::new(Bytes::from(vec![b'a'; length]));
        let read = async |length| {
            limits::read(body(length), MAX_LENGTH, TIMEOUT, &kinds::FORM_LENGTH).await
        };
        assert_eq!(read(MAX_LENGTH).await.unwrap().len(), MAX_LENGTH);
        assert_eq!(
            read(MAX_LENGTH + 1).await.unwrap_err().kind,
            &kinds::FORM_LENGTH
        );
        assert!(!is_sent(&request("GET", PATH)));
        assert!(!is_sent(&request("POST", "/api/v1/ir")));
    }
}
