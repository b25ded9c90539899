//! French pay beside an independent program: the rules of Urssaf's simulators.

use std::fs;
use std::process::Command;

use harness::{Rules, Server, repository};

/// Where `tests/run` installs the packages.
const PACKAGES: &str = "target/modele-social";

#[test]
fn what_a_pay_costs_in_france_is_what_urssaf_computes() {
    compare("compare.mjs", "200 pays compared, 0 amounts differ");
}

#[test]
fn hours_part_time_and_apprentices_are_paid_as_urssaf_computes() {
    compare("complements.mjs", "64 payslips compared, 0 amounts differ");
}

/// Runs a script on a service, and finds in what it prints that nothing differs.
fn compare(script: &str, wanted: &str) {
    let place = repository().join(PACKAGES);
    if !place.join("node_modules").exists() {
        assert!(
            std::env::var_os("CI").is_none(),
            "{PACKAGES} is missing: `tests/run` installs it"
        );
        return eprintln!("skipped: {PACKAGES} is not installed");
    }
    // Packages are looked up from where the script is.
    fs::copy(
        repository().join("tests/modele-social").join(script),
        place.join(script),
    )
    .unwrap();
    let rules = Rules::copy();
    let server = Server::with(&rules.root(), &["--log", "info,access=off"]);
    let output = Command::new("node")
        .arg(place.join(script))
        .arg(format!("http://{}", server.address()))
        .output()
        .unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    println!("{said}");
    assert!(output.status.success(), "{}", output.status);
    assert!(said.contains(wanted));
}
