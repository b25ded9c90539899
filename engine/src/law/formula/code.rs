//! Code: expressions compiled with the figures of one dated file, ready to run.

use std::cell::Cell;
use std::sync::Arc;

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::law::calendar::day_number;
use crate::law::callee::{CallError, MadeCall};
use crate::law::{ColumnId, Figure, FigureId, Group, InputId, SlotId, Value};
use crate::text::number::{add, compare, div, mul, sub};

use super::ast::Operator;
use super::error::EvalError;
use super::expr::{Expr, ScaleField};
use super::function::{Arguments, Function};
use super::items::ItemsCode;
use super::year::{OtherMonths, SumCode, YearNames};

/// Values of a running calculation: the inputs, then the outputs of the steps.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub slots: Vec<Value>,
    /// Whether the caller sent each input.
    pub sent: Vec<bool>,
    /// Rows found in figures whose rows have their own sources or remarks, as (figure, row).
    pub cited: Vec<(FigureId, usize)>,
    /// The day that `scale.year`, `scale.month` and the like read.
    pub when: When,
    /// The other months of the year of pays; `None` in a calculation of one month.
    pub year: Option<Arc<OtherMonths>>,
    /// The calculations of other folders, in the order of the steps.
    pub calls: Vec<MadeCall>,
    /// Why another folder gave no answer, where one did not.
    pub call_error: Option<Box<CallError>>,
    /// The item of a group that is being computed, from 0.
    pub item: Cell<usize>,
}

/// The day of a calculation: values of `scale.year`, `scale.month` and the like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct When {
    pub year: i16,
    /// Month of the day asked, 1 to 12.
    pub month: i8,
    /// Calendar days of that month.
    pub days: i8,
    /// Number of months of the year of pays so far, this one included.
    pub months: i8,
    /// Whether the year or the contract ends with this month.
    pub last: bool,
    /// The day itself, where a formula reads it or a step calculates another folder: rows of other
    /// days of a month then differ.
    pub day: Option<Date>,
}

impl State {
    pub(crate) fn get(&self, slot: SlotId) -> Result<&Value, EvalError> {
        // A slot out of range is a defect of the engine: the query gets an error, and no panic.
        slot.of(&self.slots).ok_or(EvalError::Internal)
    }

    // Inlined, a value is written where it belongs at once: each step of a calculation does so.
    #[inline]
    pub(crate) fn set(&mut self, slot: SlotId, value: Value) -> Result<(), EvalError> {
        match self.slots.get_mut(slot.position()) {
            Some(place) => {
                *place = value;
                Ok(())
            }
            None => Err(EvalError::Internal),
        }
    }

    pub(crate) fn number(&self, slot: SlotId) -> Result<Decimal, EvalError> {
        self.get(slot)?.number().ok_or(EvalError::Internal)
    }

    pub(crate) fn input(&self, input: InputId) -> Result<&Value, EvalError> {
        self.get(input.slot())
    }

    /// The values of the items of a group.
    pub(crate) fn items(&self, slot: SlotId) -> Result<&Arc<[Value]>, EvalError> {
        match self.get(slot)? {
            Value::List(values) => Ok(values),
            _ => Err(EvalError::Internal),
        }
    }

    /// The value of the item that is being computed.
    pub(crate) fn of_item(&self, slot: SlotId) -> Result<&Value, EvalError> {
        let values = self.items(slot)?;
        values.get(self.item.get()).ok_or(EvalError::Internal)
    }

    /// Whether the caller sent an input.
    pub(crate) fn was_sent(&self, input: InputId) -> Result<bool, EvalError> {
        input.of(&self.sent).copied().ok_or(EvalError::Internal)
    }
}

/// Scope in which the names of an expression are resolved when it is compiled.
pub(crate) struct CompileContext<'c> {
    /// Figures of the dated file, in the order of the shapes.
    pub figures: &'c [Figure],
    /// First slot of each step.
    pub slots: &'c [SlotId],
    /// Whether each slot has a value for each item of a group.
    pub lists: &'c [bool],
    pub groups: &'c [Group],
    /// Cells of the row that is being listed, if any.
    pub row: Option<&'c [Option<Value>]>,
    /// Titles of the sources, by index.
    pub source_titles: &'c [String],
    /// The attributes of the scale.
    pub scale: &'c ScaleTexts,
    /// The names whose values in other months are kept.
    pub names: &'c YearNames,
}

/// The attributes of a scale that answers may show.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScaleTexts {
    pub date: Option<std::sync::Arc<str>>,
    pub source: Option<std::sync::Arc<str>>,
    pub currency: Option<std::sync::Arc<str>>,
}

/// A compiled expression.
#[derive(Debug, Clone)]
pub(crate) enum Code {
    Constant(Value),
    Slot(SlotId),
    /// The value of the item that is being computed.
    OfItem(SlotId),
    /// Whether the item that is being computed has a value.
    GivenItem(SlotId),
    /// A function of the values of all items.
    Items(Box<ItemsCode>),
    Year,
    Month,
    Given(InputId),
    Negative(Box<Code>),
    Not(Box<Code>),
    Binary(Operator, Box<Code>, Box<Code>),
    If(Box<Code>, Box<Code>, Box<Code>),
    Call(&'static Function, Vec<Code>),
    Day,
    Days,
    Months,
    Last,
    InYear,
    /// The value of this month, and the sum over the earlier ones.
    YearToDate(Box<Code>, SumCode),
    /// The sum over the earlier months.
    Earlier(SumCode),
    /// The mean over all the months; in a calculation of one month, the value itself.
    YearMean(Box<Code>, usize),
    LastMonth(usize),
    /// A case that the checks exclude: running it is an internal error.
    Invalid,
}

impl Code {
    /// Compiles an expression with the figures of the file. An empty optional column becomes
    /// [`Value::Nothing`].
    pub(crate) fn new(expr: &Expr, context: &CompileContext) -> Self {
        let boxed = |expr: &Expr| Box::new(Self::new(expr, context));
        let cell = |cells: Option<&[Option<Value>]>, column: &ColumnId| match cells
            .and_then(|cells| column.of(cells))
        {
            Some(cell) => Self::Constant(cell.clone().unwrap_or_default()),
            None => Self::Invalid,
        };
        let text = |text: &Option<std::sync::Arc<str>>| {
            Self::Constant(text.clone().map_or(Value::Nothing, Value::Text))
        };

        match expr {
            Expr::Number(value) => Self::Constant(Value::Number(*value)),
            Expr::Boolean(value) => Self::Constant(Value::Boolean(*value)),
            Expr::Word(index) => Self::Constant(Value::Word(*index)),
            Expr::Input(input) => Self::slot(input.slot(), context),
            Expr::Output(step, output) => step.of(context.slots).map_or(Self::Invalid, |first| {
                Self::slot(first.after(*output), context)
            }),
            Expr::Items(function, group, of, key) => {
                let size = group.of(context.groups).and_then(Group::size);
                let key = key.as_ref().map(|key| Self::new(key, context));
                ItemsCode::compile(function, size, Self::new(of, context), key)
            }
            Expr::Column(figure, column) => cell(
                figure
                    .of(context.figures)
                    .map(|figure| figure.record.as_slice()),
                column,
            ),
            Expr::RowColumn(column) => cell(context.row, column),
            Expr::Scale(ScaleField::Year) => Self::Year,
            Expr::Scale(ScaleField::Month) => Self::Month,
            Expr::Scale(ScaleField::Day) => Self::Day,
            Expr::Scale(ScaleField::Months) => Self::Months,
            Expr::Scale(ScaleField::Last) => Self::Last,
            Expr::Scale(ScaleField::Days) => Self::Days,
            Expr::Scale(ScaleField::InYear) => Self::InYear,
            Expr::Scale(ScaleField::Date) => text(&context.scale.date),
            Expr::Scale(ScaleField::Source) => text(&context.scale.source),
            Expr::Scale(ScaleField::Currency) => text(&context.scale.currency),
            Expr::Given(input) if is_list(input.slot(), context) => Self::GivenItem(input.slot()),
            Expr::Given(input) => Self::Given(*input),
            // The figures that the file does not give are beyond the end of its list.
            Expr::GivenFigure(figure) => {
                Self::Constant(Value::Boolean(figure.of(context.figures).is_some()))
            }
            Expr::Absent(ty) => Self::Constant(Value::of_skipped(*ty)),
            Expr::Negative(inner) => Self::Negative(boxed(inner)).folded(),
            Expr::Not(inner) => Self::Not(boxed(inner)).folded(),
            Expr::Binary(operator, a, b) => Self::Binary(*operator, boxed(a), boxed(b)).folded(),
            Expr::If(test, yes, no) => Self::If(boxed(test), boxed(yes), boxed(no)),
            Expr::Call(function, arguments) => Self::Call(
                function,
                arguments
                    .iter()
                    .map(|argument| Self::new(argument, context))
                    .collect(),
            )
            .folded(),
            Expr::YearToDate(..) | Expr::Earlier(_) | Expr::YearMean(..) | Expr::LastMonth(_) => {
                Self::of_other_months(expr, context).unwrap_or(Self::Invalid)
            }
        }
    }

    /// Reads a slot, or the value of an item in it.
    fn slot(slot: SlotId, context: &CompileContext) -> Self {
        if is_list(slot, context) {
            Self::OfItem(slot)
        } else {
            Self::Slot(slot)
        }
    }

    /// Compiles an expression that reads other months of the year of pays.
    fn of_other_months(expr: &Expr, context: &CompileContext) -> Option<Self> {
        let code = |expr: &Expr| Self::new(expr, context);
        // Names become positions in the list of values that each month keeps.
        let place = |name: &String| context.names.ahead.iter().position(|known| known == name);

        Some(match expr {
            Expr::YearToDate(now, sum) => {
                Self::YearToDate(Box::new(code(now)), SumCode::new(sum, context.names, code)?)
            }
            Expr::Earlier(sum) => Self::Earlier(SumCode::new(sum, context.names, code)?),
            Expr::YearMean(now, name) => Self::YearMean(Box::new(code(now)), place(name)?),
            Expr::LastMonth(name) => Self::LastMonth(place(name)?),
            _ => return None,
        })
    }

    /// Evaluates code whose operands are all constant. Code whose evaluation fails is kept, and
    /// fails when it runs.
    fn folded(self) -> Self {
        let constant = |code: &Self| matches!(code, Self::Constant(_));
        let foldable = match &self {
            Self::Negative(a) | Self::Not(a) => constant(a),
            Self::Binary(_, a, b) => constant(a) && constant(b),
            Self::Call(_, arguments) => arguments.iter().all(constant),
            _ => false,
        };

        // All the operands are constants: an empty state is enough to evaluate them.
        let empty = State::default();
        match foldable.then(|| self.run(&empty)) {
            Some(Ok(value)) => Self::Constant(value),
            _ => self,
        }
    }

    /// The value of code that is a constant.
    pub(crate) fn constant(&self) -> Option<&Value> {
        match self {
            Self::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Visits every slot that the code may read.
    pub(crate) fn visit_slots(&self, visit: &mut impl FnMut(SlotId)) {
        match self {
            Self::Slot(slot) | Self::OfItem(slot) | Self::GivenItem(slot) => visit(*slot),
            Self::Items(items) => items.visit_slots(visit),
            // Whether an input was sent changes with its slot.
            Self::Given(input) => visit(input.slot()),
            Self::Negative(inner) | Self::Not(inner) => inner.visit_slots(visit),
            Self::Binary(_, a, b) => [a, b].into_iter().for_each(|code| code.visit_slots(visit)),
            Self::If(test, yes, no) => [test, yes, no]
                .into_iter()
                .for_each(|code| code.visit_slots(visit)),
            Self::Call(_, arguments) => arguments.iter().for_each(|code| code.visit_slots(visit)),
            Self::YearMean(now, _) => now.visit_slots(visit),
            Self::YearToDate(now, sum) => {
                now.visit_slots(visit);
                sum.key.iter().for_each(|(_, key)| key.visit_slots(visit));
            }
            Self::Earlier(sum) => sum.key.iter().for_each(|(_, key)| key.visit_slots(visit)),
            Self::Constant(_)
            | Self::Year
            | Self::Month
            | Self::Day
            | Self::Days
            | Self::Months
            | Self::Last
            | Self::InYear
            | Self::LastMonth(_)
            | Self::Invalid => {}
        }
    }

    /// Evaluates to a value of any type.
    pub(crate) fn run(&self, state: &State) -> Result<Value, EvalError> {
        match self {
            Self::Constant(value) => Ok(value.clone()),
            Self::Slot(slot) => Ok(state.get(*slot)?.clone()),
            Self::OfItem(slot) => Ok(state.of_item(*slot)?.clone()),
            // Booleans and numbers have evaluators of their own, without a value in between.
            Self::Given(_)
            | Self::GivenItem(_)
            | Self::Not(_)
            | Self::Last
            | Self::InYear
            | Self::LastMonth(_) => self.boolean(state).map(Value::Boolean),
            Self::Items(items) if items.is_boolean() => self.boolean(state).map(Value::Boolean),
            Self::Binary(operator, ..) if operator.is_test() => {
                self.boolean(state).map(Value::Boolean)
            }
            Self::If(test, yes, no) => {
                if test.boolean(state)? {
                    yes.run(state)
                } else {
                    no.run(state)
                }
            }
            _ => self.number(state).map(Value::Number),
        }
    }

    /// Evaluates to a number.
    pub(crate) fn number(&self, state: &State) -> Result<Decimal, EvalError> {
        match self {
            Self::Constant(Value::Number(number)) => Ok(*number),
            Self::Slot(slot) => state.number(*slot),
            Self::OfItem(slot) => {
                let value = state.of_item(*slot)?;
                value.number().ok_or(EvalError::Internal)
            }
            Self::Items(items) => items.number(state),
            Self::Year => Ok(Decimal::from(state.when.year)),
            Self::Month => Ok(Decimal::from(state.when.month)),
            Self::Negative(inner) => Ok(sub(Decimal::ZERO, inner.number(state)?)?),
            Self::Binary(operator, a, b) => {
                arithmetic(*operator, a.number(state)?, b.number(state)?)
            }
            Self::If(test, yes, no) => {
                if test.boolean(state)? {
                    yes.number(state)
                } else {
                    no.number(state)
                }
            }
            // Arguments are evaluated on demand, without a list of their values.
            Self::Call(function, arguments) => {
                let value = |index: usize| {
                    arguments
                        .get(index)
                        .ok_or(EvalError::Internal)?
                        .number(state)
                };
                function.value(&Arguments {
                    count: arguments.len(),
                    value: &value,
                })
            }
            Self::Day => state.when.day.map(day_number).ok_or(EvalError::Internal),
            Self::Days => Ok(Decimal::from(state.when.days)),
            Self::Months => Ok(Decimal::from(state.when.months)),
            // A calculation of one month has no earlier ones.
            Self::YearToDate(now, sum) => {
                let now = now.number(state)?;
                if state.year.is_none() {
                    Ok(now)
                } else {
                    Ok(add(sum.earlier(state)?, now)?)
                }
            }
            Self::Earlier(sum) => sum.earlier(state),
            // A calculation of one month has no other month to take the mean of.
            Self::YearMean(now, name) => match &state.year {
                Some(year) => year.mean(*name),
                None => now.number(state),
            },
            Self::Constant(_)
            | Self::Given(_)
            | Self::GivenItem(_)
            | Self::Not(_)
            | Self::Last
            | Self::InYear
            | Self::LastMonth(_)
            | Self::Invalid => Err(EvalError::Internal),
        }
    }

    /// Evaluates to a number that may be missing, such as a limit that then does not apply.
    pub(crate) fn limit(&self, state: &State) -> Result<Option<Decimal>, EvalError> {
        match self.run(state)? {
            Value::Number(number) => Ok(Some(number)),
            Value::Nothing => Ok(None),
            _ => Err(EvalError::Internal),
        }
    }

    /// Evaluates to a boolean.
    pub(crate) fn boolean(&self, state: &State) -> Result<bool, EvalError> {
        match self {
            Self::Constant(Value::Boolean(value)) => Ok(*value),
            Self::Slot(slot) => match state.get(*slot)? {
                Value::Boolean(value) => Ok(*value),
                _ => Err(EvalError::Internal),
            },
            Self::OfItem(slot) => match state.of_item(*slot)? {
                Value::Boolean(value) => Ok(*value),
                _ => Err(EvalError::Internal),
            },
            Self::Items(items) => items.boolean(state),
            Self::Given(input) => state.was_sent(*input),
            Self::GivenItem(slot) => Ok(*state.of_item(*slot)? != Value::Nothing),
            Self::Not(inner) => Ok(!inner.boolean(state)?),
            Self::Last => Ok(state.when.last),
            Self::InYear => Ok(state.year.as_ref().is_some_and(|year| year.in_year)),
            // A year or a contract that ends with this month ends every value with it.
            Self::LastMonth(name) => Ok(state.when.last
                || state
                    .year
                    .as_ref()
                    .is_some_and(|year| year.changes_next(*name))),
            Self::If(test, yes, no) => {
                if test.boolean(state)? {
                    yes.boolean(state)
                } else {
                    no.boolean(state)
                }
            }
            // The right side is not evaluated where the left one decides: `given(x) and x > 0`.
            Self::Binary(Operator::And, a, b) => Ok(a.boolean(state)? && b.boolean(state)?),
            Self::Binary(Operator::Or, a, b) => Ok(a.boolean(state)? || b.boolean(state)?),
            Self::Binary(Operator::Equal, a, b) => Ok(a.run(state)?.is_same(&b.run(state)?)),
            Self::Binary(Operator::NotEqual, a, b) => Ok(!a.run(state)?.is_same(&b.run(state)?)),
            Self::Binary(operator, a, b) => {
                let order = compare(a.number(state)?, b.number(state)?);
                match operator {
                    Operator::Less => Ok(order.is_lt()),
                    Operator::LessOrEqual => Ok(order.is_le()),
                    Operator::Greater => Ok(order.is_gt()),
                    Operator::GreaterOrEqual => Ok(order.is_ge()),
                    _ => Err(EvalError::Internal),
                }
            }
            _ => Err(EvalError::Internal),
        }
    }
}

/// Whether a slot has a value for each item of a group.
fn is_list(slot: SlotId, context: &CompileContext) -> bool {
    slot.of(context.lists).copied().unwrap_or_default()
}

/// Applies an arithmetic operator to two numbers.
fn arithmetic(operator: Operator, a: Decimal, b: Decimal) -> Result<Decimal, EvalError> {
    let result = match operator {
        Operator::Add => add(a, b),
        Operator::Subtract => sub(a, b),
        Operator::Multiply => mul(a, b),
        Operator::Divide => div(a, b),
        // Comparisons and logic have booleans, and never come here.
        _ => return Err(EvalError::Internal),
    };
    Ok(result?)
}

#[cfg(test)]
mod tests;
