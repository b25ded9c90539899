//! Values of the command line.

use std::borrow::Cow;

use bareme_engine::Lang;
use bareme_show::spreadsheet::{self, is_ambiguous};
use rust_decimal::Decimal;

use crate::session::{Failure, Session};

/// Converts a value of the command line to the form of the API, by the same reading of numbers as a
/// French file.
///
/// # Errors
/// A number that reads in two ways; the message says how to write it.
pub(crate) fn argument(text: &str, lang: Lang) -> Result<String, String> {
    spreadsheet::argument(text).map_err(|reason| reason.in_lang(lang).to_owned())
}

/// A value of the API as it is typed on the command line: a number that would read in two ways has
/// a decimal comma.
pub(crate) fn typed(sent: &str) -> Cow<'_, str> {
    // Most values are typed as they are sent: only a number such as `1.234`, which a French reader
    // may take for thousands, is changed.
    if !sent.split(';').any(is_ambiguous) {
        return Cow::Borrowed(sent);
    }

    let values = sent.split(';').map(|value| {
        if is_ambiguous(value) {
            value.replace('.', ",")
        } else {
            value.to_owned()
        }
    });
    Cow::Owned(values.collect::<Vec<_>>().join(";"))
}

/// A number of an option of the command line; `None` for any other text.
///
/// # Errors
/// One that reads in two ways; the message says how to write it.
pub(crate) fn number(text: &str, session: &Session) -> Result<Option<Decimal>, Failure> {
    let plain = argument(text.trim(), session.lang)
        .map_err(|reason| Failure::unusable(format!("{reason}.")))?;

    // A text that is no number is not an error here: the caller reports what it expects.
    Ok(plain.parse().ok())
}

/// Parses `column=parameter` on the command line.
pub(crate) fn column_mapping(text: &str) -> Result<(String, String), &'static str> {
    let (column, parameter) = text.split_once('=').ok_or("column=parameter")?;
    let (column, parameter) = (column.trim(), parameter.trim());

    // An empty side would match a column or a parameter without a name, which none has.
    if column.is_empty() || parameter.is_empty() {
        return Err("column=parameter");
    }
    Ok((column.to_owned(), parameter.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_to_be_typed_reads_back_as_it_was_sent() {
        for sent in ["683.975", "2600.5", "ci"] {
            assert_eq!(argument(&typed(sent), Lang::En).as_deref(), Ok(sent));
        }
        assert_eq!(typed("683.975;1000"), "683,975;1000");
    }
}
