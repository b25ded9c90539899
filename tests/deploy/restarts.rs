//! Restarts under load behind the web servers of the examples: no call fails.

use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::time::Duration;

use harness::{GOOD, Load, Rules, Server, binary, free_port};
use tempfile::TempDir;

use crate::proxies::Proxy;

/// A node that is restarted on the same port and store.
struct Node {
    address: SocketAddr,
    /// The listening socket, where systemd would hold it.
    socket: Option<TcpListener>,
    rules: Rules,
    place: TempDir,
    server: Server,
}

/// Rules that a test binary, which is built to be debugged, reads as fast as a released one reads
/// them all.
fn quick_rules() -> Rules {
    Rules::small().unlimited()
}

/// Starts the service.
fn start(mut command: Command, rules: &Rules, place: &TempDir) -> Server {
    command
        .args([
            "--trusted-proxy",
            "127.0.0.1",
            "--log-format",
            "json",
            "--log",
            "info,access=off",
            "--rules",
        ])
        .arg(rules.root())
        .env(
            "BAREME_STORE",
            format!("sqlite:{}", place.path().join("bareme.db").display()),
        )
        .env("BAREME_DRAIN", "0");
    Server::spawn(&mut command)
}

/// As systemd starts a service whose socket it holds.
pub(crate) fn activated(socket: &TcpListener) -> Command {
    let mut command = Command::new("sh");
    command
        .args([
            "-c",
            "export LISTEN_FDS=1 LISTEN_PID=$$; exec \"$@\" 3<&0 0</dev/null",
            "sh",
        ])
        .arg(binary());
    command.stdin(Stdio::from(OwnedFd::from(socket.try_clone().unwrap())));
    command
}

fn on_its_own(address: SocketAddr) -> Command {
    let mut command = Command::new(binary());
    command.args(["--listen", &address.to_string()]);
    command
}

impl Node {
    /// One whose port is closed while it restarts.
    fn alone() -> Self {
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let (rules, place) = (quick_rules(), tempfile::tempdir().unwrap());
        let server = start(on_its_own(address), &rules, &place);
        Self {
            address,
            socket: None,
            rules,
            place,
            server,
        }
    }

    /// One whose port is held.
    fn with_socket() -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let (rules, place) = (quick_rules(), tempfile::tempdir().unwrap());
        let server = start(activated(&socket), &rules, &place);
        Self {
            address: socket.local_addr().unwrap(),
            socket: Some(socket),
            rules,
            place,
            server,
        }
    }

    fn restart(&mut self) {
        self.server.terminate();
        assert!(self.server.ended_within(Duration::from_secs(20)).success());
        let command = self
            .socket
            .as_ref()
            .map_or_else(|| on_its_own(self.address), activated);
        self.server = start(command, &self.rules, &self.place);
        assert_eq!(self.server.address(), self.address);
    }
}

/// Restarts the nodes twice, three seconds apart, under a load that lets no call fail.
fn restart_under_load(proxy: &Proxy, nodes: &mut [Node]) {
    let load = Load::start(proxy.address(), GOOD, |_| "answered".to_owned());
    for _ in 0..2 {
        for node in &mut *nodes {
            std::thread::sleep(Duration::from_secs(3));
            node.restart();
        }
    }
    std::thread::sleep(Duration::from_secs(1));
    let answered = load.stop()["answered"];
    assert!(answered > 1_000, "{answered}");
}

#[test]
fn a_node_that_restarts_behind_nginx_fails_no_call_if_its_port_is_held() {
    let node = Node::with_socket();
    let Some(proxy) = Proxy::nginx(&[node.address]) else {
        return;
    };
    restart_under_load(&proxy, &mut [node]);
}

#[test]
fn a_node_that_restarts_behind_caddy_fails_no_call() {
    for node in [Node::with_socket(), Node::alone()] {
        let Some(proxy) = Proxy::caddy(&[node.address]) else {
            return;
        };
        restart_under_load(&proxy, &mut [node]);
    }
}

#[test]
fn two_nodes_that_restart_one_after_the_other_fail_no_call() {
    for start in [Proxy::nginx, Proxy::caddy] {
        let mut nodes = [Node::alone(), Node::alone()];
        let Some(proxy) = start(&nodes.each_ref().map(|node| node.address)) else {
            continue;
        };
        restart_under_load(&proxy, &mut nodes);
    }
}
