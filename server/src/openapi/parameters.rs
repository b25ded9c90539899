//! Parameters of an endpoint.

use bareme_engine::Folder;
use bareme_engine::law::{Expr, Input, Presence, Type};
use bareme_engine::run::{Case, DefaultText, Edition, Expected};
use bareme_engine::service::Endpoint;
use bareme_engine::text::number_text;
use serde_json::{Map, Number, Value, json};

use super::days::{self, Days};
use super::union;

type Member<'r> = (Option<&'r str>, &'r Folder);

/// The parameters of an endpoint, those of all its folders together.
pub(super) fn of_endpoint(endpoint: &Endpoint, members: &[Member]) -> Vec<Value> {
    let mut parameters = Vec::new();
    if let Some(by) = &endpoint.by {
        parameters.push(selector(by, members));
    }
    let mut names: Vec<(&str, usize)> = Vec::new();
    for input in members.iter().flat_map(|(_, folder)| taken(folder)) {
        match names.iter_mut().find(|(name, _)| *name == input.name) {
            Some((_, count)) => *count += 1,
            None => names.push((&input.name, 1)),
        }
    }
    // Those that every folder takes come first.
    names.sort_by_key(|(_, count)| *count < members.len());
    parameters.extend(names.iter().map(|(name, _)| merged(name, members, endpoint)));

    let dated: Vec<&Folder> = members.iter().map(|(_, folder)| *folder).filter(|folder| folder.is_dated()).collect();
    if !dated.is_empty() {
        parameters.extend(dates(&dated));
    }
    parameters.push(parameter(
        "detail",
        false,
        "`true` : la réponse explique le calcul étape par étape (`etapes`).",
        json!({"type": "boolean"}),
        Some(false.into()),
    ));
    parameters
}

/// Parameters of one folder as the schema of an object: its own types, bounds and defaults.
pub(super) fn schema(folder: &Folder) -> Value {
    let inputs = taken(folder);
    let properties: Map<String, Value> =
        inputs.iter().map(|input| (input.name.clone(), described(folder, input))).collect();
    let required: Vec<&str> =
        inputs.iter().filter(|input| is_required(input, folder)).map(|input| input.name.as_str()).collect();
    json!({"title": format!("{} (paramètres)", folder.title()), "type": "object", "properties": properties, "required": required})
}

/// Describes a parameter. An optional one may be sent empty. No schema of a parameter has a `default`: clients made from
/// the description would send it, where another folder or another parameter beside it forbids it.
fn parameter(name: &str, required: bool, description: &str, schema: Value, example: Option<Value>) -> Value {
    let mut parameter = Map::new();
    parameter.insert("name".into(), name.into());
    parameter.insert("in".into(), "query".into());
    parameter.insert("required".into(), required.into());
    parameter.insert("description".into(), description.into());
    if !required {
        parameter.insert("allowEmptyValue".into(), true.into());
    }
    parameter.insert("schema".into(), schema);
    if let Some(example) = example {
        parameter.insert("example".into(), example);
    }
    Value::Object(parameter)
}

fn selector(by: &str, members: &[Member]) -> Value {
    let words: Vec<&str> = members.iter().filter_map(|(word, _)| *word).collect();
    let lines = members.iter().filter_map(|(word, folder)| Some(format!("- `{}` : {}", (*word)?, folder.title())));
    let aliases = members.iter().flat_map(|(_, folder)| folder.aliases()).map(|alias| alias.name.as_str());
    let aliases: Vec<&str> = aliases.collect();
    let also = match aliases.first() {
        Some(name) => format!(" Un nom est accepté comme le code, en toutes lettres, avec ou sans accents : `{name}`."),
        None => String::new(),
    };
    let description = format!("Choisit le barème.{also}\n{}", lines.collect::<Vec<_>>().join("\n"));
    let example = words.first().map(|word| (*word).into());
    parameter(by, true, &description, json!({"type": "string", "enum": words, "x-noms": aliases}), example)
}

/// One parameter, which several folders may take with other bounds or another meaning: its schema holds for
/// all of them, what each says exactly is in `x-membres`.
fn merged(name: &str, members: &[Member], endpoint: &Endpoint) -> Value {
    let takers: Vec<(Option<&str>, &Folder, &Input)> = members
        .iter()
        .filter_map(|(word, folder)| {
            Some((*word, *folder, taken(folder).into_iter().find(|input| input.name == name)?))
        })
        .collect();
    let everywhere = takers.len() == members.len();
    let required = everywhere && takers.iter().all(|(_, folder, input)| is_required(input, folder));
    let schema = takers.iter().map(|(_, folder, input)| without_default(input_schema(folder, input)));
    let schema = schema.reduce(union::widen).unwrap_or_else(|| json!({}));
    let mut text = descriptions(&takers, everywhere);
    if !everywhere && endpoint.ignored.iter().any(|ignored| ignored == name) {
        text.push_str("\n- ailleurs : accepté, sans effet");
    }
    let example = takers.iter().find_map(|(_, folder, input)| example(folder, input));
    let example = example.or_else(|| takers.iter().find_map(|(_, folder, input)| asked_example(folder, input)));
    parameter(name, required, &text, schema, example)
}

/// Descriptions of a parameter by its folders, those that say the same together.
fn descriptions(takers: &[(Option<&str>, &Folder, &Input)], everywhere: bool) -> String {
    let mut variants: Vec<(String, Vec<String>)> = Vec::new();
    for (word, folder, input) in takers {
        let (text, word) = (description(folder, input), word.map(|word| format!("`{word}`")));
        match variants.iter_mut().find(|(known, _)| *known == text) {
            Some((_, words)) => words.extend(word),
            None => variants.push((text, word.into_iter().collect())),
        }
    }
    let single = everywhere && variants.len() == 1;
    let lines = variants.into_iter().map(|(text, words)| match words.is_empty() || single {
        true => text,
        false => format!("- {} : {text}", words.join(", ")),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The first worked case that has an answer and writes words as the description lists them: the service takes
/// other ways to write them too.
pub(super) fn worked_case(folder: &Folder) -> Option<&Case> {
    let inputs = taken(folder);
    let is_listed = |(name, value): &(String, String)| {
        let input = inputs.iter().find(|input| input.name == *name && matches!(input.ty, Type::Choice(_)));
        input.is_none_or(|input| input.values.iter().any(|(word, _)| word == value))
    };
    folder.cases().iter().filter(|case| case.refuse.is_none()).find(|case| case.query.iter().all(is_listed))
}

/// The value of a worked case, as it is sent.
fn example(folder: &Folder, input: &Input) -> Option<Value> {
    let sent = folder.cases().iter().filter(|case| case.refuse.is_none()).flat_map(|case| &case.query);
    let value = simplest(sent.filter(|(name, _)| *name == input.name).map(|(_, value)| value.as_str()))?;
    Some(match input.ty {
        Type::Boolean => (value == "true").into(),
        // A worked case may write a word in another way than its own.
        Type::Choice(_) => {
            input.values.iter().find(|(word, _)| word.as_str() == value).or(input.values.first())?.0.clone().into()
        }
        Type::Text => value.into(),
        _ => number(value).unwrap_or_else(|| value.into()),
    })
}

/// The first value without decimals, else the first one: clients that count in binary do not take 17.33 for a multiple of
/// 0.01.
fn simplest<'v>(values: impl Iterator<Item = &'v str> + Clone) -> Option<&'v str> {
    values.clone().find(|value| !value.contains('.')).or_else(|| values.into_iter().next())
}

/// Example of an inverse parameter: the value of its field in a worked case.
fn asked_example(folder: &Folder, input: &Input) -> Option<Value> {
    let method = folder.latest()?.method();
    let inverse = method.inverses().iter().find(|inverse| inverse.parameter.name == input.name)?;
    let field = method.fields().get(inverse.field)?;
    let cases = folder.cases().iter().filter(|case| case.refuse.is_none()).flat_map(|case| &case.expect);
    let values = cases.filter(|(name, _)| name.value == field.name).filter_map(|(_, value)| match value {
        Expected::Text(text) => Some(text.value.as_str()),
        Expected::Nothing => None,
    });
    number(&simplest(values)?.replace(' ', ""))
}

fn without_default(mut schema: Value) -> Value {
    if let Value::Object(members) = &mut schema {
        members.remove("default");
    }
    schema
}

fn dates(folders: &[&Folder]) -> [Value; 2] {
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
            first.map(|date| date.to_string().into()),
        ),
        parameter(
            "annee",
            false,
            "Année, en quatre chiffres, dont le barème du 1er janvier s’applique ; incompatible avec `date`.",
            json!({"type": "integer", "minimum": first_year, "maximum": 9999}),
            Some(first_year.into()),
        ),
    ]
}

/// Parameters of a folder: its inputs, and the inverse parameters that may be sent instead of one.
fn taken(folder: &Folder) -> Vec<&Input> {
    let asked = folder.inverses().into_iter().map(|inverse| &inverse.parameter);
    folder.inputs().into_iter().chain(asked).collect()
}

/// Whether every query must have it: one that something else may be sent instead of need not be there.
fn is_required(input: &Input, folder: &Folder) -> bool {
    let stands_for = |edition: &Edition| {
        let method = edition.method();
        let inverses = method.inverses().iter().filter_map(|inverse| inverse.input.of(method.inputs()));
        inverses.into_iter().any(|found| found.name == input.name)
    };
    matches!(input.presence, Presence::Required) && !folder.editions().iter().any(stands_for)
}

/// The schema of a parameter of a folder, with what it is and the days on which it is accepted.
fn described(folder: &Folder, input: &Input) -> Value {
    let mut schema = input_schema(folder, input);
    if let Value::Object(members) = &mut schema {
        members.insert("description".into(), description(folder, input).into());
        members.extend(days::members(days_of(folder, input)));
    }
    schema
}

/// The first and the last day on which an input is accepted, where it is not on all.
fn days_of(folder: &Folder, input: &Input) -> Days {
    let is_it = |known: &Input| known.name == input.name && !known.is_absent;
    folder.days_with(|edition| {
        let asked = edition.method().inverses().iter().map(|inverse| &inverse.parameter);
        edition.method().inputs().iter().chain(asked).any(is_it)
    })
}

/// Description of an input for people: its meaning, the accepted values, the default.
fn description(folder: &Folder, input: &Input) -> String {
    let mut text = sentence(&input.label);
    if let Some(help) = &input.help {
        text.push(' ');
        text.push_str(&sentence(help));
    }
    text.push_str(&format!(" Attendu : {}.", input.expected()));
    let labels = input.values.iter().filter(|(word, label)| word != label);
    let labels: Vec<String> = labels.map(|(word, label)| format!("`{word}` : {label}")).collect();
    if !labels.is_empty() {
        text.push_str(&format!(" ({})", labels.join(" ; ")));
    }
    match &input.presence {
        Presence::Required => {}
        Presence::Optional => text.push_str(" Facultatif."),
        Presence::Default(..) => text.extend(folder.default_of(input).map(said_default)),
    }
    text.extend(days::sentence(days_of(folder, input)));
    text
}

fn said_default(DefaultText { text, scale }: DefaultText) -> String {
    let of = scale.map(|scale| format!(" (barème du {scale})")).unwrap_or_default();
    format!(" Par défaut : `{text}`{of}.")
}

fn sentence(text: &str) -> String {
    let text = text.trim_end();
    if text.is_empty() || text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

/// The JSON Schema of a value, in the unit in which it is sent: rates in percent.
fn input_schema(folder: &Folder, input: &Input) -> Value {
    let mut schema = match input.ty {
        Type::Choice(_) => {
            let words: Vec<&str> = input.values.iter().map(|(word, _)| word.as_str()).collect();
            json!({"type": "string", "enum": words})
        }
        Type::Boolean => json!({"type": "boolean"}),
        Type::Text => json!({"type": "string"}),
        _ => number_schema(folder, input),
    };
    if let (Some(default), Value::Object(members)) = (default(input), &mut schema) {
        members.insert("default".into(), default);
    }
    schema
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

/// The default if it is a constant; one computed from other inputs is in the description.
fn default(input: &Input) -> Option<Value> {
    let Presence::Default(expr, _) = &input.presence else { return None };
    match expr {
        Expr::Number(value) if input.ty == Type::Rate => {
            number(&input.sent_text(&bareme_engine::law::Value::Number(*value)))
        }
        Expr::Number(value) => number(&number_text(*value)),
        Expr::Boolean(value) => Some((*value).into()),
        Expr::Word(index) => input.values.get(usize::from(*index)).map(|(word, _)| word.clone().into()),
        _ => None,
    }
}

fn number(text: &str) -> Option<Value> {
    text.parse::<Number>().ok().map(Value::Number)
}
