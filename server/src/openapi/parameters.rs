//! Parameters of a folder.

use bareme_engine::Folder;
use bareme_engine::law::{Input, Presence, Type};
use bareme_engine::run::{Case, DefaultText, Edition};
use serde_json::{Map, Number, Value, json};

use super::days::{self, Days};
use super::text::{fitted, sentence};

/// A query, as pairs of names and values.
type Sent = [(String, String)];

/// The parameters of a folder: its own types, bounds and words. Those of the example have its values.
pub(super) fn of_folder(folder: &Folder, query: &Sent) -> Vec<Value> {
    let own = |input: &Input| {
        let mut schema = input_schema(folder, input);
        if let Value::Object(members) = &mut schema {
            members.extend(days::members(days_of(folder, input)));
        }
        let required = is_required(input, folder);
        parameter(&input.name, required, &description(folder, input), schema, example(input, query))
    };
    taken(folder).into_iter().map(own).chain(of_every_folder(&[folder], query)).collect()
}

/// The parameters that every folder takes besides its own.
pub(super) fn of_every_folder(folders: &[&Folder], query: &Sent) -> Vec<Value> {
    let dated: Vec<&Folder> = folders.iter().copied().filter(|folder| folder.is_dated()).collect();
    let mut parameters = if dated.is_empty() { Vec::new() } else { dates(&dated, query).to_vec() };
    parameters.push(parameter(
        "detail",
        false,
        "`true` : la réponse explique le calcul étape par étape (`etapes`).",
        json!({"type": "boolean"}),
        sent(query, "detail").map(|value| (value == "true").into()),
    ));
    parameters
}

/// Describes a parameter. An optional one may be sent empty, and is, by programs that send an example of each: those that
/// have none say so. No schema of a parameter has a `default`: clients made from the description would send it, where
/// another folder or another parameter beside it forbids it.
pub(super) fn parameter(
    name: &str,
    required: bool,
    description: &str,
    mut schema: Value,
    example: Option<Value>,
) -> Value {
    let mut parameter = Map::new();
    parameter.insert("name".into(), name.into());
    parameter.insert("in".into(), "query".into());
    parameter.insert("required".into(), required.into());
    parameter.insert("description".into(), description.into());
    if !required {
        parameter.insert("allowEmptyValue".into(), true.into());
    }
    if let (None, false, Value::Object(members)) = (&example, required, &mut schema) {
        members.insert("examples".into(), json!([]));
    }
    parameter.insert("schema".into(), schema);
    if let Some(example) = example {
        parameter.insert("example".into(), example);
    }
    Value::Object(parameter)
}

/// The value that a query has for a parameter.
pub(super) fn sent<'s>(query: &'s Sent, name: &str) -> Option<&'s str> {
    query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// The worked case that is the example: one that has an answer and writes words as the description lists them, for the
/// service takes other ways to write them too; and, where there is one, without decimals: clients that count in binary do
/// not take 17.33 for a multiple of 0.01.
pub(super) fn worked_case(folder: &Folder) -> Option<&Case> {
    let inputs = taken(folder);
    let is_listed = |(name, value): &(String, String)| {
        let input = inputs.iter().find(|input| input.name == *name && matches!(input.ty, Type::Choice(_)));
        input.is_none_or(|input| input.values.iter().any(|(word, _)| word == value))
    };
    let mut listed = folder.answered_cases().filter(|case| case.query.iter().all(is_listed));
    let is_whole = |case: &&Case| case.query.iter().all(|(_, value)| !value.contains('.'));
    listed.clone().find(is_whole).or_else(|| listed.next())
}

/// The value that the example has for an input.
pub(super) fn example(input: &Input, query: &Sent) -> Option<Value> {
    let value = sent(query, &input.name)?;
    Some(match input.ty {
        Type::Boolean => (value == "true").into(),
        Type::Choice(_) | Type::Text => value.into(),
        _ => number(value).unwrap_or_else(|| value.into()),
    })
}

fn dates(folders: &[&Folder], query: &Sent) -> [Value; 2] {
    let first = |folder: &&Folder| Some(folder.editions().first()?.scale()?.date);
    let first = folders.iter().filter_map(first).min();
    let text = first.map_or_else(String::new, |date| format!(" Premier barème : {date}."));
    // The scale of a year is that of its first day.
    let first_year = first.map_or(1, |date| if date.day_of_year() == 1 { date.year() } else { date.year() + 1 });
    [
        parameter(
            "date",
            false,
            &format!("Jour dont le barème s’applique ; aujourd’hui (UTC) par défaut.{text}"),
            json!({"type": "string", "format": "date"}),
            sent(query, "date").map(Value::from),
        ),
        parameter(
            "annee",
            false,
            "Année, en quatre chiffres, dont le barème du 1er janvier s’applique ; incompatible avec `date`.",
            json!({"type": "integer", "minimum": first_year, "maximum": 9999}),
            sent(query, "annee").and_then(number),
        ),
    ]
}

/// Parameters of a folder: its inputs, and the inverse parameters that may be sent instead of one.
pub(super) fn taken(folder: &Folder) -> Vec<&Input> {
    let asked = folder.inverses().into_iter().map(|inverse| &inverse.parameter);
    folder.inputs().into_iter().chain(asked).collect()
}

/// Whether every query must have it: one that something else may be sent instead of need not be there.
pub(super) fn is_required(input: &Input, folder: &Folder) -> bool {
    let stands_for = |edition: &Edition| {
        let method = edition.method();
        let inverses = method.inverses().iter().filter_map(|inverse| inverse.input.of(method.inputs()));
        inverses.into_iter().any(|found| found.name == input.name)
    };
    matches!(input.presence, Presence::Required) && !folder.editions().iter().any(stands_for)
}

/// The first and the last day on which an input is accepted, where it is not on all.
fn days_of(folder: &Folder, input: &Input) -> Days {
    let is_it = |known: &Input| known.name == input.name && !known.is_absent;
    folder.days_with(|edition| {
        let asked = edition.method().inverses().iter().map(|inverse| &inverse.parameter);
        edition.method().inputs().iter().chain(asked).any(is_it)
    })
}

/// Description of an input for people: its meaning, the accepted values, the default, the days. Where that is too long, the
/// words of a choice are in its schema alone.
pub(super) fn description(folder: &Folder, input: &Input) -> String {
    let expected = match input.ty {
        Type::Choice(_) => {
            let labels = input.values.iter().filter(|(word, label)| word != label);
            let labels: Vec<String> = labels.map(|(word, label)| format!("`{word}` : {label}")).collect();
            if labels.is_empty() { String::new() } else { format!(" {}.", labels.join(" ; ")) }
        }
        _ => format!(" Attendu : {}.", input.expected()),
    };
    let presence = match &input.presence {
        Presence::Required => None,
        Presence::Optional => Some(" Facultatif.".to_owned()),
        Presence::Default(..) => folder.default_of(input).map(said_default),
    };
    let help = input.help.as_ref().map(|help| format!(" {}", sentence(help)));
    fitted([
        (0, sentence(&input.label)),
        (1, help.unwrap_or_default()),
        (if matches!(input.ty, Type::Choice(_)) { 2 } else { 0 }, expected),
        (0, presence.unwrap_or_default()),
        (0, days::sentence(days_of(folder, input)).unwrap_or_default()),
    ])
}

fn said_default(DefaultText { text, scale }: DefaultText) -> String {
    let of = scale.map(|scale| format!(" (barème du {scale})")).unwrap_or_default();
    format!(" Par défaut : `{text}`{of}.")
}

/// The JSON Schema of a value, in the unit in which it is sent: rates in percent.
pub(super) fn input_schema(folder: &Folder, input: &Input) -> Value {
    match input.ty {
        Type::Choice(_) => {
            let words: Vec<&str> = input.values.iter().map(|(word, _)| word.as_str()).collect();
            let labels: Vec<&str> = input.values.iter().map(|(_, label)| label.as_str()).collect();
            let mut schema = json!({"type": "string", "enum": words});
            if let (Value::Object(members), true) = (&mut schema, words != labels) {
                members.insert("x-enum-descriptions".into(), labels.into());
            }
            schema
        }
        Type::Boolean => json!({"type": "boolean"}),
        Type::Text => json!({"type": "string"}),
        _ => number_schema(folder, input),
    }
}

fn number_schema(folder: &Folder, input: &Input) -> Value {
    let mut schema = Map::new();
    schema.insert("type".into(), if input.integer { "integer" } else { "number" }.into());
    if let Some(values) = folder.listed_values(input) {
        // Not as `enum`: clients made from the description cannot name numbers.
        let values: Vec<Value> = values.iter().filter_map(|value| number(&input.sent_text(value))).collect();
        schema.insert("x-valeurs".into(), values.into());
    }
    let bounds = [("minimum", input.min), ("maximum", input.max)];
    for (name, bound) in bounds {
        if let Some(bound) = bound.and_then(|bound| number(&input.sent_text(&bareme_engine::law::Value::Number(bound))))
        {
            schema.insert(name.into(), bound);
        }
    }
    // `multipleOf` counts from 0, a step from the least value: the same thing when that is a multiple.
    if let Some(step) = input.unit()
        && input.min.unwrap_or_default().checked_rem(step).is_some_and(|rest| rest.is_zero())
        && let Some(step) = number(&input.sent_text(&bareme_engine::law::Value::Number(step)))
    {
        schema.insert("multipleOf".into(), step);
    }
    if input.words.is_empty() {
        return Value::Object(schema);
    }
    json!({"anyOf": [schema, {"type": "string", "enum": input.words}]})
}

fn number(text: &str) -> Option<Value> {
    text.parse::<Number>().ok().map(Value::Number)
}
