//! The questions of `tests/assistant/questions.csv`, asked without the protocol; checks of every
//! answer and refusal.

#![cfg(test)]

use std::path::Path;
use std::sync::OnceLock;

use bareme_assistant::Assistant;
use bareme_engine::service::Rules;
use bareme_engine::{Lang, Loader};
use jiff::civil::date;
use rmcp::model::CallToolResult;
use serde_json::{Value, json};

/// Greatest length of an answer in bytes, unless details are asked for.
const LONGEST: usize = 2048;

/// The rules of this repository, loaded once for all tests.
fn rules() -> &'static Rules {
    static RULES: OnceLock<Rules> = OnceLock::new();
    RULES.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules");
        Loader::new()
            .without_cases()
            .load_service(&root)
            .rules
            .expect("the rules are right")
    })
}

fn assistant(rules: &Rules) -> Assistant<'_> {
    Assistant::new(rules, None, date(2026, 11, 24), Lang::Fr)
}

fn call(assistant: &Assistant, tool: &str, arguments: &Value) -> CallToolResult {
    assistant
        .call(tool, arguments.as_object().expect("an object"))
        .unwrap_or_else(|| panic!("no tool {tool}"))
}

/// The text and the members of a result.
fn read(result: &CallToolResult) -> (String, Value) {
    let sent = serde_json::to_value(result).expect("a result is JSON");
    let text = sent["content"][0]["text"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    (text, sent["structuredContent"].clone())
}

/// A member by its path: the fields of an answer are in `reponse`.
fn member<'v>(answer: &'v Value, path: &str) -> &'v Value {
    let found = path
        .split('.')
        .try_fold(answer, |value, name| match name.parse::<usize>() {
            Ok(index) => value.get(index),
            Err(_) => value.get(name),
        });
    found
        .or_else(|| answer["reponse"].get(path))
        .unwrap_or(&Value::Null)
}

/// Whether a value is the expected one. In a figure formatted for people, only digits and sign
/// count.
fn is_expected(found: &Value, expected: &Value) -> bool {
    let plain = |text: &str| {
        let kept = text
            .chars()
            .filter(|letter| letter.is_ascii_digit() || ",.%-".contains(*letter));
        kept.collect::<String>().replace(',', ".")
    };
    match (found, expected) {
        (Value::Number(found), Value::Number(expected)) => found.as_f64() == expected.as_f64(),
        (Value::String(found), Value::String(expected)) => {
            found == expected || plain(found) == plain(expected)
        }
        (found, expected) => found == expected,
    }
}

/// The first mistake in the answer to a question.
fn mistake(
    assistant: &Assistant,
    tool: &str,
    arguments: &Value,
    expected: &Value,
) -> Option<String> {
    let result = call(assistant, tool, arguments);
    let length = serde_json::to_string(&result)
        .expect("a result is JSON")
        .len();
    let (text, answer) = read(&result);
    if text.is_empty() || length > LONGEST {
        return Some(format!("{length} bytes: {text}"));
    }
    let is_refusal = result.is_error == Some(true);
    if let Some(refused) = expected.get("refus").and_then(Value::as_object) {
        let told = answer["parametres"].as_array().cloned().unwrap_or_default();
        let told = told.iter().map(|bad| {
            (
                bad["nom"].as_str().unwrap_or_default().to_owned(),
                bad["code"].clone(),
            )
        });
        let told: serde_json::Map<String, Value> = told.collect();
        return (!is_refusal || told != *refused)
            .then(|| format!("{}: {told:?}", answer["nature"]));
    }
    if is_refusal || !answer["reserves"].is_array() {
        return Some(text);
    }
    let wrong = expected
        .as_object()?
        .iter()
        .find(|(path, value)| !is_expected(member(&answer, path), value));
    if let Some((path, _)) = wrong {
        // A long answer may leave out minor fields: the detailed one has them.
        let mut whole = arguments.clone();
        whole["detail"] = true.into();
        let (_, whole) = read(&call(assistant, tool, &whole));
        if expected
            .as_object()?
            .iter()
            .any(|(path, value)| !is_expected(member(&whole, path), value))
        {
            return Some(format!("{path} is {}", member(&whole, path)));
        }
    }
    None
}

#[test]
fn three_hundred_questions_are_answered_or_refused_as_they_should() {
    let rules = rules();
    let assistant = assistant(rules);
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/assistant/questions.csv");
    let mut reader = csv::Reader::from_path(table).expect("the table is there");
    let (mut asked, mut refused, mut wrong) = (0, 0, Vec::new());
    for row in reader.records() {
        let row = row.expect("a row");
        let [_, question, tool, arguments, expected, origin] =
            [0, 1, 2, 3, 4, 5].map(|cell| &row[cell]);
        let read = |text: &str| {
            serde_json::from_str::<Value>(text).unwrap_or_else(|error| panic!("{text}: {error}"))
        };
        let expected = read(expected);
        (asked, refused) = (
            asked + 1,
            refused + usize::from(expected.get("refus").is_some()),
        );
        if let Some(mistake) = mistake(&assistant, tool, &read(arguments), &expected) {
            wrong.push(format!(
                "{question}\n  {tool} {arguments}\n  expected {expected} ({origin})\n  {mistake}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {asked} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert_eq!((asked, refused), (300, 60));
}

#[test]
fn every_tool_has_a_name_that_clients_take_and_schemas_that_its_answers_meet() {
    let rules = rules();
    let assistant = assistant(rules);
    let tools = assistant.tools();
    assert!(
        tools.len() >= rules.service().endpoints.len() + 6,
        "{} tools",
        tools.len()
    );
    for tool in &tools {
        let is_fine = |letter: u8| letter.is_ascii_alphanumeric() || b"-_".contains(&letter);
        assert!(
            tool.name.len() <= 64 && tool.name.bytes().all(is_fine),
            "{}",
            tool.name
        );
        assert!(
            tools.iter().filter(|other| other.name == tool.name).count() == 1,
            "{} twice",
            tool.name
        );
        for schema in [Some(&tool.input_schema), tool.output_schema.as_ref()]
            .into_iter()
            .flatten()
        {
            jsonschema::validator_for(&Value::Object((**schema).clone()))
                .unwrap_or_else(|error| panic!("{error}"));
        }
    }
    let question = json!({"calcul": "ir", "parametres": {"revenu": 30000, "date": "2026-03-31"}});
    let compared = json!({"calcul": "ir", "parametres": {"revenu": 30000, "date": "2026-03-31"}, "avec": {"parts": 2}});
    for (name, arguments) in [
        ("ir", json!({"revenu": 30000, "date": "2026-03-31"})),
        ("ir", json!({"revenu": "trente"})),
        (
            "salaire-net",
            json!({"pays": "ci", "brut": 350_000, "parts": 2.5, "detail": true}),
        ),
        ("expliquer", question),
        ("comparer", compared),
        ("inverse", json!({"calcul": "salaire", "montant": 2000})),
        (
            "chercher",
            json!({"mots": "plafond de la sécurité sociale 2025"}),
        ),
        (
            "chiffre",
            json!({"bareme": "salaire", "chiffre": "plafond_ss", "date": "2025-03-31"}),
        ),
        ("changements", json!({"depuis": "2026-01-01"})),
        (
            "changements",
            json!({"depuis": "2025-01-01", "bareme": "ir"}),
        ),
    ] {
        let tool = tools
            .iter()
            .find(|tool| tool.name == name)
            .unwrap_or_else(|| panic!("no tool {name}"));
        let schema = Value::Object((**tool.output_schema.as_ref().expect("a schema")).clone());
        let (text, answer) = read(&call(&assistant, name, &arguments));
        assert!(
            jsonschema::is_valid(&schema, &answer),
            "{name} {arguments}: {answer}"
        );
        assert!(!text.contains("  ,"), "{text}");
    }
}

#[test]
fn a_search_finds_the_figure_of_the_year_that_is_among_its_words() {
    let rules = rules();
    let assistant = assistant(rules);
    let (_, found) = read(&call(
        &assistant,
        "chercher",
        &json!({"mots": "plafond de la sécurité sociale 2025"}),
    ));
    let first = &found["trouve"][0];
    // Several folders have it, of the same amount.
    assert_eq!(first["chiffre"], json!("plafond_ss"), "{found}");
    assert!(
        first["valeur"]
            .as_str()
            .expect("a value")
            .starts_with("3\u{202f}925"),
        "{first}"
    );
    let (_, found) = read(&call(
        &assistant,
        "chercher",
        &json!({"mots": "droits de douane zimbabwe"}),
    ));
    assert_eq!(
        (
            found["trouve"].as_array().map(Vec::len),
            &found["reserves"][0]["nature"]
        ),
        (Some(0), &json!("non_couvert"))
    );
}

#[test]
fn not_covered_and_not_verified_are_different_words() {
    let rules = rules();
    let assistant = assistant(rules);
    let (text, refused) = read(&call(
        &assistant,
        "ir",
        &json!({"revenu": 30000, "date": "2010-01-01"}),
    ));
    assert!(
        refused["nature"] == "non_couvert" && text.starts_with("Non couvert"),
        "{text}"
    );
    let (text, answered) = read(&call(
        &assistant,
        "ir",
        &json!({"revenu": 30000, "date": "2040-01-01"}),
    ));
    assert!(
        answered["reserves"][0]["nature"] == "non_verifie" && text.contains("Non vérifié"),
        "{text}"
    );
    let (_, refused) = read(&call(&assistant, "ir", &json!({"parts": 2})));
    assert_eq!(refused["nature"], "incomplet");
}

#[test]
fn every_page_can_be_read() {
    let rules = rules();
    let assistant = assistant(rules);
    let pages = assistant.resources();
    assert_eq!(pages.len(), rules.folders().count() + 1);
    for page in pages {
        let read = serde_json::to_value(assistant.read(&page.uri).expect("a page"))
            .expect("a page is JSON");
        assert!(
            read["text"].as_str().expect("a text").starts_with("# "),
            "{}",
            page.uri
        );
    }
    assert!(assistant.read("bareme://baremes/ir/2025-06-30").is_some());
    for unknown in [
        "bareme://baremes/ir/2010-01-01",
        "bareme://baremes/lune",
        "bareme://mots/lune",
        "file:///etc/passwd",
    ] {
        assert!(assistant.read(unknown).is_none(), "{unknown}");
    }
}

#[test]
fn only_calculations_are_calls_of_the_quota() {
    let rules = rules();
    let assistant = assistant(rules);
    let free: Vec<String> = assistant
        .tools()
        .iter()
        .map(|tool| tool.name.to_string())
        .filter(|name| !assistant.calculates(name))
        .collect();
    assert_eq!(free, ["chercher", "chiffre", "changements"]);
    assert!(
        !assistant.calculates("inconnu")
            && assistant.call("inconnu", &serde_json::Map::new()).is_none()
    );
}
