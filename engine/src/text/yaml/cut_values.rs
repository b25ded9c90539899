//! Repair of values that a comma cut inside `{ }`: YAML reads `{rate: 3,6%}` as a rate of 3 and an
//! empty key `6%`. The pieces are joined again and reported once, with a cure that fits the key.

use crate::say;
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

/// Whether a piece without a colon continues the value before it.
pub(super) fn may_continue(before: Option<&(PlacedText, Node)>, piece: &PlacedText) -> bool {
    before.is_some_and(|(_, value)| value.text().is_some()) && split(&piece.value).is_none()
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

/// A key and its value, where the colon between them, or the space after it, is missing.
pub(super) fn with_colon(key: &PlacedText, report: &mut Report) -> (PlacedText, Node) {
    let (name, value) = split(&key.value)
        .or_else(|| key.value.split_once(' '))
        .unwrap_or((&key.value, "…"));
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
    (
        text(name),
        Node {
            place: key.place.clone(),
            content: Content::Text(text(value)),
        },
    )
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

    let is_word =
        |piece: &&str| piece.trim().split(['-', '.']).all(is_name) || digits(piece.trim());
    if LIST_KEYS.contains(&key) || pieces.iter().all(is_word) {
        let value = pieces
            .iter()
            .map(|piece| piece.trim())
            .collect::<Vec<_>>()
            .join("; ");
        let cure = say!(
            "séparer les éléments par `;` : `{key}: {value}`",
            "separate the elements by `;`: `{key}: {value}`"
        );
        return (value, cure);
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

/// A number of a worked case with a comma: always a decimal comma, since cases have no thousands
/// separators.
fn of_case(key: &str, written: &str) -> Option<Repaired> {
    let (whole, decimals) = written
        .split_once(',')
        .filter(|(whole, decimals)| joins_digits(whole, decimals))?;
    let is_number = digits(whole.trim_start_matches('-')) && digits(decimals);
    is_number.then(|| decimal(key, format!("{whole}.{decimals}")))
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
mod tests {
    use crate::text::diagnostic::{Report, RuleFile};
    use crate::text::lang::Lang;
    use crate::text::yaml::Node;

    /// The problems of a text, each with its cure, and the value that its first key is then given.
    fn problems_of(text: &str) -> (Vec<String>, String) {
        let mut report = Report::default();
        let node = Node::read(&RuleFile::new("f.yaml", text), &mut report).unwrap();
        let problems = report
            .errors()
            .map(|one| format!("{} {}", one.code(), one.cure(Lang::Fr)))
            .collect();
        let value = node.entries()[0].1.entries()[0]
            .1
            .text()
            .map_or(String::new(), |text| text.value.clone());
        (problems, value)
    }

    #[test]
    fn what_a_comma_cut_is_reported_once_with_its_cure() {
        for (text, cure, value) in [
            ("{rate: 3,6%, b: c}", "`rate: 3.6%`", "3.6%"),
            ("{ceiling: 1 200,50}", "`ceiling: 1 200.50`", "1 200.50"),
            (
                "{ceiling: 1,200, b: c}",
                "`ceiling: 1 200` si la virgule sépare des milliers, `ceiling: 1.2` si",
                "1 200",
            ),
            ("{ceiling: 1,200,000}", "`ceiling: 1 200 000`", "1 200 000"),
            ("{ceiling: 1,200,50}", "`ceiling: 1 200.50`", "1 200.50"),
            ("{enfants: 1,2,3}", "`enfants: 1; 2; 3`", "1; 2; 3"),
            ("{round: 0,01, law: x}", "`round: 0.01`", "0.01"),
            ("{source: cgi, cnss}", "`source: cgi; cnss`", "cgi; cnss"),
            ("{enfants: 1, 2, montant: 5}", "`enfants: 1; 2`", "1; 2"),
            (
                "{per: bound month, montant year}",
                "`per: bound month; montant year`",
                "bound month; montant year",
            ),
            (
                "{law: CGI, art. 124, label: x}",
                "`law: \"CGI, art. 124\"`",
                "CGI, art. 124",
            ),
            (
                "{law: « CGI, art. 1er, 2 », label: x}",
                "`law: \"CGI, art. 1er, 2\"`",
                "CGI, art. 1er, 2",
            ),
            (
                "{formula: min(cnss, its), label: x}",
                "`formula: min(cnss; its)`",
                "min(cnss; its)",
            ),
            (
                "{formula: max(a * 0,5, b)}",
                "`formula: max(a * 0.5; b)`",
                "max(a * 0.5; b)",
            ),
            (
                "{seul: Personne seule, sans enfant}",
                "`seul: \"Personne seule, sans enfant\"`",
                "Personne seule, sans enfant",
            ),
        ] {
            let (problems, read) = problems_of(&format!("a: {text}\n"));
            assert_eq!(
                (problems.len(), read.as_str()),
                (1, value),
                "{text} {problems:?}"
            );
            assert!(
                problems[0].starts_with("Y05") && problems[0].contains(cure),
                "{text} {problems:?}"
            );
        }
    }

    #[test]
    fn a_colon_that_is_missing_is_reported_once() {
        for text in [
            "{rate 6.3%, b: c}",
            "{rate:6.3%, b: c}",
            "{rate = 6.3%, b: c}",
        ] {
            let (problems, read) = problems_of(&format!("a: {text}\n"));
            assert_eq!(
                (problems.as_slice(), read.as_str()),
                (&["Y06 écrire `rate: 6.3%`".to_owned()][..], "6.3%"),
                "{text}"
            );
        }
        assert_eq!(
            problems_of("a: {b: c, rate:6.3%}\n").0,
            ["Y06 écrire `rate: 6.3%`"]
        );
    }

    #[test]
    fn an_empty_value_has_its_colon() {
        assert_eq!(problems_of("a: {b: , c: d}\n").0, Vec::<String>::new());
        assert_eq!(
            problems_of("a: {b: x, \"c\" : , d: e}\n").0,
            Vec::<String>::new()
        );
    }
}
