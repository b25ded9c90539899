//! Reserves on an answer: a day that the scale was not checked for, uncertain figures, warnings of the method.

use bareme_engine::law::{FigureRemark, Method, Remark};
use bareme_engine::run::unchecked;
use bareme_engine::{Calculation, Lang};
use bareme_show::figures::{remark, title};
use jiff::civil::Date;
use serde_json::{Value, json};

/// A doubt about an answer, or a restriction of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reserve {
    pub nature: Nature,
    pub text: String,
}

/// Kind of doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nature {
    /// The scale was not checked for this day: there may be a later one.
    Unverified,
    /// No scale covers a part of the query.
    NotCovered,
    /// A figure with doubtful sources.
    Uncertain,
    /// A remark on a figure, or on the scale.
    Note,
    /// A warning of the calculation.
    Warning,
    /// The answer is shortened.
    Shortened,
}

impl Nature {
    /// Its code in answers.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Unverified => "non_verifie",
            Self::NotCovered => "non_couvert",
            Self::Uncertain => "incertain",
            Self::Note => "note",
            Self::Warning => "avertissement",
            Self::Shortened => "abrege",
        }
    }
}

impl Reserve {
    pub(crate) fn new(nature: Nature, text: impl Into<String>) -> Self {
        Self { nature, text: text.into() }
    }

    pub(crate) fn of_figure(method: &Method, figure: &str, found: &Remark, lang: Lang) -> Self {
        let nature = if found.confidence.is_some() { Nature::Uncertain } else { Nature::Note };
        Self::new(nature, remark(&title(method, figure), found, lang))
    }

    /// The reserve as a member of an answer.
    pub(crate) fn described(&self) -> Value {
        json!({"nature": self.nature.code(), "texte": self.text})
    }
}

/// Reserves of a calculation on a day: the unchecked day first, then the doubtful figures, then the warnings.
pub(crate) fn of_calculation(calculation: &Calculation, day: Date, lang: Lang) -> Vec<Reserve> {
    let (method, scale) = (calculation.edition().method(), calculation.edition().scale());
    let late = scale.filter(|scale| day > scale.known_until).map(|scale| unchecked(scale.known_until, day));
    let warnings = calculation.warnings().iter().map(|warning| {
        let nature = if Some(warning) == late.as_ref() { Nature::Unverified } else { Nature::Warning };
        Reserve::new(nature, warning.in_lang(lang))
    });
    let references = calculation.references().iter().flat_map(|reference| &reference.remarks);
    let remarks = references.chain(calculation.unsourced());
    let remarks = remarks.map(|FigureRemark { figure, remark, .. }| Reserve::of_figure(method, figure, remark, lang));
    let mut found: Vec<Reserve> = warnings.chain(remarks).collect();
    found.dedup();
    found.sort_by_key(|reserve| match reserve.nature {
        Nature::Unverified | Nature::NotCovered => 0,
        Nature::Uncertain => 1,
        Nature::Warning => 2,
        Nature::Note | Nature::Shortened => 3,
    });
    found
}
