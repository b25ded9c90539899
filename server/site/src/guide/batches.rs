//! The guide to batches.

use bareme_engine::service::Rules;
use maud::{Markup, html};

use super::written::{h2, p};

/// A batch to copy. The tests send it and expect this status.
pub(super) fn batch(rules: &Rules, path: &str, media: &str, body: &str, status: u16) -> Markup {
    html! {
        // The tests read these attributes, send the batch and expect the status.
        pre.copy tabindex="0" data-lot=(path) data-type=(media) data-corps=(body)
            data-statut=(status) {
            "curl -X POST '" (rules.service().documentation) (path) "' \\\n  -H 'Content-Type: "
            (media) "' \\\n  --data-binary $'" (body.replace('\n', "\\n")) "'"
        }
    }
}

pub(super) fn batches(rules: &Rules) -> Markup {
    let lang = rules.service().lang;
    html! {
        (p(
            lang,
            "Une paie entière, un fichier de foyers : `POST /api/v1/lot/` suivi du nom du calcul \
             prend jusqu’à 10\u{202f}000 lignes et 2 Mio, et répond dans l’ordre, une ligne par \
             ligne.",
            "A whole payroll, a file of households: `POST /api/v1/lot/` followed by the name of \
             the calculation takes up to 10,000 rows and 2 MiB, and answers in order, a row for \
             each row."
        ))
        (batch(
            rules,
            "/api/v1/lot/salaire?champs=net_a_payer,net_imposable",
            "text/csv",
            "brut,cadre\n2500,false\n4200,true\n",
            200
        ))

        (p(
            lang,
            "Le corps est un tableau JSON d’objets (`application/json`), une suite de lignes JSON \
             (`application/x-ndjson`) ou du CSV, virgule, point-virgule ou tabulation, dont la \
             première ligne nomme les paramètres (`text/csv`). La réponse a la forme du corps, ou \
             celle que demande `Accept`.",
            "The body is a JSON array of objects (`application/json`), a sequence of JSON lines \
             (`application/x-ndjson`) or CSV, with commas, semicolons or tabs, whose first line \
             names the parameters (`text/csv`). The answer has the form of the body, or the one \
             that `Accept` asks for."
        ))
        (batch(
            rules,
            "/api/v1/lot/salaire-net",
            "application/json",
            "[{\"pays\":\"ci\",\"brut\":300000},{\"pays\":\"sn\",\"brut\":450000}]",
            200
        ))
        // The parts that are optional, from the most to the least needed.
        (keys_and_shared_parameters(rules))
        (french_csv(rules))
        (results_of_rows(rules))
    }
}

/// The keys of rows, and the parameters of a whole batch.
fn keys_and_shared_parameters(rules: &Rules) -> Markup {
    let lang = rules.service().lang;
    html! {
        (h2(lang, "Reconnaître ses lignes", "Recognise your rows"))
        (p(
            lang,
            "Un membre ou une colonne `id` ou `matricule` revient intact dans la réponse de sa \
             ligne, en premier, même si la ligne est refusée. `cle`, sur l’adresse, en nomme un \
             autre. Un nom qui est un paramètre du calcul ou un membre de sa réponse ne peut pas \
             être une clé : `cle` le refuse, et `id` ou `matricule` y reste un paramètre.",
            "A member or a column `id` or `matricule` comes back as it is in the answer of its \
             row, first, even if the row is refused. `cle`, on the address, names another one. A \
             name that is a parameter of the calculation or a member of its answer cannot be a \
             key: `cle` refuses it, and `id` or `matricule` remains a parameter there."
        ))
        (batch(
            rules,
            "/api/v1/lot/salaire?cle=salarie&champs=net_a_payer",
            "application/x-ndjson",
            "{\"salarie\":\"0012\",\"brut\":2500}\n{\"salarie\":\"0013\",\"brut\":4200}\n",
            200
        ))
        (batch(rules, "/api/v1/lot/salaire?cle=brut", "text/csv", "brut\n2500\n", 400))

        (h2(lang, "Ce qui vaut pour toutes les lignes", "What holds for all rows"))
        (p(
            lang,
            "Tout paramètre du calcul peut être sur l’adresse : il vaut alors pour chaque ligne. \
             Une ligne peut répéter la même valeur, ou la laisser vide ; celle qui en donne une \
             autre est refusée (`incompatible`), car rien ne dit laquelle est la bonne.",
            "Every parameter of the calculation may be on the address: it then holds for each row. \
             A row may repeat the same value, or leave it empty; one that gives another value is \
             refused (`incompatible`), since nothing says which of them is right."
        ))
        (batch(
            rules,
            "/api/v1/lot/salaire?date=2026-03-31&employeur=true\
             &champs=net_a_payer,cout_employeur",
            "text/csv",
            "matricule,brut\n0012,2500\n0013,4200\n",
            200
        ))

        (p(
            lang,
            "Un paramètre de l’adresse inconnu ou mal écrit fait refuser l’ensemble, avant tout \
             calcul :",
            "A parameter of the address that is unknown or badly written makes the whole batch \
             refused, before anything is calculated:"
        ))
        (batch(rules, "/api/v1/lot/salaire?date=2026-02-30", "text/csv", "brut\n2500\n", 400))
    }
}

/// The files of French spreadsheets.
fn french_csv(rules: &Rules) -> Markup {
    let lang = rules.service().lang;
    html! {
        (h2(lang, "Un CSV français", "A French CSV"))
        (p(
            lang,
            "Avec le point-virgule comme séparateur, la virgule est décimale (`3000,50`), les \
             milliers peuvent être séparés par des espaces, `VRAI` et `FAUX` sont des booléens, et \
             `31/03/2026` est une date : c’est ce qu’Excel enregistre en France. `60.000`, qui se \
             lit de deux façons, est refusé. La réponse s’écrit comme le fichier : même \
             séparateur, même signe décimal, même encodage (UTF-8 ou Windows-1252), mêmes fins de \
             ligne. Avec la virgule ou la tabulation, les nombres s’écrivent comme dans une \
             requête.",
            "With the semicolon as separator, the comma is decimal (`3000,50`), thousands may be \
             separated by spaces, `VRAI` and `FAUX` are booleans, and `31/03/2026` is a date: \
             that is what Excel saves in France. `60.000`, which reads in two ways, is refused. \
             The answer is written like the file: the same separator, decimal sign, encoding \
             (UTF-8 or Windows-1252) and line ends. With commas or tabs, numbers are written as \
             in a request."
        ))
        (batch(
            rules,
            "/api/v1/lot/salaire?champs=net_a_payer",
            "text/csv",
            "matricule;brut;cadre\n0012;3000,50;VRAI\n0013;2 500;FAUX\n",
            200
        ))

        (p(
            lang,
            "Un fichier qui se lit de deux façons, ou dont l’encodage n’est pas reconnu, est \
             refusé en entier, sans être compté, et `detail` dit comment l’enregistrer. Ici la \
             virgule peut être décimale, ou séparer une colonne sans nom :",
            "A file that reads in two ways, or whose encoding is not recognised, is refused as a \
             whole without being counted, and `detail` says how to save it. Here the comma may be \
             decimal, or separate a column without a name:"
        ))
        (batch(rules, "/api/v1/lot/ir", "text/csv", "revenu\n30000,50\n", 400))
    }
}

/// The answer to each row: its error, its call, its fields.
fn results_of_rows(rules: &Rules) -> Markup {
    let lang = rules.service().lang;
    html! {
        (h2(lang, "Une ligne fautive", "A bad row"))
        (p(
            lang,
            "Elle garde sa place, avec son erreur (`erreur`), et les autres sont calculées. Une \
             colonne ou un champ qui n’existe pas fait refuser l’ensemble, avant tout calcul :",
            "It keeps its place, with its error (`erreur`), and the others are calculated. A \
             column or a field that does not exist makes the whole batch refused, before anything \
             is calculated:"
        ))
        (batch(rules, "/api/v1/lot/ir", "text/csv", "revenus\n30000\n", 400))

        (h2(lang, "Ce qui est compté", "What is counted"))
        (p(
            lang,
            "Chaque ligne est un appel du quota, compté avant le calcul : l’en-tête `RateLimit` \
             de la réponse dit ce qui reste. S’il reste moins d’appels que le lot n’a de lignes, \
             la réponse est 429, `restant` dit combien, et rien n’est calculé ni compté. Un lot \
             plus grand que le quota d’un jour entier ne passerait jamais : la réponse est 413 \
             (`lot_superieur_au_quota`), et `limite` dit combien de lignes passent.",
            "Each row is a call of the quota, counted before the calculation: the header \
             `RateLimit` of the answer says what is left. If fewer calls are left than the batch \
             has rows, the answer is 429, `restant` says how many, and nothing is calculated or \
             counted. A batch larger than the quota of a whole day would never pass: the answer is \
             413 (`lot_superieur_au_quota`), and `limite` says how many rows pass."
        ))

        (h2(lang, "Choisir les champs", "Choose the fields"))
        (p(
            lang,
            "Avec `champs`, ici comme dans tout appel, la réponse n’a que les champs nommés, et \
             `avertissements` s’il y en a ; seules les étapes dont ils dépendent sont calculées. \
             Une ligne qui n’a pas un champ demandé est refusée, comme l’appel simple : \
             `cout_employeur` demande `employeur=true`. Sans `champs`, une ligne de JSON est la \
             réponse entière d’un appel, une ligne de CSV tous les champs d’une seule valeur, puis \
             `version`, `reserves` et `avertissements`.",
            "With `champs`, here as in every call, the answer has the named fields alone, and \
             `avertissements` if there are any; only the steps that they depend on are calculated. \
             A row without a field that was asked for is refused, like the single call: \
             `cout_employeur` needs `employeur=true`. Without `champs`, a row of JSON is the whole \
             answer of a call, a row of CSV all fields of a single value, then `version`, \
             `reserves` and `avertissements`."
        ))
    }
}
