//! Every mistake that a rule file can have: a stable code, the cause and the cure, in French and
//! English.
//!
//! All messages follow one style: lower case, no final period, quotes from the file in backticks,
//! no internal term of the program. The entries are in [`catalogue`].

mod catalogue;
mod corrected;
mod message_code;
mod suggestion;
mod syntax_error;
mod unknown;

pub use catalogue::Problem;
pub(crate) use corrected::{corrected_amount, corrected_rate, plain_number};
pub use message_code::{LETTERS, MessageCode};
pub(crate) use suggestion::{is_written, suggestion, translated};
pub(crate) use syntax_error::syntax_error;
pub(crate) use unknown::list_of_names;

impl Problem {
    /// A key that is not one of those that its place allows.
    pub(crate) fn unknown_key<'k>(key: &str, known: impl IntoIterator<Item = &'k str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let near = suggestion(key, known.iter().copied()).map(str::to_owned);
        Self::UnknownKey {
            key: key.to_owned(),
            known: known.join("`, `"),
            near,
        }
    }

    /// A value that is neither `true` nor `false`.
    pub(crate) fn not_a_boolean(text: &str) -> Self {
        let near = suggestion(text, ["true", "false"]).map(str::to_owned);
        Self::NotABoolean {
            text: text.to_owned(),
            near,
        }
    }

    /// A list whose elements are separated by commas rather than by `;`; `None` for any other text.
    pub(crate) fn comma_in_list(text: &str) -> Option<Self> {
        // A sentence with a comma is no list: each piece has to be a single word.
        let is_word =
            |piece: &str| !piece.trim().is_empty() && !piece.trim().contains(char::is_whitespace);
        if !text.contains(',') || !text.split(',').all(is_word) {
            return None;
        }

        let words: Vec<&str> = text.split(',').map(str::trim).collect();
        Some(Self::CommaInList {
            text: text.to_owned(),
            meant: words.join("; "),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::catalogue::CATALOGUE;
    use super::{LETTERS, MessageCode};
    use crate::text::lang::Lang;

    #[test]
    fn every_mistake_has_a_code_of_its_own() {
        let mut codes: Vec<&str> = CATALOGUE.iter().map(|entry| entry.code).collect();
        let count = codes.len();
        codes.sort();
        codes.dedup();
        assert!(count > 90, "{count} codes");
        assert_eq!(codes.len(), count);
    }

    #[test]
    fn the_letter_of_every_code_says_what_it_is_about() {
        for entry in CATALOGUE {
            let is_own = |(letter, _): &(char, _)| entry.code.starts_with(*letter);
            assert_eq!(
                LETTERS.iter().filter(|one| is_own(one)).count(),
                1,
                "{}",
                entry.code
            );
        }
    }

    #[test]
    fn a_message_names_every_field_of_its_mistake() {
        for MessageCode {
            code,
            cause,
            cure,
            fields,
            near,
        } in CATALOGUE
        {
            for field in fields.iter().filter(|field| *field != near) {
                let is_named = |text: &str| text.contains(&format!("{{{field}}}"));
                assert!(
                    [cause.fr, cure.fr, cause.en, cure.en]
                        .into_iter()
                        .any(is_named),
                    "{code}: nobody reads `{field}`"
                );
            }
        }
    }

    /// Codes without a fixture. A new mistake has a fixture: this list only gets shorter. `L03`
    /// takes a thousand folders, each with its own warning (the tests of `files` create them); no
    /// form of the schema reports `S10` today.
    const WITHOUT_FIXTURE: [&str; 2] = ["L03", "S10"];

    /// The text of all snapshots under a folder, concatenated.
    fn snapshots(folder: &Path) -> String {
        let entries = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let texts = entries.map(|path| match path.extension() {
            _ if path.is_dir() => snapshots(&path),
            Some(extension) if extension == "snap" => std::fs::read_to_string(&path).unwrap(),
            _ => String::new(),
        });
        texts.collect()
    }

    #[test]
    fn every_code_has_a_fixture_that_shows_its_message() {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
        let shown = snapshots(&tests.join("broken")) + &snapshots(&tests.join("hand"));
        let is_shown = |code: &str| shown.contains(&format!("[{code}]"));
        let is_known = |code: &str| WITHOUT_FIXTURE.contains(&code);
        let codes = CATALOGUE.iter().map(|entry| entry.code);
        let without: Vec<&str> = codes
            .filter(|code| !is_shown(code) && !is_known(code))
            .collect();
        assert!(
            without.is_empty(),
            "no fixture of tests/broken or tests/hand shows {without:?}"
        );
    }

    /// Words of an English sentence that no French one has.
    const ENGLISH: [&str; 16] = [
        "the", "value", "operator", "name", "expected", "missing", "write", "remove", "add", "fix",
        "of", "is", "and", "with", "step", "one",
    ];

    /// A text without quotes from a rule file and the names of its fields.
    fn unquoted(text: &str) -> String {
        let plain = text.split('`').step_by(2).collect::<Vec<_>>().join(" ");
        let pieces = plain
            .split('{')
            .map(|piece| piece.split_once('}').map_or(piece, |(_, rest)| rest));
        pieces.collect::<Vec<_>>().join(" ")
    }

    fn english(text: &str) -> Vec<String> {
        let text = unquoted(text);
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        words
            .filter(|word| ENGLISH.contains(word))
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn french_messages_hold_no_english_word() {
        for MessageCode {
            code, cause, cure, ..
        } in CATALOGUE
        {
            for text in [cause.fr, cure.fr] {
                // Fields that hold a word of a language must be named in that language only.
                assert!(
                    !text.contains("{en}") && !text.contains("{en_cure}"),
                    "{code}: {text}"
                );
                assert_eq!(english(text), Vec::<String>::new(), "{code}: {text}");
            }
        }
        for formula in ["1 +", "1 + * 2", "1 2", "if 1 2", "(1", "a.", "min(1)"] {
            let (_, problem) = crate::law::formula::parser::parse(formula).unwrap_err();
            let message = format!("{} {}", problem.cause(Lang::Fr), problem.cure(Lang::Fr));
            assert_eq!(
                english(&message),
                Vec::<String>::new(),
                "{formula}: {message}"
            );
        }
    }
}
