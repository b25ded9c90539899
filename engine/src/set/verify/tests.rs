use crate::testing::{GROSS, method, read, scale};

/// Codes of the mistakes in a case that is read and run.
fn reported(case: &str) -> Vec<&'static str> {
    let keys = "checks:\n  - {if: cadre, warn: \"Attention aux cadres.\", code: \
                cadre_a_verifier}\nfigures:\n  f: {v: rate}\nsteps:\n  x: brut * f.v\n\
                answer:\n  x: x\n  liste: {lines: x}\n  fin: {value: x, when: cadre}\n";
    let cases =
        format!("format: bareme/1\ncases:\n  - {{name: C, origin: {{kind: hand}}, {case}}}\n");
    let method = method(&format!("{GROSS}{keys}"));
    let files = [
        ("method.yaml", method.as_str()),
        ("2026-01-01.yaml", &scale("  f: {v: 10%, source: s}")),
        ("cases.yaml", &cases),
    ];
    let (folder, mut report) = read(&files);
    if let Some(folder) = folder {
        folder
            .cases()
            .iter()
            .for_each(|case| case.run(&folder, &mut report));
    }
    report.errors().map(|error| error.code()).collect()
}

#[test]
fn a_case_holds_an_answer() {
    for case in [
        "date: 2026-05-01, given: {brut: 55}, expect: {x: 5.50, liste.0.montant: 5.5, \
         liste.0.assiette: null, fin: 5.5}, absent: fini",
        "date: 2026-05-01, given: {brut: 55}, expect: {x: 5.5}, absent: fin; avertissements",
        "date: 2026-05-01, given: {brut: 55, cadre: true}, warns: aux cadres",
        "date: 2026-05-01, given: {brut: 55, cadre: true}, warns: cadre_a_verifier",
        "date: 2026-05-01, given: {brut: 1 000}, refuse: brut",
        "date: 2025-05-01, given: {brut: 55}, refuse: date",
    ] {
        let expected: &[&str] = if case.contains("fini") { &["C13"] } else { &[] };
        assert_eq!(reported(case), expected, "{case}");
    }
}

#[test]
fn what_differs_is_reported() {
    for (case, code) in [
        (
            "date: 2026-05-01, given: {brut: 55}, expect: {x: 5.51}",
            "C01",
        ),
        (
            "date: 2026-05-01, given: {brut: 55}, expect: {liste: 5}",
            "C01",
        ),
        ("date: 2026-05-01, given: {}, expect: {x: 5}", "C02"),
        ("date: 2026-05-01, given: {brut: 55}, refuse: brut", "C03"),
        ("date: 2026-05-01, given: {brut: abc}, refuse: cadre", "C04"),
        (
            "date: 2026-05-01, given: {brut: 55}, warns: aux cadres",
            "C05",
        ),
        (
            "date: 2026-05-01, given: {brut: 55, cadre: true}, warns: cadre_a",
            "C05",
        ),
        ("date: 2026-05-01, given: {brut: 55}, absent: x", "C06"),
        ("date: 2026-05-01, given: {brut: 55}, expect: {y: 5}", "C07"),
        ("date: 2026-05-01, given: {brut: 55}", "C08"),
        ("given: {brut: 55}, expect: {x: 5.5}", "C09"),
        (
            "date: 2026-02-30, given: {brut: 55}, expect: {x: 5.5}",
            "S07",
        ),
    ] {
        assert_eq!(reported(case).first().copied(), Some(code), "{case}");
    }
}
