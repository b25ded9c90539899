//! Work that takes long, away from the threads that serve connections.

use tokio::task::spawn_blocking;

use crate::wire::problem::{Problem, kinds};

/// Runs work on another thread than single calls.
///
/// # Errors
/// A panic in the work is an internal error.
pub(super) async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    spawn_blocking(work).await.map_err(|_| Problem::plain(&kinds::INTERNAL))
}
