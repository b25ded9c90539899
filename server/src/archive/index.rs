//! The index of the kept rule sets: which one holds a law, and which one was in force on a day.

use std::collections::HashMap;

use bareme_accounts::store::rule_sets::PublishedSet;
use bareme_engine::run::version_of_year;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::changes::{Changes, Law, State};

/// The months of a year.
const MONTHS: i8 = 12;

/// A kept rule set.
#[derive(Debug, Clone)]
pub(crate) struct KeptSet {
    pub number: i64,
    pub published: Timestamp,
    /// Hash of the whole set.
    pub version: String,
    /// The program that read it.
    pub program: String,
    pub changes: Changes,
}

/// The kept rule sets, the oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    sets: Vec<KeptSet>,
    /// The state of the last one.
    state: State,
    /// The lists of laws that each folder had, each with the last set that has it.
    lists: HashMap<String, Vec<(Vec<Law>, usize)>>,
}

impl Index {
    /// Adds a set; one whose changes cannot be read is an error of the store, and is left out.
    pub(crate) fn add(&mut self, set: PublishedSet) {
        let changes: Changes = match serde_json::from_str(&set.changes) {
            Ok(changes) => changes,
            Err(error) => {
                tracing::error!(number = set.number, %error, "a kept rule set cannot be read");
                return;
            }
        };

        self.state.apply(&changes);
        let index = self.sets.len();
        self.sets.push(KeptSet {
            number: set.number,
            published: set.published,
            version: set.version,
            program: set.program,
            changes,
        });

        // A list that the set leaves as it was is not stored again: it reaches to this set as well.
        for (folder, laws) in &self.state.laws {
            let lists = self.lists.entry(folder.clone()).or_default();
            match lists.last_mut() {
                Some((known, last)) if known == laws => *last = index,
                _ => lists.push((laws.clone(), index)),
            }
        }
    }

    /// The number of the last set; zero without any.
    pub(crate) fn last_number(&self) -> i64 {
        self.sets.last().map_or(0, |set| set.number)
    }

    /// The sets, the oldest first.
    pub(crate) fn sets(&self) -> &[KeptSet] {
        &self.sets
    }

    /// The state of the last set.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// The state of a set, by its number.
    pub(crate) fn state_of(&self, number: i64) -> Option<State> {
        let count = self.sets.iter().position(|set| set.number == number)? + 1;
        let mut state = State::default();
        self.sets
            .iter()
            .take(count)
            .for_each(|set| state.apply(&set.changes));
        Some(state)
    }

    /// The last set in which a folder had a law of this version.
    pub(crate) fn with_law(&self, folder: &str, version: &str) -> Option<&KeptSet> {
        self.last_with(folder, |laws| laws.iter().any(|law| law.version == version))
    }

    /// The last set in which a year of pays of a folder had this version, for some of its months.
    pub(crate) fn with_year(&self, folder: &str, year: i16, version: &str) -> Option<&KeptSet> {
        self.last_with(folder, |laws| {
            versions_of_year(laws, year).contains_version(version)
        })
    }

    /// The last set in which the laws of a folder are such.
    fn last_with(&self, folder: &str, is_such: impl Fn(&[Law]) -> bool) -> Option<&KeptSet> {
        let mut lists = self.lists.get(folder)?.iter().rev();
        let (_, last) = lists.find(|(laws, _)| is_such(laws))?;
        self.sets.get(*last)
    }

    /// The set in force at the end of a day, in UTC.
    pub(crate) fn known_on(&self, day: Date) -> Option<&KeptSet> {
        // The whole day counts: a set that was published in its last second was known on it.
        let end = day
            .tomorrow()
            .ok()?
            .to_zoned(TimeZone::UTC)
            .ok()?
            .timestamp();
        self.sets.iter().rfind(|set| set.published < end)
    }

    /// The versions that a folder ever had for a day, the newest first.
    pub(crate) fn versions_on(&self, folder: &str, day: Date) -> Vec<&str> {
        let mut versions = Vec::new();
        for (laws, _) in self.lists.get(folder).into_iter().flatten().rev() {
            // A version that came back after another one is listed once, by its latest set.
            let version = law_on(laws, day).map(|law| law.version.as_str());
            versions.extend(version.filter(|version| !versions.contains(version)));
        }
        versions
    }
}

/// The law of a day.
fn law_on(laws: &[Law], day: Date) -> Option<&Law> {
    laws.iter()
        .rfind(|law| law.from.is_none_or(|from| from <= day))
}

/// The versions that the months of a year have.
struct MonthVersions<'l>(Vec<&'l str>);

fn versions_of_year(laws: &[Law], year: i16) -> MonthVersions<'_> {
    let days =
        (1..=MONTHS).filter_map(|month| Some(Date::new(year, month, 1).ok()?.last_of_month()));
    MonthVersions(
        days.filter_map(|day| Some(law_on(laws, day)?.version.as_str()))
            .collect(),
    )
}

impl MonthVersions<'_> {
    /// Whether some successive months have a version together.
    fn contains_version(&self, version: &str) -> bool {
        // A hiring or a departure may be in any month, so that each run of months, 78 at most, has
        // its own version.
        let months = &self.0;
        (0..months.len()).any(|first| {
            (first + 1..=months.len()).any(|end| {
                let some = months.get(first..end).unwrap_or_default();
                version_of_year(some.iter().copied()) == version
            })
        })
    }
}
