//! Archives: the rule sets that a service has kept, each in a folder of its own, as `bareme-server
//! rules export` writes them; and the set that holds a law.

use std::io;
use std::path::{Path, PathBuf};

use bareme_engine::{Lang, say};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

use crate::rule_files::MARK;

/// The time in the name of the folder of a set, after its number.
const PUBLISHED: &str = "%Y%m%dT%H%M%SZ";

/// Most versions that an error lists.
const MOST_LISTED: usize = 20;

/// The law that a calculation is asked for by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedLaw {
    /// The version that an answer named.
    pub version: Option<String>,
    /// The day on which it was known. It says the set; the version is then one of that set.
    pub known_on: Option<Date>,
}

/// The kept rule sets of a folder.
#[derive(Debug)]
pub struct Archive {
    folder: PathBuf,
    /// The oldest first.
    sets: Vec<KeptSet>,
}

/// A kept rule set.
#[derive(Debug)]
struct KeptSet {
    root: PathBuf,
    /// When it came into force; `None` where the name of its folder does not say it.
    published: Option<Timestamp>,
}

/// Why an archive gives no rules.
#[derive(Debug)]
pub enum ArchiveError {
    /// Its folder cannot be read.
    Unreadable(PathBuf, io::Error),
    /// There is no rule set in it.
    Empty(PathBuf),
    /// The files of this set make no rules.
    Damaged(PathBuf),
    /// None of its sets holds this version.
    Unknown {
        /// The version.
        version: String,
        /// Those that it holds for the day asked, the newest first, as far as they were looked for.
        versions: Vec<String>,
    },
    /// No set of it was in force on this day.
    NotKept {
        /// The day.
        day: Date,
        /// The first day of the archive; `None` where the names of its folders state no time.
        since: Option<Date>,
    },
}

impl ArchiveError {
    /// The cause and the cure.
    pub fn text(&self, lang: Lang) -> String {
        match self {
            Self::Unreadable(folder, error) => format!("`{}`: {error}", folder.display()),
            Self::Empty(folder) => {
                let shown = folder.display();
                say!(
                    lang,
                    "`{shown}` n’a aucun jeu de barèmes : l’écrire par `bareme-server rules \
                     export --to {shown}`.",
                    "`{shown}` has no rule set: write it by `bareme-server rules export --to \
                     {shown}`."
                )
            }
            Self::Damaged(root) => {
                let shown = root.display();
                say!(
                    lang,
                    "Le jeu de barèmes `{shown}` est incomplet ou abîmé : le retirer, et l’écrire \
                     de nouveau par `bareme-server rules export`.",
                    "The rule set `{shown}` is incomplete or damaged: remove it, and write it again \
                     by `bareme-server rules export`."
                )
            }
            Self::Unknown { version, versions } => {
                let refused = say!(
                    lang,
                    "Aucun des barèmes donnés n’a le droit `{version}` pour ce calcul : donner \
                     une archive qui l’a, écrite par `bareme-server rules export`, ou une version \
                     qui y est.",
                    "None of the given rules has the law `{version}` for this calculation: give \
                     an archive that has it, written by `bareme-server rules export`, or a version \
                     that is there."
                );
                let known = versions.join(", ");
                if known.is_empty() {
                    return refused;
                }
                say!(
                    lang,
                    "{refused} Versions pour ce jour : {known}.",
                    "{refused} Versions for this day: {known}."
                )
            }
            Self::NotKept { day, since: None } => say!(
                lang,
                "Les dossiers de l’archive ne disent pas quand leurs barèmes étaient en service, \
                 ce que demande le {day} : les laisser sous les noms que `bareme-server rules \
                 export` leur donne.",
                "The folders of the archive do not say when their rules were in service, which \
                 {day} asks for: leave them the names that `bareme-server rules export` gives."
            ),
            Self::NotKept {
                day,
                since: Some(since),
            } => say!(
                lang,
                "L’archive n’a aucun jeu de barèmes en service le {day} : le premier l’est depuis \
                 le {since}.",
                "The archive has no rule set that was in service on {day}: the first one is since \
                 {since}."
            ),
        }
    }
}

impl Archive {
    /// The sets of a folder, in the order of their names, which is that of the sets.
    ///
    /// # Errors
    /// The folder cannot be read, or has no set.
    pub fn open(folder: &Path) -> Result<Self, ArchiveError> {
        let entries = std::fs::read_dir(folder)
            .map_err(|error| ArchiveError::Unreadable(folder.to_owned(), error))?;

        let roots = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut roots: Vec<PathBuf> = roots.filter(|root| root.join(MARK).is_file()).collect();
        roots.sort();
        if roots.is_empty() {
            return Err(ArchiveError::Empty(folder.to_owned()));
        }

        let sets = roots.into_iter().map(|root| KeptSet {
            published: published(&root),
            root,
        });
        Ok(Self {
            folder: folder.to_owned(),
            sets: sets.collect(),
        })
    }

    /// The folder of the archive.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folders of its sets, the newest first.
    pub(crate) fn roots(&self) -> impl Iterator<Item = &Path> {
        self.sets.iter().rev().map(|set| set.root.as_path())
    }

    /// The rules of a law: of the set in force at the end of the day on which it was known (UTC),
    /// or of the last set that holds the version. `read` reads a set, `None` where it cannot be
    /// used; `holds` says whether its rules hold the version.
    ///
    /// # Errors
    /// No set was in force on the day; none holds the version.
    pub fn find<R>(
        &self,
        law: &NamedLaw,
        read: impl Fn(&Path) -> Option<R>,
        mut holds: impl FnMut(&R, &str) -> bool,
    ) -> Result<R, ArchiveError> {
        // A day is more precise than a version: several sets may hold one law.
        if let Some(day) = law.known_on {
            let root = self.known_on(day).ok_or_else(|| self.not_kept(day))?;
            return read(root).ok_or_else(|| ArchiveError::Damaged(root.to_owned()));
        }

        let version = law.version.clone().unwrap_or_default();
        let mut sets = self.roots().filter_map(read);
        sets.find(|rules| holds(rules, &version))
            .ok_or(ArchiveError::Unknown {
                version,
                versions: Vec::new(),
            })
    }

    /// The folder of the set in force at the end of a day.
    fn known_on(&self, day: Date) -> Option<&Path> {
        let end = day.tomorrow().ok()?.to_zoned(TimeZone::UTC).ok()?;
        let is_before = |published: Timestamp| published < end.timestamp();
        let found = self
            .sets
            .iter()
            .rfind(|set| set.published.is_some_and(is_before))?;
        Some(&found.root)
    }

    fn not_kept(&self, day: Date) -> ArchiveError {
        let first = self.sets.iter().find_map(|set| set.published);
        ArchiveError::NotKept {
            day,
            since: first.map(|first| first.to_zoned(TimeZone::UTC).date()),
        }
    }
}

/// When a set came into force, which the name of its folder says: `000002-20260701T120000Z`.
fn published(root: &Path) -> Option<Timestamp> {
    let (_, time) = root.file_name()?.to_str()?.split_once('-')?;
    let time = DateTime::strptime(PUBLISHED, time).ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// The versions to list in an error, each once, the newest first.
#[derive(Debug, Default)]
pub(crate) struct ListedVersions(Vec<String>);

impl ListedVersions {
    /// Adds those of a set.
    pub(crate) fn add<'v>(&mut self, versions: impl Iterator<Item = &'v str>) {
        for version in versions {
            if self.0.len() < MOST_LISTED && !self.0.iter().any(|known| known == version) {
                self.0.push(version.to_owned());
            }
        }
    }

    /// The error of a version that none of the sets holds, with these.
    pub(crate) fn unknown(self, version: &str) -> ArchiveError {
        ArchiveError::Unknown {
            version: version.to_owned(),
            versions: self.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use jiff::civil::date;

    use super::*;

    fn archive(names: &[&str]) -> (tempfile::TempDir, Archive) {
        let place = tempfile::tempdir().unwrap();
        for name in names {
            let root = place.path().join(name);
            fs::create_dir(&root).unwrap();
            fs::write(root.join(MARK), *name).unwrap();
        }
        let archive = Archive::open(place.path()).unwrap();
        (place, archive)
    }

    /// The text of the mark of a set, as its rules.
    fn read(root: &Path) -> Option<String> {
        fs::read_to_string(root.join(MARK)).ok()
    }

    const NAMES: [&str; 3] = [
        "000001-20260701T120000Z",
        "000002-20260701T235959Z",
        "000003-20260815T000000Z",
    ];

    #[test]
    fn a_day_has_the_set_in_force_at_its_end() {
        let (_place, archive) = archive(&NAMES);
        let known_on = |day| {
            let law = NamedLaw {
                known_on: Some(day),
                version: None,
            };
            archive.find(&law, read, |_, _| false)
        };
        for (day, name) in [
            (date(2026, 7, 1), NAMES[1]),
            (date(2026, 8, 14), NAMES[1]),
            (date(2026, 8, 15), NAMES[2]),
            (date(2027, 1, 1), NAMES[2]),
        ] {
            assert_eq!(known_on(day).unwrap(), name, "{day}");
        }
        let error = known_on(date(2026, 6, 30)).unwrap_err();
        assert!(error.text(Lang::Fr).contains("2026-07-01"), "{error:?}");
    }

    #[test]
    fn a_version_has_the_last_set_that_holds_it() {
        let (_place, archive) = archive(&NAMES);
        let law = NamedLaw {
            version: Some("000002".to_owned()),
            known_on: None,
        };
        let holds = |rules: &String, version: &str| rules.as_str() <= NAMES[1] && version != "x";
        assert_eq!(archive.find(&law, read, holds).unwrap(), NAMES[1]);
        let error = archive.find(&law, read, |_, _| false).unwrap_err();
        assert!(error.text(Lang::En).contains("`000002`"), "{error:?}");
    }

    #[test]
    fn a_set_that_cannot_be_read_is_named() {
        let (_place, archive) = archive(&NAMES);
        let law = NamedLaw {
            known_on: Some(date(2026, 8, 15)),
            version: None,
        };
        let error = archive.find(&law, |_| None::<String>, |_, _| true);
        let text = error.unwrap_err().text(Lang::En);
        assert!(text.contains(NAMES[2]), "{text}");
    }

    #[test]
    fn folders_of_other_names_have_no_time() {
        let (_place, archive) = archive(&["before", "000002"]);
        let error = archive.not_kept(date(2026, 7, 1));
        assert!(matches!(error, ArchiveError::NotKept { since: None, .. }));
        let empty = tempfile::tempdir().unwrap();
        let error = Archive::open(empty.path()).unwrap_err();
        assert!(error.text(Lang::Fr).contains("rules export"), "{error:?}");
    }
}
