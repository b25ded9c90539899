//! Every setting that an example makes is one that the program takes.

use std::collections::BTreeSet;

use crate::text;

/// The names of settings in a text.
fn settings(text: &str) -> BTreeSet<&str> {
    let words = text.split(|character: char| !(character.is_ascii_uppercase() || character == '_'));
    words
        .filter(|word| word.starts_with("BAREME_") && word.len() > "BAREME_".len())
        .collect()
}

#[test]
fn every_setting_is_one_of_the_program() {
    let help = String::from_utf8(harness::run(&["--help"]).stdout).unwrap();
    let issue = String::from_utf8(harness::run(&["keys", "issue", "--help"]).stdout).unwrap();
    let known = &settings(&help) | &settings(&issue);
    for (file, least) in [
        ("bareme-server.service", 6),
        ("bareme-server.service.d/secrets.conf", 4),
        ("Dockerfile", 3),
        ("kubernetes/server.yaml", 9),
        ("../README.md", 18),
    ] {
        let text = text(file);
        let used = settings(&text);
        assert!(used.len() >= least, "{file}: {used:?}");
        let unknown: Vec<_> = used.iter().filter(|name| !known.contains(**name)).collect();
        assert!(
            unknown.is_empty(),
            "{file}: {unknown:?}, there are {known:?}"
        );
    }
}

#[test]
fn every_flag_in_the_examples_and_in_the_manual_exists() {
    let helps = [
        &["--help"][..],
        &["backup", "--help"],
        &["keys", "--help"],
        &["keys", "change", "--help"],
        &["keys", "issue", "--help"],
        &["keys", "payments", "--help"],
        &["keys", "publish", "--help"],
        &["keys", "reconcile", "--help"],
        &["keys", "republish", "--help"],
        &["keys", "rotate", "--help"],
        &["payments", "reconcile", "--help"],
    ];
    let known: String = helps
        .iter()
        .map(|flags| String::from_utf8(harness::run(flags).stdout).unwrap())
        .collect();
    for file in ["nginx.conf", "Caddyfile", "../README.md"] {
        let text = text(file);
        let lines = text.lines().filter(|line| !line.contains("cargo "));
        let calls = lines.filter_map(|line| Some(line.split_once("bareme-server ")?.1));
        for flag in calls
            .flat_map(str::split_whitespace)
            .filter(|word| word.starts_with("--"))
        {
            let flag = flag.trim_end_matches(['`', ',', ']']);
            assert!(known.contains(flag), "{flag} in {file}");
        }
    }
}

/// Memory that a connection takes at the worst, and the service without any, in KiB: as the manual
/// says.
const CONNECTION: u64 = 130;
const SERVICE: u64 = 70 * 1024;

#[test]
fn the_connections_of_the_examples_fit_in_their_memory() {
    assert!(text("../README.md").contains("130 KB at worst"));
    let after = |text: &str, mark: &str| -> u64 {
        let rest = text
            .split_once(mark)
            .unwrap_or_else(|| panic!("no `{mark}`"))
            .1;
        rest.chars()
            .take_while(char::is_ascii_digit)
            .collect::<String>()
            .parse()
            .unwrap()
    };
    let server = text("kubernetes/server.yaml");
    let server = server.split_once("- name: server").unwrap().1;
    let connections = after(server, "BAREME_CONNECTIONS, value: \"");
    assert!(
        SERVICE + connections * CONNECTION <= after(server, "limits: {memory: ") * 1024,
        "{connections}"
    );
    let unit = text("bareme-server.service");
    assert!(!unit.contains("BAREME_CONNECTIONS"));
    let help = String::from_utf8(harness::run(&["--help"]).stdout).unwrap();
    let default = after(
        help.split_once("BAREME_CONNECTIONS").unwrap().1,
        "[default: ",
    );
    assert!(
        SERVICE + default * CONNECTION <= after(&unit, "MemoryMax=") * 1024 * 1024,
        "{default}"
    );
    assert!(
        after(&unit, "LimitNOFILE=") >= default + 1_024,
        "files beside the connections"
    );
}
