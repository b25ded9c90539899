//! Masking of possible secrets in texts that are sent back or logged.

use std::borrow::Cow;

/// Letters before the `_` of a key.
const PREFIX: usize = 3;

/// Least number of successive characters that look like the random part of a key, after a prefix or
/// alone.
const SECRET: [usize; 2] = [20, 30];

/// Masks anything in a text that looks like a key, or like a secret of another service: a secret
/// sent by mistake must not be echoed into yet another log.
pub fn mask(text: &str) -> Cow<'_, str> {
    let mut masked = String::new();
    let mut rest = text;
    let mut before = "";

    // Runs of letters and digits, one after the other, with what separates them.
    while let Some(start) = rest.find(|character: char| character.is_ascii_alphanumeric()) {
        let (between, run) = rest.split_at(start);
        let end = run
            .find(|character: char| !character.is_ascii_alphanumeric())
            .unwrap_or(run.len());
        let (run, next) = run.split_at(end);

        // A key is `abc_` and its random part; the prefix tells nothing, and stays readable.
        let follows_prefix = between == "_" && before.len() == PREFIX;
        masked.push_str(between);
        masked.push_str(if is_secret(run, follows_prefix) {
            "…"
        } else {
            run
        });
        (before, rest) = (run, next);
    }

    masked.push_str(rest);
    if masked == text {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(masked)
    }
}

fn is_secret(run: &str, follows_prefix: bool) -> bool {
    // Long words of a text have no digit, and long numbers no letter: neither is a secret.
    let [behind_prefix, alone] = SECRET;
    let is_mixed = || {
        run.bytes().any(|byte| byte.is_ascii_digit())
            && run.bytes().any(|byte| !byte.is_ascii_digit())
    };
    (follows_prefix && run.len() >= behind_prefix) || (run.len() >= alone && is_mixed())
}

#[cfg(test)]
mod tests {
    use bareme_accounts::key::Key;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_key_is_masked_wherever_it_is(before in "\\PC{0,20}", after in "\\PC{0,20}") {
            let key = Key::generate("bma").unwrap();
            let masked = mask(&format!("{before} {} {after}", key.reveal())).into_owned();
            prop_assert!(!masked.contains(&key.reveal()[4..]));
        }
    }

    #[test]
    fn what_looks_like_a_key_is_masked() {
        for (text, shown) in [
            ("bma_0000000000000000000000000000002p64JP", "bma_…"),
            ("bma_00000000000000000000000", "bma_…"),
            (
                "clé=bma_0000000000000000000000000000002p64JP&x",
                "clé=bma_…&x",
            ),
            ("0000000000000000000000000000002p64JP", "…"),
            ("12 000,50", "12 000,50"),
            (
                "0.0049999999999999999999999999999999999",
                "0.0049999999999999999999999999999999999",
            ),
            ("prenom_nom_bma_court", "prenom_nom_bma_court"),
            ("", ""),
            ("é_è", "é_è"),
        ] {
            assert_eq!(mask(text), shown, "{text}");
        }
    }
}
