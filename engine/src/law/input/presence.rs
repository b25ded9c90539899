//! Whether and how an input may be left out.

use rust_decimal::Decimal;

use crate::law::formula::{Env, ExpectedType, Expr, WithReads};
use crate::law::types::Type;
use crate::text::number::{BadLiteral, parse_amount, parse_rate};
use crate::text::problem::suggestion;
use crate::text::words::is_name;
use crate::text::{Node, PlacedText, Problem, Report, normalize};

use super::Input;

/// Whether and how an input may be left out.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["ir"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("ir").ok_or("no such folder")?;
/// use bareme_engine::law::{Expr, Presence};
///
/// let inputs = folder.inputs();
/// let parts = inputs.into_iter().find(|input| input.name == "parts").ok_or("no such input")?;
/// let Presence::Default(Expr::Number(value), _) = parts.presence else {
///     return Err("no default".into());
/// };
/// assert_eq!(value, 1.into());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub enum Presence {
    /// A query without it is refused.
    Required,
    /// Each item of its group has a value of it: a query that sends no item leaves it out.
    OfEachItem,
    /// It is optional: formulas ask `given` whether it was sent.
    Optional,
    /// By default it has this value, which may depend on the inputs above it; the text is that of
    /// the file.
    Default(Expr, String),
}

/// Reads the presence of an input (required, optional, or with a default); the symbols are the
/// inputs above it, and the figures.
pub(crate) fn read_presence(
    input: &Input,
    name: &PlacedText,
    node: &Node,
    env: Env,
    report: &mut Report,
) -> WithReads<Presence> {
    let default = node.text_of("default");
    let flags = ["required", "optional"].map(|key| node.text_of(key));
    let [required, optional] = flags.map(|flag| flag.is_some_and(|text| text.value == "true"));

    // The schema reports a flag that is neither true nor false.
    let is_misspelt =
        |key: &&str| node.misspells(key, &["required", "optional", "default", "label", "type"]);
    let is_unreadable = || {
        flags
            .iter()
            .flatten()
            .any(|text| !matches!(text.value.as_str(), "true" | "false"))
            || ["required", "optional", "default"].iter().any(is_misspelt)
    };

    // Exactly one of the three: a caller must know what a query without the input means.
    let presence = match (required, optional, default) {
        (true, false, None) => Presence::Required,
        (false, true, None) => Presence::Optional,
        (false, false, Some(text)) => {
            return default_value(input, text, env, report)
                .map(|value| Presence::Default(value, text.value.clone()));
        }
        _ => {
            if !is_unreadable() {
                report.error(
                    &name.place,
                    Problem::PresenceUnclear {
                        name: name.value.clone(),
                    },
                );
            }
            Presence::Required
        }
    };
    WithReads::of_nothing(presence)
}

/// Reads a default: a literal of the input's type, or a formula of the inputs above and of figures.
fn default_value(
    input: &Input,
    text: &PlacedText,
    env: Env,
    report: &mut Report,
) -> WithReads<Expr> {
    // The mistake of the type, or that a date has a default, was reported: any value does.
    if matches!(input.ty, Type::Unknown | Type::Date) {
        return WithReads::of_nothing(Expr::Number(Decimal::ZERO));
    }

    // A literal is checked as what a caller sends would be.
    let literal = match input.ty {
        Type::Rate => parse_rate(&text.value).ok(),
        Type::Money(_) | Type::Number => parse_amount(&text.value).ok(),
        _ => None,
    };
    if let Some(value) = literal {
        if input.accepts(value).is_err() {
            report.error(&text.place, input.out_of_bounds(&text.value));
        }
        return WithReads::of_nothing(Expr::Number(value));
    }

    if let Some(problem) = misspelt(input, text, env) {
        report.error(&text.place, problem);
        return WithReads::of_nothing(Expr::Number(Decimal::ZERO));
    }

    // A default may name the words of its own choice.
    let env = Env {
        added_input: Some(input),
        ..env
    };
    let typed = env.check(text, ExpectedType::exactly(input.ty), &[], report);
    typed.map(|typed| typed.expr)
}

/// The problem of a default that looks like a misspelt literal of the input's type.
fn misspelt(input: &Input, text: &PlacedText, env: Env) -> Option<Problem> {
    let value = text.value.as_str();
    // The name of an input is a formula, however much it looks like a word.
    if env.input(value).is_some() {
        return None;
    }

    // Text that is a formula is left to the checker, which says more of it.
    match input.ty {
        Type::Rate if parse_rate(value) == Err(BadLiteral::NoPercent) => {
            Some(Problem::literal(BadLiteral::NoPercent, value, Type::Rate))
        }
        Type::Boolean if !matches!(value, "true" | "false") => {
            suggestion(value, ["true", "false"]).map(|_| Problem::not_a_boolean(value))
        }
        Type::Choice(_) if input.word(value).is_none() => {
            let plain = normalize(value);
            let near = input
                .word(&plain)
                .and_then(|index| input.word_at(index))
                .map(str::to_owned);
            // A word alone can only be one of the choice: no formula of one name gives it.
            let is_word = near.is_some() || is_name(&plain) && !value.contains(' ');
            let (word, name) = (value.to_owned(), input.name.clone());
            is_word.then(|| Problem::UnknownWord {
                word,
                name,
                words: input.expected(),
                near,
            })
        }
        _ => None,
    }
}
