//! The alternatives that a method compares, over the amount that drives them: a line of each, and
//! the amounts at which another one is best.

mod crossings;

use std::collections::BTreeMap;

use bareme_engine::law::{Alternative, Comparison, Method, Step};
use bareme_engine::run::curve::{Point, amounts};
use bareme_engine::run::plan::{Answers, Cells, NONE, Plan, Rows, Values};
use bareme_engine::service::Rules;
use jiff::civil::Date;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use crossings::Search;
pub use crossings::{Crossing, Crossings, End};

/// Parts into which the amounts are divided at first.
const PARTS: u32 = 16;

/// The lines of alternatives, and where they cross.
#[derive(Debug)]
pub struct Lines {
    /// The points of each alternative, as far as it may be chosen.
    pub points: Vec<Vec<Point>>,
    /// Where they cross.
    pub crossings: Crossings,
    /// The distance of the amounts that are looked at first.
    pub stride: i64,
}

impl Lines {
    /// The lines for a query without the amount, up to an amount at least, on its day or on another;
    /// `None` where nothing is compared, or the query is refused.
    pub fn new(
        rules: &Rules,
        folder: &str,
        method: &Method,
        query: &[(String, String)],
        (most, day): (Decimal, Date),
    ) -> Option<Self> {
        let comparison = method.comparison()?;
        let most = most.max(comparison.until.unwrap_or_default()).ceil();
        let curves = Curves {
            rules,
            folder,
            method,
            comparison,
            query,
            day,
        };

        // 1. All of them at the same amounts, and there whether one is best at all.
        let grid = amounts((Decimal::ZERO, most), PARTS, 0);
        let grid: Vec<i64> = grid
            .into_iter()
            .filter_map(|amount| amount.to_i64())
            .collect();
        let known = curves.grid(&grid)?;

        // 2. Each where it may cross another.
        let mut plans: BTreeMap<usize, Option<Plan>> = BTreeMap::new();
        let mut values = |line: usize, amounts: &[i64]| {
            let plan = plans.entry(line).or_insert_with(|| curves.plan_of(line));
            let found = plan
                .as_ref()
                .and_then(|plan| curves.values(line, plan, amounts));
            found.unwrap_or_else(|| vec![None; amounts.len()])
        };
        let is_dear: Vec<bool> = comparison
            .alternatives
            .iter()
            .map(|alternative| curves.is_dear(alternative))
            .collect();
        let mut search = Search::new(known, &is_dear, &mut values);
        let crossings = search.crossings();

        let point = |(amount, value): (&i64, &Option<Decimal>)| {
            Some(Point {
                amount: Decimal::from(*amount),
                value: (*value)?,
            })
        };
        Some(Self {
            points: search
                .known
                .iter()
                .map(|known| known.iter().filter_map(point).collect())
                .collect(),
            crossings,
            stride: grid.get(1)?.checked_sub(*grid.first()?)?,
        })
    }
}

/// The alternatives of a method for a query.
struct Curves<'c> {
    rules: &'c Rules,
    folder: &'c str,
    method: &'c Method,
    comparison: &'c Comparison,
    query: &'c [(String, String)],
    day: Date,
}

impl Curves<'_> {
    fn alternative(&self, line: usize) -> Option<&Alternative> {
        self.comparison.alternatives.get(line)
    }

    /// Whether an alternative is calculated in another folder by a search.
    fn is_dear(&self, alternative: &Alternative) -> bool {
        let mut calculations = alternative.calculations.iter();
        calculations.any(|step| step.of(self.method.steps()).is_some_and(Step::searches))
    }

    fn name(&self, field: usize) -> Option<&str> {
        Some(self.method.fields().get(field)?.name.as_str())
    }

    /// A plan of some fields, without what these do not read.
    fn plan(&self, fields: &[usize]) -> Option<Plan> {
        let mut names: Vec<&str> = Vec::new();
        for name in fields.iter().filter_map(|field| self.name(*field)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let plan = Plan::new(self.rules, self.folder, self.day, Some(&names)).ok()?;
        Some(plan.of_values_alone().leaving_absent_fields_empty())
    }

    /// A plan of an alternative.
    fn plan_of(&self, line: usize) -> Option<Plan> {
        let alternative = self.alternative(line)?;
        let fields: Vec<usize> = [alternative.field]
            .into_iter()
            .chain(alternative.when)
            .collect();
        self.plan(&fields)
    }

    /// All alternatives at some amounts. Where none is best, none has a value.
    fn grid(&self, amounts: &[i64]) -> Option<Vec<BTreeMap<i64, Option<Decimal>>>> {
        let alternatives = &self.comparison.alternatives;
        let fields = alternatives
            .iter()
            .flat_map(|alternative| [alternative.field].into_iter().chain(alternative.when));
        let fields: Vec<usize> = fields.chain(self.comparison.best).collect();
        let plan = self.plan(&fields)?;
        let answers = self.answers(&plan, amounts)?;

        let is_best_named = |row: usize| match self.comparison.best {
            None => true,
            Some(best) => match self.field(&plan, &answers, best) {
                Some(Values::Texts { indices, .. }) => {
                    indices.get(row).is_some_and(|index| *index != NONE)
                }
                _ => false,
            },
        };
        let of_line = |line: usize| {
            let values = self.of_alternative(line, &plan, &answers)?;
            let named = values
                .into_iter()
                .enumerate()
                .map(|(row, value)| value.filter(|_| is_best_named(row)));
            Some(amounts.iter().copied().zip(named).collect())
        };
        (0..alternatives.len()).map(of_line).collect()
    }

    /// An alternative at some amounts.
    fn values(&self, line: usize, plan: &Plan, amounts: &[i64]) -> Option<Vec<Option<Decimal>>> {
        let answers = self.answers(plan, amounts)?;
        self.of_alternative(line, plan, &answers)
    }

    fn answers(&self, plan: &Plan, amounts: &[i64]) -> Option<Answers> {
        let input = self.comparison.input.of(self.method.inputs())?;
        let columns = self.query.iter().map(|(name, value)| {
            let same = vec![Some(value.as_str()); amounts.len()];
            (name.as_str(), Cells::Texts(same))
        });
        let values: Vec<i128> = amounts.iter().copied().map(i128::from).collect();
        let driven = Cells::Numbers {
            decimals: 0,
            values: values.into(),
            present: None,
        };
        let rows = Rows::new(
            amounts.len(),
            columns.chain([(input.name.as_str(), driven)]),
        );
        plan.evaluate(&rows).ok()
    }

    /// The values of a field.
    fn field<'a>(&self, plan: &Plan, answers: &'a Answers, field: usize) -> Option<&'a Values> {
        let name = self.name(field)?;
        let position = plan.fields().iter().position(|known| known.name == name)?;
        answers.fields.get(position)
    }

    /// The values of an alternative, where it may be chosen.
    fn of_alternative(
        &self,
        line: usize,
        plan: &Plan,
        answers: &Answers,
    ) -> Option<Vec<Option<Decimal>>> {
        let alternative = self.alternative(line)?;
        let Some(Values::Numbers(numbers)) = self.field(plan, answers, alternative.field) else {
            return None;
        };
        let when = alternative.when.map(|when| self.field(plan, answers, when));
        let may_be_chosen = |row: usize| match when {
            None => true,
            Some(Some(Values::Booleans { values, .. })) => values.get(row) == Some(&true),
            Some(_) => false,
        };
        let value = |row: usize| {
            let number = numbers.get(row).filter(|_| may_be_chosen(row))?;
            number.to_decimal()
        };
        Some((0..answers.count).map(value).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bareme_engine::Loader;
    use bareme_engine::law::FieldValue;
    use jiff::civil::date;

    use super::*;

    /// The rules of the repository.
    fn rules() -> Rules {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules");
        let loaded = Loader::new().without_cases().load_service(&root);
        loaded.rules.unwrap()
    }

    #[test]
    fn the_points_of_a_line_are_those_of_single_calculations() {
        let rules = rules();
        let folder = rules.folder("statuts").unwrap();
        let method = folder.latest().unwrap().method();
        let day = date(2026, 6, 30);
        let query = [("charges", "12000"), ("activite", "service_bic")];
        let query = query.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let lines = Lines::new(&rules, "statuts", method, &query, (120_000.into(), day)).unwrap();
        let comparison = method.comparison().unwrap();

        for (alternative, points) in comparison.alternatives.iter().zip(&lines.points) {
            let name = &method.fields()[alternative.field].name;
            assert!(points.len() > 8, "{name}: {points:?}");
            for point in points {
                let mut asked = query.to_vec();
                asked.push(("ca".to_owned(), point.amount.to_string()));
                let answer = folder.calculate(&asked[..].into(), day).unwrap();
                let net = answer.field(name).and_then(FieldValue::number);
                assert_eq!(net, Some(point.value), "{name} at {}", point.amount);
            }
        }
        // The line of the micro-enterprise ends at its ceiling.
        let ends: Vec<i64> = lines.crossings.ends.iter().map(|end| end.amount).collect();
        assert_eq!(ends, [83_600]);
        assert_eq!(lines.stride, 9_375);
    }

    #[test]
    fn a_folder_that_compares_nothing_has_no_lines() {
        let rules = rules();
        let folder = rules.folder("tva").unwrap();
        let method = folder.latest().unwrap().method();
        let day = date(2026, 6, 30);
        assert!(Lines::new(&rules, "tva", method, &[], (1_000.into(), day)).is_none());
    }
}
