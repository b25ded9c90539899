//! The days of a parameter or field that not all scales of a folder have.

use jiff::civil::Date;
use serde_json::Value;

/// First and last day; `None` where there is no limit.
pub type Days = (Option<Date>, Option<Date>);

/// A sentence about the days, to follow a description.
pub fn sentence(days: Days) -> Option<String> {
    Some(match days {
        (Some(since), Some(until)) => format!(" Du {since} au {until}."),
        (Some(since), None) => format!(" À partir du {since}."),
        (None, Some(until)) => format!(" Jusqu’au {until}."),
        (None, None) => return None,
    })
}

/// The days as members of a schema.
pub fn members((since, until): Days) -> impl Iterator<Item = (String, Value)> {
    let member =
        |name: &str, day: Option<Date>| day.map(|day| (name.to_owned(), day.to_string().into()));

    [member("x-depuis", since), member("x-jusqu-au", until)]
        .into_iter()
        .flatten()
}
