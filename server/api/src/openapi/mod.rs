//! The OpenAPI 3.1 document, generated from the loaded rules.
//!
//! Nothing here depends on a country or a tax: parameters, bounds, labels and fields are those of
//! the validation, so a new folder describes itself.
//!
//! An endpoint of a family (`/salaire-net`) is one path with the parameters of all its folders,
//! whose schemas hold for all of them: a generated client can call each. Each folder also has its
//! own path (`/salaire-net/ci`), with its exact parameters and answer.

mod answers;
mod batches;
mod calculations;
mod data;
pub mod form;
mod names;
mod parameters;
mod responses;
mod years;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use bareme_engine::service::{Rules, Variant};
use flate2::Compression;
use serde_json::{Map, Value, json};

use calculations::Calculation;

use crate::wire::coding;
use crate::wire::reply::{Content, JSON};

/// The OpenAPI documents of the variants of a rule set, each made on first use.
#[derive(Debug)]
pub struct Documents {
    /// By name of the variant.
    by_variant: BTreeMap<String, Document>,
}

impl Documents {
    /// Those of the variants of a rule set, none of them made yet.
    pub fn of(rules: &Rules) -> Self {
        let names = rules
            .service()
            .variants
            .iter()
            .map(|variant| variant.name.clone());
        Self {
            by_variant: names.map(|name| (name, Document::default())).collect(),
        }
    }

    /// The document of a variant, as gzip or not, if it was made already.
    pub fn made(&self, variant: &Variant, gzip: bool) -> Option<Content> {
        // Made once for a rule set, and then only copied.
        let document = self.by_variant.get(&variant.name)?;

        let content = document.content.get()?;
        // Without the compressed bytes, those that are not smaller serve as well.
        let smaller = if gzip {
            document.gzip.get()?.as_ref()
        } else {
            None
        };

        Some(smaller.unwrap_or(content).clone())
    }

    /// Makes the document of a variant of the same rules, as gzip or not, which takes long. `None`
    /// for an unknown variant.
    pub fn make(&self, rules: &Rules, variant: &Variant, gzip: bool) -> Option<Content> {
        let document = self.by_variant.get(&variant.name)?;

        // Two first callers make it once.
        let describe = || Content::new(JSON, describe(rules, variant).to_string().into_bytes());
        let content = document.content.get_or_init(describe);

        if gzip {
            document
                .gzip
                .get_or_init(|| coding::compressed(content, Compression::best()));
        }

        self.made(variant, gzip)
    }
}

/// The OpenAPI document of one variant.
#[derive(Debug, Default)]
struct Document {
    content: OnceLock<Content>,
    /// As gzip; `None` where that is not smaller.
    gzip: OnceLock<Option<Content>>,
}

const DESCRIPTION: &str = "Service de calcul en lecture seule : paramètres dans la requête, \
    réponse en JSON, erreurs comprises. Les nombres s’écrivent avec un point décimal et quinze \
    décimales au plus, sans exposant. Un paramètre inconnu, répété ou hors bornes est refusé \
    (400), et tous sont nommés à la fois. Une valeur vide compte comme une absence. Une réponse \
    peut gagner des membres. Sur tout calcul, `champs=a,b` réduit la réponse à ces champs ; le \
    paramètre n’est pas décrit, car la réponse décrite a tous les siens.";

fn describe(rules: &Rules, variant: &Variant) -> Value {
    let service = rules.service();

    let calculations = calculations::all(rules, variant);

    // 1. The paths: calculations, batches, data, keys. A client lists its methods in this order.
    let mut paths = Map::new();
    for calculation in &calculations {
        let path = format!("{}/{}", variant.prefix, calculation.called.path());
        paths.insert(path, calculation.operation(rules, variant));
    }

    paths.extend(
        calculations
            .iter()
            .map(|calculation| batches::path(variant, calculation)),
    );
    paths.extend(data::paths(rules, variant));
    paths.insert(form::PATH.to_owned(), form::path(service));

    // 2. The schemas that they refer to, of all kinds of answers: those that this variant does not
    // use are removed.
    let mut schemas: Map<String, Value> = calculations
        .iter()
        .flat_map(Calculation::answer_schemas)
        .collect();
    schemas.extend(data::schemas());
    schemas.extend(batches::schemas());
    schemas.extend(calculations.iter().map(batches::row_schema));
    schemas.extend(form::schemas());
    schemas.extend(answers::shared());
    responses::add_schemas(&mut schemas);

    let responses = responses::components([batches::good_response()], &service.documentation);
    keep_used(
        &mut schemas,
        &[Value::Object(paths.clone()), responses.clone()],
    );

    // 3. The document. The paths are relative to the address of the documentation, which serves
    // both.
    json!({
        "openapi": "3.1.1",
        "info": {
            "title": names::ascii(&format!("{} : {}", service.title, variant.title)),
            "version": variant.prefix.rsplit('/').next(),
            "description": DESCRIPTION,
            "contact": {"name": service.title, "url": service.documentation},
            "license": {"name": env!("CARGO_PKG_LICENSE"), "identifier": env!("CARGO_PKG_LICENSE")},
            "x-version-des-baremes": rules.version(),
        },
        "tags": tags(),
        "externalDocs": {"url": service.documentation},
        "servers": [{"url": service.documentation}],
        "security": [{}, {"cle": []}, {"porteur": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": responses,
            "headers": responses::headers(),
            "securitySchemes": {
                "cle": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "X-API-Key",
                    "description": "Une clé secrète, ou une clé publiable (`…_pub_…`), acceptée \
                                    pour les calculs seuls, des pages dont l’en-tête `Origin` est \
                                    déclaré pour elle.",
                },
                "porteur": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "La même clé, en `Authorization: Bearer`.",
                },
            },
        },
    })
}

/// Removes unused schemas: a variant does not have every kind of answer.
fn keep_used(schemas: &mut Map<String, Value>, from: &[Value]) {
    let mut used: BTreeSet<String> = BTreeSet::new();
    let mut found: Vec<String> = from.iter().flat_map(names::referred).collect();
    // A schema may refer to another: the search follows references until it finds no new one.
    while let Some(name) = found.pop() {
        if let Some(schema) = schemas.get(&name)
            && used.insert(name)
        {
            found.extend(names::referred(schema));
        }
    }

    schemas.retain(|name, _| used.contains(name));
}

fn tags() -> Value {
    json!([
        {
            "name": calculations::TAG,
            "description": "Les calculs : une requête GET, une réponse JSON.",
        },
        {
            "name": batches::TAG,
            "description": "Les mêmes calculs sur de nombreuses lignes : une requête POST, une \
                réponse par ligne.",
        },
        {
            "name": data::TAG,
            "description": "Les données derrière les réponses : paramètres, chiffres, textes, \
                changements. Ni clé, ni quota.",
        },
        {
            "name": form::TAG,
            "description": "Les clés gratuites, qui donnent un quota suivi d’un appareil à \
                l’autre.",
        },
    ])
}
