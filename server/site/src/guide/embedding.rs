//! The guide to the simulators in the pages of other sites: the element, and the frame.

use bareme_engine::service::Rules;
use maud::{Markup, html};

use crate::text::prose;
use crate::{element, widget};

/// The custom properties of the element, each with what it colours or sizes.
const PROPERTIES: [(&str, &str); 12] = [
    ("--bareme-texte", "couleur du texte"),
    ("--bareme-discret", "couleur de la mention"),
    ("--bareme-fond", "fond"),
    ("--bareme-bordure", "cadre"),
    ("--bareme-accent", "liens, champ saisi, focus"),
    ("--bareme-champ-fond", "fond des champs"),
    ("--bareme-champ-texte", "texte des champs"),
    ("--bareme-champ-bordure", "cadre des champs"),
    ("--bareme-erreur", "messages d’erreur"),
    ("--bareme-police", "police"),
    ("--bareme-taille", "taille du texte"),
    ("--bareme-rayon", "arrondi des angles"),
];

/// The events of the element, each with when it comes and what its `detail` holds.
const EVENTS: [(&str, &str, &str); 6] = [
    ("bareme-pret", "l’élément est en place", "montants"),
    ("bareme-saisie", "un montant est tapé", "parametre, valeur"),
    ("bareme-periode", "la période change", "periode"),
    (
        "bareme-resultat",
        "les montants suivent",
        "montants, reponse",
    ),
    ("bareme-refus", "la saisie est refusée", "parametres"),
    ("bareme-echec", "le service n’a pas répondu", "statut"),
];

pub(super) fn in_your_page(rules: &Rules) -> Markup {
    let address = &rules.service().documentation;
    let script = format!("{address}{}", element::PATH);

    html! {
        p {
            "Deux lignes mettent le calcul du brut et du net dans votre page\u{a0}: quatre \
             montants, chacun se tape, les autres suivent."
        }
        pre.copy tabindex="0" {
            "<script src=\"" (script) "\" async></script>\n"
            "<bareme-salaire brut=\"42000\" periode=\"annuel\">\n"
            "  <a href=\"" (address) "/simulateurs/salaire\">Calculer un salaire net</a>\n"
            "</bareme-salaire>"
        }
        p {
            "Le lien est ce que lit une page sans script. L’élément n’a pas de dépendance, ne pose \
             pas de cookie, prend la largeur de sa place et la hauteur de son contenu\u{a0}; ses \
             styles et ceux de la page ne se mêlent pas. La mention «\u{a0}Calcul\u{a0}: "
            (prose(&rules.service().title)) "\u{a0}» reste affichée."
        }

        h2 { "Attributs" }
        ul {
            li {
                code { "brut" } ", " code { "net" } ", " code { "net-apres-impot" } ", "
                code { "cout" } "\u{a0}: le montant de départ, un seul\u{202f};"
            }
            li { code { "periode" } "\u{a0}: " code { "mensuel" } " ou " code { "annuel" } "\u{202f};" }
            li {
                code { "pays" } "\u{a0}: un autre pays, par son code, comme " code { "sn" }
                "\u{202f};"
            }
            li {
                code { "parametres" } "\u{a0}: le reste de la situation, comme "
                code { "cadre=true&quotite=80" } ", avec les noms de l’API."
            }
        }

        h2 { "Évènements" }
        p { "Ils remontent jusqu’au document\u{a0}; " code { "detail" } " a ce qui est nommé." }
        div.wide tabindex="0" role="region" aria-label="Évènements" {
            table {
                thead { tr { th scope="col" { "Nom" } th scope="col" { "Quand" } th scope="col" { "Détail" } } }
                tbody {
                    @for (name, when, detail) in EVENTS {
                        tr { th scope="row" { code { (name) } } td { (when) } td { code { (detail) } } }
                    }
                }
            }
        }

        h2 { "Couleurs et police" }
        p {
            "Douze propriétés se donnent dans votre feuille de style, comme "
            code { "bareme-salaire { --bareme-accent: #00695c }" } "."
        }
        ul { @for (name, what) in PROPERTIES { li { code { (name) } "\u{a0}: " (what) } } }

        h2 { "Politique de sécurité" }
        p {
            "Sous une politique stricte (CSP), deux directives suffisent, sans "
            code { "unsafe-inline" } "\u{a0}:"
        }
        pre.copy tabindex="0" { "script-src " (address) "; connect-src " (address) }
        p {
            "Les appels comptent dans le quota sans clé de l’adresse de chaque visiteur. L’élément \
             n’envoie pas de clé\u{a0}: n’en mettez pas dans une page."
        }

        @if !rules.service().embedded_by.is_empty() {
            h2 { "Sans script" }
            p {
                "Tout simulateur se met aussi dans un cadre\u{a0}; ses lignes à copier sont au bas \
                 de sa page."
            }
            pre.copy tabindex="0" {
                "<iframe src=\"" (address) (widget::PATH)
                "/salaire\" title=\"Salaire brut en net\" width=\"100%\" height=\"900\" \
                 loading=\"lazy\"></iframe>"
            }
        }
    }
}
