//! Questions to the simulator of a year: inputs for the whole year, and a grid with one row for
//! each month.
//!
//! A cell is the parameter `brut-3`, and the value for months with an empty cell is `brut-tous`;
//! the link to a question has the lists of the API instead.

use bareme_api::wire::problem::Problem;
use bareme_api::wire::query::Query;
use bareme_engine::law::parameter::{DEPARTURE, FINAL_MONTH, FIRST_MONTH, YEAR};
use bareme_engine::law::{Input, Method, YearBlock};
use bareme_engine::run::{Edition, YearCalculation};
use bareme_engine::say;
use bareme_engine::text::{BadParameter, ParameterCode};
use bareme_show::query_string;
use jiff::civil::Date;

use super::super::example::example;
use super::super::question::{Question, take};
use super::super::values;
use super::PATH_END;
use super::months::month_name;
use crate::catalogue::ListedFolder;
use crate::text::say;

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

/// A question: the first and the last month, and the inputs of each.
#[derive(Debug)]
pub(super) struct YearQuestion<'r> {
    /// Inputs for the whole year, as in the form of a single pay.
    pub question: Question<'r>,
    /// The `year` block of its method.
    pub block: &'r YearBlock,
    /// The year, as it was sent.
    pub year: String,
    /// The first month and the last one.
    pub span: (i8, i8),
    /// Whether the contract ends with the last month.
    pub leaves: bool,
    /// The columns of the grid.
    pub columns: Vec<Column<'r>>,
}

/// A year, or every parameter that it cannot use.
pub(crate) type Answer<'r> = Result<YearCalculation<'r>, Vec<BadParameter>>;

impl<'r> YearQuestion<'r> {
    /// Parses the query of the page; without one, takes a worked case for every month. `None` where
    /// the folder has no year of pays.
    pub(super) fn read(listed: &ListedFolder<'r>, query: &str, today: Date) -> Option<Self> {
        let block = listed.folder.year_block()?;

        // 1. The pairs that have a value. An empty place of a list that repeats its parameter is a
        // month.
        let Query { mut pairs, mut bad } = Query::read(query);
        let repeated: Vec<String> = pairs
            .iter()
            .map(|(name, _)| name.clone())
            .filter(|name| block.varies(name))
            .collect();
        let is_place = |name: &str| repeated.iter().filter(|known| *known == name).count() > 1;
        pairs.retain(|(name, value)| !value.trim().is_empty() || is_place(name));
        let is_first = pairs.is_empty() && bad.is_empty();

        // 2. The year and its edition, which has the inputs. A first visit shows a worked case.
        let year = take(&mut pairs, YEAR).unwrap_or_else(|| today.year().to_string());
        let edition = edition_of(listed, &year);
        if is_first {
            pairs = edition
                .map(|edition| example(listed, edition.method(), today))
                .unwrap_or_default();
            let inputs = listed.folder.year_inputs();
            pairs.retain(|(name, _)| inputs.iter().any(|input| input.name == *name));
        }

        // 3. The months, and whether the contract ends with the last one.
        let leaves = take_read(&mut pairs, DEPARTURE, |text| text.parse().ok()).unwrap_or_default();
        let first = take_read(&mut pairs, FIRST_MONTH, month).unwrap_or(1);
        let last = take_read(&mut pairs, FINAL_MONTH, |text| {
            month(text).filter(|last| *last >= first)
        });

        // 4. The columns of the grid. The longest list tells how many months are meant, where the
        // last one is not given.
        let varies = |input: &&Input| !input.is_absent && block.varies(&input.name);
        let (mut columns, mut longest) = (Vec::new(), 0);
        if let Some(method) = edition.map(Edition::method) {
            for input in method.inputs().iter().filter(varies) {
                let (column, length) = Column::take(method, input, &mut pairs, first, &mut bad);
                longest = longest.max(length);
                columns.push(column);
            }
        }

        let last = last.unwrap_or(if longest == 0 {
            MONTHS
        } else {
            first.saturating_add(longest).saturating_sub(1)
        });

        // 5. What is left holds for the whole year, or is refused.
        let question = Question::of_year(listed, edition, pairs, bad);
        Some(Self {
            question,
            block,
            year,
            span: (first, last.min(MONTHS)),
            leaves,
            columns,
        })
    }

    /// The months asked.
    pub(super) fn months(&self) -> std::ops::RangeInclusive<i8> {
        self.span.0..=self.span.1
    }

    /// The parameters of the API.
    pub(super) fn sent(&self) -> Vec<(String, String)> {
        let mut sent = vec![(YEAR.to_owned(), self.year.clone())];

        // What is at its default is left out, so that a link says what was chosen.
        let (first, last) = self.span;
        if first > 1 {
            sent.push((FIRST_MONTH.to_owned(), first.to_string()));
        }
        if last < MONTHS {
            sent.push((FINAL_MONTH.to_owned(), last.to_string()));
        }

        for column in &self.columns {
            let is_each_month = self.block.is_asked_each_month(&column.input.name);
            let list = column.sent(self.months(), is_each_month);
            sent.extend(list.map(|list| (column.input.name.clone(), list)));
        }

        if self.leaves {
            sent.push((DEPARTURE.to_owned(), "true".to_owned()));
        }
        sent.extend(self.question.sent.iter().cloned());
        sent
    }

    /// The answer, or every bad parameter.
    ///
    /// # Errors
    /// An internal error of the engine.
    pub(super) fn calculate(&self) -> Result<Answer<'r>, Problem> {
        let listed = &self.question.listed;
        let asked = self
            .question
            .or_bad(listed.folder.year(&listed.query(&self.sent())))?;
        Ok(self.question.unless_bad(asked))
    }

    /// The link to the page with this question.
    pub(super) fn link(&self) -> String {
        format!(
            "{}{PATH_END}?{}",
            self.question.listed.simulator(),
            query_string::from_pairs(&self.sent())
        )
    }

    /// The link to the months as a file.
    pub(super) fn download(&self) -> String {
        format!(
            "{}{PATH_END}.csv?{}",
            self.question.listed.simulator(),
            query_string::from_pairs(&self.sent())
        )
    }

    /// The question in words: labels and values of the parameters.
    pub(super) fn pairs_in_words(&self) -> Vec<(String, String)> {
        let lang = self.question.lang();
        let method = self.question.edition.map(Edition::method);
        // A column whose months are all equal has one value in words.
        let months = |column: &Column| {
            let values: Vec<String> = self
                .months()
                .map(|month| column.in_words(method, month))
                .collect();

            let is_same = values.windows(2).all(|pair| pair.first() == pair.last());

            let of_month = |(month, value): (i8, &String)| {
                let month = month_name(month, lang);
                say!(lang, "{month}\u{a0}: {value}", "{month}: {value}")
            };
            let value = if is_same {
                values.into_iter().next().unwrap_or_default()
            } else {
                let sent = self.months().zip(&values);
                let sent = sent.filter(|(_, value)| !value.is_empty());
                let sent: Vec<String> = sent.map(of_month).collect();
                sent.join(say(lang, " ; ", "; "))
            };
            (column.input.label.clone(), value)
        };
        let columns = self.columns.iter().map(months);
        let columns = columns.filter(|(_, value)| !value.is_empty());

        let year = (say(lang, "Année", "Year").to_owned(), self.year.clone());
        std::iter::once(year)
            .chain(columns)
            .chain(self.question.pairs_in_words())
            .collect()
    }
}

impl<'r> Column<'r> {
    /// Takes an input out of the pairs of a query, with the number of months that its list has: 0
    /// if it has no list. A list that is longer than the rest of the year stays in the pairs, to be
    /// refused there; a list beside cells is refused here.
    fn take(
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
    fn in_words(&self, method: Option<&Method>, month: i8) -> String {
        let value = self.at(month);
        let of_input = |method| values::in_words(method, self.input, value);
        method.map_or_else(|| value.to_owned(), of_input)
    }

    /// The parameter of the API: a single value where all months have the same, a list where they
    /// differ, `None` where all are empty. Cells of an input that is asked for each month are
    /// always a list.
    fn sent(&self, months: impl Iterator<Item = i8>, is_each_month: bool) -> Option<String> {
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

/// The edition whose inputs the form has: that of the end of the year.
fn edition_of<'r>(listed: &ListedFolder<'r>, year: &str) -> Option<&'r Edition> {
    // The last month decides which inputs there are: later editions may have more.
    let end = year
        .parse()
        .ok()
        .and_then(|year| Date::new(year, MONTHS, 31).ok());
    end.and_then(|end| listed.folder.edition(end))
        .or_else(|| listed.folder.latest())
}

/// Takes a parameter that can be read; another is left to be refused.
fn take_read<T>(
    pairs: &mut Vec<(String, String)>,
    name: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    let found = pairs.iter().position(|(known, _)| known == name)?;
    let read = read(&pairs.get(found)?.1)?;
    pairs.remove(found);
    Some(read)
}

/// A month by its number.
fn month(text: &str) -> Option<i8> {
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

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::catalogue;
    use crate::testing::rules;

    /// The parameters and the months that a query of the page is refused for; none where it is
    /// answered.
    fn refused(query: &str) -> Vec<(String, Option<i8>)> {
        let rules = rules();
        let listed = catalogue::find(&rules, "salaire").unwrap();
        let question = YearQuestion::read(&listed, query, date(2026, 11, 24)).unwrap();
        let bad = question.calculate().unwrap().err().unwrap_or_default();
        bad.into_iter().map(|bad| (bad.name, bad.month)).collect()
    }

    #[test]
    fn what_the_grid_does_not_hold_is_refused_and_not_changed() {
        let thirteen = vec!["2000"; 13].join(";");
        for (query, name) in [
            ("annee=2026&brut=2600&premier_mois=0", "premier_mois"),
            ("annee=2026&brut=2600&dernier_mois=99", "dernier_mois"),
            (
                "annee=2026&brut=2600&premier_mois=9&dernier_mois=3",
                "dernier_mois",
            ),
            ("annee=2026&brut=2600&depart=peut-etre", "depart"),
            (&format!("annee=2026&brut={thirteen}"), "brut"),
            (
                "annee=2026&brut=2600&premier_mois=11&primes=1;2;3",
                "primes",
            ),
            ("annee=2026&brut=2600&brut-tous=2700", "brut"),
            ("annee=2026&brut=2600&annee=2025", "annee"),
            (
                "annee=2026&brut=1300&jours-tous=15&brut_mois_complet-tous=2600",
                "jours",
            ),
        ] {
            let reported = refused(query);
            assert!(
                reported.contains(&(name.to_owned(), None)),
                "{query}: {reported:?}"
            );
        }
        // A place of a list that repeats its parameter stays a month.
        assert_eq!(
            refused("annee=2026&brut=1000&brut=&brut=3000"),
            [("brut".to_owned(), Some(2))]
        );
        // A number that reads in two ways is of its month, beside what else is wrong.
        let [brut, jours] = ["brut", "jours"].map(str::to_owned);
        assert_eq!(
            refused("annee=2026&brut-tous=2600&brut-3=2.650"),
            [(brut.clone(), Some(3))]
        );
        assert_eq!(
            refused("annee=2026&brut-tous=2.650"),
            [(brut.clone(), None)]
        );
        assert_eq!(
            refused("annee=2026&brut=2600;2.650&jours-2=99"),
            [(brut, Some(2)), (jours, Some(2))]
        );
        for query in [
            "annee=2026&brut-tous=2600&brut-3=&primes-12=2600",
            "annee=2026&brut=2600&premier_mois=9&dernier_mois=9",
            // Two cells that say the same are a list.
            "annee=2026&premier_mois=11&brut=1300&jours-11=15&jours-12=15\
             &brut_mois_complet-tous=2600",
        ] {
            assert_eq!(refused(query), [], "{query}");
        }
    }
}
