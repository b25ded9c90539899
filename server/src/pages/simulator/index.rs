//! The list of the simulators by topic, and its search.

use bareme_engine::service::{Endpoint, Rules};
use bareme_engine::text::normalize;
use maud::{Markup, html};

use super::PATH;
use crate::pages::catalogue::{self, ListedFolder};
use crate::pages::layout::Page;
use crate::pages::text::{day, prose};
use crate::wire::query::{Query, value};

/// The parameter of the page with the search words.
const WORDS: &str = "q";

/// The list of the simulators; `query` may hold search words.
pub(in crate::pages) fn index(rules: &Rules, query: &str) -> String {
    let all = catalogue::all(rules);
    let pairs = Query::read(query).pairs;
    let words = value(&pairs, WORDS).map(str::trim).unwrap_or_default();

    let found: Vec<&ListedFolder> = all
        .iter()
        .filter(|listed| is_found(listed, words))
        .collect();

    let content = html! {
        h1 { "Simulateurs" }
        p.lead {
            "Le résultat s’affiche pendant la saisie, chaque ligne s’explique, et un lien rouvre \
             le même cas."
        }
        (search(words))
        // A search without results still lists everything.
        @if words.is_empty() {
            (by_topic(rules, &all))
            p {
                "Pour mettre les pays côte à côte\u{a0}: "
                a href="/comparer" { "comparer un salaire" } "."
            }
        } @else if found.is_empty() {
            p { "Rien ne répond à «\u{a0}" (prose(words)) "\u{a0}»." }
            (by_topic(rules, &all))
        } @else {
            (cards(&found))
            p { a href=(PATH) { "Tous les simulateurs" } }
        }
    };

    let page = Page {
        title: "Simulateurs",
        description: "Simulateurs de salaire net, de coût employeur, d’impôt, de TVA, de prêt et \
                      de patrimoine, pays par pays, avec le détail de chaque ligne.",
        path: Some(PATH),
        content,
        ..Page::default()
    };
    page.render(rules.service())
}

/// The search form.
pub(in crate::pages) fn search(words: &str) -> Markup {
    html! {
        form.search role="search" action=(PATH) {
            label for="chercher" { "Chercher" } " "
            input #chercher type="search" name=(WORDS) value=(words) placeholder="frais de notaire"
                maxlength="80";
            " " button { "Chercher" }
        }
    }
}

/// The simulators under the topics of their endpoints; large families are folded.
fn by_topic(rules: &Rules, all: &[ListedFolder]) -> Markup {
    /// Number of members beyond which a family only shows its endpoint at first.
    const MANY: usize = 6;

    let endpoints = &rules.service().endpoints;
    // The topics in the order of the endpoints, each once.
    let mut headings: Vec<&str> = Vec::new();
    for heading in endpoints.iter().flat_map(topics) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }

    html! {
        @for heading in headings {
            h2 { (prose(heading)) }
            @for endpoint in endpoints.iter().filter(
                |endpoint| topics(endpoint).contains(&heading)
            ) {
                @let members: Vec<&ListedFolder> = all.iter().filter(
                    |listed| listed.endpoint.name == endpoint.name
                ).collect();
                @if members.len() > MANY {
                    details {
                        summary { (prose(&endpoint.title)) " (" (members.len()) ")" }
                        (cards(&members))
                    }
                } @else if !members.is_empty() {
                    (cards(&members))
                }
            }
        }
    }
}

/// The topics of an endpoint; one without topics is listed under a general heading.
fn topics(endpoint: &Endpoint) -> Vec<&str> {
    const OTHERS: &str = "Autres calculs";
    if endpoint.topics.is_empty() {
        vec![OTHERS]
    } else {
        endpoint.topics.iter().map(String::as_str).collect()
    }
}

fn cards(listed: &[&ListedFolder]) -> Markup {
    html! {
        ul.cards {
            @for listed in listed {
                li {
                    a.title href=(listed.simulator()) { (prose(listed.folder.title())) }
                    @if let Some(scale) = listed.last_scale() {
                        " " span.soft { "barème du " (day(scale.date)) }
                    }
                }
            }
        }
    }
}

/// Whether all words are in titles, topics, search terms or aliases, ignoring case and accents.
fn is_found(listed: &ListedFolder, words: &str) -> bool {
    /// Stop words.
    const EMPTY: [&str; 9] = ["a", "au", "aux", "d", "de", "des", "du", "l", "la"];
    let endpoint = listed.endpoint;

    // What a person may search: the title, the name, other names, the topics, and the search terms
    // of the rules.
    let own = [listed.folder.title(), &endpoint.title, &endpoint.name];
    let aliases = listed.folder.aliases();
    let aliases = aliases.iter().map(|alias| alias.name.as_str());
    let texts = own.into_iter().chain(aliases).chain(
        endpoint
            .topics
            .iter()
            .chain(&endpoint.search)
            .map(String::as_str),
    );

    // `_` around each word, so that a search matches from the beginning of a word.
    let text = format!("_{}_", texts.map(normalize).collect::<Vec<_>>().join("_"));
    let words = normalize(words);
    let mut searched = words
        .split('_')
        .filter(|word| !EMPTY.contains(word) && !word.is_empty());

    // The ending of a word may differ: `notaires` is searched as `notaire`.
    searched.all(|word| {
        text.contains(&format!(
            "_{}",
            word.strip_suffix('s')
                .filter(|stem| stem.len() > 3)
                .unwrap_or(word)
        ))
    })
}
