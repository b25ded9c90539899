//! Rows that are looked up: `table` and `brackets`, by keys that are known or are those of the row,
//! then by the bound.

use std::collections::BTreeMap;
use std::rc::Rc;

use bareme_engine::authoring::Node;
use num_traits::{Signed, Zero};

use super::builder::Test;
use super::compiler::{Compiler, Stopped};
use super::kernel::Slot;
use super::number::{Fraction, Number};
use super::steps::Step;
use super::symbol::{Given, Symbol};
use crate::compute::cited;
use crate::law::{Figure, Rat, Row, Value, is_upper, same, text};

/// Rows that answer some keys, and where among them a value falls.
pub(super) enum Found {
    Known(Option<usize>),
    /// An index of bounds: 0 where no row answers, which only lower bounds know.
    Column(Slot, Test),
}

/// Compiles what is computed of some rows.
pub(super) type Compile<'c, 'l> =
    &'c mut (dyn FnMut(&mut Compiler<'l>, &[&'l Row]) -> Result<Given, Stopped> + 'c);

impl<'l> Compiler<'l> {
    pub(super) fn by(&mut self, node: &Node) -> Result<Vec<Symbol>, Stopped> {
        let formulas = text(node, "by").map(|by| self.law.formulas(by));
        let mut values = Vec::new();
        for formula in formulas.iter().flat_map(|list| list.iter()) {
            values.push(self.eval(formula)?);
        }
        Ok(values)
    }

    /// Compiles what follows for the rows that answer the keys. A key that is a column is compared
    /// with each value that the rows list.
    pub(super) fn with_rows(
        &mut self,
        figure: &'l Figure,
        by: &[Symbol],
        compile: Compile<'_, 'l>,
    ) -> Result<Given, Stopped> {
        let rows = figure.rows.iter().collect();
        let keys: Vec<&str> = figure.keys().collect();
        self.narrowed(&keys, by, rows, compile)
    }

    fn narrowed(
        &mut self,
        keys: &[&str],
        by: &[Symbol],
        rows: Vec<&'l Row>,
        compile: Compile<'_, 'l>,
    ) -> Result<Given, Stopped> {
        let ([key, keys @ ..], [value, by @ ..]) = (keys, by) else {
            return compile(self, &rows);
        };

        let others: Vec<&Row> = rows
            .iter()
            .copied()
            .filter(|row| !row.keys.contains_key(*key))
            .collect();
        let listing = |value: &Value| -> Vec<&'l Row> {
            let lists = |row: &&Row| {
                row.keys
                    .get(*key)
                    .is_some_and(|listed| listed.iter().any(|one| same(one, value)))
            };
            rows.iter().copied().filter(lists).collect()
        };

        let known = match value {
            Symbol::Number(Number::Fixed(number), _) => Some(Value::Number(number.clone(), false)),
            Symbol::Word(word) => Some(Value::Word(word.clone())),
            Symbol::Boolean(Test::Fixed(value)) => Some(Value::Boolean(*value)),
            Symbol::Number(..) => None,
            _ => return Err(Stopped::Unsupported("a key of the row")),
        };

        if let Some(known) = known {
            let listed = listing(&known);
            let chosen = if listed.is_empty() { others } else { listed };
            if chosen.is_empty() {
                self.fail(Test::Fixed(true))?;
                return Err(Stopped::Unsupported(
                    "a key without rows, in some rows only",
                ));
            }
            return self.narrowed(keys, by, chosen, compile);
        }

        let number = value.number()?;
        let mut listed: Vec<Rat> = Vec::new();

        for value in rows.iter().filter_map(|row| row.keys.get(*key)).flatten() {
            if let Value::Number(value, _) = value
                && !listed.contains(value)
            {
                listed.push(value.clone());
            }
        }

        let mut found: Vec<(Test, Given)> = Vec::new();
        let mut left = Test::Fixed(true);

        for value in listed {
            let is_it = self
                .builder
                .is_equal(&number, &Number::Fixed(value.clone()))?;
            if is_it == Test::Fixed(false) {
                continue;
            }
            let chosen = listing(&Value::Number(value, false));
            let given = self.under(is_it, |compiler| {
                compiler.narrowed(keys, by, chosen, compile)
            })?;
            found.push((is_it, given));
            let other = self.builder.not(is_it);
            left = self.builder.both(left, other);
        }

        let mut given = if others.is_empty() {
            self.fail(left)?;
            found
                .pop()
                .ok_or(Stopped::Unsupported("a key without rows"))?
                .1
        } else {
            self.under(left, |compiler| {
                compiler.narrowed(keys, by, others, compile)
            })?
        };

        for (is_it, other) in found.iter().rev() {
            given = self.builder.select_given(*is_it, other, &given)?;
        }

        Ok(given)
    }

    /// Where a value falls among rows whose bounds are multiplied by `shares`.
    pub(super) fn found(
        &mut self,
        rows: &[&Row],
        value: &Number,
        shares: &Number,
    ) -> Result<Found, Stopped> {
        if let (Number::Fixed(value), Number::Fixed(shares)) = (value, shares) {
            return Ok(Found::Known(crate::law::row_at(rows, value, shares)));
        }

        let upper = is_upper(rows);
        // An upper bound is passed above it, or from it on where it is `below`; lower ones
        // likewise.
        let is_strict = |word: &str| word == "up_to" || word == "over";
        let bounds: Vec<(Rat, bool)> = rows
            .iter()
            .filter_map(|row| {
                row.bound
                    .as_ref()
                    .map(|(word, bound)| (bound.clone(), is_strict(word)))
            })
            .collect();
        let has_open = bounds.len() < rows.len();
        let count = self.passed(&bounds, value, shares)?;
        // With upper bounds so many rows are behind; with lower ones the last that is passed
        // answers, or the open first one.
        let answers = match (has_open, upper) {
            (true, _) => Test::Fixed(true),
            (false, true) => {
                self.builder
                    .is_less(&count, &Number::whole(bounds.len() as i64), false)?
            }
            (false, false) => self.builder.is_less(&Number::zero(), &count, false)?,
        };

        Ok(match count {
            Number::Column(count) => Found::Column(count.top, answers),
            Number::Fixed(count) => {
                let index = usize::try_from(count.to_integer()).unwrap();
                let place = if upper || has_open {
                    Some(index)
                } else {
                    index.checked_sub(1)
                };
                Found::Known(place.filter(|place| *place < rows.len()))
            }
            Number::Rough(_) => unreachable!("a count is no power"),
        })
    }

    /// How many bounds, multiplied by `shares`, a value has passed.
    fn passed(
        &mut self,
        bounds: &[(Rat, bool)],
        value: &Number,
        shares: &Number,
    ) -> Result<Number, Stopped> {
        if let (Number::Fixed(shares), Number::Column(column)) = (shares, value)
            && column.by.is_none()
            && shares.is_positive()
        {
            let limits: Vec<(Rat, bool)> = bounds
                .iter()
                .map(|(bound, strict)| (bound * shares, *strict))
                .collect();
            let high = Rat::from(num_bigint::BigInt::from(bounds.len()));
            let top = self.builder.row(column, &limits)?;
            return Ok(Number::Column(Fraction {
                top,
                den: 1.into(),
                by: None,
                low: Rat::zero(),
                high,
            }));
        }

        let mut count = Number::zero();

        for (bound, strict) in bounds {
            let limit = self.builder.times(shares, &Number::Fixed(bound.clone()))?;
            let is_passed = self.builder.is_less(&limit, value, !strict)?;
            let one = self
                .builder
                .choose(is_passed, &Number::whole(1), &Number::zero())?;
            count = self.builder.plus(&count, &one)?;
        }

        Ok(count)
    }

    /// A value a row, at the index that [`Found::Column`] means; `none` where no row answers.
    pub(super) fn indexed<T: Clone>(rows: &[&Row], values: Vec<T>, none: T) -> Vec<T> {
        let has_open = rows.iter().any(|row| row.bound.is_none());
        match (is_upper(rows), has_open) {
            (_, true) => values,
            (true, false) => values.into_iter().chain([none]).collect(),
            (false, false) => [none].into_iter().chain(values).collect(),
        }
    }

    pub(crate) fn table(&mut self, step: &Step<'l>) -> Result<Given, Stopped> {
        let figure = &self.law.figures[step.main];
        let mut by = self.by(step.node)?;
        let bound = if figure.ty("bound").is_empty() {
            Number::zero()
        } else {
            by.pop().unwrap().number()?
        };
        self.with_rows(figure, &by, &mut |compiler, rows| {
            compiler.row_of(figure, rows, &bound)
        })
    }

    fn row_of(
        &mut self,
        figure: &'l Figure,
        rows: &[&'l Row],
        value: &Number,
    ) -> Result<Given, Stopped> {
        let found = self.found(rows, value, &Number::whole(1))?;
        let columns: Vec<&str> = figure
            .shape
            .iter()
            .filter(|(name, ty)| ty != "key" && name != "bound")
            .map(|(name, _)| name.as_str())
            .collect();
        let mut outputs = BTreeMap::new();
        match found {
            Found::Known(None) => {
                self.fail(Test::Fixed(true))?;
                return Err(Stopped::Unsupported(
                    "a table without row, in some rows only",
                ));
            }
            Found::Known(Some(place)) => {
                for column in columns {
                    let cell = rows[place]
                        .cells
                        .get(column)
                        .map_or(Symbol::Nothing, Symbol::from);
                    outputs.insert(column.to_owned(), cell);
                }
                outputs.insert(
                    "source".to_owned(),
                    Symbol::Text(self.sources(figure, rows[place])),
                );
            }
            Found::Column(index, answers) => {
                let missing = self.builder.not(answers);
                self.fail(missing)?;
                for column in columns {
                    let cells = rows
                        .iter()
                        .map(|row| row.cells.get(column).cloned().unwrap_or(Value::Nothing));
                    let cells: Vec<Value> = cells.collect();
                    // Nobody looks at a row without answer.
                    let none = cells[0].clone();
                    let cells = Self::indexed(rows, cells, none);
                    let cell = self.cells(index, &cells)?;
                    outputs.insert(column.to_owned(), cell);
                }
                let sources = rows
                    .iter()
                    .map(|row| Some(self.sources(figure, row)))
                    .collect();
                let sources = Self::indexed(rows, sources, None);
                outputs.insert("source".to_owned(), Symbol::Texts(index, sources.into()));
            }
        }

        let own = outputs.len() == 2;
        let main = own.then(|| {
            outputs
                .iter()
                .find(|(name, _)| *name != "source")
                .unwrap()
                .1
                .clone()
        });
        Ok(Given {
            main,
            outputs,
            is_boolean: false,
        })
    }

    /// The titles of the sources of a row.
    fn sources(&self, figure: &Figure, row: &Row) -> String {
        let ids = if row.sources.is_empty() {
            &figure.record.sources
        } else {
            &row.sources
        };

        let titles = ids
            .iter()
            .filter_map(|id| cited(self.law.scale.as_ref()?.get("sources")?.get(id)?));
        let titles = titles.collect::<Vec<_>>().join(" ; ");
        if titles.is_empty() {
            "Texte non retrouvé".to_owned()
        } else {
            titles
        }
    }

    fn cells(&mut self, index: Slot, cells: &[Value]) -> Result<Symbol, Stopped> {
        if cells.iter().any(|cell| matches!(cell, Value::Text(_))) {
            let texts = cells.iter().map(|cell| {
                if let Value::Text(text) = cell {
                    Some(text.clone())
                } else {
                    None
                }
            });
            return Ok(Symbol::Texts(index, texts.collect::<Rc<[_]>>()));
        }

        let money = cells
            .iter()
            .any(|cell| matches!(cell, Value::Number(_, true)));
        let number = |cell: &Value| {
            if let Value::Number(number, _) = cell {
                number.clone()
            } else {
                Rat::zero()
            }
        };

        let values: Vec<Rat> = cells.iter().map(number).collect();
        let value = Symbol::Number(self.builder.pick(index, &values)?, money);
        let there: Vec<Rat> = cells
            .iter()
            .map(|cell| Rat::from(num_bigint::BigInt::from(u8::from(*cell != Value::Nothing))))
            .collect();
        Ok(match self.builder.pick(index, &there)? {
            Number::Fixed(one) if !one.is_zero() => value,
            Number::Fixed(_) => Symbol::Nothing,
            Number::Column(column) => Symbol::Perhaps(Test::Column(column.top), Box::new(value)),
            Number::Rough(_) => unreachable!(),
        })
    }
}
