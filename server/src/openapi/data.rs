//! The data behind the answers: their paths, and the schemas of what they answer.

use bareme_engine::Folder;
use bareme_engine::service::{Endpoint, Rules, Variant};
use serde_json::{Map, Value, json};

use super::{names, responses};
use crate::api::route::{self, SCALES};

/// The tag of its operations.
pub(super) const TAG: &str = "donnees";

/// Statuses that these paths never have: they are neither identified nor counted.
const NEVER: [&str; 3] = ["401", "403", "429"];

/// The fields that only counted answers have.
const OF_CALLERS: [&str; 5] = ["RateLimit", "RateLimit-Policy", "Link", "X-API-Key-Expires", "X-API-Quota"];

/// The paths, in order.
pub(super) fn paths(rules: &Rules, variant: &Variant) -> Vec<(String, Value)> {
    let (prefix, service) = (&variant.prefix, rules.service());
    let mut paths = vec![
        (prefix.clone(), get("donnees", "Tout ce qui est servi, avec son adresse", "DonneesReponse", &[])),
        (format!("{prefix}/{SCALES}"), get("baremes", "Les barèmes des calculs", "BaremesReponse", &[])),
    ];
    for Folders { path, suffix, chosen, day } in folders(rules, variant) {
        let form = json!({"type": "string", "format": "date"});
        let date = path_parameter("date", "Jour dont l’édition en vigueur est demandée.", form, json!(day));
        let of_edition = [chosen.clone(), date, since(&day)];
        let (scale, edition) = (format!("bareme{suffix}"), format!("edition{suffix}"));
        let (described, in_force) = ("Un barème : paramètres, champs, éditions", "L’édition en vigueur un jour donné");
        paths.push((path.clone(), get(&scale, described, "BaremeReponse", &[chosen])));
        paths.push((format!("{path}/{{date}}"), get(&edition, in_force, "EditionReponse", &of_edition)));
    }
    paths.extend(route::selectors(service, variant).map(|by| {
        let summary = format!("Les mots de `{by}`, leur nom, leur monnaie et ce qui leur répond");
        (format!("{prefix}/{by}"), get(&format!("mots_{by}"), &summary, "MotsReponse", &[]))
    }));
    paths
}

/// The path of several folders.
struct Folders {
    path: String,
    /// What the names of their operations end with.
    suffix: String,
    /// The parameter that chooses one.
    chosen: Value,
    /// A day on which the one of its example has an edition.
    day: String,
}

/// The paths of folders: that of single folders, then those of each family.
fn folders(rules: &Rules, variant: &Variant) -> Vec<Folders> {
    let is_family = |endpoint: &&Endpoint| endpoint.by.is_some();
    let (families, single): (Vec<&Endpoint>, Vec<&Endpoint>) =
        rules.service().endpoints_of(variant).partition(is_family);
    let alone = single.into_iter().flat_map(|endpoint| route::sources_of(rules, endpoint));
    let alone: Vec<(&str, &Folder)> = alone.map(|source| (source.folder.path(), source.folder)).collect();
    let root = format!("{}/{SCALES}", variant.prefix);
    let of_family = |endpoint: &&Endpoint| {
        let words = route::sources_of(rules, endpoint).filter_map(|source| Some((source.word?, source.folder)));
        let by = endpoint.by.as_deref()?;
        let suffix = names::suffix(endpoint);
        described((format!("{root}/{}", endpoint.folder), suffix), by, &words.collect::<Vec<_>>())
    };
    described((root.clone(), String::new()), "dossier", &alone)
        .into_iter()
        .chain(families.iter().filter_map(of_family))
        .collect()
}

/// The path of folders by the words that choose them; none where no folder has a dated edition.
fn described((root, suffix): (String, String), name: &str, words: &[(&str, &Folder)]) -> Option<Folders> {
    let latest = |folder: &Folder| Some(folder.latest()?.scale()?.date.to_string());
    let (example, day) = words.iter().find_map(|(word, folder)| Some((*word, latest(folder)?)))?;
    let mut all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    all.dedup();
    let form = json!({"type": "string", "enum": all});
    let chosen = path_parameter(name, "Choisit le barème.", form, example.into());
    Some(Folders { path: format!("{root}/{{{name}}}"), suffix, chosen, day })
}

fn path_parameter(name: &str, description: &str, schema: Value, example: Value) -> Value {
    json!({"name": name, "in": "path", "required": true, "description": description, "schema": schema, "example": example})
}

fn since(day: &str) -> Value {
    json!({"name": "avant", "in": "query", "required": false, "allowEmptyValue": true,
        "description": "Jour d’une autre édition : la réponse dit ce qui a changé depuis.",
        "schema": {"type": "string", "format": "date"}, "example": day})
}

/// An operation that is neither identified nor counted.
fn get(id: &str, summary: &str, schema: &str, parameters: &[Value]) -> Value {
    let answer = names::schema(schema);
    let mut responses = responses::of_operation(&answer, Map::new());
    if let Some(responses) = responses.as_object_mut() {
        responses.retain(|status, _| !NEVER.contains(&status.as_str()));
    }
    if let Some(good) = responses.pointer_mut("/200").and_then(Value::as_object_mut) {
        good.insert("description".into(), "Les données.".into());
    }
    if let Some(headers) = responses.pointer_mut("/200/headers").and_then(Value::as_object_mut) {
        headers.retain(|name, _| !OF_CALLERS.contains(&name.as_str()));
    }
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

/// A schema of a member: the name, whether it is always there, the schema.
type Member = (&'static str, bool, Value);

fn object(members: &[Member]) -> Value {
    let properties: Map<String, Value> =
        members.iter().map(|(name, _, schema)| ((*name).to_owned(), schema.clone())).collect();
    let required: Vec<&str> = members.iter().filter(|(_, always, _)| *always).map(|(name, ..)| *name).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn day(description: &str) -> Value {
    json!({"type": "string", "format": "date", "description": description})
}

fn number(description: &str) -> Value {
    json!({"type": "number", "description": description})
}

fn list(items: &Value) -> Value {
    json!({"type": "array", "items": items})
}

/// The schemas of what the paths answer.
pub(super) fn schemas(rules: &Rules, variant: &Variant) -> Vec<(String, Value)> {
    let has_words = route::selectors(rules.service(), variant).next().is_some();
    let all = [
        ("DonneesReponse", everything()),
        ("BaremesReponse", object(&[("baremes", true, list(&listed()))])),
        ("BaremeReponse", scale()),
        ("ParametreDeBareme", parameter()),
        ("EditionReponse", edition()),
        ("Chiffre", figure()),
        ("TexteDeBareme", source()),
    ];
    let words = has_words.then(|| ("MotsReponse", words()));
    all.into_iter().chain(words).map(|(name, schema)| (name.to_owned(), schema)).collect()
}

fn everything() -> Value {
    let withdrawal = object(&[
        ("deconseille_a_partir_du", true, day("Jour à partir duquel ne plus s’en servir.")),
        ("retire_a_partir_du", false, day("Premier jour où il peut ne plus répondre.")),
    ]);
    let calculation = object(&[
        ("nom", true, text("Nom du calcul.")),
        ("titre", true, text("Titre.")),
        ("adresse", true, text("Adresse du calcul.")),
        ("lot", true, text("Adresse du même calcul sur de nombreuses lignes (POST).")),
        ("rubriques", false, list(&text("Rubrique du site."))),
        ("choix", false, text("Paramètre qui choisit le barème.")),
        ("baremes", false, list(&text("Adresse d’un barème."))),
        ("retrait", false, withdrawal),
    ]);
    let choice =
        object(&[("parametre", true, text("Nom du paramètre.")), ("adresse", true, text("Adresse de ses mots."))]);
    object(&[
        ("titre", true, text("Nom du service.")),
        ("variante", true, text("Version de l’API.")),
        ("empreinte", true, text("Empreinte de tous les barèmes.")),
        ("description", true, text("Adresse de la description OpenAPI.")),
        ("baremes", true, text("Adresse de la liste des barèmes.")),
        ("choix", false, list(&choice)),
        ("documentation", true, text("Adresse des guides.")),
        ("changements", true, text("Adresse du flux Atom des changements.")),
        ("cle", true, text("Adresse où obtenir une clé.")),
        ("attribution", true, text("Mention que demandent certaines offres.")),
        ("contact", false, text("Adresse électronique.")),
        ("calculs", true, list(&calculation)),
    ])
}

fn listed() -> Value {
    object(&[
        ("dossier", true, text("Nom du barème.")),
        ("titre", true, text("Titre.")),
        ("calcul", true, text("Calcul qui en répond.")),
        ("mot", false, text("Mot qui le choisit.")),
        ("monnaie", false, text("Code ISO 4217.")),
        ("en_vigueur", false, day("Début de l’édition en vigueur aujourd’hui.")),
        ("editions", true, json!({"type": "integer", "description": "Nombre d’éditions."})),
        ("empreinte", true, text("Empreinte de ses fichiers.")),
        ("adresse", true, text("Adresse de sa description.")),
        ("exemple", false, text("Un appel qui répond 200.")),
    ])
}

fn scale() -> Value {
    let field = object(&[
        ("nom", true, text("Nom du champ.")),
        ("libelle", false, text("Ce qu’il est.")),
        ("type", true, text("Type JSON.")),
        ("option", false, text("Paramètre booléen qui le fait paraître.")),
        ("depuis", false, day("Premier jour où il existe.")),
        ("jusqu_au", false, day("Dernier jour où il existe.")),
    ]);
    let edition = object(&[
        ("date", true, day("Entrée en vigueur.")),
        ("titre", true, text("Titre.")),
        ("en_vigueur", true, json!({"type": "boolean", "description": "En vigueur aujourd’hui."})),
        ("dernier_jour", false, day("Dernier jour en vigueur.")),
        ("verifie_jusqu_au", true, day("Dernier jour vérifié.")),
        ("adresse", true, text("Adresse de ses chiffres.")),
        ("changements", false, text("Adresse de ses chiffres avec ce qui a changé depuis l’édition précédente.")),
    ]);
    object(&[
        ("dossier", true, text("Nom du barème.")),
        ("titre", true, text("Titre.")),
        ("calcul", true, answered()),
        ("monnaie", false, text("Code ISO 4217.")),
        ("decimales", true, json!({"type": "integer", "description": "Décimales des montants."})),
        ("empreinte", true, text("Empreinte de ses fichiers.")),
        ("exemple", false, text("Un appel qui répond 200.")),
        ("parametres", true, list(&names::schema("ParametreDeBareme"))),
        ("champs", true, list(&field)),
        ("editions", false, list(&edition)),
        ("sources", false, list(&names::schema("TexteDeBareme"))),
    ])
}

/// The calculation that answers from a scale.
fn answered() -> Value {
    object(&[
        ("nom", true, text("Nom du calcul.")),
        ("titre", true, text("Titre.")),
        ("choix", false, text("Paramètre qui choisit le barème.")),
        ("mot", false, text("Mot qui choisit celui-ci.")),
        ("adresse", true, text("Adresse du calcul.")),
    ])
}

fn parameter() -> Value {
    let word = object(&[
        ("mot", true, text("Mot à envoyer.")),
        ("libelle", true, text("Ce qu’il veut dire.")),
        ("autres_noms", false, list(&text("Autre écriture acceptée."))),
    ]);
    let kinds = ["montant", "taux", "nombre", "entier", "choix", "booleen", "texte"];
    object(&[
        ("nom", true, text("Nom du paramètre.")),
        ("libelle", true, text("Ce qu’il est.")),
        ("aide", false, text("Ce qu’il faut savoir.")),
        ("type", true, json!({"type": "string", "enum": kinds})),
        ("unite", false, text("Unité dans laquelle il s’envoie ; un taux en `%`.")),
        ("obligatoire", true, json!({"type": "boolean"})),
        ("a_la_place_de", false, text("Paramètre qu’il remplace.")),
        ("sinon", false, list(&text("Paramètre à envoyer à la place."))),
        ("defaut", false, json!({"type": ["number", "boolean", "string"], "description": "Valeur sans ce paramètre."})),
        ("defaut_calcule", false, text("Formule de la valeur sans ce paramètre.")),
        ("defaut_du_bareme", false, day("Édition dont vient la valeur par défaut.")),
        ("minimum", false, number("Plus petite valeur.")),
        ("maximum", false, number("Plus grande valeur.")),
        ("pas", false, number("Pas, compté depuis le minimum.")),
        ("decimales", false, json!({"type": "integer", "description": "Décimales acceptées."})),
        ("arrondi_a", false, number("Arrondi à l’entrée.")),
        ("valeurs", false, list(&number("Seules valeurs acceptées."))),
        ("choix", false, list(&word)),
        ("mots", false, list(&text("Mot accepté à la place d’un nombre."))),
        ("attendu", true, text("Ce qui est accepté, en une phrase.")),
        ("depuis", false, day("Premier jour où il est accepté.")),
        ("jusqu_au", false, day("Dernier jour où il est accepté.")),
    ])
}

fn edition() -> Value {
    let named = object(&[
        ("dossier", true, text("Nom.")),
        ("titre", true, text("Titre.")),
        ("adresse", true, text("Adresse.")),
    ]);
    let pending = object(&[
        ("texte", true, text("Texte attendu.")),
        ("attendu_le", true, day("Jour où il est attendu.")),
        ("change", true, text("Ce qu’il changera.")),
    ]);
    let value = json!({"type": ["number", "string", "boolean"]});
    let changed = object(&[
        ("chiffre", true, text("Nom du chiffre.")),
        ("libelle", true, text("Ce qu’il est.")),
        ("valeur", true, text("Laquelle de ses valeurs.")),
        ("type", true, text("`montant`, `taux`, `nombre` ou `texte`.")),
        ("unite", false, text("Unité d’un montant.")),
        ("avant", false, value.clone()),
        ("apres", false, value),
    ]);
    let changes = object(&[
        ("depuis", true, day("Édition comparée.")),
        ("resume", true, text("Les changements en une phrase.")),
        ("valeurs", false, list(&changed)),
    ]);
    object(&[
        ("bareme", true, named),
        ("date", true, day("Entrée en vigueur.")),
        ("titre", true, text("Titre.")),
        ("dernier_jour", false, day("Dernier jour en vigueur.")),
        ("verifie_jusqu_au", true, day("Dernier jour vérifié.")),
        ("relu_le", false, day("Jour où ses chiffres ont été relus dans les textes.")),
        ("citation", true, text("Ligne à copier dans un rapport.")),
        ("note", false, text("Ce qu’il faut savoir.")),
        ("a_venir", false, list(&pending)),
        ("precedente", false, text("Adresse de l’édition précédente.")),
        ("suivante", false, text("Adresse de l’édition suivante.")),
        ("changements", false, changes),
        ("chiffres", false, list(&names::schema("Chiffre"))),
        ("sources", false, list(&names::schema("TexteDeBareme"))),
    ])
}

/// The members that say how certain a figure or a row is.
fn certainty() -> [Member; 5] {
    [
        ("sources", false, list(&text("`id` d’un texte qui fixe la valeur."))),
        ("verifie_avec", false, list(&text("`id` d’un élément de vérification."))),
        (
            "confiance",
            false,
            json!({"type": "string", "enum": ["moyenne", "faible"], "description": "Absente : haute."}),
        ),
        ("note", false, text("Ce qu’il faut savoir.")),
        ("inchange", false, text("Pourquoi la valeur reste sans texte nouveau.")),
    ]
}

fn figure() -> Value {
    let values = json!({"type": "object", "description": "Valeurs par colonne ; un taux est une fraction.",
        "additionalProperties": {"type": ["number", "string", "boolean"]}});
    let key = object(&[("valeur", true, text("Valeur envoyée.")), ("libelle", false, text("Ce qu’elle veut dire."))]);
    let keys = json!({"type": "object", "description": "Valeurs des clés ; `autres` : toutes celles qui restent.",
        "additionalProperties": {"anyOf": [{"type": "string", "const": "autres"}, list(&key)]}});
    let words = ["jusqu_a", "en_dessous_de", "au_dela_de", "a_partir_de"];
    let bound = object(&[
        ("genre", true, json!({"type": "string", "enum": words})),
        ("libelle", true, text("Le même en mots.")),
        ("valeur", true, number("Borne.")),
    ]);
    let row = object(
        &[&[("cles", false, keys), ("borne", false, bound), ("valeurs", false, values.clone())][..], &certainty()]
            .concat(),
    );
    let column = object(&[
        ("nom", true, text("Nom de la colonne.")),
        ("libelle", false, text("Ce qu’elle contient.")),
        ("role", true, json!({"type": "string", "enum": ["cle", "borne", "valeur"]})),
        ("type", true, text("`montant`, `taux`, `nombre`, `choix`, `booleen` ou `texte`.")),
        ("unite", false, text("Unité d’un montant.")),
    ]);
    let own = [
        ("nom", true, text("Nom du chiffre.")),
        ("libelle", true, text("Ce qu’il est.")),
        ("option", false, text("Paramètre booléen qui le fait lire.")),
        ("colonnes", true, list(&column)),
        ("valeurs", false, values),
        ("lignes", false, list(&row)),
    ];
    object(&[&own[..], &certainty()].concat())
}

fn source() -> Value {
    object(&[
        ("id", true, text("Nom que lui donnent les chiffres.")),
        ("nature", true, json!({"type": "string", "enum": ["loi", "administration", "secondaire"]})),
        ("titre", true, text("Titre.")),
        ("article", false, text("Articles.")),
        ("editeur", false, text("Qui le publie.")),
        ("parution", false, text("Journal officiel, numéro, date, page.")),
        ("date", false, day("Date du texte.")),
        ("identifiant", false, text("Identifiant stable : ELI, NOR, numéro.")),
        ("url", false, text("Adresse.")),
    ])
}

fn words() -> Value {
    let word = object(&[
        ("mot", true, text("Mot à envoyer.")),
        ("nom", true, text("Nom en toutes lettres.")),
        ("autres_noms", false, list(&text("Autre nom accepté."))),
        ("titre", false, text("Titre du calcul.")),
        ("monnaie", false, text("Code ISO 4217.")),
        ("adresse", true, text("Adresse du calcul avec ce mot.")),
        ("bareme", true, text("Adresse du barème.")),
    ]);
    let elsewhere = object(&[
        ("mot", true, text("Mot refusé ici.")),
        ("calcul", true, text("Calcul qui répond.")),
        ("adresse", true, text("Son adresse.")),
    ]);
    let calculation = object(&[
        ("nom", true, text("Nom du calcul.")),
        ("titre", true, text("Titre.")),
        ("adresse", true, text("Adresse du calcul.")),
        ("mots", true, list(&word)),
        ("ailleurs", false, list(&elsewhere)),
    ]);
    object(&[("parametre", true, text("Nom du paramètre.")), ("calculs", true, list(&calculation))])
}
