//! The keys of receipts, from the files that the operator names.

use std::fs;
use std::path::{Path, PathBuf};

use bareme_api::calls::receipt::Signer;
use bareme_receipts::keys::{KeyError, KeySet, SigningKey};

/// Files with the keys of receipts.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct SigningFlags {
    /// File with the private key that signs receipts (`recu=true`): Ed25519, PKCS#8 in PEM, as
    /// `openssl genpkey -algorithm ed25519` writes it. Without one no receipt is given.
    #[arg(long, value_name = "FILE", env = "BAREME_SIGNING_KEY_FILE")]
    signing_key_file: Option<PathBuf>,

    /// File with the public keys of earlier receipts, in PEM one after the other, as
    /// `openssl pkey -pubout` writes them: they are published, and sign nothing.
    #[arg(
        long,
        value_name = "FILE",
        env = "BAREME_RETIRED_KEYS_FILE",
        requires = "signing_key_file"
    )]
    retired_keys_file: Option<PathBuf>,
}

/// Why the keys of receipts cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SigningError {
    /// A file cannot be read.
    #[error("`{0}`: {1}")]
    File(String, std::io::Error),
    /// A file holds something else.
    #[error("`{0}`: {1}")]
    Key(String, KeyError),
    /// Whoever can read the private key can sign.
    #[error("`{0}`: every user of the machine can read the private key; `chmod o= {0}`")]
    Readable(String),
}

impl SigningFlags {
    /// What signs receipts, if there is a key.
    ///
    /// # Errors
    /// A file that cannot be read or holds something else, a private key that everybody can read.
    pub(crate) fn signer(&self) -> Result<Option<Signer>, SigningError> {
        let Some(file) = &self.signing_key_file else {
            return Ok(None);
        };
        if is_readable_by_all(file) {
            return Err(SigningError::Readable(file.display().to_string()));
        }
        let wrong = |file: &Path| {
            let name = file.display().to_string();
            move |error| SigningError::Key(name, error)
        };
        let key = SigningKey::from_pem(&read(file)?).map_err(wrong(file))?;

        let retired = match &self.retired_keys_file {
            Some(file) => KeySet::from_pem(&read(file)?).map_err(wrong(file))?,
            None => KeySet::default(),
        };
        Ok(Some(Signer::new(key, &retired)))
    }
}

fn read(file: &Path) -> Result<String, SigningError> {
    fs::read_to_string(file).map_err(|error| SigningError::File(file.display().to_string(), error))
}

/// Whether every user of the machine can read a file.
#[cfg(unix)]
fn is_readable_by_all(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    /// Permission of others to read.
    const OTHERS_READ: u32 = 0o004;
    let mode = fs::metadata(file).map(|known| known.permissions().mode());
    mode.is_ok_and(|mode| mode & OTHERS_READ != 0)
}

#[cfg(not(unix))]
fn is_readable_by_all(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----\n\
        MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n\
        -----END PRIVATE KEY-----\n";
    const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\n\
        MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n\
        -----END PUBLIC KEY-----\n";

    fn signer(key: &str, mode: u32, retired: Option<&str>) -> Result<Option<Signer>, SigningError> {
        let place = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let file = place.path().join(name);
            fs::write(&file, text).unwrap();
            file
        };
        let private = file("private.pem", key);
        fs::set_permissions(&private, fs::Permissions::from_mode(mode)).unwrap();
        SigningFlags {
            signing_key_file: Some(private),
            retired_keys_file: retired.map(|text| file("retired.pem", text)),
        }
        .signer()
    }

    #[test]
    fn the_keys_are_those_of_the_files() {
        let signer = signer(PRIVATE, 0o640, Some(PUBLIC)).unwrap().unwrap();
        let published = String::from_utf8(signer.published().body.to_vec()).unwrap();
        // The retired key is the same one here.
        assert_eq!(published.matches("\"kid\"").count(), 1, "{published}");
        let none = SigningFlags {
            signing_key_file: None,
            retired_keys_file: None,
        };
        assert!(none.signer().unwrap().is_none());
    }

    #[test]
    fn a_key_that_cannot_be_used_stops_the_start() {
        let refused = |key, mode, retired| signer(key, mode, retired).unwrap_err();
        assert!(matches!(
            refused(PRIVATE, 0o644, None),
            SigningError::Readable(_)
        ));
        let error = refused("hunter2", 0o600, None);
        assert!(!error.to_string().contains("hunter2"), "{error}");
        assert!(matches!(
            refused(PRIVATE, 0o600, Some(PRIVATE)),
            SigningError::Key(_, KeyError::Public)
        ));
    }
}
