//! Warnings about the day of an answer: a scale that nobody checked so far, or a draft.

use jiff::civil::Date;

use crate::answer::warning;
use crate::json::Json;
use crate::law::{Law, text};
use crate::past::When;

/// The day of a query without a date.
pub(crate) const TODAY: Date = Date::constant(2026, 3, 31);

pub(crate) fn too_late(law: &Law, query: &[(String, String)]) -> Option<Json<'static>> {
    let until = known_until(law)?;
    let day = query
        .iter()
        .find(|(name, _)| name == "date")
        .map(|(_, day)| day.clone())?;
    // Dates of four, two and two digits are in the order of their texts.
    let (last, asked) = (in_words(&until), in_words(&day));
    let sentence = format!(
        "Barème vérifié jusqu’au {last} : le calcul au {asked} applique le dernier barème connu."
    );
    (day > until).then(|| warning("bareme_non_verifie", &sentence, None))
}

/// The warning of another folder that is calculated on a day beyond the last one checked.
pub(crate) fn too_late_for_call(law: &Law, day: &str) -> Option<Json<'static>> {
    Some(warning(
        "bareme_non_verifie",
        &sentence_too_late(law, day)?,
        None,
    ))
}

/// The sentence of that warning.
pub(crate) fn sentence_too_late(law: &Law, day: &str) -> Option<String> {
    let until = known_until(law)?;
    let title = law.method.get("title")?.text()?.value.clone();
    let (last, asked) = (in_words(&until), in_words(day));
    let sentence = format!(
        "{title} : le barème au {asked} n’est pas encore connu ; le dernier barème connu, vérifié \
         jusqu’au {last}, est appliqué."
    );
    (*day > *until).then_some(sentence)
}

/// The day asked of a scale: beyond the last day checked, formulas read the year of that one.
pub(crate) fn when(law: &Law, day: Date) -> When {
    let known = known_until(law).map(|known| known.parse::<Date>().unwrap().year());
    let year = known.map_or(day.year(), |known| known.min(day.year()));
    When { day, year }
}

/// A date of digits in French: `1er mai 2026`.
fn in_words(date: &str) -> String {
    const MONTHS: &str =
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre";
    let parts: Vec<usize> = date.split('-').map(|part| part.parse().unwrap()).collect();
    let day = if parts[2] == 1 {
        "1er".to_owned()
    } else {
        parts[2].to_string()
    };

    format!(
        "{day} {} {}",
        MONTHS.split(' ').nth(parts[1] - 1).unwrap(),
        parts[0]
    )
}

pub(crate) fn in_preparation(law: &Law) -> Option<Json<'static>> {
    Some(warning(
        "bareme_brouillon",
        &sentence_in_preparation(law)?,
        None,
    ))
}

/// The warning of another folder that is calculated by a draft.
pub(crate) fn in_preparation_for_call(law: &Law) -> Option<Json<'static>> {
    let title = text(&law.method, "title").unwrap_or_default();
    let sentence = format!("{title} : {}", sentence_in_preparation(law)?);
    Some(warning("bareme_brouillon", &sentence, None))
}

fn sentence_in_preparation(law: &Law) -> Option<String> {
    let date = law
        .date
        .as_ref()
        .filter(|_| law.scale_text("state").as_deref() == Some("draft"))?;
    Some(format!(
        "Le barème du {} est un brouillon : il n’est pas en vigueur.",
        in_words(date)
    ))
}

/// The last day checked.
pub(crate) fn known_until(law: &Law) -> Option<String> {
    let date = law.date.as_ref()?;
    let own = law
        .scale_text("known_until")
        .unwrap_or_else(|| format!("{}-12-31", &date[..4]));
    // The whole is known as long as its parts are.
    law.known.iter().cloned().chain([own]).min()
}
