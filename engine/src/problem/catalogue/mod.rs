//! The catalogue of mistakes. Codes are stable; each family of codes is a file, which says the letters that it has.
//!
//! An enum is declared in one place: each file is a macro that adds its entries to those above it and passes them to the
//! next, and `problems` gets them all.

#[macro_use]
mod answer;
#[macro_use]
mod cases;
#[macro_use]
mod figures;
#[macro_use]
mod files;
#[macro_use]
mod formulas;
#[macro_use]
mod inputs;
#[macro_use]
mod service;
#[macro_use]
mod steps;
#[macro_use]
mod warnings;
#[macro_use]
mod yaml;

use crate::diagnostic::Lang;

/// A mistake as the catalogue declares it: its texts, cause then cure, and the fields that they may say.
#[cfg(test)]
pub(crate) struct Entry {
    pub code: &'static str,
    pub fr: [&'static str; 2],
    pub en: [&'static str; 2],
    pub fields: &'static [&'static str],
    /// The field of the "did you mean", which the texts do not say.
    pub near: &'static str,
}

/// Declares the mistakes. `[near]` marks those that may carry a "did you mean", which is then the cure.
macro_rules! problems {
    ([] $($name:ident { $($field:ident: $ty:ty),* } $([$near:ident])? $code:literal
        fr $fr_cause:literal $fr_cure:literal
        en $en_cause:literal $en_cure:literal)*) => {
        /// A mistake in a rule file.
        #[derive(Debug, Clone)]
        pub(crate) enum Problem { $($name { $($field: $ty),* }),* }

        /// The raw texts of each.
        #[cfg(test)]
        pub(crate) const CATALOGUE: &[Entry] = &[$(Entry {
            code: $code,
            fr: [$fr_cause, $fr_cure],
            en: [$en_cause, $en_cure],
            fields: &[$(stringify!($field)),*],
            near: [$(stringify!($near),)? ""][0],
        }),*];

        impl Problem {
            /// Stable code of the kind of mistake.
            pub(crate) fn code(&self) -> &'static str {
                match self { $(Self::$name { .. } => $code),* }
            }

            /// What is wrong.
            #[allow(unused_variables, reason = "a field is said by the cause or by the cure, as a test holds")]
            pub(crate) fn cause(&self, lang: Lang) -> String {
                match (self, lang) {
                    $((Self::$name { $($field),* }, Lang::Fr) => format!($fr_cause),
                      (Self::$name { $($field),* }, Lang::En) => format!($en_cause)),*
                }
            }

            /// How to fix it.
            #[allow(unused_variables, reason = "a field is said by the cause or by the cure, as a test holds")]
            pub(crate) fn cure(&self, lang: Lang) -> String {
                if let Some(near) = self.near() {
                    return match lang {
                        Lang::Fr => format!("vouliez-vous dire `{near}` ?"),
                        Lang::En => format!("did you mean `{near}`?"),
                    };
                }
                match (self, lang) {
                    $((Self::$name { $($field),* }, Lang::Fr) => format!($fr_cure),
                      (Self::$name { $($field),* }, Lang::En) => format!($en_cure)),*
                }
            }

            fn near(&self) -> Option<&str> {
                match self {
                    $($(Self::$name { $near, .. } => $near.as_deref(),)?)*
                    _ => None,
                }
            }
        }
    };
}

yaml! { [formulas inputs figures steps answer files cases service warnings problems] }
