//! The other way round: the smallest gross that gives a net and the greatest that a budget pays, on
//! random households of every folder that declares them.

#![cfg(test)]

mod common;

use bareme_engine::law::{FieldValue, Find, Input, InputId, Inverse, Presence, Type, Value};
use bareme_engine::text::number_text;
use bareme_engine::{Folder, Refusal};
use jiff::civil::{Date, date};
use rust_decimal::Decimal;

const TODAY: Date = date(2026, 11, 1);

/// Draws asked of each folder.
const DRAWS: usize = 1_000;

/// A small generator, so that a failing draw is the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }

    fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len() as u64) as usize]
    }
}

/// Inverse parameters of each folder.
fn folders(find: Find) -> Vec<(&'static Folder, &'static Inverse)> {
    let inverses = |folder: &'static Folder| {
        let inverses = folder.latest().unwrap().method().inverses().iter();
        inverses
            .filter(move |inverse| inverse.find == find)
            .map(move |inverse| (folder, inverse))
    };
    common::rules().folders().flat_map(inverses).collect()
}

/// Choices, booleans and stepped numbers that a household may be described by, each left out at
/// times.
fn household(folder: &Folder, inverse: &Inverse, dice: &mut Dice) -> Vec<(String, String)> {
    let inputs = folder.latest().unwrap().method().inputs();
    let mut query = Vec::new();
    for (id, input) in InputId::enumerate(inputs) {
        let is_sent = matches!(input.presence, Presence::Required) || dice.below(2) == 0;
        // The option of what is asked for is switched on by asking.
        let option = inverse
            .option
            .map(|option| folder.latest().unwrap().method().options()[option].input);
        if let Some(value) =
            draw(input, dice).filter(|_| id != inverse.input && Some(id) != option && is_sent)
        {
            query.push((input.name.clone(), value));
        }
    }
    query
}

fn draw(input: &Input, dice: &mut Dice) -> Option<String> {
    Some(match input.ty {
        Type::Choice(_) => dice.pick(&input.values).0.clone(),
        Type::Boolean => ["true", "false"][dice.below(2) as usize].to_owned(),
        Type::Number => {
            let (min, max) = (input.min?, input.max?);
            let step = input.step.unwrap_or(Decimal::ONE);
            let steps = u64::try_from(((max - min) / step).trunc().min(Decimal::from(12))).unwrap();
            number_text(min + step * Decimal::from(dice.below(steps + 1)))
        }
        Type::Rate => {
            let (min, max) = (input.min?, input.max?.min(Decimal::ONE));
            let share = Decimal::from(dice.below(11)) / Decimal::TEN;
            input.sent_text(&Value::Number((min + (max - min) * share).round_dp(4)))
        }
        _ => return None,
    })
}

/// The field of an answer to a query.
fn ask(
    folder: &Folder,
    query: &[(String, String)],
    field: &str,
) -> Result<(Decimal, Vec<String>), Refusal> {
    let calculation = folder
        .calculate(&query.into(), TODAY)
        .map_err(common::refusal)?;
    let Some(found) = calculation.field(field).and_then(FieldValue::number) else {
        panic!("no {field} in {}", calculation.to_json())
    };
    Ok((
        found,
        calculation
            .warnings()
            .iter()
            .map(|warning| warning.text.fr.clone())
            .collect(),
    ))
}

fn with(query: &[(String, String)], name: &str, value: Decimal) -> Vec<(String, String)> {
    query
        .iter()
        .cloned()
        .chain([(name.to_owned(), number_text(value))])
        .collect()
}

/// An amount of the size of a pay there, from the cases of the folder.
fn pay(folder: &Folder, input: &Input, dice: &mut Dice) -> Decimal {
    let sent = folder.cases().iter().flat_map(|case| &case.query);
    let amounts: Vec<Decimal> = sent
        .filter(|(name, _)| *name == input.name)
        .filter_map(|(_, value)| value.parse().ok())
        .collect();
    let around = Decimal::from(50 + dice.below(100)) / Decimal::ONE_HUNDRED;
    (*dice.pick(&amounts) * around)
        .trunc()
        .clamp(Decimal::ZERO, Decimal::from(100_000_000))
}

#[test]
fn the_gross_found_gives_the_net_asked_and_one_unit_less_does_not() {
    for (folder, inverse) in folders(Find::Smallest) {
        let method = folder.latest().unwrap().method();
        let (input, field) = (
            inverse.input.of(method.inputs()).unwrap(),
            &method.fields()[inverse.field].name,
        );
        let mut dice = Dice(0x5eed ^ folder.path().len() as u64);
        let mut answered = 0;
        while answered < DRAWS {
            let household = household(folder, inverse, &mut dice);
            let asked = pay(folder, input, &mut dice);
            let query = with(&household, &inverse.parameter.name, asked);
            // Options that do not go together are refused, whichever way the question is put.
            let Ok(calculation) = folder.calculate(&(&query).into(), TODAY) else {
                continue;
            };
            let found = calculation
                .field(&method.fields()[inverse.shown].name)
                .and_then(FieldValue::number)
                .unwrap();
            answered += 1;
            let reported = format!("{}: {query:?} gave {found}", folder.path());
            let reached = ask(folder, &with(&household, &input.name, found), field)
                .unwrap()
                .0;
            assert!(reached >= asked, "{reported}, which gives {reached}");
            let least = input.min.unwrap_or_default();
            if found > least {
                let before = ask(
                    folder,
                    &with(&household, &input.name, found - inverse.unit),
                    field,
                );
                assert!(
                    before.is_err() || before.as_ref().unwrap().0 < asked,
                    "{reported}, one unit less gives {before:?}"
                );
                // Nor does any other below, near or far.
                let units = u64::try_from(((found - least) / inverse.unit).trunc()).unwrap();
                for _ in 0..3 {
                    let reach = dice.below(1 + u64::from(units.ilog2()));
                    let below =
                        found - inverse.unit * Decimal::from(1 + dice.below(units >> reach));
                    let lower = ask(folder, &with(&household, &input.name, below), field);
                    assert!(
                        lower.is_err() || lower.as_ref().unwrap().0 < asked,
                        "{reported}, {below} gives {lower:?}"
                    );
                }
            }
        }
    }
}

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

/// A target that the least input passes already cannot be reached, and is not answered with more.
#[test]
fn a_net_below_what_no_gross_at_all_gives_is_refused_with_the_least() {
    let folder = common::rules().folder("salaire-net/mg").unwrap();
    let query = [
        ("heures_sup", "10"),
        ("heures_sup_montant", "900000"),
        ("net", "500000"),
    ];
    let query: Vec<_> = query
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let refusal = common::refusal(folder.calculate(&(&query).into(), TODAY).unwrap_err());
    let bad = &refusal.parameters[0];
    assert_eq!(
        (
            bad.name.as_str(),
            bad.code.as_str(),
            refusal.parameters.len()
        ),
        ("net", "hors_bornes", 1)
    );
    assert_eq!(bad.expected.fr, "au moins 882\u{202f}000");
    assert!(
        bad.reason
            .fr
            .contains("`brut` à 900\u{202f}000 donne déjà 882\u{202f}000"),
        "{}",
        bad.reason.fr
    );
}

/// Credits that are paid with the wage from a threshold on: there the net jumps up with them.
const CREDITS: [(&str, &[&str]); 1] = [("salaire-net/lu", &["cis", "ci_co2", "cissm"])];

/// The search for the smallest gross relies on it.
#[test]
fn a_net_never_rises_more_than_twice_as_fast_as_its_gross() {
    for (folder, inverse) in folders(Find::Smallest) {
        let method = folder.latest().unwrap().method();
        let (input, field) = (
            inverse.input.of(method.inputs()).unwrap(),
            &method.fields()[inverse.field].name,
        );
        let mut dice = Dice(0xfa11 ^ folder.path().len() as u64);
        for _ in 0..DRAWS {
            let household = household(folder, inverse, &mut dice);
            let gross = pay(folder, input, &mut dice);
            let size = 10u64.pow(1 + dice.below(6) as u32);
            let rise = inverse.unit * Decimal::from(1 + dice.below(size));
            let net = |gross| ask(folder, &with(&household, &input.name, gross), field);
            if let (Ok((below, _)), Ok((above, _))) = (net(gross), net(gross + rise)) {
                let credits = CREDITS
                    .iter()
                    .find(|(path, _)| *path == folder.path())
                    .map_or(&[][..], |(_, names)| names);
                let credit = |gross| -> Decimal {
                    credits
                        .iter()
                        .map(|name| {
                            ask(folder, &with(&household, &input.name, gross), name)
                                .unwrap()
                                .0
                        })
                        .sum()
                };
                let jump = (credit(gross + rise) - credit(gross)).max(Decimal::ZERO);
                // But for roundings, fifty units at most.
                let lump = inverse.unit * Decimal::from(50) + jump;
                assert!(
                    above - below <= rise * Decimal::TWO + lump,
                    "{}: {household:?}, {gross} then {rise} more",
                    folder.path()
                );
            }
        }
    }
}

/// A net is looked for around the threshold of a credit, and compared with every gross there.
#[test]
fn a_credit_paid_from_a_threshold_on_is_not_jumped_over() {
    let folder = common::rules().folder("salaire-net/lu").unwrap();
    let households: [(&[(&str, &str)], &str); 5] = [
        (&[("date", "2026-07-01")], "1800"),
        (
            &[("date", "2024-07-01"), ("classe", "1a"), ("heures", "86.5")],
            "900",
        ),
        (&[("date", "2025-07-01"), ("taux_fiche", "33")], "1800"),
        (&[("date", "2026-07-01")], "78"),
        (&[("date", "2026-07-01"), ("heures", "7.5")], "78.03"),
    ];
    for (household, threshold) in households {
        let household: Vec<_> = household
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let cents = |cents: i64| Decimal::new(cents, 2);
        let threshold: Decimal = threshold.parse().unwrap();
        let nets: Vec<(Decimal, Decimal)> = (-100..1_500)
            .map(|distance| threshold + cents(distance))
            .map(|gross| {
                (
                    gross,
                    ask(folder, &with(&household, "brut", gross), "net_mensuel")
                        .unwrap()
                        .0,
                )
            })
            .collect();
        let (first, last) = (nets[0].1, nets[nets.len() - 1].1);
        for asked in (1..40).map(|index| {
            first
                + cents(300)
                + (last - first - cents(300)) / Decimal::from(40) * Decimal::from(index)
        }) {
            let asked = asked.round_dp(2);
            let smallest = nets.iter().find(|(_, net)| *net >= asked).unwrap().0;
            let found = ask(folder, &with(&household, "net", asked), "brut_mensuel")
                .unwrap()
                .0;
            assert_eq!(found, smallest, "{household:?}, {asked}");
        }
    }
}

/// The withholding goes by steps of some euros: a leap over the threshold once came down above the
/// second one.
#[test]
fn the_smallest_gross_above_a_threshold_is_found_between_the_steps_of_a_tax() {
    let folder = common::rules().folder("salaire-net/lu").unwrap();
    let query = |name: &str, value: &str| {
        with(
            &[("date".to_owned(), "2026-07-01".to_owned())],
            name,
            value.parse().unwrap(),
        )
    };
    let net = |gross: &str| {
        ask(folder, &query("brut", gross), "net_mensuel")
            .unwrap()
            .0
            .to_string()
    };
    assert_eq!(
        ["1808.47", "1808.48", "1809", "1809.05"].map(net),
        ["1695.37", "1695.38", "1695.33", "1695.38"]
    );
    let found = ask(folder, &query("net", "1695.38"), "brut_mensuel")
        .unwrap()
        .0;
    assert_eq!(found.to_string(), "1808.48");
}

/// A contribution that reaches its yearly maximum gives back at once what the pays before it were
/// rounded up by.
#[test]
fn roundings_that_come_back_at_once_are_not_jumped_over() {
    let folder = common::rules().folder("salaire-net/qc").unwrap();
    let query = |name: &str, value: &str| {
        with(
            &[("mois".to_owned(), "6".to_owned())],
            name,
            value.parse().unwrap(),
        )
    };
    let net = |gross: &str| {
        ask(folder, &query("brut", gross), "net_mensuel")
            .unwrap()
            .0
            .to_string()
    };
    assert_eq!(
        ["13587.78", "13587.79", "13587.80"].map(net),
        ["8714.99", "8715.00", "8714.99"]
    );
    let found = ask(folder, &query("net", "8715"), "brut_mensuel")
        .unwrap()
        .0;
    assert_eq!(found.to_string(), "13587.79");
}

#[test]
fn a_net_is_asked_instead_of_a_gross_and_never_beside_it() {
    let folder = common::rules().folder("salaire").unwrap();
    let refuse = |query: &[(&str, &str)]| {
        let query: Vec<_> = query
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let refusal = common::refusal(folder.calculate(&(&query).into(), TODAY).unwrap_err());
        refusal
            .parameters
            .into_iter()
            .map(|bad| (bad.name, bad.code.as_str(), bad.expected.fr))
            .collect::<Vec<_>>()
    };
    let both = refuse(&[("brut", "3000"), ("net", "2000")]);
    assert_eq!(
        (both[0].0.as_str(), both[0].1, both.len()),
        ("net", "incompatible", 1)
    );
    let none = refuse(&[]);
    assert_eq!((none[0].0.as_str(), none[0].1), ("brut", "manquant"));
    assert!(
        none[0].2.ends_with(", ou bien `net`, ou bien `cout`"),
        "{none:?}"
    );
    let bad = refuse(&[("net", "12,5")]);
    assert_eq!(
        (bad[0].0.as_str(), bad[0].1, bad.len()),
        ("net", "format", 1)
    );
    // The greatest gross that is accepted does not give it.
    let high = refuse(&[("net", "99999999")]);
    assert_eq!((high[0].0.as_str(), high[0].1), ("net", "hors_bornes"));
}

#[test]
fn a_net_that_no_gross_gives_exactly_and_one_that_is_lost_again_are_told() {
    let folder = common::rules().folder("salaire-net/sn").unwrap();
    let warnings = |net: &str| {
        let query = [
            ("net".to_owned(), net.to_owned()),
            ("date".to_owned(), "2026-03-31".to_owned()),
        ];
        ask(folder, &query, "net_mensuel").unwrap().1.join(" ")
    };
    // The flat tax leaps by 1 500 francs at one million, so what a gross just below gives is lost
    // there.
    let net_below = {
        let query = [
            ("brut".to_owned(), "999999.99".to_owned()),
            ("date".to_owned(), "2026-03-31".to_owned()),
        ];
        number_text(ask(folder, &query, "net_mensuel").unwrap().0)
    };
    assert!(
        warnings(&net_below).contains("retombe"),
        "{}",
        warnings(&net_below)
    );
    assert_eq!(warnings("300000.5"), "");
}
