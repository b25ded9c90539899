//! Responses that all endpoints share: headers, not modified, errors.

use std::collections::{BTreeMap, BTreeSet};

use bareme_engine::text::ParameterCode;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::names;
use crate::wire::problem::Problem;
use crate::wire::problem::kinds::{self, Kind};

/// Headers of every successful answer to a charged call.
pub(super) const OF_CALLS: [&str; 8] = [
    "X-Request-Id",
    "RateLimit",
    "RateLimit-Policy",
    "Link",
    "X-API-Key-Expires",
    "X-API-Quota",
    "Deprecation",
    "Sunset",
];

/// The responses of an operation: a successful answer of this schema, and errors, of which it never
/// has some statuses.
pub(super) fn of_operation(
    (description, schema): (&str, &str),
    examples: Map<String, Value>,
    headers: &[&str],
    never: &[u16],
) -> Value {
    let content = json!({"schema": names::schema(schema), "examples": examples});

    let headers: Map<String, Value> = refer(&["ETag"]).into_iter().chain(refer(headers)).collect();

    let good = json!({
        "description": description, "headers": headers, "content": {"application/json": content},
    });

    // A status that the operation never has would be handled in clients in vain.
    let has = |kind: &&Kind| !kinds::BATCH.contains(kind) && !never.contains(&kind.status.as_u16());

    let mut responses = Map::from_iter([
        ("200".to_owned(), good),
        ("304".to_owned(), reference(UNCHANGED)),
    ]);
    responses.extend(errors(kinds::ALL.into_iter().filter(has)));
    Value::Object(responses)
}

/// A reference to a shared response.
pub(super) fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/responses/{name}")})
}

/// References to the shared responses of these kinds of error, by status.
pub(super) fn errors(kinds: impl IntoIterator<Item = &'static Kind>) -> Map<String, Value> {
    // Several kinds share a status, and OpenAPI has one response for each.
    let statuses: BTreeSet<u16> = kinds.into_iter().map(|kind| kind.status.as_u16()).collect();

    statuses
        .into_iter()
        .map(|status| (status.to_string(), reference(&format!("erreur{status}"))))
        .collect()
}

/// The shared response to whoever has the answer already.
const UNCHANGED: &str = "inchange";

/// The shared responses: good ones, by their names, and one for each status that an error can have.
pub(super) fn components(
    good: impl IntoIterator<Item = (String, Value)>,
    documentation: &str,
) -> Value {
    // Shared, because a document repeats them at every path: they would be most of it.
    let mut components: Map<String, Value> = good.into_iter().collect();

    components.insert(
        UNCHANGED.into(),
        json!({"description": "Le demandeur a déjà ces octets (`If-None-Match`).",
               "headers": {"ETag": {"$ref": "#/components/headers/ETag"}}}),
    );

    for (status, response) in of_kinds(kinds::ALL, documentation) {
        components.insert(format!("erreur{status}"), response);
    }
    Value::Object(components)
}

/// The responses of these kinds of error, by status.
pub(super) fn of_kinds(
    kinds: impl IntoIterator<Item = &'static Kind>,
    documentation: &str,
) -> Map<String, Value> {
    let mut by_status: BTreeMap<u16, Vec<&'static Kind>> = BTreeMap::new();
    for kind in kinds {
        by_status
            .entry(kind.status.as_u16())
            .or_default()
            .push(kind);
    }

    by_status
        .into_iter()
        .map(|(status, kinds)| (status.to_string(), response(status, &kinds, documentation)))
        .collect()
}

fn response(status: u16, kinds: &[&'static Kind], documentation: &str) -> Value {
    let titles: Vec<String> = kinds
        .iter()
        .map(|kind| format!("- `{}` : {}", kind.code, kind.title.fr))
        .collect();

    let example = |kind: &&'static Kind| {
        let value = Problem::example(kind).into_body(Some(documentation), Uuid::nil());
        (
            kind.code.to_owned(),
            json!({"summary": kind.meaning.fr, "value": value}),
        )
    };

    let examples: Map<String, Value> = kinds.iter().map(example).collect();
    // The headers that HTTP demands with a status.
    let own: &[&str] = match status {
        401 => &["WWW-Authenticate"],
        405 => &["Allow"],
        429 => &["Retry-After", "RateLimit", "RateLimit-Policy"],
        503 => &["Retry-After"],
        _ => &[],
    };

    let mut headers = refer(&["X-Request-Id"]);
    headers.extend(refer(own));

    let content =
        json!({"schema": {"$ref": "#/components/schemas/Probleme"}, "examples": examples});

    json!({
        "description": titles.join("\n"),
        "headers": headers,
        "content": {"application/json": content},
    })
}

/// References to shared headers.
pub(super) fn refer(names: &[&str]) -> Map<String, Value> {
    let reference = |name: &&str| {
        (
            (*name).to_owned(),
            json!({"$ref": format!("#/components/headers/{name}")}),
        )
    };
    names.iter().map(reference).collect()
}

/// The shared headers.
pub(super) fn headers() -> Value {
    // All are texts: structured fields have no JSON type.
    let text =
        |description: &str| json!({"description": description, "schema": {"type": "string"}});
    json!({
        "ETag": text("Nom des octets de la réponse, pour `If-None-Match`."),
        "X-Request-Id": text("Nom de la requête, à citer pour toute question."),
        "Allow": text("Méthodes servies."),
        "Retry-After": text(
            "Quand réessayer : avec 429, la date où le quota est rétabli ; avec 503, un nombre de \
             secondes."
        ),
        "RateLimit": text(
            "Ce qui reste du quota du jour : `\"jour\";r=<appels>;t=<secondes avant minuit UTC>`. \
             Absent si l’offre est illimitée. Un calcul qui compte pour plusieurs appels y ajoute \
             ce qui reste du budget de calcul : `\"travail\";r=<appels ordinaires>;t=<secondes \
             avant qu’il soit entier>`."
        ),
        "RateLimit-Policy": text(
            "Quota du jour : `\"jour\";q=<appels>;w=86400` ; et, d’un calcul qui compte pour \
             plusieurs appels, budget de calcul : `\"travail\";q=<appels ordinaires>;w=<secondes>`."
        ),
        "WWW-Authenticate": text("Comment s’identifier."),
        "Link": text(
            "`rel=\"license\"` : la mention que doivent afficher les offres qui la demandent ; \
             `rel=\"payment\"` : où renouveler une clé qui prend bientôt fin ; \
             `rel=\"deprecation\"` : ce qu’il faut savoir d’un retrait."
        ),
        "X-API-Quota": text(
            "`provisoire` : les comptes communs ne sont pas joignables, et l’appel d’une clé \
             payante est compté à part avant d’y être ajouté."
        ),
        "Deprecation": text(
            "Jour à partir duquel ne plus s’en servir (RFC 9745) : `@` et un nombre de secondes. \
             Absent si aucun retrait n’est annoncé."
        ),
        "Sunset": text("Premier jour où l’adresse peut ne plus répondre (RFC 8594)."),
        "X-API-Key-Expires": text("Fin de la clé, dans les trente jours qui la précèdent."),
    })
}

/// The schemas of every error.
pub(super) fn add_schemas(schemas: &mut Map<String, Value>) {
    schemas.insert("ParametreRefuse".into(), refused_parameter());
    schemas.insert("Probleme".into(), problem());
}

/// The schema of a parameter that is refused.
fn refused_parameter() -> Value {
    // The codes and what each means, so that a client can be generated with both.
    let faults: Vec<&str> = ParameterCode::ALL
        .iter()
        .map(|code| code.as_str())
        .collect();
    let meanings: Vec<&str> = ParameterCode::ALL
        .iter()
        .map(|code| code.meaning())
        .collect();

    json!({
        "type": "object",
        "properties": {
            "nom": {"type": "string"},
            "code": {
                "type": "string",
                "enum": faults,
                "description": "Nature de la faute.",
                "x-enum-descriptions": meanings,
            },
            "motif": {"type": "string", "description": "Ce qui ne va pas."},
            "valeur_recue": {"type": ["string", "null"]},
            "attendu": {"type": "string", "description": "Ce qui est accepté."},
            "mois": {
                "type": "integer",
                "minimum": 1,
                "maximum": 12,
                "description": "Mois concerné, dans une année de paies ; absent si toute l’année \
                    l’est.",
            },
        },
        "required": ["nom", "code", "motif", "valeur_recue", "attendu"],
    })
}

/// The schema of a problem (RFC 9457), with the members of every kind.
fn problem() -> Value {
    // Every code, of the form of the keys as well. Members of one kind are optional.
    let codes: Vec<&str> = kinds::ALL
        .into_iter()
        .chain(kinds::FORM)
        .map(|kind| kind.code)
        .collect();

    json!({
        "description": "Une erreur, avec les membres de la RFC 9457.",
        "type": "object",
        "properties": {
            "type": {
                "type": "string",
                "format": "uri",
                "description": "Adresse qui explique ce genre d’erreur.",
            },
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
            "code": {"type": "string", "enum": codes},
            "parametres": {
                "type": "array", "items": {"$ref": "#/components/schemas/ParametreRefuse"},
            },
            "autres": {
                "type": "integer",
                "description": "Erreurs de plus, que `parametres` ne liste pas.",
            },
            "violated-policies": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Quotas dépassés : `jour`, `adresse`, ou `travail` pour le \
                    budget de calcul.",
            },
            "limite": {
                "type": "integer",
                "description": "Appels par jour ; du budget de calcul, appels ordinaires à la \
                    fois.",
            },
            "cout": {
                "type": "integer",
                "description": "Ce que la demande prend au budget de calcul, en appels \
                    ordinaires.",
            },
            "restant": {"type": "integer", "description": "Appels restants."},
            "reinitialisation": {
                "type": "string",
                "format": "date-time",
                "description": "Quand le quota est rétabli.",
            },
            "instance": {"type": "string", "format": "uri"},
        },
        "required": ["type", "title", "status", "detail", "code", "instance"],
    })
}
