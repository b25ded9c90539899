//! The schema of the dated files of a method, and of the sources that they name.

use serde_json::{Map, Value, json};

use crate::law::figure::{
    CONFIDENCE, CONFIRMED, EVIDENCE, NOTE, PERIOD, REVIEWED, ROWS, SOURCE, UNCONFIRMED,
};
use crate::law::{BoundWord, Input, Method, Shape, SourceKind, Type};

use super::forms::{
    address, amount, closed, date, described, file, format_key, one_of, properties, rate, scalar,
    text,
};

pub(super) fn sources_schema() -> Value {
    let source = closed(
        properties([
            (
                "kind",
                one_of(
                    &SourceKind::WRITTEN.map(|(word, ..)| word),
                    "law: a legal text; administration: an official page or table; secondary: \
                     evidence only, for `checked_with`",
                ),
            ),
            ("title", text("title of the text")),
            ("article", text("articles that hold the figures")),
            ("publisher", text("who publishes it")),
            ("published", text("gazette, with its number, date and page")),
            ("date", date("date of the text")),
            (
                "identifier",
                text("stable identifier: ELI, NOR, number of the text"),
            ),
            ("url", address("address")),
        ]),
        &["kind", "title", "publisher"],
    );

    json!({
        "type": "object",
        "additionalProperties": source,
        "minProperties": 1,
        "propertyNames": {"pattern": "^[a-z0-9][a-z0-9_-]*$"},
        "description": "where the figures come from: id -> kind, title, article, publisher, \
                        published, date, identifier, url"
    })
}

fn watch_schema() -> Value {
    let watched = closed(
        properties([
            ("text", text("the text that is awaited, in French")),
            ("expected", date("day by which it is expected")),
            (
                "changes",
                text("what of the scale it will change, in French"),
            ),
        ]),
        &["text", "expected", "changes"],
    );

    json!({
        "type": "array",
        "minItems": 1,
        "items": watched,
        "description": "texts to come that will change the scale"
    })
}

/// Schema of the dated files of a method.
///
/// Used as [`method_schema`](crate::set::method_schema): the figures that it asks for are those of
/// the method.
pub fn scale_schema(method: &Method) -> Value {
    // With the figures of every option and of every day: what one file leaves out is another's.
    let method = method.whole();
    let figures: Map<String, Value> = method
        .figures()
        .iter()
        .filter(|shape| shape.shared.is_none())
        .map(|shape| (shape.name.clone(), figure_schema(shape, method)))
        .collect();
    // Figures that a file has to give, of the method or of an option: all but the figures of some
    // days only, which the reader checks against the day of the file.
    let names = |option: Option<usize>| -> Vec<&str> {
        let shapes = method
            .figures()
            .iter()
            .filter(|shape| shape.option == option && !shape.may_be_absent())
            .filter(|shape| shape.shared.is_none());
        shapes.map(|shape| shape.name.as_str()).collect()
    };

    let mut entries = head_keys();
    entries.extend(properties([
        ("sources", sources_schema()),
        ("figures", closed(figures, &names(None))),
    ]));

    let options: Vec<Value> = method
        .options()
        .iter()
        .enumerate()
        .map(|(index, option)| left_out_or_whole(&option.name, &names(Some(index))))
        .collect();
    if !options.is_empty() {
        entries.insert(
            "without".to_owned(),
            text("options whose figures are not known, separated by `;`"),
        );
    }

    // A method may read the figures of other folders, and have none of its own.
    let required = ["format", "title", "sources", "figures"];
    let mut own = method.figures().iter();
    let has_figures = own.any(|shape| shape.shared.is_none());
    let required: Vec<&str> = required
        .into_iter()
        .filter(|key| has_figures || *key != "figures")
        .collect();
    let mut schema = file(&format!("Barème: {}", method.title), entries, &required);
    // A condition of the whole file, since it links two of its sections.
    if let (Value::Object(members), false) = (&mut schema, options.is_empty()) {
        members.insert("allOf".to_owned(), options.into());
    }
    schema
}

/// The keys of a dated file above its sources and figures.
fn head_keys() -> Map<String, Value> {
    properties([
        ("format", format_key()),
        ("title", text("title of the scale, in French")),
        (
            "method",
            json!({
                "type": "string",
                "pattern": r"^method(-[a-z0-9-]+)?\.yaml$",
                "description": "the method, `method.yaml` if absent",
                "x-form": [
                    "un fichier `method.yaml` ou `method-<nom>.yaml`",
                    "a file `method.yaml` or `method-<name>.yaml`"
                ]
            }),
        ),
        (
            "state",
            one_of(
                &["draft"],
                "the file is prepared and never in force, until this key is removed",
            ),
        ),
        (
            "carry_forward",
            json!({
                "enum": [true, "true"],
                "description": "what `bareme confirm` changes in this draft is written into the \
                                later files too, where they have the value before"
            }),
        ),
        ("until", date("last day in force, if the law ends it")),
        (
            "known_until",
            date("last day checked; absent: end of the year of the file. Later days get a warning"),
        ),
        (
            "checked",
            date("day on which the figures were last read in the texts"),
        ),
        ("watch", watch_schema()),
        (
            "citation",
            text("text that names the sources in the answers, in French"),
        ),
        ("note", text("a note, in French")),
        (
            REVIEWED,
            text("the reason for which what `check` found in the file as a whole is right"),
        ),
    ])
}

/// Requires a file either to give every figure of an option, or to leave the option out and give
/// none.
fn left_out_or_whole(option: &str, figures: &[&str]) -> Value {
    let names_option = json!({"type": "string", "pattern": format!("(^|;) *{option} *(;|$)")});
    let none: Map<String, Value> = figures
        .iter()
        .map(|name| ((*name).to_owned(), false.into()))
        .collect();

    json!({
        "if": {"properties": {"without": names_option}, "required": ["without"]},
        "then": {"properties": {"figures": {"properties": none}}},
        "else": {"properties": {"figures": {"required": figures}}},
    })
}

/// A figure of a dated file: a record, or rows.
fn figure_schema(shape: &Shape, method: &Method) -> Value {
    let columns = shape
        .columns
        .iter()
        .map(|column| (column.name.clone(), cell(column.ty, &column.name)));
    let required = shape
        .columns
        .iter()
        .filter(|column| !column.optional)
        .map(|column| column.name.as_str());
    let required: Vec<&str> = required.collect();
    let period = Some(text(
        "period of the amounts: month, year, or `bound month; amount year`",
    ));

    if !shape.has_rows() {
        let mut record = annotations("figure", "it", period, mark("the figure"));
        record.extend(columns);
        return closed(record, &required);
    }

    // A figure of several rows: keys that choose the row, a bound under any of its words, columns.
    let mut row = annotations("row", "this row", None, mark("the row"));
    for key in &shape.keys {
        let input = key.input.and_then(|input| input.of(method.inputs()));
        row.insert(key.name.clone(), key_cell(input));
    }
    if let Some(bound) = shape.bound {
        row.extend(
            BoundWord::ALL.map(|(word, _)| (word.to_owned(), cell(bound, "bound of the row"))),
        );
    }
    row.extend(columns);

    // A figure of several rows is marked as a whole here; each row names its own cells.
    let unconfirmed = json!({
        "enum": [true, "true"],
        "description": "the figure is a proposal: the file is a draft, never in force, until each \
                        of its cells is confirmed and this key removed"
    });
    let mut figure = annotations("figure", "it", period, unconfirmed);
    figure.insert(
        ROWS.to_owned(),
        json!({"type": "array", "minItems": 1, "items": closed(row, &required)}),
    );
    closed(figure, &[ROWS])
}

/// Schema of the annotations of a figure or row: sources, period, confidence, notes; `it` names the
/// part in sentences.
fn annotations(
    part: &str,
    it: &str,
    period: Option<Value>,
    unconfirmed: Value,
) -> Map<String, Value> {
    let set_by =
        format!("ids of the legal texts and official pages that set {it}, separated by `;`");
    let checked_with =
        format!("ids of the sources that {it} was checked against, separated by `;`");
    let confirmed = format!(
        "why the {part} holds where no new source sets it, in the words of those who read it: \
         inchangé, toujours en vigueur"
    );
    let confidence = json!({
        "enum": ["medium", "low"],
        "description": "how certain the figure is, where it is not high",
        "x-form": [
            "`medium` ou `low` ; là où la certitude est haute, retirer la clé",
            "`medium` or `low`; where it is certain, remove the key"
        ]
    });

    let mut entries = properties([(SOURCE, text(&set_by)), (EVIDENCE, text(&checked_with))]);
    entries.extend(period.map(|period| (PERIOD.to_owned(), period)));
    entries.extend(properties([
        (UNCONFIRMED, unconfirmed),
        (CONFIRMED, text(&confirmed)),
        (CONFIDENCE, confidence),
        (NOTE, text("what a caller must know of it, in French")),
        (
            REVIEWED,
            text("the reason for which what `check` found in it beside the file before is right"),
        ),
    ]));
    entries
}

/// The key `unconfirmed` of a record or a row: `true`, or names of cells.
fn mark(part: &str) -> Value {
    let help = format!(
        "{part} is a proposal (`true`), or the values of it that this names, separated by `;`: the \
         file is a draft, never in force, until each is confirmed and this key removed"
    );
    json!({
        "anyOf": [
            {"const": true},
            {"type": "string", "pattern": "^[a-z][a-z0-9_]*( *; *[a-z][a-z0-9_]*)*$"}
        ],
        "description": help,
        "x-form": [
            "`true`, ou les valeurs qui restent à confirmer, séparées par `;`",
            "`true`, or the values that are left to confirm, separated by `;`"
        ]
    })
}

fn cell(ty: Type, help: &str) -> Value {
    match ty {
        Type::Rate => rate(help),
        Type::Text => text(help),
        _ => amount(&format!("{help}, {}", ty.name())),
    }
}

fn key_cell(input: Option<&Input>) -> Value {
    match input {
        Some(input) if matches!(input.ty, Type::Choice(_)) => {
            let words = input
                .values
                .iter()
                .map(|(word, _)| word.as_str())
                .collect::<Vec<_>>();

            // One word, or several separated by `;`. Editors complete from the `enum`; a pattern
            // alone would propose nothing.
            let several = format!("^({0})( *; *({0}))*$", words.join("|"));
            let listed = words.join("; ");
            json!({
                "type": "string",
                "anyOf": [{"enum": words}, {"pattern": several}],
                "description": input.label,
                "x-form": [
                    format!("l’un ou plusieurs de : {listed}"),
                    format!("one or several of: {listed}")
                ]
            })
        }
        Some(input) => described(scalar(""), &input.label),
        None => scalar("value of the key, or several separated by `;`"),
    }
}
