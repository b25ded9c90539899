//! Columns: the values of entries that follow each other, the cells of rows.

use std::collections::{BTreeMap, HashMap};

use super::flow::cells;

/// Rounds until a column is that of most lines: a line that moves may make another one the most used.
const ROUNDS: usize = 20;

/// The column of the values of entries that follow each other, from the start of their keys: the one that most of them have
/// already. A key that is longer has its value one space after it. `entries` are the length of each key with its colon, and
/// the column of its value.
pub(super) fn column(entries: &[(usize, usize)]) -> usize {
    let mut columns: Vec<usize> = entries.iter().map(|(_, column)| *column).collect();
    let mut found = 0;
    for _ in 0..ROUNDS {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        columns.iter().for_each(|column| *counts.entry(*column).or_default() += 1);
        // Of two that are as frequent, the further one has more keys before it.
        let most = counts.iter().max_by_key(|(column, count)| (**count, **column)).map_or(0, |(column, _)| *column);
        if most == found {
            break;
        }
        found = most;
        columns = entries.iter().map(|(key, _)| (*key).saturating_add(1).max(found)).collect();
    }
    found
}

/// The keys of the first cells of a row, and the place of the last of them.
type Prefix<'r> = Vec<&'r str>;

/// Rows that follow each other with their cells below each other, as far as the rows have the same keys. A text is not
/// followed by blanks.
pub(super) fn rows(rows: &[String]) -> Vec<String> {
    let parsed: Vec<Option<(Vec<&str>, &str)>> = rows.iter().map(|row| cells(row)).collect();
    let mut widths: HashMap<Prefix, usize> = HashMap::new();
    for (cells, _) in parsed.iter().flatten() {
        for (prefix, cell) in padded(cells) {
            let width = widths.entry(prefix).or_default();
            *width = cell.chars().count().max(*width);
        }
    }
    let aligned = rows.iter().zip(&parsed).map(|(row, parsed)| {
        let Some((cells, rest)) = parsed else { return row.clone() };
        let mut out = String::from("{");
        let widths = padded(cells).map(|(prefix, _)| widths.get(&prefix).copied().unwrap_or_default());
        let widths = widths.chain(std::iter::repeat(0));
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

/// The cells of a row that others may stand below of: all but the last, up to the first text in quotes.
fn padded<'r>(cells: &'r [&'r str]) -> impl Iterator<Item = (Prefix<'r>, &'r str)> {
    let last = cells.len().saturating_sub(1);
    let key = |cell: &&'r str| cell.split_once(':').map_or(*cell, |(key, _)| key);
    let is_short = |cell: &&&str| !cell.contains(": \"");
    let short = cells.iter().take(last).take_while(is_short).enumerate();
    short.map(move |(index, cell)| (cells.iter().take(index.saturating_add(1)).map(key).collect(), *cell))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_column_of_most_lines_stays_and_is_one_column() {
        assert_eq!(column(&[(5, 8), (7, 8), (12, 13)]), 8, "a long key does not move the others");
        assert_eq!(column(&[(5, 6), (7, 8)]), 8);
        let entries = [(5, 6), (5, 6), (5, 7), (9, 10)];
        let once = column(&entries);
        let again: Vec<(usize, usize)> = entries.iter().map(|(key, _)| (*key, (*key + 1).max(once))).collect();
        assert_eq!(column(&again), once);
    }

    #[test]
    fn cells_stand_below_each_other_where_rows_have_the_same_keys() {
        let written =
            ["{up_to: 6 000, rate: 0%, less: 0}", "{up_to: 20 000, rate: 12.5%, less: 5}", "{rate: 25%, less: 9}"];
        let aligned = rows(&written.map(str::to_owned));
        assert_eq!(
            aligned,
            ["{up_to: 6 000,  rate: 0%,    less: 0}", "{up_to: 20 000, rate: 12.5%, less: 5}", "{rate: 25%, less: 9}"]
        );
        let texts = ["{a: \"un\", b: 1}".to_owned(), "{a: \"deux\", b: 2}".to_owned()];
        assert_eq!(rows(&texts), texts);
    }
}
