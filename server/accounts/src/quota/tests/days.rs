//! Floods of addresses, ends of days, and clocks that are wrong.

use super::*;

#[tokio::test]
async fn a_flood_of_addresses_is_granted_one_quota_together() {
    // The table has its own tests; this one shows that the overflow is charged like any count.
    let store = Memory::new(Sharing::Alone);
    let quotas = Quotas::start(Arc::clone(&store) as _);
    assert_eq!(use_up(&quotas, NOW, Subject::OVERFLOW, 100).await, 100);
    quotas.tick(NOW).await;
    assert_eq!(store.total(NOW.day, Subject::OVERFLOW), 100);
}

#[tokio::test]
async fn the_calls_of_the_last_second_of_a_day_are_written_after_it() {
    for sharing in [Sharing::Alone, Sharing::Several] {
        for first_call in [true, false] {
            let store = Memory::new(sharing);
            let quotas = Quotas::start(Arc::clone(&store) as _);
            let callers: Vec<Subject> = (0..300).map(|_| caller()).collect();
            for subject in &callers {
                quotas
                    .charge(NOW, Demand::one(*subject, 100))
                    .await
                    .unwrap();
            }
            // Midnight comes before the next tick; only some shards have seen a call of the new
            // day.
            let tomorrow = Moment {
                day: Day(20_001),
                second: 0,
            };
            if first_call {
                quotas
                    .charge(tomorrow, Demand::one(callers[0], 100))
                    .await
                    .unwrap();
            }
            // Without a call of the new day a block is returned as usual.
            for _ in 0..=IDLE_SECONDS {
                quotas.tick(tomorrow).await;
            }
            for subject in callers {
                let account = Uuid::from_bytes(subject.0);
                let days = store.usage(account, NOW.day).await.unwrap();
                assert_eq!(days.first(), Some(&(NOW.day, 1)), "{sharing:?}");
                assert_eq!(
                    store.total(NOW.day, subject),
                    1,
                    "{sharing:?}: what was reserved is returned"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_clock_that_went_ahead_and_back_loses_no_call_and_the_quota_is_whole_on_the_next_day() {
    for sharing in [Sharing::Alone, Sharing::Several] {
        let store = Memory::new(sharing);
        let quotas = Quotas::start(Arc::clone(&store) as _);
        let caller = caller();
        assert_eq!(use_up(&quotas, NOW, caller, 20).await, 20);
        let ahead = Moment {
            day: Day(20_400),
            second: 100,
        };
        quotas.charge(ahead, Demand::one(caller, 20)).await.unwrap();
        quotas.tick(NOW).await;
        assert_eq!(
            use_up(&quotas, later(5), caller, 20).await,
            0,
            "{sharing:?}: those of today were used"
        );
        let tomorrow = Moment {
            day: Day(20_001),
            second: 7,
        };
        assert_eq!(
            use_up(&quotas, tomorrow, caller, 20).await,
            20,
            "{sharing:?}"
        );
        quotas.close().await;
        assert_eq!(
            [NOW, tomorrow, ahead].map(|moment| store.total(moment.day, caller)),
            [20, 20, 1],
            "{sharing:?}"
        );
    }
}

#[tokio::test]
async fn a_clock_that_was_ahead_refuses_no_call_in_the_second_that_it_had_shown() {
    let store = Memory::new(Sharing::Several);
    let [node, other] = [(); 2].map(|()| Quotas::start(Arc::clone(&store) as _));
    let (caller, ahead) = (caller(), later(20));
    for _ in 0..10 {
        other.charge(NOW, Demand::one(caller, 60)).await.unwrap();
    }
    let granted = use_up(&node, ahead, caller, 60).await;
    other.close().await;
    assert!(granted < 50, "the other node returns calls");
    node.tick(NOW).await;
    assert_eq!(
        use_up(&node, ahead, caller, 60).await,
        50 - granted,
        "once the time is what the clock showed"
    );
}
