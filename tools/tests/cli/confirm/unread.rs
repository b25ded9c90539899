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

#[test]
fn what_the_file_would_be_refused_for_names_the_line_of_the_sheet() {
    const LAW: &str = "lf2027;;Loi de finances pour 2027;JO;2026-12-28";
    let draft = Draft::new();
    let lines = |rate: &str, ceiling: &str| {
        format!(
            "zz;2027-01-01;pension.rate;6.3%;;{rate};{LAW}\n\
             zz;2027-01-01;pension.ceiling;1 200;;{ceiling};lf2027;;;;\n"
        )
    };

    for (rate, ceiling, expected) in [
        (
            "6.4",
            "1 300",
            "ligne 2, zz 2027-01-01 : `pension.rate` est un taux, et valait 6.3% ; `6.4` n’a pas de `%`. Écrire `6.4%`.",
        ),
        (
            "0.064",
            "1 300",
            "ligne 2, zz 2027-01-01 : `pension.rate` est un taux, et valait 6.3% ; `0.064` n’a pas de `%`. Écrire `6.4%`, ou `0.064%`",
        ),
        (
            "1 300",
            "6.4%",
            "`1 300` n’a pas de `%`. Relire la ligne : ce n’est pas un taux.",
        ),
        (
            "1 300",
            "6.4%",
            "ligne 3, zz 2027-01-01 : `pension.ceiling` n’est pas un taux, et valait 1 200 ; `6.4%` en est un.",
        ),
        (
            "6.4%",
            "-1 300",
            "ligne 3, zz 2027-01-01, pension.ceiling : [G29] `-1 300` n’est pas une valeur de `ceiling`",
        ),
        (
            "6.4%",
            "idem",
            "ligne 3, zz 2027-01-01 : `idem` n’est pas une valeur de `pension.ceiling` : écrire `1 200` si le texte le dit, ou `=` dans une feuille.",
        ),
    ] {
        let refused = draft.refused_year(&lines(rate, ceiling));
        assert!(refused.contains(expected), "{refused}");
    }
}

#[test]
fn a_source_that_one_line_describes_badly_is_the_mistake_of_that_line_alone() {
    let draft = Draft::new();
    let lines = |source: &str, date: &str, publisher: &str| {
        format!(
            "zz;2027-01-01;pension.rate;6.3%;;6.4%;lf2027;;Loi de finances pour 2027;{publisher};{date}\n\
             zz;2027-01-01;pension.ceiling;1 200;;1 300;{source};;;;\n"
        )
    };

    let refused = draft.refused_year(&lines("lf2027", "28/12/26", "JO"));
    let expected = "a.csv, ligne 2, zz 2027-01-01 : `28/12/26` n’est pas un jour : écrire AAAA-MM-JJ ou JJ/MM/AAAA 1 erreur";
    assert!(refused.starts_with(expected), "{refused}");

    for (source, publisher, expected) in [
        (
            "lf2027",
            "",
            "ligne 2, zz 2027-01-01 : [S02] il manque la clé `publisher`",
        ),
        (
            "LF-2027",
            "JO",
            "ligne 3, zz 2027-01-01, pension.ceiling : La source `LF-2027` n’est pas dans `sources` : vouliez-vous dire `lf2027` ?",
        ),
        (
            "lf2027, css",
            "JO",
            "plusieurs noms se séparent par `;`, `lf2027; css`.",
        ),
    ] {
        let refused = draft.refused_year(&lines(source, "2026-12-28", publisher));
        assert!(refused.contains(expected), "{refused}");
    }
}
