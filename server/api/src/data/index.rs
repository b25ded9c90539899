//! The index of a variant: its calculations, scales and descriptions.

use bareme_engine::run::{Case, Edition};
use bareme_engine::service::{Endpoint, Rules, Variant};
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::calls::route::{self, BATCHES, DESCRIPTION, PUBLISHED, SCALES, Source};

use super::{date, object};

/// The index, with addresses.
pub(super) fn describe(rules: &Rules, variant: &Variant) -> Value {
    let (service, prefix) = (rules.service(), &variant.prefix);
    // The words of a selector, such as the countries, have an address of their own.
    let selectors: Vec<Value> = route::selectors(service, variant)
        .map(|by| json!({"parametre": by, "adresse": format!("{prefix}/{by}")}))
        .collect();

    object([
        ("titre", service.title.clone().into()),
        ("variante", variant.title.clone().into()),
        ("empreinte", rules.version().into()),
        ("description", format!("{prefix}/{DESCRIPTION}").into()),
        ("baremes", format!("{prefix}/{SCALES}").into()),
        ("choix", selectors.into()),
        (
            "documentation",
            format!("{}/documentation", service.documentation).into(),
        ),
        (
            "changements",
            format!("{}/baremes.atom", service.documentation).into(),
        ),
        ("publications", format!("{prefix}/{PUBLISHED}").into()),
        ("cle", format!("{}/cle", service.documentation).into()),
        ("attribution", service.attribution.clone().into()),
        ("contact", service.contact.clone().into()),
        (
            "calculs",
            service
                .endpoints_of(variant)
                .map(|endpoint| calculation(rules, variant, endpoint))
                .collect(),
        ),
    ])
}

fn calculation(rules: &Rules, variant: &Variant, endpoint: &Endpoint) -> Value {
    // A family has a scale for each member, a single calculation one.
    let address = |source: Source| source.scale_address(variant);
    object([
        ("nom", endpoint.name.clone().into()),
        ("titre", endpoint.title.clone().into()),
        (
            "adresse",
            format!("{}/{}", variant.prefix, endpoint.name).into(),
        ),
        (
            "lot",
            format!("{}/{BATCHES}{}", variant.prefix, endpoint.name).into(),
        ),
        ("rubriques", endpoint.topics.clone().into()),
        ("choix", endpoint.by.clone().into()),
        (
            "baremes",
            route::sources_of(rules, endpoint).map(address).collect(),
        ),
        ("retrait", withdrawal(variant, endpoint)),
    ])
}

/// The announced withdrawal of a calculation.
fn withdrawal(variant: &Variant, endpoint: &Endpoint) -> Value {
    // Nothing is shown until a withdrawal is announced.
    let Some(retirement) = bareme_engine::service::Service::retirement(variant, endpoint) else {
        return Value::Null;
    };
    object([
        ("deconseille_a_partir_du", date(retirement.deprecated)),
        (
            "retire_a_partir_du",
            retirement.sunset.map(date).unwrap_or_default(),
        ),
    ])
}

/// The folders of the calculations.
pub(super) fn scales(rules: &Rules, variant: &Variant, today: Date) -> Value {
    let folders = route::sources(rules, variant).map(|source| {
        let folder = source.folder;
        // The edition of today, which a scale that ended or comes later does not have.
        let in_force = folder.edition(today).and_then(Edition::scale);
        object([
            ("dossier", folder.path().into()),
            ("titre", folder.title().into()),
            ("calcul", source.endpoint.name.clone().into()),
            ("mot", source.word.into()),
            (
                "monnaie",
                folder
                    .latest()
                    .and_then(|edition| edition.method().currency.clone())
                    .into(),
            ),
            (
                "en_vigueur",
                in_force.map(|scale| date(scale.date)).unwrap_or_default(),
            ),
            (
                "editions",
                folder
                    .editions()
                    .iter()
                    .filter(|edition| edition.scale().is_some())
                    .count()
                    .into(),
            ),
            ("empreinte", folder.version().into()),
            ("adresse", source.scale_address(variant).into()),
            ("exemple", example(variant, &source).into()),
        ])
    });
    json!({"baremes": folders.collect::<Vec<_>>()})
}

/// The address of a call that has an answer, from the worked cases of a folder.
pub(super) fn example(variant: &Variant, source: &Source) -> Option<String> {
    // A worked case has an answer, whatever the day.
    let case: &Case = source.folder.examples().first.first()?;
    let address = source.address(variant);
    let sign = if address.contains('?') { '&' } else { '?' };
    Some(format!(
        "{address}{sign}{}",
        bareme_show::query_string::from_pairs(&case.query)
    ))
}
