//! French contributions beside an independent program: the rules of Urssaf's simulators.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use harness::{Rules, Server, repository};

/// Where `tests/run` installs the packages.
const PACKAGES: &str = "target/modele-social";

/// Compares every amount in every situation (`all`), or the sample without each correction in turn (`each`).
const EXTENT: &str = "BAREME_MODELE_SOCIAL";

#[test]
fn what_a_pay_costs_in_france_is_what_urssaf_computes() {
    compare("compare.mjs", "200 pays compared, 0 amounts differ");
}

#[test]
fn hours_part_time_and_apprentices_are_paid_as_urssaf_computes() {
    compare("complements.mjs", "64 payslips compared, 0 amounts differ");
}

#[test]
fn the_self_employed_owe_what_urssaf_computes() {
    compare(
        "independant.mjs",
        "278 incomes compared, 2870 amounts, 0 differ",
    );
}

#[test]
fn a_director_is_paid_as_urssaf_computes() {
    compare("mandataire.mjs", "96 pays compared, 2954 amounts, 0 differ");
}

/// Where the scripts run, if the packages are installed.
static PLACE: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let place = repository().join(PACKAGES);
    if !place.join("node_modules").exists() {
        assert!(
            std::env::var_os("CI").is_none(),
            "{PACKAGES} is missing: `tests/run` installs it"
        );
        return None;
    }

    // Packages are looked up from where a script is, and the scripts read their manual.
    for entry in fs::read_dir(repository().join("tests/modele-social")).unwrap() {
        let file = entry.unwrap();
        fs::copy(file.path(), place.join(file.file_name())).unwrap();
    }
    Some(place)
});

/// Runs a script on a service, and finds in what it prints that nothing differs in its sample.
fn compare(script: &str, wanted: &str) {
    let Some(place) = &*PLACE else {
        return eprintln!("skipped: {PACKAGES} is not installed");
    };
    let rules = Rules::copy();
    let server = Server::with(&rules.root(), &["--log", "info,access=off"]);
    let extent = std::env::var(EXTENT).ok();
    let output = Command::new("node")
        .arg(place.join(script))
        .arg(format!("http://{}", server.address()))
        .args(&extent)
        .output()
        .unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    println!("{said}");
    assert!(output.status.success(), "{}", output.status);
    assert!(extent.as_deref() == Some("all") || said.contains(wanted));
}
