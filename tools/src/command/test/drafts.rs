//! The cases of drafts (`scale:`), run against the drafts, separately from those of what is in force.

use bareme_engine::law::Drafts;
use bareme_engine::service::Rules;
use bareme_engine::{FileSet, Folder, Lang, Loader};
use bareme_show::{Locale, Text, say};

use crate::rule_files::RuleFiles;
use crate::session::Session;

/// Folders with their drafts as scales in force.
pub(super) struct Drafted {
    /// The rules of each folder, by its path.
    loaded: Vec<(String, bareme_engine::Rules)>,
    /// Folders with a draft that cannot be computed: `bareme check` says why.
    pub unreadable: Vec<String>,
}

impl Drafted {
    /// Loads the chosen folders that have drafts; none where drafts count as in force anyway.
    pub(super) fn load(files: &RuleFiles, rules: &Rules, session: &Session) -> Self {
        let mut drafted = Self {
            loaded: Vec::new(),
            unreadable: Vec::new(),
        };
        let waits =
            |folder: &&Folder| !folder.drafts().is_empty() && files.holds_part_of(folder.path());
        let waiting: Vec<&Folder> = rules.folders().filter(waits).collect();
        if session.drafts == Drafts::Included || waiting.is_empty() {
            return drafted;
        }

        // One by one: a draft that cannot be computed takes no other folder along.
        let set = FileSet::read(&files.root);
        let loader = Loader::new().drafts(Drafts::Included).without_cases();
        for folder in waiting {
            match loader.load_files(&set.with_called(folder.path())).rules {
                Some(rules) => drafted.loaded.push((folder.path().to_owned(), rules)),
                None => drafted.unreadable.push(folder.path().to_owned()),
            }
        }

        drafted
    }

    pub(super) fn folders(&self) -> impl Iterator<Item = &Folder> {
        self.loaded
            .iter()
            .filter_map(|(path, rules)| rules.folder(path))
    }
}

/// A sentence on the cases of drafts; empty where there is no draft.
pub(super) fn verdict(cases: usize, failed: usize, drafted: &Drafted, lang: Lang) -> String {
    let locale = Locale::from(lang);
    let mut sentence = String::new();

    if cases > 0 {
        let cases = locale.count(
            cases,
            Text::new("cas de brouillon", "case of drafts"),
            Text::new("cas de brouillon", "cases of drafts"),
        );
        sentence = match failed {
            0 => say!(
                lang,
                " À part, {cases}, tous justes.",
                " Apart, {cases}, all right."
            ),
            _ => say!(
                lang,
                " À part, {cases}, dont {failed} à revoir, sans effet sur ce qui est en vigueur.",
                " Apart, {cases}, {failed} to look at, without effect on what is in force."
            ),
        };
    } else if drafted.folders().next().is_some() {
        sentence = say!(
            lang,
            " Aucun cas de brouillon (`scale`).",
            " No case of a draft (`scale`)."
        );
    }

    if !drafted.unreadable.is_empty() {
        let folders = drafted.unreadable.join(", ");
        sentence += &say!(
            lang,
            " Brouillon non calculable : {folders} (`bareme check --verbose`).",
            " Draft that cannot be computed: {folders} (`bareme check --verbose`)."
        );
    }

    sentence
}
