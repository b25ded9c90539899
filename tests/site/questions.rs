//! Questions that people type: each page has the amount of the interface, from the rules in force.

use harness::{Rules, Server, eventually, repository};
use serde_json::Value;

use crate::pages::{page, pages};

/// A question of `service.yaml`, with its endpoint.
struct Asked {
    endpoint: String,
    name: String,
    question: Value,
    found_by: Value,
}

/// Every question of the repository.
fn asked() -> Vec<Asked> {
    let text = std::fs::read_to_string(repository().join("rules/service.yaml")).unwrap();
    let service: Value = serde_yaml::from_str(&text).unwrap();
    let mut all = Vec::new();
    for (endpoint, described) in service["endpoints"].as_object().unwrap() {
        let questions = described["questions"].as_object();
        for (name, question) in questions.into_iter().flatten() {
            all.push(Asked {
                endpoint: endpoint.clone(),
                name: name.clone(),
                question: question.clone(),
                found_by: described["found_by"].clone(),
            });
        }
    }
    all
}

impl Asked {
    fn path(&self) -> String {
        format!("/questions/{}", self.name)
    }

    /// The answer of the interface to the same question.
    fn answer(&self, server: &Server) -> Value {
        let given = self.question["given"].as_object().into_iter().flatten();
        let mut parameters: Vec<String> = given
            .map(|(name, value)| match value {
                Value::String(text) => format!("{name}={text}"),
                other => format!("{name}={other}"),
            })
            .collect();
        if let Some(input) = self.question["found"].as_str() {
            let found = &self.found_by[input];
            let (endpoint, word) = (found["endpoint"].as_str(), found["word"].as_str());
            let call = format!("/api/v1/{}?pays={}", endpoint.unwrap(), word.unwrap());
            let value = &server.get(&call).json()[found["fields"].as_str().unwrap()];
            parameters.push(format!("{input}={value}"));
        }
        let call = format!("/api/v1/{}?{}", self.endpoint, parameters.join("&"));
        let answer = server.get(&call).json();
        assert!(answer["code"].is_null(), "{call}: {answer}");
        answer
    }
}

/// The number at the end of the title of a page: 1 478,65 of `SMIC net 2026 : 1 478,65 €`.
fn answered(page: &str) -> f64 {
    let title = page.split("<title>").nth(1).unwrap();
    let title = title.split(" – ").next().unwrap();
    let value = title.rsplit(':').next().unwrap();
    let digits: String = value
        .chars()
        .filter(|letter| letter.is_ascii_digit() || *letter == ',')
        .collect();
    digits.replace(',', ".").parse().unwrap()
}

#[test]
fn each_question_has_the_amount_of_the_interface() {
    let server = Server::start();
    let all = asked();
    assert!(all.len() >= 15, "{}", all.len());
    let listed = pages(&server);
    let (home, index) = (page(&server.get("/")), page(&server.get("/questions")));
    for question in &all {
        let path = question.path();
        let link = format!("href=\"{path}\"");
        assert!(listed.contains(&path), "{path} is in the sitemap");
        assert!(home.contains(&link) && index.contains(&link), "{path}");

        let text = page(&server.get(&path));
        let expected = &question.answer(&server)[question.question["answer"].as_str().unwrap()];
        assert_eq!(Some(answered(&text)), expected.as_f64(), "{path}");
        // The text shows amounts, and no name of a field.
        let sentence = text.split("<p class=\"sentence\">").nth(1).unwrap();
        let sentence = sentence.split("</p>").next().unwrap();
        assert!(!sentence.contains(['{', '_']), "{sentence}");
        assert!(
            text.contains("FAQPage") && text.contains("D’où viennent les chiffres"),
            "{path}"
        );
    }
}

#[test]
fn an_answer_follows_the_rules() {
    // Each figure has a case: without the cases any rate is taken over.
    let rules = Rules::copy().without_cases();
    let server = Server::with(&rules.root(), &[]);
    let path = "/questions/2000-euros-brut-en-net";
    let before = answered(&page(&server.get(path)));

    let folder = rules.root().join("salaire");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.starts_with("2026") {
            let file = format!("salaire/{name}");
            let text = rules.read(&file);
            let (old, new) = ("deplafonnee: {rate: 0.40%", "deplafonnee: {rate: 0.45%");
            let changed = text.replace(old, new);
            assert_ne!(text, changed, "{name}");
            rules.write(&file, &changed);
        }
    }
    eventually("the answer follows", || {
        let now = answered(&page(&server.get(path)));
        // Five hundredths of a percent of 2 000 more are withheld.
        (before - now - 1.0).abs() < 0.005
    });
}

#[test]
fn suggestions_are_those_of_the_search() {
    let server = Server::start();
    let found = |words: &str| {
        let answer = server.get(&format!("/site/recherche?q={words}"));
        assert_eq!(answer.status, 200);
        String::from_utf8(answer.body).unwrap()
    };
    let first = |list: &str| {
        let option = list.split("data-vers=\"").nth(1)?;
        option.split('"').next().map(str::to_owned)
    };
    assert_eq!(
        first(&found("notaire")).as_deref(),
        Some("/questions/frais-de-notaire-250000-euros")
    );
    assert_eq!(
        first(&found("mortgage")).as_deref(),
        Some("/simulateurs/pret")
    );
    assert!(found("smic+net").contains("/questions/smic-net\""));
    assert!(found("SMIC").matches("role=\"option\"").count() > 3);
    assert_eq!((found("zzyzx"), found("")), (String::new(), String::new()));
}
