//! `bareme confirm`: what was read is confirmed, and nothing else.

mod everything;
mod uncited;
mod unread;
mod whole_year;
mod year;

use std::fs::{read_to_string, write};

use crate::common::{NEW, Ran, once_read, run_in, run_in_with, small_rules};

/// A draft of 2027 of the small rules.
struct Draft(tempfile::TempDir);

impl Draft {
    fn new(arguments: &[&str]) -> Self {
        let draft = Self(small_rules(None));
        draft
            .run(&[&["new", "zz", "2027-01-01"], arguments].concat())
            .fine();
        draft
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        run_in(self.0.path(), &once_read(arguments))
    }

    fn text(&self) -> String {
        read_to_string(self.path()).unwrap()
    }

    fn path(&self) -> std::path::PathBuf {
        self.0.path().join("rules/zz/2027-01-01.yaml")
    }

    /// The words of what is refused; the file stays as it was.
    fn refused(&self, arguments: &[&str]) -> String {
        let before = self.text();
        let ran = self.run(&[&["confirm", "zz"], arguments].concat());
        assert!(ran.code > 0, "{arguments:?}: {ran:#?}");
        assert_eq!(self.text(), before, "{arguments:?}");
        ran.errors
    }

    fn confirmed(&self, arguments: &[&str]) -> String {
        self.run(&[&["confirm", "zz"], arguments].concat()).fine()
    }
}

#[test]
fn the_mark_stays_on_every_cell_that_was_not_read() {
    let draft = Draft::new(&["--index", "impot=10%", "--round", "1"]);
    let said = draft.confirmed(&[&["impot[1].up_to", "6 600"], &NEW[..]].concat());
    assert!(
        said.contains("6 000  ->       6 600  +10 %  lf2027 (2026-12-28)"),
        "{said}"
    );
    assert!(
        said.contains("3 chiffres à confirmer, 12 valeurs"),
        "{said}"
    );
    let text = draft.text();
    for line in [
        "{unconfirmed: rate, situation: seul, up_to: 6 600, rate: 0%, source: lf2027}",
        "{unconfirmed: true, situation: seul, up_to: 19 800, rate: 10%}",
        "{unconfirmed: true, situation: couple, rate: 15%}",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    // Nothing of it is in force.
    assert!(
        draft
            .run(&["explain", "zz", "brut=1000", "--date", "2027-05-01"])
            .fine()
            .contains("barème 2026")
    );
    assert_eq!(draft.run(&["check", "--date", "2026-12-01"]).code, 0);
}

#[test]
fn a_table_is_confirmed_as_a_whole_on_purpose_only() {
    let draft = Draft::new(&[]);
    assert!(
        draft
            .refused(&["famille", "--unchanged"])
            .contains("--whole")
    );
    assert!(
        draft
            .refused(&["pension", "--unchanged"])
            .contains("pension.rate 6.3%, pension.ceiling 1 200")
    );
    draft.confirmed(&["famille", "--unchanged", "--whole"]);
    let text = draft.text();
    assert!(
        text.contains(
            "  famille:\n    confirmed: \"inchangé, toujours en vigueur\"\n    per: year\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("      - {enfants: 1, montant: 600}\n"),
        "{text}"
    );
    draft
        .run(&[
            "confirm",
            "zz",
            "pension",
            "--whole",
            "--unchanged",
            "--lang",
            "en",
        ])
        .fine();
    assert!(
        draft
            .text()
            .contains("source: css, confirmed: \"unchanged, still in force\"}"),
        "{}",
        draft.text()
    );
}

#[test]
fn a_figure_that_the_index_moved_is_confirmed_with_its_value_and_source() {
    let draft = Draft::new(&["--index", "famille=10%", "--round", "1"]);
    assert!(
        draft.text().contains("{enfants: 1, montant: 660}"),
        "{}",
        draft.text()
    );
    assert!(
        draft
            .refused(&["famille[2].montant"])
            .contains("n’est qu’une proposition")
    );
    assert!(
        draft
            .refused(&["famille[2].montant", "--source", "css"])
            .contains("n’est qu’une proposition")
    );
    assert!(
        draft
            .refused(&["famille[2].montant", "--unchanged"])
            .contains("n’est qu’une proposition")
    );
    assert!(
        draft
            .refused(&["famille", "--whole", "--unchanged"])
            .contains("n’est qu’une proposition")
    );
    // The law says that it stays.
    draft.confirmed(&["famille[2].montant", "600", "--unchanged"]);
    assert!(
        draft
            .text()
            .contains("montant: 600, confirmed: \"inchangé, toujours en vigueur\"}"),
        "{}",
        draft.text()
    );
}

#[test]
fn a_value_that_stays_needs_a_newer_source_or_the_words() {
    let draft = Draft::new(&[]);
    assert!(draft.refused(&["pension.rate"]).contains("--unchanged"));
    // That source is as old as the scale before.
    assert!(
        draft
            .refused(&["pension.rate", "--source", "lf2026"])
            .contains("postérieur au 2026-01-01")
    );
    draft.confirmed(&["pension.rate", "--unchanged"]);
    let line = "{unconfirmed: ceiling, rate: 6.3%, ceiling: 1 200, per: month, source: css, confirmed: \"rate : inchangé, toujours en vigueur\"}";
    assert!(draft.text().contains(line), "{}", draft.text());
    draft.confirmed(&[&["pension.ceiling"], &NEW[..]].concat());
    assert!(
        draft
            .text()
            .contains("source: css; lf2027, confirmed: \"rate : inchangé"),
        "{}",
        draft.text()
    );
    // The source of the cell beside it says nothing of this one.
    draft.confirmed(&["impot[1].up_to", "6 100", "--source", "lf2027"]);
    assert!(draft.refused(&["impot[1].rate"]).contains("--unchanged"));
    draft.confirmed(&["impot[1].rate", "--source", "lf2027"]);
}

#[test]
fn a_value_that_changes_brings_its_source() {
    let draft = Draft::new(&[]);
    assert!(
        draft
            .refused(&["pension.rate", "7%"])
            .contains("sa source reste celle du 2026-01-01 (css)")
    );
    assert!(
        draft
            .refused(&["pension.rate", "7%", "--source", "css"])
            .contains("--because")
    );
    assert!(
        draft
            .refused(&["pension.rate", "sept", "--source", "lf2026"])
            .contains("n’est pas une valeur")
    );
    draft.confirmed(&[
        "pension.rate",
        "7%",
        "--because",
        "taux de 2027 de l’art. 4, dès 2024",
    ]);
    assert!(
        draft
            .text()
            .contains("confirmed: \"rate : taux de 2027 de l’art. 4, dès 2024\""),
        "{}",
        draft.text()
    );
}

#[test]
fn a_confirmed_figure_is_confirmed_anew() {
    let draft = Draft::new(&[]);
    draft.confirmed(&[&["pension.rate", "7%"], &NEW[..]].concat());
    let said = draft.confirmed(&["pension.rate", "7.1%", "--source", "lf2027"]);
    assert!(said.contains("6.3%  ->        7.1%  +12,7 %"), "{said}");
    assert!(
        draft.text().contains("{unconfirmed: ceiling, rate: 7.1%,"),
        "{}",
        draft.text()
    );
    for figure in ["pension.ceiling", "impot", "famille"] {
        draft.confirmed(&[figure, "--whole", "--unchanged"]);
    }
    // Whole, and in force from its day: still to be mended until then.
    let today = ["--date", "2026-12-30"];
    draft.confirmed(&[&["pension.rate", "7%", "--source", "lf2027"], &today[..]].concat());
    assert!(
        draft.text().contains("{rate: 7%,") && !draft.text().contains("unconfirmed"),
        "{}",
        draft.text()
    );
    let late = ["--date", "2027-02-01"];
    assert!(
        draft
            .refused(&[&["pension.rate", "8%", "--source", "lf2027"], &late[..]].concat())
            .contains("--from")
    );
}

#[test]
fn the_rows_of_a_table_are_confirmed_from_a_file() {
    let draft = Draft::new(&[]);
    let rows = draft.0.path().join("impot.csv");
    let confirm = [&["impot", "--rows", "impot.csv"], &NEW[..]].concat();
    write(
        &rows,
        "situation;up_to;rate\nseul;6 200;0 %\nseul;18 300;10 %\nseul;;20 %\ncouple;12 400;0 %\n",
    )
    .unwrap();
    assert!(
        draft
            .refused(&confirm)
            .contains("5 lignes dans le fichier du 2027-01-01, et celui-ci en donne 4")
    );
    write(&rows, "situation;up_to;rate\nseul;6 200;0 %\nseul;18 300;10 %\nseul;;20 %\nseul;12 400;0 %\ncouple;;15 %\n")
        .unwrap();
    assert!(draft.refused(&confirm).contains("ligne 5 : `situation`"));
    write(
        &rows,
        "situation;up_to;rate\nseul;6 200;0 %\nseul;18\u{a0}300;10,5 %\nseul;;20 %\ncouple;12 400;0 %\ncouple;;15 %\n",
    )
    .unwrap();
    let said = draft.confirmed(&confirm);
    assert!(
        said.contains("8 valeurs confirmées") && said.contains("2 chiffres à confirmer"),
        "{said}"
    );
    let text = draft.text();
    assert!(
        text.contains("  impot:\n    per: year\n    source: lf2027\n")
            && text.contains("up_to: 18 300, rate: 10.5%}"),
        "{text}"
    );
}

#[test]
fn what_is_left_is_a_sheet_to_fill_in() {
    let draft = Draft::new(&["--index", "famille=100%"]);
    let sheet = draft.confirmed(&["--sheet"]);
    let mut lines = sheet.lines();
    assert_eq!(
        lines.next(),
        Some("chiffre;ligne;avant;propose;valeur;source;motif")
    );
    assert_eq!(lines.next(), Some("pension.rate;;6.3%;;;;"));
    assert!(
        sheet.contains("impot[1].rate;situation seul, up_to 6 000;0%;;;;\n"),
        "{sheet}"
    );
    assert!(
        sheet.contains("famille[2].montant;enfants 1;600;1 200;;;\n"),
        "{sheet}"
    );
    let path = draft.0.path().join("a.csv");
    let rows = ["--rows", "a.csv"];
    write(&path, &sheet).unwrap();
    assert!(draft.refused(&rows).contains("rien à confirmer"));
    write(&path, "chiffre;valeur;source\npension.rate;7 %;lf2026\nimpot[1].rate;1 %;\nfamile[1].montant;1;\n").unwrap();
    assert!(
        draft
            .refused(&rows)
            .contains("ligne 4 : `famile[1].montant`")
    );
    write(
        &path,
        "chiffre;valeur;source\npension.rate;7 %;lf2026\nimpot[1].rate;1 %;\n",
    )
    .unwrap();
    // All or nothing, and each reason with its line.
    assert!(
        draft
            .refused(&rows)
            .contains("ligne 3 : `impot[1].rate` passe de 0% à 1%")
    );
    write(
        &path,
        "chiffre;valeur;source;motif\npension.rate;7 %;lf2026;\nfamille[2].montant;;;relu dans la loi\n",
    )
    .unwrap();
    let said = draft.refused(&rows);
    assert!(
        said.contains("ligne 3 : `famille[2].montant` : `motif` est rempli, et `valeur` est vide"),
        "{said}"
    );
    write(
        &path,
        "chiffre;valeur;motif\npension.rate;7 %;\nimpot[1].rate;=;relu dans la loi\n",
    )
    .unwrap();
    assert!(
        draft
            .confirmed(&[&rows[..], &NEW[..]].concat())
            .contains("2 valeurs confirmées")
    );
    // What a line says to stand keeps its own sources.
    let text = draft.text();
    assert!(
        text.contains("rate: 7%, ceiling: 1 200, per: month, source: lf2027}"),
        "{text}"
    );
    assert!(
        text.contains("up_to: 6 000, rate: 0%, confirmed: \"rate : relu dans la loi\"}"),
        "{text}"
    );
    // The value of the scale before, instead of the proposal.
    write(
        &path,
        "chiffre;valeur;motif\nfamille[2].montant;=;relu dans la loi\n",
    )
    .unwrap();
    assert!(draft.confirmed(&rows).contains("famille[2].montant"));
    assert!(draft.text().contains("montant: 600"), "{}", draft.text());
}

#[test]
fn what_is_left_is_asked_for_left_and_taken_up_again() {
    let draft = Draft::new(&[]);
    let walk =
        |input: &str| run_in_with(draft.0.path(), &once_read(&["confirm", "zz"]), input).fine();
    let first = walk("7%\nlf2027\nLoi 2027\nJournal officiel\n2026-12-28\n\n=\n=\nq\n");
    assert!(
        first.contains("pension.rate\n  2026-01-01 : 6.3%\n  valeur ? "),
        "{first}"
    );
    assert!(first.contains("`lf2027` est nouvelle"), "{first}");
    assert!(first.contains("impot[1].up_to (situation seul)"), "{first}");
    let text = draft.text();
    assert!(
        text.contains(
            "{unconfirmed: ceiling, rate: 7%, ceiling: 1 200, per: month, source: lf2027}"
        ),
        "{text}"
    );
    assert!(
        text.contains("confirmed: \"up_to : inchangé, toujours en vigueur\""),
        "{text}"
    );
    // A mistake is said and asked again; the end of the input leaves.
    let second = walk("=\n\n=\nlf2027\n");
    assert!(
        second.contains("pension.ceiling") && !second.contains("pension.rate"),
        "{second}"
    );
    assert!(
        second.contains("reste à 1 200") && second.contains("10 valeurs à confirmer dans zz"),
        "{second}"
    );
}
