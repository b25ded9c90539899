//! E-mails that deliver keys, sent through a real mail server.

use std::fs;
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};

use harness::{eventually, free_port};

use crate::desk::{A, Desk, rate_limit, with_key};

/// `aiosmtpd`, which stores e-mails in a Maildir, with a self-signed certificate.
pub(crate) struct MailServer {
    child: Child,
    port: u16,
    place: tempfile::TempDir,
}

impl MailServer {
    /// Starts one that requires STARTTLS; `None` where the program is not installed.
    pub(crate) fn start() -> Option<Self> {
        if Command::new("aiosmtpd").arg("--version").output().is_err() {
            assert!(
                std::env::var_os("CI").is_none(),
                "aiosmtpd is missing (Debian package python3-aiosmtpd)"
            );
            eprintln!("skipped: aiosmtpd is not installed");
            return None;
        }
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name).display().to_string();
        let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        fs::write(path("cert.pem"), certified.cert.pem()).unwrap();
        fs::write(path("key.pem"), certified.signing_key.serialize_pem()).unwrap();
        let port = free_port();
        let child = Command::new("aiosmtpd")
            .args(["--nosetuid", "--listen", &format!("127.0.0.1:{port}")])
            .args(["--tlscert", &path("cert.pem"), "--tlskey", &path("key.pem")])
            .args(["--class", "aiosmtpd.handlers.Mailbox", &path("mail")])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        eventually("the mail server listens", || {
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        Some(Self { child, port, place })
    }

    /// Configures a command to send its e-mails here, trusting the certificate.
    pub(crate) fn used_by(&self, command: &mut Command) {
        command
            .env("SSL_CERT_FILE", self.place.path().join("cert.pem"))
            .env("BAREME_SMTP", format!("smtp://localhost:{}", self.port))
            .env("BAREME_MAIL_FROM", "Barème <cles@example.org>");
    }

    /// The e-mails received so far.
    pub(crate) fn emails(&self) -> Vec<String> {
        let taken = fs::read_dir(self.place.path().join("mail/new"))
            .into_iter()
            .flatten()
            .flatten();
        taken
            .map(|email| fs::read_to_string(email.path()).unwrap())
            .collect()
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Issues a key by e-mail, trusting the server's certificate or not.
fn send(desk: &Desk, server: &MailServer, arguments: &[&str], trusted: bool) -> Output {
    let mut command = desk.command(arguments);
    server.used_by(&mut command);
    if !trusted {
        command.env_remove("SSL_CERT_FILE");
    }
    command.output().unwrap()
}

/// The decoded text of an e-mail.
pub(crate) fn text(email: &str) -> String {
    let (head, body) = email.split_once("\n\n").unwrap();
    if !head.contains("quoted-printable") {
        return body.to_owned();
    }
    let joined = body.replace("=\n", "");
    let mut bytes = Vec::new();
    let mut rest = joined.as_bytes();
    while let [first, after @ ..] = rest {
        rest = match (first, after) {
            (b'=', [high, low, after @ ..]) => {
                let digits = std::str::from_utf8(&[*high, *low]).unwrap().to_owned();
                bytes.push(u8::from_str_radix(&digits, 16).unwrap());
                after
            }
            _ => {
                bytes.push(*first);
                after
            }
        };
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_paid_key_comes_by_mail_and_works() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let desk = Desk::new();
    let sent = send(
        &desk,
        &mail,
        &["issue", "--plan", "pro", "--email", "claire@example.org"],
        true,
    );
    let said = String::from_utf8_lossy(&sent.stderr);
    assert!(sent.status.success(), "{said}");
    assert!(sent.stdout.is_empty(), "the key is in the email only");

    let emails = mail.emails();
    let [email] = emails.as_slice() else {
        panic!("{} emails", emails.len())
    };
    assert!(
        email.contains("To: claire@example.org") && email.contains("cles@example.org"),
        "{email}"
    );
    let text = text(email);
    let key = text
        .split_whitespace()
        .find(|word| word.starts_with("bma_"))
        .unwrap();
    assert!(!said.contains(key));
    let year = desk.find(key)["expires"]
        .as_str()
        .unwrap()
        .split('-')
        .next()
        .unwrap()
        .to_owned();
    for part in [
        "10 000 appels par jour",
        "X-API-Key",
        "Pro",
        "elle n’est conservée nulle part ailleurs",
        &*year,
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let server = desk.serve(&[]);
    assert_eq!(rate_limit(&with_key(&server, A, key)).0, 10_000);

    let rotated = send(&desk, &mail, &["rotate", &desk.id(key)], true);
    assert!(
        rotated.status.success(),
        "{}",
        String::from_utf8_lossy(&rotated.stderr)
    );
    assert_eq!(mail.emails().len(), 2);
}

#[test]
fn a_key_that_cannot_be_sent_is_taken_back() {
    let Some(mail) = MailServer::start() else {
        return;
    };
    let desk = Desk::new();
    let untrusted = send(
        &desk,
        &mail,
        &["issue", "--plan", "pro", "--email", "claire@example.org"],
        false,
    );
    assert!(!untrusted.status.success() && untrusted.stdout.is_empty());
    let said = String::from_utf8_lossy(&untrusted.stderr).into_owned();
    assert!(
        said.contains("the mail server refused the e-mail") && said.contains("revoked"),
        "{said}"
    );
    assert!(mail.emails().is_empty());
    let listed = desk.keys(&["list", "--format", "json"]);
    let listed: Vec<serde_json::Value> = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!((listed.len(), &listed[0]["state"]), (1, &"revoked".into()));

    // After a failed rotation the owner keeps the old key.
    let key = desk.issue("a", "pro");
    assert!(
        !send(
            &desk,
            &mail,
            &["rotate", &desk.id(&key), "--overlap", "0"],
            false
        )
        .status
        .success()
    );
    assert_eq!(with_key(&desk.serve(&[]), A, &key).status, 200);
}
