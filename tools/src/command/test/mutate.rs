//! `bareme test --mutate`: finds figures whose typos no case would notice.

use bareme_engine::run::Edition;
use bareme_engine::service::Rules;
use bareme_engine::set::mutate::Probe;
use bareme_engine::{Folder, Report};
use bareme_show::{Locale, Table, Tone, say};
use jiff::civil::Date;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::json;

use crate::page::Page;
use crate::rule_files::RuleFiles;
use crate::session::{Exit, Failure, Outcome, Session};

/// A figure that no case checks.
struct UncheckedFigure {
    folder: String,
    date: Date,
    cell: String,
    written: String,
}

pub(super) fn run(files: &RuleFiles, rules: &Rules, session: &Session) -> Result<Exit, Failure> {
    // A case that fails already would notice every change.
    let folders: Vec<&Folder> = rules
        .folders()
        .filter(|folder| files.holds_part_of(folder.path()))
        .collect();
    let failing: Vec<&str> = folders
        .iter()
        .filter(|folder| fails(folder))
        .map(|folder| folder.path())
        .collect();

    if !failing.is_empty() {
        let failing = failing.join(", ");
        return Err(Failure::wrong(say!(
            session.lang,
            "Un cas est déjà faux : {failing}. Le corriger d’abord (`bareme test`) : tant qu’il l’est, on ne sait pas qui s’aperçoit de quoi.",
            "A case is wrong already: {failing}. Fix it first (`bareme test`): until then nobody knows what is noticed."
        )));
    }

    // Each figure is changed in memory: no file is written.
    let (tried, silent) = probe_all(&folders, session.today);

    session.show(&outcome(tried, &silent, session))?;
    Ok(if silent.is_empty() {
        Exit::Fine
    } else {
        Exit::Wrong
    })
}

/// Whether a case of the folder already fails.
fn fails(folder: &Folder) -> bool {
    let mut report = Report::default();
    folder
        .cases()
        .iter()
        .for_each(|case| case.run(folder, &mut report));
    !report.is_ok()
}

/// Tries every cell of current and future scales, on all processors.
fn probe_all(folders: &[&Folder], today: Date) -> (usize, Vec<UncheckedFigure>) {
    // Folders are independent of each other.
    let found: Vec<(usize, Vec<UncheckedFigure>)> = folders
        .par_iter()
        .map(|folder| probe(folder, today))
        .collect();

    let tried = found.iter().map(|(tried, _)| tried).sum();
    let mut silent: Vec<UncheckedFigure> =
        found.into_iter().flat_map(|(_, silent)| silent).collect();
    // A stable sort keeps the order of the file within a scale.
    silent.sort_by(|a, b| (&a.folder, a.date).cmp(&(&b.folder, b.date)));
    (tried, silent)
}

fn probe(folder: &Folder, today: Date) -> (usize, Vec<UncheckedFigure>) {
    let (mut tried, mut silent) = (0, Vec::new());

    // Past scales are finished: only those of today and later may still be mistyped.
    let in_force = folder
        .edition(today)
        .and_then(Edition::scale)
        .map(|scale| scale.date);

    for edition in folder.editions() {
        let Some(date) = edition
            .scale()
            .map(|scale| scale.date)
            .filter(|date| Some(*date) >= in_force)
        else {
            continue;
        };

        // A method without dated figures has none to change.
        let Some(probe) = Probe::new(folder, edition) else {
            continue;
        };

        // A figure is checked if a case notices at least one of its typos.
        for cell in probe.cells() {
            tried += 1;
            if !cell
                .nearby()
                .iter()
                .any(|written| probe.is_noticed(&cell, written))
            {
                let (cell, written) = (cell.name(), cell.written().to_owned());
                silent.push(UncheckedFigure {
                    folder: folder.path().to_owned(),
                    date,
                    cell,
                    written,
                });
            }
        }
    }

    (tried, silent)
}

fn outcome(tried: usize, silent: &[UncheckedFigure], session: &Session) -> Outcome {
    let lang = session.lang;

    let mut page = Page::default();
    let mut table = Table::default()
        .text(say!(lang, "Barème", "Scale"))
        .text(say!(lang, "Date", "Date"))
        .text(say!(lang, "Chiffre", "Figure"))
        .number(say!(lang, "Valeur", "Value"));

    // Each line names a figure for which a case is to be written.
    for UncheckedFigure {
        folder,
        date,
        cell,
        written,
    } in silent
    {
        table.row([folder.as_str(), &date.to_string(), cell, written].map(Into::into));
    }

    if !table.is_empty() {
        page.table(table);
    }

    let (tried, unseen) = (
        Locale::from(lang).number(tried.into()),
        Locale::from(lang).number(silent.len().into()),
    );

    let verdict = match silent.is_empty() {
        true => say!(
            lang,
            "{tried} chiffres changés un à un : un cas s’en aperçoit chaque fois.",
            "{tried} figures changed one by one: a case notices each time."
        ),
        false => say!(
            lang,
            "{tried} chiffres changés un à un : aucun cas ne s’aperçoit de {unseen} d’entre eux. Ajouter un cas pour chacun.",
            "{tried} figures changed one by one: no case notices {unseen} of them. Add a case for each."
        ),
    };

    page.toned(
        verdict,
        if silent.is_empty() {
            Tone::Good
        } else {
            Tone::Warning
        },
    );

    let listed = silent.iter().map(|found| {
        json!({"bareme": found.folder, "date": found.date.to_string(), "chiffre": found.cell, "valeur": found.written})
    });
    Outcome {
        page,
        json: listed.collect(),
        annotations: Vec::new(),
    }
}
