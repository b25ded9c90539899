//! Tests of loading at start and of reloading.

mod simulation;

use std::fs;

use tokio::sync::mpsc::unbounded_channel;

use super::*;

fn reloader(root: &Path) -> Reloader {
    Reloader::new(
        root.to_owned(),
        CheckRecordFile::default(),
        Clock::new(None),
        Arc::default(),
        unbounded_channel().0,
    )
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[tokio::test]
async fn looking_is_enough_where_nothing_can_be_watched() {
    let folder = tempfile::tempdir().unwrap();
    let mut reloader = reloader(folder.path());
    reloader.guarded(Reloader::read);
    assert!(!reloader.rules.outcome().errors.is_empty() && reloader.rules.snapshot().is_none());

    copy_folder(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules"),
        folder.path(),
    );
    reloader.guarded(Reloader::read);
    assert!(reloader.rules.outcome().errors.is_empty());
    let first = reloader.rules.snapshot().unwrap();

    // Nothing changed, so nothing is loaded.
    reloader.guarded(Reloader::read);
    assert!(Arc::ptr_eq(&first, &reloader.rules.snapshot().unwrap()));

    fs::write(folder.path().join("service.yaml"), "format: bareme/1").unwrap();
    reloader.guarded(Reloader::read);
    let outcome = reloader.rules.outcome();
    assert!(
        outcome
            .errors
            .iter()
            .all(|error| error.file == "service.yaml")
    );
    assert_eq!(
        outcome
            .held
            .iter()
            .map(|held| held.folder.as_str())
            .collect::<Vec<_>>(),
        ["service.yaml"]
    );
    assert_eq!(
        reloader.rules.snapshot().unwrap().rules.version(),
        first.rules.version()
    );
}

#[tokio::test]
async fn a_set_that_lost_files_waits_until_they_are_still() {
    let folder = tempfile::tempdir().unwrap();
    copy_folder(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules"),
        folder.path(),
    );
    let mut reloader = reloader(folder.path());
    reloader.guarded(Reloader::read);
    let is_of = |reloader: &Reloader, version: &str| {
        reloader.rules.snapshot().unwrap().rules.version() == version
    };
    let first = reloader
        .rules
        .snapshot()
        .unwrap()
        .rules
        .version()
        .to_owned();

    fs::remove_dir_all(folder.path().join("salaire-net/ci")).unwrap();
    reloader.guarded(Reloader::read);
    let outcome = reloader.rules.outcome();
    assert!(
        outcome.errors.is_empty()
            && outcome
                .lost
                .iter()
                .any(|path| path == "salaire-net/ci/method.yaml")
    );
    assert!(is_of(&reloader, &first));

    // The files are back, so nothing waits.
    let ci = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules/salaire-net/ci");
    copy_folder(&ci, &folder.path().join("salaire-net/ci"));
    reloader.guarded(Reloader::read);
    assert!(reloader.rules.outcome().lost.is_empty() && reloader.settling.is_none());
    fs::remove_dir_all(folder.path().join("salaire-net/ci")).unwrap();
    reloader.guarded(Reloader::read);
    assert!(!reloader.rules.outcome().lost.is_empty());

    // Another change restarts the wait.
    let long_ago = || Instant::now().checked_sub(SETTLE_TIME).unwrap();
    reloader.settling = reloader.settling.map(|(content, _)| (content, long_ago()));
    fs::remove_dir_all(folder.path().join("salaire-net/cm")).unwrap();
    reloader.guarded(Reloader::read);
    assert!(is_of(&reloader, &first));

    reloader.settling = reloader.settling.map(|(content, _)| (content, long_ago()));
    reloader.guarded(Reloader::read);
    assert!(
        reloader
            .rules
            .snapshot()
            .unwrap()
            .rules
            .folder("salaire-net/ci")
            .is_none()
    );
    assert!(reloader.rules.outcome().lost.is_empty());
}

#[tokio::test]
async fn a_reading_that_panics_leaves_the_last_good_set_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    copy_folder(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules"),
        folder.path(),
    );
    let mut reloader = reloader(folder.path());
    reloader.guarded(Reloader::read);
    let first = reloader.rules.snapshot().unwrap();
    reloader.guarded(|_| panic!("the engine has a defect"));
    assert_eq!(reloader.rules.outcome().errors[0].code, "erreur-interne");
    assert!(Arc::ptr_eq(&first, &reloader.rules.snapshot().unwrap()));
    assert!(reloader.rules.loading.since().is_none());
}

/// Expected values of a case of VAT in Corsica.
const CORSICA: &str = "ttc: 120, taux: 0.2, sens: ht, territoire: corse";

/// A day on which services start.
const DAY: Date = jiff::civil::date(2026, 3, 31);

/// A service started on a day beside a store, after its first load.
fn started(rules: &Path, store: &Path, day: Date) -> Reloader {
    let remembered = CheckRecordFile::beside(&Location::Sqlite(store.to_owned()));
    let mut reloader = Reloader::new(
        rules.to_owned(),
        remembered,
        Clock::new(Some(day)),
        Arc::default(),
        unbounded_channel().0,
    );
    reloader.guarded(Reloader::read);
    reloader
}

/// The folders served without having been checked.
fn trusted(reloader: &Reloader) -> Vec<String> {
    let snapshot = reloader.rules.snapshot().unwrap();
    let trusted = snapshot
        .rules
        .folders()
        .filter(|folder| folder.is_trusted());
    trusted.map(|folder| folder.path().to_owned()).collect()
}

#[test]
fn what_was_checked_the_same_day_answers_at_once_and_is_remembered_on() {
    let (rules, place) = (harness::Rules::small(), tempfile::tempdir().unwrap());
    let store = place.path().join("bareme.db");
    let mut first = started(&rules.root(), &store, DAY);
    assert_eq!(trusted(&first), Vec::<String>::new());
    first.guarded(Reloader::complete);
    let file = fs::read(place.path().join("bareme.db.checked")).unwrap();

    let mut again = started(&rules.root(), &store, DAY);
    assert_eq!(trusted(&again), ["ir", "tva"]);
    again.guarded(Reloader::complete);
    assert_eq!(
        fs::read(place.path().join("bareme.db.checked")).unwrap(),
        file
    );
    let version = |reloader: &Reloader| {
        reloader
            .rules
            .snapshot()
            .unwrap()
            .rules
            .version()
            .to_owned()
    };
    assert_eq!(version(&again), version(&first));
    assert_eq!(
        again.rules.counts().map(|(_, count)| count),
        [1, 0, 0],
        "it came into force once"
    );

    // A change is checked alone, and recorded with the folders that were trusted.
    let method = rules.read("tva/method.yaml");
    rules.write("tva/method.yaml", &format!("{method}# a note\n"));
    again.guarded(Reloader::read);
    assert_eq!(trusted(&again), ["ir"]);
    again.guarded(Reloader::complete);
    assert_eq!(trusted(&started(&rules.root(), &store, DAY)), ["ir", "tva"]);

    let tomorrow = DAY.tomorrow().unwrap();
    assert_eq!(
        trusted(&started(&rules.root(), &store, tomorrow)),
        Vec::<String>::new()
    );
    // Past midnight everything is checked again and recorded.
    again.clock = Clock::new(Some(tomorrow));
    again.guarded(Reloader::complete);
    assert_eq!(trusted(&again), Vec::<String>::new());
    assert_eq!(
        trusted(&started(&rules.root(), &store, tomorrow)),
        ["ir", "tva"]
    );
}

#[test]
fn what_changed_or_was_not_remembered_whole_is_checked_before_it_answers() {
    let (rules, place) = (harness::Rules::small(), tempfile::tempdir().unwrap());
    let (store, file) = (
        place.path().join("bareme.db"),
        place.path().join("bareme.db.checked"),
    );
    started(&rules.root(), &store, DAY).complete();
    let text = fs::read(&file).unwrap();
    fs::write(&file, &text[..text.len() - 1]).unwrap();
    assert_eq!(
        trusted(&started(&rules.root(), &store, DAY)),
        Vec::<String>::new(),
        "cut off"
    );

    fs::write(&file, &text).unwrap();
    let method = rules.read("tva/method.yaml");
    rules.write("tva/method.yaml", &format!("{method}# a note\n"));
    assert_eq!(trusted(&started(&rules.root(), &store, DAY)), ["ir"]);
    rules.replace(
        "tva/cases.yaml",
        CORSICA,
        &CORSICA.replace("ttc: 120", "ttc: 121"),
    );
    let broken = started(&rules.root(), &store, DAY);
    assert_eq!(broken.rules.outcome().held[0].folder, "tva");
    assert!(
        broken
            .rules
            .snapshot()
            .unwrap()
            .rules
            .folder("tva")
            .is_none()
    );
}

#[test]
fn what_fails_when_everything_is_checked_again_is_reported_and_no_longer_remembered() {
    let (rules, place) = (harness::Rules::small(), tempfile::tempdir().unwrap());
    let store = place.path().join("bareme.db");
    let mut reloader = started(&rules.root(), &store, DAY);
    reloader.guarded(Reloader::complete);
    let cases = rules
        .read("tva/cases.yaml")
        .replace(CORSICA, &CORSICA.replace("ttc: 120", "ttc: 121"));
    let served = FileSet::clone(&reloader.served).with("tva/cases.yaml", &cases);
    reloader.served = Arc::new(served);
    let tomorrow = DAY.tomorrow().unwrap();
    reloader.clock = Clock::new(Some(tomorrow));
    // Neither at once nor at the looks that follow.
    for _ in 0..2 {
        reloader.guarded(Reloader::complete);
        let outcome = reloader.rules.outcome();
        assert_eq!(
            (outcome.held[0].folder.as_str(), outcome.held[0].serves),
            ("tva", true)
        );
        assert_eq!(outcome.errors[0].code, "C01");
        assert_eq!(
            trusted(&started(&rules.root(), &store, tomorrow)),
            Vec::<String>::new()
        );
    }
}
