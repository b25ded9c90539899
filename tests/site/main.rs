//! The service's own site: its pages as they are sent, and as a browser shows them.

#![cfg(test)]

mod alternatives;
mod amounts;
mod answers;
mod browser;
mod budget;
mod comparisons;
mod english;
mod equations;
mod flags;
mod found;
mod household;
mod minimum_wage;
mod news;
mod pages;
mod periods;
mod previews;
mod questions;
mod scales;
mod sentences;
mod simulators;
mod visitors;
mod words;

use std::time::Duration;

use harness::{Answer, Server, repository};

/// The flags of a service that takes the address of a caller from this machine: each page that a
/// script opens has one of its own, and with it a budget of work.
const TRUSTING: [&str; 2] = ["--trusted-proxy", "127.0.0.1"];

/// A service with the plans of the repository: that of most tests has no quota.
fn with_quotas() -> Server {
    harness::avoid_midnight();
    Server::with(&repository().join("rules"), &TRUSTING)
}

/// Sends a form: again, as the service asks, where a busy machine kept its store waiting.
fn post(server: &Server, path: &str, form: &str, headers: &str) -> Answer {
    for _ in 0..10 {
        let answer = server.post(path, form, headers);
        if answer.status != 503 {
            return answer;
        }
        std::thread::sleep(Duration::from_secs(
            answer.header("retry-after").parse().unwrap(),
        ));
    }
    panic!("the service stays unavailable");
}
