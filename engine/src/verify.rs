//! Runs the worked cases of a folder.

use jiff::civil::Date;

use crate::calculation::Calculation;
use crate::cases::{Case, Expected};
use crate::diagnostic::Report;
use crate::error::CalculationError;
use crate::folder::Folder;
use crate::json::Datum;
use crate::number::parse_amount;
use crate::problem::{Problem, meant, plain_number};
use crate::query::Query;
use crate::refusal::BadParameter;
use crate::yaml::Text;

/// Day on which cases of methods without dates run; nothing depends on it.
const ANY_DAY: Date = Date::constant(2026, 1, 1);

impl Case {
    /// Runs the case; what differs goes to the report.
    pub fn run(&self, folder: &Folder, report: &mut Report) {
        let refusal = match (folder.calculate(&Query::from(&self.query), ANY_DAY), &self.refuse) {
            (Ok(calculation), None) => return self.compare(&calculation, report),
            (Ok(_), Some(input)) => {
                return report.error(&input.place, Problem::CaseNotRefused { input: input.value.clone() });
            }
            (Err(CalculationError::Refused(refusal)), _) => refusal,
            (Err(CalculationError::Internal(fault)), _) => {
                return report.error(&self.place, Problem::EngineFault { place: fault.place().to_owned() });
            }
        };
        match &self.refuse {
            None => refusal.parameters.iter().for_each(|bad| {
                let sent = self.query.iter().zip(&self.sent).find(|((name, _), _)| *name == bad.name);
                let near = sent.and_then(|((_, text), _)| plain_number(text));
                let problem = Problem::CaseRefused {
                    near,
                    name: bad.name.clone(),
                    reason: bad.reason.trim_end_matches('.').to_owned(),
                    expected: bad.expected.clone(),
                };
                report.error(sent.map_or(&self.place, |(_, place)| place), problem);
            }),
            Some(input) if !refusal.parameters.iter().any(|bad| bad.name == input.value) => {
                let described = |bad: &BadParameter| format!("`{}` ({})", bad.name, bad.reason.trim_end_matches('.'));
                let parameters = refusal.parameters.iter().map(described).collect::<Vec<_>>().join(", ");
                report.error(&input.place, Problem::CaseRefusedOtherwise { input: input.value.clone(), parameters });
            }
            Some(_) => {}
        }
    }

    /// The expected values that differ from those of an answer: the field, what is expected, what is found.
    pub fn differences<'c>(
        &'c self,
        calculation: &'c Calculation,
    ) -> impl Iterator<Item = (&'c Text, &'c Expected, Datum<'c>)> {
        let found = |(field, expected): &'c (Text, Expected)| {
            let found = calculation.datum().path(&field.value)?;
            (!expected.agrees(found)).then_some((field, expected, found))
        };
        self.expect.iter().filter_map(found)
    }

    fn compare(&self, calculation: &Calculation, report: &mut Report) {
        let answer = calculation.datum();
        for (field, expected) in &self.expect {
            let Some(found) = answer.path(&field.value) else {
                let names: Vec<&str> = answer.members().into_iter().map(|(name, _)| name).collect();
                let near = meant(&field.value, names).map(str::to_owned);
                report.error(&field.place, Problem::CaseLacksField { field: field.value.clone(), near });
                continue;
            };
            if !expected.agrees(found) {
                let near = match (expected, found) {
                    (Expected::Text(text), Datum::Number(_)) if parse_amount(&text.value).is_err() => {
                        plain_number(&text.value)
                    }
                    _ => None,
                };
                let (expected, found) = (expected.shown(), found.to_string());
                report.error(&field.place, Problem::CaseDiffers { field: field.value.clone(), expected, found, near });
            }
        }
        for field in self.absent.iter().filter(|field| answer.path(&field.value).is_some()) {
            report.error(&field.place, Problem::CaseHasField { field: field.value.clone() });
        }
        if let Some(text) = &self.warns
            && !calculation.warnings().iter().any(|warning| warning.contains(&text.value))
        {
            report.error(&text.place, Problem::CaseWarnsNot { text: text.value.clone() });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, method, read, scale};

    /// Codes of what is wrong with a case, read and run.
    fn reported(case: &str) -> Vec<&'static str> {
        let keys = "checks:\n  - {if: cadre, warn: \"Attention aux cadres.\"}\nfigures:\n  f: {v: rate}\nsteps:\n  x: brut * f.v\nanswer:\n  x: x\n  liste: {lines: x}\n  fin: {value: x, when: cadre}\n";
        let cases = format!("format: bareme/1\ncases:\n  - {{name: C, origin: {{kind: hand}}, {case}}}\n");
        let method = method(&format!("{GROSS}{keys}"));
        let files = [
            ("method.yaml", method.as_str()),
            ("2026-01-01.yaml", &scale("  f: {v: 10%, source: s}")),
            ("cases.yaml", &cases),
        ];
        let (folder, mut report) = read(&files);
        if let Some(folder) = folder {
            folder.cases.iter().for_each(|case| case.run(&folder, &mut report));
        }
        report.errors().map(|error| error.code()).collect()
    }

    #[test]
    fn a_case_holds_an_answer() {
        for case in [
            "date: 2026-05-01, given: {brut: 55}, expect: {x: 5.50, liste.0.montant: 5.5, liste.0.assiette: null, fin: 5.5}, absent: fini",
            "date: 2026-05-01, given: {brut: 55}, expect: {x: 5.5}, absent: fin; avertissements",
            "date: 2026-05-01, given: {brut: 55, cadre: true}, warns: aux cadres",
            "date: 2026-05-01, given: {brut: 1 000}, refuse: brut",
            "date: 2025-05-01, given: {brut: 55}, refuse: date",
        ] {
            let expected: &[&str] = if case.contains("fini") { &["C07"] } else { &[] };
            assert_eq!(reported(case), expected, "{case}");
        }
    }

    #[test]
    fn what_differs_is_told() {
        for (case, code) in [
            ("date: 2026-05-01, given: {brut: 55}, expect: {x: 5.51}", "C01"),
            ("date: 2026-05-01, given: {brut: 55}, expect: {liste: 5}", "C01"),
            ("date: 2026-05-01, given: {}, expect: {x: 5}", "C02"),
            ("date: 2026-05-01, given: {brut: 55}, refuse: brut", "C03"),
            ("date: 2026-05-01, given: {brut: abc}, refuse: cadre", "C04"),
            ("date: 2026-05-01, given: {brut: 55}, warns: aux cadres", "C05"),
            ("date: 2026-05-01, given: {brut: 55}, absent: x", "C06"),
            ("date: 2026-05-01, given: {brut: 55}, expect: {y: 5}", "C07"),
            ("date: 2026-05-01, given: {brut: 55}", "C08"),
            ("given: {brut: 55}, expect: {x: 5.5}", "C09"),
            ("date: 2026-02-30, given: {brut: 55}, expect: {x: 5.5}", "S07"),
        ] {
            assert_eq!(reported(case).first().copied(), Some(code), "{case}");
        }
    }
}
