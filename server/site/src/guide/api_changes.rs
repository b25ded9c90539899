//! What callers of the API notice, day by day: one table, of which the page and the feed are made.

use bareme_api::calls::route::WITHDRAWALS;
use bareme_engine::service::Rules;
use jiff::civil::{Date, date};
use maud::{Markup, html};

use crate::text::{day, prose};

/// Path of the page.
pub(crate) const PATH: &str = "/documentation/changements";

/// Path of the feed.
pub(crate) const FEED: &str = "/documentation/changements.atom";

/// What a change is to a program that calls the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nature {
    /// A member has another type: a program that reads it must change.
    Type,
    /// An answer is another one for the same request.
    Behaviour,
    Member,
    Code,
    Parameter,
}

impl Nature {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Type => "Type changé",
            Self::Behaviour => "Réponse changée",
            Self::Member => "Membre ajouté",
            Self::Code => "Code ajouté",
            Self::Parameter => "Paramètre ajouté",
        }
    }
}

/// A change of the API.
#[derive(Debug)]
pub(crate) struct Change {
    pub day: Date,
    pub nature: Nature,
    /// The name that changes, or where.
    pub subject: &'static str,
    pub text: &'static str,
}

/// The changes, the newest first. A caller that reads the ones since its last visit knows them all.
pub(crate) static CHANGES: [Change; 33] = [
    Change {
        day: date(2026, 11, 30),
        nature: Nature::Member,
        subject: "mensualite_avec_assurance",
        text: "`/pret` donne la mensualité, assurance comprise.",
    },
    Change {
        day: date(2026, 11, 30),
        nature: Nature::Code,
        subject: "origine_non_declaree, cle_publiable_refusee",
        text: "Une clé publiable se met dans la source d’une page : acceptée des origines déclarées \
               pour elle, 403 d’une autre ; 403 aussi pour un lot, l’usage ou un outil \
               d’assistant. `violated-policies` nomme `cle` au-delà de sa propre limite.",
    },
    Change {
        day: date(2026, 11, 30),
        nature: Nature::Parameter,
        subject: "version, connu_le",
        text: "Acceptés aussi par les outils des assistants (`/mcp`), dont les réponses donnent \
               `version`.",
    },
    Change {
        day: date(2026, 11, 30),
        nature: Nature::Parameter,
        subject: "detail=complet",
        text: "Explique aussi les calculs que les étapes demandent à d’autres barèmes, chacun dans \
               l’étape qui le demande.",
    },
    Change {
        day: date(2026, 11, 30),
        nature: Nature::Member,
        subject: "etapes[].calcul",
        text: "Le calcul qu’une étape demande à un autre barème : son dossier, son jour et \
               l’adresse où ce même calcul se refait.",
    },
    Change {
        day: date(2026, 11, 29),
        nature: Nature::Parameter,
        subject: "date_naissance, debut_contrat",
        text: "/chomage compte l’âge depuis la naissance et les jours d’affiliation depuis le premier \
               jour de travail, jusqu’au jour du calcul, à la place de `age` et de \
               `jours_affiliation`.",
    },
    Change {
        day: date(2026, 11, 29),
        nature: Nature::Parameter,
        subject: "date_entree, date_notification, fin_preavis, jours_absence",
        text: "/indemnite-licenciement compte l’ancienneté entre deux dates, à la place de \
               `anciennete_annees`, qui n’est plus obligatoire : sans l’une ni les autres, le refus \
               a le code `incompatible`.",
    },
    Change {
        day: date(2026, 11, 29),
        nature: Nature::Parameter,
        subject: "date_acquisition, date_vente",
        text: "/plus-value-immobiliere compte les années de détention entre deux dates, à la place \
               de `annees_detention`, qui n’est plus obligatoire.",
    },
    Change {
        day: date(2026, 11, 29),
        nature: Nature::Parameter,
        subject: "recu",
        text: "`recu=true` : la réponse porte un reçu signé, qui prouve la demande, les montants, le \
               droit et l’heure ; un lot en a un, avec une preuve pour chaque ligne. Les clés \
               publiques sont à `/.well-known/jwks.json`.",
    },
    Change {
        day: date(2026, 11, 29),
        nature: Nature::Code,
        subject: "recu_indisponible",
        text: "400 : ce service n’a pas de clé de signature.",
    },
    Change {
        day: date(2026, 11, 29),
        nature: Nature::Behaviour,
        subject: "version",
        text: "Nomme le droit appliqué : la méthode et les chiffres de l’édition, et ceux des \
               calculs dont elle se sert. Une autre année, une note ou un cas type ne la changent \
               plus. L’empreinte des fichiers d’un barème reste dans les données (`empreinte`).",
    },
    Change {
        day: date(2026, 11, 29),
        nature: Nature::Parameter,
        subject: "version, connu_le",
        text: "Refait un calcul par le droit qu’une réponse a nommé, ou tel que les barèmes étaient \
               connus un jour. Aussi à l’adresse d’un lot.",
    },
    Change {
        day: date(2026, 11, 29),
        nature: Nature::Code,
        subject: "version_inconnue",
        text: "404 : ce droit n’est pas conservé. `versions` donne ceux qui le sont pour le jour du \
               calcul.",
    },
    Change {
        day: date(2026, 11, 29),
        nature: Nature::Member,
        subject: "changements",
        text: "Adresse ajoutée : ce qui a été publié depuis un jour, et ce qui corrige un barème \
               déjà en vigueur, avec l’effet mesuré. La page et le flux sont \
               `/baremes/corrections`.",
    },
    Change {
        day: date(2026, 11, 28),
        nature: Nature::Behaviour,
        subject: "dividendes",
        text: "L’impôt du foyer est celui que `/ir` calcule : ses textes viennent avec la \
               réponse, leur `id` précédé de `ir/`, et `source` ne nomme plus la loi de \
               finances. L’avertissement `bareme_de_l_annee_non_vote` devient \
               `bareme_non_verifie`. Les montants sont les mêmes.",
    },
    Change {
        day: date(2026, 11, 28),
        nature: Nature::Parameter,
        subject: "acre, et contrat=mandataire",
        text: "Le mandataire assimilé salarié, sur `/salaire` et sur l’année de paies, avec \
               l’exonération d’une entreprise nouvelle.",
    },
    Change {
        day: date(2026, 11, 28),
        nature: Nature::Parameter,
        subject: "primes, de 17 pays",
        text: "Le treizième mois, une gratification ou un rappel payés avec la paie du mois : \
               l’impôt d’une prime n’est plus celui d’un salaire mensuel aussi élevé. La \
               documentation de chaque pays dit comment sa loi les traite.",
    },
    Change {
        day: date(2026, 11, 28),
        nature: Nature::Parameter,
        subject: "quotite",
        text: "La durée du travail, en pourcentage d’un temps plein, dans les pays qui ont un \
               salaire minimum : elle ne sert qu’à le comparer à la paie.",
    },
    Change {
        day: date(2026, 11, 28),
        nature: Nature::Code,
        subject: "brut_sous_salaire_minimum",
        text: "Dans chaque pays qui a un salaire minimum légal, une paie inférieure reçoit cet \
               avertissement, avec le montant du jour. Aucun montant calculé ne change.",
    },
    Change {
        day: date(2026, 11, 28),
        nature: Nature::Behaviour,
        subject: "net, avec une prime",
        text: "Un net qui existe est trouvé aussi lorsque la prime seule donne déjà davantage : \
               l’appel était refusé (`hors_bornes`). L’avertissement `plusieurs_montants` le dit.",
    },
    Change {
        day: date(2026, 11, 28),
        nature: Nature::Type,
        subject: "avertissements",
        text: "Chaque avertissement est un objet, `code` et `texte`, avec `parametre` et `mois` \
               s’il en a ; c’était une phrase. Les codes sont stables, les phrases ne le sont pas.",
    },
    Change {
        day: date(2026, 11, 28),
        nature: Nature::Behaviour,
        subject: "champs, dans un lot",
        text: "Une ligne qui n’a pas un champ demandé est refusée, comme l’appel simple : \
               `cout_employeur` sans `employeur`. La cellule était vide.",
    },
    Change {
        day: date(2026, 11, 28),
        nature: Nature::Behaviour,
        subject: "CSV à points-virgules",
        text: "Dans un lot, la virgule y est décimale, `VRAI` et `FAUX` sont des booléens, les \
               milliers peuvent être séparés par des espaces ; la réponse a le même dialecte. Les \
               fichiers en Windows-1252 sont lus aussi.",
    },
    Change {
        day: date(2026, 11, 28),
        nature: Nature::Behaviour,
        subject: "CSV illisible",
        text: "Un fichier dont le séparateur ou l’encodage ne peut pas être décidé est refusé en \
               entier (`lot_illisible`), sans être compté, et `detail` dit comment l’enregistrer.",
    },
    Change {
        day: date(2026, 11, 28),
        nature: Nature::Behaviour,
        subject: "Transfer-Encoding: chunked",
        text: "Le corps d’un POST peut être envoyé par morceaux, comme le font .NET et Java. La \
               connexion est fermée après la réponse.",
    },
    Change {
        day: date(2026, 11, 28),
        nature: Nature::Behaviour,
        subject: "nombres de /mcp",
        text: "Ils sont lus avec tous leurs chiffres, comme ceux d’une requête : `1e3` est refusé, \
               et plus de quinze chiffres sont acceptés.",
    },
    Change {
        day: date(2026, 11, 28),
        nature: Nature::Parameter,
        subject: "cle",
        text: "Sur l’adresse d’un lot : le membre ou la colonne dont la valeur revient intacte \
               dans la réponse de chaque ligne. Sans lui, `id` et `matricule` sont reconnus.",
    },
    Change {
        day: date(2026, 11, 28),
        nature: Nature::Parameter,
        subject: "paramètres sur l’adresse d’un lot",
        text: "Tout paramètre du calcul y est accepté, et vaut pour toutes les lignes : \
               `?date=2026-03-31&employeur=true`. Une ligne qui en donne une autre valeur est \
               refusée (`incompatible`).",
    },
    Change {
        day: date(2026, 11, 28),
        nature: Nature::Member,
        subject: "version, reserves",
        text: "Colonnes ajoutées aux réponses en CSV d’un lot sans `champs`.",
    },
    Change {
        day: date(2026, 11, 28),
        nature: Nature::Code,
        subject: "lot_superieur_au_quota",
        text: "413 : le lot a plus de lignes que l’offre n’a d’appels par jour. C’était 429, qui \
               renvoyait à minuit sans fin. `limite` dit combien de lignes passent.",
    },
    Change {
        day: date(2026, 11, 28),
        nature: Nature::Code,
        subject: "message_trop_long",
        text: "413 : un message de plus de 64 Kio à `/mcp`. C’était 400 `corps_refuse`.",
    },
    Change {
        day: date(2026, 11, 28),
        nature: Nature::Type,
        subject: "lignes des lots, dans la description",
        text: "Chaque calcul décrit ses lignes (`…Ligne`), avec ses paramètres, leurs types et \
               leurs \
               bornes ; le schéma commun `LigneDeLot` disparaît. Les requêtes ne changent pas.",
    },
    Change {
        day: date(2026, 11, 28),
        nature: Nature::Behaviour,
        subject: "cette page",
        text: "Les changements de l’API sont datés ici et dans son flux. Les changements d’avant \
               ce jour n’y sont pas.",
    },
];

/// The content of the page.
pub(super) fn page(_: &Rules) -> Markup {
    html! {
        p {
            "Ce qu’un programme qui appelle l’API peut remarquer\u{a0}: membres, codes et \
             paramètres ajoutés, types et réponses changés, du plus récent au plus ancien. "
            a href=(FEED) { "Flux Atom" } ". Les chiffres des barèmes ont "
            a href="/baremes/changements" { "leur page" }
            ", et ce qui est annoncé ou change sans préavis "
            a href=(WITHDRAWALS) { "la sienne" } "."
        }
        @for of_day in CHANGES.chunk_by(|one, next| one.day == next.day) {
            @if let Some(first) = of_day.first() { h2 { (day(first.day)) } }
            dl {
                @for Change { nature, subject, text, .. } in of_day {
                    dt { (prose(subject)) " (" (nature.label()) ")" }
                    dd { (prose(text)) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_newest_first_and_each_is_listed_once() {
        assert!(CHANGES.is_sorted_by(|one, next| one.day >= next.day));
        for (index, change) in CHANGES.iter().enumerate() {
            assert!(
                change.text.ends_with('.') && !change.subject.is_empty(),
                "{}",
                change.subject
            );
            let is_same =
                |other: &Change| (other.day, other.subject) == (change.day, change.subject);
            assert!(
                !CHANGES.iter().skip(index + 1).any(is_same),
                "{} twice",
                change.subject
            );
        }
    }
}
