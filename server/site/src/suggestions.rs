//! Suggestions of the search while somebody types: the simulators and the questions with all the
//! words.

use bareme_api::wire::query::{Query, value};
use maud::html;

use super::PageRequest;
use super::catalogue;
use super::questions;
use super::simulator::{QUERY, found};
use super::text::prose;

/// Path of the list, for the script of the search.
pub(super) const PATH: &str = "/site/recherche";

/// Number of simulators and of questions that are suggested.
const SIMULATORS: usize = 6;
const QUESTIONS: usize = 3;

/// The suggestions as the options of a list; empty where nothing is found.
pub(super) fn part(request: &PageRequest) -> String {
    let PageRequest {
        rules,
        query,
        today,
        ..
    } = *request;

    let pairs = Query::read(query).pairs;
    let words = value(&pairs, QUERY).map(str::trim).unwrap_or_default();
    if words.is_empty() {
        return String::new();
    }

    let all = catalogue::all(rules);
    let simulators = found(rules, &all, words).into_iter().take(SIMULATORS);
    let simulators =
        simulators.map(|listed| (listed.simulator(), listed.folder.title().to_owned()));
    let asked = questions::matching(rules, words, today).into_iter();
    let asked = asked.map(|question| (question.path(), question.title(today)));
    let asked = asked.take(QUESTIONS);

    let options = html! {
        @for (index, (path, title)) in asked.chain(simulators).enumerate() {
            // The field names the option that is chosen by its id (`aria-activedescendant`): the
            // focus stays in it.
            li role="option" id=(format!("suggestion-{index}")) data-vers=(path)
                aria-selected="false" { (prose(&title)) }
        }
    };
    options.into_string()
}
