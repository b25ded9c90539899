//! A field in an answer: values as amounts, percentages, lines, brackets, schedules, rows.

use std::borrow::Cow;

use rust_decimal::Decimal;

use crate::formula::{Code, Context, Expr, Fault, State};
use crate::json::{Json, WrittenJson};
use crate::number::{number_text, round, round_decimals};
use crate::references::remark_members;
use crate::step::{Binder, BoundStep, Line, Rounding, Slice};
use crate::types::{Type, Value};

use super::{Field, FieldContent, Form, REMARK};

impl Field {
    pub(crate) fn bind(&self, binder: &mut Binder) -> BoundField {
        let content = match &self.content {
            FieldContent::Value { expr, ty, form, round } => {
                BoundContent::Value { code: binder.code(expr), ty: *ty, form: *form, round: round.clone() }
            }
            FieldContent::Text(text) => BoundContent::Text(text.clone()),
            FieldContent::Lines { steps, form } => BoundContent::Lines { steps: steps.clone(), form: *form },
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
    Lines { steps: Vec<usize>, form: Form },
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
    Remark(WrittenJson),
}

fn bound_rows(
    figure: usize,
    given: usize,
    form: Form,
    extra: &[(String, Expr, Type)],
    binder: &Binder,
) -> Vec<BoundRow> {
    let (Some(shape), Some(found)) = (binder.shapes.get(figure), binder.figure(figure)) else { return Vec::new() };
    // As the file says it, but for the endless decimals of a fraction.
    let cell = |number| Cell::Number(round_decimals(number, NUMBER_DECIMALS));
    let shown = |value: &Value, ty: Type| match value {
        Value::Number(number) if form == Form::Percent && ty == Type::Rate => cell(percent(*number)),
        Value::Number(number) => cell(*number),
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
        if !row.remark.is_empty() {
            let remark = WrittenJson::new(Json::Object(remark_members(&row.remark)));
            members.push((REMARK.to_owned(), Cell::Remark(remark)));
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
            BoundContent::Lines { steps, form } => {
                Some(Json::List(steps.iter().filter_map(|step| shown.line(*step, *form, state)).collect()))
            }
            BoundContent::Brackets(steps) => Some(shown.brackets(steps, state)?),
            BoundContent::Schedule(step) => Some(shown.schedule(*step, state)?),
            BoundContent::Rows { keys, rows } => {
                let keys = keys.iter().map(|code| code.run(state)).collect::<Result<Vec<_>, _>>()?;
                let rows = answering(rows, &keys);
                Some(Json::List(rows.into_iter().map(|row| shown.row(row, state)).collect::<Result<_, _>>()?))
            }
        })
    }
}

/// The rows that a lookup by these first keys would choose from: for each key in turn those that list
/// its value, else those without that key.
fn answering<'r>(rows: &'r [BoundRow], keys: &[Value]) -> Vec<&'r BoundRow> {
    let mut left: Vec<&BoundRow> = rows.iter().collect();
    for (rank, value) in keys.iter().enumerate() {
        let listed = |row: &BoundRow| row.keys.get(rank).is_some_and(|listed| listed.contains(value));
        let is_listed = left.iter().any(|row| listed(row));
        left.retain(|row| if is_listed { listed(row) } else { row.keys.get(rank).is_some_and(Vec::is_empty) });
    }
    left
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

    fn line(&self, step: usize, form: Form, state: &State) -> Option<Json<'a>> {
        let step = self.steps.get(step)?;
        let Line { base, rate } = step.compute.line(state, step.slot);
        let rate = rate.map(|rate| if form == Form::Percent { percent(rate) } else { rate });
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
            // As the law prints it: its decimals may go beyond those of an amount.
            members.push(("constante".into(), Json::Number(round_decimals(constant, NUMBER_DECIMALS))));
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
                Cell::Remark(remark) => Json::Written(remark),
            };
            members.push((Cow::Borrowed(name.as_str()), value));
        }
        Ok(Json::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, folder, refused, shown, shown_all};

    const INPUTS: &str = "  statut: {type: choice, values: a; b; c, default: a, label: Statut}
  parts: {type: number, default: 3, label: Parts}
  avance: {type: money, per: month, optional: true, label: Avance}
";

    /// A method without figures whose answer is `x`, with that value.
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
        assert_eq!(value("{value: 1 / parts, as: percent}", "brut=1"), "33.3333333333");
        assert_eq!(value("{value: 1 / parts, as: percent, round: 0.01}", "brut=1"), "33.33");
        assert_eq!(value("{value: 2 / parts, as: percent, round: 1 down}", "brut=1"), "66");
        assert_eq!(value("{value: 2 / parts, as: text, round: 0.5 up}", "brut=1"), "\"1\"");
        assert_eq!(value("{value: brut, as: text}", "brut=1200.50"), "\"1200.5\"");
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
        assert_eq!(value("{value: avance, when: given(avance)}", "brut=1"), "absent");
        assert_eq!(value("{value: avance, when: given(avance)}", "brut=1&avance=0"), "0");
    }

    #[test]
    fn a_field_that_cannot_be_computed_refuses() {
        let keys = format!("{GROSS}{INPUTS}steps:\n  fin: brut\nanswer:\n  x: brut / (parts - 3)\n");
        assert_eq!(refused(&folder(&keys, ""), "brut=1"), ["brut non_calculable"]);
    }

    #[test]
    fn lines_show_base_and_rate_for_contributions_only() {
        let steps = "steps:\n  a: {contribution: brut, with: f, label: Ligne A}\n  b: {formula: brut / 4, round: 1}\n";
        let keys = format!(
            "{GROSS}figures:\n  f: {{rate: rate, ceiling: money/month}}\n{steps}answer:\n  x: {{lines: a; b}}\n"
        );
        let folder = folder(&keys, "  f: {rate: 1/3, ceiling: 50, per: month, source: s}");
        let first = r#"{"code":"a","libelle":"Ligne A","assiette":50,"taux":0.3333333333,"montant":16.67}"#;
        let second = r#"{"code":"b","libelle":"b","assiette":null,"taux":null,"montant":25}"#;
        assert_eq!(shown(&folder, "brut=100", "x"), format!("[{first},{second}]"));
    }

    #[test]
    fn brackets_of_several_taxes_say_which() {
        let steps = "steps:\n  a: {brackets: brut, with: f}\n  b: {brackets: brut, with: g, when: cadre}\n";
        let shapes = "figures:\n  f: {bound: money/month, rate: rate}\n  g: {bound: money/month, rate: rate, plus: money/month}\n";
        let keys = format!("{GROSS}{shapes}{steps}answer:\n  x: {{brackets: a; b}}\n");
        let figures = "  f: {per: month, source: s, rows: [{rate: 10%}]}\n  g: {per: month, source: s, rows: [{rate: 20%, plus: 3}]}";
        let folder = folder(&keys, figures);
        let first = r#"{"impot":"a","de":0,"a":null,"taux":0.1,"assiette":5,"montant":0.5}"#;
        let second = r#"{"impot":"b","de":0,"a":null,"taux":0.2,"constante":3,"assiette":5,"montant":4}"#;
        assert_eq!(shown(&folder, "brut=5", "x"), format!("[{first}]"));
        assert_eq!(shown(&folder, "brut=5&cadre=true", "x"), format!("[{first},{second}]"));
    }

    fn listing(field: &str) -> crate::folder::Folder {
        let shapes =
            "figures:\n  f: {statut: key, n: key, v: rate, m: money/month, t: optional text}\n  p: {part: rate}\n";
        let steps = "steps:\n  fin: brut * p.part\n";
        let keys = format!("{GROSS}{INPUTS}{shapes}{steps}answer:\n  fin: fin\n  x: {field}\n");
        let rows = "{statut: a; b, n: 1; 2, v: 1/3, m: 5, t: un}, {statut: a, v: 20%, m: 6}, {n: 1, v: 30%, m: 7}, {v: 40%, m: 8}";
        folder(&keys, &format!("  f: {{per: month, source: s, rows: [{rows}]}}\n  p: {{part: 50%, source: s}}"))
    }

    #[test]
    fn rows_show_their_keys_and_columns() {
        let first = r#"{"statut":"a; b","n":"1; 2","v":0.3333333333,"m":5,"t":"un"}"#;
        let third = r#"{"statut":null,"n":1,"v":0.3,"m":7}"#;
        let folder = listing("{rows: f}");
        assert_eq!(shown_all(&folder, "brut=1", "x.0 x.2 x.4"), format!("{first} {third} absent"));
    }

    #[test]
    fn rows_are_those_that_a_lookup_by_the_same_keys_chooses_from() {
        let folder = listing("{rows: f, by: statut}");
        let v = |query| shown_all(&folder, query, "x.0.v x.1.v x.2.v");
        assert_eq!(v("brut=1&statut=a"), "0.3333333333 0.2 absent");
        assert_eq!(v("brut=1&statut=b"), "0.3333333333 absent absent");
        assert_eq!(v("brut=1&statut=c"), "0.3 0.4 absent");
        let both = listing("{rows: f, by: statut; parts}");
        assert_eq!(shown_all(&both, "brut=1&parts=1", "x.0.v x.0.n x.1"), "0.3333333333 absent absent");
        assert_eq!(shown_all(&both, "brut=1&parts=9", "x.0.v x.1"), "0.2 absent");
    }

    #[test]
    fn rows_have_percentages_and_computed_members() {
        let folder = listing("{rows: f, by: statut, as: percent, moitie: f.v * p.part, du: f.m * parts, mot: f.t}");
        let first = r#"{"n":"1; 2","v":33.3333333333,"m":5,"t":"un","moitie":16.6666666667,"du":15,"mot":"un"}"#;
        let second = r#"{"n":null,"v":20,"m":6,"moitie":10,"du":18}"#;
        assert_eq!(shown_all(&folder, "brut=1", "x.0 x.1"), format!("{first} {second}"));
    }

    #[test]
    fn rows_say_how_certain_they_are() {
        let shapes = "figures:\n  f: {statut: key, v: rate}\n";
        let keys = format!("{GROSS}{INPUTS}{shapes}steps:\n  fin: brut\nanswer:\n  fin: fin\n  x: {{rows: f}}\n");
        let rows = "{statut: a, v: 1%, confidence: low, note: Une seule source.}, {v: 2%}";
        let folder = folder(&keys, &format!("  f: {{source: s, rows: [{rows}]}}"));
        let first = r#"{"statut":"a","v":0.01,"reserve":{"confiance":"faible","note":"Une seule source."}}"#;
        assert_eq!(shown_all(&folder, "brut=1", "x.0 x.1"), format!(r#"{first} {{"statut":null,"v":0.02}}"#));
    }

    #[test]
    fn the_bound_of_a_row_is_named_after_its_word() {
        for (row, name) in
            [("up_to", "jusqu_a"), ("below", "en_dessous_de"), ("over", "au_dela_de"), ("from", "a_partir_de")]
        {
            let shapes = "figures:\n  f: {bound: money/month, v: rate}\nsteps:\n  fin: brut\n";
            let keys = format!("{GROSS}{shapes}answer:\n  fin: fin\n  x: {{rows: f}}\n");
            let rows = match name {
                "jusqu_a" | "en_dessous_de" => format!("{{{row}: 5, v: 1%}}, {{v: 2%}}"),
                _ => format!("{{v: 2%}}, {{{row}: 5, v: 1%}}"),
            };
            let list = shown(&folder(&keys, &format!("  f: {{per: month, source: s, rows: [{rows}]}}")), "brut=1", "x");
            assert!(list.contains(&format!(r#"{{"{name}":5,"v":0.01}}"#)), "{list}");
            assert!(list.contains(&format!(r#"{{"{name}":null,"v":0.02}}"#)), "{list}");
        }
    }
}
