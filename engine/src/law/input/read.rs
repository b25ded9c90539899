//! The reader of the inputs of a method.

use std::collections::BTreeSet;

use rust_decimal::Decimal;

use crate::law::figure::thousands;
use crate::law::unit::warn_of_units;
use crate::law::{InputId, Period, Type};
use crate::text::number::{parse_amount, parse_rate};
use crate::text::{Node, PlacedText, Problem, Report};

use super::words::{aliases, check_words, words_with_labels};
use super::{Input, Presence};

/// Default greatest amount: far above any pay or price, far below the limit of the arithmetic.
const MAX_AMOUNT: i64 = 1_000_000_000_000;

/// Key of the unit of a number, and its word for months.
pub(crate) const UNIT: &str = "unit";
pub(crate) const MONTHS: &str = "months";

/// Reads an input of a method, except its presence (`required`, `default`); `id` is its own index.
pub(crate) fn read_input(
    name: &PlacedText,
    node: &Node,
    decimals: u32,
    id: InputId,
    report: &mut Report,
) -> Input {
    let written = node.string_of("type").unwrap_or_default();

    let ty = input_type(&written, node, id);

    let mut input = Input {
        name: name.value.clone(),
        ty,
        integer: written == "integer",
        is_months: node.string_of(UNIT).is_some_and(|unit| unit == MONTHS),
        label: node.string_of("label").unwrap_or_default(),
        help: node.string_of("help"),
        presence: Presence::Required,
        min: literal(node, "min", ty, report),
        max: literal(node, "max", ty, report),
        step: literal(node, "step", ty, report),
        decimals: None,
        round: literal(node, "round", Type::Number, report),
        values: words_with_labels(node.get("values"))
            .into_iter()
            .map(|(word, label)| (word.value, label))
            .collect(),
        aliases: Vec::new(),
        words: node
            .list_of("words")
            .into_iter()
            .map(|word| word.value)
            .collect(),
        only_of_options: false,
        group: None,
        most_items: 1,
        shared: node.string_of("shared").is_some_and(|text| text == "true"),
        is_absent: false,
        default_reads: BTreeSet::new(),
        option: None,
        place: name.place.clone(),
    };

    check_keys(&input, node, report);

    if matches!(input.ty, Type::Choice(_)) && input.values.is_empty() {
        // The schema reports a value of another form.
        if node.get("values").is_none() {
            report.error(
                &input.place,
                Problem::ChoiceWithoutValues {
                    name: input.name.clone(),
                },
            );
        }
        // With an unknown type, comparisons with its missing words are not reported.
        input.ty = Type::Unknown;
    }

    check_words(node, report);
    input.aliases = aliases(&input, node, report);
    if let (Some(unit), Some(text)) = (input.round, node.text_of("round")) {
        warn_of_units(unit, text, report);
    }

    // Amounts have a limit of their own, so that no sum of them overflows.
    if let Type::Money(_) = input.ty {
        input.max = input.max.or(Some(Decimal::from(MAX_AMOUNT)));
        let own =
            literal(node, "decimals", Type::Number, report).and_then(|own| own.try_into().ok());
        // A rounding on entry takes any decimals: no limit is stated then.
        input.decimals = if input.round.is_some() {
            None
        } else {
            Some(own.unwrap_or(decimals))
        };
    }

    // `max: 35.000` would be 35, and is more often 35 000.
    if let Type::Money(_) = input.ty {
        let bounds = ["min", "max", "step"].into_iter();
        for text in bounds.filter_map(|key| node.text_of(key)) {
            if let Some(problem) = thousands(&text.value, decimals) {
                report.error(&text.place, problem);
            }
        }
    }

    check_bounds(&mut input, node, report);
    input
}

/// Reports bounds and steps that leave no value; these are then dropped, so that the default is not
/// refused too.
fn check_bounds(input: &mut Input, node: &Node, report: &mut Report) {
    let place = |key: &str| {
        node.text_of(key)
            .map_or(&input.place, |text| &text.place)
            .clone()
    };

    // The value that is dropped would refuse every default, which is not the mistake.
    let name = input.name.clone();
    if let (Some(min), Some(max)) = (input.min, input.max)
        && min > max
    {
        report.error(&place("min"), Problem::EmptyBounds { name: name.clone() });
        input.min = None;
    }

    if input.step.is_some_and(|step| step <= Decimal::ZERO) {
        report.error(&place("step"), Problem::StepNotPositive { name });
        input.step = None;
    }
}

fn input_type(written: &str, node: &Node, id: InputId) -> Type {
    match written {
        "money" => Type::Money(match node.text_of("per").map(|per| per.value.as_str()) {
            Some("month") => Period::Month,
            Some("year") => Period::Year,
            None => Period::None,
            // The schema reports an unknown period.
            Some(_) => return Type::Unknown,
        }),
        "rate" => Type::Rate,
        "number" | "integer" => Type::Number,
        "choice" => Type::Choice(id),
        "boolean" => Type::Boolean,
        "text" => Type::Text,
        "date" => Type::Date,
        _ => Type::Unknown,
    }
}

/// Reports keys that have no meaning for the type of the input.
fn check_keys(input: &Input, node: &Node, report: &mut Report) {
    let numeric = matches!(input.ty, Type::Money(_) | Type::Rate | Type::Number);
    let money = matches!(input.ty, Type::Money(_));
    let choice = matches!(input.ty, Type::Choice(_));
    // An unknown type was reported already: no key is known to be wrong.
    if input.ty == Type::Unknown {
        return;
    }

    let meaningful = [
        ("per", money, "money"),
        ("min", numeric, "money, rate, number"),
        ("max", numeric, "money, rate, number"),
        ("step", numeric, "money, rate, number"),
        ("decimals", money, "money"),
        ("round", money, "money"),
        (UNIT, input.ty == Type::Number, "number, integer"),
        ("words", input.ty == Type::Rate, "rate"),
        ("values", choice, "choice"),
        ("aliases", choice, "choice"),
        (
            "default",
            input.ty != Type::Date,
            "money, rate, number, boolean, choice",
        ),
    ];

    for (key, _) in node.entries() {
        if let Some((_, _, expected)) = meaningful
            .iter()
            .find(|(name, fits, _)| *name == key.value && !fits)
        {
            let is_of_rate = key.value == "decimals" && input.ty == Type::Rate;
            let otherwise = Problem::KeyOfOtherType {
                key: key.value.clone(),
                expected,
            };
            report.error(
                &key.place,
                if is_of_rate {
                    Problem::DecimalsOfRate {}
                } else {
                    otherwise
                },
            );
        }
    }
}

/// Parses a literal of a type; reports one that cannot be.
pub(crate) fn read_literal(text: &PlacedText, ty: Type, report: &mut Report) -> Option<Decimal> {
    let read = if ty == Type::Rate {
        parse_rate(&text.value)
    } else {
        parse_amount(&text.value)
    };

    match read {
        Ok(value) => Some(value),
        Err(problem) => {
            report.error(&text.place, Problem::literal(problem, &text.value, ty));
            None
        }
    }
}

pub(crate) fn literal(node: &Node, key: &str, ty: Type, report: &mut Report) -> Option<Decimal> {
    read_literal(node.text_of(key)?, ty, report)
}
