//! Rows computed one by one, as single calculations: those that are refused, and those that columns
//! cannot compute.

use jiff::civil::Date;

use crate::law::OwnedRemark;
use crate::law::members::REMARKS;
use crate::law::parameter::VERSION;
use crate::run::select::{or_elsewhere, refused_by_all, select};
use crate::run::{Calculation, CalculationError, Edition, FieldSelection, Folder, Query};
use crate::text::{BadParameter, Reason, Refusal, Text};

use super::Plan;
use super::answers::UsedScale;
use super::evaluate::Evaluation;

impl Plan {
    /// Names the law of the plan among the parameters of a query, if it has one.
    pub(super) fn name_law<'q>(&'q self, sent: &mut Vec<(&'q str, &'q str)>) {
        if let Some(law) = &self.law {
            // A row may repeat the version of the plan, and name no other.
            let law = (VERSION, law.as_str());
            sent.retain(|known| *known != law);
            sent.push(law);
        }
    }
}

impl<'e> Evaluation<'e, '_> {
    /// Computes a row as a single calculation.
    pub(super) fn compute_alone(&mut self, row: usize) {
        // The row is written as a query would send it, so that every refusal names what the row
        // has.
        let parameters = self.rows.query(row);
        let mut sent: Vec<(&str, &str)> = parameters
            .iter()
            .map(|(name, value)| (*name, value.as_ref()))
            .collect();
        self.plan.name_law(&mut sent);

        // Remarks are those of the whole answer, whatever its fields.
        let remarks = self.plan.with_remarks.then_some(REMARKS.name);
        let names: Vec<&str> = self
            .plan
            .fields
            .iter()
            .map(|field| field.name.as_str())
            .chain(remarks)
            .collect();

        // A field that was asked for by name and is not there is the reason of a refusal.
        let selection = if self.plan.is_asked {
            FieldSelection::Asked
        } else {
            FieldSelection::Available
        };

        let query = sent
            .iter()
            .copied()
            .collect::<Query>()
            .ignoring(&self.plan.ignored);
        let query = query
            .chosen_by(self.plan.by.as_deref())
            .selecting(selection(&names));

        match self.calculated(&query) {
            Ok((folder, calculation)) => self.take(row, folder, &calculation),
            Err(error) => self.refuse(row, error),
        }
    }

    fn calculated(&self, query: &Query) -> Result<(&'e Folder, Calculation<'e>), CalculationError> {
        let plan = self.plan;
        // The word of a row selects its folder, as in a query to the endpoint.
        let folder = match (&plan.by, plan.targets.as_slice()) {
            (None, [target]) => target.folder.as_ref(),
            (by, targets) => {
                let family = || {
                    targets
                        .iter()
                        .map(|target| (target.word.as_str(), target.folder.as_ref()))
                };
                let by = by.as_deref().unwrap_or_default();
                select(by, family, query).map_err(|refusal| {
                    let mut refusal = or_elsewhere(refusal, by, &plan.elsewhere, query);
                    let folders = targets.iter().map(|target| target.folder.as_ref());
                    refusal
                        .parameters
                        .extend(refused_by_all(by, folders, query, plan.day));
                    refusal
                })?
            }
        };
        Ok((folder, folder.calculate(query, plan.day)?))
    }

    fn take(&mut self, row: usize, folder: &Folder, calculation: &Calculation) {
        if !self.take_fields(row, calculation) {
            return;
        }

        let scale = UsedScale::new(folder, calculation.edition());
        self.answers.set_scale(&[row], &scale);

        self.answers.warn(row, calculation.warnings());

        if self.plan.with_remarks {
            let list = self
                .answers
                .remark_list(calculation.remarks().map(OwnedRemark::from).collect());
            self.answers.remark(row, list);
        }
    }

    /// Takes the values of the fields; refuses the row where one fits no cell of its kind, and says
    /// whether all fit.
    pub(super) fn take_fields(&mut self, row: usize, calculation: &Calculation) -> bool {
        for (index, field) in self.plan.fields.iter().enumerate() {
            // A value that fits no cell of the field's kind is refused: it would otherwise be lost.
            if let Some(value) = calculation.field(&field.name)
                && !self.answers.set_field(index, row, value)
            {
                let reason = Reason::NotComputable {
                    step: field.name.clone(),
                };
                let refusal =
                    BadParameter::because(&field.name, reason, None, Text::<String>::default());
                self.refuse(row, Refusal::of_parameter(refusal).into());
                return false;
            }
        }
        true
    }

    pub(super) fn refuse(&mut self, row: usize, error: CalculationError) {
        // A row that is refused has no values, even of fields that a block has written already.
        self.answers.refused.push((row, error));
        self.answers.clear(row);
    }
}

impl UsedScale {
    pub(super) fn new(folder: &Folder, edition: &Edition) -> Self {
        let date: Option<Date> = edition.scale().map(|scale| scale.date);
        Self {
            folder: folder.path().to_owned(),
            date,
            version: edition.version().to_owned(),
        }
    }
}
