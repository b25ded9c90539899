//! Paying keys while the common count is not available.

use super::*;

/// Calls with a paid key until one is refused or cannot be counted; returns how many were granted,
/// and the end.
async fn use_up_paying(
    quotas: &Quotas,
    moment: Moment,
    subject: Subject,
    quota: u64,
) -> (i64, Result<Charge, Unavailable>) {
    for granted in 0.. {
        match quotas
            .charge_paying(moment, Demand::one(subject, quota))
            .await
        {
            Ok(Charge::Granted { .. } | Charge::Provisional { .. }) => {}
            ended => return (granted, ended),
        }
    }
    unreachable!("each quota ends")
}

#[tokio::test(start_paused = true)]
async fn a_paying_key_goes_on_without_the_store_and_what_it_called_is_counted_later() {
    let store = Memory::new(Sharing::Several);
    let quotas = Quotas::start(Arc::clone(&store) as _);
    let (paying, free) = (caller(), caller());
    quotas
        .charge_paying(NOW, Demand::one(paying, 1_000))
        .await
        .unwrap();
    quotas.charge(NOW, Demand::one(free, 1_000)).await.unwrap();
    let block = store.total(NOW.day, paying) - 1;
    store.set_unavailable(true);
    quotas.tick(NOW).await;
    assert!(use_up_paying(&quotas, NOW, paying, 1_000).await.1.is_err());
    while quotas.charge(NOW, Demand::one(free, 1_000)).await.is_ok() {}
    assert_eq!(store.total(NOW.day, paying), 1 + block);
    store.set_unavailable(false);
    quotas.tick(NOW).await;
    let granted = 1 + block + 100;
    assert_eq!(
        store.total(NOW.day, paying),
        granted,
        "a tenth of the quota, beside the block"
    );
    let account = Uuid::from_bytes(paying.0);
    assert_eq!(
        store.usage(account, NOW.day).await.unwrap(),
        [(NOW.day, granted)]
    );
    quotas.tick(NOW).await;
    assert_eq!(store.total(NOW.day, paying), granted, "once");
    assert_eq!(
        use_up(&quotas, NOW, paying, 1_000).await as i64,
        1_000 - granted
    );

    // The tenth is granted once a day, however often the store fails.
    store.set_unavailable(true);
    assert_eq!(use_up_paying(&quotas, later(2), paying, 2_000).await.0, 100);
    assert!(
        use_up_paying(&quotas, later(2), paying, 1_000)
            .await
            .1
            .is_ok_and(|ended| ended == Charge::Exhausted { remaining: 0 })
    );
}

/// The clock of a node is wrong for a second, and its tick forgets nothing of what was granted
/// today.
#[tokio::test(start_paused = true)]
async fn a_clock_that_is_wrong_gives_no_further_tenth() {
    let store = Memory::new(Sharing::Several);
    let quotas = Quotas::start(Arc::clone(&store) as _);
    let caller = caller();
    for (granted, moment) in [
        (100, NOW),
        (
            0,
            Moment {
                day: Day(20_003),
                ..NOW
            },
        ),
        (0, NOW),
    ] {
        store.set_unavailable(true);
        assert_eq!(use_up_paying(&quotas, NOW, caller, 1_000).await.0, granted);
        store.set_unavailable(false);
        quotas.tick(moment).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_paying_key_goes_on_for_minutes_only() {
    let store = Memory::new(Sharing::Several);
    let quotas = Quotas::start(Arc::clone(&store) as _);
    let caller = caller();
    store.set_unavailable(true);
    for (advance, may) in [(0, true), (599, true), (1, false)] {
        tokio::time::advance(Duration::from_secs(advance)).await;
        assert_eq!(
            quotas
                .charge_paying(NOW, Demand::one(caller, 1_000))
                .await
                .is_ok(),
            may,
            "{advance}"
        );
    }
    store.set_unavailable(false);
    quotas.tick(NOW).await;
    store.set_unavailable(true);
    assert!(
        quotas
            .charge_paying(NOW, Demand::one(caller, 5_000))
            .await
            .is_ok(),
        "it is another outage"
    );
}

#[tokio::test]
async fn nodes_without_the_store_pass_a_quota_by_a_tenth_each_at_most() {
    let store = Memory::new(Sharing::Several);
    let nodes = [(); 3].map(|()| Quotas::start(Arc::clone(&store) as _));
    let caller = caller();
    let mut granted = use_up(&nodes[0], NOW, caller, 1_000).await as i64;
    store.set_unavailable(true);
    for quotas in &nodes {
        granted += use_up_paying(quotas, later(2), caller, 1_000).await.0;
    }
    // The first node knows that the quota is used up.
    assert_eq!(granted, 1_000 + 2 * 100);
    store.set_unavailable(false);
    for quotas in &nodes {
        quotas.tick(NOW).await;
    }
    assert_eq!(store.total(NOW.day, caller), granted);
    assert_eq!(
        nodes[1]
            .charge_paying(NOW, Demand::one(caller, 1_000))
            .await
            .unwrap(),
        Charge::Exhausted { remaining: 0 }
    );
}
