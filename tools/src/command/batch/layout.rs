//! The layout of rows of text: the parameters that their columns are, and the parsing of their
//! cells.

use std::borrow::Cow;

use bareme_engine::Lang;
use bareme_show::spreadsheet::{self, Dialect, MemberText, Members, NumberFormat};
use bareme_show::{Text, say};
use serde_json::value::RawValue;

use super::partitions::Partition;
use super::rows::{Row, is_blank};

/// Columns added in a file of refused rows, which can be used as an input again.
pub(super) const FILE: &str = "fichier";
pub(super) const LINE: &str = "ligne";
pub(super) const REASON: &str = "motif";

/// Whether a column is one of those added in a file of refused rows.
pub(super) fn is_added(name: &str) -> bool {
    [FILE, LINE, REASON].contains(&name)
}

/// The layout of the rows of a file.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub form: TextForm,
    /// The columns that the folders of its path are.
    pub partitions: Vec<Partition>,
}

/// The form of rows of text.
#[derive(Debug, Clone)]
pub(super) enum TextForm {
    Csv {
        /// The columns, as the file names them.
        names: Vec<String>,
        /// The parameter that each column is, or its name where it is only copied.
        parameters: Vec<String>,
        dialect: Dialect,
    },
    JsonLines,
}

/// Settings for parsing cells: copied columns, renamed columns, the names of the parameters, the
/// currency that may follow amounts, the language of messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading<'r> {
    pub keep: &'r [String],
    pub map: &'r [(String, String)],
    pub parameters: &'r [&'r str],
    pub currency: Option<&'r str>,
    pub lang: Lang,
}

/// A parsed cell.
pub(super) enum Cell<'c> {
    /// A cell of a copied column, with its index.
    Kept(usize, &'c str),
    /// A cell of a parameter; an empty one is not sent.
    Parameter(&'c str, Cow<'c, str>),
}

/// The problem of a row that cannot be parsed.
#[derive(Debug)]
pub(super) struct RowError {
    /// The column; or the line, where the problem is not in a single column.
    pub column: String,
    pub reason: String,
    /// The message for a row among others, with the column.
    pub message: String,
}

impl RowError {
    fn of_row(message: String) -> Self {
        Self {
            column: LINE.to_owned(),
            reason: message.clone(),
            message,
        }
    }
}

/// Parameters with their values.
pub(super) type Query = Vec<(String, String)>;

impl Layout {
    /// The layout of a file, before its columns are known as parameters of other names.
    pub(super) fn new(form: TextForm) -> Self {
        // The parameters are the names themselves until the header is checked.
        Self {
            form,
            partitions: Vec::new(),
        }
    }

    /// Whether the rows are JSON objects.
    pub(super) fn is_json(&self) -> bool {
        matches!(self.form, TextForm::JsonLines)
    }

    /// The dialect of CSV.
    pub(super) fn dialect(&self) -> Option<Dialect> {
        if let TextForm::Csv { dialect, .. } = &self.form {
            Some(*dialect)
        } else {
            None
        }
    }

    /// The names of the columns of CSV, those of the folders of its path at the end.
    pub(super) fn names(&self) -> Option<Vec<String>> {
        let TextForm::Csv { names, .. } = &self.form else {
            return None;
        };
        Some(
            names
                .iter()
                .chain(self.partitions.iter().map(|partition| &partition.name))
                .cloned()
                .collect(),
        )
    }

    /// Passes the cells of a row to `take`.
    ///
    /// # Errors
    /// The reason, in the language of the messages, why the row cannot be parsed.
    pub(super) fn read(
        &self,
        row: Row,
        reading: Reading,
        mut take: impl FnMut(Cell),
    ) -> Result<(), RowError> {
        match &self.form {
            TextForm::Csv {
                names,
                parameters,
                dialect,
            } => {
                read_csv(row, (names, parameters), dialect.locale, reading, &mut take)?;
            }
            TextForm::JsonLines => read_json(&row.text(), reading, &mut take)?,
        }

        // The folders of the path come last, as columns after those of the file.
        for Partition {
            name,
            parameter,
            value,
        } in &self.partitions
        {
            let role = reading.role(name, parameter);
            role.give(value, || Ok(Cow::Borrowed(value.as_str())), &mut take)?;
        }

        Ok(())
    }

    /// The parameters of a row that can be parsed.
    pub(super) fn query(&self, row: Row, reading: Reading) -> Query {
        let mut query = Vec::new();
        let read = self.read(row, reading, |cell| {
            // An empty cell is a parameter that is not sent.
            if let Cell::Parameter(name, value) = cell
                && !value.is_empty()
            {
                query.push((name.to_owned(), value.into_owned()));
            }
        });

        if read.is_ok() { query } else { Vec::new() }
    }

    /// The row as it was read, for a file of refused rows.
    pub(super) fn cells<'r>(&'r self, row: Row<'r>) -> Vec<(Cow<'r, str>, Cow<'r, str>)> {
        let mut cells: Vec<(Cow<str>, Cow<str>)> = match &self.form {
            TextForm::Csv { names, .. } => {
                // A short row has fewer cells than the header: the rest is empty.
                let cells = names
                    .iter()
                    .zip(row.cells().chain(std::iter::repeat(&b""[..])));
                cells
                    .map(|(name, cell)| (name.into(), String::from_utf8_lossy(cell)))
                    .collect()
            }
            TextForm::JsonLines => match serde_json::from_str::<Members>(&row.text()) {
                Ok(Members(members)) => members
                    .into_iter()
                    .map(|(name, value)| (name.into(), written(value)))
                    .collect(),
                // What is no JSON object is kept as it is, so that nothing of the input is lost.
                Err(_) => vec![("texte".into(), row.text())],
            },
        };

        let partition =
            |partition: &'r Partition| ((&partition.name).into(), (&partition.value).into());
        cells.extend(self.partitions.iter().map(partition));
        cells
    }

    /// The parameter that a column is; its own name where it is none.
    pub(super) fn parameter<'n>(&'n self, column: &'n str) -> &'n str {
        let TextForm::Csv {
            names, parameters, ..
        } = &self.form
        else {
            return column;
        };

        let found = names
            .iter()
            .position(|name| name == column)
            .and_then(|index| parameters.get(index));
        found.map_or(column, String::as_str)
    }
}

/// The use of a cell: copied, a parameter, or both.
struct Role<'r> {
    /// The index of the copied column.
    kept: Option<usize>,
    parameter: Option<&'r str>,
}

impl Reading<'_> {
    /// The use of the cells of a column. One that is copied is a parameter too where it has the
    /// name of one, or is given that.
    fn role<'r>(&self, name: &str, parameter: &'r str) -> Role<'r> {
        // A column may be copied under its own name or under that of its parameter.
        let kept = self
            .keep
            .iter()
            .position(|kept| kept == name || kept == parameter);

        // A copied column is a parameter only by its own name, not by resemblance.
        let is_used = kept.is_none() || self.parameters.contains(&parameter);
        Role {
            kept,
            parameter: Some(parameter).filter(|_| is_used && !is_added(parameter)),
        }
    }
}

impl Role<'_> {
    /// Passes a cell to `take`: as it is where it is copied, and as the parameter that `sent`
    /// gives.
    fn give<'c>(
        &self,
        cell: &'c str,
        sent: impl FnOnce() -> Result<Cow<'c, str>, RowError>,
        take: &mut impl FnMut(Cell),
    ) -> Result<(), RowError> {
        // A copied cell is copied even where it cannot be parsed as a parameter.
        if let Some(kept) = self.kept {
            take(Cell::Kept(kept, cell));
        }
        if let Some(parameter) = self.parameter {
            take(Cell::Parameter(parameter, sent()?));
        }
        Ok(())
    }
}

fn read_csv(
    row: Row,
    (names, parameters): (&[String], &[String]),
    locale: NumberFormat,
    reading: Reading,
    take: &mut impl FnMut(Cell),
) -> Result<(), RowError> {
    let lang = reading.lang;

    check_length(row, names.len(), lang).map_err(RowError::of_row)?;

    for (index, ((name, parameter), cell)) in
        names.iter().zip(parameters).zip(row.cells()).enumerate()
    {
        // Blanks around a cell mean nothing: people align columns.
        let cell = std::str::from_utf8(cell)
            .map_err(|_| RowError::of_row(NOT_TEXT.in_lang(lang).to_owned()))?
            .trim();

        if name.is_empty() {
            // A value without a column name would be lost without notice.
            if !cell.is_empty() {
                let column = index + 1;
                return Err(RowError::of_row(say!(
                    lang,
                    "`{cell}` dans la colonne {column}, qui n’a pas de nom",
                    "`{cell}` in column {column}, which has no name"
                )));
            }
            continue;
        }

        // Each cell goes to its uses; a refused one ends the row.
        reading.role(name, parameter).give(
            cell,
            || sent(parameter, cell, locale, reading),
            take,
        )?;
    }
    Ok(())
}

fn read_json(text: &str, reading: Reading, take: &mut impl FnMut(Cell)) -> Result<(), RowError> {
    let Reading { map, lang, .. } = reading;

    let Ok(members) = serde_json::from_str::<Members>(text) else {
        let message = say!(
            lang,
            "objet JSON attendu, un par ligne",
            "a JSON object is expected, one a line"
        );
        return Err(RowError::of_row(message));
    };

    for (name, value) in &members.0 {
        // `null` is what is not sent.
        let value = match MemberText::of(value) {
            MemberText::Null => continue,
            MemberText::Single(value) => value,
            MemberText::Nested => {
                let reason = say!(
                    lang,
                    "une seule valeur attendue",
                    "a single value is expected"
                );
                let message = message_of(&format!("`{name}`"), &reason, lang);
                return Err(RowError {
                    column: name.clone(),
                    reason,
                    message,
                });
            }
        };

        // Blanks around a text are a slip in JSON as in CSV.
        let value = value.trim();
        let mapped = map
            .iter()
            .find(|(column, _)| column == name)
            .map(|(_, parameter)| parameter);
        reading.role(name, mapped.unwrap_or(name)).give(
            value,
            || Ok(Cow::Borrowed(value)),
            take,
        )?;
    }
    Ok(())
}

/// The message of a mistake in a cell.
fn message_of(name: &str, reason: &str, lang: Lang) -> String {
    say!(lang, "{name} : {reason}", "{name}: {reason}")
}

pub(super) const NOT_TEXT: Text = Text::new(
    "texte illisible en UTF-8 : l’enregistrer en UTF-8, ou dire `--encoding windows-1252`",
    "text that is not UTF-8: save it as UTF-8, or say `--encoding windows-1252`",
);

/// The text of a member, a list or an object as JSON.
fn written<'r>(value: &RawValue) -> Cow<'r, str> {
    // Nested values are kept as JSON: the row goes back to its author as it came.
    match MemberText::of(value) {
        MemberText::Single(text) => Cow::Owned(text.into_owned()),
        MemberText::Null | MemberText::Nested => Cow::Owned(value.get().to_owned()),
    }
}

/// Checks that a row has as many cells as the header; spreadsheets may add separators after the
/// last column.
fn check_length(row: Row, expected: usize, lang: Lang) -> Result<(), String> {
    let found = row.count();
    if found >= expected && row.cells().skip(expected).all(is_blank) {
        return Ok(());
    }

    Err(say!(
        lang,
        "{found} cellules au lieu de {expected}",
        "{found} cells instead of {expected}"
    ))
}

/// The cell of a parameter, converted to the form of the API.
fn sent<'c>(
    name: &str,
    cell: &'c str,
    signs: NumberFormat,
    reading: Reading,
) -> Result<Cow<'c, str>, RowError> {
    let Reading { currency, lang, .. } = reading;
    // A spreadsheet writes numbers and days for people: they become those of the API, or are
    // refused where they read in two ways.
    spreadsheet::cell(cell, signs, currency).map_err(|reason| {
        let reason = reason.in_lang(lang).to_owned();
        let message = message_of(name, &reason, lang);
        RowError {
            column: name.to_owned(),
            reason,
            message,
        }
    })
}
