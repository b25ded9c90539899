//! Batching of requests to the store: requests waiting in a channel are sent together, a few
//! batches at a time.

use std::sync::Arc;

use tokio::sync::{Semaphore, mpsc};

/// Batches in flight at once: with a distant store, a request need not wait for the batch before.
const IN_FLIGHT: usize = 4;

/// Passes requests to `handle` in batches of at most `size`, each in its own task, until all
/// senders are gone or `handle` ends it.
pub(super) async fn hand_over<T, F>(
    mut requests: mpsc::Receiver<T>,
    size: usize,
    mut handle: impl FnMut(Vec<T>) -> Option<F>,
) where
    F: Future<Output = ()> + Send + 'static,
{
    let slots = Arc::new(Semaphore::new(IN_FLIGHT));

    // The semaphore is never closed.
    while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
        let mut batch = Vec::with_capacity(size);
        if requests.recv_many(&mut batch, size).await == 0 {
            return;
        }

        // The slot was taken before the requests: those that arrive while all slots are busy make a
        // larger batch.
        let Some(answering) = handle(batch) else {
            return;
        };

        tokio::spawn(async move {
            answering.await;
            // Moved into the task, so that the slot is free again even if the task panics.
            drop(slot);
        });
    }
}
