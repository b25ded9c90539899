//! The memory of the bodies of requests. A body takes its bytes as they arrive and keeps them until
//! it is answered, so that a slow sender holds what it has sent and no more; customers and others
//! have a part each.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::Payer;

/// Greatest number of bodies of a caller at once.
const MAX_BODIES: usize = 8;

/// Bytes of the bodies of all customers, and of all others.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// The memory of all bodies.
#[derive(Debug, Default)]
pub struct Rooms(Mutex<Taken>);

#[derive(Debug, Default)]
struct Taken {
    customers: usize,
    others: usize,
    /// Callers with bodies. There are no more than connections.
    bodies: HashMap<Payer, usize>,
}

impl Taken {
    fn bytes(&mut self, payer: Payer) -> &mut usize {
        if payer.is_customer() {
            &mut self.customers
        } else {
            &mut self.others
        }
    }
}

/// The memory of a body, which is given back when it is dropped.
#[derive(Debug)]
pub struct Room {
    rooms: Arc<Rooms>,
    payer: Payer,
    bytes: usize,
}

/// No memory is left for a body, or the caller has too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoRoom;

impl Rooms {
    /// The memory of a body that is about to arrive.
    ///
    /// # Errors
    /// The caller has as many bodies as it may.
    pub fn open(self: &Arc<Self>, payer: Payer) -> Result<Room, NoRoom> {
        let mut taken = self.0.lock();

        let own = taken.bodies.entry(payer).or_default();
        // One caller with many bodies must not hold the whole part of its kind.
        if *own >= MAX_BODIES {
            return Err(NoRoom);
        }

        *own += 1;

        Ok(Room {
            rooms: Arc::clone(self),
            payer,
            bytes: 0,
        })
    }
}

impl Room {
    /// Takes memory for bytes that have arrived.
    ///
    /// # Errors
    /// There is none left.
    pub fn take(&mut self, bytes: usize) -> Result<(), NoRoom> {
        let mut taken = self.rooms.0.lock();
        let all = taken.bytes(self.payer);
        // Customers and others each have a part: neither can take what the other needs.
        let sum = all.saturating_add(bytes);
        if sum > MAX_BYTES {
            return Err(NoRoom);
        }

        *all = sum;
        self.bytes = self.bytes.saturating_add(bytes);
        Ok(())
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let mut taken = self.rooms.0.lock();
        // Given back whole, wherever the reading ended.
        let all = taken.bytes(self.payer);
        *all = all.saturating_sub(self.bytes);

        if let Some(own) = taken.bodies.get_mut(&self.payer) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                taken.bodies.remove(&self.payer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use uuid::Uuid;

    use super::*;

    fn address(last: u8) -> Payer {
        Payer::Address(IpAddr::from([192, 0, 2, last]))
    }

    #[test]
    fn a_caller_has_so_many_bodies_and_leaves_others_theirs() {
        let rooms = Arc::new(Rooms::default());
        let held: Vec<Room> = (0..MAX_BODIES)
            .map(|_| rooms.open(address(1)).unwrap())
            .collect();
        assert!(rooms.open(address(1)).is_err());
        assert!(rooms.open(address(2)).is_ok());
        drop(held);
        assert!(rooms.open(address(1)).is_ok());
        assert!(rooms.0.lock().bodies.is_empty());
    }

    #[test]
    fn bodies_take_what_has_arrived_and_customers_have_their_own_part() {
        let rooms = Arc::new(Rooms::default());
        let mut slow = rooms.open(address(1)).unwrap();
        let mut other = rooms.open(address(2)).unwrap();
        assert!(slow.take(1).is_ok() && other.take(MAX_BYTES - 1).is_ok());
        assert_eq!(slow.take(1), Err(NoRoom));
        let mut customer = rooms.open(Payer::Account(Uuid::nil())).unwrap();
        assert!(customer.take(MAX_BYTES).is_ok());
        drop(other);
        assert!(slow.take(MAX_BYTES - 1).is_ok());
        drop((slow, customer));
        let taken = rooms.0.lock();
        assert_eq!((taken.customers, taken.others), (0, 0));
    }
}
