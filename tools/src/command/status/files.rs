//! The files of a year, one a row: what is left to do in each.

use bareme_engine::law::{Authority, Figure};
use bareme_engine::run::Edition;
use bareme_engine::{Folder, Lang};
use bareme_show::{Cell, Table, Tone, say};
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::command::list::awaited;

/// The table of the files of a year, and the sums of its numbers.
pub(super) struct FileTable {
    table: Table,
    totals: [usize; 5],
}

impl FileTable {
    pub(super) fn new(lang: Lang) -> Self {
        let table = Table::default()
            .text(say!(lang, "Barème", "Scale"))
            .text(say!(lang, "Fichier", "File"))
            .number(say!(lang, "À confirmer", "To confirm"))
            .number(say!(lang, "Sans texte légal", "No law"))
            .number(say!(lang, "Cas", "Cases"))
            .number(say!(lang, "Cas à recalculer", "To redo"))
            .number(say!(lang, "Erreurs", "Mistakes"))
            .text(say!(lang, "Attendu", "Awaited"));
        Self {
            table,
            totals: [0; 5],
        }
    }

    /// Adds a file of a folder.
    pub(super) fn add(&mut self, folder: &Folder, (file, counts): &Line, lang: Lang) {
        for (total, count) in self.totals.iter_mut().zip(counts) {
            *total = total.saturating_add(count.unwrap_or(0));
        }

        // A figure without a legal text (the second count) and the number of cases are
        // information only.
        let waits = file.is_none()
            || counts
                .iter()
                .take(1)
                .chain(counts.iter().skip(3))
                .any(|count| count.unwrap_or(0) > 0);
        let shown =
            |count: &Option<usize>| count.map_or_else(|| "–".to_owned(), |count| count.to_string());

        let tone = if waits { Tone::Warning } else { Tone::Good };
        let name = [folder.path().into(), Cell::toned(named(*file, lang), tone)];
        let counts = counts.iter().map(|count| shown(count).into());
        self.table.row(
            name.into_iter()
                .chain(counts)
                .chain([awaited(folder).join("\n").into()]),
        );
    }

    /// The table with its total.
    pub(super) fn whole(mut self, lang: Lang) -> Table {
        let totals = self.totals.map(|total| total.to_string());
        let total = [say!(lang, "Total", "Total"), String::new()]
            .into_iter()
            .chain(totals)
            .chain([String::new()]);
        self.table.total(total);
        self.table
    }

    /// The number of cases whose values the program gave.
    pub(super) fn computed(&self) -> usize {
        let [_, _, _, computed, _] = self.totals;
        computed
    }
}

/// The name of a file: its day, and that it is a draft.
fn named(file: Option<File>, lang: Lang) -> String {
    match file {
        Some((date, true)) => say!(lang, "{date} (brouillon)", "{date} (draft)"),
        Some((date, false)) => date.to_string(),
        None => say!(lang, "aucun", "none"),
    }
}

/// A file for programs, always in French.
pub(super) fn as_json(folder: &Folder, (file, counts): &Line) -> Value {
    let [unconfirmed, without_law, cases, computed, errors] = *counts;
    json!({
        "bareme": folder.path(), "fichier": file.map(|_| named(*file, Lang::Fr)), "a_confirmer": unconfirmed, "sans_loi": without_law,
        "cas": cases, "calcules": computed, "fautes": errors, "attendu": awaited(folder),
    })
}

/// A file of the year, if there is one, with its numbers of figures to confirm, figures without a
/// legal text, cases, computed cases, and errors.
pub(super) type Line = (Option<File>, [Option<usize>; 5]);

/// The day of a dated file, and whether it is a draft.
pub(super) type File = (Date, bool);

/// The files of a folder that start in a year.
pub(super) fn rows(folder: &Folder, whole: Option<&Folder>, year: i16) -> Vec<Line> {
    // A draft of the year, or a file in force, or none.
    let drafts = folder
        .drafts()
        .iter()
        .filter(|draft| draft.date.year() == year);

    let in_force = folder
        .editions()
        .iter()
        .filter_map(Edition::scale)
        .filter(|scale| scale.date.year() == year);

    // An excluded draft has its errors; its figures are counted where drafts are included.
    let drafts = drafts.map(|draft| {
        let read = whole.and_then(|whole| counts_on(whole, draft.date));
        let [without_law, cases, computed] = read.map_or([None; 3], |counts| counts.map(Some));
        let unconfirmed = Some(draft.unconfirmed.len());
        (
            Some((draft.date, true)),
            [
                unconfirmed,
                without_law,
                cases,
                computed,
                Some(draft.errors),
            ],
        )
    });

    let in_force = in_force.filter_map(|scale| {
        let [without_law, cases, computed] = counts_on(folder, scale.date)?;
        let draft = folder
            .drafts()
            .iter()
            .find(|draft| draft.date == scale.date);
        let unconfirmed = draft.map_or(0, |draft| draft.unconfirmed.len());
        Some((
            Some((scale.date, false)),
            [unconfirmed, without_law, cases, computed, 0].map(Some),
        ))
    });

    // A folder without a file of the year has all of it to do.
    let lines: Vec<Line> = drafts.chain(in_force).collect();
    if lines.is_empty() {
        vec![(None, [None; 5])]
    } else {
        lines
    }
}

/// The figures without a legal text of a scale, the cases for its days, and those of them with
/// computed values, still to be worked out by hand.
fn counts_on(folder: &Folder, date: Date) -> Option<[usize; 3]> {
    // The scale that starts on the day, not the one in force on it.
    let edition = folder
        .editions()
        .iter()
        .find(|edition| edition.scale().is_some_and(|scale| scale.date == date))?;

    let scale = edition.scale()?;

    let rests_on_no_law =
        |figure: &&Figure| figure.authority(&scale.sources) >= Authority::Administration;
    let without_law = scale.figures.iter().filter(rests_on_no_law).count();

    let computed = folder
        .cases_of(edition)
        .filter(|case| case.is_computed)
        .count();
    Some([without_law, folder.cases_of(edition).count(), computed])
}
