//! Fixes for slips of typing that make a file unreadable.

use bareme_engine::Lang;
use bareme_show::say;

use super::Cure;
use crate::edit::Edit;

/// Replaces every tab and no-break space in the indentation by spaces.
pub(super) fn margins(text: &str, lang: Lang) -> Cure {
    let mut edits = Vec::new();
    // The lengths are in bytes: a no-break space is one sign of two or three bytes.
    let mut start = 0;
    for line in text.split('\n') {
        let margin = line
            .get(..line.len() - line.trim_start().len())
            .unwrap_or_default();
        // Lines of blanks only are no error.
        if !line.trim().is_empty() && margin.chars().any(|sign| sign != ' ') {
            let spaces = margin
                .replace('\t', "  ")
                .replace(['\u{a0}', '\u{202f}'], " ");
            edits.push(Edit::replace(start..start + margin.len(), spaces));
        }

        start += line.len() + 1;
    }

    Cure {
        title: say!(lang, "Décaler par des espaces", "Indent by spaces"),
        edits,
    }
}

/// Fixes for a slip of typing that makes a line unreadable: its margin, a colon without a space,
/// what is not closed. The parser stops at the line that is wrong, or after it.
pub(super) fn of_line(text: &str, at: usize, lang: Lang) -> Vec<Cure> {
    // Empty lines and comments have no structure, so the lines beside a line are those with
    // content.
    let lines: Vec<(usize, &str)> = text
        .split('\n')
        .scan(0, |start, line| {
            let own = *start;
            *start += line.len() + 1;
            Some((own, line))
        })
        .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
        .collect();

    let here = lines
        .partition_point(|(start, _)| *start <= at)
        .saturating_sub(1);

    let mut cures = Vec::new();
    // A brace that is not closed is only noticed on the next line: the line before is a candidate
    // too.
    for place in [Some(here), here.checked_sub(1)].into_iter().flatten() {
        let Some((start, line)) = lines.get(place) else {
            continue;
        };
        cures.extend(closed(*start, line, lang));
        cures.extend(colon_spaced(*start, line, lang));

        // The margins beside are the only likely ones; an equal pair is one fix.
        let beside = [place.checked_sub(1), place.checked_add(1)]
            .into_iter()
            .flatten();
        let mut margins: Vec<usize> = beside
            .filter_map(|beside| Some(margin(lines.get(beside)?.1)))
            .collect();
        margins.dedup();

        let (own, name) = (margin(line), head(line));
        let aligned = margins
            .into_iter()
            .filter(|margin| *margin != own)
            .map(|margin| Cure {
                title: say!(
                    lang,
                    "Aligner `{name}` sur la ligne voisine",
                    "Align `{name}` with the line beside it"
                ),
                edits: vec![Edit::replace(*start..start + own, " ".repeat(margin))],
            });

        cures.extend(aligned);
    }
    cures
}

fn margin(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The first word of a line.
fn head(line: &str) -> &str {
    line.trim_start_matches([' ', '-', '{'])
        .split([' ', ':'])
        .next()
        .unwrap_or_default()
}

/// What a line opens and does not close, closed at its end.
fn closed(start: usize, line: &str, lang: Lang) -> Option<Cure> {
    let written = line.trim_end();
    // The stack of what is open, each by the sign that closes it. Inside quotes, braces are text.
    let mut open = String::new();
    for sign in written.chars() {
        match sign {
            '"' if open.ends_with('"') => drop(open.pop()),
            _ if open.ends_with('"') => {}
            '"' => open.push('"'),
            '{' => open.push('}'),
            '[' => open.push(']'),
            '}' | ']' if open.ends_with(sign) => drop(open.pop()),
            _ => {}
        }
    }

    let missing: String = open.chars().rev().collect();
    let (end, name) = (start + written.len(), head(line));
    (!missing.is_empty()).then(|| Cure {
        title: say!(
            lang,
            "Fermer la ligne de `{name}` par `{missing}`",
            "Close the line of `{name}` by `{missing}`"
        ),
        edits: vec![Edit::insert(end, missing.clone())],
    })
}

/// A space after the colon of a key that has none: `plafond:{montant: 1}`.
fn colon_spaced(start: usize, line: &str, lang: Lang) -> Option<Cure> {
    // The key ends at its first sign that no key has, which must be the colon.
    let colon = line.find(|sign: char| !(sign.is_alphanumeric() || "_- ".contains(sign)))?;
    let after = line.get(colon..)?.strip_prefix(':')?;
    let is_stuck = !after.is_empty() && !after.starts_with([' ', '\r']);

    let name = line.get(..colon).unwrap_or_default().trim();
    is_stuck.then(|| Cure {
        title: say!(
            lang,
            "Mettre une espace après `{name}:`",
            "Put a space after `{name}:`"
        ),
        edits: vec![Edit::insert(start + colon + 1, " ")],
    })
}
