//! `bareme batch` over tables: Arrow and Parquet, of texts or of typed columns, with the inputs
//! kept or not.

use std::path::Path;
use std::sync::Arc;

use bareme_arrow::arrow::array::{
    Array as _, ArrayRef, AsArray as _, BooleanArray, Date32Array, Decimal128Array, RecordBatch,
    StringArray,
};
use bareme_arrow::arrow::datatypes::DataType;
use bareme_arrow::arrow::util::display::array_value_to_string;
use bareme_arrow::{Format, Sink, Source};
use bareme_engine::jiff::civil::{Date, date};
use bareme_engine::rust_decimal::Decimal;

use super::batch::{columns, command, kept, of_members, takes};
use super::{Door, Group};
use crate::answer::{Answer, Carried, Fields, Following, Refusals, Refused, Reserves};
use crate::draw::{Kind, Question};
use crate::json::{self, Json};
use crate::oracle::{Pairs, Target};

/// `bareme batch` over tables.
pub(crate) struct Tables<'p> {
    pub program: &'p Path,
    pub format: Format,
    /// Whether columns have the type of their values; else all are texts.
    pub is_typed: bool,
    /// Whether every input is copied to the answers.
    pub keeps: bool,
}

impl Door for Tables<'_> {
    fn name(&self) -> String {
        let (typed, kept) = (
            if self.is_typed { " typed" } else { "" },
            if self.keeps { " --keep" } else { "" },
        );
        format!("batch {:?}{typed}{kept}", self.format)
    }

    fn carries(&self) -> Carried {
        Carried {
            following: Following::Asked,
            ..CARRIED
        }
    }

    fn takes(&self, _: Target, question: &Question) -> bool {
        // A column of numbers holds no other text.
        takes(question, false) && !(self.is_typed && question.kind == Kind::Value)
    }

    fn ask(&self, group: &Group) -> Vec<Answer> {
        let place = tempfile::tempdir().unwrap();
        let (_, endings) = Format::ALL
            .iter()
            .find(|(format, _)| *format == self.format)
            .unwrap();
        let file = |name: &str| place.path().join(format!("{name}.{}", endings[0]));
        let names = columns(&group.questions);
        let sent = table(&names, &group.questions, self.is_typed);
        let mut sink = Sink::new(
            std::fs::File::create(file("in")).unwrap(),
            sent.schema(),
            self.format,
        )
        .unwrap();
        sink.write(&sent).unwrap();
        sink.finish().unwrap();

        let kept = if self.keeps { kept(group) } else { Vec::new() };
        let mut command = command(self.program, group, &kept);
        let done = command
            .arg(file("in"))
            .arg("--output")
            .arg(file("out"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(
            done.status.code().is_some_and(|code| code < 2),
            "{command:?}: {said}"
        );
        let mut answers = Vec::new();
        for batch in Source::open(&file("out"), self.format, 1000).unwrap() {
            let batch = batch.unwrap();
            check_kept(&batch, &sent, &kept, answers.len());
            answers.extend(rows(&batch, kept.len()).iter().map(of_row));
        }
        answers
    }
}

/// What the row of a table gives.
pub(super) const CARRIED: Carried = Carried {
    fields: Fields::Single,
    refusals: Refusals::FirstCode,
    cited: false,
    reserves: Reserves::All,
    has_widths: true,
    ..Carried::WHOLE
};

/// Questions as a table; a parameter that is not sent is a null.
fn table(names: &[String], questions: &[&Question], is_typed: bool) -> RecordBatch {
    let column = |name: &String| {
        let cells = questions.iter().map(|question| sent(&question.pairs, name));
        let texts: Vec<Option<&str>> = cells.collect();
        let typed = if is_typed { typed(&texts) } else { None };
        (
            name.clone(),
            typed.unwrap_or_else(|| Arc::new(StringArray::from(texts))),
        )
    };
    RecordBatch::try_from_iter(names.iter().map(column)).unwrap()
}

fn sent<'p>(pairs: &'p Pairs, name: &str) -> Option<&'p str> {
    pairs
        .iter()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value.as_str())
}

/// Texts that are all booleans, days or numbers, as such.
fn typed(texts: &[Option<&str>]) -> Option<ArrayRef> {
    let boolean = |text: &str| text.parse::<bool>().ok();
    if let Some(values) = each(texts, boolean) {
        return Some(Arc::new(BooleanArray::from(values)));
    }
    let day = |text: &str| {
        Some(
            text.parse::<Date>()
                .ok()?
                .since(date(1970, 1, 1))
                .ok()?
                .get_days(),
        )
    };
    if let Some(values) = each(texts, day) {
        return Some(Arc::new(Date32Array::from(values)));
    }
    let numbers = each(texts, |text| Decimal::from_str_exact(text).ok())?;
    let scale = numbers
        .iter()
        .flatten()
        .map(|number| number.normalize().scale())
        .max()?;
    let mantissa = |number: Decimal| {
        let mut number = number.normalize();
        number.rescale(scale);
        (number.scale() == scale).then(|| number.mantissa())
    };
    let values: Vec<Option<i128>> = numbers
        .into_iter()
        .map(|number| number.map_or(Some(None), |number| mantissa(number).map(Some)))
        .collect::<Option<_>>()?;
    let array = Decimal128Array::from(values)
        .with_precision_and_scale(38, i8::try_from(scale).ok()?)
        .ok()?;
    Some(Arc::new(array))
}

/// The value of each text; none where a text has none.
fn each<T>(texts: &[Option<&str>], read: impl Fn(&str) -> Option<T>) -> Option<Vec<Option<T>>> {
    texts
        .iter()
        .map(|text| text.map_or(Some(None), |text| read(text).map(Some)))
        .collect()
}

/// Copied columns come first, and are those that were sent.
fn check_kept(batch: &RecordBatch, sent: &RecordBatch, kept: &[String], from: usize) {
    for (place, name) in kept.iter().enumerate() {
        assert_eq!(batch.schema().field(place).name(), name);
        let own = sent
            .column_by_name(name)
            .unwrap()
            .slice(from, batch.num_rows());
        assert_eq!(batch.column(place).as_ref(), own.as_ref(), "{name}");
    }
}

/// The rows of a table after its copied columns, as objects.
fn rows(batch: &RecordBatch, kept: usize) -> Vec<Json> {
    let schema = batch.schema();
    let names = schema.fields().iter().map(|field| field.name());
    let columns: Vec<(&String, &ArrayRef)> = names.zip(batch.columns()).skip(kept).collect();
    let row = |row: usize| {
        let members = columns
            .iter()
            .map(|(name, array)| ((*name).clone(), value(array, row)));
        Json::Object(members.filter(|(_, value)| *value != Json::Null).collect())
    };
    (0..batch.num_rows()).map(row).collect()
}

/// A value of a column.
fn value(array: &ArrayRef, row: usize) -> Json {
    if array.is_null(row) {
        return Json::Null;
    }
    let text = || array_value_to_string(array, row).unwrap();
    match array.data_type() {
        DataType::Boolean => Json::Boolean(array.as_boolean().value(row)),
        found if found.is_numeric() => Json::Number(json::number(&text())),
        DataType::List(_) => {
            let items = array.as_list::<i32>().value(row);
            Json::List((0..items.len()).map(|item| value(&items, item)).collect())
        }
        DataType::Struct(fields) => {
            let members = fields.iter().zip(array.as_struct().columns());
            let members = members.map(|(field, column)| (field.name().clone(), value(column, row)));
            Json::Object(members.filter(|(_, value)| *value != Json::Null).collect())
        }
        _ => Json::Text(text()),
    }
}

/// The answer in the row of a table.
pub(super) fn of_row(row: &Json) -> Answer {
    const OF_REFUSALS: [&str; 3] = ["erreur", "champ", "message"];
    let text = |name: &str| row.get(name).and_then(Json::text).map(str::to_owned);
    if let Some(code) = text("erreur") {
        let refused = Refused {
            parameter: text("champ").unwrap_or_default(),
            code,
            month: None,
        };
        return Answer {
            refusals: vec![refused],
            sentence: text("message"),
            ..Answer::default()
        };
    }
    of_members(
        row.members()
            .iter()
            .filter(|(name, _)| !OF_REFUSALS.contains(&name.as_str())),
    )
}
