//! Broken rule files, one mistake each, and all that `bareme check` says of each: whoever never saw
//! the engine must be able to fix it from that alone. They are made from the good rules in `base`.

use std::path::PathBuf;

use crate::common::{broken, run_in, small_rules};

pub(crate) const DAY: &str = "2026-05-01";

/// The folders of broken files.
pub(crate) fn mistakes() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(broken())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries
        .filter(|path| path.is_dir() && !path.ends_with("base"))
        .collect();
    folders.sort();
    folders
}

#[test]
fn the_rules_they_are_made_from_are_good() {
    let folder = small_rules(None);
    assert_eq!(
        run_in(folder.path(), &["check", "--strict", "--date", DAY]).fine(),
        "0 erreur, 0 avertissement.\n"
    );
}

#[test]
fn each_mistake_is_told_alone_with_its_place_cause_and_cure() {
    let mistakes = mistakes();
    assert!(mistakes.len() >= 40, "{}", mistakes.len());
    for path in &mistakes {
        let folder = small_rules(Some(path));
        let said = |lang| run_in(folder.path(), &["check", "--date", DAY, "--lang", lang]);
        let (french, english) = (said("fr"), said("en"));
        let name = path.file_name().unwrap().to_str().unwrap();
        assert_eq!((french.code, french.errors.as_str()), (1, ""), "{name}");
        assert!(
            french.output.ends_with("\n1 erreur, 0 avertissement.\n"),
            "{name}: one mistake, {}",
            french.output
        );
        assert!(
            french.output.lines().all(|line| line.chars().count() <= 80),
            "{name}: {}",
            french.output
        );
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(path);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| {
            insta::assert_snapshot!("message", format!("{}\n{}", french.output, english.output))
        });
    }
}
