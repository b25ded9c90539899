//! The words of an input: those of a choice, those accepted in place of a number, and their other
//! spellings.

use crate::law::formula::reserved;
use crate::text::problem::suggestion;
use crate::text::words::is_name;
use crate::text::{Node, PlacedText, Problem, Report, normalize};

use super::Input;

/// Reports words that no text of a caller is ever normalized to.
pub(super) fn check_words(node: &Node, report: &mut Report) {
    let mut known: Vec<String> = Vec::new();
    let words = ["values", "words"]
        .into_iter()
        .flat_map(|key| words_with_labels(node.get(key)));

    for (PlacedText { value, place }, _) in words {
        // A caller's text is normalized before it is compared: a word of another form could never
        // be sent.
        if !is_name(&value) || reserved().any(|known| known == value) || normalize(&value) != value
        {
            let near = Some(normalize(&value))
                .filter(|near| is_name(near) && !reserved().any(|known| known == near));
            let misspelt = Problem::ValueMisspelt {
                value: value.clone(),
                near,
            };
            report.error(&place, Problem::comma_in_list(&value).unwrap_or(misspelt));
        } else if known.contains(&value) {
            report.error(
                &place,
                Problem::ValueTwice {
                    value: value.clone(),
                },
            );
        }

        known.push(value);
    }
}

/// The words of a choice with their places, each with its label.
pub(super) fn words_with_labels(node: Option<&Node>) -> Vec<(PlacedText, String)> {
    let Some(node) = node else { return Vec::new() };
    // A list of words alone: each is its own label.
    if let Some(text) = node.text() {
        return text
            .list()
            .into_iter()
            .map(|word| (word.clone(), word.value))
            .collect();
    }

    let label = |node: &Node| {
        node.text()
            .map(|text| text.value.clone())
            .unwrap_or_default()
    };

    node.entries()
        .iter()
        .map(|(word, node)| (word.clone(), label(node)))
        .collect()
}

pub(super) fn aliases(input: &Input, node: &Node, report: &mut Report) -> Vec<(String, u16)> {
    let mut out: Vec<(String, u16)> = Vec::new();
    for (alias, target) in node.entries_of("aliases") {
        let Some(word) = target.text() else { continue };
        let spelled = normalize(&alias.value);

        match input.word(&word.value) {
            None => {
                let words = input.expected();
                let near = suggestion(&word.value, input.comparable_words()).map(str::to_owned);
                let problem = Problem::UnknownWord {
                    word: word.value.clone(),
                    name: input.name.clone(),
                    words,
                    near,
                };
                report.error(&word.place, problem);
            }
            // An alias that is a word of the choice, or an alias already, would mean two words.
            Some(_)
                if input.word(&spelled).is_some()
                    || out.iter().any(|(known, _)| *known == spelled) =>
            {
                report.error(
                    &alias.place,
                    Problem::AliasTaken {
                        alias: alias.value.clone(),
                    },
                );
            }
            Some(index) => out.push((spelled, index)),
        }
    }

    out
}
