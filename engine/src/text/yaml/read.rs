//! The reader of YAML files: refuses what is not YAML, what YAML would convert, and what exceeds
//! the limits.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use crate::text::diagnostic::{Place, Report, RuleFile};
use crate::text::limits::{KEYS, LISTED, TEXT};
use crate::text::problem::{Problem, syntax_error};

use super::parse::{ParseError, Raw, RawContent, RawKey, parse};
use super::{Content, Node, PlacedText, cut_values};

impl Node {
    /// Reads a file. Text that is not YAML, duplicate keys, aliases, tabs in the indentation and an
    /// empty file are reported.
    pub fn read(file: &Arc<RuleFile>, report: &mut Report) -> Option<Node> {
        // Both versions of a conflict are in the file: whatever else is wrong comes from that.
        if merge_markers(file, report) {
            return None;
        }

        let has_tabs = margins(file, report);
        match parse(file.text()) {
            Ok(raw) => {
                let node = node(file, raw, None, report);

                // A file of comments only is empty too.
                if matches!(node.content, Content::Empty) {
                    report.error(&Place::of_file(file), Problem::EmptyFile {});
                    return None;
                }
                return Some(node);
            }
            // The tabs are then the reason, and were reported.
            Err(_) if has_tabs => {}
            Err(ParseError::Limit(limit, offset)) => {
                report.error(&Place::new(file, offset..offset), limit.problem())
            }
            Err(ParseError::Syntax(reason, offset)) => {
                let (place, problem) = syntax_error(&reason, Place::new(file, offset..offset));
                report.error(&place, problem);
            }
        }
        None
    }
}

/// Reports the conflict markers of git, once a conflict; whether there are any.
fn merge_markers(file: &Arc<RuleFile>, report: &mut Report) -> bool {
    const CONFLICT_START: &str = "<<<<<<< ";
    const CONFLICT_END: &str = ">>>>>>> ";
    let mut start = 0;
    let mut is_open = false;
    let mut found = false;

    for line in file.text().split('\n') {
        let place = Place::new(file, start..start + line.trim_end().len());
        if line.starts_with(CONFLICT_START) {
            report.error(&place, Problem::MergeMarker {});
            is_open = true;
            found = true;
        } else if line.starts_with(CONFLICT_END) {
            // The end of a reported conflict is part of it; one that is left alone is a mistake of
            // its own.
            if !std::mem::take(&mut is_open) {
                report.error(&place, Problem::MergeMarker {});
                found = true;
            }
        }
        start += line.len() + 1;
    }

    found
}

/// Reports tabs and no-break spaces in the indentation, which are invisible and change the
/// structure. Only the first of successive lines is reported.
fn margins(file: &Arc<RuleFile>, report: &mut Report) -> bool {
    let mut start = 0;
    let mut found = false;
    let mut is_in_row = false;

    for line in file.text().split('\n') {
        if report.is_full() {
            break;
        }

        // A blank line has no structure: its spaces do not matter.
        let margin = if line.trim().is_empty() {
            0
        } else {
            line.len() - line.trim_start().len()
        };
        let strange = line
            .get(..margin)
            .and_then(|margin| margin.char_indices().find(|(_, letter)| *letter != ' '));

        if !is_in_row && let Some((offset, letter)) = strange {
            let at = start + offset;
            let place = Place::new(file, at..at + letter.len_utf8());
            let problem = if letter == '\t' {
                Problem::Tab {}
            } else {
                Problem::NoBreakMargin {}
            };
            report.error(&place, problem);
            found = true;
        }
        is_in_row = strange.is_some();
        start += line.len() + 1;
    }

    found
}

/// The node of a value; `alias` is the place of the alias that it was expanded from.
fn node(file: &Arc<RuleFile>, raw: Raw, alias: Option<&Place>, report: &mut Report) -> Node {
    let own = raw.alias.map(|span| Place::new(file, span));
    if let Some(place) = &own {
        report.error(place, Problem::Alias {});
    }

    // A mistake in an expanded value is reported where the alias is, as its own text may be far
    // above.
    let alias = own.as_ref().or(alias);
    let place = alias
        .cloned()
        .unwrap_or_else(|| Place::new(file, raw.span.clone()));
    if alias.is_none() && raw.has_mark {
        report_mark(&place, report);
    }

    let written = file.text().get(raw.span).unwrap_or_default();
    let content = match raw.content {
        RawContent::Nothing => Content::Empty,
        // Quoted and folded texts are decoded by the parser; plain ones are taken as they are
        // written.
        RawContent::Plain(_) if !written.contains('\n') => {
            let text = visible(trimmed(written, &place), report);
            report_damaged(&text, false, report);
            Content::Text(cut(text, report))
        }
        RawContent::Plain(value) | RawContent::Quoted(value) => {
            let text = PlacedText {
                value: value.into_owned(),
                place: place.clone(),
            };
            report_damaged(&text, true, report);
            Content::Text(cut(text, report))
        }
        RawContent::List(items) => Content::List(
            items
                .into_iter()
                .map(|item| node(file, item, alias, report))
                .collect(),
        ),
        RawContent::Map(pairs) => Content::Map(entries(file, pairs, alias, report)),
    };

    Node { place, content }
}

/// A plain scalar without no-break spaces at its ends, which YAML takes for part of the text.
fn trimmed(written: &str, place: &Place) -> PlacedText {
    let value = written.trim();
    let start = place.span().start + (written.len() - written.trim_start().len());
    let place = if value.len() == written.len() {
        place.clone()
    } else {
        Place::new(place.file(), start..start + value.len())
    };
    PlacedText {
        value: value.to_owned(),
        place,
    }
}

/// Invisible characters, which make a word differ from the one that is seen.
const INVISIBLE: [char; 8] = [
    '\u{200b}', '\u{200c}', '\u{200d}', '\u{200e}', '\u{200f}', '\u{2060}', '\u{feff}', '\u{ad}',
];

/// A word without no-break spaces at its ends, as typesetters put before a colon, and without
/// invisible characters, which are reported.
fn visible(text: PlacedText, report: &mut Report) -> PlacedText {
    let PlacedText { mut value, place } = text;

    // The invisible characters are not ASCII; nearly all texts are.
    let found = if value.is_ascii() {
        None
    } else {
        INVISIBLE.into_iter().find(|sign| value.contains(*sign))
    };
    if found.is_some() {
        value = value.replace(INVISIBLE, "");
    }
    if value.trim().len() < value.len() {
        value = value.trim().to_owned();
    }

    if let Some(sign) = found {
        let sign = format!("U+{:04X}", u32::from(sign));
        report.error(
            &place,
            Problem::InvisibleSign {
                sign,
                text: value.clone(),
            },
        );
    }
    PlacedText { value, place }
}

/// Reports letters that a copy or another encoding has damaged: signs of replacement, accents that
/// are letters of their own, letters decoded twice, and in quoted texts line separators and invisible
/// signs.
fn report_damaged(text: &PlacedText, is_quoted: bool, report: &mut Report) {
    let value = &text.value;
    if value.is_ascii() {
        return;
    }
    let mut before = ' ';
    let place = value.char_indices().find_map(|(at, letter)| {
        // UTF-8 that was read as Windows-1252: `é` is `Ã©`, and `’` begins with `â€`. A no-break
        // space after a capital may have been typed.
        let is_twice = match before {
            'Ã' | 'Â' => matches!(letter, '\u{80}'..='\u{bf}') && letter != '\u{a0}',
            'â' => letter == '\u{20ac}',
            _ => false,
        };
        let is_damaged = is_twice
            || matches!(
                letter,
                '\u{fffd}' | '\u{2028}' | '\u{2029}' | '\u{300}'..='\u{36f}'
            )
            || (is_quoted && INVISIBLE.contains(&letter));
        before = letter;
        is_damaged.then_some(at)
    });
    let Some(at) = place else { return };

    // The word around it, by which it is found in the file.
    let is_between = |letter: char| letter.is_whitespace();
    let (head, tail) = value.split_at_checked(at).unwrap_or_default();
    let start = head
        .rfind(is_between)
        .map_or(0, |at| value.ceil_char_boundary(at + 1));
    let end = tail.find(is_between).map_or(value.len(), |end| at + end);
    let word = value
        .get(start..end.max(start))
        .unwrap_or_default()
        .to_owned();
    report.error(&text.place, Problem::DamagedLetters { word });
}

/// Reports the anchor (`&name`) or tag (`!name`) before a key or value: neither has a meaning here.
fn report_mark(place: &Place, report: &mut Report) {
    let before = place
        .file()
        .text()
        .get(..place.span().start)
        .unwrap_or_default()
        .trim_end();

    // The word before the value; a tag of several words, or one in another form, is reported at the
    // value itself.
    let word = before
        .rsplit(char::is_whitespace)
        .next()
        .filter(|word| word.starts_with(['&', '!']))
        .unwrap_or_default();

    let mark = Place::new(place.file(), before.len() - word.len()..before.len());
    report.error(
        if word.is_empty() { place } else { &mark },
        Problem::Anchor {
            text: word.to_owned(),
        },
    );
}

/// Reports and shortens a text that is too long, or a list of too many elements. What reads it next
/// is then within the limits, and goes on to find other mistakes.
fn cut(mut text: PlacedText, report: &mut Report) -> PlacedText {
    if !TEXT.accepts(text.value.len(), &text.place, report) {
        text.value
            .truncate(text.value.floor_char_boundary(TEXT.most));
    }

    if let Some((end, _)) = text
        .value
        .match_indices(';')
        .nth(LISTED.most.saturating_sub(1))
    {
        report.error(&text.place, LISTED.problem());
        text.value.truncate(end);
    }

    text
}

/// The entries of a map. The pieces of a value that a comma cut are joined, keys that are there
/// twice are reported.
fn entries(
    file: &Arc<RuleFile>,
    pairs: Vec<(RawKey, Raw)>,
    alias: Option<&Place>,
    report: &mut Report,
) -> Vec<(PlacedText, Node)> {
    let mut out: Vec<(PlacedText, Node)> = Vec::with_capacity(pairs.len());
    let mut first_places: HashMap<String, usize> = HashMap::new();
    // Where the last piece ends that a comma cut off from the value before it.
    let mut rest = None;

    for (index, (key, value)) in pairs.into_iter().enumerate() {
        let place = alias.cloned().unwrap_or_else(|| Place::new(file, key.span));
        if alias.is_none() && key.has_mark {
            report_mark(&place, report);
        }
        let key = cut(
            PlacedText {
                place,
                value: key.text.into_owned(),
            },
            report,
        );
        if !KEYS.accepts(index + 1, &key.place, report) {
            break;
        }

        // A key without a colon is a piece of the value before it, or lacks its colon.
        let is_rest = matches!(value.content, RawContent::Nothing) && !cut_values::has_colon(&key);
        if is_rest && (rest.is_some() || cut_values::may_continue(out.last(), &key)) {
            rest = Some(key.place.span().end);
            continue;
        }
        cut_values::repair(out.last_mut(), rest.take(), report);
        let (key, value) = if is_rest {
            match cut_values::with_colon(&key, report) {
                Some(entry) => entry,
                None => continue,
            }
        } else {
            (key, node(file, value, alias, report))
        };

        // `<<` merges the map of an alias into this one, in YAML 1.1.
        if key.value == "<<" {
            report.error(&key.place, Problem::Alias {});
            continue;
        }

        let key = visible(key, report);
        match first_places.entry(key.value.clone()) {
            Entry::Vacant(free) => {
                free.insert(key.place.span().start);
                cut_values::warn_of_comment(&key, &value, report);
                out.push((key, value));
            }
            Entry::Occupied(first) => {
                let line = Place::new(file, *first.get()..*first.get()).line();
                report.error(
                    &key.place,
                    Problem::DuplicateKey {
                        key: key.value.clone(),
                        line,
                    },
                );
                add_to_first(&mut out, &key.value, value);
            }
        }
    }

    cut_values::repair(out.last_mut(), rest, report);
    out
}

/// Adds the entries of the second map of a key to its first one, so that nothing in them is
/// reported as missing.
fn add_to_first(entries: &mut [(PlacedText, Node)], key: &str, second: Node) {
    let first = entries
        .iter_mut()
        .find(|(name, _)| name.value == key)
        .map(|(_, first)| &mut first.content);

    if let (Some(Content::Map(first)), Content::Map(more)) = (first, second.content) {
        first.extend(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::limits::VALUES;

    fn read(text: &str) -> (Option<Node>, Vec<(String, usize, usize)>) {
        let mut report = Report::default();
        let node = Node::read(&RuleFile::new("f.yaml", text), &mut report);
        report.sort();
        (
            node,
            report
                .all()
                .map(|d| (d.code().to_owned(), d.line(), d.column()))
                .collect(),
        )
    }

    #[test]
    fn scalars_are_the_text_that_was_written() {
        let text = "a: 21.50\nb: 1 296 000\nc: yes\nd: \"é; x\"\ne: 1e400\nf: .nan\ng: 0x1F\n\
                    h: 6.3% # note\ni: -0.10\n";
        let (node, problems) = read(text);
        let node = node.unwrap();
        let values: Vec<_> = node
            .entries()
            .iter()
            .map(|(_, node)| node.text().unwrap().value.as_str())
            .collect();
        assert_eq!(
            values,
            [
                "21.50",
                "1 296 000",
                "yes",
                "é; x",
                "1e400",
                ".nan",
                "0x1F",
                "6.3%",
                "-0.10"
            ]
        );
        assert!(problems.is_empty());
    }

    #[test]
    fn an_element_of_a_list_knows_its_place() {
        let (node, _) = read("by: pays ; categorie\nq: \"a; bc\"\n");
        let node = node.unwrap();
        let items = node.text_of("by").unwrap().list();
        assert_eq!(items[1].value, "categorie");
        assert_eq!(items[1].place.span(), 11..20);
        assert_eq!(node.text_of("q").unwrap().list()[1].place.span(), 28..30);
    }

    #[test]
    fn what_is_not_plain_yaml_is_reported_with_its_place() {
        assert_eq!(read("a: 1\na: 2\n").1, [("Y02".to_owned(), 2, 1)]);
        assert_eq!(
            read("a: &x 1\nb: *x\n").1,
            [("Y07".to_owned(), 1, 4), ("Y03".to_owned(), 2, 4)]
        );
        assert_eq!(
            read("a: !x 1\nb: {<<: c}\n").1,
            [("Y07".to_owned(), 1, 4), ("Y03".to_owned(), 2, 5)]
        );
        assert_eq!(read("&x a: 1\n").1, [("Y07".to_owned(), 1, 1)]);
        assert_eq!(read("\"a#b\": &x 1\n").1, [("Y07".to_owned(), 1, 8)]);
        assert_eq!(
            read("a: &x [1, *x]\n").1,
            [("Y07".to_owned(), 1, 4), ("Y03".to_owned(), 1, 11)]
        );
        assert_eq!(read("b: {*x : 1}\n").1, [("Y01".to_owned(), 1, 5)]);
        assert_eq!(read("? [a]\n: b\n").1, [("Y01".to_owned(), 1, 3)]);
        assert_eq!(read("a:\r\n  b: 1\r\n\r\nc: 2\r\n").1, []);
        assert_eq!(read("a:\n\u{a0} b: 1\n").1[0], ("Y08".to_owned(), 2, 1));
        assert_eq!(read("a:\n\tb: 1\n").1, [("Y04".to_owned(), 2, 1)]);
        assert_eq!(read("a: b: c\n").1, [("Y01".to_owned(), 1, 5)]);
        assert_eq!(read("# a\n").1, [("M14".to_owned(), 1, 1)]);
        assert_eq!(read("a: [1\n").1, [("Y01".to_owned(), 1, 4)]);
    }

    #[test]
    fn aliases_that_repeat_each_other_end_at_the_limit_of_values() {
        let mut text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1]\n".to_owned();
        for level in 1..9 {
            let items = format!("*a{}, ", level - 1).repeat(8);
            text.push_str(&format!("a{level}: &a{level} [{items}]\n"));
        }
        let (node, problems) = read(&text);
        assert!(node.is_none());
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(VALUES.problem().code(), problems[0].0);
    }
}
