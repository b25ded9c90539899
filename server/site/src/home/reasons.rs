//! The reasons people come for: the topics of the catalogue, each with its calculations.

use bareme_engine::service::{Endpoint, Picture, Rules};
use maud::{Markup, html};

use crate::catalogue::{self, ListedFolder};
use crate::simulator::{headings, search_link, topics};
use crate::text::prose;

/// The topics as a grid, each with its picture.
pub(super) fn reasons(rules: &Rules) -> Markup {
    let all = catalogue::all(rules);
    let service = rules.service();
    let picture = |heading: &str| {
        let mut topics = service.topics.iter();
        topics
            .find(|topic| topic.title == heading)?
            .picture
            .as_ref()
    };

    html! {
        div.reasons {
            @for heading in headings(rules) {
                section {
                    h3 {
                        @if let Some(picture) = picture(heading) { (drawn(picture)) }
                        (prose(heading))
                    }
                    ul {
                        @for endpoint in service.endpoints.iter().filter(
                            |endpoint| topics(endpoint).contains(&heading)
                        ) {
                            (entry(rules, endpoint, &all))
                        }
                    }
                }
            }
        }
    }
}

/// The picture of a topic, beside the words that say the same.
fn drawn(picture: &Picture) -> Markup {
    html! {
        svg viewBox="0 0 48 48" aria-hidden="true" focusable="false" {
            path.shape d=(picture.shapes) {}
            path d=(picture.lines) {}
        }
    }
}

/// An endpoint in its topic: the simulator of its folder, or the list of those of a family.
fn entry(rules: &Rules, endpoint: &Endpoint, all: &[ListedFolder]) -> Markup {
    let mut members = all
        .iter()
        .filter(|listed| listed.endpoint.name == endpoint.name);
    let (first, second) = (members.next(), members.next());
    let link = match (first, second) {
        (Some(only), None) => only.simulator(),
        _ => search_link(rules.service().lang, &endpoint.title),
    };

    html! {
        @if first.is_some() { li { a href=(link) { (prose(&endpoint.title)) } } }
    }
}
