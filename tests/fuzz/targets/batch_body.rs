//! Any bytes as the body of a batch call, CSV, JSON or JSON lines: as many answers as rows, or a
//! refusal.
//!
//! The first line of an input is the type of the body and the endpoint.

use super::service::{asked, check_answer};
use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "batch_body",
    seeds,
    tokens: &TOKENS,
    check,
};

const TOKENS: [&str; 30] = [
    "\n",
    "\r\n",
    "\r",
    ",",
    ";",
    "\t",
    "\"",
    "\"\"",
    "\u{feff}",
    "{",
    "}",
    "[",
    "]",
    "null",
    "true",
    "1e5",
    "1.0",
    "-0",
    "é",
    "\0",
    "text/csv tva\n",
    "application/json tva\n",
    "application/x-ndjson tva\n",
    "brut",
    "montant",
    "taux",
    "sens",
    "date",
    "\\u0000",
    "79228162514264337593543950336",
];

const MEDIA: [&str; 3] = ["text/csv", "application/json", "application/x-ndjson"];

fn seeds() -> Vec<Vec<u8>> {
    [
        "text/csv tva\nmontant,taux,sens\n100,20,ht\n\"99.99\",5.5,ttc\n",
        "text/csv salaire-net\n\u{feff}pays;brut;enfants\r\nci;350000;2\r\nsn;\"400 000\";\r\n",
        "application/json tva\n[{\"montant\": 100, \"taux\": \"20\", \"sens\": \"ht\"}, {\"montant\": 1.5}]",
        "application/json salaire/annee\n[{\"annee\": 2026, \"brut\": 2600, \"primes\": [0, 0, 1000]}]",
        "application/x-ndjson ir\n{\"revenu\": 30000, \"parts\": 1}\n{\"revenu\": null}\n",
        "text/csv ir?champs=impot_net\nrevenu,parts\n30000,2.5\n",
    ]
    .map(|body| body.as_bytes().to_vec())
    .to_vec()
}

fn check(bytes: &[u8]) -> bool {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let first = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let (media, endpoint) = first.split_once(' ').unwrap_or_default();
    let media = MEDIA
        .iter()
        .find(|known| **known == media)
        .unwrap_or(&MEDIA[0]);
    // Other characters of the path are the concern of `query`.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-?=_,".contains(&byte);
    let endpoint = if endpoint.bytes().all(is_plain) {
        endpoint
    } else {
        "tva"
    };
    let path = format!("/api/v1/lot/{endpoint}");
    let answer = asked(|connection| connection.post(&path, media, &bytes[end..], ""));
    check_answer(&answer);
    if answer.status == 200 {
        let (rows, answers) = (rows(media, &bytes[end..]), rows(media, &answer.body));
        assert!(
            answers.is_some_and(|answers| answers > 0),
            "{}",
            String::from_utf8_lossy(&answer.body)
        );
        // JSON of the request may hold numbers that this reader refuses.
        assert!(
            rows.is_none() || rows == answers,
            "{answers:?} answers to {rows:?} rows of {media}"
        );
    }
    answer.status == 200
}

/// The number of rows of a body, or of answers; `None` if this reader cannot tell.
fn rows(media: &str, body: &[u8]) -> Option<usize> {
    match media {
        "application/json" => Some(
            serde_json::from_slice::<Vec<serde_json::Value>>(body)
                .ok()?
                .len(),
        ),
        "application/x-ndjson" => Some(
            body.split(|byte| *byte == b'\n')
                .filter(|line| !line.trim_ascii().is_empty())
                .count(),
        ),
        // A quoted field may hold several lines.
        _ => Some(1),
    }
}
