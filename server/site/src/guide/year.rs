//! The guide to years of pays.

use bareme_engine::service::Rules;
use maud::{Markup, html};

use super::batches::batch;
use super::text::call;
use crate::catalogue;
use crate::simulator::YEAR_END;
use crate::text::prose;

pub(super) fn of_pays(rules: &Rules) -> Markup {
    // Only folders whose texts of regularisation are written have a year.
    let with_year: Vec<_> = catalogue::all(rules)
        .into_iter()
        .filter(catalogue::ListedFolder::has_year)
        .collect();
    // The calls of the guide are those of the first version.
    let prefix = rules
        .service()
        .variants
        .first()
        .map(|variant| variant.prefix.as_str())
        .unwrap_or_default();

    html! {
        p {
            "Une paie se calcule sur l’année\u{a0}: plafonds, réduction générale, maximums annuels \
             se cumulent depuis janvier ou depuis l’embauche, et chaque mois reçoit le cumul, \
             moins ce que les mois précédents ont déjà compté. L’adresse d’un calcul suivie de "
            code { "/annee" } " répond mois par mois."
        }
        (call(
            rules,
            &format!(
                "{prefix}/salaire/annee?annee=2026&brut=2600&primes=0;0;0;0;0;0;0;0;0;0;0;2600"
            ),
            200
        ))
        (lists(rules, prefix))
        (answers(rules, prefix))

        h2 { "Ce qui est compté" }
        p {
            "Une année compte pour un appel, dans un lot aussi, où chaque ligne est une \
             année\u{a0}:"
        }
        (batch(
            rules,
            &format!("{prefix}/lot/salaire/annee?champs=net,brut_total"),
            "application/json",
            "[{\"annee\":2026,\"brut\":[2600,2600,2700]},\
             {\"annee\":2026,\"brut\":\"3100;3100\",\"premier_mois\":11}]",
            200
        ))

        h2 { "Les calculs qui donnent une année" }
        ul {
            @for listed in &with_year {
                li { a href={ (listed.simulator()) (YEAR_END) } { (prose(listed.folder.title())) } }
            }
        }
        p {
            "Les autres répondent 404 (" code { "sans_annee" }
            ")\u{a0}: leurs textes de régularisation ne sont pas écrits, et chaque mois s’y \
             calcule seul."
        }

        h2 { "Données personnelles" }
        p {
            "Douze salaires dans une adresse restent dans les journaux des intermédiaires\u{a0}: \
             pour une paie entière, envoyer un lot. Le service ne garde pas les paramètres des \
             appels."
        }
    }
}

/// How the values of the months are sent.
fn lists(rules: &Rules, prefix: &str) -> Markup {
    html! {
        h2 { "Les listes" }
        ul {
            li {
                "Un paramètre qui change d’un mois à l’autre est une liste, ses valeurs séparées \
                 par "
                code { ";" }
                "\u{a0}; ou le paramètre répété, comme l’écrivent les clients générés. Jamais les \
                 deux à la fois."
            }
            li {
                "Une seule valeur vaut pour tous les mois, sauf les jours de présence, qui se \
                 donnent mois par mois. Une place vide est la valeur par défaut."
            }
            li {
                code { "premier_mois" } " est le mois de la première valeur (janvier par défaut), "
                code { "dernier_mois" } " celui où l’année s’arrête, " code { "depart=true" }
                " dit que le contrat prend fin avec lui\u{a0}: ce qui se règle une fois s’y règle."
            }
            li { "Les listes ont toutes la même longueur, et pas plus de mois que l’année n’en a." }
        }
        (call(
            rules,
            &format!(
                "{prefix}/salaire/annee?annee=2026&premier_mois=3&brut=1600;3100;3100;1000\
                 &jours=16;;;10&brut_mois_complet=3100&depart=true&employeur=true"
            ),
            200
        ))
    }
}

/// What is answered: the months and their total, or every mistake.
fn answers(rules: &Rules, prefix: &str) -> Markup {
    html! {
        h2 { "La réponse" }
        p {
            code { "mois" } " a un objet par mois, ce que répond le mois seul, avec son propre "
            code { "bareme_en_vigueur" } "\u{a0}: l’édition en vigueur le dernier jour du mois. "
            code { "total" }
            " additionne les montants, et les lignes de paie une à une (le taux n’y est que si \
             tous les mois ont le même). Les textes, la version, la citation et les avertissements \
             viennent une fois, ces derniers avec leurs mois. Rien n’est conservé d’un appel à \
             l’autre\u{a0}: chaque appel envoie tous ses mois, et les mêmes paramètres donnent les \
             mêmes octets."
        }

        h2 { "Les refus" }
        p {
            "Chaque paramètre refusé est nommé avec son mois (" code { "mois" }
            "), tous à la fois. Un mois refusé fait refuser l’année\u{a0}: un cumul sans lui \
             serait faux pour tous les suivants. "
            code { "date" } ", " code { "net" } " et " code { "cout" }
            " ne se donnent pas pour une année."
        }
        (call(
            rules,
            &format!("{prefix}/salaire/annee?annee=2026&brut=2600;-1;2700&date=2026-01-01"),
            400
        ))
    }
}
