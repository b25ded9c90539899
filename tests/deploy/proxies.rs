//! The web servers that end TLS: each reads its example, and does what the service counts on.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use harness::{Connection, GOOD, Server, eventually, repository};
use tempfile::TempDir;

use crate::{free_port, program, run, text};

/// A web server that runs until it is dropped.
pub(crate) struct Proxy {
    child: Child,
    address: SocketAddr,
    _place: TempDir,
}

impl Proxy {
    fn start(command: &mut Command, port: u16, place: TempDir) -> Self {
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        eventually("the web server listens", || Connection::open(address).is_ok());
        Self { child, address, _place: place }
    }

    /// nginx with its example before these nodes, without TLS, which the callers of these tests do not speak.
    pub(crate) fn nginx(nodes: &[SocketAddr]) -> Option<Self> {
        let place = tempfile::tempdir().unwrap();
        let mut nginx = nginx(place.path())?;
        let port = free_port();
        let example = text("nginx.conf");
        let (upstream, servers) = example.split_once("server {\n    listen 80").unwrap();
        let (_, https) = servers.split_once("server {\n").unwrap();
        let kept =
            |line: &&str| !["listen ", "ssl_", "# From nginx"].iter().any(|start| line.trim().starts_with(start));
        let https: String = https.lines().filter(kept).map(|line| format!("{line}\n")).collect();
        let line = upstream.lines().find(|line| line.trim().starts_with("server 127.0.0.1:8080")).unwrap();
        let of_node = |node: &SocketAddr| line.replace("127.0.0.1:8080", &node.to_string());
        let upstream = upstream.replace(line, &nodes.iter().map(of_node).collect::<Vec<_>>().join("\n"));
        nginx_around(place.path(), &format!("{upstream}\nserver {{\nlisten 127.0.0.1:{port};\n{https}"));
        Some(Self::start(&mut nginx, port, place))
    }

    /// Caddy with its example before these nodes, without TLS.
    pub(crate) fn caddy(nodes: &[SocketAddr]) -> Option<Self> {
        let (place, port) = (tempfile::tempdir().unwrap(), free_port());
        let settings = "{\n\tadmin off\n\tauto_https off\n}\n";
        let nodes: Vec<String> = nodes.iter().map(ToString::to_string).collect();
        let example = text("Caddyfile")
            .replace("bareme.example {", &format!("http://:{port} {{"))
            .replace("reverse_proxy 127.0.0.1:8080", &format!("reverse_proxy {}", nodes.join(" ")));
        let (mut caddy, file) = caddy(place.path(), &format!("{settings}{example}"))?;
        Some(Self::start(caddy.args(["run", "--adapter", "caddyfile", "--config"]).arg(file), port, place))
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        drop(Command::new("kill").arg(self.child.id().to_string()).status());
        drop(self.child.wait());
    }
}

/// The service behind a web server, with its quotas.
fn service() -> Server {
    Server::with(&repository().join("rules"), &["--trusted-proxy", "127.0.0.1,::1"])
}

/// What the service counts on.
fn stands_before(proxy: &Proxy, server: &Server) {
    let mut connection = Connection::open(proxy.address).unwrap();
    let direct = server.get(GOOD);
    for (forged, left) in [("", 998), ("X-Forwarded-For: 192.0.2.1\r\n", 997), ("Forwarded: for=192.0.2.1\r\n", 996)] {
        let answer = connection.call("GET", GOOD, forged).unwrap();
        assert_eq!((answer.status, &answer.body), (200, &direct.body));
        // All are the one caller that the web server sees, whatever they say.
        assert!(
            answer.header("ratelimit").starts_with(&format!("\"jour\";r={left};")),
            "{forged}: {:?}",
            answer.headers
        );
        assert!(answer.header("strict-transport-security").starts_with("max-age=31536000"));
        for name in ["x-request-id", "etag", "content-security-policy", "access-control-allow-origin"] {
            assert!(answer.has(name), "{name}");
        }
    }
    connection.call("GET", "/api/v1/ir?revenu=x", "").unwrap().blamed();
    for hidden in ["/livez", "/readyz", "/metrics"] {
        let status = Connection::open(proxy.address).unwrap().call("GET", hidden, "").unwrap().status;
        assert_eq!(status, 404, "{hidden} is for whoever runs the service");
    }
}

/// What nginx needs around the example, all of it in one place.
fn nginx_around(place: &Path, example: &str) {
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|of| format!("{of}_temp_path {of};"));
    let main = format!(
        "daemon off;\npid pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{}\n{example}\n}}\n",
        temporary.join("\n")
    );
    fs::write(place.join("nginx.conf"), main).unwrap();
}

fn nginx(place: &Path) -> Option<Command> {
    let mut nginx = program("nginx", "nginx")?;
    nginx.arg("-p").arg(place).arg("-c").arg(place.join("nginx.conf"));
    Some(nginx)
}

#[test]
fn nginx_reads_its_example() {
    let place = tempfile::tempdir().unwrap();
    let Some(mut nginx) = nginx(place.path()) else { return };
    let certified = rcgen::generate_simple_self_signed(["bareme.example".to_owned()]).unwrap();
    fs::write(place.path().join("fullchain.pem"), certified.cert.pem()).unwrap();
    fs::write(place.path().join("privkey.pem"), certified.signing_key.serialize_pem()).unwrap();
    // To read it nginx takes its ports.
    let example = text("nginx.conf")
        .replace("/etc/letsencrypt/live/bareme.example", place.path().to_str().unwrap())
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
    let Some(proxy) = Proxy::nginx(&[server.address()]) else { return };
    stands_before(&proxy, &server);
}

fn caddy(place: &Path, file: &str) -> Option<(Command, PathBuf)> {
    let mut caddy = program("caddy", "caddy")?;
    let path = place.join("Caddyfile");
    fs::write(&path, file).unwrap();
    caddy.env("HOME", place).env("XDG_DATA_HOME", place).env("XDG_CONFIG_HOME", place);
    Some((caddy, path))
}

#[test]
fn caddy_reads_its_example() {
    let place = tempfile::tempdir().unwrap();
    let Some((mut caddy, file)) = caddy(place.path(), &text("Caddyfile")) else { return };
    run(caddy.args(["validate", "--adapter", "caddyfile", "--config"]).arg(file));
}

#[test]
fn caddy_stands_before_the_service() {
    let server = service();
    let Some(proxy) = Proxy::caddy(&[server.address()]) else { return };
    stands_before(&proxy, &server);
}
