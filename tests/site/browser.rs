//! The site in a headless Chromium, driven by Playwright: the scripts say what is done and checked.

use std::path::PathBuf;
use std::process::Command;

use harness::{Server, binary, repository};

use crate::pages::pages;
use crate::with_quotas;

/// Names of the programs that Chromium goes by.
const CHROMIUM: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

#[test]
fn the_site_works_in_a_browser() {
    let Some(browser) = Browser::find() else { return };
    let server = with_quotas();
    let is_release = || !cfg!(debug_assertions) || binary().components().any(|part| part.as_os_str() == "release");
    let build = if is_release() { "release" } else { "debug" };
    browser.run("browser.mjs", &server, &[&pages(&server).join(" "), build]);
}

#[test]
fn a_browser_keeps_no_answer_of_another_caller() {
    let Some(browser) = Browser::find() else { return };
    browser.run("caches.mjs", &with_quotas(), &[]);
}

/// Chromium and what drives it.
struct Browser {
    chromium: &'static str,
    modules: PathBuf,
}

impl Browser {
    /// None where they are not installed, which `CI=true` does not allow.
    fn find() -> Option<Self> {
        let modules = repository().join("target/site/node_modules");
        let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|run| run.status.success());
        let chromium = CHROMIUM.into_iter().find(is_there);
        let found = chromium.filter(|_| modules.join("playwright-core").is_dir());
        if found.is_none() {
            let is_ci = std::env::var_os("CI").is_some_and(|ci| ci == "true");
            assert!(!is_ci, "chromium or its driver is missing: tests/run installs them");
            eprintln!("skipped: chromium or its driver is missing");
        }
        found.map(|chromium| Self { chromium, modules })
    }

    /// Runs a script on the pages of a server, which fails with what it says.
    fn run(&self, script: &str, server: &Server, arguments: &[&str]) {
        let run = Command::new("node")
            .arg(repository().join("tests/site").join(script))
            .arg(format!("http://{}", server.address()))
            .arg(self.chromium)
            .arg(&self.modules)
            .args(arguments)
            .output()
            .unwrap();
        assert!(
            run.status.success(),
            "{}{}",
            String::from_utf8_lossy(&run.stdout),
            String::from_utf8_lossy(&run.stderr)
        );
    }
}
