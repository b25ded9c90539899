//! Keys that sign receipts.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// A private key, as `openssl genpkey -algorithm ed25519` writes it: that of RFC 8037, appendix A.
pub const SIGNING_KEY: &str = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g";

/// A key in PEM: `PRIVATE` or `PUBLIC`, and its base 64.
pub fn pem(kind: &str, body: &str) -> String {
    format!("-----BEGIN {kind} KEY-----\n{body}\n-----END {kind} KEY-----\n")
}

/// Writes a file that its owner alone reads, as a service wants that of its key.
pub fn write_private(file: &Path, text: &str) {
    fs::write(file, text).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
}

/// Writes the file of the key into a folder; returns the flag of the service that names it.
pub fn signing_flag(folder: &Path) -> String {
    let file = folder.join("signing-key.pem");
    write_private(&file, &pem("PRIVATE", SIGNING_KEY));
    format!("--signing-key-file={}", file.display())
}
