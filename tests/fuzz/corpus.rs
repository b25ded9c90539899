//! The inputs with which a target starts: its seeds, and the corpus that fuzzing found.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Target;

/// Folder of the inputs that fuzzing found for a target: those that once failed, and those that
/// reach code that the seeds do not.
fn folder(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target.name)
}

/// The inputs of a target: its seeds, then its corpus.
///
/// # Panics
/// If the corpus of the target cannot be read.
pub fn inputs(target: &Target) -> Vec<Vec<u8>> {
    let mut files: Vec<PathBuf> = match fs::read_dir(folder(target)) {
        Ok(entries) => entries.map(|entry| entry.unwrap().path()).collect(),
        Err(error) => panic!("no corpus of {}: {error}", target.name),
    };
    files.sort();
    let found = files.iter().map(|file| fs::read(file).unwrap());
    (target.seeds)().into_iter().chain(found).collect()
}

/// Writes the inputs of a target to a folder, and its tokens to a dictionary, as libFuzzer reads
/// them.
///
/// # Panics
/// If they cannot be written.
pub fn write_for_libfuzzer(target: &Target, folder: &Path, dictionary: &Path) {
    fs::create_dir_all(folder).unwrap();
    for (index, input) in inputs(target).iter().enumerate() {
        fs::write(folder.join(format!("seed-{index:03}")), input).unwrap();
    }
    let quoted = |token: &&str| {
        let bytes = token.bytes().map(|byte| match byte {
            b'"' | b'\\' => format!("\\{}", char::from(byte)),
            b' '..=b'~' => char::from(byte).to_string(),
            other => format!("\\x{other:02X}"),
        });
        format!("\"{}\"\n", bytes.collect::<String>())
    };
    let tokens = target.tokens.iter().filter(|token| !token.is_empty());
    fs::write(dictionary, tokens.map(quoted).collect::<String>()).unwrap();
}
