//! An editor with folders that calculate each other: names lead from one to the other and back, and
//! a rename reaches both.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::server;
use crate::broken::DAY;
use crate::composed::{CALLER, TAX, composed_rules};
use crate::language_server::{LanguageServer, uri};

/// An editor with both methods open, the dated files on the disk.
struct Editor {
    /// Kept, since its files are removed with it.
    _folder: tempfile::TempDir,
    server: LanguageServer,
    tax: PathBuf,
    caller: PathBuf,
}

impl Editor {
    fn begin() -> Self {
        let folder = composed_rules();
        let file = |name: &str| folder.path().join("rules").join(name);
        let (tax, caller) = (file("impot/method.yaml"), file("foyer/method.yaml"));
        let mut server = server(&[folder.path()], DAY);
        server.open(&tax, TAX);
        server.open(&caller, CALLER);
        Self {
            _folder: folder,
            server,
            tax,
            caller,
        }
    }

    /// The places of an answer, each as its folder with its line, in order.
    fn places(&mut self, method: &str, path: &Path, before: &str) -> Vec<String> {
        let mut asked = self.server.at(path, before);
        asked["context"] = json!({"includeDeclaration": true});
        let answer = self.server.ask(method, asked);
        let place = |found: &Value| {
            let address = found["uri"].as_str().unwrap();
            let path: Vec<&str> = address.rsplit('/').take(2).collect();
            format!(
                "{}/{}:{}",
                path[1], path[0], found["range"]["start"]["line"]
            )
        };
        let mut places: Vec<String> = answer.as_array().unwrap().iter().map(place).collect();
        places.sort();
        places
    }

    fn definition(&mut self, path: &Path, before: &str) -> Vec<String> {
        self.places("textDocument/definition", path, before)
    }

    fn hover(&mut self, path: &Path, before: &str) -> String {
        let place = self.server.at(path, before);
        let answer = self.server.ask("textDocument/hover", place);
        answer["contents"]["value"].as_str().unwrap().to_owned()
    }

    fn rename(&mut self, path: &Path, before: &str, name: &str) -> Value {
        let mut asked = self.server.at(path, before);
        asked["newName"] = json!(name);
        self.server.response("textDocument/rename", asked)
    }
}

#[test]
fn a_name_of_another_folder_leads_there_and_back() {
    let mut editor = Editor::begin();
    let (tax, caller) = (editor.tax.clone(), editor.caller.clone());

    // What is given, what is read, and the folder itself.
    for (before, place) in [
        ("given: {rev", "impot/method.yaml:5"),
        ("salaire - calcul.im", "impot/method.yaml:11"),
        ("value: im", "impot/method.yaml:11"),
        ("given: {vi", "impot/method.yaml:14"),
        ("calculate: im", "impot/method.yaml:2"),
        ("taken_from: im", "impot/method.yaml:7"),
        ("\n  ta", "impot/method.yaml:7"),
        ("{value: taux.no", "impot/method.yaml:7"),
    ] {
        assert_eq!(editor.definition(&caller, before), [place], "{before}");
    }

    // From the other folder to its callers.
    let references = "textDocument/references";
    for (before, places) in [
        (
            "\n  rev",
            &["foyer:9", "impot:12", "impot:14", "impot:5", "impot:9"][..],
        ),
        (
            "answer:\n  im",
            &["foyer:10", "foyer:11", "foyer:9", "impot:11", "impot:14"],
        ),
        ("parameter: vi", &["foyer:11", "impot:14"]),
        ("tit", &["foyer:11", "foyer:9", "impot:2"]),
    ] {
        let found = editor.places(references, &tax, before);
        let found: Vec<String> = found
            .iter()
            .map(|place| place.replace("/method.yaml", ""))
            .collect();
        assert_eq!(found, places, "{before}");
    }
    let of_figure = editor.places(references, &tax, "figures:\n  ta");
    assert_eq!(
        of_figure,
        [
            "foyer/method.yaml:7",
            "impot/2026-01-01.yaml:6",
            "impot/2027-01-01.yaml:6",
            "impot/method.yaml:7",
            "impot/method.yaml:9"
        ]
    );

    // The text of the editor counts, not that of the disk.
    editor.server.replace(
        &caller,
        "  reste:  {formula: salaire - calcul.impot",
        "  double: {formula: 2 * calcul.impot, label: \"Double\"}\n  reste:  {formula: salaire - calcul.impot",
    );
    let now = editor.places(references, &tax, "answer:\n  im");
    for line in [10, 11, 12] {
        assert!(
            now.contains(&format!("foyer/method.yaml:{line}")),
            "{now:?}"
        );
    }
}

#[test]
fn a_name_of_another_folder_shows_what_it_is_there() {
    let mut editor = Editor::begin();
    let caller = editor.caller.clone();

    for (before, wanted) in [
        (
            "given: {rev",
            &[
                "**Revenu imposable** · `revenu`",
                "Après abattements.",
                "`money/year` (XTS par an)",
            ][..],
        ),
        (
            "salaire - calcul.im",
            &["**Impôt à payer** · `impot`", "`money/year` (XTS par an)"],
        ),
        ("{value: taux.no", &["10 %", "Code des impôts"]),
        ("calculate: im", &["**Impôt du foyer** · `impot`"]),
    ] {
        let shown = editor
            .hover(&caller, before)
            .replace(['\u{a0}', '\u{202f}'], " ");
        for part in wanted {
            assert!(shown.contains(part), "{before}: {part}\n{shown}");
        }
    }
    let shown = editor.hover(&caller, "given: {rev");
    assert!(
        shown.ends_with("Dossier `impot` : Impôt du foyer."),
        "{shown}"
    );
}

#[test]
fn a_rename_reaches_the_callers_and_is_refused_where_the_name_is_taken() {
    let mut editor = Editor::begin();
    let (tax, caller) = (editor.tax.clone(), editor.caller.clone());

    // 1. A field, from a formula of the caller, and an input, from its declaration.
    let edit = editor.rename(&caller, "salaire - calcul.im", "montant");
    editor.server.apply(&edit["result"]);
    assert!(editor.server.text(&tax).contains("\n  montant: {value: du"));
    let text = editor.server.text(&caller);
    assert!(text.contains("salaire - calcul.montant"), "{text}");
    assert!(text.contains("value: montant, label"), "{text}");
    assert!(text.contains("calculate: impot,"), "{text}");

    let edit = editor.rename(&tax, "\n  rev", "base_imposable");
    editor.server.apply(&edit["result"]);
    let text = editor.server.text(&caller);
    assert!(text.contains("given: {base_imposable: salaire}"), "{text}");
    let text = editor.server.text(&tax);
    assert!(
        text.contains("formula: base_imposable * taux.normal"),
        "{text}"
    );

    let edit = editor.rename(&caller, "given: {vi", "cible");
    editor.server.apply(&edit["result"]);
    let texts = [&tax, &caller].map(|path| editor.server.text(path).to_owned());
    assert!(texts[0].contains("parameter: cible"), "{}", texts[0]);
    assert!(texts[1].contains("given: {cible: salaire}"), "{}", texts[1]);

    // 2. A figure that is taken over under the same name keeps that name in the caller.
    let edit = editor.rename(&tax, "figures:\n  ta", "bareme_fiscal");
    editor.server.apply(&edit["result"]);
    let text = editor.server.text(&caller);
    assert!(
        text.contains("  taux: {taken_from: impot, figure: bareme_fiscal}"),
        "{text}"
    );

    // 3. Nothing is wrong after that, and what would be is refused.
    let right = |found: &std::collections::HashMap<String, Vec<Value>>| {
        found.values().flatten().all(|one| one["severity"] != 1)
    };
    assert!(
        editor.server.until(right),
        "{:?}",
        editor.server.diagnostics
    );
    let text = editor.server.text(&tax).to_owned();
    let more = text.replace(
        "answer:\n",
        "answer:\n  total: {value: du, label: \"Total\"}\n",
    );
    editor.server.rewrite(&tax, &more);
    let refused = editor.rename(&caller, "salaire - calcul.mon", "total");
    let said = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(
        said.contains("Renommer `montant` en `total` casserait"),
        "{refused}"
    );
    // The folder is a name of the disk.
    let refused = editor.rename(&caller, "calculate: im", "taxe");
    assert!(refused["error"]["message"].is_string(), "{refused}");
}

/// The addresses of the files of an edit are those that the editor has opened.
#[test]
fn a_rename_names_the_files_of_both_folders() {
    let mut editor = Editor::begin();
    let (tax, caller) = (editor.tax.clone(), editor.caller.clone());
    let edit = editor.rename(&tax, "answer:\n  im", "somme");
    let changes = edit["result"]["changes"].as_object().unwrap();
    let mut files: Vec<&String> = changes.keys().collect();
    files.sort();
    let mut expected = [uri(&tax), uri(&caller)];
    expected.sort();
    assert_eq!(files, expected.iter().collect::<Vec<_>>());
}
