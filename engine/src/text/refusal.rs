//! Refused queries: every bad parameter at once, in French and in English.

use std::borrow::Cow;
use std::fmt;

use jiff::civil::Date;
use serde::{Serialize, Serializer};

use crate::say;
use crate::text::lang::Text;

/// A calculation that was refused because of its parameters.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().about(&["tva"]).load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// let sent = [("montant".to_owned(), "cent".to_owned()), ("sense".to_owned(), "ht".to_owned())];
/// let error = folder.calculate(&sent[..].into(), jiff::civil::date(2026, 3, 31)).unwrap_err();
/// let refusal = error.refusal().ok_or("a fault of the engine")?;
/// let codes: Vec<&str> = refusal.parameters.iter().map(|bad| bad.code.as_str()).collect();
/// assert_eq!(codes, ["inconnu", "format"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// Every bad parameter: those that exist nowhere, then the others in the order of the inputs of the method.
    pub parameters: Vec<BadParameter>,
}

/// A parameter that cannot be used.
///
/// ```
/// use bareme_engine::text::{BadParameter, ParameterCode};
///
/// let (reason, accepted) = (("Valeur trop grande.", "Value too great."), ("au plus 20", "20 at most"));
/// let bad = BadParameter::new("parts", ParameterCode::Bounds, reason, Some("99"), accepted);
/// assert_eq!(bad.to_string(), "parts : Valeur trop grande (reçu : 99)");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BadParameter {
    /// Its name as it was sent, cut by [`excerpt`].
    pub name: String,
    /// Stable code of the kind of mistake.
    pub code: ParameterCode,
    /// The reason, a sentence; those of a method are its analyst's, in French.
    pub reason: Text<String>,
    /// The value received, cut by [`excerpt`]; `None` for a missing parameter.
    pub received: Option<String>,
    /// The accepted values.
    pub expected: Text<String>,
}

/// Declares the codes: each with its text and what it means, in French.
macro_rules! codes {
    ($($name:ident $code:literal $meaning:literal;)*) => {
        /// The kind of mistake of a bad parameter. Its texts are stable: callers compare them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum ParameterCode { $(#[doc = $meaning] $name),* }

        impl ParameterCode {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Its text, `hors_bornes`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code),* }
            }

            /// Its meaning, in French.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning),* }
            }
        }
    };
}

codes! {
    Missing "manquant" "paramètre obligatoire absent";
    Repeated "repete" "paramètre donné plusieurs fois";
    Unknown "inconnu" "paramètre qui n'existe pas";
    Format "format" "valeur mal écrite";
    Digits "trop_de_chiffres" "trop de chiffres ou de décimales";
    Bounds "hors_bornes" "nombre hors des bornes ou du pas";
    UnknownValue "valeur_inconnue" "valeur qui n'est pas dans la liste";
    Incompatible "incompatible" "valeur exclue par une autre ou par une règle du calcul";
    NoScale "sans_bareme" "aucun barème en vigueur à cette date";
    NotComputable "non_calculable" "calcul impossible avec ces valeurs";
    Encoding "codage" "octets qui ne sont pas un texte UTF-8 codé";
    TooMany "trop_de_parametres" "plus de paramètres que n'en accepte une requête";
}

/// Its text, as callers compare it.
impl Serialize for ParameterCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl fmt::Display for ParameterCode {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Longest part of what was received that is sent back, in characters.
const EXCERPT: usize = 64;

/// Shortens a received text so that it can be sent back: a longer one ends with `…`.
///
/// ```
/// assert_eq!(bareme_engine::text::excerpt("court"), "court");
/// assert_eq!(bareme_engine::text::excerpt(&"9".repeat(200)).chars().count(), 65);
/// ```
pub fn excerpt(received: &str) -> Cow<'_, str> {
    match received.char_indices().nth(EXCERPT) {
        Some((end, _)) => Cow::Owned(format!("{}…", received.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(received),
    }
}

impl BadParameter {
    /// A parameter that cannot be used. The name and what was received may be as long as the caller
    /// sent them; `reason` is a sentence, `expected` says what is accepted, both in French and in English.
    pub fn new(
        name: &str,
        code: ParameterCode,
        reason: impl Into<Text<String>>,
        received: Option<&str>,
        expected: impl Into<Text<String>>,
    ) -> Self {
        Self {
            name: excerpt(name).into_owned(),
            code,
            reason: reason.into(),
            received: received.map(|text| excerpt(text).into_owned()),
            expected: expected.into(),
        }
    }

    pub(crate) fn because(
        name: &str,
        reason: Reason,
        received: Option<&str>,
        expected: impl Into<Text<String>>,
    ) -> Self {
        Self::new(name, reason.code(), reason.sentence(), received, expected)
    }
}

/// `brut : Valeur trop grande (reçu : 1e99)`
impl fmt::Display for BadParameter {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{} : {}", self.name, self.reason.fr.trim_end_matches('.'))?;
        match &self.received {
            Some(received) => write!(formatter, " (reçu : {received})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for BadParameter {}

/// The bad parameters, separated by ` ; `.
impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        for (index, bad) in self.parameters.iter().enumerate() {
            if index > 0 {
                formatter.write_str(" ; ")?;
            }
            write!(formatter, "{bad}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

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
    /// A word that no folder of the family answers, and another endpoint does.
    Elsewhere {
        endpoint: String,
        by: String,
    },
    NotDate,
    DateAndYear,
    /// Sent with the input that it stands for.
    InsteadOf {
        input: String,
    },
    /// Sent with another parameter that asks for something else.
    NotWith {
        other: String,
    },
    /// Switched off, and needed by what is asked.
    SwitchedBy {
        parameter: String,
        option: String,
    },
    /// No input gives what is asked: the sentence says what the nearest one gives.
    OutOfReach(Text<String>),
    /// The search for an input was given up: how far it came.
    GivenUp(Text<String>),
    BeforeFirstScale,
    /// After the last day of a scale that the law ends, and before the next one.
    NoScale {
        until: Date,
    },
    /// An option whose figures are not known that day: the first later day on which they are, if there is one.
    OptionNotKnown {
        from: Option<Date>,
    },
    /// An input that nothing reads that day: the first later day on which something does, the last earlier one.
    InputOfOtherDays {
        from: Option<Date>,
        until: Option<Date>,
    },
    /// A field that no answer of the folder has.
    UnknownField {
        near: Option<String>,
    },
    /// A field that answers of other days have: the first of them or the last.
    FieldOfOtherDays {
        from: Option<Date>,
        until: Option<Date>,
    },
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
    fn code(&self) -> ParameterCode {
        match self {
            Self::Missing => ParameterCode::Missing,
            Self::Repeated => ParameterCode::Repeated,
            Self::Unknown { .. } => ParameterCode::Unknown,
            Self::NotNumber | Self::Comma | Self::NotWhole | Self::NotBoolean | Self::NotDate => ParameterCode::Format,
            Self::TooManyDigits | Self::TooManyDecimals => ParameterCode::Digits,
            Self::NotMultiple | Self::TooLow | Self::TooHigh | Self::OutOfReach(_) => ParameterCode::Bounds,
            Self::NotListed { .. } | Self::NoRow { .. } | Self::UnknownField { .. } | Self::Elsewhere { .. } => {
                ParameterCode::UnknownValue
            }
            Self::DateAndYear
            | Self::InsteadOf { .. }
            | Self::NotWith { .. }
            | Self::SwitchedBy { .. }
            | Self::GivenUp(_)
            | Self::Rule(_) => ParameterCode::Incompatible,
            Self::BeforeFirstScale
            | Self::NoScale { .. }
            | Self::OptionNotKnown { .. }
            | Self::InputOfOtherDays { .. }
            | Self::FieldOfOtherDays { .. } => ParameterCode::NoScale,
            Self::NotComputable { .. } => ParameterCode::NotComputable,
        }
    }

    /// The sentence that tells it.
    fn sentence(self) -> Text<String> {
        match self {
            Self::Rule(sentence) => of_the_method(sentence),
            Self::OutOfReach(sentence) | Self::GivenUp(sentence) => sentence,
            Self::Unknown { near: name } => near(Text::new("Paramètre inconnu", "Unknown parameter"), name),
            Self::NotListed { near: word } => near(Text::new("Valeur inconnue", "Unknown value"), word),
            Self::UnknownField { near: name } => near(Text::new("Champ inconnu", "Unknown field"), name),
            Self::BeforeFirstScale
            | Self::NoScale { .. }
            | Self::OptionNotKnown { .. }
            | Self::InputOfOtherDays { .. }
            | Self::FieldOfOtherDays { .. }
            | Self::NotDate
            | Self::DateAndYear => self.of_the_day(),
            Self::InsteadOf { input } => {
                say!("Se donne à la place de `{input}`, pas avec lui.", "Is given instead of `{input}`, not with it.")
            }
            Self::Elsewhere { endpoint, by } => say!(
                "Se calcule à l'adresse `/{endpoint}`, sans `{by}`.",
                "Is calculated at `/{endpoint}`, without `{by}`."
            ),
            Self::NotWith { other } => {
                say!("Ne se donne pas avec `{other}`.", "Is not given with `{other}`.")
            }
            Self::SwitchedBy { parameter, option } => {
                say!("`{parameter}` demande `{option}=true`.", "`{parameter}` needs `{option}=true`.")
            }
            Self::NoRow { input } => say!(
                "Le barème n'a pas de ligne pour cette valeur de `{input}`.",
                "The scale has no row for this value of `{input}`."
            ),
            Self::NotComputable { step } => say!(
                "Calcul impossible avec ces valeurs (étape `{step}`).",
                "These values cannot be computed (step `{step}`)."
            ),
            plain => plain.of_the_value().into(),
        }
    }

    /// The reasons that concern a value, or its presence.
    fn of_the_value(&self) -> Text {
        match self {
            Self::Missing => Text::new("Paramètre obligatoire manquant.", "A required parameter is missing."),
            Self::Repeated => Text::new("Paramètre donné plusieurs fois.", "The parameter is given several times."),
            Self::Comma => Text::new(
                "La virgule n'est pas acceptée : écrire les décimales après un point.",
                "A comma is not accepted: write decimals after a point.",
            ),
            Self::TooManyDigits => Text::new("Trop de chiffres.", "Too many digits."),
            Self::TooManyDecimals => Text::new("Trop de décimales.", "Too many decimals."),
            Self::NotWhole => Text::new("Nombre entier attendu.", "A whole number is expected."),
            Self::NotMultiple => {
                Text::new("Valeur hors du pas accepté.", "The value is not a multiple of the accepted step.")
            }
            Self::TooLow => Text::new("Valeur trop petite.", "The value is too small."),
            Self::TooHigh => Text::new("Valeur trop grande.", "The value is too large."),
            Self::NotBoolean => Text::new("Réponse par oui ou non attendue.", "Yes or no is expected."),
            _ => Text::new(
                "Nombre attendu, en notation décimale simple : des chiffres, un point au besoin, ni exposant ni espace.",
                "A number is expected, in plain decimal notation: digits, a point if needed, no exponent and no space.",
            ),
        }
    }

    /// The reasons that concern the day of the query.
    fn of_the_day(self) -> Text<String> {
        match self {
            Self::NotDate => {
                Text::new("Date attendue, sous la forme AAAA-MM-JJ.", "A date is expected, written YYYY-MM-DD.").into()
            }
            Self::DateAndYear => {
                Text::new("`date` et `annee` ne se donnent pas ensemble.", "`date` and `annee` are not given together.")
                    .into()
            }
            Self::BeforeFirstScale => Text::new(
                "Aucun barème connu à cette date : elle précède le premier.",
                "No scale is known on this date: it is before the first one.",
            )
            .into(),
            Self::NoScale { until } => say!(
                "Aucun barème en vigueur à cette date : la loi y met fin le {until}.",
                "No scale is in force on this date: the law ends it on {until}."
            ),
            Self::OptionNotKnown { from: Some(day) } => say!(
                "À cette date cette partie du calcul n'est pas connue : elle l'est à partir du {day}.",
                "On this date this part of the calculation is not known: it is from {day} on."
            ),
            Self::OptionNotKnown { from: None } => Text::new(
                "À cette date cette partie du calcul n'est pas connue.",
                "On this date this part of the calculation is not known.",
            )
            .into(),
            Self::InputOfOtherDays { from: Some(day), .. } => say!(
                "À cette date ce paramètre n'existe pas : il est accepté à partir du {day}.",
                "On this date this parameter does not exist: it is accepted from {day} on."
            ),
            Self::InputOfOtherDays { until: Some(day), .. } => say!(
                "À cette date ce paramètre n'existe plus : il est accepté jusqu'au {day}.",
                "On this date this parameter no longer exists: it is accepted until {day}."
            ),
            Self::InputOfOtherDays { .. } => {
                Text::new("À cette date ce paramètre n'existe pas.", "On this date this parameter does not exist.")
                    .into()
            }
            Self::FieldOfOtherDays { from: Some(day), .. } => say!(
                "À cette date la réponse n'a pas ce champ : elle l'a à partir du {day}.",
                "On this date the answer has no such field: it has from {day} on."
            ),
            Self::FieldOfOtherDays { until: Some(day), .. } => say!(
                "À cette date la réponse n'a plus ce champ : elle l'a jusqu'au {day}.",
                "On this date the answer has no such field any more: it has until {day}."
            ),
            Self::FieldOfOtherDays { .. } => {
                Text::new("À cette date la réponse n'a pas ce champ.", "On this date the answer has no such field.")
                    .into()
            }
            _ => Text::new("Aucun barème en vigueur à cette date.", "No scale is in force on this date.").into(),
        }
    }
}

/// A sentence of a method, which its analyst wrote in French: in English it is quoted.
pub(crate) fn of_the_method(sentence: impl Into<String>) -> Text<String> {
    let fr = sentence.into();
    let en = format!("The rules say, in French: \"{}\"", fr.trim_end_matches('.'));
    Text { fr, en }
}

/// A sentence, with the word that may have been meant.
fn near(unknown: Text, near: Option<String>) -> Text<String> {
    match near {
        Some(near) => {
            say!("{unknown} ; vouliez-vous dire `{near}` ?", "{unknown}; did you mean `{near}`?"; unknown)
        }
        None => say!("{unknown}.", "{unknown}."; unknown),
    }
}

impl Refusal {
    /// A refusal of one parameter.
    pub(crate) fn of_parameter(parameter: BadParameter) -> Self {
        Self { parameters: vec![parameter] }
    }
}

/// The end of the French text of a bound.
pub(crate) fn list_of_numbers(values: impl IntoIterator<Item = rust_decimal::Decimal>) -> String {
    values.into_iter().map(|value| Text::from(value).fr).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_an_error_that_names_every_bad_parameter() {
        let bad = |name: &str, received| {
            BadParameter::new(name, ParameterCode::Format, Text::alike("Date attendue."), received, Text::alike(""))
        };
        let refusal = Refusal { parameters: vec![bad("date", Some("hier")), bad("annee", None)] };
        let error: Box<dyn std::error::Error> = refusal.into();
        assert_eq!(error.to_string(), "date : Date attendue (reçu : hier) ; annee : Date attendue");
    }

    #[test]
    fn a_long_text_is_cut_between_characters_and_says_so() {
        let long = "é".repeat(EXCERPT + 1);
        assert_eq!(excerpt(&long), format!("{}…", "é".repeat(EXCERPT)));
        assert_eq!(excerpt(&"é".repeat(EXCERPT)), "é".repeat(EXCERPT));
        let bad = BadParameter::new(
            &long,
            ParameterCode::Unknown,
            Text::alike("Paramètre inconnu."),
            Some(&long),
            Text::alike(""),
        );
        assert_eq!((bad.name.chars().count(), bad.received.unwrap().chars().count()), (EXCERPT + 1, EXCERPT + 1));
    }

    #[test]
    fn the_texts_of_codes_differ() {
        let texts: std::collections::BTreeSet<_> = ParameterCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(texts.len(), ParameterCode::ALL.len());
    }
}
