//! A refusal of the engine as a page says it.

use bareme_engine::law::Type;
use bareme_engine::run::Edition;
use bareme_engine::text::{BadParameter, ParameterCode, Text};
use rust_decimal::Decimal;

use super::question::{Question, asked_inputs};
use crate::text::say;

impl Question<'_> {
    /// A refusal for whoever filled in the form: labels in place of names and of words, and what is
    /// missing as a field to fill in.
    pub(super) fn in_words_of_page(&self, mut bad: BadParameter) -> BadParameter {
        let labels = self.labels();

        // Its own name is between backquotes, whatever its length.
        if let Some(label) = self.label(&bad.name) {
            let name = format!("`{}`", bad.name);
            bad.reason.fr = bad.reason.fr.replace(&name, &format!("« {label} »"));
            bad.reason.en = bad.reason.en.replace(&name, &format!("“{label}”"));
        }
        bad.reason.fr = labels.written(&bad.reason.fr);
        bad.reason.en = labels.written(&bad.reason.en);

        let words = self.words_of(&bad);
        match (bad.code, words) {
            // The field lists its words.
            (ParameterCode::Missing, Some(_)) => {
                bad.reason = ("À choisir.", "Please choose.").into();
                bad.expected = Text::default();
            }
            (ParameterCode::Missing, None) => {
                bad.reason = ("À remplir.", "Please fill in.").into();
            }
            (ParameterCode::UnknownValue, Some(words)) => bad.expected = Text::same(words),
            (ParameterCode::Format, None) if self.is_no_months(&bad) => {
                bad.reason = (
                    "Écrivez un nombre de mois, ou d’années\u{a0}: 240, ou 20\u{a0}ans.",
                    "Please write a number of months, or of years: 240, or 20 years.",
                )
                    .into();
                bad.expected = Text::default();
            }
            (ParameterCode::Format, None) if self.is_no_number(&bad) => {
                bad.reason = (
                    "Écrivez un nombre, comme 2\u{202f}650,50.",
                    "Please write a number, such as 2,650.50.",
                )
                    .into();
            }
            _ => {}
        }

        bad
    }

    /// Whether a text was sent where an input takes a number of months.
    fn is_no_months(&self, bad: &BadParameter) -> bool {
        let method = self.edition.map(Edition::method);
        let mut inputs = method.into_iter().flat_map(asked_inputs);
        let is_months = inputs.any(|input| input.name == bad.name && input.is_months);
        let received = bad.received.as_deref().unwrap_or_default();
        is_months && received.parse::<Decimal>().is_err()
    }

    /// Whether a text was sent where an input takes a number: the API names the form that it reads,
    /// which is not that of people.
    fn is_no_number(&self, bad: &BadParameter) -> bool {
        let method = self.edition.map(Edition::method);
        let mut inputs = method.into_iter().flat_map(asked_inputs);
        let is_number = inputs.any(|input| {
            input.name == bad.name && matches!(input.ty, Type::Money(_) | Type::Rate | Type::Number)
        });
        let received = bad.received.as_deref().unwrap_or_default();
        is_number && received.parse::<Decimal>().is_err()
    }

    /// The words that a choice accepts, by their labels; `None` for any other parameter.
    fn words_of(&self, bad: &BadParameter) -> Option<String> {
        let mut inputs = self.edition?.method().inputs().iter();
        let input = inputs.find(|input| input.name == bad.name)?;
        if !matches!(input.ty, Type::Choice(_)) {
            return None;
        }

        let label = |word: &str| {
            let mut values = input.values.iter();
            let (_, label) = values.find(|(known, _)| known == word)?;
            Some(label.as_str())
        };
        // Where a scale has rows for some words only, the refusal lists these; else every word with
        // its other spellings.
        let listed: Option<Vec<&str>> = bad.expected.fr.split(", ").map(label).collect();
        let all = || input.values.iter().map(|(_, label)| label.as_str());
        let labels = listed.unwrap_or_else(|| all().collect());
        Some(labels.join(say(self.lang(), " ; ", "; ")))
    }
}
