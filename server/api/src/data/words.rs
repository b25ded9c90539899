//! The words of a parameter that selects a folder in a family, such as a country: names, currency,
//! and addresses.

use std::collections::BTreeMap;

use bareme_engine::Datum;
use bareme_engine::law::{FieldValue, Input, Type};
use bareme_engine::run::Edition;
use bareme_engine::service::{Endpoint, Rules, Variant};
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::calls::route::{self, Source};

use super::object;

/// The field of an answer with its currency.
const CURRENCY: &str = "devise";

/// The words of a parameter, by calculation.
pub(super) fn describe(rules: &Rules, variant: &Variant, by: &str, today: Date) -> Value {
    let of_endpoint = |endpoint: &Endpoint| {
        // An endpoint without words of this parameter is left out.
        let words = words(rules, variant, endpoint, by, today);
        (!words.is_empty()).then(|| {
            object([
                ("nom", endpoint.name.clone().into()),
                ("titre", endpoint.title.clone().into()),
                (
                    "adresse",
                    format!("{}/{}", variant.prefix, endpoint.name).into(),
                ),
                ("mots", words.into()),
                ("ailleurs", elsewhere(variant, endpoint).into()),
            ])
        })
    };

    let calculations: Vec<Value> = rules
        .service()
        .endpoints_of(variant)
        .filter_map(of_endpoint)
        .collect();
    json!({"parametre": by, "calculs": calculations})
}

/// The words of an endpoint: those of its family, or of its choice of that name.
fn words(
    rules: &Rules,
    variant: &Variant,
    endpoint: &Endpoint,
    by: &str,
    today: Date,
) -> Vec<Value> {
    let sources = route::sources_of(rules, endpoint);
    // A family gives its own words; a single folder those of its choice of that name.
    match &endpoint.by {
        Some(own) if own == by => sources
            .filter_map(|source| of_family(variant, &source))
            .collect(),
        Some(_) => Vec::new(),
        None => sources
            .flat_map(|source| of_choice(variant, &source, by, today))
            .collect(),
    }
}

fn of_family(variant: &Variant, source: &Source) -> Option<Value> {
    let (word, folder) = (source.word?, source.folder);

    let aliases: Vec<&str> = folder
        .aliases()
        .into_iter()
        .map(|alias| alias.name.as_str())
        .collect();

    // The first alias is the name of the word; the title of the folder tells what it calculates.
    let (name, others) = aliases
        .split_first()
        .map_or((word, &[][..]), |(first, others)| (*first, others));

    // That of the last edition: a currency changes rarely.
    let currency = folder
        .latest()
        .and_then(|edition| edition.method().currency.clone());

    Some(object([
        ("mot", word.into()),
        ("nom", name.into()),
        ("autres_noms", others.into()),
        ("titre", folder.title().into()),
        ("monnaie", currency.into()),
        ("adresse", source.address(variant).into()),
        ("bareme", source.scale_address(variant).into()),
    ]))
}

/// The words of a choice of a single folder.
fn of_choice(variant: &Variant, source: &Source, by: &str, today: Date) -> Vec<Value> {
    // A choice may have other words in other editions: today's are listed, or else the last ones.
    let Some(edition) = source
        .folder
        .edition(today)
        .or_else(|| source.folder.latest())
    else {
        return Vec::new();
    };

    let is_it = |input: &&Input| input.name == by && matches!(input.ty, Type::Choice(_));
    let Some(input) = edition.method().inputs().iter().find(is_it) else {
        return Vec::new();
    };

    let mut aliases: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (alias, word) in &input.aliases {
        aliases.entry(usize::from(*word)).or_default().push(alias);
    }

    let described = |(index, (word, label)): (usize, &(String, String))| {
        object([
            ("mot", word.clone().into()),
            ("nom", label.clone().into()),
            (
                "autres_noms",
                aliases.remove(&index).unwrap_or_default().into(),
            ),
            ("monnaie", currency(source, edition, by, word, today).into()),
            (
                "adresse",
                format!("{}?{by}={word}", source.address(variant)).into(),
            ),
            ("bareme", source.scale_address(variant).into()),
        ])
    };
    input.values.iter().enumerate().map(described).collect()
}

/// The currency of the answers: that of the method, or that of a call with the selector only.
fn currency(
    source: &Source,
    edition: &Edition,
    by: &str,
    word: &str,
    today: Date,
) -> Option<String> {
    // The currency may depend on the word: the engine is then asked, with nothing but the word.
    let own = edition.method().currency.clone();
    own.or_else(|| {
        let sent = [(by.to_owned(), word.to_owned())];
        let answer = source.folder.calculate(&source.query(&sent), today).ok()?;
        let FieldValue::Scalar(found) = answer.field(CURRENCY)? else {
            return None;
        };
        if let Datum::Text(code) = found.datum() {
            Some(code.to_owned())
        } else {
            None
        }
    })
}

/// The words covered by another calculation.
fn elsewhere(variant: &Variant, endpoint: &Endpoint) -> Vec<Value> {
    let described = |(word, name): &(String, String)| {
        json!({
            "mot": word, "calcul": name, "adresse": format!("{}/{name}", variant.prefix),
        })
    };
    endpoint.elsewhere.iter().map(described).collect()
}
