//! Signed receipts of answers: the operator's keys, and what is signed of an answer.

use bareme_engine::service::Rules;
use bareme_receipts::claim::{self, Facts, OF_YEAR, Question};
use bareme_receipts::jws::Kind;
use bareme_receipts::keys::{KeySet, SigningKey};
use bareme_receipts::{MEMBER, canonical};
use jiff::Timestamp;
use jiff::civil::Date;

use super::answer_cache::MadeAnswer;
use super::calculate::{Answer, answer};
use super::called_calculation::CalledCalculation;
use crate::wire::problem::{Problem, kinds};
use crate::wire::query::Query;
use crate::wire::reply::Content;

/// Path of the public keys (RFC 7517).
pub const KEYS: &str = "/.well-known/jwks.json";

/// Media type of a key set.
const KEY_SET: &str = "application/jwk-set+json";

/// The keys of the operator.
#[derive(Debug)]
pub struct Signer {
    key: SigningKey,
    /// The public keys: that of the key that signs, then the retired ones.
    published: Content,
}

impl Signer {
    /// A signer by this key; receipts of the retired ones go on being verified.
    pub fn new(key: SigningKey, retired: &KeySet) -> Self {
        let mut keys = KeySet::default();
        keys.add(key.public().clone());
        for known in retired.keys() {
            keys.add(known.clone());
        }
        let published = Content::new(KEY_SET, keys.to_json().into_bytes());
        Self { key, published }
    }

    /// The public keys.
    pub fn published(&self) -> Content {
        self.published.clone()
    }

    /// A signed text.
    pub(crate) fn signed(&self, kind: Kind, payload: &str) -> String {
        self.key.signed(kind, payload)
    }
}

/// The answer to a calculation as JSON, with its receipt as the last member, and its laws.
pub fn signed_answer(
    rules: &Rules,
    called: CalledCalculation,
    query: &str,
    (signer, today, issued): (&Signer, Date, Timestamp),
) -> Result<MadeAnswer, Problem> {
    let answer = answer(rules, called, Query::borrowed(query), None, today)?;

    let name = name(called);
    let question = Question {
        calculation: &name,
        pairs: &called.query(Query::borrowed(query)).pairs,
        today,
    };
    let mut json = answer.to_json();
    let payload = claim::payload(question, &answer.facts(), &json, issued).map_err(unsigned)?;
    let receipt = signer.signed(Kind::Receipt, &payload);

    append(&mut json, &format!("\"{receipt}\""));
    Ok(MadeAnswer {
        body: json.into(),
        laws: answer.laws(),
    })
}

/// The name of a calculation in a receipt.
pub fn name(called: CalledCalculation) -> String {
    let name = &called.endpoint.name;
    let year = if called.year { OF_YEAR } else { "" };
    format!("{name}{year}")
}

/// Adds the receipt to a JSON object, as its last member.
pub(crate) fn append(object: &mut String, receipt: &str) {
    object.pop();
    let comma = if object.len() > 1 { "," } else { "" };
    object.push_str(&format!("{comma}\"{MEMBER}\":{receipt}}}"));
}

/// The problem of an answer that has no canonical form, which no answer of ours lacks.
pub(crate) fn unsigned(error: canonical::CanonicalError) -> Problem {
    tracing::error!(%error, "an answer cannot be signed");
    Problem::plain(&kinds::INTERNAL)
}

impl Answer<'_> {
    /// The facts that its receipt attests.
    pub(crate) fn facts(&self) -> Facts {
        match self {
            Self::One(calculation) => Facts::of(calculation),
            Self::Year(year) => Facts::of_year(year),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_is_the_last_member() {
        for (object, expected) in [
            ("{}", r#"{"recu":"x"}"#),
            (r#"{"a":{}}"#, r#"{"a":{},"recu":"x"}"#),
        ] {
            let mut object = object.to_owned();
            append(&mut object, "\"x\"");
            assert_eq!(object, expected);
        }
    }
}
