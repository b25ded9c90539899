//! Workers: rows in, answers and refusals out.

use std::collections::BTreeMap;

use bareme_arrow::arrow::array::{Array as _, AsArray as _, RecordBatch};
use bareme_arrow::{Bound, Plan};
use bareme_engine::law::OwnedRemark;
use bareme_engine::run::FieldSelection;
use bareme_engine::run::plan::{self, Answers, NONE, PlanError, Rows};
use bareme_engine::text::{BadParameter, ParameterCode};
use bareme_engine::{Calculation, CalculationError, Lang, Refusal};
use bareme_show::Text;

use super::cells::{Cells, of_row};
use super::format::{Columns, Refusals, SingleAnswer};
use super::layout::{Layout, Query, Reading};
use super::row_source::{RowSource, TableRows, TextRows};
use super::tables;
use super::texts::FileChunk;
use crate::output::{Written, unfit};
use crate::session::{Failure, Session};
use crate::target::{Target, reason};

/// Settings of the computation, the same for every worker.
pub(super) struct Work<'b> {
    pub target: Target<'b>,
    pub plan: Plan,
    pub session: &'b Session,
    /// The columns that name the year of a row, where the rows are months of years of pays.
    pub years: Option<&'b [String]>,
    /// The fields that were asked for by name.
    pub asked: Option<Vec<&'b str>>,
    /// Layouts of the text files.
    pub layouts: Vec<Layout>,
    pub reading: Reading<'b>,
    /// The columns of tables, bound to the plan.
    pub bound: Option<Bound>,
    pub form: Form<'b>,
    /// Writer of refused rows, where they go to a file of their own.
    pub refusals: Option<Refusals<'b>>,
}

/// The format of the answers.
pub(super) enum Form<'b> {
    /// Lines of text; `is_single`: whether some field can only be formatted from a single
    /// calculation.
    Text {
        columns: Columns<'b>,
        is_single: bool,
    },
    Table,
}

/// Rows passed between threads as a unit.
pub(super) enum Chunk {
    Text(FileChunk),
    Table(tables::Batch),
}

/// A computed chunk.
pub(super) struct Computed {
    pub rows: usize,
    pub answers: Written,
    /// The refused rows, for their own file.
    pub refused: Vec<u8>,
    /// Reasons of refusals, with file and line.
    pub reasons: Vec<(usize, u64, String)>,
    pub warnings: Counts,
    /// Number of empty cells by parameter.
    pub empty: Counts,
}

impl Computed {
    /// A chunk of some rows, before their answers and refusals are added.
    pub(super) fn new(rows: usize, warnings: Counts) -> Self {
        let answers = Written::Text(Vec::new());
        Self {
            rows,
            answers,
            refused: Vec::new(),
            reasons: Vec::new(),
            warnings,
            empty: Counts::new(),
        }
    }

    /// Adds a refused row; `refusals` writes it, where it goes to a file of its own.
    pub(super) fn refuse(
        &mut self,
        refusals: Option<&Refusals>,
        from: &impl RowSource,
        row: usize,
        reason: &str,
    ) {
        if let Some(refusals) = refusals {
            refusals.row(from, row, reason, &mut self.refused);
        }
        self.reasons
            .push((from.file(row), from.line(row), reason.to_owned()));
    }
}

/// Number of rows by warning, or by something else that is counted.
pub(super) type Counts = BTreeMap<String, usize>;

/// The reasons of refused rows, by row.
type Reasons = BTreeMap<usize, String>;

impl Work<'_> {
    /// Computes a chunk.
    ///
    /// # Errors
    /// A table that cannot be computed as a whole.
    pub(super) fn compute(&self, chunk: &Chunk) -> Result<Computed, Failure> {
        match chunk {
            Chunk::Text(chunk) => self.text(chunk),
            Chunk::Table(batch) => self.table(batch),
        }
    }

    fn text(&self, chunk: &FileChunk) -> Result<Computed, Failure> {
        let Some(layout) = self.layouts.get(chunk.file) else {
            return Err(unfit(self.session));
        };

        let known = self.plan.kernel().columns();

        let is_single = matches!(
            self.form,
            Form::Text {
                is_single: true,
                ..
            }
        );

        // 1. The cells, by column for a plan; by row where a field needs single calculations.
        let cells = Cells::read(
            &chunk.rows,
            layout,
            self.reading,
            (!is_single).then_some(&known),
        );
        let from = TextRows {
            file: chunk.file,
            rows: &chunk.rows,
            layout,
            cells: &cells,
        };

        let count = chunk.rows.len();

        // 2a. Row by row, for fields that a plan does not compute.
        if let Form::Text {
            columns,
            is_single: true,
        } = &self.form
        {
            let calculate =
                |row: usize| match (of_row(&cells.unread, row), of_row(&cells.alone, row)) {
                    (Some(unread), _) => Err(unread.message.clone()),
                    (None, Some(query)) => self.calculate(query),
                    (None, None) => self.calculate(&Query::new()),
                };
            return Ok(self.alone(count, columns, &from, calculate));
        }

        // 2b. All rows at once, by the plan. A required column that the file does not have is
        // refused row by row, like a cell that is empty.
        let mut sent = cells.columns();
        add_missing(self.plan.kernel(), &mut sent, count);
        let mut answers = self.evaluated(self.plan.kernel().evaluate(&Rows::new(count, sent)))?;

        // 3. The refusals, with the reasons in the language of the command.
        let mut reasons = self.refuse(&cells, &mut answers);
        for (index, error) in &answers.refused {
            // The members of a JSON object have an order of their own, in which its mistakes are
            // reported: the row is calculated alone to find it.
            let own = if layout.is_json() {
                chunk.rows.row(*index)
            } else {
                None
            };

            let own = || own.and_then(|row| self.calculate(&layout.query(row, self.reading)).err());
            reasons
                .entry(*index)
                .or_insert_with(|| own().unwrap_or_else(|| reason(error, self.session.lang)));
        }

        // 4. The answers, in the format of the output.
        match &self.form {
            Form::Text { columns, .. } => Ok(self.lines(columns, &answers, &reasons, &from)),
            Form::Table => {
                let warnings = counted(&answers, &reasons, self.session.lang);

                let table = self
                    .plan
                    .table(answers)
                    .map_err(|error| tables::refused(error, self.session))?;
                let table = tables::without_dictionaries(table, 0)?;

                let table = tables::with_kept(self.reading.keep, &cells, table)?;
                Ok(self.rows_of_a_table(table, warnings, &reasons, &from))
            }
        }
    }

    fn table(&self, batch: &tables::Batch) -> Result<Computed, Failure> {
        let failed = |error| tables::refused(error, self.session);
        let Some(bound) = &self.bound else {
            return Err(unfit(self.session));
        };

        let dialect = if let Form::Text { columns, .. } = &self.form {
            columns.dialect
        } else {
            None
        };

        let from = TableRows::new(batch, bound.copied_columns(), dialect)?;
        let count = batch.rows.num_rows();

        let mut computed = if let Form::Text {
            columns,
            is_single: true,
        } = &self.form
        {
            // A list or a field of mixed types comes from the answer of a single row.
            let alone = |rows: &Rows| {
                self.alone(count, columns, &from, |row| {
                    self.calculate(&owned(rows, row))
                })
            };
            bound.with_rows(&batch.rows, alone).map_err(failed)?
        } else {
            // All rows at once, by the plan.
            let answers = bound
                .with_rows(&batch.rows, |rows| bound.kernel().evaluate(rows))
                .map_err(failed)?;
            let answers = self.evaluated(answers)?;

            let refused =
                |(row, error): &(usize, CalculationError)| (*row, reason(error, self.session.lang));
            let reasons: Reasons = answers.refused.iter().map(refused).collect();

            match &self.form {
                Form::Text { columns, .. } => self.lines(columns, &answers, &reasons, &from),
                Form::Table => {
                    let warnings = counted(&answers, &reasons, self.session.lang);
                    let table = bound.table(&batch.rows, answers).map_err(failed)?;
                    self.rows_of_a_table(
                        tables::without_dictionaries(table, bound.copied_columns().len())?,
                        warnings,
                        &reasons,
                        &from,
                    )
                }
            }
        };

        // Empty cells are counted by parameter, since a join that found nothing leaves a whole
        // column empty.
        let empty = bound.empty_cells(&batch.rows).into_iter();
        computed.empty = empty
            .map(|(name, count)| (name.to_owned(), count))
            .collect();

        Ok(computed)
    }

    fn evaluated(&self, answers: Result<Answers, PlanError>) -> Result<Answers, Failure> {
        answers.map_err(|error| tables::refused(error.into(), self.session))
    }

    fn calculate(&self, query: &Query) -> Result<Calculation<'_>, String> {
        self.answer(query)
            .map_err(|error| reason(&error, self.session.lang))
    }

    fn answer(&self, query: &Query) -> Result<Calculation<'_>, CalculationError> {
        let selection = self.asked.as_deref().map(FieldSelection::Asked);
        self.target.calculate(query, selection, self.session.today)
    }

    /// Refuses rows that cannot be parsed, and those refused for a parameter that is not a column
    /// of the plan.
    fn refuse(&self, cells: &Cells, answers: &mut Answers) -> Reasons {
        let lang = self.session.lang;
        let mut reasons = Reasons::new();

        // Rows that cannot be parsed have empty cells in the columns: whatever the plan computed of
        // them is replaced.
        let mut errors: Vec<(usize, CalculationError)> = Vec::new();
        for (row, unread) in &cells.unread {
            reasons.insert(*row, unread.message.clone());
            let bad = BadParameter::new(
                &unread.column,
                ParameterCode::Format,
                Text::same(unread.reason.clone()),
                None,
                Text::same(String::new()),
            );

            errors.push((
                *row,
                CalculationError::Refused(Refusal {
                    parameters: vec![bad],
                }),
            ));
        }

        for (row, query) in &cells.alone {
            // A parameter that is not a column of the plan, such as `detail`, changes no field of
            // an accepted row.
            if let Err(error) = self.answer(query) {
                reasons.insert(*row, reason(&error, lang));
                errors.push((*row, error));
            }
        }

        if !errors.is_empty() {
            // A row has one refusal: those found here come before those of the plan.
            answers
                .refused
                .retain(|(row, _)| !reasons.contains_key(row));
            answers.refused.extend(errors);
            answers.refused.sort_by_key(|(row, _)| *row);
        }

        reasons
    }

    /// The lines of rows computed by a plan.
    fn lines(
        &self,
        columns: &Columns,
        answers: &Answers,
        reasons: &Reasons,
        from: &impl RowSource,
    ) -> Computed {
        let mut out = Vec::new();
        let warnings = counted(answers, reasons, self.session.lang);

        let mut computed = Computed::new(answers.count, warnings);
        for row in 0..answers.count {
            match reasons.get(&row) {
                Some(reason) => computed.refuse(self.refusals.as_ref(), from, row, reason),
                None => columns.answer((from, row), answers, &mut out),
            }
        }

        Computed {
            answers: Written::Text(columns.encoded(out)),
            ..computed
        }
    }

    /// The lines of rows computed one by one.
    fn alone<'f>(
        &self,
        count: usize,
        columns: &Columns,
        from: &impl RowSource,
        calculate: impl Fn(usize) -> Result<Calculation<'f>, String>,
    ) -> Computed {
        let (mut out, mut computed) = (Vec::new(), Computed::new(count, Counts::new()));

        for row in 0..count {
            match calculate(row) {
                Err(reason) => computed.refuse(self.refusals.as_ref(), from, row, &reason),
                Ok(calculation) => {
                    let warnings = calculation.warnings();
                    for warning in warnings {
                        // Warnings are counted, and reported once with their number of rows.
                        let sentence = warning.text.in_lang(self.session.lang).to_owned();
                        *computed.warnings.entry(sentence).or_default() += 1;
                    }

                    let (answer, remarks) = (calculation.datum(), owned_remarks(&calculation));
                    let single = SingleAnswer {
                        answer,
                        version: None,
                        warnings,
                        remarks,
                    };
                    columns.alone((from, row), &single, &mut out);
                }
            }
        }

        Computed {
            answers: Written::Text(columns.encoded(out)),
            ..computed
        }
    }

    /// The rows of a table of answers, with the reason of each refused row.
    fn rows_of_a_table(
        &self,
        table: RecordBatch,
        warnings: Counts,
        reasons: &Reasons,
        from: &impl RowSource,
    ) -> Computed {
        let mut computed = Computed::new(table.num_rows(), warnings);

        let texts = |name: &str| {
            table
                .column_by_name(name)
                .and_then(|column| column.as_string_opt::<i32>())
        };

        if let (Some(codes), Some(messages)) = (texts("erreur"), texts("message")) {
            for row in (0..codes.len()).filter(|row| codes.is_valid(*row)) {
                // Only the table refuses a value that is too wide for its column.
                let reason = reasons
                    .get(&row)
                    .map_or_else(|| messages.value(row), String::as_str);
                computed.refuse(self.refusals.as_ref(), from, row, reason);
            }
        }

        Computed {
            answers: Written::Table(Box::new(table)),
            ..computed
        }
    }
}

/// Adds the columns that a plan requires as empty ones, so that each row is refused by itself.
fn add_missing<'p>(
    plan: &'p plan::Plan,
    columns: &mut Vec<(&'p str, plan::Cells<'p>)>,
    count: usize,
) {
    // A plan reports one missing column at a time.
    loop {
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let Err(PlanError::MissingColumn { name }) = plan.check_columns(&names) else {
            return;
        };

        // The name must live as long as the plan: it is taken from its own list.
        let Some(own) = plan.columns().into_iter().find(|known| *known == name) else {
            return;
        };
        columns.push((own, plan::Cells::Texts(vec![None; count])));
    }
}

/// The remarks on the figures that a calculation uses.
pub(super) fn owned_remarks(calculation: &Calculation) -> Vec<OwnedRemark> {
    calculation.remarks().map(OwnedRemark::from).collect()
}

/// The parameters of a row of a table.
fn owned(rows: &Rows, row: usize) -> Query {
    rows.query(row)
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.into_owned()))
        .collect()
}

/// Number of rows by warning, without refused rows.
fn counted(answers: &Answers, refused: &Reasons, lang: Lang) -> Counts {
    // Rows with the same warnings share a list: rows are counted by list first, which needs no
    // text.
    let mut counts = Counts::new();

    let mut rows = vec![0_usize; answers.warnings.len()];
    for (row, index) in answers.warning_indices().iter().enumerate() {
        if *index != NONE
            && !refused.contains_key(&row)
            && let Some(rows) = usize::try_from(*index)
                .ok()
                .and_then(|index| rows.get_mut(index))
        {
            *rows += 1;
        }
    }

    for (warnings, rows) in answers
        .warnings
        .iter()
        .zip(rows)
        .filter(|(_, rows)| *rows > 0)
    {
        for warning in warnings.iter() {
            *counts
                .entry(warning.text.in_lang(lang).to_owned())
                .or_default() += rows;
        }
    }

    counts
}
