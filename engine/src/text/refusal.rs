//! Refused queries: every bad parameter at once, in French and in English.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};

use crate::say;
use crate::text::lang::Text;

pub(crate) use super::reason::{Reason, of_the_method};

/// A calculation that was refused because of its parameters.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
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
    /// Every bad parameter: unknown names first, then the others in the order of the inputs of the
    /// method.
    pub parameters: Vec<BadParameter>,
}

/// A parameter that cannot be used.
///
/// ```
/// use bareme_engine::text::{BadParameter, ParameterCode};
///
/// let reason = ("Valeur trop grande.", "Value too great.");
/// let accepted = ("au plus 20", "20 at most");
/// let bad = BadParameter::new("parts", ParameterCode::Bounds, reason, Some("99"), accepted);
/// assert_eq!(bad.to_string(), "parts : Valeur trop grande (reçu : 99)");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BadParameter {
    /// Its name as it was sent, shortened by [`excerpt`].
    pub name: String,
    /// Stable code of the kind of mistake.
    pub code: ParameterCode,
    /// The reason, a sentence; the rules of a method give theirs in French only.
    pub reason: Text<String>,
    /// The value received, shortened by [`excerpt`]; `None` for a missing parameter.
    pub received: Option<String>,
    /// The accepted values.
    pub expected: Text<String>,
    /// The month concerned, 1 to 12, in a year of pays; `None` for the whole year, or in a
    /// calculation of one month.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub month: Option<i8>,
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
    Unknown "inconnu" "paramètre qui n’existe pas";
    Format "format" "valeur mal écrite";
    Digits "trop_de_chiffres" "trop de chiffres ou de décimales";
    Bounds "hors_bornes" "nombre hors des bornes ou du pas";
    UnknownValue "valeur_inconnue" "valeur qui n’est pas dans la liste";
    Incompatible "incompatible" "valeur exclue par une autre ou par une règle du calcul";
    NoScale "sans_bareme" "aucun barème en vigueur à cette date";
    NotComputable "non_calculable" "calcul impossible avec ces valeurs";
    Encoding "codage" "octets qui ne sont pas un texte UTF-8 codé";
    Length "longueur" "liste qui n’a pas une valeur par mois ou par élément, ou qui en a trop";
    TooMany "trop_de_parametres"
        "plus de paramètres, ou de noms dans une liste, que n’en accepte une requête";
}

/// Serialized as its text.
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

/// Greatest length of the part of a received text that is sent back, in characters. The text itself
/// may be as long as a request.
const MAX_EXCERPT: usize = 64;

/// Shortens a received text so that it can be sent back: a longer one ends with `…`.
///
/// ```
/// assert_eq!(bareme_engine::text::excerpt("court"), "court");
/// assert_eq!(bareme_engine::text::excerpt(&"9".repeat(200)).chars().count(), 65);
/// ```
pub fn excerpt(received: &str) -> Cow<'_, str> {
    match received.char_indices().nth(MAX_EXCERPT) {
        Some((end, _)) => Cow::Owned(format!("{}…", received.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(received),
    }
}

impl BadParameter {
    /// Whether a scale has no row for its value.
    pub(crate) fn has_no_row(&self) -> bool {
        let reason = Reason::NoRow {
            input: self.name.clone(),
        };
        self.reason.fr == reason.sentence().fr
    }

    /// A parameter that cannot be used. The name and the value received may be of any length;
    /// `reason` is a sentence, `expected` lists what is accepted, both in French and in English.
    pub fn new(
        name: &str,
        code: ParameterCode,
        reason: impl Into<Text<String>>,
        received: Option<&str>,
        expected: impl Into<Text<String>>,
    ) -> Self {
        // Shortened once, here: whatever shows the parameter then shows a bounded text.
        Self {
            name: excerpt(name).into_owned(),
            code,
            reason: reason.into(),
            received: received.map(|text| excerpt(text).into_owned()),
            expected: expected.into(),
            month: None,
        }
    }

    /// A parameter that does not exist; `near` is the one that may have been meant.
    pub fn unknown(
        name: &str,
        near: Option<&str>,
        received: Option<&str>,
        expected: impl Into<Text<String>>,
    ) -> Self {
        Self::because(
            name,
            Reason::Unknown {
                near: Text::suggestion(near),
            },
            received,
            expected,
        )
    }

    /// A parameter that is given several times.
    pub fn repeated(name: &str, received: Option<&str>, expected: impl Into<Text<String>>) -> Self {
        Self::because(name, Reason::Repeated, received, expected)
    }

    /// The same, of a month of a year of pays.
    pub(crate) fn in_month(self, month: i8) -> Self {
        Self {
            month: Some(month),
            ..self
        }
    }

    /// The same, of the items of a group of these ranks, the first of which has the reason.
    pub(crate) fn of_items(self, ranks: &[String]) -> Self {
        let (ranks, reason) = (ranks.join(", "), self.reason);
        Self {
            reason: say!("Valeur de rang {ranks} : {reason}", "Value {ranks}: {reason}"; reason),
            ..self
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

/// `brut : Valeur trop grande (reçu : 1e99)`, or `brut, mois 3 : …`
impl fmt::Display for BadParameter {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.name)?;
        if let Some(month) = self.month {
            write!(formatter, ", mois {month}")?;
        }
        write!(formatter, " : {}", self.reason.fr.trim_end_matches('.'))?;
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

impl Refusal {
    /// A refusal of one parameter.
    pub(crate) fn of_parameter(parameter: BadParameter) -> Self {
        Self {
            parameters: vec![parameter],
        }
    }

    /// The part of the refusal of a year of pays that is about a month; mistakes of the whole year
    /// are reported with its first one. `None` where there is none.
    pub fn of_month(&self, month: Option<i8>, is_first: bool) -> Option<Self> {
        let is_its_own = |bad: &&BadParameter| bad.month.map_or(is_first, |own| Some(own) == month);
        let parameters: Vec<_> = self.parameters.iter().filter(is_its_own).cloned().collect();
        (!parameters.is_empty()).then_some(Self { parameters })
    }
}

/// The numbers in French, separated by commas.
pub(crate) fn list_of_numbers(values: impl IntoIterator<Item = rust_decimal::Decimal>) -> String {
    values
        .into_iter()
        .map(|value| Text::from(value).fr)
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_an_error_that_names_every_bad_parameter() {
        let bad = |name: &str, received| {
            BadParameter::new(
                name,
                ParameterCode::Format,
                Text::same("Date attendue."),
                received,
                Text::same(""),
            )
        };
        let refusal = Refusal {
            parameters: vec![bad("date", Some("hier")), bad("annee", None)],
        };
        let error: Box<dyn std::error::Error> = refusal.into();
        assert_eq!(
            error.to_string(),
            "date : Date attendue (reçu : hier) ; annee : Date attendue"
        );
    }

    #[test]
    fn a_long_text_is_cut_between_characters_and_says_so() {
        let long = "é".repeat(MAX_EXCERPT + 1);
        assert_eq!(excerpt(&long), format!("{}…", "é".repeat(MAX_EXCERPT)));
        assert_eq!(excerpt(&"é".repeat(MAX_EXCERPT)), "é".repeat(MAX_EXCERPT));
        let bad = BadParameter::new(
            &long,
            ParameterCode::Unknown,
            Text::same("Paramètre inconnu."),
            Some(&long),
            Text::same(""),
        );
        assert_eq!(
            (
                bad.name.chars().count(),
                bad.received.unwrap().chars().count()
            ),
            (MAX_EXCERPT + 1, MAX_EXCERPT + 1)
        );
    }

    #[test]
    fn the_texts_of_codes_differ() {
        let texts: std::collections::BTreeSet<_> = ParameterCode::ALL
            .iter()
            .map(|code| code.as_str())
            .collect();
        assert_eq!(texts.len(), ParameterCode::ALL.len());
    }
}
