//! Contract of every store about the rule sets that came into force.

use bareme_accounts::store::rule_sets::{PublishedSet, StoredFile};

use super::contract::second;
use super::on_each;

fn set(number: i64, changes: &str) -> PublishedSet {
    PublishedSet {
        number,
        published: second(1_000 * number),
        version: format!("v{number}"),
        program: "bareme 0.1.0".to_owned(),
        changes: changes.to_owned(),
    }
}

fn file(letter: u8) -> StoredFile {
    StoredFile {
        digest: [letter; 32],
        content: vec![letter, 0, 255],
    }
}

#[tokio::test]
async fn sets_are_read_in_their_order_and_a_file_once() {
    on_each(async |store| {
        let (one, two) = (set(1, "{\"a\":1}"), set(2, "{}"));
        let first = store.add_rule_set(one.clone(), vec![file(1), file(2)]);
        assert!(first.await.unwrap());
        // A file that is stored already stays as it is.
        let second = store.add_rule_set(two.clone(), vec![file(2), file(3)]);
        assert!(second.await.unwrap());

        assert_eq!(store.rule_sets(0).await.unwrap(), [one, two.clone()]);
        assert_eq!(store.rule_sets(1).await.unwrap(), [two]);
        assert_eq!(store.rule_sets(2).await.unwrap(), []);

        let asked = vec![[3; 32], [9; 32], [1; 32]];
        let mut found = store.rule_files(asked).await.unwrap();
        found.sort_by_key(|file| file.digest);
        assert_eq!(found, [file(1), file(3)]);
    })
    .await;
}

#[tokio::test]
async fn one_of_two_nodes_adds_a_set_of_a_number() {
    on_each(async |store| {
        let (own, other) = (set(1, "{\"a\":1}"), set(1, "{\"b\":2}"));
        let added = store.add_rule_set(own.clone(), vec![file(1)]);
        assert!(added.await.unwrap());
        assert!(!store.add_rule_set(other, vec![file(2)]).await.unwrap());

        assert_eq!(store.rule_sets(0).await.unwrap(), [own]);
        assert_eq!(store.rule_files(vec![[2; 32]]).await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn the_first_of_the_sets_that_stay_stands_alone() {
    on_each(async |store| {
        for number in 1..=3 {
            let letter = u8::try_from(number).unwrap();
            let added = store.add_rule_set(set(number, "{}"), vec![file(letter)]);
            assert!(added.await.unwrap());
        }

        let whole = PublishedSet {
            changes: "{\"whole\":true}".to_owned(),
            ..set(2, "")
        };
        let forgotten = store.forget_rule_sets(whole.clone(), vec![[1; 32]]);
        forgotten.await.unwrap();

        assert_eq!(store.rule_sets(0).await.unwrap(), [whole, set(3, "{}")]);
        let files = store.rule_files(vec![[1; 32], [2; 32]]).await.unwrap();
        assert_eq!(files, [file(2)]);
    })
    .await;
}
