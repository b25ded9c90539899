//! Inputs: the parameters of a method, and the parsing of the values sent.

use std::collections::BTreeSet;

use rust_decimal::Decimal;

use crate::law::source::parse_date;
use crate::law::{GroupId, InputId, Type, VALUE_SEPARATOR, Value};
use crate::text::number::{
    BadLiteral, GUARD_DECIMALS, PERCENT, compare, has_more_decimals, mul, parse_plain, round,
};
use crate::text::words::boolean;
use crate::text::{BadParameter, Place, Problem, Reason, RoundMode, Text, normalize, number_text};

mod accepted;
mod items;
mod presence;
mod read;
mod words;

pub use presence::Presence;
pub(crate) use presence::read_presence;
pub(crate) use read::{MONTHS, UNIT, literal, read_input, read_literal};

/// An input of a method.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
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
    /// Whether it is a number of months, which people also give in years.
    pub is_months: bool,
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
    /// The group of whose items it has a value each.
    pub group: Option<GroupId>,
    /// The most items of that group.
    pub(crate) most_items: usize,
    /// Whether one value sent holds for all items of its group.
    pub shared: bool,
    /// Whether it is unused on the dates of this scale, whose figures start later or ended before:
    /// queries that send it are refused.
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

    /// The most items of its group; `None` where it has one value.
    pub fn most_items(&self) -> Option<usize> {
        self.group.map(|_| self.most_items)
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
                // Without a step, only whole numbers can be listed.
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
        match self.group {
            Some(_) => self.parse_items(sent),
            None => self.parse_one(sent),
        }
    }

    /// Parses one value.
    fn parse_one(&self, sent: &str) -> Result<Value, BadParameter> {
        // The limit on decimals that holds for all numbers is stated only where it was exceeded.
        let refuse = |reason: Reason| {
            let mut expected = self.accepted_value();
            if matches!(reason, Reason::TooManyDecimals) && self.most_decimals().is_none() {
                expected = expected.then(accepted::at_most_decimals(GUARD_DECIMALS));
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
            Type::Date => parse_date(sent)
                .map(Value::Date)
                .ok_or_else(|| refuse(Reason::NotDate)),
            _ => {
                // A word such as `max` may stand for a number that the caller does not know.
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
        self.accepts_within(value, |value| self.is_within_bounds(value))
    }

    fn accepts_within(
        &self,
        value: Decimal,
        is_within: impl Fn(Decimal) -> Result<(), Reason>,
    ) -> Result<(), Reason> {
        if self.integer && !value.fract().is_zero() {
            return Err(Reason::NotWhole);
        }

        is_within(value)?;

        // Steps are counted from the least value: 5, 15, 25 with `min: 5` and `step: 10`.
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
    pub(super) fn most_decimals(&self) -> Option<u32> {
        // An amount that is rounded on entry may be sent with more decimals.
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

        // Callers send rates in percent; formulas compute with fractions.
        let value = if self.ty == Type::Rate {
            mul(written, PERCENT).map_err(|_| Reason::TooManyDigits)?
        } else {
            written
        };

        if let Some(decimals) = self.most_decimals()
            && has_more_decimals(value, decimals)
        {
            return Err(Reason::TooManyDecimals);
        }
        self.rounded(value, |value| self.is_within_bounds(value))
    }

    /// A number that a step of another folder gives, as the calculation uses it: of any decimals,
    /// and for an amount as great as it comes, since `max` is there for what people type.
    pub(crate) fn admitted(&self, value: Decimal) -> Result<Decimal, Reason> {
        self.rounded(value, |value| {
            match (self.ty, self.is_within_bounds(value)) {
                (Type::Money(_), Err(Reason::TooHigh)) => Ok(()),
                (_, within) => within,
            }
        })
    }

    /// A number rounded on entry, if it is within some bounds before and after that.
    fn rounded(
        &self,
        value: Decimal,
        is_within: impl Fn(Decimal) -> Result<(), Reason>,
    ) -> Result<Decimal, Reason> {
        let value = match self.round {
            Some(unit) => {
                is_within(value)?;
                round(value, unit, RoundMode::HalfUp).ok_or(Reason::TooManyDigits)?
            }
            None => value,
        };

        // Bounds and steps hold for the value that the calculation uses.
        self.accepts_within(value, is_within)?;
        Ok(value)
    }

    /// The problem of a default that a caller could not send.
    pub(crate) fn out_of_bounds(&self, default: &str) -> Problem {
        Problem::DefaultOutOfBounds {
            text: default.to_owned(),
            accepted: self.accepted(),
        }
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
            Value::Date(day) => day.to_string(),
            Value::List(values) => {
                let texts = values.iter().map(|value| self.sent_text(value));
                texts.collect::<Vec<_>>().join(&VALUE_SEPARATOR.to_string())
            }
        }
    }
}

/// The number that a text with a comma is meant to be, as a query sends it: `2650.00` for
/// `2.650,00`. A comma without a point may also separate thousands, unless the digits after it are
/// not three.
fn meant_number(text: &str) -> Option<String> {
    let (whole, decimals) = text.rsplit_once(',')?;

    let is_clear = whole.contains('.') || decimals.len() != 3;

    // The comma is then the decimal point, and what is left of the other signs separates thousands.
    let meant = format!(
        "{}.{decimals}",
        whole.replace(['.', ' ', '\u{a0}', '\u{202f}'], "")
    );

    (is_clear && parse_plain(&meant).is_ok()).then_some(meant)
}

#[cfg(test)]
mod tests;
