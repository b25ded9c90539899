//! The figures of a scale: records in one table, each list of rows in a table of its own.

use bareme_engine::Lang;
use bareme_engine::law::{BoundWord, Column, Figure, Scale, Shape, Type, Value};
use bareme_engine::run::Edition;
use bareme_show::figures::{self, bound, given, remark, remarks};
use bareme_show::{Table, Tone, column, say, unit};
use serde_json::json;

use crate::page::Page;

/// Adds the figures of an edition to a page.
pub(super) fn show(edition: &Edition, page: &mut Page, lang: Lang) {
    let Some(scale) = edition.scale() else { return };
    page.heading(say!(lang, "Chiffres", "Figures"));

    // Figures with one record share a table; each list of rows has columns of its own.
    let mut records = super::pairs(
        say!(lang, "Chiffre", "Figure"),
        say!(lang, "Valeur", "Value"),
    )
    .text(say!(lang, "Sources", "Sources"));

    for (shape, figure) in given(edition).filter(|(shape, _)| !shape.has_rows()) {
        let cells = shape.columns.iter().zip(&figure.record);
        let cells = cells
            .filter_map(|(column, cell)| Some(in_words(column, cell.as_ref()?, edition, lang)));
        records.row([
            shape.name.as_str().into(),
            cells.collect::<Vec<_>>().join("\n").into(),
            sources(scale, figure, lang).into(),
        ]);
    }

    if !records.is_empty() {
        page.table(records);
    }

    for (shape, figure) in given(edition).filter(|(shape, _)| shape.has_rows()) {
        page.heading(
            // A figure without sources has no parentheses.
            format!("`{}` ({})", shape.name, sources(scale, figure, lang)).replace(" ()", ""),
        );
        page.table(rows(edition, shape, figure, lang));
    }

    for (figure, found) in remarks(edition) {
        page.toned(remark(&format!("`{figure}`"), found, lang), Tone::Warning);
    }
}

/// The title of a column with its unit: `montant (XOF par mois)`.
fn titled(title: &str, ty: Type, edition: &Edition, lang: Lang) -> String {
    match unit(ty, edition.method().currency.as_deref(), lang) {
        Some(unit) => format!("{title} ({unit})"),
        None => title.to_owned(),
    }
}

/// A value of a record after the name of its column, with its unit.
fn in_words(declared: &Column, cell: &Value, edition: &Edition, lang: Lang) -> String {
    let unit = unit(declared.ty, edition.method().currency.as_deref(), lang).unwrap_or_default();

    format!(
        "{} {} {unit}",
        column(&declared.name, lang),
        shown(cell, declared.ty, edition, lang)
    )
    .trim_end()
    .to_owned()
}

fn rows(edition: &Edition, shape: &Shape, figure: &Figure, lang: Lang) -> Table {
    let mut table = Table::default();
    // The columns: keys, bound, values.
    for key in &shape.keys {
        table = table.text(&key.name);
    }

    if let Some(ty) = shape.bound {
        // All rows of a table have the same word for their bound.
        let word = figure
            .rows
            .iter()
            .find_map(|row| row.bound)
            .map_or(BoundWord::From, |bound| bound.word);
        table = table.number(titled(&bound(word, lang), ty, edition, lang));
    }

    for declared in &shape.columns {
        let title = titled(column(&declared.name, lang), declared.ty, edition, lang);
        table = if declared.ty == Type::Text {
            table.text(title)
        } else {
            table.number(title)
        };
    }

    // The rows. A row without key is the one for all others.
    for row in figure.rows.iter() {
        let keys = shape.keys.iter().zip(&row.keys).map(|(key, values)| {
            let input = key
                .input
                .and_then(|input| input.of(edition.method().inputs()));
            let word = |value: &Value| match input {
                Some(input) if matches!(value, Value::Word(_)) => input.sent_text(value),
                _ => shown(
                    value,
                    input.map_or(Type::Number, |input| input.ty),
                    edition,
                    lang,
                ),
            };
            if values.is_empty() {
                say!(lang, "autres", "others")
            } else {
                values.iter().map(word).collect::<Vec<_>>().join("; ")
            }
        });

        let bound = |ty| {
            row.bound.map_or_else(
                || "–".to_owned(),
                |bound| shown(&Value::Number(bound.value), ty, edition, lang),
            )
        };

        let cells = shape.columns.iter().zip(&row.cells);
        let cells = cells.map(|(column, cell)| {
            cell.as_ref()
                .map(|value| shown(value, column.ty, edition, lang))
                .unwrap_or_default()
        });

        table.row(
            keys.chain(shape.bound.map(bound))
                .chain(cells)
                .map(Into::into),
        );
    }
    table
}

fn shown(value: &Value, ty: Type, edition: &Edition, lang: Lang) -> String {
    figures::value(value, ty, edition.method().decimals, lang.into())
}

/// The ids of the sources of a figure, then of its evidence.
fn sources(scale: &Scale, figure: &Figure, lang: Lang) -> String {
    // Evidence sets no figure: it is named after the texts.
    let (texts, evidence) = (ids(scale, &figure.sources), ids(scale, &figure.evidence));
    match (texts.as_str(), evidence.as_str()) {
        (_, "") => texts,
        ("", _) => say!(lang, "vérifié avec {evidence}", "checked with {evidence}"),
        _ => say!(
            lang,
            "{texts} ; vérifié avec {evidence}",
            "{texts}; checked with {evidence}"
        ),
    }
}

fn ids(scale: &Scale, indices: &[usize]) -> String {
    let ids = indices
        .iter()
        .filter_map(|index| scale.sources.get(*index))
        .map(|source| source.id.as_str());
    ids.collect::<Vec<_>>().join(", ")
}

/// The figures as JSON: names, columns and values in words.
pub(super) fn to_json(edition: &Edition) -> Vec<serde_json::Value> {
    let Some(scale) = edition.scale() else {
        return Vec::new();
    };
    let cells = |shape: &Shape, cells: &[Option<Value>]| {
        let named = shape.columns.iter().zip(cells);
        let named = named.filter_map(|(column, cell)| {
            Some((
                column.name.clone(),
                shown(cell.as_ref()?, column.ty, edition, Lang::Fr).into(),
            ))
        });
        serde_json::Value::Object(named.collect())
    };

    // A table has a list of rows, a record one object.
    let figure = |(shape, figure): (&Shape, &Figure)| {
        let rows = figure
            .rows
            .iter()
            .map(|row| cells(shape, &row.cells))
            .collect::<Vec<_>>();

        let values = if shape.has_rows() {
            rows.into()
        } else {
            cells(shape, &figure.record)
        };
        json!({
            "nom": shape.name,
            "valeurs": values,
            "sources": ids(scale, &figure.sources),
            "verifie_avec": ids(scale, &figure.evidence),
        })
    };

    given(edition).map(figure).collect()
}
