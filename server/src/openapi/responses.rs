//! The answers that are the same on every endpoint: headers, not modified, errors.

use std::collections::BTreeMap;

use bareme_engine::text::ParameterCode;
use hyper::StatusCode;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::wire::problem::Problem;
use crate::wire::problem::kinds::{self, Kind};

/// The responses of an operation whose good answer has this schema.
pub(super) fn of_operation(answer: &Value, examples: Map<String, Value>) -> Value {
    let mut responses = Map::new();
    let headers = json!({
        "ETag": {"$ref": "#/components/headers/ETag"},
        "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
        "RateLimit": {"$ref": "#/components/headers/RateLimit"},
        "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"},
        "Link": {"$ref": "#/components/headers/Link"},
        "X-API-Key-Expires": {"$ref": "#/components/headers/X-API-Key-Expires"},
        "X-API-Quota": {"$ref": "#/components/headers/X-API-Quota"},
    });
    responses.insert(
        "200".into(),
        json!({"description": "Le calcul.", "headers": headers, "content": {"application/json": {"schema": answer, "examples": examples}}}),
    );
    responses.insert("304".into(), json!({"$ref": "#/components/responses/inchange"}));
    for status in statuses() {
        let reference = format!("#/components/responses/{}", component(status));
        responses.insert(status.as_u16().to_string(), json!({"$ref": reference}));
    }
    Value::Object(responses)
}

/// The shared responses: one for each status that an error can have.
pub(super) fn components(documentation: &str) -> Value {
    let mut components = Map::new();
    components.insert(
        "inchange".into(),
        json!({"description": "Le demandeur a déjà ces octets (`If-None-Match`).",
               "headers": {"ETag": {"$ref": "#/components/headers/ETag"}}}),
    );
    for (status, response) in of_kinds(kinds::ALL, documentation) {
        components.insert(format!("erreur{status}"), response);
    }
    Value::Object(components)
}

/// The responses of these kinds of error, by status.
pub(super) fn of_kinds(kinds: impl IntoIterator<Item = &'static Kind>, documentation: &str) -> Map<String, Value> {
    let mut by_status: BTreeMap<u16, Vec<&'static Kind>> = BTreeMap::new();
    for kind in kinds {
        by_status.entry(kind.status.as_u16()).or_default().push(kind);
    }
    by_status.into_iter().map(|(status, kinds)| (status.to_string(), response(status, &kinds, documentation))).collect()
}

fn response(status: u16, kinds: &[&'static Kind], documentation: &str) -> Value {
    let lines: Vec<String> = kinds.iter().map(|kind| format!("- `{}` : {}", kind.code, kind.meaning.fr)).collect();
    let example = |kind: &&'static Kind| (kind.code.to_owned(), json!({"value": example(kind, documentation)}));
    let examples: Map<String, Value> = kinds.iter().map(example).collect();
    let mut headers = Map::new();
    refer(&mut headers, &["X-Request-Id"]);
    match status {
        401 => refer(&mut headers, &["WWW-Authenticate"]),
        405 => refer(&mut headers, &["Allow"]),
        429 => refer(&mut headers, &["Retry-After", "RateLimit", "RateLimit-Policy"]),
        503 => refer(&mut headers, &["Retry-After"]),
        _ => {}
    }
    let content = json!({"schema": {"$ref": "#/components/schemas/probleme"}, "examples": examples});
    json!({"description": lines.join("\n"), "headers": headers, "content": {"application/json": content}})
}

fn refer(headers: &mut Map<String, Value>, names: &[&str]) {
    let reference = |name: &&str| ((*name).to_owned(), json!({"$ref": format!("#/components/headers/{name}")}));
    headers.extend(names.iter().map(reference));
}

/// The shared headers.
pub(super) fn headers() -> Value {
    let text = |description: &str| json!({"description": description, "schema": {"type": "string"}});
    json!({
        "ETag": text("Nom des octets de la réponse, pour `If-None-Match`."),
        "X-Request-Id": text("Nom de la requête, à citer pour toute question."),
        "Allow": text("Méthodes servies."),
        "Retry-After": text("Quand réessayer : avec 429, la date où le quota est de nouveau entier ; avec 503, un nombre de secondes."),
        "RateLimit": text("Ce qui reste du quota du jour : `\"jour\";r=<appels>;t=<secondes avant minuit UTC>`. Absent si l'offre est illimitée."),
        "RateLimit-Policy": text("Quota du jour : `\"jour\";q=<appels>;w=86400`."),
        "WWW-Authenticate": text("Comment s'identifier."),
        "Link": text("`rel=\"license\"` : la mention que doivent afficher les offres qui la demandent ; `rel=\"payment\"` : où renouveler une clé qui prend bientôt fin."),
        "X-API-Quota": text("`provisoire` : les comptes communs ne sont pas joignables, et l'appel d'une clé payante est compté à part avant d'y être ajouté."),
        "X-API-Key-Expires": text("Fin de la clé, dans les trente jours qui la précèdent."),
    })
}

/// The schema of every error.
pub(super) fn add_schemas(schemas: &mut Map<String, Value>) {
    let codes: Vec<&str> = kinds::ALL.into_iter().chain(kinds::FORM).map(|kind| kind.code).collect();
    let faults: Vec<&str> = ParameterCode::ALL.iter().map(|code| code.as_str()).collect();
    let meanings: Vec<String> =
        ParameterCode::ALL.iter().map(|code| format!("`{code}` : {}", code.meaning())).collect();
    let parameter = json!({
        "type": "object",
        "properties": {
            "nom": {"type": "string"},
            "code": {"type": "string", "enum": faults, "description": format!("Nature de la faute. {}", meanings.join(" ; "))},
            "motif": {"type": "string", "description": "Ce qui ne va pas."},
            "valeur_recue": {"type": ["string", "null"]},
            "attendu": {"type": "string", "description": "Ce qui est accepté."},
        },
        "required": ["nom", "code", "motif", "valeur_recue", "attendu"],
    });
    schemas.insert(
        "probleme".into(),
        json!({
            "description": "Une erreur, avec les membres de la RFC 9457.",
            "type": "object",
            "properties": {
                "type": {"type": "string", "format": "uri", "description": "Adresse qui explique ce genre d'erreur."},
                "title": {"type": "string"},
                "status": {"type": "integer"},
                "detail": {"type": "string"},
                "code": {"type": "string", "enum": codes},
                "parametres": {"type": "array", "items": parameter},
                "violated-policies": {"type": "array", "items": {"type": "string"}, "description": "Quotas dépassés."},
                "limite": {"type": "integer", "description": "Appels par jour."},
                "restant": {"type": "integer", "description": "Appels restants."},
                "reinitialisation": {"type": "string", "format": "date-time", "description": "Quand le quota est de nouveau entier."},
                "instance": {"type": "string", "format": "uri"},
            },
            "required": ["type", "title", "status", "detail", "code", "instance"],
        }),
    );
}

/// The statuses of errors, each once, in order.
fn statuses() -> Vec<StatusCode> {
    let mut statuses: Vec<StatusCode> = kinds::ALL.iter().map(|kind| kind.status).collect();
    statuses.sort();
    statuses.dedup();
    statuses
}

fn component(status: StatusCode) -> String {
    format!("erreur{}", status.as_u16())
}

fn example(kind: &'static Kind, documentation: &str) -> Value {
    Problem::example(kind).into_body(Some(documentation), Uuid::nil())
}
