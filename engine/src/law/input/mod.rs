//! Inputs: the parameters of a method, and the parsing of the values sent.

use std::collections::BTreeSet;

use rust_decimal::Decimal;

use crate::law::unit::warn_of_units;
use crate::law::{InputId, Period, Type, Value};
use crate::say;
use crate::text::number::{
    BadLiteral, GUARD_DECIMALS, PERCENT, compare, has_more_decimals, mul, parse_amount,
    parse_plain, parse_rate, round,
};
use crate::text::words::boolean;
use crate::text::{
    BadParameter, Node, Place, PlacedText, Problem, Reason, Report, RoundMode, Text, normalize,
    number_text,
};

mod presence;
mod words;

pub use presence::Presence;
pub(crate) use presence::read_presence;

use words::{aliases, check_words, words_with_labels};

/// Default greatest amount: far above any pay or price, far below the limit of the arithmetic.
const MAX_AMOUNT: i64 = 1_000_000_000_000;

/// An input of a method.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["tva"]).load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// let input = folder.inputs()[0];
/// assert_eq!(input.parse("12.50").map(|value| input.sent_text(&value)), Ok("12.5".to_owned()));
/// let refused = input.parse("douze").unwrap_err();
/// assert_eq!(refused.code.as_str(), "format");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Input {
    /// Name, which is also that of the query parameter.
    pub name: String,
    /// The type of its value: an amount and its period, a rate, a choice, …
    pub ty: Type,
    /// Whether only whole numbers are accepted.
    pub integer: bool,
    /// Its label, in French.
    pub label: String,
    /// A longer description, in French.
    pub help: Option<String>,
    /// Whether and how it may be left out.
    pub presence: Presence,
    /// Least value; rates as fractions, 0.07 for 7 %.
    pub min: Option<Decimal>,
    /// Greatest value; rates as fractions.
    pub max: Option<Decimal>,
    /// Step between accepted values, counted from `min`.
    pub step: Option<Decimal>,
    /// Greatest number of decimals accepted, for amounts.
    pub decimals: Option<u32>,
    /// Unit to which an amount is rounded on entry.
    pub round: Option<Decimal>,
    /// Words of a choice, each with its label.
    pub values: Vec<(String, String)>,
    /// Other spellings of the words, each with the index of the word.
    pub aliases: Vec<(String, u16)>,
    /// Words accepted instead of a number.
    pub words: Vec<String>,
    /// Whether only options read it, not the method itself.
    pub only_of_options: bool,
    /// Whether nothing reads it on the days of this scale, whose figures start later or ended
    /// before: queries that send it are refused.
    pub is_absent: bool,
    pub(crate) default_reads: BTreeSet<InputId>,
    /// Name of the option whose figures its default reads: nothing else reads the input.
    pub(crate) option: Option<String>,
    pub(crate) place: Place,
}

impl Input {
    /// Whether the caller may leave it out and it has no default.
    pub fn is_optional(&self) -> bool {
        matches!(self.presence, Presence::Optional)
    }

    /// The inputs, among those of the method, that its default reads.
    pub fn defaults_from<'i>(&'i self, inputs: &'i [Self]) -> impl Iterator<Item = &'i Self> {
        self.default_reads
            .iter()
            .filter_map(|input| input.of(inputs))
    }

    /// Index of a word of a choice.
    pub(crate) fn word(&self, word: &str) -> Option<u16> {
        let index = self.values.iter().position(|(known, _)| known == word)?;
        u16::try_from(index).ok()
    }

    /// The words that `=` may compare this input with.
    pub(crate) fn comparable_words(&self) -> impl Iterator<Item = &str> {
        self.values
            .iter()
            .map(|(word, _)| word.as_str())
            .chain(self.words.iter().map(String::as_str))
    }

    /// The word at an index, of a choice or of a rate.
    pub(crate) fn word_at(&self, index: u16) -> Option<&str> {
        self.comparable_words().nth(usize::from(index))
    }

    /// Every value it can have, where they can be listed: those of a choice, or the steps between
    /// two bounds.
    pub(crate) fn listed_values(&self) -> Option<Vec<Value>> {
        /// Greatest number of values to list: no table of the law has more rows.
        const MAX_LISTED: usize = 1000;
        match self.ty {
            Type::Choice(_) => Some(
                (0..self.values.len())
                    .filter_map(|index| Some(Value::Word(u16::try_from(index).ok()?)))
                    .collect(),
            ),
            Type::Boolean => Some(vec![Value::Boolean(false), Value::Boolean(true)]),
            Type::Number => {
                let step = if self.integer {
                    Some(self.step.unwrap_or(Decimal::ONE))
                } else {
                    self.step
                };
                let (min, max, step) = (self.min?, self.max?, step?);
                let mut values = Vec::new();
                let mut value = min;
                while value <= max {
                    values.push(Value::Number(value));
                    if values.len() == MAX_LISTED {
                        return None;
                    }
                    value = value.checked_add(step)?;
                }
                Some(values)
            }
            _ => None,
        }
    }

    /// Parses the value that the caller sent.
    ///
    /// # Errors
    /// The problem, with the received text and the accepted values.
    pub fn parse(&self, sent: &str) -> Result<Value, BadParameter> {
        let refuse = |reason: Reason| {
            let mut expected = self.accepted();
            if matches!(reason, Reason::TooManyDecimals) && self.most_decimals().is_none() {
                expected = expected.then(at_most_decimals(GUARD_DECIMALS));
            }
            BadParameter::because(&self.name, reason, Some(sent), expected)
        };
        match self.ty {
            Type::Choice(_) => self
                .parse_word(sent)
                .map(Value::Word)
                .ok_or_else(|| refuse(self.unknown_word(sent))),
            Type::Boolean => boolean(sent)
                .map(Value::Boolean)
                .ok_or_else(|| refuse(Reason::NotBoolean)),
            Type::Text => Ok(Value::Text(sent.into())),
            _ => {
                if let Some(index) = self.extra_word(sent) {
                    return Ok(Value::Word(index));
                }
                self.parse_number(sent).map(Value::Number).map_err(refuse)
            }
        }
    }

    /// Index of a word sent in place of a number.
    fn extra_word(&self, sent: &str) -> Option<u16> {
        if self.words.is_empty() {
            return None;
        }
        let spelled = normalize(sent);
        let word = self.words.iter().position(|word| *word == spelled)?;
        u16::try_from(word).ok()
    }

    fn parse_word(&self, sent: &str) -> Option<u16> {
        if let Some(word) = self.word(sent) {
            return Some(word);
        }
        let spelled = normalize(sent);
        // Signs at the ends are ignored, but `-1` is not a spelling of `1`.
        if sent.trim_start().starts_with('-')
            && spelled.starts_with(|first: char| first.is_ascii_digit())
        {
            return None;
        }
        let alias = || {
            self.aliases
                .iter()
                .find(|(alias, _)| *alias == spelled)
                .map(|(_, index)| *index)
        };
        self.word(&spelled).or_else(alias)
    }

    fn unknown_word(&self, sent: &str) -> Reason {
        let spelled = normalize(sent);
        let known = self.values.iter().map(|(word, _)| word.as_str());
        let known = known.chain(self.aliases.iter().map(|(alias, _)| alias.as_str()));
        Reason::NotListed {
            near: Text::suggestion(crate::text::words::nearest(&spelled, known)),
        }
    }

    /// Whether a caller could send this number.
    pub(crate) fn accepts(&self, value: Decimal) -> Result<(), Reason> {
        if self.integer && !value.fract().is_zero() {
            return Err(Reason::NotWhole);
        }
        self.is_within_bounds(value)?;
        if let Some(step) = self.step {
            let from = self.min.unwrap_or_default();
            let rest = value
                .checked_sub(from)
                .and_then(|above| above.checked_rem(step));
            if !rest.is_some_and(|rest| rest.is_zero()) {
                return Err(Reason::NotMultiple {
                    step: Text::from(self.as_sent(step)),
                });
            }
        }
        Ok(())
    }

    fn is_within_bounds(&self, value: Decimal) -> Result<(), Reason> {
        if self.min.is_some_and(|min| compare(value, min).is_lt()) {
            return Err(Reason::TooLow);
        }
        if self.max.is_some_and(|max| compare(value, max).is_gt()) {
            return Err(Reason::TooHigh);
        }
        Ok(())
    }

    /// Greatest number of decimals of an amount that is not rounded on entry.
    fn most_decimals(&self) -> Option<u32> {
        if self.round.is_none() {
            self.decimals
        } else {
            None
        }
    }

    fn parse_number(&self, sent: &str) -> Result<Decimal, Reason> {
        let written = parse_plain(sent).map_err(|problem| match problem {
            BadLiteral::Comma => {
                meant_number(sent).map_or(Reason::CommaInText, |meant| Reason::Comma { meant })
            }
            BadLiteral::TooLong => Reason::TooManyDigits,
            _ => Reason::NotNumber,
        })?;
        // Rounding to `GUARD_DECIMALS` decimals comes first, and would drop these:
        // 0.0049999999999999999999 is not 0.01.
        if has_more_decimals(written, GUARD_DECIMALS) {
            return Err(Reason::TooManyDecimals);
        }
        let value = if self.ty == Type::Rate {
            mul(written, PERCENT).map_err(|_| Reason::TooManyDigits)?
        } else {
            written
        };
        // An amount that is rounded on entry must be within its bounds before and after.
        if self.round.is_some() {
            self.is_within_bounds(value)?;
        }
        let value = match (self.round, self.most_decimals()) {
            (Some(unit), _) => {
                round(value, unit, RoundMode::HalfUp).ok_or(Reason::TooManyDigits)?
            }
            (None, Some(decimals)) if has_more_decimals(value, decimals) => {
                return Err(Reason::TooManyDecimals);
            }
            _ => value,
        };
        self.accepts(value)?;
        Ok(value)
    }

    /// The accepted values, in French.
    pub fn expected(&self) -> String {
        self.accepted().fr
    }

    /// The accepted values.
    pub fn accepted(&self) -> Text<String> {
        match self.ty {
            Type::Choice(_) => Text::alike(self.expected_words()),
            Type::Boolean => {
                say!(
                    "true ou false (aussi 1 ou 0, oui ou non)",
                    "true or false (also 1 or 0, oui or non)"
                )
            }
            Type::Text => say!("un texte", "a text"),
            _ => self.accepted_number(),
        }
    }

    /// The problem of a default that a caller could not send.
    pub(crate) fn out_of_bounds(&self, default: &str) -> Problem {
        Problem::DefaultOutOfBounds {
            text: default.to_owned(),
            accepted: self.accepted(),
        }
    }

    /// The words of a choice, each with its other spellings.
    fn expected_words(&self) -> String {
        let with_aliases = |(index, (word, _)): (usize, &(String, String))| {
            let own = self
                .aliases
                .iter()
                .filter(|(_, of)| usize::from(*of) == index)
                .map(|(alias, _)| alias.as_str());
            let aliases = own.collect::<Vec<_>>().join(", ");
            if aliases.is_empty() {
                word.clone()
            } else {
                format!("{word} ({aliases})")
            }
        };
        self.values
            .iter()
            .enumerate()
            .map(with_aliases)
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn accepted_number(&self) -> Text<String> {
        let sent = |value: Decimal| Text::from(self.as_sent(value));
        let mut said = match self.ty {
            Type::Rate => say!("un taux en pour cent", "a rate in percent"),
            Type::Money(_) => say!("un montant", "an amount"),
            _ if self.integer => say!("un nombre entier", "a whole number"),
            _ => say!("un nombre", "a number"),
        };
        said = match (self.min.map(sent), self.max.map(sent)) {
            (Some(min), Some(max)) => {
                said.then(say!(" de {min} à {max}", " from {min} to {max}"; min, max))
            }
            (Some(min), None) => said.then(say!(" à partir de {min}", " from {min} on"; min)),
            (None, Some(max)) => said.then(say!(" jusqu’à {max}", " up to {max}"; max)),
            (None, None) => said,
        };
        if let Some(step) = self
            .step
            .filter(|step| !self.integer || *step != Decimal::ONE)
            .map(sent)
        {
            said = said.then(say!(", par pas de {step}", ", in steps of {step}"; step));
        }
        if let Some(decimals) = self.most_decimals() {
            said = said.then(at_most_decimals(decimals));
        }
        for word in &self.words {
            said = said.then(say!(", ou `{word}`", ", or `{word}`"));
        }
        said
    }

    /// The unit that accepted values are multiples of, if there is one: the step, or the last
    /// decimal of an amount.
    pub fn unit(&self) -> Option<Decimal> {
        self.step
            .or_else(|| Decimal::try_new(1, self.decimals?).ok())
    }

    /// A value in the unit of the query, where rates are in percent.
    pub(crate) fn as_sent(&self, value: Decimal) -> Decimal {
        if self.ty == Type::Rate {
            value.checked_mul(Decimal::ONE_HUNDRED).unwrap_or(value)
        } else {
            value
        }
    }

    /// The text that a query would send for a value.
    pub fn sent_text(&self, value: &Value) -> String {
        match value {
            Value::Nothing => String::new(),
            Value::Number(number) => number_text(self.as_sent(*number)),
            Value::Boolean(value) => value.to_string(),
            Value::Word(index) => self
                .word_at(*index)
                .map_or_else(|| format!("#{index}"), str::to_owned),
            Value::Text(text) => text.to_string(),
        }
    }
}

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
    if let Type::Money(_) = input.ty {
        input.max = input.max.or(Some(Decimal::from(MAX_AMOUNT)));
        let own =
            literal(node, "decimals", Type::Number, report).and_then(|own| own.try_into().ok());
        input.decimals = if input.round.is_some() {
            None
        } else {
            Some(own.unwrap_or(decimals))
        };
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
        _ => Type::Unknown,
    }
}

/// Reports keys that have no meaning for the type of the input.
fn check_keys(input: &Input, node: &Node, report: &mut Report) {
    let numeric = matches!(input.ty, Type::Money(_) | Type::Rate | Type::Number);
    let money = matches!(input.ty, Type::Money(_));
    let choice = matches!(input.ty, Type::Choice(_));
    // An unknown type was reported already.
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
        ("words", input.ty == Type::Rate, "rate"),
        ("values", choice, "choice"),
        ("aliases", choice, "choice"),
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

/// The limit of decimals, at the end of the accepted values.
fn at_most_decimals(decimals: u32) -> Text<String> {
    say!(
        ", {decimals} décimales au plus",
        ", at most {decimals} decimals"
    )
}

/// The number that a text with a comma is meant to be, as a query sends it: `2650.00` for
/// `2.650,00`. A comma without a point may also separate thousands, unless the digits after it are
/// not three.
fn meant_number(text: &str) -> Option<String> {
    let (whole, decimals) = text.rsplit_once(',')?;
    let is_clear = whole.contains('.') || decimals.len() != 3;
    let meant = format!(
        "{}.{decimals}",
        whole.replace(['.', ' ', '\u{a0}', '\u{202f}'], "")
    );
    (is_clear && parse_plain(&meant).is_ok()).then_some(meant)
}

#[cfg(test)]
mod tests;
