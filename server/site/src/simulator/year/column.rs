//! A column of the grid of a year: its cells out of a query, and the parameter of the API.
//!
//! A cell is the parameter `brut-3`, and the value for months with an empty cell is `brut-tous`.

use bareme_engine::law::{Input, Method};
use bareme_engine::text::{BadParameter, ParameterCode};

use super::super::values;

/// Months of a year.
pub(super) const MONTHS: i8 = 12;

/// Number of cells of a column.
const CELLS: usize = 12;

/// End of the name of a cell for every month.
pub(super) const ALL: &str = "tous";

/// A column of the grid: an input that may vary by month.
#[derive(Debug)]
pub(super) struct Column<'r> {
    pub input: &'r Input,
    /// The value for months with an empty cell.
    pub all: String,
    /// The cells, January first.
    pub cells: [String; CELLS],
}

impl<'r> Column<'r> {
    /// Takes an input out of the pairs of a query, with the number of months that its list has: 0
    /// if it has no list. A list that is longer than the rest of the year stays in the pairs, to be
    /// refused there; a list beside cells is refused here.
    pub(super) fn take(
        method: &Method,
        input: &'r Input,
        pairs: &mut Vec<(String, String)>,
        first: i8,
        bad: &mut Vec<BadParameter>,
    ) -> (Self, i8) {
        // A value as the API reads it; what cannot be read is reported with its month.
        let mut plain = |value: &str, month: Option<i8>| {
            values::plain(method, input, value).unwrap_or_else(|mut refused| {
                refused.month = month;
                bad.push(refused);
                value.trim().to_owned()
            })
        };

        // 1. The cells and the list of this input, out of the query.
        let mut column = Self {
            input,
            all: String::new(),
            cells: Default::default(),
        };
        let list = column.take_cells(pairs, &mut plain);

        // The values of a list are those of the months from the first one on; a single value is
        // that of every month.
        let is_list = list.len() > 1;
        let month_at = |place: usize| {
            first
                .checked_add(i8::try_from(place).ok()?)
                .filter(|_| is_list)
        };
        let list: Vec<String> = list
            .iter()
            .enumerate()
            .map(|(place, value)| plain(value, month_at(place)))
            .collect();

        // 2. A list beyond December is left to be refused as it was sent.
        let room = CELLS.saturating_sub(index(first));
        if list.len() > room {
            pairs.push((input.name.clone(), list.join(";")));
            return (column, 0);
        }

        // 3. A list and cells may contradict each other: nothing tells which is meant.
        if !list.is_empty()
            && (!column.all.is_empty() || column.cells.iter().any(|cell| !cell.is_empty()))
        {
            bad.push(written_twice(&input.name, &list.join(";")));
        }

        // 4. One value holds for every month, and several fill the cells from the first month on.
        if let [only] = list.as_slice() {
            column.all.clone_from(only);
            return (column, 0);
        }
        let length = i8::try_from(list.len()).unwrap_or(MONTHS);
        for (cell, value) in column.cells.iter_mut().skip(index(first)).zip(list) {
            *cell = value;
        }
        (column, length)
    }

    /// Takes the cells of the input out of a query, and its list, which is returned. What is like a
    /// cell and names no month is left to be refused.
    fn take_cells(
        &mut self,
        pairs: &mut Vec<(String, String)>,
        plain: &mut impl FnMut(&str, Option<i8>) -> String,
    ) -> Vec<String> {
        let mut list: Vec<String> = Vec::new();
        // `brut` is the list, `brut-tous` every month, `brut-3` March.
        pairs.retain(|(name, value)| {
            if *name == self.input.name {
                list.extend(value.split(';').map(str::to_owned));
                return false;
            }
            match name
                .rsplit_once('-')
                .filter(|(name, _)| *name == self.input.name)
            {
                Some((_, ALL)) => self.all = plain(value, None),
                Some((_, place)) => {
                    match month(place)
                        .and_then(|month| self.cells.get_mut(index(month)).zip(Some(month)))
                    {
                        Some((cell, month)) => *cell = plain(value, Some(month)),
                        None => return true,
                    }
                }
                None => return true,
            }
            false
        });
        list
    }

    /// The value of a month.
    pub(super) fn at(&self, month: i8) -> &str {
        // An empty cell has the value of every month.
        let cell = self
            .cells
            .get(index(month))
            .map(String::as_str)
            .unwrap_or_default();
        if cell.is_empty() { &self.all } else { cell }
    }

    /// The value of a month as a person writes it, with its unit.
    pub(super) fn in_words(&self, method: Option<&Method>, month: i8) -> String {
        let value = self.at(month);
        let of_input = |method| values::in_words(method, self.input, value);
        method.map_or_else(|| value.to_owned(), of_input)
    }

    /// The parameter of the API: a single value where all months have the same, a list where they
    /// differ, `None` where all are empty. Cells of an input that is asked for each month are
    /// always a list.
    pub(super) fn sent(
        &self,
        months: impl Iterator<Item = i8>,
        is_each_month: bool,
    ) -> Option<String> {
        let default = values::default_text(self.input);
        let values: Vec<&str> = months.map(|month| self.at(month)).collect();
        let is_default = |value: &&str| value.is_empty() || default.as_deref() == Some(value);

        // A column at its default is not sent: the link stays short.
        if values.iter().all(is_default) {
            return None;
        }

        let is_same = values.windows(2).all(|pair| pair.first() == pair.last());
        let is_one = is_same && !(is_each_month && self.all.is_empty());
        if is_one {
            values.first().map(|value| (*value).to_owned())
        } else {
            Some(values.join(";"))
        }
    }
}

/// A list that is sent beside the cells of the grid.
fn written_twice(name: &str, received: &str) -> BadParameter {
    let reason = (
        "Se donne par une liste ou par mois, non des deux façons.",
        "Is given by a list or by month, not in both ways.",
    );

    let expected = (
        format!("`{name}`, ou `{name}-{ALL}` et `{name}-1`"),
        format!("`{name}`, or `{name}-{ALL}` and `{name}-1`"),
    );

    BadParameter::new(
        name,
        ParameterCode::Incompatible,
        reason,
        Some(received),
        expected,
    )
}

/// A month by its number.
pub(super) fn month(text: &str) -> Option<i8> {
    // `parse` would take `+3` as well.
    let is_whole = text.bytes().all(|byte| byte.is_ascii_digit());

    text.parse()
        .ok()
        .filter(|month| is_whole && (1..=MONTHS).contains(month))
}

/// Index of a month in a year.
fn index(month: i8) -> usize {
    usize::try_from(month.saturating_sub(1)).unwrap_or_default()
}
