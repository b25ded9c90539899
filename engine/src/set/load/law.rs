//! The version of the law of each edition: what its answers depend on, and nothing else.
//!
//! It is made of the method, of the dated file, and of the editions that these calculate or take
//! figures from. What nobody computes with does not count: comments, layout, worked cases, notes,
//! the traces of reading and confirming, the texts of pages, other years.

use std::collections::BTreeMap;

use jiff::civil::Date;
use sha2::{Digest as _, Sha256};

use crate::run::edition::Edition;
use crate::run::rules::{Digest, version_of};
use crate::text::{Content, Node};

/// Keys, wherever they stand, of what is written for whoever maintains the files or reads a page.
const ASIDE: [&str; 8] = [
    "checked_with",
    "confidence",
    "confirmed",
    "help",
    "note",
    "notes",
    "reviewed",
    "unconfirmed",
];

/// Sections of a file that do not say what holds on one of its days: how far the law was read, the
/// end of its days, and what pages show of it.
const SECTIONS_ASIDE: [&str; 19] = [
    "advances",
    "aliases",
    "bar",
    "carry_forward",
    "checked",
    "compare",
    "curve",
    "format",
    "headline",
    "known_until",
    "near",
    "once",
    "presets",
    "sections",
    "sentence",
    "state",
    "try",
    "until",
    "watch",
];

/// Sets the version of the law of each edition, from the methods by name and the dated files.
pub(super) fn set_versions(
    editions: &mut [Edition],
    methods: BTreeMap<&str, &Node>,
    scales: &BTreeMap<Date, &Node>,
) {
    // Each method once: many dated files follow the same one.
    let methods: BTreeMap<&str, Digest> = methods
        .into_iter()
        .map(|(name, node)| (name, law_of(node)))
        .collect();

    for edition in editions {
        let method = methods.get(edition.method.name.as_str());
        let scale = edition.scale().and_then(|scale| {
            let node = scales.get(&scale.date)?;
            Some((scale.date, *node))
        });

        let own = own_law(method.copied().unwrap_or_default(), scale);
        edition.set_version(&|edition| version_of_law(edition, own));
    }
}

/// Digest of the law in a file.
fn law_of(file: &Node) -> Digest {
    let mut digest = Sha256::new();
    add_sections(file, &mut digest);
    digest.finalize().into()
}

/// Digest of the law of an edition in its own files: those of its method, and of its dated scale.
fn own_law(method: Digest, scale: Option<(Date, &Node)>) -> Digest {
    let mut digest = Sha256::new();
    digest.update(method);
    if let Some((date, node)) = scale {
        digest.update(date.to_string());
        add_sections(node, &mut digest);
    }
    digest.finalize().into()
}

/// Adds the sections of a file that say what holds.
fn add_sections(file: &Node, digest: &mut Sha256) {
    let is_aside = |name: &str| SECTIONS_ASIDE.contains(&name) || ASIDE.contains(&name);
    let sections = file.entries().iter();
    for (key, value) in sections.filter(|(key, _)| !is_aside(&key.value)) {
        add_text(&key.value, digest);
        add(value, digest);
    }
}

/// Adds a node: its kind, its length, then what is in it, so that different trees never give the
/// same bytes.
fn add(node: &Node, digest: &mut Sha256) {
    match &node.content {
        Content::Empty => digest.update([0]),
        Content::Text(text) => add_text(&text.value, digest),
        Content::List(items) => {
            add_count(2, items.len(), digest);
            items.iter().for_each(|item| add(item, digest));
        }
        Content::Map(entries) => {
            let of_law = || {
                let entries = entries.iter();
                entries.filter(|(key, _)| !ASIDE.contains(&key.value.as_str()))
            };
            // Only those that count are counted, or a note would change the law.
            add_count(3, of_law().count(), digest);
            for (key, value) in of_law() {
                add_text(&key.value, digest);
                add(value, digest);
            }
        }
    }
}

/// Adds a text without its spaces: `1200` and `1 200` are one amount, and a text that is broken
/// into lines elsewhere says the same.
fn add_text(text: &str, digest: &mut Sha256) {
    let letters: String = text.split_whitespace().collect();
    add_count(1, letters.len(), digest);
    digest.update(letters);
}

fn add_count(kind: u8, count: usize, digest: &mut Sha256) {
    digest.update([kind]);
    digest.update((count as u64).to_be_bytes());
}

/// The version of an edition whose own files have this digest.
fn version_of_law(edition: &Edition, own: Digest) -> String {
    let used = edition.used_laws();
    if used.is_empty() {
        return version_of(own);
    }

    let mut digest = Sha256::new();
    digest.update(own);
    // Line ends separate them, or other pairs could give the same bytes.
    for (folder, version) in used {
        digest.update(format!("{folder}\n{version}\n"));
    }
    version_of(digest.finalize().into())
}
