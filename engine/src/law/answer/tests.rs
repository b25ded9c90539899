use crate::testing::{GROSS, folder, refused, shown, shown_all};

const INPUTS: &str = "  statut: {type: choice, values: a; b; c, default: a, label: Statut}
  parts: {type: number, default: 3, label: Parts}
  avance: {type: money, per: month, optional: true, label: Avance}
";

/// The JSON of field `x` of a method without figures.
fn value(field: &str, query: &str) -> String {
    let keys = format!("{GROSS}{INPUTS}steps:\n  fin: brut\nanswer:\n  x: {field}\n");
    shown(&folder(&keys, ""), query, "x")
}

#[test]
fn amounts_have_the_decimals_of_the_method_and_numbers_ten() {
    assert_eq!(value("brut / 3", "brut=10"), "3.33");
    assert_eq!(value("brut / 3", "brut=-0.01"), "0");
    assert_eq!(value("brut * 0.5", "brut=0.01"), "0.01");
    assert_eq!(value("2 / parts", "brut=10"), "0.6666666667");
    let keys = format!("decimals: 0\n{GROSS}steps:\n  fin: brut\nanswer:\n  x: brut * 0.55\n");
    assert_eq!(shown(&folder(&keys, ""), "brut=10", "x"), "6");
}

#[test]
fn a_value_is_shown_as_a_percentage_or_a_text_and_rounded() {
    assert_eq!(
        value("{value: 1 / parts, as: percent}", "brut=1"),
        "33.3333333333"
    );
    assert_eq!(
        value("{value: 1 / parts, as: percent, round: 0.01}", "brut=1"),
        "33.33"
    );
    assert_eq!(
        value("{value: 2 / parts, as: percent, round: 1 down}", "brut=1"),
        "66"
    );
    assert_eq!(
        value("{value: 2 / parts, as: text, round: 0.5 up}", "brut=1"),
        "\"1\""
    );
    assert_eq!(
        value("{value: brut, as: text}", "brut=1200.50"),
        "\"1200.5\""
    );
    assert_eq!(value("{value: brut, round: 100}", "brut=1250"), "1300");
    assert_eq!(value("{text: zz}", "brut=1"), "\"zz\"");
    assert_eq!(value("scale.currency", "brut=1"), "\"EUR\"");
    assert_eq!(value("scale.year", "brut=1"), "2026");
    assert_eq!(value("scale.date", "brut=1"), "absent");
}

#[test]
fn words_and_booleans_are_shown_as_they_are_written() {
    assert_eq!(value("statut", "brut=1&statut=B"), "\"b\"");
    assert_eq!(value("cadre", "brut=1"), "false");
    assert_eq!(value("cadre or brut > 0", "brut=1"), "true");
}

#[test]
fn a_field_is_there_when_it_applies() {
    assert_eq!(
        value("{value: avance, when: given(avance)}", "brut=1"),
        "absent"
    );
    assert_eq!(
        value("{value: avance, when: given(avance)}", "brut=1&avance=0"),
        "0"
    );
}

#[test]
fn a_field_that_cannot_be_computed_refuses() {
    let keys = format!("{GROSS}{INPUTS}steps:\n  fin: brut\nanswer:\n  x: brut / (parts - 3)\n");
    assert_eq!(
        refused(&folder(&keys, ""), "brut=1"),
        ["brut non_calculable"]
    );
}

#[test]
fn lines_show_base_and_rate_for_contributions_only() {
    let steps = "steps:\n  a: {contribution: brut, with: f, label: Ligne A}\n  b: {formula: brut \
        / 4, round: 1}\n";
    let keys = format!(
        "{GROSS}figures:\n  f: {{rate: rate, ceiling: money/month}}\n{steps}answer:\n  x: \
         {{lines: a; b}}\n"
    );
    let folder = folder(
        &keys,
        "  f: {rate: 1/3, ceiling: 50, per: month, source: s}",
    );
    let first =
        r#"{"code":"a","libelle":"Ligne A","assiette":50,"taux":0.3333333333,"montant":16.67}"#;
    let second = r#"{"code":"b","libelle":"b","assiette":null,"taux":null,"montant":25}"#;
    assert_eq!(
        shown(&folder, "brut=100", "x"),
        format!("[{first},{second}]")
    );
}

#[test]
fn brackets_of_several_taxes_say_which() {
    let steps =
        "steps:\n  a: {brackets: brut, with: f}\n  b: {brackets: brut, with: g, when: cadre}\n";
    let shapes = "figures:\n  f: {bound: money/month, rate: rate}\n  g: {bound: money/month, \
        rate: rate, plus: money/month}\n";
    let keys = format!("{GROSS}{shapes}{steps}answer:\n  x: {{brackets: a; b}}\n");
    let figures = "  f: {per: month, source: s, rows: [{rate: 10%}]}\n  g: {per: month, source: \
        s, rows: [{rate: 20%, plus: 3}]}";
    let folder = folder(&keys, figures);
    let first = r#"{"impot":"a","de":0,"a":null,"taux":0.1,"assiette":5,"montant":0.5}"#;
    let second =
        r#"{"impot":"b","de":0,"a":null,"taux":0.2,"constante":3,"assiette":5,"montant":4}"#;
    assert_eq!(shown(&folder, "brut=5", "x"), format!("[{first}]"));
    assert_eq!(
        shown(&folder, "brut=5&cadre=true", "x"),
        format!("[{first},{second}]")
    );
}

fn listing(field: &str) -> crate::run::folder::Folder {
    let shapes = "figures:\n  f: {statut: key, n: key, v: rate, m: money/month, t: optional \
        text}\n  p: {part: rate}\n";
    let steps = "steps:\n  fin: brut * p.part\n";
    let keys = format!("{GROSS}{INPUTS}{shapes}{steps}answer:\n  fin: fin\n  x: {field}\n");
    let rows = "{statut: a; b, n: 1; 2, v: 1/3, m: 5, t: un}, {statut: a, v: 20%, m: 6}, {n: 1, \
        v: 30%, m: 7}, {v: 40%, m: 8}";
    folder(
        &keys,
        &format!("  f: {{per: month, source: s, rows: [{rows}]}}\n  p: {{part: 50%, source: s}}"),
    )
}

#[test]
fn rows_show_their_keys_and_columns() {
    let first = r#"{"statut":"a; b","n":"1; 2","v":0.3333333333,"m":5,"t":"un"}"#;
    let third = r#"{"statut":null,"n":1,"v":0.3,"m":7}"#;
    let folder = listing("{rows: f}");
    assert_eq!(
        shown_all(&folder, "brut=1", "x.0 x.2 x.4"),
        format!("{first} {third} absent")
    );
}

#[test]
fn rows_are_those_that_a_lookup_by_the_same_keys_chooses_from() {
    let folder = listing("{rows: f, by: statut}");
    let v = |query| shown_all(&folder, query, "x.0.v x.1.v x.2.v");
    assert_eq!(v("brut=1&statut=a"), "0.3333333333 0.2 absent");
    assert_eq!(v("brut=1&statut=b"), "0.3333333333 absent absent");
    assert_eq!(v("brut=1&statut=c"), "0.3 0.4 absent");
    let both = listing("{rows: f, by: statut; parts}");
    assert_eq!(
        shown_all(&both, "brut=1&parts=1", "x.0.v x.0.n x.1"),
        "0.3333333333 absent absent"
    );
    assert_eq!(
        shown_all(&both, "brut=1&parts=9", "x.0.v x.1"),
        "0.2 absent"
    );
}

#[test]
fn rows_have_percentages_and_computed_members() {
    let folder = listing(
        "{rows: f, by: statut, as: percent, moitie: f.v * p.part, du: f.m * parts, mot: f.t}",
    );
    let first = r#"{"n":"1; 2","v":33.3333333333,"m":5,"t":"un","moitie":16.6666666667,"du":15,"mot":"un"}"#;
    let second = r#"{"n":null,"v":20,"m":6,"moitie":10,"du":18}"#;
    assert_eq!(
        shown_all(&folder, "brut=1", "x.0 x.1"),
        format!("{first} {second}")
    );
}

#[test]
fn rows_say_how_certain_they_are() {
    let shapes = "figures:\n  f: {statut: key, v: rate}\n";
    let keys = format!(
        "{GROSS}{INPUTS}{shapes}steps:\n  fin: brut\nanswer:\n  fin: fin\n  x: {{rows: f}}\n"
    );
    let rows = "{statut: a, v: 1%, confidence: low, note: Une seule source.}, {v: 2%}";
    let folder = folder(&keys, &format!("  f: {{source: s, rows: [{rows}]}}"));
    let first =
        r#"{"statut":"a","v":0.01,"reserve":{"confiance":"faible","note":"Une seule source."}}"#;
    assert_eq!(
        shown_all(&folder, "brut=1", "x.0 x.1"),
        format!(r#"{first} {{"statut":null,"v":0.02}}"#)
    );
}

#[test]
fn the_bound_of_a_row_is_named_after_its_word() {
    for (row, name) in [
        ("up_to", "jusqu_a"),
        ("below", "en_dessous_de"),
        ("over", "au_dela_de"),
        ("from", "a_partir_de"),
    ] {
        let shapes = "figures:\n  f: {bound: money/month, v: rate}\nsteps:\n  fin: brut\n";
        let keys = format!("{GROSS}{shapes}answer:\n  fin: fin\n  x: {{rows: f}}\n");
        let rows = match name {
            "jusqu_a" | "en_dessous_de" => format!("{{{row}: 5, v: 1%}}, {{v: 2%}}"),
            _ => format!("{{v: 2%}}, {{{row}: 5, v: 1%}}"),
        };
        let list = shown(
            &folder(
                &keys,
                &format!("  f: {{per: month, source: s, rows: [{rows}]}}"),
            ),
            "brut=1",
            "x",
        );
        assert!(
            list.contains(&format!(r#"{{"{name}":5,"v":0.01}}"#)),
            "{list}"
        );
        assert!(
            list.contains(&format!(r#"{{"{name}":null,"v":0.02}}"#)),
            "{list}"
        );
    }
}
