//! The recipe of released programs.

use std::fs;
use std::process::Command;

use crate::{example, run};

#[test]
fn no_path_of_the_machine_is_in_a_released_program() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap();
    let write = |file: &str, text: &str| fs::write(root.join(file), text).unwrap();
    write(
        "Cargo.toml",
        "[package]\nname = \"trial\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[profile.dist]\ninherits = \"release\"\n",
    );
    write(
        "Cargo.lock",
        "version = 4\n\n[[package]]\nname = \"trial\"\nversion = \"0.1.0\"\n",
    );
    fs::create_dir(root.join("src")).unwrap();
    write(
        "src/main.rs",
        "fn main() {\n    let number: u8 = std::env::args().nth(1).unwrap().parse().unwrap();\n    \
         println!(\"{} {}\", file!(), std::collections::HashMap::from([(number, 1)])[&7]);\n}\n",
    );
    // What the tests themselves are built with must not come in.
    run(Command::new(example("build.sh"))
        .current_dir(&root)
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("RUSTFLAGS"));
    let program = fs::read(root.join("target/dist/trial")).unwrap();
    let sysroot = run(Command::new("rustc").args(["--print", "sysroot"]));
    let home = std::env::var("HOME").unwrap();
    for path in [
        root.to_str().unwrap(),
        sysroot.trim(),
        &format!("{home}/.cargo"),
    ] {
        assert!(
            !program
                .windows(path.len())
                .any(|window| window == path.as_bytes()),
            "{path}"
        );
    }
}
