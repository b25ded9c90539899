//! The guide to the simulators in the pages of other sites: the element, and the frame.

use bareme_accounts::publishable::MAX_ORIGINS;
use bareme_api::openapi::form::OWNER_PATH;
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
    (
        "bareme-echec",
        "le service n’a pas répondu, ou refuse la clé",
        "statut, code",
    ),
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
            li { code { "cle" } "\u{a0}: une clé publiable, si la page en a une\u{202f};" }
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

        (publishable_key())

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

/// The keys that may be in the source of a page, and what they do not protect.
fn publishable_key() -> Markup {
    html! {
        h2 #cle { "Avec une clé" }
        p {
            "Sans clé, les appels comptent dans le quota de l’adresse de chaque visiteur. Avec une "
            strong { "clé publiable" } ", ils comptent dans celui de votre offre. Elle se crée sur "
            a href=(OWNER_PATH) { "la page de vos clés" } ", en déclarant les sites qui \
            l’emploient, " (MAX_ORIGINS) " au plus\u{a0}; elle commence par trois lettres et "
            code { "_pub_" } "."
        }
        pre.copy tabindex="0" {
            "<bareme-salaire cle=\"bma_pub_…\" brut=\"42000\" periode=\"annuel\"></bareme-salaire>"
        }
        ul {
            li {
                "Un site est une origine\u{a0}: schéma, nom et port, comme "
                code { "https://www.exemple.fr" } ". En https, ou en http pour localhost, sans \
                chemin. " code { "exemple.fr" } " et " code { "www.exemple.fr" } " en sont deux, et \
                chaque sous-domaine se déclare\u{a0}: un joker ouvrirait la clé à ceux d’autrui."
            }
            li {
                "D’une autre page, d’un fichier (" code { "Origin: null" } ") ou d’un appel sans "
                code { "Origin" } ", elle est refusée (403 " code { "origine_non_declaree" } "), \
                sans rien décompter."
            }
            li {
                "Elle ouvre les calculs, les années de paies et leurs reçus. Les lots, l’usage et \
                 les outils d’assistants la refusent (403 " code { "cle_publiable_refusee" } ")."
            }
            li {
                "Elle se renomme, change de sites, se remplace et se révoque sur la page de vos \
                 clés, avec effet en une seconde. Ses appels y sont comptés à part."
            }
        }
        p {
            strong { "Ce n’est pas un secret." } " Un navigateur n’enverra jamais votre clé au nom \
            de votre site depuis une autre page\u{a0}; un programme, lui, écrit l’origine qu’il \
            veut. Donnez-lui une limite d’appels par jour\u{a0}: une copie n’épuise alors que cette \
            limite, pas votre offre. Ne mettez jamais une clé secrète dans une page."
        }
        p {
            "Avec une clé, le navigateur demande d’abord la permission (" code { "OPTIONS" } ")\u{a0}: \
            cette demande ne coûte rien."
        }
    }
}
