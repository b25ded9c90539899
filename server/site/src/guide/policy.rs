//! Texts of the guides to the data behind the answers, and to the lifecycle of the API.

use bareme_api::calls::route::WITHDRAWALS;
use bareme_engine::service::{Endpoint, NOTICE_MONTHS, Retirement, Rules, Service, Variant};
use maud::{Markup, html};

use super::text::call;
use crate::corrections;
use crate::table::wide;
use crate::text::{day, prose};

pub(super) fn data(rules: &Rules) -> Markup {
    html! {
        p {
            "Tout ce que montrent les formulaires et les pages de barèmes se lit aussi en JSON, \
             sans clé et sans être compté\u{a0}: de quoi construire un formulaire, un client ou un \
             assistant sans lire une page. Le point de départ donne l’adresse de tout le \
             reste\u{a0}:"
        }
        (call(rules, "/api/v1", 200))

        h2 { "Ce qui est demandé et ce qui est répondu" }
        p {
            "La liste des barèmes, puis pour chacun ses paramètres (bornes, unités, choix, valeurs \
             par défaut, libellés), les champs de sa réponse et ses éditions\u{a0}:"
        }
        (call(rules, "/api/v1/baremes", 200))
        (call(rules, "/api/v1/baremes/salaire-net/ci", 200))

        p {
            "Les mots d’un choix commun à plusieurs calculs, comme le pays, avec leur nom, leur \
             monnaie et l’adresse qui répond\u{a0}:"
        }
        (call(rules, "/api/v1/pays", 200))

        h2 { "Les chiffres, leurs textes, leurs changements" }
        p {
            "L’édition en vigueur un jour donné, avec ses tableaux, ses textes et ses \
             réserves\u{a0}; un taux y est une fraction (0.063 pour 6,3\u{202f}%)\u{a0}:"
        }
        (call(rules, "/api/v1/baremes/ir/2026-03-31", 200))

        p {
            code { "avant" }
            " ajoute ce qui a changé depuis une autre date, valeur par valeur et en une \
             phrase\u{a0}:"
        }
        (call(rules, "/api/v1/baremes/ir/2026-03-31?avant=2025-03-31", 200))

        p {
            "Chaque réponse porte un " code { "ETag" } "\u{a0}: renvoyé dans "
            code { "If-None-Match" }
            ", il donne 304 tant que rien n’a changé. Un paramètre inconnu est refusé, comme \
             partout\u{a0}:"
        }
        (call(rules, "/api/v1/baremes?page=2", 400))
    }
}

pub(super) fn versions(rules: &Rules) -> Markup {
    html! {
        p {
            "La version de l’API est dans le chemin (" code { "v1" }
            "). Tant qu’elle est servie, un appel qui fonctionne continue de fonctionner."
        }

        h2 { "Ce qui change sans préavis" }
        ul {
            li {
                "les chiffres\u{a0}: une édition entre en vigueur à la date que fixe la loi, et \
                 une erreur se corrige dès qu’elle est connue\u{a0}; la réponse dit l’édition ("
                code { "bareme_en_vigueur" } ") et le droit appliqué (" code { "version" } "), et "
                a href=(corrections::PATH) { "la page des corrections" }
                " ce qui a été corrigé\u{a0};"
            }
            li {
                "les ajouts\u{a0}: un calcul, un pays, un paramètre facultatif, un champ de \
                 réponse, un code d’erreur. Un client ignore les champs qu’il ne connaît pas\u{a0};"
            }
            li {
                "les phrases destinées aux personnes (" code { "detail" } ", " code { "motif" } ", "
                code { "avertissements" } ", libellés). Un programme lit les codes."
            }
        }

        h2 { "Ce qui est annoncé" }
        p {
            "Retirer un calcul, un paramètre ou un champ, changer leur nom, leur sens ou leur \
             unité, rendre obligatoire ce qui ne l’était pas\u{a0}: rien de cela n’arrive dans une \
             version sans un préavis d’au moins "
            strong { (NOTICE_MONTHS) " mois" } ". Une rupture plus large est une nouvelle version ("
            code { "v2" } "), servie à côté de l’ancienne pendant ce préavis au moins."
        }
        p {
            "L’annonce est dans chaque réponse de ce qui s’en va\u{a0}: " code { "Deprecation" }
            " donne le jour à partir duquel ne plus s’en servir (RFC\u{a0}9745), " code { "Sunset" }
            " celui du retrait (RFC\u{a0}8594), et " code { "Link" }
            " mène à cette page. La description OpenAPI porte " code { "deprecated: true" }
            ". Un programme peut donc prévenir son équipe dès qu’il rencontre l’un de ces en-têtes."
        }
        pre tabindex="0" {
            // RFC 9745 writes seconds after an `@`, RFC 8594 a date of HTTP.
            "Deprecation: @1798761600\nSunset: Thu, 01 Jul 2027 00:00:00 GMT\nLink: <"
            (rules.service().documentation) (WITHDRAWALS)
            ">; rel=\"deprecation sunset\"; type=\"text/html\""
        }

        h2 { "Retraits annoncés" }
        (withdrawals(rules.service()))

        h2 { "Suivre les changements" }
        p {
            "Ceux de l’API sont datés dans " a href=(super::api_changes::PATH) { "leur page" }
            ", avec un flux Atom. " "Les changements de chiffres paraissent sur "
            a href="/baremes/changements" { "la page des changements" } " et dans "
            a href="/baremes.atom" { "le flux Atom" }
            ", dans les mots de la loi. Un test d’intégration qui rejoue vos appels avec une date \
             fixe ne dépend pas d’eux."
        }
    }
}

/// The announced withdrawals.
fn withdrawals(service: &Service) -> Markup {
    // From `service.yaml`, as the headers of the answers.
    let of_endpoint = |variant: &Variant, endpoint: &Endpoint| {
        let retirement = Service::retirement(variant, endpoint)?;

        Some((
            format!("{}/{}", variant.prefix, endpoint.name),
            endpoint.title.clone(),
            retirement,
        ))
    };

    let of_variant = |variant| {
        service
            .endpoints_of(variant)
            .filter_map(move |endpoint| of_endpoint(variant, endpoint))
    };

    let all: Vec<(String, String, Retirement)> =
        service.variants.iter().flat_map(of_variant).collect();

    html! {
        @if all.is_empty() { p { "Aucun retrait n’est annoncé." } }
        @else {
            (wide(
                "Retraits annoncés",
                html! {
                    table {
                        thead {
                            tr {
                                th scope="col" { "Adresse" } th scope="col" { "Calcul" }
                                th scope="col" { "Déconseillé à partir du" }
                                th scope="col" { "Retiré à partir du" }
                            }
                        }
                        tbody {
                            @for (path, title, retirement) in &all {
                                tr {
                                    td { code { (path) } }
                                    td { (prose(title)) }
                                    td { (day(retirement.deprecated)) }
                                    td {
                                        @if let Some(sunset) = retirement.sunset {
                                            (day(sunset))
                                        } @else {
                                            "à fixer"
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            ))
        }
    }
}
