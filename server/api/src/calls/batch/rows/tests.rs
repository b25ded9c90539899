use bareme_show::spreadsheet::Dialect;

use super::*;
use crate::wire::query::MAX_PARAMETERS;

fn reading(values: Values, keys: &[&str]) -> Reading {
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    let (dialect, currency) = (DialectOptions::default(), Some("EUR".to_owned()));
    Reading {
        most: 10,
        values,
        dialect,
        currency,
        keys,
        is_key_asked: false,
    }
}

fn csv() -> Form {
    Form::Csv(Dialect::usual(DialectOptions::default()))
}

fn read(text: &str, form: Form) -> Rows {
    let body = Bytes::copy_from_slice(text.as_bytes());
    Rows::read(&body, form, reading(Values::Single, &["id"])).unwrap()
}

fn shown(rows: &Rows) -> Vec<String> {
    let row = |row: Row| {
        let Ok(query) = &row.query else {
            return "illisible".to_owned();
        };
        let pairs = query
            .pairs
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        let bad = query
            .bad
            .iter()
            .map(|bad| format!("{} {}", bad.name, bad.code));
        pairs.chain(bad).collect::<Vec<_>>().join(" ")
    };
    (0..rows.count())
        .map(|index| row(rows.row(index).unwrap()))
        .collect()
}

#[test]
fn numbers_of_json_keep_their_digits_and_repeated_members_stay() {
    let text = r#"[{"brut": 2916.6666666666665, "cadre": true, "x": null}, {"brut": 1e3, "brut": "2 500"},
        {"brut": [1]}, 7, {"brut": 9007199254740993.10}]"#;
    let rows = shown(&read(text, Form::Array));
    assert_eq!(rows[0], "brut=2916.6666666666665 cadre=true");
    assert_eq!(rows[1], "brut=1e3 brut=2 500");
    assert_eq!(rows[2], "brut format");
    assert_eq!(rows[3], "illisible");
    assert_eq!(rows[4], "brut=9007199254740993.10");
}

#[test]
fn an_array_is_a_list_of_months_where_a_year_is_asked() {
    let text = r#"[{"brut": [2600, 2650.10, null], "taux_pas": ["neutre", 5, ""]}, {"brut": []}, {"brut": [[1]]},
        {"brut": ["1;2"]}, {"brut": {}}]"#;
    let rows = Rows::read(&Bytes::from(text), Form::Array, reading(Values::Lists, &[])).unwrap();
    let refused = ["brut format"; 4];
    assert_eq!(
        shown(&rows),
        [&["brut=2600;2650.10; taux_pas=neutre;5;"][..], &refused].concat()
    );
}

#[test]
fn a_line_that_cannot_be_read_is_that_row_alone() {
    let rows = read(
        "{\"brut\": 1}\n\n{\"brut\": \r\n{\"brut\": 3}\r\n",
        Form::Lines,
    );
    assert_eq!(shown(&rows), ["brut=1", "illisible", "brut=3"]);
}

#[test]
fn csv_is_read_in_the_dialect_that_it_has() {
    let rows = read(
        "\u{feff}brut;cadre;\n2500,50;VRAI;\n\n2 600 €;;\n60.000;faux;;\n1;2\n;;\n",
        csv(),
    );
    let Form::Csv(dialect) = rows.form else {
        panic!("{:?}", rows.form)
    };
    assert_eq!(dialect.separator, b';');
    assert_eq!(
        rows.columns().unwrap().collect::<Vec<_>>(),
        ["brut", "cadre"]
    );
    let expected = [
        "brut=2500.50 cadre=true",
        "brut=2600 cadre=",
        "cadre=false brut format",
        "illisible",
    ];
    assert_eq!(shown(&rows), expected);
    // Without semicolons a comma is no decimal sign.
    assert_eq!(
        shown(&read("brut,x\n\"2500,50\",VRAI\n", csv())),
        ["brut=2500,50 x=VRAI"]
    );
    let windows = Bytes::from(&b"brut;pr\xe9nom\r\n1,5;Zo\xe9\r\n"[..]);
    let windows = Rows::read(&windows, csv(), reading(Values::Single, &[])).unwrap();
    assert_eq!(shown(&windows), ["brut=1.5 prénom=Zoé"]);
    let years = Bytes::from("brut;annee\n\"2600,50;;2 700\";2026\n");
    let years = Rows::read(&years, csv(), reading(Values::Lists, &[])).unwrap();
    assert_eq!(shown(&years), ["brut=2600.50;;2700 annee=2026"]);
}

#[test]
fn the_key_of_a_row_is_kept_as_it_was_written() {
    let keys = |rows: &Rows| -> Vec<Option<KeyValue>> {
        (0..rows.count())
            .flat_map(|index| rows.row(index).unwrap().keys)
            .collect()
    };
    let text = |text: &str| Some(KeyValue::Text(text.to_owned()));
    let json = |text: &str| Some(KeyValue::Json(text.to_owned()));
    let table = read("id;brut\n 0012 ;1\n1,50;2\n\"a;\"\"b\";x\n", csv());
    assert_eq!(keys(&table), [text(" 0012 "), text("1,50"), text("a;\"b")]);
    assert_eq!(table.columns().unwrap().collect::<Vec<_>>(), ["brut"]);
    let lines = read(
        "{\"id\": 1.50}\n{\"id\": \"a\\n\"}\n{\"brut\": 1}\n{\"id\": [1]}\n",
        Form::Lines,
    );
    assert_eq!(keys(&lines), [json("1.50"), json("\"a\\n\""), None, None]);
    assert_eq!(shown(&lines), ["", "", "brut=1", "id format"]);
    assert_eq!(
        shown(&read("[{\"id\": 1, \"id\": 2}]", Form::Array)),
        ["id repete"]
    );
    assert!(read("[{\"brut\": 1}]", Form::Array).keys().is_empty());
    assert_eq!(
        read("id;id\n1;2\n", csv()).bad_key_column(),
        Some(("id", 2))
    );
}

#[test]
fn a_file_whose_dialect_cannot_be_decided_is_refused_whole() {
    for text in [
        &b"brut\n3000,50\n"[..],
        b"brut,cadre;x\n1\n",
        b"\xff\xfeb\0\n\0",
        b"brut\n\x81\n",
    ] {
        let read = Rows::read(&Bytes::from(text), csv(), reading(Values::Single, &[]));
        assert_eq!(read.unwrap_err().kind.code, "lot_illisible", "{text:?}");
    }
}

#[test]
fn no_row_and_too_many_rows_are_refused() {
    let code = |text: &str, form| {
        let body = Bytes::copy_from_slice(text.as_bytes());
        let reading = Reading {
            most: 2,
            ..reading(Values::Single, &[])
        };
        Rows::read(&body, form, reading).unwrap_err().kind.code
    };
    for (text, form) in [
        ("[]", Form::Array),
        ("", Form::Lines),
        ("\n", Form::Lines),
        ("brut\n", csv()),
    ] {
        assert_eq!(code(text, form), "lot_illisible", "{text}");
    }
    for text in ["", "{}", "[{}", "[{}] x", "nul"] {
        assert_eq!(code(text, Form::Array), "lot_illisible", "{text}");
    }
    assert_eq!(code("[{},{},{}]", Form::Array), "lot_trop_grand");
    assert_eq!(
        code(&format!("{}\n1\n", "a,".repeat(MAX_PARAMETERS)), csv()),
        "lot_illisible"
    );
}

#[test]
fn a_row_has_no_more_parameters_than_a_query() {
    let members = |count: usize| format!("[{{{}}}]", vec!["\"a\": 1"; count].join(","));
    let bad = |count| {
        read(&members(count), Form::Array)
            .row(0)
            .unwrap()
            .query
            .unwrap()
    };
    assert_eq!(
        (
            bad(MAX_PARAMETERS).pairs.len(),
            bad(MAX_PARAMETERS).bad.len()
        ),
        (MAX_PARAMETERS, 0)
    );
    let flood = bad(100_000);
    assert_eq!(
        (flood.pairs.len(), flood.bad[0].code),
        (MAX_PARAMETERS, ParameterCode::TooMany)
    );
}
