//! `rules/README.md` is the manual of the rule language. Here every block of it is loaded, every error
//! that it shows is provoked, every answer that it shows is computed, and every word of the language is
//! looked for in it.
//!
//! The info string of a block says what it is:
//! - `yaml file=<path>`: a whole file of one rule set, which must load without error nor warning;
//! - `yaml method=<id>`, `yaml scale=<id>`, `yaml cases=<id>`: the keys of a method, of a dated file, of
//!   cases; keys that are missing are added below, and the three of one id make a folder;
//! - with `error=<code>`: the folder is refused with that code and no other, as its first line says;
//! - `text message`: what the first error of the block above says, in French;
//! - `json answer=<folder or id> <query>`: an answer of a folder above.
//!
//! `BAREME_UPDATE_DOCS=1 cargo test -p bareme-engine --test manual` refreshes the tables of the kinds of
//! steps.

#![cfg(test)]

mod common;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use bareme_engine::{BoundWord, Function, KINDS, KeyForm, Kind, Lang, Loaded, RESERVED, RoundMode, Rules, Type};
use bareme_engine::{cases_schema, method_schema, scale_schema, service_schema};
use jiff::civil::{Date, date};
use serde_json::Value;

const REFRESH: &str = "BAREME_UPDATE_DOCS=1 cargo test -p bareme-engine --test manual";

/// The questions of the manual carry their dates; nothing here depends on this day.
const ANY_DAY: Date = date(2026, 1, 1);

/// A fenced block of the manual.
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
        self.words.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }

    fn is_yaml(&self, key: &str, id: &str) -> bool {
        self.language == "yaml" && self.get(key) == Some(id) && self.get("error").is_none()
    }
}

fn manual() -> String {
    std::fs::read_to_string(common::root().join("rules/README.md")).unwrap()
}

fn blocks(manual: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_open = false;
    for (number, line) in (1..).zip(manual.lines()) {
        match line.strip_prefix("```") {
            Some(_) if is_open => is_open = false,
            Some(info) => {
                let mut words = info.split_whitespace().map(str::to_owned);
                let language = words.next().unwrap_or_default();
                blocks.push(Block { language, words: words.collect(), text: String::new(), line: number });
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
    loaded.rules.unwrap_or_else(|| panic!("{of} of the manual:\n{reported}"))
}

/// The rule set of the made-up country.
fn complete() -> Loaded {
    let manual = manual();
    let files = blocks(&manual).into_iter().filter(|block| block.language == "yaml");
    common::load_files(files.filter_map(|block| Some((block.get("file")?.to_owned(), block.text))))
}

/// Where the folder of an example stands: in the family that the manual's `service.yaml` declares.
const EXAMPLE: &str = "salaire-net/exemple";

/// What is added below a block to make a whole file of it: key, text.
type Missing = [(&'static str, &'static str)];

const METHOD: &Missing = &[
    ("folder", EXAMPLE),
    ("title", "\"Exemple\""),
    ("currency", "EUR"),
    ("inputs", "\n  brut: {type: money, per: month, required: true, min: 0, label: \"Brut\"}"),
    ("steps", "\n  copie: brut"),
    ("answer", "\n  brut: brut"),
];

const SCALE: &Missing = &[
    ("title", "\"Exemple\""),
    ("sources", "\n  loi: {kind: law, title: \"Loi\", publisher: \"Journal officiel\", date: 2025-12-30}"),
    ("figures", "{}"),
];

/// A block as a whole file. What is added stands below it, so that places in messages are those of the block.
fn whole(text: &str, missing: &Missing) -> String {
    let has = |key: &str| text.lines().any(|line| line.starts_with(&format!("{key}:")));
    let mut out = text.to_owned();
    for (key, value) in missing.iter().chain(&[("format", "bareme/1")]).filter(|(key, _)| !has(key)) {
        writeln!(out, "{key}: {value}").unwrap();
    }
    out
}

/// Loads the folder of an id; `instead` stands in the place of the block of its sort.
fn example(blocks: &[Block], id: &str, instead: Option<&Block>) -> Loaded {
    let text = |key: &str| {
        let replaced = instead.filter(|block| block.get(key) == Some(id));
        replaced.or_else(|| blocks.iter().find(|block| block.is_yaml(key, id))).map(|block| block.text.as_str())
    };
    let service = blocks.iter().find(|block| block.is_yaml("file", "service.yaml")).unwrap();
    let file = |name: &str| format!("{EXAMPLE}/{name}.yaml");
    let mut files = vec![
        ("service.yaml".to_owned(), service.text.clone()),
        (file("method"), whole(text("method").unwrap_or_default(), METHOD)),
        (file("2026-01-01"), whole(text("scale").unwrap_or_default(), SCALE)),
    ];
    let is_other = instead.is_some_and(|block| block.get("cases").is_none());
    files.extend(text("cases").filter(|_| !is_other).map(|cases| (file("cases"), whole(cases, &[]))));
    common::load_files(files)
}

#[test]
fn every_block_of_yaml_says_what_it_is() {
    for block in blocks(&manual()).iter().filter(|block| block.language == "yaml") {
        let sorts = ["file", "method", "scale", "cases"].iter().filter(|sort| block.get(sort).is_some()).count();
        assert_eq!(sorts, 1, "line {} of the manual: one of file=, method=, scale=, cases=", block.line);
    }
}

#[test]
fn the_made_up_country_loads_without_a_warning() {
    let loaded = complete();
    assert_eq!(loaded.report.all().count(), 0, "{}", common::reported(&loaded.report));
    assert!(rules_of(loaded, "the country").folder("salaire-net/nv").unwrap().cases().len() >= 6);
}

#[test]
fn every_example_loads_and_its_cases_hold() {
    let blocks = blocks(&manual());
    let good = blocks.iter().filter(|block| block.language == "yaml" && block.get("error").is_none());
    let ids: BTreeSet<&str> =
        good.filter_map(|block| block.get("method").or(block.get("scale")).or(block.get("cases"))).collect();
    assert!(ids.len() >= KINDS.len(), "the examples of the manual were not found");
    for id in ids {
        rules_of(example(&blocks, id, None), &format!("the example `{id}`"));
    }
}

#[test]
fn every_error_shown_is_the_one_that_comes() {
    let blocks = blocks(&manual());
    let mut shown = 0;
    for (index, block) in blocks.iter().enumerate() {
        let Some(code) = block.get("error") else { continue };
        let caption = block.text.lines().next().unwrap();
        assert!(caption.starts_with(&format!("# Refused, {code}: ")), "line {} of the manual: {caption}", block.line);
        let id = block.get("method").or(block.get("scale")).or(block.get("cases")).unwrap();
        let report = example(&blocks, id, Some(block)).report;
        let codes: BTreeSet<&str> = report.errors().map(|error| error.code()).collect();
        assert_eq!(codes, BTreeSet::from([code]), "line {} of the manual:\n{}", block.line, common::reported(&report));
        if let Some(message) = blocks.get(index + 1).filter(|next| next.words.iter().any(|word| word == "message")) {
            let reported = report.errors().next().unwrap().render(Lang::Fr);
            assert_eq!(message.text, reported, "line {} of the manual", message.line);
            shown += 1;
        }
    }
    assert_eq!(shown, blocks.iter().filter(|block| block.words.iter().any(|word| word == "message")).count());
}

#[test]
fn every_answer_shown_is_the_one_that_comes() {
    let blocks = blocks(&manual());
    let country = rules_of(complete(), "the country");
    let mut shown = 0;
    for block in blocks.iter().filter(|block| block.language == "json") {
        let folder = block.get("answer").unwrap();
        let query = block.words.iter().filter(|word| !word.starts_with("answer="));
        let query: Vec<_> =
            query.filter_map(|word| word.split_once('=')).map(|(name, value)| (name.into(), value.into())).collect();
        let ask = |rules: &Rules, folder: &str| {
            rules.folder(folder).unwrap().calculate(&(&query).into(), ANY_DAY).unwrap().to_json()
        };
        let answered = match country.folder(folder) {
            Some(_) => ask(&country, folder),
            None => ask(&rules_of(example(&blocks, folder, None), folder), EXAMPLE),
        };
        let mut answer: Value = serde_json::from_str(&answered).unwrap();
        let version = answer["version"].as_str().unwrap().get(..8).unwrap().to_owned();
        answer["citation"] = answer["citation"].as_str().unwrap().replace(&version, "…").into();
        answer["version"] = "…".into();
        let written: Value = serde_json::from_str(&block.text).unwrap();
        let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap();
        assert_eq!(pretty(&written), pretty(&answer), "line {} of the manual", block.line);
        shown += 1;
    }
    assert!(shown >= 2, "the answers of the manual were not found");
}

/// The table of a kind of step, as the manual must have it.
fn kind_table(kind: &Kind) -> String {
    let form = |form: KeyForm| match form {
        KeyForm::Formula => "formula",
        KeyForm::Formulas => "formulas",
        KeyForm::Figure => "name of a figure",
        KeyForm::Input => "name of an input",
        KeyForm::Period => "`month`, `year` or `none`",
        KeyForm::Rounding => "rounding",
    };
    let mut out = String::from("| Key | Holds | Means |\n|---|---|---|\n");
    writeln!(out, "| **`{}`** | {} | gives {} |", kind.name, form(kind.main), kind.help).unwrap();
    for key in kind.keys {
        let name = if key.required { format!("**`{}`**", key.name) } else { format!("`{}`", key.name) };
        writeln!(out, "| {name} | {} | {} |", form(key.form), key.help).unwrap();
    }
    out
}

#[test]
fn the_tables_of_the_kinds_are_those_of_the_engine() {
    let before = manual();
    let mut after = before.clone();
    for kind in KINDS {
        let opening = format!("<!-- kind {} -->\n", kind.name);
        let start = after.find(&opening).unwrap_or_else(|| panic!("the manual lacks {opening}")) + opening.len();
        let length = after[start..].find("<!-- end -->").unwrap();
        after.replace_range(start..start + length, &kind_table(kind));
    }
    assert_eq!(after.matches("<!-- kind ").count(), KINDS.len(), "a kind that the engine does not have");
    if std::env::var_os("BAREME_UPDATE_DOCS").is_some() {
        std::fs::write(common::root().join("rules/README.md"), &after).unwrap();
    }
    assert!(after == manual(), "the tables of the kinds of steps are stale; to refresh them: {REFRESH}");
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

/// What the manual writes as code: its blocks, and the spans between backticks.
fn code(manual: &str) -> String {
    let blocks = blocks(manual).into_iter().map(|block| block.text);
    let lines = manual.lines().filter(|line| !line.starts_with("```"));
    let spans = lines.flat_map(|line| line.split('`').skip(1).step_by(2)).map(str::to_owned);
    blocks.chain(spans).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_word_of_the_language_is_in_the_manual() {
    let rules = rules_of(complete(), "the country");
    let method = rules.folder("salaire-net/nv").unwrap().latest().unwrap().method();
    let mut words: BTreeSet<String> = BTreeSet::new();
    for schema in [method_schema(), cases_schema(), service_schema(), scale_schema(method)] {
        keys(&schema, &mut words);
    }
    words.extend(RESERVED.map(str::to_owned));
    words.extend(Function::ALL.map(|(name, ..)| name.to_owned()));
    words.extend(BoundWord::ALL.map(|(name, _)| name.to_owned()));
    words.extend(RoundMode::WORDS.map(|(name, _)| name.to_owned()));
    words.extend(Type::WRITTEN.map(|(name, _)| name.to_owned()));
    let manual = manual();
    let code = code(&manual);
    let said: BTreeSet<&str> =
        code.split(|letter: char| !(letter.is_alphanumeric() || "_/".contains(letter))).collect();
    let silent: Vec<&String> = words.iter().filter(|word| !said.contains(word.as_str())).collect();
    assert!(silent.is_empty(), "the manual does not say what these are: {silent:?}");
}

#[test]
fn the_links_of_the_manual_lead_somewhere() {
    let rules = common::root().join("rules");
    let manual = manual();
    let targets = manual.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    for target in targets.filter(|target| !target.contains("://")) {
        match target.strip_prefix('#') {
            Some(anchor) => assert!(manual.lines().any(|line| anchor_of(line).as_deref() == Some(anchor)), "#{anchor}"),
            None => assert!(Path::new(&rules).join(target).exists(), "{target}"),
        }
    }
}

/// The anchor of a heading, as code hosts make it.
fn anchor_of(line: &str) -> Option<String> {
    let heading = line.strip_prefix('#')?.trim_start_matches('#').strip_prefix(' ')?;
    let heading = heading.to_lowercase();
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    Some(kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect())
}
