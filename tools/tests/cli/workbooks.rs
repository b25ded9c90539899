//! Rows of `bareme batch` from workbooks and from the Unicode text of Excel: the amounts of the same
//! rows in CSV.

use std::fs::write;
use std::path::Path;

use rust_xlsxwriter::{ExcelDateTime, Format, Workbook, Worksheet};

use crate::common::{Ran, command, root, run_in, run_with};

const DAY: [&str; 2] = ["--date", "2026-11-01"];

fn workbook(path: &Path, fill: impl FnOnce(&mut Worksheet)) {
    let mut workbook = Workbook::new();
    fill(workbook.add_worksheet());
    // Another sheet is not read.
    workbook
        .add_worksheet()
        .write_string(0, 0, "autre")
        .unwrap();
    workbook.save(path).unwrap();
}

fn texts(sheet: &mut Worksheet, row: u32, cells: &[&str]) {
    for (column, cell) in (0..).zip(cells) {
        sheet.write_string(row, column, *cell).unwrap();
    }
}

/// Runs a batch in a folder, on the rules of the project.
fn batch(folder: &Path, arguments: &[&str]) -> Ran {
    let rules = root().join("rules");
    let rules = rules.to_str().unwrap();
    run_in(
        folder,
        &[&["batch"], arguments, &["--rules", rules], &DAY].concat(),
    )
}

#[test]
fn a_workbook_gives_the_amounts_of_the_same_csv() {
    let folder = tempfile::tempdir().unwrap();
    workbook(&folder.path().join("a.xlsx"), |sheet| {
        // Rows that are empty before and between the others, and a number with a rounded double.
        texts(sheet, 1, &["matricule", "brut", "cadre", "taux_pas"]);
        for (row, (id, gross, is_executive)) in
            [(2, ("007", 2650.29, true)), (4, ("é 8", 3000.0, false))]
        {
            sheet.write_string(row, 0, id).unwrap();
            sheet.write_number(row, 1, gross).unwrap();
            sheet.write_boolean(row, 2, is_executive).unwrap();
        }
        texts(sheet, 5, &["9", "1999.5", "", "7.5"]);
    });
    let csv =
        "\nmatricule,brut,cadre,taux_pas\n007,2650.29,true,\n\né 8,3000,false,\n9,1999.5,,7.5\n";
    write(folder.path().join("a.csv"), csv).unwrap();
    let fields = ["--keep", "matricule", "--fields", "net,net_imposable"];
    let read = |file: &str| batch(folder.path(), &[&["salaire", file], &fields[..]].concat());
    let answers = read("a.xlsx").fine();
    assert_eq!(answers, read("a.csv").fine());
    assert!(
        answers.starts_with("ligne,matricule,net,net_imposable\n3,007,"),
        "{answers}"
    );

    // From the standard input, as JSON lines, and as a table.
    let rules = root().join("rules");
    let mut piped = command(&["batch", "salaire", "--rules", rules.to_str().unwrap()]);
    piped.args(DAY).args(fields);
    let input = std::fs::File::open(folder.path().join("a.xlsx")).unwrap();
    let output = piped.stdin(input).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), answers);
    let json = |file: &str| {
        let json = [&["salaire", file, "--format", "json"], &fields[..]].concat();
        batch(folder.path(), &json).fine()
    };
    assert_eq!(json("a.xlsx"), json("a.csv"));

    // Several files, of either kind; the columns have to agree.
    let both = batch(
        folder.path(),
        &[&["salaire", "a.xlsx", "a.csv"], &fields[..]].concat(),
    )
    .fine();
    assert_eq!(both.lines().count(), 7);
    write(folder.path().join("b.csv"), "brut\n3000\n").unwrap();
    let other = batch(
        folder.path(),
        &[&["salaire", "a.xlsx", "b.csv"], &fields[..]].concat(),
    );
    assert!(other.errors.contains("`b.csv`"), "{other:#?}");
}

#[test]
fn french_texts_and_days_of_a_workbook_are_read() {
    let folder = tempfile::tempdir().unwrap();
    workbook(&folder.path().join("a.xlsx"), |sheet| {
        texts(sheet, 0, &["brut", "date"]);
        let day = ExcelDateTime::from_ymd(2026, 3, 31).unwrap();
        let of_days = Format::new().set_num_format("dd/mm/yyyy");
        sheet.write_number(1, 0, 2650.5).unwrap();
        sheet
            .write_datetime_with_format(1, 1, &day, &of_days)
            .unwrap();
        texts(sheet, 2, &["2 650,50", "31/03/2026"]);
    });
    let fields = ["--fields", "net"];
    let read = |more: &[&str]| {
        batch(
            folder.path(),
            &[&["salaire", "a.xlsx"], &fields[..], more].concat(),
        )
    };
    let french = read(&["--locale", "fr"]).fine();
    let lines: Vec<&str> = french.lines().collect();
    assert!(
        lines.len() == 3 && lines[1].contains(',') && lines[1][2..] == lines[2][2..],
        "{french}"
    );
    // The English notation of numbers says how texts with a comma are read.
    let english = read(&[]);
    assert!(
        english.code == 1 && english.errors.contains("--locale fr"),
        "{english:#?}"
    );
}

#[test]
fn mistakes_name_the_row_of_the_sheet() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.xlsx");
    workbook(&path, |sheet| {
        texts(sheet, 0, &["brut"]);
        texts(sheet, 1, &["3000"]);
        texts(sheet, 3, &["-1"]);
        texts(sheet, 4, &["3000", "beside"]);
        let percent = Format::new().set_num_format("0%");
        sheet.write_number_with_format(5, 0, 0.5, &percent).unwrap();
    });
    let ran = batch(
        folder.path(),
        &["salaire", "a.xlsx", "--fields", "net", "--errors", "e.csv"],
    );
    assert_eq!((ran.code, ran.output.lines().count()), (1, 2), "{ran:#?}");
    let errors = std::fs::read_to_string(folder.path().join("e.csv")).unwrap();
    let lines: Vec<&str> = errors.lines().collect();
    assert_eq!(lines.len(), 4, "{errors}");
    let of = |line: u8| lines.iter().any(|text| text.contains(&format!(",{line},")));
    assert!(of(4) && of(5) && of(6), "{errors}");
    assert!(
        errors.contains("`beside` dans la colonne 2, qui n’a pas de nom"),
        "{errors}"
    );

    workbook(&path, |sheet| texts(sheet, 0, &["bruit"]));
    let ran = batch(folder.path(), &["salaire", "a.xlsx"]);
    assert!(ran.code == 2 && ran.errors.contains("`bruit`"), "{ran:#?}");
    workbook(&path, |_| ());
    let ran = batch(folder.path(), &["salaire", "a.xlsx"]);
    assert!(ran.errors.contains("a.xlsx est vide"), "{ran:#?}");
    write(&path, "PK\u{3}\u{4} no workbook").unwrap();
    let ran = batch(folder.path(), &["salaire", "a.xlsx"]);
    assert!(
        ran.code == 2 && ran.errors.contains("`a.xlsx` ne se lit pas"),
        "{ran:#?}"
    );
    assert!(
        ran.errors.contains("« Classeur Excel (.xlsx) »"),
        "{ran:#?}"
    );
}

#[test]
fn years_of_pays_are_read_from_a_workbook() {
    let folder = tempfile::tempdir().unwrap();
    let rows = [
        ["cle", "annee", "mois", "brut"],
        ["a", "2026", "1", "3000"],
        ["a", "2026", "2", "3100"],
    ];
    let csv = rows.map(|row| row.join(",")).join("\n");
    write(folder.path().join("a.csv"), csv).unwrap();
    workbook(&folder.path().join("a.xlsx"), |sheet| {
        for (row, cells) in (0..).zip(rows) {
            texts(sheet, row, &cells);
        }
    });
    let read = |file: &str| batch(folder.path(), &["salaire/annee", file, "--fields", "net"]);
    assert_eq!(read("a.xlsx").fine(), read("a.csv").fine());
}

#[test]
fn unicode_text_of_excel_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let text = "matricule\tbrut\r\nZoé\t2650,50\r\n\r\nNoël 🙂\t3000\r\nLéa\t-1\r\n";
    let bytes = |is_little: bool| -> Vec<u8> {
        let units = text.encode_utf16();
        let order = |unit: u16| {
            if is_little {
                unit.to_le_bytes()
            } else {
                unit.to_be_bytes()
            }
        };
        units.flat_map(order).collect()
    };
    let files = [
        ("a.txt", [b"\xff\xfe".to_vec(), bytes(true)].concat(), None),
        ("b.csv", [b"\xfe\xff".to_vec(), bytes(false)].concat(), None),
        ("c.csv", bytes(true), Some("utf-16")),
    ];
    let expected = run_with(
        &[
            &[
                "batch",
                "salaire",
                "--locale",
                "fr",
                "--keep",
                "matricule",
                "--fields",
                "net",
            ],
            &DAY[..],
        ]
        .concat(),
        text,
    );
    assert_eq!(expected.code, 1, "{expected:#?}");
    for (name, bytes, encoding) in files {
        write(folder.path().join(name), bytes).unwrap();
        let encoding: Vec<&str> = encoding
            .iter()
            .flat_map(|name| ["--encoding", *name])
            .collect();
        let fields = ["--locale", "fr", "--keep", "matricule", "--fields", "net"];
        let ran = batch(
            folder.path(),
            &[&["salaire", name], &fields[..], &encoding].concat(),
        );
        // The answers are in UTF-8, with the mark by which a spreadsheet knows it.
        assert_eq!(ran.output, format!("\u{feff}{}", expected.output));
        assert!(ran.errors.contains("5"), "{ran:#?}");
    }
    write(folder.path().join("d.csv"), b"\xff\xfeb\0r").unwrap();
    let ran = batch(folder.path(), &["salaire", "d.csv"]);
    assert!(ran.code == 2 && ran.errors.contains("UTF-16"), "{ran:#?}");
}
