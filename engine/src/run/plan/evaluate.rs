//! The evaluation of a plan: rows grouped by folder, scale and options, then computed block by
//! block.

use crate::law::column::{Active, Block, Booleans, Column, Sent};
use crate::law::option::OptionSet;
use crate::law::{FigureId, Input, InputId, Method, Presence, Value, Warning, YearBlock};
use crate::run::program::{CompiledVerdict, Program};
use crate::run::query::no_effect;
use crate::text::words::distinct;

use super::answers::{Answers, LeftOut};
use super::cells::{Cells, Rows};
use super::groups::{Group, groups};
use super::read::{ReadColumn, read};
use super::slice::Slice;
use super::{FieldKind, Plan};

/// Rows of a block, few enough for its columns to stay in the first-level cache.
const BLOCK: usize = 1024;

/// Computes the answers to rows.
pub(super) fn evaluate(plan: &Plan, rows: &Rows) -> Answers {
    let mut evaluation = Evaluation::of_rows(plan, rows);

    // A list has no column, nor have the remarks of another folder: with one of these, every row is
    // computed alone.
    let has_list = plan
        .fields
        .iter()
        .any(|field| field.kind == FieldKind::List);
    if has_list || (plan.with_remarks && plan.calls()) {
        evaluation.alone.extend(0..rows.count());
    } else {
        // Rows of one group have the same program, figures, year and month.
        let groups = groups(plan, rows, &mut evaluation.alone);
        for group in &groups {
            group
                .rows
                .chunks(BLOCK)
                .for_each(|block| evaluation.block(group, block));
        }
    }

    // Rows that a block cannot compute come last, in their own order, so that refusals are listed
    // in the order of the rows.
    let mut alone = std::mem::take(&mut evaluation.alone);
    alone.sort_unstable();
    evaluation.answers.alone = alone.len();
    alone
        .into_iter()
        .for_each(|row| evaluation.compute_alone(row));

    evaluation.answers
}

/// The answers so far, and the rows that are left to compute.
pub(super) struct Evaluation<'e, 'r> {
    pub plan: &'e Plan,
    pub rows: &'e Rows<'r>,
    pub answers: Answers,
    /// Rows to compute one by one.
    alone: Vec<usize>,
}

/// The inputs of some rows, and which of these are to be computed one by one.
struct Inputs {
    columns: Vec<(Column, Sent)>,
    is_alone: Vec<bool>,
}

impl<'e, 'r> Evaluation<'e, 'r> {
    /// An evaluation of rows, of which none is computed yet.
    pub(super) fn of_rows(plan: &'e Plan, rows: &'e Rows<'r>) -> Self {
        Self {
            plan,
            rows,
            answers: Answers::new(&plan.fields, rows.count()),
            alone: Vec::new(),
        }
    }
}

impl<'e> Evaluation<'e, '_> {
    fn block(&mut self, group: &Group, rows: &[usize]) {
        // Inputs are read once for the block; options then decide which rows run together.
        let inputs = self.inputs(group, rows);
        let combinations = combinations(group.edition.method(), &inputs, rows.len());
        // Mostly all rows have the same options: their columns are used as they are.
        if let [(on, _)] = combinations.as_slice() {
            return self.run(group, *on, rows, inputs.columns, &inputs.is_alone);
        }

        for (on, positions) in combinations {
            let own: Vec<usize> = positions
                .iter()
                .filter_map(|position| rows.get(*position).copied())
                .collect();

            // What is the same for all rows stays one value.
            let gathered = |sent: &Sent| match sent {
                Booleans::One(sent) => Booleans::One(*sent),
                sent => Booleans::each(
                    positions
                        .iter()
                        .map(|position| sent.at(*position))
                        .collect(),
                ),
            };

            let columns = inputs
                .columns
                .iter()
                .map(|(column, sent)| (column.select_rows(&positions), gathered(sent)));

            let is_alone: Vec<bool> = positions
                .iter()
                .map(|position| inputs.is_alone.get(*position).copied().unwrap_or_default())
                .collect();

            self.run(group, on, &own, columns.collect(), &is_alone);
        }
    }

    /// Reads the inputs of an edition from rows.
    fn inputs(&self, group: &Group, rows: &[usize]) -> Inputs {
        let mut is_alone = vec![false; rows.len()];

        // A row to be computed alone stays in its block, which computes it in vain: taking it out
        // would move all others.
        let mut mark = |position: usize| {
            if let Some(place) = is_alone.get_mut(position) {
                *place = true;
            }
        };

        let mut columns = Vec::with_capacity(group.edition.method().inputs().len());
        for input in group.edition.method().inputs() {
            // An input that the scale does not read is refused where it is sent, as another
            // parameter: its column is not read here.
            let cells = if input.is_absent {
                None
            } else {
                self.rows.column(&input.name)
            };
            let (column, sent) = match cells {
                // Rows that send items are computed one by one.
                cells if input.group.is_some() => {
                    let sent = cells.map(|cells| read(input, cells, rows).sent);
                    let sent = sent.unwrap_or(Booleans::One(false));
                    (0..rows.len())
                        .filter(|position| sent.at(*position))
                        .for_each(&mut mark);
                    (no_items(), Booleans::One(false))
                }
                Some(cells) => {
                    let ReadColumn {
                        column,
                        sent,
                        refused,
                    } = read(input, cells, rows);
                    refused.into_iter().for_each(&mut mark);
                    (column, sent)
                }
                None => (Column::default(), Booleans::One(false)),
            };

            // A required input that is missing may be replaced by the target of a search.
            if matches!(input.presence, Presence::Required) && !matches!(sent, Booleans::One(true))
            {
                (0..rows.len())
                    .filter(|position| !sent.at(*position))
                    .for_each(&mut mark);
            }

            columns.push((column, sent));
        }

        // Rows with a rank need the pays before it: they are computed one by one.
        let rank = group.edition.method().year().and_then(YearBlock::rank);
        if let Some((_, sent)) = rank.and_then(|rank| rank.of(&columns)) {
            (0..rows.len())
                .filter(|position| sent.at(*position))
                .for_each(&mut mark);
        }

        // A row that asks for an option that the scale leaves out is refused.
        let left_out = group.edition.method().left_out.iter();
        for (column, _) in left_out.filter_map(|option| option.input.of(&columns)) {
            (0..rows.len())
                .filter(|position| column.at(*position) == Value::Boolean(true))
                .for_each(&mut mark);
        }

        Inputs { columns, is_alone }
    }

    /// Computes rows of one edition with the same options.
    fn run(
        &mut self,
        group: &Group,
        on: OptionSet,
        rows: &[usize],
        inputs: Vec<(Column, Sent)>,
        is_alone: &[bool],
    ) {
        let program = group.program;
        // Only what the fields of the plan depend on is computed.
        let slice = group.slices.slice(program, on);
        // A single calculation refuses the fields that these rows do not have.
        let is_whole =
            |slice: &&Slice| !self.plan.is_asked || slice.fields.iter().all(Option::is_some);
        let Some(slice) = slice.filter(is_whole) else {
            return self.alone.extend(rows);
        };

        // The order is that of `Program::run`: defaults, early checks, steps, late checks.
        let mut block = Block::new(rows.len(), inputs, slice.slots, group.when);
        fill_defaults(program, on, &mut block);

        let mut warned = Vec::new();
        check(program, &slice.early, &block, &mut warned);

        for step in slice
            .steps
            .iter()
            .filter_map(|index| program.steps.get(*index))
        {
            step.run_columns(&mut block);
        }

        check(program, &slice.late, &block, &mut warned);
        let columns = field_columns(program, slice, &block);

        let failed = |(position, is_alone): (usize, &bool)| *is_alone || block.failed(position);
        let left_out = LeftOut::new(is_alone.iter().enumerate().map(failed).collect());

        let mut unfit: Vec<usize> = Vec::new();
        for (field, column) in columns.iter().enumerate() {
            unfit.extend(self.answers.set_column(field, column, rows, &left_out));
        }

        self.answers.set_scale(rows, &group.scale);
        let called = block.call_warnings();
        let of_calls = called.iter().map(|(rows, warning)| (rows.clone(), warning));
        let all: Vec<(Booleans, &Warning)> = warned.into_iter().chain(of_calls).collect();
        self.warn(group, rows, &all, &left_out);
        if self.plan.with_remarks {
            self.remark(program, on, rows, &block);
        }

        // What a single calculation reports better: failed rows, and values that no cell of the
        // kind holds.
        if left_out.is_empty() && unfit.is_empty() {
            return;
        }
        let left = rows
            .iter()
            .enumerate()
            .filter(|(position, _)| left_out.has(*position) || unfit.contains(position));
        self.alone.extend(left.map(|(_, row)| *row));
    }

    /// Adds warnings to rows, in the order of a single calculation.
    fn warn(
        &mut self,
        group: &Group,
        rows: &[usize],
        warned: &[(Booleans, &Warning)],
        left_out: &LeftOut,
    ) {
        let cells = |name: &&str| Some((self.rows.column(name)?, no_effect(name)));
        let ignored: Vec<(&Cells, Warning)> = group.ignored.iter().filter_map(cells).collect();
        if warned.is_empty() && ignored.is_empty() && group.warnings.is_empty() {
            return;
        }

        for (position, row) in rows
            .iter()
            .enumerate()
            .filter(|(position, _)| !left_out.has(*position))
        {
            // Checks, parameters without effect, the scale: the order of `Folder::calculate`.
            let of_checks = warned
                .iter()
                .filter(|(rows, _)| rows.at(position))
                .map(|(_, warning)| *warning);
            let of_ignored = ignored
                .iter()
                .filter(|(cells, _)| cells.is_present(*row))
                .map(|(_, warning)| warning);
            // Several calculations of another folder may give the same warning.
            let warnings = distinct(
                of_checks.chain(of_ignored).chain(&group.warnings),
                |warning| warning.key(),
            );
            let warnings: Vec<Warning> = warnings.into_iter().cloned().collect();

            self.answers.warn(*row, &warnings);
        }
    }

    /// Adds to rows the remarks on the figures that they use. Most rows found none of its own, and
    /// share one list.
    fn remark(&mut self, program: &Program, on: OptionSet, rows: &[usize], block: &Block) {
        if !block.has_remarked() {
            let list = self.answers.remark_list(program.remarks(on, &[]));
            return rows.iter().for_each(|row| self.answers.remark(*row, list));
        }

        // Lists are compared within the block only: a search over all rows would be quadratic.
        let mut known: Vec<(Vec<(FigureId, usize)>, u32)> = Vec::new();
        for (position, row) in rows.iter().enumerate() {
            let found = block.remarked(position);
            let list = match known.iter().find(|(rows, _)| *rows == found) {
                Some((_, list)) => *list,
                None => {
                    let list = self.answers.remark_list(program.remarks(on, &found));
                    known.push((found, list));
                    list
                }
            };

            self.answers.remark(*row, list);
        }
    }
}

/// Each combination of options, with the positions of its rows.
fn combinations(method: &Method, inputs: &Inputs, rows: usize) -> Vec<(OptionSet, Vec<usize>)> {
    let options: Vec<&Column> = method
        .options()
        .iter()
        .filter_map(|option| option.input.of(&inputs.columns))
        .map(|(column, _)| column)
        .collect();

    // An option is on where its input is true, as in a single calculation.
    let of_row = |row: usize| {
        let mut on = OptionSet::default();
        for (index, column) in options.iter().enumerate() {
            if column.at(row) == Value::Boolean(true) {
                on.switch_on(index);
            }
        }
        on
    };

    // One value for all rows: the block has a single combination, and its positions are not listed.
    if options
        .iter()
        .all(|column| matches!(column, Column::One(_)))
    {
        return vec![(of_row(0), Vec::new())];
    }

    let mut found: Vec<(OptionSet, Vec<usize>)> = Vec::new();
    for row in 0..rows {
        let on = of_row(row);
        match found.iter_mut().find(|(known, _)| *known == on) {
            Some((_, positions)) => positions.push(row),
            None => found.push((on, vec![row])),
        }
    }
    found
}

/// The column of an input of a group, where no row has an item.
pub(super) fn no_items() -> Column {
    Column::One(Value::List([].into()))
}

/// Fills in the defaults of inputs in the rows that do not send them.
pub(super) fn fill_defaults(program: &Program, on: OptionSet, block: &mut Block) {
    for (input, default) in InputId::enumerate(&program.defaults) {
        let Some(default) = default.as_ref().filter(|default| on.runs(default.option)) else {
            continue;
        };
        // The rows of a block have no items, whose values a default would be.
        let is_of_items = |input: &Input| input.group.is_some();
        if input.of(program.method().inputs()).is_some_and(is_of_items) {
            continue;
        }

        let sent = block.sent(input).cloned().unwrap_or(Booleans::One(false));
        let missing = Active::ALL.where_false(&sent);
        if missing.is_empty() {
            continue;
        }

        // Computed for the rows without a value only: a default may fail on what the others send.
        let column = default.code.column(block, &missing);
        let column = match (&sent, block.get(input.slot())) {
            (Booleans::Each(sent), Some(own)) => {
                Column::select(sent, &own.clone().unmasked(), &column)
            }
            _ => column,
        };

        block.set(input.slot(), column);
    }
}

/// Runs checks: marks the rows that one refuses as failed, and collects the warnings with their
/// rows.
pub(super) fn check<'p>(
    program: &'p Program,
    checks: &[usize],
    block: &Block,
    warned: &mut Vec<(Booleans, &'p Warning)>,
) {
    for compiled in checks.iter().filter_map(|index| program.checks.get(*index)) {
        let holds = compiled.condition.booleans(block, &Active::ALL);
        let active = Active::ALL.where_true(&holds);
        if active.is_empty() {
            continue;
        }

        // A check that refuses fails its rows, which are then computed alone for the reason.
        match &compiled.verdict {
            CompiledVerdict::Warn(warning) => warned.push((holds, warning)),
            CompiledVerdict::Refuse { .. } => block.fail_all::<()>(&active),
        }
    }
}

/// The values of the fields of a plan.
fn field_columns(program: &Program, slice: &Slice, block: &Block) -> Vec<Column> {
    let column = |field: &Option<usize>| {
        let field = field.and_then(|index| program.fields.get(index))?;
        Some(
            field
                .column(block, program.evaluator())
                .unwrap_or_else(|| block.fail_all(&Active::ALL)),
        )
    };

    slice
        .fields
        .iter()
        .map(|field| column(field).unwrap_or_default())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::run::plan::{Cells, Plan, Rows};
    use crate::testing::{GROSS, TODAY, folder};

    #[test]
    fn each_row_of_a_block_has_the_brackets_that_its_key_leads_to() {
        let keys = format!(
            "{GROSS}figures:\n  bareme: {{cadre: key, bound: money/month, rate: rate}}
steps:\n  impot: {{brackets: brut, with: bareme, by: cadre}}\nanswer:\n  impot: impot\n  taux: impot.rate\n"
        );
        let figures = "  bareme: {per: month, source: s, rows: [{cadre: true, rate: 20%}, {cadre: false, rate: 10%}]}\n";
        let folder = Arc::new(folder(&keys, figures));
        let plan =
            Plan::of_folders(vec![("zz".to_owned(), folder)], None, &[], TODAY, None).unwrap();
        let bases = Cells::Texts(vec![Some("1000"), Some("2000"), Some("3000"), Some("4000")]);
        let keys = Cells::Texts(vec![
            Some("true"),
            Some("false"),
            Some("true"),
            Some("false"),
        ]);
        let answers = plan
            .evaluate(&Rows::new(4, [("brut", bases), ("cadre", keys)]))
            .unwrap();
        let columns = answers
            .fields
            .iter()
            .map(|values| [0, 1, 2, 3].map(|row| values.at(row).to_string()));
        assert_eq!(
            columns.collect::<Vec<_>>(),
            [["200", "200", "600", "400"], ["0.2", "0.1", "0.2", "0.1"]]
        );
    }
}
