//! E-mails to the owners of keys that end soon.

use std::sync::Arc;
use std::time::Duration;

use bareme_accounts::expiry::{ANNOUNCED_DAYS, days, due_notice, plan_of};
use bareme_accounts::mail::{Letter, Mailer};
use bareme_accounts::store::Unavailable;
use bareme_engine::service::Rules;
use tokio::time::sleep;

use crate::app::shared::Shared;

/// Interval at which expiring keys are searched, and the pause after a failure.
const PERIOD: Duration = Duration::from_secs(600);
const RETRY: Duration = Duration::from_secs(2);

/// Sends e-mails to the owners of keys that end soon, until the service stops.
pub(crate) async fn announce(shared: Arc<Shared>, mailer: Arc<Mailer>) {
    loop {
        let looked = match shared.rules.snapshot() {
            Some(snapshot) => look(&shared, &snapshot.rules, &mailer).await,
            None => Err(Unavailable("no rules".to_owned())),
        };
        sleep(if looked.is_ok() { PERIOD } else { RETRY }).await;
    }
}

/// Sends every notice that is due, unless another node does.
async fn look(shared: &Shared, rules: &Rules, mailer: &Arc<Mailer>) -> Result<(), Unavailable> {
    let now = shared.access.now(shared.clock.read().second)?;
    let until = now.checked_add(days(ANNOUNCED_DAYS)).unwrap_or(now);

    let (store, service) = (shared.access.store(), rules.service());

    // A plan that is no longer offered has no end to announce, and other keys have their notice
    // already.
    for record in store.expiring_keys(now, until).await? {
        let Some((variant, plan)) = plan_of(service, &record) else {
            continue;
        };
        let Some(notice) = due_notice(&record, plan, now) else {
            continue;
        };

        // Set before the letter is sent, and only from the state that was read: of several nodes,
        // one succeeds and sends.
        if !store
            .set_noticed(record.id, record.noticed, Some(notice))
            .await?
        {
            continue;
        }

        let sent = mailer
            .send(Letter::of_end(service, variant, plan, &record))
            .await;
        shared.metrics.announced(sent.is_ok());
        match sent {
            Ok(()) => tracing::info!(key = %record.id, days = notice, "end of a key announced"),
            Err(failure) => {
                tracing::warn!(
                    key = %record.id,
                    error = %failure,
                    "the end of a key could not be announced"
                );
                // Not sent after all: the notice is due again.
                store
                    .set_noticed(record.id, Some(notice), record.noticed)
                    .await?;
            }
        }
    }
    Ok(())
}
