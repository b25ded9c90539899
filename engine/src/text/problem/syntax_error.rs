//! Errors of the YAML parser, reworded for an analyst.

use super::Problem;
use crate::say;
use crate::text::words::is_name;
use crate::text::{Place, Text};

/// A cause for which a file is not YAML, and its cure.
struct Reason {
    /// Part of the message of the parser.
    parser: &'static str,
    cause: Text,
    cure: Text,
}

/// Declares the messages of the parser that analysts meet, each with the cause and the cure.
macro_rules! reasons {
    ($($parser:literal fr $fr:literal $fr_cure:literal en $en:literal $en_cure:literal)*) => {
        const REASONS: &[Reason] = &[$(Reason {
            parser: $parser,
            cause: Text::new($fr, $en),
            cure: Text::new($fr_cure, $en_cure),
        }),*];
    };
}

reasons! {
    "did not find expected ',' or '"
        fr "il manque une virgule ou une accolade, ici ou juste avant"
           "séparer les clés par une virgule, fermer chaque `{` et chaque `[`, mettre entre \
            guillemets un texte qui contient `: ` ou `, `"
        en "a comma or a brace is missing, here or just before"
           "separate the keys by a comma, close each `{` and each `[`, quote a text that holds `: \
            ` or `, `"
    "invalid trailing content after"
        fr "du texte suit un guillemet qui ferme"
           "fermer les guillemets à la fin du texte seulement ; un texte qui contient des \
            guillemets se met entre apostrophes, et l’inverse"
        en "there is text after a closing quote"
           "close the quotes at the end of the text only; a text that holds quotes is put between \
            apostrophes, and the reverse"
    "mapping values are not allowed"
        fr "un deux-points est de trop ici"
           "mettre entre guillemets un texte qui contient `: `, ou écrire le deux-points qui \
            manque à la clé au-dessus ou à gauche"
        en "a colon too many here"
           "quote a text that holds `: `, or write the colon that is missing to the key above or \
            to the left"
    "did not find expected key"
        fr "cette ligne n’est pas alignée avec les clés voisines"
           "donner la même marge à toutes les clés d’un même niveau"
        en "this line is not aligned with the keys beside it"
           "give the same margin to all the keys of a level"
    "did not find expected '-'"
        fr "cette ligne n’est pas alignée avec celles de la liste"
           "donner la même marge à tous les `- ` d’une liste"
        en "this line is not aligned with those of the list"
           "give the same margin to every `- ` of a list"
    "bracket"
        fr "une accolade ou un crochet ne ferme pas ce qui est ouvert"
           "fermer chaque `{` par `}` et chaque `[` par `]`, une seule fois"
        en "a brace or a bracket does not close what is open"
           "close each `{` by `}` and each `[` by `]`, once"
    "unexpected character"
        fr "une valeur ne commence pas par ce caractère"
           "la mettre entre guillemets ; le `%` d’un taux s’écrit à la fin, comme `6.3%`"
        en "a value does not start with this character"
           "put it between quotes; the `%` of a rate is at its end, like `6.3%`"
    "simple key expected ':'"
        fr "il manque un deux-points suivi d’une espace, ou le tiret qui commence une ligne de \
            liste"
           "écrire `clé: valeur`, ou `- ` devant une ligne de liste"
        en "a colon followed by a space is missing, or the dash that starts a line of a list"
           "write `key: value`, or `- ` before a line of a list"
    "in multiline quoted scalar"
        fr "un guillemet ouvert n’est pas fermé" "fermer les guillemets à la fin du texte"
        en "a quote that is open is not closed" "close the quotes at the end of the text"
    "plain scalar cannot start with '-'"
        fr "une valeur ne se réduit pas à un tiret"
           "écrire la valeur ; là où la loi n’en fixe pas, retirer la clé, si la méthode déclare \
            la colonne `optional`"
        en "a value is not a mere dash"
           "write the value; where the law sets none, remove the key, if the method declares the \
            column `optional`"
    "multiple YAML documents"
        fr "une ligne `---` coupe le fichier en deux, ici ou juste avant"
           "retirer cette ligne : un fichier est un seul document"
        en "a line `---` cuts the file in two, here or just before"
           "remove that line: a file is a single document"
    "unknown anchor"
        fr "une valeur ne commence pas par `*`, qui serait un renvoi"
           "écrire la valeur en toutes lettres, ou entre guillemets si c’est un texte"
        en "a value does not start with `*`, which would be an alias"
           "write the value out, or between quotes if it is a text"
}

/// A line of a list that does not start with a dash and a space. No message of the parser reports
/// it.
const NO_DASH: Reason = Reason {
    parser: "",
    cause: Text::new(
        "une ligne de liste commence par un tiret et une espace",
        "a line of a list starts with a dash and a space",
    ),
    cure: Text::new(
        "écrire `- ` au début de la ligne",
        "write `- ` at the start of the line",
    ),
};

/// A brace or bracket that nothing closes: the parser notices it some lines below.
const OPEN: Reason = Reason {
    parser: "did not find expected ',' or '",
    cause: Text::new(
        "ce qui s’ouvre ici n’est pas fermé",
        "what opens here is not closed",
    ),
    cure: Text::new(
        "le fermer par `}` ou `]`, à la fin de la ligne",
        "close it by `}` or `]`, at the end of the line",
    ),
};

/// A value that follows its colon without a space.
const NO_SPACE: Reason = Reason {
    parser: "mapping values are not allowed",
    cause: Text::new(
        "il manque une espace après ce deux-points",
        "a space is missing after this colon",
    ),
    cure: Text::new(
        "écrire `clé: valeur`, avec une espace",
        "write `key: value`, with a space",
    ),
};

/// The second key of a row of a list, under its dash: `- up_to: 100`, then `rate: 5%`.
const KEY_UNDER_DASH: Reason = Reason {
    parser: "did not find expected '-'",
    cause: Text::new(
        "cette clé n’est pas alignée avec la première de sa ligne de liste",
        "this key is not aligned with the first one of its line of a list",
    ),
    cure: Text::new(
        "la mettre sous la clé qui suit le `- `, deux espaces plus à droite",
        "put it under the key that follows the `- `, two spaces further to the right",
    ),
};

/// The text after the closing brace of a flow mapping, on the same line.
const AFTER_BRACE: Reason = Reason {
    parser: "",
    cause: Text::new(
        "du texte suit l’accolade qui ferme la ligne",
        "there is text after the brace that closes the line",
    ),
    cure: Text::new(
        "une ligne de liste finit à son `}` : le retirer, ou l’écrire à la ligne, derrière un `- `",
        "a line of a list ends at its `}`: remove it, or write it on the next line, behind a `- `",
    ),
};

/// Lines above the place where the parser stops that may be those of a mistake.
const LINES_ABOVE: usize = 5;

/// Turns a message of the parser into a problem and its place; an unclosed quote is reported where
/// it opens.
pub(crate) fn syntax_error(message: &str, place: Place) -> (Place, Problem) {
    let text = place.file().text();
    let start = text
        .get(..place.span().start)
        .map_or(0, |before| before.rfind('\n').map_or(0, |end| end + 1));
    let line = text
        .get(start..)
        .and_then(|rest| rest.lines().next())
        .unwrap_or_default();

    // The parser stops where it can read no further, which is often after the mistake: the lines
    // around show the slip that led there.
    let slip = no_dash(line, start).or_else(|| match message {
        message if message.contains(OPEN.parser) => open_above(text, line, start),
        message if message.contains(KEY_UNDER_DASH.parser) && is_entry(line) => {
            Some((start + margin(line), &KEY_UNDER_DASH))
        }
        message if message.contains("expected key") => in_margin_above(text, line, start),
        message if message.contains(NO_SPACE.parser) => {
            no_space(line, start).or_else(|| deeper(text, line, start))
        }
        message if message.contains("multiline") => {
            let opened = text
                .get(..place.span().start)
                .and_then(|before| before.rfind(['"', '\'']));
            opened.zip(reason(message))
        }
        _ => None,
    });

    let slip = slip.or_else(|| after_brace(text, start, place.span().start, message));

    // Without such a slip, the message itself has a reason; a message that nobody foresaw is quoted
    // in English, where it may help.
    let Some((at, reason)) = slip.or_else(|| Some((place.span().start, reason(message)?))) else {
        let problem = Problem::NotYaml {
            reason: say!(
                "la lecture s’arrête ici",
                "the reading stops here ({message})"
            ),
            cure: say!(
                "vérifier les deux-points, guillemets, crochets et marges de cette ligne et de la \
                 précédente",
                "check the colons, quotes, brackets and margins of this line and the one before"
            ),
        };
        return (place, problem);
    };

    let problem = Problem::NotYaml {
        reason: reason.cause.into(),
        cure: reason.cure.into(),
    };
    if at == place.span().start {
        return (place, problem);
    }
    let width = text
        .get(at..)
        .and_then(|rest| rest.chars().next())
        .map_or(0, char::len_utf8);
    (Place::new(place.file(), at..at + width), problem)
}

/// The reason for a message of the YAML parser, in words for an analyst.
fn reason(message: &str) -> Option<&'static Reason> {
    REASONS
        .iter()
        .find(|reason| message.contains(reason.parser))
}

/// An offset and what is wrong there.
type Slip = (usize, &'static Reason);

/// A line of a list that begins with another sign than a dash and a space.
fn no_dash(line: &str, start: usize) -> Option<Slip> {
    let body = line.trim_start();
    let bullet = body
        .chars()
        .next()
        .filter(|first| "•–—-*·".contains(*first))?;

    // A dash that a word follows is a negative number or a name: only `-{` is surely a slip.
    let after = body.get(bullet.len_utf8()..)?;
    (bullet != '-' || after.starts_with('{')).then_some((start + line.len() - body.len(), &NO_DASH))
}

/// The nearest `{` or `[` above that its line leaves open, if a later line is not indented deeper
/// than that line: such a line is a key of its own, not a part of what is open.
fn open_above(text: &str, line: &str, start: usize) -> Option<Slip> {
    let mut end = start;
    let mut least = margin(line);

    let lines = text.get(..start)?.split_inclusive('\n').rev();
    for above in lines.take(LINES_ABOVE) {
        end -= above.len();
        if let Some(open) = left_open(above) {
            return (least <= margin(above)).then_some((end + open, &OPEN));
        }
        if !above.trim().is_empty() {
            least = least.min(margin(above));
        }
    }

    None
}

fn margin(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The place of the first brace or bracket of a line that the line does not close, those in quotes
/// left out.
fn left_open(line: &str) -> Option<usize> {
    let mut open = Vec::new();
    let mut is_quoted = false;

    for (at, sign) in line.char_indices() {
        match sign {
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '{' | '[' => open.push(at),
            '}' | ']' => drop(open.pop()),
            _ => {}
        }
    }

    // A quote that is not closed reaches into the next line: the braces cannot be counted.
    open.first().copied().filter(|_| !is_quoted)
}

/// The colon that ends the first word of a line, if a value follows it at once.
fn no_space(line: &str, start: usize) -> Option<Slip> {
    let colon = line.find(':')?;
    let is_key = is_name(line.get(..colon)?.trim_start_matches([' ', '-']));
    let is_stuck = line
        .get(colon + 1..)?
        .starts_with(|sign: char| !sign.is_whitespace());
    (is_key && is_stuck).then_some((start + colon, &NO_SPACE))
}

/// Whether a line begins with a key.
fn is_entry(line: &str) -> bool {
    let key = line.split_once(':').map(|(key, _)| key);
    key.is_some_and(|key| is_name(key.trim_start_matches(' ')))
}

/// The key above that is in the margin of the section it belongs to: under it, what is its own
/// has a wider margin than the line at which the parser stops.
fn in_margin_above(text: &str, line: &str, start: usize) -> Option<Slip> {
    let written = |line: &&str| !line.trim().is_empty();
    let mut below = margin(line);
    let mut end = start;

    let lines = text.get(..start)?.split_inclusive('\n').rev();
    for above in lines {
        end -= above.len();
        if !written(&above) {
            continue;
        }
        if margin(above) < margin(line) {
            let section = text.get(..end)?.lines().rev().find(written)?;
            let is_empty = |line: &str| is_entry(line) && line.trim_end().ends_with(':');
            // The lines below are those of the key, and neither it nor its section has a value.
            let is_slip = below > margin(line)
                && is_empty(above)
                && is_empty(section)
                && margin(section) == margin(above);
            let reason = reason("did not find expected key")?;
            return is_slip.then_some((end + margin(above), reason));
        }
        below = margin(above);
    }
    None
}

/// The text after the brace that closes the line.
fn after_brace(text: &str, start: usize, at: usize, message: &str) -> Option<Slip> {
    let before = text.get(start..at)?.trim_end();
    let is_closed = before.trim_start().starts_with("- {") && before.ends_with('}');
    let is_other = message.contains(OPEN.parser) || message.contains("bracket");

    (is_closed && left_open(before).is_none() && !is_other).then_some((at, &AFTER_BRACE))
}

/// A line with a wider margin than that of the key with a value above it.
fn deeper(text: &str, line: &str, start: usize) -> Option<Slip> {
    let above = text
        .get(..start)?
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())?;

    let (key, value) = above.split_once(": ")?;
    // A key that has its value has no entries below it.
    let is_slip = is_name(key.trim_start())
        && !value.trim().is_empty()
        && margin(line) > margin(above)
        && is_entry(line);

    is_slip.then(|| Some((start + margin(line), reason("did not find expected key")?)))?
}

#[cfg(test)]
mod tests {
    use crate::text::diagnostic::{Report, RuleFile};
    use crate::text::lang::Lang;
    use crate::text::yaml::Node;

    /// The cause reported for a text that is not YAML.
    fn cause(text: &str) -> String {
        let mut report = Report::default();
        assert!(
            Node::read(&RuleFile::new("a.yaml", text), &mut report).is_none(),
            "{text}"
        );
        let found = report.errors().next().unwrap();
        assert_eq!(found.code(), "Y01");
        found.message(Lang::En).to_owned()
    }

    #[test]
    fn every_reason_is_one_that_the_parser_gives() {
        let texts = [
            "a: {b: 1 c: 2}",
            "a: \"b\" c",
            "a: b: c",
            "a:\n   b: 1\n  c: 2",
            "a:\n   - {b: 1}\n    - {c: 2}",
            "a: {b: 1]",
            "a: @b",
            "a: 1\nb\nc: 2",
            "a: \"b\nc: 2",
            "a: {b: -, c: d}",
            "a: 1\n---\nb: 2",
            "a: *b",
        ];
        for (reason, text) in super::REASONS.iter().zip(texts) {
            assert!(
                cause(text).contains(reason.cause.en),
                "{text}: {}",
                cause(text)
            );
        }
        for (text, at, expected) in [
            (
                "a:\n  b: {c: 1, d: \"{\"\n  e: 2\n",
                8,
                super::OPEN.cause.en,
            ),
            ("a:\n  b: {c: 1,\n  e:\n    f: 2\n", 8, super::OPEN.cause.en),
            ("a:\n  b:{c: 1, d: 2}\n", 6, super::NO_SPACE.cause.en),
            ("a:\n   b: 1\n    c: 2\n", 15, "not aligned"),
        ] {
            let mut report = Report::default();
            assert!(
                Node::read(&RuleFile::new("a.yaml", text), &mut report).is_none(),
                "{text}"
            );
            let found = report.errors().next().unwrap();
            assert!(
                found.message(Lang::En).contains(expected),
                "{text}: {}",
                found.message(Lang::En)
            );
            assert_eq!(found.place().span().start, at, "{text}");
        }
        assert!(
            cause("a: \"\\q\"").contains("the reading stops here (while parsing a quoted scalar")
        );
    }
}
