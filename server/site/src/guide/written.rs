//! Sentences of guides in both languages.

use bareme_engine::Lang;
use maud::{Markup, html};

use crate::language::ENGLISH;
use crate::text::{prose, say};

/// A paragraph in the language of a page; see [`written`].
pub(super) fn p(lang: Lang, fr: &'static str, en: &'static str) -> Markup {
    html! { p { (written(lang, fr, en)) } }
}

/// A title in the language of a page.
pub(super) fn h2(lang: Lang, fr: &'static str, en: &'static str) -> Markup {
    html! { h2 { (prose(say(lang, fr, en))) } }
}

/// An item of a list in the language of a page; see [`written`].
pub(crate) fn li(lang: Lang, fr: &'static str, en: &'static str) -> Markup {
    html! { li { (written(lang, fr, en)) } }
}

/// A text in the language of a page: words in backquotes are code, `[words](address)` is a link.
pub(super) fn written(lang: Lang, fr: &'static str, en: &'static str) -> Markup {
    let mut rest = say(lang, fr, en);
    let mut parts = Vec::new();
    while let Some((before, words, address, after)) = next_link(rest) {
        parts.push(prose(before));
        parts.push(link(lang, words, address));
        rest = after;
    }
    parts.push(prose(rest));
    html! { @for part in parts { (part) } }
}

/// The first link of a text: the text before it, its words, its address, the text after it.
fn next_link(text: &str) -> Option<(&str, &str, &str, &str)> {
    let (before, link) = text.split_once('[')?;
    let (words, rest) = link.split_once("](")?;
    let (address, after) = rest.split_once(')')?;
    Some((before, words, address, after))
}

fn link(lang: Lang, words: &str, address: &str) -> Markup {
    // An English page says of a link that its page is in French.
    let is_foreign = lang == Lang::En && !address.starts_with(ENGLISH);
    html! {
        a href=(address) hreflang=[is_foreign.then_some("fr")] { (prose(words)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_links_and_code() {
        let french = written(Lang::Fr, "Le `code` : [la clé](/cle), [ici](/api).", "x");
        assert_eq!(
            french.into_string(),
            "Le <code>code</code>\u{a0}: <a href=\"/cle\">la clé</a>, <a href=\"/api\">ici</a>."
        );
        let english = written(Lang::En, "x", "The [key](/cle) and [the call](/en/api) [x");
        assert_eq!(
            english.into_string(),
            "The <a href=\"/cle\" hreflang=\"fr\">key</a> and <a href=\"/en/api\">the call</a> [x"
        );
    }
}
