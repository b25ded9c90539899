//! The alerts and the dashboard: both are read by Prometheus, and name only what the service says.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use harness::{GOOD, Rules, Server, eventually, get, repository};
use serde_json::Value;

use crate::{example, program, run, text};

#[test]
fn prometheus_reads_the_alerts() {
    let Some(mut promtool) = program("promtool", "prometheus") else {
        return;
    };
    let said = run(promtool
        .args(["check", "rules"])
        .arg(example("alerts.yaml")));
    assert!(said.contains("SUCCESS"), "{said}");
}

fn scrape(server: &Server) -> String {
    let admin = server.logged(|event| event["message"] == "admin listener open");
    let admin = admin["address"].as_str().unwrap().parse().unwrap();
    String::from_utf8(get(admin, "/metrics").body).unwrap()
}

/// The metric of the store when it works and when it does not, given to the alerts as
/// Prometheus would have read it, four times a minute.
#[test]
fn the_alert_of_a_store_that_fails_fires() {
    let Some(mut promtool) = program("promtool", "prometheus") else {
        return;
    };
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("bareme.db");
    let store = format!("sqlite:{}", file.display());
    let server = Server::with(
        &Rules::copy().root(),
        &["--admin", "127.0.0.1:0", "--store", &store],
    );
    let up = || {
        let metrics = scrape(&server);
        let line = metrics
            .lines()
            .find_map(|line| line.strip_prefix("bareme_store_up "))
            .unwrap();
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
fn every_alert_fires_when_it_should_and_not_otherwise() {
    let Some(mut promtool) = program("promtool", "prometheus") else {
        return;
    };
    let cases = repository().join("tests/deploy/alerts.yaml");
    run(promtool.args(["test", "rules"]).arg(&cases));
    let cases = fs::read_to_string(cases).unwrap();
    let alerts = text("alerts.yaml");
    let names = alerts
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "));
    for name in names {
        assert!(
            cases.contains(&format!("alertname: {name}, exp_alerts: []")),
            "{name} has no silent case"
        );
        assert!(
            cases.contains(&format!("alertname: {name}\n        exp_alerts:\n")),
            "{name} never fires"
        );
    }
}

/// A server that has every metric: its rules are read but for a folder, it has answered, and it
/// makes backups.
fn with_every_metric(rules: &Rules, place: &Path) -> Server {
    rules.write("pret/method.yaml", "format: bareme/1\n");
    let backups = place.join("backups");
    let flags = [
        "--admin",
        "127.0.0.1:0",
        "--backup-dir",
        backups.to_str().unwrap(),
    ];
    let server = Server::with(&rules.root(), &flags);
    assert_eq!(server.get(GOOD).status, 200);
    // Longer than what the system takes at once.
    for _ in 0..20 {
        server.get("/api/v1/openapi.json");
    }
    eventually("a backup is made", || {
        scrape(&server).contains("bareme_backups_total{outcome=\"made\"} 1")
    });
    server
}

/// The names of metrics in a text, as they are queried.
fn names(text: &str) -> BTreeSet<&str> {
    let is_name = |character: char| character.is_ascii_lowercase() || character == '_';
    text.split(|character| !is_name(character))
        .filter(|word| word.starts_with("bareme_"))
        .collect()
}

/// The metrics of the manual, which the service writes there itself.
fn listed() -> BTreeSet<String> {
    let manual = text("../README.md");
    let rows = manual
        .lines()
        .filter_map(|line| line.strip_prefix("| `bareme_")?.split('`').next());
    rows.map(|name| format!("bareme_{name}")).collect()
}

/// The metric of the manual that a name belongs to: a histogram is queried by the names of its
/// parts.
fn metric_of(name: &str) -> &str {
    let parts = ["_bucket", "_count", "_sum"];
    parts
        .iter()
        .find_map(|part| name.strip_suffix(part))
        .unwrap_or(name)
}

/// The limit of memory is there only where the test itself has one.
const MAY_LACK: &str = "bareme_memory_limit_bytes";

#[test]
fn every_metric_and_every_code_of_the_alerts_exists() {
    let place = tempfile::tempdir().unwrap();
    let metrics = scrape(&with_every_metric(&Rules::copy(), place.path()));
    let alerts = text("alerts.yaml");
    let (queried, listed) = (names(&alerts), listed());
    assert!(
        queried.len() >= 16 && listed.len() >= 26,
        "{queried:?} {listed:?}"
    );
    let is_there = |name: &str| {
        metrics.lines().any(|line| {
            line.starts_with(&format!("{name}{{")) || line.starts_with(&format!("{name} "))
        })
    };
    for name in &queried {
        assert!(
            listed.contains(metric_of(name)),
            "{name} is not in the manual"
        );
        assert!(
            is_there(name) || *name == MAY_LACK,
            "{name} is not in {metrics}"
        );
    }
    for name in &listed {
        assert!(
            is_there(name) || is_there(&format!("{name}_count")) || name == MAY_LACK,
            "{name} is not in {metrics}"
        );
    }
    let codes = alerts
        .split("code=~\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    for code in codes.split('|') {
        assert!(
            metrics.contains(&format!("bareme_problems_total{{code=\"{code}\"}}")),
            "{code}"
        );
    }
}

fn dashboard() -> Value {
    serde_json::from_str(&text("dashboard.json")).unwrap()
}

/// The queries of the panels, with the titles of these.
fn queries(dashboard: &Value) -> Vec<(&str, &str)> {
    let panels = dashboard["panels"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|panel| panel["type"] != "row");
    panels
        .flat_map(|panel| {
            let title = panel["title"].as_str().unwrap();
            let targets = panel["targets"].as_array().unwrap();
            assert!(!targets.is_empty(), "{title}");
            targets
                .iter()
                .map(move |target| (title, target["expr"].as_str().unwrap()))
        })
        .collect()
}

#[test]
fn the_dashboard_shows_every_metric_and_no_other() {
    let dashboard = dashboard();
    let queries = queries(&dashboard);
    let shown: BTreeSet<&str> = queries
        .iter()
        .flat_map(|(_, query)| names(query))
        .map(metric_of)
        .collect();
    let listed = listed();
    assert_eq!(shown, listed.iter().map(String::as_str).collect());
}

#[test]
fn the_panels_of_the_dashboard_stand_beside_each_other() {
    let dashboard = dashboard();
    assert!(
        dashboard["schemaVersion"].is_u64()
            && dashboard["uid"].is_string()
            && dashboard["title"].is_string()
    );
    let source = serde_json::json!({"type": "prometheus", "uid": "${source}"});
    let (mut ids, mut taken) = (BTreeSet::new(), BTreeSet::new());
    for panel in dashboard["panels"].as_array().unwrap() {
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "{panel}");
        let [x, y, w, h] =
            ["x", "y", "w", "h"].map(|member| panel["gridPos"][member].as_u64().unwrap());
        assert!(
            w > 0 && h > 0 && x + w <= 24,
            "a dashboard has 24 columns: {panel}"
        );
        for cell in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
            assert!(taken.insert(cell), "something is there already: {panel}");
        }
        if panel["type"] == "row" {
            continue;
        }
        assert!(
            ["timeseries", "stat", "bargauge"].contains(&panel["type"].as_str().unwrap()),
            "{panel}"
        );
        assert!(
            panel["fieldConfig"]["defaults"]["unit"].is_string(),
            "{panel}"
        );
        assert_eq!(panel["datasource"], source);
        let mut letters = BTreeSet::new();
        for target in panel["targets"].as_array().unwrap() {
            assert!(
                letters.insert(target["refId"].as_str().unwrap()) && target["datasource"] == source,
                "{target}"
            );
        }
    }
    let variables: Vec<&Value> = dashboard["templating"]["list"]
        .as_array()
        .unwrap()
        .iter()
        .collect();
    assert_eq!(
        variables
            .iter()
            .map(|variable| &variable["name"])
            .collect::<Vec<_>>(),
        ["source", "instance"]
    );
}

#[test]
fn prometheus_reads_the_queries_of_the_dashboard() {
    let Some(mut promtool) = program("promtool", "prometheus") else {
        return;
    };
    let place = tempfile::tempdir().unwrap();
    let dashboard = dashboard();
    let rule = |(rank, (_, query)): (usize, &(&str, &str))| {
        let query = query
            .replace("$__rate_interval", "5m")
            .replace("$instance", ".*");
        assert!(!query.contains('$'), "{query}");
        serde_json::json!({"record": format!("query:{rank}"), "expr": query})
    };
    let rules: Vec<Value> = queries(&dashboard).iter().enumerate().map(rule).collect();
    let file = place.path().join("queries.yaml");
    // JSON is YAML.
    fs::write(
        &file,
        serde_json::json!({"groups": [{"name": "dashboard", "rules": rules}]}).to_string(),
    )
    .unwrap();
    let said = run(promtool.args(["check", "rules"]).arg(&file));
    assert!(said.contains("SUCCESS"), "{said}");
}
