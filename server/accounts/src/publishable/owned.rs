//! Publishable keys as their owner makes and changes them, behind the link to his page.

use std::net::IpAddr;
use std::time::SystemTime;

use bareme_engine::service::{Plan, Service, Variant};
use uuid::Uuid;

use super::{MAX_KEYS, Publication};
use crate::expiry::plan_of;
use crate::issue::{self, Issued};
use crate::key::Key;
use crate::owner::OwnerDenial;
use crate::store::audit::Action;
use crate::{Access, Denial};

/// A publishable key that was just issued, with its variant and its plan.
pub type Published<'s> = (Issued, &'s Variant, &'s Plan);

impl Access {
    /// Issues a publishable key of the account of a key that the owner of a link has.
    ///
    /// # Errors
    /// The link or the key is not valid, the account has too many publishable keys, or the store is
    /// not available.
    pub async fn publish<'s>(
        &self,
        service: &'s Service,
        token: &Key,
        (id, publication): (Uuid, Publication),
        from: IpAddr,
        time: SystemTime,
    ) -> Result<Published<'s>, OwnerDenial> {
        let (now, owner) = (self.now(time)?, self.owner(token, time).await?);
        let of_account = owner.find(id)?;
        if owner.count(of_account.account, true) >= MAX_KEYS {
            return Err(OwnerDenial::TooManyPages);
        }

        let (variant, plan) = plan_of(service, of_account).ok_or(Denial::OtherVariant)?;
        let detail = publication.in_words();
        let issued = issue::published(of_account, &variant.key_prefix, publication, now)?;
        self.audit(from, Action::Issued, &issued.record, detail, time)
            .await?;
        self.store().add_key(issued.record.clone()).await?;
        Ok((issued, variant, plan))
    }

    /// Changes the name, the origins and the limit of a publishable key of the owner of a link.
    ///
    /// # Errors
    /// The link or the key is not valid, the key is secret, or the store is not available.
    pub async fn republish(
        &self,
        token: &Key,
        (id, publication): (Uuid, Publication),
        from: IpAddr,
        time: SystemTime,
    ) -> Result<(), OwnerDenial> {
        let owner = self.owner(token, time).await?;
        let record = owner.find(id)?;
        if record.publication.is_none() {
            return Err(OwnerDenial::Secret);
        }

        self.audit(from, Action::Changed, record, publication.in_words(), time)
            .await?;
        // Removed since it was found.
        match self.store().set_publication(id, publication).await? {
            true => Ok(()),
            false => Err(OwnerDenial::Unknown),
        }
    }
}
