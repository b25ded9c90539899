//! The manuals, their fenced blocks, and the rule sets that these make.

use std::fmt::Write as _;

use bareme_engine::Lang;
use bareme_engine::service::{Loaded, Rules};

use crate::common;

/// A manual of the language.
pub(crate) struct Manual {
    pub(crate) lang: Lang,
    pub(crate) path: &'static str,
    pub(crate) text: String,
}

impl Manual {
    pub(crate) fn blocks(&self) -> Vec<Block> {
        blocks(&self.text)
    }

    /// A place in it, for messages.
    pub(crate) fn at(&self, block: &Block) -> String {
        format!("{}:{}", self.path, block.line)
    }
}

pub(crate) fn manuals() -> [Manual; 2] {
    [
        (Lang::En, "rules/README.md"),
        (Lang::Fr, "rules/LISEZMOI.md"),
    ]
    .map(|(lang, path)| {
        let text = std::fs::read_to_string(common::root().join(path)).unwrap();
        Manual { lang, path, text }
    })
}

/// A fenced block of a manual.
pub(crate) struct Block {
    /// `yaml`, `json`, `text` ...
    pub(crate) language: String,
    /// The words after the language.
    pub(crate) words: Vec<String>,
    pub(crate) text: String,
    pub(crate) line: usize,
}

impl Block {
    /// The value of `key=value`.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.words
            .iter()
            .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }

    /// Whether it is what the error of the block above says.
    pub(crate) fn is_message(&self) -> bool {
        self.words.iter().any(|word| word == "message")
    }

    pub(crate) fn is_yaml(&self, key: &str, id: &str) -> bool {
        self.language == "yaml" && self.get(key) == Some(id) && self.get("error").is_none()
    }
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_open = false;

    for (number, line) in (1..).zip(text.lines()) {
        match line.strip_prefix("```") {
            Some(_) if is_open => is_open = false,
            Some(info) => {
                let mut words = info.split_whitespace().map(str::to_owned);
                let language = words.next().unwrap_or_default();
                blocks.push(Block {
                    language,
                    words: words.collect(),
                    text: String::new(),
                    line: number,
                });
                is_open = true;
            }
            None if is_open => {
                let text = &mut blocks.last_mut().unwrap().text;
                text.push_str(line);
                text.push('\n');
            }
            None => {}
        }
    }

    blocks
}

pub(crate) fn rules_of(loaded: Loaded, of: &str) -> Rules {
    let reported = common::reported(&loaded.report);
    loaded
        .rules
        .unwrap_or_else(|| panic!("{of} of the manual:\n{reported}"))
}

/// The rule set of the made-up country.
pub(crate) fn complete(manual: &Manual) -> Loaded {
    let files = manual
        .blocks()
        .into_iter()
        .filter(|block| block.language == "yaml");
    common::load_files(files.filter_map(|block| Some((block.get("file")?.to_owned(), block.text))))
}

/// The place of the folder of an example: in the family that the manual's `service.yaml` declares.
pub(crate) const EXAMPLE: &str = "salaire-net/exemple";

/// Sections added below a block to make a whole file of it: key, text.
type Missing = [(&'static str, &'static str)];

const METHOD: &Missing = &[
    ("folder", EXAMPLE),
    ("title", "\"Exemple\""),
    ("currency", "EUR"),
    (
        "inputs",
        "\n  brut: {type: money, per: month, required: true, min: 0, label: \"Brut\"}",
    ),
    ("steps", "\n  copie: brut"),
    ("answer", "\n  brut: brut"),
];

const SCALE: &Missing = &[
    ("title", "\"Exemple\""),
    (
        "sources",
        "\n  loi: {kind: law, title: \"Loi\", publisher: \"Journal officiel\", date: 2025-12-30}",
    ),
    ("figures", "{}"),
];

/// A block as a whole file. What is added comes below it, so that places in messages are those of
/// the block.
fn whole(text: &str, missing: &Missing) -> String {
    let has = |key: &str| {
        text.lines()
            .any(|line| line.starts_with(&format!("{key}:")))
    };

    let mut out = text.to_owned();

    for (key, value) in missing
        .iter()
        .chain(&[("format", "bareme/1")])
        .filter(|(key, _)| !has(key))
    {
        writeln!(out, "{key}: {value}").unwrap();
    }

    out
}

/// Loads the folder of an id; `instead` takes the place of the block of its sort.
pub(crate) fn example(blocks: &[Block], id: &str, instead: Option<&Block>) -> Loaded {
    let text = |key: &str| {
        let replaced = instead.filter(|block| block.get(key) == Some(id));
        replaced
            .or_else(|| blocks.iter().find(|block| block.is_yaml(key, id)))
            .map(|block| block.text.as_str())
    };

    let service = blocks
        .iter()
        .find(|block| block.is_yaml("file", "service.yaml"))
        .unwrap();
    let file = |name: &str| format!("{EXAMPLE}/{name}.yaml");
    let mut files = vec![
        ("service.yaml".to_owned(), service.text.clone()),
        (
            file("method"),
            whole(text("method").unwrap_or_default(), METHOD),
        ),
        (
            file("2026-01-01"),
            whole(text("scale").unwrap_or_default(), SCALE),
        ),
    ];
    // The folders that it calculates, or whose figures it takes; with `date`, a dated file of one.
    let called = blocks.iter().filter(|block| block.is_yaml("called", id));
    files.extend(called.filter_map(|block| {
        let folder = block.get("folder")?;
        if let Some(date) = block.get("date") {
            return Some((format!("{folder}/{date}.yaml"), whole(&block.text, SCALE)));
        }
        let text = format!("{}folder: {folder}\n", block.text);
        Some((format!("{folder}/method.yaml"), whole(&text, &[])))
    }));
    let later = blocks
        .iter()
        .filter(|block| block.is_yaml("scale", id) && instead.is_none());
    let later =
        later.filter_map(|block| Some((file(block.get("date")?), whole(&block.text, SCALE))));
    files.extend(later);
    let is_other = instead.is_some_and(|block| block.get("cases").is_none());
    files.extend(
        text("cases")
            .filter(|_| !is_other)
            .map(|cases| (file("cases"), whole(cases, &[]))),
    );
    common::load_files(files)
}
