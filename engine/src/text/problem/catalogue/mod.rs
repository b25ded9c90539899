//! The catalogue of mistakes. Codes are stable; each file holds the codes of the letters that it
//! names.
//!
//! One enum cannot be declared in several files: each file is a macro that adds its entries to
//! those passed to it and calls the next, and `problems` gets them all. An entry is written beside
//! those that it resembles, so that the codes of a letter are not in order.

#[macro_use]
mod answer;
#[macro_use]
mod calls;
#[macro_use]
mod cases;
#[macro_use]
mod figures;
#[macro_use]
mod files;
#[macro_use]
mod formulas;
#[macro_use]
mod groups;
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
#[macro_use]
mod year;

use serde::Serialize;

use crate::say;
use crate::text::problem::MessageCode;
use crate::text::{Lang, Text, pluralized};

/// Declares the mistakes. Fields after a `;` are texts of both languages; `[near]` marks the
/// mistakes that may carry a "did you mean", which is then the cure.
macro_rules! problems {
    ([] $(
        $name:ident { $($field:ident: $ty:ty),* $(; $($text:ident),+)? }
        $([$near:ident])? $code:literal
        fr $fr_cause:literal $fr_cure:literal
        en $en_cause:literal $en_cure:literal
    )*) => {
        /// A mistake in a rule file, as data: the fields that its cause and its cure name.
        ///
        /// Each variant is documented by the English text of its cause, with the fields in braces.
        /// More are added with each version of the language.
        ///
        /// ```
        /// use bareme_engine::{FileSet, Lang, Loader};
        /// use bareme_engine::text::Problem;
        ///
        /// let method = "format: bareme/1\nformat: bareme/1\n";
        /// let files = FileSet::from_texts([("zz/method.yaml", method)]);
        /// let report = Loader::new().load_files(&files).report;
        ///
        /// let is_twice = |problem: &Problem| {
        ///     matches!(problem, Problem::DuplicateKey { key, .. } if key == "format")
        /// };
        /// assert!(report.errors().any(|error| is_twice(error.problem())));
        /// ```
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        // Programs read the code beside the fields: the name of the variant is not repeated.
        #[serde(untagged)]
        #[non_exhaustive]
        pub enum Problem {
            $(
                #[doc = concat!("`", $code, "` ", $en_cause)]
                $name {
                    $(
                        #[doc = concat!("`", stringify!($field), "` of the message.")]
                        $field: $ty,
                    )*
                    $($(
                        #[doc = concat!("`", stringify!($text), "` of the message.")]
                        $text: Text<String>,
                    )+)?
                }
            ),*
        }

        /// The texts of every mistake, before their fields are filled in.
        pub(super) const CATALOGUE: &[MessageCode] = &[$(MessageCode {
            code: $code,
            cause: Text::new($fr_cause, $en_cause),
            cure: Text::new($fr_cure, $en_cure),
            #[cfg(test)]
            fields: &[$(stringify!($field),)* $($(stringify!($text),)+)?],
            // The first element: the name where there is one, else the empty text.
            #[cfg(test)]
            near: [$(stringify!($near),)? ""][0],
        }),*];

        impl Problem {
            /// Stable code of the kind of mistake.
            pub fn code(&self) -> &'static str {
                match self { $(Self::$name { .. } => $code),* }
            }

            /// The cause of the mistake, in a language.
            #[allow(
                unused_variables,
                reason = "a field is named by the cause or by the cure, as a test holds"
            )]
            pub fn cause(&self, lang: Lang) -> String {
                match self {
                    $(Self::$name { $($field,)* $($($text),+)? } => {
                        $($(let $text = $text.in_lang(lang);)+)?
                        pluralized(&say!(lang, $fr_cause, $en_cause), lang)
                    })*
                }
            }

            /// The cure: how to fix the mistake, in a language.
            #[allow(
                unused_variables,
                reason = "a field is named by the cause or by the cure, as a test holds"
            )]
            pub fn cure(&self, lang: Lang) -> String {
                // A near word is most probably the one that was meant: the list of all words that
                // the cure would give is left out.
                if let Some(near) = self.near() {
                    return say!(lang, "vouliez-vous dire `{near}` ?", "did you mean `{near}`?");
                }

                match self {
                    $(Self::$name { $($field,)* $($($text),+)? } => {
                        $($(let $text = $text.in_lang(lang);)+)?
                        pluralized(&say!(lang, $fr_cure, $en_cure), lang)
                    })*
                }
            }

            /// The proposed correction: the known word for a misspelt one.
            pub fn near(&self) -> Option<&str> {
                match self {
                    $($(Self::$name { $near, .. } => $near.as_deref(),)?)*
                    _ => None,
                }
            }
        }
    };
}

yaml! { [formulas inputs groups figures steps calls answer files cases service year warnings problems] }
