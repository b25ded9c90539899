//! The list of the simulators by topic, and its search.

use bareme_api::wire::query::{Query, value};
use bareme_engine::service::{Endpoint, Rules};
use bareme_show::query_string;
use jiff::civil::Date;
use maud::{Markup, html};

use super::{PATH, search};
use crate::catalogue::{self, ListedFolder};
use crate::layout::Page;
use crate::text::prose;
use crate::{PageRequest, assets};

/// The parameter of the page with the search words.
pub(crate) const WORDS: &str = "q";

/// The list of the simulators; `query` may hold search words.
pub(crate) fn index(request: &PageRequest) -> String {
    let PageRequest {
        rules,
        query,
        today,
        ..
    } = *request;
    let all = catalogue::all(rules);
    let pairs = Query::read(query).pairs;
    let words = value(&pairs, WORDS).map(str::trim).unwrap_or_default();

    let found = search::ranked(&all, words);

    let content = html! {
        h1 { "Simulateurs" }
        p.lead {
            "Le résultat s’affiche pendant la saisie, chaque ligne s’explique, et un lien rouvre \
             le même cas."
        }
        (search_form(words))
        // A search without results still lists everything.
        @if words.is_empty() {
            (by_topic(rules, &all, today))
            p {
                "Pour mettre les pays côte à côte\u{a0}: "
                a href="/comparer" { "comparer un salaire" } "."
            }
        } @else if found.is_empty() {
            p { "Rien ne répond à «\u{a0}" (prose(words)) "\u{a0}»." }
            (by_topic(rules, &all, today))
        } @else {
            (cards(&found, today))
            p { a href=(PATH) { "Tous les simulateurs" } }
        }
    };

    let page = Page {
        title: "Simulateurs",
        description: "Simulateurs de salaire net, de coût employeur, d’impôt, de TVA, de prêt et \
                      de patrimoine, pays par pays, avec le détail de chaque ligne.",
        path: Some(PATH),
        script: Some(assets::SEARCH),
        content,
        ..Page::default()
    };
    page.render(rules.service())
}

/// The search form.
pub(crate) fn search_form(words: &str) -> Markup {
    form("chercher", "Chercher", words, "frais de notaire")
}

/// The search form of a country.
pub(crate) fn country_form() -> Markup {
    form("chercher-pays", "Un pays", "", "Sénégal")
}

fn form(id: &str, label: &str, words: &str, example: &str) -> Markup {
    html! {
        form.search role="search" aria-label=(label) action=(PATH) {
            label for=(id) { (label) } " "
            input id=(id) type="search" name=(WORDS) value=(words) placeholder=(example)
                maxlength="80";
            " " button { "Chercher" }
        }
    }
}

/// The link to the simulators that some words find.
pub(crate) fn search_link(words: &str) -> String {
    let pairs = [(WORDS.to_owned(), words.to_owned())];
    format!("{PATH}?{}", query_string::from_pairs(&pairs))
}

/// The simulators under the topics of their endpoints; large families are folded.
fn by_topic(rules: &Rules, all: &[ListedFolder], today: Date) -> Markup {
    /// Number of members beyond which a family only shows its endpoint at first.
    const MANY: usize = 6;

    let endpoints = &rules.service().endpoints;
    html! {
        @for heading in headings(rules) {
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
                        (cards(&members, today))
                    }
                } @else if !members.is_empty() {
                    (cards(&members, today))
                }
            }
        }
    }
}

/// The topics in the order of the endpoints, each once.
pub(crate) fn headings(rules: &Rules) -> Vec<&str> {
    let mut headings: Vec<&str> = Vec::new();
    for heading in rules.service().endpoints.iter().flat_map(topics) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    headings
}

/// The topics of an endpoint; one without topics is listed under a general heading.
pub(crate) fn topics(endpoint: &Endpoint) -> Vec<&str> {
    const OTHERS: &str = "Autres calculs";
    if endpoint.topics.is_empty() {
        vec![OTHERS]
    } else {
        endpoint.topics.iter().map(String::as_str).collect()
    }
}

fn cards(listed: &[&ListedFolder], today: Date) -> Markup {
    html! {
        ul.cards {
            @for listed in listed {
                li {
                    a.title href=(listed.simulator()) { (prose(listed.folder.title())) }
                    (listed.checked(today))
                }
            }
        }
    }
}
