//! Lists: the heirs of an estate as texts, as columns of lists, and as a column of structs.

use arrow::array::{ListArray, StructArray};
use arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::compute::cast;
use arrow::datatypes::Fields;
use arrow::util::display::array_value_to_string;

use super::*;

fn estate() -> Plan {
    let fields = ["droits", "heritiers"];
    Plan::new(rules(), "partage", DAY, &Options::fields(fields)).unwrap()
}

/// Three estates: three heirs, none but a sister, and two.
fn nets() -> ArrayRef {
    Arc::new(Int64Array::from(vec![600_000, 90_000, 400_000]))
}

fn relations() -> ArrayRef {
    let texts = [
        "enfant",
        "enfant",
        "autre",
        "frere_soeur",
        "enfant",
        "autre",
    ];
    Arc::new(StringArray::from_iter_values(texts))
}

/// Earlier gifts, one of which nobody knows of.
fn gifts() -> ArrayRef {
    let values = [Some(50_000), None, Some(0), None, Some(10_000), Some(0)];
    Arc::new(Int64Array::from_iter(values))
}

/// Where the heirs of each estate end.
fn offsets() -> OffsetBuffer<i32> {
    OffsetBuffer::new(ScalarBuffer::from(vec![0, 3, 4, 6]))
}

fn lists(values: ArrayRef) -> ArrayRef {
    let field = Arc::new(Field::new("item", values.data_type().clone(), true));
    Arc::new(ListArray::new(field, offsets(), values, None))
}

/// The duties and the heirs of three estates.
fn answers(columns: Vec<(&str, ArrayRef)>) -> Vec<(Option<String>, Option<String>)> {
    let found = estate()
        .evaluate(&RecordBatch::try_from_iter(columns).unwrap())
        .unwrap();
    let messages = found["message"].as_string::<i32>();
    let heirs = &found["heritiers"];
    let of_row = |(row, duties): (usize, Option<String>)| {
        let heirs = heirs
            .is_valid(row)
            .then(|| array_value_to_string(heirs, row).unwrap());
        let refused = messages
            .is_valid(row)
            .then(|| messages.value(row).to_owned());
        (duties, heirs.or(refused))
    };
    numbers(&found, "droits")
        .into_iter()
        .enumerate()
        .map(of_row)
        .collect()
}

#[test]
fn lists_and_structs_are_the_items_of_a_group() {
    // 1. As a query sends them.
    let written = answers(vec![
        ("actif", nets()),
        (
            "lien",
            Arc::new(StringArray::from(vec![
                "enfant;enfant;autre",
                "frere_soeur",
                "enfant;autre",
            ])),
        ),
        (
            "donations_anterieures",
            Arc::new(StringArray::from(vec![
                Some("50000;;0"),
                None,
                Some("10000;0"),
            ])),
        ),
    ]);
    assert!(
        written.iter().all(|(duties, _)| duties.is_some()),
        "{written:?}"
    );
    assert!(written[0].1.as_ref().unwrap().contains("lien: autre"));

    // 2. Columns of lists, of each width of offsets.
    let of_lists = |relations: ArrayRef, gifts: ArrayRef| {
        answers(vec![
            ("actif", nets()),
            ("lien", relations),
            ("donations_anterieures", gifts),
        ])
    };
    assert_eq!(of_lists(lists(relations()), lists(gifts())), written);
    let wide = |values: ArrayRef| {
        let item = Arc::new(Field::new("item", values.data_type().clone(), true));
        cast(&lists(values), &DataType::LargeList(item)).unwrap()
    };
    assert_eq!(of_lists(wide(relations()), wide(gifts())), written);
    let decimal = cast(&gifts(), &DataType::Decimal128(18, 2)).unwrap();
    assert_eq!(of_lists(lists(relations()), lists(decimal)), written);

    // 3. A column of structs, whose name is free.
    let members = Fields::from(vec![
        Field::new("lien", DataType::Utf8, true),
        Field::new("donations_anterieures", DataType::Int64, true),
    ]);
    let structs = StructArray::new(members.clone(), vec![relations(), gifts()], None);
    let found = answers(vec![
        ("actif", nets()),
        ("heritiers", lists(Arc::new(structs))),
    ]);
    assert_eq!(found, written);
}

#[test]
fn a_null_struct_hides_its_members() {
    let members = Fields::from(vec![Field::new("lien", DataType::Utf8, true)]);
    let present = NullBuffer::from(vec![true, true, false, true, true, true]);
    let structs = StructArray::new(members, vec![relations()], Some(present));
    let found = answers(vec![
        ("actif", nets()),
        ("enfants", lists(Arc::new(structs))),
    ]);

    let sent = ["enfant;enfant;", "frere_soeur", "enfant;autre"];
    let written = answers(vec![
        ("actif", nets()),
        ("lien", Arc::new(StringArray::from_iter_values(sent))),
    ]);
    assert_eq!(found, written);
    assert_eq!(found[0].0, None);
    assert!(found[0].1.as_ref().unwrap().contains("lien"), "{found:?}");
}

#[test]
fn a_list_is_refused_where_one_value_is_due_and_a_value_that_is_two() {
    let refused = |plan: Plan, columns: Vec<(&str, ArrayRef)>| {
        let table = RecordBatch::try_from_iter(columns).unwrap();
        let error = plan.evaluate(&table).unwrap_err();
        (error.code(), error.to_string())
    };

    let (code, text) = refused(tax(), vec![("revenu", lists(gifts()))]);
    assert_eq!(code, "type_de_colonne");
    assert!(text.contains("`revenu`"), "{text}");

    let two = StringArray::from_iter_values(["a", "b", "c", "enfant;enfant", "e", "f"]);
    let (code, text) = refused(
        estate(),
        vec![("actif", nets()), ("lien", lists(Arc::new(two)))],
    );
    assert_eq!(code, "valeur_de_liste");
    assert!(
        text.contains("`lien`") && text.contains("ligne 2"),
        "{text}"
    );

    let members = Fields::from(vec![Field::new("lein", DataType::Utf8, true)]);
    let structs = StructArray::new(members, vec![relations()], None);
    let (code, text) = refused(
        estate(),
        vec![("actif", nets()), ("heritiers", lists(Arc::new(structs)))],
    );
    assert_eq!(code, "colonne_inconnue");
    assert!(text.contains("`lein`"), "{text}");
}
