//! The fields of an answer, each by the form that the method gives to it.

use std::borrow::Cow;

use bareme_engine::authoring::Node;
use num_bigint::BigInt;
use rust_decimal::Decimal;

use crate::compute::{Run, Stop};
use crate::json::Json;
use crate::law::{Law, Rat, Row, Value, entries, power_of_ten, round, text};
use crate::references::remark;
use crate::slices::{Slice, slices};

pub(crate) type Member = (Cow<'static, str>, Json<'static>);
pub(crate) type Members = Vec<Member>;

/// The fields that are there under the conditions of the query.
pub(crate) fn fields<'l>(run: &mut Run<'l>) -> Result<Members, Stop> {
    let mut members = Vec::new();
    for (name, node) in run
        .parts()
        .into_iter()
        .flat_map(|part| entries(part, "answer"))
    {
        if text(node, "when").map_or(Ok(true), |when| run.is(when))? {
            members.extend(field(run, node)?.map(|value| (name.value.clone().into(), value)));
        }
    }
    Ok(members)
}

fn field<'l>(run: &mut Run<'l>, node: &'l Node) -> Result<Option<Json<'static>>, Stop> {
    let law = run.law;
    if let Some(formula) = node
        .text()
        .map(|text| text.value.as_str())
        .or(text(node, "value"))
    {
        if law.is_step_of_other_days(formula) && !formula.contains(' ') {
            return Ok(None);
        }
        return Ok(shown(
            run,
            run.one(formula)?,
            text(node, "as"),
            text(node, "round"),
        ));
    }

    if let Some(constant) = text(node, "text") {
        return Ok(Some(Json::text(constant.to_owned())));
    }

    let steps = |key: &str| {
        text(node, key).map(|names| {
            names
                .split(';')
                .map(|name| name.trim().to_owned())
                .collect()
        })
    };

    let is_here = |name: &String| !law.is_step_of_other_days(name);
    let steps = |key: &str| -> Option<Vec<String>> {
        let named: Vec<String> = steps(key)?;
        Some(named.into_iter().filter(is_here).collect())
    };

    if ["lines", "brackets", "schedule"]
        .iter()
        .any(|key| steps(key).is_some_and(|steps| steps.is_empty()))
    {
        return Ok(None);
    }

    if let Some(steps) = steps("lines") {
        let is_percent = text(node, "as") == Some("percent");
        let left_out: Vec<&str> = text(node, "if_applied")
            .into_iter()
            .flat_map(|names| names.split(';').map(str::trim))
            .collect();
        let is_shown =
            |step: &&String| !left_out.contains(&step.as_str()) || run.steps[*step].applied;
        let shown = steps.iter().filter(is_shown);
        return Ok(Some(Json::List(
            shown.map(|step| line(run, step, is_percent)).collect(),
        )));
    }

    if let Some(listed) = node.get("payslip") {
        return Ok(payslip(run, listed, text(node, "as") == Some("percent")));
    }

    if let Some(steps) = steps("brackets") {
        let several = steps.len() > 1;
        let of_step = |step: &String| bracket_rows(run, step, several);
        return Ok(Some(Json::List(
            steps
                .iter()
                .map(of_step)
                .collect::<Result<Vec<_>, _>>()?
                .concat(),
        )));
    }

    if let Some(steps) = steps("schedule") {
        return Ok(Some(schedule(run, &steps[0])));
    }

    if let Some(group) = text(node, "each") {
        let members = node.entries().iter();
        let members: Vec<_> = members
            .filter(|(name, _)| !["each", "only", "when", "label"].contains(&name.value.as_str()))
            .collect();
        let object = |item: &Run<'l>| {
            if !text(node, "only").map_or(Ok(true), |only| item.is(only))? {
                return Ok(None);
            }
            let mut object: Members = Vec::new();
            for (name, member) in &members {
                let formula = member.text().map(|text| text.value.as_str());
                let value = item.one(formula.or_else(|| text(member, "value")).unwrap())?;
                let shown = shown(item, value, None, None);
                object.extend(shown.map(|value| (name.value.clone().into(), value)));
            }
            Ok(Some(Json::Object(object)))
        };
        return run.listed(group, object).map(Some);
    }

    rows(run, node).map(Some)
}

fn decimals(law: &Law) -> usize {
    text(&law.method, "decimals").map_or(2, |decimals| decimals.parse().unwrap())
}

/// Amounts to the decimals of the method, other numbers to ten.
pub(crate) fn written(law: &Law, value: &Rat, money: bool) -> Decimal {
    let most = if money { decimals(law) } else { 10 };
    let rounded = round(value, &Rat::new(1.into(), power_of_ten(most)), "half_up");
    // No more decimals than it has: those of a great number would not fit.
    let places = (0..most)
        .find(|places| (&rounded * power_of_ten(*places)).is_integer())
        .unwrap_or(most);
    let digits = (rounded * power_of_ten(places)).to_integer();
    Decimal::from_i128_with_scale(
        i128::try_from(digits).unwrap(),
        u32::try_from(places).unwrap(),
    )
}

fn amount(law: &Law, value: &Rat) -> Json<'static> {
    Json::Number(written(law, value, true))
}

fn rate(law: &Law, value: &Rat) -> Json<'static> {
    Json::Number(written(law, value, false))
}

fn shown(
    run: &Run,
    value: Value,
    form: Option<&str>,
    rounding: Option<&str>,
) -> Option<Json<'static>> {
    Some(match value {
        Value::Nothing => return None,
        Value::Number(mut number, money) => {
            if form == Some("percent") {
                number *= BigInt::from(100);
            }
            if let Some(rounding) = rounding {
                let (unit, mode) = rounding.split_once(' ').unwrap_or((rounding, "half_up"));
                number = round(&number, &crate::law::plain(unit).unwrap(), mode);
            }
            let number = written(run.law, &number, money);
            if form == Some("text") {
                Json::text(number.normalize().to_string())
            } else {
                Json::Number(number)
            }
        }
        Value::Boolean(value) => Json::Boolean(value),
        Value::Word(text) | Value::Text(text) => Json::text(text),
        Value::List(_) => panic!("a list where one value is shown"),
    })
}

fn line(run: &Run, name: &str, is_percent: bool) -> Json<'static> {
    let step = &run.steps[name];
    let label = run
        .law
        .step(name)
        .and_then(|step| text(step, "label"))
        .unwrap_or(name);
    let (base, own_rate) = step.line.clone();
    let own_rate = own_rate.map(|rate| {
        if is_percent {
            rate * power_of_ten(2)
        } else {
            rate
        }
    });
    let Some(Value::Number(value, _)) = &step.main else {
        panic!("{name} is no amount")
    };

    Json::Object(vec![
        ("code".into(), Json::text(name.to_owned())),
        ("libelle".into(), Json::text(label.to_owned())),
        (
            "assiette".into(),
            base.map_or(Json::Null, |base| amount(run.law, &base)),
        ),
        (
            "taux".into(),
            own_rate.map_or(Json::Null, |own| rate(run.law, &own)),
        ),
        ("montant".into(), amount(run.law, value)),
    ])
}

/// The rows of which a step is there on the day, each part beside the other; no field without such
/// a row.
fn payslip(run: &Run, listed: &Node, is_percent: bool) -> Option<Json<'static>> {
    let law = run.law;
    let row = |row: &Node| {
        let named = |part: &str| text(row, part).filter(|name| !law.is_step_of_other_days(name));
        let (employee, employer) = (named("employee"), named("employer"));
        let step = employee.or(employer)?;
        if text(row, "when").is_some_and(|when| matches!(run.is(when), Ok(false))) {
            return Some(None);
        }
        let own = law
            .step(step)
            .and_then(|step| text(step, "label"))
            .unwrap_or(step);
        let base = |step: Option<&str>| {
            run.steps[step?]
                .line
                .0
                .clone()
                .map(|base| written(law, &base, true))
        };
        let zero = Some(Decimal::ZERO);
        let both = match (base(employee), base(employer)) {
            (one, other) if one == other => one,
            (None, base) | (base, None) => base,
            (one, base) | (base, one) if one == zero => base,
            _ => None,
        };
        let part = |step: Option<&str>| step.map_or(Json::Null, |step| line(run, step, is_percent));
        let mut members: Members = vec![
            (
                "rubrique".into(),
                text(row, "section").map_or(Json::Null, |section| Json::text(section.to_owned())),
            ),
            (
                "libelle".into(),
                Json::text(text(row, "label").unwrap_or(own).to_owned()),
            ),
            ("assiette".into(), both.map_or(Json::Null, Json::Number)),
            ("part_salariale".into(), part(employee)),
            ("part_patronale".into(), part(employer)),
        ];
        if text(row, "information") == Some("true") {
            members.push(("information".into(), Json::Boolean(true)));
        }
        Some(Some(Json::Object(members)))
    };

    let rows: Vec<Option<Json>> = listed.items().iter().filter_map(row).collect();
    (!rows.is_empty()).then(|| Json::List(rows.into_iter().flatten().collect()))
}

fn bracket_rows(run: &Run, name: &str, several: bool) -> Result<Vec<Json<'static>>, Stop> {
    let (step, law) = (&run.steps[name], run.law);
    if !step.applied {
        return Ok(Vec::new());
    }

    let node = law.step(name).unwrap();
    let figure = &law.figures[text(node, "with").unwrap()];
    let rows = figure.rows_by(&run.by(node)?).unwrap();
    let show = |slice: Slice| {
        let mut members: Members = Vec::new();
        if several {
            members.push(("impot".into(), Json::text(name.to_owned())));
        }
        members.push(("de".into(), amount(law, &slice.from)));
        members.push((
            "a".into(),
            slice.to.map_or(Json::Null, |to| amount(law, &to)),
        ));
        members.push(("taux".into(), rate(law, &slice.rate)));
        members.extend(
            slice
                .constant
                .map(|constant| ("constante".into(), rate(law, &constant))),
        );
        members.push(("assiette".into(), amount(law, &slice.base)));
        members.push(("montant".into(), amount(law, &slice.amount)));
        Json::Object(members)
    };

    Ok(slices(figure, &rows, &step.base, &step.shares)
        .into_iter()
        .map(show)
        .collect())
}

fn schedule(run: &Run, name: &str) -> Json<'static> {
    let names = [
        "mensualite",
        "interets",
        "capital",
        "assurance",
        "capital_restant_du",
    ];
    let lines = run.steps[name]
        .schedule
        .iter()
        .zip(1..)
        .map(|(line, month)| {
            let month = ("mois".into(), Json::Number(Decimal::from(month)));
            let amounts = names
                .iter()
                .zip(line)
                .map(|(name, value)| ((*name).into(), amount(run.law, value)));
            Json::Object([month].into_iter().chain(amounts).collect())
        });
    Json::List(lines.collect())
}

/// The rows of a figure: the keys that are not given, the bound, the columns, the computed members.
fn rows<'l>(run: &mut Run<'l>, node: &'l Node) -> Result<Json<'static>, Stop> {
    let law: &'l Law = run.law;
    let figure = &law.figures[text(node, "rows").unwrap()];
    let given = run.by(node)?;
    let form = text(node, "as");
    let chosen = figure.rows_by(&given).unwrap_or_default();
    let bound_name = figure
        .rows
        .iter()
        .find_map(|row| row.bound.as_ref())
        .map(|(word, _)| french(word));
    let mut list = Vec::new();
    for row in chosen {
        let mut members: Members = Vec::new();
        for key in figure.keys().skip(given.len()) {
            members.push((key.to_owned().into(), key_cell(run, row, key)));
        }
        let bound = row
            .bound
            .as_ref()
            .map(|(word, value)| (french(word), value));
        if !figure.ty("bound").is_empty() {
            let name = bound.map(|(name, _)| name).or(bound_name).unwrap();
            members.push((
                name.into(),
                bound.map_or(Json::Null, |(_, value)| rate(law, value)),
            ));
        }
        for (column, ty) in figure.shape.iter().filter(|(_, ty)| ty != "key") {
            // Only rates are shown in percent.
            let form = form.filter(|_| ty == "rate");
            // Amounts of the law are shown as they are.
            let plain = |cell: Value| {
                if let Value::Number(value, _) = cell {
                    Value::Number(value, false)
                } else {
                    cell
                }
            };
            let value = row
                .cells
                .get(column)
                .cloned()
                .and_then(|value| shown(run, plain(value), form, None));
            members.extend(value.map(|value| (column.clone().into(), value)));
        }
        run.row = Some((&figure.name, row));
        for (name, formula) in node.entries() {
            if !["rows", "by", "as", "when", "label"].contains(&name.value.as_str()) {
                let value = run.one(&formula.text().unwrap().value)?;
                members.extend(
                    shown(run, value, form, None).map(|value| (name.value.clone().into(), value)),
                );
            }
        }
        run.row = None;
        if row.remark != (None, None) {
            members.push((
                "reserve".into(),
                Json::Object(remark(&row.remark).collect()),
            ));
        }
        list.push(Json::Object(members));
    }

    Ok(Json::List(list))
}

fn french(word: &str) -> &'static str {
    match word {
        "up_to" => "jusqu_a",
        "below" => "en_dessous_de",
        "over" => "au_dela_de",
        _ => "a_partir_de",
    }
}

fn key_cell(run: &Run, row: &Row, key: &str) -> Json<'static> {
    let texts = |values: &[Value]| {
        let text = |value: &Value| match value {
            Value::Number(number, _) => written(run.law, number, false).normalize().to_string(),
            Value::Word(word) => word.clone(),
            other => panic!("{other:?} as a key"),
        };
        values.iter().map(text).collect::<Vec<_>>().join("; ")
    };

    match row.keys.get(key).map(Vec::as_slice) {
        None => Json::Null,
        Some([Value::Number(number, _)]) => Json::Number(written(run.law, number, false)),
        Some(values) => Json::text(texts(values)),
    }
}
