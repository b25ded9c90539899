//! The receipt of a batch: one signature over the root of the tree of its rows, and for each row
//! the proof that it is one of them.
//!
//! A row is sent before the root is known, so that it has what is attested of it (`ligne`), and the
//! element after the last row has the signature and the proofs.

use std::sync::Arc;

use bareme_receipts::claim;
use bareme_receipts::jws::Kind;
use bareme_receipts::merkle::{self, Tree};
use bareme_receipts::salt::Salts;
use bareme_receipts::{Hash, MEMBER};
use jiff::Timestamp;

use crate::calls::receipt::Signer;
use crate::wire::problem::{Problem, kinds};

/// The receipt of a batch, while it is made.
#[derive(Debug)]
pub struct BatchReceipt {
    signer: Arc<Signer>,
    /// Name of the calculation.
    calculation: String,
    issued: Timestamp,
    salts: Salts,
    /// The hash of each row that was computed.
    leaves: Vec<Hash>,
    /// The tree, once all rows are.
    tree: Option<Tree>,
    /// Proofs that were written.
    written: usize,
}

impl BatchReceipt {
    /// The receipt of a batch of a calculation.
    ///
    /// # Errors
    /// The system gives no randomness.
    pub fn new(
        signer: Arc<Signer>,
        calculation: String,
        issued: Timestamp,
    ) -> Result<Self, Problem> {
        Ok(Self {
            signer,
            calculation,
            issued,
            salts: Salts::new().ok_or_else(|| Problem::plain(&kinds::INTERNAL))?,
            leaves: Vec::new(),
            tree: None,
            written: 0,
        })
    }

    /// Whether a part of it was written.
    pub(crate) fn is_started(&self) -> bool {
        self.tree.is_some()
    }

    /// Name of the calculation.
    pub(crate) fn calculation(&self) -> &str {
        &self.calculation
    }

    /// The salt of a row.
    pub(crate) fn salt(&self, index: usize) -> String {
        self.salts.of_row(index)
    }

    /// Adds the claim of the next row.
    pub(crate) fn add(&mut self, claim: &str) {
        self.leaves.push(merkle::leaf(claim));
    }

    /// Writes the next part of the element after the rows, of about this length; returns whether
    /// that was the last one.
    pub(crate) fn write(&mut self, most: usize, out: &mut Vec<u8>) -> bool {
        let is_first = !self.is_started();
        let leaves = &mut self.leaves;
        let tree = self
            .tree
            .get_or_insert_with(|| Tree::new(std::mem::take(leaves)));
        let count = tree.count();

        if is_first {
            out.extend_from_slice(format!("{{\"{MEMBER}\":{{\"chemins\":[").as_bytes());
        }
        while self.written < count && out.len() < most {
            if self.written > 0 {
                out.push(b',');
            }
            let path = tree.path(self.written);
            out.extend_from_slice(claim::path_json(&path).as_bytes());
            self.written += 1;
        }
        if self.written < count {
            return false;
        }

        let payload = claim::of_batch(&self.calculation, &tree.root(), count, self.issued);
        let signed = self.signer.signed(Kind::Batch, &payload);
        out.extend_from_slice(format!("],\"jws\":\"{signed}\"}}}}").as_bytes());
        true
    }
}
