use crate::testing::{scale, set, steps, whole, written};
use crate::text::{Diagnostic, Lang};

use super::*;

/// Codes of the errors of the whole set with one file changed, or removed.
fn reported(path: &'static str, text: Option<&str>) -> Vec<String> {
    let mut files = whole();
    files.retain(|(known, _)| *known != path);
    files.extend(text.map(|text| (path, text.to_owned())));
    let loaded = Loader::new().load(set(&files).path());
    assert_eq!(loaded.rules.is_some(), loaded.report.is_ok());
    loaded
        .report
        .errors()
        .map(|error| format!("{} {}", error.code(), error.file()))
        .collect()
}

#[test]
fn a_whole_set_is_read() {
    let loaded = Loader::new().load(set(&whole()).path());
    let rules = loaded.rules.unwrap();
    assert_eq!(
        rules
            .folders()
            .map(|folder| folder.path().to_owned())
            .collect::<Vec<_>>(),
        ["famille/aa", "zz"]
    );
    assert_eq!(
        rules
            .family("famille")
            .map(|(word, _)| word)
            .collect::<Vec<_>>(),
        ["aa"]
    );
}

#[test]
fn files_have_their_names_and_their_places() {
    assert_eq!(
        reported("zz/methode.yaml", Some("a: b")),
        ["M18 zz/methode.yaml"]
    );
    assert_eq!(
        reported("zz/2026-02-30.yaml", Some("a: b")),
        ["M16 zz/2026-02-30.yaml"]
    );
    assert_eq!(
        reported("zz/method.yml", Some("a: b")),
        ["M18 zz/method.yml"]
    );
    assert_eq!(
        reported("zz/cases.YAML", Some("a: b")),
        ["M02 zz/cases.YAML"]
    );
    assert_eq!(
        reported("zz/2027-01-01.YAML", Some("a: b")),
        ["M02 zz/2027-01-01.YAML"]
    );
    assert_eq!(
        reported("zz/method.yaml.yaml", Some("a: b")),
        ["M18 zz/method.yaml.yaml"]
    );
    for name in ["zz/drapeau.svg", "zz/PICTURE.SVG", "zz/picture.svg.txt"] {
        assert_eq!(reported(name, Some("")), [format!("M02 {name}")]);
    }
    assert_eq!(reported("picture.svg", Some("")), ["M19 picture.svg"]);
    assert_eq!(reported("autre.yaml", Some("a: b")), ["M19 autre.yaml"]);
    assert_eq!(reported("zz/method.yaml", None), ["M03 zz/2026-01-01.yaml"]);
    assert_eq!(reported("zz/2026-01-01.yaml", None), ["M05 zz/method.yaml"]);
    assert_eq!(
        reported("zz/2026-01-01.yaml", Some("a: [")),
        ["Y01 zz/2026-01-01.yaml"]
    );
    assert_eq!(
        reported("zz/method.yaml", Some("a: [")),
        ["Y01 zz/method.yaml"]
    );
    assert_eq!(
        reported("service.yaml", Some("a: [")),
        Vec::<String>::new(),
        "left to the service"
    );
    assert_eq!(reported("service.yml", Some("a: b")), ["M02 service.yml"]);
    assert_eq!(
        reported(
            "zz/2026-01-01.yaml",
            Some(
                &scale("  f: {v: 1%, source: s}")
                    .replace("sources", "method: method-b.yaml\nsources")
            )
        ),
        ["M04 zz/2026-01-01.yaml"]
    );
    assert_eq!(
        reported("zz/.2026.yaml.swp", Some("a: b")),
        Vec::<String>::new()
    );
    assert_eq!(reported("zz/notes.md", Some("a: b")), Vec::<String>::new());
}

#[test]
fn cases_without_days_are_no_mistake_where_only_the_method_has_one() {
    let case = "format: bareme/1\ncases:\n  - {name: C, given: {brut: 50}, expect: {x: 5}, origin: \
                {kind: hand}}\n";
    let codes = |files: &[(&str, &str)]| {
        let report = Loader::new().load(written(files).path()).report;
        report
            .errors()
            .map(|error| format!("{} {}", error.code(), error.file()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        codes(&[("zz/method.yaml", "title: ["), ("zz/cases.yaml", case)]),
        ["Y01 zz/method.yaml"]
    );
    let dated = [
        ("zz/method.yaml", "title: ["),
        ("zz/2026-01-01.yaml", "title: ["),
        ("zz/cases.yaml", case),
    ];
    assert_eq!(
        codes(&dated),
        [
            "Y01 zz/2026-01-01.yaml",
            "C09 zz/cases.yaml",
            "Y01 zz/method.yaml"
        ]
    );
}

#[test]
fn a_method_says_which_folder_it_is_for() {
    assert_eq!(
        reported("zz/method.yaml", Some(&steps().replace("folder: zz\n", ""))),
        ["S02 zz/method.yaml"]
    );
    assert_eq!(
        reported("famille/aa/method.yaml", Some(&steps())),
        ["M08 famille/aa/method.yaml"]
    );
}

#[test]
fn a_method_without_dates_has_no_dated_file() {
    let undated = steps()
        .replace("title", "dated: false\ntitle")
        .replace("figures:\n  f: {v: rate}\n", "")
        .replace("brut * f.v", "brut / 2");
    assert_eq!(
        reported("zz/method.yaml", Some(&undated)),
        ["M06 zz/2026-01-01.yaml"]
    );
    let with_figures = steps().replace("title", "dated: false\ntitle");
    assert_eq!(
        reported("zz/method.yaml", Some(&with_figures)),
        ["G19 zz/method.yaml"]
    );
}

#[test]
fn a_case_that_fails_refuses_the_set() {
    let case = |x: &str| {
        format!(
            "format: bareme/1\ncases:\n  - {{name: C, date: 2026-01-01, given: {{brut: 50}}, \
             expect: {{x: {x}}}, origin: {{kind: hand}}}}\n"
        )
    };
    assert_eq!(
        reported("zz/cases.yaml", Some(&case("5"))),
        Vec::<String>::new()
    );
    assert_eq!(
        reported("zz/cases.yaml", Some(&case("6"))),
        ["C01 zz/cases.yaml"]
    );
}

#[test]
fn an_empty_or_missing_folder_is_reported() {
    let codes = |path: &Path| {
        Loader::new()
            .load(path)
            .report
            .errors()
            .map(|error| error.code())
            .collect::<Vec<_>>()
    };
    assert_eq!(codes(written(&[]).path()), ["M07"]);
    assert_eq!(codes(Path::new("/nowhere/at/all")), ["M01"]);
}

#[test]
fn a_file_that_is_no_text_is_reported() {
    let root = set(&whole());
    std::fs::write(root.path().join("zz/cases.yaml"), [0xff, 0xfe, 0x00]).unwrap();
    assert_eq!(
        Loader::new()
            .load(root.path())
            .report
            .errors()
            .map(|error| error.code())
            .collect::<Vec<_>>(),
        ["M15"]
    );
}

#[test]
fn the_version_changes_with_every_byte_and_only_then() {
    let version = |files: &[(&'static str, String)]| {
        Loader::new()
            .load(set(files).path())
            .rules
            .unwrap()
            .version()
            .to_owned()
    };
    let mut changed = whole();
    changed[1].1.push_str("\n# note");
    assert_eq!(version(&whole()), version(&whole()));
    assert_ne!(version(&whole()), version(&changed));
}

#[test]
fn folders_that_have_not_changed_are_kept() {
    let root = set(&whole());
    let before = Loader::new().load(root.path()).rules.unwrap();
    std::fs::write(
        root.path().join("zz/2026-01-01.yaml"),
        scale("  f: {v: 20%, source: s}"),
    )
    .unwrap();
    let after = Loader::new()
        .reusing(&before)
        .load(root.path())
        .rules
        .unwrap();
    let kept = |path: &str| std::ptr::eq(before.folder(path).unwrap(), after.folder(path).unwrap());
    assert_eq!((kept("zz"), kept("famille/aa")), (false, true));
}

/// The texts of `zz` in English.
const ENGLISH: &str = "format: bareme/1\ntexts:\n  - {fr: \"Titre\", en: \"Title\"}\n  - {fr: \"Brut\", en: \"Gross\"}\n  - {fr: \"Cadre\", en: \"Executive\"}\n  - {fr: \"Refusé sous {f.v}.\", en: \"Refused below {f.v}.\"}\n";

/// The set with a check in `zz`, and with its texts in English.
fn translated(english: &str) -> Loaded {
    let check = "checks: [{if: brut <= 0, refuse: \"Refusé sous {f.v}.\", input: brut}]\nfigures:";
    let mut files = whole();
    files[0].1 = files[0].1.replace("figures:", check);
    files.push(("zz/en.yaml", english.to_owned()));
    Loader::new().load(set(&files).path())
}

#[test]
fn a_folder_with_every_text_in_english_has_the_same_law_and_values() {
    let loaded = translated(ENGLISH);
    let codes: Vec<_> = loaded.report.all().map(|found| found.code()).collect();
    let rules = loaded.rules.unwrap();
    let french = rules.folder("zz").unwrap();
    let english = french.in_english().unwrap_or_else(|| panic!("{codes:?}"));
    assert_eq!((french.lang(), english.lang()), (Lang::Fr, Lang::En));
    assert_eq!((french.title(), english.title()), ("Titre", "Title"));
    assert_eq!(english.inputs()[0].label, "Gross");
    let law = |folder: &Folder| folder.latest().unwrap().version().to_owned();
    assert_eq!(law(french), law(english));

    let answer = |folder: &Folder, brut: &str| {
        let sent = [("brut".to_owned(), brut.to_owned())];
        folder
            .calculate(&sent[..].into(), crate::testing::TODAY)
            .map(|found| found.to_json().to_string())
            .map_err(|error| error.refusal().unwrap().parameters[0].reason.clone())
    };
    // The citation of an answer has the title of the folder, the day in words and a word before the
    // texts of the law, and nothing else is a text.
    let in_english = answer(french, "50").map(|json| {
        let json = json.replace("Titre", "Title");
        let (since, texts) = ("as of 1 January 2026", "legal texts, as published: ");
        json.replace("au 1er janvier 2026 (", &format!("{since} ({texts}"))
    });
    assert_eq!(answer(english, "50"), in_english);
    let refused = |folder| answer(folder, "0").unwrap_err();
    assert_eq!(refused(french).fr, "Refusé sous 10 %.");
    assert_eq!(refused(english).en, "Refused below 10%.");

    // A translation changes no version, and is none of the files that a calculation needs.
    let without = Loader::new().load(set(&whole()).path()).rules.unwrap();
    let with = |files: &[(&'static str, String)]| {
        let mut files = files.to_vec();
        files.push(("famille/aa/en.yaml", ENGLISH.to_owned()));
        Loader::new().load(set(&files).path()).rules.unwrap()
    };
    let version = |rules: &Rules| rules.folder("famille/aa").unwrap().version().to_owned();
    assert_eq!(version(&without), version(&with(&whole())));
}

#[test]
fn a_picture_is_of_the_folder_in_both_languages_and_holds_no_law_back() {
    // It has no check, whose text would be of nothing.
    let english: Vec<&str> = ENGLISH.lines().take(5).collect();
    let english = english.join("\n") + "\n";
    let read = |picture: Option<&str>| {
        let mut files = whole();
        files.push(("famille/aa/en.yaml", english.clone()));
        files.extend(picture.map(|text| ("famille/aa/picture.svg", text.to_owned())));
        let loaded = Loader::new().load(set(&files).path());
        let codes: Vec<_> = loaded.report.all().map(Diagnostic::code).collect();
        (loaded.rules.unwrap(), codes)
    };
    let picture = |rules: &Rules| {
        let folder = rules.folder("famille/aa").unwrap();
        let english = folder.in_english().unwrap();
        assert_eq!(folder.picture(), english.picture());
        folder.picture().map(|picture| picture.drawing().to_owned())
    };
    let version = |rules: &Rules| {
        let folder = rules.folder("famille/aa").unwrap();
        (folder.version().to_owned(), rules.version().to_owned())
    };

    let (without, none) = read(None);
    let frame = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 3 2\">";
    let (with, same) = read(Some(&format!("{frame}<path d=\"M0 0h3v2z\"/></svg>")));
    assert_eq!(picture(&without), None);
    assert_eq!(
        picture(&with).as_deref(),
        Some("<path d=\"M0 0h3v2z\"></path>")
    );
    assert_eq!((same, version(&with)), (none.clone(), version(&without)));

    let (broken, found) = read(Some(&format!("{frame}<script/></svg>")));
    assert_eq!(picture(&broken), None);
    assert_eq!(version(&broken), version(&without));
    assert!(
        found.contains(&"M22") && found.len() == none.len() + 1,
        "{found:?}"
    );
}

#[test]
fn a_label_of_one_word_is_translated_as_any_other() {
    let has_english = |texts: &str| {
        let mut files = whole();
        let label = "v: {type: rate, label: \"net\"}";
        files[0].1 = files[0].1.replace("v: rate", label);
        files.push(("zz/en.yaml", texts.to_owned()));
        let rules = Loader::new().load(set(&files).path()).rules.unwrap();
        rules.folder("zz").unwrap().in_english().is_some()
    };
    let refused = "  - {fr: \"Refusé sous {f.v}.\", en: \"Refused below {f.v}.\"}\n";
    let others = ENGLISH.replace(refused, "");
    let label = "  - {fr: \"net\", en: \"net pay\"}\n";
    assert!(has_english(&format!("{others}{label}")));
    assert!(!has_english(&others));
}

#[test]
fn a_translation_with_a_gap_is_reported_and_holds_nothing_back() {
    for (from, to, code) in [
        ("\"Brut\", en", "\"Net\", en", "W79 W80"),
        ("below {f.v}", "below", "W82"),
        (
            "texts:\n",
            "texts:\n  - {fr: \"Brut\", en: \"Gross pay\"}\n",
            "W81",
        ),
        ("texts:", "textes:", "S01"),
        ("format", "[", "Y01"),
    ] {
        let loaded = translated(&ENGLISH.replacen(from, to, 1));
        let mut codes: Vec<_> = loaded.report.all().map(|found| found.code()).collect();
        // The set itself has an input that nothing reads.
        codes.retain(|code| *code != "W01");
        codes.sort_unstable();
        assert_eq!(codes.join(" "), code, "{from}");
        assert!(loaded.report.is_ok(), "{from}");
        assert!(
            loaded
                .rules
                .unwrap()
                .folder("zz")
                .unwrap()
                .in_english()
                .is_none()
        );
    }
}
