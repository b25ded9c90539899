//! Rows of a payslip that show the employee's part and the employer's side by side.

use rust_decimal::Decimal;

use crate::law::formula::{EvalError, State};
use crate::law::index::StepId;
use crate::law::members::{PAYSLIP, visit_members};
use crate::text::json::{Datum, Key, Object};
use crate::text::problem::{Problem, is_written};
use crate::text::yaml::{Node, PlacedText};

use super::compile::Evaluator;
use super::reader::FieldReader;
use super::{Form, Line};

/// The keys of a row, each with what it is.
pub(super) const KEYS: [(&str, &str); 4] = [
    ("section", "the section of the payslip that the row stands in, in French"),
    ("label", "what the row is, in French; without it, the label of its step"),
    (EMPLOYEE, "the step that is the employee's part"),
    (EMPLOYER, "the step that is the employer's part"),
];

const EMPLOYEE: &str = "employee";
const EMPLOYER: &str = "employer";

/// A row as the method writes it: one step, or one for each part.
#[derive(Debug, Clone)]
pub(crate) struct RowOfSteps {
    section: Option<String>,
    label: Option<String>,
    employee: Option<StepId>,
    employer: Option<StepId>,
}

/// A row of a payslip.
#[derive(Debug)]
#[non_exhaustive]
pub struct PayslipRow<'f> {
    /// The section that it stands in.
    pub section: Option<&'f str>,
    /// Its label.
    pub label: &'f str,
    /// The employee's part.
    pub employee: Option<Line<'f>>,
    /// The employer's part.
    pub employer: Option<Line<'f>>,
}

impl FieldReader<'_> {
    /// Reads the rows; those of which the scale of the day has no step are left out.
    pub(super) fn payslip(&mut self, node: &Node) -> Vec<RowOfSteps> {
        let mut rows = Vec::new();
        for row in node.items() {
            let (employee, employer) = (row.text_of(EMPLOYEE), row.text_of(EMPLOYER));
            let is_written = |key: &str| {
                is_written(key, row.entries().iter().map(|(key, _)| key.value.as_str()), &KEYS.map(|(key, _)| key))
            };
            if let (None, None, Some((first, _))) = (employee, employer, row.entries().first())
                && ![EMPLOYEE, EMPLOYER].into_iter().any(is_written)
            {
                self.report.error(&first.place, Problem::PayslipRowWithoutStep {});
            }
            let [employee, employer] = [employee, employer].map(|text| self.part(text?));
            if employee.is_some() || employer.is_some() {
                let (section, label) = (row.string_of("section"), row.string_of("label"));
                rows.push(RowOfSteps { section, label, employee, employer });
            }
        }
        rows
    }

    fn part(&mut self, text: &PlacedText) -> Option<StepId> {
        match text.list().as_slice() {
            [_] => self.lines(text).first().copied(),
            several => {
                let first = several.first().map(|first| first.value.as_str());
                self.report.error(&text.place, Problem::unknown_step(&text.value, first));
                None
            }
        }
    }
}

impl RowOfSteps {
    /// The row once the steps have run.
    pub(super) fn shown<'f>(
        &'f self,
        evaluator: Evaluator<'f>,
        form: Form,
        state: &State,
    ) -> Result<PayslipRow<'f>, EvalError> {
        let line = |step: Option<StepId>| step.map(|step| evaluator.line(step, form, state)).transpose();
        let (employee, employer) = (line(self.employee)?, line(self.employer)?);
        let own = employee.as_ref().or(employer.as_ref()).map(|line| line.step.title());
        let label = self.label.as_deref().or(own).unwrap_or_default();
        Ok(PayslipRow { section: self.section.as_deref(), label, employee, employer })
    }
}

impl PayslipRow<'_> {
    /// The base of both parts. A part without base, or whose base is 0, goes by that of the other; none where both
    /// have one and they differ.
    pub fn base(&self) -> Option<Decimal> {
        let base = |line: &Option<Line>| line.as_ref().and_then(|line| line.base);
        match (base(&self.employee), base(&self.employer)) {
            (Some(employee), Some(employer)) if employee.is_zero() || employee == employer => Some(employer),
            (Some(employee), Some(employer)) => employer.is_zero().then_some(employee),
            (employee, employer) => employee.or(employer),
        }
    }

    /// The rate of a part, as it stands beside the base of the row: none where the part goes by another one.
    pub fn rate(&self, part: &Line) -> Option<Decimal> {
        let is_of_base = self.base().is_none_or(|base| part.base == Some(base));
        if is_of_base { part.rate } else { None }
    }
}

impl Object for PayslipRow<'_> {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        let part = |line: &'v Option<Line>| line.as_ref().map_or(Datum::Null, |line| Datum::Object(line));
        let values = [
            self.section.map_or(Datum::Null, Datum::Text),
            Datum::Text(self.label),
            Datum::number_or_null(self.base()),
            part(&self.employee),
            part(&self.employer),
        ];
        visit_members(&PAYSLIP, values.map(Some), visit);
    }
}
