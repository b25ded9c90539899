//! The data behind the answers, as JSON: an index, the parameters and fields of each calculation,
//! the figures of each edition with their sources, and the changes between editions. Forms, clients
//! and assistants can be built from it.
//!
//! | topic | module |
//! |---|---|
//! | the index of a variant, with addresses | [`index`] |
//! | a folder: parameters, fields, editions | [`scale`], [`parameters`] |
//! | an edition: figures and texts | [`edition`], [`figures`] |
//! | the changes between two days | [`changes`] |
//! | the words of a family, such as its countries | [`words`] |
//!
//! Like the answers of calculations, it depends on the rule set and the day alone.

mod changes;
mod edition;
mod figures;
mod index;
mod labels;
mod parameters;
mod scale;
mod words;

use bareme_engine::Query as Sent;
use bareme_engine::service::{Rules, Variant};
use bareme_engine::text::{BadParameter, ParameterCode, nearest};
use hyper::body::Bytes;
use jiff::civil::Date;
use serde_json::{Map, Value};

use crate::calls::route::{Data, SCALES, Source};
use crate::wire::credentials;
use crate::wire::problem::Problem;
use crate::wire::query::Query;

/// Parameter of the day since which changes are asked for.
pub(crate) const SINCE: &str = "avant";

/// The answer for a route of the data.
///
/// # Errors
/// A parameter that cannot be used, or a day without a scale.
pub fn answer(
    rules: &Rules,
    variant: &Variant,
    data: Data,
    query: Query,
    today: Date,
) -> Result<Bytes, Problem> {
    // Only an edition is compared with another day.
    let known: &[&str] = if matches!(data, Data::Edition(..)) {
        &[SINCE]
    } else {
        &[]
    };

    let sent = known_parameters(query, known)?;

    let value = match data {
        Data::Index => index::describe(rules, variant),
        Data::Scales => index::scales(rules, variant, today),
        Data::Scale(source) => scale::describe(variant, source, today),
        Data::Edition(source, day) => edition::describe(variant, source, day, &sent)?,
        Data::Words(by) => words::describe(rules, variant, by, today),
    };
    Ok(value.to_string().into())
}

/// The parameters of a query; refuses unknown and repeated ones.
///
/// # Errors
/// All the parameters that cannot be used.
pub fn known_parameters(query: Query, known: &[&str]) -> Result<Vec<(String, String)>, Problem> {
    let Query { pairs, mut bad } = query;

    let accepted = || match known {
        [] => ("aucun paramètre".to_owned(), "no parameter".to_owned()),
        names => (names.join(", "), names.join(", ")),
    };

    // All mistakes at once; a name that looks like a key gets the sentence about keys.
    for (index, (name, value)) in pairs.iter().enumerate() {
        let refused = if !known.contains(&name.as_str()) {
            let near = nearest(name, known.iter().copied()).filter(|near| near != name);
            BadParameter::unknown(name, near, Some(value), accepted())
        } else if pairs.iter().take(index).any(|(before, _)| before == name) {
            BadParameter::repeated(name, Some(value), accepted())
        } else {
            continue;
        };
        bad.push(credentials::sent_as_parameter(refused));
    }

    if bad.is_empty() {
        Ok(pairs)
    } else {
        Err(Problem::parameters(bad))
    }
}

/// The day in a parameter.
///
/// # Errors
/// A value that is no day.
pub fn day(sent: &[(String, String)], name: &str) -> Result<Option<Date>, Problem> {
    let Some((_, text)) = sent
        .iter()
        .find(|(known, value)| known == name && !value.is_empty())
    else {
        return Ok(None);
    };

    // The day is written in one way only: `2026-1-31` would be another address of the same answer.
    let date = text
        .parse()
        .ok()
        .filter(|date: &Date| date.to_string() == *text);

    date.map(Some).ok_or_else(|| {
        let reason = (
            "Date attendue, comme 2026-01-31.",
            "A date is expected, such as 2026-01-31.",
        );
        let expected = ("une date, 2026-01-31", "a date, 2026-01-31");
        Problem::parameters(vec![BadParameter::new(
            name,
            ParameterCode::Format,
            reason,
            Some(text),
            expected,
        )])
    })
}

impl Source<'_> {
    /// Address of the description of the folder.
    fn scale_address(&self, variant: &Variant) -> String {
        format!("{}/{SCALES}/{}", variant.prefix, self.folder.path())
    }

    /// Address of an edition of the folder.
    fn edition_address(&self, variant: &Variant, day: Date) -> String {
        format!("{}/{day}", self.scale_address(variant))
    }

    /// Address of the calculation, with the word that selects the folder.
    fn address(&self, variant: &Variant) -> String {
        let selected = self.endpoint.by.as_deref().zip(self.word);
        let selected = selected
            .map(|(by, word)| format!("?{by}={word}"))
            .unwrap_or_default();
        format!("{}/{}{selected}", variant.prefix, self.endpoint.name)
    }

    /// The query of a calculation of the folder.
    fn query<'q>(&'q self, sent: &'q [(String, String)]) -> Sent<'q> {
        Sent::from(sent)
            .ignoring(&self.endpoint.ignored)
            .chosen_by(self.endpoint.by.as_deref())
    }
}

/// An object with the members that have a value.
pub fn object<'n>(members: impl IntoIterator<Item = (&'n str, Value)>) -> Value {
    // A member without a value is left out, so that an answer shows what there is.
    let there = members.into_iter().filter(|(_, value)| !is_absent(value));
    Value::Object(
        there
            .map(|(name, value)| (name.to_owned(), value))
            .collect::<Map<_, _>>(),
    )
}

/// Whether a value is empty.
fn is_absent(value: &Value) -> bool {
    // `false` and 0 are values.
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

/// A day as JSON.
fn date(day: Date) -> Value {
    day.to_string().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_known_and_sent_once() {
        let read = |text: &str, known: &[&str]| {
            known_parameters(Query::read(text), known).map_err(|problem| problem.text())
        };
        assert!(read("", &[]).unwrap().is_empty());
        assert_eq!(read("avant=2025-01-01", &[SINCE]).unwrap().len(), 1);
        assert!(
            read("avant=1&avant=2", &[SINCE])
                .unwrap_err()
                .starts_with("Paramètre donné plusieurs fois.")
        );
        assert!(read("Avant=1", &[SINCE]).unwrap_err().contains("`avant`"));
        assert_eq!(
            read("x=1", &[]).unwrap_err(),
            "Paramètre inconnu. Attendu : aucun paramètre."
        );
        assert!(read("api_key=1", &[]).unwrap_err().contains("`X-API-Key`"));
    }
}
