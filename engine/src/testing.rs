//! Fixtures of the unit tests: folders read from the texts of their files, and their answers.

use jiff::civil::{Date, date};

use crate::law::callee::Callees;
use crate::law::draft::Drafts;
use crate::run::folder::{Checks, Folder};
use crate::run::query::Query;
use crate::set::compare::Findings;
use crate::set::files::FilesOfFolder;
use crate::set::load::{FolderFiles, check_drafts, read_folder};
use crate::text::diagnostic::{Diagnostic, Rendering, Report, RuleFile};
use crate::text::lang::Lang;

/// The day of the calculations in tests.
pub(crate) const TODAY: Date = date(2026, 6, 30);

/// Inputs for the steps of a method that needs no others.
pub(crate) const GROSS: &str = "inputs:
  brut: {type: money, per: month, required: true, label: Brut}
  cadre: {type: boolean, default: false, label: Cadre}
";

/// Loads a folder from the texts of its files, given by name.
pub(crate) fn read(files: &[(&str, &str)]) -> (Option<Folder>, Report) {
    read_as(files, Drafts::Aside)
}

/// Loads a folder with its drafts excluded or included; the cases of excluded drafts run too.
pub(crate) fn read_as(files: &[(&str, &str)], drafts: Drafts) -> (Option<Folder>, Report) {
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| RuleFile::new(format!("zz/{name}"), *text))
        .collect();

    let mut report = Report::default();
    let files = FilesOfFolder::new(files);
    let files = FolderFiles {
        path: "zz",
        content: files.content(),
        files: &files,
        callees: &Callees::default(),
        is_complete: true,
        checks: Checks::Whole,
        reads_cases: true,
        reads_english: true,
        findings: Findings::First,
        trees: None,
    };

    let mut folder = read_folder(&files, drafts, &mut report);

    if let (Some(folder), Drafts::Aside) = (&mut folder, drafts) {
        check_drafts(&files, folder, &mut report);
    }

    report.sort();
    (folder, report)
}

/// A method of the folder `zz` from its keys after the title.
pub(crate) fn method(keys: &str) -> String {
    format!("format: bareme/1\nfolder: zz\ntitle: Titre\ncurrency: EUR\n{keys}")
}

/// A dated file from its figures, whose source is `s`.
pub(crate) fn scale(figures: &str) -> String {
    format!(
        "format: bareme/1\ntitle: Titre\nsources:\n  s: {{kind: law, title: Source, publisher: Éditeur}}\nfigures:\n{figures}"
    )
}

/// A method with a scale of 1 January 2026, or without dates where it has no figures.
fn read_method(keys: &str, figures: &str) -> (Option<Folder>, Report) {
    match figures {
        "" => read(&[("method.yaml", &method(&format!("dated: false\n{keys}")))]),
        _ => read(&[
            ("method.yaml", &method(keys)),
            ("2026-01-01.yaml", &scale(figures)),
        ]),
    }
}

/// A folder that must load without errors.
pub(crate) fn folder(keys: &str, figures: &str) -> Folder {
    let (folder, report) = read_method(keys, figures);
    folder.unwrap_or_else(|| {
        panic!(
            "{}",
            report
                .all()
                .map(|one| one.render(Rendering::new(Lang::En)))
                .collect::<String>()
        )
    })
}

/// Codes of the errors, in the order of the files.
pub(crate) fn errors(keys: &str, figures: &str) -> Vec<&'static str> {
    read_method(keys, figures)
        .1
        .errors()
        .map(Diagnostic::code)
        .collect()
}

/// Codes of the warnings, in the order of the files.
pub(crate) fn warnings(keys: &str, figures: &str) -> Vec<&'static str> {
    read_method(keys, figures)
        .1
        .warnings()
        .map(Diagnostic::code)
        .collect()
}

/// Parameters written as in an address: `brut=1000&cadre=true`.
pub(crate) fn query(text: &str) -> Vec<(String, String)> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| pair.split_once('=').unwrap())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// A member of an answer, as JSON; `absent` where there is none.
pub(crate) fn shown(folder: &Folder, asked: &str, path: &str) -> String {
    let calculation = folder
        .calculate(&Query::from(&query(asked)), TODAY)
        .unwrap();
    calculation
        .datum()
        .path(path)
        .map_or("absent".to_owned(), |found| found.to_string())
}

/// Several members of an answer, separated by spaces.
pub(crate) fn shown_all(folder: &Folder, asked: &str, paths: &str) -> String {
    paths
        .split(' ')
        .map(|path| shown(folder, asked, path))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The bad parameters, each with its code: `brut manquant`.
pub(crate) fn refused(folder: &Folder, asked: &str) -> Vec<String> {
    let error = folder
        .calculate(&Query::from(&query(asked)), TODAY)
        .unwrap_err();
    error
        .refusal()
        .unwrap()
        .parameters
        .iter()
        .map(|bad| format!("{} {}", bad.name, bad.code))
        .collect()
}

/// A method of the folder `zz` with one step.
pub(crate) fn steps() -> String {
    let headline = "headline: [{field: x, role: levy}]\n";
    method(&format!(
        "{GROSS}{headline}figures:\n  f: {{v: rate}}\nsteps:\n  x: brut * f.v\nanswer:\n  x: x\n"
    ))
}

/// Writes files to a temporary folder.
pub(crate) fn written(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    root
}

/// The files of a rule set of two folders, `zz` and `famille/aa`.
pub(crate) fn whole() -> Vec<(&'static str, String)> {
    let figures = scale("  f: {v: 10%, source: s}");
    vec![
        ("zz/method.yaml", steps()),
        ("zz/2026-01-01.yaml", figures.clone()),
        (
            "famille/aa/method.yaml",
            steps().replace("folder: zz", "folder: famille/aa"),
        ),
        ("famille/aa/2026-01-01.yaml", figures),
    ]
}

/// Writes the files of a rule set to a temporary folder.
pub(crate) fn set(files: &[(&'static str, String)]) -> tempfile::TempDir {
    written(
        &files
            .iter()
            .map(|(path, text)| (*path, text.as_str()))
            .collect::<Vec<_>>(),
    )
}
