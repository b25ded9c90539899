//! Searches on made-up laws, each compared with every input that there is.

use rust_decimal::Decimal;

use crate::law::answer::FieldValue;
use crate::run::folder::Folder;
use crate::run::query::Query;
use crate::testing::{TODAY, folder, query};
use crate::text::lang::Text;

/// A field that rises by `pente` a unit, more by `prime` from `saut` on, and less by `perte` from
/// `chute` to `fin`; inputs below `bas` and above `haut` are refused.
const LAW: &str = "decimals: 0
inputs:
  brut:  {type: money, per: month, required: true, min: 0, max: 1 000, label: Brut}
  pente: {type: number, default: 1, label: Pente}
  saut:  {type: money, per: month, default: 0, label: Saut}
  prime: {type: money, per: month, default: 0, label: Prime}
  chute: {type: money, per: month, default: 0, label: Chute}
  fin:   {type: money, per: month, default: 1 000 000, label: Fin}
  perte: {type: money, per: month, default: 0, label: Perte}
  bas:   {type: money, per: month, default: 0, label: Bas}
  haut:  {type: money, per: month, default: 1 000 000, label: Haut}
checks:
  - {if: brut < bas, refuse: \"Trop peu.\", input: brut}
  - {if: brut > haut, refuse: \"Trop.\", input: brut}
steps:
  hausse: {formula: prime, when: brut >= saut}
  baisse: {formula: perte, when: brut >= chute and brut < fin}
  net:    {formula: brut * pente + hausse - baisse, round: 1}
answer:
  brut: brut
  net:  {value: net, label: Net}
inverse:
  - {input: brut, field: net, find: smallest, parameter: vise, label: Net visé}
  - {input: brut, field: net, find: greatest, parameter: budget, label: Budget}
";

/// The result of a query: a field and its notes, or the accepted values and the reason of a
/// refusal.
type Said = Result<(Decimal, Vec<String>), (String, String)>;

fn ask(folder: &Folder, asked: &str, field: &str) -> Said {
    match folder.calculate(&Query::from(&query(asked)), TODAY) {
        Ok(calculation) => {
            let notes = calculation
                .warnings()
                .iter()
                .map(|warning| warning.text.fr.clone())
                .collect();
            Ok((
                calculation
                    .field(field)
                    .and_then(FieldValue::number)
                    .unwrap(),
                notes,
            ))
        }
        Err(error) => {
            let bad = &error.refusal().unwrap().parameters[0];
            Err((bad.expected.fr.clone(), bad.reason.fr.clone()))
        }
    }
}

/// An input and its field.
type Pair = (Decimal, Decimal);

/// All inputs that a law accepts, with their fields.
fn pairs(folder: &Folder, law: &str) -> Vec<Pair> {
    let of = |input: u32| {
        Some((
            input.into(),
            ask(folder, &format!("brut={input}&{law}"), "net").ok()?.0,
        ))
    };
    (0..=1_000).filter_map(of).collect()
}

fn french(number: Decimal) -> String {
    Text::from(number).fr
}

/// The refusal of a target below the field of the least input.
fn too_low((input, field): Pair) -> Said {
    let (input, field) = (french(input), french(field));
    Err((
        format!("au moins {field}"),
        format!("Ne peut pas être atteint : `brut` à {input} donne déjà {field}."),
    ))
}

/// The refusal of a target above the field of the greatest input.
fn too_high((input, field): Pair) -> Said {
    let (input, field) = (french(input), french(field));
    Err((
        format!("au plus {field}"),
        format!("Ne peut pas être atteint : `brut` à {input} ne donne que {field}."),
    ))
}

/// The smallest input of all, its note where it passes the target, and that of a fall above it.
fn smallest(pairs: &[Pair], target: Decimal) -> Said {
    // Where the least input is above the target, the search starts from the fall below it.
    let is_above = pairs[0].1 > target;
    let start = if is_above {
        let fall = pairs.iter().position(|(_, field)| *field <= target);
        let Some(fall) = fall else {
            return too_low(pairs[0]);
        };
        fall
    } else {
        0
    };
    let reached = pairs[start..]
        .iter()
        .position(|(_, field)| *field >= target);
    let Some(place) = reached.map(|place| start + place) else {
        return if is_above {
            too_low(pairs[0])
        } else {
            too_high(pairs[pairs.len() - 1])
        };
    };
    let (found, above) = (pairs[place], &pairs[place + 1..]);
    let asked = french(target);
    let mut notes = Vec::new();
    if is_above {
        let [input, field, taken] = [pairs[0].0, pairs[0].1, found.0].map(french);
        notes.push(format!(
            "Plusieurs montants conviennent : {input} donne déjà {field}, puis le résultat baisse ; {taken} est retenu."
        ));
    }
    if found.1 > target {
        let [input, field] = [found.0, found.1].map(french);
        let [less, before] = [pairs[place - 1].0, pairs[place - 1].1].map(french);
        let none = if is_above {
            "Le montant retenu ne donne pas exactement"
        } else {
            "Aucun montant ne donne exactement"
        };
        notes.push(format!(
            "{none} {asked} : {input} donne {field}, et {less} ne donne que {before}."
        ));
    }
    let near = above
        .iter()
        .filter(|(input, _)| *input <= found.0.max(target) * Decimal::TWO);
    if let Some(low) = near.into_iter().find(|(_, field)| *field < target) {
        let again = above
            .iter()
            .find(|(input, field)| *input > low.0 && *field >= target);
        if let Some((again, _)) = again {
            let [low, field, again] = [low.0, low.1, *again].map(french);
            notes.push(format!(
                "Au-dessus, le résultat retombe : {low} ne donne que {field}, et il faut {again} pour retrouver {asked}."
            ));
        }
    }
    Ok((found.0, notes))
}

/// The greatest input of all, with its note where the field jumps over the target by five units or
/// more.
fn greatest(pairs: &[Pair], target: Decimal) -> Said {
    let last = pairs[pairs.len() - 1];
    if pairs[0].1 > target {
        return too_low(pairs[0]);
    }
    if last.1 < target {
        return too_high(last);
    }
    let place = pairs
        .iter()
        .rposition(|(_, field)| *field <= target)
        .unwrap();
    let found = pairs[place];
    let next = pairs
        .get(place + 1)
        .filter(|next| found.1 < target && next.1 - found.1 >= Decimal::from(5));
    let note = next.map(|next| {
        let [asked, input, field, more, next] = [target, found.0, found.1, next.0, next.1].map(french);
        format!("Aucun montant ne donne exactement {asked} : {input} donne {field}, et {more} donne déjà {next}.")
    });
    Ok((found.0, note.into_iter().collect()))
}

/// Targets of a search: those up to 1,000 by sevens, and the field of the greatest input where it
/// is no more.
fn targets(pairs: &[Pair]) -> impl Iterator<Item = Decimal> {
    let last = pairs
        .last()
        .map(|(_, field)| *field)
        .filter(|field| *field <= Decimal::ONE_THOUSAND);
    (0..=1_000).step_by(7).map(Decimal::from).chain(last)
}

#[test]
fn the_smallest_input_is_that_of_all_and_says_what_is_jumped_over_or_lost_again() {
    let folder = folder(LAW, "");
    for law in [
        "pente=1",
        "pente=2&bas=37",
        "pente=0.8",
        "pente=0.3&bas=123",
        "pente=0.8&haut=811",
        "saut=700&prime=200&haut=702",
        "saut=300&prime=100",
        "saut=500&prime=350&pente=0.5",
        "chute=500&perte=150",
        "chute=450&perte=120&pente=0.7",
        "chute=430&perte=5&pente=0.05",
        "saut=300&prime=600&chute=350&perte=300",
        "chute=0&fin=100&perte=-300",
        "chute=0&fin=400&perte=-300&pente=0.5",
    ] {
        let pairs = pairs(&folder, law);
        for target in targets(&pairs) {
            assert_eq!(
                ask(&folder, &format!("vise={target}&{law}"), "brut"),
                smallest(&pairs, target),
                "{target}, {law}"
            );
        }
    }
}

#[test]
fn the_greatest_input_is_that_of_all_and_says_what_is_jumped_over() {
    let folder = folder(LAW, "");
    for law in [
        "pente=1",
        "pente=7&bas=37",
        "pente=4&haut=811",
        "pente=5&haut=150",
        "saut=300&prime=100",
        "saut=500&prime=5",
        "saut=500&prime=3",
        "chute=500&perte=40",
        "chute=450&perte=150&fin=800",
        "chute=450&perte=150&fin=460",
        "chute=450&perte=40&fin=451",
        "pente=0&saut=500&prime=50&chute=508&perte=50&fin=509",
    ] {
        let pairs = pairs(&folder, law);
        for target in targets(&pairs) {
            let stated = ask(&folder, &format!("budget={target}&{law}"), "brut");
            let is_below = |note: &String| note.starts_with("Plusieurs montants conviennent");
            // A lower input that passes the target by more than roundings explain is reported.
            let beyond = target + Decimal::from(50);
            let input = stated.as_ref().map_or(Decimal::ZERO, |(input, _)| *input);
            let passing = pairs
                .iter()
                .filter(|pair| pair.0 < input && pair.1 > beyond)
                .count();
            let is_reported = stated
                .as_ref()
                .is_ok_and(|(_, notes)| notes.iter().any(is_below));
            assert!(
                if is_reported {
                    passing > 0
                } else {
                    passing < 64
                },
                "{stated:?} for {target}, {law}: {passing} pass it"
            );
            let stated = stated.map(|(input, notes)| {
                (
                    input,
                    notes.into_iter().filter(|note| !is_below(note)).collect(),
                )
            });
            assert_eq!(stated, greatest(&pairs, target), "{target}, {law}");
        }
    }
}

/// A field that depends on a default that follows the input, on brackets, and on a table by a value
/// that no search changes: what is fixed is computed once, and nothing else is.
const MIXED: &str = "decimals: 0
inputs:
  brut:  {type: money, per: month, required: true, min: 0, max: 1 000, label: Brut}
  zone:  {type: choice, values: {nord: Nord, sud: Sud}, default: nord, label: Zone}
  part:  {type: money, per: month, default: brut / 4, label: Part}
  bas:   {type: money, per: month, default: 0, label: Bas}
checks:
  - {if: part > regles.trop, refuse: \"Trop.\", input: brut}
  - {if: brut < bas, refuse: \"Trop peu.\", input: brut}
figures:
  taux:   {zone: key, rate: rate}
  bareme: {bound: money/month, rate: rate}
  regles: {part: rate, over: money/month, ceiling: money/month, most: money/month, least: money/month, trop: money/month}
steps:
  taux:   {table: taux, by: zone}
  impot:  {brackets: brut, with: bareme}
  levee:  {contribution: brut + part, rate: taux.rate, over: regles.over, ceiling: regles.ceiling, round: 1}
  remise: {deduction: part, rate: regles.part, max: regles.most, when: brut > regles.least, round: 1}
  net:    {formula: brut - impot - levee + remise, round: 1}
  cout:   {formula: brut + levee + part, at_least: regles.most, round: 1}
answer:
  brut: brut
  net:  {value: net, label: Net}
  cout: {value: cout, label: Coût}
inverse:
  - {input: brut, field: net, find: smallest, parameter: vise, label: Net visé}
  - {input: brut, field: cout, find: greatest, parameter: budget, label: Budget}
";

/// The figures of [`MIXED`].
const MIXED_FIGURES: &str = "  taux: {source: s, rows: [{zone: nord, rate: 10%}, {zone: sud, rate: 25%}]}
  bareme: {per: month, source: s, rows: [{up_to: 200, rate: 0}, {up_to: 600, rate: 20%}, {rate: 40%}]}
  regles: {part: 50%, over: 100, ceiling: 700, most: 60, least: 300, trop: 240, per: month, source: s}
";

#[test]
fn a_search_computes_again_all_that_depends_on_the_input() {
    let folder = folder(MIXED, MIXED_FIGURES);
    for law in [
        "zone=nord",
        "zone=sud",
        "zone=sud&part=100",
        "part=3&bas=40",
    ] {
        let of = |field: &str| {
            let pair = |input: u32| {
                let asked = format!("brut={input}&{law}");
                Some((input.into(), ask(&folder, &asked, field).ok()?.0))
            };
            (0..=1_000).filter_map(pair).collect::<Vec<Pair>>()
        };
        let (nets, costs) = (of("net"), of("cout"));
        assert!(nets.len() > 900, "{law}: {} are accepted", nets.len());

        for target in (0..=900).step_by(13).map(Decimal::from) {
            let found = |name: &str| {
                let found = ask(&folder, &format!("{name}={target}&{law}"), "brut");
                found.ok().map(|(input, _)| input)
            };
            let least = nets.iter().find(|(_, field)| *field >= target);
            let is_low = nets.first().is_some_and(|(_, field)| *field > target);
            if !is_low {
                assert_eq!(
                    found("vise"),
                    least.map(|(input, _)| *input),
                    "{target}, {law}"
                );
            }
            let most = costs.iter().rfind(|(_, field)| *field <= target);
            assert_eq!(
                found("budget"),
                most.map(|(input, _)| *input),
                "{target}, {law}"
            );
        }
    }
}

#[test]
fn a_narrow_fall_where_the_field_is_beyond_roundings_is_not_looked_for() {
    let folder = folder(LAW, "");
    // At 508 the field is within the budget again, between two strides.
    let asked = "budget=499&saut=500&prime=60&chute=508&perte=209&fin=509";
    assert_eq!(
        ask(&folder, asked, "brut"),
        Ok((Decimal::from(499), vec![]))
    );
}

#[test]
fn a_great_amount_is_found_and_so_is_that_of_a_field_that_hardly_rises() {
    let folder = folder(&LAW.replace("max: 1 000", "max: 1 000 000 000"), "");
    assert_eq!(
        ask(&folder, "vise=900000000&haut=1000000000", "brut"),
        Ok((Decimal::from(900_000_000), vec![]))
    );
    assert_eq!(
        ask(&folder, "vise=500&pente=0.000001&haut=1000000000", "brut"),
        Ok((Decimal::from(499_500_000), vec![]))
    );
}

#[test]
fn a_law_that_refuses_every_input_refuses_every_target() {
    for (law, asked) in [
        (LAW.to_owned(), "bas=1000000"),
        (LAW.replace(", max: 1 000", ""), "haut=-1"),
    ] {
        let folder = folder(&law, "");
        for parameter in ["vise", "budget"] {
            let (_, reason) = ask(&folder, &format!("{parameter}=5&{asked}"), "brut").unwrap_err();
            assert!(reason.starts_with("Trop"), "{reason}");
        }
    }
}
