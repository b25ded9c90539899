//! Questions to the simulator of a year: what holds for the year, and a grid with a row a month.
//!
//! A cell is the parameter `brut-3`, and the value of the months whose cell is empty is `brut-tous`; the address that
//! reopens a case has the lists of the interface instead.

use bareme_engine::law::{Input, YearBlock};
use bareme_engine::run::{Edition, YearCalculation};
use bareme_engine::text::BadParameter;
use bareme_engine::{CalculationError, Refusal};
use bareme_show::address;
use jiff::civil::Date;

use super::super::question::{self, Question};
use super::PATH_END;
use crate::pages::catalogue::Listed;
use crate::wire::problem::Problem;
use crate::wire::query::Query;

/// Months of a year.
pub(super) const MONTHS: i8 = 12;

/// The same, as a number of cells.
const CELLS: usize = 12;

/// Parameters of the interface that say which months are asked.
pub(super) const YEAR: &str = "annee";
pub(super) const FIRST: &str = "premier_mois";
pub(super) const LAST: &str = "dernier_mois";
pub(super) const LEAVES: &str = "depart";

/// End of the name of a cell for every month.
pub(super) const ALL: &str = "tous";

/// A column of the grid: an input that may differ from month to month.
#[derive(Debug)]
pub(super) struct Column<'r> {
    /// The input.
    pub input: &'r Input,
    /// The value of the months whose cell is empty.
    pub all: String,
    /// The cells, January first.
    pub cells: [String; CELLS],
}

/// A question: the months from the first to the last one, and what each has.
#[derive(Debug)]
pub(super) struct YearQuestion<'r> {
    /// Inputs that hold for the year, as the form of a single pay has them.
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
pub(super) type Answer<'r> = Result<YearCalculation<'r>, Vec<BadParameter>>;

impl<'r> YearQuestion<'r> {
    /// Reads the query of the page; without one, a worked case is asked for every month. None where the folder computes no
    /// year.
    pub(super) fn read(listed: &Listed<'r>, query: &str, today: Date) -> Option<Self> {
        let block = listed.folder.year_block()?;
        let Query { mut pairs, bad } = Query::read(query);
        pairs.retain(|(_, value)| !value.trim().is_empty());
        let is_first = pairs.is_empty() && bad.is_empty();
        let year = take(&mut pairs, YEAR).unwrap_or_else(|| today.year().to_string());
        let edition = edition_of(listed, &year);
        if is_first {
            pairs = edition.map(|edition| question::example(listed, edition.method(), today)).unwrap_or_default();
            let inputs = listed.folder.year_inputs();
            pairs.retain(|(name, _)| inputs.iter().any(|input| input.name == *name));
        }
        let leaves = take(&mut pairs, LEAVES).is_some_and(|value| value == "true");
        let first = take(&mut pairs, FIRST).as_deref().and_then(month).unwrap_or(1);
        let last = take(&mut pairs, LAST).as_deref().and_then(month);
        let inputs = edition.map(|edition| edition.method().inputs()).unwrap_or_default();
        let varying = inputs.iter().filter(|input| !input.is_absent && block.varies(&input.name));
        let mut longest = 0;
        let columns: Vec<Column> = varying
            .map(|input| {
                let (column, length) = Column::take(input, &mut pairs, first);
                longest = longest.max(length);
                column
            })
            .collect();
        let last = last.unwrap_or(if longest == 0 { MONTHS } else { first.saturating_add(longest).saturating_sub(1) });
        let question = Question::of_year(listed, edition, pairs, bad);
        Some(Self { question, block, year, span: (first, last.clamp(first, MONTHS)), leaves, columns })
    }

    /// The months that are asked.
    pub(super) fn months(&self) -> std::ops::RangeInclusive<i8> {
        self.span.0..=self.span.1
    }

    /// The parameters of the interface.
    pub(super) fn sent(&self) -> Vec<(String, String)> {
        let mut sent = vec![(YEAR.to_owned(), self.year.clone())];
        let (first, last) = self.span;
        if first > 1 {
            sent.push((FIRST.to_owned(), first.to_string()));
        }
        if last < MONTHS {
            sent.push((LAST.to_owned(), last.to_string()));
        }
        for column in &self.columns {
            sent.extend(column.sent(self.months()).map(|list| (column.input.name.clone(), list)));
        }
        if self.leaves {
            sent.push((LEAVES.to_owned(), "true".to_owned()));
        }
        sent.extend(self.question.sent.iter().cloned());
        sent
    }

    /// The answer, or every bad parameter.
    ///
    /// # Errors
    /// A fault of the engine.
    pub(super) fn calculate(&self) -> Result<Answer<'r>, Problem> {
        let folder = self.question.listed.folder;
        match self.ask(&self.sent()) {
            Ok(year) => Ok(Ok(year)),
            Err(CalculationError::Refused(refusal)) => Ok(Err(refusal.parameters)),
            Err(CalculationError::Internal(fault)) => Err(Problem::internal(folder.path(), &fault)),
        }
    }

    fn ask(&self, sent: &[(String, String)]) -> Result<YearCalculation<'r>, CalculationError> {
        if !self.question.bad.is_empty() {
            return Err(Refusal { parameters: self.question.bad.clone() }.into());
        }
        self.question.listed.folder.year(&self.question.listed.query(sent))
    }

    /// The address of the page that reopens the case.
    pub(super) fn link(&self) -> String {
        format!("{}{PATH_END}?{}", self.question.listed.simulator(), address::query(&self.sent()))
    }

    /// The address of the months of the case as a file.
    pub(super) fn download(&self) -> String {
        format!("{}{PATH_END}.csv?{}", self.question.listed.simulator(), address::query(&self.sent()))
    }

    /// Labels and values of the parameters, as the page prints them.
    pub(super) fn said_pairs(&self) -> Vec<(String, String)> {
        let months = |column: &Column| {
            let values: Vec<String> = self.months().map(|month| column.at(month).replace('.', ",")).collect();
            let is_same = values.windows(2).all(|pair| pair.first() == pair.last());
            let value = if is_same { values.into_iter().next().unwrap_or_default() } else { values.join(" ; ") };
            (column.input.label.clone(), value)
        };
        let said = self.columns.iter().map(months).filter(|(_, value)| value.chars().any(|sign| !" ;".contains(sign)));
        let year = ("Année".to_owned(), self.year.clone());
        std::iter::once(year).chain(said).chain(self.question.said_pairs()).collect()
    }
}

impl<'r> Column<'r> {
    /// Takes what a query says of an input, and the number of months that its list has: none of one value.
    fn take(input: &'r Input, pairs: &mut Vec<(String, String)>, first: i8) -> (Self, i8) {
        let plain = |value: &str| question::plain(input, value);
        let mut column = Self { input, all: String::new(), cells: Default::default() };
        let mut list: Vec<String> = Vec::new();
        pairs.retain(|(name, value)| {
            if *name == input.name {
                list.extend(value.split(';').map(plain));
                return false;
            }
            match name.rsplit_once('-').filter(|(name, _)| *name == input.name) {
                Some((_, ALL)) => column.all = plain(value),
                Some((_, place)) => match month(place).and_then(|month| column.cells.get_mut(index(month))) {
                    Some(cell) => *cell = plain(value),
                    None => return true,
                },
                None => return true,
            }
            false
        });
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

    /// The value of a month.
    pub(super) fn at(&self, month: i8) -> &str {
        let cell = self.cells.get(index(month)).map(String::as_str).unwrap_or_default();
        if cell.is_empty() { &self.all } else { cell }
    }

    /// The list of the interface: one value where all months have the same, none where they have none.
    fn sent(&self, months: impl Iterator<Item = i8>) -> Option<String> {
        let default = question::default_text(self.input);
        let values: Vec<&str> = months.map(|month| self.at(month)).collect();
        let is_default = |value: &&str| value.is_empty() || default.as_deref() == Some(value);
        if values.iter().all(is_default) {
            return None;
        }
        let is_same = values.windows(2).all(|pair| pair.first() == pair.last());
        if is_same { values.first().map(|value| (*value).to_owned()) } else { Some(values.join(";")) }
    }
}

/// The edition whose inputs the form has: that of the end of the year.
fn edition_of<'r>(listed: &Listed<'r>, year: &str) -> Option<&'r Edition> {
    let end = year.parse().ok().and_then(|year| Date::new(year, MONTHS, 31).ok());
    end.and_then(|end| listed.folder.edition(end)).or_else(|| listed.folder.latest())
}

fn take(pairs: &mut Vec<(String, String)>, name: &str) -> Option<String> {
    let found = pairs.iter().position(|(known, _)| known == name)?;
    Some(pairs.remove(found).1)
}

/// A month by its number.
fn month(text: &str) -> Option<i8> {
    text.parse().ok().filter(|month| (1..=MONTHS).contains(month))
}

/// The place of a month in a year.
fn index(month: i8) -> usize {
    usize::try_from(month.saturating_sub(1)).unwrap_or_default()
}
