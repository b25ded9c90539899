//! Computes the fields of tax and payroll scales over Arrow tables, in exact decimals.
//!
//! A [`Plan`] computes some fields of a rule folder, or of an endpoint of the service, on a day. A
//! batch of rows gives a batch of the same length: a column for each field, then
//! `bareme_en_vigueur`, `version`, `avertissements`, `reserves`, and `erreur`, `champ` and
//! `message`, which are null in rows with an answer. Every value is exactly that of a single
//! calculation; a row that a single calculation would refuse has no values, and a message with the
//! reason.
//!
//! ```
//! use std::sync::Arc;
//!
//! use arrow::array::{Decimal128Array, Float64Array, RecordBatch, StringArray};
//! use arrow::datatypes::Decimal128Type;
//! use arrow::array::AsArray as _;
//! use bareme_arrow::{Error, Options, Plan};
//! use bareme_engine::{Loader, jiff::civil::date};
//!
//! # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../rules"));
//! let rules = Loader::new().without_cases()
//!     .load_service(root).rules.ok_or("the rules have errors")?;
//! let plan = Plan::new(&rules, "ir", date(2026, 3, 31), &Options::fields(["impot_net"]))?;
//!
//! let incomes = Decimal128Array::from(vec![Some(30_000_00), None]);
//! let incomes = Arc::new(incomes.with_precision_and_scale(18, 2)?);
//! let shares = Arc::new(StringArray::from(vec!["1", "2.5"]));
//! let columns = [("revenu", incomes as _), ("parts", shares as _)];
//! let households = RecordBatch::try_from_iter(columns)?;
//! let answers = plan.evaluate(&households)?;
//!
//! let taxes = answers["impot_net"].as_primitive::<Decimal128Type>();
//! assert_eq!(taxes.value_as_string(0), "2104.00");
//! // An income is required: the second row says so, and the first is not held up by it.
//! let errors: Vec<Option<&str>> = answers["erreur"].as_string::<i32>().iter().collect();
//! assert_eq!(errors, [None, Some("manquant")]);
//!
//! // Binary floats hold no amount: they are refused unless a rounding is named.
//! let floats = Arc::new(Float64Array::from(vec![30_000.1]));
//! let floats = RecordBatch::try_from_iter([("revenu", floats as _)])?;
//! assert!(matches!(plan.evaluate(&floats), Err(Error::Float { .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A plan may be used by any number of threads. [`Source`] and [`Sink`] read and write Parquet and
//! Arrow files in batches.

mod chain;
mod error;
mod exact;
mod files;
mod input;
mod lengths;
mod lists;
mod output;
mod plan;
mod stream;
mod structs;

pub use arrow;
pub use chain::{BoundChain, Chain, ChainMistake, Feed};
pub use error::Error;
pub use exact::Exact;
pub use files::{Format, Sink, Source};
pub use input::Floats;
pub use plan::{Bound, Options, Plan};
