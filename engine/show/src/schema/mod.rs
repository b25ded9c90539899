//! The parameters of a calculation as JSON Schema, with descriptions in French, for the OpenAPI
//! document and the tools of assistants.
//!
//! Types, bounds and words are those that the validation uses, in the unit of queries: rates in
//! percent.

pub mod days;
mod family;
mod text;
mod union;

use bareme_engine::Folder;
use bareme_engine::law::parameter::{Call, GeneralParameter, GeneralType, OF_THE_DAY, of_call};
use bareme_engine::law::{DetailLevel, Input, Presence, Type, Value as Held};
use bareme_engine::run::{DefaultText, Edition};
use serde_json::{Map, Number, Value, json};

use days::Days;
pub use family::{Member, of_family};
pub use text::{fitted, sentence};

/// A parameter of a calculation.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["tva"])
/// #     .load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// let parameters = bareme_show::schema::of_folder(folder);
/// assert_eq!((parameters[0].name.as_str(), parameters[0].is_required), ("montant", true));
/// assert_eq!(parameters[0].schema["type"], "number");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Whether every query needs it.
    pub is_required: bool,
    /// Description in French: meaning, accepted values, default.
    pub description: String,
    /// The JSON Schema of its value.
    pub schema: Value,
}

impl Parameter {
    /// A parameter that a query may leave out.
    pub fn optional(name: &str, description: impl Into<String>, schema: Value) -> Self {
        Self {
            name: name.to_owned(),
            is_required: false,
            description: description.into(),
            schema,
        }
    }
}

/// The parameters of a folder, with its own types, bounds and words.
pub fn of_folder(folder: &Folder) -> Vec<Parameter> {
    let own = |input: &Input| {
        let mut schema = input_schema(folder, input);
        if let Value::Object(members) = &mut schema {
            members.extend(days::members(days_of(folder, input)));
        }
        Parameter {
            name: input.name.clone(),
            is_required: is_required(input, folder),
            description: description(folder, input),
            schema,
        }
    };

    folder.accepted_inputs().into_iter().map(own).collect()
}

/// The parameters that select the scale, in every dated folder: a day, or a year.
pub fn of_day(folders: &[&Folder]) -> Vec<Parameter> {
    // In a family, some folders may have no dates: the parameters are there if any has.
    let dated: Vec<&&Folder> = folders.iter().filter(|folder| folder.is_dated()).collect();
    if dated.is_empty() {
        return Vec::new();
    }

    let first_day = |folder: &&&Folder| Some(folder.editions().first()?.scale()?.date);
    let first = dated.iter().filter_map(first_day).min();
    let text = first.map_or_else(String::new, |date| format!(" Premier barème : {date}."));

    // A year selects the scale of its first day.
    let first_year = first.map_or(1, |date| {
        date.year()
            .saturating_add(i16::from(date.day_of_year() > 1))
    });

    let of_day = of_call(Call::Dated).filter(|known| OF_THE_DAY.contains(&known.name));
    let described = of_day.map(|known| {
        let start = if known.ty == GeneralType::Date {
            text.as_str()
        } else {
            ""
        };

        let found = general(known, first_year);
        Parameter {
            description: format!("{}{start}", found.description),
            ..found
        }
    });

    described.collect()
}

/// A parameter of every folder; `first_year` is the least year that it may name.
pub fn general(known: &GeneralParameter, first_year: i16) -> Parameter {
    let schema = match known.ty {
        GeneralType::Date => json!({"type": "string", "format": "date"}),
        GeneralType::Year => json!({"type": "integer", "minimum": first_year, "maximum": 9999}),
        GeneralType::Month => json!({"type": "integer", "minimum": 1, "maximum": 12}),
        GeneralType::Boolean => json!({"type": "boolean"}),
        GeneralType::Detail => json!({
            "anyOf": [{"type": "boolean"}, {"type": "string", "enum": [DetailLevel::CALLED]}],
        }),
        GeneralType::Version => json!({"type": "string", "pattern": "^[0-9a-f]{16}$"}),
        _ => json!({"type": "string"}),
    };
    Parameter::optional(known.name, known.help.fr, schema)
}

/// Whether every query needs an input: not where another parameter may replace it.
fn is_required(input: &Input, folder: &Folder) -> bool {
    // A net sent instead of a gross makes the gross optional.
    let replaces = |edition: &Edition| {
        let method = edition.method();
        let inverses = method
            .inverses()
            .iter()
            .filter_map(|inverse| inverse.input.of(method.inputs()));
        inverses.into_iter().any(|found| found.name == input.name)
    };

    matches!(input.presence, Presence::Required) && !folder.editions().iter().any(replaces)
}

/// The first and the last day on which an input is accepted, where there are limits.
fn days_of(folder: &Folder, input: &Input) -> Days {
    let is_it = |known: &Input| known.name == input.name && !known.is_absent;
    folder.days_with(|edition| edition.method().accepted_inputs().any(is_it))
}

/// Description of an input for people: meaning, accepted values, default, days. Where it would be
/// too long, the words of a choice are left to the schema.
fn description(folder: &Folder, input: &Input) -> String {
    let expected = match input.ty {
        Type::Choice(_) => {
            // A word that is its own label needs no description.
            let labels = input.values.iter().filter(|(word, label)| word != label);
            let labels: Vec<String> = labels
                .map(|(word, label)| format!("`{word}` : {label}"))
                .collect();
            if labels.is_empty() {
                String::new()
            } else {
                format!(" {}.", labels.join(" ; "))
            }
        }
        _ => format!(" Attendu : {}.", input.expected()),
    };

    let presence = match &input.presence {
        Presence::Required => None,
        Presence::OfEachItem | Presence::Optional => Some(" Facultatif.".to_owned()),
        Presence::Default(..) => folder.default_of(input).map(default_in_words),
    };

    let help = input
        .help
        .as_ref()
        .map(|help| format!(" {}", sentence(help)));

    fitted([
        (0, sentence(&input.label)),
        (1, help.unwrap_or_default()),
        (
            if matches!(input.ty, Type::Choice(_)) {
                2
            } else {
                0
            },
            expected,
        ),
        (0, presence.unwrap_or_default()),
        (
            0,
            days::sentence(days_of(folder, input)).unwrap_or_default(),
        ),
    ])
}

fn default_in_words(DefaultText { text, scale }: DefaultText) -> String {
    let of = scale
        .map(|scale| format!(" (barème du {scale})"))
        .unwrap_or_default();
    format!(" Par défaut : `{text}`{of}.")
}

/// The JSON Schema of a value, in the unit of queries: rates in percent.
fn input_schema(folder: &Folder, input: &Input) -> Value {
    let one = value_schema(folder, input);
    match input.most_items() {
        // A value for each item of a group: the parameter repeated.
        Some(most) => json!({"type": "array", "items": one, "maxItems": most}),
        None => one,
    }
}

/// The schema of one value of an input.
fn value_schema(folder: &Folder, input: &Input) -> Value {
    match input.ty {
        Type::Choice(_) => {
            let words: Vec<&str> = input.values.iter().map(|(word, _)| word.as_str()).collect();
            let labels: Vec<&str> = input
                .values
                .iter()
                .map(|(_, label)| label.as_str())
                .collect();

            let mut schema = json!({"type": "string", "enum": words});
            if let (Value::Object(members), true) = (&mut schema, words != labels) {
                members.insert("x-enum-descriptions".into(), labels.into());
            }
            schema
        }
        Type::Boolean => json!({"type": "boolean"}),
        Type::Text => json!({"type": "string"}),
        Type::Date => json!({"type": "string", "format": "date"}),
        _ => number_schema(folder, input),
    }
}

fn number_schema(folder: &Folder, input: &Input) -> Value {
    let mut schema = Map::new();
    schema.insert(
        "type".into(),
        if input.integer { "integer" } else { "number" }.into(),
    );

    if let Some(values) = folder.listed_values(input) {
        // Listed in a description rather than as `enum`: client generators cannot name numbers.
        let values: Vec<Value> = values
            .iter()
            .filter_map(|value| number(&input.sent_text(value)))
            .collect();
        schema.insert("x-valeurs".into(), values.into());
    }

    let bounds = [("minimum", input.min), ("maximum", input.max)];
    for (name, bound) in bounds {
        if let Some(bound) = bound.and_then(|bound| number(&input.sent_text(&Held::Number(bound))))
        {
            schema.insert(name.into(), bound);
        }
    }

    // `multipleOf` counts from 0, a step from the least value: they agree where that is a multiple.
    if let Some(step) = input.unit()
        && input
            .min
            .unwrap_or_default()
            .checked_rem(step)
            .is_some_and(|rest| rest.is_zero())
        && let Some(step) = number(&input.sent_text(&Held::Number(step)))
    {
        schema.insert("multipleOf".into(), step);
    }

    // An input that also takes words, such as `max`, is a number or one of these.
    if input.words.is_empty() {
        return Value::Object(schema);
    }
    json!({"anyOf": [schema, {"type": "string", "enum": input.words}]})
}

fn number(text: &str) -> Option<Value> {
    text.parse::<Number>().ok().map(Value::Number)
}
