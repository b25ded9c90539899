//! `chercher`: full-text search in calculations, figures and legal texts.

use std::sync::Arc;

use bareme_engine::law::Source;
use bareme_engine::law::parameter::DATE;
use bareme_engine::run::Edition;
use bareme_engine::text::{BadParameter, ParameterCode, Text};
use bareme_engine::{Folder, Lang, say};
use bareme_show::figures::{self, title};
use bareme_show::schema::Parameter;
use bareme_show::unit;
use jiff::civil::Date;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use crate::Assistant;
use crate::answer::{Answer, Part, Parts, object};
use crate::arguments::Arguments;
use crate::catalogue::{FixedTool, Outcome, required};
use crate::index::{Entries, Entry, IDENTICAL, Subject, words};
use crate::reserves::{Nature, Reserve};

/// Argument with the words.
const WORDS: &str = "mots";

/// Greatest number of results.
const MAX_RESULTS: usize = 20;

/// Greatest number of words of a question, without stop words.
const MAX_WORDS: usize = 16;

pub(crate) const TOOL: FixedTool = FixedTool {
    name: "chercher",
    title: Text::new(
        "Chercher un calcul, un chiffre, un texte",
        "Search for a calculation, a figure, a text",
    ),
    description: Text::new(
        "Cherche par mots, en français, parmi les calculs, les chiffres et les textes : « plafond \
         de la sécurité sociale 2025 ». Une année parmi les mots choisit le barème de son premier \
         jour. Rien trouvé : la question n’est pas couverte.",
        "Searches by French words among the calculations, the figures and the texts: “plafond de \
         la sécurité sociale 2025”. A year among the words selects the scale of its first day. If \
         nothing is found, the question is not covered.",
    ),
    calculations: None,
    parameters,
    answers,
    call,
};

fn parameters(assistant: &Assistant) -> Vec<Parameter> {
    let lang = assistant.lang;
    let words = say!(lang, "Les mots.", "The words, in French.");

    let day = say!(
        lang,
        "Jour du barème ; aujourd’hui par défaut.",
        "Day of the scale; today by default."
    );

    vec![
        required(WORDS, words, json!({"type": "string"})),
        Parameter::optional(DATE, day, json!({"type": "string", "format": "date"})),
    ]
}

fn answers() -> (Value, &'static [&'static str]) {
    let text = json!({"type": "string"});

    let found = json!({
        "type": "object",
        "properties": {
            "nature": {"enum": ["calcul", "chiffre", "texte"]},
            "bareme": text,
            "calcul": text,
            "chiffre": text,
            "libelle": text,
            "valeur": text,
            "unite": text,
            "depuis": text,
            "url": text,
            "lien": text,
        },
        "required": ["nature", "bareme", "libelle"],
    });

    (
        json!({"date": text, "trouve": {"type": "array", "items": found}}),
        &["date", "trouve"],
    )
}

/// The edition of a folder in which a search looks, with its entries.
struct Searched<'r> {
    folder: &'r Folder,
    edition: &'r Edition,
    entries: Arc<Entries>,
}

/// An entry that was found, in its edition.
#[derive(Clone, Copy)]
struct Candidate<'e, 'r> {
    entry: &'e Entry,
    searched: &'e Searched<'r>,
}

fn call(assistant: &Assistant, sent: &JsonObject) -> Outcome {
    let mut arguments = Arguments::new(sent);
    let text = arguments
        .required(WORDS, ("des mots", "words"))
        .unwrap_or_default();
    let words = words(&text);
    // The cost of a search grows with its words.
    if words.len() > MAX_WORDS {
        arguments.refuse(too_many_words(words.len(), &text));
    }
    let day = arguments.day(DATE);
    let is_whole = arguments.detail();
    arguments.finish()?;

    // A year among the words is a day to search on, and not a word to find; the argument `date`
    // comes before it.
    let year = words.iter().find_map(|word| year(word));
    let day = day.or(year).unwrap_or(assistant.today);

    let searched = searched(assistant, day);
    let candidates = candidates(assistant, &searched);

    let asked = words.iter().filter(|word| year_of(word).is_none());

    // Asked once the entries are there: the vocabulary has all their words by then.
    let similar: Vec<Vec<u8>> = asked.map(|word| assistant.index.similar(word)).collect();

    let found = ranked(&candidates, &similar);

    let mut reserves = Vec::new();
    if found.is_empty() {
        let text = say!(
            assistant.lang,
            "Aucun calcul, aucun chiffre et aucun texte n’ont ces mots : rien ne dit que la \
             question soit couverte.",
            "No calculation, no figure and no text has these words: nothing says that the question \
             is covered."
        );
        reserves.push(Reserve::new(Nature::NotCovered, text));
    }

    // The best come first, so that the limit leaves out the worst.
    let shown = found.into_iter().take(MAX_RESULTS);
    let parts: Vec<Part> = shown.filter_map(|found| part(found, assistant)).collect();

    Ok(Answer {
        head: vec![Part::new(DATE, day.to_string(), "")],
        list: Parts {
            name: "trouve",
            is_object: false,
            parts,
            fewest: 1,
        },
        reserves,
        tail: Vec::new(),
        is_whole,
    })
}

fn too_many_words(found: usize, text: &str) -> BadParameter {
    let reason = say!(
        "La question a {found} mots.",
        "The question has {found} words."
    );

    let expected = say!("{MAX_WORDS} mots au plus", "at most {MAX_WORDS} words");

    BadParameter::new(WORDS, ParameterCode::TooMany, reason, Some(text), expected)
}

fn year_of(word: &str) -> Option<i16> {
    // Other numbers of four digits are amounts, or articles of a code.
    let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    word.parse().ok().filter(|_| is_year)
}

/// The first day of the year that a word names.
fn year(word: &str) -> Option<Date> {
    Date::new(year_of(word)?, 1, 1).ok()
}

/// The editions of a day, with their entries.
fn searched<'r>(assistant: &Assistant<'r>, day: Date) -> Vec<Searched<'r>> {
    let of_day = assistant.scales().into_iter().filter_map(|folder| {
        let edition = folder.edition(day)?;
        let entries = assistant.index.entries(assistant.rules, folder, edition);
        Some(Searched {
            folder,
            edition,
            entries,
        })
    });
    of_day.collect()
}

/// The entries of all editions: of each the calculation that is its tool, then the others.
fn candidates<'e, 'r>(
    assistant: &Assistant,
    searched: &'e [Searched<'r>],
) -> Vec<Candidate<'e, 'r>> {
    let of_edition = |searched: &'e Searched<'r>| {
        let entries = &searched.entries;
        let is_of = |name: &str, entry: &Entry| match &entry.subject {
            Subject::Calculation(known) => known == name,
            _ => false,
        };

        let mut endpoints = assistant.endpoints.iter();
        let own = endpoints.find_map(|endpoint| {
            entries
                .calculations
                .iter()
                .find(|entry| is_of(&endpoint.name, entry))
        });

        // A folder of several endpoints is found once, by the first that has it.
        own.into_iter()
            .chain(&entries.others)
            .map(move |entry| Candidate { entry, searched })
    };
    searched.iter().flat_map(of_edition).collect()
}

/// The best similarity of some words with a word that was asked.
fn best(words: &[u32], similar: &[u8]) -> usize {
    let of_word = |word: &u32| similar.get(usize::try_from(*word).ok()?);
    words
        .iter()
        .filter_map(of_word)
        .max()
        .copied()
        .unwrap_or_default()
        .into()
}

/// The entries that match, ranked by the rarity of their words; among equals, those with the fewest
/// other words first.
fn ranked<'e, 'r>(candidates: &[Candidate<'e, 'r>], similar: &[Vec<u8>]) -> Vec<Candidate<'e, 'r>> {
    // A word that most entries have, such as `taux`, decides little.
    let weights: Vec<usize> = similar
        .iter()
        .map(|similar| weight(candidates, similar))
        .collect();

    let score = |found: &Candidate| {
        let of_word = |(similar, weight): (&Vec<u8>, &usize)| {
            let own = best(&found.entry.words, similar).saturating_mul(3);
            // A word of the entry itself counts more than one of its scale.
            let of_scale = best(&found.searched.entries.scale, similar).saturating_mul(2);
            weight.saturating_mul(own.max(of_scale))
        };
        similar.iter().zip(&weights).map(of_word).sum::<usize>()
    };

    // Entries with less than half of the best score are not relevant.
    let identical = usize::from(IDENTICAL).saturating_mul(3);
    let most: usize = weights
        .iter()
        .map(|weight| weight.saturating_mul(identical))
        .sum();
    // A word of the scale alone would find all its entries.
    let is_own = |found: &&Candidate| {
        similar
            .iter()
            .any(|similar| best(&found.entry.words, similar) > 0)
    };

    let mut found: Vec<(usize, usize, Candidate)> = candidates
        .iter()
        .filter(is_own)
        .map(|found| (score(found), found.entry.words.len(), *found))
        .filter(|(score, ..)| score.saturating_mul(2) > most)
        .collect();

    // The greatest score first; then the entry with the fewest words, which is the most specific.
    found.sort_by(|one, other| (other.0, one.1).cmp(&(one.0, other.1)));
    found.into_iter().map(|(.., found)| found).collect()
}

/// Weight of a word: the rarer, the greater.
fn weight(candidates: &[Candidate], similar: &[u8]) -> usize {
    let has = |found: &&Candidate| {
        best(&found.entry.words, similar) > 0 || best(&found.searched.entries.scale, similar) > 0
    };

    let count = candidates.iter().filter(has).count().max(1);
    // The logarithm of the share of entries that have it, as in the measure tf–idf.
    let rarity = candidates
        .len()
        .checked_div(count)
        .unwrap_or(1)
        .max(1)
        .ilog2();

    usize::try_from(rarity)
        .unwrap_or_default()
        .saturating_add(1)
}

/// The scale of a result, as every result shows it.
struct ShownScale<'s> {
    path: &'s str,
    title: &'s str,
    /// Its first day.
    since: Option<String>,
    link: String,
}

fn part(found: Candidate, assistant: &Assistant) -> Option<Part> {
    let Searched {
        folder, edition, ..
    } = found.searched;
    let (lang, method) = (assistant.lang, edition.method());
    let scale = ShownScale {
        path: folder.path(),
        title: &method.title,
        since: edition.scale().map(|scale| scale.date.to_string()),
        link: assistant.page_link(folder),
    };

    let (described, line) = match &found.entry.subject {
        Subject::Calculation(name) => of_calculation(name, &scale, lang),
        Subject::Figure {
            figure,
            label,
            value,
            ty,
        } => {
            let name = title(method, figure);
            let value = figures::value(value, *ty, method, assistant.locale());
            let described = json!({
                "nature": "chiffre",
                "bareme": scale.path,
                "chiffre": figure,
                "libelle": format!("{name}, {label}"),
                "valeur": value,
                "unite": unit(*ty, method.currency.as_deref(), lang),
                "depuis": scale.since,
                "lien": scale.link,
            });
            let scale_title = scale.title;
            let line = say!(
                lang,
                "- {scale_title} : {name}, {label} : {value}",
                "- {scale_title}: {name}, {label}: {value}"
            );
            (described, line)
        }
        Subject::Rows { figure, count } => {
            of_rows(figure, &title(method, figure), *count, &scale, lang)
        }
        Subject::Source(index) => of_source(edition.scale()?.sources.get(*index)?, &scale, lang),
    };

    Some(Part::new("", object(described), line))
}

/// The members and the line of a calculation.
fn of_calculation(name: &str, scale: &ShownScale, lang: Lang) -> (Value, String) {
    let scale_title = scale.title;
    let described = json!({
        "nature": "calcul",
        "bareme": scale.path,
        "calcul": name,
        "libelle": scale_title,
        "depuis": scale.since,
        "lien": scale.link,
    });
    let line = say!(
        lang,
        "- Calcul `{name}` : {scale_title}",
        "- Calculation `{name}`: {scale_title}"
    );
    (described, line)
}

/// The members and the line of a figure of many values, which another tool lists.
fn of_rows(
    figure: &str,
    name: &str,
    count: usize,
    scale: &ShownScale,
    lang: Lang,
) -> (Value, String) {
    let described = json!({
        "nature": "chiffre",
        "bareme": scale.path,
        "chiffre": figure,
        "libelle": format!("{name} ({count})"),
        "depuis": scale.since,
        "lien": scale.link,
    });
    let scale_title = scale.title;
    let line = say!(
        lang,
        "- {scale_title} : {name}, {count} valeurs (outil `chiffre`)",
        "- {scale_title}: {name}, {count} values (tool `chiffre`)"
    );
    (described, line)
}

/// The members and the line of a legal text or of an official page.
fn of_source(source: &Source, scale: &ShownScale, lang: Lang) -> (Value, String) {
    let cited = source.cited();
    let described = json!({
        "nature": "texte",
        "bareme": scale.path,
        "libelle": cited,
        "url": source.url,
        "depuis": scale.since,
        "lien": scale.link,
    });
    let scale_title = scale.title;
    let line = say!(
        lang,
        "- Texte ({scale_title}) : {cited}",
        "- Text ({scale_title}): {cited}"
    );
    (described, line)
}
