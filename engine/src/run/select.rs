//! The choice of a folder of a family by a word of the query.

use crate::law::method::Alias;
use crate::run::folder::Folder;
use crate::run::query::Query;
use crate::text::lang::Text;
use crate::text::refusal::{BadParameter, Reason, Refusal};
use crate::text::words::{nearest, normalize};

/// The folder whose word the parameter `by` of a query gives, or another name of it.
///
/// # Errors
/// The parameter, missing, repeated or unknown, with the words that exist.
pub(crate) fn select<'f, F: Iterator<Item = (&'f str, &'f Folder)>>(
    by: &str,
    family: impl Fn() -> F,
    query: &Query,
) -> Result<&'f Folder, Refusal> {
    let words: Vec<&str> = family().map(|(word, _)| word).collect();
    let aliases = || family().flat_map(|(_, folder)| folder.aliases());
    let refuse = |reason, received| {
        let or_name = match aliases().next() {
            Some(_) => Text::new(", ou le nom en toutes lettres", ", or the whole name"),
            None => Text::default(),
        };
        let expected = Text::alike(words.join(", ")).then(or_name);
        Refusal::of_parameter(BadParameter::because(by, reason, received, expected))
    };
    let received = query.sent(by);
    if query.parameters.iter().filter(|(name, _)| *name == by).count() > 1 {
        return Err(refuse(Reason::Repeated, received));
    }
    let Some(received) = received else { return Err(refuse(Reason::Missing, None)) };
    let word = normalize(received);
    let is_it = |known: &str, folder: &Folder| known == word || folder.is_called(&word);
    let found = family().find(|(known, folder)| is_it(known, folder));
    found.map(|(_, folder)| folder).ok_or_else(|| {
        let proposed = family().find(|(_, folder)| folder.near().any(|near| near.word == word)).map(|(own, _)| own);
        let known = words.iter().copied().chain(aliases().map(|alias| alias.word.as_str()));
        let near = || nearest(&word, known).map(|near| written(near, aliases()));
        refuse(Reason::NotListed { near: proposed.map(str::to_owned).or_else(near) }, Some(received))
    })
}

/// A word that chooses a folder as its file writes it.
fn written<'a>(word: &str, mut aliases: impl Iterator<Item = &'a Alias>) -> String {
    aliases.find(|alias| alias.word == word).map_or_else(|| word.to_owned(), |alias| alias.name.clone())
}
