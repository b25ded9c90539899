//! The rules of a batch, by the law that the command names.

use std::path::{Path, PathBuf};

use bareme_engine::run::version_of_year;
use bareme_engine::service::Rules;
use bareme_engine::{Folder, Loader, say};
use jiff::civil::Date;

use crate::archive::{Archive, ArchiveError, ListedVersions, NamedLaw};
use crate::rule_files::RuleFiles;
use crate::session::{Failure, Session};
use crate::target::{Target, of_year};

/// The months of a year.
const MONTHS: i8 = 12;

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Law {
    #[arg(long, value_name = "FOLDER")]
    archive: Option<PathBuf>,
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
    #[arg(long, value_name = "DAY", requires = "archive")]
    known_on: Option<Date>,
}

impl Law {
    /// The version by which every row is computed, if one is named.
    pub(super) fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// The rules by which a name is calculated: those at hand, or those of the archive that hold
    /// the law.
    ///
    /// # Errors
    /// Rules that cannot be read; a law that they do not hold.
    pub(super) fn rules(&self, name: &str, session: &Session) -> Result<Rules, Failure> {
        let unusable = |error: ArchiveError| Failure::unusable(error.text(session.lang));
        let (folder, _) = of_year(name);

        let mut listed = ListedVersions::default();
        let mut holds = |rules: &Rules, version: &str| {
            // A set that does not know the name yet, or no longer, does not hold its law.
            let Ok(target) = Target::find(rules, folder, session) else {
                return false;
            };
            let of_day = target.folders().into_iter();
            listed.add(of_day.filter_map(|own| Some(own.edition(session.today)?.version())));
            let mut folders = target.folders().into_iter();
            folders.any(|own| is_held(own, version, of_year(name).1))
        };

        let Some(archive) = &self.archive else {
            // Only the folders that are named are loaded, so that errors elsewhere do not matter.
            let rules = RuleFiles::find(session, &[])?.read_only(&[folder], session)?;
            return match self.version() {
                Some(version) if !holds(&rules, version) => Err(unusable(listed.unknown(version))),
                _ => Ok(rules),
            };
        };

        let named = NamedLaw {
            version: self.version.clone(),
            known_on: self.known_on,
        };
        if named == NamedLaw::default() {
            return Err(Failure::unusable(say!(
                session.lang,
                "`--archive` a plusieurs jeux de barèmes : dire lequel par `--version` ou \
                 `--known-on`.",
                "`--archive` has several rule sets: say which, with `--version` or `--known-on`."
            )));
        }
        let read = |root: &Path| read(root, folder, session);
        let found = Archive::open(archive).map_err(unusable)?;
        let found = found.find(&named, read, &mut holds);
        found.map_err(|error| {
            unusable(match error {
                ArchiveError::Unknown { version, .. } => listed.unknown(&version),
                other => other,
            })
        })
    }
}

/// The rules of a kept set about a folder or an endpoint, which whoever published it has checked.
fn read(root: &Path, name: &str, session: &Session) -> Option<Rules> {
    let about = RuleFiles::of(root.to_owned()).named_folders(&[name]);
    let loader = Loader::new().unchecked().without_cases();
    let loader = loader.drafts(session.drafts).only(&about).without_others();
    loader.load_service(root).rules
}

/// Whether a folder has a law: that of a scale or, for years of pays, of some months of a year.
fn is_held(folder: &Folder, version: &str, is_year: bool) -> bool {
    folder.versions().any(|known| known == version) || (is_year && is_of_months(folder, version))
}

fn is_of_months(folder: &Folder, version: &str) -> bool {
    let years = || {
        let mut scales = folder
            .editions()
            .iter()
            .filter_map(|edition| edition.scale());
        let first = scales.next()?.date.year();
        let last = scales.next_back().map_or(first, |last| last.date.year());
        Some(first..=last)
    };

    years().into_iter().flatten().any(|year| {
        let days = (1..=MONTHS).filter_map(|month| Date::new(year, month, 1).ok());
        let laws: Vec<&str> = days
            .filter_map(|day| Some(folder.edition(day.last_of_month())?.version()))
            .collect();
        let some = (0..laws.len()).flat_map(|first| {
            let ends = first + 1..=laws.len();
            ends.map(move |end| (first, end))
        });
        some.into_iter().any(|(first, end)| {
            let months = laws.get(first..end).unwrap_or_default();
            version_of_year(months.iter().copied()) == version
        })
    })
}
