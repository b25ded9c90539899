//! Batches of requests to the store: what waits in a channel goes together, a few batches at a time.

use std::sync::Arc;

use tokio::sync::{Semaphore, mpsc};

/// Batches that may be with the store at once: behind a long way, a request does not wait for the batch before its own.
const IN_FLIGHT: usize = 4;

/// Hands requests over in batches of at most `size`, each a task of its own, until nobody sends any more or `handle` ends
/// it.
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
        let Some(answering) = handle(batch) else { return };
        tokio::spawn(async move {
            answering.await;
            drop(slot);
        });
    }
}
