//! The site in a headless Chromium, driven by Playwright: the scripts say what is done and checked.

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::{Rules, Server, binary, repository};
use serde_json::{Map, Value};

use crate::pages::pages;
use crate::{TRUSTING, with_quotas};

/// Names of the programs that Chromium goes by.
const CHROMIUM: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

#[test]
fn the_site_works_in_a_browser() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let server = with_quotas();
    let is_release = || {
        !cfg!(debug_assertions)
            || binary()
                .components()
                .any(|part| part.as_os_str() == "release")
    };
    let build = if is_release() { "release" } else { "debug" };
    browser.run("browser.mjs", &server, &[&pages(&server).join(" "), build]);
}

#[test]
fn every_simulator_reads_well_unfolded() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let server = trusting();
    browser.run("unfolded.mjs", &server, &[&pages(&server).join(" ")]);
}

#[test]
fn pages_hold_large_text_and_fit_narrow_screens() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let server = trusting();
    browser.run("large.mjs", &server, &[&pages(&server).join(" ")]);
}

#[test]
fn forms_take_what_people_type() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let server = trusting();
    let values = serde_json::to_string(&values(&repository().join("rules"), "")).unwrap();
    browser.run("forms.mjs", &server, &[&pages(&server).join(" "), &values]);
}

/// A service that takes the address of a caller from this machine, so that each page may have one.
fn trusting() -> Server {
    Server::start_with(&TRUSTING)
}

/// A value of each input, by the path of its folder: of the first worked case that gives it one.
fn values(folder: &Path, path: &str) -> Map<String, Value> {
    let mut found = Map::new();
    for entry in std::fs::read_dir(folder)
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.path().is_dir())
    {
        let path = format!("{path}{}", entry.file_name().to_string_lossy());
        found.extend(values(&entry.path(), &format!("{path}/")));
        let Ok(text) = std::fs::read_to_string(entry.path().join("cases.yaml")) else {
            continue;
        };
        let cases: Value = serde_yaml::from_str(&text).unwrap();
        let mut own = Map::new();
        for (name, value) in cases["cases"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|case| case["given"].as_object())
            .flatten()
        {
            // A list is of the months of a year.
            if !value.as_str().is_some_and(|text| text.contains(';')) {
                own.entry(name).or_insert_with(|| value.clone());
            }
        }
        found.insert(path, own.into());
    }

    found
}

#[test]
fn the_element_works_in_a_page_of_another_site() {
    let Some(browser) = Browser::find() else {
        return;
    };
    browser.run("embedded.mjs", &trusting(), &[]);
}

#[test]
fn the_element_sends_a_publishable_key_from_its_own_pages_alone() {
    let Some(browser) = Browser::find() else {
        return;
    };
    harness::avoid_midnight();
    // The plans are those of the repository; a few folders are read in no time.
    let (place, rules) = (tempfile::tempdir().unwrap(), Rules::small());
    let store = format!("sqlite:{}", place.path().join("bareme.db").display());
    let keys = |arguments: &[&str]| {
        let done = Command::new(binary())
            .arg("keys")
            .args(arguments)
            .args(["--store", &store, "--rules"])
            .arg(rules.root())
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    };

    let secret = keys(&["issue", "--plan", "pro", "--email", "claire@example.org"]);
    let listed: Value = serde_json::from_str(&keys(&["list", "--format", "json"])).unwrap();
    let id = listed[0]["id"].as_str().unwrap();
    let [own, other] = [(); 2].map(|()| harness::free_port().to_string());
    let origin = format!("http://localhost:{own}");
    let page = keys(&["publish", id, "--origin", &origin]);

    let flags = [TRUSTING.as_slice(), &["--store", &store]].concat();
    let server = Server::with(&repository().join("rules"), &flags);
    browser.run("keyed.mjs", &server, &[&page, &secret, &own, &other]);
}

#[test]
fn a_browser_keeps_no_answer_of_another_caller() {
    let Some(browser) = Browser::find() else {
        return;
    };
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
        let is_there = |name: &&str| {
            Command::new(name)
                .arg("--version")
                .output()
                .is_ok_and(|run| run.status.success())
        };

        let chromium = CHROMIUM.into_iter().find(is_there);
        let found = chromium.filter(|_| modules.join("playwright-core").is_dir());
        if found.is_none() {
            let is_ci = std::env::var_os("CI").is_some_and(|ci| ci == "true");
            assert!(
                !is_ci,
                "chromium or its driver is missing: tests/run installs them"
            );
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
