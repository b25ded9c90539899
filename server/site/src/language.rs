//! The language of a page: French at its path, English at the same path under `/en`.
//!
//! A page is made from rules in its language: those in English have the calculations of which every
//! text is in English, and no other page is at an English path.

use bareme_engine::Lang;
use bareme_engine::service::Rules;

use super::{catalogue, compare, developers, guide, questions, simulator};

/// Beginning of the paths of English pages.
pub(super) const ENGLISH: &str = "/en";

/// The beginning of the paths of the pages of a language.
pub(super) fn prefix(lang: Lang) -> &'static str {
    match lang {
        Lang::Fr => "",
        Lang::En => ENGLISH,
    }
}

/// The home page of a language.
pub fn home(lang: Lang) -> &'static str {
    match lang {
        Lang::Fr => "/",
        Lang::En => ENGLISH,
    }
}

/// The path of a page in a language, by its French path.
pub(super) fn localized(path: &str, lang: Lang) -> String {
    match path {
        "/" => home(lang).to_owned(),
        path => format!("{}{path}", prefix(lang)),
    }
}

/// The paths of all pages in English.
pub(super) fn english_paths(rules: &Rules) -> Vec<String> {
    // The rules are those in English, whose addresses begin with `/en` already.
    let folders = catalogue::all(rules).into_iter();
    let questions = questions::all(rules).into_iter();
    let fixed = [
        "/",
        simulator::PATH,
        compare::PATH,
        questions::PATH,
        developers::PATH,
        guide::PATH,
    ];

    fixed
        .into_iter()
        .map(str::to_owned)
        .chain(guide::paths_in_both())
        .map(|path| localized(&path, Lang::En))
        .chain(
            folders.flat_map(|listed| {
                std::iter::once(listed.simulator()).chain(listed.year_simulator())
            }),
        )
        .chain(questions.map(|question| question.path()))
        .collect()
}

/// The language of a path, and the path of the same page in French.
pub fn of_path(path: &str) -> (Lang, &str) {
    match path.strip_prefix(ENGLISH) {
        Some("") => (Lang::En, "/"),
        Some(rest) if rest.starts_with('/') && rest.len() > 1 => (Lang::En, rest),
        _ => (Lang::Fr, path),
    }
}

/// The word of a language in HTML and in HTTP.
pub(crate) fn code(lang: Lang) -> &'static str {
    match lang {
        Lang::Fr => "fr",
        Lang::En => "en",
    }
}

/// Whether a visitor reads English rather than French, by the header `Accept-Language`.
pub fn prefers_english(header: &str) -> bool {
    let quality = |language: &str| {
        let ranges = header.split(',').filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let range = parts.next()?.split('-').next()?;
            let weight = parts.find_map(|part| part.strip_prefix("q="));
            let weight = weight.map_or(Some(1000), thousandths)?;
            range.eq_ignore_ascii_case(language).then_some(weight)
        });
        ranges.max().unwrap_or_default()
    };
    quality("en") > quality("fr")
}

/// A weight of three decimals at most, in thousandths.
fn thousandths(weight: &str) -> Option<u16> {
    let (whole, decimals) = weight.split_once('.').unwrap_or((weight, ""));
    let decimals: u16 = format!("{decimals:0<3}").get(..3)?.parse().ok()?;
    let whole: u16 = whole.parse().ok().filter(|whole| *whole <= 1)?;
    Some(
        whole
            .saturating_mul(1000)
            .saturating_add(decimals)
            .min(1000),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_english_path_is_a_french_one_under_its_prefix() {
        for (path, expected) in [
            ("/", (Lang::Fr, "/")),
            ("/en", (Lang::En, "/")),
            ("/en/", (Lang::Fr, "/en/")),
            (
                "/en/simulateurs/salaire",
                (Lang::En, "/simulateurs/salaire"),
            ),
            ("/enquete", (Lang::Fr, "/enquete")),
        ] {
            assert_eq!(of_path(path), expected, "{path}");
        }
    }

    #[test]
    fn english_is_preferred_where_its_weight_is_greater() {
        for (header, is_english) in [
            ("en-GB,en;q=0.9", true),
            ("en", true),
            ("fr-FR,fr;q=0.9,en;q=0.8", false),
            ("en;q=0.8, fr;q=0.85", false),
            ("en;q=0.9, fr;q=0.85", true),
            ("de-DE, en;q=0.7", true),
            ("", false),
            ("*", false),
            ("en;q=2, fr;q=x", false),
        ] {
            assert_eq!(prefers_english(header), is_english, "{header}");
        }
    }
}
