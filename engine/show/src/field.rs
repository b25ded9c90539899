//! The value of a field of an answer, formatted for people.

use bareme_engine::law::{Field, FieldValue, Method, Type};
use bareme_engine::{Datum, Lang};

use crate::locale::{Locale, Medium, percent_sign};

/// The value of a single-valued field: an amount, a rate in percent, a year, the label of a word;
/// `None` for a list.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["ir"])
/// #     .load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("ir").ok_or("no such folder")?;
/// # let sent = [("revenu".to_owned(), "30000".to_owned())];
/// # let calculation = folder.calculate(&sent[..].into(), jiff::civil::date(2026, 3, 31))?;
/// let method = calculation.edition().method();
/// let shown = |name: &str| {
///     let (field, found) = calculation.fields().find(|(field, _)| field.name == name)?;
///     bareme_show::field(field, found, method, bareme_show::Locale::PAGE)
/// };
/// assert_eq!(shown("impot_net").as_deref(), Some("2\u{202f}104,00\u{a0}€"));
/// assert_eq!(shown("taux_effectif").as_deref(), Some("7,01\u{202f}%"));
/// assert_eq!(shown("situation").as_deref(), Some("Célibataire, divorcé ou séparé"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn field(field: &Field, found: &FieldValue, method: &Method, locale: Locale) -> Option<String> {
    let FieldValue::Scalar(scalar) = found else {
        return None;
    };

    let shown = value(field, scalar.datum(), method, locale);
    (!shown.is_empty()).then_some(shown)
}

/// Formats a value that a field may have.
pub fn value(field: &Field, found: Datum, method: &Method, locale: Locale) -> String {
    match found {
        // A year is a number without thousands.
        Datum::Number(year) if field.json_type() == "integer" => year.to_string(),
        Datum::Number(percent) if field.is_in_percent() && locale.medium == Medium::Page => {
            format!("{}{}", locale.number(percent), percent_sign(locale.lang))
        }
        Datum::Text(word) => word_label(field.value_type(), word, method, locale.lang).to_owned(),
        found => locale.value_in(found, field.value_type(), method),
    }
}

/// The label of a word of a choice, where the method is in the language; any other text is
/// unchanged.
pub(crate) fn word_label<'w>(ty: Type, word: &'w str, method: &'w Method, lang: Lang) -> &'w str {
    let Type::Choice(input) = ty else { return word };
    if lang != method.lang {
        return word;
    }

    let label = input
        .of(method.inputs())
        .and_then(|input| input.values.iter().find(|(known, _)| known == word));

    label.map_or(word, |(_, label)| label)
}
