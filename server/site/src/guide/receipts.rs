//! Guide to signed receipts.

use bareme_api::calls::receipt::KEYS;
use bareme_engine::service::Rules;
use maud::{Markup, html};

use super::text::call;
use super::written::{h2, li, p};
use crate::text::say;

pub(super) fn signed(rules: &Rules) -> Markup {
    let lang = rules.service().lang;
    html! {
        (p(
            lang,
            "Un bulletin se conteste des années plus tard. Un reçu prouve alors ce qui a été \
             demandé, ce qui a été répondu, par quel droit et à quelle heure, sans le service et \
             sans ses journaux. Il se demande par `recu=true`, quand l’exploitant a une clé de \
             signature ; sinon l’appel est refusé (`recu_indisponible`).",
            "A payslip may be disputed years later. A receipt then proves what was asked, what was \
             answered, by which law and at what time, without the service and without its logs. \
             `recu=true` asks for one, where the operator has a signing key; otherwise the call is \
             refused (`recu_indisponible`)."
        ))
        // Without the parameter everywhere, so that the guide holds with and without a key.
        (call(rules, "/api/v1/ir?revenu=40000&recu=false", 200))

        (h2(lang, "Ce qu’il contient", "What it holds"))
        (p(
            lang,
            "La réponse a un dernier membre, `recu` : un texte signé (JWS, Ed25519) que toute \
             bibliothèque JOSE ouvre. On y lit :",
            "The answer has a last member, `recu`: a signed text (JWS, Ed25519) that any JOSE \
             library opens. It holds:"
        ))
        ul {
            (li(
                lang,
                "`demande` : les paramètres envoyés, avec le jour du calcul ;",
                "`demande`: the parameters that were sent, with the day of the calculation;"
            ))
            (li(
                lang,
                "`entrees` : la valeur de chaque entrée, celles par défaut comprises ;",
                "`entrees`: the value of each input, defaults included;"
            ))
            (li(
                lang,
                "`resultats` : les montants ; d’une année, les totaux ;",
                "`resultats`: the amounts; for a year, the totals;"
            ))
            (li(
                lang,
                "`reponse` : l’empreinte SHA-256 de la réponse entière, sans `recu` ;",
                "`reponse`: the SHA-256 digest of the whole answer, without `recu`;"
            ))
            (li(
                lang,
                "`version`, `programme`, `emis` : le droit appliqué, le programme et l’heure.",
                "`version`, `programme`, `emis`: the law that was applied, the program and the time."
            ))
        }
        (p(
            lang,
            "Conserver la réponse avec son reçu. La remettre en page ou en changer l’ordre des \
             membres ne l’invalide pas ; changer une valeur, si.",
            "Keep the answer with its receipt. To lay it out differently or to change the order \
             of its members does not make it invalid; to change a value does."
        ))

        (h2(lang, "Vérifier", "Check it"))
        p {
            (say(lang, "Les clés publiques sont à ", "The public keys are at ")) code { (KEYS) }
            (say(
                lang,
                ". Les enregistrer en même temps que les premiers reçus\u{a0}: une clé retirée y \
                 reste, et ses reçus restent vrais. La commande vérifie hors ligne, et recalcule \
                 les montants\u{a0}:",
                ". Store them with the first receipts: a key that is withdrawn stays there, and \
                 its receipts remain true. The command checks offline, and calculates the amounts \
                 again:"
            ))
        }
        pre.copy tabindex="0" {
            "bareme verify " (say(lang, "paie", "pay")) ".json --keys jwks.json --rules rules"
        }
        (p(
            lang,
            "Sans elle : ouvrir le JWS avec la clé de son `kid`, puis comparer `reponse` au \
             SHA-256, en base64url, de la réponse sans `recu` mise en forme canonique (RFC 8785). \
             Les nombres gardent tous leurs chiffres : au-delà de quinze, les lire comme des \
             décimales.",
            "Without it: open the JWS with the key of its `kid`, then compare `reponse` with the \
             SHA-256, in base64url, of the answer without `recu` in canonical form (RFC 8785). \
             Numbers keep all their digits: read those of more than fifteen as decimals."
        ))

        (h2(lang, "Un lot", "A batch"))
        (p(
            lang,
            "Avec `recu=true` sur l’adresse d’un lot en JSON, chaque ligne porte ce qui en est \
             attesté, et l’élément qui suit la dernière ligne porte la signature et la preuve de \
             chacune (`chemins`). Une ligne, sa preuve et la signature se remettent à un salarié \
             sans rien révéler des autres :",
            "With `recu=true` on the address of a batch in JSON, each row holds what is attested \
             of it, and the element after the last row holds the signature and the proof of each \
             (`chemins`). A row, its proof and the signature are handed to an employee without \
             revealing anything of the others:"
        ))
        pre.copy tabindex="0" {
            "jq '.[1] * {recu: {chemin: .[-1].recu.chemins[1], jws: .[-1].recu.jws}}' "
            (say(lang, "lot", "batch")) ".json"
        }
    }
}
