//! `interpolate: figure`: the value between two rows of a figure, on the straight line from one to
//! the next.
//!
//! The law gives a rate at some points, and lets it progress in between (CSS, art. D. 621-2). Each
//! row gives the values at its own bound; below the first point and beyond the last one they stay.

use rust_decimal::Decimal;

use crate::law::column::{Active, Block, Column, Numbers};
use crate::law::figure::LookupError;
use crate::law::formula::{Code, EvalError, State};
use crate::law::{BoundWord, Expr, Figure, FigureId, SlotId, Type, Value};
use crate::text::number::{add, div, mul, sub};
use crate::text::{Problem, Text};

use super::lookups::{check_by, check_complete, cites_rows, key_values, remarked_rows};
use super::operand::CompiledOperand;
use super::table::{looked_up_figure, named_operands, outputs_of_columns};
use super::{
    Built, Checked, Compiled, Compiler, Detail, KeyForm, Kind, Levy, Operand, Reader, Sentence,
    keys,
};

pub(super) static KIND: Kind = Kind {
    name: "interpolate",
    main: KeyForm::Figure,
    keys: keys! {
        "by" Formulas required
            fr "une valeur pour chaque colonne clé, dans l’ordre, puis celle dont le point cherché \
                dépend, séparées par `;`"
                "selon"
            en "one value for each key column, in order, then the one that chooses the point, \
                separated by `;`"
                "by";
    },
    help: Text::new(
        "la valeur entre deux lignes `from`, en ligne droite de l’une à la suivante ; avant la \
         première et après la dernière, la leur. Une sortie par colonne (aussi le nom seul s’il n’y \
         en a qu’une)",
        "the value between two `from` rows, on the straight line from one to the next; before the \
         first and after the last one, theirs. One output a column (also the bare name if there is \
         one column)",
    ),
    sentence: Sentence::Row,
    phrase: Some(Text::new(
        "valeur entre les lignes de la table",
        "value between the rows of the table",
    )),
    detail: Detail::None,
    levy: Levy::Listed,
    outputs: &[],
    read,
};

fn read(reader: &mut Reader) -> Option<Built> {
    let figure = looked_up_figure(reader, KIND.name)?;
    let shape = figure.of(&reader.env.symbols.figures)?;

    // A value lies between two others only where all rows give it, as a number.
    let mut columns = shape.columns.iter();
    let are_numbers = columns.all(|column| column.ty.is_numeric() && !column.optional);
    if shape.bound.is_none() || !are_numbers {
        let name = shape.name.clone();
        let place = reader.place(KIND.name);
        reader.error(&place, Problem::NotInterpolated { figure: name });
        return None;
    }

    let by = check_by(reader, figure, true);
    let outputs = outputs_of_columns(reader, figure);

    Some(Built {
        checked: Box::new(Interpolate { figure, by }),
        outputs,
        hidden: 0,
    })
}

#[derive(Debug)]
struct Interpolate {
    figure: FigureId,
    by: Vec<Expr>,
}

impl Checked for Interpolate {
    fn compile(&self, compiler: &mut Compiler) -> Box<dyn Compiled> {
        let figure = compiler.figure(self.figure).cloned();
        if let Some(figure) = &figure {
            check_complete(self.figure, figure, false, compiler);
            check_points(self.figure, figure, compiler);
        }

        let mut by: Vec<Code> = self.by.iter().map(|value| compiler.code(value)).collect();
        let operands = named_operands(self.figure, &by, compiler);
        let shape = self.figure.of(compiler.shapes);
        let point_type = shape.and_then(|shape| shape.bound).unwrap_or(Type::Number);
        // The last value chooses the point, as the bound of a table.
        let point = by.pop().unwrap_or(Code::Constant(Value::ZERO));

        Box::new(CompiledInterpolate {
            next: figure.as_ref().map(next_rows).unwrap_or_default(),
            columns: figure
                .as_ref()
                .and_then(|figure| figure.rows.first())
                .map_or(0, |row| row.cells.len()),
            cites: figure.as_ref().is_some_and(cites_rows),
            remarked: figure.as_ref().map(remarked_rows).unwrap_or_default(),
            figure_id: self.figure,
            figure,
            by,
            point,
            point_type,
            operands,
        })
    }
}

/// Reports a row that is no point: the values of `from` alone hold where a line starts.
fn check_points(id: FigureId, figure: &Figure, compiler: &mut Compiler) {
    let is_point = |row: &crate::law::figure::Row| {
        row.bound.is_some_and(|bound| bound.word == BoundWord::From)
    };
    let Some(row) = figure.rows.iter().find(|row| !is_point(row)) else {
        return;
    };
    let name = id.of(compiler.shapes).map(|shape| shape.name.clone());
    let figure = name.unwrap_or_default();
    compiler
        .report
        .error(&row.place, Problem::NotAPoint { figure });
}

/// The row after each row, within those of the same keys.
fn next_rows(figure: &Figure) -> Vec<Option<usize>> {
    let mut next = vec![None; figure.rows.len()];
    for group in figure.lookup.groups() {
        for (row, after) in group.iter().zip(group.iter().skip(1)) {
            if let Some(next) = next.get_mut(*row) {
                *next = Some(*after);
            }
        }
    }
    next
}

#[derive(Debug)]
struct CompiledInterpolate {
    figure: Option<Figure>,
    figure_id: FigureId,
    /// The row after each row of the figure, where the line goes on.
    next: Vec<Option<usize>>,
    /// How many columns it has.
    columns: usize,
    by: Vec<Code>,
    point: Code,
    point_type: Type,
    operands: Vec<CompiledOperand>,
    cites: bool,
    /// Whether each row of the figure has a remark of its own; empty if none has one.
    remarked: Vec<bool>,
}

/// A place on the lines of a figure.
#[derive(Debug, Clone, Copy)]
struct OnLine {
    row: usize,
    /// The row that ends the line, and how far on it the place is, from 0 to less than 1, as the
    /// distance and the length.
    to: Option<(usize, Decimal, Decimal)>,
}

impl CompiledInterpolate {
    /// The place of a point on the lines of the rows with these keys.
    fn place(&self, keys: &[Value], point: Decimal) -> Result<OnLine, EvalError> {
        let figure = self.figure.as_ref().ok_or(EvalError::Internal)?;

        let row = match figure.find(keys, point) {
            Ok(row) => row,
            Err(LookupError::Key(key)) => return Err(EvalError::NoRow(key)),
            // Before the first point, its values hold.
            Err(LookupError::Bound) => {
                let group = figure.lookup.rows(keys).map_err(|_| EvalError::Internal)?;
                let row = *group.first().ok_or(EvalError::Internal)?;
                return Ok(OnLine { row, to: None });
            }
        };

        let Some(after) = self.next.get(row).copied().flatten() else {
            return Ok(OnLine { row, to: None });
        };
        let at = |row: usize| {
            let bound = figure.rows.get(row).and_then(|row| row.bound);
            bound.map(|bound| bound.value).ok_or(EvalError::Internal)
        };
        let (start, end) = (at(row)?, at(after)?);
        let (distance, length) = (sub(point, start)?, sub(end, start)?);
        let is_on_its_point = distance.is_zero();
        let to = (!is_on_its_point).then_some((after, distance, length));
        Ok(OnLine { row, to })
    }

    /// The value of a column there.
    fn value(&self, there: OnLine, column: usize) -> Result<Decimal, EvalError> {
        let cell = |row: usize| {
            let figure = self.figure.as_ref()?;
            figure.rows.get(row)?.cells.get(column)?.as_ref()?.number()
        };

        let start = cell(there.row).ok_or(EvalError::Internal)?;
        let Some((after, distance, length)) = there.to else {
            return Ok(start);
        };
        let end = cell(after).ok_or(EvalError::Internal)?;
        // Divided last: the product is exact, and so is the value at each point.
        let rise = div(mul(sub(end, start)?, distance)?, length)?;
        Ok(add(start, rise)?)
    }
}

impl Compiled for CompiledInterpolate {
    fn run(&self, state: &mut State, slot: SlotId) -> Result<(), EvalError> {
        let keys = key_values(&self.by, state)?;
        let there = self.place(&keys, self.point.number(state)?)?;

        for column in 0..self.columns {
            let value = self.value(there, column)?;
            state.set(slot.after(column), Value::Number(value))?;
        }

        // Both ends of the line are cited: the value rests on them.
        if self.cites {
            state.cited.push((self.figure_id, there.row));
            let end = there.to.map(|(row, ..)| (self.figure_id, row));
            state.cited.extend(end);
        }
        Ok(())
    }

    fn skipped(&self) -> Vec<Value> {
        vec![Value::ZERO; self.columns]
    }

    fn run_columns(
        &self,
        block: &Block,
        slot: SlotId,
        count: usize,
        active: &Active,
    ) -> Vec<Column> {
        // Remarks of two rows each are kept by single calculations alone.
        if self.has_remarked_rows() {
            return super::compiled::row_by_row(block, slot, count, active, |state| {
                self.run(state, slot)
            });
        }

        let keys: Vec<Column> = self
            .by
            .iter()
            .map(|code| code.column(block, active))
            .collect();
        let point = self.point.numbers(block, active);
        // Where the keys and the point are the same in all rows, one row is enough.
        let is_one = keys.iter().all(|column| matches!(column, Column::One(_)))
            && matches!(point, Numbers::One(_));

        let values = |row: usize| -> Result<Vec<Value>, EvalError> {
            let keys: Vec<Value> = keys.iter().map(|column| column.at(row)).collect();
            let point = point.at(row).ok_or(EvalError::Internal)?;
            let there = self.place(&keys, point)?;
            let columns = 0..self.columns;
            columns
                .map(|column| self.value(there, column).map(Value::Number))
                .collect()
        };

        let mut columns = vec![Vec::new(); self.columns];
        for row in 0..if is_one { 1 } else { block.rows() } {
            let is_computed = is_one || active.at(row);
            let found = is_computed.then(|| values(row));
            if let Some(Err(_)) = found {
                if is_one {
                    block.fail_all::<()>(active);
                } else {
                    block.fail(row, active);
                }
            }

            let found = found.and_then(Result::ok).unwrap_or_default();
            for (index, column) in columns.iter_mut().enumerate() {
                column.push(found.get(index).cloned().unwrap_or(Value::ZERO));
            }
        }

        columns
            .into_iter()
            .map(|values| match values.as_slice() {
                [value] if is_one => Column::One(value.clone()),
                values => Column::of_values(values),
            })
            .collect()
    }

    fn has_remarked_rows(&self) -> bool {
        !self.remarked.is_empty()
    }

    fn operands(&self, state: &State, _slot: SlotId) -> Result<Vec<Operand<'_>>, EvalError> {
        let mut operands: Vec<Operand<'_>> = self
            .operands
            .iter()
            .map(|operand| operand.read(state))
            .collect::<Result<_, _>>()?;

        // The points of the line, which say where the value comes from.
        let keys = key_values(&self.by, state)?;
        let asked = self.point.number(state)?;
        let there = self.place(&keys, asked)?;
        for row in [Some(there.row), there.to.map(|(row, ..)| row)] {
            let bound = row.and_then(|row| self.figure.as_ref()?.rows.get(row)?.bound);
            let Some(end) = bound.map(|bound| bound.value) else {
                continue;
            };
            let name = if end > asked {
                "jusqu_a"
            } else {
                "a_partir_de"
            };
            operands.push(Operand::new(name, &Value::Number(end), self.point_type));
        }
        Ok(operands)
    }
}
