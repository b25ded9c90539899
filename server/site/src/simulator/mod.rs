//! The simulator of a rule folder, generated from its inputs and its answer: a form that works
//! without a script, and a script that shows the result while somebody types.
//!
//! The page has the parameters of the API, so that its link has the same query. Parameters of the
//! page alone have a hyphen in their name, which no input has.

mod amounts;
mod answered;
mod asked;
mod calculations;
mod chart;
mod choice;
mod code;
mod compared;
mod download;
mod driver;
mod elsewhere;
mod example;
mod form;
mod glimpse;
mod groups;
mod headline;
mod index;
mod items;
mod left_out;
mod lines;
mod link;
mod loan_chart;
mod months;
mod next_bracket;
mod once;
mod period;
mod presets;
mod preview;
mod question;
mod refused;
mod result;
mod schedule;
mod search;
mod sentence;
mod settled;
mod shares;
mod sheet;
mod steps;
mod targets;
mod trace;
mod trials;
mod unit;
mod values;
mod year;

use bareme_api::wire::problem::Problem;
use bareme_api::wire::query::Query;
use bareme_api::work::cost::{self, Work};
use bareme_engine::service::Service;
use bareme_engine::{Lang, say};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::catalogue::ListedFolder;
use super::folder_pictures::image;
use super::language::{self, localized};
use super::layout::Page;
use super::text::{edition, printed, prose, say};
use super::{PageRequest, assets, questions, widget};
pub(super) use answered::Answered;
pub(super) use calculations::calculations;
pub(super) use download::{CSV, file};
pub(super) use elsewhere::simulator as simulator_of;
pub(super) use glimpse::{Glimpse, GlimpseError};
pub(super) use index::{
    WORDS as QUERY, country_form, found, headings, index, search_form, search_link, topics,
};
pub(super) use once::Thirteenth;
pub(super) use preview::picture;
pub(super) use question::Question;
pub(super) use search::{has_in_a_row, has_words};
pub(super) use trace::{foreign, source};
pub(crate) use unit::{HOUR, MONTH, PERIOD, YEAR};
pub(super) use values::{decimal, without_commas};
pub(super) use year::{
    FILE_END as YEAR_FILE_END, PATH_END as YEAR_END, file as year_file, page as year_page,
    part as year_part,
};

/// Path of the simulators.
pub(super) const PATH: &str = "/simulateurs";

/// Path of the result alone, for the script of the page.
pub(super) const RESULT_PATH: &str = "/site/simulateur";

/// What a page, a result or a file of a folder costs for a query.
pub(super) fn work(listed: &ListedFolder, query: &str) -> &'static Work {
    if listed.compares() {
        &cost::SIDE_BY_SIDE
    } else if listed.folder.searches() || is_for_result(listed, query) {
        &cost::SIMULATION_OF_RESULT
    } else {
        &cost::SIMULATION
    }
}

/// Whether a result is searched, which costs many calculations. A form sends the field of every
/// amount, of which one was typed.
fn is_for_result(listed: &ListedFolder, query: &str) -> bool {
    let names = listed.folder.inverses().into_iter();
    let names: Vec<String> = names
        .map(|inverse| inverse.parameter.name.clone())
        .collect();
    if !cost::sends(query, &names) {
        return false;
    }

    let mut pairs = Query::read(query).pairs;
    pairs.retain(|(_, value)| !value.trim().is_empty());
    if let Some(edition) = listed.folder.latest() {
        driver::start(&mut pairs, edition.method());
    }
    pairs.iter().any(|(name, _)| names.contains(name))
}

/// The page of a folder.
///
/// # Errors
/// An internal error of the engine.
pub(super) fn page(request: &PageRequest, listed: &ListedFolder) -> Result<String, Problem> {
    let asked = Asked::new(request, listed)?;
    let question = &asked.question;
    let service = request.rules.service();
    let title = listed.folder.title();
    let path = listed.french_simulator();
    let lang = listed.lang();

    let content = html! {
        p.trail {
            a href=(localized(PATH, lang)) { (say(lang, "Simulateurs", "Calculators")) }
            " › " (prose(&listed.endpoint.title))
        }
        h1 { (image(listed.folder)) (prose(title)) }
        @if let Some(scale) = question.edition.and_then(|edition| edition.scale()) {
            p.soft {
                (edition(scale, lang)) ". "
                a.screen href=(listed.page()) hreflang=[trace::foreign(lang)] {
                    (say(
                        lang,
                        "Chiffres, textes et historique",
                        "Figures, sources and history (in French)"
                    ))
                }
            }
        } @else {
            p.soft {
                a href=(listed.page()) hreflang=[trace::foreign(lang)] {
                    (say(lang, "Textes et calcul", "Sources and calculation (in French)"))
                }
            }
        }
        // The script of the page replaces the result alone while somebody types.
        (asked.form_and_result(request)?)
        @if let Some(lines) = widget::lines(service, listed) { (lines) }
        (questions::of_folder(request.rules, listed, None, request.today))
    };

    let name = printed(title);
    let description = say!(
        lang,
        "{name} : calcul immédiat, détail de chaque ligne, textes et comparaison des années.",
        "{name}: result at once, detail of every line, sources, years compared."
    );
    let feed = format!("{}.atom", listed.page());

    let page = Page {
        title,
        description: &description,
        path: Some(&path),
        script: Some(assets::SIMULATOR),
        data: Some(application(service, listed, title, &path)),
        switch: request.has_both(&path).then_some(request.query),
        feed: (lang == Lang::Fr).then_some(&feed),
        case: preview::shared_case(&asked, request),
        content,
        ..Page::default()
    };
    Ok(page.render(service))
}

/// A simulator as JSON-LD for search engines: a free web application.
fn application(service: &Service, listed: &ListedFolder, title: &str, path: &str) -> Value {
    // Search engines show when the page last changed: the day of the last scale.
    let changed = listed.last_scale().map(|scale| scale.date.to_string());
    json!({
        "@context": "https://schema.org",
        "@type": "WebApplication",
        "name": printed(title),
        "url": format!("{}{}", service.documentation, localized(path, service.lang)),
        "applicationCategory": "FinanceApplication",
        "operatingSystem": say(service.lang, "Tous", "All"),
        "inLanguage": language::code(service.lang),
        "isAccessibleForFree": true,
        // Search engines ask for a price, 0 where there is none.
        "offers": {"@type": "Offer", "price": "0", "priceCurrency": "EUR"},
        "dateModified": changed,
        "publisher": {
            "@type": "Organization", "name": printed(&service.title), "url": service.documentation,
        },
    })
}

/// The form of a folder and the result of a query.
///
/// # Errors
/// An internal error of the engine.
pub(super) fn form_and_result(
    request: &PageRequest,
    listed: &ListedFolder,
) -> Result<Markup, Problem> {
    Asked::new(request, listed)?.form_and_result(request)
}

/// The question of a page, and its answer.
struct Asked<'r> {
    question: Question<'r>,
    answer: question::Answer<'r>,
}

impl<'r> Asked<'r> {
    fn new(request: &PageRequest, listed: &ListedFolder<'r>) -> Result<Self, Problem> {
        let mut question =
            Question::read_with_period(request.rules, listed, request.query, request.today);
        question.leave_out_options(request.today);
        let answer = question.calculate(request.today)?;
        Ok(Self { question, answer })
    }

    fn form_and_result(&self, request: &PageRequest) -> Result<Markup, Problem> {
        let Self { question, answer } = self;
        let amounts = targets::amounts(question, answer.as_ref().ok(), request.today);
        let result = result::result(request.rules, question, answer, &amounts, request.today)?;

        // The form shows what is refused beside each field.
        let refused = answer.as_ref().err().map(Vec::as_slice).unwrap_or_default();
        let lang = question.lang();
        Ok(html! {
            (elsewhere::purpose(request.rules, question))
            div.simulator {
                (form::form(question, &amounts, refused))
                section #resultat aria-label=(say(lang, "Résultat", "Result")) { (result) }
            }
        })
    }
}

/// The result alone, for the script of the page.
///
/// # Errors
/// An internal error of the engine.
pub(super) fn part(request: &PageRequest, listed: &ListedFolder) -> Result<String, Problem> {
    let Asked { question, answer } = Asked::new(request, listed)?;
    let amounts = targets::amounts(&question, answer.as_ref().ok(), request.today);
    result::result(request.rules, &question, &answer, &amounts, request.today)
        .map(Markup::into_string)
}
