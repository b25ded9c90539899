//! The fields of a plan and the kinds of their values.

use std::sync::Arc;

use crate::law::answer::{FieldContent, Form};
use crate::law::{Field, Type};
use crate::run::Folder;
use crate::text::number::NUMBER_DECIMALS;
use crate::text::words::nearest;

use super::PlanError;

/// A field of a plan.
///
/// The example of [`Plan`](super::Plan) asks for one.
#[derive(Debug, Clone)]
pub struct PlanField {
    /// Its name in an answer.
    pub name: String,
    /// Its label, in French.
    pub label: Option<String>,
    /// The kind of its values.
    pub kind: FieldKind,
    /// Whether it is in every answer that is no refusal.
    pub is_always_there: bool,
}

/// The kind of the values of a [`PlanField`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Amounts, with so many decimals.
    Amount {
        /// The decimals of its currency.
        decimals: u32,
    },
    /// Rates, as fractions or in percent, with so many decimals at most.
    Rate {
        /// Decimals that it can have.
        decimals: u32,
    },
    /// Other numbers, with so many decimals at most.
    Number {
        /// Decimals that it can have.
        decimals: u32,
    },
    /// True or false.
    Boolean,
    /// Words and texts.
    Text,
    /// Lines, brackets or rows, as the JSON text of an answer: only where it is asked for by name.
    List,
}

/// The fields that are asked for, or all of one value, of the folders together.
pub(super) fn fields(
    folders: &[(String, Arc<Folder>)],
    asked: Option<&[&str]>,
) -> Result<Vec<PlanField>, PlanError> {
    // The fields of all editions and folders, the newest edition first: its label is the one that
    // is shown. A field of several kinds takes one that holds the values of all.
    let mut all: Vec<PlanField> = Vec::new();

    for (_, folder) in folders {
        for (edition, field) in folder.editions().iter().rev().flat_map(|edition| {
            edition
                .method()
                .fields()
                .iter()
                .map(move |field| (edition, field))
        }) {
            let kind = kind_of(field, edition.method().decimals);
            // A folder of a family may lack what another one has.
            let is_always_there = field.is_always_there() && folders.len() == 1;

            match all.iter_mut().find(|known| known.name == field.name) {
                Some(known) => {
                    known.kind = known.kind.together(kind);
                    known.is_always_there &= is_always_there;
                }
                None => all.push(PlanField {
                    name: field.name.clone(),
                    label: field.label.clone(),
                    kind,
                    is_always_there,
                }),
            }
        }
    }

    // A list has every row computed one by one: it is there only where it is asked for by name.
    let Some(asked) = asked else {
        all.retain(|field| field.kind != FieldKind::List);
        return Ok(all);
    };

    let found = asked.iter().map(|name| {
        all.iter()
            .find(|known| known.name == *name)
            .cloned()
            .ok_or_else(|| PlanError::UnknownField {
                name: (*name).to_owned(),
                near: nearest(name, all.iter().map(|known| known.name.as_str())).map(str::to_owned),
                known: all.iter().map(|known| known.name.clone()).collect(),
            })
    });
    found.collect()
}

fn kind_of(field: &Field, decimals: u32) -> FieldKind {
    match &field.content {
        FieldContent::Value {
            form: Form::Text, ..
        }
        | FieldContent::Text(_) => FieldKind::Text,
        FieldContent::Value {
            ty, round, form, ..
        } => {
            let unit = round
                .as_ref()
                .map(|round| round.unit.normalize())
                .filter(|unit| !unit.is_zero());

            // A unit of 0.01 shows two decimals, one of 10 shows none, and without a rounding an
            // answer has as many as it shows of any number.
            let shown = unit.map_or(NUMBER_DECIMALS, |unit| unit.scale().min(NUMBER_DECIMALS));

            match ty {
                Type::Money(_) => FieldKind::Amount { decimals },
                Type::Boolean => FieldKind::Boolean,
                Type::Choice(_) | Type::Text | Type::Date => FieldKind::Text,
                _ if field.json_type() == "integer" => FieldKind::Number { decimals: 0 },
                Type::Rate => FieldKind::Rate { decimals: shown },
                _ if *form == Form::Percent => FieldKind::Rate { decimals: shown },
                _ => FieldKind::Number { decimals: shown },
            }
        }
        _ => FieldKind::List,
    }
}

impl FieldKind {
    /// The kind that holds the values of both.
    fn together(self, other: Self) -> Self {
        match (self, other) {
            (Self::Amount { decimals: a }, Self::Amount { decimals: b }) => {
                Self::Amount { decimals: a.max(b) }
            }
            (Self::Rate { decimals: a }, Self::Rate { decimals: b }) => {
                Self::Rate { decimals: a.max(b) }
            }
            (a, b) if a == b => a,

            // Numbers of two kinds are plain numbers; anything else is written as text.
            (a, b) => match (a.decimals(), b.decimals()) {
                (Some(a), Some(b)) => Self::Number { decimals: a.max(b) },
                _ if a == Self::List || b == Self::List => Self::List,
                _ => Self::Text,
            },
        }
    }

    /// The decimals of numbers.
    pub fn decimals(self) -> Option<u32> {
        match self {
            Self::Amount { decimals } | Self::Rate { decimals } | Self::Number { decimals } => {
                Some(decimals)
            }
            _ => None,
        }
    }
}
