//! `table: figure`: the row found, one output a column.

use crate::figure::{Figure, Miss};
use crate::formula::{Code, Expr, Fault, State};
use crate::problem::Problem;
use crate::types::{Type, Value};
use crate::words::nearest;

use super::lookups::{OrRefuse, check_by, check_complete, cites_rows, key_values, or_refuse};
use super::operand::Operand;
use super::{Binder, Body, Built, Compute, Kind, Output, Reader, Slot, SlotForm};

pub(super) static KIND: Kind = Kind {
    name: "table",
    main: SlotForm::Figure,
    slots: &[
        Slot::new(
            "by",
            SlotForm::Formulas,
            true,
            "one value for each key column, in order, then one for the bound, separated by `;`",
        ),
        Slot::new(
            "or_refuse",
            SlotForm::Input,
            false,
            "the input that is refused when no row answers, with the values that exist",
        ),
    ],
    help: "the row found: one output a column (also the bare name if there is one column), and `.source`",
    read,
};

fn read(reader: &mut Reader) -> Option<Built> {
    let text = reader.main_text()?;
    let Some(figure) = reader.scope.figures.iter().position(|shape| shape.name == text.value) else {
        let known = reader.scope.figures.iter().map(|shape| shape.name.as_str());
        let near = nearest(&text.value, known).map(str::to_owned);
        reader.error(&text.place, Problem::UnknownFigure { name: text.value.clone(), near });
        return None;
    };
    let or_refuse = or_refuse(reader);
    let by = check_by(reader, figure, true);
    let shape = reader.scope.figures.get(figure)?;
    if !shape.has_rows() {
        let figure = shape.name.clone();
        reader.error(&text.place, Problem::NotATable { figure });
        return None;
    }
    let single = shape.columns.len() == 1;
    let mut outputs: Vec<Output> = shape
        .columns
        .iter()
        .map(|column| Output { name: column.name.clone(), ty: column.ty, optional: column.optional, main: single })
        .collect();
    outputs.push(Output::named("source", Type::Text));
    // Reading the table uses its columns: which of them matter shows in the answer.
    for rank in 0..shape.columns.len() {
        reader.scope.used.columns.insert((figure, rank));
    }
    let texts = shape.columns.iter().map(|column| column.ty == Type::Text).collect();
    Some(Built { body: Box::new(Table { figure, by, or_refuse, texts }), outputs, hidden: 0 })
}

#[derive(Debug)]
struct Table {
    figure: usize,
    by: Vec<Expr>,
    or_refuse: Option<usize>,
    /// Which columns are texts: empty, not zero, when the step is set aside.
    texts: Vec<bool>,
}

impl Body for Table {
    fn bind(&self, binder: &mut Binder) -> Box<dyn Compute> {
        let figure = binder.figure(self.figure).cloned();
        if let (Some(figure), None) = (&figure, self.or_refuse) {
            check_complete(self.figure, figure, true, binder);
        }
        let shape = binder.shapes.get(self.figure);
        let has_bound = shape.is_some_and(|shape| shape.bound.is_some());
        let mut by: Vec<Code> = self.by.iter().map(|value| binder.code(value)).collect();
        let keys = shape.map(|shape| shape.keys.as_slice()).unwrap_or_default().iter();
        let keys = keys.map(|key| (key.name.clone(), key.input.and_then(|rank| binder.inputs.get(rank))));
        let named = keys.chain([("valeur".to_owned(), None)]).zip(&by);
        let operands = named.map(|((name, input), code)| Operand::new(name, code.clone(), input)).collect();
        Box::new(Bound {
            sources: figure.as_ref().map(|figure| row_sources(figure, binder)).unwrap_or_default(),
            rank: self.figure,
            cites: figure.as_ref().is_some_and(cites_rows),
            figure,
            bound: if has_bound { by.pop() } else { None },
            by,
            operands,
            or_refuse: self.or_refuse.map(|input| OrRefuse::bind(input, self.figure, binder)),
            texts: self.texts.clone(),
        })
    }
}

/// Titles of the sources of each row, for `.source`.
fn row_sources(figure: &Figure, binder: &Binder) -> Vec<Value> {
    let titles = |sources: &[usize]| {
        let titles = sources.iter().filter_map(|source| binder.context.source_titles.get(*source));
        Value::Text(titles.map(String::as_str).collect::<Vec<_>>().join(" ; ").into())
    };
    let own =
        |row: &crate::figure::Row| if row.sources.is_empty() { titles(&figure.sources) } else { titles(&row.sources) };
    figure.rows.iter().map(own).collect()
}

#[derive(Debug)]
struct Bound {
    figure: Option<Figure>,
    rank: usize,
    cites: bool,
    by: Vec<Code>,
    bound: Option<Code>,
    operands: Vec<Operand>,
    sources: Vec<Value>,
    or_refuse: Option<OrRefuse>,
    texts: Vec<bool>,
}

impl Compute for Bound {
    fn run(&self, state: &mut State, slot: usize) -> Result<(), Fault> {
        let figure = self.figure.as_ref().ok_or(Fault::Type)?;
        let keys = key_values(&self.by, state)?;
        let bound = self.bound.as_ref().map_or(Ok(Default::default()), |bound| bound.number(state))?;
        let row = figure.find(&keys, bound).map_err(|miss| match miss {
            Miss::Key(key) => Fault::NoRow(key),
            Miss::Bound => Fault::NoRow(keys.len()),
        })?;
        for (column, cell) in
            figure.rows.get(row).map(|row| row.cells.as_slice()).unwrap_or_default().iter().enumerate()
        {
            state.set(slot + column, cell.clone().unwrap_or_default());
        }
        state.set(slot + self.texts.len(), self.sources.get(row).cloned().unwrap_or_default());
        if self.cites {
            state.cited.push((self.rank, row));
        }
        Ok(())
    }

    fn set_aside(&self, state: &mut State, slot: usize) {
        for (column, is_text) in self.texts.iter().enumerate() {
            state.set(slot + column, if *is_text { Value::Nothing } else { Value::ZERO });
        }
        state.set(slot + self.texts.len(), Value::Nothing);
    }

    fn operands(&self, state: &State, _slot: usize) -> Vec<(String, Value)> {
        self.operands.iter().map(|operand| operand.show(state)).collect()
    }

    fn missing_row(&self, state: &State, key: usize) -> Option<(usize, String)> {
        let keys = key_values(&self.by, state).ok()?;
        Some(self.or_refuse.as_ref()?.tell(self.figure.as_ref()?, &keys, key))
    }
}
