//! A payroll computed by the command line has the amounts that the service answers over HTTP.

use std::io::Write as _;
use std::process::{Command, Stdio};

use harness::{Server, built, repository};
use serde_json::Value;

const DAY: &str = "2026-11-01";

/// The codes of the countries: the folders of the family.
fn countries() -> Vec<String> {
    let entries = std::fs::read_dir(repository().join("rules/salaire-net"))
        .unwrap()
        .map(Result::unwrap);
    let folders = entries.filter(|entry| entry.path().is_dir());
    let mut codes: Vec<String> = folders
        .map(|folder| folder.file_name().into_string().unwrap())
        .collect();
    codes.sort();
    codes
}

/// Rows that go from a very low pay to a very high one in each country, and one more that is
/// refused.
fn payroll() -> Vec<(String, String)> {
    let amount =
        |size: u32, index: usize| format!("{}.{:02}", 137 * 7_usize.pow(size) + index, index % 100);
    let row = |(index, country): (usize, &String), size| (country.clone(), amount(size, index));
    let countries = countries();
    let mut rows: Vec<_> = (0..10)
        .flat_map(|size| {
            countries
                .iter()
                .enumerate()
                .map(move |country| row(country, size))
        })
        .collect();
    rows.push(("ma".to_owned(), "12,5".to_owned()));
    rows
}

/// The fields of each row that was computed, by its line.
fn computed(rows: &[(String, String)]) -> Vec<Value> {
    let mut command = Command::new(built("bareme"));
    command
        .args(["batch", "salaire-net", "--date", DAY, "--rules"])
        .arg(repository().join("rules"));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    for (country, gross) in rows {
        writeln!(input, "{{\"pays\": \"{country}\", \"brut\": \"{gross}\"}}").unwrap();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "one row is refused");
    output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(read)
        .collect()
}

fn read(line: &[u8]) -> Value {
    serde_json::from_slice(line).unwrap()
}

#[test]
fn rows_have_the_amounts_that_the_service_answers() {
    let server = Server::start();
    let rows = payroll();
    let found = computed(&rows);
    assert!(found.len() > 8 * countries().len(), "{} rows", found.len());
    let mut found = found.into_iter();
    for (line, (country, gross)) in (1_u64..).zip(&rows) {
        let answer = server.get(&format!(
            "/api/v1/salaire-net?pays={country}&brut={gross}&date={DAY}"
        ));
        if answer.status == 400 {
            continue;
        }
        let (row, answer) = (found.next().unwrap(), answer.json());
        assert_eq!(row["ligne"], line);
        let fields = row
            .as_object()
            .unwrap()
            .iter()
            .filter(|(name, _)| *name != "ligne");
        for (name, value) in fields {
            let expected = if name == "reserves" {
                remarks(&answer)
            } else {
                answer[name].clone()
            };
            assert_eq!(*value, expected, "{name} of {country} {gross}");
        }
        assert!(row["net_mensuel"].is_number(), "{row}");
    }
    assert!(found.next().is_none());
}

/// The remarks on the figures of an answer, under its references and without one: a row of a batch
/// lists them all.
fn remarks(answer: &Value) -> Value {
    let sourced = answer["references"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|reference| &reference["reserves"]);
    let lists = sourced
        .chain([&answer["reserves"]])
        .filter_map(Value::as_array);
    let all: Vec<Value> = lists.flatten().cloned().collect();
    if all.is_empty() {
        Value::Null
    } else {
        Value::Array(all)
    }
}
