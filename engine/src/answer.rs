//! The answer: which values go under which names, as amounts, percentages, lines, brackets, schedules.

use std::borrow::Cow;

use rust_decimal::Decimal;

use crate::diagnostic::Report;
use crate::figure::Figure;
use crate::folder::Edition;
use crate::formula::{Code, Context, Expr, Fact, Fault, Scope, State, Wanted, facts};
use crate::json::Json;
use crate::number::{RoundMode, number_text, parse_plain, round, round_decimals};
use crate::problem::Problem;
use crate::program::BoundStep;
use crate::step::{Binder, Rounding, Slice, agrees, key_type};
use crate::types::{Type, Value};
use crate::words::nearest;
use crate::yaml::{Node, Text};

/// Decimals shown of a number or a rate.
const NUMBER_DECIMALS: u32 = 10;

/// Fields that follow by themselves.
pub(crate) const AUTOMATIC: [&str; 5] = ["references", "bareme_en_vigueur", "version", "avertissements", "etapes"];

/// A field of the answer.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// What it is, in French: its own label, or else that of the input or step that it shows.
    pub label: Option<String>,
    /// Steps that it reads, by rank.
    pub steps: Vec<usize>,
    pub(crate) content: FieldContent,
    pub(crate) when: Option<Expr>,
}

/// What a field shows.
#[derive(Debug)]
pub(crate) enum FieldContent {
    Value { expr: Expr, ty: Type, form: Form, round: Option<Rounding<Decimal>> },
    Text(String),
    Lines(Vec<usize>),
    Brackets(Vec<usize>),
    Schedule(usize),
    Rows { figure: usize, by: Vec<Expr>, form: Form, extra: Vec<(String, Expr, Type)> },
}

/// How a value is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Plain,
    Percent,
    Text,
}

impl Field {
    /// Whether it is in every answer.
    pub fn is_always_there(&self) -> bool {
        self.when.is_none() && !matches!(&self.content, FieldContent::Value { expr, .. } if may_be_empty(expr))
    }

    /// Whether it is an amount in every answer.
    pub(crate) fn is_plain_amount(&self) -> bool {
        let is_amount = |content: &FieldContent| {
            matches!(content, FieldContent::Value { ty: Type::Money(_) | Type::Unknown, form: Form::Plain, .. })
        };
        is_amount(&self.content) && self.when.is_none()
    }

    /// Whether it is the value of an input, as it is.
    pub(crate) fn shows_input(&self, input: usize) -> bool {
        let shows = matches!(&self.content, FieldContent::Value { expr: Expr::Input(rank), form: Form::Plain, .. } if *rank == input);
        shows && self.when.is_none()
    }

    /// JSON type of the field: `number`, `integer`, `string`, `boolean` or `array`.
    pub fn json_type(&self) -> &'static str {
        match &self.content {
            FieldContent::Value { form: Form::Text, .. } | FieldContent::Text(_) => "string",
            FieldContent::Value { expr: Expr::Scale(crate::formula::ScaleField::Year), .. } => "integer",
            FieldContent::Value { ty, .. } => match ty {
                Type::Boolean => "boolean",
                Type::Choice(_) | Type::Text => "string",
                _ => "number",
            },
            _ => "array",
        }
    }

    /// Names of the members of the elements of an array in the answers of an edition, each with its
    /// JSON type.
    pub fn item_members(&self, edition: &Edition) -> Vec<(String, &'static str)> {
        let shapes = edition.method().figures();
        let numbers = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), "number")).collect::<Vec<_>>();
        let texts = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), "string")).collect::<Vec<_>>();
        match &self.content {
            FieldContent::Lines(_) => [texts(&["code", "libelle"]), numbers(&["assiette", "taux", "montant"])].concat(),
            FieldContent::Brackets(steps) => {
                let read = steps.iter().filter_map(|step| edition.method().steps().get(*step));
                let mut read = read.flat_map(|step| &step.figures).filter_map(|figure| shapes.get(*figure));
                let printed = read.any(|shape| shape.column("less").or(shape.column("plus")).is_some());
                let tax = if steps.len() > 1 { texts(&["impot"]) } else { Vec::new() };
                let constant = if printed { numbers(&["constante"]) } else { Vec::new() };
                [tax, numbers(&["de", "a", "taux"]), constant, numbers(&["assiette", "montant"])].concat()
            }
            FieldContent::Schedule(_) => numbers(&SCHEDULE),
            FieldContent::Rows { figure, by, extra, .. } => {
                let Some(shape) = shapes.get(*figure) else { return Vec::new() };
                let keys = shape.keys.iter().skip(by.len()).map(|key| (key.name.clone(), "string"));
                let found = edition.scale().and_then(|scale| scale.figures.get(*figure));
                let bound = shape.bound.map(|_| (found.map_or("borne", Figure::bound_name).to_owned(), "number"));
                let ty = |ty: Type| if ty == Type::Text { "string" } else { "number" };
                let columns = shape.columns.iter().map(|column| (column.name.clone(), ty(column.ty)));
                let extra = extra.iter().map(|(name, _, found)| (name.clone(), ty(*found)));
                keys.chain(bound).chain(columns).chain(extra).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Reads a field; `scope` holds the whole method.
    pub(crate) fn read(name: &Text, node: &Node, scope: &mut Scope, report: &mut Report) -> Option<Self> {
        if AUTOMATIC.contains(&name.value.as_str()) {
            report.error(&name.place, Problem::AutomaticField { name: name.value.clone() });
        }
        let when = node.text_of("when").map(|text| scope.check(text, Wanted::BOOLEAN, &[], report).expr);
        let known = when.as_ref().map(|when| facts(when, true)).unwrap_or_default();
        let mut reader = FieldReader { node, known, scope, report };
        let content = reader.content(name)?;
        let label = node.string_of("label").or_else(|| shown_label(&content, scope));
        Some(Self { name: name.value.clone(), label, steps: Vec::new(), content, when })
    }

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

/// The label of the input or step whose value a field shows as it is.
fn shown_label(content: &FieldContent, scope: &Scope) -> Option<String> {
    match content {
        FieldContent::Value { expr: Expr::Input(rank), .. } => Some(scope.inputs.get(*rank)?.label.clone()),
        FieldContent::Value { expr: Expr::Output(step, output), .. } => {
            let step = scope.steps.get(*step)?;
            step.label.clone().filter(|_| step.main() == Some(*output))
        }
        _ => None,
    }
}

fn may_be_empty(expr: &Expr) -> bool {
    // Optional columns reach a field only bare, as a column or as the output of a table.
    matches!(expr, Expr::Column(..)) || matches!(expr, Expr::Output(..))
}

struct FieldReader<'r> {
    node: &'r Node,
    known: Vec<Fact>,
    scope: &'r mut Scope,
    report: &'r mut Report,
}

/// Keys of each form of a field.
pub(crate) const FORMS: [(&str, &[&str]); 6] = [
    ("value", &["as", "round"]),
    ("text", &[]),
    ("lines", &[]),
    ("brackets", &[]),
    ("schedule", &[]),
    ("rows", &["by", "as"]),
];

impl FieldReader<'_> {
    fn content(&mut self, name: &Text) -> Option<FieldContent> {
        if let Some(text) = self.node.text() {
            return Some(self.value(text));
        }
        let keys = self.node.entries();
        let form = FORMS.iter().find(|(form, _)| self.node.get(form).is_some());
        let Some((form, own)) = form else {
            self.report.error(&name.place, Problem::FieldWithoutForm { name: name.value.clone() });
            return None;
        };
        if *form != "rows" {
            for (key, _) in keys {
                let known = own.iter().chain(&["when", "label"]).copied();
                if key.value != *form && !known.clone().any(|known| known == key.value) {
                    let near = nearest(&key.value, known).map(str::to_owned);
                    self.report.error(&key.place, Problem::UnknownKey { key: key.value.clone(), near });
                }
            }
        }
        let text = self.node.text_of(form)?;
        match *form {
            "value" => Some(self.value(text)),
            "text" => Some(FieldContent::Text(text.value.clone())),
            "lines" => Some(FieldContent::Lines(self.lines(text))),
            "brackets" => Some(FieldContent::Brackets(self.steps(text, Some("brackets")))),
            "schedule" => Some(FieldContent::Schedule(self.steps(text, Some("loan")).first().copied()?)),
            _ => self.rows(text),
        }
    }

    fn value(&mut self, text: &Text) -> FieldContent {
        let typed = self.scope.check(text, Wanted::OPTIONAL, &self.known, self.report);
        let form = self.form();
        if form == Form::Percent && !typed.ty.is_plain() {
            self.report.error(&text.place, Problem::NotNumeric { found: typed.ty.name() });
        }
        let round = self.node.text_of("round").and_then(|text| self.rounding(text));
        FieldContent::Value { expr: typed.expr, ty: typed.ty, form, round }
    }

    fn form(&mut self) -> Form {
        match self.node.text_of("as").map(|text| text.value.as_str()) {
            Some("percent") => Form::Percent,
            Some("text") => Form::Text,
            _ => Form::Plain,
        }
    }

    /// A rounding for show: its unit is a literal.
    fn rounding(&mut self, text: &Text) -> Option<Rounding<Decimal>> {
        let (unit, word) = text.value.split_once(' ').unwrap_or((&text.value, "half_up"));
        let mode = RoundMode::WORDS.iter().find(|(known, _)| *known == word.trim()).map(|(_, mode)| *mode);
        match (parse_plain(unit), mode) {
            (Ok(unit), Some(mode)) if !unit.is_sign_negative() => Some(Rounding { unit, mode }),
            _ => {
                self.report.error(&text.place, Problem::BadAnswerRounding { text: text.value.clone() });
                None
            }
        }
    }

    fn steps(&mut self, text: &Text, kind: Option<&'static str>) -> Vec<usize> {
        let mut ranks = Vec::new();
        for name in text.list() {
            let Some(rank) = self.scope.steps.iter().position(|step| step.name == name.value) else {
                let near =
                    nearest(&name.value, self.scope.steps.iter().map(|step| step.name.as_str())).map(str::to_owned);
                self.report.error(&name.place, Problem::UnknownStep { name: name.value.clone(), near });
                continue;
            };
            let found = self.scope.steps.get(rank).filter(|step| step.body.is_some()).map(|step| step.kind);
            if let (Some(wanted), Some(found)) = (kind, found)
                && wanted != found
            {
                self.report.error(&name.place, Problem::StepOfOtherKind { name: name.value.clone(), wanted, found });
                continue;
            }
            self.scope.used.steps.insert(rank);
            ranks.push(rank);
        }
        ranks
    }

    /// Steps as lines of a payslip: amounts.
    fn lines(&mut self, text: &Text) -> Vec<usize> {
        let ranks = self.steps(text, None);
        for rank in &ranks {
            let Some(step) = self.scope.steps.get(*rank) else { continue };
            let main = step.main().and_then(|main| step.outputs.get(main)).map_or(Type::Text, |output| output.ty);
            if step.body.is_some() && !matches!(main, Type::Money(_) | Type::Unknown) {
                self.report.error(&text.place, Problem::LineWithoutAmount { name: step.name.clone() });
            }
        }
        ranks
    }

    fn rows(&mut self, text: &Text) -> Option<FieldContent> {
        let Some(figure) = self.scope.figures.iter().position(|shape| shape.name == text.value) else {
            let near =
                nearest(&text.value, self.scope.figures.iter().map(|shape| shape.name.as_str())).map(str::to_owned);
            self.report.error(&text.place, Problem::UnknownFigure { name: text.value.clone(), near });
            return None;
        };
        let shape = self.scope.figures.get(figure)?.clone();
        if !shape.has_rows() {
            self.report.error(&text.place, Problem::NotATable { figure: shape.name.clone() });
        }
        for column in 0..shape.columns.len() {
            self.scope.used.columns.insert((figure, column));
        }
        let by = match self.node.text_of("by") {
            Some(text) => self.scope.check_list(text, &self.known, self.report),
            None => Vec::new(),
        };
        if by.len() > shape.keys.len() {
            let wanted = shape.keys.iter().map(|key| key.name.as_str()).collect::<Vec<_>>().join("; ");
            self.report.error(&text.place, Problem::ByCount { wanted, count: by.len() });
        }
        for (value, key) in by.iter().zip(&shape.keys) {
            let wanted = key_type(key, self.scope);
            if !agrees(value, wanted) {
                let column = key.name.clone();
                self.report
                    .error(&text.place, Problem::ByType { column, wanted: wanted.name(), found: value.ty.name() });
            }
        }
        let form = self.form();
        self.scope.row = Some(figure);
        let mut extra = Vec::new();
        for (key, node) in self.node.entries() {
            if matches!(key.value.as_str(), "rows" | "by" | "as" | "when" | "label") {
                continue;
            }
            let Some(text) = node.text() else { continue };
            if shape.column(&key.value).is_some() || shape.keys.iter().any(|column| column.name == key.value) {
                self.report.error(&key.place, Problem::DuplicateKey { key: key.value.clone() });
            }
            let typed = self.scope.check(text, Wanted::OPTIONAL, &self.known, self.report);
            extra.push((key.value.clone(), typed.expr, typed.ty));
        }
        self.scope.row = None;
        Some(FieldContent::Rows { figure, by: by.into_iter().map(|typed| typed.expr).collect(), form, extra })
    }
}

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

const SCHEDULE: [&str; 6] = ["mois", "mensualite", "interets", "capital", "assurance", "capital_restant_du"];

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
