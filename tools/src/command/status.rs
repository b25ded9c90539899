//! `bareme status`: progress of the preparation of a year, by folder.

use bareme_engine::law::{Authority, Drafts, Figure};
use bareme_engine::run::Edition;
use bareme_engine::{Folder, Lang};
use bareme_show::{Cell, Table, Tone, say};
use jiff::civil::Date;
use serde_json::{Value, json};

use super::list::awaited;
use crate::page::Page;
use crate::rule_files::RuleFiles;
use crate::session::{Exit, Failure, Outcome, Session};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "YEAR")]
    year: Option<i16>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let year = args
        .year
        .unwrap_or_else(|| session.today.year().saturating_add(1));

    let files = RuleFiles::find(session, &[])?;
    // Excluded drafts tell how many errors they have; included ones can be read.
    let aside = files.read_good(Drafts::Aside, true, session)?;
    let included = files.read_good(Drafts::Included, false, session)?;

    let lang = session.lang;
    let mut table = Table::default()
        .text(say!(lang, "Barème", "Scale"))
        .text(say!(lang, "Fichier", "File"))
        .number(say!(lang, "À confirmer", "To confirm"))
        .number(say!(lang, "Sans texte légal", "No law"))
        .number(say!(lang, "Cas", "Cases"))
        .number(say!(lang, "Cas à recalculer", "To redo"))
        .number(say!(lang, "Erreurs", "Mistakes"))
        .text(say!(lang, "Attendu", "Awaited"));

    let mut json = Vec::new();
    let (mut left, mut totals) = (0usize, [0usize; 5]);
    for folder in aside.folders().filter(|folder| folder.is_dated()) {
        let whole = included.folder(folder.path());
        let rows = rows(folder, whole, year);
        for (file, counts) in &rows {
            // A figure without a legal text (the second count) and the number of cases are
            // information only.
            let waits = file.is_none()
                || counts
                    .iter()
                    .take(1)
                    .chain(counts.iter().skip(3))
                    .any(|count| count.unwrap_or(0) > 0);

            left = left.saturating_add(usize::from(waits));
            for (total, count) in totals.iter_mut().zip(counts) {
                *total = total.saturating_add(count.unwrap_or(0));
            }

            // The JSON is always in French.
            let named = |lang| match file {
                Some((date, true)) => say!(lang, "{date} (brouillon)", "{date} (draft)"),
                Some((date, false)) => date.to_string(),
                None => say!(lang, "aucun", "none"),
            };
            let shown = |count: &Option<usize>| {
                count.map_or_else(|| "–".to_owned(), |count| count.to_string())
            };

            let tone = if waits { Tone::Warning } else { Tone::Good };
            let name = [folder.path().into(), Cell::toned(named(lang), tone)];
            let counts_shown = counts.iter().map(|count| shown(count).into());

            table.row(
                name.into_iter()
                    .chain(counts_shown)
                    .chain([awaited(folder).join("\n").into()]),
            );

            let [unconfirmed, without_law, cases, computed, errors] = *counts;
            json.push(json!({
                "bareme": folder.path(), "fichier": file.map(|_| named(Lang::Fr)), "a_confirmer": unconfirmed, "sans_loi": without_law,
                "cas": cases, "calcules": computed, "fautes": errors, "attendu": awaited(folder),
            }));
        }
    }

    let totals = totals.map(|total| total.to_string());
    let total = [say!(lang, "Total", "Total"), String::new()]
        .into_iter()
        .chain(totals)
        .chain([String::new()]);
    table.total(total);

    let mut page = Page::titled(say!(lang, "Préparation de {year}", "Preparation of {year}"));
    page.table(table);

    page.text(match left {
        0 => say!(lang, "Tout est prêt.", "All is ready."),
        _ => say!(
            lang,
            "{left} à finir. `bareme check --verbose` montre chaque faute, `bareme confirm` confirme un chiffre.",
            "{left} to finish. `bareme check --verbose` shows each mistake, `bareme confirm` confirms a figure."
        ),
    });

    session.show(&Outcome {
        page,
        json: Value::Array(json),
        annotations: Vec::new(),
    })
}

/// A file of the year, if there is one, with its numbers of figures to confirm, figures without a
/// legal text, cases, computed cases, and errors.
type Line = (Option<File>, [Option<usize>; 5]);

/// The day of a dated file, and whether it is a draft.
type File = (Date, bool);

/// The files of a folder that start in a year.
fn rows(folder: &Folder, whole: Option<&Folder>, year: i16) -> Vec<Line> {
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
