//! Workbooks of Excel (`.xlsx`): the rows of the first worksheet, as texts.
//!
//! A number of a workbook is a double. It is given with the fifteen digits that Excel keeps and
//! shows: those that were typed, and `0.3` where a formula adds 0.1 and 0.2.

use std::collections::BTreeSet;
use std::io::Cursor;

use bareme_engine::say;
use bareme_engine::text::Text;
use calamine::{DataRef, ExcelDateTime, Reader, SheetType, Style, Xlsx, XlsxError};
use jiff::civil::Date;
use rust_decimal::Decimal;

/// The ending of the names of workbooks.
pub(crate) const ENDING: &str = "xlsx";
/// How a workbook begins, as any archive of its kind.
const BEGINNING: &[u8] = b"PK\x03\x04";

/// A cell of a workbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SheetCell {
    Empty,
    /// A text, a day or a boolean, in the form of the API.
    Text(String),
    /// A number, with a point before its decimals.
    Number(String),
    /// A number that is shown in percent: `7%`, of 0.07.
    Percent(String),
}

impl SheetCell {
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(text) => text.trim().is_empty(),
            Self::Number(_) | Self::Percent(_) => false,
        }
    }
}

/// A row of a worksheet: its number, from 1, and its cells from the first column.
pub(crate) type SheetRow = (u64, Vec<SheetCell>);

/// Whether the bytes of a file are those of a workbook.
pub(crate) fn is_workbook(bytes: &[u8]) -> bool {
    bytes.starts_with(BEGINNING)
}

/// Why a workbook cannot be read.
#[derive(Debug)]
pub(crate) struct Unreadable(XlsxError);

impl Unreadable {
    /// The cause and the cure.
    pub(crate) fn sentence(&self) -> Text<String> {
        let Self(error) = self;
        say!(
            "ce n’est pas un classeur Excel qui se lise ({error}) : l’ouvrir dans le tableur, et \
             l’enregistrer comme « Classeur Excel (.xlsx) », sans mot de passe",
            "it is no Excel workbook that can be read ({error}): open it in the spreadsheet, and \
             save it as \"Excel Workbook (.xlsx)\", without a password"
        )
    }
}

/// The rows of the first worksheet that are not empty.
///
/// # Errors
/// A file that is no workbook, is damaged, or is protected by a password.
pub(crate) fn rows(bytes: Vec<u8>) -> Result<Vec<SheetRow>, Unreadable> {
    read(bytes).map_err(Unreadable)
}

fn read(bytes: Vec<u8>) -> Result<Vec<SheetRow>, XlsxError> {
    // 1. The first worksheet; sheets of charts have no cells.
    let mut workbook = Xlsx::new(Cursor::new(bytes))?;
    let sheets = workbook.sheets_metadata();
    let first = sheets
        .iter()
        .find(|sheet| sheet.typ == SheetType::WorkSheet);
    let Some(name) = first.map(|sheet| sheet.name.clone()) else {
        return Ok(Vec::new());
    };

    // 2. The styles that show a number in percent.
    let mut cells = workbook.worksheet_cells_reader(&name)?;
    let percents: Vec<bool> = cells.styles().iter().map(is_percent).collect();

    // 3. The cells, which come row by row; those that are not there are empty.
    let mut rows: Vec<SheetRow> = Vec::new();
    let mut blank: BTreeSet<(u32, u32)> = BTreeSet::new();
    while let Some((cell, style)) = cells.next_cell_with_style_id()? {
        let (row, column) = cell.get_position();
        let value = value(cell.get_value(), percents.get(style) == Some(&true));
        if value.is_empty() {
            if value != SheetCell::Empty {
                blank.insert((row, column));
            }
            continue;
        }

        let line = u64::from(row).saturating_add(1);
        if rows.last().is_none_or(|(last, _)| *last != line) {
            rows.push((line, Vec::new()));
        }
        if let Some((_, cells)) = rows.last_mut() {
            let column = usize::try_from(column).unwrap_or_default();
            let length = cells.len().max(column.saturating_add(1));
            cells.resize(length, SheetCell::Empty);
            if let Some(cell) = cells.get_mut(column) {
                *cell = value;
            }
        }
    }

    // 4. A formula whose result the file does not have is shown as it is written: an empty cell
    // would be a value that nobody gave. One whose result is an empty text is empty.
    drop(cells);
    let mut formulas = workbook.worksheet_cells_reader(&name)?;
    while let Some(formula) = formulas.next_formula()? {
        let position = formula.get_position();
        if !formula.get_value().is_empty() && !blank.contains(&position) {
            add_formula(&mut rows, position, formula.get_value());
        }
    }

    Ok(rows)
}

/// Writes a formula into a cell without a value.
fn add_formula(rows: &mut Vec<SheetRow>, (row, column): (u32, u32), written: &str) {
    let line = u64::from(row).saturating_add(1);
    let column = usize::try_from(column).unwrap_or_default();
    let at = rows.binary_search_by_key(&line, |(line, _)| *line);
    let at = at.unwrap_or_else(|at| {
        rows.insert(at, (line, Vec::new()));
        at
    });
    let Some((_, cells)) = rows.get_mut(at) else {
        return;
    };
    if cells.len() <= column {
        cells.resize(column.saturating_add(1), SheetCell::Empty);
    }
    if let Some(cell) = cells.get_mut(column).filter(|cell| cell.is_empty()) {
        *cell = SheetCell::Text(format!("={written}"));
    }
}

/// Whether a style shows numbers in percent; what is in quotes is a text.
fn is_percent(style: &Style) -> bool {
    let code = style
        .number_format
        .as_ref()
        .map(|format| &format.format_code);
    code.is_some_and(|code| {
        let outside = code.split('"').step_by(2);
        outside.into_iter().any(|part| part.contains('%'))
    })
}

fn value(cell: &DataRef, is_percent: bool) -> SheetCell {
    match cell {
        DataRef::Empty => SheetCell::Empty,
        DataRef::Int(number) => SheetCell::Number(number.to_string()),
        DataRef::Float(number) => number_of(fifteen_digits(*number), is_percent),
        DataRef::String(text) => SheetCell::Text(text.clone()),
        DataRef::SharedString(text) => SheetCell::Text((*text).to_owned()),
        DataRef::Bool(value) => SheetCell::Text(value.to_string()),
        DataRef::DateTime(moment) => SheetCell::Text(day(moment)),
        DataRef::DateTimeIso(text) => {
            // A moment at midnight is a day.
            let day = text.strip_suffix("T00:00:00").unwrap_or(text);
            SheetCell::Text(day.to_owned())
        }
        DataRef::DurationIso(text) => SheetCell::Text(text.clone()),
        DataRef::Error(error) => SheetCell::Text(error.to_string()),
    }
}

/// A double with fifteen significant digits, without the zeros at the end.
fn fifteen_digits(number: f64) -> String {
    let rounded = Decimal::from_scientific(&format!("{number:.14e}"));
    rounded.map_or_else(
        |_| number.to_string(),
        |known| known.normalize().to_string(),
    )
}

/// A number as it is shown: one of a style in percent is a hundred times what the file holds.
fn number_of(plain: String, is_percent: bool) -> SheetCell {
    let shown = || {
        let hundredfold = plain
            .parse::<Decimal>()
            .ok()?
            .checked_mul(Decimal::ONE_HUNDRED)?;
        Some(format!("{}%", hundredfold.normalize()))
    };

    match shown().filter(|_| is_percent) {
        Some(percent) => SheetCell::Percent(percent),
        None => SheetCell::Number(plain),
    }
}

/// A day as AAAA-MM-JJ, with its hour where it has one.
fn day(moment: &ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, thousandth) = moment.to_ymd_hms_milli();
    let parts = (i16::try_from(year), i8::try_from(month), i8::try_from(day));
    let date = match parts {
        (Ok(year), Ok(month), Ok(day)) => Date::new(year, month, day).ok(),
        _ => None,
    };

    // Excel counts a day that 1900 did not have, and shows durations as days.
    let is_day = moment.is_datetime() && (hour, minute, second, thousandth) == (0, 0, 0, 0);
    match date.filter(|_| moment.is_datetime()) {
        Some(date) if is_day => date.to_string(),
        Some(date) => format!("{date} {hour:02}:{minute:02}:{second:02}"),
        None => moment.as_f64().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use rust_xlsxwriter::{ExcelDateTime, Format, Formula, Workbook};

    use super::*;

    fn read_back(write: impl FnOnce(&mut rust_xlsxwriter::Worksheet)) -> Vec<SheetRow> {
        let mut workbook = Workbook::new();
        write(workbook.add_worksheet());
        workbook
            .add_worksheet()
            .write_string(0, 0, "other")
            .unwrap();
        read(workbook.save_to_buffer().unwrap()).unwrap()
    }

    #[test]
    fn numbers_keep_the_digits_that_were_typed() {
        for (number, text) in [
            (0.29, "0.29"),
            (2650.5, "2650.5"),
            (1_234_567_890.12, "1234567890.12"),
            (0.000_001, "0.000001"),
            (-3.0, "-3"),
            (1e15, "1000000000000000"),
            (999_999_999_999_999.0, "999999999999999"),
            (0.1 + 0.2, "0.3"),
            (2650.1 * 12.0, "31801.2"),
            (1e-40, "0.0000000000000000000000000000000000000001"),
        ] {
            let rows = read_back(|sheet| {
                sheet.write_number(2, 1, number).unwrap();
            });
            let cells = vec![SheetCell::Empty, SheetCell::Number(text.to_owned())];
            assert_eq!(rows, [(3, cells)]);
        }
    }

    #[test]
    fn cells_are_what_the_sheet_shows() {
        let rows = read_back(|sheet| {
            let day = ExcelDateTime::from_ymd(2027, 1, 31).unwrap();
            let moment = ExcelDateTime::from_ymd(2027, 1, 31)
                .unwrap()
                .and_hms(6, 30, 0)
                .unwrap();
            let of_days = Format::new().set_num_format("dd/mm/yyyy");
            sheet
                .write_datetime_with_format(0, 0, &day, &of_days)
                .unwrap();
            sheet
                .write_datetime_with_format(0, 1, &moment, &of_days)
                .unwrap();
            for (column, code) in [(2, "0%"), (3, "0.00%"), (4, "0.000 %"), (5, "0\"%\"")] {
                let format = Format::new().set_num_format(code);
                sheet
                    .write_number_with_format(0, column, 0.0735, &format)
                    .unwrap();
            }
            sheet.write_boolean(0, 6, true).unwrap();
            sheet.write_string(0, 7, " 007").unwrap();
        });
        let text = |text: &str| SheetCell::Text(text.to_owned());
        let percent = || SheetCell::Percent("7.35%".to_owned());
        let cells = vec![
            text("2027-01-31"),
            text("2027-01-31 06:30:00"),
            percent(),
            percent(),
            percent(),
            SheetCell::Number("0.0735".to_owned()),
            text("true"),
            text(" 007"),
        ];
        assert_eq!(rows, [(1, cells)]);
    }

    #[test]
    fn a_formula_without_its_result_is_shown_as_it_is_written() {
        let rows = read(include_bytes!("../tests/cli/confirm/formula.xlsx").to_vec()).unwrap();
        let (line, cells) = rows.last().unwrap();
        assert_eq!(*line, 2);
        assert_eq!(cells[4], SheetCell::Text("=1200+100".to_owned()));
        assert_eq!(cells[3], SheetCell::Empty);

        let rows = read_back(|sheet| {
            let formula = Formula::new("6000+1000").set_result("7000");
            sheet.write_formula(1, 0, formula).unwrap();
        });
        assert_eq!(rows, [(2, vec![SheetCell::Number("7000".to_owned())])]);
    }

    #[test]
    fn what_is_no_workbook_is_refused() {
        assert!(read(b"PK\x03\x04 no archive".to_vec()).is_err());
        assert!(read(Vec::new()).is_err());
    }
}
