//! The guide to the simulators in the pages of other sites: the element, and the frame.

use bareme_accounts::publishable::MAX_ORIGINS;
use bareme_api::openapi::form::OWNER_PATH;
use bareme_engine::Lang;
use bareme_engine::service::Rules;
use bareme_engine::text::Text;
use maud::{Markup, html};

use super::written::{h2, li, p};
use crate::language::localized;
use crate::text::{prose, say};
use crate::{element, simulator, widget};

/// The custom properties of the element, each with what it colours or sizes.
const PROPERTIES: [(&str, Text); 12] = [
    (
        "--bareme-texte",
        Text::new("couleur du texte", "colour of the text"),
    ),
    (
        "--bareme-discret",
        Text::new("couleur de la mention", "colour of the attribution"),
    ),
    ("--bareme-fond", Text::new("fond", "background")),
    ("--bareme-bordure", Text::new("cadre", "border")),
    (
        "--bareme-accent",
        Text::new("liens, champ saisi, focus", "links, field in use, focus"),
    ),
    (
        "--bareme-champ-fond",
        Text::new("fond des champs", "background of the fields"),
    ),
    (
        "--bareme-champ-texte",
        Text::new("texte des champs", "text of the fields"),
    ),
    (
        "--bareme-champ-bordure",
        Text::new("cadre des champs", "border of the fields"),
    ),
    (
        "--bareme-erreur",
        Text::new("messages d’erreur", "error messages"),
    ),
    ("--bareme-police", Text::new("police", "font")),
    (
        "--bareme-taille",
        Text::new("taille du texte", "size of the text"),
    ),
    (
        "--bareme-rayon",
        Text::new("arrondi des angles", "radius of the corners"),
    ),
];

/// The events of the element, each with when it comes and what its `detail` holds.
const EVENTS: [(&str, Text, &str); 6] = [
    (
        "bareme-pret",
        Text::new("l’élément est en place", "the element is in place"),
        "montants",
    ),
    (
        "bareme-saisie",
        Text::new("un montant est tapé", "an amount is typed"),
        "parametre, valeur",
    ),
    (
        "bareme-periode",
        Text::new("la période change", "the period changes"),
        "periode",
    ),
    (
        "bareme-resultat",
        Text::new("les montants suivent", "the amounts follow"),
        "montants, reponse",
    ),
    (
        "bareme-refus",
        Text::new("la saisie est refusée", "what was typed is refused"),
        "parametres",
    ),
    (
        "bareme-echec",
        Text::new(
            "le service n’a pas répondu, ou refuse la clé",
            "the service did not answer, or refuses the key",
        ),
        "statut, code",
    ),
];

pub(super) fn in_your_page(rules: &Rules) -> Markup {
    let (service, lang) = (rules.service(), rules.service().lang);
    let address = &service.documentation;
    let script = format!("{address}{}", element::PATH);
    let pay = localized(&format!("{}/salaire", simulator::PATH), lang);

    html! {
        (p(
            lang,
            "Deux lignes mettent le calcul du brut et du net dans votre page : quatre montants, \
             chacun se tape, les autres suivent.",
            "Two lines put the calculation of gross and net pay into your page: four amounts, each \
             of which may be typed, the others follow."
        ))
        pre.copy tabindex="0" {
            // `async`: an element that is in the page already comes alive when its script arrives.
            "<script src=\"" (script) "\" async></script>\n"
            "<bareme-salaire brut=\"42000\" periode=\"annuel\""
            @if lang == Lang::En { " lang=\"en\"" }
            ">\n  <a href=\"" (address) (pay) "\">"
            (say(lang, "Calculer un salaire net", "Calculate a net pay")) "</a>\n"
            "</bareme-salaire>"
        }
        p {
            (say(
                lang,
                "Le lien est ce que lit une page sans script. L’élément n’a pas de dépendance, ne \
                 pose pas de cookie, prend la largeur de sa place et la hauteur de son contenu\
                 \u{a0}; ses styles et ceux de la page ne se mêlent pas. La mention «\u{a0}Calcul\
                 \u{a0}: ",
                "The link is what a page without scripts reads. The element has no dependency, \
                 sets no cookie, takes the width of its place and the height of its content; its \
                 styles and those of the page do not mix. The attribution “Calculation: "
            ))
            (prose(&service.title))
            (say(lang, "\u{a0}» reste affichée.", "” stays visible."))
        }

        (h2(lang, "Attributs", "Attributes"))
        (attributes(lang))
        (h2(lang, "Évènements", "Events"))
        (p(
            lang,
            "Ils remontent jusqu’au document ; `detail` a ce qui est nommé.",
            "They bubble up to the document; `detail` has what is named."
        ))
        (events(lang))

        (h2(lang, "Couleurs et police", "Colours and font"))
        (p(
            lang,
            "Douze propriétés se donnent dans votre feuille de style, comme \
             `bareme-salaire { --bareme-accent: #00695c }`.",
            "Twelve properties are set in your style sheet, like \
             `bareme-salaire { --bareme-accent: #00695c }`."
        ))
        ul {
            @for (name, what) in PROPERTIES {
                li { code { (name) } (say(lang, "\u{a0}: ", ": ")) (what.in_lang(lang)) }
            }
        }

        (h2(lang, "Politique de sécurité", "Content security policy"))
        (p(
            lang,
            "Sous une politique stricte (CSP), deux directives suffisent, sans `unsafe-inline` :",
            "Under a strict policy (CSP) two directives are enough, without `unsafe-inline`:"
        ))
        pre.copy tabindex="0" { "script-src " (address) "; connect-src " (address) }
        (publishable_key(lang))

        @if !service.embedded_by.is_empty() { (frame(rules)) }
    }
}

/// The attributes of the element.
fn attributes(lang: Lang) -> Markup {
    html! {
        ul {
            (li(
                lang,
                "`brut`, `net`, `net-apres-impot`, `cout` : le montant de départ, un seul ;",
                "`brut`, `net`, `net-apres-impot`, `cout`: the amount to start from, only one: \
                 gross pay, net pay, net after tax, employer cost;"
            ))
            (li(
                lang,
                "`periode` : `mensuel` ou `annuel` ;",
                "`periode`: `mensuel` for a month or `annuel` for a year;"
            ))
            (li(
                lang,
                "`pays` : un autre pays, par son code, comme `sn` ;",
                "`pays`: another country, by its code, like `sn`;"
            ))
            (li(
                lang,
                "`lang` : la langue de l’élément, `fr` ou `en` ; sans lui, celle de votre page, et \
                 le français si elle en a une autre ;",
                "`lang`: the language of the element, `fr` or `en`; without it, that of your page, \
                 or French where that is another one;"
            ))
            (li(
                lang,
                "`cle` : une clé publiable, si la page en a une ;",
                "`cle`: a publishable key, if the page has one;"
            ))
            (li(
                lang,
                "`parametres` : le reste de la situation, comme `cadre=true&quotite=80`, avec les \
                 noms de l’API.",
                "`parametres`: the rest of the situation, like `cadre=true&quotite=80`, with the \
                 names of the API."
            ))
        }
    }
}

/// The events of the element.
fn events(lang: Lang) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label=(say(lang, "Évènements", "Events")) {
            table {
                thead {
                    tr {
                        th scope="col" { (say(lang, "Nom", "Name")) }
                        th scope="col" { (say(lang, "Quand", "When")) }
                        th scope="col" { (say(lang, "Détail", "Detail")) }
                    }
                }
                tbody {
                    @for (name, when, detail) in EVENTS {
                        tr {
                            th scope="row" { code { (name) } }
                            td { (when.in_lang(lang)) }
                            td { code { (detail) } }
                        }
                    }
                }
            }
        }
    }
}

/// The simulators in a frame.
fn frame(rules: &Rules) -> Markup {
    let (service, lang) = (rules.service(), rules.service().lang);
    let widget = localized(&format!("{}/salaire", widget::PATH), lang);
    html! {
        (h2(lang, "Sans script", "Without a script"))
        (p(
            lang,
            "Tout simulateur se met aussi dans un cadre ; ses lignes à copier sont au bas de sa \
             page.",
            "Every calculator may also be put into a frame; its lines to copy are at the bottom of \
             its page."
        ))
        pre.copy tabindex="0" {
            "<iframe src=\"" (service.documentation) (widget) "\" title=\""
            (say(lang, "Salaire brut en net", "Gross to net pay"))
            "\" width=\"100%\" height=\"900\" loading=\"lazy\"></iframe>"
        }
    }
}

/// The keys that may be in the source of a page, and what they do not protect.
fn publishable_key(lang: Lang) -> Markup {
    html! {
        h2 #cle { (say(lang, "Avec une clé", "With a key")) }
        p {
            (say(
                lang,
                "Sans clé, les appels comptent dans le quota de l’adresse de chaque visiteur. Avec \
                 une clé publiable, ils comptent dans celui de votre offre. Elle se crée sur ",
                "Without a key, the calls count in the quota of the address of each visitor. With a \
                 publishable key, they count in that of your plan. It is made on "
            ))
            a href=(OWNER_PATH) hreflang="fr" {
                (say(lang, "la page de vos clés", "the page of your keys (in French)"))
            }
            (say(
                lang,
                ", en déclarant les sites qui l’emploient, ",
                ", by declaring the sites that use it, "
            ))
            (MAX_ORIGINS)
            (say(
                lang,
                " au plus\u{a0}; elle commence par trois lettres et ",
                " at most; it starts with three letters and "
            ))
            code { "_pub_" } "."
        }
        pre.copy tabindex="0" {
            "<bareme-salaire cle=\"bma_pub_…\" brut=\"42000\" periode=\"annuel\"></bareme-salaire>"
        }
        (key_rules(lang))
        (p(
            lang,
            "Ce n’est pas un secret. Un navigateur n’enverra jamais votre clé au nom de votre site \
             depuis une autre page ; un programme, lui, écrit l’origine qu’il veut. Donnez-lui une \
             limite d’appels par jour : une copie n’épuise alors que cette limite, pas votre offre. \
             Ne mettez jamais une clé secrète dans une page.",
            "It is no secret. A browser never sends your key in the name of your site from another \
             page; a program writes whatever origin it likes. Give it a limit of calls a day: a \
             copy then uses up that limit alone, not your plan. Never put a secret key into a page."
        ))
        (p(
            lang,
            "Avec une clé, le navigateur demande d’abord la permission (`OPTIONS`) : cette demande \
             ne coûte rien.",
            "With a key, the browser first asks for permission (`OPTIONS`), which costs nothing."
        ))
    }
}

/// The pages and the calls that a publishable key is accepted for.
fn key_rules(lang: Lang) -> Markup {
    html! {
        ul {
            (li(
                lang,
                "Un site est une origine : schéma, nom et port, comme `https://www.exemple.fr`. En \
                 https, ou en http pour localhost, sans chemin. `exemple.fr` et `www.exemple.fr` en \
                 sont deux, et chaque sous-domaine se déclare : un joker ouvrirait la clé à ceux \
                 d’autrui.",
                "A site is an origin: scheme, host and port, like `https://www.example.org`. In \
                 https, or in http for localhost, without a path. `example.org` and \
                 `www.example.org` are two, and each subdomain is declared: a wildcard would open \
                 the key to those of others."
            ))
            (li(
                lang,
                "D’une autre page, d’un fichier (`Origin: null`) ou d’un appel sans `Origin`, elle \
                 est refusée (403 `origine_non_declaree`), sans rien décompter.",
                "From another page, a file (`Origin: null`) or a call without `Origin` it is refused \
                 (403 `origine_non_declaree`), and nothing is counted."
            ))
            (li(
                lang,
                "Elle ouvre les calculs, les années de paies et leurs reçus. Les lots, l’usage et \
                 les outils d’assistants la refusent (403 `cle_publiable_refusee`).",
                "It opens calculations, years of pays and their receipts. Batches, usage and the \
                 tools of assistants refuse it (403 `cle_publiable_refusee`)."
            ))
            (li(
                lang,
                "Elle se renomme, change de sites, se remplace et se révoque sur la page de vos \
                 clés, avec effet en une seconde. Ses appels y sont comptés à part.",
                "It is renamed, moved to other sites, replaced and revoked on the page of your keys, \
                 within a second. Its calls are counted there by themselves."
            ))
        }
    }
}
