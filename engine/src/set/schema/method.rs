//! The schema of `method.yaml`.

use serde_json::{Map, Value, json};

use crate::law::presentation::{PERCENT, Role};
use crate::law::{Find, SharedDay, Type};

use super::comparison::{advances_schema, compare_schema};
use super::forms::{
    NAME, boolean, closed, currency, date, described, file, folder_key, format_key, named, one_of,
    properties, scalar, text,
};
use super::input::{check_schema, group_schema, input_schema};
use super::page;
use super::scale::sources_schema;
use super::steps::{field_schema, step_schema};

/// Schema of `method.yaml`.
///
/// ```
/// let schema = bareme_engine::set::method_schema();
/// assert!(schema["properties"]["steps"].is_object());
/// ```
pub fn method_schema() -> Value {
    let mut entries = head_keys();
    entries.extend(properties([
        (
            "inputs",
            named(
                input_schema(),
                "what the caller sends; the names are those of the query",
            ),
        ),
        (
            "groups",
            named(group_schema(), "several like things that a query may send"),
        ),
        ("checks", checks_schema()),
        (
            "figures",
            named(shape_schema(), "the shape that each dated file must fill"),
        ),
        (
            "steps",
            named(
                step_schema(),
                "what is computed, in payslip order; a formula reads inputs and the steps above",
            ),
        ),
        (
            "answer",
            named(field_schema(), "fields of the answer, in order"),
        ),
        ("inverse", inverse_schema()),
        ("headline", headline_schema()),
        ("year", year_schema()),
        ("curve", curve_schema()),
        ("once", once_schema()),
        ("sections", page::sections()),
        ("presets", page::presets()),
        ("sentence", page::sentence()),
        ("bar", page::bar()),
        ("try", page::trials()),
        ("compare", compare_schema()),
        ("advances", advances_schema()),
        (
            "options",
            named(
                option_schema(),
                "parts of the law that a boolean input of the same name switches on",
            ),
        ),
    ]));
    // Of a method without dates: others cite sources in their dated files.
    entries.insert("sources".to_owned(), sources_schema());

    file(
        "Barème: method",
        entries,
        &["format", "folder", "title", "answer"],
    )
}

/// The keys of a method above its sections.
fn head_keys() -> Map<String, Value> {
    properties([
        ("format", format_key()),
        ("folder", folder_key()),
        ("title", text("title of the calculation, in French")),
        (
            "aliases",
            text(
                "other words that choose the folder within its family, separated by `;`: \
                 `Sénégal; sen`",
            ),
        ),
        (
            "near",
            text(
                "words that do not choose the folder and for which it is proposed, separated by \
                 `;`: `Canada; ca`",
            ),
        ),
        ("currency", currency("currency of the amounts, ISO 4217")),
        (
            "decimals",
            json!({
                "enum": [0, 1, 2, 3, "0", "1", "2", "3"],
                "description": "decimals of the amounts of the answer (2)"
            }),
        ),
        (
            "dated",
            boolean("false: the calculation has no figures of its own, and no dated files"),
        ),
        (
            "citation",
            text("text of `scale.source`, for a method without dates"),
        ),
    ])
}

/// The sections of a method that an option adds to.
fn option_schema() -> Value {
    closed(
        properties([
            ("checks", checks_schema()),
            (
                "figures",
                named(
                    shape_schema(),
                    "the shape of the figures that only the option reads",
                ),
            ),
            (
                "steps",
                named(
                    step_schema(),
                    "what is computed after the method's steps, where the option is on",
                ),
            ),
            (
                "answer",
                named(
                    field_schema(),
                    "fields that follow those of the method, where the option is on",
                ),
            ),
            ("inverse", inverse_schema()),
        ]),
        &["steps", "answer"],
    )
}

fn checks_schema() -> Value {
    json!({
        "type": "array",
        "items": check_schema(),
        "description": "refusals and warnings, in order"
    })
}

fn inverse_schema() -> Value {
    let entries = properties([
        ("input", text("the amount that is looked for")),
        (
            "field",
            text("the field that must reach what is asked, or stay within it"),
        ),
        (
            "find",
            one_of(
                &Find::WORDS.map(|(word, _)| word),
                "smallest: the smallest input whose field is at least what is asked; greatest: \
                 the greatest whose field is at most it",
            ),
        ),
        (
            "unit",
            scalar("what is found is a multiple of it; without it, of the unit of the input"),
        ),
        (
            "before_income_tax",
            boolean("true: a net from which the income tax is still to be paid"),
        ),
        (
            "parameter",
            text("the parameter that asks for it, sent instead of the input"),
        ),
        ("label", text("what the parameter is, in French")),
        ("assume", assumed_schema()),
    ]);
    let entry = closed(entries, &["input", "field", "find", "parameter", "label"]);

    json!({
        "type": "array",
        "minItems": 1,
        "items": entry,
        "description": "the other way round: what a caller may ask for instead of sending an input"
    })
}

/// Inputs that are sent where the query leaves them out.
pub(super) fn assumed_schema() -> Value {
    json!({
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": NAME},
        "additionalProperties": {"type": ["string", "number", "boolean"]},
        "description": "inputs sent where the query leaves them out: a map input: value"
    })
}

fn headline_schema() -> Value {
    let entries = properties([
        ("field", text("the field")),
        (
            "label",
            text("what it is here, in French; without it, the label of the field"),
        ),
        (
            "as",
            one_of(
                &[PERCENT],
                "percent: a fraction is shown times 100, as a rate is",
            ),
        ),
        ("assume", assumed_schema()),
        (
            "role",
            one_of(
                &Role::WORDS.map(|(word, _)| word),
                "net: what is left of the amount; levy: what is taken of it, or what it costs; \
                 benefit: what is paid by reason of it. More of a net or of a benefit is a gain, \
                 and less of a levy",
            ),
        ),
        (
            "months",
            text("the step that is the number of months that the amount covers"),
        ),
    ]);
    let entry = closed(entries, &["field"]);

    json!({
        "type": "array",
        "minItems": 1,
        "items": entry,
        "description": "the fields that readers come for, shown above the others, in order"
    })
}

fn year_schema() -> Value {
    let entries = properties([
        (
            "varying",
            text("the inputs that may differ from month to month, separated by `;`"),
        ),
        (
            "each_month",
            text(
                "those of `varying` that are asked for each month, separated by `;`: one value \
                 for several is refused",
            ),
        ),
        (
            "totals",
            text(
                "the fields that a year adds up, separated by `;`: amounts, numbers, lines one \
                 by one",
            ),
        ),
        (
            "rank",
            text(
                "the optional input that says which pay of the year, 1 to 12, a calculation of one \
                 month is, the same having been paid since January",
            ),
        ),
        (
            "without",
            text("the inputs that only a single period has, separated by `;`: a year refuses them"),
        ),
    ]);

    described(
        closed(entries, &["varying", "totals"]),
        "a year of pays, month by month",
    )
}

fn curve_schema() -> Value {
    let entries = properties([
        ("input", text("the amount that drives it")),
        ("field", text("the amount that is drawn")),
        (
            "more",
            scalar("an increase of the input whose effect is shown"),
        ),
    ]);
    described(
        closed(entries, &["input", "field"]),
        "the curve of a field over an amount",
    )
}

fn once_schema() -> Value {
    let entries = properties([
        ("input", text("the input that the amount is sent by")),
        ("label", text("what it is, in French")),
        ("assume", assumed_schema()),
    ]);
    described(
        closed(entries, &["input", "label"]),
        "an amount paid once beside the usual one, such as a thirteenth month",
    )
}

/// The shape of a figure: its columns by name.
fn shape_schema() -> Value {
    // Keys of the map besides its columns: the days of the figure, and its label.
    let days = properties([
        (
            "since",
            date(
                "the first day whose dated file gives the figure; formulas then ask `given` first",
            ),
        ),
        (
            "until",
            date("the last day whose dated file gives the figure"),
        ),
        (
            "label",
            text("what the figure is, in French; without it, what the first step that reads it is"),
        ),
        (
            "taken_from",
            text(
                "the folder that gives the figure in the place of the dated files, like \
                 `communs/smic`; its columns are declared there",
            ),
        ),
        (
            "figure",
            text("the name of the figure in that folder, where it has another one"),
        ),
        (
            "on",
            one_of(
                &SharedDay::WORDS.map(|(word, _)| word),
                "the day on which the figure is read there, where it is not that of the \
                 calculation: `start_of_year`, 1 January of its year; `end_of_last_year`, 31 \
                 December of the year before",
            ),
        ),
    ]);

    json!({
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": NAME},
        "properties": days,
        "additionalProperties": column_schema()
    })
}

/// A column: its type alone, or a map with the bounds that are plausible for it.
fn column_schema() -> Value {
    let forms = Type::WRITTEN
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| *name != "boolean");
    let forms: Vec<String> = forms
        .flat_map(|name| [name.to_owned(), format!("optional {name}")])
        .chain(["key".to_owned()])
        .collect();

    let limits = properties([
        (
            "type",
            one_of(
                &forms.iter().map(String::as_str).collect::<Vec<_>>(),
                "type of the column",
            ),
        ),
        (
            "min",
            scalar("least value that the law may set; without it, 0 for rates, amounts and bounds"),
        ),
        (
            "max",
            scalar("greatest value that the law may set; without it, 100% for rates"),
        ),
        (
            "label",
            text("what the column is, in French, where its name does not say it"),
        ),
    ]);
    let named = format!("^({})$", forms.join("|"));
    let all = forms
        .iter()
        .filter(|form| !form.contains(' '))
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");

    json!({
        "type": ["string", "object"],
        "pattern": named,
        "properties": limits,
        "required": ["type"],
        "additionalProperties": false,
        "description": "`key` (looked up by equality), or the type of the column; `bound` is the \
                        column of intervals",
        "x-form": [
            format!("un type de colonne, seul ou avec `min` et `max` : {all}"),
            format!("a type of column, alone or with `min` and `max`: {all}")
        ]
    })
}
