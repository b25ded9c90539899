//! The English of a folder, or of the service: a file beside the French texts that has an English
//! one for each of them.
//!
//! A text is found by what it says in French: a sentence that changes has no English any more, and
//! is reported, rather than shown with its earlier English.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::law::method::LANGUAGE;
use crate::set::schema;
use crate::text::{Content, Node, PlacedText, Problem, Report, RuleFile};

/// Name of the file.
pub(crate) const TRANSLATION: &str = "en.yaml";

/// Key of the label of an input, of a figure, of a column, of a step or of a field.
const LABEL: &str = "label";

/// Keys whose text a page shows.
const SHOWN: [&str; 24] = [
    "aliases",
    "attribution",
    "called",
    "country",
    "help",
    "item",
    LABEL,
    "more",
    "name",
    "negative",
    "of",
    "positive",
    "price",
    "refuse",
    "rest",
    "section",
    "settled",
    "terms",
    "text",
    "title",
    "topics",
    "warn",
    "warns",
    "zero",
];

/// Key of a map whose values are the labels of the words of a choice.
const VALUES: &str = "values";

/// Sections of texts of the law, which are quoted as they were published.
const QUOTED: [&str; 1] = ["sources"];

/// The texts of a file, by what they say in French.
#[derive(Debug, Default)]
pub(crate) struct Translation {
    texts: BTreeMap<String, Pair>,
}

/// A text in both languages, as the file writes it.
#[derive(Debug)]
struct Pair {
    french: PlacedText,
    english: PlacedText,
}

impl Translation {
    /// Reads the file; mistakes go to the report.
    pub(crate) fn read(file: &Arc<RuleFile>, report: &mut Report) -> Option<Self> {
        let node = Node::read(file, report)?;
        let mut own = Report::default();
        let translation = schema::TRANSLATION
            .check_sections(&node, &mut own)
            .then(|| {
                let translation = Self::of(&node, &mut own);
                schema::TRANSLATION.validate(&node, &mut own);
                translation
            });
        report.extend_file(own);
        translation
    }

    fn of(node: &Node, report: &mut Report) -> Self {
        let mut texts = BTreeMap::new();
        for pair in node.items_of("texts") {
            let (Some(french), Some(english)) = (pair.text_of("fr"), pair.text_of("en")) else {
                continue;
            };
            // An amount of the law is shown in both sentences, or in none.
            if between(french) != between(english) {
                report.error(&english.place, Problem::TranslationOfOtherAmounts {});
            }

            let pair = Pair {
                french: french.clone(),
                english: english.clone(),
            };
            if texts.insert(french.value.clone(), pair).is_some() {
                let text = excerpt(&french.value);
                report.error(&french.place, Problem::TranslatedTwice { text });
            }
        }
        Self { texts }
    }

    /// Reports the French texts of some files that have no English one, each once, and the English
    /// ones of a French text that no file has; returns whether every text is there.
    pub(crate) fn check<'n>(
        &self,
        files: impl Iterator<Item = &'n Node>,
        others: impl Iterator<Item = &'n Node>,
        report: &mut Report,
    ) -> bool {
        let mut shown: BTreeMap<&str, &PlacedText> = BTreeMap::new();
        for node in files {
            each_shown(node, &mut |text| {
                shown.entry(&text.value).or_insert(text);
            });
        }

        // The texts of dated files may be translated, and need not be.
        let mut elsewhere: Vec<&str> = Vec::new();
        for node in others {
            each_text(node, &mut |text| elsewhere.push(&text.value));
        }

        let is_known = |text: &str| shown.contains_key(text) || elsewhere.contains(&text);
        // An English text without its French one is stale: what it translated was rewritten.
        for pair in self.texts.values() {
            if !is_known(&pair.french.value) {
                let text = excerpt(&pair.french.value);
                report.error(&pair.french.place, Problem::TranslationOfNoText { text });
            }
        }

        // A French text without English holds nothing back: the folder has no English page.
        let lacking = shown.values();
        let lacking = lacking.filter(|text| !self.texts.contains_key(&text.value));
        let mut is_whole = true;
        for text in lacking {
            is_whole = false;
            let written = excerpt(&text.value);
            report.warn(&text.place, Problem::NotTranslated { text: written });
        }
        is_whole
    }

    /// Whether the title of a part of a file is in English.
    pub(crate) fn has_title(&self, node: &Node) -> bool {
        let title = node.string_of("title");
        title.is_some_and(|title| self.texts.contains_key(&title))
    }

    /// Whether every text of a part of a file is in English.
    pub(crate) fn has_all(&self, node: &Node) -> bool {
        let mut has_all = true;
        each_shown(node, &mut |text| {
            has_all &= self.texts.contains_key(&text.value)
        });
        has_all
    }

    /// A file with its texts in English.
    pub(crate) fn of_file(&self, node: &Node) -> Node {
        let mut translated = self.of_node(node);
        if let Content::Map(entries) = &mut translated.content {
            let written = |value: &str| PlacedText {
                value: value.to_owned(),
                place: node.place.clone(),
            };
            // No schema has this key: by it a method learns here, and here alone, that its texts
            // are in English.
            let language = Node {
                place: node.place.clone(),
                content: Content::Text(written("en")),
            };
            entries.push((written(LANGUAGE), language));
        }
        translated
    }

    fn of_node(&self, node: &Node) -> Node {
        let content = match &node.content {
            Content::Empty => Content::Empty,
            Content::Text(text) => Content::Text(match self.texts.get(&text.value) {
                // Its place is that of the English: a mistake in it is shown there.
                Some(pair) => pair.english.clone(),
                None => text.clone(),
            }),
            Content::List(items) => {
                Content::List(items.iter().map(|item| self.of_node(item)).collect())
            }
            Content::Map(entries) => {
                let entries = entries.iter().map(|(key, node)| {
                    let is_quoted = QUOTED.contains(&key.value.as_str());
                    let node = if is_quoted {
                        node.clone()
                    } else {
                        self.of_node(node)
                    };
                    (key.clone(), node)
                });
                Content::Map(entries.collect())
            }
        };

        Node {
            place: node.place.clone(),
            content,
        }
    }
}

/// Visits the texts of a file that pages show.
fn each_shown<'n>(node: &'n Node, visit: &mut dyn FnMut(&'n PlacedText)) {
    for (key, value) in node.entries() {
        let key = key.value.as_str();
        if QUOTED.contains(&key) {
            continue;
        }
        match &value.content {
            Content::Text(text) if SHOWN.contains(&key) && is_for_readers(key, text) => visit(text),
            Content::Map(words) if key == VALUES => {
                let labels = words.iter().filter_map(|(_, label)| label.text());
                labels.for_each(&mut *visit);
            }
            _ => each_shown(value, visit),
        }
    }
    node.items().iter().for_each(|item| each_shown(item, visit));
}

/// Whether a text is written for readers: a label always is, if only one word such as `déductible`;
/// a text such as `text: ci` is a word of the answer.
fn is_for_readers(key: &str, text: &PlacedText) -> bool {
    let first = text.value.chars().next();
    key == LABEL || first.is_some_and(char::is_uppercase) || text.value.contains(' ')
}

/// Visits every text of a file.
fn each_text<'n>(node: &'n Node, visit: &mut dyn FnMut(&'n PlacedText)) {
    match &node.content {
        Content::Empty => {}
        Content::Text(text) => visit(text),
        Content::List(items) => items.iter().for_each(|item| each_text(item, visit)),
        Content::Map(entries) => {
            let values = entries.iter().map(|(_, value)| value);
            values.for_each(|value| each_text(value, visit));
        }
    }
}

/// The names between the braces of a text, in the order of the letters.
fn between(text: &PlacedText) -> Vec<&str> {
    let parts = text.value.split('{').skip(1);
    let mut between: Vec<&str> = parts
        .filter_map(|part| Some(part.split_once('}')?.0))
        .collect();
    between.sort_unstable();
    between
}

/// The beginning of a long text.
fn excerpt(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}
