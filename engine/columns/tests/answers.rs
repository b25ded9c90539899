//! Values of tables against single calculations: every field of every folder, over its worked
//! cases, read back from every format of file.

#![cfg(test)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array as _, ArrayRef, AsArray as _, RecordBatch, StringArray};
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use bareme_arrow::{Format, Options, Plan, Sink, Source};
use bareme_engine::jiff::civil::{Date, date};
use bareme_engine::law::Drafts;
use bareme_engine::run::plan::FieldKind;
use bareme_engine::{Calculation, Datum, Folder, Loader};

const DAY: Date = date(2026, 3, 31);

/// The queries of the worked cases of a folder.
type Queries = Vec<Vec<(String, String)>>;

#[test]
fn tables_hold_the_values_of_single_calculations_to_the_last_digit() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules");
    let rules = Loader::new()
        .drafts(Drafts::Included)
        .without_cases()
        .load_service(&root)
        .rules
        .unwrap();
    let place = tempfile::tempdir().unwrap();
    let mut rates = 0;
    for folder in rules.folders() {
        let plan = Plan::new(&rules, folder.path(), DAY, &Options::default()).unwrap();
        let queries = queries(folder, &plan);
        let answers = plan.evaluate(&table(&queries)).unwrap();
        for (format, endings) in Format::ALL {
            let read = through(
                &answers,
                &place.path().join(format!("answers.{}", endings[0])),
                format,
            );
            assert_eq!(
                read.schema().fields().len(),
                answers.schema().fields().len()
            );
            rates += compare(folder, &plan, &queries, &read);
        }
    }
    assert!(rates > 1_000, "{rates} rates and numbers that are not 0");
}

fn queries(folder: &Folder, plan: &Plan) -> Queries {
    let known = plan.kernel().columns();
    let is_of_table = |query: &&Vec<(String, String)>| {
        query.iter().all(|(name, _)| known.contains(&name.as_str()))
    };
    let cases = folder
        .cases()
        .iter()
        .filter(|case| !case.is_year)
        .map(|case| &case.query);
    let queries: Queries = cases.filter(is_of_table).cloned().collect();
    assert!(!queries.is_empty(), "{}", folder.path());
    queries
}

/// Queries as a table of texts.
fn table(queries: &Queries) -> RecordBatch {
    let names: BTreeMap<&str, ()> = queries
        .iter()
        .flatten()
        .map(|(name, _)| (name.as_str(), ()))
        .collect();
    let cell = |query: &[(String, String)], name: &str| {
        query
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.clone())
    };
    RecordBatch::try_from_iter_with_nullable(names.keys().map(|name| {
        let cells: StringArray = queries.iter().map(|query| cell(query, name)).collect();
        (*name, Arc::new(cells) as ArrayRef, true)
    }))
    .unwrap()
}

/// A table as a file holds it.
fn through(answers: &RecordBatch, path: &Path, format: Format) -> RecordBatch {
    let mut sink = Sink::new(
        std::fs::File::create(path).unwrap(),
        answers.schema(),
        format,
    )
    .unwrap();
    sink.write(answers).unwrap();
    sink.finish().unwrap();
    let source = Source::open(path, format, 1_000).unwrap();
    let schema = Arc::clone(source.schema());
    let batches: Vec<RecordBatch> = source.map(Result::unwrap).collect();
    plain(&concat_batches(&schema, &batches).unwrap())
}

/// A table with texts in place of dictionaries.
fn plain(table: &RecordBatch) -> RecordBatch {
    let schema = table.schema();
    let fields = schema.fields().iter().map(|field| match field.data_type() {
        DataType::Dictionary(..) => Arc::new(Field::new(field.name(), DataType::Utf8, true)),
        _ => Arc::clone(field),
    });
    let fields: Vec<Arc<Field>> = fields.collect();
    let columns = table
        .columns()
        .iter()
        .zip(&fields)
        .map(|(column, field)| cast(column, field.data_type()).unwrap());
    RecordBatch::try_new(Arc::new(Schema::new(fields.clone())), columns.collect()).unwrap()
}

/// Compares each row with the calculation of its query; returns how many rates and numbers were not
/// 0.
fn compare(folder: &Folder, plan: &Plan, queries: &Queries, answers: &RecordBatch) -> usize {
    let mut rates = 0;
    for (row, query) in queries.iter().enumerate() {
        let context = || format!("{} {query:?}", folder.path());
        let text = |name: &str| text(answers, name, row);
        match folder.calculate(&query.into(), DAY) {
            Err(error) => {
                let bad = &error.refusal().unwrap().parameters[0];
                let said = (text("erreur").unwrap(), text("champ").unwrap());
                assert_eq!(
                    said,
                    (bad.code.as_str().to_owned(), bad.name.clone()),
                    "{}",
                    context()
                );
                plan.kernel()
                    .fields()
                    .iter()
                    .for_each(|field| assert_eq!(text(&field.name), None, "{}", context()));
            }
            // No digit is lost: a rate that its column does not hold refuses the row, and says so.
            Ok(calculation) if has_rate_beyond(plan, &calculation) => {
                assert_eq!(
                    text("erreur").as_deref(),
                    Some("trop_de_chiffres"),
                    "{}",
                    context()
                );
            }
            Ok(calculation) => {
                for field in plan.kernel().fields() {
                    let expected = shown(calculation.datum().get(&field.name));
                    assert_eq!(
                        text(&field.name),
                        expected,
                        "{} of {}",
                        field.name,
                        context()
                    );
                    let is_number = matches!(
                        field.kind,
                        FieldKind::Rate { .. } | FieldKind::Number { decimals: 1.. }
                    );
                    rates += usize::from(is_number && expected.is_some_and(|value| value != "0"));
                }
                assert_eq!(text("erreur"), None, "{}", context());
                let version = calculation.edition().version();
                assert_eq!(text("version").as_deref(), Some(version));
                let day = calculation
                    .edition()
                    .scale()
                    .map(|scale| scale.date.to_string());
                assert_eq!(text("bareme_en_vigueur"), day, "{}", context());
                assert_eq!(text("reserves"), remarks(&calculation), "{}", context());
            }
        }
    }
    rates
}

/// Whether an answer has a rate that takes more digits before the point than the column of rates
/// has.
fn has_rate_beyond(plan: &Plan, calculation: &Calculation) -> bool {
    let rates = plan
        .kernel()
        .fields()
        .iter()
        .filter(|field| matches!(field.kind, FieldKind::Rate { .. }));
    let mut numbers = rates.filter_map(|field| calculation.field(&field.name)?.number());
    numbers.any(|rate| rate.abs() >= bareme_engine::rust_decimal::Decimal::ONE_THOUSAND)
}

/// The remarks of the answer of a calculation, under its references and without one, as JSON text.
fn remarks(calculation: &Calculation) -> Option<String> {
    let answer = calculation.datum();
    let references = answer
        .get("references")
        .map(|references| references.items().collect::<Vec<_>>());
    let sourced = references
        .unwrap_or_default()
        .into_iter()
        .filter_map(|reference| reference.get("reserves"));
    let all: Vec<String> = sourced
        .chain(answer.get("reserves"))
        .flat_map(|list| {
            list.items()
                .map(|remark| remark.to_string())
                .collect::<Vec<_>>()
        })
        .collect();
    (!all.is_empty()).then(|| format!("[{}]", all.join(",")))
}

fn shown(value: Option<Datum>) -> Option<String> {
    match value? {
        Datum::Null => None,
        Datum::Text(text) => Some(text.to_owned()),
        other => Some(other.to_string()),
    }
}

/// A cell as an answer shows it.
fn text(table: &RecordBatch, name: &str, row: usize) -> Option<String> {
    let column = &table[name];
    if column.is_null(row) {
        return None;
    }
    if let Some(texts) = column.as_string_opt::<i32>() {
        return Some(texts.value(row).to_owned());
    }
    let shown = ArrayFormatter::try_new(column, &FormatOptions::new())
        .unwrap()
        .value(row)
        .to_string();
    let is_decimal = matches!(column.data_type(), DataType::Decimal128(..)) && shown.contains('.');
    Some(if is_decimal {
        shown.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        shown
    })
}
