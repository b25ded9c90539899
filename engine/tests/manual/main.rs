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
//! `BAREME_UPDATE_DOCS=1 cargo test --workspace --test manual` refreshes the tables of the
//! kinds of steps.

#![cfg(test)]

mod blocks;
#[path = "../common/mod.rs"]
mod common;
mod in_step;
mod language;

use std::collections::BTreeSet;

use bareme_engine::Lang;
use bareme_engine::law::KINDS;
use bareme_engine::service::Rules;
use bareme_engine::text::Rendering;
use jiff::civil::{Date, date};
use serde_json::Value;

use blocks::{Block, EXAMPLE, Manual, complete, example, manuals, rules_of};

const REFRESH: &str = "BAREME_UPDATE_DOCS=1 cargo test --workspace --test manual";

/// The questions of the manual carry their dates; nothing here depends on this day.
const ANY_DAY: Date = date(2026, 1, 1);

#[test]
fn every_block_of_yaml_says_what_it_is() {
    for manual in manuals() {
        for block in manual
            .blocks()
            .iter()
            .filter(|block| block.language == "yaml")
        {
            let sorts = ["file", "method", "scale", "cases", "called"]
                .iter()
                .filter(|sort| block.get(sort).is_some())
                .count();
            assert_eq!(
                sorts,
                1,
                "{}: one of file=, method=, scale=, cases=, called=",
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
