//! Prints the cells left to confirm as a sheet: a CSV file that `--rows` reads back, filled in.

use bareme_engine::authoring::WrittenCell;
use bareme_engine::law::BoundWord;

use super::columns::Column;
use super::{Args, CellName, day};
use crate::rule_files::RuleFiles;
use crate::series::{Series, is_same};
use crate::session::{Exit, Failure, Session};

/// Prints the sheet of the cells left to confirm.
pub(super) fn print_sheet(
    args: &Args,
    files: &RuleFiles,
    session: &Session,
) -> Result<Exit, Failure> {
    let series = Series::read(files, args.folder(), session)?;
    let date = day(args, &series, session)?;

    let Some(file) = series.on(date) else {
        return Ok(Exit::Unusable);
    };

    let requested = args.figure.as_deref().map(CellName::read);
    let mut writer = csv::WriterBuilder::new()
        .delimiter(b';')
        .from_writer(Vec::new());
    // The columns are in the language of the command; both are read back.
    let named = Column::OF_FOLDER.map(|column| column.name(session.lang).to_owned());
    let mut records = vec![named.to_vec()];

    for cell in file.unconfirmed(&series.shapes) {
        if requested
            .as_ref()
            .is_some_and(|requested| !requested.is(&cell))
        {
            continue;
        }

        let before = series
            .before(date)
            .and_then(|before| series.counterpart(&cell, file, before));
        let [before, own] = [before.as_ref(), Some(&cell)]
            .map(|cell| value_of(cell).unwrap_or_default().to_owned());
        // A proposal that is the earlier value need not be shown twice.
        let proposed = if is_same(&before, &own) {
            String::new()
        } else {
            own
        };
        let to_fill = std::iter::repeat_n(String::new(), 3);

        records.push(
            [cell.name(), keys_of(&series, &cell), before, proposed]
                .into_iter()
                .chain(to_fill)
                .collect(),
        );
    }

    for record in records {
        writer
            .write_record(record)
            .map_err(|error| Failure::unusable(error.to_string()))?;
    }

    let bytes = writer
        .into_inner()
        .map_err(|error| Failure::unusable(error.to_string()))?;
    session.print(&String::from_utf8_lossy(&bytes))?;
    Ok(Exit::Fine)
}

pub(in crate::command) fn value_of<'n>(cell: Option<&WrittenCell<'n>>) -> Option<&'n str> {
    cell?.text.map(|text| text.value.as_str())
}

/// Name of the row of a cell: its keys and, for a value, its bound.
pub(in crate::command) fn keys_of(series: &Series, cell: &WrittenCell) -> String {
    let Some(shape) = series
        .shapes
        .iter()
        .find(|shape| shape.name == cell.figure && shape.has_rows())
    else {
        return String::new();
    };

    let is_key = |key: &str| shape.keys.iter().any(|known| known.name == key);
    // The bound names the row of a value, but not the cell that is the bound itself.
    let is_bound =
        |key: &str| Some(key) != cell.column && BoundWord::ALL.iter().any(|(word, _)| *word == key);

    let named = cell
        .part
        .entries()
        .iter()
        .filter(|(key, _)| is_key(&key.value) || is_bound(&key.value));
    named
        .filter_map(|(key, value)| Some(format!("{} {}", key.value, value.text()?.value)))
        .collect::<Vec<_>>()
        .join(", ")
}
