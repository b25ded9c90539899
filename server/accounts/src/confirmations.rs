//! The sender of the links that mailboxes get: at most a few a day to each, whoever asks for them.

use std::sync::Arc;
use std::time::SystemTime;

use bareme_engine::service::{Plan, Service, Variant};
use tokio::sync::Semaphore;

use crate::free_keys::MAX_PER_MAILBOX;
use crate::mail::{Letter, Mailer, mailbox};
use crate::quota::{Charge, Demand};
use crate::store::mailboxes::{KeyRequest, Purpose};
use crate::{Access, Denial};

/// E-mails sent concurrently, each on its own thread.
const MAX_CONCURRENT_EMAILS: usize = 32;

/// The sender of confirmation e-mails.
#[derive(Debug)]
pub struct Confirmations {
    mailer: Arc<Mailer>,
    slots: Arc<Semaphore>,
}

impl Confirmations {
    /// A sender with a mail server.
    pub fn new(mailer: Arc<Mailer>) -> Self {
        Self {
            mailer,
            slots: Arc::new(Semaphore::new(MAX_CONCURRENT_EMAILS)),
        }
    }

    /// Sends a link to a mailbox, unless it has received enough today; `link` is the address up to
    /// the token.
    pub async fn send(
        &self,
        access: &Access,
        service: &Service,
        (variant, plan): (&Variant, &Plan),
        email: &str,
        link: &str,
        time: SystemTime,
    ) -> Result<(), Denial> {
        let now = access.now(time)?;
        // Before the store is asked for the keys of the address, so that the limit does not depend
        // on who has one.
        if !self.may_write(access, email, time).await? {
            return Ok(());
        }

        let holder = access.holder(variant, plan, mailbox(email), now).await?;
        let request = KeyRequest {
            email: email.to_owned(),
            variant: variant.name.clone(),
            created: now,
            purpose: Purpose::Key,
            account: None,
        };
        let link = access.add_link(request, link).await?;
        self.post(Letter::of_confirmation(
            service,
            variant,
            plan,
            email,
            &link,
            holder.as_ref(),
        ))
    }

    /// Sends an e-mail while its requester is answered.
    pub(crate) fn post(&self, letter: Letter) -> Result<(), Denial> {
        // Refused and not queued: a slow mail server must not collect an unbounded number of
        // letters in memory.
        let slot = Arc::clone(&self.slots)
            .try_acquire_owned()
            .map_err(|_| Denial::Overloaded)?;
        let mailer = Arc::clone(&self.mailer);
        tokio::spawn(async move {
            if let Err(failure) = mailer.send(letter).await {
                tracing::error!(
                    error = %failure,
                    "the confirmation of a mailbox could not be sent"
                );
            }
            drop(slot);
        });
        Ok(())
    }

    /// Whether a mailbox may get another e-mail today, which is counted.
    pub(crate) async fn may_write(
        &self,
        access: &Access,
        email: &str,
        time: SystemTime,
    ) -> Result<bool, Denial> {
        let moment = access.moment(time);
        let subject = access.names(moment.day).await?.mailbox(&mailbox(email));
        let demand = Demand::one(subject, MAX_PER_MAILBOX);
        if let Charge::Exhausted { .. } = access.quotas.charge(moment, demand).await? {
            // The requester gets the same answer, since it may not be the owner.
            tracing::info!("a mailbox has got enough confirmations today");
            return Ok(false);
        }
        Ok(true)
    }
}
