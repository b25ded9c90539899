//! Schemas of the data behind the answers.

use serde_json::{Map, Value, json};

use crate::openapi::names::schema as named;

/// A schema of a member: the name, whether it is always there, the schema.
type Member = (&'static str, bool, Value);

/// Declares objects, each by its name and its members; `?` marks a member that is not always there,
/// and `..` adds members that several objects have.
macro_rules! objects {
    ($($name:ident { $($member:ident $mark:tt: $schema:expr,)* $(.. $more:expr)? })*) => {
        vec![$((
            stringify!($name).to_owned(),
            object(
                [$((stringify!($member), stringify!($mark) == "!", $schema)),*]
                    .into_iter()$(.chain($more))?,
            ),
        )),*]
    };
}

fn object(members: impl Iterator<Item = Member>) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    // A member that may be missing is described and not required.
    for (name, always, schema) in members {
        properties.insert(name.to_owned(), schema);
        required.extend(always.then_some(name));
    }
    json!({"type": "object", "properties": properties, "required": required})
}

fn of_type(name: &str, description: &str) -> Value {
    json!({"type": name, "description": description})
}

fn text(description: &str) -> Value {
    of_type("string", description)
}

fn number(description: &str) -> Value {
    of_type("number", description)
}

fn day(description: &str) -> Value {
    json!({"type": "string", "format": "date", "description": description})
}

fn moment(description: &str) -> Value {
    json!({"type": "string", "format": "date-time", "description": description})
}

fn word_of(words: &[&str]) -> Value {
    json!({"type": "string", "enum": words})
}

fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

/// A value of a figure.
fn value() -> Value {
    json!({"type": ["number", "string", "boolean"]})
}

fn map(description: &str, values: Value) -> Value {
    json!({"type": "object", "description": description, "additionalProperties": values})
}

/// The values of a figure or of a row.
fn values() -> Value {
    map("Valeurs par colonne ; un taux est une fraction.", value())
}

fn keys() -> Value {
    // `autres` is for the row that takes every value that no other row lists.
    let values =
        json!({"anyOf": [{"type": "string", "const": "autres"}, list(named("CleDeLigne"))]});
    map(
        "Valeurs des clés ; `autres` : toutes celles qui restent.",
        values,
    )
}

/// The members that say how certain a figure or a row is.
fn certainty() -> [Member; 5] {
    // High confidence is the rule, and is not written.
    let confidence =
        json!({"type": "string", "enum": ["moyenne", "faible"], "description": "Absente : haute."});
    [
        (
            "sources",
            false,
            list(text("`id` d’un texte qui fixe la valeur.")),
        ),
        (
            "verifie_avec",
            false,
            list(text("`id` d’un élément de vérification.")),
        ),
        ("confiance", false, confidence),
        ("note", false, text("Ce qu’il faut savoir.")),
        (
            "inchange",
            false,
            text("Pourquoi la valeur reste sans texte nouveau."),
        ),
    ]
}

/// The schemas of what the paths answer, each object by a name of its own.
pub(in crate::openapi) fn schemas() -> Vec<(String, Value)> {
    [
        served(),
        scale(),
        parameter(),
        edition(),
        published(),
        figure(),
        words(),
    ]
    .concat()
}

/// Everything that is served, and the list of the scales.
fn served() -> Vec<(String, Value)> {
    objects! {
        Retrait {
            deconseille_a_partir_du!: day("Jour à partir duquel ne plus s’en servir."),
            retire_a_partir_du?: day("Premier jour où il peut ne plus répondre."),
        }

        CalculServi {
            nom!: text("Nom du calcul."),
            titre!: text("Titre."),
            adresse!: text("Adresse du calcul."),
            lot!: text("Adresse du même calcul sur de nombreuses lignes (POST)."),
            rubriques?: list(text("Rubrique du site.")),
            choix?: text("Paramètre qui choisit le barème."),
            baremes?: list(text("Adresse d’un barème.")),
            retrait?: named("Retrait"),
        }

        ChoixServi {
            parametre!: text("Nom du paramètre."),
            adresse!: text("Adresse de ses mots."),
        }

        DonneesReponse {
            titre!: text("Nom du service."),
            variante!: text("Version de l’API."),
            empreinte!: text("Empreinte de tous les barèmes."),
            description!: text("Adresse de la description OpenAPI."),
            baremes!: text("Adresse de la liste des barèmes."),
            choix?: list(named("ChoixServi")),
            documentation!: text("Adresse des guides."),
            changements!: text("Adresse du flux Atom des changements."),
            publications!: text("Adresse de ce qui a été publié et corrigé."),
            cle!: text("Adresse où obtenir une clé."),
            attribution!: text("Mention que demandent certaines offres."),
            contact?: text("Adresse électronique."),
            calculs!: list(named("CalculServi")),
        }

        BaremeServi {
            dossier!: text("Nom du barème."),
            titre!: text("Titre."),
            calcul!: text("Calcul qui en répond."),
            mot?: text("Mot qui le choisit."),
            monnaie?: text("Code ISO 4217."),
            en_vigueur?: day("Début de l’édition en vigueur aujourd’hui."),
            editions!: of_type("integer", "Nombre d’éditions."),
            empreinte!: text("Empreinte de ses fichiers."),
            adresse!: text("Adresse de sa description."),
            exemple?: text("Un appel qui répond 200."),
        }

        BaremesReponse {
            baremes!: list(named("BaremeServi")),
        }
    }
}

/// A scale: its fields, its editions.
fn scale() -> Vec<(String, Value)> {
    let names = |description: &str| {
        json!({
            "type": "array", "items": {"type": "string"}, "description": description,
        })
    };
    objects! {
        AnneeDeBareme {
            adresse!: text("Adresse de l’année de paies."),
            par_mois!: names("Paramètres qui ont une valeur par mois."),
            totaux!: names("Champs que l’année additionne."),
            sans?: names("Paramètres qui ne se donnent pas pour une année."),
        }

        ChampDeBareme {
            nom!: text("Nom du champ."),
            libelle?: text("Ce qu’il est."),
            type!: text("Type JSON."),
            option?: text("Paramètre booléen qui le fait paraître."),
            depuis?: day("Premier jour où il existe."),
            jusqu_au?: day("Dernier jour où il existe."),
        }

        EditionDeBareme {
            date!: day("Entrée en vigueur."),
            titre!: text("Titre."),
            en_vigueur!: of_type("boolean", "En vigueur aujourd’hui."),
            dernier_jour?: day("Dernier jour en vigueur."),
            verifie_jusqu_au!: day("Dernier jour vérifié."),
            adresse!: text("Adresse de ses chiffres."),
            changements?: text(
                "Adresse de ses chiffres avec ce qui a changé depuis l’édition précédente."
            ),
        }

        CalculDuBareme {
            nom!: text("Nom du calcul."),
            titre!: text("Titre."),
            choix?: text("Paramètre qui choisit le barème."),
            mot?: text("Mot qui choisit celui-ci."),
            adresse!: text("Adresse du calcul."),
        }

        BaremeReponse {
            dossier!: text("Nom du barème."),
            titre!: text("Titre."),
            calcul!: named("CalculDuBareme"),
            monnaie?: text("Code ISO 4217."),
            decimales!: of_type("integer", "Décimales des montants."),
            empreinte!: text("Empreinte de ses fichiers."),
            exemple?: text("Un appel qui répond 200."),
            parametres?: list(named("ParametreDeBareme")),
            champs!: list(named("ChampDeBareme")),
            annee?: named("AnneeDeBareme"),
            editions?: list(named("EditionDeBareme")),
            sources?: list(named("TexteDeBareme")),
        }
    }
}

fn parameter() -> Vec<(String, Value)> {
    objects! {
        MotDeParametre {
            mot!: text("Mot à envoyer."),
            libelle!: text("Ce qu’il veut dire."),
            autres_noms?: list(text("Autre écriture acceptée.")),
        }

        ParametreDeBareme {
            nom!: text("Nom du paramètre."),
            libelle!: text("Ce qu’il est."),
            aide?: text("Ce qu’il faut savoir."),
            type!: word_of(&[
                "montant", "taux", "nombre", "entier", "choix", "booleen", "date", "texte",
            ]),
            unite?: text("Unité dans laquelle il s’envoie ; un taux en `%`."),
            obligatoire!: json!({"type": "boolean"}),
            a_la_place_de?: text("Paramètre qu’il remplace."),
            sinon?: list(text("Paramètre à envoyer à la place.")),
            defaut?: json!({
                "type": ["number", "boolean", "string"],
                "description": "Valeur sans ce paramètre.",
            }),
            defaut_calcule?: text("Formule de la valeur sans ce paramètre."),
            defaut_du_bareme?: day("Édition dont vient la valeur par défaut."),
            minimum?: number("Plus petite valeur."),
            maximum?: number("Plus grande valeur."),
            pas?: number("Pas, compté depuis le minimum."),
            decimales?: of_type("integer", "Décimales acceptées."),
            arrondi_a?: number("Arrondi à l’entrée."),
            valeurs?: list(number("Seules valeurs acceptées.")),
            choix?: list(named("MotDeParametre")),
            mots?: list(text("Mot accepté à la place d’un nombre.")),
            attendu!: text("Ce qui est accepté, en une phrase."),
            depuis?: day("Premier jour où il est accepté."),
            jusqu_au?: day("Dernier jour où il est accepté."),
        }
    }
}

/// An edition, and what it changes.
fn edition() -> Vec<(String, Value)> {
    objects! {
        BaremeNomme {
            dossier!: text("Nom."),
            titre!: text("Titre."),
            adresse!: text("Adresse."),
        }

        TexteAttendu {
            texte!: text("Texte attendu."),
            attendu_le!: day("Jour où il est attendu."),
            change!: text("Ce qu’il changera."),
        }

        ValeurChangee {
            chiffre!: text("Nom du chiffre."),
            libelle!: text("Ce qu’il est."),
            valeur!: text("Laquelle de ses valeurs."),
            type!: text("`montant`, `taux`, `nombre` ou `texte`."),
            unite?: text("Unité d’un montant."),
            avant?: value(),
            apres?: value(),
        }

        Changements {
            depuis!: day("Édition comparée."),
            resume!: text("Les changements en une phrase."),
            valeurs?: list(named("ValeurChangee")),
        }

        EditionReponse {
            bareme!: named("BaremeNomme"),
            date!: day("Entrée en vigueur."),
            titre!: text("Titre."),
            dernier_jour?: day("Dernier jour en vigueur."),
            verifie_jusqu_au!: day("Dernier jour vérifié."),
            relu_le?: day("Jour où ses chiffres ont été relus dans les textes."),
            version!: text("Version du droit, que portent les réponses."),
            citation!: text("Ligne à copier dans un rapport."),
            note?: text("Ce qu’il faut savoir."),
            a_venir?: list(named("TexteAttendu")),
            precedente?: text("Adresse de l’édition précédente."),
            suivante?: text("Adresse de l’édition suivante."),
            changements?: named("Changements"),
            chiffres?: list(named("Chiffre")),
            sources?: list(named("TexteDeBareme")),
        }
    }
}

/// The rule sets that were published, and what they corrected.
fn published() -> Vec<(String, Value)> {
    objects! {
        LoiPubliee {
            du?: day("Jour à partir duquel elle s’applique."),
            version!: text("Version du droit, que portent les réponses."),
        }

        CalculPublie {
            dossier!: text("Nom du barème."),
            lois?: list(named("LoiPubliee")),
        }

        ChampCorrige {
            champ!: text("Nom du champ."),
            cas_types!: number("Nombre de cas types où il change."),
            requete!: text("Paramètres du cas où il change le plus."),
            avant!: number("Montant d’avant la correction, dans ce cas."),
            apres!: number("Montant d’après la correction, dans ce cas."),
        }

        Correction {
            dossier!: text("Nom du barème."),
            du?: day("Premier jour corrigé."),
            au?: day("Dernier jour corrigé."),
            version_avant?: text("Version du droit d’avant la correction."),
            version?: text("Version du droit d’après la correction."),
            cas_types!: number("Nombre de cas types de ces jours."),
            champs?: list(named("ChampCorrige")),
        }

        Publication {
            numero!: number("Numéro d’ordre."),
            publie!: moment("Mise en service."),
            empreinte!: text("Empreinte de tous les barèmes."),
            programme!: text("Programme qui les a lus."),
            calculs?: list(named("CalculPublie")),
            corrections?: list(named("Correction")),
        }

        PublicationsReponse {
            conservees_depuis?: moment("Première mise en service conservée."),
            publications?: list(named("Publication")),
            suite!: of_type("boolean", "Il y en a de plus anciennes que celles de la réponse."),
        }
    }
}

/// A figure, and the texts behind it.
fn figure() -> Vec<(String, Value)> {
    objects! {
        CleDeLigne {
            valeur!: text("Valeur envoyée."),
            libelle?: text("Ce qu’elle veut dire."),
        }

        Borne {
            genre!: word_of(&["jusqu_a", "en_dessous_de", "au_dela_de", "a_partir_de"]),
            libelle!: text("Le même en mots."),
            valeur!: number("Borne."),
        }

        LigneDeChiffre {
            cles?: keys(),
            borne?: named("Borne"),
            valeurs?: values(),
            ..certainty()
        }

        ColonneDeChiffre {
            nom!: text("Nom de la colonne."),
            libelle?: text("Ce qu’elle contient."),
            role!: word_of(&["cle", "borne", "valeur"]),
            type!: text("`montant`, `taux`, `nombre`, `choix`, `booleen` ou `texte`."),
            unite?: text("Unité d’un montant."),
        }

        Chiffre {
            nom!: text("Nom du chiffre."),
            libelle!: text("Ce qu’il est."),
            option?: text("Paramètre booléen qui le fait lire."),
            colonnes!: list(named("ColonneDeChiffre")),
            valeurs?: values(),
            lignes?: list(named("LigneDeChiffre")),
            ..certainty()
        }

        TexteDeBareme {
            id!: text("Nom que lui donnent les chiffres."),
            nature!: word_of(&["loi", "administration", "secondaire"]),
            titre!: text("Titre."),
            article?: text("Articles."),
            editeur?: text("Qui le publie."),
            parution?: text("Journal officiel, numéro, date, page."),
            date?: day("Date du texte."),
            identifiant?: text("Identifiant stable : ELI, NOR, numéro."),
            url?: text("Adresse."),
        }
    }
}

/// The words that choose a scale.
fn words() -> Vec<(String, Value)> {
    objects! {
        MotServi {
            mot!: text("Mot à envoyer."),
            nom!: text("Nom en toutes lettres."),
            autres_noms?: list(text("Autre nom accepté.")),
            titre?: text("Titre du calcul."),
            monnaie?: text("Code ISO 4217."),
            adresse!: text("Adresse du calcul avec ce mot."),
            bareme!: text("Adresse du barème."),
        }

        MotAilleurs {
            mot!: text("Mot refusé ici."),
            calcul!: text("Calcul qui répond."),
            adresse!: text("Son adresse."),
        }

        MotsDuCalcul {
            nom!: text("Nom du calcul."),
            titre!: text("Titre."),
            adresse!: text("Adresse du calcul."),
            mots!: list(named("MotServi")),
            ailleurs?: list(named("MotAilleurs")),
        }

        MotsReponse {
            parametre!: text("Nom du paramètre."),
            calculs!: list(named("MotsDuCalcul")),
        }
    }
}
