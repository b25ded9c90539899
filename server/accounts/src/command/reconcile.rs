//! `keys reconcile`: brings keys restored from a backup to their newest known state.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use jiff::Timestamp;
use uuid::Uuid;

use super::{CommandContext, CommandFailure, export, print};
use crate::store::Record;
use crate::store::audit::Action;
use crate::store::sqlite::copy::{self, Salvaged};

/// First bytes of an SQLite file.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// The newest known state of the keys.
#[derive(Debug)]
struct Newer {
    records: Vec<Record>,
    /// When this list of keys was complete; unknown for the file of a store, which may be partly
    /// unreadable.
    taken: Option<Timestamp>,
}

/// A change that brings a key to its newest state.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// It was issued after the backup.
    Add(Record),
    /// It was changed, or revoked.
    Put(Record),
    /// It was removed.
    Remove(Uuid),
    /// It is not in the newer state, but nothing tells that it was removed: it is left as it is.
    Leave(Uuid),
}

/// Compares the keys, and changes those of the store unless `only_say` is set.
pub(super) async fn run(
    context: &CommandContext<'_>,
    from: &Path,
    only_say: bool,
) -> Result<(), CommandFailure> {
    let store = context.store;
    let newer = read(from)?;
    let here = store.keys().await?;
    let steps = compare(&here, &newer);

    let mut done = BTreeMap::<&str, u64>::new();
    for step in steps {
        // Printed before the change: if the store fails, the last line names the key at which it
        // did.
        let (verb, line) = describe(&step, &here);
        print(&format!("{line}\n"))?;
        *done.entry(verb).or_default() += 1;
        match step {
            _ if only_say => {}
            Step::Add(record) | Step::Put(record) => {
                let subscription = record.subscription.clone();
                context
                    .audit(Action::Changed, &record, "as it was after the backup")
                    .await?;
                store.put_key(record).await?;
                // The facts in the backup are older than the key: they are removed, and the next
                // event makes new ones from the key.
                if let Some(id) = subscription {
                    store.forget_subscription(id).await?;
                }
            }
            Step::Remove(id) => {
                if let Some(record) = here.iter().find(|record| record.id == id) {
                    context
                        .audit(Action::Removed, record, "as it was after the backup")
                        .await?;
                }
                store.remove_keys(vec![id]).await?;
            }
            Step::Leave(_) => {}
        }
    }

    let counts: Vec<String> = done
        .iter()
        .map(|(verb, count)| format!("{count} {verb}"))
        .collect();
    let counts = if counts.is_empty() {
        "nothing differs".to_owned()
    } else {
        counts.join(", ")
    };

    let mode = if only_say {
        "nothing was changed: "
    } else {
        ""
    };
    eprintln!(
        "{mode}{} keys compared with {}: {counts}",
        newer.records.len(),
        here.len()
    );
    Ok(())
}

/// Reads the file of a store, whole or damaged, or a list of keys.
fn read(path: &Path) -> Result<Newer, CommandFailure> {
    let failed = |reason: String| CommandFailure::From(format!("`{}`: {reason}", path.display()));
    let mut start = Vec::new();
    let length = u64::try_from(SQLITE.len()).unwrap_or_default();
    let opened = File::open(path).and_then(|file| file.take(length).read_to_end(&mut start));
    opened.map_err(|error| failed(error.to_string()))?;

    if start != SQLITE {
        let text = fs::read(path).map_err(|error| failed(error.to_string()))?;
        let (taken, records) = export::read_list(&text).map_err(failed)?;
        return Ok(Newer {
            records,
            taken: Some(taken),
        });
    }

    // A copy is read, never the file itself: it may be the last thing that is left.
    let Salvaged { records, damage } =
        copy::salvage(path).map_err(|unavailable| failed(unavailable.0))?;
    if let Some(damage) = damage {
        eprintln!(
            "`{}` is damaged ({}): {} keys could be read, others may be missing",
            path.display(),
            damage.trim_end(),
            records.len()
        );
    }
    Ok(Newer {
        records,
        taken: None,
    })
}

/// The changes that bring the keys of the store to the newer state. A key that is revoked here
/// stays revoked.
fn compare(here: &[Record], newer: &Newer) -> Vec<Step> {
    let known: BTreeMap<Uuid, &Record> = here.iter().map(|record| (record.id, record)).collect();

    let mut steps = Vec::new();
    for record in &newer.records {
        let Some(old) = known.get(&record.id) else {
            steps.push(Step::Add(record.clone()));
            continue;
        };
        // The earlier of two revocations: a restore must not make a leaked key valid again.
        let revoked = [old.revoked, record.revoked].into_iter().flatten().min();
        let record = Record {
            revoked,
            ..record.clone()
        };
        if record != **old {
            steps.push(Step::Put(record));
        }
    }

    let ids: BTreeSet<Uuid> = newer.records.iter().map(|record| record.id).collect();
    for record in here.iter().filter(|record| !ids.contains(&record.id)) {
        match newer.taken {
            // The list was complete when it was taken: a key from before that is not in it had been
            // removed.
            Some(taken) if record.created < taken => steps.push(Step::Remove(record.id)),
            // It was issued after the restore.
            Some(_) => {}
            None => steps.push(Step::Leave(record.id)),
        }
    }
    steps
}

/// Name of a change, and a line that describes it.
fn describe(step: &Step, here: &[Record]) -> (&'static str, String) {
    let of = |id: Uuid| here.iter().find(|record| record.id == id);
    let name = |record: &Record| format!("{} …{} {}", record.id, record.last_four, record.email);
    let named = |id: Uuid| of(id).map_or_else(|| id.to_string(), name);
    match step {
        Step::Add(record) => ("added", format!("added    {}", name(record))),
        Step::Put(record) if record.revoked != of(record.id).and_then(|old| old.revoked) => {
            ("revoked", format!("revoked  {}", name(record)))
        }
        Step::Put(record) => ("changed", format!("changed  {}", name(record))),
        Step::Remove(id) => ("removed", format!("removed  {}", named(*id))),
        Step::Leave(id) => (
            "left as they are",
            format!("left     {}: it is not among the newer ones", named(*id)),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::record;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_restored_store_becomes_what_it_had_become() {
        let [revoked, changed, same, removed, later, since] =
            [1, 2, 3, 4, 5, 90].map(|second| Record {
                created: at(second),
                ..record()
            });
        let here = [
            revoked.clone(),
            changed.clone(),
            same.clone(),
            removed.clone(),
            since.clone(),
        ];
        let revoked_since = Record {
            revoked: Some(at(50)),
            ..revoked
        };
        let changed_since = Record {
            plan: "scale".to_owned(),
            ..changed
        };
        let records = vec![
            revoked_since.clone(),
            changed_since.clone(),
            same,
            later.clone(),
        ];
        let list = Newer {
            records: records.clone(),
            taken: Some(at(60)),
        };
        let of_all = vec![
            Step::Put(revoked_since),
            Step::Put(changed_since),
            Step::Add(later),
        ];
        let mut steps = compare(&here, &list);
        assert_eq!(steps.pop(), Some(Step::Remove(removed.id)));
        assert_eq!(steps, of_all);

        let mut steps = compare(
            &here,
            &Newer {
                records,
                taken: None,
            },
        );
        assert_eq!(
            steps.split_off(3),
            [Step::Leave(removed.id), Step::Leave(since.id)],
            "nothing says they were removed"
        );
        assert_eq!(steps, of_all);
    }

    #[test]
    fn what_is_revoked_here_stays_so() {
        let good = record();
        let revoked = Record {
            revoked: Some(at(50)),
            ..good.clone()
        };
        assert_eq!(
            compare(
                std::slice::from_ref(&revoked),
                &Newer {
                    records: vec![good.clone()],
                    taken: None
                }
            ),
            []
        );
        let sooner = Record {
            revoked: Some(at(40)),
            ..good
        };
        let newer = Newer {
            records: vec![sooner.clone()],
            taken: None,
        };
        assert_eq!(compare(&[revoked], &newer), [Step::Put(sooner)]);
    }
}
