//! Checks of a method: conditions under which a query is refused, or answered with a warning.

use std::collections::HashMap;
use std::sync::Arc;

use crate::law::formula::{Env, ExpectedType, Expr, Narrowing, WithReads, narrowings};
use crate::law::index::InputId;
use crate::law::warning::WarningCode;
use crate::text::{Node, Place, PlacedText, Problem, Report};

use super::CheckSentence;

/// The keys of a check.
const KEYS: [&str; 5] = ["if", "refuse", "warn", "input", "code"];

/// A check of the inputs or of the computed values.
#[derive(Debug)]
pub(crate) struct Check {
    pub condition: Expr,
    pub verdict: Verdict,
    /// Whether it reads no step: it then runs before them.
    pub early: bool,
    /// The option that it belongs to, by index; `None`: the method itself.
    pub option: Option<usize>,
}

/// What a check does where its condition holds.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// It refuses the query because of an input, with a sentence.
    Refuse {
        input: InputId,
        sentence: CheckSentence,
    },
    /// It warns, about an input or not; with the place of the code.
    Warn {
        code: Arc<str>,
        parameter: Option<Arc<str>>,
        sentence: CheckSentence,
        place: Place,
    },
}

impl Verdict {
    /// The input that it refuses; `None` for a warning.
    pub(crate) fn refuses(&self) -> Option<InputId> {
        match self {
            Self::Refuse { input, .. } => Some(*input),
            Self::Warn { .. } => None,
        }
    }

    /// The code of a warning; `None` for a refusal.
    pub(crate) fn code(&self) -> Option<&str> {
        match self {
            Self::Warn { code, .. } => Some(code),
            Self::Refuse { .. } => None,
        }
    }

    /// Its sentence.
    pub(crate) fn sentence(&self) -> &CheckSentence {
        match self {
            Self::Refuse { sentence, .. } | Self::Warn { sentence, .. } => sentence,
        }
    }
}

/// Reads a check; `None` where its condition is false on all the days that the method is read for.
pub(super) fn read_check(node: &Node, env: Env, report: &mut Report) -> WithReads<Option<Check>> {
    let Some(condition) = node.text_of("if") else {
        return WithReads::of_nothing(None);
    };
    let WithReads {
        found: typed,
        mut reads,
    } = env.check(condition, ExpectedType::BOOLEAN, &[], report);
    // One that reads no step runs first: an input is refused before anything is computed from it.
    let early = reads.steps.is_empty();

    // A condition on figures alone, which is false on all the days of the scale.
    if env.symbols.settled(&typed.expr) == Some(false) {
        return WithReads { found: None, reads };
    }

    // A zero divisor would end the calculation with an error, in place of the sentence of the
    // check.
    if let Some(divisor) = env.symbols.divisor_that_may_be_zero(&typed.expr) {
        report.warn(&condition.place, Problem::CheckMayDivideByZero { divisor });
    }
    let known = narrowings(&typed.expr, true);
    let verdict = read_verdict(node, condition, &known, env, report).recorded_in(&mut reads);

    let found = verdict.map(|verdict| Check {
        condition: typed.expr,
        verdict,
        early,
        option: env.option,
    });
    WithReads { found, reads }
}

/// Reads what a check does: it refuses an input, or warns with a code.
fn read_verdict(
    node: &Node,
    condition: &PlacedText,
    known: &[Narrowing],
    env: Env,
    report: &mut Report,
) -> WithReads<Option<Verdict>> {
    let input_name = node.text_of("input");
    let input = input_name.and_then(|name| env.symbols.named_input(name, report));
    let refuse = node.text_of("refuse");
    let warn = node.text_of("warn");
    let code = node.text_of("code");
    let is_misspelt = KEYS.iter().skip(1).any(|key| node.misspells(key, &KEYS));

    match (refuse, warn, code) {
        (Some(refuse), None, None) if node.get("input").is_some() => {
            // An input that there is not is reported: its sentence is not read.
            let Some(input) = input else {
                return WithReads::of_nothing(None);
            };
            CheckSentence::read(refuse, known, env, report)
                .map(|sentence| Some(Verdict::Refuse { input, sentence }))
        }
        (None, Some(warn), Some(code)) => {
            // A caller reads the code alone: it must not be one of those of the engine.
            if WarningCode::ALL
                .iter()
                .any(|known| known.as_str() == code.value)
            {
                report.error(
                    &code.place,
                    Problem::WarningCodeOfEngine {
                        code: code.value.clone(),
                    },
                );
            }

            let parameter = input_name
                .filter(|_| input.is_some())
                .map(|name| name.value.as_str().into());
            CheckSentence::read(warn, known, env, report).map(|sentence| {
                Some(Verdict::Warn {
                    code: code.value.as_str().into(),
                    parameter,
                    sentence,
                    place: code.place.clone(),
                })
            })
        }
        // Under a misspelt key, half of the verdict seems to be missing: the key itself is
        // reported.
        _ if is_misspelt => WithReads::of_nothing(None),
        (None, Some(warn), None) => {
            // An empty code is a mistake of its own.
            if node.get("code").is_none() {
                report.error(&warn.place, Problem::WarningWithoutCode {});
            }
            WithReads::of_nothing(None)
        }
        _ => {
            report.error(&condition.place, Problem::CheckUnclear {});
            WithReads::of_nothing(None)
        }
    }
}

/// Reports the codes that the methods of a folder give to several sentences: a caller who
/// reads one must know what it means.
pub(crate) fn check_codes<'c>(checks: impl Iterator<Item = &'c Check>, report: &mut Report) {
    // The first sentence of a code is the one that the others are compared with.
    let mut known: HashMap<&str, &str> = HashMap::new();
    for check in checks {
        let Verdict::Warn {
            code,
            sentence,
            place,
            ..
        } = &check.verdict
        else {
            continue;
        };

        let sentence = sentence.written.as_str();
        let first = known.entry(code).or_insert(sentence);
        if *first != sentence {
            let code = code.to_string();
            let other = (*first).to_owned();
            report.error(place, Problem::WarningCodeTaken { code, other });
        }
    }
}
