//! Warnings about the day of an answer: a scale that nobody checked so far, or a draft.

use crate::answer::warning;
use crate::json::Json;
use crate::law::Law;

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
    let date = law
        .date
        .as_ref()
        .filter(|_| law.scale_text("state").as_deref() == Some("draft"))?;
    let sentence = format!(
        "Le barème du {} est un brouillon : il n’est pas en vigueur.",
        in_words(date)
    );
    Some(warning("bareme_brouillon", &sentence, None))
}

/// The last day checked.
pub(crate) fn known_until(law: &Law) -> Option<String> {
    let date = law.date.as_ref()?;
    Some(
        law.scale_text("known_until")
            .unwrap_or_else(|| format!("{}-12-31", &date[..4])),
    )
}
