//! Totals of a year of pays: what the steps of its months gave, added up number by number and line
//! by line.

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::Zero as _;
use rust_decimal::Decimal;

use crate::fields::written;
use crate::formula::Expr;
use crate::json::Json;
use crate::law::{Law, Rat, Value, entries, power_of_ten, text};
use crate::past::{Past, names};

/// A month: its answer, and what its steps gave.
pub(crate) struct Month {
    pub answer: Json<'static>,
    pub past: Rc<Past>,
}

/// The fields that the year of a law adds up, each with its total.
pub(crate) fn totals(law: &Law, months: &[Month]) -> Vec<(String, Json<'static>)> {
    names(law, "totals")
        .into_iter()
        .filter_map(|name| Some((name.clone(), total(law, &name, months)?)))
        .collect()
}

fn total(law: &Law, name: &str, months: &[Month]) -> Option<Json<'static>> {
    let found = months
        .iter()
        .filter_map(|month| Some((member(&month.answer, name)?, &*month.past)));
    let found: Vec<(&Json, &Past)> = found.collect();
    Some(match found.first()?.0 {
        Json::List(_) => Json::List(rows(law, &found)),
        _ => number(law, name, &found),
    })
}

fn member<'j>(object: &'j Json<'static>, name: &str) -> Option<&'j Json<'static>> {
    let Json::Object(members) = object else {
        panic!("{object:?} is no object")
    };
    members
        .iter()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value)
}

/// The sum of the exact values of a step or an input; of the values shown where the field is a
/// formula.
fn number(law: &Law, name: &str, months: &[(&Json<'static>, &Past)]) -> Json<'static> {
    let parts = law.parts();
    let fields = parts.iter().flat_map(|(_, part)| entries(part, "answer"));
    let node = fields
        .into_iter()
        .find(|(known, _)| known.value == name)
        .map(|(_, node)| node)
        .unwrap();
    let formula = node
        .text()
        .map(|text| text.value.as_str())
        .or(text(node, "value"))
        .unwrap();
    let is_name = formula
        .chars()
        .all(|letter| letter.is_alphanumeric() || letter == '_');
    let mut is_money = false;
    let exact =
        |(shown, past): &(&Json, &Past)| match (shown, past.value(&Expr::Name(formula.to_owned())))
        {
            (_, Value::Number(value, money)) if is_name => (value, money),
            (Json::Number(value), _) => (rat(*value), false),
            other => panic!("{name}: {other:?}"),
        };
    let mut sum = Rat::zero();
    for (value, money) in months.iter().map(exact) {
        (sum, is_money) = (sum + value, is_money || money);
    }

    Json::Number(written(law, &sum, is_money))
}

fn rat(number: Decimal) -> Rat {
    Rat::new(
        BigInt::from(number.mantissa()),
        power_of_ten(number.scale() as usize),
    )
}

/// What stays of a line over the months: its label, its base where every month has one, its rate
/// where that is the same.
struct LineSum {
    code: Json<'static>,
    label: Json<'static>,
    base: Option<Rat>,
    rate: Json<'static>,
    amount: Rat,
}

/// A row over the months: one line, or the parts of a row of a payslip.
struct RowSum {
    key: String,
    months: usize,
    shown: Json<'static>,
    parts: Vec<Option<LineSum>>,
}

const PARTS: [&str; 2] = ["part_salariale", "part_patronale"];

fn rows(law: &Law, months: &[(&Json<'static>, &Past)]) -> Vec<Json<'static>> {
    let mut sums: Vec<RowSum> = Vec::new();
    for (month, (field, past)) in months.iter().enumerate() {
        let Json::List(rows) = field else {
            panic!("{field:?} is no list")
        };
        let mut above = None;
        for row in rows {
            let own = row_of(row, past);
            let known = sums
                .iter()
                .position(|sum| sum.key == own.key && sum.months <= month);
            above = Some(match known {
                Some(place) => {
                    let sum = &mut sums[place];
                    for (sum, line) in sum
                        .parts
                        .iter_mut()
                        .flatten()
                        .zip(own.parts.into_iter().flatten())
                    {
                        sum.add(line);
                    }
                    sum.months = month + 1;
                    place
                }
                None => {
                    let place = above.map_or(0, |above: usize| above + 1);
                    sums.insert(
                        place,
                        RowSum {
                            months: month + 1,
                            ..own
                        },
                    );
                    place
                }
            });
        }
    }

    sums.iter().map(|sum| sum.to_json(law)).collect()
}

fn row_of(row: &Json<'static>, past: &Past) -> RowSum {
    let lines: Vec<Option<&Json>> = match member(row, "code") {
        Some(_) => vec![Some(row)],
        None => PARTS
            .iter()
            .map(|part| member(row, part).filter(|part| **part != Json::Null))
            .collect(),
    };

    let code = |line: &Option<&Json<'static>>| line.map(|line| member(line, "code").cloned());
    let own = [
        member(row, "rubrique"),
        member(row, "libelle").filter(|_| member(row, "code").is_none()),
    ];
    let key = format!("{own:?} {:?}", lines.iter().map(code).collect::<Vec<_>>());
    let parts = lines
        .into_iter()
        .map(|line| Some(LineSum::new(line?, past)))
        .collect();
    RowSum {
        key,
        months: 0,
        shown: row.clone(),
        parts,
    }
}

impl LineSum {
    fn new(line: &Json<'static>, past: &Past) -> Self {
        let own = |name: &str| member(line, name).unwrap().clone();
        let Json::Text(code) = own("code") else {
            panic!("a code is a text")
        };

        let step = &past.steps[&*code];
        let Some(Value::Number(amount, _)) = step.main.clone() else {
            panic!("{code} is no amount")
        };

        Self {
            code: own("code"),
            label: own("libelle"),
            base: step.line.0.clone(),
            rate: own("taux"),
            amount,
        }
    }

    fn add(&mut self, line: Self) {
        self.base = self.base.take().and_then(|base| Some(base + line.base?));
        self.rate = if self.rate == line.rate {
            line.rate
        } else {
            Json::Null
        };
        (self.amount, self.label) = (&self.amount + line.amount, line.label);
    }

    fn base(&self, law: &Law) -> Option<Decimal> {
        self.base.as_ref().map(|base| written(law, base, true))
    }

    fn to_json(&self, law: &Law) -> Json<'static> {
        Json::Object(vec![
            ("code".into(), self.code.clone()),
            ("libelle".into(), self.label.clone()),
            (
                "assiette".into(),
                self.base(law).map_or(Json::Null, Json::Number),
            ),
            ("taux".into(), self.rate.clone()),
            (
                "montant".into(),
                Json::Number(written(law, &self.amount, true)),
            ),
        ])
    }
}

impl RowSum {
    fn to_json(&self, law: &Law) -> Json<'static> {
        let [employee, employer] = match self.parts.as_slice() {
            [line] => return line.as_ref().unwrap().to_json(law),
            [employee, employer] => [employee.as_ref(), employer.as_ref()],
            other => panic!("{} parts", other.len()),
        };

        let base = |line: Option<&LineSum>| line?.base(law);
        let both = match (base(employee), base(employer)) {
            (one, other) if one == other => one,
            (None, base) | (base, None) => base,
            (Some(one), base) | (base, Some(one)) if one.is_zero() => base,
            _ => None,
        };

        let part = |line: Option<&LineSum>| line.map_or(Json::Null, |line| line.to_json(law));
        let Json::Object(mut members) = self.shown.clone() else {
            panic!("a row is an object")
        };

        for (name, value) in &mut members {
            match &**name {
                "assiette" => *value = both.map_or(Json::Null, Json::Number),
                "part_salariale" => *value = part(employee),
                "part_patronale" => *value = part(employer),
                _ => {}
            }
        }

        Json::Object(members)
    }
}
