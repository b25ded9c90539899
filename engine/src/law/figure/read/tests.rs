use crate::testing::{GROSS, errors, folder, method, read, scale, shown};

/// A method that reads every column of a figure.
fn with(shape: &str) -> String {
    let inputs = "  statut: {type: choice, values: a; b, default: a, label: Statut}\n  marie: \
            {type: boolean, default: false, label: Marié}\n";
    format!(
        "{GROSS}{inputs}figures:\n  f: {shape}\nsteps:\n  x: brut\nanswer:\n  x: x\n  f: \
             {{rows: f}}\n"
    )
}

fn record(column: &str, figure: &str) -> Vec<&'static str> {
    let answer = "steps:\n  x: brut\nanswer:\n  x: x\n  f: f.v\n";
    errors(
        &format!("{GROSS}figures:\n  f: {{v: {column}}}\n{answer}"),
        &format!("  f: {figure}"),
    )
}

#[test]
fn a_value_is_of_the_type_of_its_column() {
    for (column, value, code) in [
        ("rate", "7", "T12"),
        ("rate", "sept", "T14"),
        ("number", "7%", "T13"),
        ("number", "1,5", "F12"),
        ("number", "1/0", "F13"),
        ("money", "12 34", "F10"),
        ("number", "99999999999999999999999999999999", "F11"),
    ] {
        assert_eq!(
            record(column, &format!("{{v: \"{value}\", source: s}}")),
            [code],
            "{column} {value}"
        );
    }
    for (column, value) in [
        ("rate", "0"),
        ("rate", "2/37"),
        ("number", "137/51"),
        ("money", "1 296 000.50"),
    ] {
        assert_eq!(
            record(column, &format!("{{v: {value}, source: s}}")),
            Vec::<&str>::new(),
            "{column} {value}"
        );
    }
}

#[test]
fn a_figure_says_its_period_and_its_source() {
    assert_eq!(record("money/year", "{v: 1, source: s}"), ["G06"]);
    assert_eq!(
        record("money/year", "{v: 1, per: month, source: s}"),
        ["G07"]
    );
    assert_eq!(record("rate", "{v: 1%, per: month, source: s}"), ["G08"]);
    assert_eq!(record("rate", "{v: 1%}"), ["G04"]);
    assert_eq!(record("rate", "{v: 1%, source: s; t}"), ["G05"]);
    assert_eq!(record("rate", "{source: s}"), ["G03"]);
    assert_eq!(record("optional rate", "{source: s}"), Vec::<&str>::new());
    assert_eq!(record("rate", "{v: 1%, w: 2%, source: s}"), ["S01"]);
}

#[test]
fn two_periods_are_both_reported() {
    let method = with("{bound: money/month, v: money/year}");
    let figure = |per: &str| format!("  f: {{per: {per}, source: s, rows: [{{v: 1}}]}}");
    assert_eq!(
        errors(&method, &figure("v year; bound month")),
        Vec::<&str>::new()
    );
    assert_eq!(errors(&method, &figure("month")), ["G07"]);
    assert_eq!(errors(&method, &figure("bound year; v month")), ["G07"]);
}

#[test]
fn every_row_may_have_its_own_source() {
    let method = with("{statut: key, v: rate}");
    assert_eq!(
        errors(
            &method,
            "  f: {rows: [{statut: a, v: 1%, source: s}, {v: 2%, source: s}]}"
        ),
        Vec::<&str>::new()
    );
    assert_eq!(
        errors(
            &method,
            "  f: {rows: [{statut: a, v: 1%, source: s}, {v: 2%}]}"
        ),
        ["G04"]
    );
}

#[test]
fn rows_are_in_order_and_none_answers_twice() {
    let bounded = |rows: &str| {
        errors(
            &with("{bound: number, v: rate}"),
            &format!("  f: {{source: s, rows: [{rows}]}}"),
        )
    };
    assert_eq!(
        bounded("{up_to: 5, v: 1%}, {up_to: 5, v: 2%}, {v: 3%}"),
        ["G12"]
    );
    assert_eq!(bounded("{v: 1%}, {up_to: 5, v: 2%}"), ["G13"]);
    assert_eq!(bounded("{over: 5, v: 1%}, {v: 2%}"), ["G13"]);
    assert_eq!(bounded("{up_to: 5, v: 1%}, {over: 6, v: 2%}"), ["G11"]);
    assert_eq!(bounded("{up_to: 5, below: 6, v: 1%}"), ["G11"]);
    assert_eq!(bounded("{v: 1%}, {v: 2%}"), ["G14"]);
    assert_eq!(
        errors(&with("{bound: number, v: rate}"), "  f: {source: s}"),
        ["G09"]
    );
    let keyed = |rows: &str| {
        errors(
            &with("{statut: key, marie: key, v: rate}"),
            &format!("  f: {{source: s, rows: [{rows}]}}"),
        )
    };
    assert_eq!(keyed("{statut: a; b, v: 1%}, {statut: b, v: 2%}"), ["G14"]);
    assert_eq!(
        keyed("{statut: a, v: 1%}, {statut: a, marie: true, v: 2%}"),
        Vec::<&str>::new()
    );
    assert_eq!(keyed("{statut: c, v: 1%}"), ["T10"]);
    assert_eq!(keyed("{marie: oui, v: 1%}"), ["T15"]);
    assert_eq!(keyed("{statut: a, up_to: 5, v: 1%}"), ["G10"]);
}

#[test]
fn figures_are_exactly_those_of_the_method() {
    let method =
        format!("{GROSS}figures:\n  f: {{v: rate}}\nsteps:\n  x: brut * f.v\nanswer:\n  x: x\n");
    assert_eq!(errors(&method, "  g: {v: 1%, source: s}"), ["G02", "G01"]);
    assert_eq!(
        shown(
            &folder(&method, "  f: {v: 12.5%, source: s}"),
            "brut=8",
            "x"
        ),
        "1"
    );
}

#[test]
fn a_source_that_nobody_names_is_odd() {
    let keys =
        format!("{GROSS}figures:\n  f: {{v: rate}}\nsteps:\n  x: brut * f.v\nanswer:\n  x: x\n");
    let scale = scale("  f: {v: 1%, source: s}").replace(
        "figures:",
        "  t: {kind: law, title: T, publisher: P}\nfigures:",
    );
    let (_, report) = read(&[("method.yaml", &method(&keys)), ("2026-01-01.yaml", &scale)]);
    let codes: Vec<_> = report.warnings().map(|warning| warning.code()).collect();
    assert_eq!(codes, ["W05", "W01"]);
}
