//! What a hand may change in the text of a rule file.

use std::ops::Range;

use super::Draw;

/// A value of a text, with its key.
#[derive(Debug, Clone)]
pub(super) struct Written {
    pub key: String,
    pub value: String,
    pub place: Range<usize>,
}

impl Written {
    pub(super) fn is_rate(&self) -> bool {
        self.value.ends_with('%') && self.digits() > 0
    }

    /// A number of three digits or more, which is an amount as a rule.
    pub(super) fn is_amount(&self) -> bool {
        let is_number = |letter: char| letter.is_ascii_digit() || " .".contains(letter);
        self.value.chars().all(is_number) && self.digits() >= 3
    }

    fn digits(&self) -> usize {
        self.value.bytes().filter(u8::is_ascii_digit).count()
    }
}

/// The lines of a section and their places.
fn lines_of<'t>(text: &'t str, section: &str) -> Vec<(usize, &'t str)> {
    let head = format!("{section}:\n");
    let Some(start) = text
        .find(&format!("\n{head}"))
        .map(|at| at + 1 + head.len())
    else {
        return Vec::new();
    };
    let mut at = start;
    let mut lines = Vec::new();
    for line in text[start..].split_inclusive('\n') {
        if !line.trim().is_empty() && !line.starts_with([' ', '#']) {
            break;
        }
        if !line.trim_start().starts_with('#') {
            lines.push((at, line));
        }
        at += line.len();
    }
    lines
}

/// The values of a section that are not between quotes.
pub(super) fn values(text: &str, section: &str) -> Vec<Written> {
    let mut found = Vec::new();
    for (start, line) in lines_of(text, section) {
        for (at, _) in line.match_indices(": ") {
            // An even number of quotes before it: it is not within a text.
            if line[..at].matches('"').count() % 2 == 1 {
                continue;
            }
            let key = line[..at].rsplit([' ', '{', '-']).next().unwrap();
            let rest = &line[at + 2..];
            let lead = rest.len() - rest.trim_start_matches(' ').len();
            let rest = &rest[lead..];
            let end = rest
                .find([',', '}', '\n', '#', '{', '"'])
                .unwrap_or(rest.len());
            let value = rest[..end].trim_end();
            if !value.is_empty() {
                let from = start + at + 2 + lead;
                found.push(Written {
                    key: key.to_owned(),
                    value: value.to_owned(),
                    place: from..from + value.len(),
                });
            }
        }
    }
    found
}

/// A text with a range replaced.
pub(super) fn replaced(text: &str, place: &Range<usize>, with: &str) -> String {
    [&text[..place.start], with, &text[place.end..]].concat()
}

/// One of the values that a rule keeps, changed by another.
pub(super) fn change(
    text: &str,
    section: &str,
    draw: &mut Draw,
    is_meant: impl Fn(&Written) -> bool,
    to: impl Fn(&str, &mut Draw) -> Option<String>,
) -> Option<String> {
    let all: Vec<Written> = values(text, section)
        .into_iter()
        .filter(|one| is_meant(one))
        .collect();
    let one = draw.one(&all)?;
    let with = to(&one.value, draw)?;
    Some(replaced(text, &one.place, &with))
}

/// The rows of the tables of a scale: line after line of one list.
pub(super) fn tables(text: &str) -> Vec<Vec<(usize, &str)>> {
    let mut tables: Vec<Vec<(usize, &str)>> = Vec::new();
    let mut is_open = false;
    for (at, line) in lines_of(text, "figures") {
        if line.trim_start().starts_with("- {") {
            if !is_open {
                tables.push(Vec::new());
            }
            tables.last_mut().unwrap().push((at, line));
            is_open = true;
        } else {
            is_open = false;
        }
    }
    tables.into_iter().filter(|rows| rows.len() > 1).collect()
}

/// A table with its rows changed.
pub(super) fn change_rows(
    text: &str,
    draw: &mut Draw,
    to: impl Fn(Vec<String>, usize) -> Option<Vec<String>>,
) -> Option<String> {
    let all = tables(text);
    let rows = draw.one(&all)?;
    let at = draw.below(rows.len() - 1)?;
    let lines = rows.iter().map(|(_, line)| (*line).to_owned()).collect();
    let (start, last) = (rows.first()?.0, rows.last()?);
    Some(replaced(
        text,
        &(start..last.0 + last.1.len()),
        &to(lines, at)?.concat(),
    ))
}

/// A text with one of its lines of a section changed.
pub(super) fn change_line(
    text: &str,
    section: &str,
    draw: &mut Draw,
    is_meant: impl Fn(&str) -> bool,
    to: impl Fn(&str) -> String,
) -> Option<String> {
    let all = lines_of(text, section);
    let all: Vec<&(usize, &str)> = all.iter().filter(|(_, line)| is_meant(line)).collect();
    let (at, line) = draw.one(&all)?;
    Some(replaced(text, &(*at..at + line.len()), &to(line)))
}

/// A word of the lines of a section, before their labels, in the place of another.
pub(super) fn change_word(
    text: &str,
    section: &str,
    draw: &mut Draw,
    (from, to): (&str, &str),
) -> Option<String> {
    let mut places = Vec::new();
    for (start, line) in lines_of(text, section) {
        let end = [", law:", ", label:"]
            .iter()
            .filter_map(|key| line.find(key))
            .min();
        let end = end.unwrap_or(line.len());
        places.extend(line[..end].match_indices(from).map(|(at, _)| start + at));
    }
    let at = *draw.one(&places)?;
    Some(replaced(text, &(at..at + from.len()), to))
}
