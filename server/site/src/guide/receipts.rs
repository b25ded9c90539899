//! Guide to signed receipts.

use bareme_api::calls::receipt::KEYS;
use bareme_engine::service::Rules;
use maud::{Markup, html};

use super::text::call;

pub(super) fn signed(rules: &Rules) -> Markup {
    html! {
        p {
            "Un bulletin se conteste des années plus tard. Un reçu prouve alors ce qui a été \
             demandé, ce qui a été répondu, par quel droit et à quelle heure, sans le service et \
             sans ses journaux. Il se demande par " code { "recu=true" }
            ", quand l’exploitant a une clé de signature\u{a0}; sinon l’appel est refusé \
             (" code { "recu_indisponible" } ")."
        }
        // Without the parameter everywhere, so that the guide holds with and without a key.
        (call(rules, "/api/v1/ir?revenu=40000&recu=false", 200))

        h2 { "Ce qu’il contient" }
        p {
            "La réponse a un dernier membre, " code { "recu" }
            "\u{a0}: un texte signé (JWS, Ed25519) que toute bibliothèque JOSE ouvre. On y lit\u{a0}:"
        }
        ul {
            li {
                code { "demande" } "\u{a0}: les paramètres envoyés, avec le jour du calcul\u{a0};"
            }
            li {
                code { "entrees" } "\u{a0}: la valeur de chaque entrée, celles par défaut \
                 comprises\u{a0};"
            }
            li {
                code { "resultats" } "\u{a0}: les montants\u{a0}; d’une année, les totaux\u{a0};"
            }
            li {
                code { "reponse" } "\u{a0}: l’empreinte SHA-256 de la réponse entière, sans "
                code { "recu" } "\u{a0};"
            }
            li {
                code { "version" } ", " code { "programme" } ", " code { "emis" }
                "\u{a0}: le droit appliqué, le programme et l’heure."
            }
        }
        p {
            "Conserver la réponse avec son reçu. La remettre en page ou en changer l’ordre des \
             membres ne l’invalide pas\u{a0}; changer une valeur, si."
        }

        h2 { "Vérifier" }
        p {
            "Les clés publiques sont à " code { (KEYS) }
            ". Les enregistrer en même temps que les premiers reçus\u{a0}: une clé retirée y \
             reste, et ses reçus restent vrais. La commande vérifie hors ligne, et recalcule les \
             montants\u{a0}:"
        }
        pre.copy tabindex="0" { "bareme verify paie.json --keys jwks.json --rules rules" }
        p {
            "Sans elle\u{a0}: ouvrir le JWS avec la clé de son " code { "kid" }
            ", puis comparer " code { "reponse" } " au SHA-256, en base64url, de la réponse sans "
            code { "recu" } " mise en forme canonique (RFC\u{a0}8785). Les nombres gardent tous \
             leurs chiffres\u{a0}: au-delà de quinze, les lire comme des décimales."
        }

        h2 { "Un lot" }
        p {
            "Avec " code { "recu=true" } " sur l’adresse d’un lot en JSON, chaque ligne porte ce \
             qui en est attesté, et l’élément qui suit la dernière ligne porte la signature et la \
             preuve de chacune (" code { "chemins" } "). Une ligne, sa preuve et la signature se \
             remettent à un salarié sans rien révéler des autres\u{a0}:"
        }
        pre.copy tabindex="0" {
            "jq '.[1] * {recu: {chemin: .[-1].recu.chemins[1], jws: .[-1].recu.jws}}' lot.json"
        }
    }
}
