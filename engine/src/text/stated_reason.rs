//! What counts as a reason that an analyst writes (`reviewed`, `--because`, the column `motif`).

use std::collections::BTreeSet;

/// Least number of different words of a reason.
const WORDS: usize = 3;
/// Least number of letters of each.
const LETTERS: usize = 2;

/// Whether a text says why: three different words at least. `ok` or `vu` would silence a doubt and
/// leave nothing that somebody could check later.
///
/// ```
/// use bareme_engine::authoring::is_reason;
///
/// assert!(is_reason("plafond relevé, décret du 18 décembre, art. 2"));
/// assert!(!is_reason("vu") && !is_reason("ok ok ok") && !is_reason("…"));
/// ```
pub fn is_reason(text: &str) -> bool {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let words: BTreeSet<String> = words
        .filter(|word| word.chars().count() >= LETTERS)
        .map(str::to_lowercase)
        .collect();
    words.len() >= WORDS
}

#[cfg(test)]
mod tests {
    use super::is_reason;

    #[test]
    fn a_reason_has_three_words() {
        for reason in [
            "triplé par la loi",
            "loi 2027, art. 4",
            "relu par Zoé",
            "inchangé, toujours en vigueur",
        ] {
            assert!(is_reason(reason), "{reason}");
        }
        for none in [
            "",
            "ok",
            "vu",
            "Relu.",
            "ok ok ok",
            "a b c d",
            "- - -",
            "vu vu, ok",
        ] {
            assert!(!is_reason(none), "{none}");
        }
    }
}
