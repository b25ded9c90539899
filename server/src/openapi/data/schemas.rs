//! Schemas of the data behind the answers.

use serde_json::{Map, Value, json};

use crate::openapi::names;

/// A schema of a member: the name, whether it is always there, the schema.
type Member = (&'static str, bool, Value);

/// Schemas with their names.
type Schemas = Vec<(String, Value)>;

/// An object that has a schema of its own: a reference to it.
fn named(all: &mut Schemas, name: &str, members: &[Member]) -> Value {
    all.push((name.to_owned(), object(members)));
    names::schema(name)
}

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

/// The schemas of what the paths answer, each object by a name of its own.
pub(in crate::openapi) fn schemas() -> Vec<(String, Value)> {
    let mut all = Vec::new();
    let roots = [
        ("DonneesReponse", everything as fn(&mut Schemas) -> Value),
        ("BaremesReponse", listed),
        ("BaremeReponse", scale),
        ("ParametreDeBareme", parameter),
        ("EditionReponse", edition),
        ("Chiffre", figure),
        ("TexteDeBareme", source),
        ("MotsReponse", words),
    ];
    for (name, root) in roots {
        let schema = root(&mut all);
        all.push((name.to_owned(), schema));
    }
    all
}

fn everything(all: &mut Schemas) -> Value {
    let withdrawal = named(
        all,
        "Retrait",
        &[
            ("deconseille_a_partir_du", true, day("Jour à partir duquel ne plus s’en servir.")),
            ("retire_a_partir_du", false, day("Premier jour où il peut ne plus répondre.")),
        ],
    );
    let calculation = named(
        all,
        "CalculServi",
        &[
            ("nom", true, text("Nom du calcul.")),
            ("titre", true, text("Titre.")),
            ("adresse", true, text("Adresse du calcul.")),
            ("lot", true, text("Adresse du même calcul sur de nombreuses lignes (POST).")),
            ("rubriques", false, list(&text("Rubrique du site."))),
            ("choix", false, text("Paramètre qui choisit le barème.")),
            ("baremes", false, list(&text("Adresse d’un barème."))),
            ("retrait", false, withdrawal),
        ],
    );
    let choice = named(
        all,
        "ChoixServi",
        &[("parametre", true, text("Nom du paramètre.")), ("adresse", true, text("Adresse de ses mots."))],
    );
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

fn listed(all: &mut Schemas) -> Value {
    let scale = named(
        all,
        "BaremeServi",
        &[
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
        ],
    );
    object(&[("baremes", true, list(&scale))])
}

fn scale(all: &mut Schemas) -> Value {
    let names_of =
        |description: &str| json!({"type": "array", "items": {"type": "string"}, "description": description});
    let year = named(
        all,
        "AnneeDeBareme",
        &[
            ("adresse", true, text("Adresse de l’année de paies.")),
            ("par_mois", true, names_of("Paramètres qui ont une valeur par mois.")),
            ("totaux", true, names_of("Champs que l’année additionne.")),
            ("sans", false, names_of("Paramètres qui ne se donnent pas pour une année.")),
        ],
    );
    let field = named(
        all,
        "ChampDeBareme",
        &[
            ("nom", true, text("Nom du champ.")),
            ("libelle", false, text("Ce qu’il est.")),
            ("type", true, text("Type JSON.")),
            ("option", false, text("Paramètre booléen qui le fait paraître.")),
            ("depuis", false, day("Premier jour où il existe.")),
            ("jusqu_au", false, day("Dernier jour où il existe.")),
        ],
    );
    let edition = named(
        all,
        "EditionDeBareme",
        &[
            ("date", true, day("Entrée en vigueur.")),
            ("titre", true, text("Titre.")),
            ("en_vigueur", true, json!({"type": "boolean", "description": "En vigueur aujourd’hui."})),
            ("dernier_jour", false, day("Dernier jour en vigueur.")),
            ("verifie_jusqu_au", true, day("Dernier jour vérifié.")),
            ("adresse", true, text("Adresse de ses chiffres.")),
            ("changements", false, text("Adresse de ses chiffres avec ce qui a changé depuis l’édition précédente.")),
        ],
    );
    object(&[
        ("dossier", true, text("Nom du barème.")),
        ("titre", true, text("Titre.")),
        ("calcul", true, answered(all)),
        ("monnaie", false, text("Code ISO 4217.")),
        ("decimales", true, json!({"type": "integer", "description": "Décimales des montants."})),
        ("empreinte", true, text("Empreinte de ses fichiers.")),
        ("exemple", false, text("Un appel qui répond 200.")),
        ("parametres", true, list(&names::schema("ParametreDeBareme"))),
        ("champs", true, list(&field)),
        ("annee", false, year),
        ("editions", false, list(&edition)),
        ("sources", false, list(&names::schema("TexteDeBareme"))),
    ])
}

/// The calculation that answers from a scale.
fn answered(all: &mut Schemas) -> Value {
    named(
        all,
        "CalculDuBareme",
        &[
            ("nom", true, text("Nom du calcul.")),
            ("titre", true, text("Titre.")),
            ("choix", false, text("Paramètre qui choisit le barème.")),
            ("mot", false, text("Mot qui choisit celui-ci.")),
            ("adresse", true, text("Adresse du calcul.")),
        ],
    )
}

fn parameter(all: &mut Schemas) -> Value {
    let word = named(
        all,
        "MotDeParametre",
        &[
            ("mot", true, text("Mot à envoyer.")),
            ("libelle", true, text("Ce qu’il veut dire.")),
            ("autres_noms", false, list(&text("Autre écriture acceptée."))),
        ],
    );
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

fn edition(all: &mut Schemas) -> Value {
    let described = named(
        all,
        "BaremeNomme",
        &[("dossier", true, text("Nom.")), ("titre", true, text("Titre.")), ("adresse", true, text("Adresse."))],
    );
    let pending = named(
        all,
        "TexteAttendu",
        &[
            ("texte", true, text("Texte attendu.")),
            ("attendu_le", true, day("Jour où il est attendu.")),
            ("change", true, text("Ce qu’il changera.")),
        ],
    );
    let value = json!({"type": ["number", "string", "boolean"]});
    let changed = named(
        all,
        "ValeurChangee",
        &[
            ("chiffre", true, text("Nom du chiffre.")),
            ("libelle", true, text("Ce qu’il est.")),
            ("valeur", true, text("Laquelle de ses valeurs.")),
            ("type", true, text("`montant`, `taux`, `nombre` ou `texte`.")),
            ("unite", false, text("Unité d’un montant.")),
            ("avant", false, value.clone()),
            ("apres", false, value),
        ],
    );
    let changes = named(
        all,
        "Changements",
        &[
            ("depuis", true, day("Édition comparée.")),
            ("resume", true, text("Les changements en une phrase.")),
            ("valeurs", false, list(&changed)),
        ],
    );
    object(&[
        ("bareme", true, described),
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

fn figure(all: &mut Schemas) -> Value {
    let values = json!({"type": "object", "description": "Valeurs par colonne ; un taux est une fraction.",
        "additionalProperties": {"type": ["number", "string", "boolean"]}});
    let key = named(
        all,
        "CleDeLigne",
        &[("valeur", true, text("Valeur envoyée.")), ("libelle", false, text("Ce qu’elle veut dire."))],
    );
    let keys = json!({"type": "object", "description": "Valeurs des clés ; `autres` : toutes celles qui restent.",
        "additionalProperties": {"anyOf": [{"type": "string", "const": "autres"}, list(&key)]}});
    let words = ["jusqu_a", "en_dessous_de", "au_dela_de", "a_partir_de"];
    let bound = named(
        all,
        "Borne",
        &[
            ("genre", true, json!({"type": "string", "enum": words})),
            ("libelle", true, text("Le même en mots.")),
            ("valeur", true, number("Borne.")),
        ],
    );
    let row = named(
        all,
        "LigneDeChiffre",
        &[&[("cles", false, keys), ("borne", false, bound), ("valeurs", false, values.clone())][..], &certainty()]
            .concat(),
    );
    let column = named(
        all,
        "ColonneDeChiffre",
        &[
            ("nom", true, text("Nom de la colonne.")),
            ("libelle", false, text("Ce qu’elle contient.")),
            ("role", true, json!({"type": "string", "enum": ["cle", "borne", "valeur"]})),
            ("type", true, text("`montant`, `taux`, `nombre`, `choix`, `booleen` ou `texte`.")),
            ("unite", false, text("Unité d’un montant.")),
        ],
    );
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

fn source(_: &mut Schemas) -> Value {
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

fn words(all: &mut Schemas) -> Value {
    let word = named(
        all,
        "MotServi",
        &[
            ("mot", true, text("Mot à envoyer.")),
            ("nom", true, text("Nom en toutes lettres.")),
            ("autres_noms", false, list(&text("Autre nom accepté."))),
            ("titre", false, text("Titre du calcul.")),
            ("monnaie", false, text("Code ISO 4217.")),
            ("adresse", true, text("Adresse du calcul avec ce mot.")),
            ("bareme", true, text("Adresse du barème.")),
        ],
    );
    let elsewhere = named(
        all,
        "MotAilleurs",
        &[
            ("mot", true, text("Mot refusé ici.")),
            ("calcul", true, text("Calcul qui répond.")),
            ("adresse", true, text("Son adresse.")),
        ],
    );
    let calculation = named(
        all,
        "MotsDuCalcul",
        &[
            ("nom", true, text("Nom du calcul.")),
            ("titre", true, text("Titre.")),
            ("adresse", true, text("Adresse du calcul.")),
            ("mots", true, list(&word)),
            ("ailleurs", false, list(&elsewhere)),
        ],
    );
    object(&[("parametre", true, text("Nom du paramètre.")), ("calculs", true, list(&calculation))])
}
