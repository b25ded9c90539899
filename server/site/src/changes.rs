//! Changes of the scales: the news of the feeds, and their page.

use bareme_api::calls::route::WITHDRAWALS;
use bareme_engine::run::Edition;
use bareme_engine::service::Rules;
use bareme_show::figures;
use jiff::civil::Date;
use maud::html;

use super::catalogue::{self, ListedFolder};
use super::layout::Page;
use super::text::{day, printed, prose};
use super::{corrections, feed, scales};

/// Path of the page.
pub(super) const PATH: &str = "/baremes/changements";

/// Greatest number of news items of all scales.
const MAX_ENTRIES: usize = 100;

/// A news item about an edition.
pub(super) struct News<'r> {
    /// The folder.
    pub listed: ListedFolder<'r>,
    /// The day on which it comes into force.
    pub date: Date,
    pub title: String,
    /// Its changes, in words.
    pub summary: String,
}

/// The latest news, the last first: of one folder, or of all.
pub(super) fn news<'r>(rules: &'r Rules, only: Option<&ListedFolder<'r>>) -> Vec<News<'r>> {
    let all = only.map_or_else(|| catalogue::all(rules), |listed| vec![*listed]);
    let mut news: Vec<News> = all.into_iter().flat_map(of_folder).collect();
    // Within a day by the paths of the folders, so that every node has the same order.
    news.sort_by(|a, b| {
        b.date
            .cmp(&a.date)
            .then_with(|| a.listed.folder.path().cmp(b.listed.folder.path()))
    });
    news.truncate(MAX_ENTRIES);
    news
}

fn of_folder(listed: ListedFolder<'_>) -> Vec<News<'_>> {
    let editions = listed.folder.editions();
    let news = |(index, edition): (usize, &Edition)| {
        let scale = edition.scale()?;
        let before = index.checked_sub(1).and_then(|before| editions.get(before));
        let summary = figures::changes(edition, before);
        Some(News {
            listed,
            date: scale.date,
            title: scale.title.clone(),
            summary,
        })
    };
    editions.iter().enumerate().filter_map(news).collect()
}

/// The page of the last changes.
pub(super) fn page(rules: &Rules) -> String {
    let news = news(rules, None);

    let content = html! {
        p.trail { a href=(scales::PATH) { "Barèmes" } }
        h1 { "Changements de barème" }
        p.lead {
            "Ce que chaque édition change, la plus récente d’abord. "
            "Pour les suivre\u{a0}: " a href=(feed::PATH) { "flux Atom" }
            " d’un lecteur de flux, ou " a href="/documentation/donnees" { "données" }
            " d’un programme."
        }
        // One heading for each day, with all that changes on it.
        @for of_day in news.chunk_by(|one, next| one.date == next.date) {
            @if let Some(first) = of_day.first() { h2 { (day(first.date)) } }
            ul {
                @for News { listed, title, summary, .. } in of_day {
                    li { a href=(listed.page()) { (prose(title)) } "\u{a0}: " (printed(summary)) }
                }
            }
        }
        p.soft { a href=(corrections::PATH) { "Corrections de barèmes déjà en vigueur" } }
        p.soft { a href=(WITHDRAWALS) { "Versions, changements et retraits de l’API" } }
    };

    let page = Page {
        title: "Changements de barème",
        description: "Les derniers changements de barème, édition par édition : ce qui passe de \
                      quel montant à quel autre.",
        path: Some(PATH),
        feed: Some(feed::PATH),
        content,
        ..Page::default()
    };
    page.render(rules.service())
}
