//! Lookup of a row: key by key the rows that list its value, else those without that key; then by
//! bound.

use std::collections::HashMap;

use rust_decimal::Decimal;

use crate::law::types::Value;
use crate::text::number::{compare, times};

use super::Row;

/// How a value is compared with the bound of a row.
///
/// ```
/// use bareme_engine::law::BoundWord;
///
/// assert!(BoundWord::ALL.iter().all(|(name, word)| word.name() == *name));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundWord {
    /// The first row whose bound is at least the value.
    UpTo,
    /// The first row whose bound is above the value.
    Below,
    /// The last row whose bound is below the value.
    Over,
    /// The last row whose bound is at most the value.
    From,
}

impl BoundWord {
    /// Every word with its meaning.
    pub const ALL: [(&'static str, Self); 4] = [
        ("up_to", Self::UpTo),
        ("below", Self::Below),
        ("over", Self::Over),
        ("from", Self::From),
    ];

    /// The word in a rule file.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, word)| *word == self)
            .map_or("", |(name, _)| name)
    }

    /// Name of the bound in an answer.
    pub fn french(self) -> &'static str {
        match self {
            Self::UpTo => "jusqu_a",
            Self::Below => "en_dessous_de",
            Self::Over => "au_dela_de",
            Self::From => "a_partir_de",
        }
    }

    /// The comparison for a word of a rule file; `None` for any other key.
    pub fn from_word(text: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(name, _)| *name == text)
            .map(|(_, word)| *word)
    }

    /// Whether it is an upper bound: the first row that matches is found. Else it is the last.
    pub fn is_upper(self) -> bool {
        matches!(self, Self::UpTo | Self::Below)
    }

    fn holds(self, value: Decimal, bound: Decimal) -> bool {
        let order = compare(value, bound);
        match self {
            Self::UpTo => order.is_le(),
            Self::Below => order.is_lt(),
            Self::Over => order.is_gt(),
            Self::From => order.is_ge(),
        }
    }
}

/// Rows indexed by their keys.
///
/// Part of a [`Figure`](crate::law::Figure); it holds the indices of the rows.
#[derive(Debug, Clone)]
pub enum Lookup<R = Vec<usize>> {
    /// Rows by the value of the next key; `other` are the rows that do not list it.
    ByKey {
        /// Values that rows list.
        cases: Vec<(Value, Lookup<R>)>,
        /// Rows for any other value.
        other: Option<Box<Lookup<R>>>,
    },
    /// The rows left once every key is matched, in the order of the file.
    Rows(R),
}

/// Why no row was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LookupError {
    /// No row for the value of the key at this index.
    Key(usize),
    /// No row for this bound.
    Bound,
}

impl Lookup {
    /// Indexes rows that have `keys` keys.
    pub(crate) fn new(rows: &[Row], keys: usize) -> Self {
        Self::arrange(rows, (0..rows.len()).collect(), 0, keys)
    }

    fn arrange(rows: &[Row], chosen: Vec<usize>, key: usize, keys: usize) -> Self {
        if key == keys {
            return Self::Rows(chosen);
        }

        let listed = |row: usize| {
            rows.get(row)
                .and_then(|row| row.keys.get(key))
                .map(Vec::as_slice)
                .unwrap_or_default()
        };
        // Each value, in the order of the file, with the rows that list it.
        let mut with: Vec<(Value, Vec<usize>)> = Vec::new();
        // Positions by value: otherwise a long table would be searched for each of its values.
        let mut indices: HashMap<&Value, usize> = HashMap::new();
        for row in &chosen {
            for value in listed(*row) {
                let index = *indices.entry(value).or_insert(with.len());
                match with.get_mut(index) {
                    // A row that lists a value twice is in its group once.
                    Some((_, rows)) if rows.last() == Some(row) => {}
                    Some((_, rows)) => rows.push(*row),
                    None => with.push((value.clone(), vec![*row])),
                }
            }
        }

        let without: Vec<usize> = chosen
            .iter()
            .copied()
            .filter(|row| listed(*row).is_empty())
            .collect();

        let cases = with
            .into_iter()
            .map(|(value, with)| (value, Self::arrange(rows, with, key + 1, keys)));
        let cases = cases.collect();
        let other =
            (!without.is_empty()).then(|| Box::new(Self::arrange(rows, without, key + 1, keys)));

        Self::ByKey { cases, other }
    }

    /// Every group of rows that some values of the keys select.
    pub(crate) fn groups(&self) -> Vec<&[usize]> {
        match self {
            Self::Rows(rows) => vec![rows],
            Self::ByKey { cases, other } => {
                // Rows without the key are a group of their own: they answer the values that no row
                // lists.
                let others = other.iter().flat_map(|next| next.groups());
                cases
                    .iter()
                    .flat_map(|(_, next)| next.groups())
                    .chain(others)
                    .collect()
            }
        }
    }
}

impl<R> Lookup<R> {
    /// The rows that the values of the keys select.
    pub(crate) fn rows(&self, keys: &[Value]) -> Result<&R, LookupError> {
        let mut here = self;
        let mut index = 0;
        loop {
            match here {
                Self::Rows(rows) => return Ok(rows),
                Self::ByKey { cases, other } => {
                    // The row that lists the value comes before the one that lists none.
                    let value = keys.get(index);
                    let case = cases
                        .iter()
                        .find(|(known, _)| Some(known) == value)
                        .map(|(_, next)| next);
                    here = case.or(other.as_deref()).ok_or(LookupError::Key(index))?;
                    index += 1;
                }
            }
        }
    }

    /// The same index, with each group of rows mapped to something else.
    pub(crate) fn map<S>(&self, of_rows: &impl Fn(&R) -> S) -> Lookup<S> {
        match self {
            Self::Rows(rows) => Lookup::Rows(of_rows(rows)),
            Self::ByKey { cases, other } => Lookup::ByKey {
                cases: cases
                    .iter()
                    .map(|(value, next)| (value.clone(), next.map(of_rows)))
                    .collect(),
                other: other.as_ref().map(|next| Box::new(next.map(of_rows))),
            },
        }
    }
}

/// The bound of a row.
///
/// A [`Row`] has one, to be read with its [`BoundWord`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// How a value is compared with it.
    pub word: BoundWord,
    /// The amount or number.
    pub value: Decimal,
}

/// Finds the row in which a value falls. Bounds are multiplied by `shares`; a product that
/// overflows is above every value. `bounds_are_upper` says which search it is.
pub(crate) fn find_bound<T>(
    mut rows: impl DoubleEndedIterator<Item = (T, Option<Bound>)>,
    bounds_are_upper: bool,
    value: Decimal,
    shares: Decimal,
) -> Option<T> {
    let holds = |(_, bound): &(T, Option<Bound>)| {
        let Some(bound) = bound else { return true };
        times(bound.value, shares).map_or(bounds_are_upper, |edge| bound.word.holds(value, edge))
    };

    // Upper bounds go up to the first that holds, lower ones down to the last that does.
    let found = if bounds_are_upper {
        rows.find(holds)
    } else {
        rows.rfind(holds)
    };

    found.map(|(row, _)| row)
}

#[cfg(test)]
mod tests {
    use crate::law::figure::Figure;
    use crate::law::types::Value;
    use crate::testing::{GROSS, folder};

    use super::*;

    /// A figure of rows; its keys are `a` and `b`, plain numbers.
    fn figure(shape: &str, rows: &str) -> Figure {
        let by = shape
            .matches("key")
            .map(|_| "1")
            .chain(shape.contains("bound").then_some("brut"));
        let by = by.collect::<Vec<_>>().join("; ");
        let steps =
            format!("steps:\n  x: {{table: f, by: {by}, or_refuse: brut}}\nanswer:\n  x: x\n");
        let keys = format!("{GROSS}figures:\n  f: {{{shape}, n: number}}\n{steps}");
        let per = if shape.contains("bound") {
            "per: month, "
        } else {
            ""
        };
        let folder = folder(&keys, &format!("  f: {{{per}source: s, rows: [{rows}]}}"));
        folder.latest().unwrap().scale().unwrap().figures[0].clone()
    }

    fn number(value: i64) -> Value {
        Value::Number(value.into())
    }

    /// Number of the row found, from 1, for each value.
    fn rows(figure: &Figure, values: [i64; 4]) -> [Option<usize>; 4] {
        values.map(|value| figure.find(&[], value.into()).ok().map(|row| row + 1))
    }

    #[test]
    fn each_word_holds_its_bound_in_its_own_way() {
        let values = [9, 10, 11, 20];
        let up_to = figure(
            "bound: money/month",
            "{up_to: 10, n: 1}, {up_to: 19, n: 2}, {n: 3}",
        );
        assert_eq!(rows(&up_to, values), [Some(1), Some(1), Some(2), Some(3)]);
        let below = figure(
            "bound: money/month",
            "{below: 10, n: 1}, {below: 20, n: 2}, {n: 3}",
        );
        assert_eq!(rows(&below, values), [Some(1), Some(2), Some(2), Some(3)]);
        let over = figure(
            "bound: money/month",
            "{over: 9, n: 1}, {over: 10, n: 2}, {over: 20, n: 3}",
        );
        assert_eq!(rows(&over, values), [None, Some(1), Some(2), Some(2)]);
        let from = figure(
            "bound: money/month",
            "{from: 10, n: 1}, {from: 11, n: 2}, {from: 20, n: 3}",
        );
        assert_eq!(rows(&from, values), [None, Some(1), Some(2), Some(3)]);
        let mixed = figure(
            "bound: money/month",
            "{n: 1}, {from: 10, n: 2}, {over: 11, n: 3}",
        );
        assert_eq!(rows(&mixed, values), [Some(1), Some(2), Some(2), Some(3)]);
    }

    #[test]
    fn a_closed_figure_answers_nothing_beyond_its_bounds() {
        let closed = figure("bound: money/month", "{up_to: 10, n: 1}, {below: 20, n: 2}");
        assert_eq!(
            rows(&closed, [10, 19, 20, 21]),
            [Some(1), Some(2), None, None]
        );
        assert_eq!(closed.find(&[], Decimal::from(20)), Err(LookupError::Bound));
    }

    /// Index of the row found, with the bounds multiplied.
    fn found(figure: &Figure, value: Decimal, shares: Decimal) -> Option<usize> {
        find_bound(
            figure.rows.iter().map(|row| row.bound).enumerate(),
            figure.bounds_are_upper,
            value,
            shares,
        )
    }

    #[test]
    fn bounds_are_multiplied_by_the_shares() {
        let figure = figure("bound: money/month", "{up_to: 10, n: 1}, {n: 2}");
        let found = |value: i64, shares| found(&figure, value.into(), shares);
        assert_eq!(
            (
                found(25, Decimal::new(25, 1)),
                found(26, Decimal::new(25, 1))
            ),
            (Some(0), Some(1))
        );
        assert_eq!(found(1, Decimal::ZERO), Some(1));
    }

    #[test]
    fn a_bound_that_cannot_be_multiplied_is_beyond_every_value() {
        let most = "10 000 000 000 000 000 000 000 000 000";
        let upper = figure(
            "bound: money/month",
            &format!("{{up_to: {most}, n: 1}}, {{n: 2}}"),
        );
        assert_eq!(found(&upper, Decimal::MAX, Decimal::TEN), Some(0));
        let lower = figure(
            "bound: money/month",
            &format!("{{n: 1}}, {{over: {most}, n: 2}}"),
        );
        assert_eq!(found(&lower, Decimal::MAX, Decimal::TEN), Some(0));
    }

    #[test]
    fn the_rows_that_list_a_value_come_before_all_others() {
        let figure = figure(
            "a: key, b: key",
            "{a: 1; 2, b: 5, n: 1}, {a: 1, n: 2}, {b: 5, n: 3}, {n: 4}",
        );
        let found = |a, b| figure.find(&[number(a), number(b)], Decimal::ZERO);
        assert_eq!(found(1, 5), Ok(0));
        assert_eq!(found(2, 5), Ok(0));
        assert_eq!(found(1, 6), Ok(1));
        // Once the rows that list 2 are selected, those for all other values are out.
        assert_eq!(found(2, 6), Err(LookupError::Key(1)));
        assert_eq!(found(3, 5), Ok(2));
        assert_eq!(found(3, 6), Ok(3));
    }

    #[test]
    fn the_key_without_row_is_reported() {
        let figure = figure("a: key, b: key", "{a: 1, b: 1, n: 1}, {a: 2, n: 2}");
        assert_eq!(
            figure.find(&[number(3), number(1)], Decimal::ZERO),
            Err(LookupError::Key(0))
        );
        assert_eq!(
            figure.find(&[number(1), number(2)], Decimal::ZERO),
            Err(LookupError::Key(1))
        );
        assert_eq!(figure.lookup.groups(), [&[0_usize][..], &[1]]);
    }
}
