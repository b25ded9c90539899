//! The README does not lie: the calls that it shows give the answers that it shows.

use harness::Server;
use serde_json::{Map, Value};

const README: &str = include_str!("../../README.md");

/// The calls of the README followed by their answer.
fn examples() -> Vec<(String, Map<String, Value>)> {
    let blocks: Vec<&str> = README.split("```").collect();
    let calls = blocks.windows(3).filter_map(|window| {
        let call = window[0].strip_prefix("sh\ncurl 'http://127.0.0.1:8080")?.trim_end().strip_suffix('\'')?;
        let answer = window[2].strip_prefix("json\n")?;
        Some((call.to_owned(), serde_json::from_str(answer).unwrap()))
    });
    calls.collect()
}

#[test]
fn the_calls_of_the_readme_give_the_answers_of_the_readme() {
    let server = Server::start();
    let examples = examples();
    assert_eq!(examples.len(), 7, "one call for each endpoint, one for the cost of a pay");
    for (target, shown) in examples {
        let answer = server.get(&target);
        assert_eq!(answer.status, 200, "{target}");
        let answer = answer.json();
        for (field, value) in shown {
            assert_eq!(answer[&field], value, "`{field}` of {target}");
        }
    }
}
