//! Parameters, words of choices and fields in the sentences of a law, which callers of the API name:
//! a page shows their labels.

use std::collections::{BTreeMap, BTreeSet};

use bareme_engine::law::Input;
use bareme_engine::service::Rules;
use bareme_engine::{Folder, Lang};
use bareme_show::without_unit;

/// The labels of what a folder asks.
#[derive(Debug, Default)]
pub(crate) struct Labels<'r> {
    labels: BTreeMap<&'r str, &'r str>,
    /// Those of names of one word, which a sentence has between backquotes alone: `parts` may be
    /// any word.
    quoted: BTreeMap<&'r str, &'r str>,
    lang: Lang,
    /// The inputs of called folders that the folder itself does not ask.
    not_asked: BTreeSet<&'r str>,
}

impl<'r> Labels<'r> {
    /// Those of a folder.
    pub(crate) fn of_folder(folder: &'r Folder) -> Self {
        let mut labels = Self {
            lang: folder.lang(),
            ..Self::default()
        };
        labels.add(folder);
        labels
    }

    /// Those of a folder, then those of the folders that it calculates, whose sentences it passes
    /// on.
    pub(crate) fn with_called(rules: &'r Rules, folder: &'r Folder) -> Self {
        let mut labels = Self::of_folder(folder);
        let own: BTreeSet<&str> = folder.inputs().into_iter().map(name).collect();
        let called = folder.used_folders().into_iter();
        for folder in called.filter_map(|path| rules.folder(path)) {
            labels.add(folder);
            let inputs = folder.inputs().into_iter().map(name);
            let not_asked = inputs.filter(|name| name.contains('_') && !own.contains(name));
            labels.not_asked.extend(not_asked);
        }
        labels
    }

    fn add(&mut self, folder: &'r Folder) {
        let words = |input: &'r Input| {
            let own = (input.name.as_str(), input.label.as_str());
            let values = input.values.iter();
            let values = values.map(|(word, label)| (word.as_str(), label.as_str()));
            [own].into_iter().chain(values)
        };

        let fields = folder.fields().into_iter();
        let fields =
            fields.filter_map(|field| Some((field.name.as_str(), field.label.as_deref()?)));
        let labelled = folder.inputs().into_iter().flat_map(words).chain(fields);
        for (name, label) in labelled {
            let labels = if name.contains('_') {
                &mut self.labels
            } else {
                &mut self.quoted
            };
            // The folder itself is added first: its label is the one beside the field.
            labels.entry(name).or_insert(label);
        }
    }

    /// A text of the law without its sentences about an input that the page does not have, and with
    /// the labels of the others; `None` where no sentence is left.
    pub(crate) fn written_here(&self, text: &str) -> Option<String> {
        const END: &str = ". ";
        let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let is_here = |sentence: &&str| {
            let mut words = sentence.split(|letter| !is_of_name(letter));
            !words.any(|word| self.not_asked.contains(word))
        };
        let kept: Vec<&str> = text.split(END).filter(is_here).collect();
        let kept = self.written(&kept.join(END));
        let is_cut = !kept.is_empty() && !kept.ends_with('.') && text.ends_with('.');
        (!kept.is_empty()).then(|| if is_cut { kept + "." } else { kept })
    }

    /// A sentence with the labels between quotes: « Part du conjoint » for `part_conjoint`, and in
    /// English “Spouse’s part”.
    pub(crate) fn written(&self, sentence: &str) -> String {
        let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let mut written = String::with_capacity(sentence.len());
        let mut rest = sentence;
        while let Some(start) = rest.find(is_of_name) {
            let (before, from) = rest.split_at(start);
            let end = from.find(|letter| !is_of_name(letter));
            let (name, after) = from.split_at(end.unwrap_or(from.len()));
            written.push_str(before);
            let quoted = written.strip_suffix('`').zip(after.strip_prefix('`'));
            let of_quoted = quoted.and_then(|_| self.quoted.get(name));
            rest = after;
            match self.labels.get(name).or(of_quoted) {
                // The unit is beside the field.
                Some(label) => {
                    // A label is no code.
                    if let Some((before, after)) = quoted {
                        written.truncate(before.len());
                        rest = after;
                    }
                    // What callers of the API call a parameter is a field of the form.
                    let (parameter, field) = match self.lang {
                        Lang::Fr => ("paramètre ", "champ "),
                        Lang::En => ("parameter ", "field "),
                    };
                    if let Some(before) = written.strip_suffix(parameter) {
                        written.truncate(before.len());
                        written.push_str(field);
                    }
                    let title = without_unit(label, self.lang);
                    match self.lang {
                        Lang::Fr => written.extend(["« ", title, " »"]),
                        Lang::En => written.extend(["“", title, "”"]),
                    }
                }
                None => written.push_str(name),
            }
        }
        written + rest
    }
}

fn name(input: &Input) -> &str {
    &input.name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_labels_and_other_words_as_they_are() {
        let labels = Labels {
            labels: BTreeMap::from([
                ("taux_at_mp", "Taux d’accident du travail, en %"),
                ("couple_un_revenu", "Couple à un seul revenu"),
            ]),
            quoted: BTreeMap::from([("parts", "Nombre de parts")]),
            ..Labels::default()
        };
        for (sentence, written) in [
            (
                "Donner taux_at_mp.",
                "Donner « Taux d’accident du travail ».",
            ),
            ("couple_un_revenu", "« Couple à un seul revenu »"),
            (
                "Le taux réel est autre (paramètre taux_at_mp).",
                "Le taux réel est autre (champ « Taux d’accident du travail »).",
            ),
            (
                "Donner `taux_at_mp`, sans `parts` ni `brut` ; les parts restent.",
                "Donner « Taux d’accident du travail », sans « Nombre de parts » ni `brut` ; les \
                 parts restent.",
            ),
            (
                "Été : taux_at_mp_2 reste, à 5 %.",
                "Été : taux_at_mp_2 reste, à 5 %.",
            ),
            ("", ""),
        ] {
            assert_eq!(labels.written(sentence), written);
        }
    }

    #[test]
    fn sentences_about_what_the_page_does_not_ask_are_left_out() {
        let labels = Labels {
            labels: BTreeMap::from([("part_du_conjoint", "Part du conjoint")]),
            not_asked: BTreeSet::from(["taux_at_mp"]),
            ..Labels::default()
        };
        for (text, written) in [
            (
                "Le taux est celui du pays. Donner taux_at_mp.",
                Some("Le taux est celui du pays."),
            ),
            ("Donner taux_at_mp.", None),
            (
                "Donner part_du_conjoint.",
                Some("Donner « Part du conjoint »."),
            ),
        ] {
            assert_eq!(labels.written_here(text).as_deref(), written);
        }
    }
}
