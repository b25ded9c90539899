//! Salts of the rows of a batch.
//!
//! Whoever is given one row of a batch is given the hashes of others with its proof. Amounts are
//! few enough to be guessed and hashed: with a salt, a hash gives nothing away.

use ring::rand::{SecureRandom as _, SystemRandom};
use sha2::{Digest as _, Sha256};

use crate::encoded;

/// What the salts of a batch are made from, which nobody is given.
pub struct Salts([u8; 32]);

impl Salts {
    /// New salts; `None` where the system has no randomness.
    pub fn new() -> Option<Self> {
        let mut secret = [0; 32];
        SystemRandom::new().fill(&mut secret).ok()?;
        Some(Self(secret))
    }

    /// The salt of a row: 128 bits.
    pub fn of_row(&self, index: usize) -> String {
        // From one secret and the place: no salt is stored, and none gives another one away.
        let mut digest = Sha256::new();
        digest.update(self.0);
        digest.update(index.to_string());
        let digest = digest.finalize();
        encoded(
            digest
                .first_chunk::<16>()
                .map_or(&[], |salt| salt.as_slice()),
        )
    }
}

/// Nothing of the secret is shown.
impl std::fmt::Debug for Salts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str("Salts")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_of_each_batch_has_its_own() {
        let (one, other) = (Salts::new().unwrap(), Salts::new().unwrap());
        assert_eq!(one.of_row(7), one.of_row(7));
        assert_ne!(one.of_row(7), one.of_row(8));
        assert_ne!(one.of_row(7), other.of_row(7));
        assert_eq!(one.of_row(0).len(), 22);
        assert_eq!(format!("{one:?}"), "Salts");
    }
}
