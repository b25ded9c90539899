//! Ten years of monthly sets: each law is found again, and what is forgotten is gone.

use bareme_accounts::store::Purpose;
use bareme_accounts::store::sqlite::Sqlite;
use bareme_api::wire::clock::Clock;
use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use tempfile::TempDir;

use super::*;
use crate::reload::in_force::Published;
use crate::testing::rules;

const FOLDER: &str = "ir";
const FILE: &str = "ir/2026-01-01.yaml";
const DAY: Date = date(2026, 6, 30);

/// The first day of a month, counted from January 2027.
fn first_of(month: u16) -> Date {
    let years = i16::try_from(month / 12).unwrap();
    date(2027 + years, i8::try_from(month % 12 + 1).unwrap(), 1)
}

/// The clock of a day at noon.
fn clock(day: Date) -> Clock {
    let noon = day.at(12, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap();
    Clock::new(None).set_to(noon.timestamp())
}

fn archive() -> (TempDir, Archive) {
    let place = tempfile::tempdir().unwrap();
    let store = Sqlite::open(&place.path().join("bareme.db"), Purpose::Serving).unwrap();
    (place, Archive::new(Arc::new(store)))
}

/// The income tax with the first bound of its scale moved by so much, in a service of all.
fn published(service: &Rules, by: u32) -> Published {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules");
    let all = FileSet::read(&root).of_folder(FOLDER);
    let texts = all.texts().map(|(path, text)| {
        let moved = text.replace("{up_to: 11 600,", &format!("{{up_to: {},", 11_600 + by));
        let text = if path == FILE { moved } else { text.to_owned() };
        (path.to_owned(), text)
    });
    let files = FileSet::from_texts(texts.collect::<Vec<_>>());
    let loader = Loader::new().unchecked().without_cases();
    let folders = loader.load_files(&files).rules.unwrap();

    Published {
        snapshot: Arc::new(Snapshot::new(service.with_folders(folders))),
        files: Arc::new(files),
    }
}

fn version(rules: &Rules) -> String {
    let folder = rules.folder(FOLDER).unwrap();
    folder.edition(DAY).unwrap().version().to_owned()
}

#[tokio::test]
async fn each_law_of_ten_years_is_found_again_until_it_is_forgotten() {
    let (place, archive) = archive();
    let service = rules();

    // 1. A correction each month, and a restart that changes nothing.
    let mut versions = Vec::new();
    let mut before: Option<Published> = None;
    for month in 0..120 {
        let set = published(&service, u32::from(month));
        let now = clock(first_of(month));
        archive.keep_one(&set, before.as_ref(), now).await;
        archive.keep_one(&set, None, now).await;
        versions.push(version(&set.snapshot.rules));
        before = Some(set);
    }
    let index = archive.index();
    assert_eq!(index.sets().len(), 120);

    // 2. Each law is that of its month, by its version and by a day of that month.
    let current = Arc::new(Snapshot::new(service));
    let folders = [FOLDER.to_owned()];
    for (month, version) in (0_u16..).zip(&versions).step_by(17) {
        let by_version = index.with_law(FOLDER, version).unwrap().number;
        let by_day = index
            .known_on(first_of(month).last_of_month())
            .unwrap()
            .number;
        assert_eq!([by_version, by_day], [i64::from(month) + 1; 2]);
        let past = archive.rules(by_version, &folders, &current).await;
        assert_eq!(self::version(&past.unwrap().unwrap().rules), *version);
    }
    let all: Vec<&str> = versions.iter().rev().map(String::as_str).collect();
    assert_eq!(index.versions_on(FOLDER, DAY), all);
    // Every set but the first corrects the law of a year that has come.
    let corrected = index.sets().iter().map(|set| set.changes.corrections.len());
    assert_eq!(
        corrected.collect::<Vec<_>>(),
        [vec![0], vec![1; 119]].concat()
    );

    // 3. It takes little room.
    let bytes = std::fs::metadata(place.path().join("bareme.db"))
        .unwrap()
        .len();
    assert!(bytes < 2_000_000, "{bytes}");

    // 4. What was replaced before a day is gone, and the set of that day is whole.
    archive.forget(first_of(60)).await.unwrap();
    let index = archive.index();
    assert_eq!(index.sets().len(), 60);
    assert!(index.with_law(FOLDER, &versions[59]).is_none());
    assert!(index.known_on(first_of(59)).is_none());
    let first = index.with_law(FOLDER, &versions[60]).unwrap().number;
    let whole = Archive::new(Arc::clone(&archive.store));
    whole.read_again().await.unwrap();
    let past = whole.rules(first, &folders, &current).await.unwrap();
    assert_eq!(version(&past.unwrap().rules), versions[60]);
}

/// Sets of the measure below.
const MANY: u32 = 1_000;

/// What a thousand sets take, each with another figure of the income tax and of the calculations
/// that use it: room in the file, and time of a start. Prints both.
#[tokio::test]
#[ignore = "a measure of some minutes: `cargo test --workspace --lib -- --ignored --nocapture a_thousand_sets`"]
async fn a_thousand_sets_take_little_room_and_time() {
    let (place, archive) = archive();
    let file = place.path().join("bareme.db");
    let service = rules();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules");
    let all = FileSet::read(&root);
    let now = clock(DAY);

    // 1. The whole set first, then each change.
    let users: Vec<String> = service
        .folders()
        .filter(|folder| folder.path() == FOLDER || folder.used_folders().contains(FOLDER))
        .map(|folder| folder.path().to_owned())
        .collect();
    let users: Vec<&str> = users.iter().map(String::as_str).collect();
    let loader = Loader::new().unchecked().without_cases();
    let mut before: Option<Published> = None;
    let mut first = 0;
    for by in 0..=MANY {
        let moved = |(path, text): (&str, &str)| {
            let bound = format!("{{up_to: {},", 11_600 + by);
            let text = match path == FILE {
                true => text.replace("{up_to: 11 600,", &bound),
                false => text.to_owned(),
            };
            (path.to_owned(), text)
        };
        let files = FileSet::from_texts(all.texts().map(moved).collect::<Vec<_>>());
        let folders = loader.load_files(&files.with_all_called(&users)).rules;
        let folders = folders.unwrap();
        let set = Published {
            snapshot: Arc::new(Snapshot::new(service.with_folders(folders))),
            files: Arc::new(files),
        };
        archive.keep_one(&set, before.as_ref(), now).await;
        before = Some(set);
        if by == 0 {
            first = bytes_of(&archive, &file).await;
        }
    }
    let sets = archive.index().sets().len();
    assert_eq!(sets, MANY as usize + 1);
    let bytes = bytes_of(&archive, &file).await;

    // 2. What a start reads of them.
    let again = Archive::new(Arc::clone(&archive.store));
    let start = std::time::Instant::now();
    again.refresh().await.unwrap();
    let took = start.elapsed();
    assert_eq!(again.index().last_number(), i64::from(MANY) + 1);

    println!(
        "{} folders of {} files change; the first set takes {} KB, {MANY} more {} KB, which a start reads in {took:?}",
        users.len(),
        all.texts().count(),
        first / 1_000,
        (bytes - first) / 1_000,
    );
}

/// The bytes of the file of a store, once the write-ahead log is in it.
async fn bytes_of(archive: &Archive, file: &std::path::Path) -> u64 {
    archive.store.close().await.unwrap();
    std::fs::metadata(file).unwrap().len()
}
