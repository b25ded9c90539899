//! Rule files corrupted while the service runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use harness::{GOOD, Load, Random, Rules, Server, eventually};

use crate::Effort;

/// Ways to corrupt a file.
const WAYS: [&str; 9] = [
    "cut",
    "byte",
    "lines",
    "empty",
    "long formula",
    "deep",
    "bytes of nothing",
    "removed",
    "fifo",
];

/// Each corruption is refused or has no effect on the calls, no call fails meanwhile, and restored
/// files come into force.
pub(crate) fn rules(effort: Effort) -> String {
    let rules = Rules::copy();
    let server = Server::with(&rules.root(), &["--log", "info,access=off"]);
    let files = files(&rules.root());
    let good = server.get("/readyz").json()["version"].clone();
    let load = Load::start(server.address(), GOOD, |answer| {
        answer["impot_net"].to_string()
    });
    let mut random = Random::new(11);
    let mut done: BTreeMap<&str, usize> = BTreeMap::new();
    let end = Instant::now() + Duration::from_secs(effort.of(150, 15));
    while Instant::now() < end && done.values().sum::<usize>() < 520 {
        let (file, way) = (&files[random.below(files.len())], random.pick(&WAYS));
        let text = fs::read(file).unwrap();
        corrupt(file, &text, way, &mut random);
        thread::sleep(Duration::from_millis(150 + random.below(250) as u64));
        if fs::remove_file(file).is_err() {
            assert!(!file.exists());
        }
        fs::write(file, &text).unwrap();
        *done.entry(way).or_default() += 1;
    }
    let back = eventually("the good files are in force", || {
        let ready = server.get("/readyz").json();
        ready["version"] == good && ready["reload"]["etat"] == "a_jour"
    });
    let seen = load.stop();
    assert_eq!(
        seen.len(),
        1,
        "one answer, whatever the files hold: {seen:?}"
    );
    let calls: u64 = seen.values().sum();
    let count: usize = done.values().sum();
    format!(
        "{count} corruptions, {calls} calls all answered alike, the good files in force {} ms after the last",
        back.as_millis()
    )
}

fn corrupt(file: &Path, text: &[u8], way: &str, random: &mut Random) {
    let bytes = match way {
        "cut" => text[..random.below(text.len())].to_vec(),
        "byte" => {
            let mut bytes = text.to_vec();
            for _ in 0..1 + random.below(5) {
                let at = random.below(bytes.len());
                bytes[at] = random.below(256) as u8;
            }
            bytes
        }
        "lines" => {
            let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
            lines.swap(
                random.below(text.iter().filter(|byte| **byte == b'\n').count()),
                0,
            );
            lines.join(&b'\n')
        }
        "empty" => Vec::new(),
        "long formula" => format!("steps:\n  x: {}1\n", "1 + ".repeat(50_000)).into_bytes(),
        "deep" => "[".repeat(100_000).into_bytes(),
        "bytes of nothing" => vec![0; 1_000_000],
        _ => {
            fs::remove_file(file).unwrap();
            if way == "fifo" {
                assert!(Command::new("mkfifo").arg(file).status().unwrap().success());
            }
            return;
        }
    };
    fs::write(file, bytes).unwrap();
}

/// The rule files of a folder, without `service.yaml`.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            found.push(path);
        }
    }
    found.sort();
    found
}
