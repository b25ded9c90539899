//! The figures of a scale: the records in one table, each list of rows in its own.

use bareme_engine::{Column, Edition, Figure, Lang, Remark, Row, Scale, Shape, Type, Value};
use serde_json::json;

use crate::formula_words::{column, unit};
use crate::page::{Page, Table, Tone};
use crate::session::say;
use crate::words::{number, percent};

/// Adds the figures of an edition to a page.
pub(super) fn show(edition: &Edition, page: &mut Page, lang: Lang) {
    let Some(scale) = edition.scale() else { return };
    let figures = || edition.method().figures().iter().zip(&scale.figures);
    page.heading(say!(lang, "Chiffres", "Figures"));
    let mut records = super::pairs(say!(lang, "Chiffre", "Figure"), say!(lang, "Valeur", "Value"))
        .text(say!(lang, "Sources", "Sources"));
    for (shape, figure) in figures().filter(|(shape, _)| !shape.has_rows()) {
        let cells = shape.columns.iter().zip(&figure.record);
        let cells = cells.filter_map(|(column, cell)| Some(in_words(column, cell.as_ref()?, edition, lang)));
        records.row([
            shape.name.as_str().into(),
            cells.collect::<Vec<_>>().join("\n").into(),
            sources(scale, figure, lang).into(),
        ]);
    }
    if !records.is_empty() {
        page.table(records);
    }
    for (shape, figure) in figures().filter(|(shape, _)| shape.has_rows()) {
        page.heading(format!("`{}` ({})", shape.name, sources(scale, figure, lang)).replace(" ()", ""));
        page.table(rows(edition, shape, figure, lang));
    }
    for (shape, figure) in figures() {
        let remarks = [&figure.remark].into_iter().chain(figure.rows.iter().map(|row| &row.remark));
        for remark in remarks.filter(|remark| !remark.is_empty()) {
            page.toned(remark_text(&shape.name, remark, lang), Tone::Warning);
        }
    }
}

fn remark_text(figure: &str, remark: &Remark, lang: Lang) -> String {
    let confidence = match remark.confidence.as_deref() {
        Some("low") => say!(lang, ", confiance faible", ", low confidence"),
        Some(_) => say!(lang, ", confiance moyenne", ", medium confidence"),
        None => String::new(),
    };
    let note = remark.note.as_deref().map(|note| format!(" : {note}")).unwrap_or_default();
    format!("`{figure}`{confidence}{note}")
}

/// The title of a column with what its amounts are counted in: `montant (XOF par mois)`.
fn titled(title: String, ty: Type, edition: &Edition, lang: Lang) -> String {
    match unit(ty, edition.method().currency.as_deref(), lang) {
        Some(unit) => format!("{title} ({unit})"),
        None => title,
    }
}

/// A value of a record after the name of its column, with what it is counted in.
fn in_words(known: &Column, cell: &Value, edition: &Edition, lang: Lang) -> String {
    let unit = unit(known.ty, edition.method().currency.as_deref(), lang).unwrap_or_default();
    format!("{} {} {unit}", column(&known.name, lang), shown(cell, known.ty, lang)).trim_end().to_owned()
}

fn rows(edition: &Edition, shape: &Shape, figure: &Figure, lang: Lang) -> Table {
    let mut table = Table::default();
    for key in &shape.keys {
        table = table.text(&key.name);
    }
    if shape.bound.is_some() {
        let ty = shape.bound.unwrap_or(Type::Unknown);
        table = table.number(titled(bound_title(figure, lang), ty, edition, lang));
    }
    for known in &shape.columns {
        let title = titled(column(&known.name, lang), known.ty, edition, lang);
        table = if known.ty == Type::Text { table.text(title) } else { table.number(title) };
    }
    for row in figure.rows.iter() {
        let keys = shape.keys.iter().zip(&row.keys).map(|(key, values)| {
            let input = key.input.and_then(|input| input.of(edition.method().inputs()));
            let word = |value: &Value| match input {
                Some(input) if matches!(value, Value::Word(_)) => input.sent_text(value),
                _ => shown(value, input.map_or(Type::Number, |input| input.ty), lang),
            };
            if values.is_empty() {
                say!(lang, "autres", "others")
            } else {
                values.iter().map(word).collect::<Vec<_>>().join("; ")
            }
        });
        let bound = shape.bound.map(|ty| bound(row, ty, lang));
        let cells = shape.columns.iter().zip(&row.cells);
        let cells =
            cells.map(|(column, cell)| cell.as_ref().map(|value| shown(value, column.ty, lang)).unwrap_or_default());
        table.row(keys.chain(bound).chain(cells).map(Into::into));
    }
    table
}

fn bound(row: &Row, ty: Type, lang: Lang) -> String {
    row.bound.map_or_else(|| "–".to_owned(), |bound| shown(&Value::Number(bound.value), ty, lang))
}

fn bound_title(figure: &Figure, lang: Lang) -> String {
    match figure.rows.iter().find_map(|row| row.bound).map(|bound| bound.word.name()) {
        Some("up_to") => say!(lang, "jusqu'à", "up to"),
        Some("below") => say!(lang, "en dessous de", "below"),
        Some("over") => say!(lang, "au-delà de", "over"),
        _ => say!(lang, "à partir de", "from"),
    }
}

fn shown(value: &Value, ty: Type, lang: Lang) -> String {
    match value {
        Value::Number(rate) if ty == Type::Rate => percent(rate.normalize(), lang),
        Value::Number(amount) => number(*amount, lang),
        Value::Boolean(value) => value.to_string(),
        Value::Text(text) => text.to_string(),
        _ => String::new(),
    }
}

/// The ids of what sets a figure, then of what it was checked against.
fn sources(scale: &Scale, figure: &Figure, lang: Lang) -> String {
    let (texts, evidence) = (ids(scale, &figure.sources), ids(scale, &figure.evidence));
    match (texts.as_str(), evidence.as_str()) {
        (_, "") => texts,
        ("", _) => say!(lang, "vérifié avec {evidence}", "checked with {evidence}"),
        _ => say!(lang, "{texts} ; vérifié avec {evidence}", "{texts}; checked with {evidence}"),
    }
}

fn ids(scale: &Scale, indices: &[usize]) -> String {
    let ids = indices.iter().filter_map(|index| scale.sources.get(*index)).map(|source| source.id.as_str());
    ids.collect::<Vec<_>>().join(", ")
}

/// The figures for programs: names, columns and values in words.
pub(super) fn described(edition: &Edition) -> Vec<serde_json::Value> {
    let Some(scale) = edition.scale() else { return Vec::new() };
    let cells = |shape: &Shape, cells: &[Option<Value>]| {
        let named = shape.columns.iter().zip(cells);
        let named = named.filter_map(|(column, cell)| {
            Some((column.name.clone(), shown(cell.as_ref()?, column.ty, Lang::Fr).into()))
        });
        serde_json::Value::Object(named.collect())
    };
    let figure = |(shape, figure): (&Shape, &Figure)| {
        let rows = figure.rows.iter().map(|row| cells(shape, &row.cells)).collect::<Vec<_>>();
        let values = if shape.has_rows() { rows.into() } else { cells(shape, &figure.record) };
        json!({"nom": shape.name, "valeurs": values, "sources": ids(scale, &figure.sources), "verifie_avec": ids(scale, &figure.evidence)})
    };
    edition.method().figures().iter().zip(&scale.figures).map(figure).collect()
}
