//! The form of the keys, as a program calls it.

use bareme_engine::Service;
use serde_json::{Map, Value, json};

use super::responses;
use crate::access::form::fields::{EMAIL, VARIANT};
use crate::http::problem::kinds::{self, Kind};

/// The tag of its operation.
pub(super) const TAG: &str = "cles";

/// The errors that the form has beside those of its own.
const OTHERS: [&Kind; 4] = [&kinds::PARAMETERS, &kinds::INTERNAL, &kinds::STORE_UNAVAILABLE, &kinds::TIMEOUT];

/// The path of the form.
pub(super) fn path(service: &Service) -> Value {
    let [email, _] = EMAIL;
    let variants: Vec<&str> = service.variants.iter().map(|variant| variant.name.as_str()).collect();
    let fields = json!({
        "type": "object",
        "properties": {
            email: {"type": "string", "format": "email", "description": "Adresse électronique du titulaire."},
            VARIANT: {"type": "string", "enum": variants, "description": "Version de l'interface ; la première par défaut."},
        },
        "required": [email],
    });
    let example = json!({email: "claire@example.org", VARIANT: variants.first()});
    let mut responses = Map::new();
    responses.insert(
        "201".into(),
        json!({
            "description": "La clé, montrée cette seule fois.",
            "content": {"application/json": {"schema": key()}},
        }),
    );
    responses.extend(responses::of_kinds(kinds::FORM.into_iter().chain(OTHERS), &service.documentation));
    json!({"post": {
        "operationId": "obtenir_cle",
        "tags": [TAG],
        "summary": "Obtenir une clé gratuite",
        "description": "Donne aussitôt une clé de l'offre gratuite. Cinq clés par jour et par adresse.",
        "security": [],
        "requestBody": {
            "required": true,
            "content": {"application/x-www-form-urlencoded": {"schema": fields, "example": example}},
        },
        "responses": responses,
    }})
}

fn key() -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    let days = |description: &str| json!({"type": ["integer", "null"], "description": description});
    json!({
        "title": "Cle",
        "type": "object",
        "properties": {
            "cle": text("La clé, à envoyer dans `X-API-Key`."),
            "id": text("Nom de la clé, à citer pour toute question."),
            "variante": text("Version de l'interface."),
            "offre": text("Nom de l'offre."),
            "appels_par_jour": days("Quota ; `null` s'il est illimité."),
            "expire": {"type": ["string", "null"], "format": "date-time", "description": "Fin de la clé."},
            "expire_apres_jours_sans_appel": days("Jours sans appel après lesquels la clé prend fin."),
            "attribution": {"type": ["string", "null"], "description": "Mention à afficher, si l'offre la demande."},
        },
        "required": ["cle", "id", "variante", "offre", "appels_par_jour", "expire", "expire_apres_jours_sans_appel", "attribution"],
    })
}
