//! Figures that start later or ended before the scale of a day, and the steps, fields and inputs
//! that depend on them.
//!
//! A method is first checked as a whole: any such figure may be absent, and formulas must test
//! `given` first. It is then read once more for the days of one scale, on which it is known which
//! figures there are: a step whose `when` is false on all of these days is absent from that scale.

use crate::law::{FigureId, Type};
use crate::text::problem::Problem;

use super::ast::Operator;
use super::expr::{Expr, Narrowing};
use super::symbols::Symbols;

impl Symbols {
    /// The value of a condition that depends only on which figures the scale gives; `None` for any
    /// other.
    pub(crate) fn settled(&self, condition: &Expr) -> Option<bool> {
        match condition {
            Expr::GivenFigure(figure) => self.is_given(*figure),
            // A condition that is an absent step is false on all the days of this scale.
            Expr::Absent(Type::Boolean) => Some(false),
            Expr::Not(inner) => self.settled(inner).map(|value| !value),
            Expr::Binary(operator @ (Operator::And | Operator::Or), a, b) => {
                let decides = *operator == Operator::Or;
                match (self.settled(a), self.settled(b)) {
                    (Some(value), _) | (_, Some(value)) if value == decides => Some(decides),
                    (Some(_), Some(_)) => Some(!decides),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The problem of a figure that is read without testing `given`, where it may be absent.
    pub(crate) fn unguarded(&self, figure: FigureId, known: &[Narrowing]) -> Option<Problem> {
        let shape = figure.of(&self.figures)?;
        let is_guarded = !shape.may_be_absent() || known.contains(&Narrowing::GivenFigure(figure));
        (!is_guarded).then(|| Problem::FigureMayBeAbsent {
            name: shape.name.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::run::folder::Folder;
    use crate::testing::{
        GROSS, TODAY, method, query, read, refused, scale, shown, shown_all, warnings,
    };

    const SHAPES: &str = "figures:
  p: {rate: rate}
  s: {rate: rate, ceiling: money/month, since: 2026-01-01}
  a: {montant: money/month, until: 2025-12-31}
";
    const STEPS: &str = "steps:
  p: {contribution: brut, with: p}
  s: {contribution: brut, with: s, when: given(s)}
  plus: {contribution: brut, rate: taux, when: given(s) and brut > p}
  a: {formula: a.montant, when: given(a)}
  net: brut - p - s - plus + a
answer:
  net: net
  s: s
  a: a
  lignes: {lines: p; s; a}
checks:
  - {if: given(s) and brut > s.ceiling, warn: Plafond., code: plafond}
";
    const INPUT: &str = "  taux: {type: rate, required: true, min: 0%, max: 5%, label: Taux}\n";

    /// Scales of 2024 and 2025 with figure `a`, of 2026 with figure `s`.
    fn folder() -> Folder {
        let keys = method(&format!("{GROSS}{INPUT}{SHAPES}{STEPS}"));
        let old = scale("  p: {rate: 10%, source: s}\n  a: {montant: 3, per: month, source: s}\n");
        let new = scale(
            "  p: {rate: 10%, source: s}\n  s: {rate: 2%, ceiling: 50, per: month, source: s}\n",
        );
        let files = [
            ("method.yaml", &keys),
            ("2024-01-01.yaml", &old),
            ("2025-01-01.yaml", &old),
            ("2026-01-01.yaml", &new),
        ];
        let (folder, report) = read(&files.map(|(name, text)| (name, text.as_str())));
        folder.unwrap_or_else(|| panic!("{report:?}"))
    }

    #[test]
    fn what_reads_an_absent_figure_is_not_there() {
        let paths = "net s a lignes.1.code lignes.2";
        assert_eq!(
            shown_all(&folder(), "brut=100&date=2025-06-30", paths),
            r#"93 absent 3 "a" absent"#
        );
        assert_eq!(
            shown_all(&folder(), "brut=100&taux=1", paths),
            r#"88 1 absent "s" absent"#
        );
        let steps = |asked: &str| shown_all(&folder(), asked, "etapes.1.nom etapes.2.nom etapes.3");
        assert_eq!(
            steps("brut=100&date=2024-06-30&detail=1"),
            r#""a" "net" absent"#
        );
        assert_eq!(
            shown(&folder(), "brut=100&date=2025-06-30", "avertissements"),
            "absent"
        );
        let warning = r#"[{"code":"plafond","texte":"Plafond."}]"#;
        assert_eq!(
            shown(&folder(), "brut=100&taux=1", "avertissements"),
            warning
        );
    }

    #[test]
    fn an_input_that_nothing_reads_that_day_is_refused_with_the_days_on_which_it_is_accepted() {
        let refusal = |asked: &str| {
            let refusal = folder()
                .calculate(&(&query(asked)).into(), TODAY)
                .unwrap_err();
            let bad = &refusal.refusal().unwrap().parameters[0];
            (bad.name.clone(), bad.code.as_str(), bad.reason.fr.clone())
        };
        let (name, code, reason) = refusal("brut=100&taux=1&date=2024-05-01");
        assert_eq!((name.as_str(), code), ("taux", "sans_bareme"));
        assert!(reason.contains("à partir du 1er janvier 2026"), "{reason}");
        assert_eq!(refused(&folder(), "brut=100"), ["taux manquant"]);
        assert_eq!(folder().inputs().len(), 3);
    }

    #[test]
    fn an_input_of_the_past_is_refused_with_its_last_day() {
        let steps = STEPS.replace("given(s) and brut > p", "given(a)");
        let keys = method(&format!("{GROSS}{INPUT}{SHAPES}{steps}"));
        let old = scale("  p: {rate: 10%, source: s}\n  a: {montant: 3, per: month, source: s}\n");
        let new = scale(
            "  p: {rate: 10%, source: s}\n  s: {rate: 2%, ceiling: 50, per: month, source: s}\n",
        );
        let files = [
            ("method.yaml", keys.as_str()),
            ("2025-01-01.yaml", &old),
            ("2026-01-01.yaml", &new),
        ];
        let folder = read(&files).0.unwrap();
        let refusal = folder
            .calculate(&(&query("brut=100&taux=1")).into(), TODAY)
            .unwrap_err();
        let reason = &refusal.refusal().unwrap().parameters[0].reason.fr;
        assert!(reason.contains("jusqu’au 31 décembre 2025"), "{reason}");
        assert_eq!(
            shown(&folder, "brut=100&taux=1&date=2025-01-01", "net"),
            "92"
        );
    }

    #[test]
    fn an_input_that_only_the_default_of_another_reads_is_refused_with_it() {
        let inputs = format!(
            "  plancher: {{type: rate, required: true, min: 0%, max: 5%, label: Plancher}}\n{INPUT}"
        )
        .replace(
            "required: true, min: 0%, max: 5%, label: Taux",
            "default: plancher / 2, label: Taux",
        );
        let keys = method(&format!("{GROSS}{inputs}{SHAPES}{STEPS}"));
        let old = scale("  p: {rate: 10%, source: s}\n  a: {montant: 3, per: month, source: s}\n");
        let new = scale(
            "  p: {rate: 10%, source: s}\n  s: {rate: 2%, ceiling: 50, per: month, source: s}\n",
        );
        let files = [
            ("method.yaml", keys.as_str()),
            ("2025-01-01.yaml", &old),
            ("2026-01-01.yaml", &new),
        ];
        let folder = read(&files).0.unwrap();
        let past = "brut=100&date=2025-01-01";
        assert_eq!(
            refused(&folder, &format!("{past}&plancher=4")),
            ["plancher sans_bareme"]
        );
        assert_eq!(shown(&folder, past, "net"), "93");
        assert_eq!(refused(&folder, "brut=100"), ["plancher manquant"]);
        assert_eq!(shown(&folder, "brut=100&plancher=4", "net"), "87");
    }

    #[test]
    fn a_figure_starts_and_ends_with_a_dated_file() {
        let keys = format!("{GROSS}{SHAPES}{STEPS}")
            .replace("rate: taux", "rate: s.rate")
            .replace("2026-01-01", "2026-07-01");
        let found = warnings(&keys, "  p: {rate: 10%, source: s}\n");
        assert_eq!(found, ["W01", "W17"]);
    }
}
