//! A small HTTP client that exposes every byte sent and received.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;
use socket2::{Domain, Socket, Type};

/// Timeout for opening a connection: the system itself waits two minutes for a full queue.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// An answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body as received; empty after HEAD and with 304.
    pub body: Vec<u8>,
}

impl Answer {
    /// The value of a header that must occur once.
    pub fn header(&self, name: &str) -> &str {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        let value = &found
            .next()
            .unwrap_or_else(|| panic!("no {name} in {:?}", self.headers))
            .1;
        assert!(found.next().is_none(), "{name} twice in {:?}", self.headers);
        value
    }

    /// Whether a header is present.
    pub fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(known, _)| known == name)
    }

    /// The body, which must be JSON and declared as such.
    pub fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), "application/json");
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error} in {:?}", String::from_utf8_lossy(&self.body)))
    }

    /// The body of an error, which must have the members of every error.
    pub fn problem(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.header("access-control-allow-origin"), "*");
        self.problem_unread(status, code)
    }

    /// The body of an error that scripts of other sites may not read.
    pub fn problem_unread(&self, status: u16, code: &str) -> Value {
        let body = self.json();
        assert_eq!(
            (self.status, body["code"].as_str()),
            (status, Some(code)),
            "{body}"
        );
        assert_eq!(body["status"], status);
        assert_eq!(self.header("cache-control"), "no-store");
        for member in ["type", "title", "detail"] {
            assert!(
                body[member].as_str().is_some_and(|text| !text.is_empty()),
                "{member} in {body}"
            );
        }
        assert_eq!(
            body["instance"],
            format!("urn:uuid:{}", self.header("x-request-id"))
        );
        body
    }

    /// The names of the bad parameters.
    pub fn blamed(&self) -> Vec<String> {
        let body = self.problem_unread(400, "parametres_invalides");
        let named = body["parametres"].as_array().unwrap();
        for parameter in named {
            for member in ["motif", "attendu"] {
                assert!(
                    parameter[member]
                        .as_str()
                        .is_some_and(|text| !text.is_empty()),
                    "{member} in {parameter}"
                );
            }
        }
        named
            .iter()
            .map(|parameter| parameter["nom"].as_str().unwrap().to_owned())
            .collect()
    }
}

/// A connection kept open between requests.
pub struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    /// Opens a connection to a server, with half a minute for each answer.
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        Self::over(TcpStream::connect(address)?)
    }

    /// Opens a connection from another address of this machine.
    pub fn open_from(source: IpAddr, address: SocketAddr) -> io::Result<Self> {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
        socket.bind(&SocketAddr::new(source, 0).into())?;
        socket.connect_timeout(&address.into(), CONNECT_TIMEOUT)?;
        Self::over(socket.into())
    }

    fn over(stream: TcpStream) -> io::Result<Self> {
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::new(stream),
        })
    }

    /// Whether the server has closed the connection by now, without sending anything.
    pub fn is_closed_by_now(&mut self) -> bool {
        self.stream.get_ref().set_nonblocking(true).unwrap();
        let closed = match self.stream.get_ref().peek(&mut [0]) {
            Ok(said) => said == 0,
            Err(error) => error.kind() != io::ErrorKind::WouldBlock,
        };
        self.stream.get_ref().set_nonblocking(false).unwrap();
        closed
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Sends a request without a body and reads the answer.
    pub fn call(&mut self, method: &str, target: &str, headers: &str) -> io::Result<Answer> {
        self.send(
            format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n").as_bytes(),
        )?;
        self.receive(method == "HEAD")
    }

    /// Reads one answer.
    pub fn receive(&mut self, head_only: bool) -> io::Result<Answer> {
        let status_line = self.line()?;
        let status = status_line
            .split(' ')
            .nth(1)
            .and_then(|code| code.parse().ok());
        let status =
            status.ok_or_else(|| io::Error::other(format!("no status in {status_line:?}")))?;
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line
                .split_once(": ")
                .ok_or_else(|| io::Error::other(line.clone()))?;
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let mut answer = Answer {
            status,
            headers,
            body: Vec::new(),
        };
        match status {
            // `100 Continue` comes before the answer.
            100..200 => return self.receive(head_only),
            204 | 304 => return Ok(answer),
            _ if head_only => return Ok(answer),
            _ => {}
        }
        if answer.has("transfer-encoding") {
            answer.body = self.chunks()?;
        } else if status_line.starts_with("HTTP/1.0 ") && !answer.has("content-length") {
            self.stream.read_to_end(&mut answer.body)?;
        } else {
            answer.body = vec![0; answer.header("content-length").parse().unwrap()];
            self.stream.read_exact(&mut answer.body)?;
        }
        Ok(answer)
    }

    /// Reads a chunked body to its end.
    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let length = usize::from_str_radix(&self.line()?, 16).map_err(io::Error::other)?;
            let mut chunk = vec![0; length];
            self.stream.read_exact(&mut chunk)?;
            body.extend(chunk);
            self.line()?;
            if length == 0 {
                return Ok(body);
            }
        }
    }

    /// Sends a request with a body and reads the answer.
    pub fn post(
        &mut self,
        target: &str,
        media: &str,
        body: &[u8],
        headers: &str,
    ) -> io::Result<Answer> {
        let length = body.len();
        let head = format!(
            "POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {media}\r\nContent-Length: {length}\r\n{headers}\r\n"
        );
        self.send(&[head.as_bytes(), body].concat())?;
        self.receive(false)
    }

    /// Whether the server closes the connection without sending anything more.
    pub fn is_closed(&mut self) -> bool {
        let mut rest = Vec::new();
        self.stream.read_to_end(&mut rest).is_ok() && rest.is_empty()
    }

    /// Half-closes the connection.
    pub fn finish(&mut self) {
        self.stream
            .get_mut()
            .shutdown(std::net::Shutdown::Write)
            .unwrap();
    }

    /// Half-closes a connection that the server may have closed already.
    pub fn finish_quietly(&mut self) {
        drop(self.stream.get_mut().shutdown(std::net::Shutdown::Write));
    }

    /// Whether the server has closed the connection, after waiting for its next byte.
    pub fn is_at_end(&mut self) -> io::Result<bool> {
        loop {
            match self.stream.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return Ok(read?.is_empty()),
            }
        }
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end_matches("\r\n").to_owned())
    }
}

/// Sends one GET.
pub fn get(address: SocketAddr, target: &str) -> Answer {
    Connection::open(address)
        .unwrap()
        .call("GET", target, "Connection: close\r\n")
        .unwrap()
}

/// Sends bytes as they are and reads one answer, after which the server must close.
pub fn raw(address: SocketAddr, bytes: &[u8]) -> Answer {
    let mut connection = Connection::open(address).unwrap();
    connection.send(bytes).unwrap();
    let answer = connection.receive(false).unwrap();
    assert!(connection.is_closed(), "still open after {answer:?}");
    answer
}
