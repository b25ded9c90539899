//! The reasons people come for: the topics of the catalogue, each with its calculations.

use bareme_engine::service::{Endpoint, Rules};
use maud::{Markup, html};

use crate::catalogue::{self, ListedFolder};
use crate::simulator::{headings, search_link, topics};
use crate::text::prose;

/// The topics as a grid; those of the pay above come first.
pub(super) fn reasons(rules: &Rules) -> Markup {
    let all = catalogue::all(rules);
    // A pay is known by its inverse: the site names no folder of the rules.
    let of_pay = all.iter().find(|listed| {
        let latest = listed.folder.latest();
        latest.is_some_and(|edition| !edition.method().inverses().is_empty())
    });
    let first = of_pay
        .map(|listed| topics(listed.endpoint))
        .unwrap_or_default();

    let mut order = headings(rules);
    // The sort is stable: among themselves, topics keep the order of `service.yaml`.
    order.sort_by_key(|heading| !first.contains(heading));

    html! {
        div.reasons {
            @for heading in order {
                section {
                    h3 { (prose(heading)) }
                    ul {
                        @for endpoint in rules.service().endpoints.iter().filter(
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
