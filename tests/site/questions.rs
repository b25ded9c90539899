//! Questions that people type: each page has the amount of the interface, from the rules in force.

use harness::{Rules, Server, eventually, repository};
use serde_json::Value;

use crate::pages::{english, in_language, page, pages};

/// A question of `service.yaml`, with its endpoint.
struct Asked {
    endpoint: String,
    name: String,
    question: Value,
    found_by: Value,
    /// The folder of a family that answers it.
    folder: Option<String>,
    /// The parameter that is one word for each question, and that word.
    each: Option<(String, String)>,
}

/// Every question of the repository, those of one entry each.
fn asked() -> Vec<Asked> {
    let text = std::fs::read_to_string(repository().join("rules/service.yaml")).unwrap();
    let service: Value = serde_yaml::from_str(&text).unwrap();
    let mut all = Vec::new();
    for (endpoint, described) in service["endpoints"].as_object().unwrap() {
        let questions = described["questions"].as_object();
        for (name, question) in questions.into_iter().flatten() {
            let with = |folder: Option<String>, each| Asked {
                endpoint: endpoint.clone(),
                name: name.clone(),
                question: question.clone(),
                found_by: described["found_by"].clone(),
                folder,
                each,
            };
            let own = question["word"].as_str().map(str::to_owned);
            match question["each"].as_str() {
                None => all.push(with(own, None)),
                Some(each) => all.extend(words(described, each).into_iter().map(|word| {
                    let folder = described["family"].as_str().map(|_| word.clone());
                    with(folder, Some((each.to_owned(), word)))
                })),
            }
        }
    }
    all.retain(Asked::is_found);
    all
}

/// The words of a choice that makes questions: the folders of a family, or those of an input.
fn words(described: &Value, each: &str) -> Vec<String> {
    let rules = repository().join("rules");
    if let Some(family) = described["family"].as_str() {
        let entries = std::fs::read_dir(rules.join(family)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        return names.collect();
    }
    let folder = rules.join(described["folder"].as_str().unwrap());
    let text = std::fs::read_to_string(folder.join("method.yaml")).unwrap();
    let method: Value = serde_yaml::from_str(&text).unwrap();
    let values = method["inputs"][each]["values"].as_object().unwrap();
    values.keys().cloned().collect()
}

impl Asked {
    fn path(&self) -> String {
        match &self.each {
            Some((_, word)) => format!("/questions/{}-{}", self.name, word.replace('_', "-")),
            None => format!("/questions/{}", self.name),
        }
    }

    /// What finds its input: the endpoint and the word of its folder.
    fn finder(&self) -> Option<(&Value, &str)> {
        let found = &self.found_by[self.question["found"].as_str()?];
        let word = found["word"].as_str().or(self.folder.as_deref());
        Some((found, word.unwrap()))
    }

    /// Whether the folder that finds its input is there: some countries have no minimum wage.
    fn is_found(&self) -> bool {
        self.finder().is_none_or(|(found, word)| {
            let folder = format!("rules/{}/{word}", found["endpoint"].as_str().unwrap());
            repository().join(folder).is_dir()
        })
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
        if let Some((found, word)) = self.finder() {
            let input = self.question["found"].as_str().unwrap();
            let call = format!(
                "/api/v1/{}?pays={word}",
                found["endpoint"].as_str().unwrap()
            );
            let value = &server.get(&call).json()[found["fields"].as_str().unwrap()];
            parameters.push(format!("{input}={value}"));
        }
        let word = self.folder.iter().map(|word| format!("pays={word}"));
        parameters.extend(word);
        if let Some((each, word)) = self.each.as_ref().filter(|_| self.folder.is_none()) {
            parameters.push(format!("{each}={word}"));
        }
        let call = format!("/api/v1/{}?{}", self.endpoint, parameters.join("&"));
        let answer = server.get(&call).json();
        assert!(answer["code"].is_null(), "{call}: {answer}");
        answer
    }
}

/// The number at the end of the title of a page: 1 478,65 of `SMIC net 2026 : 1 478,65 €`.
fn answered(page: &str, decimal: char) -> f64 {
    let title = page.split("<title>").nth(1).unwrap();
    let title = title.split(" – ").next().unwrap();
    number(title.rsplit(':').next().unwrap(), decimal)
}

/// The number of a text.
fn number(text: &str, decimal: char) -> f64 {
    let is_kept = |letter: &char| letter.is_ascii_digit() || *letter == decimal;
    let digits: String = text.chars().filter(is_kept).collect();
    digits.replace(decimal, ".").parse().unwrap()
}

/// The sentence that answers.
fn sentence(page: &str) -> &str {
    let sentence = page.split("<p class=\"sentence\">").nth(1).unwrap();
    sentence.split("</p>").next().unwrap()
}

/// The endpoints whose calculations are in English.
const ENGLISH: [&str; 4] = ["salaire", "salaire-net", "salaire-minimum", "tva-afrique"];

#[test]
fn each_question_has_the_amount_of_the_interface() {
    let server = Server::start();
    let all = asked();
    assert!(all.len() >= 90, "{}", all.len());
    let (listed, in_english) = (pages(&server), english(&server));
    let index = page(&server.get("/questions"));
    for question in &all {
        let path = question.path();
        let link = format!("href=\"{path}\"");
        assert!(listed.contains(&path), "{path} is in the sitemap");
        assert!(index.contains(&link), "{path}");

        let text = page(&server.get(&path));
        let expected = &question.answer(&server)[question.question["answer"].as_str().unwrap()];
        assert_eq!(Some(answered(&text, ',')), expected.as_f64(), "{path}");
        // What answers is the first of the results, in large type.
        let first = text
            .split("<dd>")
            .nth(1)
            .unwrap()
            .split('<')
            .next()
            .unwrap();
        assert_eq!(Some(number(first, ',')), expected.as_f64(), "{path}");
        // The text shows amounts, and no name of a field.
        let sentence = self::sentence(&text);
        assert!(!sentence.contains(['{', '_']), "{sentence}");

        // In English, the same amount at the same address below another beginning.
        let path = format!("/en{path}");
        let is_english = ENGLISH.contains(&question.endpoint.as_str());
        assert_eq!(in_english.contains(&path), is_english, "{path}");
        if is_english {
            let text = in_language(&server.get(&path), "en");
            assert_eq!(Some(answered(&text, '.')), expected.as_f64(), "{path}");
            assert!(!self::sentence(&text).contains(['{', '_']), "{path}");
            assert!(text.contains("\"inLanguage\":\"en\""), "{path}");
        }
        assert!(
            text.contains("FAQPage") && text.contains("D’où viennent les chiffres"),
            "{path}"
        );
    }
}

#[test]
fn the_home_page_has_the_first_questions_of_each_endpoint() {
    let home = page(&Server::start().get("/"));
    let (_, list) = home.split_once("<ul class=\"places asked\">").unwrap();
    let list = list.split("</ul>").next().unwrap();
    let shown = list.split("href=\"/questions/").skip(1);
    let shown: Vec<&str> = shown.filter_map(|link| link.split('"').next()).collect();

    assert_eq!(
        shown,
        [
            "impot-pour-30000-euros",
            "smic-net",
            "mensualite-200000-euros-20-ans",
            "3000-euros-brut-en-net-belgique",
            "frais-de-notaire-250000-euros",
            "impot-pour-50000-euros",
            "smic-cout-employeur",
            "2000-euros-net-en-brut-belgique",
            "2000-euros-brut-en-net",
            "300000-francs-brut-en-net-cote-d-ivoire",
            "2500-euros-brut-en-net",
            "4000-euros-brut-en-net-luxembourg",
        ]
    );
}

#[test]
fn an_answer_follows_the_rules() {
    // Each figure has a case: without the cases any rate is taken over.
    let rules = Rules::copy().without_cases();
    let server = Server::with(&rules.root(), &[]);
    let path = "/questions/2000-euros-brut-en-net";
    let before = answered(&page(&server.get(path)), ',');

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
        let now = answered(&page(&server.get(path)), ',');
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

#[test]
fn what_people_type_in_english_finds_its_answer() {
    let server = Server::start();
    let found = |path: &str, words: &str| {
        let answer = server.get(&format!("{path}?q={}", words.replace(' ', "+")));
        assert_eq!(answer.status, 200);
        String::from_utf8(answer.body).unwrap()
    };
    for (words, path) in [
        (
            "minimum wage in Belgium 2026 net",
            "/en/questions/salaire-minimum-net-be",
        ),
        ("VAT rate in Senegal", "/en/questions/taux-de-tva-senegal"),
        (
            "42,000 gross to net in France",
            "/en/questions/42000-euros-brut-en-net",
        ),
        ("net to gross", "/en/questions/1500-euros-net-en-brut"),
    ] {
        let suggested = found("/en/site/recherche", words);
        assert!(
            suggested.contains(&format!("data-vers=\"{path}\"")),
            "{words}: {suggested}"
        );
        let searched = found("/en/simulateurs", words);
        assert!(
            searched.contains(&format!("href=\"{path}\"")),
            "{words}: {searched}"
        );
    }

    // The page of the calculation leads to its questions, and the home page to all of them.
    let pay = in_language(&server.get("/en/simulateurs/salaire-net/be"), "en");
    for name in ["salaire-minimum-net-be", "3000-euros-brut-en-net-belgique"] {
        assert!(
            pay.contains(&format!("href=\"/en/questions/{name}\"")),
            "{name}"
        );
    }
    assert!(!pay.contains("salaire-minimum-net-lu"));
    let home = in_language(&server.get("/en"), "en");
    assert!(home.contains("href=\"/en/questions\""));
    let both = page(&server.get("/questions/smic-net"));
    assert!(both.contains("hreflang=\"en\" href=\"https://bareme.example/en/questions/smic-net\""));
}

#[test]
fn the_year_of_a_title_is_that_of_the_law() {
    // From the first day that no figure is known for, the title keeps the year of the last one.
    let rules = Rules::copy().without_cases();
    let before = page(&Server::with(&rules.root(), &[]).get("/questions/salaire-minimum-be"));
    let day = |name: &str| name.get(..4).and_then(|year| year.parse::<i32>().ok());
    let folder = rules.root().join("salaire-minimum/be");
    let files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| day(name).is_some())
        .collect();
    let last = files.iter().max().unwrap().clone();
    let year = day(&last).unwrap();
    assert!(
        before.contains(&format!("Salaire minimum {year}, Belgique")),
        "{before}"
    );

    let file = format!("salaire-minimum/be/{last}");
    let text = rules.read(&file);
    let known = text
        .lines()
        .find(|line| line.starts_with("known_until:"))
        .unwrap();
    let earlier = format!("known_until: {}-12-31", year - 1);
    for name in &files {
        let older = name.replace(&year.to_string(), &(year - 1).to_string());
        assert!(*name == last || older != last, "{older}");
    }
    let moved = format!("salaire-minimum/be/{}-01-02.yaml", year - 1);
    rules.write(&moved, &text.replace(known, &earlier));
    std::fs::remove_file(rules.root().join(&file)).unwrap();
    let after = page(&Server::with(&rules.root(), &[]).get("/questions/salaire-minimum-be"));
    assert!(
        after.contains(&format!("Salaire minimum {}, Belgique", year - 1)),
        "{after}"
    );
}
