//! The Python package, installed as others install it, in every engine that its examples name: the
//! same rows must give the same digest as in Rust.

#![cfg(test)]

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use harness::{Wheel, built, built_example, done, repository, said, skip};
use serde_json::Value;

/// The package, and what the examples read and must find.
struct Package {
    wheel: Wheel,
    households: PathBuf,
    digest: String,
}

/// The package, built and installed once; none where the engines are not, unless all tests must
/// run.
fn package() -> Option<&'static Package> {
    static PACKAGE: OnceLock<Option<Package>> = OnceLock::new();
    PACKAGE.get_or_init(install).as_ref()
}

fn install() -> Option<Package> {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("engines");
    let wheel = Wheel::install(&place)?;
    let households = place.join("households.parquet");
    let examples = repository().join("tools/python/examples");
    done(
        Command::new(wheel.bin.join("python"))
            .arg(examples.join("households.py"))
            .arg(&households),
    );
    let said = done(
        Command::new(built_example("hash"))
            .arg(repository().join("rules"))
            .arg(&households),
    );
    let digest = digest(&said);
    Some(Package {
        wheel,
        households,
        digest,
    })
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
        let mut command = self.wheel.program("timeout");
        command.arg("300").arg(program);
        command
            .env("SPARK_LOCAL_IP", "127.0.0.1")
            .env("RAY_USAGE_STATS_ENABLED", "0");
        command
    }

    fn python(&self, script: &str) -> Command {
        let mut command = self.program(self.wheel.bin.join("python"));
        command
            .arg(repository().join(script))
            .arg(repository().join("rules"))
            .arg(&self.households);
        command
    }

    /// Runs the example of an engine, whose answers must be those of the program in Rust.
    fn agrees(&self, engine: &str) {
        let found = digest(&done(
            &mut self.python(&format!("tools/python/examples/with_{engine}.py")),
        ));
        assert_eq!(found, self.digest, "{engine}");
    }
}

#[test]
fn tables_of_libraries_give_what_rust_gives() {
    let Some(package) = package() else { return };
    ["pyarrow", "polars", "duckdb", "datafusion"]
        .iter()
        .for_each(|engine| package.agrees(engine));
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

#[test]
fn reforms_and_habits_are_what_the_manual_says() {
    let Some(package) = package() else { return };
    done(&mut package.python("tests/engines/habits.py"));
}

#[test]
fn chains_and_measures_are_what_an_economist_computes() {
    let Some(package) = package() else { return };
    done(&mut package.python("tests/engines/economist.py"));
}

/// The same tax by hand, in the engines that are installed here: `tests/speed/run` has the others,
/// and says how long each takes.
#[test]
fn the_engines_whose_speed_is_compared_compute_the_same_tax() {
    let Some(package) = package() else { return };
    let mut speed = package.program(package.wheel.bin.join("python"));
    speed
        .arg(repository().join("tests/speed/speed.py"))
        .args(["--rows", "5000", "--repeats", "1", "--only"])
        .args(["bareme, one field", "bareme, all fields"])
        .args(["numpy, floats", "numpy, integers", "Polars", "DuckDB"]);
    let table = done(&mut speed);
    assert_eq!(table.matches("100.0000%").count(), 5, "{table}");
}

#[test]
fn the_notebook_of_a_reform_agrees_with_fractions() {
    let Some(package) = package() else { return };
    done(
        package
            .program(package.wheel.bin.join("python"))
            .arg(repository().join("tests/engines/notebook.py"))
            .arg(repository().join("tools/python/examples/reform.py")),
    );
}

/// The blocks of Spark and of Ray are left out: the examples hold the same.
#[test]
fn the_code_of_the_manual_runs() {
    let Some(package) = package() else { return };
    let manual = fs::read_to_string(repository().join("tools/python/README.md")).unwrap();
    let blocks = manual
        .split("```python\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap());
    let script: String = blocks
        .filter(|block| !["spark", "ray"].iter().any(|engine| block.contains(engine)))
        .collect();
    let place = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(repository().join("rules"), place.path().join("rules")).unwrap();
    // An archive of one set.
    let set = place.path().join("sets/000001-20260101T000000Z");
    fs::create_dir(set.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(repository().join("rules"), set).unwrap();
    std::os::unix::fs::symlink(&package.households, place.path().join("households.parquet"))
        .unwrap();
    done(
        package
            .program(package.wheel.bin.join("python"))
            .args(["-c", &script])
            .current_dir(place.path()),
    );
}

#[test]
fn the_types_that_are_declared_are_those_of_the_module() {
    let Some(package) = package() else { return };
    done(
        package
            .program(package.wheel.bin.join("stubtest"))
            .arg("bareme")
            .current_dir(&package.wheel.site),
    );
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
        let mut ours = package.program(package.wheel.site.join("bin/bareme"));
        let mut program = Command::new(built("bareme"));
        let [ours, program] = [&mut ours, &mut program].map(|command| {
            command
                .args(&words)
                .current_dir(repository())
                .output()
                .unwrap()
        });
        assert_eq!(
            (ours.status.code(), said(&ours)),
            (Some(code), said(&program)),
            "{words:?}"
        );
    }
}
