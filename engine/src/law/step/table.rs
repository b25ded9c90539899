//! `table: figure`: the row found, one output a column.

use rust_decimal::Decimal;

use crate::law::column::{Active, Block, Column, Numbers};
use crate::law::figure::LookupError;
use crate::law::formula::{Code, EvalError, State};
use crate::law::{ColumnId, Expr, Figure, FigureId, InputId, SlotId, Type, Value};
use crate::text::{Problem, Text};

use super::lookups::{
    OrRefuse, check_by, check_complete, cites_rows, key_values, or_refuse, remarked_rows,
};
use super::operand::CompiledOperand;
use super::{
    Built, Checked, Compiled, Compiler, Detail, KeyForm, Kind, Levy, Operand, Output, Reader,
    Sentence, Written, keys,
};

pub(super) static KIND: Kind = Kind {
    name: "table",
    main: KeyForm::Figure,
    keys: keys! {
        "by" Formulas required
            fr "une valeur pour chaque colonne clé, dans l’ordre, puis une pour la borne, \
                séparées par `;`"
                "selon"
            en "one value for each key column, in order, then one for the bound, separated by `;`"
                "by";
        "or_refuse" Input optional
            fr "l’entrée refusée quand aucune ligne ne répond, avec les valeurs qui existent"
                "sinon refus de"
            en "the input that is refused when no row answers, with the values that exist"
                "else refuse";
    },
    help: Text::new(
        "la ligne trouvée : une sortie par colonne (aussi le nom seul s’il n’y a qu’une colonne), \
         et `.source`",
        "the row found: one output a column (also the bare name if there is one column), and \
         `.source`",
    ),
    sentence: Sentence::Row,
    phrase: Some(Text::new("ligne de la table", "row of the table")),
    detail: Detail::None,
    levy: Levy::Listed,
    outputs: &["source"],
    read,
};

fn read(reader: &mut Reader) -> Option<Built> {
    let figure = looked_up_figure(reader, KIND.name)?;
    let or_refuse = or_refuse(reader);
    let by = check_by(reader, figure, true);
    let mut outputs = outputs_of_columns(reader, figure);
    outputs.push(Output::named("source", Type::Text));

    let shape = figure.of(&reader.env.symbols.figures)?;
    let texts = shape
        .columns
        .iter()
        .map(|column| column.ty == Type::Text)
        .collect();

    Some(Built {
        checked: Box::new(Table {
            figure,
            by,
            or_refuse,
            texts,
        }),
        outputs,
        hidden: 0,
    })
}

/// The figure that a step looks up, `table` or another kind: one with rows, whose columns could be
/// read.
pub(super) fn looked_up_figure(reader: &mut Reader, kind: &'static str) -> Option<FigureId> {
    let text = reader.main_text()?;
    reader.keep(kind, Some(Written::Name(text.value.clone())));
    let Some(figure) = FigureId::find(&reader.env.symbols.figures, |shape| {
        shape.name == text.value
    }) else {
        let known = reader
            .env
            .symbols
            .figures
            .iter()
            .filter(|shape| shape.has_rows())
            .map(|shape| shape.name.as_str());
        let problem = Problem::unknown_figure(&text.value, known);
        reader.error(&text.place, problem);
        return None;
    };

    reader.check_given(figure, &text.place);

    let shape = figure.of(&reader.env.symbols.figures)?;
    // A figure without columns, or with one whose type is none and that may be a key, was reported
    // already.
    if shape.columns.is_empty()
        || shape
            .columns
            .iter()
            .any(|column| column.ty == Type::Unknown)
    {
        return None;
    }

    // Formulas read the columns of a record without looking up a row.
    if !shape.has_rows() {
        let figure = shape.name.clone();
        reader.error(&text.place, Problem::NotATable { figure });
        return None;
    }

    Some(figure)
}

/// The outputs of a step that gives each column of its figure, whose columns it reads.
pub(super) fn outputs_of_columns(reader: &mut Reader, figure: FigureId) -> Vec<Output> {
    let Some(shape) = figure.of(&reader.env.symbols.figures) else {
        return Vec::new();
    };
    // The bare name of the step reads the column of a table that has only one.
    let single = shape.columns.len() == 1;

    let outputs = shape
        .columns
        .iter()
        .map(|column| Output {
            name: column.name.clone(),
            ty: column.ty,
            optional: column.optional,
            main: single,
            label: None,
        })
        .collect();

    // Reading the figure uses its columns: which of them matter shows in the answer.
    let columns = ColumnId::enumerate(&shape.columns).map(|(column, _)| (figure, column));
    reader.reads.columns.extend(columns);
    outputs
}

#[derive(Debug)]
struct Table {
    figure: FigureId,
    by: Vec<Expr>,
    or_refuse: Option<InputId>,
    /// The columns that are texts: empty, not zero, when the step is skipped.
    texts: Vec<bool>,
}

impl Checked for Table {
    fn compile(&self, compiler: &mut Compiler) -> Box<dyn Compiled> {
        let figure = compiler.figure(self.figure).cloned();
        if let (Some(figure), None) = (&figure, self.or_refuse) {
            check_complete(self.figure, figure, true, compiler);
        }

        let shape = self.figure.of(compiler.shapes);
        // The last value of `by` is the one to compare with the bound, if the table has one.
        let has_bound = shape.is_some_and(|shape| shape.bound.is_some());

        let mut by: Vec<Code> = self.by.iter().map(|value| compiler.code(value)).collect();
        let operands = named_operands(self.figure, &by, compiler);

        // `.source` is the last output of every table.
        let sources = figure
            .as_ref()
            .map(|figure| row_sources(figure, compiler))
            .unwrap_or_default();

        Box::new(CompiledTable {
            columns: figure
                .as_ref()
                .map(|figure| columns(figure, &sources))
                .unwrap_or_default(),
            sources,
            figure_id: self.figure,
            cites: figure.as_ref().is_some_and(cites_rows),
            remarked: figure.as_ref().map(remarked_rows).unwrap_or_default(),
            figure,
            bound: if has_bound { by.pop() } else { None },
            by,
            operands,
            or_refuse: self
                .or_refuse
                .map(|input| OrRefuse::compile(input, self.figure, compiler)),
            texts: self.texts.clone(),
        })
    }

    fn refuses(&self) -> Option<InputId> {
        self.or_refuse
    }
}

/// The values that choose a row, named by their columns, and the bound `valeur`.
pub(super) fn named_operands(
    figure: FigureId,
    by: &[Code],
    compiler: &Compiler,
) -> Vec<CompiledOperand> {
    let shape = figure.of(compiler.shapes);
    let keys = shape
        .map(|shape| shape.keys.as_slice())
        .unwrap_or_default()
        .iter();
    let named_keys = keys.map(|key| {
        let input = key.input.and_then(|input| input.of(compiler.inputs));
        (
            key.name.clone(),
            input.map_or(Type::Number, |input| input.ty),
            input,
        )
    });

    // The value that is compared with the bounds comes after the keys, as in the step.
    let bound = shape
        .and_then(|shape| shape.bound)
        .map(|ty| ("valeur".to_owned(), ty, None));

    let named = named_keys.chain(bound).zip(by);
    let operand =
        |((name, ty, input), code): (_, &Code)| CompiledOperand::new(name, code.clone(), ty, input);
    named.map(operand).collect()
}

/// The French text of `.source` for a row that cites evidence only.
const NO_TEXT: &str = "Texte non retrouvé";

/// Titles of the sources of each row, for `.source`.
fn row_sources(figure: &Figure, compiler: &Compiler) -> Vec<Value> {
    let titles = |sources: &[usize]| {
        let cited = sources
            .iter()
            .filter_map(|source| compiler.context.source_titles.get(*source));
        let titles = cited.map(String::as_str).collect::<Vec<_>>().join(" ; ");
        // A row that only evidence supports has no text to cite.
        Value::Text(if titles.is_empty() {
            NO_TEXT.into()
        } else {
            titles.into()
        })
    };

    // A row without sources of its own has those of its figure.
    let own = |row: &crate::law::figure::Row| {
        if row.sources.is_empty() {
            titles(&figure.sources)
        } else {
            titles(&row.sources)
        }
    };

    figure.rows.iter().map(own).collect()
}

/// The values of the outputs, by row of the figure.
fn columns(figure: &Figure, sources: &[Value]) -> Vec<Column> {
    // Columns of values, indexed by row: a block selects its rows from them.
    let count = figure.rows.first().map_or(0, |row| row.cells.len());

    let cell = |row: &crate::law::figure::Row, index| {
        row.cells.get(index).cloned().flatten().unwrap_or_default()
    };

    let of_index = |index| {
        figure
            .rows
            .iter()
            .map(|row| cell(row, index))
            .collect::<Vec<Value>>()
    };

    (0..count)
        .map(of_index)
        .chain([sources.to_vec()])
        .map(|values| Column::of_values(&values))
        .collect()
}

#[derive(Debug)]
struct CompiledTable {
    figure: Option<Figure>,
    figure_id: FigureId,
    cites: bool,
    /// Whether each row of the figure has a remark of its own; empty if none has one.
    remarked: Vec<bool>,
    by: Vec<Code>,
    bound: Option<Code>,
    operands: Vec<CompiledOperand>,
    sources: Vec<Value>,
    /// The values of each output, by row of the figure.
    columns: Vec<Column>,
    or_refuse: Option<OrRefuse>,
    texts: Vec<bool>,
}

impl Compiled for CompiledTable {
    fn run(&self, state: &mut State, slot: SlotId) -> Result<(), EvalError> {
        let figure = self.figure.as_ref().ok_or(EvalError::Internal)?;
        let keys = key_values(&self.by, state)?;

        let bound = self
            .bound
            .as_ref()
            .map_or(Ok(Default::default()), |bound| bound.number(state))?;

        let row = figure.find(&keys, bound).map_err(|error| match error {
            LookupError::Key(key) => EvalError::NoRow(key),
            // The bound counts after the keys, as in `by`.
            LookupError::Bound => EvalError::NoRow(keys.len()),
        })?;

        let cells = figure
            .rows
            .get(row)
            .map(|row| row.cells.as_slice())
            .ok_or(EvalError::Internal)?;

        for (column, cell) in cells.iter().enumerate() {
            state.set(slot.after(column), cell.clone().unwrap_or_default())?;
        }
        state.set(
            slot.after(self.texts.len()),
            self.sources.get(row).cloned().ok_or(EvalError::Internal)?,
        )?;

        // Rows are kept only where some add sources or remarks of their own to the answer.
        if self.cites {
            state.cited.push((self.figure_id, row));
        }
        Ok(())
    }

    fn skipped(&self) -> Vec<Value> {
        // An amount of a table that is skipped is 0, and so can be added up; a text is empty.
        let skipped = |is_text: &bool| match is_text {
            true => Value::Nothing,
            false => Value::ZERO,
        };
        self.texts.iter().map(skipped).collect()
    }

    fn run_columns(
        &self,
        block: &Block,
        _slot: SlotId,
        count: usize,
        active: &Active,
    ) -> Vec<Column> {
        let Some(figure) = &self.figure else {
            block.fail_all::<()>(active);
            return vec![Column::default(); count];
        };

        let keys: Vec<Column> = self
            .by
            .iter()
            .map(|code| code.column(block, active))
            .collect();

        let zero = Numbers::One(Decimal::ZERO);
        let bound = self
            .bound
            .as_ref()
            .map_or(zero, |bound| bound.numbers(block, active));

        let found = |row: usize| {
            let keys: Vec<Value> = keys.iter().map(|column| column.at(row)).collect();
            figure.find(&keys, bound.at(row).unwrap_or_default()).ok()
        };

        // Where the keys and the bound are the same in all rows, one lookup is enough.
        let is_one = keys.iter().all(|column| matches!(column, Column::One(_)))
            && matches!(bound, Numbers::One(_));

        let indices: Vec<usize> = (0..if is_one { 1 } else { block.rows() })
            .map(|row| {
                // Rows where the step does not apply take the first row of the figure: their values
                // are not read.
                let found = if active.at(row) || is_one {
                    found(row)
                } else {
                    Some(0)
                };
                found.unwrap_or_else(|| {
                    if is_one {
                        block.fail_all(active)
                    } else {
                        block.fail(row, active);
                        0
                    }
                })
            })
            .collect();

        // The rows found say which remarks an answer shows.
        if self.has_remarked_rows() {
            let found = |row: usize| indices.get(if is_one { 0 } else { row }).copied();
            block.keep_remarked(self.figure_id, &self.remarked, active, found);
        }

        let value = |column: &Column| match indices.split_first() {
            Some((first, rest)) if rest.iter().all(|index| index == first) => {
                Column::One(column.at(*first))
            }
            _ => column.select_rows(&indices),
        };

        self.columns.iter().map(value).collect()
    }

    fn has_remarked_rows(&self) -> bool {
        !self.remarked.is_empty()
    }

    fn operands(&self, state: &State, _slot: SlotId) -> Result<Vec<Operand<'_>>, EvalError> {
        self.operands
            .iter()
            .map(|operand| operand.read(state))
            .collect()
    }

    fn missing_row(&self, state: &State, key: usize) -> Option<(InputId, String)> {
        let keys = key_values(&self.by, state).ok()?;
        self.or_refuse
            .as_ref()?
            .refusal(self.figure.as_ref()?, &keys, key)
    }
}
