use crate::testing::{GROSS, method, read, scale};
use crate::text::diagnostic::Rendering;
use crate::text::lang::Lang;

/// The errors of a method with such figures, in English.
fn reported(shapes: &str, step: &str, figures: &str) -> String {
    let method = method(&format!(
        "{GROSS}figures:\n{shapes}steps:\n  x: {step}\nanswer:\n  x: x\n"
    ));
    let (_, report) = read(&[
        ("method.yaml", &method),
        ("2026-01-01.yaml", &scale(figures)),
    ]);
    let reported = report
        .errors()
        .map(|one| one.render(Rendering::new(Lang::En)))
        .collect::<String>();
    reported.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn only_figures_with_bounds_and_rates_are_named_as_scales() {
    let shapes = "  bareme: {bound: money/month, rate: rate}
  taux: {rate: rate}
  seuil: {bound: money/month, montant: money/month}
";
    let figures = "  bareme: {per: month, source: s, rows: [{up_to: 500, rate: 0%}, {rate: 11%}]}
  taux: {rate: 6%, source: s}
  seuil: {per: month, source: s, rows: [{up_to: 500, montant: 1}, {montant: 2}]}
";
    let message = reported(shapes, "{brackets: brut, with: taux}", figures);
    assert!(
        message.contains("a figure that has them: bareme; a row of another figure"),
        "{message}"
    );
}

#[test]
fn a_column_of_another_type_is_declared_again_or_its_base_brought_to_its_period() {
    let of = |ty: &str, per: &str| {
        let shapes = format!("  bareme: {{bound: {ty}, rate: rate}}\n");
        let figures = format!(
            "  bareme: {{{per}source: s, rows: [{{up_to: 500, rate: 0%}}, {{rate: 11%}}]}}\n"
        );
        reported(&shapes, "{brackets: brut, with: bareme}", &figures)
    };
    for (ty, per, cure) in [
        (
            "money/year",
            "per: year, ",
            "the type that the law gives it, and bring the base of the step to that period",
        ),
        ("number", "", "declare it of that type under `figures`"),
    ] {
        let message = of(ty, per);
        assert!(message.contains(cure), "{message}");
    }
}
