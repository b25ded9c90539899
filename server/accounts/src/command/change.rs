//! `keys change`: another plan or owner, and whether the owner is written to about corrections.

use uuid::Uuid;

use super::{CommandContext, CommandFailure, Switch, find_plan, read_email};
use crate::owner::reading_in_words;
use crate::store::Record;
use crate::store::audit::{Action, terms_in_words};

/// The changes to a key.
pub(super) struct Changes<'c> {
    pub plan: Option<&'c str>,
    pub email: Option<&'c str>,
    pub corrections: Option<Switch>,
}

impl CommandContext<'_> {
    /// Changes the plan or the owner of the keys of an account, or what he is written to about.
    pub(super) async fn change(
        &self,
        id: Uuid,
        changes: Changes<'_>,
    ) -> Result<(), CommandFailure> {
        let (rules, record) = self.find_valid(id).await?;
        let mut terms = record.terms();
        if let Some(plan) = changes.plan {
            terms.plan = find_plan(rules.service(), plan, Some(&record.variant))?
                .1
                .name
                .clone();
        }

        if let Some(email) = changes.email {
            terms.email = read_email(email)?;
            self.audit(Action::Readdressed, &record, "").await?;
        }

        // Two entries for two changes: the log is searched by what was done.
        if changes.plan.is_some() {
            let changed = Record {
                plan: terms.plan.clone(),
                ..record.clone()
            };
            self.audit(Action::Changed, &changed, terms_in_words(&changed))
                .await?;
        }

        if let Some(corrections) = changes.corrections {
            let reads = corrections == Switch::On;
            let detail = reading_in_words(reads);
            self.audit(Action::Changed, &record, detail).await?;
            let since = reads.then_some(self.now);
            let store = self.store;
            store.set_correction_reader(record.account, since).await?;
            eprintln!("{id}: {detail}");
        }

        eprintln!(
            "{id} changed: {} {}, {}",
            record.variant, terms.plan, terms.email
        );
        self.store.change_terms(record.account, terms).await?;
        Ok(())
    }
}
