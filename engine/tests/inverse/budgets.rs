//! The greatest gross that a budget pays: for random households, and for every budget of a made-up
//! law.

use bareme_engine::Folder;
use bareme_engine::law::{Find, Inverse};
use rust_decimal::Decimal;

use crate::{DRAWS, Dice, TODAY, ask, common, folders, household, pay, with};

/// The field of an option is there where the option is on.
fn switched(
    query: &[(String, String)],
    folder: &Folder,
    inverse: &Inverse,
) -> Vec<(String, String)> {
    let option = inverse
        .option
        .map(|option| &folder.latest().unwrap().method().options()[option].name);
    query
        .iter()
        .cloned()
        .chain(option.map(|option| (option.clone(), "true".to_owned())))
        .collect()
}

#[test]
fn the_gross_that_a_budget_pays_is_within_it_and_one_unit_more_is_not() {
    for (folder, inverse) in folders(Find::Greatest) {
        let method = folder.latest().unwrap().method();
        let (input, field) = (
            inverse.input.of(method.inputs()).unwrap(),
            &method.fields()[inverse.field].name,
        );
        let mut dice = Dice(0xb0d9 ^ folder.path().len() as u64);
        let mut answered = 0;
        while answered < DRAWS {
            let household = household(folder, inverse, &mut dice);
            let budget = pay(folder, input, &mut dice);
            let query = with(&household, &inverse.parameter.name, budget);
            let shown = &method.fields()[inverse.shown].name;
            let Ok((found, notes)) = ask(folder, &query, shown) else {
                continue;
            };
            answered += 1;
            let reported = format!("{}: {query:?} gave {found}, {notes:?}", folder.path());
            let cost = |gross| {
                ask(
                    folder,
                    &switched(&with(&household, &input.name, gross), folder, inverse),
                    field,
                )
            };
            assert!(cost(found).unwrap().0 <= budget, "{reported}");
            let more = cost(found + inverse.unit);
            assert!(
                more.is_err() || more.as_ref().unwrap().0 > budget,
                "{reported}, one unit more gives {more:?}"
            );
            // Nor is any other above within the budget, near or far.
            for _ in 0..3 {
                let reach = dice.below(30);
                let above = found + inverse.unit * Decimal::from(1 + dice.below(1 << reach));
                let higher = cost(above);
                assert!(
                    higher.is_err() || higher.as_ref().unwrap().0 > budget,
                    "{reported}, {above} gives {higher:?}"
                );
            }
        }
    }
}

/// A made-up law whose cost jumps by 109, rises by more than two a unit, is rounded line by line,
/// and falls where a contribution ends.
const BUDGET: [(&str, &str); 3] = [
    ("service.yaml", common::SERVICE),
    (
        "zz/method.yaml",
        "format: bareme/1
folder: zz
title: Titre
currency: XOF
decimals: 0
inputs:
  brut:      {type: money, per: month, required: true, min: 20, max: 6000, label: Brut}
  employeur: {type: boolean, default: false, label: Employeur}
  fin:       {type: number, default: 6000, label: Fin d’une taxe}
figures:
  seuils: {bas: money/month, haut: money/month, fin: money/month, rate: rate, taxe: money/month}
steps:
  net: brut
answer:
  brut: brut
  net: net
options:
  employeur:
    steps:
      a:         {contribution: brut, rate: seuils.rate, round: 1}
      b:         {contribution: brut, rate: seuils.rate, over: seuils.bas, round: 1}
      reduction: {formula: -(brut * 0.05), when: brut < seuils.haut, round: 1}
      taxe:      {formula: seuils.taxe, when: brut > seuils.fin and brut < seuils.fin / 500 * fin / 10, round: 1}
      cout:      brut + a + b + reduction + taxe
    answer:
      cout: cout
    inverse: [{input: brut, field: cout, find: greatest, parameter: cout, label: Coût}]
",
    ),
    (
        "zz/2026-01-01.yaml",
        "format: bareme/1
title: Titre
sources: {s: {kind: law, title: Source, publisher: Editeur}}
figures:
  seuils: {bas: 1 801, haut: 2 180, fin: 3 000, rate: 57%, taxe: 150, per: month, source: s}
",
    ),
];

#[test]
fn the_gross_that_a_budget_pays_is_the_greatest_of_all() {
    let loaded = common::load_files(BUDGET.map(|(path, text)| (path.to_owned(), text.to_owned())));
    let rules = loaded
        .rules
        .unwrap_or_else(|| panic!("{}", common::reported(&loaded.report)));
    let folder = rules.folder("zz").unwrap();
    let pairs = |text: String| -> Vec<(String, String)> {
        text.split('&')
            .map(|pair| pair.split_once('=').unwrap())
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .collect()
    };

    for fin in ["0", "700", "5500", "9000"] {
        let cost = |gross: u32| {
            ask(
                folder,
                &pairs(format!("brut={gross}&fin={fin}&employeur=oui")),
                "cout",
            )
            .unwrap()
            .0
        };
        let costs: Vec<(u32, Decimal)> = (20..=6000).map(|gross| (gross, cost(gross))).collect();
        for budget in (20..6000).step_by(7) {
            let within = costs
                .iter()
                .rfind(|(_, cost)| *cost <= Decimal::from(budget));
            let found = ask(folder, &pairs(format!("cout={budget}&fin={fin}")), "brut");
            let gross = found.as_ref().ok().map(|(gross, _)| gross.to_string());
            let expected = within.map(|(gross, _)| gross.to_string());
            assert_eq!(gross, expected, "budget {budget}, fin {fin}: {found:?}");
        }
    }
}

#[test]
fn a_budget_in_a_jump_says_what_is_paid_on_both_sides() {
    let loaded = common::load_files(BUDGET.map(|(path, text)| (path.to_owned(), text.to_owned())));
    let rules = loaded.rules.unwrap();
    let folder = rules.folder("zz").unwrap();
    let query = |text: &str| {
        vec![
            ("cout".to_owned(), text.to_owned()),
            ("fin".to_owned(), "0".to_owned()),
        ]
    };

    let (gross, notes) = ask(folder, &query("3600"), "brut").unwrap();
    assert_eq!(gross.to_string(), "2179");
    let notes = notes.join(" ").replace('\u{202f}', " ");
    assert!(
        notes.contains("2 179 donne 3 527, et 2 180 donne déjà 3 639"),
        "{notes}"
    );
    // One that falls between two units of an even rise is paid as nearly as it can be, without a
    // word.
    assert_eq!(
        ask(folder, &query("1000"), "brut").unwrap(),
        ("658".parse().unwrap(), Vec::new())
    );
    let refused = |text: &str| {
        let refusal = common::refusal(folder.calculate(&(&query(text)).into(), TODAY).unwrap_err());
        refusal
            .parameters
            .into_iter()
            .map(|bad| (bad.name, bad.code.to_string(), bad.expected.fr))
            .collect::<Vec<_>>()
    };

    assert_eq!(
        refused("25"),
        [(
            "cout".to_owned(),
            "hors_bornes".to_owned(),
            "au moins 30".to_owned()
        )]
    );
}
