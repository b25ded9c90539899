//! The paths of batches: many calculations of an endpoint in one request.

use bareme_engine::law::members;
use bareme_engine::law::parameter::{FIELDS, ROW_KEY};
use bareme_engine::service::Variant;
use serde_json::{Map, Value, json};

use super::answers::VALUE;
use super::calculations::Calculation;
use super::{answers, names, responses};
use crate::calls::batch::MAX_ROWS;
use crate::calls::batch::address::USUAL_KEYS;
use crate::calls::route::BATCHES;
use crate::wire::problem::kinds;
use crate::wire::reply::JSON;

/// The tag of their operations.
pub(super) const TAG: &str = "lots";

/// The schema of the answer to a row.
const ANSWER: &str = "ReponseDeLot";

/// The shared response to good batches.
const GOOD: &str = "lot";

/// The path of the batches of a calculation, with its operation.
pub(super) fn path(variant: &Variant, calculation: &Calculation) -> (String, Value) {
    let row = example(calculation);

    // The errors are those of a calculation and those of refused batches, by status.
    let mut responses = responses::errors(kinds::ALL);
    responses.insert("200".into(), responses::reference(GOOD));

    let schema = rows(&names::row(calculation.called));

    let operation = json!({"post": {
        "operationId": format!("lot_{}", names::operation(calculation.called)),
        "tags": [TAG],
        "summary": format!("{} : plusieurs lignes", calculation.title()),
        "description": format!(
            "Chaque ligne est un calcul, avec les paramètres et la réponse d’un appel simple, et \
             compte pour un appel du quota : toutes sont comptées, ou aucune. {MAX_ROWS} lignes et \
             2 Mio au plus. La réponse a une ligne par ligne, dans l’ordre ; une ligne refusée \
             porte son erreur. Tout paramètre du calcul peut être sur l’adresse : il vaut pour \
             toutes les lignes, et une ligne qui en donne une autre valeur est refusée. Aussi en \
             lignes JSON (`application/x-ndjson`) et en CSV (`text/csv`)."
        ),
        "parameters": address(calculation),
        "requestBody": {"required": true, "content": {JSON: {"schema": schema, "example": [row]}}},
        "responses": responses,
    }});

    (
        format!("{}/{BATCHES}{}", variant.prefix, calculation.called.path()),
        operation,
    )
}

/// A row with the parameters of the example of a calculation, each of the type of its member.
fn example(calculation: &Calculation) -> Map<String, Value> {
    // The members have the types of the row schema: a text would be refused in their place.
    let properties: Map<String, Value> = parameters(calculation)
        .map(|(name, parameter)| (name, property(&parameter)))
        .collect();

    let value = |name: &str, text: &str| match properties.get(name) {
        Some(property) if text.contains(';') => {
            text.split(';').map(|part| typed(part, property)).collect()
        }
        Some(property) => typed(text, property),
        None => text.into(),
    };

    calculation
        .example()
        .into_iter()
        .map(|(name, text)| (name.clone(), value(&name, &text)))
        .collect()
}

/// A value of a query as JSON of the type that a schema, or one of its alternatives, has.
fn typed(text: &str, schema: &Value) -> Value {
    // A parameter with a list has two alternatives, its items first.
    let alternatives = schema
        .get("anyOf")
        .and_then(Value::as_array)
        .map_or([].as_slice(), Vec::as_slice);

    let types = alternatives
        .iter()
        .chain([schema])
        .filter_map(|schema| schema.get("type")?.as_str());

    let read = |ty: &str| match ty {
        "number" | "integer" => serde_json::from_str(text).ok().filter(Value::is_number),
        "boolean" => serde_json::from_str(text).ok().filter(Value::is_boolean),
        _ => None,
    };

    types.filter_map(read).next().unwrap_or_else(|| text.into())
}

/// The parameters of the address. Of those of the calculation, the ones that are about all rows.
fn address(calculation: &Calculation) -> Vec<Value> {
    // Both may be empty, which counts as absent.
    let text = |name: &str, description: String| {
        json!({
            "name": name,
            "in": "query",
            "required": false,
            "description": description,
            "allowEmptyValue": true,
            "schema": {"type": "string", "examples": []},
        })
    };

    let own = [
        text(
            FIELDS,
            "Champs à calculer, séparés par des virgules. Vide : tous.".to_owned(),
        ),
        text(
            ROW_KEY,
            format!(
                "Membre ou colonne qui reconnaît une ligne : sa valeur revient intacte dans la \
                 réponse de la ligne. Vide : {}, si le calcul n’a pas de paramètre de ce nom.",
                USUAL_KEYS.map(|name| format!("`{name}`")).join(" et ")
            ),
        ),
    ];

    // A fact about one row, such as its pay, would be wrong for all of them: it is described in the
    // rows.
    let shared = parameters(calculation).filter(|(name, _)| calculation.is_about_all(name));
    own.into_iter()
        .chain(shared.map(|(_, parameter)| of_all_rows(parameter)))
        .collect()
}

/// A parameter of a calculation as that of all rows.
fn of_all_rows(mut parameter: Map<String, Value>) -> Value {
    let description = parameter
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default();

    let description = format!("Pour toutes les lignes. {description}");
    parameter.insert("description".into(), description.into());
    // The rows may have it instead, even if the calculation requires it.
    parameter.insert("required".into(), false.into());
    parameter.insert("allowEmptyValue".into(), true.into());
    Value::Object(parameter)
}

/// The parameters of a calculation, by their names.
fn parameters(calculation: &Calculation) -> impl Iterator<Item = (String, Map<String, Value>)> {
    calculation
        .parameters(&[])
        .into_iter()
        .filter_map(|parameter| {
            let Value::Object(parameter) = parameter else {
                return None;
            };
            let name = parameter.get("name")?.as_str()?.to_owned();
            Some((name, parameter))
        })
}

/// The schema of a row of a calculation, by its name. No parameter is required in it: the address
/// may have it.
pub(super) fn row_schema(calculation: &Calculation) -> (String, Value) {
    // The key first, as in the answer, then what a single call takes, then the fields.
    let mut properties = keys();
    let own = parameters(calculation).map(|(name, parameter)| (name, property(&parameter)));
    properties.extend(own);

    properties.insert(
        FIELDS.to_owned(),
        json!({
            "type": "string",
            "description": "Champs à calculer pour cette ligne, séparés par des virgules, si \
                l’adresse n’en a pas.",
        }),
    );

    let row = json!({
        "description": "Les paramètres d’un calcul. `null` ou un membre absent : le paramètre \
            n’est pas envoyé.",
        "type": "object",
        "properties": properties,
    });

    (names::row(calculation.called), row)
}

/// A parameter as a member of a row. Where it has a value a month, a row may have a single one for
/// all.
fn property(parameter: &Map<String, Value>) -> Value {
    let member = |name: &str| parameter.get(name).cloned().unwrap_or_default();
    let mut schema = match member("schema") {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    // An example belongs to the whole row.
    schema.shift_remove("examples");
    // One value for all months, or the list of them.
    if let Some(single) = schema.get("items").cloned() {
        schema = Map::from_iter([("anyOf".to_owned(), json!([single, schema]))]);
    }

    schema.insert("description".into(), member("description"));
    Value::Object(schema)
}

/// The members that are the key of a row.
fn keys() -> Map<String, Value> {
    let of_name = |name: &str| {
        // Any simple value may be a key.
        let mut key = names::schema(VALUE);
        if let Value::Object(members) = &mut key {
            let description = "Reconnaît la ligne : revient intact dans sa réponse.";
            members.insert("description".into(), description.into());
        }
        (name.to_owned(), key)
    };
    USUAL_KEYS.into_iter().map(of_name).collect()
}

/// The schemas that all batches share.
pub(super) fn schemas() -> [(String, Value); 1] {
    // The fields of an answer differ from calculation to calculation: only what all have is
    // described.
    let mut properties = keys();
    for member in members::AUTOMATIC {
        properties.insert(member.name.to_owned(), answers::of(&member));
    }

    let error = "Pourquoi la ligne est refusée : les membres d’une erreur, sauf `instance`.";
    properties.insert(
        "erreur".to_owned(),
        json!({"type": "object", "description": error}),
    );

    let answer = json!({
        "description": "La réponse d’un appel simple, avec la clé de la ligne si elle en a une ; \
            ou `erreur`.",
        "type": "object",
        "properties": properties,
    });

    [(ANSWER.to_owned(), answer)]
}

/// The schema of an array of rows. JSON lines and CSV are described in words: client generators
/// have no type for them.
fn rows(schema: &str) -> Value {
    json!({"type": "array", "items": names::schema(schema)})
}

/// The response to good batches, by its name.
pub(super) fn good_response() -> (String, Value) {
    let headers = responses::refer(&responses::OF_CALLS);
    let content = json!({JSON: {"schema": rows(ANSWER)}});
    (
        GOOD.to_owned(),
        json!({"description": "Une réponse par ligne.", "headers": headers, "content": content}),
    )
}
