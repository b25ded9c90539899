//! The web servers that end TLS: each reads its example, and does what the service counts on.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use harness::{Connection, GOOD, Server, eventually, free_port, repository};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use tempfile::TempDir;

use crate::{program, run, text};

/// The listener for the events of the payment provider, as the examples name it.
const PAYMENTS: &str = "127.0.0.1:9091";

/// A web server that runs until it is dropped.
pub(crate) struct Proxy {
    child: Child,
    address: SocketAddr,
    place: TempDir,
}

/// The file, in the folder of a web server, with all that it prints.
const PRINTED: &str = "printed.log";

/// The file of its access log.
const ACCESS: &str = "bareme.log";

impl Proxy {
    fn start(command: &mut Command, port: u16, place: TempDir) -> Self {
        let printed = fs::File::create(place.path().join(PRINTED)).unwrap();
        let child = command
            .stdout(printed.try_clone().unwrap())
            .stderr(printed)
            .spawn()
            .unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], port));

        eventually("the web server listens", || {
            Connection::open(address).is_ok()
        });
        Self {
            child,
            address,
            place,
        }
    }

    /// All that it has written down: what it prints, and its access log.
    pub(crate) fn written(&self) -> String {
        let read =
            |name: &str| fs::read_to_string(self.place.path().join(name)).unwrap_or_default();
        read(PRINTED) + &read(ACCESS)
    }

    /// nginx with its example before these nodes, without TLS, which the callers of these tests do
    /// not speak.
    pub(crate) fn nginx(nodes: &[SocketAddr]) -> Option<Self> {
        Self::nginx_with_payments(nodes, PAYMENTS)
    }

    /// The same, with events of the payment provider passed on to a listener.
    fn nginx_with_payments(nodes: &[SocketAddr], payments: &str) -> Option<Self> {
        let place = tempfile::tempdir().unwrap();
        let mut nginx = nginx(place.path())?;
        let port = free_port();
        let example = text("nginx.conf").replace(PAYMENTS, payments);
        let (upstream, servers) = example.split_once("server {\n    listen 80").unwrap();
        let (_, https) = servers.split_once("server {\n").unwrap();
        let kept = |line: &&str| {
            !["listen ", "ssl_", "# From nginx"]
                .iter()
                .any(|start| line.trim().starts_with(start))
        };
        let https: String = https
            .lines()
            .filter(kept)
            .map(|line| format!("{line}\n"))
            .collect();
        let https = https.replace("/var/log/nginx/bareme.log", ACCESS);
        let line = upstream
            .lines()
            .find(|line| line.trim().starts_with("server 127.0.0.1:8080"))
            .unwrap();
        let of_node = |node: &SocketAddr| line.replace("127.0.0.1:8080", &node.to_string());
        let upstream = upstream.replace(
            line,
            &nodes.iter().map(of_node).collect::<Vec<_>>().join("\n"),
        );
        nginx_around(
            place.path(),
            &format!("{upstream}\nserver {{\nlisten 127.0.0.1:{port};\n{https}"),
        );
        Some(Self::start(&mut nginx, port, place))
    }

    /// nginx as its Ingress controller sets it up, by the paths and the annotations of these
    /// objects, before a node.
    pub(crate) fn ingress(node: SocketAddr, locations: &str) -> Option<Self> {
        let place = tempfile::tempdir().unwrap();
        let mut nginx = nginx(place.path())?;
        let port = free_port();

        // What the controller writes of itself; its error log has the level that the manual asks
        // for.
        let server = format!(
            "server {{\nlisten 127.0.0.1:{port};\nerror_log stderr emerg;\n\
             proxy_set_header X-Forwarded-For $remote_addr;\n{locations}\n}}"
        );
        let server = server.replace("http://bareme", &format!("http://{node}"));
        nginx_around(place.path(), &server);
        Some(Self::start(&mut nginx, port, place))
    }

    /// Caddy with its example before these nodes, without TLS.
    pub(crate) fn caddy(nodes: &[SocketAddr]) -> Option<Self> {
        Self::caddy_with_payments(nodes, PAYMENTS)
    }

    /// The same, with events of the payment provider passed on to a listener.
    fn caddy_with_payments(nodes: &[SocketAddr], payments: &str) -> Option<Self> {
        let (place, port) = (tempfile::tempdir().unwrap(), free_port());
        let settings = "{\n\tadmin off\n\tauto_https off\n";
        let nodes: Vec<String> = nodes.iter().map(ToString::to_string).collect();
        let example = text("Caddyfile")
            .replacen("{\n", settings, 1)
            .replace(PAYMENTS, payments)
            .replace("bareme.example {", &format!("http://:{port} {{"))
            .replace(
                "reverse_proxy 127.0.0.1:8080",
                &format!("reverse_proxy {}", nodes.join(" ")),
            );
        let (mut caddy, file) = caddy(place.path(), &example)?;
        Some(Self::start(
            caddy
                .args(["run", "--adapter", "caddyfile", "--config"])
                .arg(file),
            port,
            place,
        ))
    }

    /// Its address.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        drop(
            Command::new("kill")
                .arg(self.child.id().to_string())
                .status(),
        );
        drop(self.child.wait());
    }
}

/// The service behind a web server, with its quotas.
fn service() -> Server {
    Server::with(
        &repository().join("rules"),
        &["--trusted-proxy", "127.0.0.1,::1"],
    )
}

/// Conventions that the service counts on.
fn stands_before(proxy: &Proxy, server: &Server) {
    let mut connection = Connection::open(proxy.address).unwrap();
    let direct = server.get(GOOD);
    for (forged, left) in [
        ("", 998),
        ("X-Forwarded-For: 192.0.2.1\r\n", 997),
        ("Forwarded: for=192.0.2.1\r\n", 996),
    ] {
        let answer = connection.call("GET", GOOD, forged).unwrap();
        assert_eq!((answer.status, &answer.body), (200, &direct.body));
        // All are the one caller that the web server sees, whatever they say.
        assert!(
            answer
                .header("ratelimit")
                .starts_with(&format!("\"jour\";r={left};")),
            "{forged}: {:?}",
            answer.headers
        );
        assert!(
            answer
                .header("strict-transport-security")
                .starts_with("max-age=31536000")
        );
        for name in [
            "x-request-id",
            "etag",
            "content-security-policy",
            "access-control-allow-origin",
        ] {
            assert!(answer.has(name), "{name}");
        }
    }
    connection
        .call("GET", "/api/v1/ir?revenu=x", "")
        .unwrap()
        .blamed();
    for hidden in ["/livez", "/readyz", "/metrics"] {
        let status = Connection::open(proxy.address)
            .unwrap()
            .call("GET", hidden, "")
            .unwrap()
            .status;
        assert_eq!(status, 404, "{hidden} is for whoever runs the service");
    }
}

/// Configuration that nginx needs around the example, all of it in one place.
fn nginx_around(place: &Path, example: &str) {
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|of| format!("{of}_temp_path {of};"));
    let main = format!(
        "daemon off;\npid pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{}\n{example}\n}}\n",
        temporary.join("\n")
    );
    fs::write(place.join("nginx.conf"), main).unwrap();
}

fn nginx(place: &Path) -> Option<Command> {
    let mut nginx = program("nginx", "nginx")?;
    nginx
        .arg("-p")
        .arg(place)
        .arg("-c")
        .arg(place.join("nginx.conf"));
    Some(nginx)
}

#[test]
fn nginx_reads_its_example() {
    let place = tempfile::tempdir().unwrap();
    let Some(mut nginx) = nginx(place.path()) else {
        return;
    };
    let certified = rcgen::generate_simple_self_signed(["bareme.example".to_owned()]).unwrap();
    fs::write(place.path().join("fullchain.pem"), certified.cert.pem()).unwrap();
    fs::write(
        place.path().join("privkey.pem"),
        certified.signing_key.serialize_pem(),
    )
    .unwrap();
    // To read it nginx takes its ports.
    let example = text("nginx.conf")
        .replace(
            "/etc/letsencrypt/live/bareme.example",
            place.path().to_str().unwrap(),
        )
        .replace("]:80", &format!("]:{}", free_port()))
        .replace("listen 80", &format!("listen {}", free_port()))
        .replace("]:443", &format!("]:{}", free_port()))
        .replace("listen 443", &format!("listen {}", free_port()));
    nginx_around(place.path(), &example);
    let said = run(nginx.arg("-t"));
    assert!(!said.contains("[warn]"), "{said}");
}

#[test]
fn nginx_stands_before_the_service() {
    let server = service();
    let Some(proxy) = Proxy::nginx(&[server.address()]) else {
        return;
    };
    stands_before(&proxy, &server);
}

fn caddy(place: &Path, file: &str) -> Option<(Command, PathBuf)> {
    let mut caddy = program("caddy", "caddy")?;
    let path = place.join("Caddyfile");
    fs::write(&path, file).unwrap();
    caddy
        .env("HOME", place)
        .env("XDG_DATA_HOME", place)
        .env("XDG_CONFIG_HOME", place);
    Some((caddy, path))
}

#[test]
fn caddy_reads_its_example() {
    let place = tempfile::tempdir().unwrap();
    let Some((mut caddy, file)) = caddy(place.path(), &text("Caddyfile")) else {
        return;
    };
    run(caddy
        .args(["validate", "--adapter", "caddyfile", "--config"])
        .arg(file));
}

#[test]
fn caddy_stands_before_the_service() {
    let server = service();
    let Some(proxy) = Proxy::caddy(&[server.address()]) else {
        return;
    };
    stands_before(&proxy, &server);
}

/// An event, signed or not.
fn event(signature: Option<&str>, length: usize) -> Vec<u8> {
    const SIGNED: i64 = 1_800_000_000;
    let body = format!(
        r#"{{"id": "evt_1", "type": "none", "created": 1, "data": {{"object": {{}}}}{}}}"#,
        " ".repeat(length)
    );
    let signature = signature.map(|secret| {
        let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes())
            .unwrap()
            .chain_update(format!("{SIGNED}.{body}"));
        let hex: String = mac
            .finalize()
            .into_bytes()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        format!("Stripe-Signature: t={SIGNED},v1={hex}\r\n")
    });
    let length = body.len();
    let head = format!(
        "POST /stripe HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\nConnection: close\r\n"
    );
    format!("{head}{}\r\n{body}", signature.unwrap_or_default()).into_bytes()
}

/// Signed events pass while somebody else forges them: 200 connections of 200 KB, from another
/// address.
fn passes_signed_events(start: impl Fn(SocketAddr, &str) -> Option<Proxy>) {
    let place = tempfile::tempdir().unwrap();
    let mut command = Command::new(harness::binary());
    command
        .args([
            "--listen",
            "127.0.0.1:0",
            "--payments",
            "127.0.0.1:0",
            "--clock",
            "2027-01-15T08:00:00Z",
        ])
        .args([
            "--smtp",
            "smtp://127.0.0.1:1",
            "--mail-from",
            "a@example.org",
            "--payment-secret",
            "whsec_1",
        ])
        .args(["--log-format", "json", "--rules"])
        .arg(repository().join("rules"))
        .env(
            "BAREME_STORE",
            format!("sqlite:{}", place.path().join("bareme.db").display()),
        );
    let server = Server::spawn(&mut command);
    let payments =
        server.logged(|line| line["message"] == "payment listener open")["address"].clone();
    let Some(proxy) = start(server.address(), payments.as_str().unwrap()) else {
        return;
    };
    let send = |from: [u8; 4], event: &[u8]| {
        let mut connection = Connection::open_from(from.into(), proxy.address)?;
        connection.send(event)?;
        connection.receive(false)
    };
    assert_eq!(send([127, 0, 0, 1], &event(None, 0)).unwrap().status, 400);
    let forged = event(Some("whsec_2"), 200_000);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..200 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    drop(send([127, 0, 0, 2], &forged));
                    // The ports of this machine are those of other tests too.
                    thread::sleep(Duration::from_millis(500));
                }
            });
        }
        thread::sleep(Duration::from_millis(500));
        let statuses: Vec<u16> = (0..25)
            .map(|_| {
                send([127, 0, 0, 3], &event(Some("whsec_1"), 0))
                    .unwrap()
                    .status
            })
            .collect();
        let called = server.get(GOOD).status;
        stop.store(true, Ordering::Relaxed);
        assert_eq!((statuses, called), (vec![200; 25], 200));
    });
}

#[test]
fn signed_events_pass_nginx_while_others_are_forged() {
    passes_signed_events(|node, payments| Proxy::nginx_with_payments(&[node], payments));
}

#[test]
fn signed_events_pass_caddy_while_others_are_forged() {
    passes_signed_events(|node, payments| Proxy::caddy_with_payments(&[node], payments));
}
