//! The words of the language and the tables of its kinds, as the manuals have them, and their
//! links.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use bareme_engine::Lang;
use bareme_engine::authoring::reserved;
use bareme_engine::law::{BoundWord, Function, KINDS, KeyForm, Kind, Type};
use bareme_engine::service::{Rules, service_schema};
use bareme_engine::set::{cases_schema, method_schema, scale_schema};
use bareme_engine::text::RoundMode;
use serde_json::Value;

use crate::blocks::{Manual, complete, manuals, rules_of};
use crate::{REFRESH, common};

/// The table of a kind of step, as a manual must have it.
fn kind_table(kind: &Kind, lang: Lang) -> String {
    let either = |en: &'static str, fr: &'static str| match lang {
        Lang::En => en,
        Lang::Fr => fr,
    };

    let form = |form: KeyForm| match form {
        KeyForm::Formula => either("formula", "formule"),
        KeyForm::Formulas => either("formulas", "formules"),
        KeyForm::Figure => either("name of a figure", "nom d’un chiffre"),
        KeyForm::Input => either("name of an input", "nom d’une entrée"),
        KeyForm::Period => either("`month`, `year` or `none`", "`month`, `year` ou `none`"),
        KeyForm::Rounding => either("rounding", "arrondi"),
        KeyForm::Folder => either("path of a folder", "chemin d’un dossier"),
        KeyForm::Given => either("a formula for each input", "une formule par entrée"),
        KeyForm::Field => either("name of a field", "nom d’un champ"),
        KeyForm::Day => either("`next_year`", "`next_year`"),
    };

    let mut out = format!(
        "{}\n|---|---|---|\n",
        either("| Key | Holds | Means |", "| Clé | Contient | Sens |")
    );
    let help = either(kind.help.en, kind.help.fr);
    writeln!(
        out,
        "| **`{}`** | {} | {} {help} |",
        kind.name,
        form(kind.main),
        either("gives", "donne")
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
            either(key.help.en, key.help.fr)
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
        let named: BTreeSet<&str> = code
            .split(|letter: char| !(letter.is_alphanumeric() || "_/".contains(letter)))
            .collect();
        let words = words(&rules_of(complete(&manual), "the country"));
        let silent: Vec<&String> = words
            .iter()
            .filter(|word| !named.contains(word.as_str()))
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
