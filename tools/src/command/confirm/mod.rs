//! `bareme confirm`: confirms a cell of a draft against its legal text, which sets its value and
//! source and removes its mark; other cells keep theirs.

mod apply;
mod columns;
mod doubts;
mod edits;
mod interactive;
mod lines;
mod mistakes;
mod reading;
mod report;
mod rows;
mod sheet;
mod source;
#[cfg(test)]
mod tests;
mod text_of_law;
mod uncited;
mod write;
mod year;

use std::path::PathBuf;

use bareme_engine::Lang;
use bareme_engine::authoring::WrittenCell;
use bareme_engine::text::nearest;
use bareme_show::say;
use jiff::civil::Date;

use crate::format::did_you_mean;
use crate::prompt;
use crate::rule_files::{RuleFiles, folder_name};
use crate::series::{DatedFile, Series};
use crate::session::{Exit, Failure, Session};
use apply::{CellReading, Plan};
use columns::Column;
use reading::Reading;
use write::CellId;

pub(crate) use apply::CARRY;
pub(super) use reading::{date_of, says_nothing};
pub(super) use sheet::{keys_of, value_of};
pub(super) use source::{SourceArgs, check_new, unknown_source};
pub(super) use text_of_law::refused as refused_text;
pub(super) use write::add_source;

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    #[arg(
        value_name = "FOLDER",
        value_parser = folder_name,
        required_unless_present_any = ["sheet", "rows"]
    )]
    name: Option<String>,
    #[arg(value_name = "FIGURE")]
    figure: Option<String>,
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    value: Option<String>,
    #[arg(long, value_name = "ID")]
    source: Option<String>,
    #[arg(long, conflicts_with = "because")]
    unchanged: bool,
    #[arg(long, value_name = "WORDS")]
    because: Option<String>,
    #[arg(long, conflicts_with = "value")]
    whole: bool,
    #[arg(long, value_name = "FILE", conflicts_with_all = ["value", "whole"])]
    rows: Option<PathBuf>,
    #[arg(long, conflicts_with_all = ["rows", "value", "whole", "source", "unchanged", "because"])]
    sheet: bool,
    #[arg(long, value_name = "FILE", requires = "sheet")]
    output: Option<PathBuf>,
    #[arg(long)]
    carry: bool,
    #[command(flatten)]
    described: SourceArgs,
    #[arg(long, value_name = "DATE")]
    from: Option<Date>,
}

impl Args {
    /// The folder; empty for all of them.
    fn folder(&self) -> &str {
        self.name.as_deref().unwrap_or_default().trim_matches('/')
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let files = RuleFiles::find(session, &[])?;
    // What is filled in of a sheet comes back by `--rows`.
    if args.sheet {
        return match year::is_of_many(args, &files) {
            true => year::write_sheet(args, &files, session),
            false => sheet::print_sheet(args, &files, session),
        };
    }

    // From a file, one figure, or one after the other by questions.
    match (&args.rows, &args.figure) {
        (Some(path), _) => {
            let rows = lines::Sheet::read(path, session)?;
            if rows.is_of_many() {
                return year::confirm(args, &rows, &files, session);
            }
            if args.name.is_none() {
                return Err(no_folder(&rows, session));
            }
            confirm(
                args,
                &files,
                |series, date| rows.readings(args, series, date, session),
                session,
            )
        }
        (None, Some(figure)) => {
            let requested = CellName::read(figure);
            confirm(
                args,
                &files,
                |series, date| one(args, &requested, series, date, session),
                session,
            )
        }
        (None, None) => interactive::run(args, &files, session),
    }
}

fn no_folder(rows: &lines::Sheet, session: &Session) -> Failure {
    let (names, column) = (rows.names.join(", "), Column::Folder.name(session.lang));
    Failure::unusable(say!(
        session.lang,
        "Colonnes `{names}` : aucune ne dit le dossier. Le nommer, `bareme confirm DOSSIER --rows …`, ou remplir une feuille de `bareme confirm --sheet`, qui a une colonne `{column}`.",
        "Columns `{names}`: none says the folder. Name it, `bareme confirm FOLDER --rows …`, or fill in a sheet of `bareme confirm --sheet`, which has a column `{column}`."
    ))
}

/// Confirms readings of a file, under the lock of the rules; asks first whether to carry a change
/// into later files.
fn confirm(
    args: &Args,
    files: &RuleFiles,
    read: impl Fn(&Series, Date) -> Result<Vec<CellReading>, Failure>,
    session: &Session,
) -> Result<Exit, Failure> {
    let source = args.described.entry(args.source.as_deref());
    // The plan is made from files as they are now, each time it is made.
    let plan = |carries: bool| -> Result<(Series, Plan), Failure> {
        let series = Series::read(files, args.folder(), session)?;
        let date = day(args, &series, session)?;
        let readings = read(&series, date)?;
        check_new(source.as_ref(), series.on(date), session)?;
        let sources = source.as_slice();
        let plan = Plan::new(&series, date, &readings, sources, carries, session)?;
        let plan = doubts::answered(plan, &series, &readings, sources, carries, session)?;
        Ok((series, plan))
    };

    let mut carries = args.carry;
    if !carries && prompt::is_interactive() {
        // Asked before the lock is taken, so that no other command waits for the answer.
        carries = confirm_carry(&plan(false)?.1, session)?;
    }

    // Planned again under the lock: the files may have changed while the question was open.
    let lock = files.lock(session)?;
    let (series, mut plan) = plan(carries)?;
    let held_back = plan.keep(&series, files, session)?;

    drop(lock);
    session.show(&report::outcome(&series, &plan, &held_back, session))
}

fn confirm_carry(plan: &Plan, session: &Session) -> Result<bool, Failure> {
    let undone: Vec<String> = plan
        .confirmed
        .iter()
        .flat_map(|one| one.undone.iter().map(Date::to_string))
        .collect();

    let Some(first) = undone.first() else {
        return Ok(false);
    };

    prompt::confirmed(
        &say!(
            session.lang,
            "Le fichier du {first} revient à la valeur précédente. Y écrire aussi ce changement ? [o/N] ",
            "The file of {first} goes back to the value before. Write this change there too? [y/N] "
        ),
        session,
    )
}

/// A figure, a row from 1 and a column: `impot[3].rate`.
struct CellName<'a> {
    figure: &'a str,
    row: Option<usize>,
    column: Option<&'a str>,
}

impl<'a> CellName<'a> {
    fn read(text: &'a str) -> Self {
        let (place, column) = text
            .split_once('.')
            .map_or((text, None), |(place, column)| (place, Some(column)));

        let (figure, row) = match place.split_once('[') {
            // An invalid row becomes row 0, which has no cell.
            Some((figure, row)) => (
                figure,
                Some(row.trim_end_matches(']').parse().unwrap_or_default()),
            ),
            None => (place, None),
        };

        Self {
            figure,
            row,
            column,
        }
    }

    /// Whether another name is that of one of its cells.
    fn holds(&self, other: &Self) -> bool {
        self.figure == other.figure
            && self.row.is_none_or(|row| other.row == Some(row))
            && self
                .column
                .is_none_or(|column| other.column == Some(column))
    }

    fn is(&self, cell: &WrittenCell) -> bool {
        self.figure == cell.figure
            && self.row.is_none_or(|row| cell.row == Some(row))
            && self.column.is_none_or(|column| cell.column == Some(column))
    }
}

/// The reason to store where no new source sets a value.
fn words(args: &Args, lang: Lang) -> Option<String> {
    let still = || {
        say!(
            lang,
            "inchangé, toujours en vigueur",
            "unchanged, still in force"
        )
    };
    if args.unchanged {
        Some(still())
    } else {
        args.because.clone()
    }
}

/// The named cell with its reading; or every cell of a figure or row, where that is asked for
/// explicitly.
fn one(
    args: &Args,
    requested: &CellName,
    series: &Series,
    date: Date,
    session: &Session,
) -> Result<Vec<CellReading>, Failure> {
    let Some(file) = series.on(date) else {
        return Ok(Vec::new());
    };

    let cells = file.cells(&series.shapes);
    // The name may be that of a figure, of a row or of a cell.
    let named: Vec<&WrittenCell> = cells.iter().filter(|cell| requested.is(cell)).collect();
    if named.is_empty() {
        return Err(unknown_cell(args, &cells, requested, session));
    }
    // Several cells by one command may be confirmed without having been read: this has to be on
    // purpose.
    if named.len() > 1 && !args.whole {
        let values: Vec<String> = named
            .iter()
            .map(|cell| {
                format!(
                    "{} {}",
                    cell.name(),
                    cell.text.map_or("", |text| &text.value)
                )
            })
            .collect();
        let (figure, values) = (
            args.figure.as_deref().unwrap_or_default(),
            values.join(", "),
        );
        return Err(Failure::unusable(say!(
            session.lang,
            "`{figure}` a plusieurs valeurs : nommer celle qui a été lue, ou les confirmer toutes exprès par `--whole`.\n{values}",
            "`{figure}` has several values: name the one that was read, or confirm all on purpose by `--whole`.\n{values}"
        )));
    }

    let reading = Reading {
        value: args.value.clone(),
        source: args.source.clone(),
        words: words(args, session.lang),
    };

    // Of a whole figure, those that are left; where none is left, all again.
    let left: Vec<&WrittenCell> = named
        .iter()
        .copied()
        .filter(|cell| cell.is_unconfirmed)
        .collect();
    let chosen = if left.is_empty() { named } else { left };

    Ok(chosen
        .into_iter()
        .map(|cell| CellReading {
            line: None,
            id: CellId::new(cell),
            reading: reading.clone(),
        })
        .collect())
}

fn unknown_cell(
    args: &Args,
    cells: &[WrittenCell],
    requested: &CellName,
    session: &Session,
) -> Failure {
    let of_figure: Vec<String> = cells
        .iter()
        .filter(|cell| cell.figure == requested.figure)
        .map(WrittenCell::name)
        .collect();
    let all: Vec<String> = cells.iter().map(WrittenCell::name).collect();

    // Of a figure that exists, its own cells are the ones to choose from.
    let known = if of_figure.is_empty() { all } else { of_figure };
    let received = args.figure.as_deref().unwrap_or_default();

    let near = did_you_mean(
        nearest(received, known.iter().map(String::as_str)),
        session.lang,
    );
    let (near, known) = (near.unwrap_or_default(), known.join(", "));
    Failure::unusable(say!(
        session.lang,
        "`{received}` n’est pas une valeur de ce fichier{near}\nDire quelle valeur : {known}",
        "`{received}` is no value of this file{near}\nSay which value: {known}"
    ))
}

/// The day of the file to confirm: the one asked for, the first draft that has the figure
/// unconfirmed, or else the first file with it that is not in force yet.
fn day(args: &Args, series: &Series, session: &Session) -> Result<Date, Failure> {
    let lang = session.lang;

    // 1. The day that is asked for.
    if let Some(from) = args.from {
        let days = series.days();
        return series.on(from).map(|file| file.date).ok_or_else(|| {
            Failure::unusable(say!(
                lang,
                "Aucun fichier du {from}. Fichiers : {days}",
                "No file of {from}. Files: {days}"
            ))
        });
    }

    // 2. The first file that waits for it, or a later one that has it.
    let figure = args
        .figure
        .as_deref()
        .map(|figure| CellName::read(figure).figure);

    let waits = |file: &&DatedFile| {
        file.unconfirmed(&series.shapes)
            .iter()
            .any(|cell| figure.is_none_or(|figure| cell.figure == figure))
    };
    let has_it = |file: &&DatedFile| figure.is_none_or(|figure| file.figure(figure).is_some());
    let is_open = |file: &&DatedFile| file.is_draft(&series.shapes) || file.date > session.today;

    let open = || series.files.iter().filter(is_open);
    if let Some(file) = series
        .files
        .iter()
        .find(waits)
        .or_else(|| open().find(has_it))
    {
        return Ok(file.date);
    }

    // 3. Nothing: the figures that could be confirmed are named.
    let mut known: Vec<&str> = open()
        .flat_map(|file| file.cells(&series.shapes))
        .map(|cell| cell.figure)
        .collect();
    known.dedup();
    let figure = figure.unwrap_or_default();

    if known.is_empty() {
        return Err(Failure::unusable(say!(
            lang,
            "Aucun brouillon de ce dossier n’a de chiffre à confirmer : `bareme new` en prépare un ; `--from JOUR` nomme un fichier déjà en vigueur",
            "No draft of this folder has a figure to confirm: `bareme new` prepares one; `--from DAY` names a file that is in force"
        )));
    }

    // The figure may be misspelt: the nearest one of the drafts is proposed.
    let near = did_you_mean(nearest(figure, known.iter().copied()), lang);
    let (near, known) = (near.unwrap_or_default(), known.join(", "));
    Err(Failure::unusable(say!(
        lang,
        "Aucun brouillon de ce dossier n’a le chiffre `{figure}`{near}\nSes chiffres : {known}",
        "No draft of this folder has the figure `{figure}`{near}\nIts figures: {known}"
    )))
}
