//! A store that fails, in part or whole: what is noticed, what is not done, and what comes back.

use bareme_accounts::store::{self, Change, Component, Location, Purpose, Store};
use harness::Cluster;
use jiff::{SignedDuration, Timestamp};

use crate::*;

fn failing(store: &dyn Store) -> Vec<Component> {
    store
        .health()
        .outages()
        .into_iter()
        .map(|(component, _)| component)
        .collect()
}

async fn check(store: &dyn Store) -> Vec<Component> {
    drop(store.check(Timestamp::now()).await);
    failing(store)
}

#[tokio::test]
async fn a_file_has_one_service_whatever_its_name() {
    let place = tempfile::tempdir().unwrap();
    let file = |name: &str| place.path().join(name);
    let location = |name: &str| Location::Sqlite(file(name));
    let _serving = store::open(&location("bareme.db"), Purpose::Serving)
        .await
        .unwrap();
    std::os::unix::fs::symlink(file("bareme.db"), file("link.db")).unwrap();
    std::fs::hard_link(file("bareme.db"), file("other.db")).unwrap();
    for name in ["link.db", "other.db"] {
        let refused = store::open(&location(name), Purpose::Serving)
            .await
            .unwrap_err();
        assert!(
            refused.0.contains("another bareme-server"),
            "{name}: {refused}"
        );
    }
}

#[tokio::test]
async fn a_damaged_file_is_not_served_from() {
    let place = tempfile::tempdir().unwrap();
    let location = Location::Sqlite(place.path().join("bareme.db"));
    let store = store::open(&location, Purpose::Serving).await.unwrap();
    for _ in 0..200 {
        store.add_key(record(&key())).await.unwrap();
    }
    drop(store);
    let path = place.path().join("bareme.db");
    until_free(&path).await;
    let mut bytes = std::fs::read(&path).unwrap();
    let pages = bytes.len() / 4096;
    assert!(pages > 8, "{pages} pages");
    // Among the rows, not among the tables: only who reads it all finds it.
    bytes[4096 * (pages - 3)..4096 * (pages - 1)].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    let refused = store::open(&location, Purpose::Serving).await.unwrap_err();
    assert!(
        refused.0.contains("it is damaged, restore a copy"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_file_that_is_replaced_or_deleted_is_noticed() {
    let place = tempfile::tempdir().unwrap();
    let (path, elsewhere) = (
        place.path().join("bareme.db"),
        place.path().join("elsewhere.db"),
    );
    let store = open(&format!("sqlite:{}", path.display())).await;
    let store = store.as_ref();
    assert_eq!(check(store).await, []);
    std::fs::rename(&path, &elsewhere).unwrap();
    for replaced in [false, true] {
        if replaced {
            std::fs::copy(&elsewhere, &path).unwrap();
        }
        assert_eq!(check(store).await, [Component::File]);
        assert!(
            store.add_key(record(&key())).await.is_err(),
            "nobody would ever find it again"
        );
        count(store, &[change(1, 1, 0, 9)]).await;
        assert_eq!(
            failing(store),
            [Component::File],
            "that the others work says nothing of it"
        );
    }
    std::fs::rename(&elsewhere, &path).unwrap();
    assert_eq!(check(store).await, []);
    store.add_key(record(&key())).await.unwrap();
}

#[tokio::test]
async fn a_writer_that_fails_is_not_well_because_the_reader_is() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("bareme.db");
    let store = open(&format!("sqlite:{}", path.display())).await;
    let known = key();
    store.add_key(record(&known)).await.unwrap();
    let locker = rusqlite::Connection::open(&path).unwrap();
    locker.execute_batch("begin immediate").unwrap();
    assert!(store.count(vec![change(1, 1, 0, 9)]).await.is_err());
    for _ in 0..3 {
        store.find_keys(vec![known.digest()]).await.unwrap();
        assert_eq!(check(store.as_ref()).await, [Component::Writer]);
    }
    locker.execute_batch("rollback").unwrap();
    assert_eq!(
        check(store.as_ref()).await,
        [],
        "nobody had to write for it"
    );
}

#[tokio::test]
async fn what_nobody_waits_for_any_more_is_not_done() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("bareme.db");
    let store = open(&format!("sqlite:{}", path.display())).await;
    let locker = rusqlite::Connection::open(&path).unwrap();
    locker.execute_batch("begin immediate").unwrap();
    let mut waiting: Vec<_> = (0..1_500).map(|_| store.add_key(record(&key()))).collect();
    let last = waiting.pop().unwrap().await.unwrap_err();
    assert!(last.0.contains("too many jobs wait"), "{last}");
    drop(waiting);
    locker.execute_batch("rollback").unwrap();
    until_ok(async || store.add_key(record(&key())).await.is_ok()).await;
    let kept = store.keys().await.unwrap().len();
    // The first was begun before it was given up.
    assert!(kept <= 2, "{kept} keys");
}

#[tokio::test]
async fn a_database_that_cannot_be_written_is_not_well_because_it_can_be_read() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let store = open(&cluster.address()).await;
    let known = key();
    store.add_key(record(&known)).await.unwrap();
    let locker = std::thread::spawn(move || {
        cluster.value("begin; lock table api_keys in share mode; select pg_sleep(4); commit");
        cluster
    });
    let mut refused = record(&key());
    until_ok(async || {
        refused = record(&key());
        store.add_key(refused.clone()).await.is_err()
    })
    .await;
    store.find_keys(vec![known.digest()]).await.unwrap();
    assert_eq!(failing(store.as_ref()), [Component::Writer]);
    let _cluster = locker.join().unwrap();
    assert_eq!(check(store.as_ref()).await, []);
    assert_eq!(
        store.find_keys(vec![refused.digest]).await.unwrap(),
        [],
        "what was refused was not done later"
    );
}

#[tokio::test]
async fn a_node_whose_clock_is_a_day_ahead_counts_by_that_of_the_database() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let store = open(&cluster.address()).await;
    let store = store.as_ref();
    assert_eq!(
        (check(store).await, store.clock_offset()),
        (vec![], SignedDuration::ZERO)
    );
    let day = |at: Timestamp| Day(i32::try_from(at.as_second() / 86_400).unwrap());
    let today = Change {
        day: day(Timestamp::now()),
        ..change(1, 1, 0, 1_000)
    };
    for days in [1, 2, 30] {
        let before = count(store, &[Change { by: 0, ..today }]).await;
        count(store, &[today]).await;
        let ahead = Timestamp::now()
            .checked_add(SignedDuration::from_hours(24 * days))
            .unwrap();
        store.check(ahead).await.unwrap();
        let wrong = SignedDuration::from_hours(24 * days) + store.clock_offset();
        assert!(
            wrong.abs() < SignedDuration::from_secs(20),
            "{wrong:?} from what is expected"
        );
        assert_eq!(failing(store), [Component::Clock]);
        store.forget(day(ahead)).await.unwrap();
        let after = count(store, &[Change { by: 0, ..today }]).await;
        let before = before.first().map_or(0, |(_, total)| *total);
        assert_eq!(
            after,
            [(0, before + 1)],
            "the counts of today are still there"
        );
    }
    assert_eq!(check(store).await, []);
}

#[tokio::test]
async fn a_file_counts_by_the_time_that_passes_while_the_clock_is_wrong() {
    let place = tempfile::tempdir().unwrap();
    let store = open(&format!(
        "sqlite:{}",
        place.path().join("bareme.db").display()
    ))
    .await;
    let hours = |hours| SignedDuration::from_hours(hours);
    let wrong_by = |hours: SignedDuration| Timestamp::now().checked_add(hours).unwrap();
    assert_eq!(check(store.as_ref()).await, []);
    for jump in [24, 24 * 30, -24] {
        let wrong = wrong_by(hours(jump));
        store.check(wrong).await.unwrap();
        assert_eq!(failing(store.as_ref()), [Component::Clock], "{jump} hours");
        let time = Timestamp::try_from(store.time(wrong.into())).unwrap();
        assert!(
            time.duration_since(Timestamp::now()).abs() < SignedDuration::from_secs(20),
            "{jump} hours: {time}"
        );
    }
    assert_eq!(check(store.as_ref()).await, [], "it was set right");
}

#[tokio::test]
async fn a_database_that_fails_comes_back_by_itself() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let store = open(&cluster.address()).await;
    count(store.as_ref(), &[change(1, 5, 0, 9)]).await;
    cluster.stop();
    assert!(store.count(vec![change(1, 1, 0, 9)]).await.is_err());
    until(|| store.health().is_failing(Component::Link)).await;
    cluster.resume();
    until_ok(async || check(store.as_ref()).await.is_empty()).await;
    assert_eq!(count(store.as_ref(), &[change(1, 1, 0, 9)]).await, [(1, 6)]);
}

#[tokio::test]
async fn a_database_may_come_after_the_service() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    cluster.stop();
    let store = open(&cluster.address()).await;
    assert_eq!(failing(store.as_ref()), [Component::Link]);
    cluster.resume();
    until(|| store.health().unavailable_since().is_none()).await;
    assert_eq!(count(store.as_ref(), &[change(1, 1, 0, 9)]).await, [(1, 1)]);
}

async fn until_ok(mut holds: impl AsyncFnMut() -> bool) {
    let start = std::time::Instant::now();
    while !holds().await {
        assert!(start.elapsed().as_secs() < 20, "never");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

async fn until(mut holds: impl FnMut() -> bool) {
    until_ok(async || holds()).await;
}
