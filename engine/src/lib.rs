//! Reads dated tax and payroll scales, checks them, and computes with exact decimals.
//!
//! The rules are YAML files that an analyst writes: a `method.yaml` says how the law computes, dated
//! files hold the figures in force from a day, `cases.yaml` holds worked cases. [`Loader`] reads a whole
//! folder of them and gives either [`Rules`] that are known to be good or a [`Report`] of everything
//! that is wrong, each mistake with its place, cause and cure.
//!
//! The engine knows no country, no tax, no clock and no network: it is given files, a query and a day.
//!
//! ```
//! let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
//! let loaded = bareme_engine::Loader::new().load(root);
//! let rules = loaded.rules.ok_or("the rules have errors")?;
//! let folder = rules.folder("ir").ok_or("no such folder")?;
//! let parameters = [("revenu".to_owned(), "30000".to_owned())];
//! let calculation = folder.calculate(&parameters[..].into(), jiff::civil::date(2026, 3, 31))?;
//! assert!(calculation.to_json().starts_with(r#"{"impot_net":2104,"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// No sum of decimals overflows unnoticed: `number` has the operations that say so.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

mod advice;
mod answer;
mod asked;
mod calculation;
mod cases;
pub mod curve;
mod diagnostic;
mod draft;
mod edition;
mod error;
mod figure;
mod files;
mod folder;
mod formula;
mod index;
mod input;
mod inverse;
mod json;
mod limits;
mod listed;
mod load;
mod method;
mod methods;
pub mod mutate;
mod number;
mod option;
#[cfg_attr(
    not(test),
    allow(clippy::arithmetic_side_effects, reason = "integers without limit, whose divisors are powers of ten")
)]
mod power;
mod problem;
mod program;
mod query;
mod references;
mod refusal;
mod rules;
mod scalar;
mod scale;
mod schema;
mod search;
mod service;
mod source;
mod spoken_date;
mod step;
mod support;
#[cfg(test)]
mod testing;
mod trace;
mod types;
mod unit;
mod verify;
mod watch;
mod words;
mod wrap;
mod yaml;

pub use advice::advise;
pub use answer::members::{self, Member, MemberType};
pub use answer::{Field, FieldValue, Line, ListedRow, PayslipRow};
pub use calculation::Calculation;
pub use cases::{Case, Expected};
pub use diagnostic::{Diagnostic, Lang, Place, Rendering, Report, RuleFile, Severity};
pub use draft::{Draft, Drafts};
pub use edition::Edition;
pub use error::{CalculationError, InternalFault};
pub use figure::{Bound, BoundWord, Column, Figure, Key, Lookup, Remark, Row, Shape};
pub use files::FileSet;
pub use folder::{DefaultText, Folder};
pub use formula::{Expr, FUNCTIONS, Function, Operator, ScaleField, reserved};
pub use index::{ColumnId, FigureId, InputId, SlotId, StepId};
pub use input::{Input, Presence};
pub use inverse::{Find, Inverse};
pub use json::{Datum, Key as MemberKey, List, Object};
pub use load::{Loaded, Loader};
pub use method::{Alias, Method};
pub use number::{RoundMode, number_french, number_text, write_number};
pub use option::MethodOption;
pub use query::Query;
pub use references::{FigureRemark, Reference};
pub use refusal::{BadParameter, ParameterCode, Refusal, Said, excerpt};
pub use rules::Rules;
pub use scalar::Scalar;
pub use scale::Scale;
pub use schema::{cases_schema, method_schema, scale_schema, service_schema};
pub use service::{Endpoint, Plan, Service, Variant};
pub use source::{Source, SourceKind};
pub use spoken_date::{french_date, french_month, note_is_of_another_year, spoken_dates};
pub use step::{
    AppliedLimit, Detail, Help, KINDS, KeyForm, Kind, Levy, MODIFIERS, Modifier, Operand, Output, Payment, Rounding,
    Sentence, Slice, Step, StepKey, column_words,
};
pub use support::Support;
pub use trace::{Roundings, StepResult, StepTrace};
pub use types::{Period, Type, Value};
pub use verify::{CaseOutcome, Difference};
pub use watch::Watched;
pub use words::{nearest, normalize};
pub use wrap::wrapped;
pub use yaml::{Content, Node, Text};
