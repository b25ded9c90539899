//! Records of checked files: what they hold, and what a damaged or forged one changes.

use jiff::civil::date;

use super::*;
use crate::run::InternalFault;
use crate::set::FileSet;
use crate::set::load::Loader;
use crate::testing::{query, scale, set, whole};
use crate::text::Report;

const DAY: Date = date(2026, 3, 31);

type Files = Vec<(&'static str, String)>;

/// The paths of the folders loaded without checks, given the bytes of a record.
fn trusted(bytes: &[u8], day: Date, files: &[(&'static str, String)]) -> Vec<String> {
    let checked = CheckRecord::read(bytes, day);
    let rules = Loader::new()
        .trusting(&checked)
        .load(set(files).path())
        .rules
        .unwrap();
    rules
        .folders()
        .filter(|folder| folder.is_trusted())
        .map(|folder| folder.path().to_owned())
        .collect()
}

fn remembered() -> Vec<u8> {
    CheckRecord::from_rules(
        &Loader::new().load(set(&whole()).path()).rules.unwrap(),
        DAY,
    )
    .to_bytes()
}

/// The files with the text of one changed.
fn with(path: &'static str, change: impl Fn(&mut String)) -> Files {
    let mut files = whole();
    files
        .iter_mut()
        .filter(|(known, _)| *known == path)
        .for_each(|(_, text)| change(text));
    files
}

/// A record that vouches for the files of the folder `zz`, whatever they are.
fn forged(files: &Files, trees: &[u8]) -> CheckRecord {
    let content = FileSet::read(set(files).path()).folders["zz"].content();
    let folder = CheckedFolder {
        content,
        trees: trees.into(),
        draft_errors: Vec::new(),
    };
    CheckRecord {
        day: DAY,
        service: None,
        folders: BTreeMap::from([("zz".to_owned(), folder)]),
    }
}

#[test]
fn the_same_files_the_same_day_are_trusted() {
    assert_eq!(trusted(&remembered(), DAY, &whole()), ["famille/aa", "zz"]);
    assert_eq!(
        trusted(&remembered(), date(2026, 4, 1), &whole()),
        Vec::<String>::new()
    );
}

#[test]
fn a_folder_with_another_byte_is_checked_again_alone() {
    let files = with("zz/2026-01-01.yaml", |text| text.push('\n'));
    assert_eq!(trusted(&remembered(), DAY, &files), ["famille/aa"]);
}

#[test]
fn bytes_of_another_program_or_with_a_change_or_cut_off_remember_nothing() {
    let bytes = remembered();
    assert_eq!(CheckRecord::read(&bytes, DAY).count(), 2);
    let (record, _) = bytes.split_last_chunk::<END>().unwrap();
    let signed = |record: &[u8]| [record, &Sha256::digest(record)[..]].concat();
    let replaced = |from: &str, to: &str| {
        let start = record
            .windows(from.len())
            .position(|part| part == from.as_bytes())
            .unwrap();
        [
            &record[..start],
            to.as_bytes(),
            &record[start + from.len()..],
        ]
        .concat()
    };
    let other = replaced(PROGRAM, &PROGRAM.replace('+', "-"));
    let changed = [&replaced("zz", "zy"), &bytes[record.len()..]].concat();
    for (what, bytes) in [
        ("program", signed(&other)),
        ("path", changed),
        ("more", signed(&bytes)),
    ] {
        assert_eq!(CheckRecord::read(&bytes, DAY).count(), 0, "{what}");
    }
    assert_eq!(CheckRecord::read(&signed(record), DAY).count(), 2);
    for end in 0..bytes.len() {
        assert_eq!(
            CheckRecord::read(&bytes[..end], DAY).count(),
            0,
            "cut off after {end} bytes"
        );
    }
    for record in [
        head(DAY).as_bytes(),
        &[head(DAY).as_bytes(), &[0xff; 20]].concat(),
        b"",
    ] {
        assert_eq!(CheckRecord::read(&signed(record), DAY).count(), 0);
    }
}

#[test]
fn only_what_was_checked_as_a_whole_is_remembered() {
    let root = set(&whole());
    let count = |loader: Loader| {
        CheckRecord::from_rules(&loader.load(root.path()).rules.unwrap(), DAY).count()
    };
    assert_eq!(count(Loader::new()), 2);
    assert_eq!(count(Loader::new().without_cases()), 0);
    assert_eq!(
        count(Loader::new().trusting(&CheckRecord::read(&remembered(), DAY))),
        2
    );
    let beside = Loader::new().only(&["zz"]).load(root.path()).rules.unwrap();
    assert_eq!(
        CheckRecord::from_rules(&beside, DAY)
            .folders
            .keys()
            .collect::<Vec<_>>(),
        ["zz"]
    );
}

#[test]
fn the_errors_of_a_draft_are_remembered() {
    let mut files = whole();
    let draft = scale("  g: {v: 20%, source: s}").replace("title: ", "state: draft\ntitle: ");
    files.push(("zz/2027-01-01.yaml", draft));
    let root = set(&files);
    let first = Loader::new().load(root.path()).rules.unwrap();
    let record = CheckRecord::read(&CheckRecord::from_rules(&first, DAY).to_bytes(), DAY);
    let again = Loader::new()
        .trusting(&record)
        .load(root.path())
        .rules
        .unwrap();
    let drafts = |rules: &Rules| rules.folder("zz").unwrap().drafts().to_vec();
    assert!(drafts(&first)[0].errors > 0 && again.folder("zz").unwrap().is_trusted());
    assert_eq!(drafts(&again), drafts(&first));
}

#[test]
fn trusted_files_are_read_from_what_was_parsed_and_calculate_the_same() {
    let root = set(&whole());
    let shown = |rules: &Rules| {
        let editions = rules.folder("zz").unwrap().editions();
        assert!(
            editions
                .iter()
                .all(|edition| edition.program().is_ok() && !edition.citation().is_empty())
        );
        format!("{editions:?}")
    };
    let first = Loader::new().load(root.path()).rules.unwrap();
    let record = CheckRecord::from_rules(&first, DAY);
    assert!(
        record
            .folders
            .values()
            .all(|folder| !folder.trees.is_empty())
    );
    let again = Loader::new()
        .trusting(&record)
        .load(root.path())
        .rules
        .unwrap();
    assert_eq!(shown(&again), shown(&first));
    assert_eq!(CheckRecord::from_rules(&again, DAY), record);

    // Bytes that are not of these files only cost time; a record without them too.
    for trees in [&[][..], &[0xff; 9], &record.folders["famille/aa"].trees] {
        let again = Loader::new()
            .trusting(&forged(&whole(), trees))
            .load(root.path())
            .rules
            .unwrap();
        assert_eq!(shown(&again), shown(&first));
    }
}

#[test]
fn an_edition_is_compiled_by_its_first_calculation_only() {
    let root = set(&whole());
    let first = Loader::new().load(root.path()).rules.unwrap();
    let again = Loader::new()
        .trusting(&CheckRecord::from_rules(&first, DAY))
        .load(root.path())
        .rules
        .unwrap();
    for rules in [first, again] {
        let edition = &rules.folder("zz").unwrap().editions()[0];
        assert!(edition.citation().contains("Source") && !edition.is_compiled());
        assert!(
            rules
                .folder("zz")
                .unwrap()
                .calculate(&query("brut=50")[..].into(), DAY)
                .is_ok()
        );
        assert!(edition.is_compiled());
        assert!(!rules.folder("famille/aa").unwrap().editions()[0].is_compiled());
    }
}

#[test]
fn a_file_of_which_something_was_reported_is_parsed_each_time() {
    let files = with("zz/2026-01-01.yaml", |text| {
        *text = text.replace("title: Titre", "title: Titre # deux")
    });
    let root = set(&files);
    let warned = |rules: &Rules| {
        rules
            .folder("zz")
            .unwrap()
            .warnings
            .all()
            .map(|found| found.code())
            .collect::<Vec<_>>()
    };
    let first = Loader::new().load(root.path()).rules.unwrap();
    let record = CheckRecord::from_rules(&first, DAY);
    assert!(!warned(&first).is_empty() && record.folders["zz"].trees.is_empty());
    let again = Loader::new()
        .trusting(&record)
        .load(root.path())
        .rules
        .unwrap();
    assert_eq!(warned(&again), warned(&first));
}

#[test]
fn what_was_wrongly_remembered_is_found_when_everything_is_checked_again() {
    let mut files = whole();
    let case = "format: bareme/1\ncases:\n  - {name: C, date: 2026-01-01, given: {brut: 50}, \
                expect: {x: 6}, origin: {kind: hand}}\n";
    files.push(("zz/cases.yaml", case.to_owned()));
    let root = set(&files);
    let served = Loader::new()
        .trusting(&forged(&files, &[]))
        .load(root.path())
        .rules
        .unwrap();
    assert!(served.folder("zz").unwrap().is_trusted());
    let after = Loader::new()
        .reusing(&served)
        .rechecking()
        .load(root.path());
    assert_eq!(
        after
            .report
            .errors()
            .map(|error| error.code())
            .collect::<Vec<_>>(),
        ["C01"]
    );
}

#[test]
fn what_cannot_be_read_is_reported_whatever_is_remembered() {
    let mut files = whole();
    files.retain(|(path, _)| *path != "zz/2026-01-01.yaml");
    files.push(("zz/2026-01-01.yaml", scale("  g: {v: 10%, source: s}")));
    let root = set(&files);
    let forged = forged(&files, &[]);
    let codes = |loader: Loader| {
        let report = loader.load(root.path()).report;
        report
            .errors()
            .map(|error| error.code())
            .collect::<Vec<_>>()
    };
    let complete = codes(Loader::new());
    assert!(!complete.is_empty());
    assert_eq!(codes(Loader::new().trusting(&forged)), complete);
}

#[test]
fn what_cannot_be_compiled_gives_no_answer_whatever_is_remembered() {
    // Only with the figures of a scale does the default turn out to be beyond its bound.
    let input = "  t: {type: rate, default: f.v, max: 5%, label: T}\nheadline:";
    let files = with("zz/method.yaml", |text| {
        *text = text
            .replace("headline:", input)
            .replace("brut * f.v", "brut * t")
    });
    let root = set(&files);
    let codes = |report: &Report| {
        report
            .errors()
            .map(|error| error.code())
            .collect::<Vec<_>>()
    };
    assert_eq!(codes(&Loader::new().load(root.path()).report), ["I13"]);
    let served = Loader::new()
        .trusting(&forged(&files, &[]))
        .load(root.path())
        .rules
        .unwrap();
    for sent in ["brut=50&t=4%25", "brut=50"] {
        let fault = served
            .folder("zz")
            .unwrap()
            .calculate(&query(sent)[..].into(), DAY)
            .unwrap_err();
        assert_eq!(fault, InternalFault::new("method").into());
    }
}
