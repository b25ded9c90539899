//! What is told to a caller whose parameters cannot be used: every bad one at once, in French.

use crate::number::number_french;

/// A calculation that was refused because of its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Every bad parameter, in the order of the method's inputs; never empty.
    pub parameters: Vec<BadParameter>,
}

/// A parameter that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadParameter {
    /// Its name.
    pub name: String,
    /// Stable code of the kind of mistake.
    pub code: &'static str,
    /// What is wrong, a French sentence.
    pub reason: String,
    /// What was received, shortened.
    pub received: Option<String>,
    /// What is accepted, in French.
    pub expected: String,
}

/// Longest received value that is echoed.
const ECHO: usize = 64;

impl BadParameter {
    pub(crate) fn new(name: &str, reason: Reason, received: Option<&str>, expected: String) -> Self {
        let received = received.map(|text| {
            let short: String = text.chars().take(ECHO).collect();
            if short.len() < text.len() { short + "…" } else { short }
        });
        Self { name: name.to_owned(), code: reason.code(), reason: reason.sentence(), received, expected }
    }
}

/// Why a parameter cannot be used.
#[derive(Debug, Clone)]
pub(crate) enum Reason {
    Missing,
    Repeated,
    Unknown {
        near: Option<String>,
    },
    NotNumber,
    Comma,
    TooManyDigits,
    TooManyDecimals,
    NotWhole,
    NotMultiple,
    TooLow,
    TooHigh,
    NotBoolean,
    NotListed {
        near: Option<String>,
    },
    NotDate,
    DateAndYear,
    /// Sent with the input that it stands for.
    InsteadOf {
        input: String,
    },
    BeforeFirstScale,
    NoScale,
    /// A rule of the method: the sentence is the analyst's.
    Rule(String),
    NoRow {
        input: String,
    },
    NotComputable {
        step: String,
    },
}

impl Reason {
    fn code(&self) -> &'static str {
        match self {
            Self::Missing => "manquant",
            Self::Repeated => "repete",
            Self::Unknown { .. } => "inconnu",
            Self::NotNumber | Self::Comma | Self::NotWhole | Self::NotBoolean | Self::NotDate => "format",
            Self::TooManyDigits | Self::TooManyDecimals => "trop_de_chiffres",
            Self::NotMultiple | Self::TooLow | Self::TooHigh => "hors_bornes",
            Self::NotListed { .. } | Self::NoRow { .. } => "valeur_inconnue",
            Self::DateAndYear | Self::InsteadOf { .. } | Self::Rule(_) => "incompatible",
            Self::BeforeFirstScale | Self::NoScale => "sans_bareme",
            Self::NotComputable { .. } => "non_calculable",
        }
    }

    fn sentence(self) -> String {
        let near = |text: &str, near: Option<String>| match near {
            Some(near) => format!("{text} ; vouliez-vous dire `{near}` ?"),
            None => format!("{text}."),
        };
        match self {
            Self::Missing => "Paramètre obligatoire manquant.".to_owned(),
            Self::Repeated => "Paramètre donné plusieurs fois.".to_owned(),
            Self::Unknown { near: name } => near("Paramètre inconnu", name),
            Self::NotNumber => {
                "Nombre attendu, en notation décimale simple : des chiffres, un point au besoin, ni exposant ni espace."
                    .to_owned()
            }
            Self::Comma => "La virgule n'est pas acceptée : écrire les décimales après un point.".to_owned(),
            Self::TooManyDigits => "Trop de chiffres.".to_owned(),
            Self::TooManyDecimals => "Trop de décimales.".to_owned(),
            Self::NotWhole => "Nombre entier attendu.".to_owned(),
            Self::NotMultiple => "Valeur hors du pas accepté.".to_owned(),
            Self::TooLow => "Valeur trop petite.".to_owned(),
            Self::TooHigh => "Valeur trop grande.".to_owned(),
            Self::NotBoolean => "Réponse par oui ou non attendue.".to_owned(),
            Self::NotListed { near: word } => near("Valeur inconnue", word),
            Self::NotDate => "Date attendue, sous la forme AAAA-MM-JJ.".to_owned(),
            Self::DateAndYear => "`date` et `annee` ne se donnent pas ensemble.".to_owned(),
            Self::InsteadOf { input } => format!("Se donne à la place de `{input}`, pas avec lui."),
            Self::BeforeFirstScale => "Aucun barème connu à cette date : elle précède le premier.".to_owned(),
            Self::NoScale => "Aucun barème en vigueur à cette date.".to_owned(),
            Self::Rule(sentence) => sentence,
            Self::NoRow { input } => format!("Le barème n'a pas de ligne pour cette valeur de `{input}`."),
            Self::NotComputable { step } => format!("Calcul impossible avec ces valeurs (étape `{step}`)."),
        }
    }
}

impl Refusal {
    /// A refusal of one parameter.
    pub(crate) fn of(parameter: BadParameter) -> Self {
        Self { parameters: vec![parameter] }
    }
}

/// The end of the French text of a bound.
pub(crate) fn list_of_numbers(values: impl IntoIterator<Item = rust_decimal::Decimal>) -> String {
    values.into_iter().map(number_french).collect::<Vec<_>>().join(", ")
}
