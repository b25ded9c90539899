//! A field compiled with the figures of a dated file.

use std::borrow::Cow;

use rust_decimal::Decimal;

use crate::law::formula::{Code, CompileContext};
use crate::law::members::RESERVE;
use crate::law::step::Compiler;
use crate::law::{
    Expr, FigureId, Group, Input, Remark, Rounding, Scalar, SlotId, StepId, Type, Value,
};
use crate::text::json::Datum;
use crate::text::number::{NUMBER_DECIMALS, number_text, round_decimals};

use super::items::CompiledMember;
use super::{Field, FieldContent, Form, ListedRow, ListedStep, RowOfSteps};

impl Field {
    pub(crate) fn compile(&self, compiler: &mut Compiler) -> CompiledField {
        let content = match &self.content {
            FieldContent::Value {
                expr,
                ty,
                form,
                round,
            } => CompiledContent::Value(
                compiler.code(expr),
                Shown {
                    ty: *ty,
                    form: *form,
                    round: round.clone(),
                },
            ),
            FieldContent::Text(text) => CompiledContent::Text(text.clone()),
            FieldContent::Lines { steps, form } => CompiledContent::Lines {
                steps: steps.clone(),
                form: *form,
            },
            FieldContent::Payslip { rows, form } => {
                let when = |row: &RowOfSteps| row.when.as_ref().map(|when| compiler.code(when));
                CompiledContent::Payslip {
                    rows: rows.iter().map(|row| (row.clone(), when(row))).collect(),
                    form: *form,
                }
            }
            FieldContent::Brackets(steps) => CompiledContent::Slices(steps.clone()),
            FieldContent::Schedule(step) => CompiledContent::Payments(*step),
            FieldContent::Items {
                group,
                only,
                members,
            } => CompiledContent::Items {
                size: group.of(compiler.context.groups).and_then(Group::size),
                only: only.as_ref().map(|only| compiler.code(only)),
                members: members
                    .iter()
                    .map(|member| CompiledMember::new(member, compiler))
                    .collect(),
            },
            // The rows are made when the file is read: a query only chooses among them.
            FieldContent::Rows {
                figure,
                by,
                form,
                extra,
            } => CompiledContent::Rows {
                keys: by.iter().map(|expr| compiler.code(expr)).collect(),
                rows: bound_rows(*figure, by.len(), *form, extra, compiler),
            },
        };

        CompiledField {
            name: self.name.clone(),
            when: self.when.as_ref().map(|when| compiler.code(when)),
            content,
        }
    }
}

/// A field compiled for a dated file.
#[derive(Debug)]
pub(crate) struct CompiledField {
    pub name: String,
    pub(super) when: Option<Code>,
    pub(super) content: CompiledContent,
}

#[derive(Debug)]
pub(super) enum CompiledContent {
    Value(Code, Shown),
    Text(String),
    Lines {
        steps: Vec<ListedStep>,
        form: Form,
    },
    Payslip {
        rows: Vec<(RowOfSteps, Option<Code>)>,
        form: Form,
    },
    Slices(Vec<StepId>),
    Payments(StepId),
    Items {
        /// A slot whose list has a value for each item.
        size: Option<SlotId>,
        only: Option<Code>,
        members: Vec<CompiledMember>,
    },
    Rows {
        keys: Vec<Code>,
        rows: Vec<CompiledRow>,
    },
}

/// Type of a value, and the form and the rounding in which it is shown.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(super) ty: Type,
    pub(super) form: Form,
    pub(super) round: Option<Rounding<Decimal>>,
}

impl Shown {
    /// Whether numbers are shown times 100. An amount that is computed in a list of rates stays an
    /// amount.
    pub(super) fn is_in_percent(&self) -> bool {
        self.form == Form::Percent && (self.round.is_some() || !matches!(self.ty, Type::Money(_)))
    }
}

/// A row that a field may list: its keys and its members.
#[derive(Debug)]
pub(crate) struct CompiledRow {
    pub(super) keys: Vec<Vec<Value>>,
    pub members: Vec<(String, Cell)>,
    /// Its JSON text, where no member is computed.
    pub written: Option<String>,
}

/// A member of a row.
#[derive(Debug)]
pub(crate) enum Cell {
    Fixed(Scalar<'static>),
    Remark(Remark),
    Computed(Code, Shown),
}

impl CompiledRow {
    fn new(keys: Vec<Vec<Value>>, members: Vec<(String, Cell)>) -> Self {
        // A row without computed members is written as JSON once, when the file is read.
        let is_fixed = members
            .iter()
            .all(|(_, cell)| !matches!(cell, Cell::Computed(..)));
        let mut row = Self {
            keys,
            members,
            written: None,
        };

        row.written = is_fixed.then(|| {
            Datum::Object(&ListedRow {
                compiled: &row,
                computed: Vec::new(),
            })
            .to_string()
        });
        row
    }
}

fn bound_rows(
    figure: FigureId,
    given: usize,
    form: Form,
    extra: &[(String, Expr, Type)],
    compiler: &Compiler,
) -> Vec<CompiledRow> {
    let (Some(shape), Some(found)) = (figure.of(compiler.shapes), compiler.figure(figure)) else {
        return Vec::new();
    };
    // The number as the file writes it; a fraction such as 1/3 is cut to the decimals shown.
    let number = |number| Scalar::Number(round_decimals(number, NUMBER_DECIMALS));

    let shown = |value: &Value, ty: Type| match value {
        Value::Number(rate) if form == Form::Percent && ty == Type::Rate => number(percent(*rate)),
        Value::Number(value) => number(*value),
        Value::Text(text) => Scalar::Text(Cow::Owned(text.to_string())),
        _ => Scalar::Null,
    };

    let mut rows = Vec::with_capacity(found.rows.len());
    for row in found.rows.iter() {
        let mut members = Vec::new();
        // The keys that `by` gives choose the rows, and are not shown.
        for (key, values) in shape.keys.iter().zip(&row.keys).skip(given) {
            let input = key.input.and_then(|input| input.of(compiler.inputs));
            members.push((key.name.clone(), Cell::Fixed(key_cell(values, input))));
        }

        // The open row has no bound: it shows `null`, so that all rows have the same members.
        if shape.bound.is_some() {
            let bound = row
                .bound
                .map_or(Scalar::Null, |bound| Scalar::Number(bound.value));
            members.push((found.bound_name().to_owned(), Cell::Fixed(bound)));
        }

        // An empty cell is left out of its row.
        for (column, cell) in shape.columns.iter().zip(&row.cells) {
            if let Some(value) = cell {
                members.push((column.name.clone(), Cell::Fixed(shown(value, column.ty))));
            }
        }

        // Computed members read the cells of their row as constants: they are compiled for each
        // row.
        let context = CompileContext {
            row: Some(&row.cells),
            ..*compiler.context
        };

        for (name, expr, ty) in extra {
            let shown = Shown {
                ty: *ty,
                form,
                round: None,
            };
            members.push((
                name.clone(),
                Cell::Computed(Code::new(expr, &context), shown),
            ));
        }

        if !row.remark.is_empty() {
            members.push((RESERVE.to_owned(), Cell::Remark(row.remark.clone())));
        }

        rows.push(CompiledRow::new(
            row.keys.iter().take(given).cloned().collect(),
            members,
        ));
    }
    rows
}

/// The values of a key of a row: a single number as a number, several values joined by `; `.
fn key_cell(values: &[Value], input: Option<&Input>) -> Scalar<'static> {
    let text = |value: &Value| match (input, value) {
        (Some(input), value) => input.sent_text(value),
        (None, Value::Number(number)) => number_text(*number),
        (None, _) => String::new(),
    };

    // A row that lists no value of a key accepts any: it shows `null`.
    match values {
        [Value::Number(number)] => Scalar::Number(*number),
        [] => Scalar::Null,
        values => Scalar::Text(Cow::Owned(
            values.iter().map(text).collect::<Vec<_>>().join("; "),
        )),
    }
}

pub(super) fn percent(rate: Decimal) -> Decimal {
    // Figures of the law are far from the limit of decimals: nothing is lost where this fails.
    rate.checked_mul(Decimal::ONE_HUNDRED).unwrap_or(rate)
}
