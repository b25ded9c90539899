//! Rule sets in memory: compiled into a program, unpacked from an archive, written by a test.

use std::collections::BTreeMap;

use crate::text::diagnostic::{RuleFile, folder_of};
use crate::text::limits::{FILES, FOLDERS, Limit, SET_MEGABYTES};
use crate::text::problem::Problem;

use super::files::{
    FileSet, FilesOfFolder, MAX_DEPTH, MEGABYTE, decoded, is_rule_file, whole as whole_file,
};

impl FileSet {
    /// The files of a rule set from their texts, each with its path from the rule folder,
    /// `salaire-net/ci/method.yaml`.
    ///
    /// They are selected as by [`FileSet::read`]: only YAML files and pictures, none whose name, or that of a
    /// folder, begins with a point, within the same limits. Of two texts for one path the last one
    /// counts.
    ///
    /// ```
    /// use bareme_engine::{FileSet, Loader};
    ///
    /// let method = "format: bareme/1
    /// folder: double
    /// title: Le double
    /// dated: false
    /// currency: EUR
    /// inputs:
    ///   montant: {type: money, required: true, label: Montant}
    /// steps:
    ///   double: montant * 2
    /// answer:
    ///   double: double
    /// ";
    /// let files = FileSet::from_texts([("double/method.yaml", method)]);
    /// let loaded = Loader::new().load_files(&files);
    /// assert!(loaded.report.is_ok());
    /// ```
    pub fn from_texts<P: Into<String>, T: Into<String>>(
        texts: impl IntoIterator<Item = (P, T)>,
    ) -> Self {
        Self::from_bytes(
            texts
                .into_iter()
                .map(|(path, text)| (path, text.into().into_bytes())),
        )
    }

    /// Same as [`from_texts`](Self::from_texts), from bytes, as an archive holds them; bytes that
    /// are not UTF-8 are reported.
    pub fn from_bytes<P: Into<String>, B: Into<Vec<u8>>>(
        files: impl IntoIterator<Item = (P, B)>,
    ) -> Self {
        let files = files
            .into_iter()
            .map(|(path, bytes)| (path.into(), bytes.into()));

        let mut found = Self::default();
        let mut exceeded: Option<(String, &'static Limit)> = None;
        let mut length = 0;

        // In the order of the paths, as from a disk: the same set has the same fingerprint.
        for (path, bytes) in files.collect::<BTreeMap<String, Vec<u8>>>() {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
            if !is_rule_file(name) || path.split('/').any(|part| part.starts_with('.')) {
                continue;
            }

            length += bytes.len() as u64;
            if length > SET_MEGABYTES.most as u64 * MEGABYTE {
                exceeded.get_or_insert_with(|| (path.clone(), &SET_MEGABYTES));
                break;
            }

            found.add(folder, &path, bytes);
            if found.folders.len() > FOLDERS.most {
                exceeded.get_or_insert_with(|| (folder.to_owned(), &FOLDERS));
                break;
            }
        }

        // A folder with too many files is refused as a whole: which of them are the scale, nobody
        // can say.
        for (folder, files) in found
            .folders
            .iter_mut()
            .filter(|(_, files)| files.len() > FILES.most)
        {
            files.change().clear();
            found.report.error(&whole_file(folder), FILES.problem());
            found.incomplete.insert(folder.clone());
        }

        found.checked(exceeded)
    }

    /// The set with one file replaced or added, to see the effect of a change before it is made.
    ///
    /// ```
    /// use bareme_engine::{FileSet, Loader};
    ///
    /// let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
    /// let changed = FileSet::read(root).with("tva/2014-01-01.yaml", "title: [");
    /// assert!(!Loader::new().only(&["tva"]).load_files(&changed).report.is_ok());
    /// ```
    #[must_use]
    pub fn with(mut self, path: &str, text: &str) -> Self {
        let folder = folder_of(path);

        // The file may have been unreadable before.
        self.report = self.report.only(|found| found.file() != path);
        if !self
            .report
            .errors()
            .any(|found| folder_of(found.file()) == folder)
        {
            self.incomplete.remove(folder);
        }

        // Files are looked up by a binary search: each goes to its place in the order of the paths.
        let files = self.files_of(folder).change();
        files.retain(|known| known.path() != path);
        files.insert(
            files.partition_point(|known| known.path() < path),
            RuleFile::new(path, text),
        );
        self
    }

    /// The set without a file.
    ///
    /// ```
    /// let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
    /// let files = bareme_engine::FileSet::read(root).without("tva/cases.yaml");
    /// assert!(files.text("tva/method.yaml").is_some() && files.text("tva/cases.yaml").is_none());
    /// ```
    #[must_use]
    pub fn without(mut self, path: &str) -> Self {
        let folder = folder_of(path);
        let files = match folder {
            "" => Some(&mut self.root),
            _ => self.folders.get_mut(folder),
        };
        let left = files.map(|files| {
            files.change().retain(|file| file.path() != path);
            files.len()
        });

        // As on a disk, a folder without files is none.
        if left == Some(0) && self.is_complete(folder) {
            self.folders.remove(folder);
        }

        self.report = self.report.only(|found| found.file() != path);
        self
    }

    fn files_of(&mut self, folder: &str) -> &mut FilesOfFolder {
        match folder {
            "" => &mut self.root,
            _ => self.folders.entry(folder.to_owned()).or_default(),
        }
    }

    /// Adds a file to its folder, or its problem to the report.
    fn add(&mut self, folder: &str, path: &str, bytes: Vec<u8>) {
        let text = match folder.split('/').count() > MAX_DEPTH {
            true => Err(Problem::FileTooDeep { most: MAX_DEPTH }),
            false => decoded(bytes),
        };
        let files = self.files_of(folder);
        match text {
            Ok(text) => files.change().push(RuleFile::new(path, text)),
            Err(problem) => {
                self.report.error(&whole_file(path), problem);
                self.incomplete.insert(folder.to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::set::load::Loader;
    use crate::testing::{set, whole};
    use crate::text::limits::FILE_MEGABYTES;

    use super::*;

    fn codes(files: &FileSet) -> Vec<String> {
        let report = Loader::new().load_files(files).report;
        report
            .errors()
            .map(|error| format!("{} {}", error.code(), error.file()))
            .collect()
    }

    #[test]
    fn files_in_memory_are_read_as_those_of_a_folder() {
        let files = whole();
        let (read, given) = (
            FileSet::read(set(&files).path()),
            FileSet::from_texts(files),
        );
        assert_eq!(read.fingerprint(), given.fingerprint());
        assert_eq!(
            FileSet::from_texts(read.texts()).fingerprint(),
            given.fingerprint()
        );
        let rules = Loader::new().load_files(&given).rules.unwrap();
        assert_eq!(
            rules
                .folders()
                .map(|folder| folder.path())
                .collect::<Vec<_>>(),
            ["famille/aa", "zz"]
        );
    }

    #[test]
    fn what_cannot_be_read_is_reported_with_its_path() {
        let with = |path: &str, bytes: &[u8]| {
            let files = whole()
                .into_iter()
                .map(|(path, text)| (path.to_owned(), text.into_bytes()));
            codes(&FileSet::from_bytes(
                files.chain([(path.to_owned(), bytes.to_vec())]),
            ))
        };
        assert_eq!(
            with("zz/cases.yaml", &[0xff, 0xfe, 0]),
            ["M15 zz/cases.yaml"]
        );
        assert_eq!(
            with("a/b/c/d/e/method.yaml", b"a: b").first().unwrap(),
            "M12 a/b/c/d/e/method.yaml"
        );
        assert_eq!(with("zz/README.md", b"# zz"), Vec::<String>::new());
        assert_eq!(with("zz/.git/method.yaml", b"a: b"), Vec::<String>::new());
        assert_eq!(with("autre.yaml", b"a: b"), ["M19 autre.yaml"]);
    }

    #[test]
    fn a_set_without_rules_or_too_large_is_refused() {
        assert_eq!(
            codes(&FileSet::from_texts(Vec::<(String, String)>::new())),
            ["M07 ."]
        );
        let many = (0..=FILES.most).map(|index| (format!("zz/{index}.yaml"), "a: b"));
        assert_eq!(codes(&FileSet::from_texts(many)), ["L04 zz"]);
        let folders = (0..=FOLDERS.most).map(|index| (format!("z{index}/method.yaml"), "a: b"));
        assert_eq!(codes(&FileSet::from_texts(folders)).len(), 1);
        let large = "a".repeat(FILE_MEGABYTES.most * MEGABYTE as usize + 1);
        assert_eq!(
            codes(&FileSet::from_texts([("zz/method.yaml", large)])).len(),
            1
        );
    }
}
