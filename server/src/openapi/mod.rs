//! The description of the interface, OpenAPI 3.1, made from the loaded rules.
//!
//! Nothing here knows a country or a tax: parameters, bounds, labels and fields are read where the
//! validation reads them, so a folder that is added describes itself.
//!
//! An endpoint of a family (`/salaire-net`) is one path whose parameters are those of all its folders,
//! with schemas that hold for all of them: a client made from the description can call each. What one
//! folder takes exactly is in `x-membres`, and what it answers is a schema of its own (`salaire-net.ci`).

mod answers;
mod batches;
mod data;
mod days;
pub(crate) mod form;
mod parameters;
mod responses;
mod union;

use std::sync::OnceLock;

use bareme_engine::Folder;
use bareme_engine::service::{Endpoint, Rules, Service, Variant};
use flate2::Compression;
use jiff::civil::Date;
use serde_json::{Map, Value, json};
use unicode_normalization::UnicodeNormalization as _;

use crate::api::route;
use crate::wire::coding;
use crate::wire::reply::Content;

/// The description of one variant, ready to be sent.
#[derive(Debug)]
pub(crate) struct Document {
    /// Name of the variant.
    pub variant: String,
    /// The OpenAPI document.
    content: Content,
    /// The same as gzip, made when it is first asked for.
    gzip: OnceLock<Option<Content>>,
}

impl Document {
    /// The OpenAPI document, for who reads gzip or not.
    pub(crate) fn content(&self, gzip: bool) -> Content {
        let smaller = || self.gzip.get_or_init(|| coding::compressed(&self.content, Compression::best()));
        let smaller = if gzip { smaller().as_ref() } else { None };
        smaller.unwrap_or(&self.content).clone()
    }
}

/// Describes every variant.
pub(crate) fn documents(rules: &Rules) -> Vec<Document> {
    let variants = rules.service().variants.iter();
    let content = |variant: &Variant| Content::json(describe(rules, variant).to_string().into_bytes());
    let document = |variant: &Variant| Document {
        variant: variant.name.clone(),
        content: content(variant),
        gzip: OnceLock::new(),
    };
    variants.map(document).collect()
}

/// The folders that answer an endpoint, each with the word that selects it in a family.
pub(crate) fn members<'r>(rules: &'r Rules, endpoint: &'r Endpoint) -> Vec<(Option<&'r str>, &'r Folder)> {
    route::sources_of(rules, endpoint).map(|source| (source.word, source.folder)).collect()
}

const DESCRIPTION: &str = "Service de calcul en lecture seule : paramètres dans la requête, réponse en JSON. \
    Toute réponse, erreurs comprises, est de type `application/json`. Les nombres s’écrivent avec un point décimal et \
    quinze décimales au plus, sans exposant ni séparateur de milliers. Un paramètre inconnu, répété ou hors bornes est \
    refusé (400), et tous les paramètres fautifs sont nommés à la fois. Une valeur vide (`parts=`) compte comme une \
    absence. Une réponse peut gagner des membres : ignorer ceux qui ne sont pas décrits. HEAD et OPTIONS sont acceptées \
    partout. Sur tout calcul, `champs=a,b` réduit la réponse à ces champs : \
    le paramètre n’est pas décrit avec les autres, parce que la réponse décrite a tous ses champs.";

fn describe(rules: &Rules, variant: &Variant) -> Value {
    let service = rules.service();
    let mut paths = Map::new();
    let mut schemas = Map::new();
    let mut batches = Vec::new();
    for endpoint in service.endpoints_of(variant) {
        let members = members(rules, endpoint);
        // An absent folder has no parameters to describe: it answers 503.
        if members.is_empty() {
            continue;
        }
        for (word, folder) in &members {
            let name = schema_name(endpoint, *word);
            schemas.insert(name, answers::schema(folder, endpoint.by.as_deref().zip(*word)));
        }
        let path = format!("{}/{}", variant.prefix, endpoint.name);
        let mut operation = operation(rules, endpoint, &members);
        if let (Some(_), Value::Object(operation)) = (Service::retirement(variant, endpoint), &mut operation) {
            operation.insert("deprecated".into(), true.into());
        }
        paths.insert(path, json!({"get": operation}));
        let example = members.iter().find_map(|(word, folder)| example_query(endpoint, *word, folder));
        batches.push(batches::path(variant, endpoint, &example.unwrap_or_default()));
    }
    paths.extend(batches);
    paths.extend(data::paths(rules, variant));
    paths.insert(form::PATH.to_owned(), form::path(service));
    schemas.extend(data::schemas(rules, variant));
    schemas.extend(batches::schemas());
    schemas.extend(answers::shared());
    responses::add_schemas(&mut schemas);

    json!({
        "openapi": "3.1.1",
        "info": {
            "title": ascii(&format!("{} : {}", service.title, variant.title)),
            "version": variant.prefix.rsplit('/').next(),
            "description": DESCRIPTION,
            "contact": {"name": service.title, "url": service.documentation},
            "license": {"name": env!("CARGO_PKG_LICENSE"), "identifier": env!("CARGO_PKG_LICENSE")},
            "x-version-des-baremes": rules.version(),
        },
        "tags": [
            {"name": "calculs", "description": "Les calculs : une requête GET, une réponse JSON."},
            {"name": batches::TAG, "description": "Les mêmes calculs sur de nombreuses lignes : une requête POST, une réponse par ligne."},
            {"name": data::TAG, "description": "Les données derrière les réponses : paramètres, chiffres, textes, changements. Ni clé, ni quota."},
            {"name": form::TAG, "description": "Les clés gratuites, qui donnent un quota suivi d’un appareil à l’autre."},
        ],
        "externalDocs": {"url": service.documentation},
        "servers": [{"url": "/"}],
        "security": [{}, {"cle": []}, {"porteur": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": responses::components(&service.documentation),
            "headers": responses::headers(),
            "securitySchemes": {
                "cle": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
                "porteur": {"type": "http", "scheme": "bearer", "description": "La même clé, en `Authorization: Bearer`."},
            },
        },
    })
}

fn operation(rules: &Rules, endpoint: &Endpoint, members: &[(Option<&str>, &Folder)]) -> Value {
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
    operation.insert("operationId".into(), endpoint.name.replace('-', "_").into());
    operation.insert("tags".into(), json!(["calculs"]));
    operation.insert("summary".into(), endpoint.title.clone().into());
    operation.insert("description".into(), description(endpoint).into());
    operation.insert("parameters".into(), parameters::of_endpoint(endpoint, members).into());
    let examples = examples(rules, endpoint, members);
    operation.insert("responses".into(), responses::of_operation(&Value::Object(answer), examples));
    if endpoint.by.is_some() {
        let own = |word: &Option<&str>, folder: &Folder| {
            let parameters = parameters::schema(folder);
            let text =
                json!({"titre": folder.title(), "parametres": parameters, "reponse": {"$ref": reference(*word)}});
            Some(((*word)?.to_owned(), text))
        };
        let folders: Map<String, Value> = members.iter().filter_map(|(word, folder)| own(word, folder)).collect();
        operation.insert("x-membres".into(), folders.into());
    }
    Value::Object(operation)
}

fn description(endpoint: &Endpoint) -> String {
    let text = format!("{}, selon le barème en vigueur à la date demandée, avec ses sources.", endpoint.title);
    match &endpoint.by {
        Some(by) => format!(
            "{text} Les paramètres sont ceux de tous les membres de la famille : `{by}` choisit le membre, et \
             `x-membres` dit exactement ce que chacun accepte. Un paramètre d’un autre membre est refusé."
        ),
        None => text,
    }
}

/// An answer of each folder, to one of its worked cases.
fn examples(rules: &Rules, endpoint: &Endpoint, members: &[(Option<&str>, &Folder)]) -> Map<String, Value> {
    let example = |word: Option<&str>, folder: &Folder| {
        let query = example_query(endpoint, word, folder)?;
        let answer = rules.calculate(endpoint, &query, Date::default()).ok()?.to_json();
        let answer: Value = serde_json::from_str(&answer).ok()?;
        let sent: Vec<String> = query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let name = word.unwrap_or(&endpoint.name).to_owned();
        Some((name, json!({"summary": sent.join("&"), "value": answer})))
    };
    members.iter().filter_map(|(word, folder)| example(*word, folder)).collect()
}

/// The query of a folder's worked case.
fn example_query(endpoint: &Endpoint, word: Option<&str>, folder: &Folder) -> Option<Vec<(String, String)>> {
    let case = parameters::worked_case(folder)?;
    let selected = endpoint.by.clone().zip(word.map(str::to_owned));
    Some(selected.into_iter().chain(case.query.iter().cloned()).collect())
}

/// A title that makes good names in every language of programs: without accents.
fn ascii(text: &str) -> String {
    text.nfd().filter(char::is_ascii).collect()
}

/// Name of the schema of an answer: the endpoint's, with the word that selects the folder.
fn schema_name(endpoint: &Endpoint, word: Option<&str>) -> String {
    word.map_or_else(|| endpoint.name.clone(), |word| format!("{}.{word}", endpoint.name))
}
