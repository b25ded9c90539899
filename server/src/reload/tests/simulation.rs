//! Rule files that are written while they are read, simulated: whatever is in force was once on the
//! disk, whole.
//!
//! A writer changes the files of two folders, in place and piece by piece or by renaming, one step
//! after the other. A reading takes one file after the other, and the writer goes on meanwhile, so
//! that it may get a mixture which never was on the disk. The files are valid in any mixture: only
//! the reading can tell.

mod callers;

use std::collections::{BTreeMap, BTreeSet};

use bareme_engine::{FileSet, Folder, Loader};
use harness::Random;

use super::*;
use harness::each_seed;

const SERVICE: &str = "format: bareme/1
title: Service
documentation: https://example.org
attribution: Service
endpoints: {calcul: {title: Calcul, folder: zz}, autre: {title: Autre, folder: yy}}
variants:
  a:
    title: A
    prefix: /a
    endpoints: calcul; autre
    key_prefix: aaa
    cors: false
    plans: {libre: {title: Libre, price: rien, calls_per_day: unlimited, attribution: false}}
";

const FOLDERS: [&str; 2] = ["yy", "zz"];

type Files = BTreeMap<String, String>;

/// The files of a folder in an edition, which each of them names.
fn edition(folder: &str, number: usize) -> Files {
    let method = format!(
        "format: bareme/1\nfolder: {folder}\ntitle: Titre {number}\ncurrency: EUR\ninputs:\n  \
         brut: {{type: money, required: true, label: Brut}}\nfigures:\n  f: {{v: rate}}\nsteps:\n  \
         x: brut * f.v\nanswer:\n  x: x\nheadline: [{{field: x, role: levy}}]\n"
    );
    // Doubts about copied or moved rates are answered, in each file by a reason of its own: a folder
    // in doubt would be held back whatever was read.
    let scale = |date: &str| {
        format!(
            "format: bareme/1\ntitle: Titre {number}\nreviewed: Essai du {date}\nsources:\n  \
             s: {{kind: law, title: Source, publisher: Éditeur}}\n\
             figures:\n  f: {{v: {number}%, source: s, reviewed: Taux du {date}}}\n"
        )
    };
    let dates = ["2024-01-01", "2025-01-01", "2026-01-01"];
    // Every third edition has a file less.
    let dated = dates.iter().skip(usize::from(number.is_multiple_of(3)));
    let dated = dated.map(|date| (format!("{folder}/{date}.yaml"), scale(date)));
    dated
        .chain([(format!("{folder}/method.yaml"), method)])
        .collect()
}

/// The disk, what the writer is still to do, and what was ever whole.
struct Disk {
    files: Files,
    steps: Vec<Step>,
    random: Random,
    editions: usize,
    /// Contents of folders at some moment.
    whole: BTreeSet<[u8; 32]>,
    /// Versions of folders that were found in force and whole.
    checked: BTreeSet<(String, String)>,
}

/// One step of a writer: the file, and its text after it, if it is there.
type Step = (String, Option<String>);

impl Disk {
    fn new(seed: u64) -> Self {
        let mut files: Files = FOLDERS
            .iter()
            .flat_map(|folder| edition(folder, 1))
            .collect();
        files.insert("service.yaml".to_owned(), SERVICE.to_owned());
        let random = Random::new(seed);
        let mut disk = Self {
            files,
            steps: Vec::new(),
            random,
            editions: 1,
            whole: BTreeSet::new(),
            checked: BTreeSet::new(),
        };
        disk.remember();
        disk
    }

    /// The writer does its next step; with none left it begins another edition of a folder.
    fn write(&mut self) {
        if self.steps.is_empty() {
            self.begin_edition();
        }
        let (path, text) = self.steps.pop().unwrap();
        match text {
            Some(text) => self.files.insert(path, text),
            None => self.files.remove(&path),
        };
        self.remember();
    }

    fn begin_edition(&mut self) {
        self.editions += 1;
        let folder = FOLDERS[self.random.below(2)];
        let new = edition(folder, self.editions);
        let of_folder = |path: &&String| path.starts_with(folder);
        let removed = self
            .files
            .keys()
            .filter(of_folder)
            .filter(|path| !new.contains_key(*path))
            .cloned();
        let mut steps: Vec<Vec<Step>> = removed.map(|path| vec![(path, None)]).collect();
        for (path, text) in new {
            let mut pieces = vec![(path.clone(), Some(text.clone()))];
            // In place, a file is emptied first, then grows.
            if self.random.percent(60) {
                for _ in 0..self.random.below(3) {
                    let end = text.floor_char_boundary(self.random.below(text.len()));
                    pieces.push((path.clone(), Some(text[..end].to_owned())));
                }
                pieces.push((path, Some(String::new())));
            }
            steps.push(pieces);
        }
        // The files in any order, the last step first.
        while !steps.is_empty() {
            let file = steps.swap_remove(self.random.below(steps.len()));
            self.steps.extend(file);
        }
    }

    /// Remembers the folders as they are now.
    fn remember(&mut self) {
        let files = FileSet::from_texts(self.files.clone());
        self.whole
            .extend(FOLDERS.map(|folder| files.of_folder(folder).fingerprint()));
    }

    /// Reads every file, one after the other, while the writer may go on.
    fn read(&mut self, haste: usize) -> FileSet {
        let mut found = Files::new();
        let mut last = String::new();
        // A file that is new comes to light if the reading has not passed its place.
        while let Some((path, text)) = self.files.range(last.clone() + "\0"..).next() {
            last = path.clone();
            found.insert(path.clone(), text.clone());
            while self.random.percent(haste) {
                self.write();
            }
        }
        FileSet::from_texts(found)
    }
}

/// Everything that is in force was whole at some moment: what came into force since the last check
/// did so with this reading.
fn check(reloader: &Reloader, disk: &mut Disk, read: &FileSet, seed: u64) {
    let snapshot = reloader.rules.snapshot().unwrap();
    for folder in snapshot.rules.folders() {
        let version = (folder.path().to_owned(), folder.version().to_owned());
        if disk.checked.contains(&version) {
            continue;
        }
        let files = read.of_folder(folder.path());
        let rules = Loader::new().load_files(&files).rules;
        let found = rules.as_ref().and_then(|rules| rules.folder(folder.path()));
        assert_eq!(
            found.map(Folder::version),
            Some(folder.version()),
            "seed {seed}: it is not what was read"
        );
        assert!(
            disk.whole.contains(&files.fingerprint()),
            "seed {seed}: {version:?} of {:?}",
            folder.title()
        );
        disk.checked.insert(version);
    }
}

#[test]
fn what_is_in_force_was_on_the_disk_whole() {
    let [mut mixtures, mut accepted] = [0; 2];
    let replays = each_seed(10, |seed, _| {
        let mut disk = Disk::new(seed);
        let mut reloader = reloader(Path::new("rules"));
        let files = FileSet::from_texts(disk.files.clone());
        reloader.consider(files.clone(), |_| files.clone());
        check(&reloader, &mut disk, &files, seed);
        for _ in 0..12 {
            let haste = [0, 10, 40][disk.random.below(3)];
            (0..disk.random.below(4)).for_each(|_| disk.write());
            let (files, seen) = (disk.read(haste), reloader.seen);
            let again = disk.read(haste);
            mixtures += u32::from(files.fingerprint() != again.fingerprint());
            reloader.guarded(|reloader| reloader.consider(files.clone(), |_| again));
            accepted += u32::from(reloader.seen != seen);
            check(&reloader, &mut disk, &files, seed);
        }
        // The writer finishes, and the files are quiet for a while.
        while !disk.steps.is_empty() {
            disk.write();
        }
        for _ in 0..2 {
            let files = FileSet::from_texts(disk.files.clone());
            reloader.guarded(|reloader| reloader.consider(files.clone(), |_| files));
            let long_ago = Instant::now().checked_sub(SETTLE_TIME).unwrap();
            reloader.settling = reloader.settling.map(|(content, _)| (content, long_ago));
        }
        let files = FileSet::from_texts(disk.files.clone());
        let last = load(Loader::new(), &files, None).unwrap();
        assert_eq!(
            reloader.rules.snapshot().unwrap().rules.version(),
            last.rules.version(),
            "seed {seed}"
        );
    });
    println!(
        "{mixtures} readings of which the files changed meanwhile, {accepted} that were taken"
    );
    assert!(replays || mixtures > 0 && accepted > 0);
}
