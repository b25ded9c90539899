//! Threads that serve connections, each with a runtime of its own.
//!
//! A connection stays on the thread it was given to: reading a request, calculating and writing the
//! answer wake no other thread. With one runtime for all threads a call takes up to a tenth more
//! processor time (`benches/throughput`). Whatever takes long must leave the thread
//! (`spawn_blocking`): its other connections would wait for it.

use std::num::NonZero;
use std::sync::Arc;
use std::{io, thread};

use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle};

/// The threads. They end with the process, so that a task which a call has left behind (an e-mail)
/// can end.
#[derive(Debug)]
pub(super) struct Workers(Vec<Worker>);

#[derive(Debug)]
struct Worker {
    runtime: Handle,
    /// Counts its open connections: each owns a clone, so there are `strong_count − 1` of them.
    connections: Arc<()>,
}

impl Workers {
    /// One thread for each processor.
    ///
    /// # Errors
    /// The system refuses a thread, or what a runtime needs.
    pub(super) fn start() -> io::Result<Self> {
        Self::of(thread::available_parallelism().map_or(1, NonZero::get))
    }

    fn of(count: usize) -> io::Result<Self> {
        // The runtime is built here, so that an error ends the start; the thread then drives it for
        // ever.
        let worker = |_| {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            let worker = Worker {
                runtime: runtime.handle().clone(),
                connections: Arc::default(),
            };
            let serve = move || runtime.block_on(std::future::pending::<()>());
            thread::Builder::new()
                .name("calls".to_owned())
                .spawn(serve)?;
            Ok(worker)
        };
        (0..count).map(worker).collect::<io::Result<_>>().map(Self)
    }

    /// Serves a connection on the thread that has the fewest connections.
    pub(super) fn serve<F>(
        &self,
        stream: TcpStream,
        serve: impl FnOnce(TcpStream) -> F + Send + 'static,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        // There is at least one.
        let Some(worker) = self
            .0
            .iter()
            .min_by_key(|worker| Arc::strong_count(&worker.connections))
        else {
            return;
        };

        // Counted before the task starts: connections that arrive at once are spread too.
        let counted = Arc::clone(&worker.connections);
        // The stream is registered with the runtime that accepted it; the worker's own registers it
        // again.
        let stream = stream.into_std();
        worker.runtime.spawn(async move {
            match stream.and_then(TcpStream::from_std) {
                Ok(stream) => serve(stream).await,
                Err(error) => tracing::warn!(%error, "an accepted connection cannot be served"),
            }
            drop(counted);
        });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::thread::{ThreadId, current};

    use tokio::io::AsyncReadExt as _;
    use tokio::net::TcpListener;
    use tokio::sync::mpsc;

    use super::*;

    /// Opens a connection that is served until the peer closes it; returns the peer, and the thread
    /// that serves.
    async fn open(workers: &Workers, listener: &TcpListener) -> (TcpStream, ThreadId) {
        let peer = TcpStream::connect(listener.local_addr().unwrap())
            .await
            .unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let (sender, mut thread) = mpsc::unbounded_channel();
        workers.serve(stream, move |mut stream| async move {
            sender.send(current().id()).unwrap();
            assert_eq!(stream.read(&mut [0]).await.unwrap(), 0);
        });
        (peer, thread.recv().await.unwrap())
    }

    #[tokio::test]
    async fn each_thread_serves_as_many_connections() {
        let workers = Workers::of(3).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut served: BTreeMap<String, Vec<TcpStream>> = BTreeMap::new();
        for _ in 0..12 {
            let (peer, thread) = open(&workers, &listener).await;
            served.entry(format!("{thread:?}")).or_default().push(peer);
        }
        assert_eq!(served.values().map(Vec::len).collect::<Vec<_>>(), [4, 4, 4]);

        // The next one goes where one has ended.
        let (freed, peers) = served.iter_mut().nth(1).unwrap();
        drop(peers.pop());
        while workers
            .0
            .iter()
            .all(|worker| Arc::strong_count(&worker.connections) == 5)
        {
            tokio::task::yield_now().await;
        }
        let (_peer, thread) = open(&workers, &listener).await;
        assert_eq!(format!("{thread:?}"), *freed);
    }
}
