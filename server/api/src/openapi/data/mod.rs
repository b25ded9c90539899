//! The paths of the data behind the answers, with the [schemas](mod@schemas) of their responses.

mod schemas;

use bareme_engine::Folder;
use bareme_engine::service::{Endpoint, Rules, Variant};
use serde_json::{Map, Value, json};

pub(super) use schemas::schemas;

use super::{names, responses};
use crate::calls::route::{self, PUBLISHED, SCALES};

/// The tag of its operations.
pub(super) const TAG: &str = "donnees";

/// Statuses that these paths never have: their callers are neither identified nor counted.
const NEVER: [u16; 3] = [401, 403, 429];

/// Headers of their answers.
const HEADERS: [&str; 3] = ["X-Request-Id", "Deprecation", "Sunset"];

/// The paths, in order.
pub(super) fn paths(rules: &Rules, variant: &Variant) -> Vec<(String, Value)> {
    let (prefix, service) = (&variant.prefix, rules.service());

    // From the general to the particular: the index, the list, what changed, the scales, the words.
    let mut paths = vec![
        (
            prefix.clone(),
            get(
                "donnees",
                "Tout ce qui est servi, avec son adresse",
                "DonneesReponse",
                &[],
            ),
        ),
        (
            format!("{prefix}/{SCALES}"),
            get("baremes", "Les barèmes des calculs", "BaremesReponse", &[]),
        ),
        (
            format!("{prefix}/{PUBLISHED}"),
            get(
                "publications",
                "Ce qui a été publié et corrigé, le plus récent d’abord",
                "PublicationsReponse",
                &published_since(),
            ),
        ),
    ];

    paths.extend(folders(rules, variant));
    // A path for each selector, such as `/pays`.
    paths.extend(route::selectors(service, variant).map(|by| {
        let summary = format!("Les mots de `{by}`, leur nom, leur monnaie et ce qui leur répond");
        (
            format!("{prefix}/{by}"),
            get(&format!("mots_{by}"), &summary, "MotsReponse", &[]),
        )
    }));

    paths
}

/// The paths of folders: that of single folders, then those of each family.
fn folders(rules: &Rules, variant: &Variant) -> Vec<(String, Value)> {
    // By their own name, or by the word within a family.
    let is_family = |endpoint: &&Endpoint| endpoint.by.is_some();
    let (families, single): (Vec<&Endpoint>, Vec<&Endpoint>) =
        rules.service().endpoints_of(variant).partition(is_family);

    // Single folders share one path, whose parameter is the folder; each family has its own.
    let alone = single
        .into_iter()
        .flat_map(|endpoint| route::sources_of(rules, endpoint));
    let alone: Vec<(&str, &Folder)> = alone
        .map(|source| (source.folder.path(), source.folder))
        .collect();

    let root = format!("{}/{SCALES}", variant.prefix);

    let of_family = |endpoint: &&Endpoint| {
        let words = route::sources_of(rules, endpoint)
            .filter_map(|source| Some((source.word?, source.folder)));
        let by = endpoint.by.as_deref()?;
        described(
            (
                &format!("{root}/{}", endpoint.folder),
                &names::suffix(endpoint),
            ),
            by,
            &words.collect::<Vec<_>>(),
        )
    };

    let alone = described((&root, ""), "dossier", &alone);
    alone
        .into_iter()
        .chain(families.iter().filter_map(of_family))
        .flatten()
        .collect()
}

/// The paths of folders by the words that select them; `None` where no folder has a dated edition.
/// The names of their operations have a suffix.
fn described(
    (root, suffix): (&str, &str),
    name: &str,
    words: &[(&str, &Folder)],
) -> Option<[(String, Value); 2]> {
    // The example is the first folder with a dated edition: its path must answer.
    let latest = |folder: &Folder| Some(folder.latest()?.scale()?.date.to_string());
    let (example, day) = words
        .iter()
        .find_map(|(word, folder)| Some((*word, latest(folder)?)))?;
    // A folder may have several endpoints, one after the other.
    let mut all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    all.dedup();

    let path = format!("{root}/{{{name}}}");
    let chosen = path_parameter(
        name,
        "Choisit le barème.",
        json!({"type": "string", "enum": all}),
        example.into(),
    );
    // The day is in the path, so that caches may keep an edition.
    let form = json!({"type": "string", "format": "date"});

    let date = path_parameter(
        "date",
        "Jour dont l’édition en vigueur est demandée.",
        form,
        json!(day),
    );

    let of_edition = [chosen.clone(), date, since(&day)];
    let (scale, edition) = (format!("bareme{suffix}"), format!("edition{suffix}"));

    let scale = get(
        &scale,
        "Un barème : paramètres, champs, éditions",
        "BaremeReponse",
        &[chosen],
    );
    let edition = get(
        &edition,
        "L’édition en vigueur un jour donné",
        "EditionReponse",
        &of_edition,
    );

    Some([(path.clone(), scale), (format!("{path}/{{date}}"), edition)])
}

fn path_parameter(name: &str, description: &str, schema: Value, example: Value) -> Value {
    json!({
        "name": name,
        "in": "path",
        "required": true,
        "description": description,
        "schema": schema,
        "example": example,
    })
}

fn since(day: &str) -> Value {
    json!({"name": "avant", "in": "query", "required": false, "allowEmptyValue": true,
        "description": "Jour d’une autre édition : la réponse dit ce qui a changé depuis.",
        "schema": {"type": "string", "format": "date"}, "example": day})
}

/// The parameters of what was published.
fn published_since() -> [Value; 2] {
    let day = |name: &str, description: &str, example: &str| {
        json!({"name": name, "in": "query", "required": false, "allowEmptyValue": true,
            "description": description, "schema": {"type": "string", "format": "date"},
            "example": example})
    };
    [
        day("depuis", "Premier jour de publication.", "2026-01-01"),
        day(
            "effet",
            "Seulement les corrections de jours à partir de celui-ci.",
            "2026-01-01",
        ),
    ]
}

/// An operation that is neither identified nor counted.
fn get(id: &str, summary: &str, schema: &str, parameters: &[Value]) -> Value {
    // Neither identified nor counted: a part of the statuses cannot happen.
    let responses = responses::of_operation(("Les données.", schema), Map::new(), &HEADERS, &NEVER);
    json!({"get": {
        "operationId": id,
        "tags": [TAG],
        "summary": summary,
        "description": format!("{summary}. Sans clé, et non compté dans le quota."),
        "security": [],
        "parameters": parameters,
        "responses": responses,
    }})
}
