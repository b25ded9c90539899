//! Values of the items of a group, sent together: `part=0.5;0.25;0.25`.

use crate::law::{VALUE_SEPARATOR, Value};
use crate::say;
use crate::text::{BadParameter, Reason, Text};

use super::{Input, Presence};

impl Input {
    /// Parses the values of the items, in their order; an empty place is a value not sent.
    pub(super) fn parse_items(&self, sent: &str) -> Result<Value, BadParameter> {
        let texts: Vec<&str> = sent.split(VALUE_SEPARATOR).map(str::trim).collect();
        if texts.len() > self.most_items {
            let reason = Reason::TooManyItems {
                found: texts.len(),
                most: self.most_items,
            };
            let expected = self.accepted_items();
            return Err(BadParameter::because(
                &self.name,
                reason,
                Some(sent),
                expected,
            ));
        }

        // Every wrong value is named, with the reason of the first one.
        let mut values = Vec::with_capacity(texts.len());
        let mut wrong: Vec<(usize, BadParameter)> = Vec::new();
        let may_be_empty = matches!(self.presence, Presence::Default(..) | Presence::Optional);
        for (rank, text) in (1..).zip(&texts) {
            match self.parse_one(text) {
                Ok(value) => values.push(value),
                Err(_) if text.is_empty() && may_be_empty => values.push(Value::Nothing),
                Err(bad) => wrong.push((rank, bad)),
            }
        }

        let ranks: Vec<String> = wrong.iter().map(|(rank, _)| rank.to_string()).collect();
        match wrong.into_iter().next() {
            None => Ok(Value::List(values.into())),
            // A list of one value needs no rank.
            Some((_, bad)) if texts.len() == 1 => Err(bad),
            Some((_, bad)) => Err(bad.of_items(&ranks)),
        }
    }

    /// The accepted values of each item, and how they are sent together.
    pub(super) fn accepted_items(&self) -> Text<String> {
        let most = self.most_items;
        self.accepted_value().then(say!(
            " ; une valeur pour chacun, séparées par `;`, {most} au plus",
            "; a value for each, separated by `;`, {most} at most"
        ))
    }
}
