//! Schemas of answers.

use bareme_engine::Folder;
use bareme_engine::law::parameter::RECEIPT;
use bareme_engine::law::{Field, Member, MemberType, WarningCode, members};
use bareme_engine::run::Edition;
use bareme_show::schema::days;
use serde_json::{Map, Value, json};

use super::names;

/// The schema of a folder's answer. `selected` is the parameter that selects the folder in its
/// family, with its value: the answer repeats it, so that a client can distinguish the answers of a
/// family.
pub(super) fn schema(folder: &Folder, selected: Option<(&str, &str)>) -> Value {
    let mut schema = fields(folder, selected);
    // The scale in force is in every answer of a dated folder, and in none of another.
    for member in automatic(folder.is_dated()) {
        schema.add(
            member.name,
            of_folder(member, folder),
            member.always || *member == members::SCALE_IN_FORCE,
        );
    }

    schema.add(RECEIPT, receipt(), false);
    schema.described(folder.title())
}

/// The schema of the receipt of an answer, which has another form in a row of a batch.
pub(super) fn receipt() -> Value {
    json!({
        "description": "Avec `recu=true` : le reçu signé (JWS, une chaîne) ; dans un lot, un objet \
                        avec ce qui est attesté de la ligne.",
    })
}

/// An object schema under construction.
#[derive(Default)]
pub(super) struct ObjectSchema {
    properties: Map<String, Value>,
    required: Vec<String>,
}

impl ObjectSchema {
    /// Adds a member.
    pub(super) fn add(&mut self, name: &str, schema: Value, always: bool) {
        if always {
            self.required.push(name.to_owned());
        }
        self.properties.insert(name.to_owned(), schema);
    }

    /// The schema of one of its members.
    pub(super) fn member(&self, name: &str) -> Option<&Value> {
        self.properties.get(name)
    }

    /// The schema of the object.
    pub(super) fn described(self, description: &str) -> Value {
        json!({
            "description": description,
            "type": "object",
            "properties": self.properties,
            "required": self.required,
        })
    }
}

/// The fields of the method in answers of a folder.
pub(super) fn fields(folder: &Folder, selected: Option<(&str, &str)>) -> ObjectSchema {
    // The latest edition first: its description of a field is the one shown.
    let editions: Vec<&Edition> = folder.editions().iter().rev().collect();

    let mut found = ObjectSchema::default();
    for edition in &editions {
        for field in edition.method().fields() {
            if found.member(&field.name).is_some() {
                continue;
            }

            // Required is what every edition has without a condition: generated clients fail on a
            // member that is missing.
            let always = |known: &Field| known.name == field.name && known.is_always_there();
            let everywhere = editions
                .iter()
                .all(|edition| edition.method().fields().iter().any(always));

            let mut schema = field_schema(field, folder, edition, selected);
            // A field of the selector is a constant already, and needs no list of words.
            let words = words(&field.name, &editions);
            if !words.is_empty() && !schema.contains_key("const") {
                schema.insert("enum".into(), words.into());
            }

            found.add(&field.name, Value::Object(schema), everywhere);
        }
    }

    found
}

/// The words that a field may have in any edition; empty if it has other values in one of them.
fn words<'e>(name: &str, editions: &[&'e Edition]) -> Vec<&'e str> {
    // One edition with free values, and the list would refuse them.
    let mut all = Vec::new();
    // In the order of the editions, each word once.
    for method in editions.iter().map(|edition| edition.method()) {
        let Some(field) = method.fields().iter().find(|field| field.name == name) else {
            continue;
        };
        let words = field.words(method.inputs());
        if words.is_empty() {
            return words;
        }
        all.extend(
            words
                .into_iter()
                .filter(|word| !all.contains(word))
                .collect::<Vec<_>>(),
        );
    }
    all
}

fn field_schema(
    field: &Field,
    folder: &Folder,
    edition: &Edition,
    selected: Option<(&str, &str)>,
) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".into(), field.json_type().into());

    // 1. What the field is, and where it is found: the option, the days.
    let has_it = |edition: &Edition| {
        edition
            .method()
            .fields()
            .iter()
            .any(|known| known.name == field.name)
    };
    let on_days = folder.days_with(has_it);
    let with = folder
        .option_of(field)
        .map(|option| format!("Avec `{option}=true`."));
    let on = days::sentence(on_days);

    let sentences: Vec<&str> = [&with, &on]
        .into_iter()
        .flatten()
        .map(|sentence| sentence.trim())
        .collect();

    let label = field.label.as_deref().unwrap_or_default();
    let description = match sentences.as_slice() {
        [] => label.to_owned(),
        _ => format!("{label}. {}", sentences.join(" ")),
    };
    if !description.is_empty() {
        schema.insert(
            "description".into(),
            description.trim_start_matches(". ").into(),
        );
    }

    schema.extend(days::members(on_days));

    // 2. The selector has one value in the answers of this folder.
    if let Some((_, word)) = selected.filter(|(by, _)| *by == field.name) {
        schema.insert("const".into(), word.into());
    }

    // 3. The members of its items, if it is a list.
    let members = edition.members_of(field);
    if !members.is_empty() {
        schema.insert("items".into(), object(&members));
    }

    schema
}

/// The automatic members of every answer. Without dates there is no scale in force.
fn automatic(dated: bool) -> impl Iterator<Item = &'static Member<'static>> {
    members::AUTOMATIC
        .iter()
        .filter(move |member| dated || member.name != members::SCALE_IN_FORCE.name)
}

/// The objects that answers of several folders have, each described once.
const SHARED: [(&str, &[Member]); 12] = [
    ("Ligne", &members::LINE),
    ("LigneDeBulletin", &members::PAYSLIP),
    ("Tranche", &members::SLICE),
    ("Echeance", &members::PAYMENT),
    ("Reserve", &members::REMARK),
    ("ReserveDeLigne", &members::ROW_REMARK),
    ("Reference", &members::REFERENCE),
    ("Etape", &members::STEP),
    ("CalculDEtape", &members::CALL),
    ("ReferenceDAnnee", &members::REFERENCE_OF_MONTHS),
    ("ReserveDAnnee", &members::REMARK_OF_MONTHS),
    ("Avertissement", &members::WARNING),
];

/// The schema of a value that may be of several types.
pub(super) const VALUE: &str = "ValeurSimple";

/// The schemas of shared objects.
pub(super) fn shared() -> impl Iterator<Item = (String, Value)> {
    let value = json!({
        "description": "Un nombre, un texte, `true` ou `false`, ou `null`.",
        "type": ["number", "string", "boolean", "null"],
    });

    let objects = SHARED
        .iter()
        .map(|(name, members)| ((*name).to_owned(), described(members)));
    objects.chain([(VALUE.to_owned(), value)])
}

/// The schema of an object with these members: a reference where it is shared.
fn object(members: &[Member]) -> Value {
    // A shared schema gives generated clients one type for one thing.
    match SHARED.iter().find(|(_, shared)| is_one_of(members, shared)) {
        Some((name, _)) => names::schema(name),
        None => described(members),
    }
}

/// Whether an object with these members is a shared one, possibly without its optional members.
fn is_one_of(members: &[Member], shared: &[Member]) -> bool {
    let always = shared.iter().filter(|member| member.always);
    members.iter().all(|member| shared.contains(member))
        && always.into_iter().all(|member| members.contains(member))
}

fn described(members: &[Member]) -> Value {
    let properties: Map<String, Value> = members
        .iter()
        .map(|member| (member.name.to_owned(), of(member)))
        .collect();

    let required = members
        .iter()
        .filter(|member| member.always)
        .map(|member| member.name);
    json!({"type": "object", "properties": properties, "required": required.collect::<Vec<_>>()})
}

/// The schema of an automatic member: that of the warnings lists the codes that the folder gives.
/// The list is no `enum`: a code that is added breaks no client.
pub(super) fn of_folder(member: &Member, folder: &Folder) -> Value {
    let mut schema = of(member);
    if *member == members::WARNINGS
        && let Value::Object(members) = &mut schema
    {
        // Codes of the rules, then those that any answer may have.
        let of_all = WarningCode::ALL.iter().map(|code| code.as_str());
        let codes: Vec<&str> = folder.warning_codes().into_iter().chain(of_all).collect();

        let description = format!(
            "{} Leurs codes sont dans `x-codes`, et leur sens à `/erreurs`.",
            member.label
        );

        members.insert("description".into(), description.into());
        members.insert("x-codes".into(), codes.into());
    }
    schema
}

/// The schema of a member.
pub(super) fn of(member: &Member) -> Value {
    let mut schema = Map::new();
    if !member.label.is_empty() {
        schema.insert("description".into(), member.label.into());
    }
    if !member.values.is_empty() {
        schema.insert("enum".into(), member.values.into());
    }

    if let Some(ty) = member.ty.json_type() {
        schema.insert(
            "type".into(),
            if member.nullable {
                json!([ty, "null"])
            } else {
                ty.into()
            },
        );
    }

    // The shape of the value. A nullable object is an alternative, since `type` is in the
    // schema that it refers to.
    let own = match member.ty {
        MemberType::Object(members) => {
            schema.shift_remove("type");
            let own = object(members);
            if member.nullable {
                json!({"anyOf": [own, {"type": "null"}]})
            } else {
                own
            }
        }
        MemberType::Any => json!({"anyOf": [names::schema(VALUE), map()]}),
        MemberType::Map => map(),
        MemberType::Date => json!({"format": "date"}),
        MemberType::Texts => json!({"items": {"type": "string"}}),
        MemberType::Integers => json!({"items": {"type": "integer"}}),
        MemberType::Objects(members) => json!({"items": object(members)}),
        MemberType::Steps => json!({"items": object(&members::STEP)}),
        _ => Value::Null,
    };

    if let Value::Object(own) = own {
        schema.extend(own);
    }
    Value::Object(schema)
}

/// An object whose members depend on the method.
fn map() -> Value {
    json!({"type": "object", "additionalProperties": names::schema(VALUE)})
}
