//! The site in a headless Chromium, driven by Playwright: `browser.mjs` says what is done and checked.

use std::process::Command;

use harness::{binary, repository};

use crate::pages::pages;
use crate::with_quotas;

/// Names of the programs that Chromium goes by.
const CHROMIUM: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

#[test]
fn the_site_works_in_a_browser() {
    let modules = repository().join("target/site/node_modules");
    let chromium = CHROMIUM
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|run| run.status.success()));
    let (Some(chromium), true) = (chromium, modules.join("playwright-core").is_dir()) else {
        assert!(
            std::env::var_os("CI").is_none_or(|ci| ci != "true"),
            "chromium or its driver is missing: tests/run installs them"
        );
        eprintln!("skipped: chromium or its driver is missing");
        return;
    };
    let server = with_quotas();
    let is_release = || !cfg!(debug_assertions) || binary().components().any(|part| part.as_os_str() == "release");
    let run = Command::new("node")
        .arg(repository().join("tests/site/browser.mjs"))
        .arg(format!("http://{}", server.address()))
        .arg(chromium)
        .arg(&modules)
        .arg(pages(&server).join(" "))
        .arg(if is_release() { "release" } else { "debug" })
        .output()
        .unwrap();
    assert!(run.status.success(), "{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
}
