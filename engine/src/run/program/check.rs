//! Checks compiled with the figures of a scale, their sentences with its amounts.

use std::sync::Arc;

use crate::law::formula::{Code, CompileContext};
use crate::law::method::{AmountStyle, Check, Verdict};
use crate::law::{InputId, Warning};
use crate::text::Text;
use crate::text::refusal::of_the_method;

/// A check under a scale.
#[derive(Debug)]
pub(crate) struct CompiledCheck {
    pub condition: Code,
    /// Whether it runs before the steps.
    pub early: bool,
    /// The sentence of the check, or its warning, with the amounts of the scale.
    pub verdict: CompiledVerdict,
}

/// The verdict of a check, its sentence with the amounts of the scale.
#[derive(Debug)]
pub(crate) enum CompiledVerdict {
    /// It refuses an input.
    Refuse {
        input: InputId,
        sentence: Text<String>,
    },
    /// It warns.
    Warn(Warning),
}

/// The checks that a calculation makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MadeChecks {
    /// Every one.
    All,
    /// Those that refuse: nobody sees the warnings of a sample.
    Refusals,
}

impl MadeChecks {
    /// Whether a check is one of them.
    pub(crate) fn include(self, check: &CompiledCheck) -> bool {
        self == Self::All || check.refuses()
    }
}

impl CompiledCheck {
    /// Whether it refuses an input, rather than warn.
    pub(crate) fn refuses(&self) -> bool {
        matches!(self.verdict, CompiledVerdict::Refuse { .. })
    }

    /// Compiles a check; amounts in its sentence are written as the method says.
    pub(super) fn new(check: &Check, context: &CompileContext, style: AmountStyle) -> Self {
        Self {
            condition: Code::new(&check.condition, context),
            early: check.early,
            verdict: CompiledVerdict::new(&check.verdict, context, style),
        }
    }

    /// The warning that it gives; `None` for a refusal.
    pub(in crate::run) fn warning(&self) -> Option<&Warning> {
        match &self.verdict {
            CompiledVerdict::Warn(warning) => Some(warning),
            CompiledVerdict::Refuse { .. } => None,
        }
    }
}

impl CompiledVerdict {
    fn new(verdict: &Verdict, context: &CompileContext, style: AmountStyle) -> Self {
        let sentence = verdict.sentence().under(context, style);
        let sentence = of_the_method(sentence, style.lang);
        match verdict {
            Verdict::Refuse { input, .. } => Self::Refuse {
                input: *input,
                sentence,
            },
            Verdict::Warn {
                code, parameter, ..
            } => Self::Warn(Warning {
                code: Arc::clone(code),
                text: sentence,
                parameter: parameter.clone(),
            }),
        }
    }

    /// Its sentence, in French.
    pub(super) fn sentence(&self) -> &str {
        match self {
            Self::Refuse { sentence, .. } => &sentence.fr,
            Self::Warn(warning) => &warning.text.fr,
        }
    }
}
