//! The description of the interface, OpenAPI 3.1, made from the loaded rules.
//!
//! Nothing here knows a country or a tax: parameters, bounds, labels and fields are read where the
//! validation reads them, so a folder that is added describes itself.
//!
//! An endpoint of a family (`/salaire-net`) is one path whose parameters are those of all its
//! folders; which folder takes which is in each description, and each folder has two schemas of
//! its own: what it takes (`salaire-net.ci.parametres`) and what it answers (`salaire-net.ci`).

mod answers;
mod parameters;
mod responses;

use bareme_engine::{Endpoint, Folder, Rules, Variant};
use serde_json::{Map, Value, json};

use crate::http::reply::Content;

/// The description of one variant, ready to be sent.
#[derive(Debug)]
pub struct Document {
    /// Name of the variant.
    pub variant: String,
    /// The OpenAPI document.
    pub content: Content,
}

/// Describes every variant.
pub fn documents(rules: &Rules) -> Vec<Document> {
    let variants = rules.service().variants.iter();
    let content = |variant| Content::json(describe(rules, variant).to_string().into_bytes());
    variants.map(|variant| Document { variant: variant.name.clone(), content: content(variant) }).collect()
}

/// The folders that answer an endpoint, each with the word that selects it in a family.
pub(crate) fn members<'r>(rules: &'r Rules, endpoint: &Endpoint) -> Vec<(Option<&'r str>, &'r Folder)> {
    match endpoint.by {
        Some(_) => rules.family(&endpoint.folder).map(|(word, folder)| (Some(word), folder)).collect(),
        None => rules.folder(&endpoint.folder).map(|folder| (None, folder)).into_iter().collect(),
    }
}

fn describe(rules: &Rules, variant: &Variant) -> Value {
    let service = rules.service();
    let mut paths = Map::new();
    let mut schemas = Map::new();
    for endpoint in service.endpoints_of(variant) {
        let members = members(rules, endpoint);
        for (word, folder) in &members {
            let name = schema_name(endpoint, *word);
            schemas.insert(format!("{name}.parametres"), parameters::schema(folder));
            schemas.insert(name, answers::schema(folder, endpoint.by.as_deref().zip(*word)));
        }
        let path = format!("{}/{}", variant.prefix, endpoint.name);
        paths.insert(path, json!({"get": operation(endpoint, &members)}));
    }
    responses::add_schemas(&mut schemas);

    json!({
        "openapi": "3.1.1",
        "info": {
            "title": format!("{} : {}", service.title, variant.title),
            "version": variant.prefix.rsplit('/').next(),
            "description": "Service de calcul en lecture seule : paramètres dans la requête, réponse en JSON. \
                            Toute réponse, erreurs comprises, est de type `application/json`. Les nombres s'écrivent \
                            avec un point décimal et quinze décimales au plus, sans exposant ni séparateur de milliers. \
                            Un paramètre inconnu, répété ou hors bornes est refusé (400), et tous les paramètres fautifs sont nommés à la fois. \
                            Une valeur vide (`parts=`) compte comme une absence. \
                            HEAD et OPTIONS sont acceptées partout.",
            "x-version-des-baremes": rules.version(),
        },
        "externalDocs": {"url": service.documentation},
        "servers": [{"url": "/"}],
        "security": [{}, {"cle": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": responses::components(&service.documentation),
            "headers": responses::headers(),
            "securitySchemes": {"cle": {"type": "apiKey", "in": "header", "name": "X-API-Key"}},
        },
    })
}

fn operation(endpoint: &Endpoint, members: &[(Option<&str>, &Folder)]) -> Value {
    let reference = |word: Option<&str>| format!("#/components/schemas/{}", schema_name(endpoint, word));
    let mut answer = Map::new();
    match (&endpoint.by, members) {
        (Some(by), _) => {
            let all: Vec<Value> = members.iter().map(|(word, _)| json!({"$ref": reference(*word)})).collect();
            let mapping: Map<String, Value> =
                members.iter().filter_map(|(word, _)| Some(((*word)?.to_owned(), reference(*word).into()))).collect();
            answer.insert("oneOf".into(), all.into());
            answer.insert("discriminator".into(), json!({"propertyName": by, "mapping": mapping}));
        }
        (None, _) => drop(answer.insert("$ref".into(), reference(None).into())),
    }
    let mut operation = Map::new();
    operation.insert("operationId".into(), endpoint.name.clone().into());
    operation.insert("summary".into(), endpoint.title.clone().into());
    operation.insert("parameters".into(), parameters::of_endpoint(endpoint, members).into());
    operation.insert("responses".into(), responses::of_operation(&Value::Object(answer)));
    if endpoint.by.is_some() {
        let own = |word: &Option<&str>, folder: &Folder| {
            let parameters = json!({"$ref": format!("{}.parametres", reference(*word))});
            let text =
                json!({"titre": folder.title(), "parametres": parameters, "reponse": {"$ref": reference(*word)}});
            Some(((*word)?.to_owned(), text))
        };
        let folders: Map<String, Value> = members.iter().filter_map(|(word, folder)| own(word, folder)).collect();
        operation.insert("x-membres".into(), folders.into());
    }
    Value::Object(operation)
}

/// Name of the schema of an answer: the endpoint's, with the word that selects the folder.
fn schema_name(endpoint: &Endpoint, word: Option<&str>) -> String {
    word.map_or_else(|| endpoint.name.clone(), |word| format!("{}.{word}", endpoint.name))
}
