//! Warnings about the day of an answer: a scale that nobody checked so far, or a draft.

use crate::law::Law;

pub(crate) fn too_late(law: &Law, query: &[(String, String)]) -> Option<String> {
    let until = known_until(law)?;
    let day = query.iter().find(|(name, _)| name == "date").map(|(_, day)| day.clone())?;
    // Dates of four, two and two digits are in the order of their texts.
    let (last, asked) = (in_words(&until), in_words(&day));
    let sentence = format!("Barème vérifié jusqu’au {last} : le calcul au {asked} applique le dernier barème connu.");
    (day > until).then_some(sentence)
}

/// A date of digits in French: `1er mai 2026`.
fn in_words(date: &str) -> String {
    const MONTHS: &str = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre";
    let parts: Vec<usize> = date.split('-').map(|part| part.parse().unwrap()).collect();
    let day = if parts[2] == 1 { "1er".to_owned() } else { parts[2].to_string() };
    format!("{day} {} {}", MONTHS.split(' ').nth(parts[1] - 1).unwrap(), parts[0])
}

pub(crate) fn in_preparation(law: &Law) -> Option<String> {
    let date = law.date.as_ref().filter(|_| law.scale_text("state").as_deref() == Some("draft"))?;
    Some(format!("Le barème du {} est un brouillon : il n’est pas en vigueur.", in_words(date)))
}

/// The last day checked.
pub(crate) fn known_until(law: &Law) -> Option<String> {
    let date = law.date.as_ref()?;
    Some(law.scale_text("known_until").unwrap_or_else(|| format!("{}-12-31", &date[..4])))
}
