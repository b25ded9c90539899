//! Formulas over a block of rows: the values of single calculations, column by column.
//!
//! Both branches of an `if` are computed, each for the rows that take it: errors in the other rows
//! are ignored.

use std::sync::Arc;

use rust_decimal::Decimal;

use crate::law::calendar::day_number;
use crate::law::column::{Active, Block, Booleans, Column, Numbers};
use crate::law::types::Value;

use super::ast::Operator;
use super::code::Code;
use super::error::EvalError;
use super::function::{Arguments, ByColumn, Function};

/// A limit of each row: a number, or `None` where it does not apply.
pub(crate) enum Limits {
    None,
    All(Numbers),
    /// Numbers in the rows where the mask is true.
    Some(Numbers, Arc<[bool]>),
}

impl Code {
    /// Evaluates to values of any type.
    pub(crate) fn column(&self, block: &Block, active: &Active) -> Column {
        match self {
            Self::Constant(value) => Column::One(value.clone()),
            Self::Slot(slot) => block
                .get(*slot)
                .cloned()
                .unwrap_or_else(|| block.fail_all(active)),
            Self::Given(_)
            | Self::GivenItem(_)
            | Self::Not(_)
            | Self::Last
            | Self::InYear
            | Self::LastMonth(_) => self.booleans(block, active).into(),
            Self::Items(items) if items.is_boolean() => self.booleans(block, active).into(),
            Self::Binary(operator, ..) if operator.is_test() => self.booleans(block, active).into(),
            // The branches may be words or texts: each is computed for its own rows.
            Self::If(test, yes, no) => {
                branches([test, yes, no], block, active, Self::column, Column::select)
            }
            _ => self.numbers(block, active).into(),
        }
    }

    /// Evaluates to numbers.
    pub(crate) fn numbers(&self, block: &Block, active: &Active) -> Numbers {
        match self {
            Self::Constant(Value::Number(number)) => Numbers::One(*number),
            Self::Slot(slot) => match block.get(*slot) {
                Some(column) => block.numbers(column, active),
                None => Numbers::One(block.fail_all(active)),
            },
            Self::Items(items) => items.numbers(block, active),
            Self::Year => Numbers::One(Decimal::from(block.when.year)),
            Self::Month => Numbers::One(Decimal::from(block.when.month)),
            Self::Negative(inner) => {
                Numbers::One(Decimal::ZERO).minus(&inner.numbers(block, active), block, active)
            }
            Self::Binary(operator, a, b) => {
                let (a, b) = (a.numbers(block, active), b.numbers(block, active));
                match operator {
                    Operator::Add => a.plus(&b, block, active),
                    Operator::Subtract => a.minus(&b, block, active),
                    Operator::Multiply => a.times(&b, block, active),
                    Operator::Divide => a.divided_by(&b, block, active),
                    _ => Numbers::One(block.fail_all(active)),
                }
            }
            Self::If(test, yes, no) => branches(
                [test, yes, no],
                block,
                active,
                Self::numbers,
                Numbers::select,
            ),
            Self::Call(function, arguments) => {
                let arguments: Vec<Numbers> = arguments
                    .iter()
                    .map(|code| code.numbers(block, active))
                    .collect();
                call(function, &arguments, block, active)
            }
            Self::Day => match block.when.day {
                Some(day) => Numbers::One(day_number(day)),
                None => Numbers::One(block.fail_all(active)),
            },
            Self::Days => Numbers::One(Decimal::from(block.when.days)),
            Self::Months => Numbers::One(Decimal::from(block.when.months)),
            // Each row is a month on its own, without earlier ones.
            Self::YearToDate(now, _) | Self::YearMean(now, _) => now.numbers(block, active),
            Self::Earlier(_) => Numbers::One(Decimal::ZERO),
            // The items of a row are computed in that row alone.
            Self::OfItem(_) | Self::GivenItem(_) => Numbers::One(block.fail_all(active)),
            Self::Constant(_)
            | Self::Given(_)
            | Self::Not(_)
            | Self::Last
            | Self::InYear
            | Self::LastMonth(_)
            | Self::Invalid => Numbers::One(block.fail_all(active)),
        }
    }

    /// Evaluates to booleans.
    pub(crate) fn booleans(&self, block: &Block, active: &Active) -> Booleans {
        let failed = || Booleans::One(block.fail_all(active));
        match self {
            Self::Constant(Value::Boolean(value)) => Booleans::One(*value),
            Self::Slot(slot) => block
                .get(*slot)
                .map_or_else(failed, |column| block.booleans(column, active)),
            Self::Given(input) => block.sent(*input).cloned().unwrap_or_else(failed),
            Self::Items(items) => items.booleans(block, active),
            Self::Not(inner) => inner.booleans(block, active).not(),
            Self::Last | Self::LastMonth(_) => Booleans::One(block.when.last),
            // Each row is a month on its own.
            Self::InYear => Booleans::One(false),
            Self::If(test, yes, no) => branches(
                [test, yes, no],
                block,
                active,
                Self::booleans,
                Booleans::select,
            ),
            Self::Binary(Operator::And, a, b) => {
                // The second operand is computed only where the first does not decide, because its
                // errors elsewhere do not count.
                let first = a.booleans(block, active);
                let second = active.where_true(&first);

                if second.is_empty() {
                    first
                } else {
                    first.and(&b.booleans(block, &second))
                }
            }
            Self::Binary(Operator::Or, a, b) => {
                let first = a.booleans(block, active);
                let second = active.where_false(&first);
                if second.is_empty() {
                    first
                } else {
                    first.or(&b.booleans(block, &second))
                }
            }
            Self::Binary(Operator::Equal, a, b) => equal(a, b, block, active),
            Self::Binary(Operator::NotEqual, a, b) => equal(a, b, block, active).not(),
            Self::Binary(operator, a, b) => {
                let (a, b) = (a.numbers(block, active), b.numbers(block, active));
                match operator {
                    Operator::Less => a.compared(&b, i64::lt, |order| order.is_lt(), block),
                    Operator::LessOrEqual => a.compared(&b, i64::le, |order| order.is_le(), block),
                    Operator::Greater => a.compared(&b, i64::gt, |order| order.is_gt(), block),
                    Operator::GreaterOrEqual => {
                        a.compared(&b, i64::ge, |order| order.is_ge(), block)
                    }
                    _ => failed(),
                }
            }
            _ => failed(),
        }
    }
}

impl Limits {
    /// Evaluates a limit, which may be missing in the method or on some rows.
    pub(crate) fn of(code: Option<&Code>, block: &Block, active: &Active) -> Self {
        match code.map(|code| code.column(block, active)) {
            None | Some(Column::One(Value::Nothing)) => Self::None,
            Some(Column::Sparse(numbers, there)) => Self::Some(numbers, there),
            Some(column) => Self::All(block.numbers(&column, active)),
        }
    }

    /// Applies the limit to the rows that have one.
    pub(crate) fn applied(
        &self,
        numbers: Numbers,
        apply: impl Fn(&Numbers, &Numbers) -> Numbers,
    ) -> Numbers {
        match self {
            Self::None => numbers,
            Self::All(limits) => apply(&numbers, limits),
            Self::Some(limits, there) => Numbers::select(there, &apply(&numbers, limits), &numbers),
        }
    }
}

/// Computes the branches of an `if` for the rows that take them, and merges the results.
fn branches<T>(
    [test, yes, no]: [&Code; 3],
    block: &Block,
    active: &Active,
    compute: fn(&Code, &Block, &Active) -> T,
    select: fn(&[bool], &T, &T) -> T,
) -> T {
    match test.booleans(block, active) {
        // All rows take the same branch: the other one is not computed.
        Booleans::One(is_true) => compute(if is_true { yes } else { no }, block, active),
        Booleans::Each(values) => {
            let test = Booleans::Each(Arc::clone(&values));
            // Rows of the other branch are not active: an error there belongs to no row.
            let (yes, no) = (
                compute(yes, block, &active.where_true(&test)),
                compute(no, block, &active.where_false(&test)),
            );
            select(&values, &yes, &no)
        }
    }
}

fn call(function: &Function, arguments: &[Numbers], block: &Block, active: &Active) -> Numbers {
    match (function.by_column, arguments) {
        (ByColumn::Fold(better), [first, rest @ ..]) => {
            rest.iter().fold(first.clone(), |best, next| {
                better(&best, next, block, active)
            })
        }
        (ByColumn::With(operation, factor), [only]) => {
            operation(only, &Numbers::One(factor), block, active)
        }
        (ByColumn::Near(compute), _) => compute(arguments, active)
            .unwrap_or_else(|| call_by_row(function, arguments, block, active)),
        _ => call_by_row(function, arguments, block, active),
    }
}

/// Calls a function for each row, or once where its arguments are the same in all.
fn call_by_row(
    function: &Function,
    arguments: &[Numbers],
    block: &Block,
    active: &Active,
) -> Numbers {
    let of_row = |row: usize| {
        let value = |index: usize| {
            let argument = arguments.get(index).and_then(|argument| argument.at(row));
            argument.ok_or(EvalError::Internal)
        };
        function.value(&Arguments {
            count: arguments.len(),
            value: &value,
        })
    };

    let is_one = |argument: &Numbers| matches!(argument, Numbers::One(_));
    if arguments.iter().all(is_one) {
        return Numbers::One(of_row(0).unwrap_or_else(|_| block.fail_all(active)));
    }
    block.each_row_index(active, of_row)
}

fn equal(a: &Code, b: &Code, block: &Block, active: &Active) -> Booleans {
    match (a.column(block, active), b.column(block, active)) {
        // Words are compared by index, without making values of them.
        (Column::One(a), Column::One(b)) => Booleans::One(a.is_same(&b)),
        (Column::Words(words), Column::One(Value::Word(word)))
        | (Column::One(Value::Word(word)), Column::Words(words)) => {
            Booleans::each(words.iter().map(|known| *known == word).collect())
        }
        // Numbers by the integers of both sides, anything else value by value.
        (a, b) => match (a.as_numbers(), b.as_numbers()) {
            (Some(a), Some(b)) => a.compared(&b, i64::eq, |order| order.is_eq(), block),
            _ => Booleans::each(
                (0..block.rows())
                    .map(|row| a.at(row).is_same(&b.at(row)))
                    .collect(),
            ),
        },
    }
}
