//! Descriptions, short enough for programs to show beside a field or in a tooltip.

/// Longest description, in characters.
const LONGEST: usize = 499;

/// Joins parts to a text, in order. Where it would be too long, parts of the greatest rank are left
/// out first, from the last on; parts of rank 0 are always kept.
pub fn fitted(parts: impl IntoIterator<Item = (u8, String)>) -> String {
    let mut parts: Vec<(u8, String)> = parts.into_iter().collect();

    let length = |parts: &[(u8, String)]| {
        parts
            .iter()
            .map(|(_, text)| text.chars().count())
            .sum::<usize>()
    };

    while length(&parts) > LONGEST {
        // `max_by_key` gives the last of equal ones, which is the one to leave out.
        let last = parts
            .iter()
            .enumerate()
            .filter(|(_, (rank, _))| *rank > 0)
            .max_by_key(|(_, (rank, _))| *rank);

        let Some(index) = last.map(|(index, _)| index) else {
            break;
        };

        parts.remove(index);
    }
    parts.into_iter().map(|(_, text)| text).collect()
}

/// A text with a punctuation mark at its end.
pub fn sentence(text: &str) -> String {
    let text = text.trim_end();
    if text.is_empty() || text.ends_with(['.', '!', '?']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_the_greatest_rank_is_left_out_first() {
        let long = "é".repeat(LONGEST - 2);
        let parts = |ranks: [u8; 3]| {
            ranks
                .into_iter()
                .zip(["abc".to_owned(), "ab".into(), "c".into()])
        };
        let text = |ranks| fitted(std::iter::once((0, long.clone())).chain(parts(ranks)));
        assert_eq!(text([2, 1, 3]), format!("{long}ab"));
        assert_eq!(text([1, 1, 1]), long);
        assert_eq!(text([3, 2, 1]), format!("{long}c"));
        assert_eq!(fitted(parts([1, 2, 3])), "abcabc");
        assert_eq!(fitted([]), "");
        assert_eq!(
            (sentence("Fin "), sentence("Fin ?")),
            ("Fin.".into(), "Fin ?".into())
        );
    }
}
