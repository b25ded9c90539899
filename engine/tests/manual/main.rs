//! The manual of the rule language is `rules/README.md`, and in French `rules/LISEZMOI.md`. Here
//! every block of both is loaded, every error that they show is provoked, every answer that they
//! show is computed, every word of the language is looked for in them, and both are held in step.
//!
//! The info string of a block says what it is:
//! - `yaml file=<path>`: a whole file of one rule set, which must load without error nor warning;
//! - `yaml method=<id>`, `yaml scale=<id>`, `yaml cases=<id>`: the keys of a method, of a dated
//!   file, of cases; keys that are missing are added below, and the three of one id make a folder;
//! - `yaml scale=<id> date=<day>`: a later dated file of that folder;
//! - with `error=<code>`: the folder is refused with that code and no other, as its first line
//!   says;
//! - `text message`: what the first error of the block above says, in French;
//! - `json answer=<folder or id> <query>`: an answer of a folder above.
//!
//! `BAREME_UPDATE_DOCS=1 cargo test -p bareme-engine --test manual` refreshes the tables of the
//! kinds of steps.

#![cfg(test)]

#[path = "../common/mod.rs"]
mod common;
mod in_step;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use bareme_engine::Lang;
use bareme_engine::authoring::reserved;
use bareme_engine::law::{BoundWord, Function, KINDS, KeyForm, Kind, Type};
use bareme_engine::service::service_schema;
use bareme_engine::service::{Loaded, Rules};
use bareme_engine::set::{cases_schema, method_schema, scale_schema};
use bareme_engine::text::{Rendering, RoundMode};
use jiff::civil::{Date, date};
use serde_json::Value;

const REFRESH: &str = "BAREME_UPDATE_DOCS=1 cargo test -p bareme-engine --test manual";

/// The questions of the manual carry their dates; nothing here depends on this day.
const ANY_DAY: Date = date(2026, 1, 1);

/// A manual of the language.
struct Manual {
    lang: Lang,
    path: &'static str,
    text: String,
}

impl Manual {
    fn blocks(&self) -> Vec<Block> {
        blocks(&self.text)
    }

    /// A place in it, for messages.
    fn at(&self, block: &Block) -> String {
        format!("{}:{}", self.path, block.line)
    }
}

fn manuals() -> [Manual; 2] {
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
struct Block {
    /// `yaml`, `json`, `text` ...
    language: String,
    /// The words after the language.
    words: Vec<String>,
    text: String,
    line: usize,
}

impl Block {
    /// The value of `key=value`.
    fn get(&self, key: &str) -> Option<&str> {
        self.words
            .iter()
            .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }

    /// Whether it is what the error of the block above says.
    fn is_message(&self) -> bool {
        self.words.iter().any(|word| word == "message")
    }

    fn is_yaml(&self, key: &str, id: &str) -> bool {
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

fn rules_of(loaded: Loaded, of: &str) -> Rules {
    let reported = common::reported(&loaded.report);
    loaded
        .rules
        .unwrap_or_else(|| panic!("{of} of the manual:\n{reported}"))
}

/// The rule set of the made-up country.
fn complete(manual: &Manual) -> Loaded {
    let files = manual
        .blocks()
        .into_iter()
        .filter(|block| block.language == "yaml");
    common::load_files(files.filter_map(|block| Some((block.get("file")?.to_owned(), block.text))))
}

/// Where the folder of an example stands: in the family that the manual's `service.yaml` declares.
const EXAMPLE: &str = "salaire-net/exemple";

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

/// A block as a whole file. What is added stands below it, so that places in messages are those of
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

/// Loads the folder of an id; `instead` stands in the place of the block of its sort.
fn example(blocks: &[Block], id: &str, instead: Option<&Block>) -> Loaded {
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

#[test]
fn every_block_of_yaml_says_what_it_is() {
    for manual in manuals() {
        for block in manual
            .blocks()
            .iter()
            .filter(|block| block.language == "yaml")
        {
            let sorts = ["file", "method", "scale", "cases"]
                .iter()
                .filter(|sort| block.get(sort).is_some())
                .count();
            assert_eq!(
                sorts,
                1,
                "{}: one of file=, method=, scale=, cases=",
                manual.at(block)
            );
        }
    }
}

#[test]
fn the_made_up_country_loads_without_a_warning() {
    for manual in manuals() {
        let loaded = complete(&manual);
        assert_eq!(
            loaded.report.all().count(),
            0,
            "{}: {}",
            manual.path,
            common::reported(&loaded.report)
        );
        assert!(
            rules_of(loaded, "the country")
                .folder("salaire-net/nv")
                .unwrap()
                .cases()
                .len()
                >= 6
        );
    }
}

#[test]
fn every_example_loads_and_its_cases_hold() {
    for manual in manuals() {
        let blocks = manual.blocks();
        let good = blocks
            .iter()
            .filter(|block| block.language == "yaml" && block.get("error").is_none());
        let ids: BTreeSet<&str> = good
            .filter_map(|block| {
                block
                    .get("method")
                    .or(block.get("scale"))
                    .or(block.get("cases"))
            })
            .collect();
        assert!(
            ids.len() >= KINDS.len(),
            "the examples of {} were not found",
            manual.path
        );
        for id in ids {
            rules_of(example(&blocks, id, None), &format!("the example `{id}`"));
        }
    }
}

#[test]
fn every_error_shown_is_the_one_that_comes() {
    for manual in manuals() {
        let blocks = manual.blocks();
        let mut shown = 0;
        for (index, block) in blocks
            .iter()
            .enumerate()
            .filter(|(_, block)| block.get("error").is_some())
        {
            let first = error_that_comes(&manual, &blocks, block);
            if let Some(message) = blocks.get(index + 1).filter(|next| next.is_message()) {
                assert_eq!(message.text, first, "{}", manual.at(message));
                shown += 1;
            }
        }
        assert_eq!(
            shown,
            blocks.iter().filter(|block| block.is_message()).count(),
            "{}",
            manual.path
        );
    }
}

/// The first error of a block that shows one, once its code and its caption are found right.
fn error_that_comes(manual: &Manual, blocks: &[Block], block: &Block) -> String {
    let code = block.get("error").unwrap();
    let caption = block.text.lines().next().unwrap();
    let expected = match manual.lang {
        Lang::En => format!("# Refused, {code}: "),
        Lang::Fr => format!("# Refusé, {code} : "),
    };
    assert!(
        caption.starts_with(&expected),
        "{}: {caption}",
        manual.at(block)
    );
    let id = block
        .get("method")
        .or(block.get("scale"))
        .or(block.get("cases"))
        .unwrap();
    let report = example(blocks, id, Some(block)).report;
    let codes: BTreeSet<&str> = report.errors().map(|error| error.code()).collect();
    assert_eq!(
        codes,
        BTreeSet::from([code]),
        "{}:\n{}",
        manual.at(block),
        common::reported(&report)
    );
    report
        .errors()
        .next()
        .unwrap()
        .render(Rendering::new(Lang::Fr))
}

#[test]
fn every_answer_shown_is_the_one_that_comes() {
    for manual in manuals() {
        let blocks = manual.blocks();
        let country = rules_of(complete(&manual), "the country");
        let answers = blocks.iter().filter(|block| block.language == "json");
        assert!(
            answers.clone().count() >= 2,
            "the answers of {} were not found",
            manual.path
        );
        for block in answers {
            let folder = block.get("answer").unwrap();
            let answered = match country.folder(folder) {
                Some(_) => ask(&country, folder, block),
                None => ask(
                    &rules_of(example(&blocks, folder, None), folder),
                    EXAMPLE,
                    block,
                ),
            };
            let written: Value = serde_json::from_str(&block.text).unwrap();
            let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap();
            assert_eq!(pretty(&written), pretty(&answered), "{}", manual.at(block));
        }
    }
}

/// Answer of a folder to the query of a block, without the members that change with its files.
fn ask(rules: &Rules, folder: &str, block: &Block) -> Value {
    let words = block
        .words
        .iter()
        .filter(|word| !word.starts_with("answer="));
    let query = words.filter_map(|word| word.split_once('=')).collect();
    let answered = rules
        .folder(folder)
        .unwrap()
        .calculate(&query, ANY_DAY)
        .unwrap()
        .to_json();
    let mut answer: Value = serde_json::from_str(&answered).unwrap();
    let version = answer["version"]
        .as_str()
        .unwrap()
        .get(..8)
        .unwrap()
        .to_owned();
    answer["citation"] = answer["citation"]
        .as_str()
        .unwrap()
        .replace(&version, "…")
        .into();
    answer["version"] = "…".into();
    answer
}

/// The table of a kind of step, as a manual must have it.
fn kind_table(kind: &Kind, lang: Lang) -> String {
    let told = |en: &'static str, fr: &'static str| match lang {
        Lang::En => en,
        Lang::Fr => fr,
    };
    let form = |form: KeyForm| match form {
        KeyForm::Formula => told("formula", "formule"),
        KeyForm::Formulas => told("formulas", "formules"),
        KeyForm::Figure => told("name of a figure", "nom d’un chiffre"),
        KeyForm::Input => told("name of an input", "nom d’une entrée"),
        KeyForm::Period => told("`month`, `year` or `none`", "`month`, `year` ou `none`"),
        KeyForm::Rounding => told("rounding", "arrondi"),
    };
    let mut out = format!(
        "{}\n|---|---|---|\n",
        told("| Key | Holds | Means |", "| Clé | Contient | Sens |")
    );
    let help = told(kind.help.en, kind.help.fr);
    writeln!(
        out,
        "| **`{}`** | {} | {} {help} |",
        kind.name,
        form(kind.main),
        told("gives", "donne")
    )
    .unwrap();
    for key in kind.keys {
        let name = if key.required {
            format!("**`{}`**", key.name)
        } else {
            format!("`{}`", key.name)
        };
        writeln!(
            out,
            "| {name} | {} | {} |",
            form(key.form),
            told(key.help.en, key.help.fr)
        )
        .unwrap();
    }
    out
}

#[test]
fn the_tables_of_the_kinds_are_those_of_the_engine() {
    for manual in manuals() {
        let mut after = manual.text.clone();
        for kind in KINDS {
            let opening = format!("<!-- kind {} -->\n", kind.name);
            let start = after
                .find(&opening)
                .unwrap_or_else(|| panic!("{} lacks {opening}", manual.path))
                + opening.len();
            let length = after[start..].find("<!-- end -->").unwrap();
            after.replace_range(start..start + length, &kind_table(kind, manual.lang));
        }
        assert_eq!(
            after.matches("<!-- kind ").count(),
            KINDS.len(),
            "a kind that the engine does not have"
        );
        if std::env::var_os("BAREME_UPDATE_DOCS").is_some() {
            std::fs::write(common::root().join(manual.path), &after).unwrap();
        } else {
            assert!(
                after == manual.text,
                "the tables of {} are stale; to refresh them: {REFRESH}",
                manual.path
            );
        }
    }
}

/// The keys that a schema knows, at any depth.
fn keys(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            let own = members.get("properties").and_then(Value::as_object);
            found.extend(own.into_iter().flat_map(|own| own.keys().cloned()));
            members.values().for_each(|inside| keys(inside, found));
        }
        Value::Array(items) => items.iter().for_each(|item| keys(item, found)),
        _ => {}
    }
}

/// Code in a manual: its blocks, and the spans between backticks.
fn code(manual: &Manual) -> String {
    let blocks = manual.blocks().into_iter().map(|block| block.text);
    let lines = manual.text.lines().filter(|line| !line.starts_with("```"));
    let spans = lines
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .map(str::to_owned);
    blocks.chain(spans).collect::<Vec<_>>().join("\n")
}

/// The words of the language, but for those that only dated files of other folders have.
fn words(rules: &Rules) -> BTreeSet<String> {
    let method = rules
        .folder("salaire-net/nv")
        .unwrap()
        .latest()
        .unwrap()
        .method();
    let mut words: BTreeSet<String> = BTreeSet::new();
    for schema in [
        method_schema(),
        cases_schema(),
        service_schema(),
        scale_schema(method),
    ] {
        keys(&schema, &mut words);
    }
    words.extend(reserved().map(str::to_owned));
    words.extend(Function::names().map(str::to_owned));
    words.extend(BoundWord::ALL.map(|(name, _)| name.to_owned()));
    words.extend(RoundMode::WORDS.map(|(name, _)| name.to_owned()));
    words.extend(Type::WRITTEN.map(|(name, _)| name.to_owned()));
    words
}

#[test]
fn every_word_of_the_language_is_in_the_manual() {
    for manual in manuals() {
        let code = code(&manual);
        let said: BTreeSet<&str> = code
            .split(|letter: char| !(letter.is_alphanumeric() || "_/".contains(letter)))
            .collect();
        let words = words(&rules_of(complete(&manual), "the country"));
        let silent: Vec<&String> = words
            .iter()
            .filter(|word| !said.contains(word.as_str()))
            .collect();
        assert!(
            silent.is_empty(),
            "{} does not say what these are: {silent:?}",
            manual.path
        );
    }
}

#[test]
fn the_links_of_the_manual_lead_somewhere() {
    let rules = common::root().join("rules");
    for manual in manuals() {
        let anchors: BTreeSet<String> = manual.text.lines().filter_map(anchor_of).collect();
        let targets = manual
            .text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://")) {
            let (file, anchor) = target
                .split_once('#')
                .map_or((target, None), |(file, anchor)| (file, Some(anchor)));
            let there: BTreeSet<String> = match file {
                "" => anchors.clone(),
                // A folder is a link too.
                _ => fs::read_to_string(rules.join(file))
                    .map(|text| text.lines().filter_map(anchor_of).collect())
                    .unwrap_or_default(),
            };
            assert!(rules.join(file).exists(), "{}: {target}", manual.path);
            assert!(
                anchor.is_none_or(|anchor| there.contains(anchor)),
                "{}: {target}",
                manual.path
            );
        }
    }
}

/// The anchor of a heading, as code hosts make it.
fn anchor_of(line: &str) -> Option<String> {
    let heading = line
        .strip_prefix('#')?
        .trim_start_matches('#')
        .strip_prefix(' ')?;
    let heading = heading.to_lowercase();
    let kept = heading
        .chars()
        .filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    Some(
        kept.map(|letter| if letter == ' ' { '-' } else { letter })
            .collect(),
    )
}
