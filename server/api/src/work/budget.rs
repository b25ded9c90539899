//! The work that a caller may ask for, in ordinary calls: so many at once, and so many again each
//! second.
//!
//! The quota of a plan counts answers a day. What an answer costs differs by a factor of hundreds,
//! and pages take nothing from a quota: this budget counts processor time instead, before it is
//! spent.

use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};

use super::Payer;
use super::rooms::Rooms;
use super::turns::Turns;
use crate::wire::headers::WorkLeft;

/// What a customer may ask for at once: twice a batch of 10 000 inverse calculations.
const CUSTOMER_BURST: NonZeroU32 = NonZeroU32::new(1_200_000).unwrap();
/// What a customer regains each second: about a quarter of a processor.
const CUSTOMER_RATE: NonZeroU32 = NonZeroU32::new(10_000).unwrap();

/// What an address may ask for at once: an evening with the simulators, or the free quota of a day
/// in inverse calculations.
const ADDRESS_BURST: NonZeroU32 = NonZeroU32::new(100_000).unwrap();
/// What an address regains each second: in a day, far less than the smallest plan that is sold.
const ADDRESS_RATE: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// Greatest number of callers of a kind to remember; one is forgotten once its budget is whole
/// again. Further ones share one budget.
const MAX_PAYERS: usize = 50_000;
const OTHERS: Payer = Payer::Address(IpAddr::V6(Ipv6Addr::UNSPECIFIED));

/// Charges between two looks for what can be forgotten, which takes as long as there are addresses.
const SWEEP: u32 = 4_096;

type Limiter =
    RateLimiter<Payer, DefaultKeyedStateStore<Payer>, DefaultClock, StateInformationMiddleware>;

/// The budgets of all callers.
#[derive(Debug)]
pub struct Budget {
    customers: Purse,
    addresses: Purse,
    charges: AtomicU32,
    /// Turns to be computed, for what takes long.
    pub turns: Arc<Turns>,
    /// Memory of the bodies of requests.
    pub rooms: Arc<Rooms>,
}

/// The budgets of the callers of a kind.
#[derive(Debug)]
struct Purse {
    limiter: Limiter,
    whole: u32,
    /// Seconds in which a budget is regained.
    window: u32,
    /// Whether it remembers as many callers as it may.
    is_full: AtomicBool,
}

/// A charge that the budget does not allow yet.
#[derive(Debug, Clone, Copy)]
pub struct Overspent {
    /// What the budget is when whole.
    pub whole: u32,
    /// Time after which the charge is possible.
    pub wait: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            customers: Purse::new(CUSTOMER_BURST, CUSTOMER_RATE),
            addresses: Purse::new(ADDRESS_BURST, ADDRESS_RATE),
            charges: AtomicU32::default(),
            turns: Arc::default(),
            rooms: Arc::default(),
        }
    }
}

impl Budget {
    /// Charges a work to a caller, before it is done.
    ///
    /// # Errors
    /// The budget has less left; nothing is charged.
    pub fn charge(&self, payer: Payer, calls: u32) -> Result<WorkLeft, Overspent> {
        // Now and then, callers whose budget is whole again are forgotten: nobody else would do it.
        if self
            .charges
            .fetch_add(1, Ordering::Relaxed)
            .is_multiple_of(SWEEP)
        {
            self.customers.sweep();
            self.addresses.sweep();
        }

        let purse = if payer.is_customer() {
            &self.customers
        } else {
            &self.addresses
        };
        purse.charge(payer, calls)
    }
}

impl Purse {
    fn new(burst: NonZeroU32, rate: NonZeroU32) -> Self {
        let limiter = RateLimiter::keyed(Quota::per_second(rate).allow_burst(burst));
        Self {
            limiter: limiter.with_middleware(),
            whole: burst.get(),
            window: burst.get().div_ceil(rate.get()),
            is_full: AtomicBool::default(),
        }
    }

    /// Forgets the callers whose budget is whole.
    fn sweep(&self) {
        self.limiter.retain_recent();
        self.is_full
            .store(self.limiter.len() >= MAX_PAYERS, Ordering::Relaxed);
    }

    fn charge(&self, payer: Payer, calls: u32) -> Result<WorkLeft, Overspent> {
        let Self {
            limiter,
            whole,
            window,
            is_full,
        } = self;
        // Once too many callers are remembered, the next ones share a budget, so that made-up
        // addresses take no memory.
        let payer = if is_full.load(Ordering::Relaxed) {
            OTHERS
        } else {
            payer
        };

        // What costs more than a whole budget takes all of it.
        let calls = NonZeroU32::new(calls.min(*whole)).unwrap_or(NonZeroU32::MIN);

        match limiter.check_key_n(&payer, calls) {
            Ok(Ok(state)) => {
                let remaining = state.remaining_burst_capacity();
                Ok(WorkLeft {
                    whole: *whole,
                    remaining,
                    window: *window,
                })
            }
            Ok(Err(not_yet)) => {
                let wait = not_yet.wait_time_from(limiter.clock().now());
                Err(Overspent {
                    whole: *whole,
                    wait,
                })
            }
            // No charge is above the burst.
            Err(_) => Err(Overspent {
                whole: *whole,
                wait: Duration::from_secs(1),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_caller_has_a_burst_and_takes_nothing_from_another() {
        let budget = Budget::default();
        let [one, other] = [1, 2].map(|last| Payer::Address(IpAddr::from([192, 0, 2, last])));
        let left = budget.charge(one, ADDRESS_BURST.get() - 60).unwrap();
        assert_eq!((left.whole, left.window), (100_000, 10_000));
        assert!((60..1_000).contains(&left.remaining), "{left:?}");

        let overspent = budget.charge(one, 2_000).unwrap_err();
        assert!(overspent.wait <= Duration::from_secs(195), "{overspent:?}");
        assert!(overspent.wait > Duration::from_secs(100), "{overspent:?}");
        assert!(
            budget.charge(one, 60).is_ok(),
            "what is refused is not charged"
        );
        assert!(budget.charge(other, 2_000).is_ok());
        assert!(
            budget
                .charge(Payer::Account(Uuid::nil()), 1_000_000)
                .is_ok()
        );
    }

    #[test]
    fn a_plan_can_use_what_it_bought() {
        let budget = Budget::default();
        let payer = Payer::Account(Uuid::from_u128(1));
        // The largest batch, of the dearest rows, then a day of single calls at once.
        let row = super::super::cost::INVERSE.calls;
        assert!(budget.charge(payer, 10_000 * row).is_ok());
        assert!(budget.charge(payer, 500_000).is_ok());
    }

    #[test]
    fn a_work_beyond_the_whole_budget_takes_all_of_it() {
        let budget = Budget::default();
        let payer = OTHERS;
        assert!(budget.charge(payer, u32::MAX).is_ok());
        assert!(budget.charge(payer, 1_000).is_err());
    }

    #[test]
    fn a_crowd_of_addresses_takes_a_bounded_place() {
        let budget = Budget::default();
        for number in 0..u32::try_from(MAX_PAYERS).unwrap() + 10_000 {
            let _charged =
                budget.charge(Payer::Address(IpAddr::from(number.to_be_bytes())), 50_000);
        }
        let kept = budget.addresses.limiter.len();
        assert!(kept <= MAX_PAYERS + SWEEP as usize, "{kept}");
    }
}
