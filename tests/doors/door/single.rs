//! `GET /api/v1/…`: a question an address.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU32, Ordering};

use harness::Connection;

use super::{Door, Group};
use crate::answer::{Answer, Carried};
use crate::draw::Question;
use crate::json::Json;
use crate::oracle::Target;

/// GET of the service.
pub(crate) struct Single(pub SocketAddr);

impl Door for Single {
    fn name(&self) -> String {
        "GET".to_owned()
    }

    fn carries(&self) -> Carried {
        Carried::WHOLE
    }

    fn takes(&self, target: Target, _: &Question) -> bool {
        target.endpoint.is_some()
    }

    fn ask(&self, group: &Group) -> Vec<Answer> {
        let mut caller = Caller::new(self.0);
        let of = |(at, question): (usize, &&Question)| {
            Answer::of_json(&Json::read(&caller.get(&format!(
                "/api/v1/{}",
                path(group.target, question, at % 2 == 0)
            ))))
        };
        group.questions.iter().enumerate().map(of).collect()
    }
}

/// The path and query of a question below the prefix of the service; the path of a family may
/// select the folder.
pub(super) fn path(target: Target, question: &Question, selects: bool) -> String {
    match question.selected.as_ref().filter(|_| selects) {
        Some((_, word)) => format!("{}/{word}?{}", target.name, query(&question.unselected())),
        None => format!("{}?{}", target.name, query(&question.query())),
    }
}

/// Parameters as a query.
pub(crate) fn query(pairs: &[(String, String)]) -> String {
    let pair = |(name, value): &(String, String)| format!("{}={}", encoded(name), encoded(value));
    pairs.iter().map(pair).collect::<Vec<_>>().join("&")
}

fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// Callers so far: each calls from an address of its own, whose budget of work its questions do not
/// pass.
static CALLERS: AtomicU32 = AtomicU32::new(0);

/// A connection to the service, opened again when the service has closed it.
pub(crate) struct Caller {
    address: SocketAddr,
    connection: Connection,
    /// The header that says where it calls from.
    from: String,
}

impl Caller {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self {
            address,
            connection: Connection::open(address).unwrap(),
            from: from(),
        }
    }

    /// The body of the answer to GET, of any status.
    pub(crate) fn get(&mut self, target: &str) -> String {
        self.call(|connection, from| connection.call("GET", target, from))
    }

    /// The body of the answer to POST, of any status.
    pub(crate) fn post(&mut self, target: &str, media: &str, body: &[u8], headers: &str) -> String {
        self.call(|connection, from| {
            connection.post(target, media, body, &format!("{from}{headers}"))
        })
    }

    fn call(
        &mut self,
        send: impl Fn(&mut Connection, &str) -> std::io::Result<harness::Answer>,
    ) -> String {
        let mut answer = send(&mut self.connection, &self.from).unwrap();
        if answer.status == 429 {
            // Its address has spent its budget: it goes on from another.
            self.from = from();
            answer = send(&mut self.connection, &self.from).unwrap();
        }
        if answer.has("connection") {
            self.connection = Connection::open(self.address).unwrap();
        }
        String::from_utf8(answer.body).unwrap()
    }
}

/// The header of an address that none has called from.
fn from() -> String {
    let first = u32::from(Ipv4Addr::new(10, 0, 0, 1));
    format!(
        "X-Forwarded-For: {}\r\n",
        Ipv4Addr::from(first + CALLERS.fetch_add(1, Ordering::Relaxed))
    )
}
