//! Types and periods. Adding a month to a year, or a rate to an amount, is an error when the file
//! is read.

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::law::calendar::day_number;
use crate::law::index::InputId;

/// Period of an amount.
///
/// An amount has it in its [`Type`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// An amount of no period: a price, a loan, a single payment.
    None,
    /// An amount per month.
    Month,
    /// An amount per year.
    Year,
}

/// Type of an expression, an input or a column.
///
/// ```
/// use bareme_engine::law::{Period, Type};
///
/// assert_eq!(Type::Money(Period::Month).name(), "money/month");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// An expression without a type: the mistake was already reported, and no other is reported
    /// about it.
    Unknown,
    /// A literal `0`, which fits every numeric type.
    Zero,
    /// An amount of money and its period.
    Money(Period),
    /// A rate.
    Rate,
    /// A count, a number of shares, of hours, a coefficient.
    Number,
    /// One of the words of the choice input of this index.
    Choice(InputId),
    /// True or false.
    Boolean,
    /// A text that passes through.
    Text,
    /// A day of the calendar.
    Date,
}

impl Type {
    /// The types that a column or an input may have, by their written form.
    pub const WRITTEN: [(&'static str, Self); 7] = [
        ("money/month", Self::Money(Period::Month)),
        ("money/year", Self::Money(Period::Year)),
        ("money", Self::Money(Period::None)),
        ("rate", Self::Rate),
        ("number", Self::Number),
        ("boolean", Self::Boolean),
        ("text", Self::Text),
    ];

    /// Its name in a rule file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "?",
            Self::Zero => "0",
            Self::Choice(_) => "choice",
            Self::Date => "date",
            _ => Self::WRITTEN
                .iter()
                .find(|(_, known)| *known == self)
                .map_or("?", |(name, _)| name),
        }
    }

    /// The type that a column writes, `money/month`.
    pub(crate) fn from_word(text: &str) -> Option<Self> {
        Self::WRITTEN
            .iter()
            .find(|(name, _)| *name == text)
            .map(|(_, ty)| *ty)
    }

    pub(crate) fn is_numeric(self) -> bool {
        matches!(
            self,
            Self::Unknown | Self::Zero | Self::Money(_) | Self::Rate | Self::Number
        )
    }

    pub(crate) fn is_plain(self) -> bool {
        matches!(self, Self::Unknown | Self::Zero | Self::Rate | Self::Number)
    }

    /// The type of a value added up over the months of a year of pays; `None` where adding it up
    /// means nothing.
    pub(crate) fn summed(self) -> Option<Self> {
        match self {
            // The months of a year add up to an amount per year.
            Self::Money(Period::Month) => Some(Self::Money(Period::Year)),
            Self::Money(Period::None) | Self::Number | Self::Zero | Self::Unknown => Some(self),
            _ => None,
        }
    }

    /// The type of a cumulative sum minus that of the earlier months; `None` where it is not a
    /// cumulative sum.
    pub(crate) fn of_the_month(self) -> Option<Self> {
        match self {
            Self::Money(Period::Year) => Some(Self::Money(Period::Month)),
            Self::Money(Period::None) | Self::Number | Self::Zero | Self::Unknown => Some(self),
            _ => None,
        }
    }

    /// Whether a sum may start again where a value of the type changes.
    pub(crate) fn may_start_again(self) -> bool {
        matches!(
            self,
            Self::Number
                | Self::Zero
                | Self::Rate
                | Self::Boolean
                | Self::Choice(_)
                | Self::Unknown
        )
    }

    /// The type of two values put together by `+`, `min`, a comparison or the branches of an `if`.
    pub(crate) fn together(self, other: Self) -> Option<Self> {
        // An unknown operand makes the result unknown: its mistake was reported.
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => Some(Self::Unknown),
            (a, b) if a == b => Some(a),
            (Self::Zero, b) if b.is_numeric() => Some(b),
            (a, Self::Zero) if a.is_numeric() => Some(a),

            // A rate compared or added with a plain number is one: `taux > 0.5`.
            (Self::Rate, Self::Number) | (Self::Number, Self::Rate) => Some(Self::Number),
            _ => None,
        }
    }

    pub(crate) fn product(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => Some(Self::Unknown),
            (Self::Zero, b) if b.is_numeric() => Some(b),
            (a, Self::Zero) if a.is_numeric() => Some(a),
            (Self::Money(period), Self::Rate | Self::Number)
            | (Self::Rate | Self::Number, Self::Money(period)) => Some(Self::Money(period)),
            (Self::Number, Self::Number) => Some(Self::Number),
            // A rate of a rate, or a number of times a rate, is a rate.
            (Self::Rate | Self::Number, Self::Rate | Self::Number) => Some(Self::Rate),
            _ => None,
        }
    }

    pub(crate) fn quotient(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => Some(Self::Unknown),
            // How many times one amount is in another.
            (Self::Money(a), Self::Money(b)) if a == b => Some(Self::Number),
            (Self::Zero, Self::Money(_)) => Some(Self::Number),
            (Self::Money(period), b) if b.is_plain() => Some(Self::Money(period)),
            (Self::Rate, Self::Number) => Some(Self::Rate),
            (a, b) if a.is_plain() && b.is_plain() => Some(Self::Number),
            _ => None,
        }
    }
}

/// A value while a scale is evaluated.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// use bareme_engine::law::Value;
///
/// assert_eq!(folder.inputs()[0].parse("12.50"), Ok(Value::Number("12.50".parse()?)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
// A tag as wide as the words of a decimal: values are then copied in aligned pieces.
#[repr(u32)]
pub enum Value {
    /// No value: not sent, not found, or skipped.
    #[default]
    Nothing,
    /// An amount, a rate or a number.
    Number(Decimal),
    /// True or false.
    Boolean(bool),
    /// Index of a word among those of its choice (or of the words of a rate).
    Word(u16),
    /// A text.
    Text(std::sync::Arc<str>),
    /// A day, which formulas compute as its number.
    Date(Date),
    /// The values of the items of a group.
    List(std::sync::Arc<[Self]>),
}

impl Value {
    pub(crate) const ZERO: Self = Self::Number(Decimal::ZERO);

    /// The number that formulas compute with: a day has that of the calendar.
    pub(crate) fn number(&self) -> Option<Decimal> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Date(day) => Some(day_number(*day)),
            _ => None,
        }
    }

    /// Whether two values of one type are equal: days added to a date are a number.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Date(_), Self::Number(_)) | (Self::Number(_), Self::Date(_)) => {
                self.number() == other.number()
            }
            _ => self == other,
        }
    }

    /// The value of a step that does not apply: 0, false or nothing.
    pub(crate) const fn of_skipped(ty: Type) -> Self {
        match ty {
            Type::Boolean => Self::Boolean(false),
            Type::Text | Type::Date => Self::Nothing,
            _ => Self::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MONTH: Type = Type::Money(Period::Month);
    const YEAR: Type = Type::Money(Period::Year);

    #[test]
    fn periods_never_mix() {
        assert_eq!(MONTH.together(YEAR), None);
        assert_eq!(MONTH.together(MONTH), Some(MONTH));
        assert_eq!(MONTH.together(Type::Zero), Some(MONTH));
        assert_eq!(MONTH.quotient(YEAR), None);
        assert_eq!(MONTH.quotient(MONTH), Some(Type::Number));
        assert_eq!(Type::Money(Period::None).together(MONTH), None);
    }

    #[test]
    fn products_keep_the_amount_and_amounts_do_not_multiply() {
        assert_eq!(MONTH.product(Type::Rate), Some(MONTH));
        assert_eq!(Type::Number.product(YEAR), Some(YEAR));
        assert_eq!(MONTH.product(MONTH), None);
        assert_eq!(Type::Rate.product(Type::Number), Some(Type::Rate));
        assert_eq!(Type::Rate.quotient(Type::Rate), Some(Type::Number));
        assert_eq!(Type::Rate.quotient(Type::Number), Some(Type::Rate));
        assert_eq!(Type::Number.quotient(MONTH), None);
        assert_eq!(Type::Boolean.product(Type::Number), None);
    }
}
