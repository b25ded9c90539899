//! `/baremes/corrections`: changes of the law that was in force already, with what they move. An
//! answer of before may be wrong by so much, and its version says whether it is.

use bareme_accounts::mail::UsedCorrection;
use bareme_accounts::store::corrections::LawUse;
use bareme_engine::Folder;
use bareme_engine::service::Rules;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::catalogue;
use super::feed::{Entry, Feed};
use super::layout::Page;
use super::text::{day, number, printed, prose};
use super::{changes, scales};

/// Path of the page.
pub const PATH: &str = "/baremes/corrections";

/// Path of its feed.
pub const FEED: &str = "/baremes/corrections.atom";

/// A correction, as the kept rule sets have it.
#[derive(Debug)]
pub struct CorrectionNews<'n> {
    /// The number of the set that corrects.
    pub number: i64,
    /// When it came into force.
    pub published: Timestamp,
    /// The path of the folder.
    pub folder: &'n str,
    /// The first day whose law is corrected; none where the law has no days.
    pub from: Option<Date>,
    /// The last one; none where the law goes on.
    pub until: Option<Date>,
    /// The versions of the law before and now.
    pub versions: [Option<&'n str>; 2],
    /// Worked cases of these days.
    pub cases: usize,
    /// The fields that it moves.
    pub fields: Vec<MovedField<'n>>,
}

/// A field that a correction moves, in the case in which it moves most.
#[derive(Debug)]
pub struct MovedField<'n> {
    /// The name of the field in an answer.
    pub name: &'n str,
    /// In how many of the cases.
    pub cases: usize,
    /// Its value in the case where it moves most.
    pub before: &'n str,
    /// Its value there now.
    pub after: &'n str,
}

impl CorrectionNews<'_> {
    fn title(&self, rules: &Rules) -> String {
        let folder = rules.folder(self.folder).map(Folder::title);
        folder.unwrap_or(self.folder).to_owned()
    }

    /// The correction of a law that a key used, for an e-mail.
    pub fn of_use(&self, rules: &Rules, used: &LawUse) -> UsedCorrection {
        let effects = self.effects(rules);
        let [_, after] = self.versions;
        UsedCorrection {
            title: printed(&self.title(rules)),
            days: printed(&self.days()),
            effects: effects.iter().map(|effect| printed(effect)).collect(),
            before: used.law.version.clone(),
            after: after.map(str::to_owned),
            calls: used.calls,
            last: used.day.date(),
        }
    }

    /// The days whose law is corrected.
    fn days(&self) -> String {
        let text = |date: Date| bareme_engine::text::french_date(date);
        match (self.from, self.until) {
            (None, _) => "Toutes les dates".to_owned(),
            (Some(from), None) => format!("Depuis le {}", text(from)),
            (Some(from), Some(until)) => format!("Du {} au {}", text(from), text(until)),
        }
    }

    /// A sentence for each field that the correction changes, with the amounts before and after.
    fn effects(&self, rules: &Rules) -> Vec<String> {
        if self.cases == 0 {
            return vec!["Aucun cas type n’est à ces dates : l’effet n’est pas mesuré.".to_owned()];
        }
        if self.fields.is_empty() {
            let cases = match self.cases {
                1 => "le seul cas type".to_owned(),
                count => format!("les {count} cas types"),
            };
            return vec![format!(
                "Aucun montant ne change dans {cases} de ces dates."
            )];
        }

        let folder = rules.folder(self.folder);
        let label = |name: &str| {
            let fields = folder.map(Folder::fields).unwrap_or_default();
            let found = fields.iter().find(|field| field.name == name);
            found
                .and_then(|field| field.label.clone())
                .unwrap_or_else(|| name.to_owned())
        };
        let amount = |text: &str| {
            text.parse::<Decimal>()
                .map_or_else(|_| text.to_owned(), number)
        };
        let sentence = |field: &MovedField| {
            let changed = match (field.cases, self.cases) {
                (1, 1) => "le seul cas type change".to_owned(),
                (1, all) => format!("un des {all} cas types change"),
                (changed, all) => format!("{changed} des {all} cas types changent"),
            };
            format!(
                "{} : {} au lieu de {} au plus loin ; {changed}.",
                label(field.name),
                amount(field.after),
                amount(field.before)
            )
        };
        self.fields.iter().map(sentence).collect()
    }
}

/// The page, the newest correction first.
pub fn page(rules: &Rules, news: &[CorrectionNews], since: Option<Timestamp>) -> String {
    let content = html! {
        p.trail { a href=(scales::PATH) { "Barèmes" } }
        h1 { "Corrections" }
        p.lead {
            "Ce qui a été corrigé dans un barème déjà en vigueur, avec l’effet mesuré sur ses cas \
             types. Une réponse d’avant la correction se retrouve avec sa version. "
            a href=(FEED) { "Flux Atom" } "."
        }
        @if let Some(since) = since {
            p.soft { "Les barèmes en service sont conservés depuis le " (day(day_of(since))) "." }
        }
        @if news.is_empty() { p { "Aucune correction depuis ce jour." } }
        @for correction in news { (one(rules, correction)) }
        p.soft { a href=(changes::PATH) { "Changements de barème, édition par édition" } }
    };

    Page {
        title: "Corrections",
        description: "Ce qui a été corrigé dans des barèmes déjà en vigueur, depuis quand, et de \
                      combien les résultats changent.",
        path: Some(PATH),
        feed: Some(FEED),
        content,
        ..Page::default()
    }
    .render(rules.service())
}

fn one(rules: &Rules, correction: &CorrectionNews) -> Markup {
    let listed = catalogue::find(rules, correction.folder);
    let title = correction.title(rules);

    html! {
        h2 #{ "correction-" (correction.number) "-" (correction.folder) } {
            @match &listed {
                Some(listed) => a href=(listed.page()) { (prose(&title)) },
                None => (prose(&title)),
            }
        }
        p {
            (correction.days()) ", publié le " (day(day_of(correction.published))) "."
        }
        ul { @for effect in correction.effects(rules) { li { (printed(&effect)) } } }
        @if let [Some(before), Some(now)] = correction.versions {
            p.soft { "Version avant\u{a0}: " code { (before) } "\u{a0}; depuis\u{a0}: " code { (now) } "." }
        }
    }
}

/// The feed, whose entries have the time of publication.
pub fn atom(rules: &Rules, news: &[CorrectionNews]) -> Vec<u8> {
    let page = format!("{}{PATH}", rules.service().documentation);
    let entries = news.iter().map(|correction| {
        let anchor = format!("#correction-{}-{}", correction.number, correction.folder);
        let from = correction
            .from
            .map(|from| format!("-{from}"))
            .unwrap_or_default();
        Entry {
            // A set may correct several periods of one folder: the first day is a part of the id.
            id: format!("{page}{anchor}{from}"),
            title: format!("Correction : {}", correction.title(rules)),
            updated: correction.published.to_string(),
            page: format!("{page}{anchor}"),
            summary: format!(
                "{}. {}",
                correction.days(),
                correction.effects(rules).join(" ")
            ),
        }
    });

    Feed {
        path: FEED,
        page: PATH,
        title: "corrections",
        entries: entries.collect(),
    }
    .xml(rules)
}

fn day_of(moment: Timestamp) -> Date {
    moment.to_zoned(TimeZone::UTC).date()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::rules;

    /// RFC 4287 has each feed say when it last changed, and no reader shows the year 0.
    #[test]
    fn a_feed_without_corrections_has_changed_when_it_began() {
        let xml = String::from_utf8(atom(&rules(), &[])).unwrap();
        assert!(
            xml.contains("<updated>2026-11-22T00:00:00Z</updated>"),
            "{xml}"
        );
    }
}
