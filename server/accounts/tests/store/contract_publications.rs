//! Contract of every store about publishable keys.

use bareme_accounts::publishable::{Draft, Publication};
use bareme_accounts::store::Record;
use uuid::Uuid;

use super::contract::{key, record, second};
use super::on_each;

fn publication(label: &str, origins: &[&str], calls: &str) -> Publication {
    let draft = Draft {
        label,
        origins: origins.to_vec(),
        calls_per_day: calls,
    };
    draft.read().unwrap()
}

#[tokio::test]
async fn a_publication_is_kept_with_its_key_and_changed_alone() {
    on_each(async |store| {
        let text = key();
        let shop = Record {
            publication: Some(publication(
                "Boutique d’élite",
                &["https://a.example", "http://localhost:8080"],
                "500",
            )),
            ..record(&text)
        };
        let secret = record(&key());
        store.add_key(shop.clone()).await.unwrap();
        store.add_key(secret.clone()).await.unwrap();
        let found = store.find_keys(vec![text.digest()]).await.unwrap();
        assert_eq!(found, std::slice::from_ref(&shop));

        // The end that it has meanwhile stays.
        assert!(
            store
                .revoke_key(shop.id, second(1_800_000_500))
                .await
                .unwrap()
        );
        let changed = publication("", &["https://b.example"], "");
        assert!(
            store
                .set_publication(shop.id, changed.clone())
                .await
                .unwrap()
        );
        let expected = Record {
            revoked: Some(second(1_800_000_500)),
            publication: Some(changed.clone()),
            ..shop
        };
        let found = store.find_keys(vec![text.digest()]).await.unwrap();
        assert_eq!(found, std::slice::from_ref(&expected));

        // A secret key never becomes publishable.
        for id in [secret.id, Uuid::now_v7()] {
            assert!(!store.set_publication(id, changed.clone()).await.unwrap());
        }
        let found = store.find_keys(vec![secret.digest]).await.unwrap();
        assert_eq!(found, [secret]);

        // A restore puts it back as a list of keys holds it.
        store.remove_keys(vec![expected.id]).await.unwrap();
        store.put_key(expected.clone()).await.unwrap();
        let newer = Record {
            publication: Some(publication("", &["https://c.example"], "9")),
            ..expected
        };
        store.put_key(newer.clone()).await.unwrap();
        let found = store.find_keys(vec![text.digest()]).await.unwrap();
        assert_eq!(found, [newer]);
    })
    .await;
}
