//! Guides to mass calculations: batches, spreadsheets.

use bareme_engine::service::Rules;
use maud::{Markup, html};

/// A batch to copy. The tests send it and expect this status.
pub(super) fn batch(rules: &Rules, path: &str, media: &str, body: &str, status: u16) -> Markup {
    html! {
        pre.copy tabindex="0" data-lot=(path) data-type=(media) data-corps=(body) data-statut=(status) {
            "curl -X POST '" (rules.service().documentation) (path) "' \\\n  -H 'Content-Type: " (media) "' \\\n  --data-binary $'" (body.replace('\n', "\\n")) "'"
        }
    }
}

pub(super) fn batches(rules: &Rules) -> Markup {
    html! {
        p { "Une paie entière, un fichier de foyers\u{a0}: " code { "POST /api/v1/lot/" } " suivi du nom du calcul prend jusqu’à 10\u{202f}000\u{a0}lignes et 2\u{a0}Mio, et répond dans l’ordre, une ligne par ligne." }
        (batch(rules, "/api/v1/lot/salaire?champs=net_a_payer,net_imposable", "text/csv", "brut,cadre\n2500,false\n4200,true\n", 200))
        p { "Le corps est un tableau JSON d’objets (" code { "application/json" } "), une suite de lignes JSON (" code { "application/x-ndjson" } ") ou du CSV, virgule, point-virgule ou tabulation, dont la première ligne nomme les paramètres (" code { "text/csv" } "). La réponse a la forme du corps, ou celle que demande " code { "Accept" } "." }
        (batch(rules, "/api/v1/lot/salaire-net", "application/json", "[{\"pays\":\"ci\",\"brut\":300000},{\"pays\":\"sn\",\"brut\":450000}]", 200))
        h2 { "Une ligne fautive" }
        p { "Elle garde sa place, avec son erreur (" code { "erreur" } "), et les autres sont calculées. Une colonne ou un champ qui n’existe pas fait refuser l’ensemble, avant tout calcul\u{a0}:" }
        (batch(rules, "/api/v1/lot/ir", "text/csv", "revenus\n30000\n", 400))
        h2 { "Ce qui est compté" }
        p { "Chaque ligne est un appel du quota, compté avant le calcul\u{a0}: l’en-tête " code { "RateLimit" } " de la réponse dit ce qui reste. S’il reste moins d’appels que le lot n’a de lignes, la réponse est 429, " code { "restant" } " dit combien, et rien n’est calculé ni compté." }
        h2 { "Choisir les champs" }
        p { "Avec " code { "champs" } ", ici comme dans tout appel, la réponse n’a que les champs nommés, et " code { "avertissements" } " s’il y en a\u{a0}; seules les étapes dont ils dépendent sont calculées. Sans lui, une ligne de JSON est la réponse entière d’un appel, une ligne de CSV tous les champs d’une seule valeur." }
    }
}

pub(super) fn spreadsheets(rules: &Rules) -> Markup {
    let documentation = &rules.service().documentation;
    html! {
        p { "Trois façons d’appeler l’API depuis un tableur, de la plus simple à la plus complète. Aucune ne demande de macro." }
        h2 { "Une cellule" }
        p { "Avec un seul champ, la réponse ne contient qu’un nombre, que la formule extrait. Le brut est en A2\u{a0}:" }
        p { "LibreOffice Calc, en français, qui demande à l’ouverture s’il peut lire des données externes\u{a0}:" }
        pre.copy tabindex="0" { "=VALEUR.NOMBRE(REGEX(SERVICEWEB(\"" (documentation) "/api/v1/salaire?champs=net_a_payer&brut=\"&SUBSTITUE(A2;\",\";\".\"));\"-?[0-9]+\\.?[0-9]*\");\".\")" }
        p { "Excel 365, en français\u{a0}:" }
        pre.copy tabindex="0" { "=VALEURNOMBRE(TEXTE.AVANT(TEXTE.APRES(SERVICEWEB(\"" (documentation) "/api/v1/salaire?champs=net_a_payer&brut=\"&SUBSTITUE(A2;\",\";\".\"));\":\");\"}\");\".\")" }
        p { "Chaque cellule est un appel\u{a0}: au-delà de quelques dizaines de lignes, envoyer un lot." }
        h2 { "Une colonne, par Power Query" }
        p { "Dans Excel, la feuille qui contient le tableau " code { "Paies" } " (colonnes " code { "brut" } ", " code { "cadre" } ")\u{a0}: Données, Obtenir des données, Requête vide, Éditeur avancé\u{a0}:" }
        pre.copy tabindex="0" {
            "let\n  Lignes = Excel.CurrentWorkbook(){[Name=\"Paies\"]}[Content],\n  Corps = Json.FromValue(Table.ToRecords(Lignes)),\n  Reponse = Web.Contents(\"" (documentation) "\", [\n    RelativePath = \"api/v1/lot/salaire\",\n    Query = [champs = \"net_a_payer,net_imposable\"],\n    Headers = [#\"Content-Type\" = \"application/json\", Accept = \"text/csv\"],\n    Content = Corps]),\n  Resultats = Table.PromoteHeaders(Csv.Document(Reponse, [Delimiter = \",\", Encoding = 65001])),\n  Types = Table.TransformColumnTypes(Resultats, {{\"net_a_payer\", type number}, {\"net_imposable\", type number}}, \"en-US\")\nin\n  Types"
        }
        p { "Les résultats sont dans l’ordre du tableau. Le dernier argument, " code { "\"en-US\"" } ", fait lire le point décimal\u{a0}; une ligne fautive a son motif dans la colonne " code { "erreur" } "." }
        h2 { "Un fichier" }
        p { "Enregistrer la feuille en CSV (UTF-8), l’envoyer, ouvrir la réponse. Les colonnes portent les noms des paramètres, les décimales un point\u{a0}:" }
        (batch(rules, "/api/v1/lot/salaire?champs=net_a_payer,net_imposable", "text/csv", "brut;cadre\n2500;false\n4200;true\n", 200))
        p { "LibreOffice l’ouvre avec le séparateur et la langue «\u{a0}Anglais (USA)\u{a0}»\u{a0}; en ligne de commande\u{a0}:" }
        pre.copy tabindex="0" { "soffice --headless --convert-to ods --infilter='CSV:59,34,UTF-8,1,,1033' resultats.csv" }
    }
}
