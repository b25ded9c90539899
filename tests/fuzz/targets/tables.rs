//! Any bytes as a table, Parquet or Arrow: each row is answered, or the file is refused with a
//! code.
//!
//! The first byte of an input is the format.

use std::io::Write as _;
use std::sync::{Arc, OnceLock};

use bareme_arrow::arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float64Array,
    Int64Array, RecordBatch, StringArray,
};
use bareme_arrow::arrow::datatypes::Int32Type;
use bareme_arrow::{Error, Format, Options, Plan, Sink, Source};
use bareme_engine::Loader;
use jiff::civil::date;

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "tables",
    seeds,
    tokens: &TOKENS,
    check,
};

const TOKENS: [&str; 12] = [
    "PAR1",
    "ARROW1",
    "\u{0}\u{0}\u{0}\u{0}",
    "\u{7f}",
    "montant",
    "taux",
    "sens",
    "date",
    "pays",
    "ht",
    "20",
    "\u{1}",
];

/// Rows of a record batch.
const ROWS: usize = 64;

/// Some columns, of the types that exports of tables have.
fn columns() -> Vec<Vec<(&'static str, ArrayRef)>> {
    let amounts = || {
        Decimal128Array::from(vec![Some(10_000), None, Some(-1)])
            .with_precision_and_scale(18, 2)
            .unwrap()
    };
    let rates = StringArray::from(vec![Some("20"), Some("5.5"), None]);
    let words: DictionaryArray<Int32Type> =
        vec![Some("ht"), None, Some("ttc")].into_iter().collect();
    let days = Date32Array::from(vec![Some(20_000), Some(i32::MAX), None]);
    let floats = Float64Array::from(vec![Some(99.995), Some(f64::NAN), Some(-1e300)]);
    let flags = BooleanArray::from(vec![Some(true), None, Some(false)]);
    vec![
        vec![
            ("montant", Arc::new(amounts())),
            ("taux", Arc::new(rates)),
            ("sens", Arc::new(words)),
        ],
        vec![
            ("montant", Arc::new(Int64Array::from(vec![1, i64::MAX, -5]))),
            ("date", Arc::new(days)),
        ],
        vec![("montant", Arc::new(floats)), ("sens", Arc::new(flags))],
    ]
}

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for columns in columns() {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        for (index, (format, _)) in Format::ALL.iter().enumerate() {
            let mut bytes = vec![u8::try_from(index).unwrap()];
            let mut sink = Sink::new(&mut bytes, batch.schema(), *format).unwrap();
            sink.write(&batch).unwrap();
            sink.finish().unwrap();
            seeds.push(bytes);
        }
    }
    seeds
}

fn plan() -> &'static Plan {
    static PLAN: OnceLock<Plan> = OnceLock::new();
    PLAN.get_or_init(|| {
        let root = harness::repository().join("rules");
        let loaded = Loader::new()
            .without_cases()
            .only(&["tva"])
            .load_service(&root);
        let options = Options::fields(["ht", "tva", "libelle_taux"]).rounding_floats_to(2);
        Plan::new(
            &loaded.rules.expect("the rules are right"),
            "tva",
            date(2026, 3, 31),
            &options,
        )
        .unwrap()
    })
}

fn check(bytes: &[u8]) -> bool {
    let Some((first, table)) = bytes.split_first() else {
        return false;
    };
    let (format, _) = Format::ALL[usize::from(*first) % Format::ALL.len()];
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(table).unwrap();
    let refused = |error: Error| {
        assert!(!error.code().is_empty() && !error.to_string().is_empty());
        false
    };
    let source = match Source::open(file.path(), format, ROWS) {
        Ok(source) => source,
        Err(error) => return refused(error),
    };
    for batch in source {
        let answered = batch.and_then(|batch| Ok((batch.num_rows(), plan().evaluate(&batch)?)));
        match answered {
            Ok((rows, answers)) => assert_eq!(answers.num_rows(), rows),
            Err(error) => return refused(error),
        }
    }
    true
}
