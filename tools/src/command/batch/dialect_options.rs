//! The options that name the dialect of a CSV file.

use bareme_show::spreadsheet::NumberFormat;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use encoding_rs::Encoding;

/// The parser of an option that names an encoding.
pub(super) fn encoding_parser() -> impl TypedValueParser<Value = &'static Encoding> {
    // That of the web, that in which Excel saves CSV on a French Windows, and that of its Unicode
    // text.
    let names = PossibleValuesParser::new(["utf-8", "utf-16", "windows-1252"]);
    names.try_map(|name| Encoding::for_label(name.as_bytes()).ok_or(name))
}

/// The parser of an option that names a notation of numbers.
pub(super) fn locale_parser() -> impl TypedValueParser<Value = NumberFormat> {
    let names = PossibleValuesParser::new(["fr", "en"]);
    names.map(|name| {
        if name == "fr" {
            NumberFormat::Fr
        } else {
            NumberFormat::En
        }
    })
}
