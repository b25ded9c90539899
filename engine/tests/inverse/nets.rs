//! The smallest gross that gives a net: for random households, and where a net jumps, falls or is
//! rounded.

use bareme_engine::law::{FieldValue, Find};
use bareme_engine::text::number_text;
use rust_decimal::Decimal;

use crate::{DRAWS, Dice, TODAY, ask, assumed, common, folders, household, pay, with};

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
            let household = assumed(folder, inverse, &household);
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
            let household = assumed(folder, inverse, &household(folder, inverse, &mut dice));
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
        none[0].2.ends_with(
            ", ou bien `net`, ou bien `net_apres_impot`, ou bien `net_a_payer`, ou bien `cout`"
        ),
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
fn a_net_that_no_gross_gives_exactly_and_one_that_is_lost_again_are_reported() {
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
