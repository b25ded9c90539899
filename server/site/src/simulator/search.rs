//! The search of the simulators: which of them have all the words, the best first.

use std::cell::OnceCell;

use bareme_engine::service::{NotCalculated, Service};
use bareme_engine::text::normalize;

use crate::catalogue::ListedFolder;

/// Words that say nothing of what is searched.
const EMPTY: [&str; 24] = [
    "a", "au", "aux", "avec", "d", "de", "des", "du", "en", "et", "for", "how", "in", "is", "l",
    "la", "le", "les", "much", "of", "pour", "the", "to", "un",
];

/// Shortest word whose ending may differ.
const STEM: usize = 4;

/// How many simulators have some of the words, at most, that are shown.
const NEAREST: usize = 8;

/// A text of a simulator, with what a word in it counts for.
struct Text {
    /// Its words between `_`, so that a search matches from the beginning of a word.
    words: String,
    weight: u32,
}

/// What a word counts for, by the text that it is in.
const TITLE: u32 = 100;
const NAME: u32 = 60;
const TERMS: u32 = 40;
const TOPIC: u32 = 10;
const LABEL: u32 = 4;
const HELP: u32 = 1;

/// How much more counts a whole word than the beginning of one, and the whole search in a row.
const WHOLE: u32 = 2;
const IN_A_ROW: u32 = 3;

/// The simulators that have every word, the one that has them in the best places first; all of them
/// in their order without a word.
pub(crate) fn ranked<'a, 'r>(
    all: &'a [ListedFolder<'r>],
    words: &str,
) -> Vec<&'a ListedFolder<'r>> {
    let searched = normalize(words);
    let words = significant(&searched);

    let score = |listed: &'a ListedFolder<'r>| Some((score(listed, &searched, &words)?, listed));
    let mut found: Vec<_> = all.iter().filter_map(score).collect();
    // Simulators with the same score stay in the order of the catalogue.
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().map(|(_, listed)| listed).collect()
}

/// The simulators that have some of the words, those that have most of them first; for a search of
/// which none has every word.
pub(crate) fn nearest<'a, 'r>(
    all: &'a [ListedFolder<'r>],
    words: &str,
) -> Vec<&'a ListedFolder<'r>> {
    let searched = normalize(words);
    // The beginning of a short word is that of too many others.
    let words: Vec<&str> = significant(&searched)
        .into_iter()
        .filter(|word| word.len() >= STEM)
        .collect();

    let score = |listed: &'a ListedFolder<'r>| {
        let texts = titles(listed);
        let best = |word: &&str| texts.iter().filter_map(|text| text.score(word)).max();
        let scores: Vec<u32> = words.iter().filter_map(best).collect();
        let sum = scores
            .iter()
            .fold(0_u32, |sum, score| sum.saturating_add(*score));
        (!scores.is_empty()).then_some(((scores.len(), sum), listed))
    };
    let mut found: Vec<_> = all.iter().filter_map(score).collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found
        .into_iter()
        .take(NEAREST)
        .map(|(_, listed)| listed)
        .collect()
}

/// The subject of a search that no endpoint calculates; `None` where the words name none.
pub(crate) fn not_calculated<'s>(service: &'s Service, words: &str) -> Option<&'s NotCalculated> {
    let searched = normalize(words);
    let searched: Vec<&str> = significant(&searched).into_iter().map(singular).collect();

    // The words of a subject are all searched, in any order: `prime` alone names no bonus.
    let is_searched = |term: &String| {
        let term = normalize(term);
        let own = significant(&term);
        let mut own = own.into_iter().map(singular);
        own.all(|word| searched.contains(&word))
    };
    // Of two subjects the one that more of the words name.
    let longest = |subject: &&NotCalculated| {
        let terms = subject.search.iter().filter(|term| is_searched(term));
        terms.map(String::len).max()
    };
    let subjects = service.not_calculated.iter();
    let named = subjects.filter(|subject| longest(subject).is_some());
    named.max_by_key(longest)
}

/// A word without the ending of several.
fn singular(word: &str) -> &str {
    let stem = word.strip_suffix('s').filter(|stem| stem.len() >= STEM);
    stem.unwrap_or(word)
}

/// The words of a search that say something.
fn significant(searched: &str) -> Vec<&str> {
    let is_significant = |word: &&str| !EMPTY.contains(word) && !word.is_empty();
    searched.split('_').filter(is_significant).collect()
}

/// Whether a text has every word of a search, and the search has one.
pub(crate) fn has_words(text: &str, words: &str) -> bool {
    let (text, searched) = (Text::new(text, TITLE), normalize(words));
    let words = significant(&searched);
    !words.is_empty() && words.iter().all(|word| text.score(word).is_some())
}

/// Whether a text has a whole search in a row.
pub(crate) fn has_in_a_row(text: &str, words: &str) -> bool {
    let row = format!("_{}_", normalize(words));
    Text::new(text, TITLE).words.contains(&row)
}

/// What the words count for in the texts of a simulator; `None` where one is missing.
fn score(listed: &ListedFolder, searched: &str, words: &[&str]) -> Option<u32> {
    let texts = titles(listed);
    // Labels are many: they are read for a word that nothing else has.
    let labels = OnceCell::new();
    let mut sum: u32 = 0;
    for word in words {
        let best = |texts: &[Text]| texts.iter().filter_map(|text| text.score(word)).max();
        let of_labels = || best(labels.get_or_init(|| self::labels(listed)));
        sum = sum.saturating_add(best(&texts).or_else(of_labels)?);
    }

    let row = format!("_{searched}_");
    let in_a_row = texts.iter().filter(|text| text.words.contains(&row));
    let best = in_a_row.map(|text| text.weight).max().unwrap_or_default();
    Some(sum.saturating_add(best.saturating_mul(IN_A_ROW)))
}

impl Text {
    fn new(text: &str, weight: u32) -> Self {
        let words = format!("_{}_", normalize(text));
        Self { words, weight }
    }

    /// What a word counts for here; `None` where it is not there.
    fn score(&self, word: &str) -> Option<u32> {
        if self.words.contains(&format!("_{word}_")) {
            return Some(self.weight.saturating_mul(WHOLE));
        }
        // The ending of a word may differ: `notaires` is searched as `notaire`.
        let start = format!("_{}", singular(word));
        self.words.contains(&start).then_some(self.weight)
    }
}

/// What a person may search first: titles and names, the search terms of the rules, which are their
/// synonyms, and topics.
fn titles(listed: &ListedFolder) -> Vec<Text> {
    let endpoint = listed.endpoint;
    let aliases = listed.folder.aliases();

    let mut texts = vec![
        Text::new(listed.folder.title(), TITLE),
        Text::new(&endpoint.title, NAME),
        Text::new(&endpoint.name, NAME),
    ];
    texts.extend(aliases.iter().map(|alias| Text::new(&alias.name, TITLE)));
    texts.extend(endpoint.search.iter().map(|terms| Text::new(terms, TERMS)));
    let of_word = endpoint.search_of.iter();
    let of_word = of_word.filter(|(word, _)| Some(word.as_str()) == listed.word);
    let of_word = of_word.flat_map(|(_, terms)| terms);
    texts.extend(of_word.map(|terms| Text::new(terms, TERMS)));
    texts.extend(endpoint.topics.iter().map(|topic| Text::new(topic, TOPIC)));
    texts
}

/// The labels and helps of what is asked, and the labels of what is answered.
fn labels(listed: &ListedFolder) -> Vec<Text> {
    let mut texts = Vec::new();
    for input in listed.folder.inputs() {
        texts.push(Text::new(&input.label, LABEL));
        let values = input.values.iter();
        texts.extend(values.map(|(_, label)| Text::new(label, LABEL)));
        texts.extend(input.help.iter().map(|help| Text::new(help, HELP)));
    }
    let fields = listed.folder.fields().into_iter();
    let labels = fields.filter_map(|field| field.label.as_deref());
    texts.extend(labels.map(|label| Text::new(label, LABEL)));
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::testing::rules;

    #[test]
    fn the_best_simulator_for_the_words_of_people_comes_first() {
        let rules = rules();
        let all = catalogue::all(&rules);
        let found = |words: &str| -> Vec<&str> {
            let found = ranked(&all, words).into_iter();
            found.map(|listed| listed.folder.path()).collect()
        };

        for (words, first) in [
            ("smic", "salaire-minimum/fr"),
            ("crédit immobilier", "pret"),
            ("auto-entrepreneur", "micro-entreprise"),
            ("prélèvement à la source", "foyer"),
            ("frais de notaires", "frais-acquisition"),
            ("Sénégal salaire net", "salaire-net/sn"),
            ("impôt sur le revenu", "ir"),
            ("brut en net", "salaire"),
            ("gross to net", "salaire"),
            ("salary", "salaire"),
            ("mortgage", "pret"),
            ("titres-restaurant", "salaire"),
            ("chômage", "chomage"),
            ("alternance", "salaire"),
            ("13e mois", "salaire"),
            ("bonus", "salaire"),
            ("ticket resto", "salaire"),
            ("heures sup", "salaire"),
            ("mi-temps", "salaire"),
            ("39 heures", "salaire"),
            ("mutuelle", "salaire"),
            ("CSG", "salaire"),
            ("fiche de paie", "salaire"),
            ("don manuel", "donation"),
            ("petit-enfant", "donation"),
            ("congé maternité", "indemnites-journalieres"),
            ("congé paternité", "indemnites-journalieres"),
            ("arrêt maladie", "indemnites-journalieres"),
            ("rupture conventionnelle", "indemnite-licenciement"),
            ("licenciement économique", "indemnite-licenciement"),
            ("ARE", "chomage"),
            ("TMI", "ir"),
            ("taux marginal", "ir"),
            ("quotient familial", "ir"),
            ("flat tax", "dividendes"),
            ("PFU", "dividendes"),
            ("RSI", "independant"),
            ("usufruit", "partage"),
            ("frais kilométriques", "bareme-kilometrique"),
            ("facture", "facture"),
        ] {
            assert_eq!(
                found(words).first(),
                Some(&first),
                "{words}: {:?}",
                found(words)
            );
        }

        // What the pay of a director is asked with is found, whatever comes first.
        for (words, expected) in [
            ("SASU", "salaire"),
            ("SASU", "statuts"),
            ("acompte", "foyer"),
        ] {
            assert!(
                found(words).contains(&expected),
                "{words}: {:?}",
                found(words)
            );
        }
        assert_eq!(found("zzyzx"), Vec::<&str>::new());

        // Whoever lives in France and works beyond its border is paid by the law of the neighbour.
        for words in [
            "frontalier",
            "salaire frontalier",
            "travailleurs frontaliers",
        ] {
            let mut paths = found(words);
            paths.sort_unstable();
            let neighbours = ["be", "ch", "lu", "mc"].map(|word| format!("salaire-net/{word}"));
            assert_eq!(paths, neighbours, "{words}");
        }
        assert_eq!(found("frontalier suisse"), ["salaire-net/ch"]);

        // Where no simulator has every word, those that have most of them.
        let near = |words: &str| -> Vec<&str> {
            let near = nearest(&all, words).into_iter();
            near.map(|listed| listed.folder.path()).collect()
        };
        for (words, first) in [
            ("smic 24h", "salaire-minimum/fr"),
            ("frais de notaire 69", "frais-acquisition"),
            ("impôt sur les sociétés apiculteur", "is"),
        ] {
            assert!(found(words).is_empty(), "{words}: {:?}", found(words));
            assert_eq!(
                near(words).first(),
                Some(&first),
                "{words}: {:?}",
                near(words)
            );
        }
        assert_eq!(near("zzyzx"), Vec::<&str>::new());
        assert_eq!(found("").len(), all.len());
    }
}
