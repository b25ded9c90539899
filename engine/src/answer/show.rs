//! A field in an answer: values as amounts, percentages, lines, brackets, schedules, rows.

use std::borrow::Cow;

use rust_decimal::Decimal;

use crate::formula::{Code, Context, Expr, Fault, State};
use crate::json::Json;
use crate::number::{number_text, round, round_decimals};
use crate::step::{Binder, BoundStep, Rounding, Slice};
use crate::types::{Type, Value};

use super::{Field, FieldContent, Form};

impl Field {
    pub(crate) fn bind(&self, binder: &mut Binder) -> BoundField {
        let content = match &self.content {
            FieldContent::Value { expr, ty, form, round } => {
                BoundContent::Value { code: binder.code(expr), ty: *ty, form: *form, round: round.clone() }
            }
            FieldContent::Text(text) => BoundContent::Text(text.clone()),
            FieldContent::Lines(steps) => BoundContent::Lines(steps.clone()),
            FieldContent::Brackets(steps) => BoundContent::Brackets(steps.clone()),
            FieldContent::Schedule(step) => BoundContent::Schedule(*step),
            FieldContent::Rows { figure, by, form, extra } => BoundContent::Rows {
                keys: by.iter().map(|expr| binder.code(expr)).collect(),
                rows: bound_rows(*figure, by.len(), *form, extra, binder),
            },
        };
        BoundField { name: self.name.clone(), when: self.when.as_ref().map(|when| binder.code(when)), content }
    }
}

/// Decimals shown of a number or a rate.
const NUMBER_DECIMALS: u32 = 10;

/// A field bound to a dated file.
#[derive(Debug)]
pub(crate) struct BoundField {
    pub name: String,
    when: Option<Code>,
    content: BoundContent,
}

#[derive(Debug)]
enum BoundContent {
    Value { code: Code, ty: Type, form: Form, round: Option<Rounding<Decimal>> },
    Text(String),
    Lines(Vec<usize>),
    Brackets(Vec<usize>),
    Schedule(usize),
    Rows { keys: Vec<Code>, rows: Vec<BoundRow> },
}

/// A row to list: the keys it must answer, and its members.
#[derive(Debug)]
struct BoundRow {
    keys: Vec<Vec<Value>>,
    members: Vec<(String, Cell)>,
}

#[derive(Debug)]
enum Cell {
    Number(Decimal),
    Text(String),
    Empty,
    Computed(Code, Type, Form),
}

fn bound_rows(
    figure: usize,
    given: usize,
    form: Form,
    extra: &[(String, Expr, Type)],
    binder: &Binder,
) -> Vec<BoundRow> {
    let (Some(shape), Some(found)) = (binder.shapes.get(figure), binder.figure(figure)) else { return Vec::new() };
    let shown = |value: &Value, ty: Type| match value {
        Value::Number(number) if form == Form::Percent && ty == Type::Rate => Cell::Number(percent(*number)),
        Value::Number(number) => Cell::Number(*number),
        Value::Text(text) => Cell::Text(text.to_string()),
        _ => Cell::Empty,
    };
    let mut rows = Vec::with_capacity(found.rows.len());
    for row in &found.rows {
        let mut members = Vec::new();
        for (key, values) in shape.keys.iter().zip(&row.keys).skip(given) {
            let input = key.input.and_then(|rank| binder.inputs.get(rank));
            let cell = match (values.as_slice(), input) {
                ([Value::Number(number)], _) => Cell::Number(*number),
                ([], _) => Cell::Empty,
                (values, Some(input)) => {
                    Cell::Text(values.iter().map(|value| input.sent_text(value)).collect::<Vec<_>>().join("; "))
                }
                (values, None) => {
                    let text = |value: &Value| {
                        if let Value::Number(number) = value { number_text(*number) } else { String::new() }
                    };
                    Cell::Text(values.iter().map(text).collect::<Vec<_>>().join("; "))
                }
            };
            members.push((key.name.clone(), cell));
        }
        if shape.bound.is_some() {
            members.push((
                found.bound_name().to_owned(),
                row.bound.map_or(Cell::Empty, |bound| Cell::Number(bound.value)),
            ));
        }
        for (column, cell) in shape.columns.iter().zip(&row.cells) {
            if let Some(value) = cell {
                members.push((column.name.clone(), shown(value, column.ty)));
            }
        }
        let context = Context { row: Some(&row.cells), ..*binder.context };
        for (name, expr, ty) in extra {
            members.push((name.clone(), Cell::Computed(Code::new(expr, &context), *ty, form)));
        }
        rows.push(BoundRow { keys: row.keys.iter().take(given).cloned().collect(), members });
    }
    rows
}

fn percent(rate: Decimal) -> Decimal {
    rate.checked_mul(Decimal::ONE_HUNDRED).unwrap_or(rate)
}

/// What fields are written from.
pub(crate) struct Shown<'a> {
    pub steps: &'a [BoundStep],
    pub inputs: &'a [crate::input::Input],
    pub decimals: u32,
}

/// Members of a line of a schedule.
pub(crate) const SCHEDULE: [&str; 6] = ["mois", "mensualite", "interets", "capital", "assurance", "capital_restant_du"];

impl BoundField {
    /// The field in the answer, if it is there.
    pub(crate) fn show<'a>(&'a self, state: &State, shown: &Shown<'a>) -> Result<Option<Json<'a>>, Fault> {
        if let Some(when) = &self.when
            && !when.boolean(state)?
        {
            return Ok(None);
        }
        Ok(match &self.content {
            BoundContent::Value { code, ty, form, round: rounding } => {
                let value = code.run(state)?;
                match (value, rounding) {
                    (Value::Number(number), Some(rounding)) => {
                        let number = if *form == Form::Percent { percent(number) } else { number };
                        let number = round(number, rounding.unit, rounding.mode).ok_or(Fault::Overflow)?;
                        let form = if *form == Form::Percent { Form::Plain } else { *form };
                        shown.value(Value::Number(number), *ty, form)
                    }
                    (value, _) => shown.value(value, *ty, *form),
                }
            }
            BoundContent::Text(text) => Some(Json::text(text.as_str())),
            BoundContent::Lines(steps) => {
                Some(Json::List(steps.iter().filter_map(|step| shown.line(*step, state)).collect()))
            }
            BoundContent::Brackets(steps) => Some(shown.brackets(steps, state)?),
            BoundContent::Schedule(step) => Some(shown.schedule(*step, state)?),
            BoundContent::Rows { keys, rows } => {
                let keys = keys.iter().map(|code| code.run(state)).collect::<Result<Vec<_>, _>>()?;
                let mut list = Vec::new();
                for row in rows.iter().filter(|row| row.answers(&keys)) {
                    list.push(shown.row(row, state)?);
                }
                Some(Json::List(list))
            }
        })
    }
}

impl BoundRow {
    fn answers(&self, keys: &[Value]) -> bool {
        self.keys.iter().zip(keys).all(|(listed, value)| listed.is_empty() || listed.contains(value))
    }
}

impl<'a> Shown<'a> {
    fn amount(&self, value: Decimal) -> Json<'a> {
        Json::Number(round_decimals(value, self.decimals))
    }

    /// A value by its type; an empty one is left out of the answer.
    pub(crate) fn value(&self, value: Value, ty: Type, form: Form) -> Option<Json<'a>> {
        let number = |number: Decimal| match ty {
            Type::Money(_) => round_decimals(number, self.decimals),
            _ if form == Form::Percent => round_decimals(percent(number), NUMBER_DECIMALS),
            _ => round_decimals(number, NUMBER_DECIMALS),
        };
        Some(match value {
            Value::Nothing => return None,
            Value::Number(value) if form == Form::Text => Json::text(number_text(number(value))),
            Value::Number(value) => Json::Number(number(value)),
            Value::Boolean(value) => Json::Boolean(value),
            Value::Text(text) => Json::text(text.to_string()),
            Value::Word(rank) => {
                let input = if let Type::Choice(input) = ty { self.inputs.get(input) } else { None };
                Json::text(input.map(|input| input.word_at(rank)).unwrap_or_default())
            }
        })
    }

    fn line(&self, step: usize, state: &State) -> Option<Json<'a>> {
        let step = self.steps.get(step)?;
        let (base, rate) = step.compute.line(state, step.slot).unzip();
        let rate = rate.map(|rate| round_decimals(rate, NUMBER_DECIMALS));
        Some(Json::Object(vec![
            ("code".into(), Json::text(step.name.as_str())),
            ("libelle".into(), Json::text(step.title())),
            ("assiette".into(), base.map_or(Json::Null, |base| self.amount(base))),
            ("taux".into(), Json::number_or_null(rate)),
            ("montant".into(), self.amount(state.number(step.slot))),
        ]))
    }

    fn brackets(&self, steps: &[usize], state: &State) -> Result<Json<'a>, Fault> {
        let mut list = Vec::new();
        for step in steps.iter().filter_map(|step| self.steps.get(*step)) {
            for slice in step.compute.slices(state, step.slot)? {
                let mut members: Vec<(Cow<str>, Json)> = Vec::with_capacity(7);
                if steps.len() > 1 {
                    members.push(("impot".into(), Json::text(step.name.as_str())));
                }
                self.slice(&slice, &mut members);
                list.push(Json::Object(members));
            }
        }
        Ok(Json::List(list))
    }

    fn slice(&self, slice: &Slice, members: &mut Vec<(Cow<'a, str>, Json<'a>)>) {
        members.push(("de".into(), self.amount(slice.from)));
        members.push(("a".into(), slice.to.map_or(Json::Null, |to| self.amount(to))));
        members.push(("taux".into(), Json::Number(round_decimals(slice.rate, NUMBER_DECIMALS))));
        if let Some(constant) = slice.constant {
            members.push(("constante".into(), self.amount(constant)));
        }
        members.push(("assiette".into(), self.amount(slice.base)));
        members.push(("montant".into(), self.amount(slice.amount)));
    }

    /// The slices of one step in which something falls, for an explanation.
    pub(crate) fn filled_slices(&self, step: &BoundStep, state: &State) -> Vec<Json<'a>> {
        let slices = step.compute.slices(state, step.slot).unwrap_or_default();
        let filled = slices.iter().filter(|slice| !slice.base.is_zero());
        let shown = filled.map(|slice| {
            let mut members = Vec::with_capacity(6);
            self.slice(slice, &mut members);
            Json::Object(members)
        });
        shown.collect()
    }

    fn schedule(&self, step: usize, state: &State) -> Result<Json<'a>, Fault> {
        let Some(step) = self.steps.get(step) else { return Ok(Json::Null) };
        let mut list = Vec::new();
        for line in step.compute.schedule(state, step.slot)? {
            let amounts = [line.payment, line.interest, line.principal, line.insurance, line.balance];
            let month = [Json::Number(line.month.into())];
            let values = month.into_iter().chain(amounts.map(|amount| self.amount(amount)));
            list.push(Json::Object(SCHEDULE.iter().map(|name| Cow::Borrowed(*name)).zip(values).collect()));
        }
        Ok(Json::List(list))
    }

    fn row(&self, row: &'a BoundRow, state: &State) -> Result<Json<'a>, Fault> {
        let mut members = Vec::with_capacity(row.members.len());
        for (name, cell) in &row.members {
            let value = match cell {
                Cell::Number(number) => Json::Number(*number),
                Cell::Text(text) => Json::text(text.as_str()),
                Cell::Empty => Json::Null,
                Cell::Computed(code, ty, form) => match self.value(code.run(state)?, *ty, *form) {
                    Some(value) => value,
                    None => continue,
                },
            };
            members.push((Cow::Borrowed(name.as_str()), value));
        }
        Ok(Json::Object(members))
    }
}
