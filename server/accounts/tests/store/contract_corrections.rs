//! Contract of every store about the laws that accounts used, and the e-mails about corrections.

use bareme_accounts::day::Day;
use bareme_accounts::store::Store;
use bareme_accounts::store::corrections::{Law, LawUse, USE_DAYS};
use uuid::Uuid;

use super::contract::second;
use super::on_each;

/// The day after which the tests forget: older than the clock of any database.
const TODAY: Day = Day(20_000);

fn law(folder: &str, version: &str) -> Law {
    Law {
        folder: folder.to_owned(),
        version: version.to_owned(),
    }
}

fn used(law: &Law, account: u128, calls: i64, day: i32) -> LawUse {
    LawUse {
        law: law.clone(),
        account: Uuid::from_u128(account),
        calls,
        day: Day(day),
    }
}

/// The uses of some laws since a day: account, calls, day and since when it reads, in order.
async fn found(store: &dyn Store, laws: &[&Law], since: i32) -> Vec<(u128, String, i64, i32, i64)> {
    let laws = laws.iter().map(|law| (*law).clone()).collect();
    let uses = store.law_uses(laws, Day(since)).await.unwrap();
    let mut rows: Vec<_> = uses
        .into_iter()
        .map(|read| {
            let LawUse {
                law,
                account,
                calls,
                day,
            } = read.used;
            let name = format!("{} {}", law.folder, law.version);
            (
                account.as_u128(),
                name,
                calls,
                day.0,
                read.since.as_second(),
            )
        })
        .collect();
    rows.sort();
    rows
}

async fn reads(store: &dyn Store, account: u128, since: Option<i64>) {
    let since = since.map(second);
    let set = store.set_correction_reader(Uuid::from_u128(account), since);
    set.await.unwrap();
}

#[tokio::test]
async fn uses_add_up_and_those_of_readers_are_found_by_their_law() {
    on_each(async |store| {
        let store = store.as_ref();
        let (old, new, other) = (law("ir", "aa"), law("ir", "bb"), law("tva", "aa"));
        let uses = vec![
            used(&old, 1, 2, 19_990),
            used(&new, 1, 5, 19_991),
            used(&old, 2, 7, 19_900),
            used(&old, 3, 1, 19_990),
        ];
        store.add_law_uses(uses).await.unwrap();
        // A report of an earlier day, as of a node that was away, leaves the later one.
        let uses = vec![used(&old, 1, 3, 19_980), used(&old, 2, 1, 19_950)];
        store.add_law_uses(uses).await.unwrap();
        store.add_law_uses(Vec::new()).await.unwrap();

        assert_eq!(found(store, &[&old], 0).await, []);
        reads(store, 1, Some(100)).await;
        reads(store, 2, Some(200)).await;
        // Who reads already goes on as since then.
        reads(store, 1, Some(900)).await;
        let first = (1, "ir aa".to_owned(), 5, 19_990, 100);
        let second_of = (2, "ir aa".to_owned(), 8, 19_950, 200);
        assert_eq!(
            found(store, &[&old, &other], 0).await,
            [first.clone(), second_of.clone()]
        );
        assert_eq!(
            found(store, &[&old], 19_951).await,
            std::slice::from_ref(&first)
        );
        assert_eq!(
            found(store, &[&old, &new], 19_960).await,
            [first, (1, "ir bb".to_owned(), 5, 19_991, 100)]
        );

        reads(store, 1, None).await;
        assert_eq!(found(store, &[&old], 0).await, [second_of]);
        let since = store.correction_reader(Uuid::from_u128(1)).await.unwrap();
        assert_eq!(since, None);
        let since = store.correction_reader(Uuid::from_u128(2)).await.unwrap();
        assert_eq!(since, Some(second(200)));
    })
    .await;
}

#[tokio::test]
async fn one_of_several_nodes_claims_a_letter_until_it_is_released() {
    on_each(async |store| {
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let claims = (0..8).map(|_| store.claim_letter(3, one, second(5)));
        let mut won = 0;
        for claimed in claims {
            won += u32::from(claimed.await.unwrap());
        }
        assert_eq!(won, 1);
        assert!(store.claim_letter(3, other, second(5)).await.unwrap());
        assert!(store.claim_letter(4, one, second(5)).await.unwrap());

        store.release_letter(3, one).await.unwrap();
        assert!(store.claim_letter(3, one, second(6)).await.unwrap());
        assert!(!store.claim_letter(3, other, second(6)).await.unwrap());
        assert!(!store.claim_letter(4, one, second(6)).await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn uses_and_letters_are_forgotten_after_their_days() {
    on_each(async |store| {
        let law = law("ir", "aa");
        let first = TODAY.0 - USE_DAYS;
        let uses = vec![used(&law, 1, 1, first), used(&law, 2, 1, first - 1)];
        store.add_law_uses(uses).await.unwrap();
        reads(store.as_ref(), 1, Some(0)).await;
        reads(store.as_ref(), 2, Some(0)).await;
        let (kept, gone) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let start = second(i64::from(first) * 86_400);
        let before = second(i64::from(first) * 86_400 - 1);
        assert!(store.claim_letter(1, kept, start).await.unwrap());
        assert!(store.claim_letter(1, gone, before).await.unwrap());

        store.forget_law_uses(TODAY).await.unwrap();
        let left = found(store.as_ref(), &[&law], 0).await;
        assert_eq!(left, [(1, "ir aa".to_owned(), 1, first, 0)]);
        assert!(!store.claim_letter(1, kept, start).await.unwrap());
        assert!(store.claim_letter(1, gone, start).await.unwrap());
    })
    .await;
}
