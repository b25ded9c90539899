//! Confirms several cells from a file: the rows of a table as in the law, or one line for each cell.

use bareme_engine::Lang;
use bareme_engine::authoring::{Node, WrittenCell};
use bareme_engine::law::BoundWord;
use bareme_show::say;
use jiff::civil::Date;

use super::apply::CellReading;
use super::columns::Column;
use super::lines::{Line, Sheet};
use super::mistakes::{Mistake, Mistakes};
use super::reading::Reading;
use super::sheet::value_of;
use super::write::CellId;
use super::{Args, CellName, words};
use crate::series::{DatedFile, Series, is_same};
use crate::session::{Failure, Session};

impl Sheet {
    /// The readings of cells of a file.
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
            self.names.iter().any(|name| Column::Figure.is(name)),
            args.figure.as_deref(),
        ) {
            (true, _) => {
                self.check_columns(&Column::OF_FOLDER, session)?;
                let (read, mut mistakes) = self.by_name(&self.lines, args, series, file, session);
                mistakes.extend(self.typed_over(&self.lines, series, file, session.lang));
                if !mistakes.is_empty() {
                    return Err(Mistakes::new(mistakes, session.lang).into());
                }
                read
            }
            (false, Some(figure)) => self.by_row(args, series, file, figure, session)?,
            (false, None) => {
                let known = Column::OF_FOLDER.map(|column| column.name(session.lang));
                return Err(self.unknown_columns(known, session));
            }
        };

        // A sheet that nobody has filled in confirms nothing, which is a mistake.
        if read.is_empty() {
            return Err(nothing_read(session));
        }
        Ok(read)
    }

    /// Refuses an unknown column: a misspelt one would be ignored.
    pub(super) fn check_columns(
        &self,
        columns: &[Column],
        session: &Session,
    ) -> Result<(), Failure> {
        let is_known = |name: &String| columns.iter().any(|column| column.is(name));
        // Spreadsheets add columns without a name, which are empty.
        let is_empty = |place: usize| {
            let mut cells = self.lines.iter().filter_map(|(_, cells)| cells.get(place));
            cells.all(String::is_empty)
        };
        let mut names = self.names.iter().enumerate();
        if names.all(|(place, name)| is_known(name) || (name.is_empty() && is_empty(place))) {
            return Ok(());
        }

        let known = columns.iter().map(|column| column.name(session.lang));
        Err(self.unknown_columns(known, session))
    }

    /// One named cell on each line, and what is wrong in the others. A line without entries is
    /// skipped.
    pub(super) fn by_name(
        &self,
        lines: &[Line],
        args: &Args,
        series: &Series,
        file: &DatedFile,
        session: &Session,
    ) -> (Vec<CellReading>, Vec<Mistake>) {
        let (mut read, mut mistakes) = (Vec::new(), Vec::new());
        for line in lines {
            // A line without entries was left for later.
            if !self.is_filled_in(&line.1) {
                continue;
            }
            match self.line(line, &read, args, (series, file), session) {
                Ok(one) => read.push(one),
                Err(mistake) => mistakes.push(mistake),
            }
        }

        (read, mistakes)
    }

    /// The reading of a line, after others of the same file.
    fn line(
        &self,
        (line, row): &Line,
        read: &[CellReading],
        args: &Args,
        (series, file): (&Series, &DatedFile),
        session: &Session,
    ) -> Result<CellReading, Mistake> {
        let lang = session.lang;
        let [name, value, source, because] = [
            Column::Figure,
            Column::Value,
            Column::Source,
            Column::Because,
        ]
        .map(|column| self.cell(row, column));

        // 1. The cell that it names.
        let name = name.unwrap_or_default();
        let requested = CellName::read(name);
        let cells = file.cells(&series.shapes);
        let named: Vec<&WrittenCell> = cells.iter().filter(|cell| requested.is(cell)).collect();
        let [cell] = named.as_slice() else {
            let date = file.date;
            let reason = say!(
                lang,
                "`{name}` ne nomme pas une valeur du fichier du {date}",
                "`{name}` does not name one value of the file of {date}"
            );
            return Err(Mistake::of_line(*line, reason));
        };

        let of_cell = |reason| Mistake {
            cell: Some(cell.name()),
            ..Mistake::of_line(*line, reason)
        };
        let id = CellId::new(cell);
        if let Some(first) = read.iter().find(|known| known.id == id) {
            return Err(of_cell(twice(first.line, &cell.name(), lang)));
        }

        // 2. A sheet that another earlier scale has overtaken is not of this file.
        let before = series.before(file.date);
        let earlier = before.and_then(|before| series.counterpart(cell, file, before));
        let known = value_of(earlier.as_ref());
        let printed = self.cell(row, Column::Before).zip(known);
        if let Some((printed, known)) = printed.filter(|(one, other)| !is_same(one, other)) {
            return Err(of_cell(stale(&cell.name(), printed, known, lang)));
        }

        // 3. A line that names a text and no value would confirm what nobody typed; and what a
        // formula gives is not known here.
        match value {
            None if cell.text.is_some() => {
                return Err(of_cell(self.no_value(row, &cell.name(), known, lang)));
            }
            Some(value) if value.len() > 1 && value.starts_with('=') => {
                return Err(of_cell(formula(&cell.name(), value, lang)));
            }
            _ => {}
        }

        // 4. What was read; `=` is the value of the earlier file.
        let value = match value {
            Some("=") => known.map(str::to_owned),
            value => value.map(str::to_owned),
        };

        Ok(CellReading {
            line: Some(*line),
            reading: reading(args, value, source, because, session),
            id,
        })
    }

    /// The refusal of a line that names a text or a reason, and no value.
    fn no_value(&self, row: &[String], name: &str, known: Option<&str>, lang: Lang) -> String {
        let mut filled = Column::OF_YEAR
            .into_iter()
            .filter(|column| column.is_filled_in() && self.cell(row, *column).is_some());
        let filled = filled.next().map_or("", |column| column.name(lang));
        let value = Column::Value.name(lang);
        match known {
            Some(known) => say!(
                lang,
                "`{name}` : `{filled}` est rempli, et `{value}` est vide. Écrire la valeur lue dans le texte, ou `=` si elle reste à {known}",
                "`{name}`: `{filled}` is filled in, and `{value}` is empty. Write the value that the text says, or `=` if it stays at {known}"
            ),
            None => say!(
                lang,
                "`{name}` : `{filled}` est rempli, et `{value}` est vide. Écrire la valeur lue dans le texte",
                "`{name}`: `{filled}` is filled in, and `{value}` is empty. Write the value that the text says"
            ),
        }
    }

    /// What was typed over a proposal in lines that are not filled in: it would be passed over.
    pub(super) fn typed_over(
        &self,
        lines: &[Line],
        series: &Series,
        file: &DatedFile,
        lang: Lang,
    ) -> Vec<Mistake> {
        let cells = file.unconfirmed(&series.shapes);
        let mistake = |(line, row): &Line| {
            let typed = self.cell(row, Column::Proposed)?;
            let name = self.cell(row, Column::Figure)?;
            let requested = CellName::read(name);
            let cell = cells.iter().find(|cell| requested.is(cell))?;
            let own = value_of(Some(cell)).filter(|own| !is_same(own, typed))?;
            let [proposed, value] =
                [Column::Proposed, Column::Value].map(|column| column.name(lang));
            Some(Mistake {
                cell: Some(cell.name()),
                ..Mistake::of_line(
                    *line,
                    say!(
                        lang,
                        "`{name}` : `{proposed}` dit {typed}, et le brouillon propose {own}. Ce qui a été lu s’écrit dans `{value}`, avec sa source ; sinon reprendre la feuille par `--sheet`",
                        "`{name}`: `{proposed}` says {typed}, and the draft proposes {own}. What was read is written in `{value}`, with its source; otherwise print the sheet again by `--sheet`"
                    ),
                )
            })
        };
        let left = lines.iter().filter(|(_, row)| !self.is_filled_in(row));
        left.filter_map(mistake).collect()
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
            return Err(self.unknown_columns(known, session));
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

                let [source, because] =
                    [Column::Source, Column::Because].map(|column| self.cell(given, column));
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
        let is_of_row = |name: &str| !Column::Source.is(name) && !Column::Because.is(name);
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

/// The refusal of a formula whose result the file does not have.
fn formula(name: &str, written: &str, lang: Lang) -> String {
    say!(
        lang,
        "`{name}` : `{written}` est une formule sans son résultat : écrire la valeur elle-même, ou ouvrir le classeur dans le tableur et l’enregistrer, ce qui garde le résultat",
        "`{name}`: `{written}` is a formula without its result: write the value itself, or open the workbook in the spreadsheet and save it, which keeps the result"
    )
}

/// The refusal of a sheet that nobody has filled in.
pub(super) fn nothing_read(session: &Session) -> Failure {
    Failure::unusable(say!(
        session.lang,
        "Aucune ligne ne dit de valeur, de source ni de motif : rien à confirmer.",
        "No line says a value, a source or a reason: nothing to confirm."
    ))
}

/// The refusal of a sheet that says a cell twice: nobody knows which line was read.
fn twice(first: Option<usize>, name: &str, lang: Lang) -> String {
    let first = first.unwrap_or_default();
    say!(
        lang,
        "`{name}` est déjà à la ligne {first} : n’en garder qu’une",
        "`{name}` is on line {first} already: keep one of them"
    )
}

/// The refusal of a sheet that was printed when another scale came before this one.
fn stale(name: &str, printed: &str, known: &str, lang: Lang) -> String {
    say!(
        lang,
        "`{name}` valait {printed} quand cette feuille a été écrite, et le barème précédent dit {known} : reprendre la feuille par `--sheet`",
        "`{name}` was {printed} when this sheet was written, and the scale before says {known}: print the sheet again by `--sheet`"
    )
}
