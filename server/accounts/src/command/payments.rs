//! `keys resend`, `keys restore`, `keys payments` and `payments reconcile`: commands of a person
//! about payments.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use jiff::Timestamp;
use serde_json::json;
use uuid::Uuid;

use super::show::pretty;
use super::{CommandContext, CommandFailure, Format, find_plan, load, print};
use crate::issue;
use crate::payment::Facts;
use crate::payment::case::Case;
use crate::payment::reconcile::{self, Difference};
use crate::store::audit::Action;
use crate::store::{self, Delivery, KeyChange, Location, Purpose, Record, Store, Unavailable};

/// Commands on payments.
#[derive(Debug, Subcommand)]
pub enum PaymentsCommand {
    /// Compare the provider's export of subscriptions with the keys, and say every difference.
    /// Nothing is changed; the exit status is 1 if there is any.
    Reconcile {
        /// The export, a CSV file with the columns `id`, `Status` and `Plan`, and
        /// `Current Period End (UTC)`, `Ended At (UTC)`, `Cancel At Period End` where it has them.
        #[arg(long, value_name = "FILE")]
        from: PathBuf,
        /// How to show them.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
}

/// Runs a command.
pub async fn run(
    command: &PaymentsCommand,
    rules: &Path,
    location: &Location,
) -> Result<(), CommandFailure> {
    let store = store::open(location, Purpose::Administration).await?;
    let PaymentsCommand::Reconcile { from, format } = command;

    let export = reconcile::read(from).map_err(CommandFailure::From)?;
    let keys = store.keys().await?;
    let found = reconcile::compare(&export, &keys, load(rules)?.service(), Timestamp::now());
    print(&match format {
        Format::Text => found.iter().map(Difference::line).collect::<String>(),
        Format::Json => pretty(&found.iter().map(Difference::as_json).collect()),
    })?;
    eprintln!(
        "{} subscriptions of the provider compared with {} keys",
        export.len(),
        keys.len()
    );
    if found.is_empty() {
        Ok(())
    } else {
        // The exit status reports it, so that a scheduled comparison can raise an alarm.
        Err(CommandFailure::Differences(found.len()))
    }
}

impl CommandContext<'_> {
    /// Makes a revoked key valid again.
    pub(super) async fn restore(&self, id: Uuid) -> Result<(), CommandFailure> {
        let record = self.find(id).await?;
        if record.revoked.is_none() {
            return Err(CommandFailure::NotRevoked(id));
        }

        self.audit(Action::Restored, &record, "").await?;
        self.store.restore_key(id).await?;
        // A key may have expired while it was revoked: the operator is to know at once.
        let is_valid = Record {
            revoked: None,
            ..record
        }
        .is_valid(self.now);
        eprintln!(
            "{id} {}",
            if is_valid {
                "is good again"
            } else {
                "is no longer revoked, but has expired: renew it"
            }
        );
        Ok(())
    }

    /// Marks a key to be sent again by the service, or issues another one for its account.
    pub(super) async fn resend(&self, id: Uuid) -> Result<(), CommandFailure> {
        let (rules, record) = self.find_valid(id).await?;
        if record.email.is_empty() {
            return Err(CommandFailure::NoAddress(id));
        }

        self.audit(Action::Resent, &record, "").await?;
        let waits = match record.delivery {
            Delivery::Due | Delivery::Sending => id,
            Delivery::Direct | Delivery::Held | Delivery::Unsure | Delivery::Delivered => {
                let (variant, _) = find_plan(rules.service(), &record.plan, Some(&record.variant))?;
                issue::issue_next(self.store, &record, &variant.key_prefix, self.now)
                    .await?
                    .record
                    .id
            }
        };
        // A key that may already be under way stays so: the new attempt is made with another key.
        let state = if record.delivery == Delivery::Sending {
            Delivery::Sending
        } else {
            Delivery::Due
        };
        self.store
            .set_delivery(waits, state, Some(self.now))
            .await?;
        eprintln!(
            "{waits} is to be sent to {}: a running service with a mail server sends it",
            record.email
        );
        Ok(())
    }

    /// Lists the open cases and the keys to deliver, or settles cases.
    pub(super) async fn cases(
        &self,
        settle: &[String],
        format: Format,
    ) -> Result<(), CommandFailure> {
        let open = self.store.cases().await?;
        if !settle.is_empty() {
            // All names are checked before any case is settled: a mistyped one changes nothing.
            if let Some(unknown) = settle
                .iter()
                .find(|id| open.iter().all(|case| case.id != **id))
            {
                return Err(CommandFailure::Case(unknown.clone()));
            }
            let settled = self.store.settle_cases(settle.to_vec(), false).await?;
            eprintln!("{settled} settled");
            return Ok(());
        }

        let waiting = self.store.undelivered_keys().await?;
        let next = |record: &Record| record.attempt_at.map(|at| at.to_string());
        print(&match format {
            Format::Json => pretty(&json!({
                "cases": open.iter().map(|case| json!({
                    "id": case.id, "kind": case.kind.name(), "detail": case.detail,
                    "opened": case.opened.to_string(), "advice": case.kind.advice(),
                })).collect::<Vec<_>>(),
                "undelivered": waiting.iter().map(|record| json!({
                    "key": record.id.to_string(), "subscription": record.subscription,
                    "attempts": record.attempts, "next_attempt": next(record),
                })).collect::<Vec<_>>(),
            })),
            Format::Text => {
                let case = |case: &Case| {
                    format!(
                        "{}  {}\n    {}\n    {}\n",
                        case.opened,
                        case.id,
                        case.detail,
                        case.kind.advice()
                    )
                };
                let key = |record: &Record| {
                    let next = next(record).unwrap_or_default();
                    format!(
                        "key {} is to be delivered: {} attempts, the next at {next}\n",
                        record.id, record.attempts
                    )
                };
                let lines: String = open
                    .iter()
                    .map(case)
                    .chain(waiting.iter().map(key))
                    .collect();
                if lines.is_empty() {
                    "nothing waits for a person, and every key was delivered\n".to_owned()
                } else {
                    lines
                }
            }
        })
    }
}

/// Erases an address from the facts of subscriptions; returns in how many it was.
pub(super) async fn erase(store: &dyn Store, email: &str) -> Result<usize, CommandFailure> {
    let mut erased = 0;
    for mut known in store.subscriptions().await? {
        loop {
            let unreadable = |error| CommandFailure::Facts(known.id.clone(), error);
            let mut facts: Facts = serde_json::from_str(&known.facts).map_err(unreadable)?;
            if !facts.erase(email) {
                break;
            }

            let written = serde_json::to_string(&facts).map_err(unreadable)?;
            let id = known.id.clone();
            let changed = store::Subscription {
                facts: written,
                ..known
            };
            if store
                .save_subscription(changed, KeyChange::None, None)
                .await?
            {
                erased += 1;
                break;
            }
            // An event was applied meanwhile: the address is erased from the newer facts.
            let gone = || Unavailable(format!("subscription {id} is gone"));
            known = store.subscription(id.clone()).await?.ok_or_else(gone)?;
        }
    }
    Ok(erased)
}
