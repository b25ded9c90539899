//! A refusal of the engine as a page says it.

use bareme_engine::law::Type;
use bareme_engine::text::{BadParameter, ParameterCode, Text};

use super::question::Question;
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
            _ => {}
        }

        bad
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
