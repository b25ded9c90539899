//! Bundles: the files of a rule set as bytes.
//!
//! A bundle is a JSON object of the `format` and of the `files`, each path with its text, in the
//! order of the paths, and of what else makes the rules (drafts, the figures of a hypothesis),
//! compressed by Zstandard. Its hash is the SHA-256 of the JSON text: equal
//! files have equal hashes, whoever compressed them.

use std::collections::BTreeMap;
use std::io::Read as _;

use bareme_engine::FileSet;
use bareme_engine::law::Drafts;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

const FORMAT: &str = "bareme-bundle/1";

/// Longest text of a bundle, in bytes: far above the largest rule set that is read.
const LONGEST: u64 = 256 << 20;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    format: String,
    files: BTreeMap<String, String>,
    /// Whether drafts are in force; left out where they are not, so that the hash of other rules
    /// does not depend on it.
    #[serde(default, skip_serializing_if = "is_false")]
    drafts: bool,
    /// The figures that a hypothesis set, each with its value: cases do not hold for them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    figures: BTreeMap<String, String>,
    /// Whether the rules are a set that a service has kept, which is not checked again.
    #[serde(default, skip_serializing_if = "is_false")]
    kept: bool,
    /// The version of the law that calculates, where one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    law: Option<String>,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// What a bundle holds.
pub(crate) struct Unpacked {
    pub(crate) files: FileSet,
    pub(crate) variant: Variant,
}

/// How the rules of a bundle differ from those that their files alone make.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Variant {
    /// Whether drafts are in force.
    pub(crate) drafts: Drafts,
    /// The figures that a hypothesis set, each with its value.
    pub(crate) figures: BTreeMap<String, String>,
    /// Whether they are a set that a service has kept: whoever published it has checked it.
    pub(crate) is_kept: bool,
    /// The version of the law that calculates; another is refused.
    pub(crate) law: Option<String>,
}

/// The hash of a bundle, and its bytes.
pub(crate) struct Bundle {
    pub(crate) hash: String,
    pub(crate) bytes: Vec<u8>,
}

impl Bundle {
    /// The bundle of a rule set.
    pub(crate) fn new(files: &FileSet, variant: &Variant) -> Result<Self, String> {
        // Rule files are read from a map of paths, so that the order of the text does not depend on
        // the file system.
        let files = files
            .texts()
            .map(|(path, text)| (path.to_owned(), text.to_owned()))
            .collect();

        let content = Content {
            format: FORMAT.to_owned(),
            files,
            drafts: variant.drafts == Drafts::Included,
            figures: variant.figures.clone(),
            kept: variant.is_kept,
            law: variant.law.clone(),
        };

        let text = serde_json::to_vec(&content).map_err(|error| error.to_string())?;
        let bytes = zstd::encode_all(text.as_slice(), zstd::DEFAULT_COMPRESSION_LEVEL);
        // The hash is that of the text, not of the bytes: another version of Zstandard may compress
        // otherwise.
        Ok(Self {
            hash: hash(&text),
            bytes: bytes.map_err(|error| error.to_string())?,
        })
    }
}

/// The JSON text of a bundle.
pub(crate) fn text(bytes: &[u8]) -> Result<Vec<u8>, String> {
    // A few kilobytes may decompress to gigabytes: reading stops one byte after the limit.
    let mut text = Vec::new();
    let decoder = zstd::Decoder::new(bytes).map_err(|error| error.to_string())?;

    decoder
        .take(LONGEST + 1)
        .read_to_end(&mut text)
        .map_err(|error| error.to_string())?;

    if text.len() as u64 > LONGEST {
        return Err(format!("longer than {LONGEST} bytes"));
    }
    Ok(text)
}

/// What the JSON text of a bundle holds.
pub(crate) fn unpacked(text: &[u8]) -> Result<Unpacked, String> {
    let content: Content = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    // The format has a version, so that an older package rejects a newer bundle rather than reading
    // it wrongly.
    if content.format != FORMAT {
        return Err(format!(
            "the format is {:?}, not {FORMAT:?}",
            content.format
        ));
    }

    let drafts = if content.drafts {
        Drafts::Included
    } else {
        Drafts::Aside
    };
    Ok(Unpacked {
        files: FileSet::from_texts(content.files),
        variant: Variant {
            drafts,
            figures: content.figures,
            is_kept: content.kept,
            law: content.law,
        },
    })
}

/// The hash of the JSON text of a bundle.
pub(crate) fn hash(text: &[u8]) -> String {
    Sha256::digest(text)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
