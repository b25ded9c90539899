//! Limits of connections, in total and for one address.
//!
//! A web server in front of the service forwards complete requests only: silent clients hold a
//! connection there and none here. Without one, four addresses can hold every connection, each for
//! the ten seconds that a head may take.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use bareme_accounts::subject::client_network;
use bareme_api::wire::problem::kinds::{self, Kind};
use parking_lot::Mutex;
use tokio::sync::Notify;

/// Open files besides connections: rules, store, log, the admin listener.
const OTHER_FILES: u32 = 192;

/// Greatest number of connections that are being sent a refusal; further ones are closed without a
/// reply, so that refusing a flood takes no resources from other callers.
pub(crate) const MAX_REJECTIONS: u32 = 256;

/// Minimum connections, whatever the system allows.
const MIN_CONNECTIONS: u32 = 4;

/// Bits of an IPv6 address that identify one client network.
const CLIENT_PREFIX: u8 = 64;

/// The open connections of a listener, and their limit.
#[derive(Debug)]
pub(crate) struct ConnectionLimit {
    /// The limit.
    pub total: u32,
    open: Mutex<Open>,
    all_closed: Notify,
}

#[derive(Debug, Default)]
struct Open {
    count: usize,
    /// Connections by address. It has no more entries than there are connections.
    by_address: HashMap<IpAddr, usize>,
}

/// The slot of a connection, freed when it is dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    limit: Arc<ConnectionLimit>,
    address: IpAddr,
}

impl ConnectionLimit {
    /// A limit of `total` connections.
    pub(crate) fn new(total: u32) -> Self {
        Self {
            total,
            open: Mutex::default(),
            all_closed: Notify::new(),
        }
    }

    /// A limit of `asked` connections, or fewer if the limit of open files does not allow that
    /// many: accepting more would only fail later.
    pub(crate) fn within_system_limits(asked: u32) -> Self {
        // Every connection is an open file, and so is everything beside them.
        let others = OTHER_FILES + MAX_REJECTIONS;
        let needed = asked.saturating_add(others);
        let allowed = match rlimit::increase_nofile_limit(needed.into()) {
            Ok(allowed) => u32::try_from(allowed).unwrap_or(u32::MAX),
            Err(error) => {
                tracing::warn!(%error, "cannot read the limit of open files");
                needed
            }
        };

        // What the system grants, less what is not a connection.
        let total = allowed.saturating_sub(others).clamp(MIN_CONNECTIONS, asked);
        if total < asked {
            tracing::warn!(
                asked,
                total,
                "the limit of open files allows fewer connections"
            );
        }
        Self::new(total)
    }

    /// Open connections.
    pub(crate) fn count(&self) -> usize {
        self.open.lock().count
    }

    /// Takes a slot for a connection of `address`, which may have `max_of_address`.
    ///
    /// # Errors
    ///
    /// The kind of the refusal: the limit of the address, or of all connections.
    pub(crate) fn take(
        self: &Arc<Self>,
        address: IpAddr,
        max_of_address: usize,
    ) -> Result<Slot, &'static Kind> {
        // An IPv6 caller has a whole network: counted by address, it could take every slot.
        let address = client_network(address, CLIENT_PREFIX);

        // Both limits are checked and taken under one lock, or two connections could take the last
        // slot.
        let mut open = self.open.lock();
        if open
            .by_address
            .get(&address)
            .is_some_and(|count| *count >= max_of_address)
        {
            return Err(&kinds::TOO_MANY_CONNECTIONS);
        }

        if open.count >= self.total as usize {
            return Err(&kinds::OVERLOADED);
        }

        open.count += 1;
        *open.by_address.entry(address).or_default() += 1;
        Ok(Slot {
            limit: Arc::clone(self),
            address,
        })
    }

    /// Waits until every connection is closed.
    pub(crate) async fn all_closed(&self) {
        loop {
            // Registered before the count is read: a slot freed in between wakes it.
            let closed = self.all_closed.notified();
            if self.count() == 0 {
                return;
            }
            closed.await;
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut open = self.limit.open.lock();

        open.count -= 1;
        // An address without connections leaves the map.
        match open.by_address.get_mut(&self.address) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(open.by_address.remove(&self.address)),
        }

        if open.count == 0 {
            self.limit.all_closed.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(limit: &Arc<ConnectionLimit>, address: &str) -> Result<Slot, &'static Kind> {
        limit.take(address.parse().unwrap(), 2)
    }

    #[test]
    fn a_slot_given_back_can_be_taken_again() {
        let limit = Arc::new(ConnectionLimit::new(3));
        let first = take(&limit, "192.0.2.1").unwrap();
        let second = take(&limit, "192.0.2.1").unwrap();
        assert_eq!(
            take(&limit, "192.0.2.1").unwrap_err(),
            &kinds::TOO_MANY_CONNECTIONS
        );
        let third = take(&limit, "192.0.2.2").unwrap();
        assert_eq!(take(&limit, "192.0.2.3").unwrap_err(), &kinds::OVERLOADED);
        drop(first);
        assert!(take(&limit, "192.0.2.1").is_ok());
        drop((second, third));
        assert_eq!(limit.count(), 0);
        assert!(limit.open.lock().by_address.is_empty());
    }

    #[test]
    fn a_site_is_one_whatever_its_address() {
        let limit = Arc::new(ConnectionLimit::new(8));
        let held = [
            take(&limit, "2001:db8:0:1::1"),
            take(&limit, "2001:db8:0:1:ffff::2"),
        ];
        assert!(take(&limit, "2001:db8:0:1::3").is_err());
        assert!(take(&limit, "2001:db8:0:2::1").is_ok());
        let mapped = [take(&limit, "::ffff:192.0.2.1"), take(&limit, "192.0.2.1")];
        assert!(take(&limit, "192.0.2.1").is_err());
        drop((held, mapped));
    }
}
