//! Spaces between braces on one line: one after each comma and colon, none next to a brace.

/// A value in braces or brackets with corrected spaces, and the comment after it; `None` where it
/// does not end on the line, or contains a comment.
pub(super) fn tidied(value: &str) -> Option<String> {
    // `starts` holds at the start of a value, where a quote or a brace is structure: elsewhere, as
    // in `l'État`, it is a letter of a plain text.
    let mut out = String::with_capacity(value.len());

    let mut open = 0_usize;
    let mut starts = true;
    let mut rest = value;

    while let Some(sign) = rest.chars().next() {
        // A quoted text is copied whole: commas and braces inside it mean nothing.
        let length = match sign {
            '"' | '\'' if starts => quoted_length(rest)?,
            _ => sign.len_utf8(),
        };
        let (part, after) = rest.split_at_checked(length)?;

        rest = after;

        match sign {
            '{' | '[' if starts => {
                open = open.saturating_add(1);
                // Spaces after an opening brace are dropped, as are those before the closing one
                // below.
                out.push(sign);
                rest = rest.trim_start_matches(' ');
            }
            '}' | ']' => {
                open = open.checked_sub(1)?;
                out.truncate(out.trim_end_matches(' ').len());
                out.push(sign);
                starts = false;
                // The outer brace is closed: only a comment may follow.
                if open == 0 {
                    return with_comment(out, rest);
                }
            }
            ',' => {
                out.truncate(out.trim_end_matches(' ').len());
                (starts, rest) = separated(sign, rest, &mut out);
            }
            // A colon separates a key only before a space or the end of the value; `12:30` is a
            // text.
            ':' if rest.is_empty() || rest.starts_with([' ', ',', '}', ']']) => {
                (starts, rest) = separated(sign, rest, &mut out);
            }
            // A comment inside braces reaches to the end of the line, so the braces go on below.
            '#' if out.ends_with(' ') => return None,
            _ => {
                out.push_str(part);
                starts = starts && sign == ' ';
            }
        }
    }
    None
}

/// Writes a comma or a colon and a space; returns the rest, at the start of a value.
fn separated<'t>(sign: char, rest: &'t str, out: &mut String) -> (bool, &'t str) {
    out.push(sign);
    // In `[a, ]` and `{a:}` no space is next to the brace.
    let rest = rest.trim_start_matches(' ');
    if !rest.starts_with([',', '}', ']']) {
        out.push(' ');
    }
    (true, rest)
}

fn with_comment(mut out: String, rest: &str) -> Option<String> {
    let comment = rest.trim();

    if comment.is_empty() {
        return Some(out);
    }
    // In YAML, `#` begins a comment only after a space.
    let is_comment = comment.starts_with('#') && rest.starts_with(' ');
    is_comment.then(|| {
        out.push(' ');
        out.push_str(comment);
        out
    })
}

/// Length of the quoted text at the start, quotes included; `None` where it continues on the next
/// line.
pub(crate) fn quoted_length(text: &str) -> Option<usize> {
    let quote = text.chars().next()?;

    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        // YAML escapes a quote by doubling it between single quotes, and by a backslash between
        // double ones.
        let is_doubled = quote == '\'' && letters.peek().is_some_and(|(_, next)| *next == '\'');
        if (quote == '"' && letter == '\\') || (letter == quote && is_doubled) {
            letters.next();
        } else if letter == quote {
            return Some(at.saturating_add(1));
        }
    }
    None
}

/// The entries of a tidied map on one line, without its braces, and the text after it.
pub(super) fn cells(map: &str) -> Option<(Vec<&str>, &str)> {
    let inside = map.strip_prefix('{')?;
    let (mut found, mut start, mut at, mut open) = (Vec::new(), 0, 0, 0_usize);

    let mut starts = true;
    while let Some(rest) = inside.get(at..).filter(|rest| !rest.is_empty()) {
        let sign = rest.chars().next()?;

        let length = if starts && matches!(sign, '"' | '\'') {
            quoted_length(rest)?
        } else {
            sign.len_utf8()
        };

        match sign {
            '{' | '[' if starts => open = open.saturating_add(1),
            '}' if open == 0 => {
                found.push(inside.get(start..at)?);
                return Some((found, inside.get(at.saturating_add(1)..)?));
            }
            '}' | ']' => open = open.checked_sub(1)?,
            ',' if open == 0 => {
                // The map is tidied: exactly one space follows the comma.
                found.push(inside.get(start..at)?);
                start = at.saturating_add(2);
            }
            _ => {}
        }

        // A value starts after an opening brace, a comma, or the colon of a key, and the spaces
        // after it.
        starts = matches!(sign, '{' | '[' | ',')
            || (starts && sign == ' ')
            || (sign == ':' && rest.starts_with(": "));
        at = at.saturating_add(length);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_follow_commas_and_colons_and_touch_no_text() {
        for (written, requested) in [
            ("{ a: 1,b:   2 }", Some("{a: 1, b: 2}")),
            (
                "{a: \"x,  y: }\",  b: [ 1 ,2 ]}  # why",
                Some("{a: \"x,  y: }\", b: [1, 2]} # why"),
            ),
            (
                "{a: l'un, b: 'c''d',u: http://x/y}",
                Some("{a: l'un, b: 'c''d', u: http://x/y}"),
            ),
            ("{a: 1  000, b: , c:}", Some("{a: 1  000, b:, c:}")),
            ("{a: 1,", None),
            ("{a: \"b}", None),
            ("{a: 1} b", None),
            ("{a: 1 # b}", None),
        ] {
            assert_eq!(tidied(written).as_deref(), requested, "{written}");
        }
    }

    #[test]
    fn cells_end_at_commas_of_their_own_map() {
        let cells = |map| cells(map).map(|(cells, rest)| (cells.join("|"), rest.to_owned()));
        let requested = ("a: \"x, y\"|b: {c: 1, d: 2}|e: l'un", " # f");
        assert_eq!(
            cells("{a: \"x, y\", b: {c: 1, d: 2}, e: l'un} # f"),
            Some((requested.0.to_owned(), requested.1.to_owned()))
        );
        assert_eq!(cells("{a: 1"), None);
    }
}
