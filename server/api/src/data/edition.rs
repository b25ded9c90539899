//! An edition as JSON: its days, figures, sources and changes.

use bareme_engine::law::{PendingText, Scale, Source as Text};
use bareme_engine::run::Edition;
use bareme_engine::service::Variant;
use bareme_engine::text::{BadParameter, ParameterCode};
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::calls::route::Source;
use crate::wire::problem::Problem;

use super::{SINCE, changes, date, day, figures, object, scale};

/// The edition for a day, with its changes since that of another day, if asked for.
///
/// # Errors
/// A day without an edition.
pub(super) fn describe(
    variant: &Variant,
    source: Source,
    asked: Date,
    sent: &[(String, String)],
) -> Result<Value, Problem> {
    let (position, edition, found) = in_force(&source, asked, "date")?;
    let before = match day(sent, SINCE)? {
        Some(before) => Some(in_force(&source, before, SINCE)?),
        None => None,
    };

    // Neighbours in the list: an edition is in force up to the day before the next.
    let editions = source.folder.editions();
    let near =
        |position: Option<usize>| position.and_then(|position| editions.get(position)?.scale());
    let address = |scale: &Scale| source.edition_address(variant, scale.date);

    Ok(object([
        ("bareme", scale::named(variant, &source)),
        ("date", date(found.date)),
        ("titre", found.title.clone().into()),
        (
            "dernier_jour",
            last_day(editions, position).map(date).unwrap_or_default(),
        ),
        ("verifie_jusqu_au", date(found.known_until)),
        ("relu_le", found.checked.map(date).unwrap_or_default()),
        ("version", edition.version().into()),
        ("citation", edition.citation().into()),
        ("note", found.note.clone().into()),
        ("a_venir", found.watch.iter().map(pending).collect()),
        (
            "precedente",
            near(position.checked_sub(1)).map(address).into(),
        ),
        (
            "suivante",
            near(position.checked_add(1)).map(address).into(),
        ),
        (
            "changements",
            before
                .map(|(_, before, _)| changes::describe(edition, before))
                .unwrap_or_default(),
        ),
        ("chiffres", figures::describe(edition).into()),
        ("sources", sources(&found.sources)),
    ]))
}

/// The edition for a day, with its index among the others.
fn in_force<'f>(
    source: &Source<'f>,
    asked: Date,
    parameter: &str,
) -> Result<(usize, &'f Edition, &'f Scale), Problem> {
    let editions = source.folder.editions();
    // The latest that has started; the law may have ended it since without another.
    let is_ended = |scale: &Scale| scale.until.is_some_and(|until| asked > until);
    let found = editions
        .iter()
        .enumerate()
        .rev()
        .find_map(|(position, edition)| {
            let scale = edition.scale().filter(|scale| scale.date <= asked)?;
            Some((position, edition, scale))
        });

    found.filter(|(.., scale)| !is_ended(scale)).ok_or_else(|| {
        let days: Vec<String> = editions
            .iter()
            .filter_map(|edition| Some(edition.scale()?.date.to_string()))
            .collect();
        let expected = match days.first() {
            Some(first) => (
                format!("une date à partir du {first}"),
                format!("a date from {first} on"),
            ),
            None => (
                "rien : ce calcul n’a pas de date".to_owned(),
                "nothing: this calculation has no date".to_owned(),
            ),
        };

        let reason = (
            "Aucun barème en vigueur à cette date.",
            "No scale is in force on this date.",
        );
        let asked = asked.to_string();
        let bad = BadParameter::new(
            parameter,
            ParameterCode::NoScale,
            reason,
            Some(&asked),
            expected,
        );
        Problem::parameters(vec![bad])
    })
}

/// The last day of an edition, if it has one: the day before the next, or the one on which the law
/// ends it.
pub(super) fn last_day(editions: &[Edition], position: usize) -> Option<Date> {
    // A later edition may follow before the end that the law announced.
    let next = position
        .checked_add(1)
        .and_then(|next| editions.get(next)?.scale());
    let eve = next.and_then(|next| next.date.yesterday().ok());
    let until = editions.get(position)?.scale()?.until;

    eve.into_iter().chain(until).min()
}

fn pending(text: &PendingText) -> Value {
    json!({"texte": text.text, "attendu_le": date(text.expected), "change": text.changes})
}

/// Sources, each under its id.
pub(super) fn sources(sources: &[Text]) -> Value {
    // In the order of the citation: what it is, where it was published, where it can be read.
    let described = |source: &Text| {
        object([
            ("id", source.id.clone().into()),
            ("nature", source.kind.french().into()),
            ("titre", source.title.clone().into()),
            ("article", source.article.clone().into()),
            ("editeur", source.publisher.clone().into()),
            ("parution", source.published.clone().into()),
            ("date", source.date.map(date).unwrap_or_default()),
            ("identifiant", source.identifier.clone().into()),
            ("url", source.url.clone().into()),
        ])
    };
    sources.iter().map(described).collect()
}
