//! Receipts that are changed are refused: bytes, members, rows, keys. `BAREME_RECEIPTS=100000`
//! makes as many mutations as that.

#![cfg(test)]

mod mutations;

use std::path::Path;
use std::sync::LazyLock;

use bareme_engine::jiff::Timestamp;
use bareme_engine::jiff::civil::{Date, date};
use bareme_engine::service::Rules;
use bareme_engine::{FileSet, Loader};
use bareme_receipts::again::{self, Again};
use bareme_receipts::canonical::canonical;
use bareme_receipts::check::{Checked, ReceiptError, check};
use bareme_receipts::claim::{self, Facts, Question, Row};
use bareme_receipts::jws::{JwsError, Kind};
use bareme_receipts::keys::{KeySet, SigningKey};
use bareme_receipts::merkle::{self, Tree};
use bareme_receipts::salt::Salts;
use serde_json::{Value, json};

const TODAY: Date = date(2026, 6, 30);

type Pairs = &'static [(&'static str, &'static str)];

/// Questions of several kinds.
const QUESTIONS: [(&str, Pairs); 5] = [
    ("ir", &[("revenu", "40000"), ("detail", "true")]),
    (
        "salaire-net",
        &[("pays", "ci"), ("brut", "350000"), ("parts", "2.5")],
    ),
    (
        "salaire-net",
        &[("pays", "ma"), ("brut", "12000"), ("version", "")],
    ),
    (
        "tva",
        &[
            ("montant", "249.90"),
            ("sens", "ttc"),
            ("date", "2026-01-31"),
        ],
    ),
    (
        "salaire/annee",
        &[("annee", "2026"), ("brut", "2650;2650;3000")],
    ),
];

fn files() -> FileSet {
    FileSet::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules"))
}

fn loaded(files: &FileSet) -> Rules {
    let loader = Loader::new().unchecked().without_cases();
    loader.load_service_files(files).rules.unwrap()
}

static RULES: LazyLock<Rules> = LazyLock::new(|| loaded(&files()));

fn key(first: u8) -> SigningKey {
    let mut seed = [9; 32];
    seed[0] = first;
    SigningKey::from_seed(&seed).unwrap()
}

fn set(keys: &[&SigningKey]) -> KeySet {
    let mut set = KeySet::default();
    keys.iter().for_each(|key| set.add(key.public().clone()));
    set
}

fn issued() -> Timestamp {
    "2026-07-01T12:00:00Z".parse().unwrap()
}

/// The facts of a question, and its answer.
fn answered(name: &str, pairs: Pairs) -> (Facts, String) {
    let endpoint = |name: &str| {
        let mut endpoints = RULES.service().endpoints.iter();
        endpoints.find(|endpoint| endpoint.name == name).unwrap()
    };
    if let Some(name) = name.strip_suffix("/annee") {
        let year = RULES.year(endpoint(name), pairs).unwrap();
        return (Facts::of_year(&year), year.to_json());
    }
    let calculation = RULES.calculate(endpoint(name), pairs, TODAY).unwrap();
    (Facts::of(&calculation), calculation.to_json())
}

fn question(
    calculation: &'static str,
    pairs: Pairs,
) -> Question<'static, &'static str, &'static str> {
    Question {
        calculation,
        pairs,
        today: TODAY,
    }
}

/// The payload of a receipt, and the answer.
fn payload(index: usize) -> (String, String) {
    let (name, pairs) = QUESTIONS[index];
    let (facts, answer) = answered(name, pairs);
    let text = claim::payload(question(name, pairs), &facts, &answer, issued()).unwrap();
    (text, answer)
}

/// An answer with its receipt.
fn receipt(index: usize, key: &SigningKey) -> String {
    let (payload, answer) = payload(index);
    let signed = key.signed(Kind::Receipt, &payload);
    format!(
        "{},\"recu\":\"{signed}\"}}",
        answer.strip_suffix('}').unwrap()
    )
}

/// A batch of all single questions, and a refused row.
fn batch(key: &SigningKey) -> Vec<Value> {
    let salts = Salts::new().unwrap();
    let mut rows = Vec::new();
    let mut leaves = Vec::new();
    for index in 0..7 {
        let pairs: Pairs = QUESTIONS[0].1;
        let (facts, answer) = answered("ir", pairs);
        let row_key = [("id", format!("\"{index}\""))];
        let is_refused = index == 5;
        let answer = match is_refused {
            true => format!("{{\"id\":\"{index}\",\"erreur\":{{\"code\":\"x\"}}}}"),
            false => format!("{{\"id\":\"{index}\",{}", &answer[1..]),
        };
        let row = Row {
            index,
            key: &row_key,
            answer: &answer,
            salt: &salts.of_row(index),
        };
        let facts = Some(&facts).filter(|_| !is_refused);
        let claim = claim::of_row(question("ir", pairs), facts, row).unwrap();
        assert_eq!(canonical(&claim).unwrap(), claim);
        leaves.push(merkle::leaf(&claim));

        let mut answer: Value = serde_json::from_str(&answer).unwrap();
        answer["recu"] = json!({"ligne": serde_json::from_str::<Value>(&claim).unwrap()});
        rows.push(answer);
    }

    let tree = Tree::new(leaves);
    let paths: Vec<Value> = (0..tree.count())
        .map(|index| serde_json::from_str(&claim::path_json(&tree.path(index))).unwrap())
        .collect();
    let payload = claim::of_batch("ir", &tree.root(), tree.count(), issued());
    let signed = key.signed(Kind::Batch, &payload);
    rows.push(json!({"recu": {"chemins": paths, "jws": signed}}));
    rows
}

fn verdicts(checked: &Checked, rules: &Rules) -> Vec<Again> {
    let attested = checked.attested.iter();
    attested.map(|one| again::compute(rules, one)).collect()
}

#[test]
fn every_receipt_holds_and_is_computed_again() {
    let keys = set(&[&key(1)]);
    for index in 0..QUESTIONS.len() {
        let (payload, answer) = payload(index);
        assert_eq!(canonical(&payload).unwrap(), payload, "{index}");
        let text = receipt(index, &key(1));
        let checked = check(&text, &keys).unwrap();
        assert_eq!(checked.key, key(1).public().id());
        assert_eq!(verdicts(&checked, &RULES), [Again::Same], "{index}");

        // Laid out in another way, in another order, it is the same; and alone as well.
        let parsed: Value = serde_json::from_str(&text).unwrap();
        let members: std::collections::BTreeMap<String, Value> =
            serde_json::from_value(parsed.clone()).unwrap();
        let jws = parsed["recu"].as_str().unwrap();
        for other in [
            serde_json::to_string_pretty(&members).unwrap(),
            jws.to_owned(),
            format!("{jws}\n"),
            format!("\"{jws}\""),
            format!("{{\"recu\":\"{jws}\"}}"),
        ] {
            let checked = check(&other, &keys).unwrap();
            assert_eq!(verdicts(&checked, &RULES), [Again::Same], "{index}");
        }

        // Every input is there, and the day that was not sent.
        let claim: Value = serde_json::from_str(&payload).unwrap();
        if index == 0 {
            assert_eq!(claim["demande"]["date"], "2026-06-30");
            assert_eq!(claim["entrees"]["parts"], "1");
            let answer: Value = serde_json::from_str(&answer).unwrap();
            assert_eq!(claim["resultats"]["impot_net"], answer["impot_net"]);
        }
        assert_eq!(claim["demande"]["version"], Value::Null);
    }
}

#[test]
fn a_batch_holds_as_a_whole_and_row_by_row() {
    let keys = set(&[&key(1)]);
    let rows = batch(&key(1));
    let whole = Value::from(rows.clone()).to_string();
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    for text in [whole, lines.join("\n"), lines.join("\r\n") + "\n"] {
        let checked = check(&text, &keys).unwrap();
        let verdicts = verdicts(&checked, &RULES);
        assert_eq!(verdicts.len(), 7);
        for (index, verdict) in verdicts.iter().enumerate() {
            let expected = if index == 5 {
                Again::Nothing
            } else {
                Again::Same
            };
            assert_eq!(*verdict, expected, "{index}");
        }
    }

    let receipt = &rows[7]["recu"];
    for index in 0..7 {
        let mut row = rows[index].clone();
        row["recu"]["chemin"] = receipt["chemins"][index].clone();
        row["recu"]["jws"] = receipt["jws"].clone();
        let checked = check(&row.to_string(), &keys).unwrap();
        assert_eq!(checked.attested[0].claim.ligne, Some(index as u64));
        // Alone, without the answer.
        assert!(check(&row["recu"].to_string(), &keys).is_ok());

        // The proof of another row, or the answer of another row, is refused.
        let other = (index + 1) % 7;
        let mut wrong = row.clone();
        wrong["recu"]["chemin"] = receipt["chemins"][other].clone();
        assert!(check(&wrong.to_string(), &keys).is_err());
        let mut wrong = rows[other].clone();
        wrong["recu"] = row["recu"].clone();
        let refused = check(&wrong.to_string(), &keys).unwrap_err();
        assert_eq!(refused, ReceiptError::Answer(Some(index as u64)));
    }
}

#[test]
fn rows_that_are_moved_left_out_or_of_another_batch_are_refused() {
    let keys = set(&[&key(1)]);
    let (rows, other) = (batch(&key(1)), batch(&key(1)));
    let refused = |rows: &[Value]| check(&Value::from(rows).to_string(), &keys).unwrap_err();
    let count = |found| ReceiptError::Count { found, signed: 7 };

    for (one, two) in [(0, 1), (2, 5), (0, 6), (3, 4)] {
        let mut swapped = rows.clone();
        swapped.swap(one, two);
        assert!(matches!(refused(&swapped), ReceiptError::Place(_)));
        // With their proofs as well.
        let paths = swapped[7]["recu"]["chemins"].as_array_mut().unwrap();
        paths.swap(one, two);
        assert!(matches!(refused(&swapped), ReceiptError::Place(_)));
        // With the place that they then claim.
        swapped[one]["recu"]["ligne"]["ligne"] = one.into();
        swapped[two]["recu"]["ligne"]["ligne"] = two.into();
        assert!(matches!(refused(&swapped), ReceiptError::Place(_)));
    }

    let mut fewer = rows.clone();
    fewer.remove(6);
    assert_eq!(refused(&fewer), count(6));
    fewer[6]["recu"]["chemins"].as_array_mut().unwrap().pop();
    assert_eq!(refused(&fewer), count(6));
    let mut more = rows.clone();
    more.insert(3, rows[3].clone());
    assert_eq!(refused(&more), count(8));
    let mut mixed = rows.clone();
    mixed[2] = other[2].clone();
    assert!(matches!(refused(&mixed), ReceiptError::Place(Some(2))));
    let mut mixed = rows.clone();
    mixed[7] = other[7].clone();
    assert!(matches!(refused(&mixed), ReceiptError::Place(Some(0))));
    assert_eq!(refused(&rows[..7]), ReceiptError::NoReceipt);

    // Equal rows have unequal hashes: each has its salt.
    assert_ne!(
        rows[7]["recu"]["chemins"][0][0],
        rows[7]["recu"]["chemins"][1][0]
    );
    // The receipt of a batch is none of a calculation, and the other way round.
    let of_batch = rows[7]["recu"]["jws"].as_str().unwrap();
    assert_eq!(check(of_batch, &keys).unwrap_err(), ReceiptError::Form);
    let single: Value = serde_json::from_str(&receipt(0, &key(1))).unwrap();
    let mut mixed = rows.clone();
    mixed[7]["recu"]["jws"] = single["recu"].clone();
    assert_eq!(refused(&mixed), ReceiptError::Form);
}

#[test]
fn another_key_an_old_key_and_no_key_are_refused() {
    let (one, other) = (key(1), key(2));
    let text = receipt(0, &one);
    let unknown = ReceiptError::Jws(JwsError::UnknownKey(one.public().id().to_owned()));
    assert_eq!(check(&text, &set(&[&other])).unwrap_err(), unknown);
    assert_eq!(check(&text, &KeySet::default()).unwrap_err(), unknown);
    // One that is retired and published verifies still.
    assert!(check(&text, &set(&[&other, &one])).is_ok());
}

#[test]
fn what_is_signed_must_have_the_form_of_a_receipt() {
    let one = key(1);
    let keys = set(&[&one]);
    let (payload, _) = payload(1);
    let value: Value = serde_json::from_str(&payload).unwrap();
    let without = |name: &str| {
        let mut value = value.clone();
        value.as_object_mut().unwrap().remove(name);
        canonical(&value.to_string()).unwrap()
    };
    let mut forms: Vec<String> = value
        .as_object()
        .unwrap()
        .keys()
        .map(|name| without(name))
        .collect();
    forms.push(payload.replacen('{', "{\"autre\":1,", 1));
    forms.push(payload.replacen('{', "{ ", 1));
    forms.push(payload.replacen("{\"calcul\"", "{\"calcul\":\"ir\",\"calcul\"", 1));
    forms.push("{}".to_owned());
    forms.push("[]".to_owned());
    forms.push(String::new());
    for form in forms {
        // Even by the right key: the service never signs such a thing.
        let text = one.signed(Kind::Receipt, &form);
        assert!(check(&text, &keys).is_err(), "{form}");
    }
}

#[test]
fn an_amount_that_the_right_key_has_signed_is_computed_again() {
    let one = key(1);
    let (payload, _) = payload(1);
    for (signed, forged, name) in [
        (
            "\"net_mensuel\":294950",
            "\"net_mensuel\":294951",
            "net_mensuel",
        ),
        (
            "\"parts\":\"2.5\",\"taux",
            "\"parts\":\"3\",\"taux",
            "parts",
        ),
    ] {
        assert!(payload.contains(signed), "{payload}");
        // The answer is another one too, whose digest nobody can compare without it.
        let digest: Value = serde_json::from_str(&payload).unwrap();
        let digest = digest["reponse"].as_str().unwrap().to_owned();
        let forged = payload
            .replace(signed, forged)
            .replace(&digest, &bareme_receipts::digest("{}"));
        let text = one.signed(Kind::Receipt, &forged);
        let checked = check(&text, &set(&[&one])).unwrap();
        let verdicts = verdicts(&checked, &RULES);
        let [Again::Differs(found)] = verdicts.as_slice() else {
            panic!("{name}: {verdicts:?}")
        };
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, name);
    }
}

#[test]
fn a_receipt_of_a_law_that_was_corrected_says_so() {
    let corrected = |file: &str, old: &str, new: &str| {
        let files = files();
        let texts = files.texts().map(|(path, text)| {
            let changed = text.replacen(old, new, 1);
            assert_eq!(
                path == file,
                changed != text || path != file && text.contains(old)
            );
            let text = if path == file {
                changed
            } else {
                text.to_owned()
            };
            (path.to_owned(), text)
        });
        loaded(&FileSet::from_texts(texts.collect::<Vec<_>>()))
    };
    let text = receipt(0, &key(1));
    let checked = check(&text, &set(&[&key(1)])).unwrap();

    let other = corrected("ir/2026-01-01.yaml", "{up_to: 29 579, ", "{up_to: 29 679, ");
    assert_eq!(verdicts(&checked, &other), [Again::LawNotAtHand]);
    // A law of another year is another law.
    let other = corrected("ir/2025-01-01.yaml", "{up_to: 29 315, ", "{up_to: 29 316, ");
    assert_eq!(verdicts(&checked, &other), [Again::Same]);
}
