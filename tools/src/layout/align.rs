//! Alignment of columns: the values of successive entries, and the cells of rows.

use std::collections::{BTreeMap, HashMap};

use super::flow::cells;

/// Greatest number of rounds until the alignment is stable: a line that moves may change the most
/// frequent column.
const ROUNDS: usize = 20;

/// Columns by which a cell may be wider than the one in the middle of its column and still widen
/// it: a list of many words in one row moves no other row.
const WIDER: usize = 12;

/// The column of the values of entries that follow each other, from the start of their keys: the
/// one that most of them have already. A key that is longer has its value one space after it; 0
/// where most have their values so, below no other. `entries` are the length of each key with its
/// colon, and the column of its value.
pub(super) fn column(entries: &[(usize, usize)]) -> usize {
    let mut columns: Vec<usize> = entries.iter().map(|(_, column)| *column).collect();

    let mut found = 0;
    // Moving a line to the most frequent column may make another one the most frequent, so the
    // column is looked for again until it stays the same, or `ROUNDS` is reached.
    for _ in 0..ROUNDS {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        columns
            .iter()
            .for_each(|column| *counts.entry(*column).or_default() += 1);
        // Among equally frequent columns, the furthest fits more keys.
        let most = counts
            .iter()
            .max_by_key(|(column, count)| (**count, **column))
            .map_or(0, |(column, _)| *column);

        if most == found {
            break;
        }

        found = most;
        // A key longer than the column pushes its value one space after itself.
        columns = entries
            .iter()
            .map(|(key, _)| (*key).saturating_add(1).max(found))
            .collect();
    }

    // Where most values follow their keys at once, the author did not align them: no column is
    // imposed on the file.
    let is_below = |column: usize| column == found;
    let aligned = entries
        .iter()
        .filter(|(_, column)| is_below(*column))
        .count();
    let unaligned = entries
        .iter()
        .filter(|(key, column)| !is_below(*column) && *column == (*key).saturating_add(1))
        .count();
    if unaligned > aligned { 0 } else { found }
}

/// The keys of the first cells of a row, which identify the place of the last one.
type Prefix<'r> = Vec<&'r str>;

/// Aligns the cells of successive rows, as far as they have the same keys. No blanks are added
/// after a text.
pub(super) fn rows(rows: &[String]) -> Vec<String> {
    let parsed: Vec<Option<(Vec<&str>, &str)>> = rows.iter().map(|row| cells(row)).collect();

    // 1. The widths: each cell counts for the cells before it that have the same keys, so that
    // `{above: …, rate: …}` and `{key: …, value: …}` in one list are aligned separately.
    let mut columns: HashMap<Prefix, Vec<usize>> = HashMap::new();
    for (cells, _) in parsed.iter().flatten() {
        for (prefix, cell) in padded(cells) {
            columns
                .entry(prefix)
                .or_default()
                .push(cell.chars().count());
        }
    }

    let widths: HashMap<Prefix, usize> = columns
        .into_iter()
        .map(|(prefix, cells)| (prefix, width(cells)))
        .collect();

    // 2. The rows. What is not a map on one line stays as it is.
    let aligned = rows.iter().zip(&parsed).map(|(row, parsed)| {
        let Some((cells, rest)) = parsed else {
            return row.clone();
        };
        let mut out = String::from("{");

        let widths =
            padded(cells).map(|(prefix, _)| widths.get(&prefix).copied().unwrap_or_default());
        let widths = widths.chain(std::iter::repeat(0));

        // After the padded cells nothing is aligned any more: each cell follows one space after the
        // comma.
        for (index, (cell, width)) in cells.iter().zip(widths).enumerate() {
            out.push_str(cell);
            if index.saturating_add(1) < cells.len() {
                let blanks = width.saturating_sub(cell.chars().count()).saturating_add(1);
                out.push(',');
                out.push_str(&" ".repeat(blanks));
            }
        }

        format!("{out}}}{rest}")
    });
    aligned.collect()
}

/// The width of a column: that of its widest cell, those left out that are much wider than the one
/// in its middle.
fn width(mut cells: Vec<usize>) -> usize {
    // The middle of the sorted widths is their median, which a few long cells do not move.
    cells.sort_unstable();
    let middle = cells.get(cells.len() / 2).copied().unwrap_or_default();

    cells
        .into_iter()
        .filter(|cell| *cell <= middle.saturating_add(WIDER))
        .max()
        .unwrap_or_default()
}

/// The cells of a row that are padded: all but the last, up to the first quoted text.
fn padded<'r>(cells: &'r [&'r str]) -> impl Iterator<Item = (Prefix<'r>, &'r str)> {
    let last = cells.len().saturating_sub(1);

    let key = |cell: &&'r str| cell.split_once(':').map_or(*cell, |(key, _)| key);
    // A quoted text is a sentence, as long as it needs: to pad it would push what follows far to
    // the right.
    let is_short = |cell: &&&str| !cell.contains(": \"");
    let short = cells.iter().take(last).take_while(is_short).enumerate();
    short.map(move |(index, cell)| {
        (
            cells
                .iter()
                .take(index.saturating_add(1))
                .map(key)
                .collect(),
            *cell,
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_column_of_most_lines_stays_and_is_one_column() {
        assert_eq!(
            column(&[(5, 8), (7, 8), (12, 13)]),
            8,
            "a long key does not move the others"
        );
        assert_eq!(column(&[(5, 6), (7, 8)]), 8);
        let entries = [(5, 6), (5, 6), (5, 7), (9, 10)];
        let once = column(&entries);
        let again: Vec<(usize, usize)> = entries
            .iter()
            .map(|(key, _)| (*key, (*key + 1).max(once)))
            .collect();
        assert_eq!(column(&again), once);
        assert_eq!(
            column(&[(5, 6), (9, 10), (12, 13), (5, 6), (11, 12)]),
            0,
            "two short keys make no column"
        );
    }

    #[test]
    fn cells_stand_below_each_other_where_rows_have_the_same_keys() {
        let written = [
            "{up_to: 6 000, rate: 0%, less: 0}",
            "{up_to: 20 000, rate: 12.5%, less: 5}",
            "{rate: 25%, less: 9}",
        ];
        let aligned = rows(&written.map(str::to_owned));
        assert_eq!(
            aligned,
            [
                "{up_to: 6 000,  rate: 0%,    less: 0}",
                "{up_to: 20 000, rate: 12.5%, less: 5}",
                "{rate: 25%, less: 9}"
            ]
        );
        let long = [
            "{lien: autre, rate: 1%}",
            "{lien: frere; soeur; neveu; niece, rate: 2%}",
            "{lien: enfant, rate: 3%}",
        ];
        assert_eq!(
            rows(&long.map(str::to_owned)),
            [
                "{lien: autre,  rate: 1%}",
                "{lien: frere; soeur; neveu; niece, rate: 2%}",
                "{lien: enfant, rate: 3%}"
            ]
        );
        let texts = [
            "{a: \"un\", b: 1}".to_owned(),
            "{a: \"deux\", b: 2}".to_owned(),
        ];
        assert_eq!(rows(&texts), texts);
    }
}
