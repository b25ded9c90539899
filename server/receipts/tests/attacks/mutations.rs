//! Mutations: of bytes, at random places that are the same each time, and of every value.

use bareme_receipts::canonical::canonical;
use bareme_receipts::check::check;
use serde_json::Value;

use crate::{batch, key, receipt, set};

/// Mutations of a test run.
const USUAL: u64 = 6_000;

/// A small generator: the same numbers each time.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

#[test]
fn mutated_receipts_are_refused() {
    let count = std::env::var("BAREME_RECEIPTS").ok();
    let count = count.map_or(USUAL, |count| count.parse().unwrap());
    let keys = set(&[&key(1), &key(2)]);
    let mut texts: Vec<String> = (0..4).map(|index| receipt(index, &key(1))).collect();
    texts.push(Value::from(batch(&key(2))).to_string());
    let canonicals: Vec<String> = texts.iter().map(|text| canonical(text).unwrap()).collect();

    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut refused, mut same) = (0, 0);
    for _ in 0..count {
        let index = random.below(texts.len());
        let mut bytes = texts[index].clone().into_bytes();
        let place = random.below(bytes.len());
        match random.below(5) {
            0 | 1 => bytes[place] = 0x20 + random.below(0x5f) as u8,
            2 => bytes.insert(place, 0x20 + random.below(0x5f) as u8),
            3 => drop(bytes.remove(place)),
            _ => {
                let other = random.below(bytes.len());
                bytes.swap(place, other);
            }
        }
        // Half a letter is no text, which no file reader gives.
        let Ok(mutated) = String::from_utf8(bytes) else {
            continue;
        };
        match check(&mutated, &keys) {
            Err(_) => refused += 1,
            // The same value: a blank between two members, a byte that is replaced by itself.
            Ok(_) => {
                assert_eq!(canonical(&mutated).unwrap(), canonicals[index], "{mutated}");
                same += 1;
            }
        }
    }
    assert!(
        refused > count * 8 / 10,
        "{refused} of {count}, {same} the same"
    );
    println!("{refused} refused, {same} with the same value, of {count}");
}

/// Every value of an answer, changed in place.
fn changed(value: &Value, place: &mut usize, target: usize) -> Value {
    let is_it = *place == target;
    *place += 1;
    match value {
        Value::Object(members) if !is_it => members
            .iter()
            .map(|(name, value)| (name.clone(), changed(value, place, target)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Array(items) if !is_it => items
            .iter()
            .map(|item| changed(item, place, target))
            .collect::<Vec<_>>()
            .into(),
        Value::String(text) => format!("{text}x").into(),
        Value::Number(number) => number.to_string().into(),
        Value::Bool(known) => (!known).into(),
        Value::Null => 0.into(),
        _ => Value::Null,
    }
}

#[test]
fn every_value_of_an_answer_is_signed() {
    let keys = set(&[&key(1)]);
    for index in [0, 1, 3] {
        let answer: Value = serde_json::from_str(&receipt(index, &key(1))).unwrap();
        let mut target = 1;
        loop {
            let mut place = 0;
            let other = changed(&answer, &mut place, target);
            if target >= place {
                break;
            }
            assert!(check(&other.to_string(), &keys).is_err(), "{other}");
            target += 1;
        }
        assert!(target > 15, "{target}");

        // A member more, one fewer, one of another name.
        let members = answer.as_object().unwrap();
        for name in members.keys().filter(|name| *name != "recu") {
            let mut fewer = members.clone();
            let value = fewer.shift_remove(name).unwrap();
            assert!(check(&Value::from(fewer.clone()).to_string(), &keys).is_err());
            fewer.insert(format!("{name}_"), value);
            assert!(check(&Value::from(fewer).to_string(), &keys).is_err());
        }
        let mut more = members.clone();
        more.insert("autre".to_owned(), Value::Null);
        assert!(check(&Value::from(more).to_string(), &keys).is_err());
    }
}
