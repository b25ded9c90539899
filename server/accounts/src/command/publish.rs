//! `keys publish` and `keys republish`: publishable keys, and where they are accepted.

use bareme_engine::text::BadParameter;
use uuid::Uuid;

use super::flags::PageFlags;
use super::{CommandContext, CommandFailure, find_plan, print};
use crate::issue;
use crate::publishable::{Draft, MAX_KEYS, Publication};
use crate::store::audit::Action;

impl CommandContext<'_> {
    /// Issues a publishable key of the account of a key, and prints it.
    pub(super) async fn publish(&self, id: Uuid, page: &PageFlags) -> Result<(), CommandFailure> {
        // Typed fields are checked first: a mistake in them is one for any key.
        let publication = page.read()?;
        let (rules, of_account) = self.find_valid(id).await?;
        let (variant, plan) =
            find_plan(rules.service(), &of_account.plan, Some(&of_account.variant))?;

        let mut published = self.store.keys_of_account(of_account.account).await?;
        published.retain(|record| record.publication.is_some() && record.is_valid(self.now));
        if published.len() >= MAX_KEYS {
            return Err(CommandFailure::TooManyPages(MAX_KEYS));
        }

        let detail = publication.in_words();
        let issued = issue::published(&of_account, &variant.key_prefix, publication, self.now)?;
        self.audit(Action::Issued, &issued.record, detail.as_str())
            .await?;
        self.store.add_key(issued.record.clone()).await?;

        eprintln!(
            "{} for {}, {} {}, {detail}: shown only once",
            issued.record.id, issued.record.email, variant.name, plan.name
        );
        print(&format!("{}\n", issued.key.reveal()))
    }

    /// Changes where a publishable key is accepted.
    pub(super) async fn republish(&self, id: Uuid, page: &PageFlags) -> Result<(), CommandFailure> {
        let publication = page.read()?;
        let record = self.find(id).await?;
        if record.publication.is_none() {
            return Err(CommandFailure::Secret(id));
        }

        let detail = publication.in_words();
        self.audit(Action::Changed, &record, detail.as_str())
            .await?;
        // Removed by another command since it was found.
        if !self.store.set_publication(id, publication).await? {
            return Err(CommandFailure::Unknown(id));
        }
        eprintln!("{id} changed: {detail}");
        Ok(())
    }
}

impl PageFlags {
    /// The publication of the flags.
    fn read(&self) -> Result<Publication, CommandFailure> {
        let draft = Draft {
            label: &self.label,
            origins: self.origins.iter().map(String::as_str).collect(),
            calls_per_day: &self.calls_per_day,
        };
        draft.read().map_err(|bad| {
            let lines: Vec<String> = bad.iter().map(in_words).collect();
            CommandFailure::Publication(lines.join("\n"))
        })
    }
}

/// A mistake in a flag, and the accepted values.
fn in_words(bad: &BadParameter) -> String {
    let flag = match bad.name.as_str() {
        Draft::LABEL => "--label",
        Draft::CALLS => "--calls-per-day",
        _ => "--origin",
    };
    format!("{flag}: {} Expected: {}", bad.reason.en, bad.expected.en)
}
