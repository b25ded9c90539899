//! Warnings: what a caller must know of an answer that is given all the same. Rule files declare
//! theirs, each with its code; those that the engine gives by itself are one table.

use std::sync::Arc;

use crate::law::members::{WARNING, visit_members};
use crate::text::json::Key;
use crate::text::{Datum, Object, Text};

/// A warning of a calculation: a code for programs, a sentence for people.
///
/// ```
/// use bareme_engine::law::{Warning, WarningCode};
/// use bareme_engine::text::Text;
///
/// let warning = Warning::new(WarningCode::Draft, Text::new("Un brouillon.", "A draft."));
/// assert_eq!((&*warning.code, warning.parameter), ("bareme_brouillon", None));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// Its code, which does not change: that of a check of the rules, or of a [`WarningCode`].
    pub code: Arc<str>,
    /// Its sentence; a method words its own in French only.
    pub text: Text<String>,
    /// The parameter that it is about, where it is about a single one.
    pub parameter: Option<Arc<str>>,
}

impl Warning {
    /// A warning of the engine itself.
    pub fn new(code: WarningCode, text: impl Into<Text<String>>) -> Self {
        Self {
            code: code.as_str().into(),
            text: text.into(),
            parameter: None,
        }
    }

    /// The same warning, about a parameter.
    #[must_use]
    pub fn about(self, parameter: &str) -> Self {
        Self {
            parameter: Some(parameter.into()),
            ..self
        }
    }
}

impl Warning {
    /// What distinguishes it from others: several calculations of another folder may give the
    /// same warning about different parameters.
    pub(crate) fn key(&self) -> (&str, &str) {
        (&self.code, &self.text.fr)
    }
}

/// JSON of a warning; that of a year of pays adds its months.
impl Object for Warning {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        let values = [
            Some(Datum::Text(&self.code)),
            Some(Datum::Text(&self.text.fr)),
            self.parameter.as_deref().map(Datum::Text),
            None,
        ];
        visit_members(&WARNING, values, visit);
    }
}

/// Declares the codes: each with its text, and its meaning in French and in English.
macro_rules! codes {
    ($($name:ident $code:literal fr $fr:literal en $en:literal;)*) => {
        /// A warning that the engine gives by itself, in any folder. The texts of the codes are
        /// stable: callers compare them, and no rule file may use them.
        ///
        /// ```
        /// use bareme_engine::law::WarningCode;
        ///
        /// assert_eq!(WarningCode::NoEffect.as_str(), "parametre_sans_effet");
        /// assert!(WarningCode::ALL.iter().all(|code| !code.meaning().fr.is_empty()));
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum WarningCode { $(#[doc = $en] $name),* }

        impl WarningCode {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Its text, `parametre_sans_effet`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code),* }
            }

            /// Its meaning, a sentence.
            pub fn meaning(self) -> Text {
                match self { $(Self::$name => Text::new($fr, $en)),* }
            }
        }
    };
}

codes! {
    NoEffect "parametre_sans_effet"
        fr "Un paramètre accepté par tous les calculs de la famille n’a pas d’effet sur celui-ci."
        en "A parameter that every calculation of the family accepts has no effect on this one.";
    Unchecked "bareme_non_verifie"
        fr "Le jour demandé vient après le dernier pour lequel le barème est vérifié : le dernier \
            barème connu est appliqué."
        en "The day asked is after the last one that the scale is checked for: the last scale \
            known is applied.";
    Draft "bareme_brouillon"
        fr "Le barème appliqué est un brouillon, qui n’est pas en vigueur."
        en "The scale applied is a draft, which is not in force.";
    Inexact "montant_inexact"
        fr "Aucun montant ne donne exactement le résultat demandé : le plus proche qui convient \
            est retenu."
        en "No amount gives exactly the result asked for: the nearest that fits is taken.";
    SeveralFit "plusieurs_montants"
        fr "Plusieurs montants donnent le résultat demandé : la phrase dit lequel est retenu."
        en "Several amounts give the result asked for: the sentence says which is taken.";
    FallsAgain "resultat_retombe"
        fr "Au-dessus du montant trouvé, le résultat retombe sous celui qui est demandé."
        en "Above the amount found, the result falls below the one asked for again.";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::text::words::is_name;

    use super::*;

    #[test]
    fn the_texts_of_codes_are_names_and_differ() {
        let texts: BTreeSet<_> = WarningCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(texts.len(), WarningCode::ALL.len());
        assert!(texts.iter().all(|text| is_name(text)), "{texts:?}");
    }

    #[test]
    fn the_parameter_is_in_the_json_where_there_is_one() {
        let warning = Warning::new(WarningCode::Draft, Text::same("Un."));
        let json = |warning: &Warning| Datum::Object(warning).to_string();
        assert_eq!(
            json(&warning),
            r#"{"code":"bareme_brouillon","texte":"Un."}"#
        );
        let about = warning.about("mois");
        assert_eq!(
            json(&about),
            r#"{"code":"bareme_brouillon","texte":"Un.","parametre":"mois"}"#
        );
    }
}
