use crate::law::callee::CitedRows;
use crate::run::folder::Folder;
use crate::testing::{GROSS, method, read, shown};

use super::*;

fn cited() -> Folder {
    let inputs = "  statut: {type: choice, values: a; b; c, default: a, label: Statut}\n";
    let shapes = "figures:\n  f: {statut: key, v: rate}\n  g: {v: rate}\n";
    let steps = "steps:\n  t: {table: f, by: statut}\n  x: {contribution: brut, rate: t}\n  y: \
        {contribution: brut, with: g, rate: g.v}\nanswer:\n  x: x\n  y: y\n";
    let scale = "format: bareme/1
title: T
sources:
  loi:    {kind: law, title: La loi, publisher: Journal, date: 2026-01-01, url: \"https://example.org\"}
  decret: {kind: law, title: Un décret, publisher: Journal}
  autre:  {kind: law, title: Un autre, publisher: Journal}
figures:
  f:
    source: loi
    note: En moyenne.
    rows: [{statut: a, v: 1%}, {statut: b, v: 2%, source: decret; autre, confidence: low}, {v: 3%, note: Provisoire.}]
  g: {v: 5%, source: loi, confidence: medium, note: Non publié.}
";
    let method = method(&format!("{GROSS}{inputs}{shapes}{steps}"));
    let (folder, report) = read(&[("method.yaml", &method), ("2026-01-01.yaml", scale)]);
    folder.unwrap_or_else(|| panic!("{report:?}"))
}

#[test]
fn sources_are_those_of_the_scale_and_texts_are_written_once_shown() {
    let folder = cited();
    let edition = folder.latest().unwrap();
    let scale = edition.scale().unwrap();
    let figures = Cited::all(&scale.figures, edition.method().figures());
    let references = References::new(&scale.sources, &figures, OptionSet::default());
    assert!(Arc::ptr_eq(&references.sources, &scale.sources) && references.written.get().is_none());
    let own = CitedRows {
        folder: None,
        references: &references,
        rows: Vec::new(),
        read: None,
    };
    let cited = CitedReferences::new(own, Vec::new(), false);
    assert_eq!(
        Datum::List(&cited).to_string(),
        shown(&folder, "brut=1", "references")
    );
    assert!(references.written.get().is_some());
}

fn remark(figure: &str, rest: &str) -> String {
    format!(r#"{{"figure":"{figure}"{rest}}}"#)
}

#[test]
fn an_answer_cites_the_sources_of_its_figures_with_their_remarks() {
    let law = r#""id":"loi","titre":"La loi","editeur":"Journal","date":"2026-01-01","url":"https://example.org","nature":"loi""#;
    let f = remark("f", r#","note":"En moyenne.""#);
    let g = remark("g", r#","confiance":"moyenne","note":"Non publié.""#);
    assert_eq!(
        shown(&cited(), "brut=1", "references"),
        format!(r#"[{{{law},"reserves":[{f},{g}]}}]"#)
    );
}

#[test]
fn a_row_that_is_found_adds_its_own() {
    let reported = shown(&cited(), "brut=1&statut=b", "references");
    let low = remark("f", r#","confiance":"faible""#);
    assert!(
        reported.contains(&format!(
            r#"{{"id":"decret","titre":"Un décret","editeur":"Journal","nature":"loi","reserves":[{low}]}}"#
        )),
        "{reported}"
    );
    assert!(
        reported
            .contains(r#"{"id":"autre","titre":"Un autre","editeur":"Journal","nature":"loi"}"#),
        "{reported}"
    );
    let reported = shown(&cited(), "brut=1&statut=c", "references");
    assert!(
        reported.contains(&remark("f", r#","note":"Provisoire.""#)) && !reported.contains("decret"),
        "{reported}"
    );
}

#[test]
fn a_step_names_the_sources_of_its_figures_and_of_its_row() {
    assert_eq!(
        shown(&cited(), "brut=1&statut=b&detail=1", "etapes.0.sources"),
        r#"["loi","decret","autre"]"#
    );
    assert_eq!(
        shown(&cited(), "brut=1&statut=b&detail=1", "etapes.2.sources"),
        r#"["loi"]"#
    );
}

/// A scale whose figures name legal texts and evidence, one of them without a legal text.
fn checked() -> Folder {
    let shapes = "figures:\n  f: {cadre: key, v: rate}\n  g: {v: rate}\n";
    let steps = "steps:\n  t: {table: f, by: cadre}\n  x: {contribution: brut, rate: t.v}\n  y: \
        {contribution: brut, with: g, rate: g.v}\nanswer:\n  x: x\n  y: y\n  s: scale.source\n  \
        r: t.source\n";
    let scale = "format: bareme/1
title: T
sources:
  blog:   {kind: secondary, title: Un blog, publisher: Quelqu’un}
  decret: {kind: law, title: Le décret, article: art. 4, publisher: Ministère, published: \"JO n° 3, p. 12\", date: 2026-01-01, identifier: \"2026-41\", url: \"https://example.org\"}
  page:   {kind: administration, title: La page, publisher: La caisse}
  presse: {kind: secondary, title: La presse, publisher: Un journal}
figures:
  f: {rows: [{cadre: true, v: 1%, source: decret, checked_with: page}, {cadre: false, v: 2%, checked_with: presse, confidence: low, note: Texte non retrouvé.}]}
  g: {v: 5%, source: decret, checked_with: blog}
";
    let method = method(&format!("{GROSS}{shapes}{steps}"));
    let (folder, report) = read(&[("method.yaml", &method), ("2026-01-01.yaml", scale)]);
    folder.unwrap_or_else(|| panic!("{report:?}"))
}

const DECREE: &str = r#"{"id":"decret","titre":"Le décret","article":"art. 4","editeur":"Ministère","parution":"JO n° 3, p. 12","date":"2026-01-01","identifiant":"2026-41","url":"https://example.org","nature":"loi"}"#;

#[test]
fn evidence_is_shown_with_the_steps_only_after_what_sets_the_figures() {
    let blog = r#"{"id":"blog","titre":"Un blog","editeur":"Quelqu’un","nature":"secondaire"}"#;
    let page = r#"{"id":"page","titre":"La page","editeur":"La caisse","nature":"administration"}"#;
    assert_eq!(
        shown(&checked(), "brut=1&cadre=true", "references"),
        format!("[{DECREE}]")
    );
    let detail = shown(&checked(), "brut=1&cadre=true&detail=1", "references");
    assert_eq!(detail, format!("[{DECREE},{blog},{page}]"));
    assert_eq!(
        shown(&checked(), "brut=1&cadre=true&detail=1", "etapes.0.sources"),
        r#"["decret"]"#
    );
    assert_eq!(shown(&checked(), "brut=1", "s"), "\"Le décret, art. 4\"");
    let citation = shown(&checked(), "brut=1", "citation");
    assert!(
        citation.starts_with("\"Barème, Titre, au 1er janvier 2026 (Le décret, art. 4), version "),
        "{citation}"
    );
}

#[test]
fn a_figure_that_no_text_sets_says_so_beside_the_references() {
    let remark = remark("f", r#","confiance":"faible","note":"Texte non retrouvé.""#);
    assert_eq!(
        shown(&checked(), "brut=1", "references"),
        format!("[{DECREE}]")
    );
    assert_eq!(
        shown(&checked(), "brut=1", "reserves"),
        format!("[{remark}]")
    );
    assert_eq!(shown(&checked(), "brut=1&cadre=true", "reserves"), "absent");
    assert_eq!(shown(&checked(), "brut=1", "r"), "\"Texte non retrouvé\"");
    assert!(shown(&checked(), "brut=1&detail=1", "references").contains("\"presse\""));
}
