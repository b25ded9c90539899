//! The contract of stores on SQLite and on a PostgreSQL of its own, and what is special to each of
//! them.

#![cfg(test)]

mod contract;
mod contract_corrections;
mod contract_operation;
mod contract_payments;
mod contract_publications;
mod contract_rule_sets;
mod contract_terms;
mod outages;
mod upgrades;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bareme_accounts::day::Day;
use bareme_accounts::store::{self, Purpose, Store};
use harness::Cluster;

use contract::{change, count, key, record};

/// Runs a test on a fresh store of each kind.
async fn on_each<F: Future>(test: impl Fn(Arc<dyn Store>) -> F) {
    let place = tempfile::tempdir().unwrap();
    let file = format!("sqlite:{}", place.path().join("bareme.db").display());
    test(open(&file).await).await;
    if let Some(cluster) = Cluster::start() {
        test(open(&cluster.address()).await).await;
    }
}

async fn open(location: &str) -> Arc<dyn Store> {
    store::open(&location.parse().unwrap(), Purpose::Serving)
        .await
        .unwrap()
}

/// Waits until nothing serves from a file: the task of a store that was dropped in this process
/// ends a little later.
async fn until_free(path: &Path) {
    for _ in 0..200 {
        if File::open(path).unwrap().try_lock().is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{} is still served after ten seconds", path.display());
}

#[tokio::test]
async fn what_was_kept_is_there_after_a_restart() {
    let place = tempfile::tempdir().unwrap();
    let cluster = Cluster::start();
    let file = format!("sqlite:{}", place.path().join("bareme.db").display());
    for location in [Some(file), cluster.as_ref().map(Cluster::address)]
        .into_iter()
        .flatten()
    {
        let key = key();
        let store = open(&location).await;
        store.add_key(record(&key)).await.unwrap();
        count(store.as_ref(), &[change(1, 5, 0, 9)]).await;
        let salt = store.salt(Day(20_000)).await.unwrap();
        drop(store);

        until_free(&place.path().join("bareme.db")).await;
        let store = open(&location).await;
        assert_eq!(store.find_keys(vec![key.digest()]).await.unwrap().len(), 1);
        assert_eq!(count(store.as_ref(), &[change(1, 0, 0, 9)]).await, [(0, 5)]);
        assert_eq!(store.salt(Day(20_000)).await.unwrap(), salt);
    }
}

#[tokio::test]
async fn nodes_that_start_together_bring_the_tables_up_to_date_once() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let address = cluster.address();
    let nodes: Vec<_> = (0..8)
        .map(|_| {
            let address = address.clone();
            tokio::spawn(async move { open(&address).await })
        })
        .collect();
    for node in nodes {
        assert_eq!(node.await.unwrap().health().unavailable_since(), None);
    }
    assert_eq!(
        cluster.value("select count(*) from bareme_migrations"),
        upgrades::migrations("postgres").to_string()
    );
}

#[tokio::test]
async fn tables_of_a_later_version_are_left_alone() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("bareme.db");
    let location = format!("sqlite:{}", path.display());
    drop(open(&location).await);
    rusqlite::Connection::open(&path)
        .unwrap()
        .pragma_update(None, "user_version", 99)
        .unwrap();
    let refused = store::open(&location.parse().unwrap(), Purpose::Serving)
        .await
        .unwrap_err();
    assert!(refused.0.contains("version 99"), "{refused}");

    let Some(cluster) = Cluster::start() else {
        return;
    };
    drop(open(&cluster.address()).await);
    cluster.value("insert into bareme_migrations values (99)");
    assert!(
        open(&cluster.address())
            .await
            .health()
            .unavailable_since()
            .is_some()
    );
}

#[tokio::test]
async fn one_service_at_a_time_serves_from_a_file() {
    let place = tempfile::tempdir().unwrap();
    let location = format!("sqlite:{}", place.path().join("bareme.db").display())
        .parse()
        .unwrap();
    let serving = store::open(&location, Purpose::Serving).await.unwrap();
    let refused = store::open(&location, Purpose::Serving).await.unwrap_err();
    assert!(refused.0.contains("another bareme-server"), "{refused}");

    let beside = store::open(&location, Purpose::Administration)
        .await
        .unwrap();
    let key = key();
    beside.add_key(record(&key)).await.unwrap();
    assert_eq!(
        serving.find_keys(vec![key.digest()]).await.unwrap().len(),
        1
    );
    drop(serving);
    assert!(store::open(&location, Purpose::Serving).await.is_ok());
}

#[tokio::test]
async fn an_address_that_cannot_be_read_is_refused_at_once() {
    for address in [
        "postgres://u:hunter2@h:port/d",
        "postgres://u:hunter2@h/d?sslmode=maybe",
        "postgres://u:hunter2@h/d?hunter=2",
    ] {
        let refused = store::open(&address.parse().unwrap(), Purpose::Serving)
            .await
            .unwrap_err();
        assert!(!refused.0.contains("hunter2"), "{address}: {refused}");
    }
    let nowhere = "sqlite:/nowhere/at/all/bareme.db".parse().unwrap();
    assert!(store::open(&nowhere, Purpose::Serving).await.is_err());
}
