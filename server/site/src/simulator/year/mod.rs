//! The simulator of a year of pays: a grid with one row for each month, the answer by month, its
//! chart, and the settlements.
//!
//! | topic | module |
//! |---|---|
//! | the question | [`question`] |
//! | the form and its grid | [`grid`] |
//! | the answer | [`result`], with its tables in [`months`] and settlements in [`settlements`] |
//! | the months as a file | [`mod@file`] |
//! | the link from one pay | [`link`] |

mod column;
mod file;
mod grid;
mod link;
mod months;
mod question;
mod result;
mod settlements;

use bareme_api::wire::problem::{Problem, kinds};
use bareme_engine::say;
use maud::html;

use super::trace::foreign;
use crate::PageRequest;
use crate::assets;
use crate::catalogue::ListedFolder;
use crate::language::localized;
use crate::layout::Page;
use crate::text::{printed, prose, say};
pub(crate) use file::file;
pub(super) use link::{link_included, link_to_year};
pub(super) use months::month_name;
use question::YearQuestion;

/// Suffix of the paths of a year.
pub(crate) const PATH_END: &str = "/annee";

/// Suffix of the path of its file.
pub(crate) const FILE_END: &str = "/annee.csv";

/// The page of a folder.
///
/// # Errors
/// A folder without a year of pays, or an internal error of the engine.
pub(crate) fn page(request: &PageRequest, listed: &ListedFolder) -> Result<String, Problem> {
    let question = read(request, listed)?;
    let answer = question.calculate()?;
    // The result comes before the form, which takes the mistakes of the same answer.
    let result = result::result(request.rules, &question, &answer, request.today);
    let (lang, name) = (listed.lang(), listed.folder.title());
    let title = say!(
        lang,
        "Une année de paies : {name}",
        "A year of pays: {name}"
    );
    let path = format!("{}{PATH_END}", listed.french_simulator());

    let content = html! {
        p.trail {
            a href=(localized(super::PATH, lang)) { (say(lang, "Simulateurs", "Calculators")) } " › "
            a href=(listed.simulator()) { (prose(listed.folder.title())) }
        }
        h1 { (prose(&title)) }
        p.soft {
            (say(
                lang,
                "Mois par mois, avec ce que les textes régularisent depuis janvier ou depuis \
                 l’embauche\u{a0}: assiettes, plafonds, maximums, réductions. ",
                "Month by month, with what the law settles since January or since the hiring: \
                 bases, ceilings, maximums, reductions. "
            ))
            a.screen href=(listed.page()) hreflang=[foreign(lang)] {
                (say(
                    lang,
                    "Chiffres, textes et historique",
                    "Figures, sources and history (in French)"
                ))
            }
        }
        div.simulator.of-year {
            (grid::form(&question, &answer.err().unwrap_or_default()))
            section #resultat aria-label=(say(lang, "Résultat", "Result")) { (result) }
        }
    };

    let name = printed(name);
    let description = say!(
        lang,
        "{name} : douze mois, primes, embauche, départ, régularisations et total de l’année.",
        "{name}: twelve months, bonuses, hiring, departure, settlements and total of the year."
    );

    let page = Page {
        title: &title,
        description: &description,
        path: Some(&path),
        script: Some(assets::SIMULATOR),
        switch: request.has_both(&path).then_some(request.query),
        content,
        ..Page::default()
    };
    Ok(page.render(request.rules.service()))
}

/// The result alone, for the script of the page.
///
/// # Errors
/// A folder without a year of pays, or an internal error of the engine.
pub(crate) fn part(request: &PageRequest, listed: &ListedFolder) -> Result<String, Problem> {
    let question = read(request, listed)?;
    let answer = question.calculate()?;
    Ok(result::result(request.rules, &question, &answer, request.today).into_string())
}

fn read<'r>(request: &PageRequest, listed: &ListedFolder<'r>) -> Result<YearQuestion<'r>, Problem> {
    YearQuestion::read(listed, request.query, request.today)
        .ok_or_else(|| Problem::plain(&kinds::NOT_FOUND))
}
