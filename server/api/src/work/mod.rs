//! The budget of work: what each caller may make the service compute, whatever the door.
//!
//! | topic | module |
//! |---|---|
//! | what each door costs, in ordinary calls | [`cost`] |
//! | the work that a caller may ask for | [`budget`] |
//! | whose turn it is to be computed | [`turns`] |
//! | the memory of bodies | [`rooms`] |

pub mod budget;
pub mod cost;
pub mod rooms;
pub mod turns;

use std::net::IpAddr;

use uuid::Uuid;

/// Who a work is charged to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Payer {
    /// The account of a key that was paid for.
    Account(Uuid),
    /// An address whose plan has no quota: the operator gives it as much as a customer.
    Unlimited(IpAddr),
    /// An address, with all its free keys.
    Address(IpAddr),
}

impl Payer {
    /// Whether it is a customer, or is given as much.
    pub fn is_customer(self) -> bool {
        !matches!(self, Self::Address(_))
    }
}
