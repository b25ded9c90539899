//! Work that takes long, away from the threads that serve connections.

use std::time::Duration;

use tokio::task::spawn_blocking;

use crate::wire::problem::{Problem, kinds};

/// How long a reply may take that such work is done for, until it starts; reading and queueing included.
pub(super) const DEADLINE: Duration = Duration::from_secs(30);

/// Runs work on another thread than single calls.
///
/// # Errors
/// A panic in the work is an internal error.
pub(super) async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    spawn_blocking(work).await.map_err(|_| Problem::plain(&kinds::INTERNAL))
}
