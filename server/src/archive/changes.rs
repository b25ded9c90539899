//! The differences between a rule set and the set before it, in the JSON form of the store.

use std::collections::BTreeMap;

use bareme_accounts::store::rule_sets::FileDigest;
use bareme_engine::FileSet;
use bareme_engine::service::Rules;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::correction::Correction;

/// The differences between a rule set and the set before it, serialised as JSON in the store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Changes {
    /// The files that changed, by path: the digest of the text, or none for one that is gone.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, Option<Hex>>,
    /// The laws of each folder that changed; none for a folder that is gone.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub laws: BTreeMap<String, Option<Vec<Law>>>,
    /// The laws of past or present days that the set replaces, each with its effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corrections: Vec<Correction>,
}

/// The law of a folder from a day on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Law {
    /// The day from which it applies; none for a method without dates.
    #[serde(with = "day")]
    pub from: Option<Date>,
    /// Its version, which answers name.
    pub version: String,
}

/// A day as JSON has it, `2026-03-15`, or null.
pub(crate) mod day {
    use jiff::civil::Date;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        day: &Option<Date>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        day.map(|day| day.to_string()).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Date>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| text.parse().map_err(D::Error::custom))
            .transpose()
    }
}

/// A digest in hexadecimal, as JSON has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Hex(String);

impl Hex {
    pub(crate) fn of(digest: FileDigest) -> Self {
        Self(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The digest; none where a store holds something else.
    pub(crate) fn digest(&self) -> Option<FileDigest> {
        let mut digest = [0; 32];
        for (index, byte) in digest.iter_mut().enumerate() {
            let start = index * 2;
            *byte = u8::from_str_radix(self.0.get(start..start + 2)?, 16).ok()?;
        }
        Some(digest)
    }
}

/// The state of a rule set: its files and its laws, whatever was before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// The digest of each file, by path.
    pub files: BTreeMap<String, Hex>,
    /// The laws of each folder, the oldest first.
    pub laws: BTreeMap<String, Vec<Law>>,
}

impl State {
    /// The state of rules read from these files.
    pub(crate) fn of(rules: &Rules, files: &FileSet) -> Self {
        let digest = |text: &str| Hex::of(Sha256::digest(text).into());
        let laws = rules.folders().map(|folder| {
            let laws = folder.laws().map(|(from, version)| Law {
                from,
                version: version.to_owned(),
            });
            (folder.path().to_owned(), laws.collect())
        });

        Self {
            files: files
                .texts()
                .map(|(path, text)| (path.to_owned(), digest(text)))
                .collect(),
            laws: laws.collect(),
        }
    }

    /// The state after some changes.
    pub(crate) fn apply(&mut self, changes: &Changes) {
        for (path, digest) in &changes.files {
            match digest {
                Some(digest) => drop(self.files.insert(path.clone(), digest.clone())),
                None => drop(self.files.remove(path)),
            }
        }
        for (folder, laws) in &changes.laws {
            match laws {
                Some(laws) => drop(self.laws.insert(folder.clone(), laws.clone())),
                None => drop(self.laws.remove(folder)),
            }
        }
    }

    /// The changes that make this state of an earlier one; no correction yet.
    pub(crate) fn since(&self, before: &Self) -> Changes {
        Changes {
            files: changed(&before.files, &self.files),
            laws: changed(&before.laws, &self.laws),
            corrections: Vec::new(),
        }
    }
}

/// The entries that are new or differ, and those that are gone.
fn changed<V: Clone + PartialEq>(
    before: &BTreeMap<String, V>,
    now: &BTreeMap<String, V>,
) -> BTreeMap<String, Option<V>> {
    let differs = |(name, value): &(&String, &V)| before.get(*name) != Some(*value);
    let new = now
        .iter()
        .filter(differs)
        .map(|(name, value)| (name.clone(), Some(value.clone())));

    let gone = before.keys().filter(|name| !now.contains_key(*name));
    new.chain(gone.map(|name| (name.clone(), None))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(files: &[(&str, u8)], laws: &[(&str, &str)]) -> State {
        let law = |version: &str| Law {
            from: None,
            version: version.to_owned(),
        };
        State {
            files: files
                .iter()
                .map(|(path, byte)| ((*path).to_owned(), Hex::of([*byte; 32])))
                .collect(),
            laws: laws
                .iter()
                .map(|(folder, version)| ((*folder).to_owned(), vec![law(version)]))
                .collect(),
        }
    }

    #[test]
    fn changes_lead_from_one_state_to_the_other_and_through_json() {
        let before = state(&[("a", 1), ("b", 2), ("c", 3)], &[("x", "1"), ("y", "2")]);
        let after = state(&[("a", 1), ("b", 9), ("d", 4)], &[("x", "1"), ("z", "3")]);

        let changes = after.since(&before);
        assert_eq!(changes.files.len(), 3);
        assert_eq!(changes.laws.len(), 2);
        let text = serde_json::to_string(&changes).unwrap();
        let read: Changes = serde_json::from_str(&text).unwrap();
        assert_eq!(read, changes);

        let mut applied = before.clone();
        applied.apply(&read);
        assert_eq!(applied, after);
        assert_eq!(after.since(&after), Changes::default());
    }

    #[test]
    fn a_digest_is_read_as_it_was_written() {
        let digest = std::array::from_fn(|index| index as u8 * 7);
        assert_eq!(Hex::of(digest).digest(), Some(digest));
        for other in ["", "00", &"zz".repeat(32), &"é".repeat(32)] {
            assert_eq!(Hex(other.to_owned()).digest(), None, "{other}");
        }
    }
}
