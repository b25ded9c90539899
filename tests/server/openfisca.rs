//! The income tax of households beside OpenFisca-France.

use std::process::Command;

use harness::{Rules, Server, repository, said, skip};

/// Where `tests/run` installs OpenFisca.
const PYTHON: &str = "target/openfisca/bin/python";
/// Households of each of four years.
const HOUSEHOLDS: &str = "60";

/// Runs `tests/openfisca/compare.py` on a service. `BAREME_HOUSEHOLDS` makes it compare more, and
/// count how many need each deviation.
#[test]
fn taxes_of_households_are_those_of_openfisca_but_for_its_deviations() {
    let python = repository().join(PYTHON);
    if !python.exists() {
        return skip("target/openfisca is missing: `tests/run` installs it");
    }

    let rules = Rules::copy();
    let server = Server::with(&rules.root(), &["--log", "info,access=off"]);
    let mut comparison = Command::new(python);
    comparison
        .arg(repository().join("tests/openfisca/compare.py"))
        .arg(format!("http://{}", server.address()))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    match std::env::var("BAREME_HOUSEHOLDS") {
        Ok(households) => comparison.args(["--households", &households]),
        Err(_) => comparison.args(["--households", HOUSEHOLDS, "--brief"]),
    };
    let output = comparison.output().unwrap();

    let said = said(&output);
    println!("{said}");
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("households compared, 0 differences unexplained"),
        "{said}"
    );
}
