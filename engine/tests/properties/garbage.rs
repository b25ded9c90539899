//! Whatever is asked or written, the engine answers or refuses; it never panics.

use std::sync::LazyLock;

use bareme_engine::Folder;
use jiff::civil::{Date, date};
use proptest::prelude::*;

use crate::{common, draws};

const ANY_DAY: Date = date(2026, 6, 30);

fn folder(which: usize) -> &'static Folder {
    let folders: Vec<&Folder> = common::rules().folders().collect();
    folders[which % folders.len()]
}

/// Values near what inputs accept, and far from it.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[0-9]{0,30}(\\.[0-9]{0,30})?",
        "-?[0-9.,eE+ ]{0,12}",
        Just("999999999999.99".to_owned()),
        Just("0.0000000000000000000000000001".to_owned()),
        Just("79228162514264337593543950335".to_owned()),
        Just("true".to_owned()),
        "[a-zà-ÿ' _-]{0,12}",
        (1..=9999_u16, 0..=13_u8, 0..=32_u8).prop_map(|(year, month, day)| format!("{year:04}-{month:02}-{day:02}")),
    ]
}

proptest! {
    #![proptest_config(draws(4000))]

    #[test]
    fn any_query_is_answered_or_refused(which in any::<usize>(), names in prop::collection::vec(any::<(u8, bool)>(), 0..12), values in prop::collection::vec(value(), 12), strange in any::<String>()) {
        let folder = folder(which);
        let inputs = folder.inputs();
        let extra = ["date", "annee", "detail", "net", strange.as_str()];
        let known: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).chain(extra).collect();
        let named = names.iter().zip(values).map(|((name, _), value)| (known[usize::from(*name) % known.len()].to_owned(), value));
        let query: Vec<(String, String)> = named.collect();
        match folder.calculate(&(&query).into(), ANY_DAY) {
            Ok(calculation) => {
                prop_assert!(serde_json::from_str::<serde_json::Value>(&calculation.to_json()).is_ok(), "{query:?}");
            }
            Err(error) => {
                let refusal = error.refusal();
                prop_assert!(refusal.is_some_and(|refusal| !refusal.parameters.is_empty()), "{query:?}: {error}");
            }
        }
    }
}

/// The texts of the rule files, by path, the smallest folders only: they are loaded over and over.
static FILES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let rules = common::root().join("rules");
    let small = [
        "service.yaml",
        "salaire-net/ga/",
        "pret/",
        "tva/",
        "salaire-net/be/method.yaml",
        "salaire-net/be/2026-01-01.yaml",
    ];
    let paths = common::yaml_files(&rules).into_iter().map(|path| path.display().to_string());
    let paths = paths.filter(|path| small.iter().any(|start| path.starts_with(start)));
    paths.map(|path| (path.clone(), std::fs::read_to_string(rules.join(path)).unwrap())).collect()
});

/// One change of a text: at a place, some characters give way to others.
fn edit() -> impl Strategy<Value = (usize, usize, String)> {
    let words = [
        "",
        "\n",
        ":",
        "{",
        "}",
        "[",
        "]",
        "0",
        "-1",
        "99999999999999999999999999",
        "1/0",
        "0%",
        "7%",
        "brut",
        "rows",
        "up_to",
        "over",
        "when: ",
        "if ",
        "max(",
        "; ",
        "\"",
        "é",
        "\t",
        "*a",
        "&a ",
        "null",
        "~",
        "true",
    ];
    let word = prop_oneof![prop::sample::select(words.to_vec()).prop_map(str::to_owned), any::<String>()];
    (any::<usize>(), 0..20_usize, word)
}

fn edited(text: &str, (place, length, word): &(usize, usize, String)) -> String {
    let letters: Vec<char> = text.chars().collect();
    let from = place % (letters.len() + 1);
    let to = (from + length).min(letters.len());
    letters[..from].iter().chain(&word.chars().collect::<Vec<_>>()).chain(&letters[to..]).collect()
}

proptest! {
    #![proptest_config(draws(300))]

    #[test]
    fn any_change_of_the_rule_files_is_accepted_or_told(which in any::<usize>(), edits in prop::collection::vec(edit(), 1..4)) {
        let mut files = FILES.clone();
        let place = which % files.len();
        files[place].1 = edits.iter().fold(files[place].1.clone(), |text, edit| edited(&text, edit));
        let loaded = common::load_files(files);
        prop_assert_eq!(loaded.rules.is_some(), loaded.report.is_ok());
        prop_assert!(loaded.report.is_ok() || !common::reported(&loaded.report).is_empty());
    }

    #[test]
    fn any_text_is_accepted_or_told(text in any::<String>(), which in any::<usize>()) {
        let mut files = FILES.clone();
        let place = which % files.len();
        files[place].1 = text;
        let loaded = common::load_files(files);
        prop_assert_eq!(loaded.rules.is_some(), loaded.report.is_ok());
    }
}
