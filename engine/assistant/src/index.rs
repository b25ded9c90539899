//! The index of a rule set, which the search asks: made once, edition by edition, as questions
//! come.
//!
//! Words are interned. A question compares its words with each word of the vocabulary once; what
//! the entries hold is then looked up by number.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use bareme_engine::Folder;
use bareme_engine::law::{Type, Value};
use bareme_engine::run::Edition;
use bareme_engine::service::Rules;
use bareme_engine::text::normalize;
use bareme_show::figures::{self, side_by_side, title};
use jiff::civil::Date;

/// Number of values up to which each value of a figure has its own entry.
const MAX_VALUE_ENTRIES: usize = 6;

/// Stop words.
const STOP_WORDS: &[&str] = &[
    "a", "au", "aux", "avec", "ce", "combien", "d", "dans", "de", "des", "du", "en", "est", "et",
    "for", "how", "il", "in", "is", "l", "la", "le", "les", "montant", "much", "of", "on", "par",
    "pour", "quel", "quelle", "quels", "s", "sont", "sur", "the", "un", "une", "what",
];

/// The index of one rule set: the words of its figures and texts, and the changes of its editions
/// in words.
#[derive(Debug, Default)]
pub struct Index(RwLock<Known>);

/// The entries made so far. Its size is bounded by that of the rules.
#[derive(Debug, Default)]
struct Known {
    numbers: HashMap<Arc<str>, u32>,
    /// The words by number.
    vocabulary: Vec<Arc<str>>,
    editions: HashMap<EditionKey, Arc<Entries>>,
    changes: HashMap<EditionKey, Arc<str>>,
}

/// An edition: its folder, and its day if it has one.
type EditionKey = (String, Option<Date>);

/// The entries of an edition.
#[derive(Debug)]
pub(crate) struct Entries {
    /// The words of the scale, which all its entries share.
    pub scale: Vec<u32>,
    /// The calculations of the folder, of every endpoint that has it.
    pub calculations: Vec<Entry>,
    /// Figures, then texts.
    pub others: Vec<Entry>,
}

/// An entry: its words, and its subject.
#[derive(Debug)]
pub(crate) struct Entry {
    pub words: Vec<u32>,
    pub subject: Subject,
}

/// The subject of an entry.
#[derive(Debug)]
pub(crate) enum Subject {
    /// A calculation, by the name of its endpoint.
    Calculation(String),
    /// A value of a figure, with its label.
    Figure {
        figure: String,
        label: String,
        value: Value,
        ty: Type,
    },
    /// A figure of many values.
    Rows { figure: String, count: usize },
    /// A source, by its index in the scale.
    Source(usize),
}

/// A text to be indexed, with its subject.
struct Described {
    text: String,
    subject: Subject,
}

/// The words of a text, without stop words.
pub(crate) fn words(text: &str) -> Vec<String> {
    let all = normalize(text);

    let is_kept = |word: &&str| !word.is_empty() && !STOP_WORDS.contains(word);
    all.split('_').filter(is_kept).map(str::to_owned).collect()
}

impl Index {
    /// The entries of an edition.
    pub(crate) fn entries(
        &self,
        rules: &Rules,
        folder: &Folder,
        edition: &Edition,
    ) -> Arc<Entries> {
        let key = key(folder, edition);
        // A read lock: once an edition is there, questions look it up at the same time.
        if let Some(known) = self.read(|known| known.editions.get(&key).cloned()) {
            return known;
        }

        // Described without the lock: a second question meanwhile describes it again, at worst.
        let method = edition.method();
        let aliases = folder
            .aliases()
            .into_iter()
            .map(|alias| alias.name.as_str());

        let aliases = aliases.collect::<Vec<_>>().join(" ");
        let scale = format!("{} {} {aliases}", folder.path(), method.title);

        let calculations = calculations(rules, folder, edition);
        let others = figures_of(edition)
            .into_iter()
            .chain(texts_of(edition))
            .collect();

        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let entries = Arc::new(Entries {
            scale: known.numbers_of(&scale),
            calculations: known.entries(calculations),
            others: known.entries(others),
        });

        // The entries of the first question stay, so that all have the same.
        known.editions.entry(key).or_insert(entries).clone()
    }

    /// How similar each word of the vocabulary is to a word, by number.
    pub(crate) fn similar(&self, word: &str) -> Vec<u8> {
        self.read(|known| {
            known
                .vocabulary
                .iter()
                .map(|own| similarity(own, word))
                .collect()
        })
    }

    /// The changes of an edition in words.
    pub(crate) fn changes(&self, folder: &Folder, edition: &Edition, before: &Edition) -> Arc<str> {
        let key = key(folder, edition);
        if let Some(known) = self.read(|known| known.changes.get(&key).cloned()) {
            return known;
        }

        let made: Arc<str> = figures::changes(edition, Some(before)).into();
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.changes.entry(key).or_insert(made).clone()
    }

    fn read<T>(&self, read: impl FnOnce(&Known) -> T) -> T {
        // A panic under the lock leaves at worst a word without an entry: the index can still be
        // used.
        read(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Known {
    fn entries(&mut self, described: Vec<Described>) -> Vec<Entry> {
        let entry = |Described { text, subject }| Entry {
            words: self.numbers_of(&text),
            subject,
        };
        described.into_iter().map(entry).collect()
    }

    /// The numbers of the words of a text; new words get the next ones.
    fn numbers_of(&mut self, text: &str) -> Vec<u32> {
        words(text)
            .into_iter()
            .map(|word| self.number(word.into()))
            .collect()
    }

    fn number(&mut self, word: Arc<str>) -> u32 {
        let next = u32::try_from(self.vocabulary.len()).unwrap_or(u32::MAX);
        // The number of a word is its place in the vocabulary.
        let number = *self.numbers.entry(Arc::clone(&word)).or_insert(next);

        if number == next {
            self.vocabulary.push(word);
        }
        number
    }
}

fn key(folder: &Folder, edition: &Edition) -> EditionKey {
    (
        folder.path().to_owned(),
        edition.scale().map(|scale| scale.date),
    )
}

/// The calculations of a folder.
fn calculations(rules: &Rules, folder: &Folder, edition: &Edition) -> Vec<Described> {
    // Every endpoint that answers from the folder describes it in words of its own.
    let endpoints = rules.service().endpoints.iter().filter(|endpoint| {
        rules
            .members(endpoint)
            .any(|(_, member)| std::ptr::eq(member, folder))
    });

    let described = endpoints.map(|endpoint| Described {
        text: format!(
            "{} {} {}",
            endpoint.title,
            endpoint.search.join(" "),
            edition.method().title
        ),
        subject: Subject::Calculation(endpoint.name.clone()),
    });

    described.collect()
}

/// The figures of an edition: each value of those that have few, the others as a whole.
fn figures_of(edition: &Edition) -> Vec<Described> {
    let method = edition.method();
    let lines = side_by_side(&[edition]);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    lines
        .iter()
        .for_each(|line| *counts.entry(line.figure).or_default() += 1);

    let (mut described, mut listed) = (Vec::new(), Vec::new());
    // Rows with keys, as of countries or professions, are found by their figure as a whole.
    for line in &lines {
        let (figure, name, label) = (
            line.figure.to_owned(),
            title(method, line.figure),
            line.label(),
        );

        let count = counts.get(line.figure).copied().unwrap_or_default();
        // A figure of few values is found by the label of each; of many, they would crowd out the
        // rest.
        if line.group().is_none() && count <= MAX_VALUE_ENTRIES {
            let text = format!("{figure} {name} {label}");
            if let Some(Some((value, ty))) = line.values.first().cloned() {
                described.push(Described {
                    text,
                    subject: Subject::Figure {
                        figure,
                        label,
                        value,
                        ty,
                    },
                });
            }
        } else if !listed.contains(&line.figure) {
            listed.push(line.figure);
            let text = format!("{figure} {name}");
            described.push(Described {
                text,
                subject: Subject::Rows { figure, count },
            });
        }
    }
    described
}

/// The texts of an edition.
fn texts_of(edition: &Edition) -> Vec<Described> {
    // Legal texts are found by their title and their publisher.
    let sources = edition
        .scale()
        .map(|scale| scale.sources.as_ref())
        .unwrap_or_default();

    let described = sources.iter().enumerate().map(|(index, source)| Described {
        text: format!("{} {}", source.cited(), source.publisher),
        subject: Subject::Source(index),
    });
    described.collect()
}

/// Similarity of identical words.
pub(crate) const IDENTICAL: u8 = 4;

/// Similarity of two words: identical, equal but for an ending, or none.
fn similarity(own: &str, asked: &str) -> u8 {
    if own == asked {
        return IDENTICAL;
    }

    let (own, asked) = (stem(own), stem(asked));
    // `cotisations` matches `cotisation`; a beginning of four letters or more matches the whole
    // word.
    if own == asked {
        IDENTICAL - 1
    } else if asked.len() >= 4 && own.starts_with(asked) {
        IDENTICAL - 2
    } else {
        0
    }
}

/// A word without its endings of number and gender.
fn stem(word: &str) -> &str {
    let plain = word.trim_end_matches(['s', 'x']).trim_end_matches('e');
    if plain.len() < 3 { word } else { plain }
}
