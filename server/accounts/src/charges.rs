//! The calls of callers, charged to their limits and plans.

use std::time::SystemTime;

use jiff::Timestamp;

use super::allowance::{ADDRESS_POLICY, Allowance, InsufficientCalls, KEY_POLICY, POLICY};
use super::day::{Day, Moment};
use super::publishable::PageCalls;
use super::quota::{Charge, Demand};
use super::store::{USAGE_DAYS, Unavailable};
use super::subject::Subject;
use super::{Access, Caller, Denial};

/// A limit of calls in a day beside the quota of a plan.
#[derive(Debug, Clone, Copy)]
struct Limit {
    subject: Subject,
    most: u64,
    /// Its name in the headers of the quota.
    policy: &'static str,
    /// The refusal of a call that it does not allow.
    denial: fn(InsufficientCalls) -> Denial,
}

impl Access {
    /// Charges some calls together, all or none, before they are computed, and sets `allowance` to
    /// the state of the quota after them. An unlimited plan has no quota.
    pub async fn charge(
        &self,
        caller: &Caller<'_>,
        calls: u32,
        time: SystemTime,
        allowance: &mut Option<Allowance>,
    ) -> Result<(), Denial> {
        let moment = self.moment(time);

        // Most callers have the quota of their plan alone: the charge of the others is boxed, so
        // that it takes no place in the future of every request.
        if caller.ceiling.is_none() && caller.page.is_none() {
            return self.charge_plan(caller, calls, moment, allowance).await;
        }
        Box::pin(self.charge_limited(caller, calls, moment, allowance)).await
    }

    /// Charges calls to the limits of a caller beside his plan, then to the plan: all or none.
    async fn charge_limited(
        &self,
        caller: &Caller<'_>,
        calls: u32,
        moment: Moment,
        allowance: &mut Option<Allowance>,
    ) -> Result<(), Denial> {
        // The narrower limits come first: an exhausted one must not use up calls of the plan.
        let limits = [
            caller.ceiling.map(|(subject, most)| Limit {
                subject,
                most,
                policy: ADDRESS_POLICY,
                denial: Denial::AddressExhausted,
            }),
            caller.page.and_then(|page| {
                Some(Limit {
                    subject: page.subject,
                    most: page.most?,
                    policy: KEY_POLICY,
                    denial: Denial::KeyExhausted,
                })
            }),
        ];

        let mut charged = Ok(());
        let mut granted = [None; 2];
        for (granted, limit) in granted.iter_mut().zip(limits.into_iter().flatten()) {
            charged = self.charge_limit(limit, calls, moment, allowance).await;
            if charged.is_err() {
                break;
            }
            *granted = Some(limit.subject);
        }
        if charged.is_ok() {
            charged = self.charge_plan(caller, calls, moment, allowance).await;
        }

        match (&charged, caller.page) {
            // The call is not made: what the limits were charged is kept for a later call.
            (Err(_), _) => {
                for subject in granted.into_iter().flatten() {
                    self.quotas.take_back(moment.day, subject, calls);
                }
            }
            // Without a limit of its own a publishable key is counted for what its owner sees.
            (
                Ok(()),
                Some(PageCalls {
                    subject,
                    most: None,
                }),
            ) => {
                self.quotas.note(moment.day, subject, calls);
            }
            (Ok(()), _) => {}
        }
        charged
    }

    /// Charges calls to a limit beside the plan.
    async fn charge_limit(
        &self,
        limit: Limit,
        calls: u32,
        moment: Moment,
        allowance: &mut Option<Allowance>,
    ) -> Result<(), Denial> {
        let Limit {
            subject,
            most,
            policy,
            denial,
        } = limit;
        let demand = Demand {
            subject,
            quota: most,
            calls,
        };
        // A count of a key has its place whatever the number of addresses: a flood of them must not
        // lift its limit.
        let charge = match subject.is_address() {
            true => self.quotas.charge_ceiling(moment, demand).await?,
            false => self.quotas.charge(moment, demand).await?,
        };
        let Charge::Exhausted { remaining } = charge else {
            return Ok(());
        };

        *allowance = Some(Allowance {
            policy,
            quota: most,
            remaining: Some(remaining),
            provisional: false,
            seconds_left: moment.seconds_left(),
        });
        Err(denial(InsufficientCalls {
            limit: most,
            asked: calls,
            remaining,
            midnight: moment.midnight(),
        }))
    }

    /// Charges calls to the quota of the caller's plan.
    async fn charge_plan(
        &self,
        caller: &Caller<'_>,
        calls: u32,
        moment: Moment,
        allowance: &mut Option<Allowance>,
    ) -> Result<(), Denial> {
        let Some(quota) = caller.plan.calls_per_day else {
            // Without a limit only accounts are counted, for the daily use that their owners see.
            if !caller.subject.is_address() {
                self.quotas.note(moment.day, caller.subject, calls);
            }
            return Ok(());
        };

        let demand = Demand {
            subject: caller.subject,
            quota,
            calls,
        };
        // A key that was paid for works on for a while without the store; free keys and addresses
        // are refused, as their quota could be exceeded at will.
        let charge = match caller.paying {
            true => self.quotas.charge_paying(moment, demand).await,
            false => self.quotas.charge(moment, demand).await,
        };

        // Also set where the call is refused, or its count is unknown: the headers of the quota are
        // in every answer.
        let (remaining, provisional) = match charge {
            Ok(Charge::Granted { remaining } | Charge::Exhausted { remaining }) => {
                (Some(remaining), false)
            }
            Ok(Charge::Provisional { remaining }) => (Some(remaining), true),
            Err(_) => (None, false),
        };
        *allowance = Some(Allowance {
            policy: POLICY,
            quota,
            remaining,
            provisional,
            seconds_left: moment.seconds_left(),
        });

        match charge? {
            Charge::Granted { .. } | Charge::Provisional { .. } => Ok(()),
            Charge::Exhausted { remaining } => {
                let midnight = moment.midnight();
                Err(Denial::Exhausted(InsufficientCalls {
                    limit: quota,
                    asked: calls,
                    remaining,
                    midnight,
                }))
            }
        }
    }

    /// How many calls a caller made today, and when its count is reset. Charges nothing.
    ///
    /// # Errors
    /// The count is not available.
    pub async fn used(
        &self,
        caller: &Caller<'_>,
        time: SystemTime,
    ) -> Result<(u64, String), Unavailable> {
        let moment = self.moment(time);
        let used = self.quotas.used(moment.day, caller.subject).await?;
        let midnight = Timestamp::try_from(moment.midnight())
            .map_err(|error| Unavailable(error.to_string()))?;
        Ok((used, midnight.to_string()))
    }

    /// The answered calls of an account on each of the last days, the oldest first. Charges
    /// nothing.
    ///
    /// # Errors
    /// The counts are not available.
    pub async fn used_by_day(
        &self,
        caller: &Caller<'_>,
        time: SystemTime,
    ) -> Result<Vec<(Day, u64)>, Unavailable> {
        let Some(account) = caller.account else {
            return Ok(Vec::new());
        };

        let today = self.moment(time).day;
        let usage = self.store.usage(account, today.minus(USAGE_DAYS)).await?;
        // The store may already have a part of today: it is left out, and counted below with the
        // calls of this node that are not written yet.
        let mut days: Vec<(Day, u64)> = usage
            .into_iter()
            .filter(|(day, _)| *day < today)
            .map(|(day, calls)| (day, calls.unsigned_abs()))
            .collect();
        days.push((today, self.quotas.used(today, caller.subject).await?));
        Ok(days)
    }
}
