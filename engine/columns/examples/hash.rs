//! Income tax of the households of a Parquet file: `hash RULES HOUSEHOLDS`. Prints the same digest
//! as the examples of the Python package (`tools/python/examples`) for the same file.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use bareme_arrow::arrow::array::{Array as _, ArrayRef, AsArray as _, ListArray, RecordBatch};
use bareme_arrow::arrow::datatypes::Int64Type;
use bareme_arrow::arrow::util::display::{ArrayFormatter, FormatOptions};
use bareme_arrow::{Format, Options, Plan, Source};
use bareme_engine::jiff::civil::date;
use bareme_engine::{Datum, Loader};
use sha2::{Digest as _, Sha256};

const FIELDS: [&str; 4] = [
    "impot_net",
    "taux_marginal",
    "taux_effectif",
    "plafonnement",
];

const ROWS_AT_ONCE: usize = 65_536;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rules, households] = arguments.as_slice() else {
        return Err("usage: hash RULES HOUSEHOLDS".into());
    };
    let loaded = Loader::new()
        .without_cases()
        .only(&["ir"])
        .load_service(Path::new(rules));
    let rules = loaded.rules.ok_or("the rules have errors")?;
    let plan = Plan::new(
        &rules,
        "ir",
        date(2026, 3, 31),
        &Options::fields(FIELDS).keep(["id"]),
    )?;
    let source = Source::open(Path::new(households), Format::Parquet, ROWS_AT_ONCE)?;
    let bound = plan.bind(source.schema())?;
    let mut rows = Vec::new();
    for batch in source {
        rows.extend(lines(&bound.evaluate(&batch?)?)?);
    }
    rows.sort_by_key(|(id, _)| *id);
    let schema = bound.output_schema();
    let names: Vec<&str> = schema
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .collect();
    let mut digest = Sha256::new();
    digest.update(format!("{}\n", names.join("\t")));
    rows.iter().for_each(|(_, line)| digest.update(line));
    let digest = digest
        .finalize()
        .iter()
        .fold(String::new(), |mut text, byte| {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        });
    println!("{{\"digest\": \"{digest}\", \"rows\": {}}}", rows.len());
    Ok(())
}

/// The rows of answers as lines, each with its `id`.
fn lines(answers: &RecordBatch) -> Result<Vec<(i64, String)>, Box<dyn Error>> {
    let ids = answers
        .column_by_name("id")
        .ok_or("no column `id`")?
        .as_primitive::<Int64Type>();
    let options = FormatOptions::new().with_null("\\N");
    let formatted = |column: &ArrayRef| -> Result<Vec<String>, Box<dyn Error>> {
        if let Some(lists) = column.as_list_opt::<i32>() {
            return Ok((0..lists.len()).map(|row| warnings(lists, row)).collect());
        }
        let values = ArrayFormatter::try_new(column.as_ref(), &options)?;
        Ok((0..column.len())
            .map(|row| values.value(row).to_string())
            .collect())
    };
    let columns = answers
        .columns()
        .iter()
        .map(formatted)
        .collect::<Result<Vec<_>, _>>()?;
    let line = |row: usize| {
        let values: Vec<&str> = columns
            .iter()
            .filter_map(|column| Some(column.get(row)?.as_str()))
            .collect();
        format!("{}\n", values.join("\t"))
    };
    Ok((0..ids.len())
        .map(|row| (ids.value(row), line(row)))
        .collect())
}

/// The warnings of a row as an answer of the API writes them.
fn warnings(lists: &ListArray, row: usize) -> String {
    if lists.is_null(row) {
        return "\\N".to_owned();
    }
    let list = lists.value(row);
    let members = list.as_struct();
    let warning = |index: usize| {
        let named = members.column_names().into_iter().zip(members.columns());
        let there = named.filter(|(_, texts)| texts.is_valid(index));
        let member = |(name, texts): (&str, &ArrayRef)| {
            format!(
                "{}:{}",
                Datum::Text(name),
                Datum::Text(texts.as_string::<i32>().value(index))
            )
        };
        format!("{{{}}}", there.map(member).collect::<Vec<_>>().join(","))
    };
    format!(
        "[{}]",
        (0..members.len())
            .map(warning)
            .collect::<Vec<_>>()
            .join(",")
    )
}
