//! `/etat`: the availability of the service, measured by all nodes.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use bareme_accounts::store::Unavailable;
use bareme_accounts::store::availability::{AVAILABILITY_DAYS, MINUTES_OF_DAY, ServedDay};
use bareme_api::wire::headers::METHODS;
use bareme_api::wire::negotiation::wants_json;
use bareme_api::wire::problem::Problem;
use bareme_api::wire::reply::{self, Reply};
use bareme_site::availability::{self, Availability};
use hyper::StatusCode;
use parking_lot::Mutex;
use rust_decimal::Decimal;
use serde_json::{Value, json};

use super::form;
use crate::app::availability::minute_of;
use crate::app::call::Call;
use crate::app::pipeline;
use crate::app::shared::Shared;
use crate::reload::in_force::Snapshot;

/// How long an answer of the store is shown.
const FRESH: Duration = Duration::from_secs(30);

/// The days of the last question to the store, and when it was asked.
#[derive(Debug, Default)]
pub(crate) struct KnownDays(Mutex<Option<(Instant, Arc<Vec<ServedDay>>)>>);

/// Answers `/etat`: a page, or JSON to a program.
pub(super) async fn respond(call: Call<'_>, snapshot: &Snapshot) -> Result<Reply, Problem> {
    let Call {
        shared, request, ..
    } = call;
    if pipeline::asks_options(request, METHODS)? {
        return Ok(reply::options(METHODS));
    }

    let now = shared.access.store().time(call.context.time.second);
    let days = days(shared, now).await?;
    let measured = Availability::new(&days, minute_of(now));
    let service = snapshot.rules.service();
    if wants_json(&request.headers) {
        return Ok(reply::unstored(StatusCode::OK, &as_json(&measured)));
    }
    Ok(form::page(
        StatusCode::OK,
        availability::page(service, &measured),
    ))
}

/// The days of the store, asked again after a while only.
async fn days(shared: &Shared, now: SystemTime) -> Result<Arc<Vec<ServedDay>>, Unavailable> {
    // Concurrent requests may ask twice: the lock is not held while the store is waited for.
    let known = shared.served_days.0.lock().clone();
    if let Some((asked, days)) = known
        && asked.elapsed() < FRESH
    {
        return Ok(days);
    }

    let since = minute_of(now).0.minus(AVAILABILITY_DAYS - 1);
    let days = Arc::new(shared.access.store().served_days(since).await?);
    *shared.served_days.0.lock() = Some((Instant::now(), Arc::clone(&days)));
    Ok(days)
}

fn as_json(measured: &Availability) -> Value {
    let days = measured.days.iter().map(|day| {
        json!({
            "date": day.date.to_string(),
            "minutes_mesurees": day.measured,
            "minutes_disponibles": day.available,
            "reponses": day.calls,
            "echecs": day.failed,
        })
    });
    json!({
        "disponibilite_30_jours": number(measured.ratio(30)),
        "disponibilite_90_jours": number(measured.ratio(AVAILABILITY_DAYS)),
        "minutes_par_jour": MINUTES_OF_DAY,
        "jours": days.collect::<Vec<Value>>(),
    })
}

/// A decimal with its digits, as a number of JSON.
fn number(value: Option<Decimal>) -> Option<Value> {
    value.and_then(|value| serde_json::from_str(&value.to_string()).ok())
}
