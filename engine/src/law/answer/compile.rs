//! A field compiled with the figures of a dated file, and its value once the steps have run.

use std::borrow::Cow;

use rust_decimal::Decimal;

use crate::law::formula::{Code, Context, EvalError, State};
use crate::law::members::RESERVE;
use crate::law::step::{BaseAndRate, CompiledStep, Compiler};
use crate::law::{
    Expr, FigureId, Input, Method, Payment, Remark, Rounding, Scalar, Slice, Step, StepId, Type,
    Value,
};
use crate::text::json::Datum;
use crate::text::number::{NUMBER_DECIMALS, number_text, round, round_decimals};

use super::{Field, FieldContent, FieldValue, Form, Line, ListedRow, ListedStep, RowOfSteps};

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
    keys: Vec<Vec<Value>>,
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
        for (key, values) in shape.keys.iter().zip(&row.keys).skip(given) {
            let input = key.input.and_then(|input| input.of(compiler.inputs));
            members.push((key.name.clone(), Cell::Fixed(key_cell(values, input))));
        }
        if shape.bound.is_some() {
            let bound = row
                .bound
                .map_or(Scalar::Null, |bound| Scalar::Number(bound.value));
            members.push((found.bound_name().to_owned(), Cell::Fixed(bound)));
        }
        for (column, cell) in shape.columns.iter().zip(&row.cells) {
            if let Some(value) = cell {
                members.push((column.name.clone(), Cell::Fixed(shown(value, column.ty))));
            }
        }
        let context = Context {
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
    match values {
        [Value::Number(number)] => Scalar::Number(*number),
        [] => Scalar::Null,
        values => Scalar::Text(Cow::Owned(
            values.iter().map(text).collect::<Vec<_>>().join("; "),
        )),
    }
}

fn percent(rate: Decimal) -> Decimal {
    rate.checked_mul(Decimal::ONE_HUNDRED).unwrap_or(rate)
}

/// Steps and method by which the fields of an answer are evaluated.
#[derive(Clone, Copy)]
pub(crate) struct Evaluator<'f> {
    pub steps: &'f [CompiledStep],
    pub method: &'f Method,
    /// Whether amounts keep all their decimals, as those that a year adds up.
    pub is_exact: bool,
}

impl CompiledField {
    /// The value of the field; `None` where it is left out of the answer.
    pub(crate) fn value<'f>(
        &'f self,
        state: &State,
        evaluator: Evaluator<'f>,
    ) -> Result<Option<FieldValue<'f>>, EvalError> {
        if let Some(when) = &self.when
            && !when.boolean(state)?
        {
            return Ok(None);
        }
        Ok(Some(match &self.content {
            CompiledContent::Value(code, shown) => {
                return Ok(evaluator.value(code, shown, state)?.map(FieldValue::Scalar));
            }
            CompiledContent::Text(text) => FieldValue::Scalar(Scalar::Text(Cow::Borrowed(text))),
            CompiledContent::Lines { steps, form } => {
                let is_shown = |line: &ListedStep| {
                    Ok(!line.if_applied || evaluator.applies(line.step, state)?)
                };
                FieldValue::Lines(each(steps, is_shown, |line| {
                    evaluator.line(line.step, *form, state)
                })?)
            }
            CompiledContent::Payslip { rows, form } => {
                let is_shown = |(_, when): &(_, Option<Code>)| {
                    when.as_ref().map_or(Ok(true), |when| when.boolean(state))
                };
                FieldValue::Payslip(each(rows, is_shown, |(row, _)| {
                    row.shown(evaluator, *form, state)
                })?)
            }
            CompiledContent::Slices(steps) => FieldValue::Slices(evaluator.slices(steps, state)?),
            CompiledContent::Payments(step) => {
                FieldValue::Payments(evaluator.payments(*step, state)?)
            }
            CompiledContent::Rows { keys, rows } => {
                let keys = keys
                    .iter()
                    .map(|code| code.run(state))
                    .collect::<Result<Vec<_>, _>>()?;
                let rows = answering(rows, &keys)
                    .into_iter()
                    .map(|row| evaluator.row(row, state));
                FieldValue::Rows(rows.collect::<Result<_, _>>()?)
            }
        }))
    }
}

/// Maps the listed elements that are shown, stopping at the first error. Unlike `collect`, it
/// allocates the whole length at once.
fn each<'l, T, V>(
    list: &'l [T],
    is_shown: impl Fn(&'l T) -> Result<bool, EvalError>,
    value: impl Fn(&'l T) -> Result<V, EvalError>,
) -> Result<Vec<V>, EvalError> {
    let mut values = Vec::with_capacity(list.len());
    for element in list {
        if is_shown(element)? {
            values.push(value(element)?);
        }
    }
    Ok(values)
}

/// The rows that a lookup by these first keys would choose from: for each key in turn those that
/// list its value, else those without that key.
fn answering<'r>(rows: &'r [CompiledRow], keys: &[Value]) -> Vec<&'r CompiledRow> {
    let mut left: Vec<&CompiledRow> = rows.iter().collect();
    for (index, value) in keys.iter().enumerate() {
        let listed = |row: &CompiledRow| {
            row.keys
                .get(index)
                .is_some_and(|listed| listed.contains(value))
        };
        let is_listed = left.iter().any(|row| listed(row));
        left.retain(|row| {
            if is_listed {
                listed(row)
            } else {
                row.keys.get(index).is_some_and(Vec::is_empty)
            }
        });
    }
    left
}

impl<'f> Evaluator<'f> {
    fn step(&self, id: StepId) -> Result<(&'f CompiledStep, &'f Step), EvalError> {
        id.of(self.steps)
            .zip(id.of(self.method.steps()))
            .ok_or(EvalError::Internal)
    }

    fn amount(&self, value: Decimal) -> Decimal {
        if self.is_exact {
            value
        } else {
            round_decimals(value, self.method.decimals)
        }
    }

    /// A value converted by its type; `None` for an empty one, which is left out of the answer.
    fn value(
        &self,
        code: &'f Code,
        shown: &Shown,
        state: &State,
    ) -> Result<Option<Scalar<'f>>, EvalError> {
        // A text of the scale is shown without a copy.
        if let Some(Value::Text(text)) = code.constant() {
            return Ok(Some(Scalar::Text(Cow::Borrowed(text))));
        }
        Ok(Some(match code.run(state)? {
            Value::Nothing => return Ok(None),
            Value::Number(number) => self.number(number, shown)?,
            Value::Boolean(value) => Scalar::Boolean(value),
            Value::Text(text) => Scalar::Text(Cow::Owned(text.to_string())),
            Value::Word(index) => {
                let word = self
                    .choice(shown.ty)
                    .and_then(|input| input.word_at(index))
                    .ok_or(EvalError::Internal)?;
                Scalar::Text(Cow::Borrowed(word))
            }
        }))
    }

    /// The input that a choice type belongs to; `None` for any other type.
    pub(super) fn choice(&self, ty: Type) -> Option<&'f Input> {
        if let Type::Choice(input) = ty {
            input.of(self.method.inputs())
        } else {
            None
        }
    }

    /// Number of decimals shown for a type.
    pub(super) fn decimals(&self, ty: Type) -> u32 {
        if matches!(ty, Type::Money(_)) {
            self.method.decimals
        } else {
            NUMBER_DECIMALS
        }
    }

    pub(super) fn number(&self, number: Decimal, shown: &Shown) -> Result<Scalar<'f>, EvalError> {
        let mut number = if shown.is_in_percent() {
            percent(number)
        } else {
            number
        };
        if let Some(Rounding { unit, mode }) = &shown.round {
            number = round(number, *unit, *mode).ok_or(EvalError::Overflow)?;
        }
        let number = round_decimals(number, self.decimals(shown.ty));
        Ok(if shown.form == Form::Text {
            Scalar::Text(Cow::Owned(number_text(number)))
        } else {
            Scalar::Number(number)
        })
    }

    /// Whether the conditions of a step hold.
    pub(super) fn applies(&self, id: StepId, state: &State) -> Result<bool, EvalError> {
        self.step(id)?.0.modifiers.applies(state)
    }

    pub(super) fn line(
        &self,
        id: StepId,
        form: Form,
        state: &State,
    ) -> Result<Line<'f>, EvalError> {
        let (compiled, step) = self.step(id)?;
        let BaseAndRate { base, rate } = compiled.kind.line(state, compiled.slot)?;
        let rate = rate.map(|rate| {
            if form == Form::Percent {
                percent(rate)
            } else {
                rate
            }
        });
        Ok(Line {
            step,
            base: base.map(|base| self.amount(base)),
            rate: rate.map(|rate| round_decimals(rate, NUMBER_DECIMALS)),
            amount: self.amount(state.number(compiled.slot)?),
        })
    }

    fn slices(&self, steps: &[StepId], state: &State) -> Result<Vec<Slice<'f>>, EvalError> {
        let decimals = self.method.decimals;
        let mut list = Vec::new();
        for id in steps {
            let (compiled, step) = self.step(*id)?;
            let tax = (steps.len() > 1).then_some(step);
            let mut slices = compiled.kind.slices(state, compiled.slot)?;
            slices
                .iter_mut()
                .for_each(|slice| slice.show(decimals, tax));
            if list.is_empty() {
                list = slices
            } else {
                list.append(&mut slices)
            }
        }
        Ok(list)
    }

    fn payments(&self, id: StepId, state: &State) -> Result<Vec<Payment>, EvalError> {
        let (compiled, _) = self.step(id)?;
        let mut payments = compiled.kind.schedule(state, compiled.slot)?;
        for payment in &mut payments {
            let Payment {
                payment,
                interest,
                principal,
                insurance,
                balance,
                ..
            } = payment;
            for amount in [payment, interest, principal, insurance, balance] {
                *amount = self.amount(*amount);
            }
        }
        Ok(payments)
    }

    fn row(&self, row: &'f CompiledRow, state: &State) -> Result<ListedRow<'f>, EvalError> {
        let mut computed = Vec::new();
        for (_, cell) in &row.members {
            if let Cell::Computed(code, shown) = cell {
                computed.push(self.value(code, shown, state)?);
            }
        }
        Ok(ListedRow {
            compiled: row,
            computed,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, folder, refused, shown, shown_all};

    const INPUTS: &str = "  statut: {type: choice, values: a; b; c, default: a, label: Statut}
  parts: {type: number, default: 3, label: Parts}
  avance: {type: money, per: month, optional: true, label: Avance}
";

    /// The JSON of field `x` of a method without figures.
    fn value(field: &str, query: &str) -> String {
        let keys = format!("{GROSS}{INPUTS}steps:\n  fin: brut\nanswer:\n  x: {field}\n");
        shown(&folder(&keys, ""), query, "x")
    }

    #[test]
    fn amounts_have_the_decimals_of_the_method_and_numbers_ten() {
        assert_eq!(value("brut / 3", "brut=10"), "3.33");
        assert_eq!(value("brut / 3", "brut=-0.01"), "0");
        assert_eq!(value("brut * 0.5", "brut=0.01"), "0.01");
        assert_eq!(value("2 / parts", "brut=10"), "0.6666666667");
        let keys = format!("decimals: 0\n{GROSS}steps:\n  fin: brut\nanswer:\n  x: brut * 0.55\n");
        assert_eq!(shown(&folder(&keys, ""), "brut=10", "x"), "6");
    }

    #[test]
    fn a_value_is_shown_as_a_percentage_or_a_text_and_rounded() {
        assert_eq!(
            value("{value: 1 / parts, as: percent}", "brut=1"),
            "33.3333333333"
        );
        assert_eq!(
            value("{value: 1 / parts, as: percent, round: 0.01}", "brut=1"),
            "33.33"
        );
        assert_eq!(
            value("{value: 2 / parts, as: percent, round: 1 down}", "brut=1"),
            "66"
        );
        assert_eq!(
            value("{value: 2 / parts, as: text, round: 0.5 up}", "brut=1"),
            "\"1\""
        );
        assert_eq!(
            value("{value: brut, as: text}", "brut=1200.50"),
            "\"1200.5\""
        );
        assert_eq!(value("{value: brut, round: 100}", "brut=1250"), "1300");
        assert_eq!(value("{text: zz}", "brut=1"), "\"zz\"");
        assert_eq!(value("scale.currency", "brut=1"), "\"EUR\"");
        assert_eq!(value("scale.year", "brut=1"), "2026");
        assert_eq!(value("scale.date", "brut=1"), "absent");
    }

    #[test]
    fn words_and_booleans_are_shown_as_they_are_written() {
        assert_eq!(value("statut", "brut=1&statut=B"), "\"b\"");
        assert_eq!(value("cadre", "brut=1"), "false");
        assert_eq!(value("cadre or brut > 0", "brut=1"), "true");
    }

    #[test]
    fn a_field_is_there_when_it_applies() {
        assert_eq!(
            value("{value: avance, when: given(avance)}", "brut=1"),
            "absent"
        );
        assert_eq!(
            value("{value: avance, when: given(avance)}", "brut=1&avance=0"),
            "0"
        );
    }

    #[test]
    fn a_field_that_cannot_be_computed_refuses() {
        let keys =
            format!("{GROSS}{INPUTS}steps:\n  fin: brut\nanswer:\n  x: brut / (parts - 3)\n");
        assert_eq!(
            refused(&folder(&keys, ""), "brut=1"),
            ["brut non_calculable"]
        );
    }

    #[test]
    fn lines_show_base_and_rate_for_contributions_only() {
        let steps = "steps:\n  a: {contribution: brut, with: f, label: Ligne A}\n  b: {formula: brut / 4, round: 1}\n";
        let keys = format!(
            "{GROSS}figures:\n  f: {{rate: rate, ceiling: money/month}}\n{steps}answer:\n  x: {{lines: a; b}}\n"
        );
        let folder = folder(
            &keys,
            "  f: {rate: 1/3, ceiling: 50, per: month, source: s}",
        );
        let first =
            r#"{"code":"a","libelle":"Ligne A","assiette":50,"taux":0.3333333333,"montant":16.67}"#;
        let second = r#"{"code":"b","libelle":"b","assiette":null,"taux":null,"montant":25}"#;
        assert_eq!(
            shown(&folder, "brut=100", "x"),
            format!("[{first},{second}]")
        );
    }

    #[test]
    fn brackets_of_several_taxes_say_which() {
        let steps =
            "steps:\n  a: {brackets: brut, with: f}\n  b: {brackets: brut, with: g, when: cadre}\n";
        let shapes = "figures:\n  f: {bound: money/month, rate: rate}\n  g: {bound: money/month, rate: rate, plus: money/month}\n";
        let keys = format!("{GROSS}{shapes}{steps}answer:\n  x: {{brackets: a; b}}\n");
        let figures = "  f: {per: month, source: s, rows: [{rate: 10%}]}\n  g: {per: month, source: s, rows: [{rate: 20%, plus: 3}]}";
        let folder = folder(&keys, figures);
        let first = r#"{"impot":"a","de":0,"a":null,"taux":0.1,"assiette":5,"montant":0.5}"#;
        let second =
            r#"{"impot":"b","de":0,"a":null,"taux":0.2,"constante":3,"assiette":5,"montant":4}"#;
        assert_eq!(shown(&folder, "brut=5", "x"), format!("[{first}]"));
        assert_eq!(
            shown(&folder, "brut=5&cadre=true", "x"),
            format!("[{first},{second}]")
        );
    }

    fn listing(field: &str) -> crate::run::folder::Folder {
        let shapes = "figures:\n  f: {statut: key, n: key, v: rate, m: money/month, t: optional text}\n  p: {part: rate}\n";
        let steps = "steps:\n  fin: brut * p.part\n";
        let keys = format!("{GROSS}{INPUTS}{shapes}{steps}answer:\n  fin: fin\n  x: {field}\n");
        let rows = "{statut: a; b, n: 1; 2, v: 1/3, m: 5, t: un}, {statut: a, v: 20%, m: 6}, {n: 1, v: 30%, m: 7}, {v: 40%, m: 8}";
        folder(
            &keys,
            &format!(
                "  f: {{per: month, source: s, rows: [{rows}]}}\n  p: {{part: 50%, source: s}}"
            ),
        )
    }

    #[test]
    fn rows_show_their_keys_and_columns() {
        let first = r#"{"statut":"a; b","n":"1; 2","v":0.3333333333,"m":5,"t":"un"}"#;
        let third = r#"{"statut":null,"n":1,"v":0.3,"m":7}"#;
        let folder = listing("{rows: f}");
        assert_eq!(
            shown_all(&folder, "brut=1", "x.0 x.2 x.4"),
            format!("{first} {third} absent")
        );
    }

    #[test]
    fn rows_are_those_that_a_lookup_by_the_same_keys_chooses_from() {
        let folder = listing("{rows: f, by: statut}");
        let v = |query| shown_all(&folder, query, "x.0.v x.1.v x.2.v");
        assert_eq!(v("brut=1&statut=a"), "0.3333333333 0.2 absent");
        assert_eq!(v("brut=1&statut=b"), "0.3333333333 absent absent");
        assert_eq!(v("brut=1&statut=c"), "0.3 0.4 absent");
        let both = listing("{rows: f, by: statut; parts}");
        assert_eq!(
            shown_all(&both, "brut=1&parts=1", "x.0.v x.0.n x.1"),
            "0.3333333333 absent absent"
        );
        assert_eq!(
            shown_all(&both, "brut=1&parts=9", "x.0.v x.1"),
            "0.2 absent"
        );
    }

    #[test]
    fn rows_have_percentages_and_computed_members() {
        let folder = listing(
            "{rows: f, by: statut, as: percent, moitie: f.v * p.part, du: f.m * parts, mot: f.t}",
        );
        let first = r#"{"n":"1; 2","v":33.3333333333,"m":5,"t":"un","moitie":16.6666666667,"du":15,"mot":"un"}"#;
        let second = r#"{"n":null,"v":20,"m":6,"moitie":10,"du":18}"#;
        assert_eq!(
            shown_all(&folder, "brut=1", "x.0 x.1"),
            format!("{first} {second}")
        );
    }

    #[test]
    fn rows_say_how_certain_they_are() {
        let shapes = "figures:\n  f: {statut: key, v: rate}\n";
        let keys = format!(
            "{GROSS}{INPUTS}{shapes}steps:\n  fin: brut\nanswer:\n  fin: fin\n  x: {{rows: f}}\n"
        );
        let rows = "{statut: a, v: 1%, confidence: low, note: Une seule source.}, {v: 2%}";
        let folder = folder(&keys, &format!("  f: {{source: s, rows: [{rows}]}}"));
        let first = r#"{"statut":"a","v":0.01,"reserve":{"confiance":"faible","note":"Une seule source."}}"#;
        assert_eq!(
            shown_all(&folder, "brut=1", "x.0 x.1"),
            format!(r#"{first} {{"statut":null,"v":0.02}}"#)
        );
    }

    #[test]
    fn the_bound_of_a_row_is_named_after_its_word() {
        for (row, name) in [
            ("up_to", "jusqu_a"),
            ("below", "en_dessous_de"),
            ("over", "au_dela_de"),
            ("from", "a_partir_de"),
        ] {
            let shapes = "figures:\n  f: {bound: money/month, v: rate}\nsteps:\n  fin: brut\n";
            let keys = format!("{GROSS}{shapes}answer:\n  fin: fin\n  x: {{rows: f}}\n");
            let rows = match name {
                "jusqu_a" | "en_dessous_de" => format!("{{{row}: 5, v: 1%}}, {{v: 2%}}"),
                _ => format!("{{v: 2%}}, {{{row}: 5, v: 1%}}"),
            };
            let list = shown(
                &folder(
                    &keys,
                    &format!("  f: {{per: month, source: s, rows: [{rows}]}}"),
                ),
                "brut=1",
                "x",
            );
            assert!(
                list.contains(&format!(r#"{{"{name}":5,"v":0.01}}"#)),
                "{list}"
            );
            assert!(
                list.contains(&format!(r#"{{"{name}":null,"v":0.02}}"#)),
                "{list}"
            );
        }
    }
}
