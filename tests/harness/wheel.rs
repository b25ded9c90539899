//! The Python package, built and installed as others install it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::process::{outside_of_packages, repository};

/// Path where `tests/run` installs what builds the package, and the libraries of tables.
const ENGINES: &str = "target/engines/bin";

/// The package in a folder of its own.
pub struct Wheel {
    /// The programs of the environment that it is used in.
    pub bin: PathBuf,
    /// Where it is installed.
    pub site: PathBuf,
}

impl Wheel {
    /// Builds the package and installs it below a folder; `None` where the libraries are not
    /// installed, unless all tests must run.
    pub fn install(place: &Path) -> Option<Self> {
        let bin = repository().join(ENGINES);
        if !bin.exists() {
            skip(&format!("{ENGINES} is missing: `tests/run` installs it"));
            return None;
        }

        // Files of an earlier run, if there was one.
        let _ = fs::remove_dir_all(place);
        let (wheels, site) = (place.join("wheels"), place.join("site"));
        fs::create_dir_all(&wheels).unwrap();

        // Test programs run side by side, and every build writes the same file of
        // `target/maturin`.
        let turn = fs::File::create(repository().join("target/wheel.lock")).unwrap();
        turn.lock().unwrap();
        let mut maturin = Command::new(bin.join("maturin"));
        maturin.env("CARGO", repository().join("tests/engines/cargo"));
        outside_of_packages(&mut maturin);
        maturin.args([
            "build",
            "--quiet",
            "--profile",
            "dev",
            "--locked",
            "--manifest-path",
        ]);
        done(
            maturin
                .arg(repository().join("tools/python/Cargo.toml"))
                .arg("--out")
                .arg(&wheels),
        );
        drop(turn);

        let wheel = fs::read_dir(&wheels)
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let mut pip = Command::new(bin.join("pip"));
        pip.args([
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--no-index",
            "--target",
        ]);
        done(pip.arg(&site).arg(wheel));
        Some(Self { bin, site })
    }

    /// A program that finds the package.
    pub fn program(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env("PYTHONPATH", &self.site)
            .env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }

    /// Python with a script.
    pub fn python(&self, script: &Path) -> Command {
        let mut command = self.program(self.bin.join("python"));
        command.arg(script);
        command
    }
}

/// Says that a test is skipped, unless all tests must run.
pub fn skip(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{why}");
    eprintln!("skipped: {why}");
}

/// Runs a program to its end, which must be good; what it printed.
pub fn done(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// What a program printed, on both of its outputs.
pub fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
