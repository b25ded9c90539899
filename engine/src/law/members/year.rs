//! The members of the objects of a year of pays.

use super::MemberType::{Any, Integer, Integers, Map, Objects, Text};
use super::{Member, REFERENCE, REMARK, VERSION_OF_LAW, WARNINGS, member};

/// The month of an answer of a year of pays.
pub const MONTH: Member = member!("mois", Integer, "Mois de l’année, de 1 à 12.");

/// The months of an element of a list of a year of pays, where it is not in every month.
pub const OF_MONTHS: Member = member!(
    "mois",
    Integers,
    "les mois concernés, de 1 à 12, si ce n’est pas toute la période"
)
.at_times();

/// A source that a year of pays cites.
pub const REFERENCE_OF_MONTHS: [Member; 11] = {
    let [
        id,
        title,
        article,
        publisher,
        published,
        date,
        identifier,
        url,
        nature,
        remarks,
    ] = REFERENCE;
    [
        id, title, article, publisher, published, date, identifier, url, nature, remarks, OF_MONTHS,
    ]
};

/// The remark of a year of pays on a figure of a source.
pub const REMARK_OF_MONTHS: [Member; 4] = {
    let [figure, confidence, note] = REMARK;
    [figure, confidence, note, OF_MONTHS]
};

/// The members of the answer of a year of pays. Those of `mois` and `total` depend on the method.
pub const YEAR: [Member; 8] = [
    member!("annee", Integer, "Année de la paie."),
    member!(
        "mois",
        Any,
        "Un objet par mois : ce que répondrait le mois, avec son rang et le barème appliqué."
    ),
    member!("total", Map, "Sommes des montants de tous les mois."),
    member!(
        "references",
        Objects(&REFERENCE_OF_MONTHS),
        "Textes et pages officielles du calcul ; `mois` nomme ceux où un texte a servi, si ce \
         n’est pas tous."
    ),
    member!(
        "reserves",
        Objects(&REMARK_OF_MONTHS),
        "Réserves sur les chiffres utilisés qu’aucune référence ne fonde."
    )
    .at_times(),
    VERSION_OF_LAW,
    member!(
        "citation",
        Text,
        "Une ligne à copier dans un rapport : barème, année, version."
    ),
    WARNINGS,
];
