mod calls;
mod ends;

use jiff::civil::date;

use crate::set::load::Loader;
use crate::set::{CheckRecord, FileSet};
use crate::testing::{scale, set, steps, whole as folders};

const SERVICE: &str = "format: bareme/1
title: Service
documentation: https://example.org/
attribution: Service
endpoints:
  calcul: {title: Calcul, folder: zz}
  pays:   {title: Pays, family: famille, by: pays, ignored: parts}
variants:
  a: {title: A, prefix: /a/, endpoints: calcul; pays, key_prefix: aaa, cors: true, plans: {free: {title: Free, price: \"0\", calls_per_day: 1 000, calls_per_address: 2 000, attribution: true, terms: a; b}}}
";

pub(super) fn whole() -> Vec<(&'static str, String)> {
    with_service(SERVICE)
}

/// The whole set with this file of the service.
fn with_service(text: &str) -> Vec<(&'static str, String)> {
    folders()
        .into_iter()
        .chain([("service.yaml", text.to_owned())])
        .collect()
}

/// Codes of the errors of the whole set with one file changed, or removed.
fn reported(path: &'static str, text: Option<&str>) -> Vec<String> {
    let mut files = whole();
    files.retain(|(known, _)| *known != path);
    files.extend(text.map(|text| (path, text.to_owned())));
    let loaded = Loader::new().load_service(set(&files).path());
    assert_eq!(loaded.rules.is_some(), loaded.report.is_ok());
    loaded
        .report
        .errors()
        .map(|error| format!("{} {}", error.code(), error.file()))
        .collect()
}

#[test]
fn a_service_is_read_with_its_rules() {
    let rules = Loader::new()
        .load_service(set(&whole()).path())
        .rules
        .unwrap();
    assert_eq!(
        rules
            .folders()
            .map(|folder| folder.path().to_owned())
            .collect::<Vec<_>>(),
        ["famille/aa", "zz"]
    );
    let variant = &rules.service().variants[0];
    assert_eq!(
        (variant.prefix.as_str(), variant.plans[0].calls_per_day),
        ("/a", Some(1000))
    );
    assert_eq!(variant.plans[0].calls_per_address, Some(2000));
    assert_eq!(variant.plans[0].terms, ["a", "b"]);
}

#[test]
fn the_file_of_the_service_has_its_name() {
    assert_eq!(reported("service.yaml", Some("a: [")), ["Y01 service.yaml"]);
    assert_eq!(reported("service.yml", Some("a: b")), ["M18 service.yml"]);
    let mut misnamed = folders();
    misnamed.push(("Service.yml", SERVICE.to_owned()));
    let report = Loader::new().load_service(set(&misnamed).path()).report;
    assert_eq!(
        report
            .errors()
            .map(|error| error.code())
            .collect::<Vec<_>>(),
        ["M02"]
    );
}

#[test]
fn a_folder_that_is_published_says_which_field_readers_come_for() {
    let silent = |folder: &str| {
        steps()
            .replace("headline: [{field: x, role: levy}]\n", "")
            .replace("folder: zz", &format!("folder: {folder}"))
    };
    assert_eq!(
        reported("zz/method.yaml", Some(&silent("zz"))),
        ["V13 zz/method.yaml"]
    );
    assert_eq!(
        reported("famille/aa/method.yaml", Some(&silent("famille/aa"))),
        ["V13 famille/aa/method.yaml"]
    );
}

#[test]
fn what_goes_on_from_an_answer_is_in_both_endpoints() {
    let led = |lead: &str| {
        let entry = format!("  suite: {{title: Suite, folder: zz, leads_to: {{a: {lead}}}}}");
        let text = SERVICE.replace("  pays:", &format!("{entry}\n  pays:"));
        reported("service.yaml", Some(&text))
    };
    let lead = |rest: &str| format!("{{endpoint: calcul, label: L, {rest}}}");

    let whole = lead("only_if: {cadre: false}, same: cadre, given: {brut: x}");
    assert_eq!(led(&whole), Vec::<String>::new());
    for (wrong, code) in [
        ("{endpoint: pays, label: L, given: {brut: x}}", "V02"),
        (&lead("given: {nette: x}"), "V15"),
        (&lead("given: {brut: nette}"), "V16"),
        (&lead("only_if: {cadre: souvent}, given: {brut: x}"), "V15"),
        (&lead("same: nette, given: {brut: x}"), "V15"),
    ] {
        let codes = led(wrong);
        assert!(
            !codes.is_empty()
                && codes
                    .iter()
                    .all(|found| *found == format!("{code} service.yaml")),
            "{wrong}: {codes:?}"
        );
    }
}

#[test]
fn words_of_a_search_lead_to_what_is_served() {
    let family = |words: &str| {
        let text = SERVICE.replace(
            "ignored: parts",
            &format!("ignored: parts, search_of: {words}"),
        );
        reported("service.yaml", Some(&text))
    };
    assert_eq!(family("{aa: frontalier; voisin}"), Vec::<String>::new());
    assert_eq!(family("{bb: frontalier}"), ["V01 service.yaml"]);

    let subject = |near: &str| {
        let entry = format!("{{search: stage, near: {near}, text: Non.}}");
        let section = format!("not_calculated:\n  stage: {entry}\nvariants:");
        reported(
            "service.yaml",
            Some(&SERVICE.replace("variants:", &section)),
        )
    };
    assert_eq!(subject("calcul"), Vec::<String>::new());
    assert_eq!(subject("calcul; pays"), ["V02 service.yaml"]);
}

#[test]
fn an_answer_names_the_folder_that_the_caller_asked_for() {
    let saying = |word: &str| {
        steps().replace("folder: zz", "folder: famille/aa")
            + &format!("  pays: {{text: {word}, label: Pays}}\n")
    };
    assert_eq!(
        reported("famille/aa/method.yaml", Some(&saying("aa"))),
        Vec::<String>::new()
    );
    assert_eq!(
        reported("famille/aa/method.yaml", Some(&saying("ab"))),
        ["M09 famille/aa/method.yaml"]
    );
}

#[test]
fn the_service_names_what_exists() {
    assert_eq!(reported("service.yaml", None), ["V05 service.yaml"]);
    let changed = |from: &str, to: &str| reported("service.yaml", Some(&SERVICE.replace(from, to)));
    assert_eq!(changed("folder: zz", "folder: zzz"), ["V01 service.yaml"]);
    assert_eq!(
        changed("family: famille", "family: fami"),
        ["V01 service.yaml"]
    );
    assert_eq!(
        changed("endpoints: calcul; pays", "endpoints: calcul; paye"),
        ["V02 service.yaml"]
    );
    assert_eq!(
        changed("folder: zz", "folder: zz, family: famille"),
        ["V03 service.yaml"]
    );
    assert_eq!(changed(", by: pays", "")[0], "V03 service.yaml");
    let twice = SERVICE.to_owned()
        + "  b: {title: B, prefix: /a, endpoints: calcul, key_prefix: bbb, cors: false, plans: {p: {title: P, price: x, calls_per_day: unlimited, attribution: false}}}\n";
    assert_eq!(reported("service.yaml", Some(&twice)), ["V04 service.yaml"]);
}

#[test]
fn the_selector_chooses_a_folder_of_the_family() {
    let rules = Loader::new()
        .load_service(set(&whole()).path())
        .rules
        .unwrap();
    let endpoint = &rules.service().endpoints[1];
    let select = |query: &str| {
        rules
            .select(endpoint, &crate::testing::query(query))
            .map(|folder| folder.path().to_owned())
    };
    assert_eq!(select("pays=AA").unwrap(), "famille/aa");
    for (query, code) in [
        ("", "manquant"),
        ("pays=", "manquant"),
        ("pays=ab", "valeur_inconnue"),
        ("pays=aa&pays=aa", "repete"),
    ] {
        assert_eq!(
            select(query).unwrap_err().parameters[0].code.as_str(),
            code,
            "{query}"
        );
    }
}

#[test]
fn a_folder_of_a_family_is_chosen_by_its_other_names_too() {
    let named = steps().replace(
        "folder: zz",
        "folder: famille/aa\naliases: \"Île d’Or; Gold Island\"",
    );
    let mut files = whole();
    files
        .iter_mut()
        .filter(|(path, _)| *path == "famille/aa/method.yaml")
        .for_each(|(_, text)| *text = named.clone());
    let rules = Loader::new()
        .load_service(set(&files).path())
        .rules
        .unwrap();
    let endpoint = &rules.service().endpoints[1];
    let select = |query: &str| rules.select(endpoint, &crate::testing::query(query));
    for word in ["aa", "ile-d-or", "ÎLE D’OR", "gold island"] {
        assert_eq!(
            select(&format!("pays={word}")).unwrap().path(),
            "famille/aa",
            "{word}"
        );
    }
    let refusal = select("pays=gold iland").unwrap_err();
    let bad = &refusal.parameters[0];
    assert!(
        bad.reason.fr.contains("`Gold Island`")
            && bad.expected.fr == "aa, ou le nom en toutes lettres",
        "{bad:?}"
    );
    let near = named
        .replace("Gold Island", "Gold Island; Gold Rush")
        .replace("title:", "near: Archipelago\ntitle:");
    let mut proposing = whole();
    proposing.retain(|(path, _)| *path != "famille/aa/method.yaml");
    proposing.push(("famille/aa/method.yaml", near.clone()));
    let proposed = Loader::new()
        .load_service(set(&proposing).path())
        .rules
        .unwrap();
    let refusal = proposed
        .select(endpoint, &crate::testing::query("pays=archipelago"))
        .unwrap_err();
    assert!(
        refusal.parameters[0]
            .reason
            .fr
            .contains("vouliez-vous dire `aa` ?"),
        "{refusal}"
    );
    let chosen = near.replace("near: Archipelago", "near: Gold island");
    assert_eq!(
        reported("famille/aa/method.yaml", Some(&chosen)),
        ["V07 famille/aa/method.yaml"]
    );
    // One folder only, and in a family.
    assert_eq!(
        reported(
            "zz/method.yaml",
            Some(&steps().replace("folder: zz", "folder: zz\naliases: or"))
        ),
        ["V08 zz/method.yaml"]
    );
    let other = named.replace("famille/aa", "famille/bb");
    files.extend([
        ("famille/bb/method.yaml", other),
        (
            "famille/bb/2026-01-01.yaml",
            scale("  f: {v: 10%, source: s}"),
        ),
    ]);
    let report = Loader::new().load_service(set(&files).path()).report;
    assert_eq!(
        report
            .errors()
            .map(|error| error.code())
            .collect::<Vec<_>>(),
        ["V07"; 2]
    );
}

#[test]
fn a_word_that_another_endpoint_answers_is_sent_there() {
    let sending = |keys: &str| {
        let keys = format!("by: pays, {keys},");
        reported("service.yaml", Some(&SERVICE.replace("by: pays,", &keys)))
    };
    assert_eq!(
        sending("elsewhere: {Île d Or: calcul}"),
        Vec::<String>::new()
    );
    assert_eq!(sending("elsewhere: {or: calculs}"), ["V02 service.yaml"]);
    let mut files = whole();
    let text = SERVICE.replace("by: pays,", "by: pays, elsewhere: {Île d Or: calcul},");
    files
        .iter_mut()
        .filter(|(path, _)| *path == "service.yaml")
        .for_each(|(_, own)| *own = text.clone());
    let rules = Loader::new()
        .load_service(set(&files).path())
        .rules
        .unwrap();
    let select = |query: &str| {
        rules
            .select(&rules.service().endpoints[1], &crate::testing::query(query))
            .unwrap_err()
    };
    let refusal = select("pays=ile d’or");
    let bad = &refusal.parameters[0];
    assert_eq!(
        bad.reason.fr,
        "Se calcule à l’adresse `/calcul`, sans `pays`."
    );
    assert_eq!(
        (bad.code.as_str(), bad.received.as_deref()),
        ("valeur_inconnue", Some("ile d’or"))
    );
    assert_eq!(select("brut=1").parameters[0].code.as_str(), "manquant");
}

#[test]
fn a_withdrawal_is_announced_six_months_before() {
    let with = |keys: &str| {
        reported(
            "service.yaml",
            Some(&SERVICE.replace("folder: zz}", &format!("folder: zz, {keys}}}"))),
        )
    };
    assert_eq!(with("deprecated: 2027-01-01"), Vec::<String>::new());
    assert_eq!(
        with("deprecated: 2027-01-01, sunset: 2027-07-01"),
        Vec::<String>::new()
    );
    assert_eq!(
        with("deprecated: 2027-01-01, sunset: 2027-06-30"),
        ["V12 service.yaml"]
    );
    assert_eq!(with("sunset: 2027-07-01"), ["V11 service.yaml"]);
    assert_eq!(with("deprecated: 2027-02-30"), ["S07 service.yaml"]);
}

#[test]
fn what_the_folders_of_a_family_accept_differently_is_reported_in_both_languages() {
    let other = steps()
        .replace("folder: zz", "folder: famille/bb")
        .replace("required: true,", "required: true, max: 9,");
    let mut files = whole();
    files.extend([
        ("famille/bb/method.yaml", other),
        (
            "famille/bb/2026-01-01.yaml",
            scale("  f: {v: 10%, source: s}"),
        ),
    ]);
    let rules = Loader::new()
        .load_service(set(&files).path())
        .rules
        .unwrap();
    let query = crate::testing::query("brut=x");
    let error = rules
        .calculate(&rules.service().endpoints[1], &query, crate::testing::TODAY)
        .unwrap_err();
    let bad = error
        .refusal()
        .unwrap()
        .parameters
        .iter()
        .find(|bad| bad.name == "brut")
        .unwrap();
    assert_eq!(bad.expected, ("selon `pays`", "depending on `pays`").into());
}

#[test]
fn a_service_that_was_checked_is_not_checked_against_its_schema_again() {
    let day = date(2026, 3, 31);
    let root = set(&whole());
    let files = FileSet::read(root.path());
    let rules = Loader::new()
        .load_service_by_folder(&files, None)
        .rules
        .unwrap();
    let record = CheckRecord::read(&rules.check_record(day).to_bytes(), day);
    assert!(Loader::new().trusting(&record).trusts_service(&files));
    assert!(!Loader::new().trusts_service(&files));
    // Of another day, of another file, of rules that were read without their service.
    let tomorrow = CheckRecord::read(&record.to_bytes(), day.tomorrow().unwrap());
    assert!(!Loader::new().trusting(&tomorrow).trusts_service(&files));
    let changed = set(&with_service(&format!("{SERVICE}# \n")));
    assert!(
        !Loader::new()
            .trusting(&record)
            .trusts_service(&FileSet::read(changed.path()))
    );
    let other = CheckRecord::from_rules(&Loader::new().load_files(&files).rules.unwrap(), day);
    assert!(!Loader::new().trusting(&other).trusts_service(&files));
    // A start that trusts says so in its turn, and gives the same answers.
    let again = Loader::new()
        .trusting(&record)
        .load_service_by_folder(&files, None)
        .rules
        .unwrap();
    assert_eq!(again.check_record(day), record);
    assert_eq!(
        format!("{:?}", again.service()),
        format!("{:?}", rules.service())
    );
}

#[test]
fn a_service_wrongly_recorded_as_checked_is_reported_as_a_whole() {
    let wrong = SERVICE
        .replace("folder: zz", "folder: zzz")
        .replace("cors: true", "cors: perhaps");
    let root = set(&with_service(&wrong));
    let files = FileSet::read(root.path());
    let record = CheckRecord::default().with_service(files.root.content());
    let codes = |loader: Loader| {
        let report = loader.load_service_files(&files).report;
        report
            .errors()
            .map(|error| error.code())
            .collect::<Vec<_>>()
    };
    assert!(Loader::new().trusting(&record).trusts_service(&files));
    assert!(codes(Loader::new()).len() > 1, "{:?}", codes(Loader::new()));
    assert_eq!(codes(Loader::new().trusting(&record)), codes(Loader::new()));
}
