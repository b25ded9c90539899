//! The guide to spreadsheets.

use bareme_engine::service::Rules;
use maud::{Markup, html};

use super::batches::batch;

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
            // In a French sheet `&` writes the number with a comma, which the API refuses.
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
            // 59 is the semicolon, 34 the quotation mark, 1036 French of France.
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
