//! Texts of the guides.

use bareme_engine::service::{Endpoint, Rules, Variant};
use maud::{Markup, html};

use crate::call::{PATH as ANSWER, query};
use crate::developers;
use crate::language::localized;
use crate::offers::attribution;
use crate::table::wide;
use crate::text::{prose, say};

/// A call to copy, and its answer. The tests send it and expect this status.
pub(super) fn call(rules: &Rules, path: &str, status: u16) -> Markup {
    let lang = rules.service().lang;
    let query = query(path);

    html! {
        // The tests read these attributes, send the call and expect the status.
        pre.copy tabindex="0" data-appel=(path) data-statut=(status) {
            "curl '" (rules.service().documentation) (path) "'"
        }
        details.answer {
            summary { (say(lang, "Réponse", "Answer")) }
            p {
                a href={ (localized(developers::PATH, lang)) "?" (query) "#essai" }
                    data-reponse={ (localized(ANSWER, lang)) "?" (query) } {
                    (say(
                        lang,
                        "Voir la réponse sur la page de l’API",
                        "See the answer on the page of the API"
                    ))
                }
            }
        }
    }
}

pub(super) fn rounding(rules: &Rules) -> Markup {
    html! {
        p {
            "Les calculs sont faits en décimales, du texte du barème à la réponse\u{a0}: 0,1 plus \
             0,2 font 0,3. Les montants ont les décimales de leur monnaie, et un arrondi n’a lieu \
             que là où le texte de loi le prévoit\u{a0}; "
            code { "detail=true" } " dit lequel, à chaque étape."
        }
        (call(rules, "/api/v1/ir?revenu=30000&arrondi=cent&detail=true", 200))

        p {
            "Les taux des quatre calculs français sont des fractions (0.20 pour 20\u{202f}%), sauf \
             celui du prêt\u{a0}; ceux des autres pays sont en pour cent. Un taux s’envoie \
             toujours en pour cent\u{a0}:"
        }
        (call(rules, "/api/v1/tva?montant=100&taux=5.5&sens=ttc", 200))

        p {
            "Pour garder l’exactitude, lire les nombres JSON comme des décimaux\u{a0}: "
            code { "parse_float=Decimal" } " en Python, une bibliothèque de décimaux en JavaScript."
        }
    }
}

pub(super) fn sources(rules: &Rules) -> Markup {
    html! {
        p {
            "Chaque chiffre d’un barème nomme ses textes\u{a0}: la loi ou le règlement, à défaut \
             la publication de l’administration. Ils reviennent dans "
            code { "references" }
            " de chaque réponse, avec éditeur, date et adresse quand il y en a une\u{a0}:"
        }
        (call(rules, "/api/v1/salaire-net?pays=ma&brut=10000", 200))

        p {
            "Un chiffre dont un point reste ouvert porte une confiance et une note, qui reviennent \
             avec lui ("
            code { "reserves" } "). La page de chaque " a href="/baremes" { "barème" }
            " les montre toutes."
        }
        p {
            "Des cas chiffrés accompagnent chaque barème. Ils sont recalculés avant que des règles \
             n’entrent en service\u{a0}: un seul écart, et les règles précédentes restent en place."
        }

        h2 { "Citer un résultat" }
        p {
            "Le champ " code { "citation" }
            " de chaque réponse est la ligne à recopier\u{a0}: le barème, sa date d’entrée en \
             vigueur ("
            code { "bareme_en_vigueur" } "), ses textes (" code { "source" } ") et l’empreinte "
            code { "version" }
            ". Le même appel, avec la même date, redonne le même résultat tant que l’empreinte est \
             la même. Chaque simulateur prépare cette citation et la met sur sa page à imprimer."
        }
        (attribution(rules.service()))
    }
}

pub(super) fn migration(rules: &Rules) -> Markup {
    let names = |variant: &Variant| {
        let endpoints: Vec<&Endpoint> = rules.service().endpoints_of(variant).collect();

        html! {
            @for (index, endpoint) in endpoints.iter().enumerate() {
                @if index > 0 { ", " } code { (endpoint.name) }
            }
        }
    };

    html! {
        p {
            "Les versions de l’API sont servies côte à côte. Un calcul qui est dans les deux prend \
             les mêmes paramètres et donne la même réponse, à l’octet près\u{a0}; seuls changent \
             le début du chemin, les offres et la clé."
        }
        (wide(
            "Versions",
            html! {
                table {
                    thead {
                        tr {
                            th scope="col" { "Version" } th scope="col" { "Chemin" }
                            th scope="col" { "Calculs" }
                        }
                    }
                    tbody {
                        @for variant in &rules.service().variants {
                            tr {
                                th scope="row" { (prose(&variant.title)) } td { code { (variant.prefix) } }
                                td { (names(variant)) }
                            }
                        }
                    }
                }
            }
        ))
        p { "Le même appel dans l’une et dans l’autre\u{a0}:" }
        (call(rules, "/api-docs/v1/ir?revenu=30000&parts=1", 200))
        (call(rules, "/api/v1/ir?revenu=30000&parts=1", 200))

        p {
            "Une clé n’est bonne que sur sa version\u{a0}: en changer, c’est en demander une \
             autre, puis remplacer le début du chemin et l’en-tête dans la même livraison."
        }
    }
}
