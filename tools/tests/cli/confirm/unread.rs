//! Lines and commands that would confirm what nobody has read: a text or a reason without a value,
//! a proposal typed over, a formula without its result, a reason of one word, a text of a day to
//! come or without a date. Each is refused by its line, and no draft changes.

use std::fs::{read_to_string, write};

use rust_xlsxwriter::{Formula, Workbook};

use crate::common::{Ran, run_in, small_rules};

const OF_FOLDER: &str = "chiffre;ligne;avant;propose;valeur;source;motif";
const OF_YEAR: &str = "dossier;jour;chiffre;avant;propose;valeur;source;motif;titre_source;editeur_source;date_source";

/// A draft of 2027 of the small rules, in which the amounts of a figure are proposed.
struct Draft(tempfile::TempDir);

impl Draft {
    fn new() -> Self {
        let draft = Self(small_rules(None));
        let new = [
            "new",
            "zz",
            "2027-01-01",
            "--index",
            "famille=10%",
            "--round",
            "1",
        ];
        run_in(draft.0.path(), &new).fine();
        draft
    }

    fn text(&self) -> String {
        read_to_string(self.0.path().join("rules/zz/2027-01-01.yaml")).unwrap()
    }

    fn confirm(&self, arguments: &[&str]) -> Ran {
        let day = ["confirm", "--date", "2026-12-30"];
        run_in(self.0.path(), &[&day[..], arguments].concat())
    }

    /// The refusal on one line; the draft stays as it was.
    fn refused(&self, arguments: &[&str]) -> String {
        let before = self.text();
        let ran = self.confirm(arguments);
        assert!(ran.code > 0, "{arguments:?}: {ran:#?}");
        assert_eq!(self.text(), before, "{arguments:?}");
        ran.errors.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The refusal of lines of a sheet of the folder.
    fn refused_rows(&self, lines: &str) -> String {
        write(self.0.path().join("a.csv"), format!("{OF_FOLDER}\n{lines}")).unwrap();
        self.refused(&["zz", "--rows", "a.csv"])
    }

    /// The refusal of lines of a sheet of the year.
    fn refused_year(&self, lines: &str) -> String {
        write(self.0.path().join("a.csv"), format!("{OF_YEAR}\n{lines}")).unwrap();
        self.refused(&["--rows", "a.csv"])
    }
}

#[test]
fn a_line_with_a_text_or_a_reason_needs_its_value() {
    let draft = Draft::new();
    for (filled, column) in [
        ("lf2026;", "source"),
        (";inchangé dans la loi", "motif"),
        ("lf2026;inchangé dans la loi", "source"),
    ] {
        let said = draft.refused_rows(&format!("\npension.ceiling;;1 200;;;{filled}\n"));
        let cause = format!(
            "ligne 3 : `pension.ceiling` : `{column}` est rempli, et `valeur` est vide. Écrire la \
             valeur lue dans le texte, ou `=` si elle reste à 1 200"
        );
        assert!(said.contains(&cause), "{said}");
    }
    for filled in [
        "lf2026;;;;",
        ";inchangé dans la loi;;;",
        ";;Loi de finances 2027;;",
    ] {
        let said = draft.refused_year(&format!("zz;2027-01-01;pension.ceiling;1 200;;;{filled}\n"));
        assert!(said.contains("ligne 2, zz 2027-01-01"), "{said}");
        assert!(said.contains("et `valeur` est vide"), "{said}");
    }
    // `=` is a value: that of the scale before.
    let line = "pension.ceiling;;1 200;;=;;inchangé dans la loi\n";
    write(draft.0.path().join("a.csv"), format!("{OF_FOLDER}\n{line}")).unwrap();
    draft.confirm(&["zz", "--rows", "a.csv"]).fine();
}

#[test]
fn what_is_typed_over_a_proposal_is_not_passed_over() {
    let draft = Draft::new();
    // A proposal changed by hand, and a value typed where nothing was proposed.
    for (line, own) in [
        ("famille[2].montant;;600;700;;;\n", "660"),
        ("pension.ceiling;;1 200;1 300;;;\n", "1 200"),
    ] {
        let said = draft.refused_rows(line);
        assert!(said.contains("ligne 2 : "), "{said}");
        assert!(
            said.contains(&format!("et le brouillon propose {own}.")),
            "{said}"
        );
    }
    let year = "zz;2027-01-01;famille[2].montant;600;700;;;;;;\n";
    let said = draft.refused_year(year);
    assert!(
        said.contains("ligne 2, zz 2027-01-01 : `famille[2].montant` : `propose` dit 700"),
        "{said}"
    );
    // Beside a line that is right, too.
    let right = "zz;2027-01-01;pension.rate;6.3%;;=;;inchangé dans la loi;;;\n";
    let said = draft.refused_year(&format!("{right}{year}"));
    assert!(said.contains("ligne 3, zz 2027-01-01"), "{said}");
    // As it was printed, and as 1,5 and 1.50, a proposal says nothing.
    let said = draft.refused_year("zz;2027-01-01;famille[2].montant;600;660.00;;;;;;\n");
    assert!(said.contains("rien à confirmer"), "{said}");
}

#[test]
fn a_formula_without_its_result_is_no_value() {
    let draft = Draft::new();
    // Workbooks that a program wrote have formulas, and no results.
    let path = draft.0.path().join("a.xlsx");
    write(&path, include_bytes!("formula.xlsx")).unwrap();
    let said = draft.refused(&["zz", "--rows", "a.xlsx"]);
    assert!(said.contains("ligne 2 : `pension.ceiling`"), "{said}");
    assert!(
        said.contains("`=1200+100` est une formule sans son résultat"),
        "{said}"
    );

    // With its result it is a value.
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    for (place, name) in (0..).zip(OF_FOLDER.split(';')) {
        sheet.write_string(0, place, name).unwrap();
    }
    let formula = Formula::new("1200+100").set_result("1300");
    sheet.write_string(1, 0, "pension.ceiling").unwrap();
    sheet.write_formula(1, 4, formula).unwrap();
    sheet.write_string(1, 6, "relevé par la loi").unwrap();
    workbook.save(&path).unwrap();
    draft.confirm(&["zz", "--rows", "a.xlsx"]).fine();
    assert!(draft.text().contains("ceiling: 1300"), "{}", draft.text());
    let said = draft.refused_rows("famille[2].montant;;600;660;=600+60;;relevé par la loi\n");
    assert!(said.contains("`=600+60` est une formule"), "{said}");
}

#[test]
fn a_reason_of_one_word_is_none_at_any_door() {
    let draft = Draft::new();
    for reason in ["ok", "vu", "Relu.", "ok ok ok", "-"] {
        let cause = format!("`pension.ceiling` : le motif `{reason}` ne dit rien");
        let one = ["zz", "pension.ceiling", "12 000", "--because", reason];
        assert!(draft.refused(&one).contains(&cause), "{reason}");
        let said = draft.refused_rows(&format!("pension.ceiling;;1 200;;12 000;;{reason}\n"));
        assert!(said.contains(&format!("ligne 2 : {cause}")), "{said}");
        let line = format!("zz;2027-01-01;pension.ceiling;1 200;;12 000;;{reason};;;\n");
        let said = draft.refused_year(&line);
        assert!(said.contains("ligne 2, zz 2027-01-01"), "{said}");
        assert!(said.contains(&cause), "{said}");
        let renew = ["renew", "zz", "--until", "2027-12-31", "--source", "css"];
        let renew = [&renew[..], &["--because", reason, "--date", "2026-12-30"]].concat();
        std::fs::rename(
            draft.0.path().join("rules/zz/2027-01-01.yaml"),
            draft.0.path().join("kept.yaml"),
        )
        .unwrap();
        let ran = run_in(draft.0.path(), &renew);
        std::fs::rename(
            draft.0.path().join("kept.yaml"),
            draft.0.path().join("rules/zz/2027-01-01.yaml"),
        )
        .unwrap();
        assert!(
            ran.code > 0 && ran.errors.contains("ne dit rien"),
            "{ran:#?}"
        );
    }
    // The doubt stays, and the reason is kept, where it says something.
    let one = ["zz", "pension.ceiling", "12 000", "--because"];
    draft
        .confirm(&[&one[..], &["décuplé par la loi, art. 4"]].concat())
        .fine();
    assert!(
        draft
            .text()
            .contains("reviewed: \"décuplé par la loi, art. 4\""),
        "{}",
        draft.text()
    );
}

#[test]
fn a_text_that_nobody_can_have_read_confirms_nothing() {
    let draft = Draft::new();
    let one = |title: &str, more: &[&str]| {
        let cell = ["zz", "pension.ceiling", "1 300", "--source", "lf2027"];
        let described = ["--title", title, "--publisher", "JO"];
        draft.refused(&[&cell[..], &described, more].concat())
    };
    let law = "Loi de finances pour 2027";
    for (title, more, cause) in [
        (
            law,
            vec!["--text-date", "2027-12-29"],
            "datée du 2027-12-29, un jour à venir : personne ne l’a lue",
        ),
        (law, vec![], "la source nouvelle `lf2027` n’a pas de date"),
        (
            law,
            vec!["--text-date", "2016-12-29"],
            "du 2016-12-29, plus d’un an avant le barème précédent du 2026-01-01",
        ),
        (
            law,
            vec!["--text-date", "2026-12-28", "--kind", "secondary"],
            "n’est ni la loi ni une page officielle",
        ),
        (
            "Projet de loi de finances pour 2027",
            vec!["--text-date", "2026-10-14"],
            "se dit elle-même un projet",
        ),
    ] {
        let said = one(title, &more);
        assert!(said.contains(cause), "{title} {more:?}: {said}");
    }
    for (date, cause) in [
        ("2027-12-29", "un jour à venir"),
        ("29/12/2016", "plus d’un an avant le barème précédent"),
        ("", "la source nouvelle `lf2027` n’a pas de date"),
    ] {
        let line = format!(
            "zz;2027-01-01;pension.ceiling;1 200;;1 300;lf2027;;Loi de finances pour 2027;JO;{date}\n"
        );
        let said = draft.refused_year(&line);
        assert!(said.contains("ligne 2, zz 2027-01-01"), "{said}");
        assert!(said.contains(cause), "{said}");
    }
}

#[test]
fn a_doubt_names_the_line_of_its_value() {
    let draft = Draft::new();
    let lines =
        "pension.rate;;6.3%;;=;;inchangé dans la loi\npension.ceiling;;1 200;;12 000;lf2027;\n";
    write(
        draft.0.path().join("a.csv"),
        format!("{OF_FOLDER}\n{lines}"),
    )
    .unwrap();
    let law = ["--source", "lf2027", "--title", "Loi de finances 2027"];
    let of_law = ["--publisher", "JO", "--text-date", "2026-12-28"];
    let said = draft.refused(&[&["zz", "--rows", "a.csv"], &law[..], &of_law].concat());
    assert!(
        said.contains("ligne 3 : [W40] `pension.ceiling` vaut 12 000"),
        "{said}"
    );
}
