//! Tests of folders that calculate each other while a service runs: every answer is that of one
//! consistent pair, whatever is changed.

use crate::service::Rules;
use crate::service::tests::whole;
use crate::set::files::FileSet;
use crate::set::load::Loader;
use crate::testing::{TODAY, query};

/// How the other folder is written: its factor, and what is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Callee {
    Right(u32),
    /// Right by itself, but without the field that is read.
    WithoutField(u32),
    Broken,
}

/// How the folder that calculates it is written: its own factor, or wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caller {
    Right(u32),
    Broken,
}

fn files(caller: Caller, callee: Callee) -> Vec<(String, String)> {
    let head = |folder: &str| {
        format!("format: bareme/1\nfolder: {folder}\ntitle: T\ncurrency: EUR\ndated: false\n")
    };
    let inputs = "inputs:\n  brut: {type: money, required: true, label: Brut}\n";
    let (field, factor) = match callee {
        Callee::Right(factor) => ("double", factor),
        Callee::WithoutField(factor) => ("autre", factor),
        Callee::Broken => ("double", 0),
    };
    let formula = match callee {
        Callee::Broken => "brut *".to_owned(),
        _ => format!("brut * {factor}"),
    };
    let called = format!(
        "{}{inputs}steps:\n  double: {formula}\nanswer:\n  {field}: double\n",
        head("appele")
    );

    let own = match caller {
        Caller::Right(factor) => format!("a.double * {factor}"),
        Caller::Broken => "a.double *".to_owned(),
    };
    let calling = format!(
        "{}{inputs}steps:\n  a: {{calculate: appele, given: {{brut: brut}}}}\n  x: {own}\nanswer:\n  \
         x: x\nheadline:\n  - {{field: x, role: net}}\n",
        head("zz")
    );

    let mut files: Vec<(String, String)> = whole()
        .into_iter()
        .filter(|(path, _)| !path.starts_with("zz/"))
        .map(|(path, text)| (path.to_owned(), text))
        .collect();
    files.push(("appele/method.yaml".to_owned(), called));
    files.push(("zz/method.yaml".to_owned(), calling));
    files
}

fn load(caller: Caller, callee: Callee, before: Option<&Rules>) -> Option<Rules> {
    let files = FileSet::from_texts(files(caller, callee));
    Loader::new().load_service_by_folder(&files, before).rules
}

/// What the folder answers to an amount of 1.
fn answered(rules: &Rules) -> Option<String> {
    let folder = rules.folder("zz")?;
    let asked = query("brut=1");
    let calculation = folder.calculate(&(&asked).into(), TODAY).unwrap();
    Some(calculation.field("x")?.number()?.normalize().to_string())
}

fn held(rules: &Rules) -> Vec<&str> {
    rules.held().map(|held| held.folder.as_str()).collect()
}

#[test]
fn a_folder_that_no_longer_fits_keeps_its_last_good_pair() {
    let before = load(Caller::Right(3), Callee::Right(2), None).unwrap();
    assert_eq!(answered(&before).as_deref(), Some("6"));

    // A right change of the other folder changes the answers, and the version that they name.
    let changed = load(Caller::Right(3), Callee::Right(5), Some(&before)).unwrap();
    assert_eq!(answered(&changed).as_deref(), Some("15"));
    let version = |rules: &Rules| rules.folder("zz").unwrap().version().to_owned();
    assert_ne!(version(&before), version(&changed));

    // One without the field that is read is in force for itself, and not for the caller.
    let lacking = load(Caller::Right(3), Callee::WithoutField(7), Some(&changed)).unwrap();
    assert_eq!(held(&lacking), ["zz"]);
    assert_eq!(answered(&lacking).as_deref(), Some("15"));
    assert_eq!(version(&lacking), version(&changed));
    let other = lacking.folder("appele").unwrap();
    assert!(other.fields().iter().any(|field| field.name == "autre"));

    // A broken one keeps its own last good state, by which a change of the caller is read.
    let broken = load(Caller::Right(4), Callee::Broken, Some(&changed)).unwrap();
    assert_eq!(held(&broken), ["appele"]);
    assert_eq!(answered(&broken).as_deref(), Some("20"));

    let mended = load(Caller::Right(4), Callee::Right(2), Some(&broken)).unwrap();
    assert_eq!(
        (held(&mended), answered(&mended).as_deref()),
        (Vec::new(), Some("8"))
    );
}

#[test]
fn every_answer_is_of_one_consistent_pair() {
    // `BAREME_RELOADS=10000` draws more sequences of changes.
    let seeds = std::env::var("BAREME_RELOADS").map_or(60, |seeds| seeds.parse().unwrap());
    for seed in 0..seeds {
        let mut random = seed * 2 + 1;
        let mut draw = |below: u64| {
            // A linear congruence, by the constants of Knuth.
            random = u64::wrapping_add(
                u64::wrapping_mul(random, 6_364_136_223_846_793_005),
                1_442_695_040_888_963_407,
            );
            (random >> 33) % below
        };

        // What is in force of each, by what was written last.
        let mut rules: Option<Rules> = None;
        let (mut callee_in_force, mut pair): (Option<(u32, bool)>, Option<u32>) = (None, None);
        for _ in 0..8 {
            let factor = u32::try_from(draw(5) + 1).unwrap();
            let callee = match draw(4) {
                0 => Callee::Broken,
                1 => Callee::WithoutField(factor),
                _ => Callee::Right(factor),
            };
            let own = u32::try_from(draw(5) + 1).unwrap();
            let caller = match draw(4) {
                0 => Caller::Broken,
                _ => Caller::Right(own),
            };

            rules = load(caller, callee, rules.as_ref()).or(rules);
            match callee {
                Callee::Right(factor) => callee_in_force = Some((factor, true)),
                Callee::WithoutField(factor) => callee_in_force = Some((factor, false)),
                Callee::Broken => {}
            }
            if let (Caller::Right(own), Some((factor, true))) = (caller, callee_in_force) {
                pair = Some(own * factor);
            }

            let found = rules.as_ref().and_then(answered);
            assert_eq!(
                found,
                pair.map(|pair| pair.to_string()),
                "seed {seed}: {caller:?}, {callee:?}"
            );
        }
    }
}
