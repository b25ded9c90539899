//! Runner of the worked cases of a folder.

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::law::Warning;
use crate::law::members::{AUTOMATIC, OF_ALL_STEPS};
use crate::run::{CalculationError, Case, Edition, Expected, Folder, Query, unchecked};
use crate::say;
use crate::text::number::{NO_BREAK_SPACES, number_text, parse_amount, parse_rate};
use crate::text::problem::{list_of_names, plain_number, suggestion};
use crate::text::{BadParameter, Datum, PlacedText, Problem, Report, Text};

/// Day on which cases of methods without dates run; it has no effect.
const ANY_DAY: Date = Date::constant(2026, 1, 1);

/// The result of running a case.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// let outcome = folder.cases()[0].outcome(folder);
/// assert!(outcome.is_ok() && outcome.differences.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct CaseOutcome<'c> {
    /// Expected values that differ from those of the answer.
    pub differences: Vec<Difference<'c>>,
    /// Other mismatches: a refusal, an unexpected or missing field, a missing warning.
    pub others: Report,
}

/// An expected value that differs from that of the answer.
///
/// An element of [`CaseOutcome::differences`].
#[derive(Debug)]
pub struct Difference<'c> {
    /// The path of the field.
    pub field: &'c PlacedText,
    /// The expected value.
    pub expected: &'c Expected,
    /// The value in the answer, as JSON.
    pub found: String,
    /// The number that was meant, where the expected text is a misspelt one.
    near: Option<String>,
}

impl CaseOutcome<'_> {
    /// Whether the answer is as expected.
    pub fn is_ok(&self) -> bool {
        self.differences.is_empty() && self.others.is_ok()
    }

    /// The differences and other mismatches as diagnostics, in the order of the file.
    pub fn report(&self) -> Report {
        let mut report = self.others.clone();
        for difference in &self.differences {
            let field = difference.field.value.clone();
            let expected = difference.expected.shown();
            let found = difference.found.clone();
            let near = difference.near.clone();

            // A decimal comma is the mistake of the case itself, at the place of its text.
            match difference.expected {
                Expected::Text(text) if near.is_some() && text.value.contains(',') => {
                    report.error(
                        &text.place,
                        Problem::CommaInNumber {
                            text: text.value.clone(),
                            near,
                        },
                    );
                }
                _ => report.error(
                    &difference.field.place,
                    Problem::CaseDiffers {
                        field,
                        expected,
                        found,
                        near,
                    },
                ),
            }
        }

        report.sort();
        report
    }
}

impl Case {
    /// Runs the case; mismatches go to the report.
    pub fn run(&self, folder: &Folder, report: &mut Report) {
        report.extend(self.outcome(folder).report());
    }

    /// Runs the case and gives every mismatch.
    pub fn outcome(&self, folder: &Folder) -> CaseOutcome<'_> {
        let mut outcome = CaseOutcome::default();
        let others = &mut outcome.others;

        // The query of a case is checked before its values are compared.
        if let Some(problem) = self.of_another_scale(folder) {
            let place = self.scale.as_ref().map_or(&self.place, |(_, place)| place);
            others.error(place, problem);
            return outcome;
        }
        if !self.is_year {
            self.report_unknown_absent(folder, others);
        }
        if !others.is_ok() {
            return outcome;
        }

        let query = Query::from(&self.query);

        let answered = if self.is_year {
            folder.year(&query).map(|year| {
                self.compared(year.datum(), year.warnings().iter().map(|one| &one.what))
            })
        } else {
            folder.calculate(&query, ANY_DAY).map(|found| {
                // Drafts that are included change what other folders calculate of them: a case that
                // names none expects what is in force.
                if self.scale.is_none() && found.calls_draft() {
                    CaseOutcome::default()
                } else {
                    self.compared(found.datum(), found.warnings())
                }
            })
        };

        // An answer is compared; where the case expects a refusal, that is the only mistake.
        let refusal = match (answered, &self.refuse) {
            (Ok(compared), None) => return compared,
            (Ok(_), Some(input)) => {
                let problem = no_input(input, folder).unwrap_or_else(|| Problem::CaseNotRefused {
                    input: input.value.clone(),
                });
                others.error(&input.place, problem);
                return outcome;
            }
            (Err(CalculationError::Refused(refusal)), _) => refusal,
            (Err(CalculationError::Internal(fault)), _) => {
                others.error(
                    &self.place,
                    Problem::EngineFault {
                        place: fault.place().to_owned(),
                    },
                );
                return outcome;
            }
        };

        // A refusal is expected of one parameter, whatever else is refused with it.
        match &self.refuse {
            None => refusal
                .parameters
                .iter()
                .for_each(|bad| self.report_refusal(bad, others)),
            Some(input) if !refusal.parameters.iter().any(|bad| bad.name == input.value) => {
                let described = |bad: &BadParameter| {
                    format!("`{}` ({})", bad.name, bad.reason.fr.trim_end_matches('.'))
                };
                let parameters = refusal
                    .parameters
                    .iter()
                    .map(described)
                    .collect::<Vec<_>>()
                    .join(", ");
                let otherwise = || Problem::CaseRefusedOtherwise {
                    input: input.value.clone(),
                    parameters,
                };
                others.error(
                    &input.place,
                    no_input(input, folder).unwrap_or_else(otherwise),
                );
            }
            Some(_) => {}
        }
        outcome
    }

    /// The problem of a case whose day is answered by another scale than the one that it is of.
    fn of_another_scale(&self, folder: &Folder) -> Option<Problem> {
        let (own, _) = self.scale.as_ref()?;
        let found = folder
            .edition(self.date()?)
            .and_then(Edition::scale)
            .map(|scale| scale.date);
        (found != Some(*own)).then(|| Problem::CaseOfAnotherScale {
            scale: own.to_string(),
            found: found.map_or_else(
                || say!("aucun barème", "no scale"),
                |found| say!("celui du {found}", "that of {found}"),
            ),
        })
    }

    /// Reports names under `absent` that no answer of the folder ever has: such a case always
    /// holds.
    fn report_unknown_absent(&self, folder: &Folder, report: &mut Report) {
        if self.absent.is_empty() {
            return;
        }

        // The automatic members of every answer, beside the fields of the method.
        let own = folder.fields().into_iter().map(|field| field.name.as_str());
        let automatic = AUTOMATIC
            .iter()
            .map(|member| member.name)
            .chain(OF_ALL_STEPS);
        let known: Vec<&str> = own.chain(automatic).collect();

        for field in &self.absent {
            let first = field.value.split('.').next().unwrap_or_default();
            if !known.contains(&first) {
                let near = suggestion(first, known.iter().copied()).map(str::to_owned);
                let name = first.to_owned();
                report.error(&field.place, Problem::CaseAbsentUnknown { name, near });
            }
        }
    }

    /// Whether the case expects the warning of a day after the last scale, while a newer scale now
    /// covers that day.
    pub fn expects_uncovered_day(&self, folder: &Folder) -> bool {
        let (Some(day), Some(warns)) = (self.date(), &self.warns) else {
            return false;
        };

        // The scale before the one in force that day: the case was written when it was the last
        // one.
        let mut scales = folder
            .editions()
            .iter()
            .rev()
            .filter_map(Edition::scale)
            .filter(|scale| scale.date <= day);
        let before = scales
            .nth(1)
            .map(|scale| scale.known_until)
            .filter(|until| day > *until);

        before.is_some_and(|until| is_expected(&unchecked(until, day), &warns.value))
    }

    /// Reports an unexpected refusal at the place of the refused value.
    fn report_refusal(&self, bad: &BadParameter, report: &mut Report) {
        let sent = self
            .query
            .iter()
            .zip(&self.sent)
            .find(|((name, _), _)| *name == bad.name);
        // A number written for readers, `1 000` or `12,5`, is proposed as the API takes it.
        let near = sent.and_then(|((_, text), _)| plain_number(text).or_else(|| with_point(text)));

        // The row that a case looks for is more often lost than meant to be missing.
        let cure = if bad.has_no_row() {
            say!(
                "remettre au barème la ligne qui manque, ou corriger `given` ; n’écrire `refuse:` que \
                 si la loi ne prévoit rien ici",
                "put the missing row back into the scale, or fix `given`; write `refuse:` only if \
                 the law provides nothing here"
            )
        } else {
            say!(
                "corriger `given` ou `date`, ou écrire `refuse:` si c’est ce qui est attendu",
                "fix `given` or `date`, or write `refuse:` if that is what is expected"
            )
        };
        let problem = Problem::CaseRefused {
            near,
            cure,
            name: bad.name.clone(),
            reason: bad.reason.fr.trim_end_matches('.').to_owned(),
            expected: bad.expected.fr.clone(),
        };
        report.error(sent.map_or(&self.place, |(_, place)| place), problem);
    }

    /// What differs between an answer and what the case expects of it.
    fn compared<'w>(
        &self,
        answer: Datum,
        warnings: impl IntoIterator<Item = &'w Warning>,
    ) -> CaseOutcome<'_> {
        let warnings: Vec<&Warning> = warnings.into_iter().collect();
        let mut differences = Vec::new();
        let mut report = Report::default();

        for (field, expected) in &self.expect {
            // A field that is not there is reported with the names of those that are.
            let Some(found) = answer.path(&field.value) else {
                report.error(&field.place, lacks_field(answer, &field.value));
                continue;
            };

            if !expected.agrees(found) {
                // The correction of a misspelt number, as a `did you mean`.
                let near = match (expected, found) {
                    (Expected::Text(text), Datum::Number(number))
                        if parse_amount(&text.value).is_err() =>
                    {
                        // `30%` of a field that is a fraction is `0.3`.
                        let is_same = |rate: &Decimal| *rate == number;
                        let fraction = parse_rate(&text.value).ok().filter(is_same);
                        fraction
                            .map(number_text)
                            .or_else(|| plain_number(&text.value))
                            .or_else(|| with_point(&text.value))
                    }
                    (Expected::Text(text), Datum::Boolean(_)) => {
                        suggestion(&text.value, ["true", "false"]).map(str::to_owned)
                    }
                    _ => None,
                };
                differences.push(Difference {
                    field,
                    expected,
                    found: found.to_string(),
                    near,
                });
            }
        }

        for field in self
            .absent
            .iter()
            .filter(|field| answer.path(&field.value).is_some())
        {
            report.error(
                &field.place,
                Problem::CaseHasField {
                    field: field.value.clone(),
                },
            );
        }

        // One warning that matches suffices: the answer may have others.
        if let Some(text) = &self.warns
            && !warnings
                .iter()
                .any(|warning| is_expected(warning, &text.value))
        {
            report.error(&text.place, warns_not(&text.value, &warnings));
        }

        CaseOutcome {
            differences,
            others: report,
        }
    }
}

/// Whether a warning is the one that a case expects: by its code, or by a part of its sentence, in
/// which ordinary spaces match the no-break spaces of numbers.
fn is_expected(warning: &Warning, text: &str) -> bool {
    let plain = |text: &str| text.replace(NO_BREAK_SPACES, " ");
    *warning.code == *text || plain(&warning.text.fr).contains(&plain(text))
}

/// A number written with a decimal comma, corrected; a case has no thousands separators.
fn with_point(text: &str) -> Option<String> {
    let point = text.replacen(',', ".", 1);
    (point != text && parse_amount(&point).is_ok()).then_some(point)
}

/// The problem of a field that the answer does not have; of `tranches.1.montants`, what is near is
/// sought among the members of `tranches.1`.
fn lacks_field(answer: Datum, path: &str) -> Problem {
    let names = |of: Datum| -> Vec<String> {
        let members = of.members().into_iter();
        members.map(|(name, _)| name.to_owned()).collect()
    };
    let (parent, name) = path.rsplit_once('.').unwrap_or(("", path));
    let beside = match parent {
        "" => names(answer),
        _ => answer.path(parent).map(names).unwrap_or_default(),
    };

    let near = suggestion(name, beside.iter().map(String::as_str));
    let near = near.map(|near| match parent {
        "" => near.to_owned(),
        _ => format!("{parent}.{near}"),
    });

    let known = names(answer);
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    Problem::CaseLacksField {
        name: path.to_owned(),
        near,
        known: list_of_names(&known),
    }
}

/// The problem of a `refuse` that is not a parameter of the folder, such as `refuse: true`.
fn no_input(refused: &PlacedText, folder: &Folder) -> Option<Problem> {
    let known = || folder.inputs().into_iter().map(|input| input.name.as_str());
    let is_word = crate::text::words::boolean(&refused.value).is_some();
    (is_word && !known().any(|name| name == refused.value))
        .then(|| Problem::unknown_input(&refused.value, known()))
}

/// The problem of a missing warning, with the warnings that there are.
fn warns_not(text: &str, warnings: &[&Warning]) -> Problem {
    let quoted = |open: &str, close: &str| {
        let one =
            |warning: &&Warning| format!("{open}{}{close} (`{}`)", warning.text.fr, warning.code);
        warnings.iter().map(one).collect::<Vec<_>>().join(", ")
    };

    let sentences = Text {
        fr: quoted("« ", " »"),
        en: quoted("\"", "\""),
    };
    let warnings = match warnings {
        [] => say!("la réponse n’en a aucun", "the answer has none"),
        _ => say!("la réponse dit {sentences}", "the answer says {sentences}"; sentences),
    };

    Problem::CaseWarnsNot {
        text: text.to_owned(),
        warnings,
    }
}

#[cfg(test)]
mod tests;
