//! A sheet as a workbook of Excel. Every value is a text, as the rule file writes it: a number of a
//! workbook would be a double, and `6.30%` would come back as 0.063.

use bareme_engine::Lang;
use bareme_show::say;
use rust_xlsxwriter::{Color, Format, FormatAlign, FormatBorder, IgnoreError, Workbook, XlsxError};

use super::super::columns::Column;
use super::cells::SheetRow;

/// The format of texts, which Excel neither reads as numbers nor as days.
const AS_TEXT: &str = "@";
const HEADER: Color = Color::RGB(0x00_D9_E1_F2);
const TO_FILL_IN: Color = Color::RGB(0x00_FF_F2_CC);
const TO_FILL_IN_HEADER: Color = Color::RGB(0x00_FF_D9_66);
const ALARM: Color = Color::RGB(0x00_C0_00_00);

/// The workbook of the rows, with their header.
pub(super) fn book(rows: &[SheetRow], lang: Lang) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    sheet.set_name(say!(lang, "À confirmer", "To confirm"))?;

    // 1. The header, which stays in view with the names of the cells.
    let header = Format::new()
        .set_bold()
        .set_background_color(HEADER)
        .set_border_bottom(FormatBorder::Thin);
    let filled_in = header.clone().set_background_color(TO_FILL_IN_HEADER);
    for (place, column) in (0..).zip(Column::OF_YEAR) {
        let format = if column.is_filled_in() {
            &filled_in
        } else {
            &header
        };
        sheet.write_string_with_format(0, place, column.name(lang), format)?;
        sheet.set_column_width(place, column.width())?;
    }
    sheet.set_freeze_panes(1, 3)?;

    // 2. The cells, those to be filled in marked.
    let plain = Format::new()
        .set_num_format(AS_TEXT)
        .set_align(FormatAlign::Top);
    let to_fill_in = plain
        .clone()
        .set_background_color(TO_FILL_IN)
        .set_border(FormatBorder::Hair);
    let alarm = plain.clone().set_font_color(ALARM);
    for (line, row) in (1..).zip(rows) {
        for (place, (column, text)) in (0..).zip(row.cells()) {
            match column {
                column if column.is_filled_in() => {
                    sheet.write_blank(line, place, &to_fill_in)?;
                }
                Column::Alarm => {
                    sheet.write_string_with_format(line, place, text, &alarm)?;
                }
                _ => {
                    sheet.write_string_with_format(line, place, text, &plain)?;
                }
            }
        }
    }

    // 3. The filters of the header; and no mark of Excel on numbers that are texts on purpose.
    let last = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    let end = u16::try_from(Column::OF_YEAR.len())
        .unwrap_or(u16::MAX)
        .saturating_sub(1);
    sheet.autofilter(0, 0, last, end)?;
    sheet.ignore_error_range(0, 0, last, end, IgnoreError::NumberStoredAsText)?;

    workbook.save_to_buffer()
}
