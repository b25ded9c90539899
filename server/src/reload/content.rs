//! What the rule files say at one moment, as a digest.

use std::fs;
use std::path::Path;

use sha2::{Digest as _, Sha256};

/// Deepest folder looked at: a circle of symbolic links must end.
const DEEPEST: usize = 8;

/// Digest of the names and bytes of all the rule files.
pub(super) type Fingerprint = [u8; 32];

/// Reads every YAML file under `root`, through symbolic links. What cannot be read is part of the
/// digest too, so that a file that disappears is a change.
pub(super) fn fingerprint(root: &Path) -> Fingerprint {
    let mut digest = Sha256::new();
    add_folder(root, 0, &mut digest);
    digest.finalize().into()
}

fn add_folder(folder: &Path, depth: usize, digest: &mut Sha256) {
    let Ok(entries) = fs::read_dir(folder) else {
        return digest.update(b"?");
    };
    let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    for name in names {
        let bytes = name.as_encoded_bytes();
        if bytes.starts_with(b".") {
            continue;
        }
        let path = folder.join(&name);
        if path.is_dir() {
            if depth < DEEPEST {
                add(digest, b"folder", bytes);
                add_folder(&path, depth + 1, digest);
                digest.update(b"end");
            }
        } else if path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml") {
            add(digest, b"file", bytes);
            match fs::read(&path) {
                Ok(text) => add(digest, b"text", &text),
                Err(_) => digest.update(b"?"),
            }
        }
    }
}

/// Adds bytes with their length, so that no two contents give the same input.
fn add(digest: &mut Sha256, what: &[u8], bytes: &[u8]) {
    digest.update(what);
    digest.update(bytes.len().to_le_bytes());
    digest.update(bytes);
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_names_and_bytes_of_rule_files_count() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(root.path().join(name), text).unwrap();
        fs::create_dir(root.path().join("ir")).unwrap();
        write("ir/method.yaml", "a: 1");
        let first = fingerprint(root.path());

        write("ir/method.yaml", "a: 1");
        write("ir/.method.yaml.swp", "x");
        write("ir/notes.md", "x");
        assert_eq!(fingerprint(root.path()), first);

        write("ir/method.yaml", "a: 2");
        let second = fingerprint(root.path());
        assert_ne!(second, first);

        fs::rename(root.path().join("ir/method.yaml"), root.path().join("ir/other.yaml")).unwrap();
        assert_ne!(fingerprint(root.path()), second);
        fs::remove_dir_all(root.path().join("ir")).unwrap();
        assert_ne!(fingerprint(root.path()), first);
    }

    #[test]
    fn a_circle_of_links_ends() {
        let root = tempfile::tempdir().unwrap();
        symlink(root.path(), root.path().join("again")).unwrap();
        fingerprint(root.path());
    }

    #[test]
    fn a_missing_folder_is_not_an_empty_one() {
        let root = tempfile::tempdir().unwrap();
        assert_ne!(fingerprint(root.path()), fingerprint(&root.path().join("missing")));
    }
}
