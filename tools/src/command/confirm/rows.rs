//! Confirms several cells from a CSV file: the rows of a table as in the law, or one line for each
//! cell.

use std::path::Path;

use bareme_engine::authoring::{Node, WrittenCell};
use bareme_engine::law::BoundWord;
use bareme_show::say;
use jiff::civil::Date;

use super::apply::CellReading;
use super::reading::Reading;
use super::sheet::value_of;
use super::write::CellId;
use super::{Args, CellName, words};
use crate::series::{DatedFile, Series, is_same};
use crate::session::{Failure, Session};

/// The columns of a sheet in French and in English; the last three are to be filled in.
pub(super) const COLUMNS: [(&str, &str); 7] = [
    ("chiffre", "figure"),
    ("ligne", "row"),
    ("avant", "before"),
    ("propose", "proposed"),
    ("valeur", "value"),
    ("source", "source"),
    ("motif", "because"),
];

/// A CSV file.
pub(super) struct Sheet {
    names: Vec<String>,
    /// Its lines, each with its number.
    lines: Vec<(usize, Vec<String>)>,
}

impl Sheet {
    pub(super) fn read(path: &Path, session: &Session) -> Result<Self, Failure> {
        let shown = path.display();
        let bytes =
            std::fs::read(path).map_err(|error| Failure::unusable(format!("{shown} : {error}")))?;
        // Excel saves CSV in the encoding of Windows, by default.
        let text = String::from_utf8(bytes).unwrap_or_else(|error| {
            encoding_rs::WINDOWS_1252
                .decode(error.as_bytes())
                .0
                .into_owned()
        });

        let text = text.trim_start_matches('\u{feff}');
        let header = text.lines().next().unwrap_or_default();
        // The separator is the one in the header: numbers may have decimal commas.
        let separator = [b';', b'\t']
            .into_iter()
            .find(|separator| header.as_bytes().contains(separator))
            .unwrap_or(b',');

        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());

        // The first line names the columns; empty lines, which spreadsheets add, are skipped.
        let mut sheet = Self {
            names: Vec::new(),
            lines: Vec::new(),
        };
        for record in reader.records() {
            let record = record.map_err(|error| Failure::unusable(format!("{shown} : {error}")))?;
            let line = record
                .position()
                .map_or(0, |place| usize::try_from(place.line()).unwrap_or_default());

            let cells: Vec<String> = record.iter().map(|cell| plain(cell, separator)).collect();
            if sheet.names.is_empty() {
                sheet.names = cells.iter().map(|name| name.to_lowercase()).collect();
            } else if cells.iter().any(|cell| !cell.is_empty()) {
                sheet.lines.push((line, cells));
            }
        }

        if sheet.lines.is_empty() {
            return Err(Failure::unusable(say!(
                session.lang,
                "`{shown}` n’a pas de ligne : la première nomme les colonnes, les suivantes disent ce qui a été lu.",
                "`{shown}` has no line: the first names the columns, the next ones say what was read."
            )));
        }
        Ok(sheet)
    }

    /// The readings of cells of a file, from the lines of the CSV.
    pub(super) fn readings(
        &self,
        args: &Args,
        series: &Series,
        date: Date,
        session: &Session,
    ) -> Result<Vec<CellReading>, Failure> {
        let Some(file) = series.on(date) else {
            return Ok(Vec::new());
        };

        // Named cells, or the rows of the table that the command names.
        let read = match (
            self.names.iter().any(|name| is_column(name, 0)),
            args.figure.as_deref(),
        ) {
            (true, _) => self.by_name(args, series, file, session)?,
            (false, Some(figure)) => self.by_row(args, series, file, figure, session)?,
            (false, None) => return Err(self.unknown_columns(&COLUMNS.map(|(fr, _)| fr), session)),
        };

        // A sheet that nobody has filled in confirms nothing, which is a mistake.
        if read.is_empty() {
            return Err(Failure::unusable(say!(
                session.lang,
                "Aucune ligne ne dit de valeur, de source ni de motif : rien à confirmer.",
                "No line says a value, a source or a reason: nothing to confirm."
            )));
        }
        Ok(read)
    }

    fn cell<'s>(&self, cells: &'s [String], column: usize) -> Option<&'s str> {
        let place = self.names.iter().position(|name| is_column(name, column))?;
        cells
            .get(place)
            .map(String::as_str)
            .filter(|cell| !cell.is_empty())
    }

    /// One named cell on each line. A line without entries is skipped.
    fn by_name(
        &self,
        args: &Args,
        series: &Series,
        file: &DatedFile,
        session: &Session,
    ) -> Result<Vec<CellReading>, Failure> {
        // An unknown column is refused: a misspelt one would be ignored.
        if self
            .names
            .iter()
            .any(|name| (0..COLUMNS.len()).all(|column| !is_column(name, column)))
        {
            return Err(self.unknown_columns(&COLUMNS.map(|(fr, _)| fr), session));
        }

        let cells = file.cells(&series.shapes);
        let mut read = Vec::new();
        for (line, row) in &self.lines {
            let [name, value, source, because] = [0, 4, 5, 6].map(|column| self.cell(row, column));
            // A line without entries was left for later.
            if value.is_none() && source.is_none() && because.is_none() {
                continue;
            }

            let requested = CellName::read(name.unwrap_or_default());
            let named: Vec<&WrittenCell> = cells.iter().filter(|cell| requested.is(cell)).collect();
            let [cell] = named.as_slice() else {
                let (name, date) = (name.unwrap_or_default(), file.date);
                return Err(Failure::unusable(say!(
                    session.lang,
                    "ligne {line} : `{name}` ne nomme pas une valeur du fichier du {date}",
                    "line {line}: `{name}` does not name one value of the file of {date}"
                )));
            };

            // `=` is the value of the earlier file.
            let earlier = || series.counterpart(cell, file, series.before(file.date)?);
            let id = CellId::new(cell);
            if let Some(first) = read.iter().find(|known: &&CellReading| known.id == id) {
                return Err(twice(*line, first.line, &cell.name(), session));
            }

            // A sheet that another earlier scale has overtaken is not of this file.
            let known = earlier();
            let before = self.cell(row, 2).zip(value_of(known.as_ref()));
            if let Some((printed, known)) = before.filter(|(one, other)| !is_same(one, other)) {
                return Err(stale(*line, &cell.name(), printed, known, session));
            }

            let value = match value {
                Some("=") => value_of(earlier().as_ref()).map(str::to_owned),
                value => value.map(str::to_owned),
            };

            let reading = reading(args, value, source, because, session);
            read.push(CellReading {
                line: Some(*line),
                id,
                reading,
            });
        }
        Ok(read)
    }

    /// The rows of a table, in the order of the file, each with all its values.
    fn by_row(
        &self,
        args: &Args,
        series: &Series,
        file: &DatedFile,
        figure: &str,
        session: &Session,
    ) -> Result<Vec<CellReading>, Failure> {
        let lang = session.lang;

        let shape = series
            .shapes
            .iter()
            .find(|shape| shape.name == figure && shape.has_rows());
        let (Some(shape), Some(node)) = (shape, file.figure(figure)) else {
            return Err(Failure::unusable(say!(
                lang,
                "`{figure}` n’est pas une table de ce barème : `--rows` sans chiffre prend une ligne par valeur, comme `--sheet` les écrit.",
                "`{figure}` is no table of this scale: `--rows` without a figure takes a line a value, as `--sheet` writes them."
            )));
        };

        // 1. The columns must be those of the table.
        let keys = shape.keys.iter().map(|key| key.name.as_str());
        let bounds = if shape.bound.is_some() {
            BoundWord::ALL.as_slice()
        } else {
            &[]
        };
        let bounds = bounds.iter().map(|(word, _)| *word);

        let known: Vec<&str> = keys
            .clone()
            .chain(bounds)
            .chain(shape.column_names())
            .chain(["source", "motif", "because"])
            .collect();

        if self
            .names
            .iter()
            .any(|name| !known.contains(&name.as_str()))
        {
            return Err(self.unknown_columns(&known, session));
        }

        // 2. There must be as many lines as rows: otherwise which is which would be a guess.
        let rows = node.get("rows").map(Node::items).unwrap_or_default();
        let (count, given, date) = (rows.len(), self.lines.len(), file.date);
        if count != given {
            return Err(Failure::unusable(say!(
                lang,
                "`{figure}` a {count} lignes dans le fichier du {date}, et celui-ci en donne {given} : ajouter ou retirer d’abord les lignes dans le fichier daté.",
                "`{figure}` has {count} rows in the file of {date}, and this one gives {given}: add or remove the rows in the dated file first."
            )));
        }

        // 3. Each line must belong to its row, and have all of its values.
        let cells = file.cells(&series.shapes);
        let mut read = Vec::new();
        for (place, ((line, given), row)) in (1..).zip(self.lines.iter().zip(rows)) {
            let table = format!("{figure}[{place}]");

            // Keys and bounds identify the row; values are what is read.
            let is_key = |name: &str| keys.clone().any(|key| key == name);
            if let Some(name) = self.other_than(given, row, is_key) {
                return Err(Failure::unusable(say!(
                    lang,
                    "ligne {line} : `{name}` n’y est pas ce qu’il est dans `{table}` : la table n’est pas la même.",
                    "line {line}: `{name}` is not there what it is in `{table}`: the table is not the same."
                )));
            }

            for cell in cells
                .iter()
                .filter(|cell| cell.figure == figure && cell.row == Some(place))
            {
                let at = self
                    .names
                    .iter()
                    .position(|name| Some(name.as_str()) == cell.column);
                let Some(value) = at.and_then(|at| given.get(at)) else {
                    let name = cell.name();
                    return Err(Failure::unusable(say!(
                        lang,
                        "ligne {line} : il manque la valeur de `{name}`",
                        "line {line}: the value of `{name}` is missing"
                    )));
                };

                let [source, because] = [5, 6].map(|column| self.cell(given, column));
                let reading = reading(args, Some(value.clone()), source, because, session);
                read.push(CellReading {
                    line: Some(*line),
                    id: CellId::new(cell),
                    reading,
                });
            }
        }
        Ok(read)
    }

    /// The first column in which a line belongs to another row: another key, or a value where the
    /// row has none.
    fn other_than(
        &self,
        given: &[String],
        row: &Node,
        is_key: impl Fn(&str) -> bool,
    ) -> Option<&str> {
        let is_of_row = |name: &str| !is_column(name, 5) && !is_column(name, 6);
        let mut columns = self
            .names
            .iter()
            .zip(given)
            .filter(|(name, _)| is_of_row(name));

        let differs = |(name, value): &(&String, &String)| {
            let written = row
                .get(name)
                .and_then(Node::text)
                .map_or("", |text| text.value.as_str());
            // An empty cell agrees with an empty cell only.
            let must_agree = is_key(name) || value.is_empty() || written.is_empty();
            must_agree && !is_same(&value.replace(' ', ""), &written.replace(' ', ""))
        };

        columns.find(differs).map(|(name, _)| name.as_str())
    }

    fn unknown_columns(&self, known: &[&str], session: &Session) -> Failure {
        let (names, known) = (self.names.join(", "), known.join(", "));
        Failure::unusable(say!(
            session.lang,
            "Colonnes `{names}` : celles qui sont attendues sont {known}.",
            "Columns `{names}`: those that are expected are {known}."
        ))
    }
}

/// A reading of a line. One without its own source and reason has those of the command line; one
/// with a reason keeps the sources of the file.
fn reading(
    args: &Args,
    value: Option<String>,
    source: Option<&str>,
    because: Option<&str>,
    session: &Session,
) -> Reading {
    // A reason means that no new text sets the value: the source of the command is for the other
    // lines.
    let usual_source = if because.is_none() {
        args.source.clone()
    } else {
        None
    };

    let words = because
        .map(str::to_owned)
        .or_else(|| words(args, session.lang));
    Reading {
        value,
        source: source.map(str::to_owned).or(usual_source),
        words,
    }
}

/// The refusal of a sheet that says a cell twice: nobody knows which line was read.
fn twice(line: usize, first: Option<usize>, name: &str, session: &Session) -> Failure {
    let first = first.unwrap_or_default();
    Failure::unusable(say!(
        session.lang,
        "ligne {line} : `{name}` est déjà à la ligne {first} : n’en garder qu’une",
        "line {line}: `{name}` is on line {first} already: keep one of them"
    ))
}

/// The refusal of a sheet that was printed when another scale came before this one.
fn stale(line: usize, name: &str, printed: &str, known: &str, session: &Session) -> Failure {
    Failure::unusable(say!(
        session.lang,
        "ligne {line} : `{name}` valait {printed} quand cette feuille a été écrite, et le barème précédent dit {known} : reprendre la feuille par `--sheet`",
        "line {line}: `{name}` was {printed} when this sheet was written, and the scale before says {known}: print the sheet again by `--sheet`"
    ))
}

fn is_column(name: &str, column: usize) -> bool {
    COLUMNS
        .get(column)
        .is_some_and(|(fr, en)| name == *fr || name == *en)
}

/// A cell in the form of a dated file: no-break spaces become spaces, and in a French CSV decimal
/// commas become points.
fn plain(cell: &str, separator: u8) -> String {
    let text = cell.trim().replace(['\u{a0}', '\u{202f}'], " ");

    let is_number = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b" ,.%-".contains(&byte))
        && !text.is_empty();

    // A French spreadsheet separates cells by semicolons, and decimals by commas.
    let text = if is_number {
        text.replace(" %", "%")
    } else {
        text
    };

    if separator == b';' && is_number && text.matches(',').count() == 1 {
        text.replace(',', ".")
    } else {
        text
    }
}
