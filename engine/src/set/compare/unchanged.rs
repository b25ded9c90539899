//! Values that a file says to be unchanged (`confirmed: "inchangé, …"`), compared with those of the
//! file before.

use jiff::civil::Date;

use crate::law::figure::{CONFIRMED, rows_of};
use crate::text::{Node, Place, PlacedText, Problem};

use super::sheet::{Compared, Pair, Sheet, all_pairs};

/// Words that say that a value is the one of the file before.
const UNCHANGED: [&str; 5] = [
    "inchangé",
    "inchangée",
    "inchangés",
    "inchangées",
    "unchanged",
];

/// Separator of the reasons of several values of a part, as `bareme confirm` writes them.
const AND: &str = " ; ";

/// The values that are marked as unchanged and differ from those of the earlier file.
pub(super) fn found(new: &Sheet, old: Option<&Sheet>) -> Vec<(Place, Problem)> {
    let Some(old) = old else { return Vec::new() };
    let both = all_pairs(old, new);
    both.iter()
        .flat_map(|both| of_figure(both, old.date))
        .collect()
}

/// The first of each part of a figure: the whole, or a row.
fn of_figure(
    Compared {
        new: table, pairs, ..
    }: &Compared,
    date: Date,
) -> Vec<(Place, Problem)> {
    let rows = rows_of(table.node);
    let parts = (1..).zip(rows).map(|(row, node)| (Some(row), node));
    let parts = std::iter::once((None, table.node)).chain(parts);
    let reasons = parts.filter_map(|(row, node)| Some((row, node, node.text_of(CONFIRMED)?)));

    // The reason of the whole speaks of every cell, that of a row of its own alone.
    let of_part = |(row, node, reason): (Option<usize>, &Node, &PlacedText)| {
        let is_claimed = |pair: &&Pair| {
            let cell = &pair.new.cell;
            let is_its_own = row.is_none() || cell.row == row;
            is_its_own && pair.is_changed() && says_unchanged(&reason.value, &cell.column, node)
        };
        let claimed = pairs.iter().find(is_claimed)?;
        let (before, after) = (&claimed.old.cell, &claimed.new.cell);
        let problem = Problem::UnchangedValueChanged {
            cell: after.name(),
            before: before.written().to_owned(),
            after: after.written().to_owned(),
            date: date.to_string(),
        };
        Some((reason.place.clone(), problem))
    };
    reasons.filter_map(of_part).collect()
}

/// Whether a reason says that the value of a column is unchanged. A reason without the name of a
/// column is that of all values of the part.
fn says_unchanged(reason: &str, column: &str, part: &Node) -> bool {
    let is_of_column = |one: &&str| match one.split_once(" : ") {
        Some((name, _)) if part.get(name.trim()).is_some() => name.trim() == column,
        _ => true,
    };
    reason.split(AND).filter(is_of_column).any(claims_unchanged)
}

/// Whether a reason says that a value is that of the file before.
pub(crate) fn claims_unchanged(reason: &str) -> bool {
    let mut words = reason.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| UNCHANGED.contains(&word.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, method, read, scale};

    /// The errors and warnings of a figure with two values and of a table, in a later file.
    fn stated(figures: &str) -> Vec<String> {
        let keys = "figures:
  f: {v: rate, w: rate}
  g: {bound: money/month, rate: rate}
steps:
  x: brut * f.v * f.w
  y: {brackets: brut, with: g}
answer:
  x: x
  y: y
";
        let before = "  f: {v: 10%, w: 20%, source: s}
  g: {per: month, source: s, rows: [{up_to: 100, rate: 1%}, {rate: 2%}]}\n";
        let (_, report) = read(&[
            ("method.yaml", &method(&format!("{GROSS}{keys}"))),
            ("2026-01-01.yaml", &scale(before)),
            ("2027-01-01.yaml", &scale(figures)),
        ]);
        let shown = |one: &crate::text::Diagnostic| {
            format!("{} {}", one.code(), one.message(crate::text::Lang::En))
        };
        report
            .all()
            .map(shown)
            .filter(|one| one.starts_with("G33"))
            .collect()
    }

    fn with(f: &str, g: &str) -> Vec<String> {
        stated(&format!(
            "  f: {{v: 11%, w: 20%, source: s{f}}}\n  g: {{per: month, source: s{g}}}\n"
        ))
    }

    #[test]
    fn unchanged_is_compared_with_the_file_before() {
        const ROWS: &str = ", rows: [{up_to: 100, rate: 1%}, {rate: 2%}]";
        let moved = "G33 `f.v` is marked as unchanged, and is 11% instead of 10% in the scale of \
                     2026-01-01";
        assert_eq!(with("", ROWS), Vec::<String>::new());
        assert_eq!(
            with(", confirmed: \"inchangé, toujours en vigueur\"", ROWS),
            [moved]
        );
        assert_eq!(
            with(", confirmed: \"unchanged, still in force\"", ROWS),
            [moved]
        );
        assert_eq!(
            with(", confirmed: \"v : inchangé ; w : lu au JO\"", ROWS),
            [moved]
        );
        assert_eq!(
            with(", confirmed: \"v : lu au JO ; w : inchangé\"", ROWS),
            Vec::<String>::new()
        );
        assert_eq!(
            with(", confirmed: \"même texte, prévu pour ce jour\"", ROWS),
            Vec::<String>::new()
        );
    }

    #[test]
    fn rows_are_compared_each() {
        let moved = "G33 `g[2].rate` is marked as unchanged, and is 3% instead of 2% in the scale of \
                     2026-01-01";
        let last =
            |stated: &str| format!(", rows: [{{up_to: 100, rate: 1%}}, {{rate: 3%{stated}}}]");
        assert_eq!(with("", &last("")), Vec::<String>::new());
        assert_eq!(with("", &last(", confirmed: \"inchangé\"")), [moved]);
        assert_eq!(
            with("", &format!(", confirmed: \"inchangé\"{}", last(""))),
            [moved]
        );
        let first = ", rows: [{up_to: 100, rate: 1%, confirmed: \"inchangé\"}, {rate: 3%}]";
        assert_eq!(with("", first), Vec::<String>::new());
    }

    #[test]
    fn in_a_draft_it_is_a_warning() {
        let folder = |mark: &str| {
            let keys = "figures:\n  f: {v: rate}\nsteps:\n  x: brut * f.v\nanswer:\n  x: x\n";
            let later = format!("  f: {{v: 11%, source: s, confirmed: inchangé{mark}}}\n");
            read(&[
                ("method.yaml", &method(&format!("{GROSS}{keys}"))),
                ("2026-01-01.yaml", &scale("  f: {v: 10%, source: s}\n")),
                ("2027-01-01.yaml", &scale(&later)),
            ])
            .0
        };
        assert!(folder("").is_none());
        assert_eq!(
            folder(", unconfirmed: true").map(|folder| folder.editions().len()),
            Some(1)
        );
    }
}
