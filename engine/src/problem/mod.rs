//! Every mistake that a rule file can hold: a stable code, the cause and the cure, in French and English.
//!
//! One grammar for all messages: lower case, no final period, what was written in backticks, no word
//! of the program's own insides. The catalogue is in [`catalogue`].

mod catalogue;

pub(crate) use catalogue::Problem;

use crate::number::BadLiteral;
use crate::types::Type;

impl Problem {
    /// The problem of a literal that cannot be read as a value of a type.
    pub(crate) fn literal(problem: BadLiteral, text: &str, ty: Type) -> Self {
        let text = text.to_owned();
        match problem {
            BadLiteral::Comma => Self::CommaInNumber { text },
            BadLiteral::TooLong => Self::NumberTooLong { text },
            BadLiteral::ZeroDenominator => Self::ZeroDenominator { text },
            BadLiteral::Percent => Self::PercentNotWanted { text },
            BadLiteral::NoPercent => Self::PercentMissing { text },
            BadLiteral::Form if ty == Type::Rate => Self::BadRate { text },
            BadLiteral::Form => Self::BadNumber { text },
        }
    }
}
