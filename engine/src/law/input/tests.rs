use crate::testing::{errors, folder, refused, shown};

use super::*;

fn method(input: &str) -> String {
    format!(
        "decimals: 2\ninputs:\n  avant: {{type: number, default: 1, label: A}}\n  x: {{{input}, \
         label: X}}\nsteps:\n  fin: avant\nanswer:\n  fin: fin\n  x: {{value: x, when: given(x) \
         or fin > 0}}\n"
    )
}

/// Parses a text as an input; gives the value, or the refusal.
fn read(input: &str, sent: &str) -> String {
    shown(&folder(&method(input), ""), &format!("x={sent}"), "x")
}

fn refusal(input: &str, sent: &str) -> String {
    refused(&folder(&method(input), ""), &format!("x={sent}")).join(", ")
}

#[test]
fn an_amount_is_read_in_plain_decimals() {
    let money = "type: money, required: true, min: 0.5";
    assert_eq!(read(money, "1200.50"), "1200.5");
    assert_eq!(read(money, "0000001"), "1");
    for (sent, code) in [
        ("12,5", "format"),
        ("1 200", "format"),
        ("1e3", "format"),
        ("+1", "format"),
        (".5", "format"),
        ("5.", "format"),
        ("NaN", "format"),
        ("0x1F", "format"),
        ("-1", "hors_bornes"),
        ("0.49", "hors_bornes"),
        ("1000000000000.01", "hors_bornes"),
        ("1.001", "trop_de_chiffres"),
        ("99999999999999999999999999999999999", "trop_de_chiffres"),
    ] {
        assert_eq!(refusal(money, sent), format!("x {code}"), "{sent}");
    }
    assert_eq!(read(money, "1.10000"), "1.1");
    assert_eq!(read(money, "1000000000000"), "1000000000000");
}

#[test]
fn an_amount_may_be_rounded_on_entry_or_have_its_own_decimals() {
    assert_eq!(
        read("type: money, required: true, round: 0.05", "1.025"),
        "1.05"
    );
    let bounded = "type: money, required: true, min: 0.01, max: 10, round: 0.01";
    assert_eq!(read(bounded, "9.999"), "10");
    assert_eq!(refusal(bounded, "10.0001"), "x hors_bornes");
    assert_eq!(refusal(bounded, "0.0099"), "x hors_bornes");
    assert_eq!(
        read("type: money, required: true, decimals: 0", "12.00"),
        "12"
    );
    assert_eq!(
        refusal("type: money, required: true, decimals: 0", "12.5"),
        "x trop_de_chiffres"
    );
}

#[test]
fn more_decimals_than_a_calculation_keeps_are_refused_before_they_are_rounded() {
    for keys in [
        "type: money, required: true, round: 0.01",
        "type: rate, required: true",
        "type: number, required: true",
    ] {
        assert_eq!(
            refusal(keys, "0.0049999999999999999999"),
            "x trop_de_chiffres",
            "{keys}"
        );
        assert_eq!(
            refusal(keys, "-1.0000000000000001"),
            "x trop_de_chiffres",
            "{keys}"
        );
        assert_ne!(read(keys, "1.10000000000000000000000"), "", "{keys}");
    }
    assert_eq!(
        read(
            "type: money, required: true, round: 0.01",
            "0.004999999999999"
        ),
        "0"
    );
}

#[test]
fn a_number_follows_its_step_from_its_minimum() {
    let parts = "type: number, required: true, min: 0.5, max: 3, step: 1";
    assert_eq!(read(parts, "2.5"), "2.5");
    assert_eq!(refusal(parts, "2"), "x hors_bornes");
    assert_eq!(refusal(parts, "3.5"), "x hors_bornes");
    assert_eq!(refusal("type: integer, required: true", "2.5"), "x format");
    assert_eq!(read("type: integer, required: true", "2.0"), "2");
}

#[test]
fn a_rate_is_sent_in_percent_or_as_a_word() {
    let rate = "type: rate, words: moyen; sans_objet, required: true, max: 10%";
    let keys = method(rate).replace(
        "value: x, when: given(x) or fin > 0",
        "value: if x = moyen or x = sans_objet then 0 else x",
    );
    let folder = folder(&keys, "");
    assert_eq!(shown(&folder, "x=7.5", "x"), "0.075");
    assert_eq!(shown(&folder, "x= Moyen ", "x"), "0");
    assert_eq!(shown(&folder, "x=sans objet", "x"), "0");
    assert_eq!(refused(&folder, "x=10.1"), ["x hors_bornes"]);
    assert_eq!(refused(&folder, "x=7%"), ["x format"]);
}

#[test]
fn a_choice_is_found_however_it_is_written() {
    let choice = "type: choice, required: true, values: cote_ivoire; senegal, aliases: {ci: \
        cote_ivoire, \"Côte d’Ivoire\": cote_ivoire}";
    for sent in [
        "cote_ivoire",
        " COTE-IVOIRE ",
        "Côte Ivoire",
        "CI",
        "cote d’ivoire",
        "CÔTE D’IVOIRE",
    ] {
        assert_eq!(read(choice, sent), "\"cote_ivoire\"", "{sent}");
    }
    assert_eq!(refusal(choice, "senegale"), "x valeur_inconnue");
    let (folder, sent) = (
        folder(&method(choice), ""),
        crate::testing::query("x=senegale"),
    );
    let refusal = folder
        .calculate(&(&sent).into(), crate::testing::TODAY)
        .unwrap_err();
    let reported = &refusal.refusal().unwrap().parameters[0];
    assert!(
        reported.reason.fr.contains("vouliez-vous dire `senegal`"),
        "{}",
        reported.reason.fr
    );
    assert_eq!(
        (reported.received.as_deref(), reported.expected.fr.as_str()),
        (Some("senegale"), "cote_ivoire (ci, cote_d_ivoire), senegal")
    );
}

#[test]
fn an_alias_may_be_a_number_or_begin_with_a_figure() {
    let choice = "type: choice, required: true, values: classe_1; classe_1a; classe_2, aliases: \
        {1: classe_1, 1a: classe_1a, 2: classe_2}";
    for (sent, word) in [
        ("1", "classe_1"),
        (" 2 ", "classe_2"),
        ("1A", "classe_1a"),
        ("Classe 1a", "classe_1a"),
        ("(1)", "classe_1"),
    ] {
        assert_eq!(read(choice, sent), format!("\"{word}\""), "{sent}");
    }
    for sent in ["-1", " - 2", "1.0", "3", "1 a", "11"] {
        assert_eq!(refusal(choice, sent), "x valeur_inconnue", "{sent}");
    }
}

#[test]
fn a_boolean_has_six_spellings() {
    for (sent, value) in [
        ("true", "true"),
        ("1", "true"),
        ("Oui", "true"),
        ("false", "false"),
        ("0", "false"),
        ("non", "false"),
    ] {
        assert_eq!(read("type: boolean, required: true", sent), value);
    }
    assert_eq!(refusal("type: boolean, required: true", "yes"), "x format");
}

#[test]
fn what_is_left_out_is_missing_absent_or_has_its_default() {
    assert_eq!(
        refused(&folder(&method("type: money, required: true"), ""), "x="),
        ["x manquant"]
    );
    let default = folder(&method("type: money, default: 1 200.50"), "");
    assert_eq!(shown(&default, "", "x"), "1200.5");
    assert_eq!(
        shown(&folder(&method("type: rate, default: 5%"), ""), "", "x"),
        "0.05"
    );
    let formula = folder(&method("type: number, default: avant * 2"), "");
    assert_eq!(shown(&formula, "avant=4", "x"), "8");
    assert_eq!(shown(&formula, "avant=4&x=", "x"), "8");
    let optional = method("type: number, optional: true")
        .replace("when: given(x) or fin > 0", "when: given(x)");
    assert_eq!(shown(&folder(&optional, ""), "", "x"), "absent");
}

#[test]
fn what_is_accepted_is_shown_in_french() {
    for (input, stated) in [
        (
            "type: money, required: true, min: 0",
            "un montant de 0 à 1\u{202f}000\u{202f}000\u{202f}000\u{202f}000, 2 décimales au plus",
        ),
        (
            "type: integer, required: true, min: 1",
            "un nombre entier à partir de 1",
        ),
        (
            "type: number, required: true, max: 3, step: 0.5",
            "un nombre jusqu’à 3, par pas de 0,5",
        ),
        (
            "type: rate, required: true, words: moyen, min: 0%, max: 7.5%",
            "un taux en pour cent de 0 à 7,5, ou `moyen`",
        ),
        (
            "type: boolean, required: true",
            "true ou false (aussi 1 ou 0, oui ou non)",
        ),
    ] {
        let method = method(input).replace("  x: {value: x, when: given(x) or fin > 0}\n", "");
        assert_eq!(folder(&method, "").inputs()[1].expected(), stated);
    }
}

#[test]
fn a_declaration_that_does_not_hold_is_reported() {
    for (input, code) in [
        ("type: moneys, required: true", "S05"),
        ("type: money", "I04"),
        ("type: money, required: true, optional: true", "I04"),
        ("type: money, required: true, default: 0", "I04"),
        ("type: money, required: true, min: 5, max: 4", "I05"),
        ("type: number, required: true, step: 0", "I09"),
        ("type: number, required: true, step: -1", "I09"),
        ("type: number, required: true, round: 1", "I01"),
        ("type: choice, required: true", "I02"),
        ("type: boolean, required: true, max: 1", "I01"),
        ("type: rate, required: true, per: month", "I01"),
        ("type: rate, required: true, max: 7", "T12"),
        ("type: money, required: true, max: 7%", "T13"),
        (
            "type: choice, required: true, values: a; b, aliases: {c: d}",
            "T10",
        ),
        (
            "type: choice, required: true, values: a; b, aliases: {A: b}",
            "I03",
        ),
        ("type: number, default: apres", "F14"),
        ("type: boolean, default: avant", "T02"),
    ] {
        assert_eq!(
            errors(&method(input), "").first().copied(),
            Some(code),
            "{input}"
        );
    }
}

#[test]
fn values_that_can_be_listed_are() {
    let listed = |input: &str| {
        let keys = method(input).replace("  x: {value: x, when: given(x) or fin > 0}\n", "");
        folder(&keys, "").inputs()[1]
            .listed_values()
            .map(|values| values.len())
    };
    assert_eq!(
        listed("type: choice, required: true, values: a; b; c"),
        Some(3)
    );
    assert_eq!(listed("type: boolean, required: true"), Some(2));
    assert_eq!(
        listed("type: integer, required: true, min: 0, max: 9"),
        Some(10)
    );
    assert_eq!(
        listed("type: number, required: true, min: 1, max: 2, step: 0.25"),
        Some(5)
    );
    assert_eq!(listed("type: number, required: true, min: 1, max: 2"), None);
    assert_eq!(
        listed("type: integer, required: true, min: 0, max: 100000"),
        None
    );
    assert_eq!(listed("type: money, required: true, min: 0, max: 2"), None);
}

#[test]
fn an_alias_may_not_hide_a_word() {
    let input = Input::clone(
        folder(
            &method("type: choice, required: true, values: a; b, aliases: {z: b}"),
            "",
        )
        .inputs()[1],
    );
    assert_eq!(
        (input.word("b"), input.word("z"), input.word_at(1)),
        (Some(1), None, Some("b"))
    );
    assert_eq!(input.parse("Z").unwrap(), Value::Word(1));
}

#[test]
fn a_comma_is_refused_with_the_number_that_was_meant() {
    let meant = |text| super::meant_number(text);
    assert_eq!(meant("2.650,00").as_deref(), Some("2650.00"));
    assert_eq!(meant("2 650,5").as_deref(), Some("2650.5"));
    assert_eq!(meant("12,5").as_deref(), Some("12.5"));
    assert_eq!(
        (meant("2,650"), meant("1,2,3"), meant("a,5")),
        (None, None, None)
    );
}
