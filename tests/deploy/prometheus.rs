//! The alerts.

use std::fs;

use harness::{Rules, Server, eventually, get};

use crate::{example, program, run, text};

#[test]
fn prometheus_reads_the_alerts() {
    let Some(mut promtool) = program("promtool", "prometheus") else { return };
    let said = run(promtool.args(["check", "rules"]).arg(example("alerts.yaml")));
    assert!(said.contains("SUCCESS"), "{said}");
}

fn scrape(server: &Server) -> String {
    let admin = server.logged(|event| event["message"] == "admin listener open");
    let admin = admin["address"].as_str().unwrap().parse().unwrap();
    String::from_utf8(get(admin, "/metrics").body).unwrap()
}

/// What the service says of its store when it works and when it does not, given to the alerts as
/// Prometheus would have read it, four times a minute.
#[test]
fn the_alert_of_a_store_that_fails_fires() {
    let Some(mut promtool) = program("promtool", "prometheus") else { return };
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("bareme.db");
    let store = format!("sqlite:{}", file.display());
    let server = Server::with(&Rules::copy().root(), &["--admin", "127.0.0.1:0", "--store", &store]);
    let up = || {
        let metrics = scrape(&server);
        let line = metrics.lines().find_map(|line| line.strip_prefix("bareme_store_up ")).unwrap();
        line.to_owned()
    };
    let works = up();
    fs::rename(&file, place.path().join("elsewhere.db")).unwrap();
    eventually("the metric says so", || up() != works);
    let fails = up();

    let (alerts, labels) = (example("alerts.yaml"), "instance: node:9090, job: bareme");
    let summary = "node:9090 cannot read or write keys and counts: its log and the store of /readyz say what fails";
    let test = place.path().join("test.yaml");
    fs::write(
        &test,
        format!(
            "rule_files: [{alerts}]\nevaluation_interval: 15s\ntests:\n- interval: 15s\n  input_series:\n  \
             - series: 'bareme_store_up{{instance=\"node:9090\", job=\"bareme\"}}'\n    \
             values: '{works}x8 {fails}x20 {works}x8'\n  alert_rule_test:\n  \
             - {{eval_time: 2m, alertname: BaremeStoreUnavailable, exp_alerts: []}}\n  \
             - {{eval_time: 5m, alertname: BaremeStoreUnavailable, exp_alerts: [\
             {{exp_labels: {{severity: page, {labels}}}, exp_annotations: {{summary: '{summary}'}}}}]}}\n  \
             - {{eval_time: 9m, alertname: BaremeStoreUnavailable, exp_alerts: []}}\n",
            alerts = alerts.display(),
        ),
    )
    .unwrap();
    run(promtool.args(["test", "rules"]).arg(&test));
}

#[test]
fn every_metric_and_every_code_of_the_alerts_exists() {
    let server = Server::with(&Rules::copy().root(), &["--admin", "127.0.0.1:0"]);
    server.get("/livez");
    let metrics = scrape(&server);
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
