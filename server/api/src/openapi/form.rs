//! The form for keys: its paths, fields, and operation for programs.

use bareme_engine::service::Service;
use serde_json::{Map, Value, json};

use super::{names, responses};
use crate::wire::problem::kinds::{self, Kind};

/// Path of the form.
pub const PATH: &str = "/cle";

/// Path of the confirmation of a request.
pub const CONFIRMATION_PATH: &str = "/cle/confirmation";
/// Field of the confirmation for its token.
pub const TOKEN: &str = "jeton";

/// Path of the usage of a key.
pub const USAGE_PATH: &str = "/cle/usage";

/// Path of the page of an owner's keys.
pub const OWNER_PATH: &str = "/cle/gestion";

/// The paths that take a form.
pub const FORM_PATHS: [&str; 4] = [PATH, CONFIRMATION_PATH, USAGE_PATH, OWNER_PATH];

/// Names of the field with the e-mail address: ours, and the one that browsers fill in.
pub const EMAIL: [&str; 2] = ["courriel", "email"];
/// Field that selects the variant of the API.
pub const VARIANT: &str = "variante";

/// Hidden field with the id of the form, which tells when it is submitted twice.
pub const ONCE: &str = "formulaire";

/// The schemas of its answers: a key, and a request to confirm.
const KEY: &str = "Cle";
const REQUESTED: &str = "DemandeDeCle";

/// The tag of its operation.
pub(super) const TAG: &str = "cles";

/// The errors of the form besides its own.
const OTHERS: [&Kind; 4] = [
    &kinds::PARAMETERS,
    &kinds::INTERNAL,
    &kinds::STORE_UNAVAILABLE,
    &kinds::TIMEOUT,
];

/// The path of the form.
pub(super) fn path(service: &Service) -> Value {
    // The first name is ours; the second is read as well, and not described.
    let [email, _] = EMAIL;

    let variants: Vec<&str> = service
        .variants
        .iter()
        .map(|variant| variant.name.as_str())
        .collect();

    let fields = json!({
        "type": "object",
        "properties": {
            email: {
                "type": "string",
                "format": "email",
                "description": "Adresse électronique du titulaire.",
            },
            VARIANT: {
                "type": "string",
                "enum": variants,
                "description": "Version de l’API ; la première par défaut.",
            },
        },
        "required": [email],
    });
    let example = json!({email: "claire@example.org", VARIANT: variants.first()});

    let good = |description: &str, schema: &str| {
        json!({
            "description": description,
            "content": {"application/json": {"schema": names::schema(schema)}},
        })
    };

    let requested = "Un courriel part pour l’adresse : le lien qu’il contient donne la clé. La \
                     réponse est la même que l’adresse ait déjà une clé ou non.";

    // 201 or 202, by whether this service has a mail server: one document describes both.
    let mut responses = Map::from_iter([
        (
            "201".to_owned(),
            good("La clé, montrée cette seule fois.", KEY),
        ),
        ("202".to_owned(), good(requested, REQUESTED)),
    ]);

    responses.extend(responses::of_kinds(
        kinds::FORM.into_iter().chain(OTHERS),
        &service.documentation,
    ));

    json!({"post": {
        "operationId": "obtenir_cle",
        "tags": [TAG],
        "summary": "Obtenir une clé gratuite",
        "description": "Donne une clé de l’offre gratuite : aussitôt (201), ou, si le service \
            confirme les adresses électroniques, par le lien d’un courriel (202). Cinq demandes \
            par jour et par adresse IP.",
        "security": [],
        "requestBody": {
            "required": true,
            "content": {
                "application/x-www-form-urlencoded": {"schema": fields, "example": example},
            },
        },
        "responses": responses,
    }})
}

/// The schemas of the answers of the form.
pub(super) fn schemas() -> [(String, Value); 2] {
    let [email, _] = EMAIL;

    let requested = json!({
        "type": "object",
        "properties": {
            "etat": {"type": "string", "const": "a_confirmer"},
            email: {"type": "string", "format": "email"},
        },
        "required": ["etat", email],
    });
    [(KEY.to_owned(), key()), (REQUESTED.to_owned(), requested)]
}

fn key() -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    // `null` where there is no limit.
    let days = |description: &str| json!({"type": ["integer", "null"], "description": description});
    json!({
        "type": "object",
        "properties": {
            "cle": text("La clé, à envoyer dans `X-API-Key`."),
            "id": text("Nom de la clé, à citer pour toute question."),
            "variante": text("Version de l’API."),
            "offre": text("Nom de l’offre."),
            "appels_par_jour": days("Quota ; `null` s’il est illimité."),
            "expire": {
                "type": ["string", "null"], "format": "date-time", "description": "Fin de la clé.",
            },
            "expire_apres_jours_sans_appel": days(
                "Jours sans appel après lesquels la clé prend fin."
            ),
            "attribution": {
                "type": ["string", "null"],
                "description": "Mention à afficher, si l’offre la demande.",
            },
        },
        "required": [
            "cle",
            "id",
            "variante",
            "offre",
            "appels_par_jour",
            "expire",
            "expire_apres_jours_sans_appel",
            "attribution",
        ],
    })
}
