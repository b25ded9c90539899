//! The figures of an edition as JSON: values, labels, units and sources. Rates are fractions, 0.063
//! for 6.3 %.

use bareme_engine::Lang;
use bareme_engine::law::{Figure, Key, Method, Remark, Row, Scale, Shape, Value as Held};
use bareme_engine::run::Edition;
use bareme_show::figures::{bound, given, sent_key, title};
use bareme_show::json::number;
use serde_json::{Value, json};

use super::{labels, object};

/// The figures, in the order of the method.
pub(super) fn describe(edition: &Edition) -> Vec<Value> {
    let (method, Some(scale)) = (edition.method(), edition.scale()) else {
        return Vec::new();
    };
    // A figure with rows has its values in them, another one in its record.
    let described = |(shape, figure): (&Shape, &Figure)| {
        let rows: Vec<Value> = figure
            .rows
            .iter()
            .map(|row| self::row(method, scale, shape, row))
            .collect();

        let option = shape.option.and_then(|option| method.options().get(option));
        let values = if shape.has_rows() {
            Value::Null
        } else {
            cells(shape, &figure.record)
        };

        let known = (
            &figure.sources[..],
            &figure.evidence[..],
            &figure.remark,
            &figure.confirmed,
        );

        let members = [
            ("nom", shape.name.clone().into()),
            ("libelle", title(method, &shape.name).into()),
            ("option", option.map(|option| option.name.clone()).into()),
            ("colonnes", columns(method, shape).into()),
            ("valeurs", values),
            ("lignes", rows.into()),
        ];
        object(members.into_iter().chain(certainty(scale, known)))
    };

    given(edition).map(described).collect()
}

/// The columns of a figure: keys, bound, values.
fn columns(method: &Method, shape: &Shape) -> Vec<Value> {
    // Keys first, as a row is looked up by them; then the bound of a bracket, then what it gives.
    let keys = shape.keys.iter().map(|key| {
        let input = key.input.and_then(|input| input.of(method.inputs()));
        object([
            ("nom", key.name.clone().into()),
            ("libelle", input.map(|input| input.label.clone()).into()),
            ("role", "cle".into()),
            (
                "type",
                input
                    .map_or("nombre", |input| labels::kind(input.ty))
                    .into(),
            ),
        ])
    });

    let bound = shape.bound.map(|ty| {
        let (kind, counted) = (labels::kind(ty), labels::counted_in(ty, method));
        object([
            ("nom", "borne".into()),
            ("role", "borne".into()),
            ("type", kind.into()),
            ("unite", counted),
        ])
    });

    let values = shape.columns.iter().map(|column| {
        object([
            ("nom", column.name.clone().into()),
            ("libelle", labels::of_column(column).into()),
            ("role", "valeur".into()),
            ("type", labels::kind(column.ty).into()),
            ("unite", labels::counted_in(column.ty, method)),
        ])
    });

    keys.chain(bound).chain(values).collect()
}

fn row(method: &Method, scale: &Scale, shape: &Shape, row: &Row) -> Value {
    let keys = shape
        .keys
        .iter()
        .zip(&row.keys)
        .map(|(key, values)| (key.name.clone(), key_values(method, key, values)));

    let bound = row.bound.map(|found| {
        json!({
            "genre": found.word.french(),
            "libelle": bound(found.word, Lang::Fr),
            "valeur": number(found.value),
        })
    });

    // A row adds its own certainty to its values: those of a table may differ row by row.
    let members = [
        ("cles", Value::Object(keys.collect())),
        ("borne", bound.unwrap_or_default()),
        ("valeurs", cells(shape, &row.cells)),
    ];

    let known = certainty(
        scale,
        (&row.sources, &row.evidence, &row.remark, &row.confirmed),
    );
    object(members.into_iter().chain(known))
}

/// The values of a key that a row lists, as a query sends them; `null`: any other value.
fn key_values(method: &Method, key: &Key, values: &[Held]) -> Value {
    let input = key.input.and_then(|input| input.of(method.inputs()));
    // Words as a query sends them, with the label that a person reads.
    let one = |value: &Held| {
        let sent = sent_key(method, key, value);
        let label = input.and_then(|input| input.values.iter().find(|(word, _)| *word == sent));
        object([
            ("valeur", sent.into()),
            ("libelle", label.map(|(_, label)| label.clone()).into()),
        ])
    };

    // A row without values of the key takes those that no other row lists.
    if values.is_empty() {
        "autres".into()
    } else {
        values.iter().map(one).collect()
    }
}

/// The columns of a row that have a value.
fn cells(shape: &Shape, cells: &[Option<Held>]) -> Value {
    // Cells that this edition leaves empty are left out.
    let named = shape.columns.iter().zip(cells);
    let values =
        named.filter_map(|(column, cell)| Some((column.name.clone(), value(cell.as_ref()?))));
    Value::Object(values.collect())
}

/// A value of a figure.
pub(super) fn value(value: &Held) -> Value {
    match value {
        Held::Number(found) => number(*found),
        Held::Boolean(found) => (*found).into(),
        Held::Text(text) => text.to_string().into(),
        _ => Value::Null,
    }
}

/// The sources and the evidence of a figure or a row, and its certainty.
fn certainty(
    scale: &Scale,
    (sources, evidence, remark, confirmed): (&[usize], &[usize], &Remark, &Option<String>),
) -> [(&'static str, Value); 5] {
    // By id: the texts themselves are listed once, at the end of the edition.
    let ids = |indices: &[usize]| -> Value {
        indices
            .iter()
            .filter_map(|index| scale.sources.get(*index))
            .map(|source| source.id.clone())
            .collect()
    };
    [
        ("sources", ids(sources)),
        ("verifie_avec", ids(evidence)),
        ("confiance", remark.confidence_in(Lang::Fr).into()),
        ("note", remark.note.clone().into()),
        ("inchange", confirmed.clone().into()),
    ]
}
