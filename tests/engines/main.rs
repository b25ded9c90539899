//! The Python package, installed as others install it, in every engine that its examples name: the same rows must give the
//! same digest as in Rust.

#![cfg(test)]

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use harness::{built, repository};
use serde_json::Value;

/// Where `tests/run` installs the engines.
const ENGINES: &str = "target/engines/bin";

/// The package, and what the examples read and must find.
struct Package {
    bin: PathBuf,
    site: PathBuf,
    households: PathBuf,
    digest: String,
}

/// The package, built and installed once; none where the engines are not, unless all tests must run.
fn package() -> Option<&'static Package> {
    static PACKAGE: OnceLock<Option<Package>> = OnceLock::new();
    let installed = || {
        let bin = repository().join(ENGINES);
        if !bin.exists() {
            skip(&format!("{ENGINES} is missing: `tests/run` installs it"));
            return None;
        }
        Some(install(bin))
    };
    PACKAGE.get_or_init(installed).as_ref()
}

/// Says that a test is skipped, unless all tests must run.
fn skip(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{why}");
    eprintln!("skipped: {why}");
}

fn install(bin: PathBuf) -> Package {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("engines");
    // Files of an earlier run, if there was one.
    let _ = fs::remove_dir_all(&place);
    let (wheels, site) = (place.join("wheels"), place.join("site"));
    fs::create_dir_all(&wheels).unwrap();
    let manifest = repository().join("tools/python/Cargo.toml");
    let mut maturin = Command::new(bin.join("maturin"));
    maturin.env("CARGO", repository().join("tests/engines/cargo"));
    maturin.args(["build", "--quiet", "--profile", "dev", "--locked", "--manifest-path"]).arg(manifest);
    done(maturin.arg("--out").arg(&wheels));
    let wheel = fs::read_dir(&wheels).unwrap().next().unwrap().unwrap().path();
    let mut pip = Command::new(bin.join("pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index", "--target"]);
    done(pip.arg(&site).arg(wheel));
    let households = place.join("households.parquet");
    let examples = repository().join("tools/python/examples");
    done(Command::new(bin.join("python")).arg(examples.join("households.py")).arg(&households));
    let said = done(Command::new(example()).arg(repository().join("rules")).arg(&households));
    let digest = digest(&said);
    Package { bin, site, households, digest }
}

/// The program in Rust that computes what the examples compute.
fn example() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "--workspace", "--example", "hash"]).current_dir(repository());
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    done(&mut build);
    // target/<profile>/deps/<this test>
    std::env::current_exe().unwrap().parent().unwrap().parent().unwrap().join("examples/hash")
}

/// Runs a program to its end, which must be good; what it printed.
fn done(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The digest in the last line of what a program printed.
fn digest(said: &str) -> String {
    println!("{said}");
    let last: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    assert_eq!(last["rows"], 200_000);
    last["digest"].as_str().unwrap().to_owned()
}

impl Package {
    /// A program of the engines, within five minutes, which finds the package.
    fn program(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("timeout");
        command.arg("300").arg(program).env("PYTHONPATH", &self.site).env("PYTHONDONTWRITEBYTECODE", "1");
        command.env("SPARK_LOCAL_IP", "127.0.0.1").env("RAY_USAGE_STATS_ENABLED", "0");
        command
    }

    fn python(&self, script: &str) -> Command {
        let mut command = self.program(self.bin.join("python"));
        command.arg(repository().join(script)).arg(repository().join("rules")).arg(&self.households);
        command
    }

    /// Runs the example of an engine, whose answers must be those of the program in Rust.
    fn agrees(&self, engine: &str) {
        let found = digest(&done(&mut self.python(&format!("tools/python/examples/with_{engine}.py"))));
        assert_eq!(found, self.digest, "{engine}");
    }
}

#[test]
fn tables_of_libraries_give_what_rust_gives() {
    let Some(package) = package() else { return };
    ["pyarrow", "polars", "duckdb", "datafusion"].iter().for_each(|engine| package.agrees(engine));
}

#[test]
fn tasks_of_spark_give_what_rust_gives() {
    let Some(package) = package() else { return };
    if Command::new("java").arg("-version").output().is_err() {
        return skip("java is not installed");
    }
    package.agrees("pyspark");
}

#[test]
fn tasks_of_ray_give_what_rust_gives() {
    let Some(package) = package() else { return };
    package.agrees("ray");
}

#[test]
fn the_package_keeps_what_it_promises() {
    let Some(package) = package() else { return };
    done(&mut package.python("tests/engines/checks.py"));
}

/// The blocks of Spark and of Ray are left out: the examples hold the same.
#[test]
fn the_code_of_the_manual_runs() {
    let Some(package) = package() else { return };
    let manual = fs::read_to_string(repository().join("tools/python/README.md")).unwrap();
    let blocks = manual.split("```python\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let script: String = blocks.filter(|block| !["spark", "ray"].iter().any(|engine| block.contains(engine))).collect();
    let place = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(repository().join("rules"), place.path().join("rules")).unwrap();
    std::os::unix::fs::symlink(&package.households, place.path().join("households.parquet")).unwrap();
    done(package.program(package.bin.join("python")).args(["-c", &script]).current_dir(place.path()));
}

#[test]
fn the_types_that_are_declared_are_those_of_the_module() {
    let Some(package) = package() else { return };
    done(package.program(package.bin.join("stubtest")).arg("bareme").current_dir(&package.site));
}

#[test]
fn the_command_of_the_package_is_the_program() {
    let Some(package) = package() else { return };
    let broken = repository().join("tests/broken/unknown-function");
    for (words, code) in [
        (vec!["--version"], 0),
        (vec!["list", "tva", "--date", "2026-03-31"], 0),
        (vec!["check", "--rules", broken.to_str().unwrap()], 1),
        (vec!["chek"], 2),
    ] {
        let mut ours = package.program(package.site.join("bin/bareme"));
        let mut program = Command::new(built("bareme"));
        let [ours, program] =
            [&mut ours, &mut program].map(|command| command.args(&words).current_dir(repository()).output().unwrap());
        assert_eq!((ours.status.code(), said(&ours)), (Some(code), said(&program)), "{words:?}");
    }
}
