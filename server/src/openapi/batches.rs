//! The paths of batches: many calculations of an endpoint in one request.

use bareme_engine::service::Variant;
use serde_json::{Map, Value, json};

use super::answers::VALUE;
use super::calculations::Calculation;
use super::{names, responses};
use crate::api::batch::{FIELDS, MAX_ROWS};
use crate::api::route::BATCHES;
use crate::wire::problem::kinds;
use crate::wire::reply::JSON;

/// The tag of their operations.
pub(super) const TAG: &str = "lots";

/// The schema of a row as it is sent.
const ROW: &str = "LigneDeLot";

/// The schema of a row that is a year.
const YEAR: &str = "AnneeDeLot";

/// The schema of the answer to a row.
const ANSWER: &str = "ReponseDeLot";

/// The shared response to good batches.
const GOOD: &str = "lot";

/// The path of the batches of a calculation, with its operation.
pub(super) fn path(variant: &Variant, calculation: &Calculation) -> (String, Value) {
    let row: Map<String, Value> = calculation.example().into_iter().map(|(name, value)| (name, value.into())).collect();
    // Those of a calculation, and those to refused batches.
    let mut responses = responses::errors(kinds::ALL);
    responses.insert("200".into(), responses::reference(GOOD));
    let schema = rows(if calculation.called.year { YEAR } else { ROW });
    let operation = json!({"post": {
        "operationId": format!("lot_{}", names::operation(calculation.called)),
        "tags": [TAG],
        "summary": format!("{} : plusieurs lignes", calculation.title()),
        "description": format!(
            "Chaque ligne est un calcul, avec les paramètres et la réponse d’un appel simple, et compte pour un appel du \
             quota : toutes sont comptées, ou aucune. {MAX_ROWS} lignes et 2 Mio au plus. La réponse a une ligne par \
             ligne, dans l’ordre ; une ligne refusée porte son erreur. Aussi en lignes JSON (`application/x-ndjson`) et en CSV (`text/csv`)."
        ),
        "parameters": [{
            "name": FIELDS,
            "in": "query",
            "description": "Champs à calculer, séparés par des virgules. Vide : tous.",
            "schema": {"type": "string", "examples": []},
        }],
        "requestBody": {"required": true, "content": {JSON: {"schema": schema, "example": [row]}}},
        "responses": responses,
    }});
    (format!("{}/{BATCHES}{}", variant.prefix, calculation.called.path()), operation)
}

/// The schemas that rows and answers have.
pub(super) fn schemas() -> [(String, Value); 3] {
    let row = json!({
        "description": "Les paramètres d’un calcul, par leur nom. `null` ou un membre absent : le paramètre n’est pas envoyé.",
        "type": "object",
        "properties": {"detail": {"type": "boolean", "description": "`true` : la réponse explique le calcul étape par étape."}},
        "additionalProperties": names::schema(VALUE),
    });
    let answer = json!({
        "description": "La réponse d’un appel simple, ou `erreur`, avec les membres d’une erreur sauf `instance`.",
        "type": "object",
        "properties": {"erreur": {"type": "object"}},
    });
    let value = names::schema(VALUE);
    let year = json!({
        "description": "Les paramètres d’une année de paies, par leur nom. Un tableau, ou un texte dont les valeurs sont séparées par `;`, a une valeur par mois.",
        "type": "object",
        "properties": {"detail": {"type": "boolean", "description": "`true` : la réponse explique le calcul étape par étape."}},
        "additionalProperties": {"anyOf": [value, {"type": "array", "items": value}]},
    });
    [(ROW.to_owned(), row), (YEAR.to_owned(), year), (ANSWER.to_owned(), answer)]
}

/// The schema of an array of rows. JSON lines and CSV are described in words: client generators have no type for
/// them.
fn rows(schema: &str) -> Value {
    json!({"type": "array", "items": names::schema(schema)})
}

/// The response to good batches, by its name.
pub(super) fn good_response() -> (String, Value) {
    let headers = responses::refer(&responses::OF_CALLS);
    let content = json!({JSON: {"schema": rows(ANSWER)}});
    (GOOD.to_owned(), json!({"description": "Une réponse par ligne.", "headers": headers, "content": content}))
}
