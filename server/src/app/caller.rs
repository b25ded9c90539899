//! The caller of a request: who it is, and what its calls and its work are charged to.

use std::time::Duration;

use bareme_accounts::Caller;
use bareme_accounts::publishable::{Door, SentOrigin};
use bareme_api::wire::credentials::sent_keys;
use bareme_api::wire::headers::{ReplyMeta, WorkLeft};
use bareme_api::wire::problem::Problem;
use bareme_api::work::Payer;
use bareme_api::work::budget::Overspent;
use bareme_engine::service::{Plan, Service, Variant};
use hyper::header::{HeaderValue, ORIGIN};

use crate::app::call::Call;

/// The door of what pages of other sites need, for a call from such a page.
pub(super) fn door_for_pages(call: Call<'_>) -> Door<'_> {
    let fields = call.request.headers.get_all(ORIGIN).into_iter();
    Door::Pages(SentOrigin::new(fields.map(HeaderValue::as_bytes)))
}

/// Identifies the caller of a calculation, by the keys that its door accepts.
pub(super) async fn identify<'s>(
    call: Call<'_>,
    meta: &mut ReplyMeta,
    (service, variant): (&'s Service, &'s Variant),
    door: Door<'_>,
) -> Result<Caller<'s>, Problem> {
    let sent = sent_keys(&call.request.headers);
    let caller = call
        .shared
        .access
        .identify(
            (service, variant),
            sent,
            door,
            call.address(),
            call.context.time.second,
        )
        .await?;

    // What the headers of the reply state of the key, even if the call is refused from here on.
    meta.credit = caller
        .plan
        .attribution
        .then(|| format!("{}/cle#attribution", service.documentation));
    meta.key = caller.key;
    let origin = call.request.headers.get(ORIGIN);
    meta.page = origin.filter(|_| caller.is_page()).cloned();
    meta.ending = caller.ends.map(|end| (end, renewal(service, caller.plan)));
    Ok(caller)
}

/// Charges calls to the quota of a caller, all or none.
pub(super) async fn charge(
    call: Call<'_>,
    caller: &Caller<'_>,
    calls: u32,
    meta: &mut ReplyMeta,
    variant: &Variant,
) -> Result<(), Problem> {
    call.shared
        .access
        .charge(caller, calls, call.context.time.second, &mut meta.allowance)
        .await?;

    // A call that the quota refuses is not counted as made.
    call.shared
        .metrics
        .called(&variant.name, &caller.plan.name, calls);
    Ok(())
}

/// Who the work of an identified caller is charged to.
pub(super) fn payer(call: Call, caller: &Caller) -> Payer {
    match caller.paying_account() {
        Some(account) => Payer::Account(account),
        None if caller.plan.calls_per_day.is_none() && !caller.is_page() => {
            Payer::Unlimited(call.address())
        }
        None => Payer::Address(call.address()),
    }
}

/// Charges the work of a request to the budget of its caller, before it is done: every door asks
/// here.
///
/// # Errors
/// The budget has less left; nothing is charged.
pub(super) fn admit(call: Call, payer: Payer, calls: u32) -> Result<WorkLeft, Problem> {
    let left = call
        .shared
        .budget
        .charge(payer, calls)
        .map_err(|Overspent { whole, wait }| {
            // Headers count in whole seconds.
            let wait = Duration::from_secs(wait.as_secs().saturating_add(1));
            Problem::overspent(calls, whole, call.context.time.second + wait)
        })?;

    call.shared.metrics.worked(payer, calls);
    Ok(left)
}

/// The address where a key of a plan can be renewed.
fn renewal(service: &Service, plan: &Plan) -> String {
    plan.buy
        .clone()
        .unwrap_or_else(|| format!("{}/cle", service.documentation))
}
