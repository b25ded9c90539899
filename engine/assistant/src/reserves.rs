//! Reserves on an answer: a day that the scale was not checked for, uncertain figures, warnings of
//! the method.

use bareme_engine::law::{FigureRemark, Method, Remark, Warning, WarningCode};
use bareme_engine::{Calculation, Lang};
use bareme_show::figures::{remark, title};
use serde_json::{Value, json};

use crate::answer::object;

/// A doubt about an answer, or a restriction of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reserve {
    pub nature: Nature,
    pub text: String,
    /// The warning that it repeats.
    pub warning: Option<Warning>,
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
        Self {
            nature,
            text: text.into(),
            warning: None,
        }
    }

    /// A warning of a calculation.
    pub(crate) fn of_warning(warning: &Warning, lang: Lang) -> Self {
        // The engine warns of a day after the last one checked like of anything else; here it comes
        // first.
        let is_late = *warning.code == *WarningCode::Unchecked.as_str();

        let nature = if is_late {
            Nature::Unverified
        } else {
            Nature::Warning
        };

        Self {
            warning: Some(warning.clone()),
            ..Self::new(nature, warning.text.in_lang(lang))
        }
    }

    pub(crate) fn of_figure(method: &Method, figure: &str, found: &Remark, lang: Lang) -> Self {
        let nature = if found.confidence.is_some() {
            Nature::Uncertain
        } else {
            Nature::Note
        };

        Self::new(nature, remark(&title(method, figure), found, lang))
    }

    /// The reserve as a member of an answer; that of a warning has the members of a warning.
    pub(crate) fn described(&self) -> Value {
        let warning = self.warning.as_ref();
        let code = warning.map(|warning| &*warning.code);
        let parameter = warning.and_then(|warning| warning.parameter.as_deref());

        let members = json!({
            "nature": self.nature.code(),
            "code": code,
            "texte": self.text,
            "parametre": parameter,
        });
        object(members).into()
    }
}

/// Reserves of a calculation: the unchecked day first, then the doubtful figures, then the
/// warnings.
pub(crate) fn of_calculation(calculation: &Calculation, lang: Lang) -> Vec<Reserve> {
    let method = calculation.edition().method();
    let warnings = calculation
        .warnings()
        .iter()
        .map(|warning| Reserve::of_warning(warning, lang));

    let remarks = calculation.remarks();
    let remarks = remarks.map(|FigureRemark { figure, remark, .. }| {
        Reserve::of_figure(method, figure, remark, lang)
    });

    let mut found: Vec<Reserve> = warnings.chain(remarks).collect();
    // Equal remarks of several rows of one figure are listed once.
    found.dedup();
    // The sort is stable: within one kind, doubts stay in the order of the calculation.
    found.sort_by_key(|reserve| match reserve.nature {
        Nature::Unverified | Nature::NotCovered => 0,
        Nature::Uncertain => 1,
        Nature::Warning => 2,
        Nature::Note | Nature::Shortened => 3,
    });

    found
}
