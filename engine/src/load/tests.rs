use crate::testing::{GROSS, method, scale};

use super::*;

const SERVICE: &str = "format: bareme/1
title: Service
documentation: https://example.org/
attribution: Service
endpoints:
  calcul: {title: Calcul, folder: zz}
  pays:   {title: Pays, family: famille, by: pays, ignored: parts}
variants:
  a: {title: A, prefix: /a/, endpoints: calcul; pays, key_prefix: aaa, cors: true, plans: {free: {title: Free, price: \"0\", calls_per_day: 1 000, attribution: true, terms: a; b}}}
";

fn steps() -> String {
    method(&format!("{GROSS}figures:\n  f: {{v: rate}}\nsteps:\n  x: brut * f.v\nanswer:\n  x: x\n"))
}

/// A set of files on the disk.
fn written(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    root
}

fn whole() -> Vec<(&'static str, String)> {
    let figures = scale("  f: {v: 10%, source: s}");
    vec![
        ("service.yaml", SERVICE.to_owned()),
        ("zz/method.yaml", steps()),
        ("zz/2026-01-01.yaml", figures.clone()),
        ("famille/aa/method.yaml", steps().replace("folder: zz", "folder: famille/aa")),
        ("famille/aa/2026-01-01.yaml", figures),
    ]
}

fn set(files: &[(&'static str, String)]) -> tempfile::TempDir {
    written(&files.iter().map(|(path, text)| (*path, text.as_str())).collect::<Vec<_>>())
}

/// Codes of the errors of the whole set with one file changed, or removed.
fn reported(path: &'static str, text: Option<&str>) -> Vec<String> {
    let mut files = whole();
    files.retain(|(known, _)| *known != path);
    files.extend(text.map(|text| (path, text.to_owned())));
    let loaded = Loader::new().load(set(&files).path());
    assert_eq!(loaded.rules.is_some(), loaded.report.is_ok());
    loaded.report.errors().map(|error| format!("{} {}", error.code(), error.file())).collect()
}

#[test]
fn a_whole_set_is_read() {
    let loaded = Loader::new().load(set(&whole()).path());
    let rules = loaded.rules.unwrap();
    assert_eq!(rules.folders().map(|folder| folder.path().to_owned()).collect::<Vec<_>>(), ["famille/aa", "zz"]);
    assert_eq!(rules.family("famille").map(|(word, _)| word).collect::<Vec<_>>(), ["aa"]);
    let variant = &rules.service().variants[0];
    assert_eq!((variant.prefix.as_str(), variant.plans[0].calls_per_day), ("/a", Some(1000)));
    assert_eq!(variant.plans[0].terms, ["a", "b"]);
}

#[test]
fn files_have_their_names_and_their_places() {
    assert_eq!(reported("zz/methode.yaml", Some("a: b")), ["M18 zz/methode.yaml"]);
    assert_eq!(reported("zz/2026-02-30.yaml", Some("a: b")), ["M16 zz/2026-02-30.yaml"]);
    assert_eq!(reported("zz/method.yml", Some("a: b")), ["M18 zz/method.yml"]);
    assert_eq!(reported("zz/cases.YAML", Some("a: b")), ["M02 zz/cases.YAML"]);
    assert_eq!(reported("zz/2027-01-01.YAML", Some("a: b")), ["M02 zz/2027-01-01.YAML"]);
    assert_eq!(reported("zz/method.yaml.yaml", Some("a: b")), ["M18 zz/method.yaml.yaml"]);
    assert_eq!(reported("autre.yaml", Some("a: b")), ["M19 autre.yaml"]);
    assert_eq!(reported("zz/method.yaml", None), ["M03 zz/2026-01-01.yaml"]);
    assert_eq!(reported("zz/2026-01-01.yaml", None), ["M05 zz/method.yaml"]);
    assert_eq!(reported("zz/2026-01-01.yaml", Some("a: [")), ["Y01 zz/2026-01-01.yaml"]);
    assert_eq!(reported("zz/method.yaml", Some("a: [")), ["Y01 zz/method.yaml"]);
    assert_eq!(reported("service.yaml", Some("a: [")), ["Y01 service.yaml"]);
    assert_eq!(
        reported(
            "zz/2026-01-01.yaml",
            Some(&scale("  f: {v: 1%, source: s}").replace("sources", "method: method-b.yaml\nsources"))
        ),
        ["M04 zz/2026-01-01.yaml"]
    );
    assert_eq!(reported("zz/.2026.yaml.swp", Some("a: b")), Vec::<String>::new());
    assert_eq!(reported("zz/notes.md", Some("a: b")), Vec::<String>::new());
}

#[test]
fn a_method_says_which_folder_it_is_for() {
    assert_eq!(reported("zz/method.yaml", Some(&steps().replace("folder: zz\n", ""))), ["S02 zz/method.yaml"]);
    assert_eq!(reported("famille/aa/method.yaml", Some(&steps())), ["M08 famille/aa/method.yaml"]);
}

#[test]
fn an_answer_names_the_folder_that_the_caller_asked_for() {
    let saying = |word: &str| {
        steps().replace("folder: zz", "folder: famille/aa") + &format!("  pays: {{text: {word}, label: Pays}}\n")
    };
    assert_eq!(reported("famille/aa/method.yaml", Some(&saying("aa"))), Vec::<String>::new());
    assert_eq!(reported("famille/aa/method.yaml", Some(&saying("ab"))), ["M09 famille/aa/method.yaml"]);
}

#[test]
fn a_method_without_dates_has_no_dated_file() {
    let undated = steps()
        .replace("title", "dated: false\ntitle")
        .replace("figures:\n  f: {v: rate}\n", "")
        .replace("brut * f.v", "brut");
    assert_eq!(reported("zz/method.yaml", Some(&undated)), ["M06 zz/2026-01-01.yaml"]);
    let with_figures = steps().replace("title", "dated: false\ntitle");
    assert_eq!(reported("zz/method.yaml", Some(&with_figures)), ["G19 zz/method.yaml"]);
}

#[test]
fn the_service_names_what_exists() {
    assert_eq!(reported("service.yaml", None), ["V05 service.yaml"]);
    let changed = |from: &str, to: &str| reported("service.yaml", Some(&SERVICE.replace(from, to)));
    assert_eq!(changed("folder: zz", "folder: zzz"), ["V01 service.yaml"]);
    assert_eq!(changed("family: famille", "family: fami"), ["V01 service.yaml"]);
    assert_eq!(changed("endpoints: calcul; pays", "endpoints: calcul; paye"), ["V02 service.yaml"]);
    assert_eq!(changed("folder: zz", "folder: zz, family: famille"), ["V03 service.yaml"]);
    assert_eq!(changed(", by: pays", "")[0], "V03 service.yaml");
    let twice = SERVICE.to_owned()
        + "  b: {title: B, prefix: /a, endpoints: calcul, key_prefix: bbb, cors: false, plans: {p: {title: P, price: x, calls_per_day: unlimited, attribution: false}}}\n";
    assert_eq!(reported("service.yaml", Some(&twice)), ["V04 service.yaml"]);
}

#[test]
fn a_case_that_fails_refuses_the_set() {
    let case = |x: &str| {
        format!(
            "format: bareme/1\ncases:\n  - {{name: C, date: 2026-01-01, given: {{brut: 50}}, expect: {{x: {x}}}, origin: {{kind: hand}}}}\n"
        )
    };
    assert_eq!(reported("zz/cases.yaml", Some(&case("5"))), Vec::<String>::new());
    assert_eq!(reported("zz/cases.yaml", Some(&case("6"))), ["C01 zz/cases.yaml"]);
}

#[test]
fn an_empty_or_missing_folder_is_told() {
    let codes = |path: &Path| Loader::new().load(path).report.errors().map(|error| error.code()).collect::<Vec<_>>();
    assert_eq!(codes(written(&[]).path()), ["M07"]);
    assert_eq!(codes(Path::new("/nowhere/at/all")), ["M01"]);
}

#[test]
fn a_file_that_is_no_text_is_told() {
    let root = set(&whole());
    std::fs::write(root.path().join("zz/cases.yaml"), [0xff, 0xfe, 0x00]).unwrap();
    assert_eq!(Loader::new().load(root.path()).report.errors().map(|error| error.code()).collect::<Vec<_>>(), ["M15"]);
}

#[test]
fn the_version_changes_with_every_byte_and_only_then() {
    let version =
        |files: &[(&'static str, String)]| Loader::new().load(set(files).path()).rules.unwrap().version().to_owned();
    let mut changed = whole();
    changed[2].1.push_str("\n# note");
    assert_eq!(version(&whole()), version(&whole()));
    assert_ne!(version(&whole()), version(&changed));
}

#[test]
fn folders_that_have_not_changed_are_kept() {
    let root = set(&whole());
    let before = Loader::new().load(root.path()).rules.unwrap();
    std::fs::write(root.path().join("zz/2026-01-01.yaml"), scale("  f: {v: 20%, source: s}")).unwrap();
    let after = Loader::new().after(&before).load(root.path()).rules.unwrap();
    let kept = |path: &str| std::ptr::eq(before.folder(path).unwrap(), after.folder(path).unwrap());
    assert_eq!((kept("zz"), kept("famille/aa")), (false, true));
}

#[test]
fn the_selector_chooses_a_folder_of_the_family() {
    let rules = Loader::new().load(set(&whole()).path()).rules.unwrap();
    let endpoint = &rules.service().endpoints[1];
    let select =
        |query: &str| rules.select(endpoint, &crate::testing::query(query)).map(|folder| folder.path().to_owned());
    assert_eq!(select("pays=AA").unwrap(), "famille/aa");
    for (query, code) in
        [("", "manquant"), ("pays=", "manquant"), ("pays=ab", "valeur_inconnue"), ("pays=aa&pays=aa", "repete")]
    {
        assert_eq!(select(query).unwrap_err().parameters[0].code.as_str(), code, "{query}");
    }
}

#[test]
fn a_folder_of_a_family_is_chosen_by_its_other_names_too() {
    let named = steps().replace("folder: zz", "folder: famille/aa\naliases: \"Île d'Or; Gold Island\"");
    let mut files = whole();
    files.iter_mut().filter(|(path, _)| *path == "famille/aa/method.yaml").for_each(|(_, text)| *text = named.clone());
    let rules = Loader::new().load(set(&files).path()).rules.unwrap();
    let endpoint = &rules.service().endpoints[1];
    let select = |query: &str| rules.select(endpoint, &crate::testing::query(query));
    for word in ["aa", "ile-d-or", "ÎLE D'OR", "gold island"] {
        assert_eq!(select(&format!("pays={word}")).unwrap().path(), "famille/aa", "{word}");
    }
    let refusal = select("pays=gold iland").unwrap_err();
    let bad = &refusal.parameters[0];
    assert!(bad.reason.contains("`Gold Island`") && bad.expected == "aa, ou le nom en toutes lettres", "{bad:?}");
    // One folder only, and in a family.
    assert_eq!(
        reported("zz/method.yaml", Some(&steps().replace("folder: zz", "folder: zz\naliases: or"))),
        ["V08 zz/method.yaml"]
    );
    let other = named.replace("famille/aa", "famille/bb");
    files
        .extend([("famille/bb/method.yaml", other), ("famille/bb/2026-01-01.yaml", scale("  f: {v: 10%, source: s}"))]);
    let report = Loader::new().load(set(&files).path()).report;
    assert_eq!(report.errors().map(|error| error.code()).collect::<Vec<_>>(), ["V07"; 2]);
}
