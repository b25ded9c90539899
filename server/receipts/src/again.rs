//! Receipts whose amounts are computed again, by rules at hand.

use std::collections::BTreeMap;

use bareme_engine::jiff::civil::Date;
use bareme_engine::law::parameter::DATE;
use bareme_engine::service::Rules;
use serde_json::value::RawValue;

use crate::canonical::{canonical, write_text};
use crate::check::Attested;
use crate::claim::{Facts, OF_YEAR, Texts};
use crate::digest;

/// The outcome of computing a calculation again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Again {
    /// The whole answer is the same.
    Same,
    /// The amounts are the same, and texts of the answer are others: notes, or those of another
    /// program.
    OtherTexts,
    /// Inputs or amounts are others, by the same law.
    Differs(Vec<Difference>),
    /// The rules at hand do not have that law.
    LawNotAtHand,
    /// A row that was refused has no amounts.
    Nothing,
}

/// A value that came out otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The input or the field.
    pub name: String,
    /// The value that was signed, as JSON; none where there was none.
    pub signed: Option<String>,
    /// The value that came out.
    pub found: Option<String>,
}

/// Computes again what is attested, by these rules.
pub fn compute(rules: &Rules, attested: &Attested) -> Again {
    let claim = &attested.claim;
    let (Some(asked), Some(version)) = (&claim.demande, &claim.version) else {
        return Again::Nothing;
    };

    // 1. The calculation, by the law of its day in these rules.
    let Some((facts, json)) = calculated(rules, &claim.calcul, asked) else {
        return Again::LawNotAtHand;
    };
    // Another law may give other amounts, which says nothing about those that were signed.
    if facts.version != *version {
        return Again::LawNotAtHand;
    }

    // 2. The answer as a whole, with the key of the row.
    let found = match with_key(&json, claim.cle.as_ref()) {
        Some(found) if digest(&found) == claim.reponse => return Again::Same,
        found => found,
    };

    // 3. What it differs in.
    let mut differences = different_inputs(claim.entrees.as_ref(), &facts);
    differences.extend(different_results(claim.resultats.as_ref(), &facts));
    if let (Some(signed), Some(found)) = (&attested.answer, &found) {
        differences.extend(different_fields(signed, found, &facts));
    }
    if differences.is_empty() {
        Again::OtherTexts
    } else {
        Again::Differs(differences)
    }
}

/// A calculation with its JSON; `None` where these rules refuse it.
fn calculated(
    rules: &Rules,
    name: &str,
    asked: &BTreeMap<String, Texts>,
) -> Option<(Facts, String)> {
    let (name, is_year) = match name.strip_suffix(OF_YEAR) {
        Some(name) => (name, true),
        None => (name, false),
    };
    let mut endpoints = rules.service().endpoints.iter();
    let endpoint = endpoints.find(|endpoint| endpoint.name == name)?;

    let pairs: Vec<(&str, &str)> = asked
        .iter()
        .flat_map(|(name, texts)| texts.all().iter().map(move |text| (&**name, &**text)))
        .collect();
    if is_year {
        let year = rules.year(endpoint, &pairs).ok()?;
        return Some((Facts::of_year(&year), year.to_json()));
    }

    // A question by a day names it, so that this one only serves laws without days.
    let day = asked.get(DATE).and_then(|texts| texts.all().first());
    let day = day.and_then(|day| day.parse().ok()).unwrap_or(Date::MIN);
    let calculation = rules.calculate(endpoint, &pairs, day).ok()?;
    Some((Facts::of(&calculation), calculation.to_json()))
}

/// The canonical answer with the key of its row.
fn with_key(json: &str, key: Option<&BTreeMap<String, Box<RawValue>>>) -> Option<String> {
    let mut text = String::from("{");
    for (name, value) in key.into_iter().flatten() {
        write_text(name, &mut text);
        text.push(':');
        text.push_str(value.get());
        text.push(',');
    }
    let members = json.strip_prefix('{')?;
    if members == "}" {
        // The comma after the key, or the brace where there is none.
        text.pop();
        let is_empty = text.is_empty();
        text.push_str(if is_empty { "{}" } else { "}" });
    } else {
        text.push_str(members);
    }
    canonical(&text).ok()
}

fn different_inputs(signed: Option<&BTreeMap<String, Texts>>, facts: &Facts) -> Vec<Difference> {
    let nothing = BTreeMap::new();
    let signed = signed.unwrap_or(&nothing);
    let shown = |texts: &Texts| texts.all().join(";");
    different(signed, &facts.inputs, shown, shown)
}

fn different_results(
    signed: Option<&BTreeMap<String, Box<RawValue>>>,
    facts: &Facts,
) -> Vec<Difference> {
    let nothing = BTreeMap::new();
    let signed = signed.unwrap_or(&nothing);
    let shown = |value: &RawValue| value.get().to_owned();
    different(signed, &facts.results, |value| shown(value), String::clone)
}

/// The fields of the answer that are others, but for those of a single value, which
/// [`different_results`] has.
fn different_fields(signed: &str, found: &str, facts: &Facts) -> Vec<Difference> {
    let members = |answer: &str| -> BTreeMap<String, Box<RawValue>> {
        let members: BTreeMap<String, Box<RawValue>> =
            serde_json::from_str(answer).unwrap_or_default();
        let is_field =
            |name: &String| facts.fields.contains(name) && !facts.results.contains_key(name);
        members
            .into_iter()
            .filter(|(name, _)| is_field(name))
            .collect()
    };
    let shown = |value: &RawValue| value.get().to_owned();
    let (signed, found) = (members(signed), members(found));
    different(&signed, &found, |value| shown(value), |value| shown(value))
}

fn different<S, F>(
    signed: &BTreeMap<String, S>,
    found: &BTreeMap<String, F>,
    show_signed: impl Fn(&S) -> String,
    show_found: impl Fn(&F) -> String,
) -> Vec<Difference> {
    let mut names: Vec<&String> = signed.keys().chain(found.keys()).collect();
    names.sort();
    names.dedup();
    let both = names.into_iter().map(|name| Difference {
        name: name.clone(),
        signed: signed.get(name).map(&show_signed),
        found: found.get(name).map(&show_found),
    });
    both.filter(|one| one.signed != one.found).collect()
}
