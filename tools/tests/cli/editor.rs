//! Rule files in an editor: the language server that it runs (from npm) is started on a
//! file of the project, and must complete, explain and refuse by the schema that the file names.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::common::root;
use crate::language_server::LanguageServer;

/// The server, fetched by npm once; `None` where there is no npm or no network, except in CI.
fn program() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("editor");
    let program = folder.join("node_modules/yaml-language-server/bin/yaml-language-server");
    if program.exists() {
        return Some(program);
    }
    std::fs::create_dir_all(&folder).unwrap();
    for file in ["package.json", "package-lock.json"] {
        std::fs::copy(
            root().join("tools/tests/editor").join(file),
            folder.join(file),
        )
        .unwrap();
    }
    let fetched = Command::new("npm")
        .args(["ci", "--no-audit", "--no-fund"])
        .current_dir(&folder)
        .output();
    let is_fetched = fetched.is_ok_and(|output| output.status.success()) && program.exists();
    assert!(
        is_fetched || std::env::var("CI").as_deref() != Ok("true"),
        "npm must fetch yaml-language-server"
    );
    is_fetched.then_some(program)
}

#[test]
fn an_editor_completes_explains_and_refuses() {
    let Some(program) = program() else { return };
    let path = root().join("rules/salaire-net/sn/2026-01-01.yaml");
    let figure = "  plafond_ir: {rate: 43%, source: cgi; lfr2022}\n";
    let good = std::fs::read_to_string(&path).unwrap();
    assert!(
        good.contains(figure) && good.contains("ceiling: 250 000"),
        "the test goes by this file"
    );
    // A figure that was left out, and an amount in letters.
    let text = good
        .replace(figure, "  \n")
        .replace("ceiling: 250 000", "ceiling: mille");
    let line = |wanted: &str| text.lines().position(|line| line.contains(wanted)).unwrap();
    let uri = format!("file://{}", path.display());
    let mut server = LanguageServer::start(Command::new("node").arg(program).arg("--stdio"), &[]);
    let document = json!({"uri": uri, "languageId": "yaml", "version": 1, "text": text});
    server.notify("textDocument/didOpen", json!({"textDocument": document}));

    let output = server.wait(|message| {
        message["params"]["diagnostics"]
            .as_array()
            .is_some_and(|output| !output.is_empty())
    });
    let output = output["params"]["diagnostics"].as_array().unwrap();
    let at = |line: usize| {
        output
            .iter()
            .find(|output| output["range"]["start"]["line"] == line)
            .map(|output| &output["message"])
    };
    assert_eq!(
        at(line("figures:")).unwrap(),
        "Missing property \"plafond_ir\"."
    );
    let amount = at(line("ceiling: mille")).unwrap().as_str().unwrap();
    assert!(amount.contains("un montant ou un nombre"), "{amount}");
    assert_eq!(output.len(), 2, "{output:#?}");

    let place = |line: usize, character: usize| json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}});
    let hover = server.ask("textDocument/hover", place(line("citation:"), 3));
    let hover = hover["contents"]["value"].as_str().unwrap();
    assert!(
        hover.contains("text that names the sources in the answers"),
        "{hover}"
    );

    let empty = text.lines().position(|line| line == "  ").unwrap();
    let completed = server.ask("textDocument/completion", place(empty, 2));
    let labels: Vec<&str> = completed["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|item| item["label"].as_str())
        .collect();
    assert!(labels.contains(&"plafond_ir"), "{labels:?}");
    assert!(
        !labels.contains(&"trimf"),
        "what is there already is not proposed: {labels:?}"
    );
}
