//! The blocks that a node takes from the common count: their sizes, and when they are taken and
//! returned.

use super::*;

/// A change of the common count, as another node makes it.
fn change(subject: Subject, by: i64, used: i64) -> Change {
    Change {
        day: NOW.day,
        subject,
        by,
        spare: 0,
        quota: i64::MAX,
        used,
    }
}

/// Calls one by one, with a tick after each; returns the total of the store after each call that
/// took a block.
async fn totals(quotas: &Quotas, store: &Memory, subject: Subject, calls: u32) -> Vec<(u32, i64)> {
    let mut totals = vec![(0, store.total(NOW.day, subject))];
    for call in 1..=calls {
        quotas
            .charge(NOW, Demand::one(subject, 1_000_000))
            .await
            .unwrap();
        quotas.all_answered().await;
        quotas.tick(NOW).await;
        let total = store.total(NOW.day, subject);
        if totals.last().is_some_and(|last| last.1 != total) {
            totals.push((call, total));
        }
    }
    totals
}

#[tokio::test]
async fn a_block_is_twice_the_one_before_and_taken_when_a_quarter_of_that_is_left() {
    let store = Memory::new(Sharing::Several);
    let quotas = Quotas::start(store.clone());
    let caller = caller();
    let taken = totals(&quotas, &store, caller, 60).await;
    assert_eq!(taken, [(0, 0), (1, 9), (7, 27), (23, 63), (54, 135)]);
    // An idle caller begins with a small block again; the tick after its last call was the first
    // idle second.
    for _ in 1..IDLE_SECONDS {
        quotas.tick(NOW).await;
        assert_eq!(store.total(NOW.day, caller), 135);
    }
    quotas.tick(NOW).await;
    assert_eq!(totals(&quotas, &store, caller, 1).await, [(0, 60), (1, 69)]);
}

#[tokio::test]
async fn calls_together_make_no_larger_blocks() {
    let store = Memory::new(Sharing::Several);
    let quotas = Quotas::start(store.clone());
    let caller = caller();
    quotas
        .charge(
            NOW,
            Demand {
                subject: caller,
                quota: 1_000_000,
                calls: 300,
            },
        )
        .await
        .unwrap();
    assert_eq!(
        totals(&quotas, &store, caller, 6).await,
        [(0, 308), (6, 326)]
    );
}

#[tokio::test]
async fn a_quota_is_used_up_when_the_store_says_so() {
    let store = Memory::new(Sharing::Several);
    let quotas = Quotas::start(store.clone());
    let demand = Demand::one(caller(), 1);
    assert_eq!(
        quotas.charge(NOW, demand).await.unwrap(),
        Charge::Granted { remaining: 0 }
    );
    // Another node returns the call that it had taken.
    store
        .count(vec![change(demand.subject, -1, 0)])
        .await
        .unwrap();
    assert_eq!(
        quotas.charge(NOW, demand).await.unwrap(),
        Charge::Granted { remaining: 0 }
    );
    assert_eq!(
        quotas.charge(NOW, demand).await.unwrap(),
        Charge::Exhausted { remaining: 0 }
    );
    let asked = store.questions();
    assert_eq!(
        quotas.charge(NOW, demand).await.unwrap(),
        Charge::Exhausted { remaining: 0 }
    );
    assert_eq!(store.questions(), asked, "it learned it a moment ago");
}

#[tokio::test]
async fn alone_a_paying_key_has_no_calls_beside_the_store() {
    let store = Memory::new(Sharing::Alone);
    let quotas = Quotas::start(store.clone());
    store.set_unavailable(true);
    assert!(
        quotas
            .charge_paying(NOW, Demand::one(caller(), 1_000))
            .await
            .is_err()
    );
}

#[tokio::test]
async fn usage_includes_what_is_not_written_yet_and_calls_without_a_quota() {
    for sharing in [Sharing::Alone, Sharing::Several] {
        let store = Memory::new(sharing);
        let quotas = Quotas::start(store.clone());
        let (limited, unlimited) = (caller(), caller());
        for _ in 0..3 {
            quotas.charge(NOW, Demand::one(limited, 100)).await.unwrap();
        }
        quotas.note(NOW.day, unlimited, 5);
        for _ in 0..2 {
            let used = [limited, unlimited].map(|subject| quotas.used(NOW.day, subject));
            let [limited, unlimited] = used;
            assert_eq!(
                (limited.await.unwrap(), unlimited.await.unwrap()),
                (3, 5),
                "{sharing:?}"
            );
            quotas.tick(NOW).await;
        }
    }
}

/// A clock that is a moment ahead counts for the next day, and the tick of a clock that is not
/// drops nothing of it.
#[tokio::test]
async fn counts_of_the_next_day_are_kept_in_the_last_five_seconds() {
    let address = Subject([0xa0; 16]);
    let tomorrow = Moment {
        day: Day(NOW.day.0 + 1),
        second: 0,
    };
    for (seconds_left, is_kept) in [(6, false), (5, true)] {
        let quotas = Quotas::start(Memory::new(Sharing::Alone));
        quotas
            .charge(tomorrow, Demand::one(address, 10))
            .await
            .unwrap();
        quotas
            .tick(Moment {
                second: 86_400 - seconds_left,
                ..NOW
            })
            .await;
        assert_eq!(
            quotas.table.update(tomorrow.day, address, |_| ()).is_some(),
            is_kept,
            "{seconds_left}"
        );
    }
}

#[test]
fn a_batch_takes_no_part_more_once_it_is_full() {
    let part = |length: usize| vec![change(Subject::APPLICANTS, 1, 0); length];
    let parts = [0, MAX_UNWRITTEN - 1, 1, 1, 0, 2].map(part);
    let lengths: Vec<usize> = gathered(parts.into_iter())
        .map(|batch| batch.len())
        .collect();
    assert_eq!(lengths, [MAX_UNWRITTEN, 3]);
}
