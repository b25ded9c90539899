//! What a folder answers.

use bareme_engine::{Edition, Field, Folder};
use serde_json::{Map, Value, json};

/// The schema of a folder's answer. `selected` is the parameter that selects the folder in its
/// family, with its word: the answer repeats it, which tells the answers of a family apart.
pub(super) fn schema(folder: &Folder, selected: Option<(&str, &str)>) -> Value {
    let editions: Vec<&Edition> = folder.editions().iter().rev().collect();
    let mut properties = Map::new();
    let mut required: Vec<String> = Vec::new();
    for edition in &editions {
        for field in edition.method().fields() {
            if properties.contains_key(&field.name) {
                continue;
            }
            let always = |known: &Field| known.name == field.name && known.is_always_there();
            let everywhere = editions.iter().all(|edition| edition.method().fields().iter().any(always));
            if everywhere {
                required.push(field.name.clone());
            }
            properties.insert(field.name.clone(), field_schema(field, folder.option_of(field), edition, selected));
        }
    }
    for (name, always, schema) in automatic(folder.is_dated()) {
        if always {
            required.push(name.to_owned());
        }
        properties.insert(name.to_owned(), schema);
    }
    json!({
        "title": folder.title(),
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn field_schema(field: &Field, option: Option<&str>, edition: &Edition, selected: Option<(&str, &str)>) -> Value {
    let mut schema = Map::new();
    schema.insert("type".into(), field.json_type().into());
    let with = option.map(|option| format!("Avec `{option}=true`."));
    let said: Vec<&str> = field.label.as_deref().into_iter().chain(with.as_deref()).collect();
    if !said.is_empty() {
        schema.insert("description".into(), said.join(". ").into());
    }
    if let Some((_, word)) = selected.filter(|(by, _)| *by == field.name) {
        schema.insert("const".into(), word.into());
    }
    let members = edition.members_of(field);
    if !members.is_empty() {
        // A cell that a scale leaves empty is null or absent.
        let properties: Map<String, Value> =
            members.into_iter().map(|(name, ty)| (name, json!({"type": [ty, "null"]}))).collect();
        schema.insert("items".into(), json!({"type": "object", "properties": properties}));
    }
    Value::Object(schema)
}

/// The fields that every answer has besides those of its method.
fn automatic(dated: bool) -> Vec<(&'static str, bool, Value)> {
    let texts =
        |names: &[&str]| -> Value { names.iter().map(|name| (*name, json!({"type": "string"}))).collect::<Value>() };
    let reserve = texts(&["figure", "confiance", "note"]);
    let mut reference = texts(&["id", "titre", "editeur", "date", "url"]);
    if let Value::Object(members) = &mut reference {
        let items = json!({"type": "object", "properties": reserve});
        members.insert("reserves".into(), json!({"type": "array", "items": items}));
    }
    let step = json!({
        "nom": {"type": "string"}, "libelle": {"type": "string"}, "genre": {"type": "string"},
        "operandes": {"type": "object"}, "resultat": {}, "applique": {"type": "boolean"},
        "loi": {"type": "string"}, "sources": {"type": "array", "items": {"type": "string"}},
    });
    let objects = |description: &str, properties: Value, required: Value| {
        json!({"type": "array", "description": description,
               "items": {"type": "object", "properties": properties, "required": required}})
    };
    let mut fields = vec![(
        "references",
        true,
        objects("Sources du calcul, avec leurs réserves s'il y en a.", reference, json!(["id", "titre", "editeur"])),
    )];
    if dated {
        let schema =
            json!({"type": "string", "format": "date", "description": "Entrée en vigueur du barème appliqué."});
        fields.push(("bareme_en_vigueur", true, schema));
    }
    fields.push(("version", true, json!({"type": "string", "description": "Empreinte des fichiers du barème."})));
    let warnings =
        json!({"type": "array", "items": {"type": "string"}, "description": "Ce qu'il faut savoir de ce calcul."});
    fields.push(("avertissements", false, warnings));
    fields.push((
        "etapes",
        false,
        objects("Avec `detail=true` : le calcul, dans l'ordre.", step, json!(["nom", "libelle"])),
    ));
    fields
}
