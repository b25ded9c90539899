//! Properties of every net pay.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::prelude::*;
use rust_decimal::Decimal;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::common::rules;
use crate::draws;
use crate::household::{Numbers, draw};

/// Levies that stand after the net, because callers do not expect them before it.
const OTHER_LEVIES: [(&str, &str); 2] = [("ci", "cmu"), ("rw", "assurance_maladie")];

/// Fields among the levies that are none.
const NO_LEVIES: [(&str, &str); 1] = [("lu", "imposable_mensuel")];

/// Credits that are paid with the wage, even beyond its levies: the net of a low pay is above its
/// gross.
const CREDITS: [(&str, &str); 3] = [("lu", "cis"), ("lu", "ci_co2"), ("lu", "cissm")];

/// Contributions, each with a gross pay above which it stays the same in every year.
const CEILINGS: &[(&str, &str, i64)] = &[
    ("bf", "cnss", 800_000),
    ("cg", "cnss", 1_200_000),
    ("ch", "ac", 13_000),
    ("ch", "laa_anp", 13_000),
    ("ch", "lpp", 8_000),
    ("ci", "cnps", 3_400_000),
    ("cm", "cnps", 750_000),
    ("ga", "cnss", 1_500_000),
    ("ga", "cnamgs", 2_500_000),
    ("gn", "cnss", 2_500_000),
    ("lu", "assurance_maladie_soins", 14_000),
    ("lu", "assurance_maladie_especes", 14_000),
    ("lu", "assurance_pension", 14_000),
    ("ma", "cnss", 6_000),
    ("mc", "car", 6_112),
    ("mc", "chomage", 16_020),
    ("mc", "cmrc_tranche_a", 3_971),
    ("mc", "cmrc_tranche_b", 31_768),
    ("mg", "cnaps", 3_000_000),
    ("mg", "ostie", 3_000_000),
    ("mr", "cnss", 15_000),
    ("mu", "nsf", 30_000),
    ("qc", "rrq", 8_000),
    ("qc", "rrq2", 8_000),
    ("qc", "rqap", 9_000),
    ("qc", "ae", 8_000),
    ("sn", "ipres_rg", 432_000),
    ("sn", "ipres_rcc", 1_296_000),
    ("sn", "ipm", 250_000),
];

/// Taxes that a greater family never raises: the input that says how great it is, what it needs
/// beside it, and its values in order.
type Family = (
    &'static str,
    &'static str,
    &'static str,
    Option<(&'static str, &'static str)>,
    &'static [&'static str],
);

const FAMILIES: &[Family] = &[
    (
        "be",
        "impot_mensuel",
        "enfants",
        Some(("methode", "precompte")),
        &["0", "1", "2", "3", "5", "9", "12"],
    ),
    (
        "bf",
        "iuts",
        "charges",
        None,
        &["0", "1", "2", "3", "4", "20"],
    ),
    ("cd", "ipr", "personnes", None, &["0", "1", "4", "9"]),
    ("cd", "irpp", "personnes", None, &["0", "1", "4", "9"]),
    (
        "ci",
        "its_net",
        "parts",
        None,
        &["1", "1.5", "2", "3.5", "5"],
    ),
    ("ga", "irpp", "parts", None, &["1", "1.5", "2", "4", "6.5"]),
    ("lu", "impot", "classe", None, &["1", "1a", "2"]),
    (
        "ma",
        "ir_net",
        "personnes",
        None,
        &["0", "1", "3", "6", "9"],
    ),
    ("mg", "irsa_net", "charges", None, &["0", "1", "3", "6"]),
    (
        "mu",
        "paye",
        "personnes_a_charge",
        None,
        &["0", "1", "2", "3", "4"],
    ),
    (
        "sn",
        "ir_net",
        "parts",
        None,
        &["1", "1.5", "2", "3.5", "5"],
    ),
    ("tg", "irpp", "charges", None, &["0", "1", "2", "4", "6"]),
    (
        "tn",
        "irpp",
        "enfants",
        Some(("chef_famille", "true")),
        &["0", "1", "2", "4", "6"],
    ),
];

/// By how much the net of a country may fall when its gross rises.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Falls {
    /// How much it may fall anywhere.
    #[serde(deserialize_with = "decimal")]
    grain: Decimal,
    /// The reason of the grain.
    because: String,
    #[serde(default)]
    jumps: Vec<Jump>,
}

/// A place where the law jumps.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Jump {
    /// The field that crosses the value.
    field: String,
    #[serde(deserialize_with = "decimal")]
    at: Decimal,
    /// By how much the net falls at most.
    #[serde(deserialize_with = "decimal")]
    by: Decimal,
}

fn decimal<'de, D: Deserializer<'de>>(from: D) -> Result<Decimal, D::Error> {
    String::deserialize(from)?.parse().map_err(D::Error::custom)
}

/// The falls of each country's net that roundings of a few units do not explain.
static FALLS: LazyLock<BTreeMap<String, Falls>> =
    LazyLock::new(|| serde_yaml::from_str(include_str!("falls.yaml")).unwrap());

/// Roundings of one pay, in units of the last decimal of its currency: of a country that is not
/// listed.
const ROUNDINGS: i64 = 5;

impl Falls {
    fn of(country: &str) -> Self {
        FALLS.get(country).cloned().unwrap_or_else(|| {
            let folder = rules().folder(&format!("salaire-net/{country}")).unwrap();
            let decimals = folder.latest().unwrap().method().decimals;
            Self {
                grain: Decimal::new(ROUNDINGS, decimals),
                because: "roundings".to_owned(),
                jumps: Vec::new(),
            }
        })
    }
}

impl Falls {
    /// By how much the net may fall from one answer to another.
    fn between(&self, less: &Numbers, more: &Numbers) -> Decimal {
        let crossed = |jump: &&Jump| less[&*jump.field] <= jump.at && jump.at <= more[&*jump.field];
        self.jumps
            .iter()
            .filter(crossed)
            .map(|jump| jump.by)
            .sum::<Decimal>()
            + self.grain
    }
}

/// The members of an answer.
fn members(answer: &str) -> Map<String, Value> {
    serde_json::from_str(answer).unwrap()
}

proptest! {
    #![proptest_config(draws(4000))]

    #[test]
    fn a_net_pay_is_the_gross_less_its_levies(draw in draw()) {
        let household = draw.household();
        let Some(answer) = household.numbers() else { return Ok(()) };
        let own = |fields: &[(&str, &'static str)]| -> Vec<&str> {
            fields.iter().filter(|(country, _)| *country == household.country).map(|(_, name)| *name).collect()
        };
        let (credits, aside) = (own(&CREDITS), own(&NO_LEVIES));
        let mut levies = household.levies();
        levies.retain(|name| !credits.contains(&name.as_str()) && !aside.contains(&name.as_str()));
        levies.extend(own(&OTHER_LEVIES).into_iter().map(str::to_owned));
        for amount in levies.iter().map(String::as_str).chain(credits.iter().copied()) {
            prop_assert!(answer[amount] >= Decimal::ZERO, "{amount} of {household:?}");
        }
        let credits: Decimal = credits.iter().map(|credit| answer[*credit]).sum();
        prop_assert!(answer["net_mensuel"] <= answer["brut_mensuel"] + credits, "{household:?}");
        let sum = levies.iter().map(|levy| answer[levy]).sum::<Decimal>() - credits;
        prop_assert_eq!(sum, answer["total_retenues"], "{:?}", household);
        prop_assert_eq!(answer["brut_mensuel"] - sum, answer["net_mensuel"], "{:?}", household);
    }

    #[test]
    fn steps_are_shown_without_changing_anything(draw in draw()) {
        let household = draw.household();
        let Some(plain) = household.calculate() else { return Ok(()) };
        let detailed = household.with("detail", true).calculate().unwrap();
        let (plain, detailed) = (members(&plain.to_json()), members(&detailed.to_json()));
        for (name, value) in &plain {
            let shown = &detailed[name];
            match (value.as_array(), shown.as_array()) {
                // What figures were checked against comes after their texts.
                (Some(texts), Some(all)) if name == "references" => prop_assert!(all.starts_with(texts), "{household:?}"),
                _ => prop_assert_eq!(shown, value, "{} of {:?}", name, household),
            }
        }
        prop_assert!(detailed["etapes"].as_array().is_some_and(|steps| !steps.is_empty()), "{household:?}");
    }

    #[test]
    fn a_net_pay_rises_with_the_gross_but_where_the_law_jumps(draw in draw(), more in 1..2000_u32, small in any::<bool>()) {
        let household = draw.household();
        let step = if small { Decimal::new(1, 2) } else { (household.gross * Decimal::new(more.into(), 4)).round_dp(2) };
        let Some(less) = household.numbers() else { return Ok(()) };
        let Some(more) = household.with_gross(household.gross + step).numbers() else { return Ok(()) };
        let falls = Falls::of(household.country);
        let fall = less["net_mensuel"] - more["net_mensuel"];
        let allowed = falls.between(&less, &more);
        prop_assert!(fall <= allowed, "{step} more takes {fall} of {household:?}, {allowed} is expected: {}", falls.because);
    }

    #[test]
    fn a_thirteenth_month_adds_to_the_net_and_never_more_than_itself(draw in draw(), share in 1..=100_u32) {
        let household = draw.household().without("mois");
        let names: Vec<&str> = household.folder().inputs().into_iter().map(|input| &*input.name).collect();
        let Some(bonus) = ["primes", "prime_fin_annee"].into_iter().find(|name| names.contains(name)) else { return Ok(()) };
        // Quebec asks for the rank of the pay with a bonus.
        let household = match names.contains(&"mois") {
            true => household.with("mois", 6),
            false => household,
        };
        let amount = (household.gross * Decimal::new(share.into(), 2)).round_dp(2);
        let Some(without) = household.numbers() else { return Ok(()) };
        let Some(with) = household.with(bonus, amount).numbers() else { return Ok(()) };
        let added = with["net_mensuel"] - without["net_mensuel"];
        let roundings = Falls::of(household.country).grain;
        prop_assert!(added <= amount + roundings, "{bonus}={amount} adds {added} to {household:?}");
    }

    #[test]
    fn a_contribution_stays_the_same_above_its_ceiling(draw in draw(), which in 0..CEILINGS.len(), more in 0..1_000_000_u32) {
        let (country, field, ceiling) = CEILINGS[which];
        let household = draw.household_of(country).without("mois");
        let above = |more: u32| household.with_gross(Decimal::from(ceiling) + Decimal::from(more)).numbers();
        let (Some(at), Some(beyond)) = (above(0), above(more)) else { return Ok(()) };
        prop_assert_eq!(at[field], beyond[field], "{} of {:?}", field, household);
    }

    #[test]
    fn a_greater_family_never_raises_the_tax(draw in draw(), which in 0..FAMILIES.len()) {
        let (country, tax, input, beside, values) = FAMILIES[which];
        let household = draw.household_of(country);
        let household = beside.map_or(household.clone(), |(name, value)| household.with(name, value));
        let mut before = Decimal::MAX;
        for value in values {
            let Some(answer) = household.with(input, value).numbers() else { continue };
            let Some(amount) = answer.get(tax) else { return Ok(()) };
            prop_assert!(*amount <= before, "{tax} with {input}={value} of {household:?}");
            before = *amount;
        }
    }
}
