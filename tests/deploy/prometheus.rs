//! The alerts.

use harness::{Rules, Server, get};

use crate::{example, program, run, text};

#[test]
fn prometheus_reads_the_alerts() {
    let Some(mut promtool) = program("promtool", "prometheus") else { return };
    let said = run(promtool.args(["check", "rules"]).arg(example("alerts.yaml")));
    assert!(said.contains("SUCCESS"), "{said}");
}

#[test]
fn every_metric_and_every_code_of_the_alerts_exists() {
    let server = Server::with(&Rules::copy().root(), &["--admin", "127.0.0.1:0"]);
    let admin = server.logged(|event| event["message"] == "listening for the administrator");
    let admin = admin["address"].as_str().unwrap().parse().unwrap();
    server.get("/livez");
    let metrics = String::from_utf8(get(admin, "/metrics").body).unwrap();
    let alerts = text("alerts.yaml");

    let is_name = |character: char| character.is_ascii_lowercase() || character == '_';
    let names = alerts.split(|character| !is_name(character)).filter(|word| word.starts_with("bareme_"));
    let names: Vec<&str> = names.collect();
    assert!(names.len() >= 7, "{names:?}");
    for name in names {
        assert!(
            metrics.lines().any(|line| line.starts_with(&format!("{name}{{")) || line.starts_with(&format!("{name} "))),
            "{name}"
        );
    }
    let codes = alerts.split("code=~\"").nth(1).unwrap().split('"').next().unwrap();
    for code in codes.split('|') {
        assert!(metrics.contains(&format!("bareme_problems_total{{code=\"{code}\"}}")), "{code}");
    }
}
