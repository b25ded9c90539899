//! Lists the rule files that the package holds.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules");
    println!("cargo::rerun-if-changed={}", root.display());

    let root = root.canonicalize()?;
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    // Equal rules make equal packages, in whatever order a file system lists them.
    files.sort();

    let mut out = String::from("const FILES: &[(&str, &str)] = &[\n");
    for file in &files {
        let inside = file.strip_prefix(&root).unwrap_or(file);
        let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
        let _ = writeln!(out, "    ({:?}, include_str!({file:?})),", parts.join("/"));
    }
    out.push_str("];\n");

    let place = std::env::var_os("OUT_DIR")
        .map(PathBuf::from)
        .unwrap_or_default();
    fs::write(place.join("files.rs"), out)
}

/// Adds the rule files below a folder. What begins with a point is of an editor.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        if name.to_string_lossy().starts_with('.') {
            continue;
        }

        if path.is_dir() {
            collect(&path, files)?;
        } else if path
            .extension()
            .is_some_and(|end| end == "yaml" || end == "svg")
        {
            files.push(path);
        }
    }
    Ok(())
}
