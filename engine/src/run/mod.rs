//! Calculations: the law compiled to programs, queries, and their answers.
//!
//! Depends on [`law`](crate::law) and [`text`](crate::text): no files.

mod accepted_values;
pub(crate) mod calculation;
mod call;
pub(crate) mod case;
pub mod curve;
pub(crate) mod dependencies;
pub(crate) mod edition;
pub(crate) mod error;
pub(crate) mod examples;
pub(crate) mod folder;
mod layout;
pub mod plan;
pub(crate) mod program;
pub(crate) mod query;
pub(crate) mod rules;
pub(crate) mod search;
pub(crate) mod select;
pub(crate) mod trace;
pub(crate) mod year;

pub use calculation::Calculation;
pub use case::{Case, Expected};
pub use edition::Edition;
pub use error::{CalculationError, InternalFault};
pub use examples::Examples;
pub use folder::{DefaultText, Folder, unchecked};
pub use query::{FieldSelection, Query};
pub use rules::Rules;
pub use trace::{Earlier, Roundings, StepResult, StepTrace};
pub use year::{
    MonthRow, OfMonths, OrderedMonths, RowFault, RowFaultKind, Total, YEAR_PATH, YearCalculation,
    YearMonth, order_months, rows_by_year, version_of_year,
};
