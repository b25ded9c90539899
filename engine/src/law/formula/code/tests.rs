use crate::testing::{folder, refused, shown};

fn method(formula: &str) -> String {
    let inputs = "inputs:
  mois: {type: money, per: month, required: true, label: M}
  n: {type: number, default: 0, label: N}
  oui: {type: boolean, default: false, label: O}
  avance: {type: money, per: month, optional: true, label: V}
";
    format!(
        "{inputs}figures:\n  f: {{grand: number, zero: number}}\nsteps:\n  x: \
             {formula}\nanswer:\n  x: x\n"
    )
}

const FIGURES: &str = "  f: {grand: 9 000 000 000 000 000 000 000, zero: 0, source: s}";

fn value(formula: &str, query: &str) -> String {
    shown(&folder(&method(formula), FIGURES), query, "x")
}

#[test]
fn each_function_computes_what_it_says() {
    assert_eq!(value("annual(mois)", "mois=10.01"), "120.12");
    assert_eq!(value("monthly(annual(mois) + 0)", "mois=10.01"), "10.01");
    assert_eq!(value("min(mois; mois * 2; mois * -3)", "mois=5"), "-15");
    assert_eq!(value("max(n; 3; 2.5)", "mois=5&n=2.75"), "3");
    assert_eq!(value("ratio(mois; mois * n)", "mois=5&n=4"), "0.25");
    assert_eq!(value("ratio(mois; mois * n)", "mois=5"), "0");
    assert_eq!(value("given(avance)", "mois=5&avance=0"), "true");
    assert_eq!(value("given(avance)", "mois=5"), "false");
}

#[test]
fn operators_compute_what_they_say() {
    for (formula, expected) in [
        ("n + 1 - 2 * 3 / 4", "7.5"),
        ("-n * -1", "8"),
        ("(n + 1) * 2", "18"),
        (
            "n = 8 and n != 7 and n < 9 and n <= 8 and n > 7 and n >= 8",
            "true",
        ),
        ("n < 8 or n > 8 or not (n = 8)", "false"),
        ("if n > 8 then 1 else if n = 8 then 2 else 3", "2"),
        ("oui = (n = 7)", "true"),
        ("oui != (n = 8)", "true"),
        ("-f.zero", "0"),
    ] {
        assert_eq!(value(formula, "mois=1&n=8"), expected, "{formula}");
    }
}

#[test]
fn what_decides_is_enough() {
    assert_eq!(value("given(avance) and avance > mois", "mois=1"), "false");
    assert_eq!(value("oui or 1 / n > 2", "mois=1&oui=true"), "true");
    assert_eq!(value("if n = 0 then 0 else 1 / n", "mois=1"), "0");
}

#[test]
fn what_cannot_be_computed_refuses_and_does_not_panic() {
    for formula in [
        "1 / n",
        "mois / n",
        "1 / f.zero",
        "f.grand * f.grand",
        "mois * f.grand * f.grand",
        "annual(mois * f.grand * 900)",
        "mois * f.grand * 90000 + mois * f.grand * 90000",
        "0 - mois * f.grand * 90000 - mois * f.grand * 90000",
        "mois * f.grand / 0.000000001",
    ] {
        let folder = folder(&method(formula), FIGURES);
        assert_eq!(
            refused(&folder, "mois=999999999999"),
            ["mois non_calculable"],
            "{formula}"
        );
    }
}
