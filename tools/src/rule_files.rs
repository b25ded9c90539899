//! The folder of rules: search, selection of the folders for a command, loading.

use std::convert::Infallible;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bareme_engine::authoring::wrapped;
use bareme_engine::law::Drafts;
use bareme_engine::service::{Loaded, Rules};
use bareme_engine::text::{Rendering, Severity, nearest, normalize};
use bareme_engine::{Diagnostic, Folder, Loader, Report};
use bareme_show::{Tone, say};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use crate::format::did_you_mean;
use crate::page::Page;
use crate::save;
use crate::session::{Failure, Session};

/// The file that marks the folder of the rules.
pub(crate) const MARK: &str = "service.yaml";
/// Pause in which the several writes of an editor count as one change.
pub(crate) const STEPS: Duration = Duration::from_millis(150);
/// The usual name of that folder.
pub(crate) const USUAL: &str = "rules";

/// The folder of rules, and the part of it selected by a command.
#[derive(Debug)]
pub(crate) struct RuleFiles {
    pub root: PathBuf,
    /// Paths within the rules, with `/`; empty: all.
    chosen: Vec<String>,
}

impl RuleFiles {
    /// The whole folder, nothing selected.
    pub(crate) fn of(root: PathBuf) -> Self {
        Self {
            root,
            chosen: Vec::new(),
        }
    }

    /// Finds the folder of rules for a command with these paths.
    pub(crate) fn find(session: &Session, paths: &[PathBuf]) -> Result<Self, Failure> {
        let root = match &session.rules {
            Some(root) => root.clone(),
            None => find_root(paths).ok_or_else(|| no_root(session))?,
        };

        let mut chosen = Vec::new();
        for path in paths {
            // A path outside of the rules is an error: it would select nothing, and the command
            // would find nothing wrong.
            chosen.push(inside(&root, path).ok_or_else(|| not_a_rule_file(session, path, &root))?);
        }
        // Naming the whole folder is the same as naming nothing.
        if chosen.iter().any(String::is_empty) {
            chosen.clear();
        }
        Ok(Self { root, chosen })
    }

    /// Whether a file or folder of the rules is selected.
    pub(crate) fn holds(&self, path: &str) -> bool {
        // `salaire-net/fr` selects what is in it, but not `salaire-net/fr-guyane`.
        let is_under = |chosen: &String| {
            path.strip_prefix(chosen.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.chosen.is_empty() || self.chosen.iter().any(is_under)
    }

    /// Whether something in this folder is selected.
    pub(crate) fn holds_part_of(&self, folder: &str) -> bool {
        let is_in = |chosen: &String| {
            chosen
                .strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        };

        self.holds(folder) || self.chosen.iter().any(is_in)
    }

    /// The path of a rule file from the current folder.
    pub(crate) fn shown(&self, path: &str) -> String {
        self.root.join(path).display().to_string()
    }

    /// Waits for the lock to write to the rules.
    pub(crate) fn lock(&self, session: &Session) -> Result<File, Failure> {
        // The mark is the one file that every folder of rules has.
        save::lock(&self.root.join(MARK)).map_err(|error| {
            let root = self.root.display();
            Failure::unusable(say!(
                session.lang,
                "Les barèmes de `{root}` ne se laissent pas réserver le temps d’écrire : {error}",
                "The rules of `{root}` cannot be reserved for the time of writing: {error}"
            ))
        })
    }

    /// Calls `on_change` at each change of a file, as long as the watcher is kept.
    pub(crate) fn watch(
        &self,
        on_change: impl Fn() + Send + 'static,
    ) -> Result<RecommendedWatcher, Failure> {
        let unwatchable = |error: notify::Error| Failure::unusable(error.to_string());
        let mut watcher =
            notify::recommended_watcher(move |change: notify::Result<notify::Event>| {
                // Reading the files causes events too: without this filter, each check would start
                // the next one.
                if change.is_ok_and(|event| !event.kind.is_access()) {
                    on_change();
                }
            })
            .map_err(unwatchable)?;

        // Folders are watched rather than files, because editors save by renaming a new file into
        // place.
        watcher
            .watch(&self.root, RecursiveMode::Recursive)
            .map_err(unwatchable)?;
        Ok(watcher)
    }

    /// Adds diagnostics to a page, each in full.
    pub(crate) fn show<'d>(
        &self,
        diagnostics: impl Iterator<Item = &'d Diagnostic>,
        page: &mut Page,
        session: &Session,
    ) {
        let rendering = Rendering::new(session.lang)
            .under(&self.root)
            .within(session.style.width);

        for diagnostic in diagnostics {
            let tone = if diagnostic.severity() == Severity::Error {
                Tone::Bad
            } else {
                Tone::Warning
            };
            page.verbatim(diagnostic.render(rendering).trim_end(), tone);
        }
    }

    /// Loads the rules, without cases; an error if any file has one.
    pub(crate) fn read(&self, session: &Session) -> Result<Rules, Failure> {
        self.read_about(&[], session)
    }

    /// Loads the rules of these folders or families, without cases; an error if any of their files
    /// has one. Errors elsewhere are ignored.
    pub(crate) fn read_about(&self, names: &[&str], session: &Session) -> Result<Rules, Failure> {
        let about = self.named_folders(names);
        self.loaded(reading(&about, session), session)
    }

    /// Loads the rules of these folders or families and of what they calculate, without cases, for
    /// commands that ask nothing of other folders; an error if any of their files has one.
    pub(crate) fn read_only(&self, names: &[&str], session: &Session) -> Result<Rules, Failure> {
        let about = self.named_folders(names);
        self.loaded(reading(&about, session).without_others(), session)
    }

    /// The folders or families of these names; none, which is all, where a name is no folder: that
    /// of an endpoint is resolved by the whole set only.
    pub(crate) fn named_folders<'n>(&self, names: &[&'n str]) -> Vec<&'n str> {
        let names = names.iter().map(|name| name.trim_matches('/'));
        let names: Vec<&str> = names.collect();
        let are_folders = names.iter().all(|name| self.root.join(name).is_dir());
        if are_folders { names } else { Vec::new() }
    }

    /// Loads the folders without errors, drafts included or excluded; with `with_cases` their cases
    /// run.
    pub(crate) fn read_good(
        &self,
        drafts: Drafts,
        with_cases: bool,
        session: &Session,
    ) -> Result<Rules, Failure> {
        // A folder with errors is left out, so that a command about all folders still works for the
        // others.
        let loader = Loader::new().drafts(drafts).skip_broken();
        self.loaded(
            if with_cases {
                loader
            } else {
                loader.without_cases()
            },
            session,
        )
    }

    /// Loads the rules of one folder, with drafts among its scales.
    pub(crate) fn read_drafts_about(
        &self,
        name: &str,
        session: &Session,
    ) -> Result<Rules, Failure> {
        // `only` limits errors to the folder: those elsewhere do not prevent work on this one.
        let about = [name.trim_matches('/')];
        self.loaded(reading(&about, session).drafts(Drafts::Included), session)
    }

    /// The selected folders.
    pub(crate) fn folders(&self) -> Vec<&str> {
        // A selected file selects its folder.
        let folder = |path| match self.root.join(path).is_dir() {
            true => path,
            false => Path::new(path)
                .parent()
                .and_then(Path::to_str)
                .unwrap_or_default(),
        };
        self.chosen.iter().map(String::as_str).map(folder).collect()
    }

    fn loaded(&self, loader: Loader, session: &Session) -> Result<Rules, Failure> {
        let Loaded { rules, report } = loader.load_service(&self.root);
        rules.ok_or_else(|| {
            let refused = self.refused(&report, session).message;
            let end = say!(
                session.lang,
                "Les barèmes ont des erreurs : les corriger d’abord (`bareme check`).",
                "The rules have errors: fix them first (`bareme check`)."
            );
            Failure::wrong(format!("{refused}\n{end}"))
        })
    }

    /// The errors of a report, each in full.
    pub(crate) fn refused(&self, report: &Report, session: &Session) -> Failure {
        let mut page = Page::default();
        self.show(report.errors(), &mut page, session);
        Failure::wrong(page.to_text(session.style))
    }
}

/// A loader of some folders, without what a command never shows.
fn reading<'r>(about: &'r [&'r str], session: &Session) -> Loader<'r> {
    Loader::new()
        .drafts(session.drafts)
        .without_cases()
        .without_english()
        .only(about)
}

/// Path of the folder of a rule file, empty at the root.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A rule folder by its path, or the error.
pub(crate) fn folder<'r>(
    rules: &'r Rules,
    path: &str,
    session: &Session,
) -> Result<&'r Folder, Failure> {
    called(rules, path).ok_or_else(|| {
        let known: Vec<&str> = rules.folders().map(Folder::path).collect();
        unknown_name(path, &known, session)
    })
}

/// The folder with a name: its path, ignoring case and accents, or an alias.
pub(crate) fn called<'r>(rules: &'r Rules, name: &str) -> Option<&'r Folder> {
    let name = name.trim_matches('/');
    rules.folder(name).or_else(|| {
        let word = normalize(name);
        let by_path = || {
            rules
                .folders()
                .find(|folder| normalize(folder.path()) == word)
        };
        let by_alias = || {
            let is_it = |folder: &&Folder| {
                folder
                    .aliases()
                    .iter()
                    .any(|alias| normalize(&alias.name) == word)
            };
            // A country has a folder in several families: the family that is served first is meant.
            let rank = |folder: &&Folder| {
                let endpoints = &rules.service().endpoints;
                endpoints.iter().position(|endpoint| {
                    let rest = folder.path().strip_prefix(endpoint.folder.as_str());
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                })
            };
            rules.folders().filter(is_it).min_by_key(rank)
        };
        by_path().or_else(by_alias)
    })
}

/// The name of a folder on a command line: a path to it, as the shell completes it, is its name.
///
/// # Errors
/// None: what is no folder within rules is taken as it is, to be looked up.
pub(crate) fn folder_name(written: &str) -> Result<String, Infallible> {
    let path = Path::new(written);
    let root = path.ancestors().skip(1).find(|folder| is_root(folder));
    let found = root.filter(|_| path.is_dir());
    let named = found.and_then(|root| inside(root, path));
    Ok(named.unwrap_or_else(|| written.trim_matches('/').to_owned()))
}

/// The error of an unknown name, with what may be meant, or the known names.
pub(crate) fn unknown_name(name: &str, known: &[&str], session: &Session) -> Failure {
    // Several families may have a folder of that name.
    let last = |path: &&&str| path.rsplit('/').next() == Some(name);
    let of_families: Vec<&str> = known.iter().filter(last).copied().collect();
    let hint = match of_families.as_slice() {
        [] => did_you_mean(nearest(name, known.iter().copied()), session.lang),
        [only] => did_you_mean(Some(only), session.lang),
        several => {
            let or = say!(session.lang, "` ou `", "` or `");
            did_you_mean(Some(&several.join(&or)), session.lang)
        }
    }
    .unwrap_or_default();
    let known = known.join(", ");
    let message = say!(
        session.lang,
        "Aucun barème ne s’appelle `{name}`{hint}\nBarèmes : {known}",
        "No scale is called `{name}`{hint}\nScales: {known}"
    );
    Failure::unusable(wrapped(&message, session.style.width, "  ").join("\n"))
}

fn find_root(paths: &[PathBuf]) -> Option<PathBuf> {
    let named = paths.iter().find_map(|path| {
        path.ancestors()
            .find(|folder| is_root(folder))
            .map(Path::to_path_buf)
    });
    named.or_else(|| {
        let here = std::env::current_dir().ok()?;
        for (up, folder) in here.ancestors().enumerate() {
            for candidate in [folder.join(USUAL), folder.to_path_buf()] {
                if is_root(&candidate) {
                    // A relative path keeps messages short.
                    let back: PathBuf = std::iter::repeat_n("..", up).collect();
                    return Some(back.join(candidate.strip_prefix(folder).ok()?));
                }
            }
        }
        None
    })
}

pub(crate) fn is_root(folder: &Path) -> bool {
    folder.join(MARK).is_file()
}

/// A path within the rules, given relative to the current folder or to the rules.
fn inside(root: &Path, path: &Path) -> Option<String> {
    let root = root.canonicalize().ok()?;
    let found = path
        .canonicalize()
        .or_else(|_| root.join(path).canonicalize())
        .ok()?;
    let relative = found.strip_prefix(&root).ok()?;
    Some(
        relative
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect::<Vec<_>>()
            .join("/"),
    )
}

fn no_root(session: &Session) -> Failure {
    Failure::unusable(say!(
        session.lang,
        "Aucun dossier de barèmes ici : aucun {MARK} trouvé. Le nommer par `--rules DOSSIER`.",
        "No folder of rules here: no {MARK} found. Name it by `--rules FOLDER`."
    ))
}

fn not_a_rule_file(session: &Session, path: &Path, root: &Path) -> Failure {
    let (path, root) = (path.display(), root.display());
    Failure::unusable(say!(
        session.lang,
        "`{path}` n’existe pas, ou n’est pas dans le dossier des barèmes `{root}`.",
        "`{path}` does not exist, or is not in the folder of the rules `{root}`."
    ))
}
