//! Presentation of dated scales, shared by the command line and the site: numbers, formulas in
//! words, the steps of a calculation, payslips, figures side by side, curves. The results are typed
//! rows and cells made from checked expressions and computed values; the callers lay them out.
//!
//! ```
//! use bareme_engine::Lang;
//! use bareme_show::{Locale, trace};
//!
//! # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../rules"));
//! # let rules = bareme_engine::Loader::new().without_cases().only(&["tva"])
//! #     .load(root).rules.ok_or("errors")?;
//! # let folder = rules.folder("tva").ok_or("no such folder")?;
//! # let sent = [("montant".to_owned(), "120".to_owned()), ("sens".to_owned(), "ttc".to_owned())];
//! # let calculation = folder.calculate(&sent[..].into(), jiff::civil::date(2026, 3, 31))?;
//! let locale = Locale::from(Lang::En);
//! let steps = trace::table(&calculation, |_| true, trace::Depth::Result, &[], locale)?;
//! assert_eq!(steps.columns[1].title, "Result");
//! assert_eq!(steps.rows.last().ok_or("no step")?.cells[1].text, "120.00");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod alternatives;
pub mod bars;
pub mod chart;
mod currency;
pub mod curve;
pub mod field;
pub mod figures;
mod formula;
mod items;
pub mod json;
pub mod kinks;
mod labels;
mod locale;
pub mod names;
mod pay;
mod payslip;
mod ruler;
pub mod schema;
mod sentence;
pub mod spreadsheet;
pub mod steps;
mod table;
pub mod trace;

pub use bareme_engine::say;
pub use bareme_engine::text::{Text, query_string};
pub use currency::{
    Amounts, currency_decimals, currency_name, currency_sign, currency_sign_in, with_currency,
};
pub use field::field;
pub use formula::{column, formula, unit};
pub use items::{ItemHeading, ItemTable};
pub use labels::without_unit;
pub use locale::{Locale, Medium, percent_sign};
pub use pay::{Line, Pay};
pub use payslip::{payslips, payslips_of_year};
pub use table::{Cell, Column, Row, RowKind, Table, Tone};
