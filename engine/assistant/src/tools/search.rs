//! `chercher`: full-text search in calculations, figures and legal texts.

use std::collections::BTreeMap;

use bareme_engine::run::Edition;
use bareme_engine::text::{Text, normalize};
use bareme_engine::{Folder, say};
use bareme_show::figures::{self, Line, side_by_side, title};
use bareme_show::schema::Parameter;
use bareme_show::unit;
use jiff::civil::Date;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use crate::Assistant;
use crate::answer::{Answer, Part, Parts, object};
use crate::arguments::Arguments;
use crate::catalogue::{FixedTool, Outcome, required};
use crate::reserves::{Nature, Reserve};

/// Argument with the words.
const WORDS: &str = "mots";
/// Argument with the day.
const DATE: &str = "date";

/// Greatest number of results.
const MAX_RESULTS: usize = 20;

/// Stop words.
const STOP_WORDS: &[&str] = &[
    "a", "au", "aux", "avec", "ce", "combien", "d", "dans", "de", "des", "du", "en", "est", "et", "for", "how", "il",
    "in", "is", "l", "la", "le", "les", "montant", "much", "of", "on", "par", "pour", "quel", "quelle", "quels", "s",
    "sont", "sur", "the", "un", "une", "what",
];

pub(crate) const TOOL: FixedTool = FixedTool {
    name: "chercher",
    title: Text::new("Chercher un calcul, un chiffre, un texte", "Search for a calculation, a figure, a text"),
    description: Text::new(
        "Cherche par mots, en français, parmi les calculs, les chiffres et les textes : « plafond de la sécurité sociale \
         2025 ». Une année parmi les mots choisit le barème de son premier jour. Rien trouvé : la question n’est pas couverte.",
        "Searches by French words among the calculations, the figures and the texts: “plafond de la sécurité sociale 2025”. \
         A year among the words selects the scale of its first day. If nothing is found, the question is not covered.",
    ),
    calculates: false,
    parameters,
    answers,
    call,
};

fn parameters(assistant: &Assistant) -> Vec<Parameter> {
    let lang = assistant.lang;
    let words = say!(lang, "Les mots.", "The words, in French.");
    let day = say!(lang, "Jour du barème ; aujourd’hui par défaut.", "Day of the scale; today by default.");
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
            "nature": {"enum": ["calcul", "chiffre", "texte"]}, "bareme": text, "calcul": text, "chiffre": text,
            "libelle": text, "valeur": text, "unite": text, "depuis": text, "url": text, "lien": text,
        },
        "required": ["nature", "bareme", "libelle"],
    });
    (json!({"date": text, "trouve": {"type": "array", "items": found}}), &["date", "trouve"])
}

/// An entry of the index: its words, and what to show.
struct Entry<'r> {
    /// Normalized words of the entry itself, then of its scale.
    own: Vec<String>,
    scale: std::rc::Rc<Vec<String>>,
    shown: Shown<'r>,
    folder: &'r Folder,
    edition: &'r Edition,
}

/// The subject of an entry of the search index.
enum Shown<'r> {
    Calculation(&'r str),
    Figure(Line<'r>),
    Rows { figure: &'r str, count: usize },
    Source(&'r bareme_engine::law::Source),
}

fn call(assistant: &Assistant, sent: &JsonObject) -> Outcome {
    let mut arguments = Arguments::new(sent);
    let text = arguments.required(WORDS, ("des mots", "words"));
    let day = arguments.day(DATE);
    let is_whole = arguments.detail();
    arguments.finish()?;
    let words = words(&text.unwrap_or_default());
    let year = words.iter().find_map(|word| year(word));
    let day = day.or(year).unwrap_or(assistant.today);
    let words: Vec<&String> = words.iter().filter(|word| year_of(word).is_none()).collect();
    let entries = entries(assistant, day);
    let found = ranked(&entries, &words);
    let mut reserves = Vec::new();
    if found.is_empty() {
        let text = say!(
            assistant.lang,
            "Aucun calcul, aucun chiffre et aucun texte n’ont ces mots : rien ne dit que la question soit couverte.",
            "No calculation, no figure and no text has these words: nothing says that the question is covered."
        );
        reserves.push(Reserve::new(Nature::NotCovered, text));
    }
    let parts: Vec<Part> = found.into_iter().take(MAX_RESULTS).filter_map(|entry| part(entry, assistant)).collect();
    Ok(Answer {
        head: vec![Part::new(DATE, day.to_string(), "")],
        list: Parts { name: "trouve", is_object: false, parts, fewest: 1 },
        reserves,
        tail: Vec::new(),
        is_whole,
    })
}

/// The words of a text, without stop words.
fn words(text: &str) -> Vec<String> {
    let all = normalize(text);
    all.split('_').filter(|word| !word.is_empty() && !STOP_WORDS.contains(word)).map(str::to_owned).collect()
}

fn year_of(word: &str) -> Option<i16> {
    let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    word.parse().ok().filter(|_| is_year)
}

/// The first day of the year that a word names.
fn year(word: &str) -> Option<Date> {
    Date::new(year_of(word)?, 1, 1).ok()
}

/// The index of everything on a day.
fn entries<'r>(assistant: &Assistant<'r>, day: Date) -> Vec<Entry<'r>> {
    let mut entries = Vec::new();
    for folder in assistant.scales() {
        let Some(edition) = folder.edition(day) else { continue };
        let method = edition.method();
        let aliases = folder.aliases().into_iter().map(|alias| alias.name.as_str()).collect::<Vec<_>>().join(" ");
        let of_scale = std::rc::Rc::new(words(&format!("{} {} {aliases}", folder.path(), method.title)));
        let mut add = |own: String, shown: Shown<'r>| {
            entries.push(Entry { own: words(&own), scale: of_scale.clone(), shown, folder, edition });
        };
        let is_its_own = |endpoint: &&&bareme_engine::service::Endpoint| {
            assistant.rules.members(endpoint).any(|(_, member)| std::ptr::eq(member, folder))
        };
        if let Some(endpoint) = assistant.endpoints.iter().find(is_its_own) {
            let own = format!("{} {} {}", endpoint.title, endpoint.search.join(" "), method.title);
            add(own, Shown::Calculation(&endpoint.name));
        }
        let lines = side_by_side(&[edition]);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        lines.iter().for_each(|line| *counts.entry(line.figure).or_default() += 1);
        let mut told: Vec<&str> = Vec::new();
        for line in lines {
            let (figure, count) = (line.figure, counts.get(line.figure).copied().unwrap_or_default());
            let name = title(method, figure);
            if line.group().is_none() && count <= MAX_VALUE_ENTRIES {
                add(format!("{figure} {name} {}", line.label()), Shown::Figure(line));
            } else if !told.contains(&figure) {
                told.push(figure);
                add(format!("{figure} {name}"), Shown::Rows { figure, count });
            }
        }
        for source in edition.scale().map(|scale| scale.sources.as_ref()).unwrap_or_default() {
            add(format!("{} {}", source.cited(), source.publisher), Shown::Source(source));
        }
    }
    entries
}

/// Number of values up to which each value of a figure has its own entry.
const MAX_VALUE_ENTRIES: usize = 6;

/// The entries that match, ranked by the rarity of their words; among equals, those with the fewest other words
/// first.
fn ranked<'e, 'r>(entries: &'e [Entry<'r>], words: &[&String]) -> Vec<&'e Entry<'r>> {
    let weights: Vec<usize> = words.iter().map(|word| weight(entries, word)).collect();
    let score = |entry: &Entry| {
        let of_word = |(word, weight): (&&String, &usize)| {
            let best = |words: &[String]| words.iter().map(|own| similarity(own, word)).max().unwrap_or_default();
            // A word of the entry itself counts more than one of its scale.
            weight.saturating_mul(best(&entry.own).saturating_mul(3).max(best(&entry.scale).saturating_mul(2)))
        };
        words.iter().zip(&weights).map(of_word).sum::<usize>()
    };
    // Entries with less than half of the best score are not relevant.
    let most: usize = weights.iter().map(|weight| weight.saturating_mul(3 * IDENTICAL)).sum();
    let is_own = |entry: &Entry| words.iter().any(|word| entry.own.iter().any(|own| similarity(own, word) > 0));
    let mut found: Vec<(usize, usize, &Entry)> = entries
        .iter()
        .filter(|entry| is_own(entry))
        .map(|entry| (score(entry), entry.own.len(), entry))
        .filter(|(score, ..)| score.saturating_mul(2) > most)
        .collect();
    found.sort_by(|one, other| (other.0, one.1).cmp(&(one.0, other.1)));
    found.into_iter().map(|(_, _, entry)| entry).collect()
}

/// Weight of a word: the rarer, the greater.
fn weight(entries: &[Entry], word: &str) -> usize {
    let has = |entry: &&Entry| entry.own.iter().chain(entry.scale.iter()).any(|own| similarity(own, word) > 0);
    let count = entries.iter().filter(has).count().max(1);
    let rarity = entries.len().checked_div(count).unwrap_or(1).max(1).ilog2();
    usize::try_from(rarity).unwrap_or_default().saturating_add(1)
}

/// Similarity of identical words.
const IDENTICAL: usize = 4;

/// Similarity of two words: identical, equal but for an ending, or none.
fn similarity(own: &str, asked: &str) -> usize {
    if own == asked {
        return IDENTICAL;
    }
    let (own, asked) = (stem(own), stem(asked));
    if own == asked {
        IDENTICAL - 1
    } else if asked.len() >= 4 && own.starts_with(asked) {
        IDENTICAL - 2
    } else {
        0
    }
}

/// A word without its endings of number and gender.
fn stem(word: &str) -> &str {
    let plain = word.trim_end_matches(['s', 'x']).trim_end_matches('e');
    if plain.len() < 3 { word } else { plain }
}

fn part(entry: &Entry, assistant: &Assistant) -> Option<Part> {
    let (lang, method) = (assistant.lang, entry.edition.method());
    let (path, scale_title) = (entry.folder.path(), &method.title);
    let (since, link) = (entry.edition.scale().map(|scale| scale.date.to_string()), assistant.page_link(entry.folder));
    let (described, line) = match &entry.shown {
        Shown::Calculation(name) => (
            json!({"nature": "calcul", "bareme": path, "calcul": name, "libelle": scale_title, "depuis": since, "lien": link}),
            say!(lang, "- Calcul `{name}` : {scale_title}", "- Calculation `{name}`: {scale_title}"),
        ),
        Shown::Figure(found) => {
            let (value, ty) = found.values.first()?.as_ref()?;
            let (name, label) = (title(method, found.figure), found.label());
            let value = figures::value(value, *ty, method, assistant.locale());
            let described = json!({
                "nature": "chiffre", "bareme": path, "chiffre": found.figure, "libelle": format!("{name}, {label}"),
                "valeur": value, "unite": unit(*ty, method.currency.as_deref(), lang), "depuis": since, "lien": link,
            });
            let line =
                say!(lang, "- {scale_title} : {name}, {label} : {value}", "- {scale_title}: {name}, {label}: {value}");
            (described, line)
        }
        Shown::Rows { figure, count } => {
            let name = title(method, figure);
            let described = json!({
                "nature": "chiffre", "bareme": path, "chiffre": figure, "libelle": format!("{name} ({count})"),
                "depuis": since, "lien": link,
            });
            let line = say!(
                lang,
                "- {scale_title} : {name}, {count} valeurs (outil `chiffre`)",
                "- {scale_title}: {name}, {count} values (tool `chiffre`)"
            );
            (described, line)
        }
        Shown::Source(source) => {
            let cited = source.cited();
            let described = json!({
                "nature": "texte", "bareme": path, "libelle": cited, "url": source.url, "depuis": since, "lien": link,
            });
            (described, say!(lang, "- Texte ({scale_title}) : {cited}", "- Text ({scale_title}): {cited}"))
        }
    };
    Some(Part::new("", object(described), line))
}
