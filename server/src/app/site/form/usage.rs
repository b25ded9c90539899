//! `/cle/usage`: the usage of a key today and by day, requested with the key. Not charged.

use bareme_accounts::publishable::Door;
use bareme_api::wire::credentials::{KEY_FIELD, sent_keys};
use bareme_api::wire::problem::{Problem, kinds};
use bareme_api::wire::query::{Query, value};
use bareme_api::wire::reply::{self, Reply};
use bareme_engine::service::{Rules, Variant};
use bareme_site::key::{self, Usage};
use hyper::header::{HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};
use jiff::civil::Date;
use serde_json::{Value, json};

use super::{FormBody, METHODS, page, sent};
use crate::app::call::Call;

/// Field of the form with the key.
const KEY: &str = "cle";

/// Answers a request: JSON if the key is sent in a header, a page if it is sent by the form.
pub(in crate::app) async fn respond(
    call: Call<'_>,
    rules: &Rules,
    form: FormBody,
) -> Result<Reply, Problem> {
    let (request, service) = (call.request, rules.service());

    // A key in a header is a program that asks, with GET as well; only POST has a form.
    match request.method {
        Method::OPTIONS => Ok(reply::options(METHODS)),
        Method::POST => {
            // The page shows a refusal in place of the usage, with its status.
            let asked = match key_of(request, form) {
                Ok(headers) => usage(call, rules, &headers).await,
                Err(problem) => Err(problem),
            };
            Ok(match asked {
                Ok(usage) => page(StatusCode::OK, key::usage(service, Some(&usage), None)),
                Err(problem) => {
                    call.shared.metrics.refused(problem.kind);
                    page(
                        problem.kind.status,
                        key::usage(service, None, Some(&problem.text())),
                    )
                }
            })
        }
        _ if sent_keys(&request.headers).next().is_some() => {
            let usage = usage(call, rules, &request.headers).await?;
            let day =
                |(day, calls): &(Date, u64)| json!({"date": day.to_string(), "appels": calls});
            Ok(reply::unstored(
                StatusCode::OK,
                &json!({
                    "variante": usage.variant.name,
                    "offre": usage.plan.name,
                    "appels_aujourd_hui": usage.used,
                    "appels_par_jour": usage.plan.calls_per_day,
                    "restants": usage.left(),
                    "reinitialisation": usage.midnight,
                    "expire": usage.expires.map(|end| end.to_string()),
                    "jours": usage.days.iter().map(day).collect::<Vec<Value>>(),
                }),
            ))
        }
        Method::GET | Method::HEAD => Ok(page(StatusCode::OK, key::usage(service, None, None))),
        _ => Err(Problem::method(request.method.as_str())),
    }
}

/// The headers with the key in the form.
fn key_of(request: &Parts, form: FormBody) -> Result<HeaderMap, Problem> {
    let pairs = Query::read(&sent(request, form)?).pairs;
    let key = value(&pairs, KEY).map(str::trim).unwrap_or_default();

    // From here on the key of the form is looked up like one of a header.
    let mut headers = request.headers.clone();
    headers.insert(
        KEY_FIELD,
        HeaderValue::from_str(key).map_err(|_| Problem::plain(&kinds::KEY))?,
    );
    Ok(headers)
}

async fn usage<'r>(
    call: Call<'_>,
    rules: &'r Rules,
    headers: &HeaderMap,
) -> Result<Usage<'r>, Problem> {
    let (access, time, service) = (
        &call.shared.access,
        call.context.time.second,
        rules.service(),
    );

    // The prefix of a key names its version of the API, and so the counts to look in.
    let sent = sent_keys(headers)
        .next()
        .and_then(|key| std::str::from_utf8(key).ok())
        .unwrap_or_default();
    let prefix = sent.split('_').next().unwrap_or_default();
    let of_key = |variant: &&Variant| variant.key_prefix == prefix;
    let variant = service
        .variants
        .iter()
        .find(of_key)
        .ok_or_else(|| Problem::plain(&kinds::KEY))?;

    // A publishable key is in the source of a page: whoever reads it there is shown nothing of the
    // account.
    let caller = access
        .identify(
            (service, variant),
            sent_keys(headers),
            Door::Secret,
            call.address(),
            time,
        )
        .await?;

    let (used, midnight) = access.used(&caller, time).await?;
    let days = access.used_by_day(&caller, time).await?;
    let days = days
        .into_iter()
        .map(|(day, calls)| (day.date(), calls))
        .collect();
    Ok(Usage {
        variant,
        plan: caller.plan,
        used,
        midnight,
        expires: caller.expires,
        days,
    })
}
