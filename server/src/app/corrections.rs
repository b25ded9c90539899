//! E-mails about corrections, to the owners who asked for them and whose keys were answered by the
//! law that is corrected.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bareme_accounts::day::Moment;
use bareme_accounts::expiry::days;
use bareme_accounts::mail::{Letter, Mailer, PublishedCorrections, UsedCorrection};
use bareme_accounts::store::corrections::{Law, LawUse, USE_DAYS};
use bareme_accounts::store::{Record, Store, Unavailable};
use bareme_api::openapi::form::OWNER_PATH;
use bareme_engine::service::Rules;
use bareme_site::corrections::PATH;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use tokio::time::sleep;
use uuid::Uuid;

use crate::app::shared::Shared;
use crate::app::site::news;
use crate::archive::correction::Correction;
use crate::archive::index::KeptSet;

/// Interval at which the sets are looked at again, and the pause after a failure.
const PERIOD: Duration = Duration::from_secs(600);
const RETRY: Duration = Duration::from_secs(2);

/// Pause after a set has come into force: every node writes what its answers applied each second.
const SETTLE: Duration = Duration::from_secs(3);

/// Days after its publication in which a correction is announced, if the mail server fails before.
const DUE_DAYS: u16 = 3;

/// Sends e-mails about corrections, until the service stops.
pub(crate) async fn announce(shared: Arc<Shared>, mailer: Arc<Mailer>) {
    loop {
        let looked = match shared.rules.snapshot() {
            Some(snapshot) => look(&shared, &snapshot.rules, &mailer).await,
            None => Err(Unavailable("no rules".to_owned())),
        };
        let pause = if looked.is_ok() { PERIOD } else { RETRY };
        tokio::select! {
            () = sleep(pause) => {}
            () = shared.archive.published() => sleep(SETTLE).await,
        }
    }
}

/// Sends every e-mail that is due, unless another node does.
async fn look(shared: &Shared, rules: &Rules, mailer: &Arc<Mailer>) -> Result<(), Unavailable> {
    let store = shared.access.store();
    let time = shared.clock.read().second;
    let now = shared.access.now(time)?;
    let first = now.checked_sub(days(DUE_DAYS)).unwrap_or(now);
    let since = Moment::new(store.time(time)).day.minus(USE_DAYS);

    let index = shared.archive.index();
    for set in index.sets().iter().filter(|set| set.published >= first) {
        let laws: BTreeSet<Law> = set
            .changes
            .corrections
            .iter()
            .filter_map(corrected)
            .collect();
        if laws.is_empty() {
            continue;
        }

        // Who asked for e-mails later has read the page of corrections meanwhile.
        let uses = store.law_uses(laws.into_iter().collect(), since).await?;
        let mut by_account = BTreeMap::<Uuid, Vec<LawUse>>::new();
        for found in uses
            .into_iter()
            .filter(|found| found.since <= set.published)
        {
            let uses = by_account.entry(found.used.account).or_default();
            uses.push(found.used);
        }
        for (account, uses) in by_account {
            let Some(record) = written_to(store, account, now).await? else {
                continue;
            };
            let letter = letter(rules, set, &record, &uses);
            send(shared, mailer, (set.number, &record), letter, now).await?;
        }
    }
    Ok(())
}

/// The law that a correction replaces, if it moves an amount or nothing measures whether it does.
fn corrected(correction: &Correction) -> Option<Law> {
    let may_move = !correction.fields.is_empty() || correction.cases == 0;
    let version = correction.before.clone().filter(|_| may_move)?;
    Some(Law {
        folder: correction.folder.clone(),
        version,
    })
}

/// The newest valid key of an account whose owner has an address.
async fn written_to(
    store: &dyn Store,
    account: Uuid,
    now: Timestamp,
) -> Result<Option<Record>, Unavailable> {
    let mut keys = store.keys_of_account(account).await?;
    keys.retain(|record| record.is_valid(now) && !record.email.is_empty());
    Ok(keys.pop())
}

/// The e-mail about the corrections of a set, to the owner of a key that used what they correct.
fn letter(rules: &Rules, set: &KeptSet, record: &Record, uses: &[LawUse]) -> Letter {
    let service = rules.service();
    let corrections = set.changes.corrections.iter().filter_map(|correction| {
        let law = corrected(correction)?;
        let used = uses.iter().find(|used| used.law == law)?;
        Some(news::news_of(set, correction).of_use(rules, used))
    });
    let corrections: Vec<UsedCorrection> = corrections.collect();

    let address = &service.documentation;
    let news = PublishedCorrections {
        published: set.published.to_zoned(TimeZone::UTC).date(),
        corrections: &corrections,
        page: format!("{address}{PATH}"),
        owner_page: format!("{address}{OWNER_PATH}"),
    };
    Letter::of_corrections(service, record, &news)
}

/// Sends an e-mail once, whatever the number of nodes and of restarts.
async fn send(
    shared: &Shared,
    mailer: &Arc<Mailer>,
    (set, record): (i64, &Record),
    letter: Letter,
    now: Timestamp,
) -> Result<(), Unavailable> {
    let store = shared.access.store();

    // Claimed before it is sent: a node that stops in between sends no letter, rather than two.
    if !store.claim_letter(set, record.account, now).await? {
        return Ok(());
    }

    let sent = mailer.send(letter).await;
    shared.metrics.wrote_of_correction(sent.is_ok());
    match sent {
        Ok(()) => tracing::info!(key = %record.id, set, "corrections announced"),
        Err(failure) => {
            // One that the server may have taken is not sent again.
            if failure.is_refusal() {
                store.release_letter(set, record.account).await?;
            }
            let key = record.id;
            tracing::warn!(%key, set, error = %failure, "corrections could not be announced");
        }
    }
    Ok(())
}
