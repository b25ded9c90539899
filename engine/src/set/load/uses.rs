//! The folders that others read, whose steps calculate them or whose figures are theirs: which are
//! read before which.

use std::collections::{BTreeMap, BTreeSet};

use crate::law::CALCULATE;
use crate::law::figure::TAKEN_FROM;
use crate::set::files::{FileSet, FilesOfFolder};
use crate::text::{Node, Place, Report};

/// The folders that each folder calculates.
#[derive(Debug, Default)]
pub(crate) struct Uses(BTreeMap<String, Vec<Use>>);

/// A step that calculates another folder, or a figure that another gives.
#[derive(Debug)]
struct Use {
    /// The path of that folder, as it is written.
    folder: String,
    place: Place,
}

/// A folder that is calculated by what it calculates itself.
pub(super) struct Cycle {
    /// The step by which it leaves the folder.
    pub place: Place,
    /// The folders from this one back to itself, `a → b → a`.
    pub path: String,
}

impl Uses {
    /// Reads them from the methods of a rule set. Mistakes are reported when a folder is read.
    pub(crate) fn of(files: &FileSet) -> Self {
        let of_folder = |files: &FilesOfFolder| {
            files
                .iter()
                // Few methods read another folder: the text of the others is not parsed twice.
                .filter(|file| file.name().starts_with("method") && may_use(file.text()))
                .filter_map(|file| Node::read(file, &mut Report::default()))
                .flat_map(|node| uses_of(&node))
                .collect::<Vec<Use>>()
        };
        let uses = files
            .folders
            .iter()
            .map(|(path, files)| (path.clone(), of_folder(files)));
        Self(uses.filter(|(_, uses)| !uses.is_empty()).collect())
    }

    /// The folders that one calculates itself, each once.
    pub(super) fn folders(&self, path: &str) -> BTreeSet<&str> {
        let uses = self.0.get(path).into_iter().flatten();
        uses.map(|found| found.folder.as_str()).collect()
    }

    /// All folders of a set, in groups: each calculates only folders of the groups before its own.
    /// Those that are calculated by themselves are in none.
    pub(super) fn groups<'f>(&self, files: &'f FileSet) -> Vec<Vec<&'f str>> {
        let mut left: Vec<&str> = files.folders.keys().map(String::as_str).collect();
        let mut groups = Vec::new();

        while !left.is_empty() {
            // A folder that there is not is waited for by nobody.
            let waits = |path: &&str| self.folders(path).iter().any(|used| left.contains(used));
            let (waiting, ready): (Vec<&str>, Vec<&str>) =
                left.iter().partition(|path| waits(path));
            if ready.is_empty() {
                break;
            }
            groups.push(ready);
            left = waiting;
        }
        groups
    }

    /// The way from a folder back to itself.
    pub(super) fn cycle(&self, path: &str) -> Option<Cycle> {
        let mut way = vec![path];
        let found = self.way_back(path, &mut way);
        let (first, used) = (way.first()?, way.get(1));
        let own = self.0.get(*first)?;
        let place = own
            .iter()
            .find(|found| used.is_none_or(|used| found.folder == *used))?
            .place
            .clone();

        way.push(path);
        found.then(|| Cycle {
            place,
            path: way.join(" → "),
        })
    }

    /// Extends a way until its last folder calculates the first one; `false` where none leads there.
    fn way_back<'u>(&'u self, first: &str, way: &mut Vec<&'u str>) -> bool {
        let last = way.last().copied().unwrap_or_default();
        for used in self.folders(last) {
            if used == first {
                return true;
            }
            // No folder twice: a circle that does not lead through the first one would have no end.
            if !way.contains(&used) {
                way.push(used);
                if self.way_back(first, way) {
                    return true;
                }
                way.pop();
            }
        }
        false
    }

    /// The folders that one calculates, directly or not.
    pub(crate) fn reached(&self, path: &str) -> BTreeSet<&str> {
        let mut all = BTreeSet::new();
        self.reach(path, &mut all);
        all
    }

    /// Adds the folders that one calculates, directly or not.
    fn reach<'u>(&'u self, path: &str, all: &mut BTreeSet<&'u str>) {
        for used in self.folders(path) {
            if all.insert(used) {
                self.reach(used, all);
            }
        }
    }
}

/// Whether the text of a method may name another folder.
fn may_use(text: &str) -> bool {
    [CALCULATE, TAKEN_FROM].iter().any(|key| text.contains(key))
}

/// The steps of a method that calculate other folders, and its figures that others give.
fn uses_of(method: &Node) -> Vec<Use> {
    // From YAML, before any method is read: it decides which of them is read first.
    let options = method
        .entries_of("options")
        .iter()
        .map(|(_, option)| option);
    let parts: Vec<&Node> = [method].into_iter().chain(options).collect();
    let named = |section: &'static str, key: &'static str| {
        let entries = parts.iter().flat_map(move |part| part.entries_of(section));
        entries.filter_map(move |(_, entry)| entry.text_of(key))
    };

    named("steps", CALCULATE)
        .chain(named("figures", TAKEN_FROM))
        .map(|text| Use {
            folder: text.value.clone(),
            place: text.place.clone(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(uses: &[(&str, &[&str])]) -> FileSet {
        let method = |(path, uses): &(&str, &[&str])| {
            let steps: Vec<String> = uses
                .iter()
                .enumerate()
                .map(|(index, used)| format!("  s{index}: {{calculate: {used}}}\n"))
                .collect();
            (
                format!("{path}/method.yaml"),
                format!("steps:\n{}", steps.concat()),
            )
        };
        FileSet::from_texts(uses.iter().map(method))
    }

    #[test]
    fn a_folder_comes_after_those_that_it_calculates() {
        let files = set(&[
            ("a", &["c", "b"]),
            ("b", &["c"]),
            ("c", &[]),
            ("d", &["nowhere"]),
        ]);
        let uses = Uses::of(&files);
        assert_eq!(uses.groups(&files), [vec!["c", "d"], vec!["b"], vec!["a"]]);
        assert!(uses.cycle("a").is_none());
    }

    #[test]
    fn folders_that_calculate_each_other_are_in_no_group() {
        let files = set(&[
            ("a", &["d", "b"]),
            ("b", &["c"]),
            ("c", &["a"]),
            ("d", &[]),
            ("e", &["a"]),
        ]);
        let uses = Uses::of(&files);
        assert_eq!(uses.groups(&files), [vec!["d"]]);
        let path = |folder: &str| uses.cycle(folder).map(|cycle| cycle.path);
        assert_eq!(path("a").as_deref(), Some("a → b → c → a"));
        assert_eq!(path("e"), None);
    }
}
