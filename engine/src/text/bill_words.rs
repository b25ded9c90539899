//! Words by which a text says that it is no law yet: a bill, a draft, something not voted.

use std::ops::Range;

use super::date_in_words::words;

/// Words that name a text which is only proposed, whatever follows.
const PROPOSED: &[&str] = &[
    "projet",
    "projets",
    "brouillon",
    "brouillons",
    "plf",
    "plfss",
    "plfr",
    "bill",
    "bills",
    "draft",
    "drafts",
];

/// Words that do so before the name of a legal text: `proposition de loi`.
const PROPOSED_IF_LEGAL: &[&str] = &["proposition", "propositions", "proposal", "proposals"];

/// Nouns of a text of law: with a word of a proposal before it, a bill.
const LEGAL: &[&str] = &[
    "loi",
    "lois",
    "ordonnance",
    "décret",
    "arrêté",
    "règlement",
    "directive",
    "barème",
    "réforme",
    "law",
    "act",
    "decree",
    "reform",
    "regulation",
];

/// Words after `projet` that make it something else than a legal text: `projet urbain partenarial`.
const OF_OTHER_PROJECTS: &[&str] = &[
    "acquisition",
    "aménagement",
    "construction",
    "entreprise",
    "immobilier",
    "immobiliers",
    "investissement",
    "pédagogique",
    "personnel",
    "pilote",
    "professionnel",
    "recherche",
    "territoire",
    "urbain",
    "urbains",
    "vie",
];

/// Words before `bill` that make it an amount: `wage bill`.
const OF_OTHER_BILLS: &[&str] = &["wage", "pay", "tax", "treasury"];

/// Words by which a sentence says that a text was adopted since.
const ADOPTED: &[&str] = &[
    "adopté",
    "adoptée",
    "adoptés",
    "adoptées",
    "voté",
    "votée",
    "votés",
    "votées",
    "promulgué",
    "promulguée",
    "promulgués",
    "promulguées",
    "adopted",
    "enacted",
    "passed",
    "promulgated",
    "voted",
];

/// Words shortly before one of these by which nothing is adopted yet.
const NOT_YET: &[&str] = &[
    "non", "pas", "jamais", "sera", "seront", "être", "avant", "not", "never", "be", "before",
    "until",
];

/// Words of a step before the adoption: a text that one chamber voted is no law.
const HALF_WAY: &[&str] = &["lecture", "commission", "reading", "committee"];

/// Articles and prepositions between a word and what it is about.
const PARTICLES: &[&str] = &[
    "de", "d", "du", "des", "la", "le", "les", "l", "un", "une", "of", "a", "the",
];

/// How many words before an adoption may deny it: `pas encore été voté`.
const DENIED_WITHIN: usize = 3;

/// The words by which a text says that it is no adopted law, as a range of its bytes. A sentence
/// that says itself that the text was adopted since is none: `projet n° 15, adopté le 2 mars`.
///
/// ```
/// use bareme_engine::authoring::words_of_a_bill;
///
/// let title = "Projet de loi de finances pour 2027";
/// assert_eq!(words_of_a_bill(title).map(|place| &title[place]), Some("Projet"));
/// assert_eq!(words_of_a_bill("Loi de finances pour 2027"), None);
/// ```
pub fn words_of_a_bill(text: &str) -> Option<Range<usize>> {
    let mut start = 0usize;
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        let length = sentence_length(rest);
        if let Some(found) = in_sentence(rest.get(..length).unwrap_or(rest)) {
            return Some(start.saturating_add(found.start)..start.saturating_add(found.end));
        }
        start = start.saturating_add(length);
    }
    None
}

/// The bytes of the first sentence of a text. A point ends it only before a capital: `art. 3` goes
/// on.
fn sentence_length(text: &str) -> usize {
    let ends = |(place, letter): &(usize, char)| {
        let after = || {
            text.get(place.saturating_add(1)..)
                .unwrap_or_default()
                .trim_start()
        };
        match letter {
            ';' | '\n' => true,
            '.' => after().starts_with(char::is_uppercase),
            _ => false,
        }
    };
    let end = text.char_indices().find(ends);
    end.map_or(text.len(), |(place, letter)| {
        place.saturating_add(letter.len_utf8())
    })
}

fn in_sentence(sentence: &str) -> Option<Range<usize>> {
    let placed = words(sentence);
    let lowered: Vec<String> = placed.iter().map(|(_, word)| word.to_lowercase()).collect();
    let place = |index: usize| {
        let (start, word) = placed.get(index)?;
        Some(*start..start.saturating_add(word.len()))
    };

    // `non voté` says it whatever else the sentence says.
    let adoptions = lowered
        .iter()
        .enumerate()
        .filter(|(_, word)| is_in(ADOPTED, word));
    let (denied, done): (Vec<usize>, Vec<usize>) = adoptions
        .map(|(index, _)| index)
        .partition(|index| is_denied(&lowered, *index));
    if let Some(first) = denied.first() {
        return place(*first);
    }

    // An adoption ends it, but one chamber alone adopts nothing.
    let is_half_way = lowered.iter().any(|word| is_in(HALF_WAY, word));
    if !done.is_empty() && !is_half_way {
        return None;
    }

    place((0..lowered.len()).find(|index| is_proposal(&lowered, *index))?)
}

/// Whether a word is a bill with its year: `plf27`, `PLFSS2027`.
fn is_numbered_bill(word: &str) -> bool {
    let name = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    name.len() < word.len() && name.starts_with("plf") && is_in(PROPOSED, name)
}

/// Texts about a law that are not the law, as their titles begin.
const ABOUT_A_LAW: &[&str] = &[
    "amendement",
    "rapport",
    "exposé des motifs",
    "texte adopté",
    "petite loi",
    "communiqué",
    "conseil des ministres",
    "avis du conseil d",
    "étude d’impact",
    // With the apostrophe of a keyboard.
    "étude d\u{27}impact",
];

/// Words by which a source says that its text is not out, or not final.
const NOT_FINAL: &[&str] = &[
    "à paraître",
    "sous réserve de la décision",
    "texte adopté n",
];

/// The words by which a source that is given as law says that it is another text, as a range of
/// its bytes: a report, an amendment, a text that one chamber adopted, one that is still to appear.
pub(crate) fn words_of_no_law(text: &str, is_title: bool) -> Option<Range<usize>> {
    let lowered = text.to_lowercase();
    // The places are those of the text itself only where no letter changed its length.
    let place = |start: usize, words: &str| {
        let range = start..start.saturating_add(words.len());
        (lowered.len() == text.len())
            .then_some(range)
            .or(Some(0..text.len()))
    };

    let begins = ABOUT_A_LAW
        .iter()
        .find(|words| lowered.starts_with(**words));
    if let Some(words) = begins.filter(|_| is_title) {
        return place(0, words);
    }
    let stated = NOT_FINAL
        .iter()
        .find_map(|words| Some((lowered.find(words)?, words)));
    stated.and_then(|(start, words)| place(start, words))
}

/// The part of an address by which it is that of a bill, as a range of its bytes.
pub(crate) fn address_of_a_bill(url: &str) -> Option<Range<usize>> {
    let lowered = url.to_ascii_lowercase();
    let mut start = 0usize;
    for piece in lowered.split_inclusive(['/', '?', '&', '=', '#', '.']) {
        let word = piece.trim_end_matches(['/', '?', '&', '=', '#', '.']);
        let words: Vec<&str> = word.split(['-', '_']).collect();
        // `projet-de-loi-de-finances`, `proposition_de_loi`: the words of a name in an address are
        // joined.
        let is_proposed = |two: &[&str]| matches!(two, ["projet" | "proposition", "loi" | "de"]);
        // `pjl26`, `plf2027`: with a number beside it.
        let is_short = |word: &&str| {
            let name = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
            let name = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
            matches!(
                name,
                "pjl" | "ppl" | "plf" | "plfss" | "plfr" | "amendement" | "amendements"
            )
        };

        if words.windows(2).any(is_proposed) || words.iter().any(is_short) {
            return Some(start..start.saturating_add(word.len()));
        }
        start = start.saturating_add(piece.len());
    }
    None
}

fn is_in(known: &[&str], word: &str) -> bool {
    known.contains(&word)
}

/// Whether an adoption is denied by a word shortly before it.
fn is_denied(lowered: &[String], index: usize) -> bool {
    let before = lowered.get(..index).unwrap_or_default();
    before
        .iter()
        .rev()
        .take(DENIED_WITHIN)
        .any(|word| is_in(NOT_YET, word))
}

/// Whether a word names a legal text that is only proposed.
fn is_proposal(lowered: &[String], index: usize) -> bool {
    let word = lowered.get(index).map_or("", String::as_str);
    let after = lowered.iter().skip(index.saturating_add(1));
    let about = after
        .map(String::as_str)
        .find(|word| !is_in(PARTICLES, word))
        .unwrap_or_default();
    let before = index
        .checked_sub(1)
        .and_then(|before| lowered.get(before))
        .map_or("", String::as_str);

    if is_in(PROPOSED_IF_LEGAL, word) {
        return is_in(LEGAL, about);
    }

    let is_other = (word.starts_with("projet") && is_in(OF_OTHER_PROJECTS, about))
        || (word.starts_with("bill") && is_in(OF_OTHER_BILLS, before));
    (is_in(PROPOSED, word) || is_numbered_bill(word)) && !is_other
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(text: &str) -> Option<&str> {
        words_of_a_bill(text).map(|place| &text[place])
    }

    #[test]
    fn a_text_that_is_no_law_yet_says_so() {
        for (text, words) in [
            ("Projet de loi de finances pour 2027, n° 3210", "Projet"),
            ("Impôt sur le revenu, projet de barème 2027", "projet"),
            ("Loi de finances pour 2027 (non votée)", "votée"),
            ("Texte qui n’a pas encore été adopté", "adopté"),
            ("Proposition de loi n° 12", "Proposition"),
            ("PLF 2027, art. 2", "PLF"),
            ("PLF27, art. 2", "PLF27"),
            ("Selon le plfss2027", "plfss2027"),
            (
                "Montant de 2026 : celui du projet n’a pas été lu.",
                "projet",
            ),
            ("Art. 4 ; projet de décret", "projet"),
            ("Avant-projet d’ordonnance", "projet"),
            ("Projet de loi voté en première lecture", "Projet"),
            ("Projet de loi qui doit être voté en décembre", "voté"),
            ("Finance Bill 2027", "Bill"),
            ("Draft finance law 2027", "Draft"),
            ("A law not yet enacted", "enacted"),
            ("Brouillon : à relire", "Brouillon"),
        ] {
            assert_eq!(stated(text), Some(words), "{text}");
        }
    }

    #[test]
    fn a_source_that_is_no_law_says_so_in_its_title_or_address() {
        let title = |text: &str| words_of_no_law(text, true).is_some();
        for text in [
            "Texte adopté n° 45 par le Sénat",
            "Rapport général de la commission des finances",
            "Amendement n° I-1234",
            "Exposé des motifs",
            "Communiqué du Conseil des ministres",
            "Loi de finances pour 2027, sous réserve de la décision du Conseil constitutionnel",
            "Loi de finances pour 2027 (à paraître)",
        ] {
            assert!(title(text), "{text}");
        }
        assert!(words_of_no_law("JO à paraître", false).is_some());
        for text in [
            "Loi de finances pour 2027",
            "Code des rapports sociaux",
            "Décret pris en Conseil des ministres",
        ] {
            assert!(!title(text), "{text}");
        }
        for (url, part) in [
            (
                "https://e.org/textes/l17b1906_projet-loi.pdf",
                Some("l17b1906_projet-loi"),
            ),
            ("https://e.org/leg/pjl26-112.html", Some("pjl26-112")),
            (
                "https://e.org/dyn/17/amendements/1906/AN/12",
                Some("amendements"),
            ),
            ("https://e.org/loi/2026/12/30/2026-1500", None),
            ("https://e.org/projets/appel", None),
        ] {
            assert_eq!(
                address_of_a_bill(url).map(|place| &url[place]),
                part,
                "{url}"
            );
        }
    }

    #[test]
    fn a_law_and_what_is_no_legal_text_do_not() {
        for text in [
            "Loi de finances pour 2027, art. 2",
            "Loi de finances 2026 : un budget validé (projet n° 015/2025, adopté le 25 novembre \
             2025)",
            "Projet de loi n° 8676, art. 3, voté le 2 mars 2026",
            "Code de l’urbanisme, art. L. 332-11-3 (projet urbain partenarial)",
            "Proposition de rectification, art. L. 57",
            "Lu dans un avis, le texte n’est pas publié",
            "Levée votée, non retenue encore",
            "Share of the wage bill",
            "",
        ] {
            assert_eq!(stated(text), None, "{text}");
        }
    }
}
