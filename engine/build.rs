//! Names the sources that the engine is built from: what one program has checked of a rule set,
//! another has not (`src/set/checked.rs`).

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    // Beside the workspace: the versions of the libraries. A package on its own has none.
    let lock = package.join("../Cargo.lock");

    let mut sources = BTreeMap::new();
    read(&package.join("src"), &mut sources)?;

    println!("cargo::rerun-if-changed=src");

    if let Ok(text) = fs::read(&lock) {
        println!("cargo::rerun-if-changed=../Cargo.lock");
        sources.insert(PathBuf::from("Cargo.lock"), text);
    }

    // Sources are hashed by their path in the package, so that the same sources anywhere give the
    // same name.
    let mut hasher = DefaultHasher::new();
    for (path, text) in sources {
        (path.strip_prefix(&package).unwrap_or(&path), text).hash(&mut hasher);
    }

    println!("cargo::rustc-env=BAREME_SOURCES={:016x}", hasher.finish());
    Ok(())
}

fn read(folder: &Path, sources: &mut BTreeMap<PathBuf, Vec<u8>>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read(&path, sources)?;
        } else {
            sources.insert(path.clone(), fs::read(&path)?);
        }
    }
    Ok(())
}
