//! One node and several, on a store that can be made unavailable.

use uuid::Uuid;

use super::flush::{IDLE_SECONDS, MAX_UNWRITTEN, gathered};
use super::*;
use crate::store::testing::Memory;

mod blocks;
mod days;
mod paying;

const NOW: Moment = Moment {
    day: Day(20_000),
    second: 36_000,
};

fn later(seconds: u32) -> Moment {
    Moment {
        second: NOW.second + seconds,
        ..NOW
    }
}

fn caller() -> Subject {
    Subject::account(Uuid::now_v7())
}

/// Calls until one is refused; returns how many were granted.
async fn use_up(quotas: &Quotas, moment: Moment, subject: Subject, quota: u64) -> usize {
    let mut granted = 0;
    while let Charge::Granted { .. } = quotas
        .charge(moment, Demand::one(subject, quota))
        .await
        .unwrap()
    {
        granted += 1;
    }
    granted
}

/// Calls concurrently on several nodes, in turn; returns how many were granted.
async fn crowd(nodes: &[&Arc<Quotas>], calls: usize, subject: Subject, quota: u64) -> usize {
    let calls: Vec<_> = (0..calls)
        .map(|rank| {
            let quotas = Arc::clone(nodes[rank % nodes.len()]);
            tokio::spawn(async move {
                quotas
                    .charge(NOW, Demand::one(subject, quota))
                    .await
                    .unwrap()
            })
        })
        .collect();
    let mut granted = 0;
    for call in calls {
        granted += usize::from(matches!(call.await.unwrap(), Charge::Granted { .. }));
    }
    granted
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_calls_at_once_on_a_quota_of_a_hundred_are_a_hundred() {
    for sharing in [Sharing::Alone, Sharing::Several] {
        let quotas = Quotas::start(Memory::new(sharing));
        assert_eq!(
            crowd(&[&quotas], 1_000, caller(), 100).await,
            100,
            "{sharing:?}"
        );
    }
}

#[tokio::test]
async fn what_remains_goes_down_by_one() {
    for sharing in [Sharing::Alone, Sharing::Several] {
        let quotas = Quotas::start(Memory::new(sharing));
        let caller = caller();
        for remaining in (0..50).rev() {
            let charge = quotas.charge(NOW, Demand::one(caller, 50)).await.unwrap();
            assert_eq!(charge, Charge::Granted { remaining }, "{sharing:?}");
        }
        assert_eq!(
            quotas.charge(NOW, Demand::one(caller, 50)).await.unwrap(),
            Charge::Exhausted { remaining: 0 }
        );
    }
}

/// Calls charged together are granted together or not at all, and what is left stays for others.
#[tokio::test]
async fn calls_together_are_all_granted_or_none() {
    for sharing in [Sharing::Alone, Sharing::Several] {
        let store = Memory::new(sharing);
        let quotas = Quotas::start(store.clone());
        let caller = caller();
        let demand = |calls| Demand {
            subject: caller,
            quota: 1_000,
            calls,
        };
        assert_eq!(
            quotas.charge(NOW, demand(1)).await.unwrap(),
            Charge::Granted { remaining: 999 },
            "{sharing:?}"
        );
        assert_eq!(
            quotas.charge(NOW, demand(700)).await.unwrap(),
            Charge::Granted { remaining: 299 },
            "{sharing:?}"
        );
        assert_eq!(
            quotas.charge(NOW, demand(300)).await.unwrap(),
            Charge::Exhausted { remaining: 299 },
            "{sharing:?}"
        );
        assert_eq!(
            quotas.charge(NOW, demand(1)).await.unwrap(),
            Charge::Granted { remaining: 298 },
            "{sharing:?}"
        );
        assert_eq!(
            quotas.charge(later(2), demand(298)).await.unwrap(),
            Charge::Granted { remaining: 0 },
            "{sharing:?}"
        );
        assert_eq!(
            quotas.charge(later(4), demand(1)).await.unwrap(),
            Charge::Exhausted { remaining: 0 },
            "{sharing:?}"
        );
        quotas.close().await;
        assert_eq!(store.total(NOW.day, caller), 1_000, "{sharing:?}");
    }
}

/// Two nodes that request more than is left at the same time: only one is granted it.
#[tokio::test(flavor = "multi_thread")]
async fn several_batches_at_once_do_not_pass_the_quota() {
    let store = Memory::new(Sharing::Several);
    let nodes = [Quotas::start(store.clone()), Quotas::start(store.clone())];
    let caller = caller();
    let calls: Vec<_> = (0..20)
        .map(|rank| {
            let quotas = Arc::clone(&nodes[rank % 2]);
            let demand = Demand {
                subject: caller,
                quota: 1_000,
                calls: 90,
            };
            tokio::spawn(async move { quotas.charge(NOW, demand).await.unwrap() })
        })
        .collect();
    let mut granted = 0;
    for call in calls {
        granted += if matches!(call.await.unwrap(), Charge::Granted { .. }) {
            90
        } else {
            0
        };
    }
    assert!((810..=990).contains(&granted), "{granted}");
}

#[tokio::test]
async fn the_quota_is_whole_again_on_the_next_day() {
    for sharing in [Sharing::Alone, Sharing::Several] {
        let quotas = Quotas::start(Memory::new(sharing));
        let caller = caller();
        assert_eq!(use_up(&quotas, NOW, caller, 20).await, 20);
        let tomorrow = Moment {
            day: Day(20_001),
            second: 0,
        };
        assert_eq!(
            use_up(&quotas, tomorrow, caller, 20).await,
            20,
            "{sharing:?}"
        );
    }
}

#[tokio::test]
async fn a_quota_that_is_raised_or_lowered_counts_what_was_used() {
    let quotas = Quotas::start(Memory::new(Sharing::Alone));
    let caller = caller();
    assert_eq!(use_up(&quotas, NOW, caller, 20).await, 20);
    assert_eq!(use_up(&quotas, NOW, caller, 30).await, 10);
    assert_eq!(use_up(&quotas, NOW, caller, 10).await, 0);
}

#[tokio::test]
async fn alone_the_store_is_asked_once_and_answers_each_second() {
    let store = Memory::new(Sharing::Alone);
    let quotas = Quotas::start(Arc::clone(&store) as _);
    let caller = caller();
    for _ in 0..500 {
        quotas
            .charge(NOW, Demand::one(caller, 1_000))
            .await
            .unwrap();
    }
    assert_eq!(store.questions(), 1);
    assert_eq!(store.total(NOW.day, caller), 0);
    quotas.tick(NOW).await;
    assert_eq!((store.questions(), store.total(NOW.day, caller)), (2, 500));
    quotas.tick(NOW).await;
    assert_eq!(store.questions(), 2, "there is nothing to tell");

    let restarted = Quotas::start(store);
    assert_eq!(use_up(&restarted, NOW, caller, 1_000).await, 500);
}

#[tokio::test]
async fn alone_what_could_not_be_written_is_written_later() {
    let store = Memory::new(Sharing::Alone);
    let quotas = Quotas::start(Arc::clone(&store) as _);
    let known = caller();
    quotas.charge(NOW, Demand::one(known, 100)).await.unwrap();
    store.set_unavailable(true);
    quotas.charge(NOW, Demand::one(known, 100)).await.unwrap();
    quotas.tick(NOW).await;
    assert_eq!(
        quotas.charge(NOW, Demand::one(known, 100)).await.unwrap(),
        Charge::Granted { remaining: 97 }
    );
    assert!(
        quotas
            .charge(NOW, Demand::one(caller(), 100))
            .await
            .is_err(),
        "its count cannot be read"
    );
    store.set_unavailable(false);
    quotas.close().await;
    assert_eq!(store.total(NOW.day, known), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_nodes_grant_one_quota_and_not_a_call_more() {
    let store = Memory::new(Sharing::Several);
    let nodes = [(); 3].map(|()| Quotas::start(Arc::clone(&store) as _));
    let caller = caller();
    assert_eq!(crowd(&nodes.each_ref(), 3_000, caller, 1_000).await, 1_000);
    assert_eq!(store.total(NOW.day, caller), 1_000);
}

#[tokio::test]
async fn several_a_call_seldom_asks() {
    let store = Memory::new(Sharing::Several);
    let quotas = Quotas::start(Arc::clone(&store) as _);
    assert_eq!(use_up(&quotas, NOW, caller(), 10_000).await, 10_000);
    assert!(store.questions() < 150, "{} questions", store.questions());
}

#[tokio::test]
async fn several_what_nobody_uses_is_given_back() {
    let store = Memory::new(Sharing::Several);
    let nodes = [(); 2].map(|()| Quotas::start(Arc::clone(&store) as _));
    let caller = caller();
    for _ in 0..10 {
        nodes[0]
            .charge(NOW, Demand::one(caller, 100))
            .await
            .unwrap();
    }
    let held = store.total(NOW.day, caller) - 10;
    assert!(held > 0, "a block is held");
    let others = use_up(&nodes[1], NOW, caller, 100).await;
    assert_eq!(others as i64, 90 - held);
    for _ in 0..=IDLE_SECONDS {
        nodes[0].tick(NOW).await;
    }
    assert_eq!(store.total(NOW.day, caller), 100 - held);
    assert_eq!(
        use_up(&nodes[1], NOW, caller, 100).await,
        0,
        "it learned a moment ago that there is nothing"
    );
    assert_eq!(use_up(&nodes[1], later(1), caller, 100).await as i64, held);
}

#[tokio::test]
async fn several_a_clean_stop_gives_everything_back() {
    let store = Memory::new(Sharing::Several);
    let quotas = Quotas::start(Arc::clone(&store) as _);
    let caller = caller();
    for _ in 0..10 {
        quotas
            .charge(NOW, Demand::one(caller, 1_000))
            .await
            .unwrap();
    }
    quotas.close().await;
    assert_eq!(store.total(NOW.day, caller), 10);
}

#[tokio::test]
async fn several_a_clean_stop_returns_a_block_that_is_on_its_way() {
    let store = Memory::new(Sharing::Several);
    let quotas = Quotas::start(Arc::clone(&store) as _);
    let caller = caller();
    // Calls until the next block is asked for, whose answer is not waited for.
    let mut granted = 0;
    while granted == 0 || quotas.unanswered.load(Ordering::SeqCst) == 0 {
        quotas
            .charge(NOW, Demand::one(caller, 1_000))
            .await
            .unwrap();
        granted += 1;
    }
    quotas.close().await;
    assert_eq!(store.total(NOW.day, caller), granted);
}

#[tokio::test]
async fn several_a_node_that_dies_loses_its_block_only() {
    let store = Memory::new(Sharing::Several);
    let caller = caller();
    let dies = Quotas::start(Arc::clone(&store) as _);
    for _ in 0..100 {
        dies.charge(NOW, Demand::one(caller, 1_000)).await.unwrap();
    }
    drop(dies);
    let lives = Quotas::start(store);
    let granted = use_up(&lives, NOW, caller, 1_000).await;
    assert!((840..=900).contains(&granted), "{granted}");
}

#[tokio::test]
async fn several_a_block_outlives_the_store_and_the_store_comes_back() {
    let store = Memory::new(Sharing::Several);
    let quotas = Quotas::start(Arc::clone(&store) as _);
    let caller = caller();
    quotas
        .charge(NOW, Demand::one(caller, 1_000))
        .await
        .unwrap();
    store.set_unavailable(true);
    for _ in 0..10 {
        quotas.tick(NOW).await;
    }
    let mut granted = 0;
    while quotas.charge(NOW, Demand::one(caller, 1_000)).await.is_ok() {
        granted += 1;
    }
    assert_eq!(
        granted,
        store.total(NOW.day, caller) - 1,
        "the block, though nobody used it for ten seconds"
    );
    store.set_unavailable(false);
    assert!(matches!(
        quotas.charge(NOW, Demand::one(caller, 1_000)).await,
        Ok(Charge::Granted { .. })
    ));
    assert_eq!(
        use_up(&quotas, NOW, caller, 1_000).await as i64,
        1_000 - granted - 2
    );
}

#[tokio::test]
async fn a_call_that_is_taken_back_is_granted_to_the_next_one() {
    for sharing in [Sharing::Alone, Sharing::Several] {
        let store = Memory::new(sharing);
        let quotas = Quotas::start(Arc::clone(&store) as _);
        let address = Subject([0xa0; 16]);
        assert_eq!(use_up(&quotas, NOW, address, 20).await, 20);
        quotas.tick(NOW).await;
        for _ in 0..3 {
            quotas.take_back(NOW.day, address, 1);
        }
        assert_eq!(use_up(&quotas, NOW, address, 20).await, 3, "{sharing:?}");
        quotas.tick(NOW).await;
        assert_eq!(store.total(NOW.day, address), 20, "{sharing:?}");
    }
}

#[tokio::test]
async fn several_what_could_not_be_reported_is_reported_later() {
    let store = Memory::new(Sharing::Several);
    let quotas = Quotas::start(Arc::clone(&store) as Arc<dyn Store>);
    let caller = caller();
    for _ in 0..3 {
        quotas.charge(NOW, Demand::one(caller, 100)).await.unwrap();
    }
    // The connection is lost, but this was not noticed yet.
    store.set_unavailable(true);
    quotas.report(IDLE_SECONDS).await;
    store.set_unavailable(false);
    quotas.tick(later(1)).await;
    assert_eq!(quotas.unsaved(NOW.day, caller), 0);
    assert_eq!(quotas.used(NOW.day, caller).await.unwrap(), 3);
}

/// While a write is under way its calls are neither in the table nor in the store: whoever reads
/// the usage waits.
#[tokio::test(flavor = "multi_thread")]
async fn the_usage_that_is_read_never_goes_down() {
    for sharing in [Sharing::Alone, Sharing::Several] {
        let quotas = Quotas::start(Memory::new(sharing));
        let caller = caller();
        let writer = tokio::spawn({
            let quotas = Arc::clone(&quotas);
            async move {
                loop {
                    quotas.tick(NOW).await;
                    tokio::task::yield_now().await;
                }
            }
        });
        let mut last = 0;
        for calls in 1..=300 {
            quotas
                .charge(NOW, Demand::one(caller, 1_000))
                .await
                .unwrap();
            let used = quotas.used(NOW.day, caller).await.unwrap();
            assert!(
                (last..=calls).contains(&used),
                "{sharing:?}: {used} after {last}, {calls} were made"
            );
            last = used;
        }
        writer.abort();
    }
}
