//! Selection of the fields to write.

use bareme_arrow::{Error, Options};
use bareme_engine::Folder;
use bareme_engine::law::Field;
use bareme_engine::law::members::{REMARKS, WARNINGS};
use bareme_show::say;

use super::format::{Columns, DAY, VERSION};
use super::layout::{FILE, LINE, Layout};
use super::row_format::RowFormat;
use super::{Args, tables};
use crate::format::unique;
use crate::session::{Failure, Session};
use crate::target::Target;

/// Automatic members that are useful in a row.
const TRAILING_FIELDS: [&str; 4] = [DAY, VERSION, WARNINGS.name, REMARKS.name];

/// The fields to write: those asked for, or all single-valued ones, and lists where the answers are
/// JSON.
pub(super) fn chosen(
    args: &Args,
    has_lists: bool,
    target: &Target,
    session: &Session,
) -> Result<Vec<String>, Failure> {
    // A family has the fields of all of its folders.
    let declared: Vec<&Field> = target
        .folders()
        .into_iter()
        .flat_map(Folder::fields)
        .collect();

    let all = unique(
        declared
            .iter()
            .map(|field| field.name.as_str())
            .chain(TRAILING_FIELDS)
            .map(str::to_owned),
    );

    // Without an unknown field: those asked for, in their order, or the usual ones. A list has no
    // place in a cell.
    let Some(unknown) = args.fields.iter().find(|field| !all.contains(field)) else {
        let is_usual = |name: &String| {
            let field = declared.iter().find(|field| field.name == *name);
            field.is_none_or(|field| has_lists || field.json_type() != "array")
        };

        let usual = all.into_iter().filter(is_usual);
        return Ok(if args.fields.is_empty() {
            usual.collect()
        } else {
            args.fields.clone()
        });
    };

    let names = all.join(", ");
    Err(Failure::unusable(say!(
        session.lang,
        "`{unknown}` n’est pas un champ de la réponse. Champs : {names}",
        "`{unknown}` is not a field of the answer. Fields: {names}"
    )))
}

/// The fields that a plan computes.
pub(super) fn of_plan(fields: &[String]) -> Vec<String> {
    // The automatic members come with every answer.
    fields
        .iter()
        .filter(|field| !TRAILING_FIELDS.contains(&field.as_str()))
        .cloned()
        .collect()
}

/// The fields that were asked for by name; `None`: all the usual ones.
pub(super) fn asked(args: &Args) -> Option<Vec<&str>> {
    (!args.fields.is_empty()).then(|| args.fields.iter().map(String::as_str).collect())
}

/// The options of a plan of some fields: a row whose answer does not have one is refused only where
/// it was asked for.
pub(super) fn options(args: &Args, computed: &[String]) -> Options {
    // A family has fields that only some of its folders have: unless named, their absence is no
    // mistake.
    let options = Options::fields(computed);
    if args.fields.is_empty() {
        options.leaving_absent_fields_empty()
    } else {
        options
    }
}

/// Checks that no copied column has the name of a column of the answers, in text as in tables.
///
/// # Errors
/// The first copied column that has one.
pub(super) fn check_kept(args: &Args, fields: &[String], session: &Session) -> Result<(), Failure> {
    let is_taken = |name: &&String| fields.contains(name) || [FILE, LINE].contains(&name.as_str());
    let taken = args.keep.iter().find(is_taken).map(|column| Error::Kept {
        column: column.clone(),
        is_taken: true,
    });
    taken.map_or(Ok(()), |error| Err(tables::refused(error, session)))
}

/// Whether a field can only be formatted from a single calculation: a list, or one that is a number
/// in some folders and a text in others.
pub(super) fn is_single(target: &Target, field: &str) -> bool {
    let folders = target.folders();
    let fields = folders
        .iter()
        .flat_map(|folder| folder.editions())
        .flat_map(|edition| edition.method().fields());

    // `integer` is a number too: a text of both is the same.
    let of_name = fields.filter(|field_of_name| field_of_name.name == field);
    let mut types = of_name.map(|field_of_name| match field_of_name.json_type() {
        "integer" => "number",
        other => other,
    });

    let Some(first) = types.next() else {
        return false;
    };
    first == "array" || types.any(|other| other != first)
}

/// Reports which fields a row of CSV does not hold, and that the file was read as Windows-1252.
pub(super) fn mention_what_is_not_written(
    target: &Target,
    columns: Option<&Columns>,
    layouts: &[Layout],
    args: &Args,
    (format, session): (RowFormat, &Session),
) {
    let lang = session.lang;

    // 1. Lists that were not asked for and are not written.
    let fields = target.folders().into_iter().flat_map(Folder::fields);
    let mut lists = unique(
        fields
            .filter(|field| field.json_type() == "array")
            .map(|field| field.name.as_str()),
    );

    if let Some(columns) = columns {
        lists.retain(|list| !columns.fields.iter().any(|field| field.name == *list));
    }

    if format != RowFormat::JsonLines && args.fields.is_empty() && !lists.is_empty() {
        let lists = lists.join(", ");
        let message = match format {
            RowFormat::Table(_) => say!(
                lang,
                "Champs à plusieurs lignes, absents de la table : {lists} ; `--fields` les écrit \
                 en texte JSON.",
                "Fields of several rows, not in the table: {lists}; `--fields` writes them as \
                 JSON text."
            ),
            _ => say!(
                lang,
                "Champs à plusieurs lignes, absents du CSV : {lists} ; `--format json` les écrit.",
                "Fields of several rows, not in the CSV: {lists}; `--format json` writes them."
            ),
        };
        eprintln!("{message}");
    }

    // 2. The encoding, where it was detected: a wrong guess shows in accents only.
    let found = layouts
        .iter()
        .filter_map(Layout::dialect)
        .any(|dialect| dialect.is_windows());

    if found && args.encoding.is_none() {
        eprintln!(
            "{}",
            say!(lang, "Lu en Windows-1252.", "Read as Windows-1252.")
        );
    }
}
