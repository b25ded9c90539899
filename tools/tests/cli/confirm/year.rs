//! One sheet for all drafts: written as CSV or as a workbook, filled in as analysts do, read back
//! whole or by parts.

use std::collections::BTreeMap;
use std::fs::{read_to_string, write};
use std::path::Path;

use calamine::{Data, Reader as _, Xlsx, open_workbook};
use rust_xlsxwriter::{ExcelDateTime, Format, Workbook};

use crate::common::{Ran, run_in, small_rules};

/// A sheet by the names of its columns: the lines, each with its cells.
pub(super) type Lines = Vec<BTreeMap<String, String>>;

pub(super) const HEADER: &str = "dossier;jour;chiffre;ligne;article;avant;propose;ecart;alarme;valeur;source;motif;titre_source;editeur_source;date_source;adresse_source";

/// The small rules twice, as `yy` and `zz`, each with a draft of 2027.
struct Rules(tempfile::TempDir);

impl Rules {
    fn new(arguments: &[&str]) -> Self {
        let rules = Self(small_rules(None));
        let folder = rules.path("zz");
        std::fs::create_dir(rules.path("yy")).unwrap();
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let text = read_to_string(&path).unwrap();
            let text = text.replace("folder: zz", "folder: yy");
            write(rules.path("yy").join(path.file_name().unwrap()), text).unwrap();
        }
        rules
            .run(&[&["new", "--all", "2027-01-01"], arguments].concat())
            .fine();
        rules
    }

    fn path(&self, folder: &str) -> std::path::PathBuf {
        self.0.path().join("rules").join(folder)
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        run_in(self.0.path(), arguments)
    }

    fn confirm(&self, arguments: &[&str]) -> Ran {
        self.run(&[&["confirm", "--date", "2026-12-01"], arguments].concat())
    }

    fn draft(&self, folder: &str) -> String {
        read_to_string(self.path(folder).join("2027-01-01.yaml")).unwrap()
    }

    /// The texts of the drafts.
    fn drafts(&self) -> [String; 2] {
        ["yy", "zz"].map(|folder| self.draft(folder))
    }

    fn sheet(&self, arguments: &[&str]) -> Lines {
        lines_of(&self.confirm(&[&["--sheet"], arguments].concat()).fine())
    }

    /// Confirms the text of a CSV.
    fn rows(&self, text: impl AsRef<[u8]>, arguments: &[&str]) -> Ran {
        write(self.0.path().join("annee.csv"), text).unwrap();
        self.confirm(&[&["--rows", "annee.csv"], arguments].concat())
    }

    /// The words of what is refused, on one line; no draft changes.
    fn refused(&self, text: impl AsRef<[u8]>) -> String {
        let before = self.drafts();
        let ran = self.rows(text, &[]);
        assert!(ran.code > 0, "{ran:#?}");
        assert_eq!(self.drafts(), before);
        ran.errors
    }
}

fn lines_of(csv: &str) -> Lines {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(b';')
        .from_reader(csv.trim_start_matches('\u{feff}').as_bytes());
    reader.deserialize().map(Result::unwrap).collect()
}

/// The same from a workbook, every cell of which is a text.
pub(super) fn lines_of_workbook(path: &Path) -> Lines {
    let mut workbook: Xlsx<_> = open_workbook(path).unwrap();
    let range = workbook.worksheet_range_at(0).unwrap().unwrap();
    let text = |cell: &Data| match cell {
        Data::String(text) => text.clone(),
        Data::Empty => String::new(),
        other => panic!("{other:?} is no text"),
    };
    let mut rows = range.rows().map(|row| row.iter().map(text).collect());
    let names: Vec<String> = rows.next().unwrap();
    rows.map(|row: Vec<String>| names.iter().cloned().zip(row).collect())
        .collect()
}

#[test]
fn one_sheet_has_the_cells_of_every_draft() {
    let rules = Rules::new(&["--index", "impot=1000%"]);
    let csv = rules.confirm(&["--sheet"]).fine();
    assert_eq!(csv.lines().next(), Some(HEADER));
    let lines = lines_of(&csv);
    assert_eq!(lines.len(), 26);
    let line = |folder: &str, figure: &str| {
        let mut found = lines.iter();
        let found = found.find(|line| line["dossier"] == folder && line["chiffre"] == figure);
        found.unwrap()
    };

    let plain = line("yy", "famille[3].montant");
    assert_eq!(plain["jour"], "2027-01-01");
    assert_eq!(plain["article"], "lf2026 : Loi de finances 2026, art. 10");
    assert_eq!(plain["ligne"], "enfants 2");
    assert_eq!(plain["avant"], "1 500");
    for empty in ["propose", "ecart", "alarme", "valeur", "source", "motif"] {
        assert_eq!(plain[empty], "", "{empty}");
    }

    let moved = line("zz", "impot[2].up_to");
    assert_eq!(
        (&*moved["avant"], &*moved["propose"], &*moved["ecart"]),
        ("18 000", "198 000", "+1 000 %")
    );
    // What `check` says at that very cell, and at no other.
    assert!(
        moved["alarme"]
            .starts_with("[W41] la borne `impot[2].up_to` vaut 198 000, et valait 18 000"),
        "{moved:?}"
    );
    let alarms = lines
        .iter()
        .filter(|line| line["alarme"].contains("impot[2]"));
    assert_eq!(alarms.count(), 2);
    assert_eq!(line("zz", "impot[2].rate")["alarme"], "");

    // One day, one family, one figure.
    assert_eq!(rules.sheet(&["--from", "2027-01-01"]).len(), 26);
    let none = rules.confirm(&["--sheet", "--from", "2028-01-01"]);
    assert!(none.errors.contains("Aucun brouillon"), "{none:#?}");
    let english = rules.confirm(&["--sheet", "--lang", "en"]).fine();
    assert!(
        english.starts_with("folder;day;figure;row;article;before;proposed;change;alarm;value;")
    );
    assert!(
        rules
            .confirm(&["xx", "--sheet"])
            .errors
            .contains("Aucun barème")
    );
}

#[test]
fn a_workbook_has_every_digit_and_marks_what_is_to_be_filled_in() {
    let rules = Rules::new(&["--index", "impot=10%"]);
    let output = |name: &str| rules.confirm(&["--sheet", "--output", name]);
    let said = output("annee.xlsx").fine();
    assert!(
        said.contains("26 valeurs à confirmer, 2 brouillons"),
        "{said}"
    );
    output("annee.csv").fine();

    // The same cells in both, as texts.
    let path = rules.0.path().join("annee.xlsx");
    let csv = std::fs::read(rules.0.path().join("annee.csv")).unwrap();
    assert!(csv.starts_with(b"\xef\xbb\xbfdossier;"));
    let lines = lines_of_workbook(&path);
    assert_eq!(lines, lines_of(&String::from_utf8(csv).unwrap()));
    assert!(lines.iter().any(|line| line["avant"] == "6.3%"));
    assert!(lines.iter().any(|line| line["avant"] == "18 000"));

    let mut workbook: Xlsx<_> = open_workbook(&path).unwrap();
    let name = workbook.sheet_names()[0].clone();
    let styles = workbook.worksheet_style(&name).unwrap();
    let style = |row, column| styles.get((row, column)).unwrap().clone();
    let fill = |row, column| style(row, column).fill.and_then(|fill| fill.get_color());
    assert!((0..16).all(|column| style(0, column).font.unwrap().is_bold()));
    assert!((9..16).all(|column| fill(1, column).is_some()));
    assert!((0..9).all(|column| fill(1, column).is_none()));
    assert!((0..16).all(|column| style(26, column).number_format.unwrap().format_code == "@"));

    // What may be filled in is never written over.
    let again = output("annee.xlsx");
    assert!(again.errors.contains("existe déjà"), "{again:#?}");
    let other = output("annee.ods");
    assert!(other.errors.contains("`.xlsx` ou `.csv`"), "{other:#?}");
}

/// A workbook as it comes back: numbers, percents and days where somebody typed them anew.
#[test]
fn a_workbook_is_read_back_by_parts() {
    let rules = Rules::new(&[]);
    let lines = rules.sheet(&[]);
    let names: Vec<&str> = HEADER.split(';').collect();
    let column = |name: &str| {
        let place = names.iter().position(|known| *known == name).unwrap();
        u16::try_from(place).unwrap()
    };
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    for (place, name) in (0..).zip(&names) {
        sheet.write_string(0, place, *name).unwrap();
    }
    let percent = Format::new().set_num_format("0.0%");
    let of_days = Format::new().set_num_format("dd/mm/yyyy");
    let day = ExcelDateTime::from_ymd(2027, 1, 1).unwrap();
    // An empty row before the others.
    for (row, line) in (2..).zip(&lines) {
        for (place, name) in (0..).zip(&names) {
            sheet.write_string(row, place, &*line[*name]).unwrap();
        }
        sheet
            .write_datetime_with_format(row, column("jour"), &day, &of_days)
            .unwrap();
        let mut text = |name: &str, text: &str| {
            sheet.write_string(row, column(name), text).unwrap();
        };
        if line["dossier"] == "yy" && line["chiffre"] == "pension.rate" {
            text("source", "lf2027");
            text("titre_source", "Loi de finances 2027, art. 3");
            text("editeur_source", "Journal officiel");
            text("adresse_source", "https://example.org/lf2027");
            let signed = ExcelDateTime::from_ymd(2026, 12, 1).unwrap();
            sheet
                .write_datetime_with_format(row, column("date_source"), &signed, &of_days)
                .unwrap();
            sheet
                .write_number_with_format(row, column("valeur"), 0.071, &percent)
                .unwrap();
        } else if line["dossier"] == "yy" && line["chiffre"] == "pension.ceiling" {
            text("source", "lf2027");
            sheet.write_number(row, column("valeur"), 1234.5).unwrap();
        } else if line["dossier"] == "zz" && line["chiffre"] == "impot[2].rate" {
            text("motif", "relu dans la loi");
            text("valeur", "10,0 %");
        }
    }
    workbook.save(rules.0.path().join("annee.xlsx")).unwrap();

    let said = rules.confirm(&["--rows", "annee.xlsx"]).fine();
    assert!(said.contains("3 valeurs confirmées, 2 fichiers."), "{said}");
    let [yy, zz] = rules.drafts();
    assert!(
        yy.contains("rate: 7.1%, ceiling: 1234.5, per: month, source: lf2027}"),
        "{yy}"
    );
    assert!(
        yy.contains("lf2027: {kind: law, title: \"Loi de finances 2027, art. 3\", publisher: \"Journal officiel\", date: 2026-12-01, url: \"https://example.org/lf2027\"}"),
        "{yy}"
    );
    assert!(
        zz.contains("rate: 10.0%, confirmed: \"rate : relu dans la loi\"}"),
        "{zz}"
    );
    assert!(!zz.contains("lf2027"), "{zz}");
    assert_eq!(rules.sheet(&[]).len(), 23);

    // The same workbook again, filled in further, writes nothing anew.
    let before = rules.drafts();
    rules.confirm(&["--rows", "annee.xlsx"]).fine();
    assert_eq!(rules.drafts(), before);
}

#[test]
fn all_mistakes_of_all_folders_are_reported_at_once_and_nothing_is_written() {
    let rules = Rules::new(&[]);
    let said = rules.refused(
        "dossier;jour;chiffre;avant;valeur;source;motif\n\
         yy;2027-01-01;pension.rate;6.3%;=;;relu dans la loi\n\
         yy;2027-01-01;impot[1].rate;0%;1 %;;\n\
         \n\
         zz;2027-01-01;famile[1].montant;;1;;\n\
         zz;2027-01-01;famille[2].montant;600;6 00O;lf2026;\n\
         zz;2027-01-01;famille[3].montant;1 500;=;;relu dans la loi\n",
    );
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 4, "{said}");
    for (line, start) in lines.iter().zip([
        "annee.csv, ligne 3, yy 2027-01-01 : `impot[1].rate` passe de 0% à 1%",
        "annee.csv, ligne 5, zz 2027-01-01 : `famile[1].montant` ne nomme pas une valeur",
        "annee.csv, ligne 6, zz 2027-01-01 : `6 00O` n’est pas une valeur de `famille[2].montant`",
        "3 erreurs : rien n’est écrit, dans aucun dossier.",
    ]) {
        assert!(line.starts_with(start), "{said}");
    }
}

#[test]
fn every_safety_of_the_sheet_of_a_folder_holds() {
    let rules = Rules::new(&[]);
    let head = "dossier;jour;chiffre;avant;valeur;source;motif\n";
    for (lines, reason) in [
        (
            "yy;2027-01-01;pension.rate;;=;;relu dans la loi\nyy;2027-01-01;pension.rate;;7 %;;relu dans la loi\n",
            "ligne 3, yy 2027-01-01 : `pension.rate` est déjà à la ligne 2",
        ),
        (
            "yy;2027-01-01;pension.rate;6.2%;=;;relu dans la loi\n",
            "valait 6.2% quand cette feuille",
        ),
        (
            "yy;2027-01-01;famille[2].montant;600;6 000;lf2026;\n",
            "--because",
        ),
        (
            "yy;2027-01-01;famille[2].montant;600;7 %;lf2099;\n",
            "La source `lf2099` n’est pas dans `sources`",
        ),
        (
            "xx;2027-01-01;pension.rate;;=;;relu dans la loi\n",
            "ligne 2, xx, pension.rate : aucun barème ne s’appelle `xx`",
        ),
        (
            "yy;2028-01-01;pension.rate;;=;;relu dans la loi\n",
            "aucun fichier du 2028-01-01. Fichiers : 2026-01-01, 2027-01-01",
        ),
        (
            "yy;janvier;pension.rate;;=;;relu dans la loi\n",
            "`janvier` n’est pas un jour",
        ),
        (
            ";2027-01-01;pension.rate;;=;;relu dans la loi\n",
            "`dossier` est vide",
        ),
        ("yy;;pension.rate;;=;;relu dans la loi\n", "`jour` est vide"),
        (
            "yy;2026-01-01;pension.rate;;=;;relu dans la loi\n",
            "déjà en vigueur : `--from 2026-01-01`",
        ),
        ("yy;2027-01-01;pension.rate;;;;\n", "rien à confirmer"),
    ] {
        let said = rules.refused(format!("{head}{lines}"));
        assert!(said.contains(reason), "{lines}: {said}");
    }

    let said = rules.refused("dossier;jour;chiffre;valleur\nyy;2027-01-01;pension.rate;1\n");
    assert!(
        said.contains("Colonnes `dossier, jour, chiffre, valleur`"),
        "{said}"
    );
    let said = rules.refused("chiffre;valeur\npension.rate;1\n");
    assert!(said.contains("aucune ne dit le dossier"), "{said}");
}

#[test]
fn a_doubt_needs_its_reason_and_a_bill_confirms_nothing() {
    let rules = Rules::new(&[]);
    let head = "dossier;jour;chiffre;valeur;source;motif;titre_source;editeur_source;date_source\n";
    let law = "lf2027;;Loi de finances 2027;Journal officiel;01/12/2026";
    let doubt = |reason: &str| {
        let law = law.replacen(";;", &format!(";{reason};"), 1);
        format!(
            "{head}zz;2027-01-01;famille[2].montant;6 000;{law}\nyy;2027-01-01;pension.rate;=;;relu dans la loi;;;\n"
        )
    };
    let said = rules.refused(doubt(""));
    assert!(
        said.contains("annee.csv, ligne 2, zz 2027-01-01 : [W40] `famille[2].montant` vaut 6 000"),
        "{said}"
    );
    assert!(said.contains("la colonne `motif`"), "{said}");
    let said = rules.rows(doubt("triplé par la loi"), &[]).fine();
    assert!(said.contains("gardé dans `reviewed`"), "{said}");
    assert!(
        rules
            .draft("zz")
            .contains("reviewed: \"triplé par la loi\"")
    );

    let rules = Rules::new(&[]);
    for (source, reason) in [
        (
            "plf;;Projet de loi de finances 2027;Journal officiel;2026-12-01",
            "se dit elle-même un projet",
        ),
        (
            "lf2026;;Loi de finances 2027;;",
            "déjà dans `sources` avec un autre `title`",
        ),
        (
            "lf2027;;;Journal officiel;",
            "`lf2027` est une source nouvelle, et `titre_source` est vide",
        ),
        (
            ";relu dans la loi;Loi de finances 2027;;",
            "`source` n’en nomme aucune",
        ),
        (
            "lf2027;;Loi de finances 2027;Journal officiel;hier",
            "`hier` n’est pas un jour",
        ),
    ] {
        let said = rules.refused(format!("{head}zz;2027-01-01;pension.rate;7 %;{source}\n"));
        assert!(said.contains(reason), "{source}: {said}");
    }
    let other = law.replace("2027;J", "2027, art. 2;J");
    let two = format!(
        "{head}zz;2027-01-01;pension.rate;7 %;{law}\nzz;2027-01-01;pension.ceiling;1 300;{other}\n"
    );
    assert!(rules.refused(two).contains("décrite autrement"));
}

#[test]
fn a_folder_and_a_day_limit_what_is_read() {
    let rules = Rules::new(&[]);
    let text = "dossier;jour;chiffre;valeur;motif\n\
        yy;2027-01-01;pension.rate;=;relu dans la loi\n\
        yy;2027-01-01;impot[1].rate;=;relu dans la loi\n\
        zz;2027-01-01;pension.rate;sept;\n";
    rules.rows(text, &["yy", "pension"]).fine();
    assert_eq!(rules.sheet(&[]).len(), 25);
    rules.rows(text, &["yy", "--from", "2027-01-01"]).fine();
    assert_eq!(rules.sheet(&[]).len(), 24);
    let other = rules.rows(text, &["yy", "--from", "2026-01-01"]);
    assert!(other.errors.contains("rien à confirmer"), "{other:#?}");
    // A source of the command line is added where a line rests on it.
    let law = [
        "--source",
        "lf2027",
        "--title",
        "Loi 2027",
        "--publisher",
        "JO",
        "--text-date",
        "2026-12-01",
    ];
    rules.rows("dossier;jour;chiffre;valeur;motif\nyy;2027-01-01;pension.ceiling;1 300;\nzz;2027-01-01;pension.rate;=;relu dans la loi\n", &law).fine();
    let [yy, zz] = rules.drafts();
    assert!(
        yy.contains("title: \"Loi 2027\"") && !zz.contains("Loi 2027"),
        "{zz}"
    );
}

#[test]
fn excel_saves_the_sheet_in_french() {
    let rules = Rules::new(&[]);
    let text = "dossier;jour;chiffre;article;avant;valeur;motif\r\n\
        yy;01/01/2027;pension.rate;\"Code social ;\r\nart. 4\";6,3%;6,30 %;relu par Zo\u{e9}\r\n\
        yy;01/01/2027;famille[3].montant;;1\u{a0}500;1\u{a0}500;relu dans la loi\r\n;;;;;;\r\n";
    let windows: Vec<u8> = text
        .chars()
        .map(|letter| u8::try_from(u32::from(letter)).unwrap())
        .collect();
    rules.rows(windows, &[]).fine();
    let draft = rules.draft("yy");
    assert!(
        draft.contains("rate: 6.30%,") && draft.contains("relu par Zoé"),
        "{draft}"
    );

    // `Unicode text`: UTF-16, and tabs. Its lines are counted as the spreadsheet counts them.
    let unicode = |text: &str| {
        let text = text.replace(';', "\t");
        let bytes = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xff, 0xfe].into_iter().chain(bytes).collect::<Vec<u8>>()
    };
    let text = "dossier;jour;chiffre;valeur;motif\r\n\r\nzz;01/01/2027;pension.rate;6,30 %;relu par Zo\u{e9}\r\n";
    rules.rows(unicode(text), &[]).fine();
    assert!(rules.draft("zz").contains("relu par Zoé"));
    let said = rules.refused(unicode(&text.replace("6,30 %", "1,234")));
    assert!(
        said.contains("ligne 3, zz") && said.contains("`1,234` n’est pas une valeur"),
        "{said}"
    );

    let said = rules.refused(b"PK\x03\x04 no workbook");
    assert!(said.contains("« Classeur Excel (.xlsx) »"), "{said}");
}
