//! Arguments of a tool: JSON values converted to the texts of a query and checked, with all
//! mistakes reported at once.

use bareme_engine::law::parameter::DETAIL;
use bareme_engine::say;
use bareme_engine::text::{BadParameter, ParameterCode, Text, nearest};
use jiff::civil::Date;
use rmcp::model::JsonObject;
use serde_json::Value;

use crate::refused::{ToolError, missing};

/// Greatest number of arguments, or of parameters of a calculation, as in a query of the API.
const MAX_ARGUMENTS: usize = 256;

/// The problem of an object with more members than are read.
fn too_many(sent: &JsonObject) -> Option<BadParameter> {
    // Counted from 0: the first one beyond the limit.
    let (name, _) = sent.iter().nth(MAX_ARGUMENTS)?;

    let reason = (
        "Il y a trop de paramètres.",
        "There are too many parameters.",
    );

    let expected = say!(
        "{MAX_ARGUMENTS} paramètres au plus",
        "at most {MAX_ARGUMENTS} parameters"
    );

    Some(BadParameter::new(
        name,
        ParameterCode::TooMany,
        reason,
        None,
        expected,
    ))
}

/// The arguments of a call, being read.
#[derive(Debug)]
pub(crate) struct Arguments<'a> {
    sent: &'a JsonObject,
    read: Vec<&'static str>,
    bad: Vec<BadParameter>,
}

impl<'a> Arguments<'a> {
    pub(crate) fn new(sent: &'a JsonObject) -> Self {
        Self {
            sent,
            read: Vec::new(),
            bad: Vec::new(),
        }
    }

    fn find(&mut self, name: &'static str) -> Option<&'a Value> {
        // `finish` refuses the arguments that the tool has not read.
        self.read.push(name);
        // A `null` counts as not sent.
        self.sent.get(name).filter(|value| !value.is_null())
    }

    /// A text, or the text of a number; an empty one counts as missing.
    pub(crate) fn text(&mut self, name: &'static str) -> Option<String> {
        let value = self.find(name)?;
        match scalar(name, value) {
            Ok(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            Err(bad) => {
                self.bad.push(bad);
                None
            }
        }
    }

    /// A required text; `expected` describes the accepted values.
    pub(crate) fn required(
        &mut self,
        name: &'static str,
        expected: (&str, &str),
    ) -> Option<String> {
        // A text that cannot be read is no missing one.
        let is_bad = self.bad.len();
        let found = self.text(name);

        // A text that cannot be read is refused already.
        if found.is_none() && self.bad.len() == is_bad {
            self.bad.push(missing(name, expected.into()));
        }

        found
    }

    pub(crate) fn day(&mut self, name: &'static str) -> Option<Date> {
        let text = self.text(name)?;

        // A time after the day would parse too: only the form of the API is accepted.
        let day = text
            .parse()
            .ok()
            .filter(|day: &Date| day.to_string() == text);

        if day.is_none() {
            let reason = (
                "Date attendue, comme 2026-01-31.",
                "A date is expected, such as 2026-01-31.",
            );
            let expected = ("une date, AAAA-MM-JJ", "a date, YYYY-MM-DD");
            self.bad.push(BadParameter::new(
                name,
                ParameterCode::Format,
                reason,
                Some(&text),
                expected,
            ));
        }

        day
    }

    /// Whether details are asked for.
    pub(crate) fn detail(&mut self) -> bool {
        match self.find(DETAIL) {
            None => false,
            Some(Value::Bool(found)) => *found,
            Some(other) => {
                let sent = other.to_string();
                // Models often send booleans as texts.
                let sent = sent.trim_matches('"');
                if ["true", "false"].contains(&sent) {
                    return sent == "true";
                }

                let reason = ("Vrai ou faux attendu.", "True or false is expected.");
                let expected = ("true ou false", "true or false");
                self.bad.push(BadParameter::new(
                    DETAIL,
                    ParameterCode::Format,
                    reason,
                    Some(sent),
                    expected,
                ));
                false
            }
        }
    }

    /// An object of parameters of a calculation, as pairs.
    pub(crate) fn parameters(&mut self, name: &'static str) -> Vec<(String, String)> {
        match self.find(name) {
            None => Vec::new(),
            Some(Value::Object(members)) => {
                let (pairs, bad) = pairs(members, &[]);
                self.bad.extend(bad);
                pairs
            }
            Some(other) => {
                let reason = (
                    "Objet de paramètres attendu.",
                    "An object of parameters is expected.",
                );

                let expected = (
                    r#"un objet, {"revenu": 30000}"#,
                    r#"an object, {"revenu": 30000}"#,
                );
                let bad = BadParameter::new(
                    name,
                    ParameterCode::Format,
                    reason,
                    Some(&other.to_string()),
                    expected,
                );
                self.bad.push(bad);
                Vec::new()
            }
        }
    }

    /// Adds a mistake found by the tool.
    pub(crate) fn refuse(&mut self, bad: BadParameter) {
        self.bad.push(bad);
    }

    /// The mistakes so far, for a tool that reads the other arguments in another way.
    pub(crate) fn into_mistakes(self) -> Vec<BadParameter> {
        self.bad
    }

    /// Refuses the call if there are mistakes, or arguments that nothing has read.
    pub(crate) fn finish(mut self) -> Result<(), ToolError> {
        // Only so many are looked at, however long the call is; the others are refused together.
        self.bad.extend(too_many(self.sent));
        for (name, value) in self.sent.iter().take(MAX_ARGUMENTS) {
            if !self.read.contains(&name.as_str()) {
                let reason = match nearest(name, self.read.iter().copied()) {
                    Some(near) => {
                        say!(
                            "Paramètre inconnu ; vouliez-vous dire `{near}` ?",
                            "Unknown parameter; did you mean `{near}`?"
                        )
                    }
                    None => say!("Paramètre inconnu.", "Unknown parameter."),
                };

                // The arguments that the tool has read are those that it has.
                let expected = Text::same(self.read.join(", "));

                let bad = BadParameter::new(
                    name,
                    ParameterCode::Unknown,
                    reason,
                    Some(&excerpt(value)),
                    expected,
                );
                self.bad.push(bad);
            }
        }

        if self.bad.is_empty() {
            Ok(())
        } else {
            Err(ToolError::Parameters(self.bad))
        }
    }
}

/// Names and values as in a query; those in `skipped` are left out.
pub(crate) fn pairs(
    sent: &JsonObject,
    skipped: &[&str],
) -> (Vec<(String, String)>, Vec<BadParameter>) {
    let (mut pairs, mut bad) = (Vec::new(), Vec::from_iter(too_many(sent)));
    for (name, value) in sent
        .iter()
        .take(MAX_ARGUMENTS)
        .filter(|(name, value)| !skipped.contains(&name.as_str()) && !value.is_null())
    {
        match listed(name, value) {
            Ok(text) => pairs.push((name.clone(), text)),
            Err(one) => bad.push(one),
        }
    }

    (pairs, bad)
}

/// A single value as the text of a query.
fn scalar(name: &str, value: &Value) -> Result<String, BadParameter> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Bool(found) => Ok(found.to_string()),

        // One that is held in binary with other digits than it was sent with is a text by now.
        Value::Number(number) => Ok(number.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => Err(not_single(name, value)),
    }
}

/// A parameter of a calculation as the text of a query: a single value, or those of the months of a
/// year of pays or of the items of a group.
fn listed(name: &str, value: &Value) -> Result<String, BadParameter> {
    let Value::Array(values) = value else {
        return scalar(name, value);
    };

    let texts = values.iter().map(|value| match value {
        Value::Null => Ok(String::new()),
        value => scalar(name, value),
    });
    Ok(texts
        .collect::<Result<Vec<String>, BadParameter>>()?
        .join(";"))
}

/// The refusal of what is no single value.
fn not_single(name: &str, value: &Value) -> BadParameter {
    let reason = (
        "Une seule valeur est attendue.",
        "A single value is expected.",
    );
    let expected = (
        "un nombre, un texte, true ou false",
        "a number, a text, true or false",
    );
    let received = Some(excerpt(value));
    BadParameter::new(
        name,
        ParameterCode::Format,
        reason,
        received.as_deref(),
        expected,
    )
}

fn excerpt(value: &Value) -> String {
    bareme_engine::text::excerpt(&value.to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        for (sent, read) in [
            (json!(0.1), "0.1"),
            (json!(2650.5), "2650.5"),
            (json!(30000.0), "30000.0"),
            (json!(123_456_789_012_345_678_u64), "123456789012345678"),
            (json!(-3), "-3"),
            (
                json!("1234567890123456.789012345678901"),
                "1234567890123456.789012345678901",
            ),
        ] {
            assert_eq!(scalar("brut", &sent).unwrap(), read);
        }
    }

    #[test]
    fn every_mistake_is_reported_at_once() {
        let sent = json!({"mots": [1], "detial": true, "depuis": "hier"});
        let mut arguments = Arguments::new(sent.as_object().unwrap());
        assert_eq!(arguments.required("mots", ("des mots", "words")), None);
        assert_eq!(arguments.day("depuis"), None);
        assert!(!arguments.detail());
        let Err(ToolError::Parameters(bad)) = arguments.finish() else {
            panic!("accepted")
        };
        let reported: Vec<String> = bad
            .iter()
            .map(|bad| format!("{} {}", bad.name, bad.code))
            .collect();
        assert_eq!(reported, ["mots format", "depuis format", "detial inconnu"]);
        assert!(
            bad[2].reason.fr.contains("`detail`"),
            "{}",
            bad[2].reason.fr
        );
    }
}
