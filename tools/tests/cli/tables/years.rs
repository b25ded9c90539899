//! Years of pays in tables: a row is a month, the months of a year are anywhere in the files.

use bareme_arrow::arrow::array::{BooleanArray, RecordBatch};

use super::*;

/// Rows of three people, out of order: whose, year, month, gross in cents, bonus in cents.
const ROWS: [(&str, i64, i64, i128, i128); 7] = [
    ("anne", 2026, 3, 270_000, 0),
    ("bruno", 2026, 12, 310_000, 100_000),
    ("anne", 2026, 1, 260_000, 0),
    ("chloé", 2025, 6, 220_050, 0),
    ("bruno", 2026, 11, 300_000, 0),
    ("anne", 2026, 2, 265_025, 50_000),
    ("chloé", 2025, 7, 220_050, 0),
];

fn table(rows: &[(&str, i64, i64, i128, i128)]) -> RecordBatch {
    let keys: Vec<&str> = rows.iter().map(|row| row.0).collect();
    let numbers = |of: fn(&(&str, i64, i64, i128, i128)) -> i64| {
        integers(&rows.iter().map(|row| Some(of(row))).collect::<Vec<_>>())
    };
    let amounts = |of: fn(&(&str, i64, i64, i128, i128)) -> i128| {
        decimals(
            &rows.iter().map(|row| Some(of(row))).collect::<Vec<_>>(),
            12,
            2,
        )
    };
    let employer: ArrayRef = Arc::new(BooleanArray::from(vec![true; rows.len()]));
    let columns = [
        ("matricule", texts(&keys)),
        ("annee", numbers(|row| row.1)),
        ("mois", numbers(|row| row.2)),
        ("brut", amounts(|row| row.3)),
        ("primes", amounts(|row| row.4)),
        ("employeur", employer),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn csv() -> String {
    let line = |row: &(&str, i64, i64, i128, i128)| {
        let (key, year, month, gross, bonus) = row;
        let euros = |cents: &i128| format!("{}.{:02}", cents / 100, cents % 100);
        let (gross, bonus) = (euros(gross), euros(bonus));
        format!("{key},{year},{month},{gross},{bonus},true\n")
    };
    let lines: String = ROWS.iter().map(line).collect();
    format!("cle,annee,mois,brut,primes,employeur\n{lines}")
}

const FIELDS: &str = "net,cout_employeur,net_imposable,version,avertissements";

#[test]
fn a_year_in_tables_is_that_of_text_wherever_its_months_are() {
    let place = Place::new();
    // Two files of a folder, as engines write a table, beside what is no table.
    std::fs::create_dir(place.path("paies")).unwrap();
    std::fs::create_dir(place.path("paies/partie")).unwrap();
    std::fs::write(place.path("paies/_SUCCESS"), "").unwrap();
    write(&place.path("paies/a.parquet"), &table(&ROWS[..4]));
    write(&place.path("paies/partie/b.parquet"), &table(&ROWS[4..]));

    let expected = run_with(
        &[
            "batch",
            "salaire/annee",
            "--fields",
            FIELDS,
            "--locale",
            "en",
        ],
        &csv(),
    )
    .fine();
    let found = run(&[
        "batch",
        "salaire/annee",
        &place.text("paies"),
        "--map",
        "matricule=cle",
        "--fields",
        FIELDS,
        "--locale",
        "en",
    ]);

    // Of tables, the copied columns keep their names, and lines are counted by file.
    let values = |text: &str, first: usize| -> Vec<Vec<String>> {
        let lines = text.lines().skip(1);
        lines
            .map(|line| line.split(',').skip(first).map(str::to_owned).collect())
            .collect()
    };
    assert_eq!(found.code, 0, "{found:#?}");
    let (of_text, of_tables) = (values(&expected, 1), values(&found.output, 2));
    assert_eq!(of_text.len(), 7, "{expected}");
    assert_eq!(of_tables, of_text, "{}\n{expected}", found.output);

    // The amounts of the year, by the service's own calculation of it.
    let year = run(&[
        "explain",
        "salaire/annee",
        "annee=2026",
        "premier_mois=1",
        "dernier_mois=3",
        "brut=2600;2650.25;2700",
        "primes=0;500;0",
        "employeur=true",
        "--format",
        "json",
    ])
    .fine();
    let year: serde_json::Value = serde_json::from_str(&year).unwrap();
    let february = year["mois"][1]["net"].to_string();
    assert_eq!(of_tables[5][2], february, "{}", found.output);
}

#[test]
fn years_are_written_as_tables_with_refused_rows_in_their_place() {
    let place = Place::new();
    let mut rows = ROWS.to_vec();
    // March of Anne has no month before it but January; two rows of Bruno are one month.
    rows[5] = ("dora", 2026, 5, -1, 0);
    rows.push(("dora", 2026, 6, 200_000, 0));
    rows.push(("bruno", 2026, 12, 1, 0));
    write(&place.path("paies.parquet"), &table(&rows));

    let out = place.text("net.parquet");
    let ran = run(&[
        "batch",
        "salaire/annee",
        &place.text("paies.parquet"),
        "--map",
        "matricule=cle",
        "--fields",
        "net",
        "--output",
        &out,
    ]);
    assert_eq!(ran.code, 1, "{ran:#?}");
    let written = read(Path::new(&out));

    let nets = amounts(&written, "net");
    let answered: Vec<usize> = (0..nets.len()).filter(|row| nets[*row].is_some()).collect();
    assert_eq!(answered, [3, 6], "{written:?}");
    assert_eq!(texts_of(&written, "matricule")[3].as_deref(), Some("chloé"));
    let codes = texts_of(&written, "erreur");
    let messages = texts_of(&written, "message");
    for (row, code, message) in [
        (0, "incompatible", "mois : Il manque le mois 2"),
        (
            2,
            "incompatible",
            "Refusée avec son année : le mois 3 a une erreur",
        ),
        (5, "hors_bornes", "brut, mois 5 : Valeur trop petite"),
        (
            7,
            "incompatible",
            "Refusée avec son année : le mois 5 a une erreur",
        ),
        (8, "incompatible", "mois : Ce mois a déjà une ligne"),
    ] {
        assert_eq!(codes[row].as_deref(), Some(code), "{row} {messages:?}");
        let found = messages[row].as_deref().unwrap();
        assert!(found.contains(message), "{row} {found}");
    }
}

#[test]
fn a_table_that_no_year_can_be_made_of_is_refused_once() {
    let place = Place::new();
    write(&place.path("paies.parquet"), &table(&ROWS));
    let refused = |more: &[&str], said: &str| {
        let paies = place.text("paies.parquet");
        let ran = run(&[&["batch"], more, &[&paies]].concat());
        assert!(
            ran.code == 2 && ran.errors.contains(said),
            "{said}\n{ran:#?}"
        );
    };
    refused(&["salaire/annee", "--keep", "matricule"], "`cle`");
    refused(
        &[
            "salaire/annee",
            "--map",
            "matricule=cle",
            "--fields",
            "nett",
        ],
        "n’est pas un champ",
    );
    refused(
        &["ir/annee", "--map", "matricule=cle"],
        "ne calcule pas d’année",
    );
    let empty = Place::new();
    let ran = run(&["batch", "salaire/annee", &empty.text("")]);
    assert!(
        ran.code == 2 && ran.errors.contains("aucune table"),
        "{ran:#?}"
    );
}

#[test]
fn more_years_than_a_chunk_holds_have_the_same_answers_in_any_order() {
    /// Enough for more rows than are computed at a time where the order allows it.
    const PEOPLE: i64 = 1_500;

    // A payroll of which each person has a year; every hundredth lacks a month.
    let gross = |person: i64, month: i64| i128::from(200_000 + 137 * person + 1_000 * month);
    let has_gap = |person: i64| person % 100 == 7;
    let pays = |person: i64, month: i64| !(has_gap(person) && month == 5);
    let names: Vec<String> = (0..PEOPLE).map(|person| format!("p{person:04}")).collect();
    let row = |person: i64, month: i64| {
        let name = names[usize::try_from(person).unwrap()].as_str();
        (name, 2026, month, gross(person, month), 0)
    };
    let of_all = |pairs: &mut dyn Iterator<Item = (i64, i64)>| -> Vec<_> {
        let paid = pairs.filter(|(person, month)| pays(*person, *month));
        paid.map(|(person, month)| row(person, month)).collect()
    };
    let months = || 1..=12_i64;
    let by_person =
        of_all(&mut (0..PEOPLE).flat_map(|person| months().map(move |month| (person, month))));
    let by_month =
        of_all(&mut months().flat_map(|month| (0..PEOPLE).map(move |person| (person, month))));

    // The same payroll by person, and in two files by month.
    let place = Place::new();
    let half = by_month.len() / 2;
    write(&place.path("person.parquet"), &table(&by_person));
    write(&place.path("m1.parquet"), &table(&by_month[..half]));
    write(&place.path("m2.parquet"), &table(&by_month[half..]));

    let net_of = |files: &[&str], out: &str| {
        let files: Vec<String> = files.iter().map(|file| place.text(file)).collect();
        let mut words = vec!["batch", "salaire/annee"];
        words.extend(files.iter().map(String::as_str));
        let out = place.text(out);
        words.extend([
            "--map",
            "matricule=cle",
            "--fields",
            "net",
            "--output",
            &out,
        ]);
        let ran = run(&words);
        assert_eq!(ran.code, 1, "{ran:#?}");

        let written = read(Path::new(&out));
        let (keys, nets) = (texts_of(&written, "matricule"), amounts(&written, "net"));
        let messages = texts_of(&written, "message");
        let rows = (0..nets.len()).map(|row| (keys[row].clone(), nets[row], messages[row].clone()));
        rows.collect::<Vec<_>>()
    };
    let person = net_of(&["person.parquet"], "person-net.parquet");
    let month = net_of(&["m1.parquet", "m2.parquet"], "month-net.parquet");

    // Each in the order of its rows, and the same whatever the order.
    assert!(person.len() == by_person.len() && month.len() == by_month.len());
    for (rows, found) in [(&by_person, &person), (&by_month, &month)] {
        assert!(
            rows.iter()
                .zip(found)
                .all(|(row, found)| found.0.as_deref() == Some(row.0))
        );
    }
    let mut sorted: Vec<_> = by_month.iter().zip(&month).collect();
    sorted.sort_by_key(|(row, _)| (row.0, row.2));
    let sorted: Vec<_> = sorted.into_iter().map(|(_, found)| found.clone()).collect();
    assert!(sorted == person);
    // Those whose year has a gap are refused, and no other.
    for (row, found) in by_person.iter().zip(&person) {
        let person = row.0[1..].parse().unwrap();
        assert_eq!(found.1.is_none(), has_gap(person), "{found:?}");
    }
}
