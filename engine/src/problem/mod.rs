//! Every mistake that a rule file can have: a stable code, the cause and the cure, in French and English.
//!
//! One grammar for all messages: lower case, no final period, what was written in backticks, no word
//! of the program's own insides. The catalogue is in [`catalogue`].

mod catalogue;
mod not_yaml;

pub(crate) use catalogue::Problem;
pub(crate) use not_yaml::not_yaml;

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

#[cfg(test)]
mod tests {
    #[test]
    fn every_mistake_has_a_code_of_its_own() {
        let catalogue = include_str!("catalogue.rs");
        let is_code = |word: &&str| {
            word.len() == 3 && word.chars().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit())
        };
        let mut codes: Vec<&str> = catalogue.split('"').filter(is_code).collect();
        let count = codes.len();
        codes.sort();
        codes.dedup();
        assert!(count > 90, "{count} codes");
        assert_eq!(codes.len(), count);
    }
}
