//! Self-service for the owner of keys, behind a link that his mailbox was sent: the state and the
//! use of his keys, their rotation and revocation, and another e-mail address.
//!
//! Whoever opens the link reads the mailbox, which is the only proof of ownership that the service
//! has. The link works for a day, as often as it is opened; it holds no key, and a key is shown
//! once, when it is issued. Each change is in the audit log before it is made.

use std::net::IpAddr;
use std::time::SystemTime;

use bareme_engine::service::{Plan, Service, Variant};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::confirmations::Confirmations;
use crate::day::Day;
use crate::expiry::plan_of;
use crate::free_keys::TOKEN_PREFIX;
use crate::issue::{self, Issued};
use crate::key::Key;
use crate::mail::{Letter, mailbox};
use crate::publishable::MAX_KEYS;
use crate::store::audit::{Action, Actor, Origin};
use crate::store::mailboxes::{KeyRequest, Purpose};
use crate::store::{REQUEST_SECONDS, Record, Terms, USAGE_DAYS, Unavailable};
use crate::{Access, Denial};

/// How long a replaced key stays valid beside the new one, so that the owner can deploy it.
pub const OVERLAP_DAYS: i64 = 7;

/// Valid secret keys that an account may have: a bound on what one link can make the store hold.
pub const MAX_VALID_KEYS: usize = 4;

/// The keys of an owner.
#[derive(Debug)]
pub struct OwnedKeys {
    /// His e-mail address.
    pub email: String,
    /// His keys that are valid, the newest first.
    pub keys: Vec<OwnedKey>,
}

/// A valid key of an owner.
#[derive(Debug)]
pub struct OwnedKey {
    /// Its record.
    pub record: Record,
    /// Answered calls of its account, or of a publishable key itself, on each of the last 90 days
    /// with any.
    pub usage: Vec<(Day, i64)>,
    /// Whether he is written to about corrections of the laws that its answers applied.
    pub reads_corrections: bool,
}

/// Purpose of an opened link, with its content.
#[derive(Debug)]
pub enum OpenedLink {
    /// It shows the keys of an address.
    Keys(OwnedKeys),
    /// It moves an account to this address, once its button is pressed.
    Move(String),
}

/// Why a change of an owner's keys was refused.
#[derive(Debug)]
pub enum OwnerDenial {
    /// For a reason that any caller may be refused.
    Other(Denial),
    /// The key is not one of his, or is no longer valid.
    Unknown,
    /// The account has as many valid keys as it may have.
    TooMany,
    /// The account has as many valid publishable keys as it may have.
    TooManyPages,
    /// The key is secret: it is accepted from no page, and never becomes publishable.
    Secret,
    /// The new address has a free key of its own.
    Taken,
}

impl<D: Into<Denial>> From<D> for OwnerDenial {
    fn from(denial: D) -> Self {
        Self::Other(denial.into())
    }
}

impl Confirmations {
    /// Sends the owner of keys a link to his page, if the address owns a valid key. The requester
    /// gets the same answer either way: it does not say who has a key.
    ///
    /// # Errors
    /// Too many e-mails are being sent, or the store is not available.
    pub async fn send_owner_link(
        &self,
        access: &Access,
        service: &Service,
        email: &str,
        link: &str,
        time: SystemTime,
    ) -> Result<(), Denial> {
        let now = access.now(time)?;
        if !self.may_write(access, email, time).await? {
            return Ok(());
        }

        let owned = access.valid_keys(email, now).await?;
        // The same answer as with a key, otherwise the form would tell strangers who is a customer.
        let Some(first) = owned.first() else {
            return Ok(());
        };
        // The address as its owner gave it: a spelling of the same mailbox by somebody else could
        // be another mailbox.
        let request = KeyRequest {
            email: first.email.clone(),
            variant: String::new(),
            created: now,
            purpose: Purpose::Manage,
            account: None,
        };
        let link = access.add_link(request, link).await?;
        self.post(Letter::of_owner_page(service, &first.email, &link))
    }

    /// Sends a link to the address that an account is to be moved to.
    ///
    /// # Errors
    /// The link of the owner is not valid, the key is not his, too many e-mails are being sent, or
    /// the store is not available.
    pub async fn send_move_link(
        &self,
        access: &Access,
        service: &Service,
        token: &Key,
        request: MoveRequest<'_>,
        time: SystemTime,
    ) -> Result<(), OwnerDenial> {
        let (now, owner) = (access.now(time)?, access.owner(token, time).await?);
        // By the keys of the link: an id of somebody else's key is as unknown as one that does not
        // exist.
        let moved = owner.find(request.key)?;
        if !self.may_write(access, request.email, time).await? {
            return Ok(());
        }

        let key_request = KeyRequest {
            email: request.email.to_owned(),
            variant: String::new(),
            created: now,
            purpose: Purpose::Move,
            account: Some(moved.account),
        };
        let link = access.add_link(key_request, request.link).await?;
        let letter = Letter::of_move(service, request.email, &owner.email, &link);
        Ok(self.post(letter)?)
    }
}

/// A request to move the account of a key to another address.
#[derive(Debug)]
pub struct MoveRequest<'r> {
    /// The key.
    pub key: Uuid,
    /// The new address.
    pub email: &'r str,
    /// Address of the page, up to the token.
    pub link: &'r str,
}

/// Whether an owner is written to about corrections, for the audit log.
pub(crate) fn reading_in_words(reads: bool) -> &'static str {
    match reads {
        true => "e-mails about corrections: on",
        false => "e-mails about corrections: off",
    }
}

/// The owner that a link proves, with his valid keys, the newest first.
pub(crate) struct Owner {
    email: String,
    keys: Vec<Record>,
}

impl Owner {
    /// A key of the owner, by its id.
    pub(crate) fn find(&self, id: Uuid) -> Result<&Record, OwnerDenial> {
        let mut keys = self.keys.iter();
        keys.find(|record| record.id == id)
            .ok_or(OwnerDenial::Unknown)
    }

    /// How many valid keys of a kind, publishable or secret, an account has.
    pub(crate) fn count(&self, account: Uuid, is_publishable: bool) -> usize {
        let of_kind = |record: &&Record| {
            record.account == account && record.publication.is_some() == is_publishable
        };
        self.keys.iter().filter(of_kind).count()
    }
}

impl Access {
    /// Opens a link: its token stays valid.
    ///
    /// # Errors
    /// The link is of another purpose, has expired or was never sent; the store is not available.
    pub async fn open_link(&self, token: &Key, time: SystemTime) -> Result<OpenedLink, Denial> {
        let request = self.link(token, time).await?;
        match request.purpose {
            Purpose::Manage => Ok(OpenedLink::Keys(self.owned_by(request.email, time).await?)),
            Purpose::Move => Ok(OpenedLink::Move(request.email)),
            Purpose::Key => Err(Denial::Link),
        }
    }

    /// Replaces a key of the owner of a link: the old one stays valid for [`OVERLAP_DAYS`].
    ///
    /// # Errors
    /// The link or the key is not valid, the account has too many keys, or the store is not
    /// available.
    pub async fn rotate<'s>(
        &self,
        service: &'s Service,
        token: &Key,
        id: Uuid,
        from: IpAddr,
        time: SystemTime,
    ) -> Result<(Issued, &'s Variant, &'s Plan), OwnerDenial> {
        let (now, owner) = (self.now(time)?, self.owner(token, time).await?);
        let old = owner.find(id)?;

        match old.publication {
            Some(_) if owner.count(old.account, true) >= MAX_KEYS => {
                return Err(OwnerDenial::TooManyPages);
            }
            None if owner.count(old.account, false) >= MAX_VALID_KEYS => {
                return Err(OwnerDenial::TooMany);
            }
            _ => {}
        }

        let (variant, plan) = plan_of(service, old).ok_or(Denial::OtherVariant)?;

        let overlap = format!("the old one stays valid for {OVERLAP_DAYS} days");
        self.audit(from, Action::Rotated, old, overlap, time)
            .await?;
        let issued = issue::issue_next(self.store(), old, &variant.key_prefix, now).await?;

        // Only now: without the new key the old one must stay.
        let end = now.checked_add(SignedDuration::from_hours(OVERLAP_DAYS * 24));
        let end = end.map_err(|error| Unavailable(error.to_string()))?;
        self.store().revoke_key(id, end).await?;

        Ok((issued, variant, plan))
    }

    /// Revokes a key of the owner of a link, at once.
    ///
    /// # Errors
    /// The link or the key is not valid, or the store is not available.
    pub async fn revoke(
        &self,
        token: &Key,
        id: Uuid,
        from: IpAddr,
        time: SystemTime,
    ) -> Result<(), OwnerDenial> {
        let (now, owner) = (self.now(time)?, self.owner(token, time).await?);
        let record = owner.find(id)?;

        self.audit(from, Action::Revoked, record, String::new(), time)
            .await?;
        self.store().revoke_key(id, now).await?;
        Ok(())
    }

    /// Has the owner of a link be written to about corrections of the laws that the answers to a key
    /// applied, from now on, or no longer.
    ///
    /// # Errors
    /// The link or the key is not valid, or the store is not available.
    pub async fn read_corrections(
        &self,
        token: &Key,
        (id, reads): (Uuid, bool),
        from: IpAddr,
        time: SystemTime,
    ) -> Result<(), OwnerDenial> {
        let (now, owner) = (self.now(time)?, self.owner(token, time).await?);
        let record = owner.find(id)?;

        let detail = reading_in_words(reads).to_owned();
        self.audit(from, Action::Changed, record, detail, time)
            .await?;
        let since = reads.then_some(now);
        self.store()
            .set_correction_reader(record.account, since)
            .await?;
        Ok(())
    }

    /// Moves the account of a link to the address that the link was sent to; returns the address.
    ///
    /// # Errors
    /// The link is not valid, the address has a free key, or the store is not available.
    pub async fn confirm_move(
        &self,
        service: &Service,
        token: &Key,
        from: IpAddr,
        time: SystemTime,
    ) -> Result<String, OwnerDenial> {
        let now = self.now(time)?;
        let request = self.link(token, time).await?;
        // A link of the page of keys must not move an account: it was sent to the old address,
        // which proves nothing about the new one.
        let (Purpose::Move, Some(account)) = (request.purpose, request.account) else {
            return Err(Denial::Link.into());
        };

        let mut keys = self.store().keys_of_account(account).await?;
        keys.retain(|record| record.is_valid(now));
        // All keys of an account have the same terms: the newest is taken for them, a secret one
        // where there is one.
        let mut secret = keys.iter().filter(|record| record.publication.is_none());
        let newest = secret.next_back().or(keys.last());
        let newest = newest.ok_or(OwnerDenial::Unknown)?;

        // A free key holds the mailbox of its address, which one account may hold. A publishable
        // one never does: who asks for a key again would get it in place of a secret key.
        let is_free = newest.publication.is_none()
            && plan_of(service, newest).is_some_and(|(variant, plan)| {
                let first = variant.plans.first();
                first.is_some_and(|first| first.name == plan.name)
            });
        let mailbox = match is_free {
            true => Some(self.free_mailbox(newest, &request.email, now).await?),
            false => None,
        };

        self.audit(from, Action::Readdressed, newest, String::new(), time)
            .await?;
        let terms = Terms {
            email: request.email.clone(),
            ..newest.terms()
        };
        self.store().change_terms(account, terms).await?;
        // Afterwards: with another address an account gives its mailbox up.
        if let Some(mailbox) = mailbox {
            self.store()
                .hold_mailbox(newest.id, newest.variant.clone(), mailbox, now)
                .await?;
        }

        // Last: if the store fails before, the link can be opened again.
        self.store().take_request(token.digest()).await?;
        Ok(request.email)
    }

    /// The mailbox of the new address of a key, unless another account holds it.
    async fn free_mailbox(
        &self,
        record: &Record,
        email: &str,
        now: Timestamp,
    ) -> Result<String, OwnerDenial> {
        let mailbox = mailbox(email);
        let held = self
            .store()
            .keys_of_mailbox(record.variant.clone(), mailbox.clone())
            .await?;
        let mut others = held.iter().filter(|other| other.account != record.account);
        match others.any(|other| other.is_valid(now)) {
            true => Err(OwnerDenial::Taken),
            false => Ok(mailbox),
        }
    }

    /// The owner whose mailbox a link was sent to.
    pub(crate) async fn owner(&self, token: &Key, time: SystemTime) -> Result<Owner, Denial> {
        let request = self.link(token, time).await?;
        if request.purpose != Purpose::Manage {
            return Err(Denial::Link);
        }
        let keys = self.valid_keys(&request.email, self.now(time)?).await?;
        Ok(Owner {
            email: request.email,
            keys,
        })
    }

    async fn owned_by(&self, email: String, time: SystemTime) -> Result<OwnedKeys, Unavailable> {
        let since = self.moment(time).day.minus(USAGE_DAYS);
        let mut keys = Vec::new();
        for record in self.valid_keys(&email, self.now(time)?).await? {
            let counted = match record.publication {
                // The calls of the pages alone: a copy of the key shows in them.
                Some(_) => record.id,
                None => record.account,
            };
            let usage = self.store().usage(counted, since).await?;
            let reads = self.store().correction_reader(record.account).await?;
            keys.push(OwnedKey {
                record,
                usage,
                reads_corrections: reads.is_some(),
            });
        }
        Ok(OwnedKeys { email, keys })
    }

    /// The valid keys of an address, the newest first.
    async fn valid_keys(&self, email: &str, now: Timestamp) -> Result<Vec<Record>, Unavailable> {
        let mut keys = self.store().keys_of_email(email.to_owned()).await?;
        keys.retain(|record| record.is_valid(now));
        keys.reverse();
        Ok(keys)
    }

    /// The request behind a link that is still valid.
    async fn link(&self, token: &Key, time: SystemTime) -> Result<KeyRequest, Denial> {
        let found = self.store().request(token.digest()).await?;
        let request = found.ok_or(Denial::Link)?;
        // Old requests are deleted once a day only, so the age is checked at each use.
        let age = self.now(time)?.duration_since(request.created);
        if age > SignedDuration::from_secs(REQUEST_SECONDS) {
            return Err(Denial::Link);
        }
        Ok(request)
    }

    /// Stores a request, and returns the address of its link.
    pub(crate) async fn add_link(
        &self,
        request: KeyRequest,
        link: &str,
    ) -> Result<String, Unavailable> {
        // Only the digest is stored: whoever reads the store cannot open the links of others.
        let token = Key::generate(TOKEN_PREFIX).map_err(|error| Unavailable(error.to_string()))?;
        self.store().add_request(token.digest(), request).await?;
        Ok(format!("{link}{}", token.reveal()))
    }

    /// Writes to the audit log what an owner is about to do, from a pseudonym of his address.
    pub(crate) async fn audit(
        &self,
        from: IpAddr,
        action: Action,
        record: &Record,
        detail: String,
        time: SystemTime,
    ) -> Result<(), Unavailable> {
        let moment = self.moment(time);
        // The address itself is personal data: the log tells only whether two changes of a day came
        // from the same one.
        let pseudonym = self.names(moment.day).await?.applicant(from).pseudonym();

        let origin = Origin {
            actor: Actor::Owner,
            place: format!("address {pseudonym}"),
        };
        let entry = origin.entry(action, record, detail, self.now(time)?);
        self.store().add_audit_entry(entry).await
    }
}
