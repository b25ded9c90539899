//! Words: normalization of names before they are compared, and the known name nearest to a typo.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::lang::Lang;

/// Brings a caller's word to the form of the rule files: lower case, without accents, every run of
/// other characters as one `_`, none at either end.
pub fn normalize(text: &str) -> String {
    let mut out = String::with_capacity(text.len());

    // Decomposed (NFD), `é` is an `e` and an accent, which is then dropped; ligatures have no
    // decomposition.
    for letter in text.nfd().flat_map(char::to_lowercase) {
        match letter {
            'œ' => out.push_str("oe"),
            'æ' => out.push_str("ae"),
            _ if letter.is_ascii_alphanumeric() => out.push(letter),
            _ if is_combining_mark(letter) || out.is_empty() || out.ends_with('_') => {}
            _ => out.push('_'),
        }
    }

    if out.ends_with('_') {
        out.pop();
    }
    out
}

/// Number of names that a message shows at most.
const MAX_LISTED: usize = 8;

/// The first names of a list, followed by their number where some are left out.
pub(crate) fn shortened(names: &[impl AsRef<str>]) -> String {
    let shown = names
        .iter()
        .take(MAX_LISTED)
        .map(AsRef::as_ref)
        .collect::<Vec<_>>()
        .join("; ");
    if names.len() > MAX_LISTED {
        format!("{shown}… ({})", names.len())
    } else {
        shown
    }
}

/// Parses the words that callers send for yes and no.
pub fn boolean(text: &str) -> Option<bool> {
    let is_one_of = |words: [&str; 3]| {
        words
            .iter()
            .any(|word| text.trim().eq_ignore_ascii_case(word))
    };

    if is_one_of(["true", "1", "oui"]) {
        return Some(true);
    }
    is_one_of(["false", "0", "non"]).then_some(false)
}

/// Resolves each `(s)` by the number before it: `3 chiffre(s)` is `3 chiffres`, `1 case(s)` is
/// `1 case`.
pub fn pluralized(text: &str, lang: Lang) -> String {
    let mut parts = text.split("(s)");
    let mut resolved = parts.next().unwrap_or_default().to_owned();

    for part in parts {
        if is_plural(&resolved, lang) {
            resolved.push('s');
        }
        resolved.push_str(part);
    }

    resolved
}

/// Whether the last number of a text takes a plural. In French zero is singular.
fn is_plural(text: &str, lang: Lang) -> bool {
    // The number may be some words away: `12 valeur(s) récrite(s)` has one for both words.
    let end = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let number = end
        .rsplit(|letter: char| !letter.is_ascii_digit() && letter != ',' && letter != '.')
        .next();
    let whole = number
        .and_then(|number| number.split([',', '.']).next())
        .and_then(|whole| whole.parse::<u64>().ok());

    // French counts `1,5 part` as singular: the whole part alone decides.
    whole.is_some_and(|whole| whole > 1 || (lang == Lang::En && whole == 0))
}

/// Names longer than this are not compared: no typo is that long.
const MAX_LENGTH: usize = 100;

/// The known name nearest to a mistyped one, if it is near enough to be a typo of it.
///
/// ```
/// use bareme_engine::text::nearest;
///
/// let known = ["contribution", "deduction"];
/// assert_eq!(nearest("contribtuion", known), Some("contribution"));
/// assert_eq!(nearest("xyz", known), None);
/// // The same letters in capitals or with accents are no distance.
/// assert_eq!(nearest("DÉDUCTION", known), Some("deduction"));
/// ```
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = typed.chars().count();
    let limit = (length / 3).clamp(1, 3);

    // A name that differs by capitals or accents only is the one that was meant, whatever its
    // distance: each accent would count for a typo.
    let spelled = if length <= MAX_LENGTH {
        normalize(typed)
    } else {
        String::new()
    };
    let is_same = |name: &&str| !spelled.is_empty() && normalize(name) == spelled;
    let known: Vec<&str> = known.into_iter().collect();
    if let Some(same) = known.iter().copied().find(is_same) {
        return Some(same);
    }

    known
        .into_iter()
        // The distance is at least the difference of the lengths, and costs their product to
        // compute.
        .filter(|name| length <= MAX_LENGTH && name.chars().count().abs_diff(length) <= limit)
        .map(|name| (strsim::damerau_levenshtein(typed, name), name))
        // Of a code of two letters one is half: another letter makes another code, as of a country.
        .filter(|(distance, name)| {
            let longest = name.chars().count().max(length);
            *distance <= limit && distance.saturating_mul(2) < longest
        })
        .min()
        .map(|(_, name)| name)
}

/// The elements without duplicates: of those with the same key, the first.
pub(crate) fn distinct<'e, T: ?Sized, K: PartialEq>(
    elements: impl Iterator<Item = &'e T>,
    key: impl Fn(&'e T) -> K,
) -> Vec<&'e T> {
    let mut found: Vec<&T> = Vec::new();
    for element in elements {
        if !found.iter().any(|known| key(known) == key(element)) {
            found.push(element);
        }
    }

    found
}

/// A label within a sentence: without the capital of its first letter.
pub(crate) fn uncapitalized(label: &str) -> String {
    let mut letters = label.chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    first.chain(letters).collect()
}

/// Whether a text is a name of the rule language: `[a-z][a-z0-9_]*`.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_countries_are_found_however_they_are_written() {
        assert_eq!(normalize("  Côte d’Ivoire "), "cote_d_ivoire");
        assert_eq!(normalize("Congo - Brazza"), "congo_brazza");
        assert_eq!(normalize("SE\u{301}NE\u{301}GAL"), "senegal");
        assert_eq!(normalize("Guinée (Conakry)"), "guinee_conakry");
        assert_eq!(normalize("Œuvre, ÆGIS"), "oeuvre_aegis");
        assert_eq!(
            (normalize(""), normalize(" - ")),
            (String::new(), String::new())
        );
    }

    #[test]
    fn words_agree_with_their_numbers() {
        assert_eq!(
            pluralized("3 chiffre(s) à confirmer", Lang::Fr),
            "3 chiffres à confirmer"
        );
        assert_eq!(
            pluralized("1 chiffre(s), 0 valeur(s)", Lang::Fr),
            "1 chiffre, 0 valeur"
        );
        assert_eq!(
            pluralized("1 case(s), 0 row(s)", Lang::En),
            "1 case, 0 rows"
        );
        assert_eq!(
            pluralized("1,5 part(s) ; 2,5 part(s)", Lang::Fr),
            "1,5 part ; 2,5 parts"
        );
        assert_eq!(
            pluralized("12 valeur(s) récrite(s)", Lang::Fr),
            "12 valeurs récrites"
        );
    }

    #[test]
    fn a_yes_is_nothing_else() {
        assert_eq!(["true", "1", " OUI "].map(boolean), [Some(true); 3]);
        assert_eq!(["false", "0", "Non"].map(boolean), [Some(false); 3]);
        assert_eq!(["", "-1", "(true)", "yes", "2"].map(boolean), [None; 5]);
    }

    #[test]
    fn a_typo_finds_the_word_it_meant_and_a_stranger_none() {
        let known = ["revenu", "parts", "situation"];
        assert_eq!(nearest("revenus", known), Some("revenu"));
        assert_eq!(nearest("situaton", known), Some("situation"));
        assert_eq!(nearest("REVENU", known), Some("revenu"));
        assert_eq!(
            nearest("salaire_net", ["salaire", "salaire-net"]),
            Some("salaire-net")
        );
        assert_eq!(nearest("pays", known), None);
        assert_eq!(nearest("x", known), None);
    }
}
