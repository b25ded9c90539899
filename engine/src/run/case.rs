//! Worked cases: queries with their expected answers.

use std::sync::{Arc, OnceLock};

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::law::draft::Drafts;
use crate::law::parameter::DATE;
use crate::law::source::parse_date;
use crate::run::examples::Examples;
use crate::run::query::Query;
use crate::run::year::days_of_year;
use crate::text::number::parse_amount;
use crate::text::{Datum, Place, PlacedText, RuleFile, number_text};

/// A worked case.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["tva"])
/// #     .load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// let case = &folder.cases()[0];
/// let mut report = bareme_engine::Report::default();
/// case.run(folder, &mut report);
/// assert!(report.is_ok(), "{}", case.name);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Case {
    /// Its name, in French.
    pub name: String,
    /// The parameters of the query: the date, or the year of pays, and the inputs.
    pub query: Vec<(String, String)>,
    /// Place in the file of each value of the query.
    pub(crate) sent: Vec<Place>,
    /// Fields and their exact values.
    pub expect: Vec<(PlacedText, Expected)>,
    /// Fields that the answer must not have.
    pub absent: Vec<PlacedText>,
    /// The parameter that must be refused.
    pub refuse: Option<PlacedText>,
    /// Part of the text of a warning that the answer must have.
    pub warns: Option<PlacedText>,
    /// The first day of the scale that it is a case of, where it says one: a draft has its own
    /// cases.
    pub scale: Option<(Date, Place)>,
    /// Whether it asks about a year of pays.
    pub is_year: bool,
    /// Whether the expected values were computed by the program: such a case proves nothing until
    /// it is worked out by hand.
    pub is_computed: bool,
    /// Its place in the file.
    pub place: Place,
}

/// The file of the worked cases of a folder. The cases are read on demand: they are two thirds of
/// the rules, and a service that answers queries needs none.
#[derive(Debug, Default)]
pub(crate) struct CaseFile {
    /// The file, if there is one.
    pub file: Option<Arc<RuleFile>>,
    /// Whether the cases of drafts are left out, or included.
    pub drafts: Drafts,
    /// The cases, once read.
    pub read: OnceLock<Vec<Case>>,
    /// Those of drafts that are left out, from the reading of the file until they have run.
    pub of_drafts: OnceLock<Vec<Case>>,
    /// Examples among them, once read.
    pub examples: OnceLock<Examples>,
}

impl CaseFile {
    /// A file whose cases are not read yet.
    pub(crate) fn new(file: Option<Arc<RuleFile>>, drafts: Drafts) -> Self {
        Self {
            file,
            drafts,
            ..Self::default()
        }
    }
}

/// The expected value of a field.
///
/// A [`Case`] has one for each expected field.
#[derive(Debug, Clone)]
pub enum Expected {
    /// `null`
    Nothing,
    /// The text of a number, a boolean or a string.
    Text(PlacedText),
}

impl Case {
    /// The day of the query, the last one of a year of pays; `None` for a method without dates.
    pub fn date(&self) -> Option<Date> {
        // Of a year, the last day decides the method.
        self.days().pop()
    }

    /// The days whose scales are used: one, or the last day of each month of a year of pays.
    pub fn days(&self) -> Vec<Date> {
        let query = Query::from(&self.query);
        if self.is_year {
            days_of_year(&query)
        } else {
            query.sent(DATE).and_then(parse_date).into_iter().collect()
        }
    }
}

impl Expected {
    /// Whether a value of the answer equals the expected one exactly.
    // A number is compared as a number, so that `1200.00` in a case file is 1200; anything else as
    // text.
    pub fn agrees(&self, found: Datum) -> bool {
        match (self, found) {
            (Self::Nothing, Datum::Null) => true,
            (Self::Text(text), Datum::Number(number)) => {
                parse_amount(&text.value).is_ok_and(|expected| expected == number)
            }
            (Self::Text(text), Datum::Boolean(value)) => text.value == value.to_string(),
            (Self::Text(text), Datum::Text(value)) => text.value == value,
            (Self::Text(text), Datum::Shown(value)) => text.value == value.to_string(),
            _ => false,
        }
    }

    /// The expected number, if it is one.
    pub fn number(&self) -> Option<Decimal> {
        if let Self::Text(text) = self {
            parse_amount(&text.value).ok()
        } else {
            None
        }
    }

    /// The expected value as an answer shows it.
    pub fn shown(&self) -> String {
        match self {
            Self::Nothing => "null".to_owned(),
            Self::Text(text) => {
                parse_amount(&text.value).map_or_else(|_| text.value.clone(), number_text)
            }
        }
    }
}
