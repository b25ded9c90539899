//! Cells of text that a spreadsheet would take for formulas.

use std::borrow::Cow;

use rust_decimal::Decimal;

/// First letters by which a spreadsheet takes a cell for a formula.
const SIGNS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// A text as a cell: an apostrophe before it, by which spreadsheets take it for a text, where it
/// would be a formula. Numbers stay as they are.
pub(super) fn guarded(cell: Cow<'_, str>) -> Cow<'_, str> {
    // A file may come from anybody, and be opened by somebody else.
    if cell.starts_with(SIGNS) && !is_number(&cell) {
        return Cow::Owned(format!("'{cell}"));
    }
    cell
}

/// Whether a text is a number, as files write them: `-3 200,50 €`, `+2.5`, `-1e5`.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_part = |letter: char| {
        letter.is_ascii_digit()
            || matches!(letter, ' ' | '\u{a0}' | '\u{202f}' | '.' | ',' | '%' | '€')
    };
    let is_plain = unsigned.starts_with(|letter: char| letter.is_ascii_digit())
        && unsigned.chars().all(is_part);
    is_plain || Decimal::from_scientific(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_marked_as_texts_and_numbers_are_not() {
        for formula in [
            "=1+1",
            "+cmd|' /C calc'!A0",
            "-2+3",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            "-",
            "=5",
        ] {
            assert_eq!(guarded(formula.into()), format!("'{formula}"));
        }
        for text in [
            "-5",
            "+2.50",
            "-3 200,50 €",
            "-1e5",
            "+33 6 12 34 56 78",
            "m1",
            "",
            "a=b",
        ] {
            assert_eq!(guarded(text.into()), text);
        }
    }
}
