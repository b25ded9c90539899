//! Tables as data engines pass them: every type of column that is accepted, everything that is
//! refused, and answers that do not depend on the type.

#![cfg(test)]

mod chains;
mod files;
mod lists;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use arrow::array::{
    Array, ArrayRef, AsArray as _, BooleanArray, Date32Array, Date64Array, Decimal64Array,
    Decimal128Array, Decimal256Array, DictionaryArray, Float32Array, Float64Array, Int32Array,
    Int64Array, LargeStringArray, NullArray, RecordBatch, StringArray, StringViewArray,
    TimestampSecondArray, UInt64Array,
};
use arrow::datatypes::{DataType, Decimal128Type, Field, Int32Type, Schema, i256};
use bareme_arrow::{Error, Options, Plan};
use bareme_engine::jiff::civil::date;
use bareme_engine::law::Warning;
use bareme_engine::law::members::WARNINGS;
use bareme_engine::run::plan::PlanError;
use bareme_engine::service::Rules;
use bareme_engine::{Loader, Query, jiff::civil::Date};

const DAY: Date = date(2026, 3, 31);

fn rules() -> &'static Rules {
    static RULES: OnceLock<Rules> = OnceLock::new();
    RULES.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules");
        Loader::new()
            .without_cases()
            .load_service(&root)
            .rules
            .unwrap()
    })
}

fn tax() -> Plan {
    Plan::new(rules(), "ir", DAY, &Options::fields(["impot_net"])).unwrap()
}

fn table<const COUNT: usize>(columns: [(&str, ArrayRef); COUNT]) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

fn decimals(values: Vec<Option<i128>>, digits: u8, scale: i8) -> ArrayRef {
    Arc::new(
        Decimal128Array::from(values)
            .with_precision_and_scale(digits, scale)
            .unwrap(),
    )
}

/// The answers of a column of numbers, as texts.
fn numbers(answers: &RecordBatch, name: &str) -> Vec<Option<String>> {
    let column = answers[name].as_primitive::<Decimal128Type>();
    (0..column.len())
        .map(|row| column.is_valid(row).then(|| column.value_as_string(row)))
        .collect()
}

fn texts(answers: &RecordBatch, name: &str) -> Vec<Option<String>> {
    answers[name]
        .as_string::<i32>()
        .iter()
        .map(|text| text.map(str::to_owned))
        .collect()
}

#[test]
fn the_warnings_of_a_row_are_those_of_a_single_calculation() {
    let sent = table([
        (
            "revenu",
            Arc::new(Int32Array::from(vec![30_000, 30_000])) as ArrayRef,
        ),
        ("parts", Arc::new(Int32Array::from(vec![2, 2]))),
        ("case_l", Arc::new(BooleanArray::from(vec![false, true]))),
    ]);
    let answers = tax().evaluate(&sent).unwrap();
    let lists = answers[WARNINGS.name].as_list::<i32>();
    assert!(lists.is_null(0), "without a warning there is no list");

    let query = [("revenu", "30000"), ("parts", "2"), ("case_l", "true")];
    let alone = rules()
        .folder("ir")
        .unwrap()
        .calculate(&Query::from(query), DAY)
        .unwrap();
    let expected: Vec<[Option<String>; 3]> = alone.warnings().iter().map(members).collect();
    assert!(!expected.is_empty());
    let list = lists.value(1);
    let columns = list
        .as_struct()
        .columns()
        .iter()
        .map(|column| column.as_string::<i32>());
    let columns: Vec<&StringArray> = columns.collect();
    let cell = |column: &StringArray, row: usize| {
        column.is_valid(row).then(|| column.value(row).to_owned())
    };
    let found = (0..list.len()).map(|row| [0, 1, 2].map(|member| cell(columns[member], row)));
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

/// The members of a warning, in the order of its JSON.
fn members(warning: &Warning) -> [Option<String>; 3] {
    let parameter = warning.parameter.as_deref().map(str::to_owned);
    [
        Some(warning.code.to_string()),
        Some(warning.text.fr.clone()),
        parameter,
    ]
}

#[test]
fn every_type_of_number_and_text_gives_the_same_tax() {
    let written = ["30000", "78400"];
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![30_000, 78_400])),
        Arc::new(Int64Array::from(vec![30_000, 78_400])),
        Arc::new(UInt64Array::from(vec![30_000, 78_400])),
        decimals(vec![Some(3_000_000), Some(7_840_000)], 18, 2),
        decimals(
            vec![Some(3_000_000_000_000_000), Some(7_840_000_000_000_000)],
            38,
            11,
        ),
        decimals(vec![Some(300), Some(784)], 5, -2),
        Arc::new(
            Decimal64Array::from(vec![300_000, 784_000])
                .with_precision_and_scale(10, 1)
                .unwrap(),
        ),
        Arc::new(
            Decimal256Array::from(vec![i256::from(3_000_000), i256::from(7_840_000)])
                .with_precision_and_scale(50, 2)
                .unwrap(),
        ),
        Arc::new(StringArray::from(written.to_vec())),
        Arc::new(LargeStringArray::from(written.to_vec())),
        Arc::new(StringViewArray::from(written.to_vec())),
        Arc::new(written.into_iter().collect::<DictionaryArray<Int32Type>>()),
    ];
    for column in columns {
        let ty = column.data_type().clone();
        let answers = tax().evaluate(&table([("revenu", column)])).unwrap();
        let expected = [Some("2104.00".to_owned()), Some("16624.00".to_owned())];
        assert_eq!(numbers(&answers, "impot_net"), expected, "{ty}");
        assert_eq!(answers["erreur"].null_count(), 2, "{ty}");
    }
}

#[test]
fn a_float_is_refused_unless_a_rounding_is_named_and_then_rounded_as_it_is_written() {
    // In binary, 2.675 is a little less: the rounding uses its shortest text.
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![
        Some(11_600.005),
        Some(1e12),
        None,
        Some(f64::NAN),
    ]));
    let error = tax()
        .evaluate(&table([("revenu", Arc::clone(&floats))]))
        .unwrap_err();
    assert!(
        matches!(&error, Error::Float { column } if column == "revenu"),
        "{error}"
    );
    assert_eq!(error.code(), "colonne_flottante");
    let options = Options::fields(["revenu_imposable"]).rounding_floats_to(2);
    let plan = Plan::new(rules(), "ir", DAY, &options).unwrap();
    let answers = plan.evaluate(&table([("revenu", floats)])).unwrap();
    assert_eq!(
        numbers(&answers, "revenu_imposable")[0].as_deref(),
        Some("11600.01")
    );
    let codes = [None, Some("hors_bornes"), Some("manquant"), Some("format")];
    assert_eq!(
        texts(&answers, "erreur"),
        codes.map(|code| code.map(str::to_owned))
    );
    let short: ArrayRef = Arc::new(Float32Array::from(vec![20_000.1]));
    let answers = plan.evaluate(&table([("revenu", short)])).unwrap();
    assert_eq!(
        numbers(&answers, "revenu_imposable")[0].as_deref(),
        Some("20000.10")
    );
}

#[test]
fn a_day_outside_the_calendar_is_refused_and_not_taken_for_none_or_for_another() {
    /// 30 June 2024, in days since 1970.
    const JUNE: i32 = 19_904;
    let seconds = |days: i64| days * 86_400;
    let far = i64::from(i32::MAX) + 1;
    // 2^32 days later, a cast to 32 bits is on the same day.
    let wrapped = (1_i64 << 32) + i64::from(JUNE);
    let columns: [(ArrayRef, &str); 5] = [
        (
            Arc::new(Date32Array::from(vec![JUNE, i32::MAX])),
            "2147483647",
        ),
        (
            Arc::new(Date32Array::from(vec![JUNE, 3_000_000])),
            "3000000",
        ),
        (
            Arc::new(Date32Array::from(vec![JUNE, -3_000_000])),
            "-006244-04-12",
        ),
        (
            Arc::new(Date64Array::from(vec![
                seconds(JUNE.into()) * 1_000,
                seconds(wrapped) * 1_000,
            ])),
            "4294987200",
        ),
        (
            Arc::new(TimestampSecondArray::from(vec![
                seconds(JUNE.into()),
                seconds(far),
            ])),
            "2147483648",
        ),
    ];
    for (days, received) in columns {
        let ty = days.data_type().clone();
        let income: ArrayRef = Arc::new(Int64Array::from(vec![30_000, 30_000]));
        let answers = tax()
            .evaluate(&table([("revenu", income), ("date", days)]))
            .unwrap();
        // The scale of 2024 for the first row; the second is none of today.
        let expected = [Some("2286.00".to_owned()), None];
        assert_eq!(numbers(&answers, "impot_net"), expected, "{ty}");
        assert_eq!(texts(&answers, "champ")[1].as_deref(), Some("date"), "{ty}");
        let message = texts(&answers, "message").remove(1).unwrap();
        assert!(message.contains(received), "{ty}: {message}");
    }
}

#[test]
fn what_is_wrong_with_the_columns_is_said_before_a_row_is_computed() {
    let one = || -> ArrayRef { Arc::new(Int64Array::from(vec![1])) };
    let wrong = |columns: Vec<(&str, ArrayRef)>| {
        tax()
            .evaluate(&RecordBatch::try_from_iter(columns).unwrap())
            .unwrap_err()
    };
    let unknown = wrong(vec![("revenu", one()), ("part", one())]);
    assert!(
        matches!(&unknown, Error::Plan(PlanError::UnknownColumn { near: Some(near), .. }) if near == "parts")
    );
    assert!(
        unknown.to_string().contains("vouliez-vous dire `parts` ?"),
        "{unknown}"
    );
    assert_eq!(wrong(vec![("parts", one())]).code(), "colonne_absente");
    let nested: ArrayRef = Arc::new(arrow::array::StructArray::from(vec![(
        Arc::new(Field::new("a", DataType::Int64, true)),
        one(),
    )]));
    assert_eq!(wrong(vec![("revenu", nested)]).code(), "type_de_colonne");
    let twice = Schema::new(vec![
        Field::new("revenu", DataType::Int64, true),
        Field::new("revenu", DataType::Int64, true),
    ]);
    let twice = RecordBatch::try_new(Arc::new(twice), vec![one(), one()]).unwrap();
    assert_eq!(
        tax().evaluate(&twice).unwrap_err().code(),
        "colonne_repetee"
    );
    let plan = |options: Options| Plan::new(rules(), "ir", DAY, &options);
    assert_eq!(
        plan(Options::fields(["impot_nett"])).unwrap_err().code(),
        "champ_inconnu"
    );
    assert_eq!(
        Plan::new(rules(), "irr", DAY, &Options::default())
            .unwrap_err()
            .code(),
        "bareme_inconnu"
    );
    let kept = |name: &str| {
        plan(Options::default().keep([name]))
            .unwrap()
            .evaluate(&table([("revenu", one())]))
            .unwrap_err()
    };
    assert_eq!(kept("foyer").code(), "colonne_gardee");
}

#[test]
fn a_row_of_nulls_and_a_number_too_wide_are_refused_and_the_others_answered() {
    let incomes = decimals(
        vec![
            Some(3_000_000),
            None,
            Some(10_i128.pow(37)),
            Some(3_000_050),
            Some(3_000_055),
        ],
        38,
        3,
    );
    let answers = tax()
        .evaluate(&table([
            ("revenu", incomes),
            ("parts", Arc::new(NullArray::new(5))),
        ]))
        .unwrap();
    let codes = [
        None,
        Some("manquant"),
        Some("trop_de_chiffres"),
        None,
        Some("trop_de_chiffres"),
    ];
    assert_eq!(
        texts(&answers, "erreur"),
        codes.map(|code| code.map(str::to_owned))
    );
    assert_eq!(texts(&answers, "champ")[1].as_deref(), Some("revenu"));
    assert!(
        texts(&answers, "message")[1]
            .as_deref()
            .unwrap()
            .contains("obligatoire")
    );
    assert_eq!(numbers(&answers, "impot_net")[3].as_deref(), Some("0.00"));
    assert_eq!(answers["bareme_en_vigueur"].null_count(), 3);
}

#[test]
fn the_schema_is_the_same_for_every_table() {
    let plan = Plan::new(rules(), "ir", DAY, &Options::default()).unwrap();
    let empty: ArrayRef = Arc::new(Int64Array::from(Vec::<i64>::new()));
    let answers = plan.evaluate(&table([("revenu", empty)])).unwrap();
    assert_eq!(
        (answers.num_rows(), answers.schema()),
        (0, plan.output_schema())
    );
    let refused: ArrayRef = Arc::new(StringArray::from(vec!["abc"]));
    let answers = plan.evaluate(&table([("revenu", refused)])).unwrap();
    assert_eq!(answers.schema(), plan.output_schema());
    let type_of = |name: &str| {
        plan.output_schema()
            .field_with_name(name)
            .unwrap()
            .data_type()
            .clone()
    };
    assert_eq!(type_of("impot_net"), DataType::Decimal128(18, 2));
    assert_eq!(type_of("taux_effectif"), DataType::Decimal128(9, 6));
    assert!(matches!(type_of("version"), DataType::Dictionary(..)));
    assert!(
        !plan
            .input_schema()
            .field_with_name("revenu")
            .unwrap()
            .is_nullable()
    );
}

#[test]
fn columns_are_kept_and_renamed_and_days_choose_the_scale() {
    let options = Options::fields(["impot_net"])
        .keep(["foyer", "actif"])
        .map([("rni", "revenu")]);
    let plan = Plan::new(rules(), "ir", DAY, &options).unwrap();
    let table = table([
        (
            "foyer",
            Arc::new(StringArray::from(vec!["a", "b", "c"])) as ArrayRef,
        ),
        ("rni", Arc::new(Int64Array::from(vec![30_000; 3]))),
        (
            "actif",
            Arc::new(BooleanArray::from(vec![true, false, true])),
        ),
        // 30 June 2025, 30 June 2026, before the first scale.
        ("date", Arc::new(Date32Array::from(vec![20_269, 20_634, 0]))),
    ]);
    let bound = plan.bind(table.schema_ref()).unwrap();
    let answers = bound.evaluate(&table).unwrap();
    assert_eq!(answers.schema(), bound.output_schema());
    assert_eq!(
        texts(&answers, "foyer"),
        ["a", "b", "c"].map(|text| Some(text.to_owned()))
    );
    let taxes = numbers(&answers, "impot_net");
    assert!(taxes[0] > taxes[1], "{taxes:?}");
    assert_eq!(texts(&answers, "erreur")[2].as_deref(), Some("sans_bareme"));
}

#[test]
fn an_endpoint_of_a_family_computes_each_row_by_its_country() {
    let plan = Plan::new(
        rules(),
        "salaire-net",
        DAY,
        &Options::fields(["net_mensuel"]),
    )
    .unwrap();
    let table = table([
        (
            "pays",
            Arc::new(StringArray::from(vec!["sn", "Côte d’Ivoire", "zz", "sn"])) as ArrayRef,
        ),
        ("brut", Arc::new(Int64Array::from(vec![300_000; 4]))),
    ]);
    let answers = plan.evaluate(&table).unwrap();
    let nets = numbers(&answers, "net_mensuel");
    assert!(
        nets[0].is_some() && nets[0] == nets[3] && nets[0] != nets[1],
        "{nets:?}"
    );
    assert_eq!(texts(&answers, "champ")[2].as_deref(), Some("pays"));
}

#[test]
fn a_net_is_searched_for_as_a_column() {
    let plan = Plan::new(
        rules(),
        "salaire-net/ci",
        DAY,
        &Options::fields(["net_mensuel"]),
    )
    .unwrap();
    let nets: ArrayRef = Arc::new(Int64Array::from(vec![Some(500_000), None]));
    let gross: ArrayRef = Arc::new(Int64Array::from(vec![None, Some(300_000)]));
    let answers = plan
        .evaluate(&table([("net", nets), ("brut", gross)]))
        .unwrap();
    assert_eq!(answers["erreur"].null_count(), 2);
    assert_eq!(
        numbers(&answers, "net_mensuel")[0].as_deref(),
        Some("500000.00")
    );
}
