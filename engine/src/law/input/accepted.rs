//! The values that an input accepts, in words.

use rust_decimal::Decimal;

use crate::law::Type;
use crate::say;
use crate::text::Text;

use super::Input;

impl Input {
    /// The accepted values, in French.
    pub fn expected(&self) -> String {
        self.accepted().fr
    }

    /// The accepted values.
    pub fn accepted(&self) -> Text<String> {
        match self.group {
            Some(_) => self.accepted_items(),
            None => self.accepted_value(),
        }
    }

    /// The accepted values, of one item where it is of a group.
    pub(super) fn accepted_value(&self) -> Text<String> {
        match self.ty {
            Type::Choice(_) => Text::same(self.expected_words()),
            Type::Boolean => {
                say!(
                    "true ou false (aussi 1 ou 0, oui ou non)",
                    "true or false (also 1 or 0, oui or non)"
                )
            }
            Type::Text => say!("un texte", "a text"),
            Type::Date => say!("une date, AAAA-MM-JJ", "a date, YYYY-MM-DD"),
            _ => self.accepted_number(),
        }
    }

    /// The words of a choice, each with its other spellings.
    fn expected_words(&self) -> String {
        let with_aliases = |(index, (word, _)): (usize, &(String, String))| {
            // Aliases are shown as they are compared, normalized.
            let own = self
                .aliases
                .iter()
                .filter(|(_, of)| usize::from(*of) == index)
                .map(|(alias, _)| alias.as_str());

            let aliases = own.collect::<Vec<_>>().join(", ");
            if aliases.is_empty() {
                word.clone()
            } else {
                format!("{word} ({aliases})")
            }
        };

        self.values
            .iter()
            .enumerate()
            .map(with_aliases)
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn accepted_number(&self) -> Text<String> {
        let sent = |value: Decimal| Text::from(self.as_sent(value));
        let mut accepted = match self.ty {
            Type::Rate => say!("un taux en pour cent", "a rate in percent"),
            Type::Money(_) => say!("un montant", "an amount"),
            _ if self.integer => say!("un nombre entier", "a whole number"),
            _ => say!("un nombre", "a number"),
        };

        accepted = match (self.min.map(sent), self.max.map(sent)) {
            (Some(min), Some(max)) => {
                accepted.then(say!(" de {min} à {max}", " from {min} to {max}"; min, max))
            }
            (Some(min), None) => accepted.then(say!(" à partir de {min}", " from {min} on"; min)),
            (None, Some(max)) => accepted.then(say!(" jusqu’à {max}", " up to {max}"; max)),
            (None, None) => accepted,
        };

        // A whole number has a step of 1, which goes without saying.
        if let Some(step) = self
            .step
            .filter(|step| !self.integer || *step != Decimal::ONE)
            .map(sent)
        {
            accepted = accepted.then(say!(", par pas de {step}", ", in steps of {step}"; step));
        }
        if let Some(decimals) = self.most_decimals() {
            accepted = accepted.then(at_most_decimals(decimals));
        }
        for word in &self.words {
            accepted = accepted.then(say!(", ou `{word}`", ", or `{word}`"));
        }

        accepted
    }
}

/// The limit of decimals, at the end of the accepted values.
pub(super) fn at_most_decimals(decimals: u32) -> Text<String> {
    say!(
        ", {decimals} décimales au plus",
        ", at most {decimals} decimals"
    )
}
