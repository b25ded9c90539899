//! The list of the simulators by topic, and its search.

use bareme_api::wire::query::{Query, value};
use bareme_engine::Lang;
use bareme_engine::service::{Endpoint, Rules};
use bareme_show::query_string;
use jiff::civil::Date;
use maud::{Markup, html};

use super::{PATH, search};
use crate::catalogue::{self, ListedFolder};
use crate::folder_pictures::image;
use crate::language::localized;
use crate::layout::Page;
use crate::text::{prose, say};
use crate::{PageRequest, assets, compare, questions, suggestions};

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
    let lang = request.lang();
    let title = say(lang, "Simulateurs", "Calculators");
    let all = catalogue::all(rules);
    let pairs = Query::read(query).pairs;
    let words = value(&pairs, WORDS).map(str::trim).unwrap_or_default();

    let found = found(rules, &all, words);
    let subject = search::not_calculated(rules.service(), words);
    let asked = questions::matching(rules, words, today);
    // A search of several words may have one that nothing has.
    let is_found = !found.is_empty() || !asked.is_empty();
    let near = if is_found {
        Vec::new()
    } else {
        search::nearest(&all, words)
    };

    let content = html! {
        h1 { (title) }
        p.lead {
            (say(
                lang,
                "Le résultat s’affiche pendant la saisie, chaque ligne s’explique, et un lien \
                 rouvre le même cas.",
                "The result appears as you type, every line explains itself, and a link opens the \
                 same case again."
            ))
        }
        (search_form(lang, words))
        // A search without results still lists everything.
        @if words.is_empty() {
            (by_topic(rules, &all, today))
            p {
                (say(lang, "Pour mettre les pays côte à côte\u{a0}: ", "Countries side by side: "))
                a href=(localized(compare::PATH, lang)) {
                    (say(lang, "comparer un salaire", "compare a pay"))
                } "."
            }
        } @else if !near.is_empty() {
            p {
                (say(
                    lang,
                    "Rien ne répond à tous les mots de «\u{a0}",
                    "Nothing has every word of “"
                ))
                (prose(words))
                (say(
                    lang,
                    "\u{a0}»\u{a0}; voici ce qui en approche.",
                    "”; these come near."
                ))
            }
            (cards(&near, today))
            (link_to_all(lang))
        } @else if !is_found {
            p {
                (say(lang, "Rien ne répond à «\u{a0}", "Nothing is found for “")) (prose(words))
                (say(lang, "\u{a0}».", "”."))
            }
            (by_topic(rules, &all, today))
        } @else {
            @if let Some(subject) = subject { p.warning { (prose(&subject.text)) } }
            (cards(&found, today))
            @if !asked.is_empty() {
                h2 { (say(lang, "Réponses toutes prêtes", "Answers at once")) }
                (questions::links(&asked, today))
            }
            (link_to_all(lang))
        }
    };

    let page = Page {
        title,
        description: say(
            lang,
            "Simulateurs de salaire net, de coût employeur, d’impôt, de TVA, de prêt et de \
             patrimoine, pays par pays, avec le détail de chaque ligne.",
            "Calculators of net pay and employer cost, country by country, with the detail of \
             every line.",
        ),
        path: Some(PATH),
        switch: request.has_both(PATH).then_some(query),
        script: Some(assets::SEARCH),
        content,
        ..Page::default()
    };
    page.render(rules.service())
}

/// The simulators that a search finds. Those that come near a subject which no endpoint calculates
/// are before those that have its words by chance.
pub(crate) fn found<'a, 'r>(
    rules: &Rules,
    all: &'a [ListedFolder<'r>],
    words: &str,
) -> Vec<&'a ListedFolder<'r>> {
    let mut found = search::ranked(all, words);
    let Some(subject) = search::not_calculated(rules.service(), words) else {
        return found;
    };

    found.retain(|listed| !subject.near.contains(&listed.endpoint.name));
    let near = subject.near.iter();
    let near = near.filter_map(|name| all.iter().find(|listed| listed.endpoint.name == *name));
    near.chain(found).collect()
}

/// The search form.
pub(crate) fn search_form(lang: Lang, words: &str) -> Markup {
    let (label, example) = match lang {
        Lang::Fr => ("Chercher", "frais de notaire"),
        Lang::En => ("Search", "minimum wage"),
    };
    form(lang, ("chercher", label), words, example)
}

/// The link from what a search has found to all simulators.
fn link_to_all(lang: Lang) -> Markup {
    html! {
        p { a href=(localized(PATH, lang)) { (say(lang, "Tous les simulateurs", "All calculators")) } }
    }
}

/// The search form of a country.
pub(crate) fn country_form(lang: Lang) -> Markup {
    let (label, example) = match lang {
        Lang::Fr => ("Un pays", "Sénégal"),
        Lang::En => ("A country", "Belgium"),
    };
    form(lang, ("chercher-pays", label), "", example)
}

fn form(lang: Lang, (id, label): (&str, &str), words: &str, example: &str) -> Markup {
    html! {
        form.search role="search" aria-label=(label) action=(localized(PATH, lang))
            data-suggestions=(localized(suggestions::PATH, lang)) {
            label for=(id) { (label) } " "
            input id=(id) type="search" name=(WORDS) value=(words) placeholder=(example)
                maxlength="80";
            " " button { (say(lang, "Chercher", "Search")) }
        }
    }
}

/// The link to the simulators that some words find.
pub(crate) fn search_link(lang: Lang, words: &str) -> String {
    let pairs = [(WORDS.to_owned(), words.to_owned())];
    format!(
        "{}?{}",
        localized(PATH, lang),
        query_string::from_pairs(&pairs)
    )
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

/// The topics, each once: in the order of `service.yaml`, then in that of the endpoints.
pub(crate) fn headings(rules: &Rules) -> Vec<&str> {
    let service = rules.service();
    let of_endpoints: Vec<&str> = service.endpoints.iter().flat_map(topics).collect();
    let declared = service.topics.iter().map(|topic| topic.title.as_str());
    // In English a topic may have no endpoint that is translated.
    let declared = declared.filter(|title| of_endpoints.contains(title));

    let mut headings: Vec<&str> = Vec::new();
    for heading in declared.chain(of_endpoints.iter().copied()) {
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
                    a.title href=(listed.simulator()) {
                        (image(listed.folder)) (prose(listed.folder.title()))
                    }
                    (listed.checked(today))
                }
            }
        }
    }
}
