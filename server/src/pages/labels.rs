//! Parameters, words of choices and fields in the sentences of a law, which callers of the API name:
//! a page shows their labels.

use std::collections::BTreeMap;

use bareme_engine::Folder;
use bareme_engine::law::Input;
use bareme_engine::service::Rules;

/// The labels of what a folder asks.
#[derive(Debug)]
pub(in crate::pages) struct Labels<'r>(BTreeMap<&'r str, &'r str>);

impl<'r> Labels<'r> {
    /// Those of a folder.
    pub(in crate::pages) fn of_folder(folder: &'r Folder) -> Self {
        let mut labels = Self(BTreeMap::new());
        labels.add(folder);
        labels
    }

    /// Those of a folder, then those of the folders that it calculates, whose sentences it passes
    /// on.
    pub(in crate::pages) fn with_called(rules: &'r Rules, folder: &'r Folder) -> Self {
        let mut labels = Self::of_folder(folder);
        let called = folder.used_folders().into_iter();
        called
            .filter_map(|path| rules.folder(path))
            .for_each(|folder| labels.add(folder));
        labels
    }

    fn add(&mut self, folder: &'r Folder) {
        let words = |input: &'r Input| {
            let own = (input.name.as_str(), input.label.as_str());
            let values = input.values.iter();
            let values = values.map(|(word, label)| (word.as_str(), label.as_str()));
            [own].into_iter().chain(values)
        };

        // A name of one word, such as `parts`, may be any word of a sentence.
        let fields = folder.fields().into_iter();
        let fields =
            fields.filter_map(|field| Some((field.name.as_str(), field.label.as_deref()?)));
        let labelled = folder.inputs().into_iter().flat_map(words).chain(fields);
        for (name, label) in labelled.filter(|(name, _)| name.contains('_')) {
            self.0.entry(name).or_insert(label);
        }
    }

    /// A sentence with the labels between quotes: « Part du conjoint » for `part_conjoint`.
    pub(in crate::pages) fn written(&self, sentence: &str) -> String {
        let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let mut written = String::with_capacity(sentence.len());
        let mut rest = sentence;
        while let Some(start) = rest.find(is_of_name) {
            let (before, from) = rest.split_at(start);
            let end = from.find(|letter| !is_of_name(letter));
            let (name, after) = from.split_at(end.unwrap_or(from.len()));
            written.push_str(before);
            match self.0.get(name) {
                // The unit is beside the field.
                Some(label) => {
                    let title = label.split_once(", en ").map_or(*label, |(title, _)| title);
                    written.extend(["« ", title, " »"]);
                }
                None => written.push_str(name),
            }
            rest = after;
        }
        written + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_labels_and_other_words_as_they_are() {
        let labels = Labels(BTreeMap::from([
            ("taux_at_mp", "Taux d’accident du travail, en %"),
            ("couple_un_revenu", "Couple à un seul revenu"),
        ]));
        for (sentence, written) in [
            (
                "Donner taux_at_mp.",
                "Donner « Taux d’accident du travail ».",
            ),
            ("couple_un_revenu", "« Couple à un seul revenu »"),
            (
                "Été : taux_at_mp_2 reste, à 5 %.",
                "Été : taux_at_mp_2 reste, à 5 %.",
            ),
            ("", ""),
        ] {
            assert_eq!(labels.written(sentence), written);
        }
    }
}
