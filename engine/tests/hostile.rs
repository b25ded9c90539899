//! Rule files that are damaged or hostile are refused at once, with the limit that they exceed.

#![cfg(test)]

mod common;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use bareme_engine::service::Loaded;

/// A second, and more for programs built without optimisation on a machine that does other things.
const AT_ONCE: Duration = if cfg!(debug_assertions) {
    Duration::from_secs(20)
} else {
    Duration::from_secs(1)
};

const SERVICE: &str = "format: bareme/1
title: Service
documentation: https://example.org/
attribution: Service
endpoints: {calcul: {title: Calcul, folder: zz}}
variants: {a: {title: A, prefix: /a, endpoints: calcul, key_prefix: aaa, cors: true, plans: {libre: {title: Libre, price: rien, calls_per_day: unlimited, attribution: false}}}}
";

const SCALE: &str = "format: bareme/1
title: Titre
sources:
  s: {kind: law, title: Source, publisher: Editeur}
figures:
";

fn method(figures: &str, steps: &str) -> String {
    format!(
        "format: bareme/1
folder: zz
title: Titre
currency: EUR
inputs:
  brut: {{type: money, required: true, label: Brut}}
figures:
  f: {{n: key, v: rate}}
{figures}steps:
  t: {{table: f, by: 1, or_refuse: brut}}
  x: brut * t
{steps}answer:
  x: x
headline: [{{field: x, role: levy}}]
"
    )
}

fn rows(rows: &str) -> String {
    format!("{SCALE}  f:\n    source: s\n    rows:\n{rows}")
}

/// Lines of which each is made from its number.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        writeln!(text, "{}", line(number)).unwrap();
        text
    })
}

/// Loads a folder of these files: how long it took, and the codes of the errors, each once.
fn loaded(files: Vec<(String, String)>) -> (Duration, Vec<String>) {
    let files = files
        .into_iter()
        .map(|(name, text)| (format!("zz/{name}"), text));
    let service = ("service.yaml".to_owned(), SERVICE.to_owned());
    let folder = common::written(files.chain([service]));
    let started = Instant::now();
    let Loaded { report, .. } = bareme_engine::Loader::new().load_service(folder.path());
    let reported: Vec<String> = report
        .errors()
        .map(|error| error.code().to_owned())
        .collect();
    let took = started.elapsed();
    assert!(reported.len() <= 110, "{} errors", reported.len());
    let mut codes = reported;
    codes.sort();
    codes.dedup();
    (took, codes)
}

fn refused(code: &str, files: Vec<(String, String)>) {
    let (took, codes) = loaded(files);
    assert!(codes.iter().any(|found| found == code), "{code}: {codes:?}");
    assert!(took < AT_ONCE, "{code} after {took:?}");
}

fn with(name: &str, text: String) -> Vec<(String, String)> {
    let good = [
        ("method.yaml", method("", "")),
        ("2026-01-01.yaml", rows("      - {n: 1, v: 1%}\n")),
    ];
    let mut files: Vec<_> = good
        .into_iter()
        .map(|(name, text)| (name.to_owned(), text))
        .collect();
    files.retain(|(known, _)| known != name);
    files.push((name.to_owned(), text));
    files
}

#[test]
fn a_good_folder_has_no_error() {
    assert_eq!(
        loaded(with("notes.yml~", String::new())).1,
        Vec::<String>::new()
    );
}

#[test]
fn tables_without_end() {
    let scale = |text: String| with("2026-01-01.yaml", rows(&text));
    refused(
        "L01",
        scale(lines(1_000_000, |number| {
            format!("      - {{n: {number}, v: 1%}}")
        })),
    );
    refused(
        "L07",
        scale(lines(150_000, |number| {
            format!("      - {{n: {number}, v: 1%}}")
        })),
    );
    refused(
        "L14",
        scale(lines(30_000, |number| {
            format!("      - {{n: {number}, v: 1%}}")
        })),
    );
    refused(
        "L21",
        scale(lines(9_000, |number| {
            format!("      - {{n: {number}, w: 1%}}")
        })),
    );
    refused(
        "L10",
        scale(format!("      - {{n: {}1, v: 1%}}\n", "1; ".repeat(1_000))),
    );
    let many: String = (0..900).map(|number| format!("{number}; ")).collect();
    refused(
        "L15",
        scale(lines(30, |_| format!("      - {{n: {many}1, v: 1%}}"))),
    );
    // The most rows that are accepted, all of them different: they are arranged at once too.
    let (took, codes) = loaded(scale(lines(10_000, |number| {
        format!("      - {{n: {number}, v: 1%}}")
    })));
    assert!(
        codes.is_empty() && took < AT_ONCE,
        "{codes:?} after {took:?}"
    );
}

#[test]
fn keys_steps_and_methods_without_end() {
    refused(
        "L08",
        with(
            "2026-01-01.yaml",
            rows("      - {n: 1, v: 1%}\n") + &lines(50_000, |number| format!("  g{number}: 1")),
        ),
    );
    refused(
        "L08",
        with(
            "method.yaml",
            method("", &lines(20_000, |number| format!("  s{number}: brut"))),
        ),
    );
    refused(
        "L16",
        with(
            "method.yaml",
            method("", &lines(900, |number| format!("  s{number}: brut"))),
        ),
    );
    refused(
        "L12",
        with(
            "method.yaml",
            method(
                &lines(900, |number| format!("  g{number}: {{v: rate}}")),
                "",
            ),
        ),
    );
    refused(
        "L21",
        with(
            "method.yaml",
            method(
                "",
                &lines(400, |number| format!("  s{number}: brutt{number} + brutt")),
            ),
        ),
    );
    let methods = |count| {
        (0..count)
            .map(|number| (format!("method-{number}.yaml"), method("", "")))
            .collect()
    };
    refused("L05", methods(100));
    refused("L04", methods(10_000));
}

#[test]
fn formulas_nests_texts_and_aliases_without_end() {
    for part in [
        "brut + ",
        "1*",
        "true and ",
        "min(1; ",
        "(",
        "- ",
        "not ",
        "if true then 1 else ",
    ] {
        refused(
            "L18",
            with(
                "method.yaml",
                method("", &format!("  s: \"{}1\"\n", part.repeat(1_000))),
            ),
        );
        refused(
            "L09",
            with(
                "method.yaml",
                method("", &format!("  s: \"{}1\"\n", part.repeat(20_000))),
            ),
        );
    }
    for (open, close) in [("[", "]"), ("{a: ", "}")] {
        for depth in [30, 200] {
            let nest = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            refused(
                "L06",
                with(
                    "2026-01-01.yaml",
                    rows(&format!("      - {{n: 1, v: {nest}}}\n")),
                ),
            );
        }
        let (took, codes) = loaded(with(
            "2026-01-01.yaml",
            rows(&format!("      - {}\n", open.repeat(100_000))),
        ));
        assert!(
            !codes.is_empty() && took < AT_ONCE,
            "{codes:?} after {took:?}"
        );
    }
    let laughs = (1..9).fold(
        "a: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n".to_owned(),
        |text, level| {
            let before = format!("*a{}, ", level - 1).repeat(10);
            text + &format!("b{level}: &a{level} [{before}]\n")
        },
    );
    let (took, codes) = loaded(with("2026-01-01.yaml", laughs));
    assert!(
        !codes.is_empty() && took < AT_ONCE,
        "{codes:?} after {took:?}"
    );
}
