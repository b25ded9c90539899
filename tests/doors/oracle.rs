//! The one answer that every door must give: that of the engine, in this process, to a single
//! question.

use std::collections::BTreeMap;

use bareme_engine::jiff::civil::Date;
use bareme_engine::run::plan::{FieldKind, PlanField};
use bareme_engine::rust_decimal::Decimal;
use bareme_engine::service::{Endpoint, Rules};
use bareme_engine::{Calculation, CalculationError, Folder, Loader, Query};
use harness::repository;

use crate::answer::{Answer, Refused};
use crate::json::Json;

/// The day of questions without a date.
pub(crate) const TODAY: &str = "2026-11-24";

/// The rules of the repository, in this process.
pub(crate) struct Oracle {
    rules: Rules,
}

/// What is asked by one name: an endpoint, or a folder that no endpoint has.
#[derive(Clone, Copy)]
pub(crate) struct Target<'r> {
    pub name: &'r str,
    /// The endpoint, if the service has one.
    pub endpoint: Option<&'r Endpoint>,
    /// The parameter that selects a folder of a family.
    pub by: Option<&'r str>,
}

/// A folder with the word that selects it in its family.
#[derive(Clone, Copy)]
pub(crate) struct Member<'r> {
    pub word: Option<&'r str>,
    pub folder: &'r Folder,
}

/// Names and values, as a query sends them.
pub(crate) type Pairs = Vec<(String, String)>;

pub(crate) fn today() -> Date {
    TODAY.parse().unwrap()
}

impl Oracle {
    /// Reads the rules of the repository.
    pub(crate) fn new() -> Self {
        let loaded = Loader::new()
            .without_cases()
            .load_service(&repository().join("rules"));
        Self {
            rules: loaded
                .rules
                .expect("the rules have errors: run `bareme check` on them"),
        }
    }

    /// Everything that can be asked: the endpoints, then the folders that none of them has.
    pub(crate) fn targets(&self) -> Vec<Target<'_>> {
        let endpoints = &self.rules.service().endpoints;
        let of_endpoint = |endpoint| {
            self.rules
                .members(endpoint)
                .map(|(_, folder)| folder.path())
        };
        let served: Vec<&str> = endpoints.iter().flat_map(of_endpoint).collect();

        let own = endpoints.iter().map(|endpoint| Target {
            name: &endpoint.name,
            endpoint: Some(endpoint),
            by: endpoint.by.as_deref(),
        });
        // A folder of figures alone takes nothing that a question could send.
        let takes = |folder: &&Folder| !folder.accepted_inputs().is_empty();
        let alone = self
            .rules
            .folders()
            .filter(takes)
            .map(Folder::path)
            .filter(|path| !served.contains(path));
        own.chain(alone.map(|name| Target {
            name,
            endpoint: None,
            by: None,
        }))
        .collect()
    }

    /// The folders of a target.
    pub(crate) fn members<'r>(&'r self, target: Target<'r>) -> Vec<Member<'r>> {
        match target.endpoint {
            Some(endpoint) => self
                .rules
                .members(endpoint)
                .map(|(word, folder)| Member { word, folder })
                .collect(),
            None => vec![Member {
                word: None,
                folder: self.rules.folder(target.name).unwrap(),
            }],
        }
    }

    /// The answer to a question.
    pub(crate) fn answer(&self, target: Target, pairs: &Pairs) -> Answer {
        answered(
            self.calculate(target, pairs)
                .map(|calculation| calculation.to_json()),
        )
    }

    /// The least number that the column of each field of a target does not hold, by what the
    /// manuals say of columns.
    pub(crate) fn limits(&self, target: Target) -> BTreeMap<String, Decimal> {
        const MOST: u32 = 18;
        let plan = self.rules.plan(target.name, today(), None).unwrap();
        let digits = |kind| match kind {
            FieldKind::Amount { decimals } => Some(MOST - decimals),
            FieldKind::Number { decimals: 0 } => Some(MOST),
            FieldKind::Rate { decimals: 0..=6 } => Some(3),
            FieldKind::Number { decimals: 0..=6 } => Some(12),
            FieldKind::Rate { decimals } | FieldKind::Number { decimals } => Some(28 - decimals),
            FieldKind::Boolean | FieldKind::Text | FieldKind::List => None,
        };
        let limit = |field: &PlanField| {
            let digits = digits(field.kind)?;
            Some((field.name.clone(), Decimal::from(10_u64.pow(digits))))
        };
        plan.fields().iter().filter_map(limit).collect()
    }

    /// Whether a question has an answer.
    pub(crate) fn accepts(&self, target: Target, pairs: &Pairs) -> bool {
        self.calculate(target, pairs).is_ok()
    }

    fn calculate(
        &self,
        target: Target,
        pairs: &Pairs,
    ) -> Result<Calculation<'_>, CalculationError> {
        match target.endpoint {
            Some(endpoint) => self.rules.calculate(endpoint, pairs, today()),
            None => self
                .rules
                .folder(target.name)
                .unwrap()
                .calculate(&Query::from(pairs), today()),
        }
    }

    /// The answer to a question about a year of pays, its months flattened.
    pub(crate) fn year(&self, target: Target, pairs: &Pairs) -> Answer {
        let year = self.rules.year(target.endpoint.unwrap(), pairs);
        answered(year.map(|year| year.to_json()))
    }
}

fn answered(found: Result<String, CalculationError>) -> Answer {
    match found {
        Ok(json) => Answer::of_json(&Json::read(&json)),
        Err(CalculationError::Refused(refusal)) => {
            let refusals = refusal.parameters.iter().map(|bad| Refused {
                parameter: bad.name.clone(),
                code: bad.code.to_string(),
                month: bad.month.map(|month| month.to_string()),
            });
            let sentence = Some(refusal.to_string());
            let reasons = refusal
                .parameters
                .iter()
                .map(|bad| bad.reason.fr.clone())
                .collect();
            Answer {
                refusals: refusals.collect(),
                sentence,
                reasons,
                ..Answer::default()
            }
        }
        Err(fault) => panic!("{fault}"),
    }
}
