//! Holds a folder against its worked cases.

use jiff::civil::Date;

use crate::cases::Case;
use crate::diagnostic::Report;
use crate::folder::{Extras, Folder};
use crate::json::Json;
use crate::problem::Problem;

/// Day on which cases of methods without dates run; nothing depends on it.
const ANY_DAY: Date = Date::constant(2026, 1, 1);

impl Case {
    /// Runs the case; what differs goes to the report.
    pub fn run(&self, folder: &Folder, report: &mut Report) {
        let outcome = folder.answer_with(&self.query, Extras::default(), ANY_DAY, |answer| self.hold(answer, report));
        let Err(refusal) = outcome else {
            if let Some(input) = &self.refuse {
                report.error(&input.place, Problem::CaseNotRefused { input: input.value.clone() });
            }
            return;
        };
        let told = || {
            let parameters =
                refusal.parameters.iter().map(|bad| format!("`{}` ({})", bad.name, bad.reason.trim_end_matches('.')));
            parameters.collect::<Vec<_>>().join(", ")
        };
        match &self.refuse {
            None => report.error(&self.place, Problem::CaseRefused { parameters: told() }),
            Some(input) if !refusal.parameters.iter().any(|bad| bad.name == input.value) => {
                let problem = Problem::CaseRefusedOtherwise { input: input.value.clone(), parameters: told() };
                report.error(&input.place, problem);
            }
            Some(_) => {}
        }
    }

    fn hold(&self, answer: &Json, report: &mut Report) {
        if self.refuse.is_some() {
            return;
        }
        for (field, expected) in &self.expect {
            match answer.path(&field.value) {
                None => report.error(&field.place, Problem::CaseLacksField { field: field.value.clone() }),
                Some(found) if !expected.agrees(found) => {
                    let problem = Problem::CaseDiffers {
                        field: field.value.clone(),
                        expected: expected.shown(),
                        found: found.to_string(),
                    };
                    report.error(&field.place, problem);
                }
                Some(_) => {}
            }
        }
        for field in self.absent.iter().filter(|field| answer.path(&field.value).is_some()) {
            report.error(&field.place, Problem::CaseHasField { field: field.value.clone() });
        }
        if let Some(text) = &self.warns {
            let said = match answer.get("avertissements") {
                Some(Json::List(warnings)) => {
                    warnings.iter().any(|warning| matches!(warning, Json::Text(said) if said.contains(&text.value)))
                }
                _ => false,
            };
            if !said {
                report.error(&text.place, Problem::CaseWarnsNot { text: text.value.clone() });
            }
        }
    }
}
