//! Contract of every store about its operation: the audit log, and the minutes served.

use bareme_accounts::day::Day;
use bareme_accounts::store::audit::{AUDIT_DAYS, Action, Actor, AuditEntry};
use bareme_accounts::store::availability::{AVAILABILITY_DAYS, ServedDay, ServedMinute};
use uuid::Uuid;

use super::contract::second;
use super::on_each;

const TODAY: i32 = 20_000;

fn entry(at: i64, account: Uuid, action: Action) -> AuditEntry {
    AuditEntry {
        at: second(at),
        actor: Actor::Operator,
        action,
        key: account,
        account,
        origin: "claire@desk".to_owned(),
        detail: "plan scale".to_owned(),
    }
}

#[tokio::test]
async fn entries_are_listed_from_the_newest_on() {
    on_each(async |store| {
        let [one, other] = [Uuid::now_v7(), Uuid::now_v7()];
        let entries = [
            entry(100, one, Action::Issued),
            entry(200, other, Action::Issued),
            entry(200, one, Action::Rotated),
            entry(300, one, Action::Revoked),
        ];
        for entry in &entries {
            store.add_audit_entry(entry.clone()).await.unwrap();
        }

        let [issued, of_other, rotated, revoked] = entries;
        let all = store.audit_entries(None, second(0), 10).await.unwrap();
        assert_eq!(all, [revoked.clone(), rotated.clone(), of_other, issued]);
        let of_one = store
            .audit_entries(Some(one), second(101), 10)
            .await
            .unwrap();
        assert_eq!(of_one, [revoked.clone(), rotated]);
        assert_eq!(
            store.audit_entries(None, second(0), 1).await.unwrap(),
            [revoked]
        );
    })
    .await;
}

#[tokio::test]
async fn every_actor_and_action_is_read_as_it_was_written() {
    on_each(async |store| {
        let account = Uuid::now_v7();
        for actor in Actor::ALL {
            for action in Action::ALL {
                let entry = AuditEntry {
                    actor: *actor,
                    ..entry(100, account, *action)
                };
                store.add_audit_entry(entry.clone()).await.unwrap();
                assert_eq!(
                    store.audit_entries(None, second(0), 1).await.unwrap(),
                    [entry]
                );
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_minute_counts_once_however_many_nodes_serve() {
    on_each(async |store| {
        let minute = |day: i32, minute, calls, failed| ServedMinute {
            day: Day(day),
            minute,
            calls,
            failed,
        };
        for served in [
            // Two nodes: 2 of 60 calls fail, fewer than one in twenty.
            minute(TODAY, 7, 20, 2),
            minute(TODAY, 7, 40, 0),
            minute(TODAY, 1_439, 0, 0),
            // One in twenty is too many.
            minute(TODAY, 1_000, 20, 1),
            minute(TODAY - 1, 0, 1, 1),
            minute(TODAY - 1, 2, 21, 1),
            minute(TODAY - 2, 5, 1, 0),
        ] {
            store.add_minute(served).await.unwrap();
        }

        let days = store.served_days(Day(TODAY - 1)).await.unwrap();
        let [yesterday, today] = [
            ServedDay {
                day: Day(TODAY - 1),
                first: 0,
                minutes: 1,
                calls: 22,
                failed: 2,
            },
            ServedDay {
                day: Day(TODAY),
                first: 7,
                minutes: 2,
                calls: 80,
                failed: 3,
            },
        ];
        assert_eq!(days, [yesterday, today]);
    })
    .await;
}

#[tokio::test]
async fn what_is_old_is_forgotten() {
    on_each(async |store| {
        let account = Uuid::now_v7();
        for days in [AUDIT_DAYS, AUDIT_DAYS + 1] {
            let at = i64::from(TODAY - days) * 86_400;
            store
                .add_audit_entry(entry(at, account, Action::Issued))
                .await
                .unwrap();
        }
        for days in [AVAILABILITY_DAYS, AVAILABILITY_DAYS + 1] {
            let served = ServedMinute {
                day: Day(TODAY - days),
                minute: 1,
                calls: 1,
                failed: 0,
            };
            store.add_minute(served).await.unwrap();
        }

        while store.forget(Day(TODAY)).await.unwrap() {}
        assert_eq!(
            store
                .audit_entries(None, second(0), 10)
                .await
                .unwrap()
                .len(),
            1
        );
        let days = store.served_days(Day(0)).await.unwrap();
        assert_eq!(
            days.iter().map(|day| day.day).collect::<Vec<_>>(),
            [Day(TODAY - AVAILABILITY_DAYS)]
        );
    })
    .await;
}
