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

mod file;
mod grid;
mod link;
mod months;
mod question;
mod result;
mod settlements;

use bareme_api::wire::problem::{Problem, kinds};
use maud::html;

use crate::PageRequest;
use crate::assets;
use crate::catalogue::ListedFolder;
use crate::layout::Page;
use crate::text::{printed, prose};
pub(crate) use file::file;
pub(super) use link::link_to_year;
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
    let title = format!("Une année de paies : {}", listed.folder.title());
    let path = format!("{}{PATH_END}", listed.simulator());

    let content = html! {
        p.trail {
            a href=(super::PATH) { "Simulateurs" } " › "
            a href=(listed.simulator()) { (prose(listed.folder.title())) }
        }
        h1 { (prose(&title)) }
        p.soft {
            "Mois par mois, avec ce que les textes régularisent depuis janvier ou depuis \
             l’embauche\u{a0}: assiettes, plafonds, maximums, réductions. "
            a.screen href=(listed.page()) { "Chiffres, textes et historique" }
        }
        div.simulator.of-year {
            (grid::form(&question, &answer.err().unwrap_or_default()))
            section #resultat aria-label="Résultat" { (result) }
        }
    };

    let name = printed(listed.folder.title());
    let description = format!(
        "{name} : douze mois, primes, embauche, départ, régularisations et total de l’année."
    );

    let page = Page {
        title: &title,
        description: &description,
        path: Some(&path),
        script: Some(assets::SIMULATOR),
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
