//! The items of a group in an answer, as a table: a row an item, a column a member.

use bareme_engine::Datum;
use bareme_engine::law::{FieldValue, ListedItem, Method, Type};

use crate::field::word_label;
use crate::locale::Locale;

/// A table of the items of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemTable {
    /// The heading of each column, and whether its values are numbers.
    pub headings: Vec<ItemHeading>,
    /// The values, by row.
    pub rows: Vec<Vec<String>>,
}

/// The heading of a column of an [`ItemTable`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemHeading {
    /// The label of the member, or else its name.
    pub title: String,
    /// Whether its values are numbers.
    pub is_number: bool,
}

impl ItemTable {
    /// The table of a field; `None` where it lists no item of a group.
    ///
    /// ```
    /// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../rules"));
    /// # let loader = bareme_engine::Loader::new().without_cases().only(&["facture"]);
    /// # let rules = loader.load(root).rules.ok_or("errors")?;
    /// # let folder = rules.folder("facture").ok_or("no such folder")?;
    /// use bareme_show::{ItemTable, Locale};
    ///
    /// let sent = [("montant".to_owned(), "100;50".to_owned())];
    /// let calculation = folder.calculate(&sent[..].into(), jiff::civil::date(2026, 3, 31))?;
    /// let lines = calculation.field("lignes").ok_or("no lines")?;
    /// let method = calculation.edition().method();
    /// let table = ItemTable::of(lines, method, Locale::PAGE).ok_or("no items")?;
    /// assert_eq!(table.headings[0].title, "Montant de la ligne");
    /// assert_eq!(table.rows[1][0], "50,00\u{a0}€");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(found: &FieldValue, method: &Method, locale: Locale) -> Option<Self> {
        let FieldValue::Items(items) = found else {
            return None;
        };
        let first = items.first()?;

        let headings = first.members().map(|(title, ty, _)| ItemHeading {
            title: title.to_owned(),
            is_number: matches!(ty, Type::Money(_) | Type::Rate | Type::Number | Type::Zero),
        });
        let row = |item: &ListedItem| row(item, method, locale);
        Some(Self {
            headings: headings.collect(),
            rows: items.iter().map(row).collect(),
        })
    }
}

/// The values of an item; an empty text for a member that it does not have.
fn row(item: &ListedItem, method: &Method, locale: Locale) -> Vec<String> {
    let shown = item
        .members()
        .map(|(_, ty, value)| match value.map(|value| value.datum()) {
            None => String::new(),
            Some(Datum::Text(word)) => word_label(ty, word, method, locale.lang).to_owned(),
            Some(value) => locale.value_in(value, ty, method),
        });
    shown.collect()
}
