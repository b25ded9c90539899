//! `bareme lsp` while a hand types: its slips are mended by their cures, and what is unfinished is
//! completed all the same.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::broken::DAY;
use crate::common::{root, small_rules};
use crate::language_server::{LanguageServer, uri};
use crate::lsp::{cured, proposed, server};

/// The rules of a small country, and an editor that has one of their files open.
fn typing(name: &str) -> (tempfile::TempDir, PathBuf, String, LanguageServer) {
    let folder = small_rules(None);
    let path = folder.path().join("rules/zz").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    let mut server = server(&[folder.path()], DAY);
    server.open(&path, &text);
    (folder, path, text, server)
}

fn hover(server: &mut LanguageServer, path: &Path, before: &str) -> String {
    let place = server.at(path, before);
    let said = server.ask("textDocument/hover", place);
    said["contents"]["value"]
        .as_str()
        .unwrap_or_default()
        .replace(['\u{a0}', '\u{202f}'], " ")
}

#[test]
fn slips_are_mended_by_their_cures() {
    let (_folder, scale, good, mut server) = typing("2026-01-01.yaml");
    for (right, slip, at, title) in [
        (
            "rate: 6.3%",
            "rate: 6,3%",
            "rate: 6",
            "Remplacer par `6.3%`",
        ),
        (
            "ceiling: 1 200,",
            "ceiling: 1,200,",
            "ceiling: 1",
            "Remplacer par `1 200`",
        ),
        ("ceiling: 1 200,", "ceiling: 1,200,5x,", "ceiling: 1", ""),
        (
            "source: css}",
            "source: cs}",
            "source: c",
            "Remplacer par `css`",
        ),
        (
            "  pension: {",
            "   pension: {",
            "\n  impot",
            "Aligner `pension` sur la ligne voisine",
        ),
        (
            "  famille:\n    per",
            "  famille:\n   per",
            "famille:\n   per: year\n  ",
            "Aligner `per` sur la ligne voisine",
        ),
        (
            "month, source: css}",
            "month, source: css",
            "  pension",
            "Fermer la ligne de `pension` par `}`",
        ),
        (
            "  pension: {",
            "  pension:{",
            "  pension",
            "Mettre une espace après `pension:`",
        ),
        (
            "barème 2026\"",
            "barème 2026",
            "title",
            "Fermer la ligne de `title` par `\"`",
        ),
    ] {
        server.replace(&scale, right, slip);
        if title.is_empty() {
            // Nothing is proposed that might not be meant.
            let place = server.at(&scale, at)["position"].take();
            let asked = json!({"textDocument": {"uri": uri(&scale)}, "range": {"start": place, "end": place}, "context": {"diagnostics": []}});
            assert_eq!(
                server.ask("textDocument/codeAction", asked),
                json!([]),
                "{slip}"
            );
            server.replace(&scale, slip, right);
        } else {
            assert_eq!(cured(&mut server, &scale, at), title, "{slip}");
        }
        assert_eq!(server.text(&scale), good, "{slip}");
    }
}

#[test]
fn a_figure_without_a_source_is_offered_that_of_the_scale_before() {
    let (folder, _, good, mut server) = typing("2026-01-01.yaml");
    let new = folder.path().join("rules/zz/2027-01-01.yaml");
    server.open(
        &new,
        &good
            .replace("2026", "2027")
            .replace("month, source: css", "month, checked_with: css"),
    );
    assert_eq!(
        cured(&mut server, &new, "  pension"),
        "Citer `css`, comme le barème du 2026-01-01"
    );
    assert!(
        server
            .text(&new)
            .contains("checked_with: css, source: css}"),
        "{}",
        server.text(&new)
    );
}

#[test]
fn unfinished_lines_are_completed() {
    let (_folder, scale, _, mut server) = typing("2026-01-01.yaml");
    server.replace(&scale, "per: month, source: css}", "per: ");
    assert_eq!(
        proposed(&mut server, &scale, "1 200, per: "),
        ["month", "year"]
    );
    server.replace(&scale, "1 200, per: ", "1 200, per: month, source: ");
    assert_eq!(
        proposed(&mut server, &scale, "per: month, source: "),
        ["lf2026", "css"]
    );
    server.replace(
        &scale,
        "{rate: 6.3%, ceiling: 1 200, per: month, source: ",
        "{",
    );
    assert_eq!(
        proposed(&mut server, &scale, "  pension: {")[..2],
        ["rate", "ceiling"],
        "what must be written comes first"
    );

    let (_folder, method, _, mut server) = typing("method.yaml");
    let read = proposed(&mut server, &method, "net:        {formula: ");
    assert!(read.contains(&"pension.rate".to_owned()), "{read:?}");
    server.replace(&method, "{rate: rate, ceiling: money/month}", "{");
    assert!(
        proposed(&mut server, &method, "  pension: {").contains(&"montant".to_owned()),
        "a column of another figure"
    );
    server.replace(&method, "  pension: {", "  pension: {rate: ");
    let types = proposed(&mut server, &method, "  pension: {rate: ");
    assert!(
        ["money/month", "rate", "key"]
            .iter()
            .all(|ty| types.contains(&(*ty).to_owned())),
        "{types:?}"
    );

    let (_folder, cases, _, mut server) = typing("cases.yaml");
    server.replace(&cases, "cases:\n", "cases:\n\n  - {\n");
    assert!(
        proposed(&mut server, &cases, "cases:\n\n  - {").contains(&"given".to_owned()),
        "after an empty line"
    );
}

#[test]
fn the_only_dated_file_of_a_folder_is_completed_before_the_whole_check_has_ended() {
    let rules = root().join("rules");
    let scale = rules.join("ifi/2023-01-01.yaml");
    let line = "  reduction_dons: {rate: 75%, max: 50 000, source: cgi-978, checked_with: f138}";
    let text = std::fs::read_to_string(&scale).unwrap();
    assert!(text.contains(line), "{text}");
    // All rules take long to check: they are not when the first question comes.
    let mut server = server(&[&rules], DAY);
    server.open(&scale, &text.replace(line, "  reduction_dons: {"));
    assert!(proposed(&mut server, &scale, "  reduction_dons: {").contains(&"max".to_owned()));
}

#[test]
fn a_method_with_a_mistake_shows_nothing_as_its_result() {
    let (folder, method, good, mut server) = typing("method.yaml");
    let all = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let asked = json!({"textDocument": {"uri": uri(&method)}, "range": all});
    let first = |server: &mut LanguageServer| {
        let hints = server.ask("textDocument/inlayHint", asked.clone());
        hints[0]["label"].as_str().unwrap_or_default().to_owned()
    };
    assert!(first(&mut server).starts_with("= 63\u{a0}"));
    let wrong = good.replace("{formula: brut - pension", "{formula: brut - pensio");
    server.replace(
        &method,
        "{formula: brut - pension",
        "{formula: brut - pensio",
    );
    assert!(first(&mut server).starts_with("avant l’erreur : 63\u{a0}"));
    std::fs::write(folder.path().join("rules/zz/method.yaml"), &wrong).unwrap();
    let mut later = crate::lsp::server(&[folder.path()], DAY);
    later.open(&method, &wrong);
    assert_eq!(
        hover(&mut later, &method, "  net"),
        "`net` — rien à montrer tant que le dossier a une erreur."
    );
}

#[test]
fn values_and_words_are_explained() {
    let (_folder, scale, _, mut server) = typing("2026-01-01.yaml");
    assert!(hover(&mut server, &scale, "rate: 6.").contains("| taux | 6,3 % |"));
    assert!(hover(&mut server, &scale, "ceiling: 1").contains("| plafond | 1 200"));
    assert!(hover(&mut server, &scale, "per: mon").starts_with("`per` — la période"));
    assert!(hover(&mut server, &scale, "kind: la").starts_with("`kind` — `law`"));
}

#[test]
fn what_another_program_writes_is_seen() {
    let (folder, _, _, mut server) = typing("cases.yaml");
    let scale = folder.path().join("rules/zz/2026-01-01.yaml");
    let text = std::fs::read_to_string(&scale).unwrap();
    std::fs::write(&scale, text.replace("rate: 6.3%", "rate: 6.3")).unwrap();
    let address = uri(&scale);
    assert!(server.until(|told| {
        told.get(&address)
            .is_some_and(|found| found.iter().any(|one| one["code"] == "T12"))
    }));
}
