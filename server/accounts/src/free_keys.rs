//! Free keys on request: limits by address, and the link that confirms a mailbox.
//!
//! An e-mail brings a link that works once, within a day, and contains no key. Opening it has no
//! effect, since scanners of e-mails open links too. The button of its page gives the key: a first
//! one, or one that replaces the free key of the mailbox, on the same account. The answer to a
//! request does not tell whether the mailbox has a key: only its owner learns that.

use std::net::IpAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bareme_engine::service::{Plan, Service, Variant};
use jiff::{SignedDuration, Timestamp};
use uuid::{NoContext, Uuid};

use super::day::Moment;
use super::issue::{self, Issued};
use super::key::Key;
use super::mail::mailbox;
use super::quota::{Charge, Demand};
use super::store::audit::{Action, Origin, terms_in_words};
use super::store::mailboxes::Purpose;
use super::store::{REQUEST_SECONDS, Record, Unavailable};
use super::subject::{Subject, client_network};
use super::{Access, Denial};

/// Requests from one address in a day.
// A household or an office behind one address needs a few, a script thousands.
const MAX_PER_ADDRESS: u64 = 5;

/// Requests from one IPv6 network in a day, which has many addresses: a provider gives each
/// customer up to a /48.
const MAX_PER_NETWORK: u64 = 25;
const NETWORK_PREFIX: u8 = 48;

/// Keys issued in a day, in total. Unconfirmed requests have no such limit: anyone could use it up
/// in the name of others.
// It bounds the rows and e-mails that a campaign from many addresses can cause in a day.
const MAX_PER_DAY: u64 = 2_000;

/// Prefix of the token of a link, which otherwise has the form of a key.
pub(crate) const TOKEN_PREFIX: &str = "lnk";

/// E-mails to one mailbox in a day, whoever requests them; each has a valid link.
// Anyone can request a key for the address of somebody else: three e-mails are a nuisance, hundreds
// would be an attack.
pub(crate) const MAX_PER_MAILBOX: u64 = 3;

/// Parses the token of a link; `None` if it cannot be one.
pub fn read_token(text: &str) -> Option<Key> {
    Key::parse(text.trim().as_bytes(), |prefix| prefix == TOKEN_PREFIX)
}

impl Access {
    /// Id of a form to show. It holds the time, so that a form of another day can be refused.
    pub fn new_form(&self, time: SystemTime) -> Uuid {
        let since = self
            .store
            .time(time)
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, since.as_secs(), 0))
    }

    /// Marks a form as submitted, and refuses one that already was, as when a page is reloaded. The
    /// day's submissions are known to every node.
    pub async fn use_form(&self, form: Uuid, time: SystemTime) -> Result<(), Denial> {
        let moment = self.moment(time);
        let made = form
            .get_timestamp()
            .map(|made| UNIX_EPOCH + Duration::from_secs(made.to_unix().0));

        // The day in the form must be that of the count: on another day its use would not be known
        // any more.
        if made.is_none_or(|made| Moment::new(made).day != moment.day) {
            return Err(Denial::Form);
        }

        // A quota of one: only the first submission is granted, on whichever node.
        let subject = self.names(moment.day).await?.sent_form(form);
        match self.quotas.charge(moment, Demand::one(subject, 1)).await? {
            Charge::Exhausted { .. } => Err(Denial::Form),
            _ => Ok(()),
        }
    }

    /// Charges a key request to the limits of its address, of its network and of all requests.
    pub async fn admit_applicant(&self, address: IpAddr, time: SystemTime) -> Result<(), Denial> {
        let moment = self.moment(time);
        let names = self.names(moment.day).await?;

        let network = address
            .is_ipv6()
            .then(|| names.network(client_network(address, NETWORK_PREFIX)));

        let bounds = [
            Some((names.applicant(address), MAX_PER_ADDRESS)),
            network.map(|network| (network, MAX_PER_NETWORK)),
            Some((Subject::APPLICANTS, MAX_PER_DAY)),
        ];
        // From the narrowest to the widest: a refused address does not use up the limits of others.
        for (subject, most) in bounds.into_iter().flatten() {
            if let Charge::Exhausted { .. } = self
                .quotas
                .charge(moment, Demand::one(subject, most))
                .await?
            {
                return Err(Denial::TooManyKeys {
                    midnight: moment.midnight(),
                });
            }
        }
        Ok(())
    }

    /// Issues a free key to a mailbox that is not confirmed. If this does not return it, for
    /// whatever reason, the key must be removed.
    pub async fn issue_free_key(
        &self,
        variant: &Variant,
        plan: &Plan,
        email: &str,
        time: SystemTime,
    ) -> Result<Issued, Unavailable> {
        let issued = issue::generate_for(variant, plan, email, self.now(time)?)?;
        // In the log before the key exists: nothing is issued that the log does not hold.
        self.audit_free(Action::Issued, &issued.record, self.now(time)?)
            .await?;

        // From here on the request may be aborted at any `await`: the claim removes a key that
        // nobody was shown.
        let claim = self.orphans.expect(issued.record.digest);
        self.store.add_key(issued.record.clone()).await?;
        claim.hand_over();
        tracing::info!(key = %issued.record.id, variant = variant.name, "free key issued");
        Ok(issued)
    }

    /// Issues the key for a link, by its token.
    pub async fn confirm<'s>(
        &self,
        service: &'s Service,
        token: &Key,
        time: SystemTime,
    ) -> Result<(Issued, &'s Variant, &'s Plan), Denial> {
        let (digest, now) = (token.digest(), self.now(time)?);
        // Taken and not read: of two clicks on the button only one gets a key.
        let asked = self.store.take_request(digest).await?.ok_or(Denial::Link)?;
        if asked.purpose != Purpose::Key {
            // The link of the page of keys works as often as it is opened.
            self.store.add_request(digest, asked).await?;
            return Err(Denial::Link);
        }

        // An expired request is not put back: it is of no use to anybody.
        if now.duration_since(asked.created) > SignedDuration::from_secs(REQUEST_SECONDS) {
            return Err(Denial::Link);
        }

        let variant = service
            .variants
            .iter()
            .find(|variant| variant.name == asked.variant)
            .ok_or(Denial::Link)?;
        let plan = variant.plans.first().ok_or(Denial::Link)?;

        match self.issue_confirmed(variant, plan, &asked.email, now).await {
            Ok(issued) => Ok((issued, variant, plan)),
            Err(unavailable) => {
                // The link stays valid, if it can be stored again.
                drop(self.store.add_request(digest, asked).await);
                Err(unavailable.into())
            }
        }
    }

    /// Writes to the audit log that a free key is about to be given to whoever asked for it.
    async fn audit_free(
        &self,
        action: Action,
        record: &Record,
        now: Timestamp,
    ) -> Result<(), Unavailable> {
        let entry = Origin::service().entry(action, record, terms_in_words(record), now);
        self.store.add_audit_entry(entry).await
    }

    /// The valid free key of a mailbox, if there is one.
    pub(crate) async fn holder(
        &self,
        variant: &Variant,
        plan: &Plan,
        mailbox: String,
        now: Timestamp,
    ) -> Result<Option<Record>, Unavailable> {
        let mut keys = self
            .store
            .keys_of_mailbox(variant.name.clone(), mailbox)
            .await?;

        // A key that was moved to a paid plan keeps its mailbox, but is not the free key that a
        // link may replace.
        keys.retain(|record| {
            record.is_valid(now) && record.plan == plan.name && record.publication.is_none()
        });
        Ok(keys.into_iter().next())
    }

    /// Issues the first key of a mailbox, or one that replaces its key.
    async fn issue_confirmed(
        &self,
        variant: &Variant,
        plan: &Plan,
        email: &str,
        now: Timestamp,
    ) -> Result<Issued, Unavailable> {
        let mailbox = mailbox(email);
        let new = issue::generate_for(variant, plan, email, now)?;
        if let Some(old) = self.holder(variant, plan, mailbox.clone(), now).await? {
            // Only text and expiry change: id, account and thereby the count stay, so that a new
            // key brings no second quota.
            let (digest, last_four) = (new.record.digest, new.record.last_four);
            let record = Record {
                digest,
                last_four,
                expires: issue::expiry(plan, old.created, now),
                ..old.clone()
            };

            self.audit_free(Action::Rotated, &record, now).await?;
            // Compared with the old digest: if two links are opened at once, the second does not
            // overwrite the key that was just shown.
            if !self.store.replace_key(old, record.clone()).await? {
                return Err(Unavailable("the key was replaced meanwhile".to_owned()));
            }
            tracing::info!(key = %record.id, variant = variant.name, "free key replaced");
            return Ok(Issued {
                key: new.key,
                record,
            });
        }

        self.audit_free(Action::Issued, &new.record, now).await?;
        let claim = self.orphans.expect(new.record.digest);
        self.store.add_key(new.record.clone()).await?;
        if !self
            .store
            // An index of the store allows one valid holder: of two nodes that got here, one fails,
            // and its claim removes its key.
            .hold_mailbox(new.record.id, variant.name.clone(), mailbox, now)
            .await?
        {
            return Err(Unavailable("the key is not there".to_owned()));
        }
        claim.hand_over();
        tracing::info!(key = %new.record.id, variant = variant.name, "free key issued");
        Ok(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Sharing;
    use crate::store::mailboxes::KeyRequest;
    use crate::store::testing::Memory;

    const MAILBOX: &str = "claire@example.org";

    /// The time so many seconds after midnight.
    fn at(second: i64) -> SystemTime {
        let midnight = Timestamp::from_second(1_800_057_600).unwrap();
        SystemTime::from(midnight + SignedDuration::from_secs(second))
    }

    /// Two variants with a free plan, whose keys end after thirty days without a call.
    fn service() -> Service {
        let plan = |name: &str| Plan {
            name: name.to_owned(),
            unused_days: Some(30),
            ..Plan::default()
        };
        let variant = |name: &str| Variant {
            name: name.to_owned(),
            key_prefix: "bma".to_owned(),
            plans: vec![plan("free"), plan("pro")],
            ..Variant::default()
        };
        Service {
            variants: vec![variant("a"), variant("b")],
            ..Service::default()
        }
    }

    /// Asks for a key, and opens the link so many seconds later.
    async fn confirmed(
        access: &Access,
        service: &Service,
        variant: &str,
        wait: i64,
    ) -> Result<Record, Denial> {
        let token = Key::generate(TOKEN_PREFIX).unwrap();
        let created = access.now(at(0)).unwrap();
        let request = KeyRequest {
            email: MAILBOX.to_owned(),
            variant: variant.to_owned(),
            created,
            purpose: Purpose::Key,
            account: None,
        };
        access
            .store
            .add_request(token.digest(), request)
            .await
            .unwrap();
        let (issued, found, plan) = access.confirm(service, &token, at(wait)).await?;
        assert_eq!((found.name.as_str(), plan.name.as_str()), (variant, "free"));
        assert_eq!(issued.key.digest(), issued.record.digest);
        let known = access
            .store
            .find_keys(vec![issued.record.digest])
            .await
            .unwrap();
        assert_eq!(known, std::slice::from_ref(&issued.record));
        Ok(issued.record)
    }

    #[tokio::test]
    async fn a_link_is_good_for_a_day_and_gives_a_key_or_one_in_its_place() {
        let (access, service) = (Access::new(Memory::new(Sharing::Alone)), service());
        for late in [86_401, 2 * 86_400] {
            assert!(
                matches!(
                    confirmed(&access, &service, "a", late).await,
                    Err(Denial::Link)
                ),
                "{late}"
            );
        }
        assert!(matches!(
            confirmed(&access, &service, "c", 0).await,
            Err(Denial::Link)
        ));
        let first = confirmed(&access, &service, "a", 0).await.unwrap();
        let other = confirmed(&access, &service, "b", 0).await.unwrap();
        assert_ne!(first.account, other.account);
        // The key of the mailbox is replaced: another text, the same account, and its days start
        // again.
        let second = confirmed(&access, &service, "a", 86_400).await.unwrap();
        assert_eq!((second.id, second.account), (first.id, first.account));
        assert!(second.digest != first.digest && second.last_four != first.last_four);
        assert_eq!(
            second.expires,
            first
                .expires
                .map(|end| end + SignedDuration::from_secs(86_400))
        );
        assert!(
            access
                .store
                .find_keys(vec![first.digest])
                .await
                .unwrap()
                .is_empty()
        );
        // One that is revoked, or was given another plan, is not.
        access
            .store
            .revoke_key(second.id, access.now(at(0)).unwrap())
            .await
            .unwrap();
        let third = confirmed(&access, &service, "a", 10).await.unwrap();
        assert_ne!(third.account, second.account);
    }

    #[tokio::test]
    async fn a_key_of_another_plan_is_not_replaced() {
        let (access, service) = (Access::new(Memory::new(Sharing::Alone)), service());
        let (variant, [free, pro]) = (
            &service.variants[0],
            [0, 1].map(|plan| &service.variants[0].plans[plan]),
        );
        let now = access.now(at(0)).unwrap();
        let paid = access
            .issue_confirmed(variant, pro, MAILBOX, now)
            .await
            .unwrap()
            .record;
        assert_eq!(
            access
                .holder(variant, pro, MAILBOX.to_owned(), now)
                .await
                .unwrap(),
            Some(paid)
        );
        assert_eq!(
            access
                .holder(variant, free, MAILBOX.to_owned(), now)
                .await
                .unwrap(),
            None
        );
        // The mailbox has a valid key.
        assert!(
            access
                .issue_confirmed(variant, free, MAILBOX, now)
                .await
                .is_err()
        );
    }

    #[tokio::test]
    async fn a_form_is_good_once_and_on_its_day() {
        let access = Access::new(Memory::new(Sharing::Alone));
        let form = access.new_form(at(0));
        for other_day in [-1, 86_400] {
            assert!(
                matches!(
                    access.use_form(form, at(other_day)).await,
                    Err(Denial::Form)
                ),
                "{other_day}"
            );
        }
        assert!(access.use_form(form, at(86_399)).await.is_ok());
        assert!(matches!(
            access.use_form(form, at(86_399)).await,
            Err(Denial::Form)
        ));
        assert!(matches!(
            access.use_form(Uuid::nil(), at(0)).await,
            Err(Denial::Form)
        ));
    }

    #[tokio::test]
    async fn an_address_and_a_network_have_their_requests_of_a_day() {
        let access = Access::new(Memory::new(Sharing::Alone));
        let admit = async |address: &str| {
            access
                .admit_applicant(address.parse().unwrap(), at(0))
                .await
        };
        for _ in 0..MAX_PER_ADDRESS {
            assert!(admit("192.0.2.1").await.is_ok());
        }
        assert!(matches!(
            admit("192.0.2.1").await,
            Err(Denial::TooManyKeys { .. })
        ));
        assert!(admit("192.0.2.2").await.is_ok());
        for host in 0..MAX_PER_NETWORK {
            assert!(admit(&format!("2001:db8::{host:x}")).await.is_ok());
        }
        assert!(matches!(
            admit("2001:db8::ffff").await,
            Err(Denial::TooManyKeys { .. })
        ));
    }

    #[test]
    fn a_token_is_no_key() {
        let [token, key] = [TOKEN_PREFIX, "bma"].map(|prefix| Key::generate(prefix).unwrap());
        assert_eq!(read_token(&format!(" {} ", token.reveal())), Some(token));
        assert_eq!(read_token(key.reveal()), None);
    }
}
