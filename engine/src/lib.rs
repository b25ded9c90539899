//! Reads dated tax and payroll scales, checks them, and computes with exact decimals.
//!
//! The rules are YAML files that an analyst writes: a `method.yaml` says how the law computes,
//! dated files hold the figures in force from a day, `cases.yaml` holds worked cases. [`Loader`]
//! reads a whole folder of them and gives either [`Rules`] that are known to be good or a
//! [`Report`] of everything that is wrong, each mistake with its place, cause and cure.
//!
//! The engine knows no country, no tax, no clock and no network: it is given files, a query and a
//! day.
//!
//! ```
//! use bareme_engine::{FileSet, Loader, Query};
//! use jiff::civil::date;
//!
//! let method = "format: bareme/1
//! folder: paie
//! title: Salaire net
//! currency: EUR
//! inputs:
//!   brut: {type: money, per: month, required: true, label: Salaire brut}
//! figures:
//!   retraite: {taux: rate}
//! steps:
//!   retraite: {contribution: brut, rate: retraite.taux, round: 0.01}
//! answer:
//!   net: brut - retraite
//! ";
//! let scale = "format: bareme/1
//! title: Taux de 2026
//! sources:
//!   code: {kind: law, title: Code de la sécurité sociale, publisher: Légifrance}
//! figures:
//!   retraite: {taux: 6.90%, source: code}
//! ";
//! let files = FileSet::from_texts([("paie/method.yaml", method), ("paie/2026-01-01.yaml", scale)]);
//! let rules = Loader::new().load_files(&files).rules.ok_or("the rules have errors")?;
//! let folder = rules.folder("paie").ok_or("no such folder")?;
//! let calculation = folder.calculate(&Query::from([("brut", "2000")]), date(2026, 3, 31))?;
//! assert!(calculation.to_json().starts_with(r#"{"net":1862,"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The [`guide`] shows the rest. What most programs need is here; the modules hold the types behind
//! it, each module knowing only those after it: [`service`], [`set`], [`run`], [`law`], [`text`].
//! Days are those of [`jiff`], numbers those of
//! [`rust_decimal`].

// No sum of decimals overflows unnoticed: `text::number` has the checked operations.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

#[doc(hidden)]
pub mod authoring;
pub mod guide;
pub mod law;
pub mod run;
pub mod service;
pub mod set;
#[cfg(test)]
mod testing;
pub mod text;

pub use jiff;
pub use run::{Calculation, CalculationError, Folder, Query, Rules};
pub use rust_decimal;
pub use set::{FileSet, Loaded, Loader};
pub use text::{Datum, Diagnostic, Lang, Refusal, Report};
