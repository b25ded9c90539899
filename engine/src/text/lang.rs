//! The languages of messages, manuals and explanations, and the text that exists in all of them.

use rust_decimal::Decimal;
use serde::Serialize;

use crate::say;
use crate::text::{Datum, List, number_french};

/// Language of the messages for authors of rule files.
///
/// [`Report`](crate::Report) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lang {
    /// French, the language of the rule files.
    #[default]
    Fr,
    /// English.
    En,
}

/// A text in every language: a word or sentence that never changes, or as `Text<String>` one that
/// holds values, which [`say!`](crate::say) formats.
///
/// A language is added here, and the compiler then names every text that lacks it.
///
/// ```
/// use bareme_engine::Lang;
/// use bareme_engine::text::Text;
///
/// const STEP: Text = Text::new("Étape", "Step");
/// assert_eq!(STEP.in_lang(Lang::En), "Step");
/// assert_eq!(Text::same("brut").fr, "brut");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Text<T = &'static str> {
    /// In French.
    pub fr: T,
    /// In English.
    pub en: T,
}

impl<T> Text<T> {
    fn pick(self, lang: Lang) -> T {
        match lang {
            Lang::Fr => self.fr,
            Lang::En => self.en,
        }
    }

    /// The text with the value that a function gives for each language.
    pub(crate) fn in_each(value: impl Fn(Lang) -> T) -> Self {
        Self {
            fr: value(Lang::Fr),
            en: value(Lang::En),
        }
    }
}

impl Text {
    /// A text in French, then in English.
    ///
    /// It panics if exactly one of them is empty; in a constant that is a compile error.
    pub const fn new(fr: &'static str, en: &'static str) -> Self {
        assert!(fr.is_empty() == en.is_empty(), "a text lacks a language");
        Self { fr, en }
    }

    /// The text in one language.
    pub fn in_lang(self, lang: Lang) -> &'static str {
        self.pick(lang)
    }
}

impl Text<String> {
    /// The same in both languages: names, words and numbers.
    pub fn same(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            fr: text.clone(),
            en: text,
        }
    }

    /// The text in one language.
    pub fn in_lang(&self, lang: Lang) -> &str {
        Text {
            fr: &self.fr,
            en: &self.en,
        }
        .pick(lang)
    }

    /// End of a sentence about an unknown word: a did-you-mean with the nearest known word, else a
    /// full stop.
    pub(crate) fn suggestion(near: Option<&str>) -> Self {
        near.map_or_else(
            || (".", ".").into(),
            |near| {
                say!(
                    " ; vouliez-vous dire `{near}` ?",
                    "; did you mean `{near}`?"
                )
            },
        )
    }

    /// The text followed by another.
    pub(crate) fn then(mut self, next: impl Into<Self>) -> Self {
        let next = next.into();
        self.fr.push_str(&next.fr);
        self.en.push_str(&next.en);
        self
    }
}

impl From<Text> for Text<String> {
    fn from(text: Text) -> Self {
        Self {
            fr: text.fr.to_owned(),
            en: text.en.to_owned(),
        }
    }
}

/// A number as each language writes it, on one line: `1 296 000,5` with narrow no-break spaces,
/// `1,296,000.5`.
///
/// ```
/// let number = bareme_engine::text::Text::from(rust_decimal::Decimal::from(1000));
/// assert_eq!((number.fr.as_str(), number.en.as_str()), ("1\u{202f}000", "1,000"));
/// ```
impl From<Decimal> for Text<String> {
    fn from(number: Decimal) -> Self {
        let french = number_french(number);

        // The decimal comma first: the spaces between thousands become commas next.
        Self {
            en: french.replace(',', ".").replace(' ', ","),
            fr: french.replace(' ', "\u{202f}"),
        }
    }
}

/// French, then English.
impl<F: Into<String>, E: Into<String>> From<(F, E)> for Text<String> {
    fn from((fr, en): (F, E)) -> Self {
        Self {
            fr: fr.into(),
            en: en.into(),
        }
    }
}

/// The French texts, since answers are in French.
impl List for Vec<Text<String>> {
    fn count(&self) -> usize {
        self.len()
    }

    fn item(&self, index: usize) -> Option<Datum<'_>> {
        self.get(index).map(|text| Datum::Text(&text.fr))
    }
}

/// Formats a sentence, French then English, with the captured variables: in one language, or as a
/// [`Text<String>`](crate::text::Text) of both. Variables that are themselves texts of both
/// languages are listed after a `;`.
///
/// ```
/// use bareme_engine::text::Text;
/// use bareme_engine::{Lang, say};
///
/// let count = 3;
/// assert_eq!(say!(Lang::En, "{count} étapes", "{count} steps"), "3 steps");
/// let unit = Text::new("étapes", "steps");
/// let most = say!("{count} {unit} au plus", "{count} {unit} at most"; unit);
/// assert_eq!(most.fr, "3 étapes au plus");
/// ```
#[macro_export]
macro_rules! say {
    ($fr:literal, $en:literal $(; $($text:ident),+)?) => {
        $crate::text::Text {
            fr: {
                $($(let $text = &$text.fr;)+)?
                ::std::format!($fr)
            },
            en: {
                $($(let $text = &$text.en;)+)?
                ::std::format!($en)
            },
        }
    };
    ($lang:expr, $fr:literal, $en:literal) => {
        match $lang {
            $crate::Lang::Fr => ::std::format!($fr),
            $crate::Lang::En => ::std::format!($en),
        }
    };
}
