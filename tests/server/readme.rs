//! The READMEs do not lie: the calls that they show give the answers that they show.

use harness::Server;
use serde_json::{Map, Value};

/// The manuals, and how many calls each shows: one for each endpoint, one for the cost of a pay and
/// one for a year; one to begin with.
const MANUALS: [(&str, usize); 2] = [
    (include_str!("../../README.md"), 9),
    (include_str!("../../server/LISEZMOI.md"), 1),
];

/// The calls of a manual followed by their answer.
fn examples(manual: &str) -> Vec<(String, Map<String, Value>)> {
    let blocks: Vec<&str> = manual.split("```").collect();
    let calls = blocks.windows(3).filter_map(|window| {
        let call = window[0]
            .strip_prefix("sh\ncurl 'http://127.0.0.1:8080")?
            .trim_end()
            .strip_suffix('\'')?;
        let answer = window[2].strip_prefix("json\n")?;
        Some((call.to_owned(), serde_json::from_str(answer).unwrap()))
    });
    calls.collect()
}

#[test]
fn the_calls_of_the_readmes_give_the_answers_of_the_readmes() {
    let server = Server::start();
    for (manual, count) in MANUALS {
        assert_eq!(examples(manual).len(), count);
    }
    for (target, shown) in MANUALS.iter().flat_map(|(manual, _)| examples(manual)) {
        let answer = server.get(&target);
        assert_eq!(answer.status, 200, "{target}");
        let answer = answer.json();
        for (field, value) in shown {
            assert_eq!(answer[&field], value, "`{field}` of {target}");
        }
    }
}
