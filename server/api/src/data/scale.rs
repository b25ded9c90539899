//! A folder as JSON: its parameters, fields and editions.

use bareme_engine::law::{Field, Input};
use bareme_engine::run::Edition;
use bareme_engine::service::Variant;
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::calls::called_calculation::CalledCalculation;
use crate::calls::route::Source;

use super::{date, edition, index, object, parameters};

/// The description of a folder.
pub(super) fn describe(variant: &Variant, source: Source, today: Date) -> Value {
    let folder = source.folder;
    // Figures that an edition may change are described as the last one has them.
    let method = folder.latest().map(Edition::method);
    object([
        ("dossier", folder.path().into()),
        ("titre", folder.title().into()),
        ("calcul", calculation(variant, &source)),
        (
            "monnaie",
            method.and_then(|method| method.currency.clone()).into(),
        ),
        ("decimales", method.map(|method| method.decimals).into()),
        ("empreinte", folder.version().into()),
        ("exemple", index::example(variant, &source).into()),
        ("parametres", parameters::describe(folder).into()),
        ("champs", fields(&source).into()),
        ("annee", year(variant, &source)),
        ("editions", editions(variant, &source, today).into()),
        (
            "sources",
            method
                .map(|method| edition::sources(&method.sources))
                .into(),
        ),
    ])
}

/// The calculation of a folder.
pub(super) fn calculation(variant: &Variant, source: &Source) -> Value {
    object([
        ("nom", source.endpoint.name.clone().into()),
        ("titre", source.endpoint.title.clone().into()),
        ("choix", source.endpoint.by.clone().into()),
        ("mot", source.word.into()),
        ("adresse", source.address(variant).into()),
    ])
}

/// The year of pays of the folder: its address, the inputs that vary by month, the totals.
fn year(variant: &Variant, source: &Source) -> Value {
    let Some(block) = source.folder.year_block() else {
        return Value::Null;
    };

    // The year has an address of its own, below the calculation.
    let called = CalledCalculation {
        endpoint: source.endpoint,
        word: source.word,
        year: true,
    };
    let asked = source.folder.year_inputs();

    // Inputs that a year does not take, such as those of a regularisation that it computes itself.
    let is_asked = |input: &Input| asked.iter().any(|known| known.name == input.name);
    let without = source
        .folder
        .inputs()
        .into_iter()
        .filter(|input| !is_asked(input))
        .map(|input| input.name.as_str());

    object([
        (
            "adresse",
            format!("{}/{}", variant.prefix, called.path()).into(),
        ),
        ("par_mois", block.varying().collect::<Vec<_>>().into()),
        ("totaux", block.totals().collect::<Vec<_>>().into()),
        ("sans", without.collect::<Vec<_>>().into()),
    ])
}

/// The fields of the answer.
fn fields(source: &Source) -> Vec<Value> {
    let described = |field: &Field| {
        // The days of all editions in which the field exists.
        let has_it = |edition: &Edition| {
            edition
                .method()
                .fields()
                .iter()
                .any(|known| known.name == field.name)
        };

        let (since, until) = source.folder.days_with(has_it);

        object([
            ("nom", field.name.clone().into()),
            ("libelle", field.label.clone().into()),
            ("type", field.json_type().into()),
            ("option", source.folder.option_of(field).into()),
            ("depuis", since.map(date).unwrap_or_default()),
            ("jusqu_au", until.map(date).unwrap_or_default()),
        ])
    };
    source.folder.fields().into_iter().map(described).collect()
}

/// The editions, the latest first, each with the addresses of its figures and of its changes.
fn editions(variant: &Variant, source: &Source, today: Date) -> Vec<Value> {
    let editions = source.folder.editions();

    let in_force = source
        .folder
        .edition(today)
        .and_then(Edition::scale)
        .map(|scale| scale.date);

    let described = |(position, found): (usize, &Edition)| {
        let scale = found.scale()?;
        // The changes since the edition before have an address as well.
        let before = position
            .checked_sub(1)
            .and_then(|before| editions.get(before)?.scale());
        let address = source.edition_address(variant, scale.date);

        let changes = before.map(|before| format!("{address}?{}={}", super::SINCE, before.date));

        Some(object([
            ("date", date(scale.date)),
            ("titre", scale.title.clone().into()),
            ("en_vigueur", (in_force == Some(scale.date)).into()),
            (
                "dernier_jour",
                edition::last_day(editions, position)
                    .map(date)
                    .unwrap_or_default(),
            ),
            ("verifie_jusqu_au", date(scale.known_until)),
            ("adresse", address.into()),
            ("changements", changes.into()),
        ]))
    };

    editions
        .iter()
        .enumerate()
        .rev()
        .filter_map(described)
        .collect()
}

/// The address and the title of a folder.
pub(super) fn named(variant: &Variant, source: &Source) -> Value {
    json!({
        "dossier": source.folder.path(),
        "titre": source.folder.title(),
        "adresse": source.scale_address(variant),
    })
}
