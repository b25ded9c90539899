//! Guides to mass calculations: batches, spreadsheets.

use bareme_engine::service::Rules;
use maud::{Markup, html};

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
    html! {
        p {
            "Une paie entière, un fichier de foyers\u{a0}: " code { "POST /api/v1/lot/" }
            " suivi du nom du calcul prend jusqu’à 10\u{202f}000\u{a0}lignes et 2\u{a0}Mio, et \
             répond dans l’ordre, une ligne par ligne."
        }
        (batch(
            rules,
            "/api/v1/lot/salaire?champs=net_a_payer,net_imposable",
            "text/csv",
            "brut,cadre\n2500,false\n4200,true\n",
            200
        ))

        p {
            "Le corps est un tableau JSON d’objets (" code { "application/json" }
            "), une suite de lignes JSON (" code { "application/x-ndjson" }
            ") ou du CSV, virgule, point-virgule ou tabulation, dont la première ligne nomme les \
             paramètres ("
            code { "text/csv" } "). La réponse a la forme du corps, ou celle que demande "
            code { "Accept" } "."
        }
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

/// What recognises a row, and what holds for all of them.
fn keys_and_shared_parameters(rules: &Rules) -> Markup {
    html! {
        h2 { "Reconnaître ses lignes" }
        p {
            "Un membre ou une colonne " code { "id" } " ou " code { "matricule" }
            " revient intact dans la réponse de sa ligne, en premier, même si la ligne est \
             refusée. "
            code { "cle" }
            ", sur l’adresse, en nomme un autre. Un nom qui est un paramètre du calcul ou un \
             membre de sa réponse ne peut pas être une clé\u{a0}: "
            code { "cle" } " le refuse, et " code { "id" } " ou " code { "matricule" }
            " y reste un paramètre."
        }
        (batch(
            rules,
            "/api/v1/lot/salaire?cle=salarie&champs=net_a_payer",
            "application/x-ndjson",
            "{\"salarie\":\"0012\",\"brut\":2500}\n{\"salarie\":\"0013\",\"brut\":4200}\n",
            200
        ))
        (batch(rules, "/api/v1/lot/salaire?cle=brut", "text/csv", "brut\n2500\n", 400))

        h2 { "Ce qui vaut pour toutes les lignes" }
        p {
            "Tout paramètre du calcul peut être sur l’adresse\u{a0}: il vaut alors pour chaque \
             ligne. Une ligne peut répéter la même valeur, ou la laisser vide\u{a0}; celle qui en \
             donne une autre est refusée ("
            code { "incompatible" } "), car rien ne dit laquelle est la bonne."
        }
        (batch(
            rules,
            "/api/v1/lot/salaire?date=2026-03-31&employeur=true\
             &champs=net_a_payer,cout_employeur",
            "text/csv",
            "matricule,brut\n0012,2500\n0013,4200\n",
            200
        ))

        p {
            "Un paramètre de l’adresse inconnu ou mal écrit fait refuser l’ensemble, avant tout \
             calcul\u{a0}:"
        }
        (batch(rules, "/api/v1/lot/salaire?date=2026-02-30", "text/csv", "brut\n2500\n", 400))
    }
}

/// The files of French spreadsheets.
fn french_csv(rules: &Rules) -> Markup {
    html! {
        h2 { "Un CSV français" }
        p {
            "Avec le point-virgule comme séparateur, la virgule est décimale (" code { "3000,50" }
            "), les milliers peuvent être séparés par des espaces, " code { "VRAI" } " et "
            code { "FAUX" } " sont des booléens, et " code { "31/03/2026" }
            " est une date\u{a0}: c’est ce qu’Excel enregistre en France. " code { "60.000" }
            ", qui se lit de deux façons, est refusé. La réponse s’écrit comme le fichier\u{a0}: \
             même séparateur, même signe décimal, même encodage (UTF-8 ou Windows-1252), mêmes \
             fins de ligne. Avec la virgule ou la tabulation, les nombres s’écrivent comme dans \
             une requête."
        }
        (batch(
            rules,
            "/api/v1/lot/salaire?champs=net_a_payer",
            "text/csv",
            "matricule;brut;cadre\n0012;3000,50;VRAI\n0013;2 500;FAUX\n",
            200
        ))

        p {
            "Un fichier qui se lit de deux façons, ou dont l’encodage n’est pas reconnu, est \
             refusé en entier, sans être compté, et "
            code { "detail" }
            " dit comment l’enregistrer. Ici la virgule peut être décimale, ou séparer une colonne \
             sans nom\u{a0}:"
        }
        (batch(rules, "/api/v1/lot/ir", "text/csv", "revenu\n30000,50\n", 400))
    }
}

/// What becomes of each row: its error, its call, its fields.
fn results_of_rows(rules: &Rules) -> Markup {
    html! {
        h2 { "Une ligne fautive" }
        p {
            "Elle garde sa place, avec son erreur (" code { "erreur" }
            "), et les autres sont calculées. Une colonne ou un champ qui n’existe pas fait \
             refuser l’ensemble, avant tout calcul\u{a0}:"
        }
        (batch(rules, "/api/v1/lot/ir", "text/csv", "revenus\n30000\n", 400))

        h2 { "Ce qui est compté" }
        p {
            "Chaque ligne est un appel du quota, compté avant le calcul\u{a0}: l’en-tête "
            code { "RateLimit" }
            " de la réponse dit ce qui reste. S’il reste moins d’appels que le lot n’a de lignes, \
             la réponse est 429, "
            code { "restant" }
            " dit combien, et rien n’est calculé ni compté. Un lot plus grand que le quota d’un \
             jour entier ne passerait jamais\u{a0}: la réponse est 413 ("
            code { "lot_superieur_au_quota" } "), et " code { "limite" }
            " dit combien de lignes passent."
        }

        h2 { "Choisir les champs" }
        p {
            "Avec " code { "champs" }
            ", ici comme dans tout appel, la réponse n’a que les champs nommés, et "
            code { "avertissements" }
            " s’il y en a\u{a0}; seules les étapes dont ils dépendent sont calculées. Une ligne \
             qui n’a pas un champ demandé est refusée, comme l’appel simple\u{a0}: "
            code { "cout_employeur" } " demande " code { "employeur=true" } ". Sans "
            code { "champs" }
            ", une ligne de JSON est la réponse entière d’un appel, une ligne de CSV tous les \
             champs d’une seule valeur, puis "
            code { "version" } ", " code { "reserves" } " et " code { "avertissements" } "."
        }
    }
}

pub(super) fn spreadsheets(rules: &Rules) -> Markup {
    let documentation = &rules.service().documentation;

    html! {
        p {
            "Trois façons d’appeler l’API depuis un tableur, de la plus simple à la plus complète. \
             Aucune ne demande de macro."
        }

        h2 { "Une cellule" }
        p {
            "Avec un seul champ, la réponse ne contient qu’un nombre, que la formule extrait. Le \
             brut est en A2\u{a0}:"
        }
        p {
            "LibreOffice Calc, en français, qui demande à l’ouverture s’il peut lire des données \
             externes\u{a0}:"
        }
        pre.copy tabindex="0" {
            "=VALEUR.NOMBRE(REGEX(SERVICEWEB(\"" (documentation)
            "/api/v1/salaire?champs=net_a_payer&brut=\"&SUBSTITUE(A2;\",\";\".\"));\
             \"-?[0-9]+\\.?[0-9]*\");\".\")"
        }

        p { "Excel 365, en français\u{a0}:" }
        pre.copy tabindex="0" {
            "=VALEURNOMBRE(TEXTE.AVANT(TEXTE.APRES(SERVICEWEB(\"" (documentation)
            "/api/v1/salaire?champs=net_a_payer&brut=\"&SUBSTITUE(A2;\",\";\".\"));\
             \":\");\"}\");\".\")"
        }

        p {
            "Chaque cellule est un appel\u{a0}: au-delà de quelques dizaines de lignes, envoyer un \
             lot."
        }
        (power_query(documentation))

        h2 { "Un fichier" }
        p {
            "Enregistrer la feuille en CSV, l’envoyer, ouvrir la réponse. Les colonnes portent les \
             noms des paramètres\u{a0}; un Excel français l’enregistre avec des points-virgules et \
             des virgules décimales, et rouvre la réponse, qui s’écrit de même\u{a0}:"
        }
        (batch(
            rules,
            "/api/v1/lot/salaire?champs=net_a_payer,net_imposable",
            "text/csv",
            "matricule;brut;cadre\n0012;2500,50;FAUX\n0013;4200;VRAI\n",
            200
        ))

        p {
            "LibreOffice l’ouvre avec le point-virgule et la langue «\u{a0}Français \
             (France)\u{a0}»\u{a0}; en ligne de commande\u{a0}:"
        }
        pre.copy tabindex="0" {
            "soffice --headless --convert-to ods --infilter='CSV:59,34,UTF-8,1,,1036' resultats.csv"
        }
    }
}

/// A column of a sheet as one batch.
fn power_query(documentation: &str) -> Markup {
    html! {
        h2 { "Une colonne, par Power Query" }
        p {
            "Dans Excel, la feuille qui contient le tableau " code { "Paies" } " (colonnes "
            code { "brut" } ", " code { "cadre" }
            ")\u{a0}: Données, Obtenir des données, Requête vide, Éditeur avancé\u{a0}:"
        }
        pre.copy tabindex="0" {
            "let\n  \
             Lignes = Excel.CurrentWorkbook(){[Name=\"Paies\"]}[Content],\n  \
             Corps = Json.FromValue(Table.ToRecords(Lignes)),\n  \
             Reponse = Web.Contents(\"" (documentation) "\", [\n    \
             RelativePath = \"api/v1/lot/salaire\",\n    \
             Query = [champs = \"net_a_payer,net_imposable\"],\n    \
             Headers = [#\"Content-Type\" = \"application/json\", Accept = \"text/csv\"],\n    \
             Content = Corps]),\n  \
             Resultats = Table.PromoteHeaders(Csv.Document(Reponse, [Delimiter = \",\", \
             Encoding = 65001])),\n  \
             Types = Table.TransformColumnTypes(Resultats, {{\"net_a_payer\", type number}, \
             {\"net_imposable\", type number}}, \"en-US\")\nin\n  \
             Types"
        }
        p {
            "Les résultats sont dans l’ordre du tableau. Le dernier argument, " code { "\"en-US\"" }
            ", fait lire le point décimal\u{a0}; une ligne fautive a son motif dans la colonne "
            code { "erreur" } "."
        }
    }
}
