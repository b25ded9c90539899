//! Callers that ask again as soon as they are answered.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use memchr::memmem;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// The field with the size of the content.
const LENGTH: &[u8] = b"content-length: ";

/// Connections at once.
const CONNECTIONS: usize = 64;

/// The head of one answer, and the bytes of its content.
pub(crate) fn ask(server: SocketAddr, request: &[u8]) -> (String, usize) {
    runtime().block_on(async {
        let mut line = Line::open(server).await;
        let answer = line.ask(request).await;
        (
            String::from_utf8(line.buffer[..answer.head].to_vec()).unwrap(),
            answer.content,
        )
    })
}

/// Asks these in turn for this long; how long each answer took, the quickest first.
pub(crate) fn run(server: SocketAddr, requests: &[Vec<u8>], duration: Duration) -> Vec<Duration> {
    let requests: Arc<[Vec<u8>]> = requests.into();
    runtime().block_on(async {
        let end = Instant::now() + duration;
        let mut lines = JoinSet::new();
        for rank in 0..CONNECTIONS {
            let requests = Arc::clone(&requests);
            lines.spawn(async move {
                let mut line = Line::open(server).await;
                let mut times = Vec::new();
                // Each has its own part of the requests.
                let first = rank * requests.len() / CONNECTIONS;
                for request in requests.iter().cycle().skip(first) {
                    let asked = Instant::now();
                    if asked >= end {
                        break;
                    }
                    let is_last = line.ask(request).await.is_last;
                    times.push(asked.elapsed());
                    if is_last {
                        line = Line::open(server).await;
                    }
                }
                times
            });
        }
        let mut times = lines.join_all().await.concat();
        times.sort_unstable();
        times
    })
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap()
}

/// A connection.
struct Line {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// The sizes of an answer that came whole.
struct Answer {
    head: usize,
    content: usize,
    is_last: bool,
}

impl Line {
    async fn open(server: SocketAddr) -> Self {
        let stream = TcpStream::connect(server).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            stream,
            buffer: Vec::with_capacity(16 * 1024),
        }
    }

    async fn ask(&mut self, request: &[u8]) -> Answer {
        self.stream.write_all(request).await.unwrap();
        self.buffer.clear();
        loop {
            assert!(
                self.stream.read_buf(&mut self.buffer).await.unwrap() > 0,
                "closed in an answer"
            );
            if let Some(answer) = Answer::read(&self.buffer) {
                return answer;
            }
        }
    }
}

impl Answer {
    /// The answer, if these bytes are the whole of it. Any but a good one ends the measurement.
    /// What is measured are the servers: callers that were slow to read would be reported as slow
    /// servers.
    fn read(bytes: &[u8]) -> Option<Self> {
        let end = memmem::find(bytes, b"\r\n\r\n")? + 4;
        let head = &bytes[..end];
        assert!(
            head.starts_with(b"HTTP/1.1 200 "),
            "{}",
            String::from_utf8_lossy(head)
        );
        let length = &head[memmem::find(head, LENGTH).unwrap() + LENGTH.len()..];
        let digits = length.iter().take_while(|byte| byte.is_ascii_digit());
        let content = digits.fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0'));
        let is_last = memmem::find(head, b"connection: close").is_some();
        (bytes.len() >= end + content).then_some(Self {
            head: end,
            content,
            is_last,
        })
    }
}
