//! The stream below a connection: it times out slow readers, sends JSON in place of hyper's bare
//! errors, and closes without losing the last reply.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bareme_api::wire::problem::kinds::{self, Kind};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use crate::net::{Host, refusal};

/// Greatest number of headers of a request. Beyond it hyper answers 431.
pub(super) const MAX_HEADERS: usize = 64;

/// Greatest size of a request's head. Beyond it hyper answers 431.
pub(super) const MAX_HEAD_BYTES: usize = 16 * 1024;

/// How long a peer may go without reading anything that is written to it.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long, and how many bytes, to read after the last reply.
const LINGER_TIMEOUT: Duration = Duration::from_secs(1);
const LINGER_BYTES: usize = 256 * 1024;

/// Start of the HTTP/2 connection preface (RFC 9113, 3.4), enough to recognise it.
const HTTP_2: &[u8] = b"PRI * HTTP/2.0\r\n";

/// A TCP stream, as hyper sees it.
#[derive(Debug)]
pub(crate) struct Socket {
    stream: TcpStream,
    host: Arc<dyn Host>,
    start: Start,
    received: Received,
    /// Remaining bytes of a reply that replaces hyper's own.
    refusal: Vec<u8>,
    stalled: Option<Pin<Box<Sleep>>>,
    /// When the system first did not accept all of the reply being written.
    late_since: Option<Instant>,
    linger: Option<(Pin<Box<Sleep>>, usize)>,
}

/// The protocol, by the first bytes of a connection.
#[derive(Debug, Clone, Copy)]
enum Start {
    /// This many bytes of the HTTP/2 preface have matched.
    Matching(usize),
    /// Not HTTP/2.
    Other,
    /// The whole HTTP/2 preface.
    Http2,
}

impl Start {
    /// The state after more bytes of the connection.
    fn then(self, bytes: &[u8]) -> Self {
        let Self::Matching(known) = self else {
            return self;
        };

        // The preface may arrive in pieces: it is recognised once all of it has.
        let rest = HTTP_2.get(known..).unwrap_or_default();
        if bytes.starts_with(rest) {
            Self::Http2
        } else if rest.starts_with(bytes) {
            Self::Matching(known + bytes.len())
        } else {
            Self::Other
        }
    }
}

/// What was received since the last reply.
#[derive(Debug, Clone, Copy, Default)]
struct Received {
    bytes: usize,
    lines: usize,
}

impl Received {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        self.lines += bytes.iter().filter(|byte| **byte == b'\n').count();
    }

    /// The actual cause of an error that hyper reports as too large: an oversized head, or an
    /// invalid `Content-Length`.
    fn cause(self, kind: &'static Kind) -> &'static Kind {
        // The error is ours to name: hyper reports an invalid length with the status of a large
        // head.
        // The request line, the headers and the empty line.
        let fits = self.bytes < MAX_HEAD_BYTES && self.lines <= MAX_HEADERS + 2;
        if std::ptr::eq(kind, &kinds::HEADERS) && fits {
            &kinds::UNREADABLE
        } else {
            kind
        }
    }
}

impl Socket {
    /// Wraps an accepted stream.
    pub(crate) fn new(stream: TcpStream, host: Arc<dyn Host>) -> Self {
        Self {
            stream,
            host,
            late_since: None,
            start: Start::Matching(0),
            received: Received::default(),
            refusal: Vec::new(),
            stalled: None,
            linger: None,
        }
    }

    fn write_some(
        &mut self,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        // Any progress gives the peer the whole time again.
        if written.is_ready() {
            self.stalled = None;
            return written;
        }

        // The system took nothing: the peer reads slowly, or not at all.
        self.late_since.get_or_insert_with(Instant::now);
        let stalled = self
            .stalled
            .get_or_insert_with(|| Box::pin(sleep(WRITE_TIMEOUT)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn send_refusal(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.refusal.is_empty() {
            // Taken out while it is written, since `write_some` borrows the whole socket.
            let refusal = std::mem::take(&mut self.refusal);
            let written = self.write_some(context, &[IoSlice::new(&refusal)]);
            self.refusal = refusal;
            let written = ready!(written)?;
            self.refusal.drain(..written);
        }
        Poll::Ready(Ok(()))
    }

    /// Reads and discards what the caller still sends. Closing with unread bytes would reset the
    /// connection and lose the reply, precisely for callers that have sent too much.
    fn poll_linger(&mut self, context: &mut Context<'_>) -> Poll<()> {
        // Both bounds protect from a caller that goes on sending for ever.
        let (until, left) = self
            .linger
            .get_or_insert_with(|| (Box::pin(sleep(LINGER_TIMEOUT)), LINGER_BYTES));
        let mut discarded = [0; 4096];

        while *left > 0 && until.as_mut().poll(context).is_pending() {
            let mut buffer = ReadBuf::new(&mut discarded);
            match ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => {
                    *left = left.saturating_sub(buffer.filled().len())
                }
                _ => break,
            }
        }
        Poll::Ready(())
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !matches!(self.start, Start::Http2) {
            let before = buffer.filled().len();
            ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;

            // hyper sees the bytes as they are, unless they ask for HTTP/2, which it would not
            // answer.
            let bytes = buffer.filled().get(before..).unwrap_or_default();
            self.received.add(bytes);
            self.start = self.start.then(bytes);
            if !matches!(self.start, Start::Http2) {
                return Poll::Ready(Ok(()));
            }

            // hyper must not parse the preface: the bytes are taken back.
            buffer.set_filled(before);
            self.refusal = refusal::answer(&kinds::VERSION, self.host.as_ref());
        }
        // Replies where hyper would close without a reply. hyper is made to believe that the caller
        // has closed the connection.
        self.poll_shutdown(context)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    /// Writes hyper's buffers. Its heads are in the first; bodies follow in buffers of their own,
    /// which are never copied, so that many callers that are slow to read a long reply share its
    /// memory.
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.send_refusal(context))?;

        // Only the end of a head can be a refusal of hyper's.
        let [head, contents @ ..] = slices else {
            return Poll::Ready(Ok(0));
        };
        // A bare refusal has no content.
        let refusal = if contents.is_empty() {
            refusal::find(head)
        } else {
            None
        };
        match refusal {
            // The bare refusal alone: it is replaced.
            Some((0, kind)) => {
                self.refusal = refusal::answer(self.received.cause(kind), self.host.as_ref());
                // All of it counts as written: the replacement is sent by the flush that follows.
                Poll::Ready(Ok(head.len()))
            }
            // It follows a reply in the same buffer. That part is written first, and hyper offers
            // the rest again.
            Some((start, _)) => self.write_some(
                context,
                &[IoSlice::new(head.get(..start).unwrap_or_default())],
            ),
            None => {
                // A reply of our own: what is received from here on belongs to the next request.
                self.received = Received::default();
                self.write_some(context, slices)
            }
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.send_refusal(context))?;
        ready!(Pin::new(&mut self.stream).poll_flush(context))?;

        // hyper flushes at the end of a reply, so the time from the first partial write is that of
        // the reader.
        if let Some(since) = self.late_since.take() {
            self.host.written_late(since.elapsed());
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.send_refusal(context))?;
        // Our direction is closed first, so that the caller sees the end, then the other is
        // drained.
        ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
        ready!(self.poll_linger(context));
        Poll::Ready(Ok(()))
    }
}
