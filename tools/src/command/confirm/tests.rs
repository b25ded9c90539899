//! Confirms every cell of every folder of the project, one at a time.

use std::path::Path;

use bareme_engine::Lang;
use bareme_engine::authoring::{Node, is_bill};
use bareme_engine::law::Drafts;

use super::apply::{CellReading, Plan};
use super::reading::Reading;
use super::write::CellId;
use crate::edit::{Edit, with_first_entry};
use crate::page::Style;
use crate::rule_files::RuleFiles;
use crate::series::{DatedFile, Series};
use crate::session::{Format, Session};

fn session() -> Session {
    Session {
        lang: Lang::Fr,
        format: Format::Text,
        today: jiff::civil::date(2026, 12, 1),
        asked_day: None,
        rules: Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules")),
        drafts: Drafts::Aside,
        style: Style::of_output(false),
        command_line: crate::cli::command,
    }
}

/// The next file of a folder, with the marks of `bareme new`.
fn draft(series: &Series) -> DatedFile {
    let mut draft = series.files.last().unwrap().clone();
    draft.date = jiff::civil::date(2030, 1, 1);
    // A scale may have none.
    let figures = draft.node.get("figures");
    let figures = figures.map(Node::entries).unwrap_or_default();
    // The last file may be a draft itself.
    let plain = figures
        .iter()
        .map(|(_, figure)| figure)
        .filter(|figure| figure.get("unconfirmed").is_none());
    let marks: Vec<Edit> = plain
        .map(|figure| with_first_entry(&draft.text, figure, "unconfirmed", "true"))
        .collect();
    draft.edit(marks);
    draft
}

/// The names of the unconfirmed cells.
fn left(file: &DatedFile, series: &Series) -> Vec<String> {
    file.unconfirmed(&series.shapes)
        .iter()
        .map(|cell| cell.name())
        .collect()
}

#[test]
fn each_cell_of_each_folder_is_confirmed_alone() {
    let session = session();
    let files = RuleFiles::find(&session, &[]).unwrap();
    let set = bareme_engine::FileSet::read(&files.root);
    let (mut cells, mut bills) = (0, 0);
    for folder in set.folders() {
        let mut series = Series::read(&files, folder, &session).unwrap();
        if series.files.is_empty() {
            continue;
        }
        let draft = draft(&series);
        series.files.push(draft.clone());
        let all = left(&draft, &series);
        assert_eq!(
            all.is_empty(),
            draft.node.get("figures").is_none(),
            "{folder}"
        );
        for cell in draft.cells(&series.shapes) {
            let reading = Reading {
                words: Some("relu dans la loi".to_owned()),
                ..Reading::default()
            };
            let read = CellReading {
                line: None,
                id: CellId::new(&cell),
                reading,
            };
            let plan = Plan::new(&series, draft.date, &[read], &[], false, &session);
            // Nothing is confirmed by a bill, which the last file of some folders cites.
            let named = draft.sources_of(cell.figure, cell.row);
            if named.iter().any(|id| draft.source(id).is_some_and(is_bill)) {
                assert!(plan.is_err(), "{folder} {}", cell.name());
                bills += 1;
                continue;
            }
            let plan = plan.unwrap();
            let others: Vec<&String> = all.iter().filter(|other| **other != cell.name()).collect();
            let after = plan
                .changes
                .iter()
                .map(|change| &change.after)
                .find(|file| file.date == draft.date)
                .unwrap();
            assert_eq!(
                left(after, &series).iter().collect::<Vec<_>>(),
                others,
                "{folder} {}",
                cell.name()
            );
            assert_eq!(plan.confirmed.len(), 1);
            cells += 1;
        }
    }
    assert!(cells > 1000 && bills > 0, "{cells} {bills}");
}
