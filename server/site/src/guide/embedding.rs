//! The guide to the simulators in the pages of other sites: the element, and the frame.

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
        Text::new("le service n’a pas répondu", "the service did not answer"),
        "statut",
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
        (p(
            lang,
            "Les appels comptent dans le quota sans clé de l’adresse de chaque visiteur. L’élément \
             n’envoie pas de clé : n’en mettez pas dans une page.",
            "The calls count in the quota without a key of the address of each visitor. The \
             element sends no key: put none into a page."
        ))

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
