//! Rows of a payslip that show the employee's and the employer's part side by side.

use rust_decimal::Decimal;

use crate::law::formula::{EvalError, ExpectedType, Expr, State};
use crate::law::index::StepId;
use crate::law::members::{PAYSLIP, visit_members};
use crate::text::json::Key;
use crate::text::{Datum, Node, Object, PlacedText, Problem};

use super::evaluate::Evaluator;
use super::read::RowKey;
use super::reader::FieldReader;
use super::{Form, Line};

/// The keys of a row, with their meanings.
pub(super) static KEYS: [RowKey; 6] = [
    text(
        "section",
        "the section of the payslip that the row is in, in French",
    ),
    text(
        "label",
        "what the row is, in French; without it, the label of its step",
    ),
    text(EMPLOYEE, "the step that is the employee's part"),
    text(EMPLOYER, "the step that is the employer's part"),
    text(WHEN, "a formula; false: no such row"),
    flag(
        INFORMATION,
        "true: the row informs, and is no part of the totals",
    ),
];

const fn text(name: &'static str, help: &'static str) -> RowKey {
    RowKey {
        name,
        help,
        is_flag: false,
    }
}

const fn flag(name: &'static str, help: &'static str) -> RowKey {
    RowKey {
        name,
        help,
        is_flag: true,
    }
}

const EMPLOYEE: &str = "employee";
const EMPLOYER: &str = "employer";
const WHEN: &str = "when";
const INFORMATION: &str = "information";

/// A row as the method writes it: one step, or one for each part.
#[derive(Debug, Clone)]
pub(crate) struct RowOfSteps {
    section: Option<String>,
    label: Option<String>,
    employee: Option<StepId>,
    employer: Option<StepId>,
    /// The condition under which it is shown.
    pub(super) when: Option<Expr>,
    is_information: bool,
}

/// A row of a payslip.
#[derive(Debug)]
#[non_exhaustive]
pub struct PayslipRow<'f> {
    /// The section of the payslip that it belongs to.
    pub section: Option<&'f str>,
    /// Its label.
    pub label: &'f str,
    /// The employee's part.
    pub employee: Option<Line<'f>>,
    /// The employer's part.
    pub employer: Option<Line<'f>>,
    /// Whether the row is for information only, not part of the totals.
    pub is_information: bool,
}

impl FieldReader<'_> {
    /// Reads the rows, leaving out those without any step in the scale of the day.
    pub(super) fn payslip(&mut self, node: &Node) -> Vec<RowOfSteps> {
        let mut rows = Vec::new();
        for row in node.items() {
            let employee = row.text_of(EMPLOYEE);
            let employer = row.text_of(EMPLOYER);

            let is_misspelt = |key| row.misspells(key, &KEYS.each_ref().map(|key| key.name));
            // A misspelt part is reported as such, and is not missing.
            if let (None, None, Some((first, _))) = (employee, employer, row.entries().first())
                && ![EMPLOYEE, EMPLOYER].into_iter().any(is_misspelt)
            {
                self.report
                    .error(&first.place, Problem::PayslipRowWithoutStep {});
            }

            let [employee, employer] = [employee, employer].map(|text| self.part(text?));
            if employee.is_some() || employer.is_some() {
                // A condition on figures alone is settled for all the days of the scale: the row is
                // left out, or is always there.
                let when = row
                    .text_of(WHEN)
                    .map(|text| self.check(text, ExpectedType::BOOLEAN).expr);
                let settled = when
                    .as_ref()
                    .and_then(|when| self.env.symbols.settled(when));
                if settled == Some(false) {
                    continue;
                }
                let when = if settled.is_none() { when } else { None };

                // The schema refuses any value but `true`.
                let is_information = row
                    .text_of(INFORMATION)
                    .is_some_and(|text| text.value == "true");

                rows.push(RowOfSteps {
                    section: row.string_of("section"),
                    label: row.string_of("label"),
                    employee,
                    employer,
                    when,
                    is_information,
                });
            }
        }

        rows
    }

    fn part(&mut self, text: &PlacedText) -> Option<StepId> {
        // A part is one step: the row of a list would show a single base and rate for several.
        match text.list().as_slice() {
            [_] => self.lines(text).first().copied(),
            several => {
                let first = several.first().map(|first| first.value.as_str());
                self.report
                    .error(&text.place, Problem::unknown_step(&text.value, first));
                None
            }
        }
    }
}

impl RowOfSteps {
    /// Evaluates the row once the steps have run.
    pub(super) fn shown<'f>(
        &'f self,
        evaluator: Evaluator<'f>,
        form: Form,
        state: &State,
    ) -> Result<PayslipRow<'f>, EvalError> {
        let line = |step: Option<StepId>| {
            step.map(|step| evaluator.line(step, form, state))
                .transpose()
        };

        let (employee, employer) = (line(self.employee)?, line(self.employer)?);
        let own = employee
            .as_ref()
            .or(employer.as_ref())
            .map(|line| line.step.title());

        // Without a label of its own, the row has that of the employee's step.
        let label = self.label.as_deref().or(own).unwrap_or_default();
        let (section, is_information) = (self.section.as_deref(), self.is_information);

        Ok(PayslipRow {
            section,
            label,
            employee,
            employer,
            is_information,
        })
    }
}

impl PayslipRow<'_> {
    /// The common base of both parts, if they agree. A part whose base is missing or 0 takes that
    /// of the other; `None` where both have one and they differ.
    pub fn base(&self) -> Option<Decimal> {
        let base = |line: &Option<Line>| line.as_ref().and_then(|line| line.base);
        match (base(&self.employee), base(&self.employer)) {
            (Some(employee), Some(employer)) if employee.is_zero() || employee == employer => {
                Some(employer)
            }
            (Some(employee), Some(employer)) => employer.is_zero().then_some(employee),
            (employee, employer) => employee.or(employer),
        }
    }

    /// The rate of a part to show beside [`base`](Self::base); `None` where the part has another
    /// base.
    pub fn rate(&self, part: &Line) -> Option<Decimal> {
        // A rate beside a base that it does not apply to would be misread.
        let is_of_base = self.base().is_none_or(|base| part.base == Some(base));
        if is_of_base { part.rate } else { None }
    }
}

impl Object for PayslipRow<'_> {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        let part = |line: &'v Option<Line>| {
            line.as_ref()
                .map_or(Datum::Null, |line| Datum::Object(line))
        };

        let values = [
            Some(self.section.map_or(Datum::Null, Datum::Text)),
            Some(Datum::Text(self.label)),
            Some(Datum::number_or_null(self.base())),
            Some(part(&self.employee)),
            Some(part(&self.employer)),
            self.is_information.then_some(Datum::Boolean(true)),
        ];

        visit_members(&PAYSLIP, values, visit);
    }
}
