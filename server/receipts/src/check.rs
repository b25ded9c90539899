//! Receipts that are checked: the signature, then that the answer and the place of a row are those
//! that were signed. Whether the amounts are right is for whoever has the law.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::canonical::{CanonicalError, canonical, without};
use crate::claim::{BatchClaim, Claim};
use crate::jws::{self, JwsError, Kind, Opened};
use crate::keys::KeySet;
use crate::{Hash, MEMBER, decoded, digest, encoded, merkle};

/// Why a receipt is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReceiptError {
    /// The text cannot be read in one way.
    #[error("{0}")]
    Json(#[from] CanonicalError),
    /// There is no receipt in it.
    #[error("no receipt")]
    NoReceipt,
    /// The signed text cannot be opened.
    #[error("{0}")]
    Jws(#[from] JwsError),
    /// The signed text is no claim of this form.
    #[error("what is signed has another form than a receipt")]
    Form,
    /// The answer is another one than that which was signed.
    #[error("the answer is another one than that which was signed")]
    Answer(Option<u64>),
    /// A row is no row of the batch, or at another place of it.
    #[error("the row is not this one of the batch")]
    Place(Option<u64>),
    /// The batch has more or fewer rows than were signed.
    #[error("{found} rows instead of {signed}")]
    Count {
        /// The rows that are there.
        found: u64,
        /// Those that were signed.
        signed: u64,
    },
}

/// A receipt whose signature holds, with everything that depends on it.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The id of the key.
    pub key: String,
    /// The time of issue, as written.
    pub issued: String,
    /// Version of the program.
    pub program: String,
    /// The claims: one, or one for each row.
    pub attested: Vec<Attested>,
}

/// A claim that is signed, and the answer that it is of, where that is at hand.
#[derive(Debug, Clone)]
pub struct Attested {
    /// The claim that was signed.
    pub claim: Claim,
    /// The canonical answer, which is the one that was signed.
    pub answer: Option<String>,
}

/// The receipt of a row that is kept by itself.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfRow<'t> {
    #[serde(borrow)]
    ligne: &'t RawValue,
    chemin: Vec<String>,
    jws: String,
}

/// The receipt member of a row of a batch.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InBatch<'t> {
    #[serde(borrow)]
    ligne: &'t RawValue,
}

/// The receipt member of the last element of a batch.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfBatch {
    chemins: Vec<Vec<String>>,
    jws: String,
}

/// Checks a text: an answer with its receipt, a receipt alone, a row of a batch with its proof, or
/// a whole batch.
///
/// # Errors
/// A text that cannot be read, a signature or a digest that does not hold.
pub fn check(text: &str, keys: &KeySet) -> Result<Checked, ReceiptError> {
    let text = text.trim();
    match text.bytes().next() {
        None => Err(ReceiptError::NoReceipt),
        // The whole text first: an error then has its place in it, not in one of the elements.
        Some(b'[') => {
            canonical(text)?;
            let elements: Vec<&RawValue> =
                serde_json::from_str(text).map_err(|_| ReceiptError::NoReceipt)?;
            let elements: Vec<&str> = elements.into_iter().map(RawValue::get).collect();
            of_batch(&elements, keys)
        }
        Some(b'{') => match without(text, MEMBER) {
            Ok(split) => of_object(text, (&split.rest, split.member), keys),
            // Several objects: the lines of a batch.
            Err(CanonicalError::Syntax(_)) if text.contains('\n') => {
                let lines = text.lines().map(str::trim);
                let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
                of_batch(&lines, keys)
            }
            Err(error) => Err(error.into()),
        },
        Some(b'"') => {
            let jws: String = read(text)?;
            single(&jws, None, keys)
        }
        Some(_) => single(text, None, keys),
    }
}

/// A value that has a form, or is no receipt.
fn read<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, ReceiptError> {
    serde_json::from_str(text).map_err(|_| ReceiptError::NoReceipt)
}

/// Reads a signed claim: canonical JSON of this form.
fn claimed<T: DeserializeOwned>(text: &str) -> Result<T, ReceiptError> {
    // Two texts never have one meaning: what is signed has one form only.
    if canonical(text)? != text {
        return Err(ReceiptError::Form);
    }
    serde_json::from_str(text).map_err(|_| ReceiptError::Form)
}

/// Checks an object: an answer with a receipt, or the receipt of a row by itself.
fn of_object(
    text: &str,
    (rest, member): (&str, Option<&str>),
    keys: &KeySet,
) -> Result<Checked, ReceiptError> {
    // A receipt without an answer beside it is checked all the same.
    let answer = Some(rest).filter(|rest| *rest != "{}");
    match member {
        Some(member) if member.starts_with('"') => {
            let jws: String = read(member)?;
            single(&jws, answer, keys)
        }
        Some(member) => row(&read(member)?, answer, keys),
        None => row(&read(text)?, None, keys),
    }
}

/// Checks the receipt of a calculation.
fn single(jws: &str, answer: Option<&str>, keys: &KeySet) -> Result<Checked, ReceiptError> {
    let Opened { kind, key, payload } = jws::open(jws, keys)?;
    if kind != Kind::Receipt {
        return Err(ReceiptError::Form);
    }

    let claim: Claim = claimed(&payload)?;
    // `Claim` serves both kinds of receipts: this one has all of a calculation, and nothing of a
    // row.
    let is_whole = claim.demande.is_some()
        && claim.entrees.is_some()
        && claim.resultats.is_some()
        && claim.version.is_some();
    let is_of_row = claim.ligne.is_some() || claim.sel.is_some() || claim.cle.is_some();
    let (Some(issued), Some(program)) = (claim.emis.clone(), claim.programme.clone()) else {
        return Err(ReceiptError::Form);
    };
    if !is_whole || is_of_row {
        return Err(ReceiptError::Form);
    }

    is_of(&claim, answer)?;
    Ok(Checked {
        key,
        issued,
        program,
        attested: vec![Attested {
            claim,
            answer: answer.map(str::to_owned),
        }],
    })
}

/// Refuses an answer that is another one than a claim is of.
fn is_of(claim: &Claim, answer: Option<&str>) -> Result<(), ReceiptError> {
    match answer {
        Some(answer) if digest(answer) != claim.reponse => Err(ReceiptError::Answer(claim.ligne)),
        _ => Ok(()),
    }
}

/// Opens the receipt of a batch.
fn batch(jws: &str, keys: &KeySet) -> Result<(String, BatchClaim), ReceiptError> {
    let Opened { kind, key, payload } = jws::open(jws, keys)?;
    if kind != Kind::Batch {
        return Err(ReceiptError::Form);
    }
    Ok((key, claimed(&payload)?))
}

/// Checks the row of a batch by itself.
fn row(sent: &OfRow, answer: Option<&str>, keys: &KeySet) -> Result<Checked, ReceiptError> {
    let (key, signed) = batch(&sent.jws, keys)?;
    let attested = placed(sent.ligne.get(), &sent.chemin, answer, &signed)?;
    Ok(Checked {
        key,
        issued: signed.emis,
        program: signed.programme,
        attested: vec![attested],
    })
}

/// Checks that a row is one of a batch, at its place, with its answer.
fn placed(
    claim: &str,
    path: &[String],
    answer: Option<&str>,
    signed: &BatchClaim,
) -> Result<Attested, ReceiptError> {
    let text = canonical(claim)?;
    let claim: Claim = claimed(&text)?;
    let Some(index) = claim.ligne else {
        return Err(ReceiptError::Form);
    };
    // The time and the program are signed once, with the root; a row has its salt, and the
    // calculation of its batch.
    let is_single = claim.emis.is_some() || claim.programme.is_some();
    if is_single || claim.sel.is_none() || claim.calcul != signed.calcul {
        return Err(ReceiptError::Form);
    }

    let path: Option<Vec<Hash>> = path
        .iter()
        .map(|step| decoded(step).and_then(|bytes| bytes.try_into().ok()))
        .collect();
    // The number of rows is signed with the root: a path may also hold at this place in trees of
    // other sizes.
    let place = (index, signed.lignes);
    let root = path.and_then(|path| merkle::root_by(merkle::leaf(&text), place, &path));
    if root.map(|root| encoded(&root)).as_ref() != Some(&signed.racine) {
        return Err(ReceiptError::Place(Some(index)));
    }

    is_of(&claim, answer)?;
    Ok(Attested {
        claim,
        answer: answer.map(str::to_owned),
    })
}

/// Checks a whole batch: its rows, then the element with its receipt.
fn of_batch(elements: &[&str], keys: &KeySet) -> Result<Checked, ReceiptError> {
    let (last, rows) = elements.split_last().ok_or(ReceiptError::NoReceipt)?;
    let last = without(last, MEMBER)?;
    // The receipt alone: an answer beside it would be signed by nobody.
    let receipt: OfBatch = match last.member.filter(|_| last.rest == "{}") {
        Some(member) => read(member)?,
        None => return Err(ReceiptError::NoReceipt),
    };

    let (key, signed) = batch(&receipt.jws, keys)?;
    let found = u64::try_from(rows.len()).unwrap_or(u64::MAX);
    let is_each = receipt.chemins.len() == rows.len();
    if found != signed.lignes || !is_each {
        let signed = signed.lignes;
        return Err(ReceiptError::Count { found, signed });
    }

    let mut attested = Vec::with_capacity(rows.len());
    for (index, (row, path)) in (0..).zip(rows.iter().zip(&receipt.chemins)) {
        let split = without(row, MEMBER)?;
        let InBatch { ligne } = read(split.member.ok_or(ReceiptError::Place(Some(index)))?)?;
        let one = placed(ligne.get(), path, Some(&split.rest), &signed)?;
        // At the place where it is, not only somewhere in the batch.
        if one.claim.ligne != Some(index) {
            return Err(ReceiptError::Place(Some(index)));
        }
        attested.push(one);
    }

    Ok(Checked {
        key,
        issued: signed.emis,
        program: signed.programme,
        attested,
    })
}
