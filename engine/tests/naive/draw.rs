//! Random queries: what an input accepts, what it refuses, and the edges of every figure of the
//! scale.

use bareme_engine::authoring::Node;
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive};

use crate::input::words;
use crate::law::{Law, Rat, Value, entries, literal, plain, power_of_ten, round, text};

/// A small generator (SplitMix64): the same numbers on every machine.
pub(crate) struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    pub(crate) fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn pick<'l, T>(&mut self, list: &'l [T]) -> &'l T {
        &list[self.below(list.len() as u64) as usize]
    }
}

/// The amounts of a scale, where the law changes.
pub(crate) fn edges(law: &Law) -> Vec<Rat> {
    let mut edges = Vec::new();
    for row in law
        .figures
        .values()
        .flat_map(|figure| figure.rows.iter().chain([&figure.record]))
    {
        edges.extend(row.bound.iter().map(|(_, value)| value.clone()));
        edges.extend(row.cells.values().filter_map(|cell| match cell {
            Value::Number(value, true) => Some(value.abs()),
            _ => None,
        }));
    }

    edges
}

/// A query on the inputs of a method.
pub(crate) fn query(law: &Law, edges: &[Rat], random: &mut Random) -> Vec<(String, String)> {
    let mut query = Vec::new();
    // A group mostly has a value of each input for each item.
    let counts: Vec<(&str, u64)> = entries(&law.method, "groups")
        .iter()
        .map(|(group, _)| (group.value.as_str(), random.below(4)))
        .collect();
    for (name, input) in entries(&law.method, "inputs") {
        let count = counts
            .iter()
            .find(|(group, _)| text(input, "group") == Some(*group));
        if let Some((_, count)) = count {
            let is_wrong = u64::from(random.one_in(40));
            let values = (0..count + is_wrong).map(|_| value(input, edges, random));
            let values: Vec<String> = values.collect();
            if !values.is_empty() && (text(input, "required").is_some() || !random.one_in(3)) {
                query.push((name.value.clone(), values.join(";")));
            }
            continue;
        }
        let is_required = text(input, "required") == Some("true");
        let is_left_out = if is_required {
            random.one_in(200)
        } else {
            random.one_in(2)
        };
        if !is_left_out {
            query.push((name.value.clone(), value(input, edges, random)));
        }
    }

    query
}

fn value(input: &Node, edges: &[Rat], random: &mut Random) -> String {
    if random.one_in(100) {
        let strange = [
            "",
            "abc",
            "-1",
            "1e3",
            "12,5",
            "0.001",
            "7.333",
            "99999999999999999999",
            " 1",
            "NaN",
        ];
        return (*random.pick(&strange)).to_owned();
    }

    match text(input, "type").unwrap() {
        "boolean" => (*random.pick(&["true", "false", "1", "0", "oui", "Non"])).to_owned(),
        "choice" => {
            let aliases = entries(input, "aliases")
                .iter()
                .map(|(alias, _)| alias.value.clone());
            let words: Vec<String> = words(input, "values").into_iter().chain(aliases).collect();
            let word = random.pick(&words);
            if random.one_in(10) {
                format!(" {} ", word.to_uppercase().replace('_', " - "))
            } else {
                word.clone()
            }
        }
        "rate" => {
            let words = words(input, "words");
            let admitted = ["0", "5.5", "20", "8.5", "2.1", "10"];
            match random.below(3) {
                0 if !words.is_empty() => random.pick(&words).clone(),
                1 => (*random.pick(&admitted)).to_owned(),
                _ => written(&Rat::new(BigInt::from(random.below(1500)), power_of_ten(2))),
            }
        }
        "money" => amount(input, edges, random),
        _ => count(input, random),
    }
}

fn amount(input: &Node, edges: &[Rat], random: &mut Random) -> String {
    let max = text(input, "max")
        .map_or_else(|| plain("1000000000000"), literal)
        .unwrap();
    let cent = Rat::new(BigInt::one(), power_of_ten(2));
    let unit = if random.one_in(2) {
        cent.clone()
    } else {
        Rat::one()
    };

    let near = BigInt::from(random.below(3)) - 1;
    let value = match random.below(20) {
        0 => max + unit * near,
        1 => Rat::from(BigInt::from(random.below(4))),
        2..=9 if !edges.is_empty() => {
            let edge = random.pick(edges) * BigInt::from(*random.pick(&[1, 1, 1, 2, 3, 12]));
            let edge = edge / BigInt::from(*random.pick(&[1, 1, 2, 12, 12]));
            round(&edge, &cent, "half_up") + unit * near
        }
        // As many small amounts as great ones.
        _ => {
            let digits = 1 + random.below(9);
            let whole = Rat::from(BigInt::from(
                random.below(10_u64.pow(u32::try_from(digits).unwrap())),
            ));
            if random.one_in(2) {
                whole
            } else {
                whole * &cent
            }
        }
    };

    written(&value)
}

fn count(input: &Node, random: &mut Random) -> String {
    let limit = |key: &str| text(input, key).map(|text| literal(text).unwrap());
    let is_integer = text(input, "type") == Some("integer");
    let step = limit("step").unwrap_or_else(|| {
        if is_integer {
            Rat::one()
        } else {
            Rat::new(BigInt::one(), BigInt::from(4))
        }
    });
    let min = limit("min").unwrap_or_default();
    let max = limit("max").unwrap_or_else(|| Rat::from(BigInt::from(100)));
    let count = ((&max - &min) / &step).to_integer().to_u64().unwrap();
    let beyond = if random.one_in(50) { 2 } else { 0 };
    // Great numbers are rare: a table of the law ends after a dozen rows.
    let most = if random.one_in(3) {
        count
    } else {
        count.min(12)
    };

    written(&(min + step * BigInt::from(random.below(most + 1 + beyond))))
}

/// In plain decimals.
fn written(value: &Rat) -> String {
    let thousandths = (value * power_of_ten(3)).to_integer();
    let sign = if thousandths.is_negative() { "-" } else { "" };
    let digits = format!("{:04}", thousandths.abs());
    let (whole, fraction) = digits.split_at(digits.len() - 3);
    format!("{sign}{whole}.{fraction}")
        .trim_end_matches('0')
        .trim_end_matches('.')
        .to_owned()
}
