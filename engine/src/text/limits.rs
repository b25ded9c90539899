//! The limits of rule files: one table, which the manuals in `rules/` repeat.
//!
//! They are far above what a law needs, and low enough for a hostile or damaged file to be refused
//! within a second and in bounded memory. All recursion (parsing, checks, compilation,
//! explanations, drops) is on structures that these limits bound.

use crate::text::problem::Problem;

/// A limit, and what is reported when it is exceeded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    pub most: usize,
    /// Plural of what is counted, in English, as in the manual.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the manual is tested against it")
    )]
    counts: &'static str,
    problem: fn(usize) -> Problem,
}

impl Limit {
    /// The problem that is reported when it is exceeded.
    pub(crate) fn problem(&self) -> Problem {
        (self.problem)(self.most)
    }
}

/// Declares the limits: name, greatest count, what is counted, the problem reported.
macro_rules! limits {
    ($($name:ident = $most:literal $counts:literal $problem:ident)*) => {
        $(pub(crate) static $name: Limit =
            Limit { most: $most, counts: $counts, problem: |most| Problem::$problem { most } };)*

        /// Every limit, in the order of the manual.
        #[cfg(test)]
        static LIMITS: &[&Limit] = &[$(&$name),*];
    };
}

// The order is that of the manuals, and of the reading: the bytes, then the nesting and the values
// as they are parsed (aliases of YAML would multiply them), then what the checks and the compiler
// go through.
limits! {
    FILE_MEGABYTES = 4 "megabytes in a file" FileTooLarge
    SET_MEGABYTES = 64 "megabytes in the whole set" SetTooLarge
    FOLDERS = 1000 "folders in the set" TooManyFolders
    FILES = 400 "files in a folder" TooManyFiles
    METHODS = 40 "methods in a folder" TooManyMethods
    NESTING = 20 "levels of nesting in a file" TooNested
    VALUES = 200000 "keys and values in the files of a folder" TooManyValues
    KEYS = 1000 "keys in a map" TooManyKeys
    TEXT = 10000 "bytes in one text or key" TextTooLong
    LISTED = 1000 "elements of a list written in one text, separated by `;`" TooManyListed
    INPUTS = 100 "inputs of a method" TooManyInputs
    ITEMS = 100 "items of a group" TooManyItems
    FIGURES = 500 "figures of a method" TooManyFigures
    COLUMNS = 50 "columns of a figure" TooManyColumns
    ROWS = 10000 "rows of a figure" TooManyRows
    ANSWERED = 20000 "combinations of the keys that the rows of a figure answer" TooManyAnswered
    STEPS = 500 "steps of a method" TooManySteps
    FIELDS = 500 "fields of an answer" TooManyFields
    FORMULA = 300 "words, numbers and signs in a formula" FormulaTooLong
    FORMULAS = 10000 "words, numbers and functions in the formulas of a method" FormulasTooLong
    PICTURE = 2000 "bytes in a picture" PictureTooLarge
    CASES = 5000 "cases in a folder" TooManyCases
    ERRORS = 100 "errors reported in a file" TooManyErrors
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::text::lang::Lang;

    #[test]
    fn the_manuals_state_every_limit() {
        let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules");
        for (name, is_english) in [("README.md", true), ("LISEZMOI.md", false)] {
            let manual = std::fs::read_to_string(rules.join(name)).unwrap();
            let rows: Vec<&str> = manual
                .lines()
                .filter(|line| {
                    let code = line.strip_prefix("| L");
                    code.is_some_and(|code| {
                        code.starts_with(|letter: char| letter.is_ascii_digit())
                    })
                })
                .collect();
            assert_eq!(rows.len(), LIMITS.len(), "{name}");
            for (row, limit) in rows.into_iter().zip(LIMITS) {
                let counts = if is_english { limit.counts } else { "" };
                let expected = format!(
                    "| {} | {} | {counts}",
                    limit.problem().code(),
                    grouped(limit.most)
                );
                assert!(
                    row.starts_with(&expected),
                    "{name}: {row}, where {expected} is meant"
                );
            }
        }
    }

    #[test]
    fn every_message_states_the_limit() {
        for limit in LIMITS {
            for lang in [Lang::Fr, Lang::En] {
                let message = limit.problem().cause(lang) + &limit.problem().cure(lang);
                assert!(message.contains(&limit.most.to_string()), "{message}");
            }
        }
    }

    /// A number with spaces between its groups of three digits.
    fn grouped(number: usize) -> String {
        let digits = number.to_string();
        let first = digits.len() % 3;
        let (head, tail) = digits.split_at(first);
        let mut groups: Vec<&str> = Some(head)
            .filter(|head| !head.is_empty())
            .into_iter()
            .collect();
        groups.extend(
            tail.as_bytes()
                .chunks(3)
                .map(|group| std::str::from_utf8(group).unwrap()),
        );
        groups.join(" ")
    }
}
