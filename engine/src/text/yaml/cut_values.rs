//! Repair of values that a comma cut inside `{ }`: YAML reads `{rate: 3,6%}` as a rate of 3 and an
//! empty key `6%`. The pieces are joined again and reported once, with a cure that fits the key.

use crate::say;
use crate::text::number::{parse_amount, parse_rate};
use crate::text::words::is_name;
use crate::text::{Place, Problem, Report, Text};

use super::{Content, Node, PlacedText};

/// Keys whose value is prose, to be quoted. A test compares the keys of the schemas with these and
/// with [`LIST_KEYS`].
pub(crate) const TEXT_KEYS: &[&str] = &[
    "title",
    "label",
    "item",
    "law",
    "help",
    "note",
    "name",
    "publisher",
    "published",
    "citation",
    "article",
    "text",
    "changes",
    "attribution",
    "warn",
    "warns",
    "price",
    "identifier",
    "url",
    "documentation",
    "section",
    "country",
    "refuse",
    "more",
    "called",
    "settled",
    "positive",
    "zero",
    "negative",
    "rest",
];

/// Keys whose value may be a list, separated by `;`.
pub(crate) const LIST_KEYS: &[&str] = &[
    "embedded_by",
    "aliases",
    "near",
    "round",
    "source",
    "checked_with",
    "values",
    "words",
    "by",
    "lines",
    "if_applied",
    "brackets",
    "endpoints",
    "ignored",
    "topics",
    "search",
    "terms",
    "absent",
    "without",
    "varying",
    "totals",
    "each_month",
    "per",
    "unconfirmed",
    "calculations",
    "ask",
    "fields",
    "found",
    "same",
];

/// The file of the worked cases, whose values are written as in a query: no spaces between
/// thousands.
const CASES_FILE: &str = "cases.yaml";

/// Whether a key is followed by a colon in the file.
pub(super) fn has_colon(key: &PlacedText) -> bool {
    let after = key
        .place
        .file()
        .text()
        .get(key.place.span().end..)
        .unwrap_or_default();
    after.trim_start().starts_with(':')
}

/// Keys of figures that a number before them may have been cut from: `{montant: 1 807, per year}`.
const KEYS_AFTER_NUMBERS: [&str; 10] = [
    "per", "rate", "source", "up_to", "below", "over", "from", "max", "min", "ceiling",
];

/// Whether a piece without a colon continues the value before it.
pub(super) fn may_continue(before: Option<&(PlacedText, Node)>, piece: &PlacedText) -> bool {
    let is_key = piece
        .value
        .split_once(' ')
        .is_some_and(|(word, _)| KEYS_AFTER_NUMBERS.contains(&word));
    let Some((key, value)) = before.and_then(|(key, value)| Some((key, value.text()?))) else {
        return false;
    };

    // `{situation: seul, 18 000, rate: 10%}`: an amount after a word is a value of its own.
    let is_text = [TEXT_KEYS, LIST_KEYS]
        .iter()
        .any(|keys| keys.contains(&key.value.as_str()));
    let is_value = is_name(&value.value) && is_amount(&piece.value) && !is_text;
    let is_own = is_value || is_key && is_amount(&value.value);
    !is_own && split(&piece.value).is_none()
}

/// Whether a text is a number or a rate as a file writes it.
fn is_amount(text: &str) -> bool {
    parse_amount(text).is_ok() || parse_rate(text).is_ok()
}

/// Warns where a `#` cuts an unquoted text.
pub(super) fn warn_of_comment(key: &PlacedText, value: &Node, report: &mut Report) {
    if !TEXT_KEYS.contains(&key.value.as_str()) || value.text().is_none() {
        return;
    }

    // YAML starts a comment at a `#` after a space, also inside a sentence: `note: art. 3 # 4`.
    // Between quotes or in a block there is none.
    let span = value.place.span();
    let text = key.place.file().text();
    let is_plain = text
        .get(span.clone())
        .is_some_and(|written| !written.starts_with(['"', '\'', '|', '>']));
    let after = text
        .get(span.end..)
        .and_then(|rest| rest.lines().next())
        .unwrap_or_default();

    if is_plain && after.trim_start().starts_with('#') {
        let hash = span.end + (after.len() - after.trim_start().len());
        report.warn(
            &Place::new(key.place.file(), hash..hash + 1),
            Problem::CommentCutsText {},
        );
    }
}

/// Joins the pieces of a value that commas cut, up to the end of the last one.
pub(super) fn repair(
    before: Option<&mut (PlacedText, Node)>,
    end: Option<usize>,
    report: &mut Report,
) {
    let (Some((key, value)), Some(end)) = (before, end) else {
        return;
    };

    let place = Place::new(key.place.file(), value.place.span().start..end);
    let written = place.file().text().get(place.span()).unwrap_or_default();

    // A worked case has no spaces between thousands: its commas can only be decimal ones.
    let of_case = if place.file().name() == CASES_FILE {
        of_case(&key.value, written)
    } else {
        None
    };
    let (meant, cure) = of_case.unwrap_or_else(|| repaired(&key.value, written));

    let written = format!("{}: {written}", key.value);
    report.error(&place, Problem::CutByComma { written, cure });

    // The checks go on with the value that was meant, so that nothing else is reported of it.
    value.content = Content::Text(PlacedText {
        value: meant,
        place: place.clone(),
    });
    value.place = place;
}

/// A key and its value, where the colon between them, or the space after it, is missing; none of a
/// value whose key is not written.
pub(super) fn with_colon(key: &PlacedText, report: &mut Report) -> Option<(PlacedText, Node)> {
    // `{84 577, rate: 30%}`
    let is_value = is_amount(&key.value);
    let (name, value) = if is_value {
        ("…", key.value.as_str())
    } else {
        split(&key.value)
            .or_else(|| key.value.split_once(' '))
            .unwrap_or((&key.value, "…"))
    };
    let (name, value) = (name.trim(), value.trim());

    let written = key.value.clone();
    report.error(
        &key.place,
        Problem::ColonMissing {
            written,
            meant: format!("{name}: {value}"),
        },
    );

    // The checks go on with the entry that was meant.
    let text = |value: &str| PlacedText {
        value: value.to_owned(),
        place: key.place.clone(),
    };
    let entry = (
        text(name),
        Node {
            place: key.place.clone(),
            content: Content::Text(text(value)),
        },
    );
    (!is_value).then_some(entry)
}

/// The two sides of `rate:6.3%` or of `rate = 6.3%`.
fn split(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once([':', '=', '：'])?;
    (is_name(name.trim()) && !value.trim().is_empty()).then_some((name, value))
}

/// The value that was meant, and how to write it.
type Repaired = (String, Text<String>);

/// Guesses the value that a comma cut, by the key first: the same digits are a date in a `note` and
/// an amount elsewhere.
fn repaired(key: &str, written: &str) -> Repaired {
    let pieces: Vec<&str> = written.split(',').collect();
    if TEXT_KEYS.contains(&key) {
        return prose(key, written);
    }
    if let Some(number) = with_points(key, &pieces).or_else(|| number(key, &pieces)) {
        return number;
    }

    // `2026-01-31; ci` and `1; 1.5` are lists too; an amount of thousands is one value.
    let is_word = |piece: &&str| {
        let piece = piece.trim();
        let is_number = !piece.contains(' ') && parse_amount(piece).is_ok();
        piece.split(['-', '.']).all(is_name) || is_number
    };
    if LIST_KEYS.contains(&key) || pieces.iter().all(is_word) {
        let value = pieces
            .iter()
            .map(|piece| piece.trim())
            .collect::<Vec<_>>()
            .join("; ");
        let cure = if pieces.iter().all(|piece| digits(piece.trim())) {
            say!(
                "séparer les valeurs d’une même clé par `;` : `{key}: {value}` ; si ce sont deux \
                 chiffres, donner sa clé à chacun",
                "separate the values of one key by `;`: `{key}: {value}`; if these are two figures, \
                 give each its key"
            )
        } else {
            say!(
                "séparer les éléments par `;` : `{key}: {value}`",
                "separate the elements by `;`: `{key}: {value}`"
            )
        };
        return (value, cure);
    }

    if let Some(first) = first_of_amounts(&pieces) {
        let cure = say!(
            "donner sa clé à chaque valeur : `{key}: {first}`, puis la clé de la suivante",
            "give each value its key: `{key}: {first}`, then the key of the next one"
        );
        return (first.to_owned(), cure);
    }

    if written.contains(['(', '*', '+', '/', '<', '>', '=']) || key == "formula" {
        return formula(key, &pieces);
    }

    prose(key, written)
}

/// A sentence, which is put between quotes.
fn prose(key: &str, written: &str) -> Repaired {
    let bare =
        written.trim_matches(|letter: char| letter.is_whitespace() || "\"“”«»".contains(letter));

    // Quotes inside would end the text that the cure puts between quotes.
    let value = bare.replace(['"', '“', '”'], "'");
    let cure = say!(
        "mettre le texte entre guillemets droits : `{key}: \"{value}\"`",
        "put the text between straight quotes: `{key}: \"{value}\"`"
    );
    (value, cure)
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a comma between two pieces is inside a number: a digit on each side, and no space.
fn joins_digits(before: &str, after: &str) -> bool {
    before.ends_with(|last: char| last.is_ascii_digit())
        && after.starts_with(|first: char| first.is_ascii_digit())
}

/// The first of several amounts or rates that commas separate: `30%, 41%`.
fn first_of_amounts<'w>(pieces: &[&'w str]) -> Option<&'w str> {
    let first = pieces.first()?.trim();
    let are_values = pieces.iter().all(|piece| is_amount(piece.trim()));
    are_values.then_some(first)
}

/// A number of a worked case with a comma, which has no spaces between its thousands.
fn of_case(key: &str, written: &str) -> Option<Repaired> {
    let (whole, decimals) = written
        .split_once(',')
        .filter(|(whole, decimals)| joins_digits(whole, decimals))?;
    if !digits(whole.trim_start_matches('-')) || !digits(decimals) {
        return None;
    }

    // Three digits may be thousands all the same: `78,400`.
    if decimals.len() == 3 && whole.trim_start_matches('-') != "0" {
        let together = format!("{whole}{decimals}");
        let cure = say!(
            "écrire `{key}: {together}` si la virgule sépare des milliers, `{key}: \
             {whole}.{decimals}` si elle sépare des décimales",
            "write `{key}: {together}` if the comma separates thousands, `{key}: \
             {whole}.{decimals}` if it separates decimals"
        );
        return Some((together, cure));
    }
    Some(decimal(key, format!("{whole}.{decimals}")))
}

/// A number that is written with a decimal comma.
fn decimal(key: &str, value: String) -> Repaired {
    let cure = say!(
        "écrire les décimales après un point : `{key}: {value}`",
        "write decimals after a point: `{key}: {value}`"
    );
    (value, cure)
}

/// A number that is written with signs between its thousands and a decimal comma.
fn grouped_decimal(key: &str, value: String) -> Repaired {
    let cure = say!(
        "séparer les milliers par une espace, et les décimales par un point : `{key}: {value}`",
        "separate thousands by a space, and decimals by a point: `{key}: {value}`"
    );
    (value, cure)
}

/// Points between thousands and a decimal comma: `1.776,40`.
fn with_points(key: &str, pieces: &[&str]) -> Option<Repaired> {
    let [whole, fraction] = pieces else {
        return None;
    };

    let (first, groups) = whole.trim().split_once('.')?;
    let groups: Vec<&str> = groups.split('.').collect();
    let is_group = |group: &&str| group.len() == 3 && digits(group);
    if !digits(first) || first.len() > 3 || !groups.iter().all(is_group) || !digits(fraction) {
        return None;
    }

    Some(grouped_decimal(
        key,
        format!("{first} {}.{fraction}", groups.join(" ")),
    ))
}

/// A number with commas: decimal ones, or thousands separators where groups of three digits follow.
fn number(key: &str, pieces: &[&str]) -> Option<Repaired> {
    let is_number = |text: &str| {
        let plain = text
            .trim()
            .trim_start_matches('-')
            .replace(crate::text::number::NO_BREAK_SPACES, " ");
        digits(&plain.trim_end_matches('%').trim_end().replace(' ', ""))
    };
    let joined = pieces
        .windows(2)
        .all(|two| matches!(two, [before, after] if joins_digits(before, after)));
    if !joined || !pieces.iter().all(|piece| is_number(piece)) {
        return None;
    }

    let is_group = |piece: &&str| piece.len() == 3 && digits(piece);
    let groups = pieces.get(1..)?.iter().all(is_group);
    let spaced = pieces.join(" ");

    Some(match pieces {
        // `1,200` reads in two ways: both are proposed, and the checks go on with the thousands. A
        // number with thousands does not start with a zero.
        [whole, fraction] if groups && whole.trim_start_matches('-') != "0" => {
            // A rounding is a unit and a mode separated by a space: no other space may be put
            // there.
            let spaced = if key == "round" {
                pieces.concat()
            } else {
                spaced
            };
            let point = format!("{whole}.{fraction}")
                .trim_end_matches('0')
                .trim_end_matches('.')
                .to_owned();
            let cure = say!(
                "écrire `{key}: {spaced}` si la virgule sépare des milliers, `{key}: {point}` si \
                 elle sépare des décimales",
                "write `{key}: {spaced}` if the comma separates thousands, `{key}: {point}` if it \
                 separates decimals"
            );
            (spaced, cure)
        }
        [whole, fraction] => decimal(key, format!("{whole}.{fraction}")),
        _ if groups => {
            let cure = say!(
                "séparer les milliers par une espace : `{key}: {spaced}`",
                "separate thousands by a space: `{key}: {spaced}`"
            );
            (spaced, cure)
        }
        // Thousands and decimals after the same sign: `1,776,40`.
        [thousands @ .., fraction] if thousands.iter().skip(1).all(is_group) => {
            grouped_decimal(key, format!("{}.{fraction}", thousands.join(" ")))
        }
        _ => return None,
    })
}

/// A formula: a comma between digits is a decimal one, any other separates arguments.
fn formula(key: &str, pieces: &[&str]) -> Repaired {
    let mut value = String::new();

    for piece in pieces {
        match value.as_str() {
            "" => value.push_str(piece),
            before if joins_digits(before, piece) => {
                value.push('.');
                value.push_str(piece);
            }
            _ => {
                value.push_str("; ");
                value.push_str(piece.trim_start());
            }
        }
    }

    let cure = say!(
        "séparer les arguments par `;` et écrire les décimales après un point : `{key}: {value}`",
        "separate arguments by `;` and write decimals after a point: `{key}: {value}`"
    );
    (value, cure)
}

#[cfg(test)]
mod tests;
