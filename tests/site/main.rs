//! The service's own site: its pages as they are sent, and as a browser shows them.

#![cfg(test)]

mod browser;
mod pages;

use harness::{Answer, Connection, Server, repository};

/// A service with the plans of the repository: that of most tests has no quota.
fn with_quotas() -> Server {
    Server::with(&repository().join("rules"), &[])
}

/// Sends a form.
fn post(server: &Server, path: &str, form: &str, headers: &str) -> Answer {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: {}\r\n{headers}\r\n",
        form.len()
    );
    let mut connection = Connection::open(server.address()).unwrap();
    connection.send(format!("{head}{form}").as_bytes()).unwrap();
    connection.receive(false).unwrap()
}
