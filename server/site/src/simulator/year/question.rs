//! Questions to the simulator of a year: inputs for the whole year, and a grid with one row for
//! each month.
//!
//! The link to a question has the lists of the API, in place of cells.

use bareme_api::wire::problem::Problem;
use bareme_api::wire::query::Query;
use bareme_engine::law::parameter::{DEPARTURE, FINAL_MONTH, FIRST_MONTH, YEAR};
use bareme_engine::law::{Input, YearBlock};
use bareme_engine::run::{Edition, YearCalculation};
use bareme_engine::say;
use bareme_engine::text::BadParameter;
use bareme_show::query_string;
use jiff::civil::Date;

use super::super::example::example;
use super::super::question::{Question, take};
use super::PATH_END;
use super::column::{Column, MONTHS, month};
use super::months::month_name;
use crate::catalogue::ListedFolder;
use crate::text::say;

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
