//! The stream under a connection: it waits for nobody for ever, speaks JSON where hyper would be
//! silent, and closes without losing the last answer.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use crate::refused;
use crate::shared::Shared;

/// How long a reader may take nothing of what is written to it.
const STALLED: Duration = Duration::from_secs(10);

/// How long, and how much, is still read after the last answer.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_BYTES: usize = 256 * 1024;

/// A TCP stream, given to hyper.
#[derive(Debug)]
pub struct Socket {
    stream: TcpStream,
    shared: Arc<Shared>,
    /// What is left to send of an answer put in the place of hyper's own.
    refusal: Vec<u8>,
    stalled: Option<Pin<Box<Sleep>>>,
    linger: Option<(Pin<Box<Sleep>>, usize)>,
}

impl Socket {
    /// Around an accepted stream.
    pub fn new(stream: TcpStream, shared: Arc<Shared>) -> Self {
        Self { stream, shared, refusal: Vec::new(), stalled: None, linger: None }
    }

    fn write_some(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(STALLED)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn send_refusal(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.refusal.is_empty() {
            let refusal = std::mem::take(&mut self.refusal);
            let written = self.write_some(context, &refusal);
            self.refusal = refusal;
            let written = ready!(written)?;
            self.refusal.drain(..written);
        }
        Poll::Ready(Ok(()))
    }

    /// Reads and forgets what the caller still sends. To close with unread bytes would reset the
    /// connection, and the answer with it: exactly who sent too much would never learn it.
    fn poll_linger(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let (until, left) = self.linger.get_or_insert_with(|| (Box::pin(sleep(LINGER)), LINGER_BYTES));
        let mut bin = [0; 4096];
        while *left > 0 && until.as_mut().poll(context).is_pending() {
            let mut buffer = ReadBuf::new(&mut bin);
            match ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => *left = left.saturating_sub(buffer.filled().len()),
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
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.send_refusal(context))?;
        match refused::find(bytes) {
            None => self.write_some(context, bytes),
            Some((0, kind)) => {
                self.refusal = refused::answer(kind, &self.shared);
                // Taken whole: the rest goes out with the flush that follows.
                Poll::Ready(Ok(bytes.len()))
            }
            Some((start, _)) => self.write_some(context, bytes.get(..start).unwrap_or_default()),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.send_refusal(context))?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.send_refusal(context))?;
        ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
        ready!(self.poll_linger(context));
        Poll::Ready(Ok(()))
    }
}
