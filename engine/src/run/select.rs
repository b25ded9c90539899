//! Selection of a folder within a family by a word of the query.

use jiff::civil::Date;

use crate::run::{Folder, Query};
use crate::say;
use crate::text::{BadParameter, ParameterCode, Reason, Refusal, Text, nearest, normalize};

/// The folder that the parameter `by` of a query selects, by its word or an alias.
///
/// # Errors
/// The parameter is missing, repeated or unknown; the refusal lists the known words.
pub(crate) fn select<'f, F: Iterator<Item = (&'f str, &'f Folder)>>(
    by: &str,
    family: impl Fn() -> F,
    query: &Query,
) -> Result<&'f Folder, Refusal> {
    let refuse = |reason, received| {
        let words: Vec<&str> = family().map(|(word, _)| word).collect();
        let has_names = family().any(|(_, folder)| !folder.aliases().is_empty());
        let or_name = if has_names {
            Text::new(", ou le nom en toutes lettres", ", or the whole name")
        } else {
            Text::default()
        };

        let expected = Text::same(words.join(", ")).then(or_name);
        Refusal::of_parameter(BadParameter::because(by, reason, received, expected))
    };

    let received = query.sent(by);

    if query
        .parameters
        .iter()
        .filter(|(name, _)| *name == by)
        .count()
        > 1
    {
        return Err(refuse(Reason::Repeated, received));
    }

    let Some(received) = received else {
        return Err(refuse(Reason::Missing, None));
    };

    // Nearly every caller sends the word itself.
    if let Some((_, folder)) = family().find(|(known, _)| *known == received) {
        return Ok(folder);
    }

    // Accents, capitals and hyphens of a name do not count.
    let word = normalize(received);
    named(&family, &word)
        .map(|(_, folder)| folder)
        .ok_or_else(|| {
            let near = Text::suggestion(suggested(&family, &word).map(|(_, written)| written));
            refuse(Reason::NotListed { near }, Some(received))
        })
}

/// A refusal of the word that selects a folder, which names the endpoint that answers that word in
/// place of this one. `elsewhere` lists the words that other endpoints answer, each with its
/// endpoint.
pub(crate) fn or_elsewhere(
    mut refusal: Refusal,
    by: &str,
    elsewhere: &[(String, String)],
    query: &Query,
) -> Refusal {
    let word = query.sent(by).map(normalize);
    let found = elsewhere
        .iter()
        .find(|(known, _)| word.as_ref() == Some(known));

    let Some((_, endpoint)) = found else {
        return refusal;
    };

    // Only an unknown word may belong elsewhere; a missing one does not.
    for bad in refusal
        .parameters
        .iter_mut()
        .filter(|bad| bad.code == ParameterCode::UnknownValue)
    {
        let reason = Reason::Elsewhere {
            endpoint: endpoint.clone(),
            by: by.to_owned(),
        };
        *bad = BadParameter::because(by, reason, query.sent(by), bad.expected.clone());
    }

    refusal
}

/// The parameters that no folder of a family could use: they are bad whichever folder was meant,
/// although the values accepted may differ.
pub(crate) fn refused_by_all<'f>(
    by: &str,
    family: impl Iterator<Item = &'f Folder>,
    query: &Query,
    today: Date,
) -> Vec<BadParameter> {
    let mut refused = family.map(|folder| folder.refused(query, today));
    let mut common = refused.next().unwrap_or_default();

    // The word itself is refused already, by the caller.
    common.retain(|bad| bad.name != *by);

    for other in refused {
        common.retain_mut(|bad| {
            let Some(known) = other.iter().find(|known| known.name == bad.name) else {
                return false;
            };
            if known.expected != bad.expected {
                bad.expected = say!("selon `{by}`", "depending on `{by}`");
            }
            true
        });
    }

    common
}

/// The folder that a normalized word selects, with its own word.
pub(crate) fn named<'f, F: Iterator<Item = (&'f str, &'f Folder)>>(
    family: impl Fn() -> F,
    word: &str,
) -> Option<(&'f str, &'f Folder)> {
    family().find(|(known, folder)| *known == word || folder.is_called(word))
}

/// The folder that may be meant by a normalized word which selects none, and the word to write
/// instead: a folder whose file names that word as `near`, or else the one with the nearest word or
/// name.
pub(crate) fn suggested<'f, F: Iterator<Item = (&'f str, &'f Folder)>>(
    family: impl Fn() -> F,
    word: &str,
) -> Option<(&'f str, &'f str)> {
    // What the folders themselves suggest comes first: `cote divoire` is far from `ci`.
    let proposed = family().find(|(_, folder)| folder.near().any(|near| near.word == word));
    if let Some((own, _)) = proposed {
        return Some((own, own));
    }

    let names = family().flat_map(|(own, folder)| {
        let aliases = folder
            .aliases()
            .into_iter()
            .map(move |alias| (alias.word.as_str(), (own, alias.name.as_str())));
        std::iter::once((own, (own, own))).chain(aliases)
    });
    let names: Vec<(&str, (&str, &str))> = names.collect();

    let near = nearest(word, names.iter().map(|(name, _)| *name))?;
    names
        .into_iter()
        .find(|(name, _)| *name == near)
        .map(|(_, found)| found)
}
